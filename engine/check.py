"""A match that is written down, gone through by the referee: every roll, play, double and score.

A record may come from anywhere. What it has that the rules do not allow is told, with the rule, and
the check goes on from where the record goes on, as a match does after an illegal play that stood.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from engine.events import CubeAction, Dice, Event, GameStart, MoveXY, PlayMade, Ruling, Throw
from engine.formats.convert import record_of, settled
from engine.judge import judge_play
from engine.legal import View, legal_plays, position_of, view_of
from engine.notation import Move, notation, point_name
from engine.position import BAR, CHECKERS, Game, Position, Side
from engine.record import GameRecord, Record, Turn
from engine.rules import RuleSet, default_rules
from engine.scoring import SCORING_ROWS, GameResult, game_result, grade_points, single, stake
from engine.throws import FAULTS, chance_to_be_stuck

Breach = tuple[str, str]  #: the id in rules.md of what is broken, and one sentence
Score = tuple[float, float]


class WrongRules(ValueError):
    """A match that is to be judged by the rules of the other game."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something in a record that the rules do not allow, or that does not add up.

    ``game`` counts from 1, ``turn`` is the place among its turns, from 1, and ``move`` the number of the row
    in which match text would have it; both are 0 if the game as a whole is meant. ``play`` is the play
    as it was made, ``nearest`` the legal ones that come nearest to it. ``line``: where the record was
    read, 0 if it is not known.
    """

    game: int
    breaches: tuple[Breach, ...]
    turn: int = 0
    move: int = 0
    side: Side | None = None
    action: str = ""
    dice: Dice | None = None
    play: str = ""
    nearest: tuple[str, ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What was found, and how much was looked at.

    ``unjudged``: plays that could not be judged, since the position before or after them is unknown.
    """

    findings: tuple[Finding, ...]
    games: int
    rolls: int
    plays: int
    unjudged: int

    @property
    def legal(self) -> bool:
        """Whether nothing was found."""
        return not self.findings


def check_record(record: Record, rules: RuleSet | None = None) -> Report:
    """Judge every roll, play, cube action, result and score of a record.

    ``rules``: those to judge by; without them those of the record, or the usual ones of its game. A
    length that the record does not tell is that of the rules. Raises ``WrongRules`` if the rules
    are those of the other game.
    """
    rules = rules or record.rules or default_rules(record.game)
    if rules.game is not record.game:
        raise WrongRules(f"the rule set {rules.name} is for {rules.game}, the match is one of {record.game}")
    rules = replace(rules, match_length=record.length or rules.match_length)
    match = _Match(record, rules)
    for number, game in enumerate(record.games, 1):
        match.go_through(number, game)
    return Report(
        findings=tuple(match.findings),
        games=len(record.games),
        rolls=match.rolls,
        plays=match.plays,
        unjudged=match.unjudged,
    )


def check_events(events: Iterable[Event], rules: RuleSet | None = None) -> Report:
    """Judge the record of these events; besides, no void throw may have been played (D10).

    Raises ``FormatError`` if they hold no game, and as :func:`check_record`.
    """
    counted = settled(events)
    report = check_record(record_of(counted), rules)
    found = sorted(
        (*report.findings, *_void_throws(counted), *_late_doubles(counted)), key=lambda finding: finding.game
    )
    return replace(report, findings=tuple(found))


def _void_throws(events: Iterable[Event]) -> Iterator[Finding]:
    """Throws that were void, were not let stand, and were played all the same."""
    number, void = 0, None
    for event in events:
        match event:
            case GameStart():
                number, void = number + 1, None
            case Throw():
                void = None if event.valid else event
            case Ruling(decision="stand"):
                void = None
            case PlayMade():
                if void is not None and void.side is event.side and sorted(void.dice) == sorted(event.dice):
                    text = f"the throw at {void.t:.1f} s was void and had to be thrown again, but was played"
                    breaches = (*(FAULTS[fault][::-1] for fault in void.faults), ("D10", text))
                    yield Finding(
                        game=number, breaches=breaches, side=event.side, dice=event.dice, play=event.notation
                    )
                void = None


