"""Between the events of a match and the record of it.

Events say how it came about, with throws that were void, rulings and corrections; a record says what
was played in the end. So :func:`record_of` loses some, and :func:`events_of` makes times and verdicts anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from engine.corrections import resolve
from engine.events import (
    CubeAction,
    Dice,
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
from engine.formats.following import Following, crawford_games
from engine.formats.moves import moved
from engine.judge import judge_play, play_event
from engine.layout import Orientation, colour_of
from engine.match import MatchError
from engine.position import CHECKERS, Game, Position, Side
from engine.record import FormatError, GameRecord, Record, Turn
from engine.rules import RuleSet, default_rules
from engine.scoring import game_result, grade_points, stake

SECONDS = 10.0  #: between turns whose time is not known


def settled(events: Iterable[Event]) -> list[Event]:
    """The events that count, corrections carried out. Raises ``FormatError`` for one of what is not there."""
    try:
        return [event for _, event in resolve(tuple(events))]
    except MatchError as error:
        raise FormatError(str(error)) from error


@dataclass(slots=True)
class _Game:
    """A game while its events come in; sides as in the events."""

    rules: RuleSet
    start: Position
    score: tuple[float, float]
    first: Side | None
    swapped: bool  #: colours are not those of the first game
    now: Following
    crawford: bool = False  #: no cube in this game, nor automatic doubles (C9)
    crawford_played: bool = False
    turns: list[Turn] = field(default_factory=list)
    throw: tuple[Side, Dice, float] | None = None  #: a throw that was not played yet
    open: bool = False  #: the last turn is a play that its side may still change (E4)
    rejected: PlayMade | None = None  #: a play to be put right, which stands if the opponent goes on (E5, E6)
    played: PlayMade | None = None  #: the play that the last turn is
    took_white: bool = False  #: who won the roll-off took the white checkers from the other (G8)
    offered: Resignation | None = None
    opening_stake: int = 1  #: with the automatic doubles (C6)
    winner: Side | None = None
    points: float = 0
    result: str = ""

    @property
    def over(self) -> bool:
        return bool(self.result)

    def add(self, turn: Turn) -> None:
        self.played = None
        self.turns.append(turn)
        self.now.follow(turn)

    def flush(self) -> None:
        """A throw of which no play is known."""
        if self.throw is not None and not self.over:
            side, dice, t = self.throw
            self.add(Turn(side=side, dice=dice, t=t))
        self.throw = None

    def end(self, winner: Side | None, result: str, points: float) -> None:
        """``points`` without the cube."""
        doubled = any(turn.action == "take" for turn in self.turns)
        count = stake(points, self.rules, self.now.cube, doubled) if winner is not None else points
        self.winner, self.result, self.points = winner, result, count

    def score_after(self) -> tuple[float, float]:
        share = [self.score[0], self.score[1]]
        for side in Side:
            if self.result and (self.winner is side or self.winner is None):
                share[side.index] += self.points
        return share[0], share[1]

    def goes_on(self, side: Side) -> None:
        """A throw or a double by ``side``: what the other was to put right and did not stands (E6)."""
        play, self.rejected, self.open = self.rejected, None, False
        if play is not None and play.side is side.other and not _was_out_of_turn(self, play):
            self.throw = None
            _stands(self, play)

    def record(self) -> GameRecord:
        first = None if self.turns else self.first
        made = GameRecord(
            start=self.start,
            turns=tuple(self.turns),
            score=self.score,
            first=first,
            winner=self.winner,
            points=self.points,
            result=self.result,
        )
        return _colours_swapped(made) if self.swapped and self.rules.game is Game.BACKGAMMON else made


def record_of(
    events: Iterable[Event], players: tuple[str, str] | None = None, length: int | None = None
) -> Record:
    """The record of a match from its events, corrections and rulings carried out.

    A throw that was void is left out; a play that was put right on demand is replaced by the one that
    stands. ``players`` and ``length`` are those of the events where they are not given. In backgammon
    White of the record is who had white in the first game, also where colours are swapped between
    games; in long nardy, where White is told apart from Black by the rules, colours are as they were.
    Raises ``FormatError`` if no game was begun.
    """
    rules: RuleSet | None = None
    seats: tuple[str, str] | None = None  # White's and Black's names in the first game
    games: list[_Game] = []
    for event in settled(events):
        if isinstance(event, MatchStart):
            rules, seats = event.rules, event.players
        elif isinstance(event, GameStart):
            rules, seats = event.rules, seats or event.players
            games.append(_started(event, games[-1] if games else None, seats))
        elif isinstance(event, SetUp):
            _set_up(event, games, rules or default_rules(Game.BACKGAMMON))
        elif games:
            _take(games[-1], event)
    if not games:
        raise FormatError("no game in these events")
    for game in games:
        game.flush()
    rules = games[-1].rules
    length = rules.match_length if length is None else length
    records = [game.record() for game in games]
    flags = crawford_games(records, length) if rules.crawford else [False] * len(records)
    return Record(
        game=rules.game,
        games=tuple(replace(r, crawford=flag) for r, flag in zip(records, flags, strict=True)),
        players=players or _whites_first(games[0], seats) or ("White", "Black"),
        length=length,
        rules=rules,
    )


def _whites_first(game: _Game, seats: tuple[str, str] | None) -> tuple[str, str] | None:
    """White's and Black's name in the first game; the roll-off may have changed their colours (G8)."""
    return seats[::-1] if seats is not None and game.swapped else seats


def _started(event: GameStart, before: _Game | None, seats: tuple[str, str] | None) -> _Game:
    score: tuple[float, float] = (0, 0)
    swapped = False
    if before is not None:
        if before.rejected is not None and not before.over:
            before.goes_on(before.rejected.side.other)
        before.flush()
        next_swaps = before.over and event.rules.next_game_start == "swap_colours"  # G9
        swapped = before.swapped != next_swaps
        if seats is not None and event.players in (seats, seats[::-1]):
            swapped = event.players != seats
        score = before.score_after()
        score = score if swapped == before.swapped else score[::-1]
    game = _Game(
        event.rules,
        event.position,
        score,
        event.side_to_move,
        swapped,
        Following(event.position, event.rules.game),
    )
    length = event.rules.match_length
    short = event.rules.crawford and length > 1 and max(score) >= length - 1
    # The Crawford game that was broken off begins anew.
    played = before is not None and before.crawford_played and (before.over or not before.crawford)
    game.crawford, game.crawford_played = short and not played, short or played
    return game


def _set_up(event: SetUp, games: list[_Game], rules: RuleSet) -> None:
    last = games[-1] if games else None
    if last is not None and not last.over and last.turns and last.score == event.score:
        # The game goes on from another position: what stood after the last turn is put right.
        last.flush()
        last.turns[-1] = replace(last.turns[-1], after=event.position)
        last.now.position, last.now.cube = event.position, event.cube
    elif last is not None and not last.over:
        last.start, last.score, last.first = event.position, event.score, event.first or event.side_to_move
        last.turns, last.throw = [], None
        last.now = Following(event.position, last.rules.game, event.cube)
    else:
        now = Following(event.position, rules.game, event.cube)
        swapped = last is not None and last.swapped
        games.append(_Game(rules, event.position, event.score, event.first, swapped, now))
    if event.dice is not None:
        games[-1].throw = (event.side_to_move, event.dice, event.t)


def _take(game: _Game, event: Event) -> None:
    """One event inside a game."""
    match event:
        case RollOff():
            _rolled_off(game, event)
        case Throw() if event.valid and 0 not in event.dice and not game.over:
            game.goes_on(event.side)
            if game.took_white and event.side is Side.BLACK and not game.turns:
                _change_colours(game)  # the winner of the roll-off has kept the black checkers
            game.took_white = False
            told_again = game.throw is not None and game.throw[1:] == (event.dice, event.t)
            if game.throw is not None and game.throw[0] is not event.side and not told_again:
                game.flush()
            game.throw = (event.side, event.dice, event.t)
        case PlayMade() if not game.over or game.open:
            _played(game, event)
        case CubeAction(rule=None) if not game.over:
            if event.action == "double":
                game.goes_on(event.side)
                if game.throw is not None and game.throw[0] is event.side:
                    game.throw = None  # nobody doubles with a throw of his own on the board
            value = event.value if event.action in ("double", "beaver", "raccoon") else 0
            game.add(Turn(side=event.side, action=event.action, value=value, t=event.t))
            if event.action == "drop":
                game.end(event.side.other, "drop", game.rules.grades[0][1])
        case Resignation() if not game.over:
            _resigned(game, event)
        case Ruling(decision="demand") if game.played is not None and game.rejected is None:
            game.rejected = game.played
            _take_back(game)
        case Ruling(decision="accept") | Resync():
            game.open = False
        case TurnEnd() if event.how in game.rules.turn_end:
            game.open = False
        case Ruling(decision="rethrow"):
            game.throw = None
        case GameEnd() if not game.over:
            game.flush()
            game.end(event.winner, event.result, event.points)
            if event.result == "resigned" and event.winner is not None:
                worth = [float(points) for _, points in game.rules.grades]
                place = worth.index(event.points) if event.points in worth else 0
                game.add(Turn(side=event.winner.other, action="resign", value=place + 1, t=event.t))


def _rolled_off(game: _Game, event: RollOff) -> None:
    if event.winner is None:
        rules, stake = game.rules, 2 * game.opening_stake
        may_rise = rules.cube and not game.crawford and (not rules.cube_cap or stake <= rules.cube_cap)
        if may_rise and stake <= 2**rules.auto_doubles:  # C6
            game.opening_stake = game.now.cube = stake
        return
    game.first = event.winner
    if event.winner is Side.BLACK and game.rules.rolloff_winner_takes_white:  # G8
        game.took_white = True
        _change_colours(game)
    if game.rules.opening_roll == "uses_rolloff":
        game.throw = (game.first, (event.white, event.black), event.t)


def _change_colours(game: _Game) -> None:
    """The players change colours before anything was played, and whoever was to begin begins."""
    game.swapped, game.score = not game.swapped, game.score[::-1]
    game.first = game.first.other if game.first is not None else None


def _played(game: _Game, event: PlayMade) -> None:
    last = game.played
    if game.open and last is not None and last.side is event.side and sorted(last.dice) == sorted(event.dice):
        _take_back(game)  # E4: who plays changes his play
    if game.over:
        return
    if game.throw is not None and game.throw[0] is not event.side:
        game.flush()
    game.rejected = None
    if not event.legal and game.rules.illegal_policy == "auto_reject":
        game.rejected, game.throw = event, _throw_of(game, event)
        return
    game.throw = None
    _stands(game, event)
    game.open = True


def _stands(game: _Game, event: PlayMade) -> None:
    """A play is a turn of the game, and may be its end."""
    before = game.now.position
    done = moved(before, game.rules.game, event.side, event.moves) if before is not None else None
    after = None if done is not None and done[0] == event.position else event.position
    finished = before is not None and before.off[event.side.other.index] == CHECKERS
    game.first = game.first or event.side
    game.add(Turn(side=event.side, dice=event.dice, moves=event.moves, after=after, t=event.t))
    game.played = event
    found = game_result(event.position, game.rules, first=game.first, last_throw_taken=finished)
    if found is not None:
        game.end(found.winner, found.result, found.points)


def _take_back(game: _Game) -> None:
    """The last turn, a play, was not one, and its throw is still to be played."""
    assert game.played is not None
    game.turns.pop()
    game.throw, game.played, game.open = _throw_of(game, game.played), None, False
    _refollow(game)


def _throw_of(game: _Game, play: PlayMade) -> tuple[Side, Dice, float] | None:
    """The throw that a play was made with, if it counted (D10, G10)."""
    counts = play.rule != "D10" and not _was_out_of_turn(game, play)
    return (play.side, play.dice, play.t) if counts else None


def _was_out_of_turn(game: _Game, play: PlayMade) -> bool:
    """Whether a play that is not among the turns was made by the side that had played last (G10)."""
    return play.rule == "G10" and bool(game.turns) and game.turns[-1].side is play.side


def _resigned(game: _Game, event: Resignation) -> None:
    if event.action == "offer":
        game.offered = event
    elif event.action == "refuse":
        game.offered = None
    elif game.offered is not None:
        game.flush()
        loser = game.offered.side
        names = [name for name, _ in game.rules.grades]
        place = names.index(game.offered.grade) if game.offered.grade in names else 0
        off = game.now.position.off[loser.index] if game.now.position is not None else 0
        points = grade_points(names[place], off, game.rules)
        game.add(Turn(side=loser, action="resign", value=place + 1, t=event.t))
        game.end(loser.other, "resigned", points)


def _refollow(game: _Game) -> None:
    now = Following(game.start, game.rules.game, game.opening_stake)
    for turn in game.turns:
        now.follow(turn)
    game.now, game.winner, game.points, game.result = now, None, 0, ""


def _colours_swapped(game: GameRecord) -> GameRecord:
    """The same game of backgammon with the colours exchanged."""

    def turn(t: Turn) -> Turn:
        return replace(t, side=t.side.other, after=_other_way(t.after) if t.after else None)

    return replace(
        game,
        start=_other_way(game.start),
        turns=tuple(map(turn, game.turns)),
        score=game.score[::-1],
        first=game.first.other if game.first else None,
        winner=game.winner.other if game.winner else None,
    )


def _other_way(position: Position) -> Position:
    points = tuple(-count for count in reversed(position.points))
    return Position(points, position.bar[::-1], position.off[::-1])


def events_of(record: Record, rules: RuleSet | None = None) -> Iterator[Event]:
    """The events that a record tells of, every roll valid and every play judged by ``rules``.

    Without ``rules`` they are the record's own, else the usual ones of its game. Plays that the record
    does not have, or that cannot be made on the board, are left out with all that depends on them: the
    game then goes on from the next position that it has, or ends. Times are the record's own, where it
    has them, and else ten seconds a turn.
    """
    rules = rules or record.rules or replace(default_rules(record.game), match_length=record.length)
    t = 0.0
    yield MatchStart(t=t, rules=rules, players=record.players)
    players, before_game = record.players, None
    for game in record.games:
        first = game.first or (game.turns[0].side if game.turns else None)
        if before_game is not None and _changed_colours(before_game, game, rules):
            players = players[::-1]
        before_game = game
        yield GameStart(t=t, rules=rules, position=game.start, side_to_move=first, players=players)
        now = Following(game.start, record.game)
        for turn in game.turns:
            t = turn.t if turn.t is not None else t + SECONDS
            before, before_cube = now.position, now.cube
            now.follow(turn)
            if turn.action == "play":
                yield from _turn_events(turn, before, now.position, rules, t)
            elif turn.action == "resign":
                grade = rules.grades[min(turn.value, len(rules.grades)) - 1][0]
                yield Resignation(t=t, side=turn.side, action="offer", grade=grade)
                if turn is game.turns[-1] and game.winner is not None:
                    yield Resignation(t=t, side=turn.side.other, action="accept")
                else:
                    yield Resignation(t=t, side=turn.side.other, action="refuse")
            else:
                value = {"take": now.cube, "drop": before_cube}.get(turn.action, turn.value)
                yield CubeAction(t=t, side=turn.side, action=turn.action, value=value)
        if game.winner is not None or game.result == "draw":
            found = game_result(now.position, rules, first=first) if now.position is not None else None
            points = game.points if game.winner is None else game.points / now.cube
            points = found.points if found is not None and game.result == found.result else points
            yield GameEnd(t=t, winner=game.winner, result=game.result or "resigned", points=points)


def _changed_colours(last: GameRecord, game: GameRecord, rules: RuleSet) -> bool:
    """Whether the players have changed colours since the last game, as the score tells; else the rules (G9).

    In backgammon White of a record is the same player throughout.
    """
    gained = [last.points if last.result and last.winner in (None, side) else 0 for side in Side]
    score = (last.score[0] + gained[0], last.score[1] + gained[1])
    if rules.game is Game.BACKGAMMON or score[::-1] != game.score:
        return False
    return score != game.score or rules.next_game_start == "swap_colours"


def _turn_events(
    turn: Turn, before: Position | None, after: Position | None, rules: RuleSet, t: float
) -> Iterator[Event]:
    if turn.dice is None:
        return
    yield Throw(t=t, side=turn.side, colour=colour_of(turn.side), dice=turn.dice, valid=True)
    if after is None or before is None or (turn.moves is None and turn.after is None):
        return
    play = play_event(judge_play(before, turn.side, turn.dice, after, rules), t, Orientation.BOTTOM_RIGHT)
    yield play if turn.moves is None else replace(play, moves=turn.moves)
