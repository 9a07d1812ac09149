"""What the referee is offered: the decisions that make sense now, each as the event it would append.

A camera sees dice and checkers. It does not hear who doubles, who accepts an illegal play or who says
that he adjusts a checker, and it may be wrong or blind. All that is offered here, as data: a key, plain
words, the rows of rules.md, and an event whose open values are the fields of a form. The same fields
serve to correct an event that is in the record already.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from engine.events import (
    BoardSeen,
    Call,
    CubeAction,
    CubeVerb,
    Desync,
    Dice,
    Doubt,
    Event,
    Fault,
    GameEnd,
    GameStart,
    MatchStart,
    PlayMade,
    Resignation,
    Resync,
    RollOff,
    Ruling,
    SetUp,
    Throw,
    TurnEnd,
)
from engine.formats.positions import format_position, parse_position
from engine.judge import judge_play, play_event
from engine.layout import colour_of, to_slots
from engine.legal import legal_plays
from engine.match import Match
from engine.notation import roll_text
from engine.position import BAR, Game, Position, Side
from engine.record import FormatError
from engine.rules import TurnEnd as TurnEndSignal
from engine.scoring import SCORING_ROWS, grade_points, single
from engine.throws import FAULTS, has_contact, is_forced, is_void_if_early

#: What may be given as a position. Side, dice, cube and score have fields of their own.
POSITION = "Where the checkers stand: each side’s by its own points, an XGID, or a GNU Backgammon id"

AS_RECORDED = "as recorded"  #: the choice of a play that is none of the legal ones
#: What may be given beside a play, where it is not among the legal ones.
AFTER = "Or, if none of these: where the checkers stood after it, as a position"

Group = Literal["step", "play", "cube", "throw", "turn", "start", "end", "touch", "record"]

_TURN_ENDS: dict[TurnEndSignal, tuple[str, str]] = {
    "clock": ("{} has pressed the clock", "E1"),
    "dice_handed_over": ("{} has handed over the dice", "E2"),
    "dice_lifted": ("{} has lifted the dice", "E3"),
}
_CUBE: dict[CubeVerb, tuple[str, tuple[str, ...]]] = {
    "double": ("{} doubles to {}", ("C1", "C2", "C4", "C9")),
    "take": ("{} takes: the cube at {}", ("C3",)),
    "drop": ("{} drops and loses {}", ("C3", "C4")),
    "beaver": ("{} beavers to {}", ("C5",)),
    "raccoon": ("{} raccoons to {}", ("C5",)),
}


class ValueRefused(ValueError):
    """A value of a field that makes no sense; the message says which and why, in one sentence."""


@dataclass(frozen=True, slots=True)
class Field:
    """An open value of an event: its name, its label, the value it has now, and what it may be.

    ``choices`` are (value, label); without any it takes text.
    """

    name: str
    label: str
    value: str
    choices: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Offer:
    """A decision that makes sense now.

    ``key`` names it among the offers of the moment; ``rows`` are ids of rules.md; ``side`` is whose it is,
    where that matters. ``event`` is what it appends once the ``fields`` are filled in (:func:`filled`).
    """

    key: str
    group: Group
    label: str
    rows: tuple[str, ...]
    event: Event
    side: Side | None = None
    fields: tuple[Field, ...] = ()


def offered(match: Match, stands: Position | None = None) -> tuple[Offer, ...]:
    """What the referee may decide now, the likeliest first within each group.

    ``stands``: the board as the camera shows it, for a match that is out of step. Every offer can be taken
    as it stands: :meth:`engine.match.Match.apply` follows its event.
    """
    candidates = (
        *_of_the_step(match, stands),
        *_of_the_play(match),
        *_of_the_cube(match),
        *_of_the_throw(match),
        *_of_the_turn(match),
        *_of_the_start(match),
        *_of_the_end(match),
        *_of_touching(match),
        *_of_the_record(match),
        *_of_a_late_double(match),
    )
    return tuple(offer for offer in candidates if match.refusal(offer.event) is None)


def _of_the_step(match: Match, stands: Position | None) -> Iterator[Offer]:
    """Board and record disagree: the one or the other is gone on from."""
    if match.in_step or match.position is None:
        return
    if not match.restoring:
        restore = Ruling(t=0, decision="restore")
        yield Offer("restore", "step", "Put it back as shown", ("E6",), restore)
    mover, position = match.side_to_move or Side.WHITE, stands or match.position
    keep = Resync(
        t=0,
        reason="the referee lets the board stand as it is",
        slots=_differing(match, position),
        position=position,
        side_to_move=mover,
        dice=match.dice if match.phase == "to_play" else None,
    )
    label = "The board stays as it is: go on from it"
    yield Offer("keep", "step", label, ("E6",), keep, None, _fields(keep, match))


def _differing(match: Match, position: Position) -> tuple[int, ...]:
    """The slots in which a position is not that of the match."""
    assert match.position is not None
    pairs = zip(
        to_slots(position, match.orientation), to_slots(match.position, match.orientation), strict=True
    )
    return tuple(slot for slot, (a, b) in enumerate(pairs) if a != b)


def _of_the_play(match: Match) -> Iterator[Offer]:
    """An illegal play is announced; the opponent lets it stand or wants it put right (E5, E6).

    So is a legal one by which a checker that was touched did not move (E7).
    """
    play = match.last_play
    touched = any(call.what == "touched" for call in match.calls)
    if play is None or match.rejected is not None or (play.legal and not touched):
        return
    side = play.side.other
    rows = ("E7",) if play.legal else ("E5", "E6")
    demand = Ruling(t=0, decision="demand", asked_by=side)
    accept = Ruling(t=0, decision="accept", asked_by=side)
    what = play.notation or "it"
    yield Offer("demand", "play", f"{match.name(side)} demands a correct play", rows, demand, side)
    yield Offer("accept", "play", f"{match.name(side)} accepts {what} as it stands", rows, accept, side)


def _of_the_cube(match: Match) -> Iterator[Offer]:
    stakes: dict[CubeVerb, int] = {
        "double": 2 * match.cube,
        "take": match.offered,
        "beaver": 2 * match.offered,
        "raccoon": 2 * match.offered,
        "drop": match.offered // 2,
    }
    for side in Side:
        for verb, stake in stakes.items():
            label, rows = _CUBE[verb]
            yield Offer(
                f"{verb}.{side.value}",
                "cube",
                label.format(match.name(side), stake),
                rows,
                CubeAction(t=0, side=side, action=verb, value=stake),
                side,
            )


def _of_a_late_double(match: Match) -> Iterator[Offer]:
    """A double that is offered after the throw, or out of turn, is a fault, and does not count (C2)."""
    for side in Side:
        when = "after the throw" if side is match.side_to_move else "although it is not his turn"
        event = CubeAction(t=0, side=side, action="double", value=2 * match.cube, rule="C2")
        label = f"{match.name(side)} has doubled {when}: it does not count"
        yield Offer(f"late_double.{side.value}", "record", label, ("C2",), event, side)


def _void_if_early(match: Match) -> bool:
    """Whether a throw made before the last play was over is void; what is not known excuses nothing."""
    play, before, now = match.last_play, match.last_from, match.position
    if play is None or before is None or now is None:
        return is_void_if_early(match.rules, forced=False, contact=True)
    forced = is_forced(before, play.side, play.dice, match.rules)
    return is_void_if_early(match.rules, forced=forced, contact=has_contact(now, match.rules.game))


def _of_the_throw(match: Match) -> Iterator[Offer]:
    thrower = match.side_to_move
    if thrower is not None and match.dice is not None:
        again = f"{match.name(thrower)} throws both dice again"
        if match.dice_valid:
            rethrow = Ruling(t=0, decision="rethrow", reason=FAULTS["cocked"][0])
            yield Offer(
                "rethrow",
                "throw",
                again,
                ("D10", *(row for _, _, row in _faults(match))),
                rethrow,
                thrower,
                _fields(rethrow, match),
            )
            first = not match.turn and match.position == Position.start(match.rules.game)
            if not first and _void_if_early(match):
                yield Offer(
                    "premature",
                    "throw",
                    f"{match.name(thrower)} threw too early",
                    ("D13",),
                    Ruling(t=0, decision="rethrow", asked_by=thrower.other, reason=FAULTS["premature"][0]),
                    thrower.other,
                )
        else:
            yield Offer(
                "stand",
                "throw",
                f"The throw of {match.name(thrower)} stands: {roll_text(match.dice)}",
                ("D10",),
                Ruling(t=0, decision="stand"),
                thrower,
            )
    if not match.cup_demanded:
        for side in Side:
            yield Offer(
                f"cup.{side.value}",
                "throw",
                f"{match.name(side)} demands the cup",
                ("D2",),
                Call(t=0, side=side, what="cup"),
                side,
            )


def _faults(match: Match, *also: Fault) -> Iterator[tuple[Fault, str, str]]:
    """Why a throw in its turn can be void under the rules of the match; ``also``: what is named already."""
    rules = match.rules
    for fault, (words, row) in FAULTS.items():
        if fault not in also:
            if fault == "wrong_half" and rules.throw_half != "right_half":
                continue
            if fault == "two_halves" and rules.throw_half == "any_half":
                continue
            if fault == "not_from_cup" and rules.dice_from == "any":
                continue
            if fault == "wrong_side":
                continue
        yield fault, words, row


def _of_the_turn(match: Match) -> Iterator[Offer]:
    for side in Side:
        for how in match.rules.turn_end:
            if how not in match.signals:
                label, row = _TURN_ENDS[how]
                key, label = f"turn_end.{how}.{side.value}", label.format(match.name(side))
                yield Offer(key, "turn", label, (row, "E4"), TurnEnd(t=0, side=side, how=how), side)


def _of_the_start(match: Match) -> Iterator[Offer]:
    long = match.rules.game is Game.LONG_NARDY
    roll_off = RollOff(t=0, white=2, black=1)
    rows = ["G7"]
    if long and match.rules.rolloff_winner_takes_white:
        rows.append("G8")
    if not long and match.rules.auto_doubles:
        rows.append("C6")
    fields = _fields(roll_off, match)
    yield Offer("roll_off", "start", "The roll-off for the first turn", tuple(rows), roll_off, None, fields)
    if match.phase == "game_over":
        start = Position.start(match.rules.game)
        event = GameStart(t=0, rules=match.rules, position=start)
        fields = _fields(event, match)
        yield Offer("next_game", "start", "The next game begins", ("G9",), event, None, fields)


def _of_the_end(match: Match) -> Iterator[Offer]:
    grade = match.rules.grades[0][0]
    rows = SCORING_ROWS[match.rules.scoring]
    for side in Side:
        offer = Resignation(t=0, side=side, action="offer", grade=grade)
        name = match.name(side)
        answer = match.resigning
        if answer is None:
            yield Offer(
                f"resign.{side.value}", "end", f"{name} resigns", rows, offer, side, _fields(offer, match)
            )
        elif answer.side is side.other:
            accept = replace(offer, action="accept", grade=answer.grade)
            refuse = replace(offer, action="refuse", grade=answer.grade)
            yield Offer(f"accept_resignation.{side.value}", "end", f"{name} accepts", rows, accept, side)
            yield Offer(f"refuse_resignation.{side.value}", "end", f"{name} plays on", rows, refuse, side)


def _of_touching(match: Match) -> Iterator[Offer]:
    for side in Side if match.rules.touch_move else ():
        name, key = match.name(side), side.value
        adjust, touched = Call(t=0, side=side, what="adjust"), Call(t=0, side=side, what="touched")
        yield Offer(f"adjust.{key}", "touch", f"{name} says “I adjust”", ("E7",), adjust, side)
        label = f"{name} claims that {match.name(side.other)} touched a checker"
        yield Offer(f"touched.{key}", "touch", label, ("E7",), touched, side, _fields(touched, match))


def _of_the_record(match: Match) -> Iterator[Offer]:
    """What the camera did not see, entered by hand; and a board that stands as somebody says."""
    mover = match.side_to_move or Side.WHITE
    if match.phase == "to_throw":
        throw = Throw(t=0, side=mover, colour=colour_of(mover), dice=(2, 1), valid=True)
        fields = _fields(throw, match)
        yield Offer("throw", "record", "A throw that the camera missed", ("D1", "G10"), throw, None, fields)
    if match.phase == "to_play" and match.position is not None and match.dice is not None:
        play = legal_plays(match.position, mover, match.dice, match.rules)[0]
        made = _made(match, mover, match.dice, play.after, 0)
        fields = _fields(made, match)
        label = "A play that the camera missed"
        yield Offer("play", "record", label, ("M3", "M4", "M5", "M6"), made, mover, fields)
    if not match.in_step:
        event = Resync(t=0, reason="the referee says that the board stands as recorded")
        yield Offer("resync", "record", "The board stands as recorded", ("E6",), event)
    set_up = SetUp(
        t=0,
        position=match.position or Position.start(match.rules.game),
        side_to_move=mover,
        dice=match.dice if match.phase == "to_play" else None,
        score=match.score,
        cube=match.cube,
        cube_owner=match.cube_owner,
        crawford=match.crawford,
        game_number=max(1, match.game_number),
        first=match.first,
    )
    fields = _fields(set_up, match)
    yield Offer("set_up", "record", "Go on from another position", ("G1",), set_up, None, fields)


# -- values of events ------------------------------------------------------------------------------


def correctable(event: Event, before: Match) -> tuple[Field, ...]:
    """What can be corrected in an event of the record; ``before`` is the match up to it.

    Raises ``ValueRefused`` for an event in which nothing can be: what was seen stays as it was seen.
    """
    match event:
        case Resync(position=Position()):
            return _fields(event, before)
        case BoardSeen() | Desync() | Resync() | Doubt() | MatchStart():
            raise ValueRefused("this says what was seen; there is nothing to correct in it")
        case _:
            return _fields(event, before)


def _fields(event: Event, before: Match) -> tuple[Field, ...]:
    match event:
        case RollOff():
            return (
                Field("white", f"{before.name(Side.WHITE)}’s die", str(event.white), _NUMBERS),
                Field("black", f"{before.name(Side.BLACK)}’s die", str(event.black), _NUMBERS),
            )
        case Throw():
            fault = "" if event.valid else event.faults[0] if event.faults else "cocked"
            counts = ("", "it counts")
            why = tuple(
                (name, f"void: {words} ({row})") for name, words, row in _faults(before, *event.faults)
            )
            return (
                _side_field(event.side, before, "Thrower"),
                Field("first", "First die", str(event.dice[0] or 1), _NUMBERS),
                Field("second", "Second die", str(event.dice[1] or 1), _NUMBERS),
                Field("fault", "Does it count?", fault, (counts, *why)),
            )
        case PlayMade():
            return (_play_field(event, before), Field("after", AFTER, ""))
        case CubeAction(rule=str()):
            return ()
        case CubeAction():
            offers = before.phase != "cube_offered"
            verbs = ("double",) if offers else ("take", "drop", "beaver", "raccoon")
            choices = tuple((verb, verb) for verb in verbs)
            return (Field("action", before.name(event.side), event.action, choices),)
        case Resignation(action="offer"):
            grades = tuple((name, f"{name.replace('_', ' ')} ({n})") for name, n in before.rules.grades)
            return (Field("grade", "What is lost", event.grade, grades),)
        case Resignation():
            answers = (("accept", "accepts"), ("refuse", "plays on"))
            return (Field("action", before.name(event.side), event.action, answers),)
        case GameStart():
            colours = (("", "as the rules say"), *((s.value, f"{before.name(s)} has white") for s in Side))
            now = ""
            if event.players is not None:
                now = "white" if event.players == before.players else "black"
            begins = Field("side", "Who begins", _name(event.side_to_move), _BEGINS)
            return (begins, Field("colours", "Colours", now, colours))
        case GameEnd():
            grades = tuple((name, name.replace("_", " ")) for name, _ in before.rules.grades)
            others = (("resigned", "resigned"), ("drop", "drop"))
            return (
                Field("side", "Winner", _name(event.winner), _maybe(before, "nobody: a draw")),
                Field("result", "Result", event.result, (*grades, *others)),
            )
        case Resync(position=Position() as position):
            side = _name(event.side_to_move)
            turn = tuple((s.value, before.name(s)) for s in Side)
            if not side:
                turn = (("", "as the next throw shows"), *turn)
            return (
                Field("side", "Whose turn it is", side, turn),
                Field("dice", "Dice to be played", roll_text(event.dice) if event.dice else "", _DICE),
                Field("position", POSITION, format_position(position, before.rules.game)),
            )
        case SetUp():
            game = before.rules.game
            return (
                Field("position", POSITION, format_position(event.position, game)),
                _side_field(event.side_to_move, before, "Whose turn it is"),
                Field("dice", "Dice to be played", roll_text(event.dice) if event.dice else "", _DICE),
                *_stake_fields(event, before),
            )
        case Ruling(decision="rethrow"):
            reasons = {words: f"{words} ({row})" for _, words, row in _faults(before)}
            now = event.reason or next(iter(reasons))
            return (Field("reason", "Because", now, tuple({now: now, **reasons}.items())),)
        case Call(what="touched"):
            return (
                Field(
                    "point",
                    "The checker stood on",
                    "" if event.point is None else str(event.point),
                    _touchable(event.side.other, before),
                ),
            )
    return ()


_BEGINS = (("", "as the rules say"), ("white", "White"), ("black", "Black"))
_NUMBERS = tuple((str(n), str(n)) for n in range(1, 7))
_DICE = (
    ("", "not thrown yet"),
    *((roll_text((high, low)), roll_text((high, low))) for high in range(1, 7) for low in range(1, high + 1)),
)


def _name(side: Side | None) -> str:
    return side.value if side else ""


def _maybe(match: Match, otherwise: str) -> tuple[tuple[str, str], ...]:
    return (("", otherwise), *((side.value, match.name(side)) for side in Side))


def _side_field(side: Side, match: Match, label: str) -> Field:
    return Field("side", label, side.value, tuple((side.value, match.name(side)) for side in Side))


def _stake_fields(event: SetUp, before: Match) -> Iterator[Field]:
    if before.rules.game is Game.BACKGAMMON and before.rules.cube:
        values = sorted({event.cube, *(2**n for n in range(10))})
        yield Field("cube", "Cube", str(event.cube), tuple((str(n), str(n)) for n in values))
        yield Field("owner", "Owner of the cube", _name(event.cube_owner), _maybe(before, "in the middle"))
    for side in Side:
        points = str(event.score[side.index])
        yield Field(f"score_{side.value}", f"{before.name(side)}’s score", points)
    if before.rules.crawford and before.length > 1:
        now = "yes" if event.crawford else "no"
        yield Field("crawford", "Is this the Crawford game?", now, (("no", "no"), ("yes", "yes")))


def _play_field(event: PlayMade, before: Match) -> Field:
    """The legal plays by their notation, and the play as it is recorded where that is another."""
    choices: dict[str, str] = {}
    recorded = AS_RECORDED  # what is written alike need not be the same play
    if before.position is not None:
        for play in legal_plays(before.position, event.side, before.dice or event.dice, before.rules):
            choices[play.notation] = play.notation or "no move"
            if play.after == event.position:
                recorded = play.notation
    if recorded not in choices:
        choices = {recorded: f"{event.notation or 'no move'} ({AS_RECORDED})", **choices}
    return Field("play", f"{before.name(event.side)}’s play", recorded, tuple(choices.items()))


def _touchable(owner: Side, match: Match) -> tuple[tuple[str, str], ...]:
    points: list[tuple[str, str]] = [("", "not said")]
    if match.position is not None:
        game = match.rules.game
        points += [(str(p), str(p)) for p in range(24, 0, -1) if match.position.count(game, owner, p)]
        if match.position.count(game, owner, BAR):
            points.append((str(BAR), "bar"))
    return tuple(points)


def filled(event: Event, before: Match, values: Mapping[str, str], t: float) -> Event:
    """``event`` at time ``t`` with the values of its fields; ``before`` is the match up to it.

    Fields that are left out stay as they are. Raises ``ValueRefused``.
    """
    fields = {field.name: field for field in _fields(event, before)} if values else {}
    for name, value in values.items():
        if name not in fields:
            raise ValueRefused(f"there is no field {name!r} to fill in here")
        choices = [choice for choice, _ in fields[name].choices]
        if choices and value not in choices:
            raise ValueRefused(f"{fields[name].label}: {value!r} is none of the choices")
    return replace(_filled(event, before, values) if values else event, t=t)


def _filled(event: Event, before: Match, given: Mapping[str, str]) -> Event:
    match event:
        case RollOff():
            white, black = int(given.get("white", event.white)), int(given.get("black", event.black))
            return replace(event, white=white, black=black)
        case Throw():
            side = Side(given.get("side", event.side.value))
            dice = int(given.get("first", event.dice[0])), int(given.get("second", event.dice[1]))
            faults = event.faults
            if "fault" in given and given["fault"] not in faults:
                faults = tuple(name for name in FAULTS if name == given["fault"])
            if given.get("fault") == "":
                faults = ()
            return replace(
                event,
                side=side,
                colour=colour_of(side),
                dice=dice,
                valid=not faults,
                faults=faults,
                confidence=1.0,
            )
        case PlayMade():
            dice = before.dice or event.dice
            if before.position is not None and given.get("after", "").strip():
                return _made(before, event.side, dice, _position(given["after"], before), event.t)
            if before.position is None or given.get("play") in (None, _play_field(event, before).value):
                return event
            for play in legal_plays(before.position, event.side, dice, before.rules):
                if play.notation == given["play"]:
                    return _made(before, event.side, dice, play.after, event.t)
            return _made(before, event.side, dice, event.position, event.t)
        case CubeAction():
            verb: CubeVerb = given["action"]  # type: ignore[assignment]  # one of the choices
            value = 2 * before.cube if verb == "double" else before.offered
            if verb in ("beaver", "raccoon"):
                value *= 2
            return replace(event, action=verb, value=value // 2 if verb == "drop" else value)
        case Resignation(action="offer"):
            return replace(event, grade=given["grade"])
        case Resignation():
            return replace(event, action=given["action"])  # type: ignore[arg-type]  # one of the choices
        case GameStart():
            begins = event.side_to_move
            if "side" in given:
                begins = Side(given["side"]) if given["side"] else None
            players = event.players
            if "colours" in given:
                orders = {"white": before.players, "black": before.players[::-1]}
                players = orders.get(given["colours"])
            return replace(event, side_to_move=begins, players=players)
        case GameEnd():
            result = given.get("result", event.result)
            winner = event.winner
            if "side" in given:
                winner = Side(given["side"]) if given["side"] else None
            points = _worth(result, winner, before, event)
            return replace(event, winner=winner, result=result, points=points)
        case Resync():
            return _kept(event, before, given)
        case SetUp():
            return _set_up(event, before, given)
        case Ruling():
            return replace(event, reason=given.get("reason", event.reason))
        case Call():
            return replace(event, point=int(given["point"]) if given.get("point") else None)
    raise ValueRefused("there is nothing to fill in here")


def _made(match: Match, side: Side, dice: Dice, after: Position, t: float) -> PlayMade:
    """The event of a play that ends in ``after``, judged as the camera's are."""
    assert match.position is not None
    verdict = judge_play(match.position, side, dice, after, match.rules)
    return play_event(verdict, t, match.orientation)


