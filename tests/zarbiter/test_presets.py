"""The rule sets that ship, and what is said of one that makes no sense."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from string import printable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.position import Game
from engine.rules import OPTIONS, RuleSet, default_rules
from zarbiter.presets import LARGEST, PresetError, preset, preset_names, preset_toml

CATALOGUE = {  # rules.md, section 10
    "long.moscow_open": {
        "head_exc": (3, 4, 6),
        "head_mode": "up_to_two",
        "block": "ahead",
        "block_timing": "end",
        "last_throw": False,
        "scoring": "oin_mars",
        "next_game_start": "winner_starts",
        "touch_move": True,
        "dice_from": "cup_on_demand",
        "direction": "either",
    },
    "long.classic": {
        "head_exc": (3, 4, 6),
        "head_mode": "if_stuck",
        "note_55_44": True,
        "block": "ahead",
        "block_timing": "step",
        "next_game_start": "swap_colours",
        "turn_end": ("dice_lifted", "dice_handed_over"),
    },
    "long.club_home_block": {
        "block": "home",
        "turn_end": ("clock", "dice_handed_over"),
        "next_game_start": "winner_starts",
        "touch_move": True,
    },
    "long.casual": {"head_exc": (1, 2, 3, 4, 5, 6), "block": "ahead", "scoring": "oin_mars"},
    "short.match": {"crawford": True, "cube": True, "jacoby": False, "beaver": False, "auto_doubles": 0},
    "short.money": {"jacoby": True, "beaver": True, "auto_doubles": 0, "crawford": False, "match_length": 0},
}
TOURNAMENTS = {
    "short.wbgf_legal": {"illegal_policy": "auto_reject", "throw_half": "right_half", "crawford": True},
    "short.wbgf_responsible": {"illegal_policy": "opponent_choice", "throw_half": "right_half"},
    "short.us": {"early_roll": "allowed", "dice_from": "cup_required", "throw_half": "right_half"},
    "long.federation_ru": {"cube": True, "opening_roll": "uses_rolloff", "block": "ahead"},
}


class TestShipped:
    @pytest.mark.parametrize(("name", "options"), [*CATALOGUE.items(), *TOURNAMENTS.items()])
    def test_it_decides_as_the_catalogue_says(self, name: str, options: dict[str, Any]) -> None:
        rules = preset(name)
        assert {key: getattr(rules, key) for key in options} == options

    @pytest.mark.parametrize("name", preset_names())
    def test_it_is_named_sourced_and_frank(self, name: str) -> None:
        rules = preset(name)
        assert rules.name == name
        assert rules.game is (Game.LONG_NARDY if name.startswith("long.") else Game.BACKGAMMON)
        assert rules.title
        assert rules.sources
        assert rules.unsettled

    @pytest.mark.parametrize("name", preset_names())
    def test_every_option_that_it_sets_names_its_rows(self, name: str) -> None:
        text = Path(__file__).parents[2].joinpath("zarbiter", "presets", f"{name}.toml").read_text()
        set_here = {}
        for line in text.splitlines():
            key, equals, rest = line.partition(" = ")
            if equals and key in OPTIONS:
                set_here[key] = rest.partition("#")[2]
        assert set_here
        for key, comment in set_here.items():
            numbers = comment.split(":")[0].replace(",", " ").split()
            assert set(numbers) & set(OPTIONS[key].rows), f"{key}: no row of {OPTIONS[key].rows} is named"

    @pytest.mark.parametrize("game", list(Game))
    def test_the_default_is_that_of_the_engine(self, game: Game) -> None:
        name = default_rules(game).name
        assert preset(name).differences() == {}
        assert preset(name).title == default_rules(game).title

    @pytest.mark.parametrize("name", preset_names())
    def test_written_as_a_preset_file_it_is_read_again(self, name: str, tmp_path: Path) -> None:
        path = tmp_path / f"{name}.toml"
        path.write_text(preset_toml(preset(name)), encoding="utf-8")
        assert preset(str(path)) == preset(name)

    @given(st.data())
    def test_json_and_toml_hold_any_rule_set(self, tmp_path_factory: Any, data: st.DataObject) -> None:
        rules = data.draw(rule_sets())
        assert RuleSet.from_mapping(rules.to_json()) == rules
        path = tmp_path_factory.getbasetemp() / "any.toml"
        path.write_text(preset_toml(rules), encoding="utf-8")
        assert replace(preset(str(path)), name=rules.name) == rules


@st.composite
def rule_sets(draw: st.DrawFn) -> RuleSet:
    """A shipped rule set with some options drawn anew and any texts."""
    rules = preset(draw(st.sampled_from(preset_names())))
    changes: dict[str, Any] = {
        "title": draw(st.text(st.characters(exclude_categories=["Cs"]))),
        "sources": tuple(draw(st.lists(st.text(printable), max_size=3))),
    }
    for option in OPTIONS.values():
        if isinstance(option.allowed, tuple) and rules.game in option.games and option.name != "scoring":
            changes[option.name] = draw(st.sampled_from(option.allowed))
    if changes["raccoon"]:
        changes["beaver"] = True
    return replace(rules, **changes)


@pytest.fixture
def own(tmp_path: Path) -> Any:
    """A preset file of one's own, given its content."""

    def write(content: str | bytes) -> str:
        path = tmp_path / "club.toml"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return write


