"""Checking a match that is written down: what is found, with which rule, and how the check goes on."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.check import Report, WrongRules, check_events, check_record
from engine.events import CubeAction, Event, Fault, GameStart, MoveXY, PlayMade, Ruling, Throw
from engine.formats.moves import moved
from engine.legal import legal_plays
from engine.position import BAR, OFF, Game, Position, Side
from engine.record import GameRecord, Record, Turn
from engine.rules import RuleSet, default_rules
from engine.scoring import game_result

WHITE, BLACK = Side.WHITE, Side.BLACK
SHORT, LONG = Game.BACKGAMMON, Game.LONG_NARDY
START, HEADS = Position.start(SHORT), Position.start(LONG)


def play(side: Side, dice: str, *moves: MoveXY, **more: Any) -> Turn:
    """A play; without moves nothing was moved."""
    return Turn(side=side, dice=(int(dice[0]), int(dice[1])), moves=moves, **more)


def act(side: Side, action: Any, value: int = 0) -> Turn:
    """A cube action or a resignation."""
    return Turn(side=side, action=action, value=value)


def game(*turns: Turn, **more: Any) -> GameRecord:
    """A game of backgammon from the starting position, unless told otherwise."""
    fields: dict[str, Any] = {"start": START, "turns": turns} | more
    return GameRecord(**fields)


def match(*games: GameRecord, length: int = 0, kind: Game = SHORT, rules: RuleSet | None = None) -> Record:
    """A match of these games."""
    return Record(game=kind, games=games, length=length, rules=rules)


def found(report: Report) -> list[tuple[int, int, str]]:
    """(game, move, rule) of every breach."""
    return [(f.game, f.move, rule) for f in report.findings for rule, _ in f.breaches]


def checked(*turns: Turn, rules: RuleSet | None = None, **more: Any) -> list[tuple[int, str]]:
    """(move, rule) of every breach in one game."""
    kind = rules.game if rules else SHORT
    if kind is LONG:
        more = {"start": HEADS} | more
    return [
        (move, rule) for _, move, rule in found(check_record(match(game(*turns, **more), kind=kind), rules))
    ]


OPENING = (play(WHITE, "31", (8, 5), (6, 5)), play(BLACK, "64", (24, 14)))  # 24/18/14 drawn together


class TestPlays:
    def test_a_legal_game_has_nothing(self) -> None:
        report = check_record(match(game(*OPENING)))
        assert report.legal
        assert (report.games, report.rolls, report.plays, report.unjudged) == (1, 2, 2, 0)

    def test_every_rule_that_a_play_breaks_is_told_with_legal_plays_beside_it(self) -> None:
        report = check_record(match(game(play(WHITE, "31", (8, 4), (6, 5)), line=7)))
        (finding,) = report.findings
        assert (finding.game, finding.move, finding.side) == (1, 1, WHITE)
        assert finding.dice == (3, 1)
        assert finding.play == "8/4 6/5"
        assert finding.breaches
        assert {rule for rule, _ in finding.breaches} <= {"E8", "M1", "M3"}
        assert len(finding.nearest) == 3

    def test_an_illegal_play_stands_and_the_game_goes_on_from_it(self) -> None:
        """E5, E6."""
        turns = (play(WHITE, "31", (24, 18), (6, 5)), play(BLACK, "61", (8, 7), (13, 7)))
        assert [move for move, _ in checked(*turns)] == [1]  # 8/7 hits the checker that went too far
        after = play(WHITE, "41", (13, 9), (6, 5))  # he is on the bar, and may move nothing else
        assert "K2" in [rule for move, rule in checked(*turns, after) if move == 2]

    @pytest.mark.parametrize(
        ("moves", "rules"),
        [
            (((13, 8), (13, 7)), []),
            (((13, 2),), []),  # drawn together, hits nothing
            (((24, 18), (18, 13)), []),
            ((), ["M3"]),
            (((24, 19), (24, 18)), ["K1"]),  # five black checkers stand there
            (((23, 17), (13, 8)), ["G11"]),
            (((OFF, 6), (13, 8)), ["G11"]),
            (((6, OFF), (6, 1)), ["K1"]),
        ],
    )
    def test_plays_of_6_5_from_the_start(self, moves: tuple[MoveXY, ...], rules: list[str]) -> None:
        assert [rule for _, rule in checked(play(WHITE, "65", *moves))][:1] == rules[:1]

    def test_a_blot_that_a_drawn_move_must_have_hit_is_hit(self) -> None:
        """M1: by 20 there is a point, so the checker went by 21 and hit there."""
        points = [0] * 24
        points[23], points[20], points[19], points[0] = 1, -1, -2, -2
        start = Position(tuple(points), off=(14, 10))
        turns = (play(WHITE, "43", (24, 17)), play(BLACK, "21", (24, 23), (24, 22)))
        breaches = checked(*turns, start=start)
        assert (1, "K2") in breaches  # Black has a checker on the bar, and must enter it
        assert checked(turns[0], play(BLACK, "21", (BAR, 24), (24, 22)), start=start) == []

    def test_a_position_that_the_record_has_is_believed(self) -> None:
        stands = legal_plays(START, WHITE, (3, 1), default_rules(SHORT))[0]
        assert checked(Turn(side=WHITE, dice=(3, 1), after=stands.after)) == []
        assert checked(replace(OPENING[0], after=stands.after)) == [(1, "E8")]

    def test_what_cannot_be_followed_is_not_judged_until_the_position_is_known_again(self) -> None:
        lost = play(WHITE, "65", (23, 17), (13, 8))
        wild = play(BLACK, "31", (8, 1), (6, 2))
        report = check_record(match(game(lost, wild)))
        assert found(report) == [(1, 1, "G11")]
        assert report.unjudged == 1
        again = replace(wild, after=START)
        assert [move for move, _ in checked(lost, again, play(WHITE, "31", (8, 4), (6, 5)))] == [1, 2]

    def test_a_play_that_is_missing(self) -> None:
        bare = Turn(side=WHITE, dice=(3, 1))
        assert checked(bare) == []  # the last roll of a game that was broken off
        assert checked(bare, OPENING[1]) == [(1, "M3")]
        points = [0] * 24
        points[5], points[0] = 1, -2
        forced = Position(tuple(points), off=(14, 13))
        assert checked(Turn(side=WHITE, dice=(4, 1)), play(BLACK, "11", (24, 23)), start=forced) != []
        assert checked(Turn(side=WHITE, dice=(6, 6)), start=forced) == []  # there was but one play

    @pytest.mark.parametrize(
        "turn",
        [
            play(WHITE, "70", (8, 5)),
            Turn(side=WHITE, moves=((8, 5), (6, 5))),
        ],
    )
    def test_a_roll_that_is_none(self, turn: Turn) -> None:
        """D1."""
        assert checked(turn, OPENING[1]) == [(1, "D1")]

    def test_a_side_without_fifteen_checkers(self) -> None:
        """G1."""
        few = (*START.points[:5], 4, *START.points[6:])
        assert checked(*OPENING, start=replace(START, points=few)) == [(0, "G1")]  # judged all the same
        many = replace(START, off=(99, 0))
        assert checked(*OPENING, start=many) == [(0, "G1")]
        assert checked(replace(OPENING[0], after=many), OPENING[1]) == [(1, "G1")]

    def test_the_rules_decide(self) -> None:
        """L3."""
        turns = (play(WHITE, "66", (24, 18), (24, 18)),)
        none = replace(default_rules(LONG), head_exc=())
        assert checked(*turns, rules=default_rules(LONG)) == []
        assert checked(*turns, rules=none) == [(1, "L2")]

    def test_the_rules_of_the_record_hold_unless_others_are_given(self) -> None:
        none = replace(default_rules(LONG), head_exc=())
        record = match(game(play(WHITE, "66", (24, 18), (24, 18)), start=HEADS), kind=LONG, rules=none)
        assert not check_record(record).legal
        assert check_record(record, default_rules(LONG)).legal
        with pytest.raises(WrongRules, match=r"short\.default is for backgammon"):
            check_record(record, default_rules(SHORT))


class TestOrder:
    def test_out_of_turn(self) -> None:
        """G10."""
        assert checked(OPENING[0], play(WHITE, "64", (24, 14))) == [(2, "G10")]
        assert checked(*OPENING, first=BLACK) == [(1, "G10")]

    def test_a_side_that_is_shut_out_need_not_be_written_down(self) -> None:
        """M6: no roll enters against six closed points."""
        points = [0] * 24
        points[:6] = [2, 2, 2, 2, 2, 2]
        points[12] = 3
        shut = Position(tuple(points), bar=(0, 1), off=(0, 14))
        turns = (play(WHITE, "21", (13, 11), (13, 12)), play(WHITE, "21", (13, 11), (12, 11)))
        assert checked(*turns, start=shut) == []
        assert checked(*turns, start=replace(shut, points=(0, 0, *shut.points[2:]), off=(4, 14))) == [
            (2, "G10")
        ]

    def test_the_first_roll_is_no_double(self) -> None:
        """G7."""
        turn = play(WHITE, "33", (24, 21), (24, 21), (13, 10), (13, 10))
        assert checked(turn) == [(1, "G7")]
        assert checked(turn, rules=replace(default_rules(SHORT), opening_roll="rethrow")) == []

    def test_the_winner_begins(self) -> None:
        """G9."""
        won = game(OPENING[0], act(BLACK, "resign", 1), winner=WHITE, points=1)
        rules = replace(default_rules(SHORT), next_game_start="winner_starts")
        black = game(play(BLACK, "31", (8, 5), (6, 5)), score=(1, 0))
        assert found(check_record(match(won, black), rules)) == [(2, 0, "G9")]
        assert check_record(match(won, black)).legal
        assert check_record(match(won, game(*OPENING, score=(1, 0))), rules).legal

    def test_who_begins_otherwise_throws_both_dice(self) -> None:
        """G7, G9, C2: without a roll-off the first roll may be a double, and a double come before it."""
        won = game(OPENING[0], act(BLACK, "resign", 1), winner=WHITE, points=1)
        rules = replace(default_rules(SHORT), next_game_start="winner_starts")
        cube = act(WHITE, "double", 2), act(BLACK, "take")
        double = play(WHITE, "33", (24, 21), (24, 21), (13, 10), (13, 10))
        second = game(*cube, double, score=(1, 0))
        assert check_record(match(won, second), rules).legal
        assert found(check_record(match(won, second))) == [(2, 1, "C2"), (2, 2, "G7")]
        assert found(check_record(match(game(*cube, double)), rules)) == [(1, 1, "C2"), (1, 2, "G7")]

    def test_who_had_black_begins(self) -> None:
        """G9: with White, and with his score."""
        rules = replace(default_rules(LONG), next_game_start="swap_colours")
        won = game(play(WHITE, "31", (24, 20)), act(BLACK, "resign", 1), start=HEADS, winner=WHITE, points=1)
        again = {side: game(play(side, "31", (24, 20)), start=HEADS, score=(0, 1)) for side in Side}
        assert check_record(match(won, again[WHITE], kind=LONG), rules).legal
        assert found(check_record(match(won, again[BLACK], kind=LONG), rules)) == [(2, 0, "G9")]

    def test_a_turn_after_the_end(self) -> None:
        """B7."""
        points = [0] * 24
        points[0], points[23] = 1, -1
        start = Position(tuple(points), off=(14, 14))
        turns = (play(WHITE, "21", (1, OFF)), play(BLACK, "21", (1, OFF)))
        assert checked(*turns, start=start) == [(1, "B7")]
        assert checked(*turns[:1], start=start, winner=WHITE, points=1) == []


class TestCube:
    TAKEN = (*OPENING, act(WHITE, "double", 2), act(BLACK, "take", 2))
    REPLY = play(WHITE, "21", (13, 11), (6, 5))

    @pytest.mark.parametrize(
        ("turns", "rules"),
        [
            (TAKEN, []),
            ((*TAKEN, REPLY, act(BLACK, "double", 4), act(WHITE, "drop")), []),
            ((act(WHITE, "double"),), ["C2"]),  # before the first roll
            ((OPENING[0], act(WHITE, "double")), ["C2"]),
            ((*TAKEN, act(WHITE, "double")), ["C4"]),
            ((*OPENING, act(WHITE, "double", 8)), ["C1"]),
            ((*OPENING, act(WHITE, "take")), ["C3"]),
            ((*OPENING, act(WHITE, "double"), act(WHITE, "take")), ["C3"]),
            ((*OPENING, act(WHITE, "double"), REPLY), ["C3"]),
            ((*OPENING, act(WHITE, "double"), act(BLACK, "beaver")), ["C5"]),
            ((*OPENING, act(WHITE, "double"), act(BLACK, "drop"), REPLY), ["C3"]),
        ],
    )
    def test_who_may_do_what(self, turns: tuple[Turn, ...], rules: list[str]) -> None:
        """C1 to C4."""
        assert [rule for _, rule in checked(*turns)] == rules

    def test_beavers_and_raccoons(self) -> None:
        """C5."""
        rules = replace(default_rules(SHORT), beaver=True, raccoon=True)
        beaver = (*OPENING, act(WHITE, "double", 2), act(BLACK, "beaver", 4))
        taken = (*beaver, act(WHITE, "take", 4), self.REPLY, act(BLACK, "double", 8))
        assert checked(*taken, rules=rules) == []
        assert checked(*beaver, act(WHITE, "raccoon", 8), act(BLACK, "take", 8), rules=rules) == []
        assert checked(*beaver, act(WHITE, "raccoon", 8), rules=replace(rules, raccoon=False)) == [(3, "C5")]
        assert checked(*OPENING, act(WHITE, "beaver", 4), rules=rules) == [(2, "C5")]
        assert checked(*beaver[:3], act(BLACK, "beaver", 8), rules=rules) == [(2, "C5")]
        dropped = (*beaver, act(WHITE, "drop"))
        assert checked(*dropped, rules=rules, winner=BLACK, points=2) == []
        assert checked(*dropped, rules=rules, winner=BLACK, points=4) == [(0, "C3")]

    def test_no_cube_and_a_cap(self) -> None:
        """C1, C4."""
        assert checked(*self.TAKEN, rules=replace(default_rules(SHORT), cube=False)) == [(2, "C1")]
        capped = replace(default_rules(SHORT), cube_cap=2)
        again = (*self.TAKEN, self.REPLY, act(BLACK, "double", 4))
        assert checked(*self.TAKEN, rules=capped) == []
        assert checked(*again, rules=capped) == [(3, "C4")]

    def test_automatic_doubles_show_in_the_first_stake(self) -> None:
        """C6."""
        rules = replace(default_rules(SHORT), auto_doubles=1)
        turns = (*OPENING, act(WHITE, "double", 4), act(BLACK, "drop"))
        assert checked(*turns, rules=rules, winner=WHITE, points=2) == []
        assert checked(*turns, winner=WHITE, points=2) == [(2, "C1"), (0, "C3")]

    def test_crawford(self) -> None:
        """C9: the game after a side came within a point, and no other."""
        won = game(*OPENING, act(WHITE, "double", 2), act(BLACK, "take", 2), winner=WHITE, points=2)
        cubed = replace(game(*OPENING, act(WHITE, "double", 2), act(BLACK, "drop")), winner=WHITE, points=1)
        at = replace(cubed, score=(2, 0))
        assert found(check_record(match(won, at, length=3))) == [(2, 2, "C9")]
        assert check_record(match(won, at, length=5)).legal
        assert check_record(match(won, at, length=3), replace(default_rules(SHORT), crawford=False)).legal
        lost = game(OPENING[0], act(WHITE, "resign", 1), winner=BLACK, points=1, score=(2, 0), crawford=True)
        after = replace(cubed, score=(2, 1))
        assert check_record(match(won, lost, after, length=3)).legal
        marked = replace(after, crawford=True)
        assert found(check_record(match(won, lost, marked, length=3))) == [(3, 0, "C9"), (3, 2, "C9")]
        alone = match(replace(after, crawford=True), length=3)  # a record that begins in mid-match
        assert found(check_record(alone)) == [(1, 2, "C9")]


class TestResults:
    END = Position(tuple([1] + [0] * 22 + [-15]), off=(14, 0))
    OUT = (play(WHITE, "21", (1, OFF)),)

    @pytest.mark.parametrize(
        ("claim", "rules"),
        [
            ({}, []),
            ({"winner": WHITE, "points": 2, "result": "gammon"}, []),
            ({"winner": WHITE, "points": 1}, ["P4"]),
            ({"winner": WHITE, "points": 2, "result": "single"}, ["P4"]),
            ({"winner": BLACK, "points": 1}, ["B7"]),
        ],
    )
    def test_a_game_that_was_played_out(self, claim: dict[str, Any], rules: list[str]) -> None:
        """P4."""
        assert [rule for _, rule in checked(*self.OUT, start=self.END, **claim)] == rules

    def test_jacoby_needs_a_double(self) -> None:
        """C7."""
        rules = replace(default_rules(SHORT), jacoby=True)
        assert checked(*self.OUT, rules=rules, start=self.END, winner=WHITE, points=1) == []
        assert checked(*self.OUT, rules=rules, start=self.END, winner=WHITE, points=2) == [(0, "P4")]
        taken = (act(WHITE, "double", 2), act(BLACK, "take", 2), *self.OUT)
        assert checked(*taken, rules=rules, start=self.END, winner=WHITE, points=4) == []

    def test_a_resignation(self) -> None:
        gammon = (OPENING[0], act(BLACK, "resign", 2))
        assert checked(*gammon, winner=WHITE, points=2) == []
        assert checked(*gammon, winner=WHITE, points=1) == [(0, "P4")]
        # Match text does not write it down: any grade will do, but nothing else.
        assert checked(*OPENING, winner=WHITE, points=3) == []
        assert checked(*OPENING, winner=WHITE, points=5) == [(0, "P4")]

    def test_mars(self) -> None:
        """P2."""
        points = [0] * 24
        points[0], points[11] = 1, -15
        start = Position(tuple(points), off=(14, 0))
        rules = default_rules(LONG)
        assert checked(*self.OUT, rules=rules, start=start, winner=WHITE, points=2, result="mars") == []
        assert checked(*self.OUT, rules=rules, start=start, winner=WHITE, points=1) == [(0, "P2")]

    def test_the_last_throw(self) -> None:
        """B8: Black, who moved second, has one more turn, and a draw if he finishes too."""
        points = [0] * 24
        points[0], points[12] = 1, -1
        start = Position(tuple(points), off=(14, 14))
        rules = replace(default_rules(LONG), last_throw=True)
        both = (*self.OUT, play(BLACK, "21", (1, OFF)))
        drawn: dict[str, Any] = {
            "rules": rules,
            "start": start,
            "first": WHITE,
            "result": "draw",
            "points": 0.5,
        }
        assert checked(*both, **drawn) == []
        assert checked(*both, **drawn | {"points": 1}) == [(0, "B8")]
        assert checked(*both, **drawn | {"rules": default_rules(LONG)}) == [(1, "B7"), (0, "B7")]
        assert checked(*self.OUT, **drawn | {"winner": WHITE, "result": "oin", "points": 1}) == []
        one = match(game(*both, start=start, first=WHITE, result="draw", points=0.5), kind=LONG)
        two = replace(one, games=(*one.games, game(start=HEADS, score=(0.5, 0.5))))
        assert check_record(two, rules).legal

    def test_scores_add_up(self) -> None:
        """C8."""
        won = game(OPENING[0], act(BLACK, "resign", 2), winner=WHITE, points=2)
        right, wrong = game(*OPENING, score=(2, 0)), game(*OPENING, score=(1, 0))
        assert check_record(match(won, right, length=5)).legal
        assert found(check_record(match(won, wrong, length=5))) == [(2, 0, "C8")]
        assert check_record(match(won, game(*OPENING), length=5)).legal  # a form without scores
        assert found(check_record(match(won, right, length=2))) == [(2, 0, "C8")]
        swapped = match(won, game(*OPENING, score=(0, 2)), length=5)
        assert found(check_record(swapped)) == [(2, 0, "C8")]
        swap = replace(default_rules(SHORT), next_game_start="swap_colours")
        assert check_record(swapped, swap).legal  # G9


class TestEvents:
    def events(self, *middle: Event) -> list[Event]:
        """A game in which White threw 3-1 in the wrong half, and played it."""
        plays = legal_plays(START, WHITE, (3, 1), default_rules(SHORT))
        after = next(play.after for play in plays if play.notation == "8/5 6/5")
        void = Throw(
            t=2.0, side=WHITE, colour="light", dice=(3, 1), valid=False, faults=("two_halves", "cocked")
        )
        made = PlayMade(
            t=9.0,
            side=WHITE,
            colour="light",
            dice=(1, 3),
            moves=((8, 5), (6, 5)),
            notation="8/5 6/5",
            legal=True,
            rule=None,
            position=after,
            slots=(0,) * 24,
            bar=(0, 0),
            off=(0, 0),
        )
        return [GameStart(t=0.0, rules=default_rules(SHORT), position=START), void, *middle, made]

    def test_a_void_throw_that_was_played_is_told(self) -> None:
        """D10: it had to be thrown again."""
        report = check_events(self.events())
        (finding,) = report.findings
        assert [rule for rule, _ in finding.breaches] == ["D6", "D7", "D10"]
        assert finding.dice == (1, 3)
        assert (report.rolls, report.plays) == (1, 1)

    @pytest.mark.parametrize("fault", get_args(Fault))
    def test_whatever_made_it_void(self, fault: Fault) -> None:
        """D1 to D13, G10."""
        start, void, made = self.events()
        assert isinstance(void, Throw)
        (finding,) = check_events([start, replace(void, faults=(fault,)), made]).findings
        assert [rule for rule, _ in finding.breaches][1:] == ["D10"]

    def test_a_double_after_the_throw(self) -> None:
        """C2: as it was told, or as it was recorded for a good one; not where the throw was void."""
        start, void, made = self.events()
        thrown = Throw(t=4.0, side=WHITE, colour="light", dice=(3, 1), valid=True)
        double = CubeAction(t=5.0, side=WHITE, action="double", value=2)
        take = CubeAction(t=6.0, side=BLACK, action="take", value=2)
        told = replace(double, rule="C2")
        (finding,) = check_events([start, thrown, told, made]).findings
        assert finding.breaches == (("C2", "White doubled at 5.0 s after he had thrown"),)
        rules = replace(default_rules(SHORT), opening_roll="rethrow")
        assert found(check_events([start, thrown, double, take, made], rules)) == [(1, 0, "C2")]
        assert check_events([start, void, double, take, thrown, made], rules).legal
        (finding,) = check_events([start, thrown, replace(told, side=BLACK), made]).findings
        assert finding.breaches == (("C2", "Black doubled at 5.0 s although it was not his turn"),)

    def test_a_double_out_of_turn_does_not_make_the_next_play_one(self) -> None:
        """C2, and not G10 as well."""
        start, _, made = self.events()
        thrown = Throw(t=4.0, side=WHITE, colour="light", dice=(3, 1), valid=True)
        assert isinstance(made, PlayMade)
        double = CubeAction(t=10.0, side=WHITE, action="double", value=2)
        take = CubeAction(t=11.0, side=BLACK, action="take", value=2)
        play = next(p for p in legal_plays(made.position, BLACK, (6, 4), default_rules(SHORT)))
        black = replace(
            made, t=14.0, side=BLACK, colour="dark", dice=(6, 4), position=play.after, moves=(), notation=""
        )
        black = replace(black, moves=tuple((m.from_point, m.to_point) for m in play.moves))
        rolled = Throw(t=12.0, side=BLACK, colour="dark", dice=(6, 4), valid=True)
        report = check_events([start, thrown, made, double, take, rolled, black])
        assert [rule for f in report.findings for rule, _ in f.breaches] == ["C2"]

    def test_unless_it_was_let_stand_or_thrown_again(self) -> None:
        stands = Ruling(t=3.0, decision="stand", asked_by=BLACK, reason="")
        again = Throw(t=4.0, side=WHITE, colour="light", dice=(3, 1), valid=True)
        assert check_events(self.events(stands)).legal
        assert check_events(self.events(again)).legal


def random_game(kind: Game, rng: random.Random, most: int) -> tuple[list[Turn], list[Position]]:
    """The first turns of a random game, and the boards before each of them and after the last."""
    rules, turns, boards, side = default_rules(kind), list[Turn](), [Position.start(kind)], WHITE
    while game_result(boards[-1], rules) is None and len(turns) < most:
        dice = (rng.randint(1, 6), rng.randint(1, 6))
        if not turns and kind is SHORT and dice[0] == dice[1]:
            continue
        made = rng.choice(legal_plays(boards[-1], side, dice, rules))
        moves = tuple((m.from_point, m.to_point) for m in made.moves)
        turns.append(Turn(side=side, dice=dice, moves=moves))
        boards.append(made.after)
        side = side.other
    return turns, boards


class TestAnyRecord:
    @given(st.integers(0, 2**32), st.sampled_from(list(Game)))
    def test_a_random_game_is_legal_and_scored(self, seed: int, kind: Game) -> None:
        turns, boards = random_game(kind, random.Random(seed), 60)
        result = game_result(boards[-1], default_rules(kind))
        claim: dict[str, Any] = {"winner": result.winner, "points": result.points} if result else {}
        report = check_record(match(game(*turns, start=Position.start(kind), **claim), kind=kind))
        assert report.findings == ()
        assert report.plays == len(turns)

    @given(st.integers(0, 2**32), st.sampled_from(list(Game)))
    def test_a_play_that_is_changed_is_found_in_its_turn(self, seed: int, kind: Game) -> None:
        """E8 and all the others: one checker of one play stands elsewhere; the rest is as it stood."""
        rules, rng = default_rules(kind), random.Random(seed)
        turns, boards = random_game(kind, rng, 30)
        at = rng.choice([n for n, turn in enumerate(turns) if turn.moves])
        turn, before = turns[at], boards[at]
        assert turn.dice is not None
        assert turn.moves is not None
        place = rng.randrange(len(turn.moves))
        source, target = turn.moves[place]
        wrong = (source, min(24, max(0, target + rng.choice([-3, -2, -1, 1, 2, 3]))))
        moves = (*turn.moves[:place], wrong, *turn.moves[place + 1 :])
        # Later turns hold the boards that stood, so that they are legal whatever was changed here.
        later = [replace(t, moves=None, after=board) for t, board in zip(turns, boards[1:], strict=True)]
        changed = [*turns[:at], replace(turn, moves=moves)]
        report = check_record(match(game(*changed, start=Position.start(kind)), kind=kind))
        legal = {play.after for play in legal_plays(before, turn.side, turn.dice, rules)}
        made = moved(before, kind, turn.side, moves)
        if made is not None and made[0] in legal:
            assert report.legal
        else:
            (finding,) = report.findings
            assert finding.turn == at + 1
            assert finding.side is turn.side
            assert finding.nearest or len(legal) == 1
        kept = match(game(*changed[:-1], *later[at:], start=Position.start(kind)), kind=kind)
        assert check_record(kept).legal

    @given(
        st.lists(
            st.builds(
                Turn,
                side=st.sampled_from(list(Side)),
                action=st.sampled_from(
                    ["play", "play", "play", "double", "take", "drop", "beaver", "raccoon", "resign"]
                ),
                dice=st.none() | st.tuples(st.integers(1, 6), st.integers(1, 6)),
                moves=st.none()
                | st.lists(st.tuples(st.integers(0, 25), st.integers(0, 25)), max_size=4).map(tuple),
                value=st.sampled_from([0, 1, 2, 3, 4, 8]),
            ),
            max_size=12,
        ),
        st.sampled_from(list(Game)),
    )
    def test_any_record_has_a_report(self, turns: list[Turn], kind: Game) -> None:
        rules = replace(default_rules(kind), beaver=True, raccoon=True, cube=True, auto_doubles=2)
        record = match(game(*turns, start=Position.start(kind), winner=WHITE, points=3), kind=kind)
        report = check_record(record, rules)
        assert report.rolls <= len(turns)
        for finding in report.findings:
            assert finding.breaches
            assert all(rule and "\n" not in text for rule, text in finding.breaches)
