"""The tracker: observations in, events out.

It keeps *seen* and *believed* apart. What is seen is never altered; what is believed is the best
explanation of it, an illegal play among the possible ones, and it is always the board that wins: an
illegal play that stands is part of the game. Nothing here reads a clock: time is ``Observation.t``.

A turn runs so: dice come to rest (a *cast*), checkers move, the dice are lifted or the next cast
lies there. Only then is the board compared with what it was: see :mod:`engine.tracker_explain`.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Literal

from engine.events import (
    BoardSeen,
    Call,
    Correction,
    CubeAction,
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
from engine.judge import judge_play, play_event
from engine.layout import Orientation, colour_of, orientations, slot_of, to_slots
from engine.legal import legal_plays
from engine.observation import DieReading, Observation
from engine.position import CHECKERS, Game, Position, Side
from engine.rules import RuleSet, default_rules
from engine.scoring import GameResult, game_result
from engine.throws import (
    THROWS,
    chance_to_be_stuck,
    has_contact,
    is_forced,
    is_void_if_early,
    throw_faults,
    touching_matters,
)
from engine.tracker_dice import (
    NEAR,
    SAME,
    TURNED_FRAMES,
    Cast,
    DiceWatch,
    Lying,
    came_together,
    may_be_third,
    same_dice,
    seen_beside,
    three_at_once,
    turned,
)
from engine.tracker_explain import (
    ILLEGAL,
    OUT_OF_TURN,
    Reading,
    explain,
    missed_turn,
    moved,
    turn_before,
)
from engine.tracker_picture import Picture
from engine.tracker_rivals import GIVEN_UP, MOST_RIVALS, SETTLED, Rival, corrections, rivals_of
from engine.tracker_seats import BEFORE, SURE_SEAT, Seat, SeatWatch, home_of
from engine.tracker_start import TALL, at_home, wrong_start

Phase = Literal[
    "looking for the board",
    "waiting for a throw",
    "rolling",
    "moving",
    "turn over",
    "game over",
    "out of step",
]

SURE_PAIR = 0.97  #: a throw is told when each of its values is this sure
AT_ONCE = 0.99  #: ... and from a single still frame when it is this sure
SURE_VALID, SURE_VOID = 0.8, 0.02  #: ... and whether it counts; else it waits for the play
TAKE_UP_SECONDS = 0.8  #: after a restart dice are looked at for so long before they are a new throw
VOID_SECONDS = 0.9  #: how long dice lie before they are told to lean
SURE_FAULT = 0.9  #: a way of lying that is told beside another fault
UNPLAYED = -4.0  #: log probability that a side lifts good dice that it could play, and the other goes on
UNSEEN_FAULT = 0.01  #: probability that a throw does not count although nothing wrong was seen of it
HARD_FAULT = 0.02  #: probability that a throw counts whose fault is where its dice lie
#: Faults that the play may refute: a die was read wrongly, or one of two was not seen.
REFUTABLE: tuple[Fault, ...] = ("cocked", "on_checker", "on_frame", "one_die")
ONE_DIE = 0.1  #: probability that a throw counts of which one die was seen
LONE_FRAMES, LONE_SECONDS = 3, 0.45  #: how long a die must have lain alone that was lifted alone
TELL_AFTER = 0.3  #: seconds that dice lie before a throw is told
THIRD_SECONDS = 1.0  #: ... if there may be a third one
SEEN_ARM = 2  #: frames that must show the arm that threw, to go by it
HAND_FRAMES = 3  #: frames that must show the hand that threw, for a cup not to have been missed
PLAIN_ARM, PLAIN_SEAT = 3, 3.2  #: frames, and nats, from which somebody is told at once to throw out of turn
LEARNT_TURNS = 6  #: ... and turns in which everybody threw from where he sits
MAY_BE_STUCK = 0.05  #: ... and the probability, at most, that the other had nothing to move
AT_A_TIME = 0.8  #: seconds between two dice, at most, of one player's throw where each may have thrown one
GIVEN_UP_SECONDS, GIVEN_UP_FRAMES = 1.5, 5  #: how long one die lies alone before the other is given up
KEPT_FRAMES = 240
PLAIN_MARGIN = 4.0  #: nats by which a legal play must lead to be taken at once
PLAIN_FRAMES, ODD_FRAMES = 3, 8
EVIDENT_MARGIN, EVIDENT_FIT = 8.0, -4.0  #: nats by which a legal play leads, and fits, that one frame tells
FROM_THE_START = 0.5  #: seconds after the first frame by which what lies there was not thrown
SURE_PLAY = 0.9  #: probability of a play from which it is learnt where its side sits
SURE_MARGIN = 1.5  #: nats by which a reading must lead in the end, or a person is asked
FRAMES = 16  #: frames that make a picture, at most
START_FRAMES = 3
BEGUN = 3  #: checkers that must have left their places for a set-up board to be another game
START_SLOT, START_WEAK_SLOT = 0.4, 0.02  #: how probable each slot of a set-up board is; one may be weak
POOR_FIT = -14.0  #: a position that fits worse (nats) is not what stands there
GOOD_FIT = -6.0
BUMPED = 6  #: points, and half of those with checkers, that have to be looked at anew after a bump, at least
BUMP_SECONDS = 2.0  #: a board that stays unexplained for this long is out of step
HIDDEN_SECONDS, UNVEILING_SECONDS = 3.0, 1.5  #: how long a board is covered in a pause, and is uncovered
IDLE_TURN_SECONDS = 6.0  #: a play without a throw is taken as finished when it stands this long
ADOPT_SECONDS = 5.0  #: a new board that stays this long is gone on from
CONFIRM_SECONDS = 1.5  #: dice must be gone this long before an illegal play is told
GIVE_UP_SECONDS = 6.0  #: an open turn is decided at the latest this long after the dice were lifted
REST_FRAMES = 6  #: still frames that make a board that stood for a while
TURN_SECONDS = 4.0  #: between two throws there is at least so long if a whole turn lies between them
RETHROW_SAME_SECONDS = 4.0
WRONG_SECONDS = 3.0  #: a board that stands so long is meant to be set up as it stands
JOIN_MARGIN = 3.0  #: nats by which one way round must suit a game under way better than any other
JOIN_DOUBT, JOIN_LOST = 2.0, 8.0  #: nats against a way round for each doubt, and if it leads nowhere
SURELY_THROWN = 0.5  #: confidence of a throw that was seen, not only inferred from its play


@dataclass(frozen=True, slots=True)
class Believed:
    """The best explanation so far. ``dice`` are of the turn in progress or of the last throw.

    They are ``None`` before any, and where only one die was seen.
    """

    game: Game | None
    rules: RuleSet | None
    position: Position | None
    orientation: Orientation | None
    side_to_move: Side | None
    dice: Dice | None
    dice_valid: bool
    phase: Phase
    turn: int  #: plays made in this game, plus one


@dataclass(slots=True)
class _Game:
    """What is believed of the game in progress."""

    rules: RuleSet
    position: Position
    orientation: Orientation
    side: Side | None
    number: int = 1  #: of the turn
    first: Side | None = None  #: who made the first play
    over: bool = False
    lost: bool = False  #: picture and record disagree
    stopped: Throw | None = None  #: the throw whose play was in progress when they did
    restoring: bool = False  #: the referee wants the board put back as recorded
    adopt: bool = False  #: take the next still board as it is: the record of it was cut short
    rolls_off: bool = False  #: the players may throw a die each to see who begins (rules.md G7)

    @property
    def opening(self) -> bool:
        """Whether it is still to be seen who begins, and a roll-off may tell."""
        return self.rolls_off and self.number == 1 and self.side is None


@dataclass(slots=True)
class _Turn:
    """A cast and what has been told of it. Without a cast it is taken up from stored events."""

    cast: Cast | None
    t: float
    told: Throw | None = None
    place: int | None = None  #: of that in the record, where it was told once
    reconsidered: bool = False  #: whether earlier plays were thought of again on the board it was thrown on
    shifted: Lying | None = None  #: a die that was put elsewhere after that, as it lies now
    touched: bool = False  #: a die was turned or shifted after that, and it has been told
    over: float | None = None  #: seconds, when it ended: its dice were last seen, or a clock was pressed
    signalled: bool = False  #: somebody has said that it has ended
    handed_over: bool = False  #: the opponent has taken the dice
    doubted: bool = False
    ruled_void: bool = False  #: the referee has the dice thrown again
    awaited: bool = False  #: its play is to come, though its dice may have been lifted
    rejected: PlayMade | None = None  #: an illegal play on the board, for which a legal one is demanded
    rolled_off: bool = False  #: its dice are those of the roll-off, which need not be the first roll


@dataclass(frozen=True, slots=True)
class _Held:
    """A throw that waits for the next play to show what it was.

    Before the first play it is a void one whose side is not known, or only by the arm. Later it is one with
    which ``danced`` could not move a checker, or moved none: it was valid if the other side goes on, and void
    if the same does.
    """

    t: float
    dice: Dice
    cast: Cast
    danced: Side | None = None
    over: float = 0.0  #: seconds, when its dice were lifted
    told: Throw | None = None  #: as it was told; ``danced``: as a valid one, although it was lifted unplayed
    others: Dice | None = None  #: dice that may have been misread for it, with which nobody could move


@dataclass(slots=True)
class _Guess:
    """A game that may be under way, one way round, and what was told of it so far."""

    tracker: Tracker
    prior: float  #: nats
    told: list[Event]

    @property
    def lost(self) -> bool:
        """Whether it is none, or was joined in the middle of a turn."""
        illegal = any(isinstance(e, PlayMade) and not e.legal for e in self.told)
        return illegal or not self.tracker._following

    @property
    def busy(self) -> bool:
        """Whether dice lie that are to be played, or have been."""
        return not self.lost and (self.tracker._turn is not None or self._thrown)

    @property
    def played(self) -> bool:
        """Whether dice were seen and played by the rules."""
        return self._thrown and any(isinstance(e, PlayMade) and e.legal for e in self.told)

    @property
    def _thrown(self) -> bool:
        return any(isinstance(e, Throw) and e.valid and e.confidence > SURELY_THROWN for e in self.told)

    @property
    def score(self) -> float:
        """How well it explains what was seen, in nats."""
        doubts = sum(isinstance(e, Doubt) for e in self.told)
        return self.prior - JOIN_DOUBT * doubts - JOIN_LOST * self.lost


class Tracker:
    """Follows one table.

    ``rules`` of ``None``: the game is recognised from its starting position, and its default rules
    hold. ``position``, ``side_to_move`` and ``orientation`` are for a game that is under way; a
    position needs ``rules``. Raises ``ValueError`` where they are missing. Without ``adopt`` a board that
    is out of step is not gone on from because it stands so for a while: somebody is asked. The next throw
    goes on from it all the same, unless it is to be put back.
    """

    def __init__(
        self,
        rules: RuleSet | None = None,
        *,
        white_is_light: bool = True,
        position: Position | None = None,
        side_to_move: Side | None = None,
        orientation: Orientation | None = None,
        adopt: bool = True,
    ) -> None:
        if position is not None and rules is None:
            raise ValueError("a position needs the rules of its game")
        self._given_rules = rules
        self._given_position = position
        self._given_orientation = orientation
        self._white_is_light = white_is_light
        self._given_side = side_to_move
        self._adopts = adopt
        self._seen_orientation: Orientation | None = None
        self._game: _Game | None = None
        self._dice: Dice | None = None
        self._dice_valid = True
        self._turn: _Turn | None = None
        self._before: Position | None = None  #: what stood before the last play of the record
        self._last_play: PlayMade | None = None
        self._out_of_turn = False  #: whether that was made although it was the other's turn (rules.md G10)
        self._cup_demanded = False  #: somebody wants dice thrown from the cup (rules.md D2)
        self._wrong_way: Orientation | None = None  #: set up so, against the rules, and told
        self._any_play = False  #: whether one was made in any game, so that who has which colour is settled
        self._wrong_start: tuple[int, ...] = ()  #: where it was set up wrong, and told
        self._guesses: list[_Guess] = []  #: games that may be under way, the board not having been set up
        self._held: list[_Held] = []
        self._rivals: list[Rival] = []  #: other explanations of plays that were told
        self._out: list[Event] = []
        self.recorded = 0  #: events in the record so far, those of others too: see ``Correction.target``
        self._seats = SeatWatch()
        self._forget_frames()

    def _forget_frames(self) -> None:
        """Forget all that is tied to the clock of the frames."""
        self._watch = DiceWatch()
        self._seats.forget_arms()
        self._next: Cast | None = None
        self._last: Cast | None = None  #: the dice of the turn that was decided last
        self._lone: Lying | None = None  #: a die that lies there alone and belongs to no throw yet
        self._spent: list[Lying] = []  #: dice that lie there from turns that are decided
        self._about: list[Lying] = []  #: dice that lay about before anybody threw any
        self._frames: deque[Observation] = deque(maxlen=KEPT_FRAMES)
        self._reference: tuple[Picture, Position] | None = None  #: a decided board and how it was seen
        self._cup_t = -math.inf  #: seconds, when a cup was last over the board
        self._cup_in = -math.inf  #: the same, when it came there, nothing having been over the board before
        self._cup_since: float | None = None  #: seconds, the first frame with a cup since a clear one
        self._cast_t = -math.inf  #: seconds, when dice last came to rest
        self._moved_t = -math.inf  #: seconds, when something last moved over the board
        self._hidden_since: float | None = None  #: seconds, since when nothing of the board is in view
        self._unveiled_t = -math.inf  #: seconds, when it came into view again that was hidden for a while
        self._bumped_t = -math.inf  #: seconds, when it was bumped; nothing since was as it should be
        self._checked = -math.inf  #: seconds, when the standing board was last compared
        self._guessed_t = -math.inf  #: seconds, when games were last thought of that may be under way on it

    # -- what others call ---------------------------------------------------------------------

    def observe(self, seen: Observation) -> tuple[Event, ...]:
        """Take in one frame; returns what it makes known, in order.

        An earlier event may turn out to have been another: a ``Correction`` then says so, by its place in the
        record. Whoever records other events too sets ``recorded`` before.
        """
        self._out = []
        self._take_in(seen)
        self.recorded += len(self._out)
        return tuple(self._out)

    def _take_in(self, seen: Observation) -> None:
        if self._frames and seen.t < self._frames[-1].t:
            self._restart_clock(seen.t)
        self._look_under_cover(seen)
        if not seen.slots:
            return
        self._feel_bump(seen)
        self._frames.append(seen)
        self._watch.see(seen)
        self._seats.see(seen)
        if seen.cup_over_board:
            self._cup_t = seen.t
            if self._cup_since is None:
                self._cup_since = seen.t
            else:  # two frames: in one alone a hand may look like a cup
                self._cup_in = self._cup_since
        elif not seen.hands:
            self._cup_since = None
        # One frame alone that is called not still is a flicker of the light or of the reading.
        flicker = len(self._frames) < 2 or self._frames[-2].still
        if seen.hands or seen.cup_over_board or (not seen.still and not flicker):
            self._moved_t = seen.t
        if self._game is None or self._game.over:
            if not self._look_for_start(seen.t):
                self._look_for_game(seen)
        elif self._game.adopt:
            self._adopt_board()
        elif self._game.lost:
            self._look_for_step(seen.t)
        else:
            self._follow(seen)

    def _look_under_cover(self, seen: Observation) -> None:
        """Remember when a board came into view again that for a while was out of it, or covered all over."""
        if any(slot.visible for slot in seen.slots):
            if self._hidden_since is not None and seen.t - self._hidden_since >= HIDDEN_SECONDS:
                self._unveiled_t = seen.t
            self._hidden_since = None
        elif self._frames:
            self._moved_t = seen.t  # who knows what happens to it
            self._hidden_since = seen.t if self._hidden_since is None else self._hidden_since

    def _feel_bump(self, seen: Observation) -> None:
        """Remember when most checkers moved at once, and no hand was there: the board was bumped."""
        if self._game is None or not self._frames or seen.hands or self._frames[-1].hands:
            return
        counts = to_slots(self._game.position, self._game.orientation, self._white_is_light)
        pairs = zip(counts, self._frames[-1].slots, seen.slots, strict=True)
        anew = [was.visible and not now.visible for count, was, now in pairs if count]
        if sum(anew) >= max(BUMPED, len(anew) / 2):
            self._bumped_t = seen.t

    def finish(self) -> tuple[Event, ...]:
        """The recording ends: decide what is still open."""
        self._out = []
        if self._guesses:
            self._join(max(self._guesses, key=lambda guess: guess.score))
        if self._frames and self._following:
            now = self._frames[-1].t
            if self._turn is None and self._next is None:
                self._find_missed_turn(now, final=True)
            while self._turn is not None and self._following:
                over_now = self._next is None and self._turn.over is None
                self._decide(now, final=True, standing=over_now)
                if over_now:
                    break
            self._settle_dance()
            for held in (held for held in self._held if held.told is None):
                text = f"{held.dice[0]}-{held.dice[1]}"
                self._doubt(held.t, "throw", ((f"white threw {text}", 0.5), (f"black threw {text}", 0.5)))
            self._held.clear()
        self.recorded += len(self._out)
        return tuple(self._out)

    @property
    def believed(self) -> Believed:
        """What is believed now."""
        game = self._game
        return Believed(
            game=game.rules.game if game else None,
            rules=game.rules if game else None,
            position=game.position if game else None,
            orientation=game.orientation if game else None,
            side_to_move=self._mover if game else None,
            dice=self._dice if self._dice and all(self._dice) else None,
            dice_valid=self._dice_valid,
            phase=self._phase(),
            turn=game.number if game else 1,
        )

    @classmethod
    def resume(
        cls,
        events: Iterable[Event],
        rules: RuleSet | None = None,
        *,
        white_is_light: bool = True,
        adopt: bool = True,
    ) -> Tracker:
        """A tracker that goes on where these events end; the rest is as in the constructor."""
        tracker = cls(rules, white_is_light=white_is_light, adopt=adopt)
        for event in events:
            tracker._fold(event)
        return tracker

    def ruled(self, event: Ruling | Resync | TurnEnd | CubeAction) -> None:
        """Go on as somebody says; nothing that was seen is forgotten.

        That is what the referee decides of a board that is out of step; that a turn has ended, by the clock,
        say, where the rule set has it so, also while the dice lie (rules.md E1); and a double (E6).
        """
        self._fold(event)
        if isinstance(event, Resync):
            self._reference = None

    @property
    def shown(self) -> Position | None:
        """The likeliest board by the picture alone; ``None`` while something moves or covers a point."""
        frames = self._undisturbed()
        if self._game is None or len(frames) < START_FRAMES:
            return None
        picture = self._picture(frames)
        return None if picture.hidden else _shown_by(picture, self._game.position)

    def _fold(self, event: Event) -> None:
        match event:
            case BoardSeen():
                self._seen_orientation = event.orientation
            case MatchStart():
                self._given_rules = self._given_rules or event.rules
            case GameStart():
                self._begin(self._given_rules or event.rules, event.position, event.side_to_move)
            case SetUp():
                rules = self._game.rules if self._game is not None else self._given_rules
                if rules is None:
                    raise ValueError("a position was set up before the rules of the game were known")
                self._begin(rules, event.position, event.side_to_move)
                self._g.first = event.first
                self._dice = event.dice
                if event.dice is not None and event.side_to_move is not None:
                    self._turn = self._thrown_by_word(event.t, event.side_to_move, event.dice)
            case RollOff():
                self._rolled_off(event)
                if event.winner is not None and self._g.rules.opening_roll == "uses_rolloff":
                    self._dice = event.white, event.black
                    self._turn = self._thrown_by_word(event.t, event.winner, self._dice)
                    self._turn.rolled_off = True
            case Throw():
                self._thrown(event)
            case PlayMade():
                self._before, self._last_play, self._any_play = self._g.position, event, True
                self._out_of_turn = event.rule == "G10" and self._g.side is event.side.other
                self._g.first = self._g.first or event.side
                ended = self._result(event.position)
                self._g.position, self._g.side = event.position, event.side.other
                self._g.number += 1
                self._g.adopt = False
                if ended is not None:
                    self._g.over = True  # also where the end itself was not told
                self._dice, self._dice_valid = event.dice, True
                self._turn = None
            case Desync():
                if self._game is not None:  # else the board was set up the wrong way round
                    self._stop()
            case Resync():
                # Where the board was gone on from as it stood, the event does not say how it stood.
                stopped, self._g.restoring = self._g.stopped if self._g.restoring else None, False
                self._g.lost, self._g.adopt = False, bool(event.slots) and event.position is None
                self._g.stopped, self._turn = None, None
                if event.position is not None:
                    self._g.position, self._g.side = event.position, event.side_to_move
                if event.side_to_move is not None and event.dice is not None:
                    self._await(event.t, event.side_to_move, event.dice)
                elif stopped is not None and not event.slots:
                    self._await(event.t, stopped.side, stopped.dice)
            case GameEnd() | CubeAction(action="drop") | Resignation(action="accept"):
                self._g.over, self._turn = True, None
            case TurnEnd():
                turn = self._turn
                if turn is None or event.how not in self._g.rules.turn_end:
                    return
                if self._mover in (None, event.side):
                    turn.over, turn.signalled = event.t, True
                    self._g.side = self._g.side or event.side
            case Ruling():
                self._ruled(event)
            case Call(what="cup"):
                self._cup_demanded = True
            case CubeAction(action="double", rule=None):
                self._let_stand(event.side)
            case Doubt() | CubeAction() | Resignation() | Call() | Correction():
                pass

    def _begin(self, rules: RuleSet, position: Position, side: Side | None) -> None:
        orientation = self._seen_orientation or self._given_orientation or Orientation.BOTTOM_RIGHT
        rolls_off = self._may_roll_off(rules) and position == Position.start(rules.game)
        self._game = _Game(rules, position, orientation, side, rolls_off=rolls_off)
        self._rivals.clear()
        self._turn, self._dice, self._dice_valid = None, None, True

    def _may_roll_off(self, rules: RuleSet) -> bool:
        """Whether a game that begins now may begin with a roll-off: the first, or by the rules any (G9)."""
        return self._game is None or not self._game.over or rules.next_game_start == "roll_off"

    def _rolled_off(self, event: RollOff) -> None:
        """Who begins by a roll-off; where he takes the white checkers (G8), his first throw is to tell."""
        takes_white = event.winner is Side.BLACK and self._g.rules.rolloff_winner_takes_white
        self._g.side = None if takes_white else event.winner
        self._g.rolls_off = event.winner is None

    def _thrown(self, throw: Throw) -> None:
        """A throw of the record."""
        game = self._g
        if throw.valid:
            self._let_stand(throw.side)
        self._dice, self._dice_valid = throw.dice, throw.valid
        if throw.valid or game.side is None:
            game.side = throw.side
        # A void throw settles nothing: what was to be put right still is.
        rejected = self._turn.rejected if self._turn is not None and not throw.valid else None
        self._turn = _Turn(None, throw.t, told=throw, rejected=rejected)

    def _let_stand(self, side: Side) -> None:
        """What was to be put right stands if the opponent, ``side``, has thrown or doubled (rules.md E6)."""
        turn, game = self._turn, self._g
        if turn is not None and turn.rejected is not None and turn.rejected.side is side.other:
            game.position, game.number, game.side = turn.rejected.position, game.number + 1, side
            self._turn = None

    def _thrown_by_word(self, t: float, side: Side, dice: Dice) -> _Turn:
        """A turn whose dice the referee has named."""
        colour = colour_of(side, self._white_is_light)
        return _Turn(None, t, told=Throw(t=t, side=side, colour=colour, dice=dice, valid=True))

    def _stop(self) -> None:
        """Judge no more: picture and record disagree."""
        told = self._turn.told if self._turn is not None else None
        self._g.stopped = told if told is not None and told.valid else None
        self._g.lost, self._turn, self._next = True, None, None
        self._rivals.clear()

    def _await(self, t: float, side: Side, dice: Dice) -> None:
        """These dice are to be played now, wherever they lie."""
        self._turn = self._thrown_by_word(t, side, dice)
        self._turn.awaited = True
        self._g.side, self._dice, self._dice_valid = side, dice, True

    def _ruled(self, ruling: Ruling) -> None:
        turn, game = self._turn, self._g
        match ruling.decision:
            case "demand" if self._last_play is not None and self._before is not None:
                play, out_of_turn = self._last_play, self._out_of_turn
                game.position, game.number = self._before, game.number - 1
                self._last_play, self._turn = None, None
                if out_of_turn:
                    game.side = play.side.other
                else:
                    game.side = play.side
                    self._turn = self._thrown_by_word(ruling.t, play.side, play.dice)
                    self._turn.rejected = play
                    self._dice, self._dice_valid = play.dice, True
            case "rethrow" if turn is not None and turn.told is not None:
                turn.told, turn.ruled_void = replace(turn.told, valid=False), True
                self._dice_valid = False
            case "restore":
                game.restoring = True
            case "stand" if turn is not None and turn.told is not None:
                turn.told = replace(turn.told, valid=True)
                self._dice_valid = True
            case _:
                pass  # it stands as it was recorded

    @property
    def _g(self) -> _Game:
        """The game in progress, where there must be one."""
        if self._game is None:
            raise ValueError("no game has been started")
        return self._game

    @property
    def _mover(self) -> Side | None:
        """Whose turn it is: who threw, where nothing else tells it yet."""
        told = self._turn.told if self._turn is not None else None
        return told.side if self._g.side is None and told is not None else self._g.side

    @property
    def _following(self) -> bool:
        """Whether turns are followed now."""
        return self._game is not None and not self._game.over and not self._game.lost

    def _phase(self) -> Phase:
        if self._game is None:
            return "looking for the board"
        if self._game.over:
            return "game over"
        if self._game.lost:
            return "out of step"
        if self._frames and self._cup_t == self._frames[-1].t:
            return "rolling"
        if self._turn is None or not self._dice_valid:
            return "rolling" if self._watch.rolling else "waiting for a throw"
        return "moving" if self._turn.over is None else "turn over"

    def _restart_clock(self, now: float) -> None:
        """The camera was opened anew and counts its time from there: as after a restart."""
        told = self._turn.told if self._turn is not None else None
        self._turn = _Turn(None, now, told=told) if told is not None else None
        self._forget_frames()

    # -- pictures -----------------------------------------------------------------------------

    def _quiet(self, since: float) -> list[Observation]:
        """Still frames from ``since`` on, the newest ``FRAMES`` of them."""
        frames = [f for f in self._frames if f.t >= since and f.still and not f.cup_over_board]
        return frames[-FRAMES:]

    def _undisturbed(self) -> list[Observation]:
        """The still frames since anything last moved."""
        return [f for f in self._frames if f.t > self._moved_t and f.still][-FRAMES:]

    def _picture(self, frames: Sequence[Observation]) -> Picture:
        game = self._g
        picture = Picture.of(frames, game.orientation, self._white_is_light, game.rules.game)
        return picture if self._reference is None else picture.anchored(*self._reference)

    def _slots(self, indices: Iterable[int]) -> tuple[int, ...]:
        return tuple(sorted(slot_of(self._g.orientation, i) for i in indices))

    # -- the start of a game ------------------------------------------------------------------

    def _look_for_start(self, now: float) -> bool:
        frames = self._undisturbed()
        if self._game is None and len(frames) < START_FRAMES:
            # The first throw may come at once: looks from before and after it do as well.
            frames = [f for f in self._frames if f.still and not f.cup_over_board][-START_FRAMES:]
        if len(frames) < START_FRAMES or frames[-1].board is None:
            return False
        found = self._start_in(frames)
        if found is None:
            return False
        if found[2] not in orientations(found[0].direction):
            self._tell_wrong_way(now, found)
            return False
        rules, position, orientation, confidence = found
        game = self._game
        if game is not None and not game.over and orientation is game.orientation:
            away = sum(moved(game.position, position, side) for side in Side)
            if away < BEGUN:
                return False  # hardly begun: a checker that was pushed aside, or that nobody sees
        board = frames[-1].board
        if self._game is None or orientation is not self._game.orientation:
            self._out.append(
                BoardSeen(
                    t=now,
                    corners=board.corners,
                    orientation=orientation,
                    confidence=min(board.confidence, confidence),
                )
            )
        side = self._given_side if self._game is None else None
        turned = self._is_turned(orientation)
        rolls_off = self._may_roll_off(rules) and position == Position.start(rules.game)
        self._game = _Game(rules, position, orientation, side, rolls_off=rolls_off)
        self._rivals.clear()
        self._turn, self._next, self._dice, self._dice_valid = None, None, None, True
        self._held.clear()
        self._guesses.clear()
        self._spent = []
        self._seats.new_game()
        self._about = [die for die in self._watch.lying if die.first <= self._frames[0].t + FROM_THE_START]
        self._reference = self._picture(frames), position
        self._out.append(GameStart(t=now, rules=rules, position=position, side_to_move=side, turned=turned))
        return True

    def _start_in(self, frames: Sequence[Observation]) -> tuple[RuleSet, Position, Orientation, float] | None:
        if self._given_position is not None and self._given_rules is not None and self._game is None:
            assert self._given_rules is not None
            candidates = [(self._given_rules, self._given_position)]
        elif self._given_rules is not None:
            candidates = [(self._given_rules, Position.start(self._given_rules.game))]
        else:
            candidates = [(default_rules(game), Position.start(game)) for game in Game]
        best: tuple[RuleSet, Position, Orientation, float] | None = None
        for rules, position in candidates:
            ways = list(Orientation)
            if self._given_orientation is not None and self._game is None:
                ways = [self._given_orientation]
            for orientation in ways:
                slots = to_slots(position, orientation, self._white_is_light)
                confidence = _matches(frames, slots)
                if confidence is not None and (best is None or confidence > best[3]):
                    best = rules, position, orientation, confidence
        return best

    def _is_turned(self, orientation: Orientation) -> bool:
        """Whether White has his home at the other side of the table than in the game before (rules.md G9)."""
        if self._game is None or not self._any_play:
            return False
        return home_of(Side.WHITE, orientation) != home_of(Side.WHITE, self._game.orientation)

    def _tell_wrong_way(self, now: float, found: tuple[RuleSet, Position, Orientation, float]) -> None:
        """The heads stand where they would if the checkers moved the other way round (rules.md G4)."""
        rules, position, orientation, _ = found
        if self._wrong_way is orientation:
            return
        self._wrong_way = orientation
        names = {"ccw": "anticlockwise", "cw": "clockwise"}
        here = "cw" if rules.direction == "ccw" else "ccw"
        reason = f"the board is set up to be played {names[here]}, and the rules say {names[rules.direction]}"
        slots = to_slots(position, orientation, self._white_is_light)
        self._out.append(Desync(t=now, reason=reason, slots=tuple(i for i, n in enumerate(slots) if n)))

    # -- a board that is not set up as it should be ---------------------------------------------

    def _look_for_game(self, seen: Observation) -> None:
        """Say what is wrong with a board that is set up, and follow a game that is played on from it.

        Where no game was seen from its start one may be under way: then its plays tell which way round the
        board lies, and who moves.
        """
        if self._given_position is not None:
            return  # such a board is known to be coming
        for guess in self._guesses:
            guess.told += guess.tracker.observe(seen)
        likely = sorted(self._guesses, key=lambda guess: -guess.score)
        sure = len(likely) == 1 or (likely and likely[0].score > likely[1].score + JOIN_MARGIN)
        if sure and self._join(likely[0]):
            return
        if seen.t - self._checked < 0.5 or any(guess.busy for guess in self._guesses):
            return
        self._checked = seen.t
        frames = self._undisturbed()
        stood = seen.t - max(self._moved_t, self._frames[0].t)
        if len(frames) < START_FRAMES or frames[-1].board is None:
            return
        if stood >= WRONG_SECONDS and self._tell_wrong_start(seen.t, frames):
            return
        anew = self._guessed_t < self._frames[0].t or self._guessed_t < self._moved_t
        if self._game is None and anew and all(guess.lost for guess in self._guesses):
            self._guessed_t = seen.t
            self._guess(frames)

    def _tell_wrong_start(self, now: float, frames: Sequence[Observation]) -> bool:
        """Whether the board is set up, but wrong; that is told once."""
        rule_sets = [self._given_rules] if self._given_rules is not None else [default_rules(g) for g in Game]
        found = [
            wrong
            for rules in rule_sets
            if (wrong := wrong_start(frames, [rules], orientations(rules.direction), self._white_is_light))
        ]
        if not found:
            return False
        wrong = min(found, key=lambda one: len(one.slots))
        if wrong.slots != self._wrong_start:
            self._wrong_start = wrong.slots
            self._out.append(Desync(t=now, reason=wrong.reason, slots=wrong.slots))
            self._guesses.clear()
        if wrong.position is not None and all(guess.lost for guess in self._guesses):
            self._guesses = [self._guessed(frames, wrong.rules, wrong.orientation, wrong.position)]
        return True

    def _guess(self, frames: Sequence[Observation]) -> None:
        """Every game that may be under way on a board, and every way round."""
        rule_sets = [self._given_rules] if self._given_rules is not None else [default_rules(g) for g in Game]
        self._guesses.clear()
        for rules in rule_sets:
            ways = (
                orientations(rules.direction)
                if self._given_orientation is None
                else (self._given_orientation,)
            )
            for way in ways:
                picture = Picture.of(frames, way, self._white_is_light, rules.game)
                stands = _shown_by(picture, Position.start(rules.game)) if not picture.hidden else None
                if stands is not None and picture.fit(stands) > POOR_FIT and CHECKERS not in stands.off:
                    self._guesses.append(self._guessed(frames, rules, way, stands))

    def _guessed(
        self, frames: Sequence[Observation], rules: RuleSet, way: Orientation, stands: Position
    ) -> _Guess:
        light = self._white_is_light
        tracker = Tracker(rules, white_is_light=light, position=stands, orientation=way, adopt=False)
        told = [event for frame in frames for event in tracker.observe(frame)]
        tracker._about = []  # dice that lie there may be those of the turn in progress
        return _Guess(tracker, at_home(stands, rules), told)

    def _join(self, guess: _Guess) -> bool:
        """Go on with a game that was under way, once it is seen to be one; whether it is."""
        if not guess.played or guess.lost:
            return False
        turned = self._is_turned(guess.tracker._g.orientation)
        mine = ("_out", "_given_rules", "_given_position", "_given_orientation", "_given_side", "_adopts")
        kept = {name: getattr(self, name) for name in mine}
        vars(self).update(vars(guess.tracker), **kept)
        # The first dice may have lain there before the board was seen well.
        t = min(event.t for event in guess.told)
        for event in guess.told:
            match event:
                case BoardSeen():
                    self._out.append(replace(event, t=t))
                case GameStart():
                    self._out.append(replace(event, t=t, turned=turned))
                case _:
                    self._out.append(event)
        self._guesses = []
        return True

    # -- following a game ---------------------------------------------------------------------

    def _follow(self, seen: Observation) -> None:
        now = seen.t
        self._refresh_cast()
        if self._g.opening:
            self._join_roll_off()
        cast = self._new_cast(seen)
        if cast is not None:
            self._take_cast(cast, now)
        if not self._following:
            return
        self._see_third()
        turn = self._turn
        if turn is None:
            if now - self._checked >= 0.4:
                self._checked = now
                self._check_idle(now)
            return
        self._tell_throw(turn, now)
        if turn.over is None and turn.cast is not None and self._lifted(turn.cast):
            self._end_by_lifting(turn, turn.cast)
        elif turn.over is None and turn.cast is None and self._resumed_turn_over(turn, now):
            turn.over = self._frames[0].t
        if turn.over is not None or self._next is not None:
            self._decide(now)
        elif self._won_already(now):
            turn.over = now
            self._decide(now)

    def _lifted(self, cast: Cast) -> bool:
        return not any(self._watch.there(die) for die in cast.dice)

    def _end_by_lifting(self, turn: _Turn, cast: Cast) -> None:
        """The turn ends if the rule set says so of dice that are lifted, or handed over (rules.md E2, E3).

        If not, it goes on until somebody says that it has ended, or throws the next dice. Dice that the
        opponent takes are handed over; whose arm took them counts only where it is plain.
        """
        ends, seat = self._g.rules.turn_end, self._seats.taker(cast.last)
        lead, mover = 0.0, self._mover
        if mover is not None:
            seats = self._seats.evidence(seat, self._g.orientation)
            lead = seats[mover.other] - seats[mover]
        turn.handed_over = "dice_handed_over" in ends and lead >= SURE_SEAT
        handing = "dice_handed_over" in ends and lead > -SURE_SEAT
        if "dice_lifted" in ends or handing:
            turn.over = cast.last

    def _resumed_turn_over(self, turn: _Turn, now: float) -> bool:
        """After a restart: no dice have been in view of enough still frames."""
        frames = self._undisturbed()
        lifting_ends = any(how != "clock" for how in self._g.rules.turn_end)
        if not lifting_ends or len(frames) < 5 or now - frames[0].t < 1.0 or any(f.dice for f in frames):
            return False
        to_come = turn.awaited or turn.rejected is not None
        return not to_come or self._shows_a_play(turn, frames)

    def _shows_a_play(self, turn: _Turn, frames: Sequence[Observation]) -> bool:
        """Whether a legal play of the dice that were told stands, where one was demanded."""
        game, picture = self._g, self._picture(frames)
        assert turn.told is not None
        plays = legal_plays(game.position, turn.told.side, turn.told.dice, game.rules)
        return any(picture.fit(play.after) > GOOD_FIT for play in plays)

    def _won_already(self, now: float) -> bool:
        """The last checker is off while the dice still lie: nobody needs to lift them."""
        if now - self._checked < 0.4 or min(self._position_left(side) for side in Side) > 4:
            return False
        self._checked = now
        frames = self._undisturbed()
        if len(frames) < 5 or now - frames[0].t < 0.8:
            return False
        after, score = self._picture(frames).reading(self._g.position)
        finished = after.off.count(CHECKERS) > self._g.position.off.count(CHECKERS)
        return score > POOR_FIT and finished and self._result(after) is not None

    def _result(self, after: Position) -> GameResult | None:
        """The result, if the game is over with ``after`` as the next position."""
        taken = CHECKERS in self._g.position.off  # what is played now is the last throw (rules.md B8)
        return game_result(after, self._g.rules, first=self._g.first, last_throw_taken=taken)

    def _position_left(self, side: Side) -> int:
        return self._g.position.checkers(side) - self._g.position.off[side.index]

    # -- casts --------------------------------------------------------------------------------

    def _refresh_cast(self) -> None:
        """A die of the cast that was moved aside, or rolled on a little, is still of the cast."""
        self._spent = [die for die in self._spent if self._watch.there(die)]
        for cast in (self._next, self._turn.cast if self._turn else None):
            if cast is None or len(cast.dice) != 2:
                continue
            fresh = self._fresh()
            lost = [die for die in cast.dice if not self._watch.there(die)]
            if len(fresh) == 1 and len(lost) == 1 and self._cup_t < lost[0].last:
                told = self._turn is not None and self._turn.cast is cast and self._turn.told is not None
                if not told or fresh[0].reading().value == lost[0].reading().value:
                    keep = next(die for die in cast.dice if die is not lost[0])
                    cast.dice = (keep, fresh[0])
                    elsewhere = not lost[0].within(NEAR, fresh[0].reading())
                    if told and self._turn is not None and elsewhere:
                        self._turn.shifted = fresh[0]
                elif self._turn is not None and len(fresh[0].clear) >= 2:
                    self._spent += fresh  # it counts as it was
                    self._tell_touched(self._turn)
        turn = self._turn
        dice = turn.cast.dice if turn is not None and turn.cast is not None else ()
        shifted = turn.shifted if turn is not None else None
        all_there = all(die in self._watch.lying and not die.missed for die in dice)
        lies = shifted is not None and len(shifted.clear) >= TURNED_FRAMES and all_there
        if turn is not None and (lies or any(turned(die) for die in dice)):
            self._tell_touched(turn)

    def _tell_touched(self, turn: _Turn) -> None:
        """Tell a throw once more, of which a die was moved or turned: it stands as it was (rules.md D11)."""
        if turn.told is None or not turn.told.valid or turn.touched or turn.rolled_off:
            return
        turn.touched = True
        turn.told, turn.place = replace(turn.told, faults=(*turn.told.faults, "touched")), None
        self._out.append(turn.told)

    def _see_third(self) -> None:
        """A third die that was thrown with the two of the newest cast is of it (rules.md D12)."""
        cast = self._next or (self._turn.cast if self._turn is not None else None)
        third = self._third(cast) if cast is not None else None
        if cast is None or third is None or not third.resting or not three_at_once(cast, third, self._frames):
            return
        cast.dice = (*cast.dice, third)
        turn = self._turn
        if turn is None or turn.cast is not cast or turn.told is None:
            return
        new = tuple(f for f in self._faults(cast, turn.told.side) if f not in turn.told.faults)
        halves = tuple(r.half for r in cast.readings())
        turn.told = replace(turn.told, valid=False, faults=(*turn.told.faults, *new), halves=halves)
        turn.place = None
        self._dice_valid = False
        self._out.append(turn.told)

    def _third(self, cast: Cast) -> Lying | None:
        """A die in view, lying still or not yet, that may be a third one of a cast of two."""
        if len(cast.dice) != 2:
            return None
        others = [*self._known(), *self._about]
        return next(
            (
                die
                for die in self._watch.lying
                if die.missed == 0
                and not any(die is other or die.within(SAME, other.readings[-1]) for other in others)
                and came_together((*cast.dice, die), self._cup_in)
                and may_be_third(die, cast, self._frames)
            ),
            None,
        )

    def _known(self) -> list[Lying]:
        casts = [self._next, self._turn.cast if self._turn else None]
        return [*self._spent, *(die for cast in casts if cast is not None for die in cast.dice)]

    def _fresh(self) -> list[Lying]:
        known = self._known()
        new = [die for die in self._watch.resting() if die not in known and die.missed == 0]
        return [die for die in new if not any(die.again(SAME, other) for other in self._about)]

    def _new_cast(self, seen: Observation) -> Cast | None:
        fresh = self._fresh()
        cup_used = self._cup_t > self._cast_t
        lone, self._lone = self._lone, fresh[0] if len(fresh) == 1 else None
        if not fresh:
            if lone is None or self._watch.lying:
                self._lone = lone
                return None
            long = lone.alone >= LONE_FRAMES and lone.last - lone.first >= LONE_SECONDS
            # It was thrown if a cup was there, or else if a hand has taken it away.
            taken = any(f.hands for f in self._frames if f.t >= lone.last)
            return self._cast((lone,), cup_used) if long and (cup_used or taken) else None
        if len(fresh) >= 2:
            newest = max(fresh, key=lambda d: d.first)
            thrown = [d for d in fresh if came_together((d, newest), self._cup_in)]
            if 2 <= len(thrown) < len(fresh):  # the others were laid down before
                self._spent += [d for d in fresh if d not in thrown]
                fresh = thrown
            pair = sorted(fresh, key=lambda d: (-min(d.seen, 10) * d.readings[-1].confidence, d.first))[:2]
            together = came_together(pair, self._cup_in)
            if not together and self._watch.rolling:
                return None  # the second of the pair may be yet to come, and the first no part of it
            return self._cast(tuple(sorted(pair, key=lambda d: d.first)), cup_used, together)
        die = fresh[0]
        if die.alone >= GIVEN_UP_FRAMES and seen.t - die.first >= GIVEN_UP_SECONDS:
            still_there = [d for d in self._known() if d in self._watch.lying]
            if not still_there:
                return self._cast((die,), cup_used)
        return None

    def _cast(self, dice: tuple[Lying, ...], cup_used: bool, together: bool = True) -> Cast:
        found = {self._seats.thrower(die.first) for die in dice} - {None}
        seat = found.pop() if len(found) == 1 else None
        there = [arm for die in dice for arm in self._seats.arms(die.first)]
        arms = there.count(seat) if seat is not None and there.count(seat) == len(there) else 0
        t = max(die.first for die in dice)
        # Where a hand was hardly seen to throw, nobody can say what was in it.
        seen = cup_used or sum(bool(f.hands) for f in self._frames if t - BEFORE <= f.t <= t) >= HAND_FRAMES
        return Cast(dice, cup_used if seen else None, together, seat=seat, arms=arms)

    # -- the roll-off -------------------------------------------------------------------------

    def _join_roll_off(self) -> None:
        """A die that came to lie beside one that was given up as alone makes a pair with it."""
        turn, fresh = self._turn, self._fresh()
        if turn is None or turn.cast is None or len(turn.cast.dice) != 1 or len(fresh) != 1:
            return
        dice = (*turn.cast.dice, *fresh)
        if self._watch.there(dice[0]):
            turn.cast = self._cast(dice, turn.cast.cup_used is True, came_together(dice, self._cup_in))
            turn.t = self._cast_t = turn.cast.t
            turn.over = None

    def _roll_off(self, cast: Cast, side: Side | None = None) -> RollOff | None:
        """The roll-off that a cast was, if it was one.

        Whose die is whose tell the arms that threw, or ``side``, which is known to begin; equal dice belong
        to either. Where no arms were seen the dice must at least have come one after the other.
        """
        if not self._g.opening or len(cast.dice) != 2:
            return None
        a, b = (die.reading().value for die in cast.dice)
        seats = self._throwers(cast)
        if None not in seats:
            if seats[0] == seats[1]:
                return None
        elif cast.together:
            return None
        if side is not None:
            return _won_by(side, cast.t, (a, b))
        if None not in seats:
            one, other = (self._seats.evidence(seat, self._g.orientation) for seat in seats)
            if one[Side.WHITE] + other[Side.BLACK] < one[Side.BLACK] + other[Side.WHITE]:
                a, b = b, a
        elif a != b:
            return None
        return RollOff(t=cast.t, white=a, black=b)

    def _with_lifted(self, cast: Cast) -> Cast:
        """A single die, with the one that was lifted before it was thrown: each player has thrown his own."""
        before = self._held[-1].cast.dice if self._held else ()
        if len(cast.dice) != 1 or len(before) != 1:
            return cast
        return Cast((*before, *cast.dice), together=False)

    def _throwers(self, cast: Cast) -> tuple[Seat | None, ...]:
        """From where each die of a cast was thrown."""
        return tuple(self._seats.thrower(die.first) for die in cast.dice)

    def _from_one_seat(self, cast: Cast) -> bool:
        """Whether one and the same arm was seen to throw all dice of a cast."""
        seats = set(self._throwers(cast))
        return len(seats) == 1 and None not in seats

    def _tell_roll_off(self, turn: _Turn, rolled: RollOff) -> None:
        """Who begins; he plays these dice, or they are done with, as the rules say (rules.md G7)."""
        self._out.append(rolled)
        self._held.clear()
        self._rolled_off(rolled)
        if self._g.side is not None and self._g.rules.opening_roll == "uses_rolloff":
            self._dice, self._dice_valid = (rolled.white, rolled.black), True
            turn.told = self._thrown_by_word(turn.t, self._g.side, self._dice).told
            turn.rolled_off = True
        else:
            self._next_turn()

    def _take_cast(self, cast: Cast, now: float) -> None:
        if self._thrown_anew(cast):
            self._turn = None
        turn = self._turn
        taken_up = turn is not None and turn.cast is None
        if taken_up and self._cup_t == -math.inf and now - cast.t < TAKE_UP_SECONDS:
            return  # most likely the dice that were told before the restart: look well
        self._cast_t = cast.t
        if turn is None:
            last = self._last
            if last is not None and self._cup_t < last.last and same_dice(last, cast):
                self._spent += cast.dice  # out of sight for a while, but of a turn that is decided
                return
            if self._find_missed_turn(now, cast=cast) or not self._following:
                # Out of step: these dice are still to be played, from the board that is gone on from.
                self._spent = [die for die in self._spent if die not in cast.dice]
                return
            self._open(cast)
            return
        if turn.cast is None and turn.told is not None:  # taken up again after a restart
            thrown_since = self._seen_empty(-math.inf, self._cup_t)
            if not thrown_since and cast.pairs().get(_sorted(turn.told.dice), 1.0) > 0.02:
                turn.cast = cast
                return
            turn.over = turn.over if turn.over is not None else self._frames[0].t
        elif turn.cast is not None and self._next is None and self._is_same(turn.cast, cast):
            turn.cast.dice, turn.over = cast.dice, turn.over if turn.signalled else None
            return
        if turn.told is not None and self._is_early(turn.cast, turn.told, cast):
            cast.early = True
            self._emit_throw(_Turn(cast, cast.t), turn.told.side.other, _shown(cast), ("premature",))
            self._dice, self._dice_valid = turn.told.dice, True  # these are still to be played
            self._spent += cast.dice
            return
        if self._next is not None:
            self._decide(now, final=True)
            if self._turn is not None and self._next is not None:
                self._spent += self._next.dice
        if self._turn is None and self._following:
            self._open(cast)
        else:
            self._next = cast

    def _is_early(self, open_cast: Cast | None, told: Throw, cast: Cast) -> bool:
        """Whether a cast is void since the dice of the throw before, ``told``, lie there (rules.md D13)."""
        if open_cast is None or not told.valid or len(open_cast.dice) + len(cast.dice) < 4:
            return False
        if not any(seen_beside(open_cast, cast, seen) for seen in self._frames):
            return False
        game = self._g
        forced = is_forced(game.position, told.side, told.dice, game.rules)
        contact = has_contact(game.position, game.rules.game)
        return is_void_if_early(game.rules, forced=forced, contact=contact)

    def _thrown_anew(self, cast: Cast) -> bool:
        """Whether the winner of a roll-off threw both dice again, and did not play those of the roll-off."""
        turn = self._turn
        if turn is None or not turn.rolled_off or turn.cast is not None or turn.told is None:
            return False
        if cast.pairs().get(_sorted(turn.told.dice), 0.0) > 0.02:
            return False
        return not self._shows_a_play(turn, [f for f in self._frames if f.slots][-3:])

    def _is_same(self, old: Cast, new: Cast) -> bool:
        """Whether a throw was only hidden, missed or moved aside, and not thrown again."""
        if _shown(old) != _shown(new):
            return False
        if any(seen_beside(old, new, seen) for seen in self._frames):
            return False
        cup = self._cup_t > old.last
        if same_dice(old, new):
            other_arm = None not in (old.seat, new.seat) and old.seat != new.seat
            return not (cup and (other_arm or self._seen_empty(old.last, new.t)))
        thrown = cup or new.t - old.last > RETHROW_SAME_SECONDS
        return not (thrown or self._seen_empty(old.last, new.t) or self._played(old))

    def _played(self, cast: Cast) -> bool:
        """Whether the board shows a whole play of a cast that is no longer where it lay."""
        frames = [f for f in self._frames if f.t > cast.last and not f.cup_over_board][-3:]
        if not frames or len(cast.dice) != 2:
            return False
        game, picture = self._g, self._picture(frames)
        sides = [game.side] if game.side is not None else list(Side)
        plays = [p for s in sides for p in legal_plays(game.position, s, _shown(cast), game.rules)]
        return any(p.after != game.position and picture.fit(p.after) > GOOD_FIT for p in plays)

    def _seen_empty(self, since: float, until: float) -> bool:
        """Whether still frames between show a board without dice and hands."""
        empty = [f for f in self._frames if since < f.t < until and f.still and not f.hands and not f.dice]
        return len(empty) >= 3

    def _open(self, cast: Cast) -> _Turn:
        turn = _Turn(cast, cast.t)
        self._turn, self._next = turn, None
        self._dice = _shown(cast)
        self._dice_valid = not self._faults(cast, self._g.side)
        return turn

    def _faults(self, cast: Cast, side: Side | None) -> tuple[Fault, ...]:
        """What is wrong with a cast; of the ways of lying beside a sure fault, only what is sure too."""
        game = self._g
        readings = cast.readings()
        faults = throw_faults(
            readings,
            side,
            game.rules,
            game.orientation,
            cup_used=cast.cup_used,
            cup_demanded=self._cup_demanded,
            together=cast.together,
            early=cast.early,
            to_move=game.side if cast.out_of_turn else None,
        )
        if _may_be_misread(cast, faults):
            return faults
        sure: set[Fault] = {
            r.state for r in readings if r.state != "flat" and dict(r.states)[r.state] >= SURE_FAULT
        }
        if any(self._touching(r) >= SURE_FAULT for r in readings):
            sure.add("on_checker")
        if not cast.together:
            sure.add("one_die")
        return tuple(f for f in faults if f not in REFUTABLE or f in sure)

    def _validity(self, cast: Cast, side: Side | None) -> float:
        """How probable it is that a cast counts, as far as its dice show it."""
        if not _may_be_misread(cast, self._faults(cast, side)):
            return HARD_FAULT
        if len(cast.dice) < 2:
            return ONE_DIE
        flat = min(dict(r.states).get("flat", 0.0) * (1 - self._touching(r)) for r in cast.readings())
        return min(max(flat, 0.001), 0.999)

    def _touching(self, die: DieReading) -> float:
        """Probability that a die touches a checker, where that is a fault (rules.md D8)."""
        return die.touching if touching_matters(self._g.rules) else 0.0

    def _tell_throw(self, turn: _Turn, now: float) -> None:
        """Tell a throw as soon as it is sure; what is not waits for the play."""
        cast = turn.cast
        if cast is None or turn.told is not None:
            return
        pairs = cast.pairs()
        read = now - cast.t >= TELL_AFTER and cast.clear_frames >= 2
        if read and next(iter(pairs.values())) >= SURE_PAIR**2 and (rolled := self._roll_off(cast)):
            self._tell_roll_off(turn, rolled)
            return
        if self._g.side is None:  # an open dance: where the next dice came from may tell whose turn it is
            self._settle_dance(seats=self._seats.evidence(cast.seat, self._g.orientation))
        side = self._thrower(cast)
        self._dice = _shown(cast)
        self._dice_valid = not self._faults(cast, side)
        if side is None or now - cast.t < TELL_AFTER:
            return
        if now - cast.t < THIRD_SECONDS and self._third(cast) is not None:
            return
        surely = next(iter(pairs.values()))
        if cast.clear_frames < (1 if surely > AT_ONCE**2 else 2):
            return
        if surely < SURE_PAIR**2 and self._dice_valid:
            return
        valid = self._validity(cast, side)
        if not _may_be_misread(cast, self._faults(cast, side)):
            sure = True
        elif valid > 0.5:
            sure = valid >= SURE_VALID
        else:
            sure = valid <= SURE_VOID and now - cast.t >= VOID_SECONDS
        if sure:
            self._emit_throw(turn, side, self._dice, self._faults(cast, side))

    def _thrower(self, cast: Cast) -> Side | None:
        """Whose throw it is that lies there, ``None`` if the play is to show it.

        An arm of the side that is not to move has thrown out of turn (rules.md G10), if the arm is plain; but
        not where the other is shut out, and need not throw, nor where he may have thrown without being seen
        and had nothing to move.
        """
        game, side = self._g, self._g.side
        if side is None:
            return self._first_thrower(cast)
        seats = self._seats.evidence(cast.seat, game.orientation)
        lead = seats[side.other] - seats[side]
        if cast.arms < SEEN_ARM or lead < SURE_SEAT:
            return side
        if chance_to_be_stuck(game.position, side, game.rules) == 1:
            return side.other
        cast.out_of_turn = self._has_yet_to_throw(side, cast)
        plain = cast.arms >= PLAIN_ARM and lead >= PLAIN_SEAT and self._seats.steady >= LEARNT_TURNS
        return side.other if cast.out_of_turn and plain and not self._reached_in(side, cast) else None

    def _has_yet_to_throw(self, side: Side, cast: Cast) -> bool:
        """Whether ``side`` cannot have thrown before ``cast``, with nothing to move, and not been seen.

        Who is to make the first play is not known so surely.
        """
        if self._g.number == 1:
            return False
        stuck = chance_to_be_stuck(self._g.position, side, self._g.rules)
        return stuck <= MAY_BE_STUCK or (stuck < 1 and not self._reached_in(side, cast))

    def _reached_in(self, side: Side, cast: Cast) -> bool:
        """Whether an arm of ``side`` was over the board between the dice before these and these."""
        since = self._last.last if self._last is not None else -math.inf
        return self._seats.seen_since(self._seats.seat(side, self._g.orientation), since, cast.t)

    def _first_thrower(self, cast: Cast) -> Side | None:
        """Whose throw it is that nobody had to make yet, if the arm that threw tells.

        Not where it may be one die of each player (rules.md G7), nor where the play of an earlier throw is to
        tell. If the play shows that it was the other's, the throw is told again.
        """
        if cast.arms < SEEN_ARM or len(cast.dice) < 2 or cast.apart > AT_A_TIME:
            return None
        untold = any(held.danced is not None or held.told is None for held in self._held)
        if untold or "two_halves" in self._faults(cast, None):
            return None
        seats = self._seats.evidence(cast.seat, self._g.orientation)
        side = max(Side, key=seats.__getitem__)
        told_of_other = any(held.told is not None and held.told.side is not side for held in self._held)
        return side if seats[side] - seats[side.other] >= SURE_SEAT and not told_of_other else None

    def _emit_throw(
        self, turn: _Turn, side: Side, dice: Dice, faults: tuple[Fault, ...], confidence: float | None = None
    ) -> None:
        cast = turn.cast
        if confidence is None:
            confidence = 1.0
            if cast is not None:
                valid = self._validity(cast, side)
                confidence = cast.pairs().get(_sorted(dice), 1.0) * (1 - valid if faults else valid)
        turn.told = Throw(
            t=turn.t,
            side=side,
            colour=colour_of(side, self._white_is_light),
            dice=dice,
            valid=not faults,
            faults=faults,
            halves=tuple(r.half for r in cast.readings()) if cast is not None else (),
            confidence=confidence,
        )
        for die in cast.dice if cast is not None else ():
            die.told = die.reading().value
        self._dice, self._dice_valid = dice, not faults
        turn.place = self._tell(turn.told)

    def _tell(self, event: Event) -> int:
        """Tell an event; its place in the record."""
        self._out.append(event)
        return self.recorded + len(self._out) - 1

    # -- the end of a turn --------------------------------------------------------------------

    def _decide(self, now: float, *, final: bool = False, standing: bool = False) -> None:
        """Explain what stands after the open turn, or wait for more frames.

        ``final``: there will be no more. ``standing``: the dice still lie there, so that nothing is
        an offence yet.
        """
        turn = self._turn
        assert turn is not None
        since = self._over_since(turn)
        frames = self._quiet(since)
        if self._next is not None:
            frames = [f for f in frames if f.t <= self._next.t or not self._moved_between(self._next, f)]
        ready = final or self._next_disturbed() or now - since >= GIVE_UP_SECONDS
        confirmed = ready or turn.signalled or self._next is not None or now - since >= CONFIRM_SECONDS
        if not frames:
            if not ready:
                return
            frames = [f for f in self._frames if f.t >= since and not f.cup_over_board][-3:]
            frames = frames or list(self._frames)[-1:]
        picture = self._picture(frames)
        if len(picture.hidden) > 2 and not ready:
            return
        self._think_again(now, turn)
        readings = self._readings(turn, picture)
        best = readings[0]
        rival = next((r for r in readings[1:] if not r.same_as(best)), None)
        margin = best.score - (rival.score if rival else best.score - 30)
        # A legal play that fits is taken at once; whatever is odd waits for more frames.
        usual = best.kind != "illegal" and not best.slipped  # a checker may be in somebody's hand yet
        plain = usual and best.fit > GOOD_FIT and margin > PLAIN_MARGIN
        evident = plain and margin > EVIDENT_MARGIN and best.fit > EVIDENT_FIT
        enough = 1 if evident else PLAIN_FRAMES if plain else ODD_FRAMES
        settled = len(frames) >= enough and (plain or confirmed)
        unread = self._next is None and self._watch.rolling  # perhaps the dice of this very turn
        if (not settled or unread) and not ready:
            return
        if standing and best.kind != "play":
            self._close_standing(turn)
            return
        if turn.rolled_off and best.after == self._g.position:
            if final or self._next is not None:  # whoever won the roll-off throws both dice after all
                self._next_turn()
            return
        if best.kind == "illegal" and self._explains(turn, frames, best.score, now):
            self._decide(now, final=final, standing=standing)
            return
        if best.kind == "illegal" and self._tell_turn_before(turn, picture, best.score):
            return
        if (best.kind == "illegal" and not best.playable) or best.fit < 2 * POOR_FIT:
            self._desync(now, picture)
            return
        if best.after == self._g.position and self._settle_dance(readings):
            self._decide(now, final=final, standing=standing)  # of one side only, now
            return
        if self._may_dance(turn, readings):
            self._hold_dance(turn, readings[0])
            return
        if margin < SURE_MARGIN:
            self._doubt_play(turn, readings)
        before = self._g.position
        told = self._close(turn, best, picture)
        if told is not None and not self._g.over and told[1].rule not in ("D10", "G10"):
            throw = (turn.place, turn.told) if turn.told is not None and turn.place is not None else None
            self._rivals = [*self._rivals, *rivals_of(told, throw, before, readings)][-MOST_RIVALS:]
        self._reference = picture, self._g.position
        if frames[0].t > self._bumped_t and not best.slipped and best.fit > GOOD_FIT:
            self._bumped_t = -math.inf  # nothing lies between two points, or not any more

    def _think_again(self, now: float, turn: _Turn) -> None:
        """Correct an earlier play that was another one, as the board shows on which the dice fell."""
        game = self._g
        stood = self._stood(turn)
        if turn.reconsidered or not self._rivals or not stood:
            return
        turn.reconsidered = True
        # Not held against what was seen before: of that a rival says that it was read wrongly.
        picture = Picture.of(stood, game.orientation, self._white_is_light, game.rules.game)
        for rival in self._rivals:
            rival.hear(picture, game.position)
        self._rivals = [
            rival
            for rival in self._rivals
            if rival.odds <= GIVEN_UP and rival.instead_of(game.position) is not None
        ]
        for rival in [rival for rival in self._rivals if rival.heard and rival.odds < SETTLED]:
            self._rivals.remove(rival)
            if self._believe(rival, now):
                turn.reconsidered = False  # by the board as it is believed now, others may be right too
                return

    def _believe(self, rival: Rival, now: float) -> bool:
        """Correct the record, since ``rival`` was right; whether that can be."""
        game = self._g
        position = rival.instead_of(game.position)
        found = corrections(rival, now, game.rules, game.orientation, white_is_light=self._white_is_light)
        if position is None or not found:
            return False
        self._out += found
        game.position, self._reference = position, None
        others = [other.given(rival, found) for other in self._rivals if other is not rival]
        self._rivals = [other for other in others if other is not None]
        return True

    def _explains(self, turn: _Turn, frames: Sequence[Observation], score: float, now: float) -> bool:
        """Correct an earlier play, if what stands is a legal play then, and better so than with ``score``."""
        game = self._g
        picture = Picture.of(frames, game.orientation, self._white_is_light, game.rules.game)
        for rival in sorted(self._rivals, key=lambda rival: rival.odds):
            if -rival.odds <= score + SURE_MARGIN:
                return False  # no play, however good, could make up for that
            position = rival.instead_of(game.position)
            if position is None:
                continue
            best = self._readings(turn, picture, position)[0]
            legal = best.kind == "play" and not best.slipped
            if legal and best.score - rival.odds > score + SURE_MARGIN and self._believe(rival, now):
                return True
        return False

    def _stood(self, turn: _Turn) -> list[Observation]:
        """The first still frames of the dice of a turn, nobody having moved yet."""
        return [f for f in self._frames if turn.t <= f.t <= turn.t + 1 and f.still][:PLAIN_FRAMES]

    def _tell_turn_before(self, turn: _Turn, picture: Picture, score: float) -> bool:
        """Tell this turn and one before it, if two explain the board better than ``score``."""
        side, cast = self._g.side, turn.cast
        if side is None or cast is None or (self._last and turn.t - self._last.last < TURN_SECONDS):
            return False
        then = self._stood(turn)
        if then:
            stood = self._picture(then)
            if len(stood.hidden) <= 2 and stood.fit(self._g.position) > GOOD_FIT:
                return False  # the board stood as recorded when these dice fell
        found = turn_before(picture, self._g.position, self._g.rules, side, cast.pairs())
        if found is None or found[1].score < score:
            return False
        missed, played = found
        self._emit_throw(_Turn(None, turn.t), side, missed.dice, (), 0.5)
        self._emit_play(turn.t, side, missed.dice, missed.after, 0.5)
        if not self._g.over:
            self._close(turn, replace(played, probability=0.9), picture)
        self._reference = picture, self._g.position
        return True

    def _may_dance(self, turn: _Turn, readings: Sequence[Reading]) -> bool:
        """Whether nobody moved, and it may be that the throw did not count.

        Either nobody could move and the dice do not say it, or somebody could, and lifted good dice.
        """
        if turn.cast is None or self._mover is None or readings[0].after != self._g.position:
            return False
        if turn.signalled:
            return False  # so it was a turn
        if turn.told is not None:
            # By the dice that were told there was a play, or they were others.
            could = readings[0].kind == "illegal" or _sorted(readings[0].dice) != _sorted(turn.told.dice)
            return could and turn.told.valid and not turn.ruled_void
        return any(r.kind == "play" and r.after == self._g.position for r in readings)

    def _hold_dance(self, turn: _Turn, best: Reading) -> None:
        """Leave open whether a throw without a move counted: the side that goes on will show it."""
        assert turn.cast is not None
        t, over = turn.t, turn.over if turn.over is not None else turn.cast.last
        dice = turn.told.dice if turn.told is not None else _shown(turn.cast)
        others = best.dice if best.kind == "play" and _sorted(best.dice) != _sorted(dice) else None
        self._held.append(_Held(t, dice, turn.cast, self._mover, over, turn.told, others))
        self._g.side = None
        self._next_turn()

    def _settle_dance(
        self, readings: Sequence[Reading] = (), seats: Mapping[Side, float] | None = None
    ) -> bool:
        """Decide an open dance, if there is one, by its dice and by who goes on.

        That is told by what they may have done, ``readings``, or by where they sit, ``seats`` (log
        likelihoods), if it tells enough.
        """
        held = next((held for held in self._held if held.danced is not None), None)
        if held is None or held.danced is None:
            return False
        if seats is None:
            seats = {
                side: max((r.score for r in readings if r.kind == "play" and r.side is side), default=ILLEGAL)
                for side in Side
            }
        elif abs(seats[held.danced] - seats[held.danced.other]) < SURE_MARGIN:
            return False
        valid = min(max(self._validity(held.cast, held.danced), 1e-3), 1 - UNSEEN_FAULT)
        counts = math.log(valid) + seats[held.danced.other] + (UNPLAYED if held.told is not None else 0.0)
        if counts > math.log(1 - valid) + seats[held.danced]:
            self._tell_held(held.danced.other)
        else:
            self._tell_held(held.danced)
        return True

    def _over_since(self, turn: _Turn) -> float:
        if turn.over is not None:
            # Who presses the clock has moved before: what stood still since then shows it.
            return min(turn.over, self._moved_t + 1e-6) if turn.signalled else turn.over
        return self._next.t if self._next is not None else self._frames[-1].t - 0.5

    def _moved_between(self, cast: Cast, frame: Observation) -> bool:
        return self._next_disturbed() and frame.t >= self._moved_t

    def _next_disturbed(self) -> bool:
        """Whether somebody reached in after the next cast settled: what stands may change now."""
        return self._next is not None and self._moved_t > max(d.first for d in self._next.dice) + 0.25

    def _readings(self, turn: _Turn, picture: Picture, before: Position | None = None) -> list[Reading]:
        """What a picture may show of a turn, from the position that is believed, or from one ``before``."""
        cast = turn.cast
        if turn.told is not None and (cast is None or turn.touched):
            pairs = {_sorted(turn.told.dice): 1.0} if all(turn.told.dice) else {}
        else:
            pairs = cast.pairs() if cast is not None else {}
        valid = 1.0
        if turn.told is not None:
            valid = 0.999 if turn.told.valid else 0.02
        elif cast is not None:
            valid = self._validity(cast, self._g.side)
            if self._g.side is None and self._faults(cast, None) == ("two_halves",):
                valid = 0.5  # the first throw of a game may be one die of each player (rules.md G7)
        sides = [self._g.side] if self._g.side is not None else list(Side)
        out_of_turn = None
        if cast is not None and cast.out_of_turn and self._g.side is not None:
            told = turn.told is not None and turn.told.side is not self._g.side
            out_of_turn = math.log(1 - valid) if told else OUT_OF_TURN
        return explain(
            picture,
            self._g.position if before is None else before,
            self._g.rules,
            sides,
            pairs,
            valid,
            self._seats.evidence(cast.seat if cast is not None else None, self._g.orientation),
            told_valid=turn.told is not None and turn.told.valid,
            out_of_turn=out_of_turn,
            bumped=self._bumped_t > -math.inf,
        )

    def _doubt_play(self, turn: _Turn, readings: Sequence[Reading]) -> None:
        if turn.doubted:
            return
        turn.doubted = True
        options = [(r.text(self._g.position, self._g.rules), r.probability) for r in readings[:4]]
        self._doubt(turn.over if turn.over is not None else turn.t, "play", tuple(options))

    def _doubt(
        self, t: float, about: Literal["throw", "play"], options: tuple[tuple[str, float], ...]
    ) -> None:
        self._out.append(Doubt(t=t, about=about, options=options))

    def _doubt_dice(self, told: Throw, side: Side, dice: Dice, probability: float) -> None:
        """A throw that was told was another, as its play shows."""
        was = f"{told.side.value} threw {told.dice[0]}-{told.dice[1]}"
        now = f"{side.value} threw {dice[0]}-{dice[1]}"
        self._doubt(told.t, "throw", ((now, probability), (was, 1 - probability)))

    def _close_standing(self, turn: _Turn) -> None:
        """The recording ends in the middle of a turn: its throw is told if its side is known."""
        self._tell_as_seen(turn)
        self._turn = None

    def _tell_as_seen(self, turn: _Turn) -> None:
        cast, side = turn.cast, self._g.side
        if turn.told is None and side is not None and cast is not None and self._dice is not None:
            self._emit_throw(turn, side, self._dice, self._faults(cast, side))

    def _close(self, turn: _Turn, best: Reading, picture: Picture) -> tuple[int, PlayMade] | None:
        """Tell what was read of a turn, and give its play, if it has one, with its place."""
        cast, over = turn.cast, turn.over
        if best.kind == "void":
            rolled = self._roll_off(self._with_lifted(cast)) if cast is not None else None
            if turn.told is None and rolled is not None:
                self._held.clear()
                self._out.append(rolled)
                self._rolled_off(rolled)
                self._next_turn()
                if self._turn is None:
                    self._fold(rolled)  # its dice are to be played, though they do not lie there
                return None
            if cast is not None and turn.told is None:
                side = best.side if cast.out_of_turn else self._g.side or self._first_thrower(cast)
                faults = self._faults(cast, side)
                if side is not None and (faults or self._g.side is not None):
                    self._emit_throw(turn, side, _shown(cast), faults or self._likeliest_fault(cast))
            if cast is not None and self._g.side is None:
                self._held.append(_Held(turn.t, _shown(cast), cast, told=turn.told))
            self._next_turn()
            return None
        side = best.side
        self._tell_held(side)
        if cast is not None and best.kind == "play" and best.probability > SURE_PLAY:
            self._seats.learn(cast.seat, side, self._g.orientation)
        if cast is not None and self._g.side is side.other:  # whose checkers moved, tells it if no arm did
            cast.out_of_turn = self._has_yet_to_throw(side.other, cast)
        out_of_turn = cast is not None and cast.out_of_turn and side is not self._g.side
        if turn.told is not None and cast is not None and (self._g.side is None or cast.out_of_turn):
            was, turn.told = turn.told, self._tell_of(turn.told, side, cast)
            turn.place = turn.place if turn.told is was else None
        if turn.told is None and cast is not None and out_of_turn:
            self._emit_throw(turn, side, best.dice, self._faults(cast, side), best.dice_probability)
        rolled = self._roll_off(cast, side) if turn.told is None and cast is not None else None
        if rolled is not None and best.dice[0] != best.dice[1]:
            self._out.append(_won_by(side, turn.t, best.dice))
        elif turn.told is None:
            self._emit_throw(turn, side, best.dice, (), best.dice_probability)
        elif turn.told.valid and (
            _sorted(turn.told.dice) != _sorted(best.dice) or turn.told.side is not side
        ):
            self._doubt_dice(turn.told, side, best.dice, best.probability)
        dice = turn.told.dice if turn.told and _sorted(turn.told.dice) == _sorted(best.dice) else best.dice
        t = over if over is not None else self._next.t if self._next is not None else self._frames[-1].t
        void = False
        if turn.told is not None and not turn.told.valid and not out_of_turn:
            void = turn.ruled_void or not _may_be_misread(cast, turn.told.faults)
            if not void:  # that it was played speaks against what was seen of the dice
                text = f"{dice[0]}-{dice[1]}"
                self._doubt(turn.t, "throw", ((f"{text} counts", 0.5), (f"{text} does not count", 0.5)))
        if turn.handed_over and not out_of_turn:
            self._out.append(TurnEnd(t=t, side=side, how="dice_handed_over"))
        rule = "G10" if out_of_turn else "D10" if void else None
        play = self._emit_play(t, side, dice, best.after, best.probability, wrong_throw=rule, picture=picture)
        self._next_turn()
        return play

    def _tell_of(self, told: Throw, side: Side, cast: Cast) -> Throw:
        """Tell a throw again if it was made by ``side``, and not by who was taken for the thrower."""
        if told.side is side:
            return told
        faults = self._faults(cast, side)
        faults = faults if faults or "wrong_side" in told.faults else told.faults
        if told.valid and _may_be_misread(cast, faults):
            faults = told.faults  # it was played
        again = replace(
            told,
            side=side,
            colour=colour_of(side, self._white_is_light),
            valid=told.valid if faults == told.faults else not faults,
            faults=faults,
        )
        self._out.append(again)
        self._doubt_dice(told, side, told.dice, 0.9)
        return again

    def _likeliest_fault(self, cast: Cast) -> tuple[Fault, ...]:
        """What is wrong with a throw that was lifted unplayed although it looked valid."""
        faults: dict[Fault, float] = {}
        for reading in cast.readings():
            for state, p in reading.states:
                if state != "flat":
                    faults[state] = max(faults.get(state, 0.0), p)
            if (touching := self._touching(reading)) > 0:
                faults["on_checker"] = max(faults.get("on_checker", 0.0), touching)
        return (max(faults, key=faults.__getitem__),) if faults else ("cocked",)

    def _tell_held(self, side: Side) -> None:
        """Throws that were not told, now that ``side`` is known to play."""
        waiting, self._held = self._held, []
        for held in waiting:
            faults = self._faults(held.cast, side)
            if held.danced is not None:
                self._g.side = held.danced
                valid = side is not held.danced
                faults = () if valid else faults or self._likeliest_fault(held.cast)
                if held.told is None:
                    thrower = held.danced.other if held.cast.out_of_turn and not valid else held.danced
                    faults = faults if thrower is held.danced else self._faults(held.cast, thrower)
                    self._emit_throw(_Turn(held.cast, held.t), thrower, held.dice, faults)
                elif not valid:  # it was told as a good one; what was wrong with it nobody saw
                    self._dice_valid = False
                    self._out.append(replace(held.told, valid=False, faults=faults))
                    text = f"{held.dice[0]}-{held.dice[1]}"
                    self._doubt(held.t, "throw", ((f"{text} does not count", 0.8), (f"{text} counts", 0.2)))
                if valid and held.told is not None and held.others is not None:
                    self._doubt_dice(held.told, held.danced, held.others, 0.9)
                if valid:
                    dice = held.others or held.dice
                    self._emit_play(held.over, held.danced, dice, self._g.position, 0.9)
            elif held.told is not None:
                self._tell_of(held.told, side, held.cast)
            elif (rolled := self._roll_off(held.cast, side)) is not None:
                self._out.append(rolled)
            elif faults or self._from_one_seat(held.cast):
                faults = faults or self._likeliest_fault(held.cast)
                self._emit_throw(_Turn(held.cast, held.t), side, held.dice, faults)
            else:
                # Nothing was wrong with it and nobody played it: one die of each player (rules.md G7).
                self._out.append(_won_by(side, held.t, held.dice))

    def _emit_play(
        self,
        t: float,
        side: Side,
        dice: Dice,
        after: Position,
        confidence: float,
        *,
        wrong_throw: str | None = None,
        picture: Picture | None = None,
    ) -> tuple[int, PlayMade]:
        """Tell a play; that with its place. ``picture`` is what was seen after it, where that was seen.

        ``wrong_throw``: what makes every play of its throw illegal: that it was void and had to be repeated
        (rules.md D10), or was made out of turn (G10).
        """
        verdict = judge_play(self._g.position, side, dice, after, self._g.rules)
        play = play_event(
            verdict,
            t,
            self._g.orientation,
            white_is_light=self._white_is_light,
            confidence=confidence,
        )
        if picture is not None and picture.disagrees(after):
            seen = _shown_by(picture, after)
            play = replace(play, seen=seen if seen != after else None)
        if wrong_throw is not None and (play.legal or wrong_throw == "G10"):
            play = replace(play, legal=False, rule=wrong_throw)
        told = self._tell(play), play
        for rival in self._rivals:
            rival.plays.append(told)
        self._any_play, self._g.first = True, self._g.first or side
        result = self._result(after)
        self._g.position, self._g.side = after, side.other
        self._g.number += 1
        if result is not None:
            self._out.append(GameEnd(t=t, winner=result.winner, result=result.result, points=result.points))
            self._g.over, self._g.side = True, None
            self._rivals.clear()
        return told

    def _next_turn(self) -> None:
        turn, cast = self._turn, self._next
        if turn is not None and turn.cast is not None:
            self._last = turn.cast
            self._spent += [die for die in turn.cast.dice if self._watch.there(die)]
        self._turn, self._next = None, None
        if cast is not None and not self._g.over:
            turn = self._open(cast)
            if self._lifted(cast):
                self._end_by_lifting(turn, cast)

    # -- turns that were missed, bumped boards ------------------------------------------------

    def _find_missed_turn(self, now: float, *, cast: Cast | None = None, final: bool = False) -> bool:
        """With no turn open, does the board show a play whose throw was not seen?

        Returns whether the picture and the record are out of step now.
        """
        frames = self._undisturbed()
        seen_now = len(frames) >= 2
        if not seen_now:  # the arm that threw these dice has moved since, over a board that stood before
            frames = self._last_rest() if cast is not None else []
        if len(frames) < 2:
            return False
        picture = self._picture(frames)
        if len(picture.hidden) > 1 or picture.fit(self._g.position) > POOR_FIT:
            return False
        return not self._explain_missed(now, picture, must=cast is not None and seen_now) and not final

    def _last_rest(self) -> list[Observation]:
        """The last long run of still frames without hands, since the dice of the turn before were lifted."""
        since = self._last.last if self._last is not None else -math.inf
        run: list[Observation] = []
        for frame in reversed(self._frames):
            if frame.t <= since:
                break
            if frame.still and not frame.hands:
                run.append(frame)
            elif len(run) >= REST_FRAMES:
                break
            else:
                run.clear()
        return run[::-1][-FRAMES:] if len(run) >= REST_FRAMES else []

    def _explain_missed(self, now: float, picture: Picture, *, must: bool) -> bool:
        """Tell a turn whose throw was not seen. If ``must``, a board without explanation is a desync."""
        sides = [self._g.side] if self._g.side is not None else list(Side)
        found = missed_turn(picture, self._g.position, self._g.rules, sides)
        if not found:
            if must:
                self._desync(now, picture)
                return False
            return True
        self._tell_missed(found, picture)
        return True

    def _tell_missed(self, found: Sequence[Reading], picture: Picture) -> None:
        best = found[0]
        t = next((f.t for f in reversed(self._frames) if f.t <= self._moved_t), self._frames[0].t)
        if len(found) > 1:
            options = [(f"{r.side.value} threw {r.dice[0]}-{r.dice[1]}", r.probability) for r in found[:4]]
            self._doubt(t, "throw", tuple(options))
        self._emit_throw(_Turn(None, t), best.side, best.dice, (), 0.5 * best.probability)
        self._emit_play(t, best.side, best.dice, best.after, best.probability, picture=picture)

    def _check_idle(self, now: float) -> None:
        """No dice are awaited: does the board still stand as recorded?"""
        frames = self._undisturbed()
        if len(frames) < 4 or now - frames[0].t < 1.0:
            return
        picture = self._picture(frames)
        if len(picture.hidden) > 1 or picture.fit(self._g.position) > POOR_FIT:
            return
        if self._look_for_start(now):
            return
        after, score = picture.reading(self._g.position)
        stood = now - self._moved_t
        if score < POOR_FIT or not Reading.could_be_play(self._g.position, after, self._g.side):
            if stood >= BUMP_SECONDS:
                self._desync(now, picture)
        elif stood >= IDLE_TURN_SECONDS or (stood >= BUMP_SECONDS and self._changed_under_cover(picture)):
            self._explain_missed(now, picture, must=True)

    def _changed_under_cover(self, picture: Picture) -> bool:
        """Whether a board differs since it was uncovered, and no turn explains it; nobody has moved since."""
        if self._moved_t > self._unveiled_t + UNVEILING_SECONDS:
            return False
        sides = [self._g.side] if self._g.side is not None else list(Side)
        return not missed_turn(picture, self._g.position, self._g.rules, sides)

    def _desync(self, now: float, picture: Picture) -> None:
        slots = self._slots(picture.disagrees(self._g.position))
        self._settle_dance()
        if self._turn is not None:
            self._tell_as_seen(self._turn)
        reason = f"{len(slots)} points do not stand as recorded, and no play explains it"
        stands = _shown_by(picture, self._g.position)
        self._out.append(Desync(t=now, reason=reason, slots=slots, position=stands))
        self._stop()
        self._spent = list(self._watch.lying)
        self._held.clear()

    def _look_for_step(self, now: float) -> None:
        if now - self._checked < 0.3:
            return
        self._checked = now
        self._refresh_cast()
        frames = self._undisturbed()
        if len(frames) < 3 or now - frames[0].t < 0.5:
            return
        picture = self._picture(frames)
        if len(picture.hidden) > 1:
            return
        if picture.fit(self._g.position) > GOOD_FIT:
            self._resync(now, "the board stands as recorded again")
            return
        stood = now - max(self._moved_t, self._frames[0].t)
        if self._look_for_start(now) or self._g.restoring:
            return
        thrown = len(self._fresh()) == 2  # so the turn before is complete
        sides = [self._g.side] if self._g.side is not None else list(Side)
        if stood >= 1.0 or thrown:
            found = missed_turn(picture, self._g.position, self._g.rules, sides)
            if found:
                self._resync(now, "one turn was missed")
                self._tell_missed(found, picture)
                return
        if thrown and self._g.side is not None:
            two = turn_before(picture, self._g.position, self._g.rules, self._g.side, THROWS)
            if two is not None:
                self._resync(now, "two turns were missed")
                for reading in two:
                    self._tell_missed([reading], picture)
                return
        if (stood >= ADOPT_SECONDS and self._adopts) or thrown:
            after, score = picture.reading(self._g.position)
            if score > POOR_FIT:
                slots = self._slots(i for i in range(24) if after.points[i] != self._g.position.points[i])
                self._resync(now, "the game goes on from the board as it stands", slots, after)

    def _adopt_board(self) -> None:
        frames = self._undisturbed()
        if len(frames) < START_FRAMES:
            return
        after, score = self._picture(frames).reading(self._g.position)
        if score > POOR_FIT:
            self._g.position, self._g.side, self._g.adopt = after, None, False

    def _resync(
        self, now: float, reason: str, slots: tuple[int, ...] = (), position: Position | None = None
    ) -> None:
        event = Resync(t=now, reason=reason, slots=slots, position=position)
        self._out.append(event)
        self.ruled(event)


def _shown_by(picture: Picture, position: Position) -> Position | None:
    """The likeliest board by the picture alone, however many checkers are believed to be off."""
    seen, score = picture.reading(replace(position, off=(0, 0)))
    return seen if math.isfinite(score) else None


def _won_by(side: Side, t: float, dice: Dice) -> RollOff:
    """The roll-off of these dice that ``side`` has won, or in which they were equal."""
    high, low = _sorted(dice)
    return RollOff(t=t, white=high, black=low) if side is Side.WHITE else RollOff(t=t, white=low, black=high)


def _sorted(dice: Dice) -> Dice:
    return (max(dice), min(dice))


def _shown(cast: Cast) -> Dice:
    """The likeliest pair of values; 0 for a die that was not seen."""
    return next(iter(cast.pairs())) if len(cast.dice) > 1 else (cast.dice[0].reading().value, 0)


def _may_be_misread(cast: Cast | None, faults: Iterable[Fault]) -> bool:
    """Whether all these faults may lie with the camera: a die was read wrongly, or one was not seen."""
    return all(fault in REFUTABLE for fault in faults) and (cast is None or cast.together)


def _matches(frames: Sequence[Observation], slots: Sequence[int]) -> float | None:
    """How surely frames show these signed counts; ``None`` if they do not.

    A stack of five or more may be read as any of five or more, since its upper checkers lie on others
    or overlap.
    """
    weak = 0
    total = 0.0
    for slot, count in enumerate(slots):
        readings = [f.slots[slot] for f in frames if f.slots[slot].visible]
        if not readings:
            return None
        sign = 1 if count > 0 else -1
        accepted = [count] if abs(count) < TALL else [sign * n for n in range(TALL, CHECKERS + 1)]
        each = [sum(r.probability(n) for n in accepted) for r in readings]
        p = sum(each) / len(each)
        if p < START_SLOT:
            weak += 1
            if weak > 1 or median(each) < START_WEAK_SLOT:  # in most frames, not by a slip of the eye in one
                return None
        total += min(p, 1.0)
    return total / len(slots)
