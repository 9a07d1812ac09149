"""The running commentary: one plain sentence an event, made of facts only."""

from __future__ import annotations

from engine.catalogue import CATALOGUE
from engine.disagreement import Disagreement
from engine.events import (
    BoardSeen,
    Call,
    Correction,
    CubeAction,
    Desync,
    Doubt,
    Event,
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
from engine.judge import judge_play
from engine.match import Match, clock
from engine.position import BAR, CHECKERS, Game, Position, Side
from engine.throws import FAULTS


def sentence(event: Event, before: Match) -> str:
    """One English sentence about ``event``; ``before`` is the match up to it."""
    match event:
        case BoardSeen():
            return "The board is in view."
        case MatchStart():
            return _match_start(event)
        case GameStart():
            return _game_start(event, before)
        case SetUp():
            return _set_up(event, before)
        case RollOff():
            return _roll_off(event, before)
        case Throw():
            return _throw(event, before)
        case PlayMade():
            return _play(event, before)
        case TurnEnd():
            return f"{before.name(event.side)} {_SIGNALS[event.how]}."
        case CubeAction():
            return _cube(event, before)
        case Resignation():
            return _resignation(event, before)
        case Call():
            return _call(event, before)
        case Ruling():
            return _ruling(event, before)
        case Correction():
            return _correction(event, before)
        case Doubt():
            options = " or ".join(f"{text} ({p:.0%})" for text, p in event.options)
            return f"The {event.about} could not be read for certain: {options}."
        case Desync():
            return _desync(event, before)
        case Resync():
            return _resync(event, before)
        case GameEnd():
            return _game_end(event, before)


_GAMES = {Game.BACKGAMMON: "backgammon", Game.LONG_NARDY: "long nardy"}
_SIGNALS = {
    "clock": "presses the clock",
    "dice_lifted": "lifts the dice",
    "dice_handed_over": "hands over the dice",
}


AGAIN = "Both dice are thrown again"  #: what follows a void throw (rules.md D10)


def _match_start(event: MatchStart) -> str:
    white, black = event.players
    length = f"to {_points(event.rules.match_length)}" if event.rules.match_length else "of unlimited games"
    return f"A match of {_GAMES[event.rules.game]} {length} begins: {white} against {black}."


def _game_start(event: GameStart, before: Match) -> str:
    now = before if before.refusal(event) else before.apply(event)  # it is told all the same
    opening = f"Game {now.game_number if now is not before else before.game_number + 1}"
    begun = event.position == Position.start(event.rules.game)
    opening += f" of {_GAMES[event.rules.game]} {'begins' if begun else 'is joined as it stands'}"
    if now.seats != before.seats:
        opening += f", colours swapped: {now.name(Side.WHITE)} has White"
    begins = now.side_to_move if now is not before else event.side_to_move
    text = f"{opening}, {now.name(begins)} to throw." if begins else f"{opening}."
    return f"{text} It is the Crawford game: no cube." if now.crawford and now is not before else text


def _set_up(event: SetUp, before: Match) -> str:
    score = " to ".join(f"{points:g}" for points in event.score)
    to_do = f"to play {_dice(event.dice)}" if event.dice else "to throw"
    cube = f", the cube at {event.cube}" if event.cube > 1 else ""
    where = f"Game {event.game_number} goes on from a position set up by hand"
    return f"{where}, {score}{cube}: {before.name(event.side_to_move)} {to_do}."


def _roll_off(event: RollOff, before: Match) -> str:
    if event.winner is None:
        cube = before.cube if before.refusal(event) else before.apply(event).cube
        doubled = f" The stake is doubled to {cube}." if cube > before.cube else ""
        return f"Both roll {event.white}: they roll again.{doubled}"
    dice = f"{before.name(Side.WHITE)} rolls {event.white}, {before.name(Side.BLACK)} {event.black}"
    takes = before.rules.rolloff_winner_takes_white and event.winner is Side.BLACK
    return f"{dice}: {before.name(event.winner)} {'takes White and begins' if takes else 'begins'}."


def _throw(event: Throw, before: Match) -> str:
    name = before.name(event.side)
    dice = _dice(event.dice)
    if event.valid:
        halves = set(event.halves) - {"off"}
        return f"{name} throws {dice}" + (f" in the {halves.pop()} half." if len(halves) == 1 else ".")
    why = " and ".join(FAULTS[fault][0] for fault in event.faults) or "it cannot stand"
    then = f"{before.name(event.side.other)} is to throw" if "wrong_side" in event.faults else AGAIN
    return f"Invalid throw by {name} ({dice}): {why}. {then}."


def _dice(dice: tuple[int, int]) -> str:
    high, low = max(dice), min(dice)
    if not low:
        return f"a single {high}"
    return f"double {high}s" if high == low else f"{high}-{low}"


def _play(event: PlayMade, before: Match) -> str:
    name, game = before.name(event.side), before.rules.game
    if not event.legal:
        done = f"plays {event.notation}" if event.moves else "moves nothing"
        return f"Illegal play: {name} {done} on {_dice(event.dice)}.{_why(event, before)}"
    if not event.moves:
        return f"{name} cannot move with {_dice(event.dice)}."
    text = f"{name} plays {event.notation}"
    hits = _hits(event, before.position)
    if hits:
        text += ", hitting " + ("a blot" if hits == 1 else f"{hits} blots")
    if event.position.off[event.side.index] == CHECKERS:
        return f"{text} and has borne off all fifteen checkers."
    return f"{text}. {_lead(event.position, game, before)}"


def _why(event: PlayMade, before: Match) -> str:
    """Every breach in the judge's words, with its rule; the rule alone where it is not the play's own."""
    if before.position is not None:
        verdict = judge_play(before.position, event.side, event.dice, event.position, before.rules)
        if event.rule in {breach.rule for breach in verdict.breaches}:
            return "".join(f" Rule {breach.rule}: {breach.reason}." for breach in verdict.breaches)
    return f" Rule {event.rule}: {CATALOGUE[event.rule].text}" if event.rule in CATALOGUE else ""


def _hits(event: PlayMade, before: Position | None) -> int:
    if before is None:
        return 0
    enemy = event.side.other.index
    return max(0, event.position.bar[enemy] - before.bar[enemy])


def _lead(position: Position, game: Game, match: Match) -> str:
    white, black = position.pips(game, Side.WHITE), position.pips(game, Side.BLACK)
    if white == black:
        return f"The pip count is level at {white}."
    leader = Side.WHITE if white < black else Side.BLACK
    lead = abs(white - black)
    return f"{match.name(leader)} leads by {lead} {'pip' if lead == 1 else 'pips'}."


def _cube(event: CubeAction, before: Match) -> str:
    name = before.name(event.side)
    if event.rule is not None:
        told = f" Rule {event.rule}: {CATALOGUE[event.rule].text}" if event.rule in CATALOGUE else ""
        return f"{name} doubles, and it does not count.{told}"
    match event.action:
        case "double":
            return f"{name} {'redoubles' if before.cube_owner else 'doubles'} to {event.value}."
        case "beaver":
            return f"{name} beavers: the stake is {event.value}, and the cube stays with {name}."
        case "raccoon":
            return f"{name} raccoons: the stake is {event.value}."
        case "take":
            return f"{name} takes; the cube stands at {event.value}."
        case "drop":
            return f"{name} drops.{_decides(event, before)}"


def _resignation(event: Resignation, before: Match) -> str:
    name = before.name(event.side)
    match event.action:
        case "offer":
            return f"{name} offers to resign: {_grade(event.grade)}."
        case "accept":
            return f"{name} accepts the resignation.{_decides(event, before)}"
        case "refuse":
            return f"{name} does not accept the resignation; play goes on."


def _call(event: Call, before: Match) -> str:
    name, other = before.name(event.side), before.name(event.side.other)
    where = ""
    if event.point is not None:
        where = " on the bar" if event.point == BAR else f" on {event.point}"
    match event.what:
        case "adjust":
            return f"{name}: I adjust{where}."
        case "touched":
            return f"{name} claims that {other} touched the checker{where} and must move it."
        case "cup":
            return f"{name} demands that the dice be thrown from the cup."


def _desync(event: Desync, before: Match) -> str:
    if event.position is None and before.phase in ("before", "game_over"):  # there is no record to disagree
        return f"{event.reason[:1].upper()}{event.reason[1:]}."
    if event.position is None or before.position is None:
        return f"Board and record disagree: {event.reason}. Judging has stopped."
    side = before.side_to_move or Side.WHITE
    found = Disagreement(before.rules.game, before.position, event.position, side)
    return f"{found.sentence(before.name(side))} Judging has stopped."


def _resync(event: Resync, before: Match) -> str:
    if event.side_to_move is None:
        return f"Board and record agree again: {event.reason}."
    to_do = f"to play {_dice(event.dice)}" if event.dice else "to throw"
    return f"The game goes on from the board as it stands: {before.name(event.side_to_move)} {to_do}."


_RULINGS = {
    "restore": "the board is put back as the record says",
    "accept": "the last play stands as it was made",
    "demand": "the last play does not stand; it is taken back, and the same dice are to be played",
    "rethrow": "the throw is void; both dice are thrown again",
    "stand": "the throw stands",
}


def _ruling(event: Ruling, before: Match) -> str:
    text = f"The referee: {_RULINGS[event.decision]}"
    text += f", as {before.name(event.asked_by)} asked" if event.asked_by else ""
    return f"{text}; {event.reason}." if event.reason else f"{text}."


def _correction(event: Correction, before: Match) -> str:
    why = f" ({event.reason})" if event.reason else ""
    if event.event is None:
        return f"Struck out of the record{why}."
    told, at = sentence(event.event, before), clock(event.event.t)
    if event.action == "insert":
        return f"Added to the record at {at}{why}: {told}"
    return f"The record is corrected at {at}{why}: {told}"


def _game_end(event: GameEnd, before: Match) -> str:
    """What the match makes of it counts, where it can follow: the camera does not know the cube."""
    said = _decides(event, before)
    return said.lstrip() if said else _ending(event.winner, event.result, event.points, before)


def _decides(event: Event, before: Match) -> str:
    """How the game ends with an event, and the match if that is won too; nothing if it does not end."""
    end = before if before.refusal(event) else before.apply(event)
    if end is before or end.result is None:
        return ""
    text = f" {_ending(end.result.winner, end.result.result, max(end.gained), end)}"
    return f"{text} {end.name(end.winner)} wins the match." if end.winner else text


def _ending(winner: Side | None, result: str, points: float, match: Match) -> str:
    if winner is None:
        return f"The game is drawn: {_points(points)} each."
    how = {
        "single": "",
        "simple": "",
        "checker": "",
        "oin": " by oin",
        "drop": ": the double was dropped",
        "resigned": " by resignation",
    }.get(result, f" with {_grade(result)}")
    return f"{match.name(winner)} wins the game{how}: {_points(points)}."


def _grade(name: str) -> str:
    return f"a {name.replace('_', ' ')}"


def _points(points: float) -> str:
    return "1 point" if points == 1 else f"{points:g} points"