def _late_doubles(events: Iterable[Event]) -> Iterator[Finding]:
    """Doubles after the throw of the side that doubled, and those that were told not to count."""
    number, thrown = 0, None
    for event in events:
        match event:
            case GameStart():
                number, thrown = number + 1, None
            case Throw() if event.valid or event.side is thrown:
                thrown = event.side if event.valid else None
            case PlayMade() | Ruling(decision="rethrow"):
                thrown = None
            case CubeAction(action="double") if event.rule is not None or thrown is event.side:
                who = event.side.value.title()
                why = "after he had thrown" if thrown is event.side else "although it was not his turn"
                breach = (event.rule or "C2", f"{who} doubled at {event.t:.1f} s {why}")
                yield Finding(game=number, breaches=(breach,), side=event.side, action="double")


@dataclass(slots=True)
class _Match:
    """The match so far: ``score`` as the record has it, ``None`` before the first game."""

    record: Record
    rules: RuleSet
    findings: list[Finding] = field(default_factory=list)
    rolls: int = 0
    plays: int = 0
    unjudged: int = 0
    before: Score | None = None  #: the score before the last game
    score: Score | None = None  #: the score after it, ``None`` if it is not known
    last_winner: Side | None = None

    @property
    def length(self) -> int:
        return self.record.length or self.rules.match_length

    def go_through(self, number: int, record: GameRecord) -> None:
        # A form without scores has 0:0 before every game, which then says nothing.
        told = any(game.score != (0, 0) for game in self.record.games)
        score = record.score if told or self.score is None else self.score
        start = tuple(self._start(record, score))
        if start:
            self.findings.append(Finding(game=number, breaches=start, line=record.line))
        # Where one who begins is told otherwise there is no roll-off, but for the first game (G9).
        rolled_off = self.last_winner is None or self.rules.next_game_start == "roll_off"
        game = _Game(
            number,
            record,
            self.rules,
            self.findings,
            crawford=self._is_crawford(record, score),
            first_roll_is_rolled_off=rolled_off and self.rules.opening_roll == "uses_rolloff",
        )
        game.go_through()
        self.rolls, self.plays = self.rolls + game.rolls, self.plays + game.plays
        self.unjudged += game.unjudged
        end = game.outcome()
        self.before, self.last_winner = score, end.winner if end else None
        if end is None:
            self.score = None
        else:
            gained = [end.points if end.winner in (None, side) else 0 for side in Side]
            self.score = (score[0] + gained[0], score[1] + gained[1])

    def _start(self, record: GameRecord, score: Score) -> list[Breach]:
        """What is wrong with a game before its first roll."""
        breaches: list[Breach] = []
        for side in Side:
            if (count := record.start.checkers(side)) != CHECKERS:
                breaches.append(("G1", f"{side.value.title()} begins with {count} checkers, not 15"))
        # Players who change colours take their scores along (G8, G9); in long nardy they may at any time.
        may_swap = self.rules.game is Game.LONG_NARDY or self.rules.next_game_start == "swap_colours"
        swapped = may_swap and self.score is not None and score == self.score[::-1]
        if self.score not in (None, score) and not swapped:
            games = _score(self.score)
            breaches.append(("C8", f"the score before it is {_score(score)}, but the games make {games}"))
        if self.length and max(score) >= self.length:
            breaches.append(("C8", f"the match to {self.length} was already won, {_score(score)}"))
        if record.crawford and self.before is not None and not self._is_first_at_one_short(score):
            breaches.append(("C9", f"it is no Crawford game at {_score(score)} in a match to {self.length}"))
        if record.crawford and not self.rules.crawford:
            breaches.append(("C9", "there is no Crawford game under these rules"))
        first = record.first or (record.turns[0].side if record.turns else None)
        winner = self.last_winner
        if winner is not None and swapped and score != self.score:
            winner = winner.other
        if (
            self.rules.next_game_start == "swap_colours"
            and self.rules.game is Game.LONG_NARDY
            and self.score is not None
            and first is Side.BLACK
        ):
            breaches.append(("G9", "Black began, but who had Black before has White now, and begins"))
        if (
            self.rules.next_game_start == "winner_starts"
            and first is not None
            and winner not in (None, first)
        ):
            breaches.append(("G9", f"{first.value.title()} began, but the winner of the last game begins"))
        return breaches

    def _is_first_at_one_short(self, score: Score) -> bool:
        short = self.length - 1
        return (
            self.length > 1 and max(score) == short and self.before is not None and max(self.before) < short
        )

    def _is_crawford(self, record: GameRecord, score: Score) -> bool:
        """Whether there is no cube in this game (C9), the record saying so or not."""
        return self.rules.crawford and (record.crawford or self._is_first_at_one_short(score))


