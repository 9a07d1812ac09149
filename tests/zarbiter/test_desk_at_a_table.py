"""What the referee decides while a game goes on: the tracker sees the table, and follows the ruling."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.events import Desync, Doubt, Event, GameStart, PlayMade, Throw, dumps
from engine.legal import Play, legal_plays
from engine.position import Position, Side
from tests.engine.seen import Table

from .test_desk import AFTER_31, RULES, START, WRONG_31, Match
from .test_store import wait_for


class Game:
    """A table, and the match that is refereed over it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.match = Match(path)
        self.table = Table(RULES, seed=4)
        self._shown = 0
        self.table.rest(1.0)

    def look(self) -> None:
        """Show the desk all that has happened at the table since."""
        for seen in self.table.seen[self._shown :]:
            self.match.desk.observe(seen)
        self._shown = len(self.table.seen)
        wait_for(lambda: len(self.match.hub.told()) == len(self.match.recorder.events))

    def act(self, key: str, **values: str) -> None:
        self.look()
        self.match.desk.act(key, values)

    def events(self) -> list[Event]:
        self.look()
        return list(self.match.recorder.events)

    def plays(self) -> list[tuple[Side, Position, bool]]:
        return [(e.side, e.position, e.legal) for e in self.events() if isinstance(e, PlayMade)]

    def restart(self) -> None:
        """The program is ended and started again."""
        self.look()
        self.match.close()
        self.match = Match(self.path)

    def close(self) -> None:
        self.match.close()


@pytest.fixture
def game(tmp_path: Path) -> Iterator[Game]:
    made = Game(tmp_path / "match.sqlite")
    yield made
    made.close()


def play_of(before: Position, side: Side, dice: tuple[int, int], notation: str) -> Play:
    return next(p for p in legal_plays(before, side, dice, RULES) if p.notation == notation)


def white_plays_wrong(game: Game) -> None:
    game.table.throw(Side.WHITE, (3, 1))
    game.table.illegal(Side.WHITE, WRONG_31)
    game.table.rest(2.5)
    game.look()
    assert game.match.offers() >= {"demand", "accept"}


def white_plays_right(game: Game) -> None:
    game.table.throw(Side.WHITE, (3, 1))
    game.table.play(play_of(START, Side.WHITE, (3, 1), "8/5 6/5"))
    game.table.rest(1.5)
    assert game.plays()[-1] == (Side.WHITE, AFTER_31, True)


def black_goes_on(game: Game) -> None:
    """Black throws and plays, and all of it is as it should be."""
    before = game.table.position
    game.table.throw(Side.BLACK, (6, 5))
    play = play_of(before, Side.BLACK, (6, 5), "24/13")
    game.table.play(play)
    game.table.rest(2.0)
    assert game.plays()[-1] == (Side.BLACK, play.after, True)
    assert game.match.recorder.match.position == play.after
    assert game.match.hub.state().position == play.after
    assert not [e for e in game.events() if isinstance(e, Desync | Doubt)]


@pytest.mark.parametrize("restarted", [False, True])
def test_a_demanded_play_is_made_and_the_game_goes_on(game: Game, restarted: bool) -> None:
    """E5: the mover puts the right play on the board, with the dice that he threw."""
    white_plays_wrong(game)
    game.act("demand")
    if restarted:
        game.restart()
    game.table.rest(1.0)
    game.table.put(AFTER_31)
    game.table.rest(2.5)
    assert game.plays() == [(Side.WHITE, WRONG_31, False), (Side.WHITE, AFTER_31, True)]
    black_goes_on(game)


@pytest.mark.parametrize("restarted", [False, True])
def test_an_illegal_play_that_was_to_be_put_right_stands_once_the_opponent_has_thrown(
    game: Game, restarted: bool
) -> None:
    """E6."""
    white_plays_wrong(game)
    game.act("demand")
    if restarted:
        game.restart()
    game.table.rest(1.0)
    black_goes_on(game)


def test_an_illegal_play_is_accepted_and_the_game_goes_on(game: Game) -> None:
    white_plays_wrong(game)
    game.act("accept")
    black_goes_on(game)
    assert game.plays()[0] == (Side.WHITE, WRONG_31, False)


def test_both_dice_are_thrown_again_when_the_referee_says_so(game: Game) -> None:
    """D10."""
    white_plays_right(game)
    game.table.throw(Side.BLACK, (6, 6))
    game.act("rethrow", reason="a die is cocked")
    assert not game.match.hub.state().dice_valid
    game.table.lift()
    black_goes_on(game)
    assert [event.dice for event in game.events() if isinstance(event, Throw)][1:] == [(6, 6), (6, 5)]


def test_a_pressed_clock_ends_the_turn_while_the_dice_lie(game: Game) -> None:
    """E1."""
    game.match.close()
    game.match = Match(game.path.with_name("clock.sqlite"), replace(RULES, turn_end=("clock",)))
    game.table.throw(Side.WHITE, (3, 1))
    game.table.play(play_of(START, Side.WHITE, (3, 1), "8/5 6/5"))
    game.table.rest(1.5)
    assert not game.plays(), "lifting the dice ends no turn"
    game.table.throw(Side.BLACK, (2, 1))
    after = play_of(AFTER_31, Side.BLACK, (2, 1), "13/11 6/5")
    game.table.play(after, lift=False)
    game.table.rest(1.0)
    assert len(game.plays()) == 1
    game.act("turn_end.clock.black")
    game.table.rest(0.3)
    assert game.plays()[1:] == [(Side.BLACK, after.after, True)]