def _worth(result: str, winner: Side | None, before: Match, told: GameEnd) -> float:
    """What the end of a game is worth by the board alone."""
    if result in dict(before.rules.grades) and winner is not None:
        off = before.position.off[winner.other.index] if before.position is not None else 0
        return grade_points(result, off, before.rules)
    return single(before.rules) if result == "drop" else told.points


def _set_up(event: SetUp, before: Match, given: Mapping[str, str]) -> SetUp:
    position = event.position
    if "position" in given:
        position = _position(given["position"], before)
    owner = event.cube_owner
    if "owner" in given:
        owner = Side(given["owner"]) if given["owner"] else None
    score = [_points(given.get(f"score_{side.value}"), event.score[side.index]) for side in Side]
    return replace(
        event,
        position=position,
        side_to_move=Side(given.get("side", event.side_to_move.value)),
        dice=_to_play(event.dice, given),
        score=(score[0], score[1]),
        cube=int(given.get("cube", event.cube)),
        cube_owner=owner,
        crawford=given["crawford"] == "yes" if "crawford" in given else event.crawford,
    )


def _kept(event: Resync, before: Match, given: Mapping[str, str]) -> Resync:
    """The board as somebody says that it stands, and whose turn it is."""
    position = event.position
    if "position" in given:
        position = _position(given["position"], before)
    side = event.side_to_move
    if "side" in given:
        side = Side(given["side"]) if given["side"] else None
    dice = _to_play(event.dice, given) if side is not None else None
    slots = event.slots if position is None or before.position is None else _differing(before, position)
    return replace(event, slots=slots, position=position, side_to_move=side, dice=dice)


def _to_play(dice: Dice | None, given: Mapping[str, str]) -> Dice | None:
    """The dice of a form; ``dice`` as they are where they were not changed."""
    if "dice" not in given or given["dice"] == (roll_text(dice) if dice else ""):
        return dice
    high, _, low = given["dice"].partition("-")
    return (int(high), int(low)) if low else None


def _position(text: str, before: Match) -> Position:
    """A position as somebody has written it."""
    game = before.rules.game
    try:
        state, of = parse_position(text, game)
    except FormatError as error:
        raise ValueRefused(str(error)) from error
    if of is not game:
        raise ValueRefused(f"that is a position of {of.value}, and this is a match of {game.value}")
    return state.position


def _points(text: str | None, otherwise: float) -> float:
    if text is None:
        return otherwise
    if not re.fullmatch(r"\s*\d{1,9}([.,][05])?\s*", text):
        raise ValueRefused(f"a score is a number of points, not {text[:20]!r}")
    value = float(text.replace(",", "."))
    return int(value) if value == int(value) else value
