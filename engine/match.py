"""A match as a fold over its events: games, whose turn it is, the cube, the score.

:meth:`Match.apply` takes one event and returns the match after it; nothing is changed in place. So any
earlier event can be corrected and the rest replayed (:mod:`engine.corrections`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, NoReturn

from engine.events import (
    BoardSeen,
    Call,
    Correction,
    CubeAction,
    Desync,
    Dice,
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
from engine.layout import Orientation
from engine.position import CHECKERS, Position, Side
from engine.roster import Roster
from engine.rules import RuleSet
from engine.rules import TurnEnd as TurnEndSignal
from engine.scoring import GameResult, game_result, grade_points, single, stake
from engine.throws import chance_to_be_stuck

Phase = Literal["before", "to_throw", "to_play", "cube_offered", "game_over", "match_over"]
AS_RULES = -1  #: as the length of a match: what its rule set says


class MatchError(ValueError):
    """An event that cannot follow what went before; the message says why, in one plain sentence."""


@dataclass(frozen=True, slots=True)
class Match:
    """A match in progress, as it stands after the events so far.

    ``length``: points to win, 0 for unlimited play; always that of ``rules``, which a length given here
    changes. ``players`` and ``score`` are White's and Black's in the present game and change places when
    the players swap colours; ``seats`` tells which colour the player named first, and the other, has now.

    A game is over, and its score counted, with the event that decides it: the last checker borne off, a
    drop, a resignation that was accepted, or else a ``GameEnd``. ``result`` is how the last game ended by
    the board alone, ``gained`` what it brought White and Black, cube and Jacoby included.
    """

    rules: RuleSet
    length: int = AS_RULES
    players: tuple[str, str] = ("White", "Black")
    roster: Roster | None = None
    seats: tuple[Side, Side] = (Side.WHITE, Side.BLACK)
    score: tuple[float, float] = (0, 0)
    game_number: int = 0
    phase: Phase = "before"

    # The board and the turn
    position: Position | None = None
    orientation: Orientation = Orientation.BOTTOM_RIGHT
    in_step: bool = True
    restoring: bool = False  #: the board, which is out of step, is to be put back
    first: Side | None = None  #: who began this game, once that is known
    side_to_move: Side | None = None
    throw: Throw | None = None  #: the last throw of this game, void ones included
    dice: Dice | None = None
    dice_valid: bool = True
    turn: int = 0  #: turns completed in this game
    signals: tuple[TurnEndSignal, ...] = ()  #: given at the end of the last turn that was thrown for
    calls: tuple[Call, ...] = ()  #: about the checkers of the turn in progress, or of the last
    last_play: PlayMade | None = None
    last_from: Position | None = None  #: what stood before the last play
    #: an illegal play that must be put right: the position is that before it
    rejected: PlayMade | None = None
    undo: Match | None = None  #: the match before the last play, until the other side has thrown or doubled
    closed: Match | None = None  #: the same once a throw has closed the claim, should that throw be void

    # Cube, score and the rest
    cube: int = 1
    cube_owner: Side | None = None  #: ``None`` while the cube is in the middle
    offered: int = 0  #: the stake that is offered while the phase is ``cube_offered``
    doubled: bool = False  #: a double was taken in this game: what Jacoby's rule asks (C7)
    auto_doubled: int = 0  #: automatic doubles of this game (C6)
    rolled_off: bool = False
    took_white: bool = False  #: the winner of the roll-off took the white checkers from the other player (G8)
    crawford: bool = False  #: this is the Crawford game (C9)
    crawford_played: bool = False
    cup_demanded: bool = False  #: somebody demanded that dice be thrown from the cup (D2)
    resigning: Resignation | None = None  #: an offer to resign that waits for an answer
    result: GameResult | None = None
    gained: tuple[float, float] = (0, 0)
    end_told: bool = False  #: a ``GameEnd`` of this game has come

    def __post_init__(self) -> None:
        if self.length == AS_RULES:
            object.__setattr__(self, "length", self.rules.match_length)
        elif self.length != self.rules.match_length:
            object.__setattr__(self, "rules", replace(self.rules, match_length=self.length))

    # What there is to ask

    @property
    def winner(self) -> Side | None:
        """Who has won the match, if it has a length and is over.

        Both sides reaching it at once, which only a draw can bring about, decide nothing.
        """
        white, black = self.score
        if not self.length or max(white, black) < self.length or white == black:
            return None
        return Side.WHITE if white > black else Side.BLACK

    @property
    def to_answer(self) -> Side | None:
        """Who has to answer a double, a beaver or a raccoon."""
        if self.phase != "cube_offered" or self.side_to_move is None:
            return None
        return self.side_to_move if self._verb == "beaver" else self.side_to_move.other

    @property
    def turn_open(self) -> bool:
        """Whether the side that played last may still change its play (E4): no end of turn was signalled."""
        return self.undo is not None and not any(s in self.rules.turn_end for s in self.signals)

    @property
    def claim_open(self) -> bool:
        """Whether the last play can still be accepted or be demanded to be put right (E2, E5, E6)."""
        taken = self.rules.claim_window == "dice_taken" and "dice_handed_over" in self.signals
        return self.undo is not None and not taken

    @property
    def last_throw(self) -> bool:
        """Whether the turn in progress is the last throw after the other side has finished (B8)."""
        return (
            self.position is not None
            and self.phase in ("to_throw", "to_play")
            and CHECKERS in self.position.off
        )

    def name(self, side: Side) -> str:
        """The player's name."""
        return self.players[side.index]

    def by_seat(self, pair: tuple[float, float]) -> tuple[float, float]:
        """A pair of (White's, Black's), such as the score, as (the player's named first, the other's)."""
        return pair[self.seats[0].index], pair[self.seats[1].index]

    def refusal(self, event: Event) -> str | None:
        """Why :meth:`apply` would refuse an event, ``None`` if it would not."""
        try:
            self.apply(event)
        except MatchError as error:
            return str(error)
        return None

    def contradiction(self, event: GameEnd) -> str | None:
        """What the board and the rules say against an end of the game that is told, ``None`` if nothing.

        The match does not believe such an event where it knows better itself.
        """
        found = self.result
        if self.phase in ("before", "to_throw", "to_play", "cube_offered") or found is None:
            if self.rejected is not None:
                return "the last play was illegal and is to be put right first (E5)"
            if self.last_throw and self.side_to_move is not None:
                return f"{self.name(self.side_to_move)} still has the last throw (B8)"
            return "no side has borne off all its checkers, dropped a double or resigned"
        same_grade = event.result == found.result or found.result == "resigned"
        if event.winner is found.winner and same_grade and event.points == found.points:
            return None
        return f"it is {ending(event, self)}, but by the board and the rules {ending(found, self)}"

    # The fold

    def apply(self, event: Event) -> Match:
        """The match after ``event``. Raises ``MatchError`` if it cannot follow."""
        match event:
            case BoardSeen():
                return replace(self, orientation=event.orientation)
            case MatchStart():
                return self._begun(event)
            case GameStart():
                return self._started(event)
            case SetUp():
                return self._set_up(event)
            case RollOff():
                return self._rolled(event)
            case Throw():
                return self._thrown(event)
            case PlayMade():
                return self._played(event)
            case TurnEnd():
                return self._signalled(event)
            case CubeAction():
                return self._cubed(event)
            case Resignation():
                return self._resigned(event)
            case Call():
                return self._called(event)
            case Ruling():
                return self._ruled(event)
            case Correction():
                raise MatchError(f"{moment(event)}: a correction needs the whole record, to be replayed")
            case Desync():
                return replace(self, in_step=False, restoring=False)
            case Resync():
                return self._in_step_again(event)
            case Doubt():
                return self
            case GameEnd():
                return self._ended(event)

    def _refuse(self, event: Event, why: str) -> NoReturn:
        raise MatchError(f"{moment(event)}: {why}")

    def _need_game(self, event: Event) -> Position:
        if self.position is None or self.phase in ("before", "game_over", "match_over"):
            self._refuse(event, "no game is being played")
        return self.position

    # How matches and games begin

    def _begun(self, event: MatchStart) -> Match:
        if self.phase != "before":
            self._refuse(event, "the match is under way")
        return Match(event.rules, players=event.players, roster=event.roster, orientation=self.orientation)

    def _started(self, event: GameStart) -> Match:
        settled = self._standing()
        if settled.winner is not None:
            self._refuse(event, "the match is won")
        if event.rules.game is not self.rules.game:
            self._refuse(event, f"a game of {event.rules.game.value} in a match of {self.rules.game.value}")
        over = settled.phase == "game_over"
        seated, begins = settled, event.side_to_move
        if over and self.rules.next_game_start == "swap_colours":  # G9
            seated = settled._swapped()
            begins = begins or Side.WHITE  # who had Black has White now
        elif over and self.rules.next_game_start == "winner_starts" and settled.result is not None:
            begins = begins or settled.result.winner
        by_rule = over and self.rules.next_game_start == "swap_colours"
        if (
            event.players is None
            and event.turned
            and not by_rule
            and not self.rules.rolloff_winner_takes_white
        ):
            seated = seated._swapped()
            begins = begins.other if begins is not None and event.side_to_move is None else begins
        if event.players is not None and event.players != seated.players:
            if event.players != seated.players[::-1]:
                self._refuse(event, f"{' and '.join(event.players)} are not the players of this match")
            seated = seated._swapped()
            # Who is to begin by the rules begins, whatever his colour.
            begins = begins.other if begins is not None and event.side_to_move is None else begins
        again = settled.crawford and not over  # the Crawford game was broken off and begins anew
        crawford = again or (self.rules.crawford and seated._a_point_short and not seated.crawford_played)
        return Match(
            rules=self.rules,
            players=seated.players,
            roster=self.roster,
            seats=seated.seats,
            score=seated.score,
            game_number=self.game_number + 1,
            phase="to_throw",
            position=event.position,
            orientation=self.orientation,
            side_to_move=begins,
            crawford=crawford,
            crawford_played=seated.crawford_played or crawford,
            cup_demanded=self.cup_demanded,
        )

    @property
    def _a_point_short(self) -> bool:
        return self.length > 1 and max(self.score) >= self.length - 1

    def _swapped(self) -> Match:
        """The players change colours, and their scores go with them."""
        return replace(
            self,
            players=self.players[::-1],
            score=self.score[::-1],
            seats=self.seats[::-1],
        )

    def _set_up(self, event: SetUp) -> Match:
        rules, position = self.rules, event.position
        for side in Side:
            if position.checkers(side) != CHECKERS:
                self._refuse(event, f"{side.value} has {position.checkers(side)} checkers, not {CHECKERS}")
        if game_result(
            position, rules, first=event.first, last_throw_taken=event.first is event.side_to_move
        ):
            self._refuse(event, "the game is over in this position")
        if event.dice is not None and not two_dice(event.dice):
            self._refuse(event, f"{dashed(event.dice)} is no throw of two dice")
        if min(event.score) < 0 or (self.length and max(event.score) >= self.length):
            self._refuse(event, f"a score of {dashed(event.score)} is not one of a match in progress")
        if event.cube < 1 or event.cube & (event.cube - 1) or (event.cube > 1 and not rules.cube):
            self._refuse(event, f"the cube cannot stand at {event.cube}")
        if event.cube == 1 and event.cube_owner is not None:
            self._refuse(event, "a cube at 1 is in the middle")
        if event.game_number < 1:
            self._refuse(event, "games count from 1")
        there = Match(
            rules=rules,
            players=self.players,
            roster=self.roster,
            seats=self.seats,
            score=event.score,
            game_number=event.game_number,
            phase="to_throw" if event.dice is None else "to_play",
            position=position,
            orientation=self.orientation,
            first=event.first,
            side_to_move=event.side_to_move,
            dice=event.dice,
            turn=0 if position == Position.start(rules.game) else 1,
            cube=event.cube,
            cube_owner=event.cube_owner,
            doubled=event.cube_owner is not None,
            rolled_off=True,
            crawford=event.crawford,
            cup_demanded=self.cup_demanded,
        )
        short = rules.crawford and there._a_point_short
        if event.crawford and (not short or event.cube > 1):
            self._refuse(event, "this cannot be the Crawford game")
        return replace(there, crawford_played=short)

    def _rolled(self, event: RollOff) -> Match:
        self._need_game(event)
        if self.turn or self.phase != "to_throw" or self.rolled_off:
            self._refuse(event, "the game is under way")
        if not two_dice((event.white, event.black)):
            self._refuse(event, f"{event.white} and {event.black} are not a die each")
        if event.winner is None:
            again = self.auto_doubled < self.rules.auto_doubles and self._cube_may_rise_to(2 * self.cube)
            return replace(self, cube=2 * self.cube, auto_doubled=self.auto_doubled + 1) if again else self
        takes_white = event.winner is Side.BLACK and self.rules.rolloff_winner_takes_white
        seated = self._swapped() if takes_white else self
        begins = Side.WHITE if takes_white else event.winner
        begun = replace(seated, side_to_move=begins, rolled_off=True, took_white=takes_white, first=begins)
        if self.rules.opening_roll == "rethrow":
            return begun
        return replace(begun, dice=(event.white, event.black), dice_valid=True, phase="to_play")

    # Throws, plays and what is said of them

    def _thrown(self, event: Throw) -> Match:
        self._need_game(event)
        if self._by_the_other(event):
            first = self.first if self.turn or self.rolled_off else None
            mover = self.side_to_move if "wrong_side" in event.faults else None
            anew = replace(self, side_to_move=mover, first=first, throw=None, dice=None, phase="to_throw")
            return replace(anew, undo=self.closed, closed=None)._thrown(event)
        if not event.valid:
            return self._threw_in_vain(event)
        if self.throw is not None and replace(self.throw, faults=event.faults) == event:
            return replace(self, throw=event)  # told once more, with a fault that leaves it valid (D11)
        if not two_dice(event.dice):
            self._refuse(event, f"{dashed(event.dice)} is no throw of two dice")
        match = self
        out_of_turn = event.side is self.side_to_move  # what was played then is put right, and he throws
        if self.rejected is not None and event.side is self.rejected.side.other and not out_of_turn:
            match = self._standing()  # E6: it stands once the opponent has thrown
            match._need_game(event)
        if match.phase == "cube_offered":
            self._refuse(event, "a double waits for its answer")
        nothing_yet = match.turn == 0 and (match.throw is None or match.throw.side is Side.BLACK)
        if match.took_white and event.side is Side.BLACK and nothing_yet:
            # The checkers tell: the winner of the roll-off has kept the black ones.
            match = replace(
                match._swapped(),
                side_to_move=Side.BLACK,
                first=Side.BLACK,
                took_white=False,
                phase="to_throw",
            )
        if match.side_to_move not in (None, event.side) and not match._is_shut_out():
            self._refuse(event, f"it is {match.name(event.side.other)}'s turn (G10)")
        if match.phase == "to_play" and match.throw is not None:
            self._refuse(event, f"{self.name(event.side)} has thrown already (D1)")
        return replace(
            match,
            first=match.first or (event.side if match.turn == 0 else None),
            side_to_move=event.side,
            throw=event,
            dice=event.dice,
            dice_valid=True,
            phase="to_play",
            signals=(),
            calls=(),
            rejected=None,
            undo=None,
            closed=match.undo,
            resigning=None,
        )

    def _is_shut_out(self) -> bool:
        """Whether the side that is to throw could move nothing anyway, and need not throw."""
        if self.position is None or self.side_to_move is None or self.phase != "to_throw":
            return False
        return chance_to_be_stuck(self.position, self.side_to_move, self.rules) == 1

    def _by_the_other(self, event: Throw) -> bool:
        """Whether a throw is told again, since the side that was taken for the thrower was not."""
        told = self.throw
        if told is None or told.side is event.side or told.side is not self.side_to_move:
            return False
        again = event.t < told.t or (event.t, event.dice) == (told.t, told.dice)
        return again and self.phase in ("to_throw", "to_play")

    def _threw_in_vain(self, event: Throw) -> Match:
        """A void throw: it is told, and nothing comes of it."""
        if self.phase == "cube_offered" or self.side_to_move not in (None, event.side):
            return replace(self, throw=event)
        return replace(
            self,
            side_to_move=event.side,
            throw=event,
            dice=event.dice,
            dice_valid=False,
            phase="to_throw",
        )

    def origin(self, event: PlayMade) -> Match:
        """The match from which a play is made: this one, or that before the last play, if it changes that."""
        if self.undo is None or self.last_play is None or event.side is not self.last_play.side:
            return self
        same = sorted(event.dice) == sorted(self.last_play.dice)
        return self.undo if self.turn_open and same and self.rejected is None else self

    def _played(self, event: PlayMade) -> Match:
        before = self.origin(event)
        before._need_game(event)
        if before is not self and self.rules.touch_move:
            self._refuse(event, f"what {self.name(event.side)} has moved must stay so (E7)")
        if before.phase == "cube_offered":
            self._refuse(event, "a double waits for its answer")
        if before.side_to_move not in (None, event.side) and (event.legal or event.rule != "G10"):
            self._refuse(event, f"it is {self.name(event.side.other)}'s turn (G10)")
        undo = replace(before, undo=None, closed=None, rejected=None)
        thrown = before.phase == "to_play"  # else what was signalled and said belongs to the turn before
        made = replace(
            before,
            first=before.first or (event.side if before.turn == 0 else None),
            signals=before.signals if thrown else (),
            calls=before.calls if thrown else (),
            position=event.position,
            side_to_move=event.side.other,
            dice=event.dice,
            dice_valid=True,
            phase="to_throw",
            turn=before.turn + 1,
            last_play=event,
            last_from=before.position,
            rejected=None,
            undo=undo,
            closed=None,
            resigning=None,
        )
        if not event.legal and self.rules.illegal_policy == "auto_reject":
            return replace(undo, rejected=event, last_play=event, undo=undo, resigning=None)
        return made._decided(event)

    def _decided(self, play: PlayMade) -> Match:
        """The game is over if ``play``, the last one, has ended it."""
        taken = self.first is not None and play.side is not self.first
        result = game_result(play.position, self.rules, first=self.first, last_throw_taken=taken)
        if result is None:
            return self
        return replace(self._over(result, self.cube), undo=self.undo)  # the play may still be put right

    def _standing(self) -> Match:
        """This match, or, where a play had to be put right and was not, what it is if that play stands."""
        if self.rejected is None:
            return self
        lenient = replace(self.rules, illegal_policy="opponent_choice")
        stands = replace(self, rules=lenient, rejected=None, undo=None)._played(self.rejected)
        return replace(stands, rules=self.rules, undo=None)

    def _signalled(self, event: TurnEnd) -> Match:
        if self.position is None or self.phase == "before":
            self._refuse(event, "no game is being played")
        playing = self.side_to_move if self.phase == "to_play" else None
        played = self.last_play.side if self.last_play is not None and self.phase != "to_play" else None
        if event.side not in (playing, played):
            self._refuse(event, f"it is not {self.name(event.side)}'s turn that ends")
        return replace(self, signals=(*self.signals, event.how))

    def _called(self, event: Call) -> Match:
        if event.what == "cup":
            if self.rules.dice_from != "cup_on_demand":
                self._refuse(event, f"under these rules a cup is not on demand: {self.rules.dice_from} (D2)")
            return replace(self, cup_demanded=True)
        self._need_game(event)
        playing = self.side_to_move if self.phase == "to_play" else None
        if event.what == "adjust":
            if event.side is not playing:
                self._refuse(event, f"{self.name(event.side)} is not to play (E7)")
            return replace(self, calls=(*self.calls, event))
        if not self.rules.touch_move:
            self._refuse(event, "under these rules a checker that was touched need not be moved (E4)")
        played = self.last_play.side if self.last_play is not None and self.claim_open else None
        if event.side.other not in (playing, played):
            self._refuse(event, f"{self.name(event.side.other)} is not at play (E7)")
        if any(c.what == "adjust" and (c.point is None or c.point == event.point) for c in self.calls):
            self._refuse(event, f"{self.name(event.side.other)} said that he adjusts it (E7)")
        return replace(self, calls=(*self.calls, event))

    def _ruled(self, event: Ruling) -> Match:
        match event.decision:
            case "accept":
                play = self._claimable(event)
                if play.legal:
                    self._refuse(event, "the last play was legal: there is nothing to accept (E5)")
                if self.rules.illegal_policy == "auto_reject":
                    self._refuse(event, "under these rules an illegal play must be put right (E5)")
                return replace(self._standing(), undo=None)
            case "demand":
                play = self._claimable(event)
                touched = any(call.what == "touched" for call in self.calls)
                if play.legal and not touched:
                    self._refuse(event, "the last play was legal: there is nothing to put right (E5)")
                if self.rejected is not None or self.undo is None:
                    return self
                return replace(self.undo, last_play=play, rejected=play, undo=self.undo, calls=())
            case "rethrow":
                self._need_game(event)
                if self.phase != "to_play":
                    self._refuse(event, "there is no throw that is still to be played (D10)")
                throw = replace(self.throw, valid=False) if self.throw is not None else None
                rolled_off = self.rolled_off and throw is not None  # else the roll-off itself is void
                return replace(
                    self,
                    throw=throw,
                    dice_valid=False,
                    phase="to_throw",
                    rolled_off=rolled_off,
                    undo=self.closed,  # a void throw has closed no claim (E6)
                    closed=None,
                )
            case "restore":
                self._need_game(event)
                if self.in_step:
                    self._refuse(event, "the board stands as recorded: there is nothing to put back")
                return replace(self, restoring=True)
            case "stand":
                self._need_game(event)
                throw = self.throw
                if self.phase != "to_throw" or throw is None or throw.valid or not two_dice(throw.dice):
                    self._refuse(event, "there is no void throw of two dice that could stand")
                return replace(self, throw=None, phase="to_throw")._thrown(replace(throw, valid=True))

    def _claimable(self, event: Ruling) -> PlayMade:
        if self.last_play is None or not self.claim_open:
            self._refuse(event, "there is no play that could still be put right (E6)")
        return self.last_play

    def _in_step_again(self, event: Resync) -> Match:
        match = replace(self, in_step=True, restoring=False)
        put_back = self.restoring and not event.slots and event.side_to_move is None
        if match.phase == "to_play" and not put_back:  # else the dice that were thrown are still to be played
            match = replace(match, phase="to_throw")
        if not (event.slots or event.side_to_move) or match.phase != "to_throw":
            return match
        # The game goes on from the board as it stands: somebody says whose turn it is, or the next throw.
        position, side = event.position or match.position, event.side_to_move
        match = replace(match, position=position, side_to_move=side, rejected=None, undo=None)
        if side is None or position is None:
            return match
        for each in Side:
            if position.checkers(each) != CHECKERS:
                self._refuse(event, f"{each.value} has {position.checkers(each)} checkers, not {CHECKERS}")
        if game_result(position, self.rules, first=self.first, last_throw_taken=side is self.first):
            self._refuse(event, "the game is over in this position")
        if event.dice is None:
            return match
        if not two_dice(event.dice):
            self._refuse(event, f"{dashed(event.dice)} is no throw of two dice")
        return replace(
            match, phase="to_play", throw=None, dice=event.dice, dice_valid=True, signals=(), calls=()
        )

    # The cube, resignations, and how games end

    @property
    def _verb(self) -> Literal["double", "beaver", "raccoon"]:
        """What was offered last."""
        return (
            "double"
            if self.offered == 2 * self.cube
            else "beaver"
            if self.offered == 4 * self.cube
            else "raccoon"
        )

    def _cube_may_rise_to(self, value: int) -> bool:
        cap = self.rules.cube_cap
        return self.rules.cube and not self.crawford and (not cap or value <= cap)

    def _cubed(self, event: CubeAction) -> Match:
        self._need_game(event)
        side, rules = event.side, self.rules
        if event.rule is not None:
            return self._doubled_in_vain(event)
        if event.action == "double":
            return self._doubled(event)
        if self.phase != "cube_offered" or self.to_answer is None:
            self._refuse(event, "nothing was offered (C3)")
        if side is not self.to_answer:
            self._refuse(event, f"it is {self.name(self.to_answer)} who has to answer (C3)")
        if event.action in ("beaver", "raccoon"):
            answers, allowed = (
                ("double", rules.beaver) if event.action == "beaver" else ("beaver", rules.raccoon)
            )
            if not allowed:
                self._refuse(event, f"there are no {event.action}s under these rules (C5)")
            if self._verb != answers:
                self._refuse(event, f"a {event.action} answers a {answers} (C5)")
            self._need_value(event, 2 * self.offered)
            if not self._cube_may_rise_to(2 * self.offered):
                self._refuse(event, f"the cube goes no higher than {rules.cube_cap} (C4)")
            return replace(self, offered=2 * self.offered)
        if event.action == "take":
            self._need_value(event, self.offered)
            owner = self.side_to_move.other if self.side_to_move is not None else None
            return replace(
                self, phase="to_throw", cube=self.offered, cube_owner=owner, offered=0, doubled=True
            )
        self._need_value(event, self.offered // 2)
        lost = self.offered // 2
        return self._over(GameResult(side.other, "drop", single(rules)), lost)

    def _need_value(self, event: CubeAction, value: int) -> None:
        if event.value != value:
            self._refuse(event, f"the stake of this {event.action} is {value}, not {event.value} (C1)")

    def _doubled(self, event: CubeAction) -> Match:
        side, rules, match = event.side, self.rules, self
        if self.rejected is not None and side is self.rejected.side.other:
            match = self._standing()  # E6: it stands once the opponent begins to double
            match._need_game(event)
        name = self.name(side)
        if not rules.cube:
            self._refuse(event, "no cube is in use")
        if match.crawford:
            self._refuse(event, "there is no cube in the Crawford game (C9)")
        if match.phase == "cube_offered":
            self._refuse(event, "a double waits for its answer")
        if match._may_not_double_now(side):
            self._refuse(event, f"{name} may double only on his own turn and before he has thrown (C2)")
        if match.cube_owner not in (None, side):
            self._refuse(event, f"{name} does not own the cube (C4)")
        self._need_value(event, 2 * match.cube)
        if not match._cube_may_rise_to(2 * match.cube):
            self._refuse(event, f"the cube goes no higher than {rules.cube_cap} (C4)")
        return replace(
            match,
            phase="cube_offered",
            side_to_move=side,
            offered=2 * match.cube,
            rejected=None,
            undo=None,
            resigning=None,
        )

    def _may_not_double_now(self, side: Side) -> bool:
        """Whether it is not the turn of a side, or it has thrown already (C2)."""
        unknown = self.side_to_move is None and self.turn > 0
        return self.phase != "to_throw" or (self.side_to_move is not side and not unknown)

    def _doubled_in_vain(self, event: CubeAction) -> Match:
        """A double that came too late or too early: it is told, and nothing comes of it."""
        if event.action != "double" or event.rule != "C2":
            self._refuse(event, f"no {event.action} is told as one that breaks {event.rule}")
        if not self.rules.cube or self.crawford:
            self._refuse(event, "no cube is in use")
        if self.phase == "cube_offered":
            self._refuse(event, "a double waits for its answer")
        if self.side_to_move is None or not self._may_not_double_now(event.side):
            self._refuse(event, f"{self.name(event.side)} may double now (C2)")
        return self

    def _resigned(self, event: Resignation) -> Match:
        position = self._need_game(event)
        open_offer = self.resigning
        if event.action == "offer":
            if self.phase == "cube_offered":
                self._refuse(event, "a double waits for its answer")
            if open_offer is not None:
                self._refuse(event, "a resignation waits for its answer already")
            grades = [name for name, _ in self.rules.grades]
            if event.grade not in grades:
                self._refuse(event, f"a game is resigned as one of: {', '.join(grades)}")
            return replace(self, resigning=event)
        if open_offer is None or open_offer.side is event.side:
            self._refuse(event, f"{self.name(event.side.other)} has not offered to resign")
        if event.grade not in ("", open_offer.grade):
            self._refuse(event, f"what was offered is {open_offer.grade}")
        if event.action == "refuse":
            return replace(self, resigning=None)
        off = position.off[open_offer.side.index]
        points = grade_points(open_offer.grade, off, self.rules)
        return self._over(GameResult(event.side, "resigned", points), self.cube)

    def _ended(self, event: GameEnd) -> Match:
        if self.phase in ("game_over", "match_over"):
            if self.end_told:
                self._refuse(event, "the game is over already")
            return replace(self, end_told=True)
        self._need_game(event)
        if self.rejected is not None:
            self._refuse(event, "the last play was illegal and is to be put right first (E5)")
        cube = self.offered // 2 or self.cube
        over = self._over(GameResult(event.winner, event.result, event.points), cube)
        return replace(over, end_told=True)

    def _over(self, result: GameResult, cube: int) -> Match:
        """The game is over: count it."""
        if result.winner is None:
            gained = (result.points, result.points)
        else:
            points = stake(result.points, self.rules, cube, self.doubled or self.phase == "cube_offered")
            gained = (points, 0) if result.winner is Side.WHITE else (0, points)
        over = replace(
            self,
            score=(self.score[0] + gained[0], self.score[1] + gained[1]),
            phase="game_over",
            side_to_move=None,
            offered=0,
            rejected=None,
            undo=None,
            resigning=None,
            result=result,
            gained=gained,
        )
        return replace(over, phase="match_over") if over.winner else over


def two_dice(dice: Dice) -> bool:
    """Whether both dice were read."""
    return all(1 <= die <= 6 for die in dice)


def dashed(pair: tuple[float, float]) -> str:
    """Two dice, or a score, as they are said: ``3-1``, ``2.5-1``."""
    return f"{pair[0]:g}-{pair[1]:g}"


_WORDS: Mapping[str, str] = {
    "cube": "an action with the cube",
    "set_up": "a position set up",
    "call": "a call",
    "game_end": "the end of the game",
    "turn_end": "the end of a turn",
    "desync": "a board out of step",
    "resync": "a board in step again",
}


def moment(event: Event) -> str:
    """An event as the subject of a message, with its time as the pages show it: ``a throw at 01:12``."""
    words = _WORDS.get(event.type, f"a {event.type.replace('_', ' ')}")
    if isinstance(event, CubeAction):
        words = f"a {event.action}"
    return f"{words} at {clock(event.t)}"


def clock(t: float) -> str:
    """A time in seconds as the pages show it: ``01:12``, ``1:01:12``."""
    minutes, seconds = divmod(max(0, int(t)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{f'{hours}:' if hours else ''}{minutes:02}:{seconds:02}"


def ending(end: GameResult | GameEnd, match: Match) -> str:
    """How a game ended, in few words."""
    if end.winner is None:
        return f"a draw for {end.points:g} each"
    return f"{end.result} for {end.points:g} won by {match.name(end.winner)}"