@dataclass(frozen=True, slots=True)
class _Offer:
    """A cube that waits for an answer."""

    action: Literal["double", "beaver", "raccoon"]
    side: Side
    value: int
    before: int  #: the stake that is lost if it is dropped
    keeper: Side  #: who has the cube after a take


@dataclass(frozen=True, slots=True)
class _End:
    """How a game ended: the result without the cube, and why, with the row of rules.md that says so."""

    result: GameResult
    rule: str
    why: str


@dataclass(slots=True)
class _Judged:
    """What there is to say of a turn."""

    breaches: list[Breach] = field(default_factory=list)
    play: str = ""
    nearest: tuple[str, ...] = ()


@dataclass(slots=True)
class _Game:
    """One game while it is gone through."""

    number: int
    record: GameRecord
    rules: RuleSet
    findings: list[Finding]
    crawford: bool
    first_roll_is_rolled_off: bool  #: G7
    position: Position | None = field(init=False)
    to_move: Side | None = field(init=False)
    first: Side | None = field(init=False)
    stakes: tuple[int, ...] = field(init=False)  #: what the cube may stand at; one value once it was touched
    owner: Side | None = None
    doubled: bool = False
    offer: _Offer | None = None
    end: _End | None = None
    last_throw: bool = False  #: the side that began has finished, and the other has one more turn (B8)
    rolls: int = 0
    plays: int = 0
    unjudged: int = 0

    def __post_init__(self) -> None:
        self.position = self.record.start if _fits(self.record.start) else None
        self.to_move = self.first = self.record.first
        # A record does not tell automatic doubles (C6) but by the stake that is played for.
        self.stakes = tuple(2**n for n in range(self.rules.auto_doubles + 1))

    def go_through(self) -> None:
        row, before = 0, Side.BLACK
        for number, turn in enumerate(self.record.turns, 1):
            # Match text has White in the left column: Black's turn stands beside White's before it.
            row += turn.side is Side.WHITE or before is Side.BLACK
            before = turn.side
            over, judged = self.end, _Judged()
            if over is not None:
                judged = _Judged([(over.rule, f"the game was over: {over.why}")])
            elif turn.action == "play":
                judged = self._play(turn)
            elif turn.action == "resign":
                self._resign(turn)
            else:
                judged = _Judged(self._cube(turn))
            if judged.breaches:
                self.findings.append(
                    Finding(
                        game=self.number,
                        breaches=tuple(judged.breaches),
                        turn=number,
                        move=row,
                        side=turn.side,
                        action=turn.action,
                        dice=turn.dice,
                        play=judged.play,
                        nearest=judged.nearest,
                        line=turn.line,
                    )
                )
            if over is not None:
                return

    # Plays

    def _play(self, turn: Turn) -> _Judged:
        judged = _Judged(self._order(turn))
        opening = self._is_opening()
        self.first = self.first or turn.side
        self.to_move = turn.side.other
        if turn.dice is None:
            if turn.moves is not None or turn.after is not None:
                judged.breaches.append(("D1", "the play has no roll"))
            self._lose_track(turn)
            return judged
        self.rolls += 1
        if not all(1 <= die <= 6 for die in turn.dice):
            judged.breaches.append(("D1", f"{turn.dice[0]}-{turn.dice[1]} is no roll of two dice"))
            self._lose_track(turn)
            return judged
        if opening and self.first_roll_is_rolled_off and turn.dice[0] == turn.dice[1]:
            judged.breaches.append(("G7", "the first roll is that of the roll-off, which is no double"))
        if self.position is None:
            self._lose_track(turn)
        elif turn.moves is None and turn.after is None:
            self._unwritten(turn, turn.dice, self.position, judged)
        else:
            self.plays += 1
            self._judge(turn, turn.dice, self.position, judged)
            self._after_play()
        return judged

    def _judge(self, turn: Turn, dice: Dice, before: Position, judged: _Judged) -> None:
        """Compare what was moved with what the roll allowed."""
        made = _made(before, turn, dice, self.rules)
        judged.play = made.notation
        if turn.after is not None and not _fits(turn.after):
            judged.breaches.append(("G1", "more than fifteen checkers of a side stand on the board after it"))
            self.position = None
            return
        self.position = turn.after or made.position
        if self.position is None:
            judged.breaches.append((made.rule, f"{made.reason}; the rest of the game cannot be followed"))
            plays = legal_plays(before, turn.side, dice, self.rules)
            judged.nearest = tuple(play.notation for play in plays[:3])
            return
        verdict = judge_play(before, turn.side, dice, self.position, self.rules)
        judged.breaches += [(breach.rule, breach.reason) for breach in verdict.breaches]
        judged.nearest = tuple(play.notation for play in verdict.nearest)
        if not turn.moves:
            judged.play = verdict.notation
        elif verdict.legal and made.position != self.position:
            text = "the moves do not lead to the position that the record has after them"
            judged.breaches.append(("E8", text))

    def _unwritten(self, turn: Turn, dice: Dice, before: Position, judged: _Judged) -> None:
        """A roll without a play: only a forced play need not be written down."""
        plays = legal_plays(before, turn.side, dice, self.rules)
        if len(plays) == 1:
            self.position = plays[0].after
            self.plays += 1
            self._after_play()
            return
        self.position = None
        if turn is not self.record.turns[-1]:
            judged.breaches.append(("M3", "the play is missing; the rest of the game cannot be followed"))
            self.unjudged += 1

    def _order(self, turn: Turn) -> list[Breach]:
        """Whose turn it is (G10), and whether the cube was answered before (C3)."""
        breaches: list[Breach] = []
        if self.offer is not None:
            breaches.append(("C3", f"the {self.offer.action} was neither taken nor dropped"))
            self.offer = None
        if self.to_move not in (None, turn.side) and not self._is_shut_out(turn.side.other):
            breaches.append(("G10", f"it was {turn.side.other.value.title()}'s turn"))
        return breaches

    def _is_shut_out(self, side: Side) -> bool:
        """Whether no roll at all can be played: such a turn is often not written down."""
        return self.position is not None and chance_to_be_stuck(self.position, side, self.rules) == 1

    def _is_opening(self) -> bool:
        return self.rolls == 0 and self.record.start == Position.start(self.rules.game)

    def _lose_track(self, turn: Turn) -> None:
        """A play that cannot be judged; the position is known again if the record has it."""
        if turn.moves is not None or turn.after is not None:
            self.plays += 1
            self.unjudged += 1
        self.position = turn.after if turn.after is not None and _fits(turn.after) else None
        self._after_play()

    def _after_play(self) -> None:
        """End the game if the last checker went off (B7, B8)."""
        if self.position is None:
            return
        result = game_result(self.position, self.rules, first=self.first, last_throw_taken=self.last_throw)
        if result is not None:
            self.end = _borne_off(result)
        self.last_throw = result is None and CHECKERS in self.position.off

    # Cube and resignation

    def _cube(self, turn: Turn) -> list[Breach]:
        who = turn.side.value.title()
        offer = self.offer
        match turn.action:
            case "double":
                return self._double(turn)
            case "beaver" | "raccoon":
                return self._beaver(turn)
            case "take" if offer is not None and offer.side is not turn.side:
                self.stakes, self.owner, self.offer = (offer.value,), offer.keeper, None
                self.doubled = True
            case "drop" if offer is not None and offer.side is not turn.side:
                self.offer, self.stakes = None, (offer.before,)
                result = GameResult(offer.side, "drop", single(self.rules))
                self.end = _End(result, "C3", f"{who} dropped the {offer.action}")
            case _:
                return [("C3", f"{who} was offered nothing to {turn.action}")]
        return []

    def _double(self, turn: Turn) -> list[Breach]:
        breaches: list[Breach] = []
        who, stake = turn.side.value.title(), self._stake_below(turn.value)
        if not self.rules.cube:
            breaches.append(("C1", "there is no cube under these rules"))
        if self.crawford:
            breaches.append(("C9", "there is no double in the Crawford game"))
        if self.offer is not None:
            breaches.append(("C3", f"the {self.offer.action} before it was neither taken nor dropped"))
        on_his_turn = self.to_move in (None, turn.side)
        if not on_his_turn:
            breaches.append(("C2", f"{who} may double only on his own turn, before he throws"))
        elif self._is_opening() and self.first_roll_is_rolled_off:
            breaches.append(("C2", "nobody may double before the first roll, which is that of the roll-off"))
        if self.owner not in (None, turn.side):
            breaches.append(("C4", f"{who} may not double, the cube is his opponent's"))
        value = turn.value or 2 * stake
        if value != 2 * stake:
            breaches.append(("C1", f"a double at {stake} offers {2 * stake}, not {value}"))
        breaches += self._over_cap(value)
        self.offer = _Offer("double", turn.side, value, stake, turn.side.other)
        if on_his_turn:
            self.to_move = turn.side
        self.first = self.first or turn.side
        return breaches

    def _beaver(self, turn: Turn) -> list[Breach]:
        """A beaver answers a double, a raccoon a beaver; the beaver's side keeps the cube (C5)."""
        breaches: list[Breach] = []
        answered = "double" if turn.action == "beaver" else "beaver"
        if not (self.rules.beaver if turn.action == "beaver" else self.rules.raccoon):
            breaches.append(("C5", f"there is no {turn.action} under these rules"))
        if self.offer is None or self.offer.action != answered or self.offer.side is turn.side:
            return [*breaches, ("C5", f"a {turn.action} answers a {answered} of the opponent, at once")]
        value = turn.value or 2 * self.offer.value
        if value != 2 * self.offer.value:
            breaches.append(
                ("C5", f"a {turn.action} at {self.offer.value} makes {2 * self.offer.value}, not {value}")
            )
        breaches += self._over_cap(value)
        keeper = turn.side if turn.action == "beaver" else self.offer.keeper
        action: Literal["beaver", "raccoon"] = "beaver" if turn.action == "beaver" else "raccoon"
        self.offer = _Offer(action, turn.side, value, self.offer.value, keeper)
        return breaches

    def _over_cap(self, value: int) -> list[Breach]:
        cap = self.rules.cube_cap
        return [("C4", f"the cube goes up to {cap}, not to {value}")] if cap and value > cap else []

    def _stake_below(self, value: int) -> int:
        """The stake before a double to ``value``: only the first double tells of automatic ones (C6)."""
        return value // 2 if value % 2 == 0 and value // 2 in self.stakes else self.stakes[0]

    def _resign(self, turn: Turn) -> None:
        grade, _ = self.rules.grades[min(max(turn.value, 1), len(self.rules.grades)) - 1]
        off = self.position.off[turn.side.index] if self.position is not None else 0
        result = GameResult(turn.side.other, "resigned", grade_points(grade, off, self.rules))
        self.end = _End(result, "B7", f"{turn.side.value.title()} resigned")

    # Result

    def outcome(self) -> GameResult | None:
        """The result, cube included, with which the record goes on; ``None`` if it is not known.

        What the record claims is compared with what was played, and is what counts afterwards.
        """
        end, claimed = self.end, self.record
        if end is None and self.last_throw and self.position is not None:
            # The last throw was not written down: nothing could come of it.
            result = game_result(self.position, self.rules, first=self.first, last_throw_taken=True)
            end = _borne_off(result) if result else None
        if claimed.winner is None and claimed.result != "draw":
            return GameResult(end.result.winner, end.result.result, self._worth(end)[0]) if end else None
        breaches = self._against(end) if end else self._claim_without_end()
        if breaches:
            self.findings.append(
                Finding(game=self.number, breaches=breaches, side=claimed.winner, line=claimed.line)
            )
        return GameResult(
            claimed.winner, claimed.result, claimed.points or (self._worth(end)[0] if end else 0)
        )

    def _worth(self, end: _End) -> list[float]:
        """What the end may be worth; several values if automatic doubles are not told (C6)."""
        if end.result.winner is None:
            return [end.result.points]
        return [stake(end.result.points, self.rules, cube, self.doubled) for cube in self.stakes]

    def _against(self, end: _End) -> tuple[Breach, ...]:
        """What the record claims that is not as the game ended."""
        claimed, scoring = self.record, SCORING_ROWS[self.rules.scoring][-1]
        if claimed.winner is not end.result.winner:
            winner = claimed.winner.value.title() if claimed.winner else "nobody"
            return ((end.rule, f"the game is given to {winner}, but {end.why}"),)
        worth = self._worth(end)
        breaches: list[Breach] = []
        if claimed.points and claimed.points not in worth:
            rule = scoring if end.rule == "B7" else end.rule
            points = " or ".join(f"{points:g}" for points in worth)
            breaches.append((rule, f"it counts {claimed.points:g}, but {end.why}, which is worth {points}"))
        names = {name for name, _ in self.rules.grades} | {"draw", "drop"}
        if {claimed.result, end.result.result} <= names and claimed.result != end.result.result:
            breaches.append((scoring, f"it is called {claimed.result}, but {end.why}"))
        return tuple(breaches)

    def _claim_without_end(self) -> tuple[Breach, ...]:
        """A game that nobody finished on the board was resigned, for one grade or another."""
        points, rules = self.record.points, self.rules
        grades = [grade for _, grade in rules.grades]
        if rules.scoring == "remaining_checkers":
            grades = [grades[0] * count for count in range(1, CHECKERS + 1)]
        worth = {stake(grade, rules, cube, self.doubled) for grade in grades for cube in self.stakes}
        if self.record.winner is None or not points or points in worth:
            return ()
        cube = " or ".join(map(str, self.stakes))
        text = f"it counts {points:g}, which no result is worth with the cube at {cube}"
        return ((SCORING_ROWS[rules.scoring][-1], text),)