class TestOwnFiles:
    def test_options_that_are_left_out_have_the_default(self, own: Any) -> None:
        rules = preset(own('game = "long-nardy"\nblock = "home"'))
        assert rules.name == "club"
        assert rules.differences() == {"block": "home"}

    def test_a_base_is_changed_in_a_few_options(self, own: Any) -> None:
        rules, base = preset(own('base = "long.classic"\nlast_throw = true')), preset("long.classic")
        assert rules == replace(
            base,
            name="club",
            last_throw=True,
            title="Long nardy, classic, changed: last_throw",
            sources=("long.classic, changed: last_throw", *base.sources),
        )

    def test_another_scheme_brings_its_own_points(self, own: Any) -> None:
        rules = preset(own('base = "long.classic"\nscoring = "four_grade"'))
        assert rules.grades == (("simple", 1), ("mars", 2), ("home_mars", 3), ("koks", 4))
        rules = preset(own('base = "long.classic"\ngrades = {oin = 1, mars = 3}'))
        assert rules.grade("mars") == 3

    @pytest.mark.parametrize(
        ("content", "why"),
        [
            ("", "game is missing; it may be: backgammon, long-nardy"),
            ('game = "chess"', "game = 'chess' is not allowed; it may be: backgammon, long-nardy"),
            ("game = 3", "game = 3 is not allowed"),
            ('game = "long-nardy"\nblok = "home"', "there is no option 'blok'; do you mean block?"),
            ('game = "long-nardy"\n"\\u001b[2J" = 1', "there is no option '\\x1b[2J'; `zarbiter rules"),
            (
                'game = "long-nardy"\nblock = "never"',
                "block = 'never' is not allowed; it may be: ahead, home, none",
            ),
            ('game = "long-nardy"\nlast_throw = 1', "last_throw = 1 is not allowed; it may be: false, true"),
            ('game = "long-nardy"\nhead_exc = [7]', "head_exc = [7] is not allowed; it may be: a list of 1,"),
            ('game = "long-nardy"\nhead_exc = [[3]]', "head_exc = [[3]] is not allowed; it may be: a list"),
            ('game = "long-nardy"\nhead_exc = [3, 3]', "head_exc = [3, 3] is not allowed"),
            ('game = "long-nardy"\nhead_exc = 2024-01-01', "head_exc = datetime.date(2024, 1, 1) is not"),
            ('game = "long-nardy"\n[block]\na = 1', "block = {'a': 1} is not allowed; it may be: ahead"),
            ('game = "long-nardy"\njacoby = nan', "is not allowed; it may be: false, true"),
            ('game = "backgammon"\nblock = "home"', "block is an option of long-nardy, not of backgammon"),
            ('game = "backgammon"\nscoring = ["x"]', "scoring = "),
            ('game = "backgammon"\ngrades = {single = 0}', "whole number from 1 to 99"),
            (
                'game = "backgammon"\ngrades = {single = 1}',
                "grades of single_gammon_backgammon are: single, ",
            ),
            ('game = "backgammon"\nraccoon = true', "raccoon = True makes no sense while beaver = False"),
            ('game = "backgammon"\nmatch_length = -1', "it may be: a whole number from 0 to 999"),
            ('game = "backgammon"\ntitle = 3', "title = 3 is not a text"),
            ('game = "backgammon"\nsources = "x"', "sources = 'x' is not a list of texts"),
            ('game = "backgammon"\nsources = [["x"]]', "sources = [['x']] is not allowed"),
            ('base = "long.clasic"', "no rule set 'long.clasic'; do you mean long.classic"),
            ("base = 3", "base = 3 is not the name of a rule set"),
            ('base = "other.toml"', "no rule set 'other.toml'"),
            ('base = "long.classic"\ngame = "backgammon"', "but its base long.classic is for long-nardy"),
            ('game = "backgammon"\nx', "is not TOML: "),
            ('game = "backgammon"\nblock = \n', "(at line 2, column"),
            ('game = "backgammon"\ngame = "backgammon"', "is not TOML: Cannot overwrite a value"),
            (f"a = {'[' * 20_000}", "too many brackets within brackets"),
            (f"a = {'9' * 9_000}", "is not TOML: "),
            (b"\xff\xfeg\0a\0", "is not UTF-8 text (byte 0)"),
            (b"game = \0\0\0", "is not TOML: "),
            (b"#" * (LARGEST + 1), "is larger than 64 KiB"),
        ],
    )
    def test_one_line_names_file_key_and_what_is_allowed(
        self, own: Any, content: str | bytes, why: str
    ) -> None:
        path = own(content)
        with pytest.raises(PresetError) as caught:
            preset(path)
        message = str(caught.value)
        assert message.startswith(path)
        assert why in message
        assert "\n" not in message
        assert len(message) < len(path) + 400

    @pytest.mark.parametrize(
        ("name", "why"),
        [
            ("nothing", "no rule set 'nothing'; there are long.casual, "),
            ("long.clasic", "do you mean long.classic; or give the path of a .toml file"),
            (
                "clubs/ours",
                "'clubs/ours' is no rule set; the file of one's own has a name that ends in .toml",
            ),
            ("../short.match", "ends in .toml"),
            ("", "no rule set ''"),
            ("gone.toml", "gone.toml: no such file or directory"),
            ("x\0.toml", "null"),
            ("é" * 300 + ".toml", "name too long"),
        ],
    )
    def test_a_name_that_is_none(self, name: str, why: str) -> None:
        with pytest.raises(PresetError) as caught:
            preset(name)
        assert why in str(caught.value)

    def test_a_folder_or_a_pipe_is_no_file(self, tmp_path: Path) -> None:
        import os

        folder, pipe = tmp_path / "folder.toml", tmp_path / "pipe.toml"
        folder.mkdir()
        os.mkfifo(pipe)
        for path in (folder, pipe):
            with pytest.raises(PresetError, match="is not a file"):
                preset(str(path))

    @given(st.text(printable) | st.binary(max_size=200))
    def test_any_file_is_a_rule_set_or_is_refused(self, tmp_path_factory: Any, content: str | bytes) -> None:
        refused_or_read(tmp_path_factory, content if isinstance(content, bytes) else content.encode())

    @given(st.sampled_from(preset_names()), st.data())
    def test_a_broken_preset_is_refused_in_one_line(
        self, tmp_path_factory: Any, name: str, data: st.DataObject
    ) -> None:
        text = preset_toml(preset(name))
        at = data.draw(st.integers(0, len(text)))
        until = data.draw(st.integers(at, min(len(text), at + 30)))
        broken = text[:at] + data.draw(st.text(printable, max_size=5)) + text[until:]
        refused_or_read(tmp_path_factory, broken.encode())

    @given(
        st.dictionaries(
            st.sampled_from([*OPTIONS, "game", "base", "title", "sources", "name"]),
            st.sampled_from(
                ["1", "true", '"home"', "[]", '["x"]', "[1, 2]", "{a = 1}", "1.5", '"backgammon"']
            ),
        )
    )
    def test_any_value_of_any_key(self, tmp_path_factory: Any, values: dict[str, str]) -> None:
        lines = [f"{key} = {value}" for key, value in values.items()]
        refused_or_read(tmp_path_factory, "\n".join(lines).encode())


def refused_or_read(folders: Any, content: bytes) -> None:
    """The content is a rule set, or is refused in one line that names the file."""
    path = folders.getbasetemp() / "broken.toml"
    path.write_bytes(content)
    try:
        rules = preset(str(path))
    except PresetError as error:
        message = str(error)
        assert message.startswith(str(path))
        assert "\n" not in message
        assert len(message) < len(str(path)) + 400
    else:
        assert RuleSet.from_mapping(rules.to_json()) == rules