def test_the_game_goes_on_from_a_position_that_was_set_up(game: Game) -> None:
    game.look()
    game.table.put(AFTER_31)
    game.act("set_up", position="backgammon:w=24:2,13:5,8:2,6:4,5:2/b=24:2,13:5,8:3,6:5", side="black")
    game.table.rest(1.5)
    black_goes_on(game)


def test_after_a_drop_the_next_game_is_followed(game: Game) -> None:
    """C3: the stake is lost, and the board that is set up anew begins the next game."""
    white_plays_right(game)
    game.act("double.black")
    game.act("drop.white")
    assert game.match.hub.state().score == (0, 1)
    game.table.put(START)
    game.table.rest(2.5)
    assert sum(isinstance(event, GameStart) for event in game.events()) == 2
    assert game.match.hub.state().phase == "waiting for a throw"
    white_plays_right(game)
    black_goes_on(game)


def test_a_double_and_a_take_between_two_turns_disturb_nothing(game: Game) -> None:
    """C2."""
    white_plays_right(game)
    game.act("double.black")
    game.table.rest(1.0)
    game.act("take.white")
    black_goes_on(game)
    assert [event.dice for event in game.events() if isinstance(event, Throw)] == [(3, 1), (6, 5)]


#: After White's 3-1 a sleeve has taken the checkers of his 13-point to the point beside.
BUMPED = Position((-2, 0, 0, 0, 2, 4, 0, 2, 0, 0, 0, -5, 0, 5, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2))


def black_throws_and_the_board_is_bumped(game: Game) -> None:
    """Black's dice lie there and are told; then the board no longer stands so that a play explains it."""
    white_plays_right(game)
    game.table.throw(Side.BLACK, (6, 5))
    game.look()
    game.table.put(BUMPED)
    game.table.rest(1.0)
    game.table.lift()
    game.table.rest(8.0)
    game.look()
    state = game.match.hub.state()
    assert state.phase == "out of step", "it is asked for, and nothing is taken as it stands"
    assert state.disagreement is not None
    assert [d.text for d in state.disagreement.differences] == [
        "point 11 (record none, board 5 white)",
        "point 12 (record 5 white, board none)",
    ]
    assert game.match.offers() >= {"keep", "restore"}
    assert not [e for e in game.events()[-1:] if not isinstance(e, Desync)]


def plays_and_throws(game: Game) -> list[str]:
    return [dumps(event) for event in game.events() if isinstance(event, PlayMade | Throw)]


@pytest.mark.parametrize("restarted", [False, True])
def test_a_bumped_board_is_put_back_and_the_same_dice_are_played(game: Game, restarted: bool) -> None:
    black_throws_and_the_board_is_bumped(game)
    untouched = plays_and_throws(game)
    game.act("restore")
    if restarted:
        game.restart()
    game.table.rest(6.0)
    game.look()
    state = game.match.hub.state()
    assert state.disagreement is not None
    assert state.disagreement.restoring
    game.table.put(AFTER_31)
    game.table.rest(1.5)
    game.look()
    assert game.match.hub.state().disagreement is None
    assert game.match.said()[-1] == "Board and record agree again: the board stands as recorded again."
    assert game.match.recorder.match.dice == (6, 5)
    assert game.match.recorder.match.phase == "to_play"
    play = play_of(AFTER_31, Side.BLACK, (6, 5), "24/13")
    for move in play.moves:
        game.table.move(Side.BLACK, move)
    game.table.rest(3.0)
    assert game.plays()[-1] == (Side.BLACK, play.after, True)
    assert plays_and_throws(game)[: len(untouched)] == untouched


@pytest.mark.parametrize("dice", ["6-5", ""])
def test_a_bumped_board_stays_and_the_game_goes_on_from_it(game: Game, dice: str) -> None:
    black_throws_and_the_board_is_bumped(game)
    untouched = plays_and_throws(game)
    game.act("keep", side="black", dice=dice)
    state = game.match.hub.state()
    assert (state.position, state.disagreement, state.side_to_move) == (BUMPED, None, Side.BLACK)
    game.table.rest(1.0)
    play = play_of(BUMPED, Side.BLACK, (6, 5), "24/13")
    if not dice:
        game.table.throw(Side.BLACK, (6, 5))
    for move in play.moves:
        game.table.move(Side.BLACK, move)
    if not dice:
        game.table.lift()
    game.table.rest(3.0)
    assert game.plays()[-1] == (Side.BLACK, play.after, True)
    assert plays_and_throws(game)[: len(untouched)] == untouched
    # What was said of the board can still be corrected: it had been put back in truth.
    place = next(told.id for told in game.match.hub.told() if told.event["type"] == "resync")
    fields = {field.name for field in game.match.desk.fields(place, "")}
    assert fields == {"change", "side", "dice", "position"}
    outcome = game.match.desk.correct(
        place, {"change": "replace", "side": "white", "dice": "2-1"}, dry_run=True
    )
    assert any("cannot" in words or "turn" in words for words in outcome.consequences), outcome


def test_an_early_throw_is_corrected_while_the_game_goes_on(game: Game) -> None:
    """The board stays as it was seen: with other dice the play is illegal, and the game goes on from it."""
    white_plays_right(game)
    throw = next(told.id for told in game.match.hub.told() if told.event["type"] == "throw")
    game.match.desk.correct(throw, {"first": "4", "second": "1"}, dry_run=False)
    assert game.match.hub.state().position == AFTER_31
    verdict = game.match.hub.state().verdict
    assert verdict is not None
    assert not verdict.legal
    black_goes_on(game)