def _borne_off(result: GameResult) -> _End:
    if result.winner is None:
        return _End(result, "B8", "both sides have borne off all their checkers")
    return _End(
        result, "B7", f"{result.winner.value.title()} has borne off all his checkers ({result.result})"
    )


@dataclass(frozen=True, slots=True)
class _Made:
    """What written moves lead to; without a position, why no board can show it."""

    notation: str
    position: Position | None
    rule: str = ""
    reason: str = ""


def _made(before: Position, turn: Turn, dice: Dice, rules: RuleSet) -> _Made:
    """Carry out the moves of a turn as they are written.

    Moves may be drawn together (24/18 for a 4 and a 2): blots that such a move must have hit on its way
    are hit if that is what makes the play legal.
    """
    moves, view = turn.moves or (), view_of(before, rules.game, turn.side)
    own, enemy = list(view.own), list(view.enemy)
    for source, target in moves:
        own[source] -= 1
        own[target] += 1
    closed = 2 if rules.game is Game.BACKGAMMON else 1
    hits = {target for _, target in moves if 1 <= target <= 24 and 0 < enemy[target] < closed}
    text = notation([Move(source, target, target in hits) for source, target in moves])
    if missing := [point for point, count in enumerate(own) if count < 0]:
        names = ", ".join(map(point_name, missing))
        return _Made(
            text, None, "G11", f"there is no checker of {turn.side.value.title()} to move on {names}"
        )
    for point in hits:
        enemy[point] -= 1
        enemy[BAR] += 1
    if stands := [point for _, point in moves if 1 <= point <= 24 and enemy[point] and own[point]]:
        row = "K1" if rules.game is Game.BACKGAMMON else "L1"
        return _Made(text, None, row, f"a checker was moved onto the closed point {stands[0]}")
    position = position_of(View(tuple(own), tuple(enemy)), rules.game, turn.side)
    plays = legal_plays(before, turn.side, dice, rules)
    if any(play.after == position for play in plays):
        return _Made(text, position)
    if len(moves) < max(len(play.moves) for play in plays):
        for play in plays:
            if view_of(play.after, rules.game, turn.side).own == tuple(own) and _extends(play.moves, moves):
                return _Made(play.notation, play.after)
    return _Made(text, position)


def _extends(moves: tuple[Move, ...], drawn: tuple[MoveXY, ...]) -> bool:
    """Whether the moves are those that are drawn together, step by step."""
    left = list(drawn)
    at: list[int] = []  # where a checker stopped that is still under way
    for move in moves:
        if move.from_point in at:
            at.remove(move.from_point)
        elif not any(source == move.from_point for source, _ in left):
            return False
        else:
            left.remove(next(xy for xy in left if xy[0] == move.from_point))
        at.append(move.to_point)
    return not left and sorted(at) == sorted(target for _, target in drawn)


def _fits(position: Position) -> bool:
    """Whether a board can be so: nobody has more than fifteen checkers. Fewer are judged, too."""
    return all(position.checkers(side) <= CHECKERS for side in Side)


def _score(score: Score) -> str:
    return f"{score[0]:g}:{score[1]:g}"
