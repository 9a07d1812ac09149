"""``zarbiter rules``, ``legal`` and ``check`` as a user calls them."""

from __future__ import annotations

import json
import os
import random
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.catalogue import CATALOGUE, Row
from engine.legal import legal_plays
from engine.position import Game, Position, Side
from engine.rules import OPTIONS, RuleSet, default_rules
from hardware.camera import UnreadableInput
from tests.shared import DATA, shared
from zarbiter.cli import DONE, FOUND, UNREADABLE, WRONG_USAGE
from zarbiter.law import QuestionError, ask, check_cases, parse_dice
from zarbiter.matchfiles import read_match
from zarbiter.presets import preset, preset_names

from .test_cli import Run, run

__all__ = ["run"]
CASES = DATA / "law_cases.jsonl"


class TestRules:
    def test_without_a_name_all_are_listed(self, run: Run) -> None:
        status, out, err = run("rules")
        assert (status, err) == (DONE, "")
        lines = out.splitlines()
        assert [line.split()[0] for line in lines] == list(preset_names())
        assert all(preset(line.split()[0]).title in line for line in lines)
        listed = json.loads(run("rules", "--json")[1])
        assert [entry["name"] for entry in listed] == list(preset_names())

    @pytest.mark.parametrize("name", preset_names())
    def test_one_is_shown_with_every_option_and_where_it_is_from(self, run: Run, name: str) -> None:
        status, out, err = run("rules", name)
        rules = preset(name)
        assert (status, err) == (DONE, "")
        shown = {}
        for line in out.splitlines():
            mark, option, equals = line[:1], *line[2:].partition(" = ")[:2]
            if equals and option in OPTIONS:
                shown[option] = mark == "*"
                assert f"[{' '.join(OPTIONS[option].rows)}] {OPTIONS[option].text}" in line
        assert set(shown) == {option.name for option in OPTIONS.values() if rules.game in option.games}
        assert {option for option, marked in shown.items() if marked} == set(rules.differences())
        for text in (*rules.sources, *rules.unsettled):
            assert f"  - {text}\n" in out

    def test_as_json_it_is_the_rule_set_that_a_match_stores(self, run: Run) -> None:
        data = json.loads(run("rules", "long.classic", "--json")[1])
        assert RuleSet.from_mapping(data["rule_set"]) == preset("long.classic")
        assert data["options"]["block_timing"] == {
            "value": "step",
            "default": "end",
            "allowed": ["end", "step"],
            "rows": ["L10"],
            "text": OPTIONS["block_timing"].text,
        }

    def test_as_toml_it_is_a_file_of_ones_own(self, run: Run, tmp_path: Path) -> None:
        path = tmp_path / "long.classic.toml"
        path.write_text(run("rules", "long.classic", "--toml")[1])
        assert preset(str(path)) == preset("long.classic")
        assert run("rules", path)[1] == run("rules", "long.classic")[1]

    @pytest.mark.parametrize("row", CATALOGUE.values(), ids=lambda row: row.id)
    def test_a_rule_is_shown_with_what_the_rule_sets_choose_there(self, run: Run, row: Row) -> None:
        status, out, err = run("rules", row.id.lower())
        assert (status, err) == (DONE, "")
        assert out.startswith(f"{row.id}  {row.text}\n")
        data = json.loads(run("rules", row.id, "--json")[1])
        assert data["text"] == row.text
        for option in OPTIONS.values():
            assert (
                (row.id in option.rows) == (f"\n{option.name}  " in out) == (option.name in data["options"])
            )
        for name, choices in data["options"].items():
            assert choices == {rules: preset(rules).to_json()[name] for rules in choices}
            assert all(rules in out for rules in choices)

    def test_on_a_terminal_it_has_colours_and_fits(self, monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
        monkeypatch.setenv("FORCE_COLOR", "1")
        monkeypatch.setenv("COLUMNS", "80")
        status, out, _ = run("rules", "long.classic")
        assert status == DONE
        plain = re.sub(r"\x1b\[[0-9;]*m", "", out)
        assert plain != out
        assert "* block_timing = step  [L10]\n    Walls are judged when" in plain
        assert max(map(len, plain.splitlines())) <= 80

    @pytest.mark.parametrize(
        ("arguments", "why"),
        [
            (["long.clasic"], "do you mean long.classic"),
            (["gone.toml"], "gone.toml: no such file"),
            (["long.classic", "--json", "--toml"], "exclude each other"),
            (["--toml"], "needs the name of a rule set"),
            (["L7", "--toml"], "L7 is a rule"),
            (["l99"], "there is no rule L99; there are L1 to L11"),
            (["Z1"], "no rule set 'Z1'"),
        ],
    )
    def test_what_makes_no_sense(self, run: Run, arguments: list[str], why: str) -> None:
        status, out, err = run("rules", *arguments)
        assert (status, out) == (WRONG_USAGE, "")
        assert why in err


class TestLegal:
    def test_the_plays_of_a_roll(self, run: Run) -> None:
        status, out, err = run("legal", "start", "6-5")
        assert (status, err) == (DONE, "")
        first, *lines = out.splitlines()
        plays = legal_plays(
            Position.start(Game.BACKGAMMON), Side.WHITE, (6, 5), default_rules(Game.BACKGAMMON)
        )
        assert first == f"White to play 6-5 by short.default: {len(plays)} plays"
        told = [line.split("  ")[1] for line in lines]
        assert sorted(told) == sorted(play.notation for play in plays)
        # From the checkers furthest behind on, as the notation is.
        assert told == ["24/13", "24/18 13/8", "24/18 8/3", "13/8 13/7", "13/8 8/2", "13/7 8/3", "8/3 8/2"]

    def test_a_position_that_is_printed_can_be_asked_about(self, run: Run) -> None:
        line = run("legal", "nardy:start", "6-6")[1].splitlines()[1]
        printed = line.split()[-1]
        status, out, _ = run("legal", printed, "31", "--side", "black", "--rules", "long.classic")
        assert status == DONE
        assert out.startswith("Black to play 3-1 by long.classic: ")

    def test_ways(self, run: Run) -> None:
        """M1: the order is free."""
        _, out, _ = run("legal", "start", "6-5", "--ways")
        assert "      24/18, 18/13\n" in out
        data = json.loads(run("legal", "start", "6-5", "--ways", "--json")[1])
        assert [[[13, 8], [13, 7]], [[13, 7], [13, 8]]] in [sorted(p["ways"])[::-1] for p in data["plays"]]

    def test_as_json(self, run: Run) -> None:
        data = json.loads(run("legal", "start", "66", "--rules", "long.classic", "--json")[1])
        assert data["rules"] == "long.classic"
        assert data["game"] == "long-nardy"
        assert data["dice"] == [6, 6]
        (play,) = data["plays"]
        assert play["notation"] == "24/18(2)"
        assert play["moves"] == [[24, 18], [24, 18]]
        assert Position.from_json(play["position"]).points[17] == 2
        assert "ways" not in play
        last = json.loads(run("legal", "backgammon:w=1:1/b=20:1", "6-1", "--json", "--ways")[1])["plays"]
        assert [play["moves"] for play in last] == [[[1, "off"]]]
        assert last[0]["ways"] == [[[1, "off"]]]

    def test_nothing_can_be_played(self, run: Run) -> None:
        """M6."""
        shut = "backgammon:w=bar:1,13:14/b=1:2,2:2,3:2,4:2,5:2,6:5"
        assert run("legal", shut, "6-5")[1] == "White to play 6-5 by short.default: no play\n"

    @pytest.mark.parametrize(
        ("arguments", "why"),
        [
            ([], "a position and a roll are needed"),
            (["start"], "the position has no dice"),
            (["start", "7-1"], "'7-1' is not a roll of two dice"),
            (["start", "1"], "is not a roll of two dice"),
            (["start", "6" * 999], "is not a roll of two dice"),
            (["here", "6-5"], "'here' is no position"),
            (["nardy:start", "65", "--game", "backgammon"], "the position is one of long-nardy"),
            (["start", "65", "--rules", "short"], "no rule set 'short'"),
            (["start", "65", "--game", "long-nardy", "--rules", "short.us"], "is for backgammon"),
            (["nardy:w=24:14,off:0/b=24:15", "65"], "white has 14 checkers, not 15"),
            (["start", "65", "--check", "x.jsonl"], "takes position, roll, side and rules from the file"),
            (["start", "65", "--side", "red"], "'red' is not one of"),
        ],
    )
    def test_what_makes_no_sense(self, run: Run, arguments: list[str], why: str) -> None:
        status, out, err = run("legal", *arguments)
        assert (status, out) == (WRONG_USAGE, "")
        assert why in err

    @given(st.text())
    def test_any_roll_and_any_position_is_answered_or_refused(self, text: str) -> None:
        with suppress(QuestionError):
            assert parse_dice(text)
        with suppress(QuestionError):
            assert ask(text, "6-5", None, None)


class TestCases:
    @pytest.mark.parametrize("name", ["backgammon_moves", "long_nardy_moves", "long_nardy_cases"])
    def test_the_whole_corpus(self, run: Run, name: str) -> None:
        path = shared("corpus", f"{name}.jsonl")
        status, out, _ = run("legal", "--check", path)
        lines = len(path.read_text().splitlines())
        assert out == f"{path}: {lines} lines, {lines} as expected, 0 differ\n"
        assert status == DONE

    def test_a_sample_of_it(self, run: Run) -> None:
        """H: the head; B: walls; S and D: scores, last throws."""
        status, out, _ = run("legal", "--check", CASES)
        assert out.endswith("as expected, 0 differ\n")
        assert status == DONE

    @pytest.mark.parametrize("option", ["timing", "block", "head_exc", "note_55_44", "scoring", "last_throw"])
    def test_the_options_of_a_line_decide(self, option: str) -> None:
        """A case of which one option is taken away differs, unless it is the usual one."""
        differ = 0
        for line in CASES.read_text().splitlines():
            case = json.loads(line)
            if case.get("options", {}).pop(option, None) is not None:
                differ += sum(found is not None for found in check_cases([json.dumps(case)]))
        assert differ > 0

    def test_what_differs_is_told(self, run: Run, tmp_path: Path) -> None:
        case = json.loads(CASES.read_text().splitlines()[0])
        case["after"][0][0][0] += 1
        case["after"][0][2] = [0, 1]
        wrong = {**case, "id": "X1"}
        score = {"id": "X2", "kind": "score", "game": "long_nardy", "winner": "white", "loser_off": 1}
        score |= {"loser_all_home": True, "loser_on_head": 0, "points": 2}
        path = tmp_path / "cases.jsonl"
        path.write_text(
            "\n".join([json.dumps(wrong), "", json.dumps(score), *CASES.read_text().splitlines()[:1]])
        )
        status, out, err = run("legal", "--check", path)
        assert (status, err) == (FOUND, "")
        first, second, total = out.splitlines()
        assert first.startswith(f"{path}: line 1: X1: missing: nardy:w=")
        assert "; too much: nardy:w=" in first
        assert second == f"{path}: line 3: X2: the line says points 2; by the rules it is points 1"
        assert total == f"{path}: 3 lines, 1 as expected, 2 differ"
        data = json.loads(run("legal", "--check", path, "--json")[1])
        assert [entry["line"] for entry in data["differ"]] == [1, 3]
        assert data["lines"] == 3

    @pytest.mark.parametrize(
        ("line", "why"),
        [
            ("x", "cannot be read: Expecting value"),
            ("[]", "not a JSON object"),
            ("{}", "the line has no game"),
            ('{"game": "chess"}', "game = 'chess' is not allowed"),
            ('{"game": "backgammon"}', "the line has no board"),
            ('{"game": "backgammon", "kind": "poem"}', "a line of kind 'poem'"),
            ('{"game": "long_nardy", "options": {"blok": 1}}', "there is no option blok"),
            ('{"game": "long_nardy", "options": {"head_exc": [[3]]}}', "cannot be read"),
            ('{"game": "long_nardy", "options": {"scoring": ["x"]}}', "cannot be read"),
            ('{"game": "long_nardy", "options": 3}', "cannot be read"),
            ('{"game": "long_nardy", "kind": "score"}', "a score line has no winner"),
            ("[" * 100_000, "too many brackets"),
            ('{"game": ' + "9" * 9000 + "}", "cannot be read"),
        ],
    )
    def test_a_line_that_makes_no_sense_differs(self, line: str, why: str) -> None:
        (found,) = check_cases([line])
        assert found is not None
        assert why in str(found)
        assert "\n" not in str(found)

    @given(st.data())
    def test_any_damage_to_a_line_is_told(self, data: st.DataObject) -> None:
        line = data.draw(st.sampled_from(CASES.read_text().splitlines()))
        at = data.draw(st.integers(0, len(line) - 1))
        until = data.draw(st.integers(at, min(len(line), at + 20)))
        damaged = line[:at] + data.draw(st.text('0123456789-[]{},":abc ', max_size=6)) + line[until:]
        for found in check_cases([damaged]):
            assert found is None or "\n" not in str(found)

    @pytest.mark.parametrize(
        ("content", "why"),
        [
            (None, "no such file"),
            (b"", "the file is empty"),
            (b"\xff\xfe", "is not UTF-8 text"),
            (b"\n", "empty"),
        ],
    )
    def test_a_file_that_cannot_be_read(
        self, run: Run, tmp_path: Path, content: bytes | None, why: str
    ) -> None:
        path = tmp_path / "cases.jsonl"
        if content is not None:
            path.write_bytes(content)
        status, out, err = run("legal", "--check", path)
        assert (status, out) == (UNREADABLE, "")
        assert why in err
        assert err.count("\n") == 1


MAT = """ 5 point match

 Game 1
 Ann : 0                          Bob : 0
  1)                              31: 8/5 6/5
  2) 64: 24/18 13/9               52: 13/8 13/11
  3)  Doubles => 2                 Takes
  4) 65: 18/13 9/4                42: 8/4 6/4
"""


class TestCheck:
    @pytest.fixture
    def mat(self, tmp_path: Path) -> Path:
        path = tmp_path / "game.mat"
        path.write_text(MAT)
        return path

    def test_a_match_of_another_program(self, run: Run, mat: Path) -> None:
        status, out, err = run("check", mat)
        assert (status, err) == (FOUND, "")
        found, total = out.splitlines()
        assert found.startswith(f"{mat}: game 1, move 4 (line 8): Ann (white) 6-5 18/13 9/4: ")
        assert "; legal: " in found
        assert total == f"{mat}: 1 game, 5 rolls, 5 plays: 1 finding, by short.default"

    def test_a_match_in_which_all_is_legal(self, run: Run, mat: Path) -> None:
        mat.write_text(MAT.replace("18/13 9/4", "13/7 13/8"))
        status, out, _ = run("check", mat)
        assert out == f"{mat}: 1 game, 5 rolls, 5 plays: all legal, by short.default\n"
        assert status == DONE

    @pytest.mark.parametrize("name", ["gnubg.mat", "site_words.mat", "xg.mat"])
    def test_matches_in_the_ways_of_other_programs_are_legal(self, run: Run, name: str) -> None:
        status, out, _ = run("check", DATA / "mat" / name)
        assert out.endswith(": all legal, by short.default\n")
        assert status == DONE

    def test_as_json(self, run: Run, mat: Path) -> None:
        status, out, _ = run("check", mat, "--json")
        data = json.loads(out)
        assert status == FOUND
        assert data["legal"] is False
        (finding,) = data["findings"]
        assert (finding["game"], finding["move"], finding["line"]) == (1, 4, 8)
        assert finding["side"] == "white"
        assert finding["dice"] == [6, 5]
        assert finding["breaches"]
        assert finding["nearest"]

    def test_the_rules_that_are_asked_for(self, run: Run, mat: Path, tmp_path: Path) -> None:
        own = tmp_path / "own.toml"
        own.write_text('base = "short.match"\ncube = false\n')
        _, out, _ = run("check", mat, "--rules", own)
        assert "C1 there is no cube under these rules" in out
        status, out, err = run("check", mat, "--rules", "long.classic")
        assert (status, out) == (WRONG_USAGE, "")
        why = "the rule set long.classic is for long-nardy, the match is one of backgammon"
        assert err == f"zarbiter: {mat}: {why}\n"

    @pytest.mark.parametrize(
        ("name", "content", "why"),
        [
            ("gone.mat", None, "no such file"),
            ("empty.mat", b"", "the file is empty"),
            ("noise.mat", bytes(range(256)) * 20, ""),
            ("text.mat", b"these are notes, no match\n" * 9, ""),
            ("cut.jsonl", b'{"type": "board", ', "not JSON"),
            ("other.jsonl", b'{"type": "poem"}\n', "not an event"),
            ("deep.jsonl", b"[" * 100_000, ""),
        ],
    )
    def test_a_file_that_cannot_be_read(
        self, run: Run, tmp_path: Path, name: str, content: bytes | None, why: str
    ) -> None:
        path = tmp_path / name
        if content is not None:
            path.write_bytes(content)
        status, out, err = run("check", path)
        assert (status, out) == (UNREADABLE, "")
        assert err.startswith(f"zarbiter: {path}: ")
        assert why in err
        assert err.count("\n") == 1

    def test_a_folder_or_a_pipe_is_no_file(self, run: Run, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe.mat")
        for path in (tmp_path, tmp_path / "pipe.mat"):
            status, _, err = run("check", path)
            assert (status, err) == (UNREADABLE, f"zarbiter: {path}: is not a file\n")

    def test_a_file_that_is_too_large(self, run: Run, mat: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("zarbiter.matchfiles.LARGEST", len(MAT) - 1)
        status, _, err = run("check", mat)
        assert status == UNREADABLE
        assert err.startswith(f"zarbiter: {mat}: is larger than ")

    def test_damaged_matches(self, tmp_path: Path) -> None:
        """A match is read or refused in one line, whatever is done to it."""
        rng, path = random.Random(7), tmp_path / "game.mat"
        for _ in range(300):
            data = bytearray(MAT.encode())
            for _ in range(rng.randint(1, 8)):
                data[rng.randrange(len(data))] = rng.randrange(256)
            path.write_bytes(bytes(data[: rng.randint(1, len(data))]))
            message = refusal(path)
            assert message is None or message.startswith(str(path))
            assert "\n" not in (message or "")


def refusal(path: Path) -> str | None:
    """Why a match file cannot be read."""
    try:
        read_match(path)
    except UnreadableInput as error:
        return str(error)
    return None


def test_the_json_of_a_finding_names_only_what_json_has(run: Run, tmp_path: Path) -> None:
    """Nothing in a report is left to the text form alone."""
    path = tmp_path / "game.mat"
    path.write_text(MAT)
    data: dict[str, Any] = json.loads(run("check", path, "--json")[1])
    assert {"file", "game", "rules", "legal", "games", "rolls", "plays", "unjudged", "findings"} == set(data)
