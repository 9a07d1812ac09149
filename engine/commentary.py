"""The running commentary: one plain sentence an event, made of facts only."""

from __future__ import annotations

from engine.events import (
    BoardSeen,
    CubeAction,
    Desync,
    Doubt,
    Event,
    Fault,
    GameEnd,
    GameStart,
    PlayMade,
    Resync,
    RollOff,
    Throw,
)
from engine.match import Match
from engine.position import Game, Position, Side

FAULTS: dict[Fault, str] = {
    "cocked": "a die is cocked",
    "on_checker": "a die lies on a checker",
    "on_frame": "a die lies on the frame",
    "off_board": "a die left the board",
    "two_halves": "the dice lie in different halves",
    "wrong_half": "the dice lie in the wrong half",
    "one_die": "only one die was thrown",
    "not_from_cup": "the dice were not thrown from the cup",
    "premature": "the throw came too early",
    "touched": "a die was touched",
}

RULES: dict[str, str] = {
    "B1": "bearing off before all fifteen checkers are home",
    "B3": "bearing off with a higher number while checkers stand behind",
    "D10": "the throw was void and both dice had to be thrown again",
    "E8": "a checker was not moved by the dice",
    "G1": "checkers were added or are missing",
    "G4": "a checker was moved backwards",
    "G5": "a checker was moved backwards",
    "G11": "an opponent's checker was moved",
    "K2": "checkers on the bar must enter first",
    "L2": "only one checker a turn may leave the head",
    "L7": "a wall of six with no enemy checker ahead of it",
    "M3": "every die that can be played must be played",
    "M4": "if only one die can be played it must be the larger",
}


def sentence(event: Event, before: Match) -> str:
    """One English sentence about ``event``; ``before`` is the match up to it."""
    match event:
        case BoardSeen():
            return "The board is in view."
        case GameStart():
            game = "long nardy" if event.rules.game is Game.LONG_NARDY else "backgammon"
            opening = f"Game {before.game_number + 1} of {game} begins"
            return (
                f"{opening}, {before.name(event.side_to_move)} to throw."
                if event.side_to_move
                else f"{opening}."
            )
        case RollOff():
            if event.winner is None:
                return f"Both roll {event.white}: they roll again."
            dice = f"{before.name(Side.WHITE)} rolls {event.white}, {before.name(Side.BLACK)} {event.black}"
            return f"{dice}: {before.name(event.winner)} begins."
        case Throw():
            return _throw(event, before)
        case PlayMade():
            return _play(event, before)
        case CubeAction():
            return _cube(event, before)
        case Doubt():
            options = " or ".join(f"{text} ({p:.0%})" for text, p in event.options)
            return f"The {event.about} could not be read for certain: {options}."
        case Desync():
            return f"Board and record disagree: {event.reason}. Judging has stopped."
        case Resync():
            return f"Board and record agree again: {event.reason}."
        case GameEnd():
            if event.winner is None:
                return f"The game is drawn: {event.points} points each."
            points = "1 point" if event.points == 1 else f"{event.points} points"
            how = {"single": "", "oin": " by oin"}.get(event.result, f" with a {event.result}")
            return f"{before.name(event.winner)} wins the game{how}: {points}."
        case _:
            return f"{event.type.replace('_', ' ').capitalize()}."


def _throw(event: Throw, before: Match) -> str:
    name = before.name(event.side)
    dice = _dice(event.dice)
    if event.valid:
        halves = set(event.halves) - {"off"}
        return f"{name} throws {dice}" + (f" in the {halves.pop()} half." if len(halves) == 1 else ".")
    why = " and ".join(FAULTS[f] for f in event.faults) or "it cannot stand"
    return f"Invalid throw by {name} ({dice}): {why}. Both dice are thrown again."


def _dice(dice: tuple[int, int]) -> str:
    high, low = max(dice), min(dice)
    if not low:
        return f"a single {high}"
    return f"double {high}s" if high == low else f"{high}-{low}"


def _play(event: PlayMade, before: Match) -> str:
    name, game = before.name(event.side), before.rules.game
    if not event.legal:
        why = RULES.get(event.rule or "", "it does not fit the roll")
        done = f"plays {event.notation}" if event.moves else "moves nothing"
        return f"Illegal play: {name} {done} on {_dice(event.dice)}. Rule {event.rule}: {why}."
    if not event.moves:
        return f"{name} cannot move with {_dice(event.dice)}."
    text = f"{name} plays {event.notation}"
    hits = _hits(event, before.position)
    if hits:
        text += ", hitting " + ("a blot" if hits == 1 else f"{hits} blots")
    return f"{text}. {_lead(event.position, game, before)}"


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
    return f"{match.name(leader)} leads by {abs(white - black)} pips."


def _cube(event: CubeAction, before: Match) -> str:
    name = before.name(event.side)
    if event.action == "double":
        return f"{name} doubles to {event.value}."
    if event.action == "take":
        return f"{name} takes; the cube stands at {event.value}."
    return f"{name} drops."
