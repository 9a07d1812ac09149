"""The command line: ``zarbiter demo | run | digitize | photo | collect | rules | legal | ...``."""

from __future__ import annotations

import errno
import logging
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import version
from inspect import cleandoc
from pathlib import Path
from typing import Any

import click

# Both must be set before OpenCV is first imported: it and FFmpeg print to stderr beside our messages.
os.environ.setdefault("OPENCV_LOG_LEVEL", "SILENT")
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")

from engine.layout import Orientation
from engine.position import Game, Side
from engine.record import Record
from engine.rules import RuleSet, default_rules
from engine.throws import touching_matters
from hardware import CAMERAS

#: Exit statuses, as ``zarbiter --help`` tells them. ``check`` and ``legal --check`` end with ``FOUND`` if
#: something is illegal or differs; a program that reads that must not take a defect of ours for it.
DONE, FOUND, WRONG_USAGE, UNREADABLE, NO_HARDWARE, DEFECT, INTERRUPTED = 0, 1, 2, 3, 4, 70, 130

#: A file that is read. Whether it can be is found out by reading it, and told with the status for that.
INPUT = click.Path(path_type=Path, readable=False)

Corners = tuple[tuple[float, float], ...]
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def main() -> None:
    """The console script. Whatever goes wrong is told in one line, and by the exit status."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # started with it closed, as in `zarbiter rules >&-`
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w"))
    sys.exit(run_command(sys.argv[1:]))


def run_command(arguments: list[str]) -> int:
    """Run one command and return its exit status."""
    debug = os.environ.get("ZARBITER_DEBUG") == "1"
    _set_up_logging(debug)
    try:
        result = cli.main(arguments, prog_name="zarbiter", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        with suppress(OSError):  # where standard error is full as well, the status still tells
            error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except (BrokenPipeError, SystemExit):
        # `zarbiter digitize game.mp4 | head`: nobody reads any more. Click and Rich turn that into an exit
        # with status 1, which would say that something is illegal.
        _drop_output()
        return DONE
    except Exception as error:
        if debug:
            raise
        message, status = _explain(error)
        if isinstance(error, OSError) and error.filename is None:
            _drop_output()
        with suppress(OSError):
            click.echo(f"zarbiter: {message}", err=True)
        return status
    return result if isinstance(result, int) else DONE


def _drop_output() -> None:
    """Send the rest of standard output nowhere, so that the interpreter does not fail on it at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _explain(error: Exception) -> tuple[str, int]:
    """A line for the user and the exit status."""
    from engine.events import EventError
    from engine.record import FormatError
    from hardware.camera import CameraError, UnreadableInput
    from webui.server import CannotListen
    from zarbiter.law import QuestionError
    from zarbiter.presets import PresetError
    from zarbiter.store import StoreError

    match error:
        case UnreadableInput() | StoreError() | EventError() | FormatError():
            return str(error), UNREADABLE
        case CameraError():
            return str(error), NO_HARDWARE
        case PresetError() | QuestionError():
            return str(error), WRONG_USAGE
        case CannotListen():
            return f"{error}; choose another port with --port (0 takes a free one)", WRONG_USAGE
        case OSError(filename=str() as name, strerror=str() as reason):
            return f"{name}: {reason.lower()}", UNREADABLE
        case OSError(errno=errno.ENOSPC | errno.EDQUOT | errno.EFBIG | errno.EIO, strerror=str() as reason):
            return f"the output cannot be written: {reason.lower()}", UNREADABLE
        case _:
            what = f"{type(error).__name__}: {error}".replace("\n", " ")
            return f"this is a defect of Zarbiter: {what} (ZARBITER_DEBUG=1 shows where)", DEFECT


class _OneLine(logging.Formatter):
    """Log records as single lines: an exception is named, its traceback is not shown."""

    def format(self, record: logging.LogRecord) -> str:
        text = f"zarbiter: {record.getMessage()}"
        return f"{text}: {record.exc_info[1]!r}" if record.exc_info else text


def _set_up_logging(debug: bool) -> None:
    handler = logging.StreamHandler()
    if not debug:
        handler.setFormatter(_OneLine())
    logging.basicConfig(level=logging.DEBUG if debug else logging.WARNING, handlers=[handler], force=True)


def _corners(ctx: click.Context, param: click.Parameter, value: str | None) -> Corners | None:
    """Four corners from ``x,y x,y x,y x,y``."""
    if value is None:
        return None
    try:
        numbers = [float(n) for n in value.replace(",", " ").split()]
    except ValueError:
        numbers = []
    if len(numbers) != 8:
        raise click.BadParameter(f"{value!r} is not four corners, as in '100,80 1180,90 1240,700 40,690'")
    return tuple(zip(numbers[::2], numbers[1::2], strict=True))


corners_option = click.option(
    "--corners",
    callback=_corners,
    metavar="'X,Y X,Y X,Y X,Y'",
    help="Corners of the playing field in pixels of the picture: top left, top right, bottom right, "
    "bottom left. Without them the board is searched for.",
)
USUAL_RULES = "the usual one of the game."


def rules_option(otherwise: str = USUAL_RULES) -> Decorator:
    """``--rules``, saying what holds without it."""
    return click.option(
        "--rules",
        metavar="PRESET",
        help="Rule set to judge by: a name that `zarbiter rules` lists, or a .toml file of one's own. "
        f"Default: {otherwise}",
    )


def game_option(default: Game | None, otherwise: str = "the starting position tells") -> Decorator:
    """``--game``, with a default or saying what holds without it."""
    return click.option(
        "--game",
        type=click.Choice([game.value for game in Game]),
        default=default.value if default else None,
        show_default=default is not None,
        help="The game that is played." + ("" if default else f" Default: {otherwise}."),
    )


def chosen_rules(game: str | None, rules: str | None) -> RuleSet:
    """The rule set that the options name. Raises ``click.UsageError`` if they contradict each other."""
    if rules is None:
        return default_rules(Game(game) if game else Game.BACKGAMMON)
    from zarbiter.presets import preset

    chosen = preset(rules)
    if game is not None and chosen.game is not Game(game):
        raise click.UsageError(f"the rule set {rules} is for {chosen.game.value}, not for {game}")
    return chosen


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(version("zarbiter"), message="zarbiter %(version)s")
def cli() -> None:
    """A camera referee for backgammon and long nardy.

    Zarbiter watches a real board through a camera, reads checkers and dice, judges every throw and
    every play by the rules, and records and tells the match.

    \b
    See it at work without a camera:      zarbiter demo
    Referee a real match:                 zarbiter run --camera usb:0
    Turn a recording into a record:       zarbiter digitize game.mp4 --mat game.mat
    Read the position in a photograph:    zarbiter photo board.jpg
    Find what is illegal in a match:      zarbiter check game.mat
    See the rule sets:                    zarbiter rules

    \b
    Exit status: 0 done; 1 something is illegal (check, legal --check) or was changed (evidence check);
    2 wrong usage; 3 input that cannot be read; 4 hardware missing or failed; 70 a defect of Zarbiter.
    """


STORE = (
    Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "zarbiter" / "zarbiter.sqlite"
)

PORT = 8000
port_option = click.option(
    "--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="0 takes any free one."
)
host_option = click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address that the page is served on. Another one than this machine's own needs --public.",
)
public_option = click.option(
    "--public", is_flag=True, help="Let everybody in the network of --host watch the page."
)


def store_option(what: str) -> Decorator:
    """``--store`` with its help."""
    return click.option("--store", type=click.Path(path_type=Path, dir_okay=False), help=what)


def collect_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--collect`` and how much it may keep."""
    limit = click.option(
        "--collect-limit",
        type=click.IntRange(1),
        default=2000,
        show_default=True,
        metavar="MB",
        help="How large that folder may become.",
    )
    folder = click.option(
        "--collect",
        type=click.Path(path_type=Path, file_okay=False),
        metavar="FOLDER",
        help="Keep doubtful and corrected views here, for training; see `zarbiter collect`.",
    )
    return folder(limit(command))


def _collector(folder: Path | None, limit: int, *, patient: bool = False) -> Any:
    if folder is None:
        return None
    from zarbiter.collect import Collector, Folder

    return Collector(Folder(folder, limit), patient=patient)


def evidence_limit_option(megabytes: int) -> Decorator:
    """``--evidence-limit``"""
    return click.option(
        "--evidence-limit",
        type=click.IntRange(1),
        default=megabytes,
        show_default=True,
        metavar="MB",
        help="How much the evidence may take, of all matches together; the oldest goes first.",
    )


def _beside(store: Path) -> Path:
    """Where the evidence of the matches in a store is kept."""
    return store.with_suffix(".evidence")


KEEPS_MATCHES = f"File that keeps the matches. Default: {str(STORE).replace(str(Path.home()), '~', 1)}"


@cli.command()
@click.option("--camera", required=True, metavar="CAMERA", help="See the list above.")
@game_option(None)
@rules_option()
@corners_option
@click.option(
    "--match-length",
    type=click.IntRange(0),
    default=0,
    help="Points to win the match; 0, the default: no end.",
)
@click.option(
    "--players",
    default="White,Black",
    show_default=True,
    metavar="NAME,NAME",
    help="Who plays the light checkers, and who the dark ones.",
)
@host_option
@public_option
@port_option
@store_option(KEEPS_MATCHES)
@click.option("--new", is_flag=True, help="Begin a new match also if one was left unfinished.")
@click.option(
    "--evidence",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Keep the pictures that verdicts rest on here. Default: beside the matches.",
)
@click.option("--no-evidence", is_flag=True, help="Keep no pictures of the match.")
@evidence_limit_option(2000)
@collect_options
def run(
    camera: str,
    game: str | None,
    rules: str | None,
    corners: Corners | None,
    match_length: int,
    players: str,
    host: str,
    public: bool,
    port: int,
    store: Path | None,
    new: bool,
    evidence: Path | None,
    no_evidence: bool,
    evidence_limit: int,
    collect: Path | None,
    collect_limit: int,
) -> None:
    """Referee a real match through a camera.

    Set the board up for a game, point the camera at it, and open the printed address in a browser.
    A match that was left unfinished, for instance by a power cut, is resumed.

    \b
    Example:  zarbiter run --camera usb:0 --match-length 5 --players Ann,Bob

    A CAMERA is one of

    """
    if evidence is not None and no_evidence:
        raise click.UsageError("--evidence and --no-evidence exclude each other")
    names = _two_names(players)
    _check_host(host, public)
    chosen = chosen_rules(game, rules) if game or rules else None

    from hardware import open_camera
    from zarbiter.live import Setup, referee

    # What makes no sense is an error now, not a camera to wait for.
    source = open_camera(camera)
    if not source.live:
        new = True  # a recording begins at its beginning
        with source:
            pass
    setup = Setup(
        rules=chosen,
        length=match_length,
        players=names,
        camera=camera,
        corners=corners,
        store=store or STORE,
        host=host,
        port=port,
        new=new,
        collector=_collector(collect, collect_limit),
        evidence=None if no_evidence else evidence or _beside(store or STORE),
        evidence_limit=evidence_limit,
        recording=not source.live,
    )
    referee(setup, _announce)


run.help = f"{cleandoc(run.help or '')}\n\n\b\n{CAMERAS}"


def _announce(pages: Any, row: Any, resumed: bool) -> None:
    """Print the address first, alone on its line, for programs that wait for it."""
    click.echo(pages.live)
    sys.stdout.flush()
    if resumed:
        names = " and ".join(row.players)
        click.echo(f"Match {row.id} of {names} is resumed; --new begins another one.", err=True)
    click.echo("That is the address of the live page. Ctrl-C ends it.", err=True)
    click.echo(f"The referee decides here, and keeps this address secret: {pages.referee}", err=True)
    if pages.elsewhere:
        click.echo(f"On another machine or a phone of this network: {pages.elsewhere}", err=True)


def _check_host(host: str, public: bool) -> None:
    import ipaddress

    try:
        loopback = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        loopback = False
    if not loopback and not public:
        raise click.UsageError(
            f"--host {host} lets everybody in that network watch the page; add --public if that is wanted"
        )


@cli.command()
@click.argument("video", metavar="VIDEO")
@game_option(None)
@rules_option()
@click.option(
    "--events", "events_file", type=click.Path(path_type=Path), help="Write the events to this file."
)
@click.option(
    "--mat",
    "mat_file",
    type=click.Path(path_type=Path),
    help="Write a match file (.mat), for short backgammon.",
)
@click.option("--players", default="White,Black", metavar="NAME,NAME", help="Names for the match file.")
@corners_option
@click.option(
    "--evidence",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Write the pictures that each throw and play rests on here; see `zarbiter evidence`.",
)
@evidence_limit_option(2000)
@collect_options
def digitize(
    video: str,
    game: str | None,
    rules: str | None,
    events_file: Path | None,
    mat_file: Path | None,
    players: str,
    corners: Corners | None,
    evidence: Path | None,
    evidence_limit: int,
    collect: Path | None,
    collect_limit: int,
) -> None:
    """Turn a recording into a match record.

    VIDEO is a video file or a folder of pictures. The recording has to show the board set up for a
    game, and then the game. Every throw, play and decision is written as one JSON object a line,
    to standard output or to --events. Without --game the starting position tells the game.

    \b
    Example:  zarbiter digitize game.mp4 --events game.jsonl --mat game.mat
    """
    chosen = chosen_rules(game, rules) if game or rules else None
    if mat_file and chosen and chosen.game is not Game.BACKGAMMON:
        raise click.UsageError("--mat is for short backgammon; match files of long nardy do not exist")
    if mat_file and not mat_file.parent.is_dir():  # it is written last, after perhaps an hour
        raise click.BadParameter(f"there is no folder {mat_file.parent}", param_hint="--mat")
    names = _two_names(players)
    from hardware import open_camera

    camera = open_camera(video)
    if camera.live:
        raise click.UsageError(f"{video} is a camera, not a recording; use `zarbiter run --camera {video}`")

    from contextlib import ExitStack

    from engine.events import Event, GameStart, dumps
    from engine.formats.convert import record_of
    from engine.formats.mat import write_mat
    from engine.tracker import Tracker
    from hardware.camera import UnreadableInput
    from vision.reader import BoardReader
    from zarbiter.digitize import digitize as digitize_all
    from zarbiter.digitize import progress

    seen: list[Event] = []
    broken: UnreadableInput | None = None
    with ExitStack() as stack:
        collector = _collector(collect, collect_limit, patient=True)
        if collector is not None:
            stack.callback(collector.close)
        watcher = _watcher(evidence, evidence_limit, video)
        if watcher is not None:
            stack.callback(watcher.close)
        out = stack.enter_context(events_file.open("w", encoding="utf-8")) if events_file else sys.stdout
        bar = stack.enter_context(progress(Path(video).name))
        reader = BoardReader(
            corners=corners, game=chosen.game if chosen else None, touching=touching_matters(chosen)
        )
        try:
            for event in digitize_all(camera, reader, Tracker(chosen), bar, collector, watcher):
                seen.append(event)
                print(dumps(event), file=out, flush=True)
        except UnreadableInput as error:  # what was read until then is worth a record
            broken = error
    started = any(isinstance(event, GameStart) for event in seen)
    if mat_file and started:
        mat_file.write_text(write_mat(record_of(seen, names)), encoding="utf-8")
    if broken is not None:
        raise broken
    if not started:
        raise UnreadableInput(f"{video}: no board that is set up for a game is seen in it")


def _watcher(folder: Path | None, limit: int, video: str) -> Any:
    if folder is None:
        return None
    from hardware.camera import UnreadableInput
    from zarbiter.evidence import Evidence
    from zarbiter.exhibits import MANIFEST, Archive

    if (folder / MANIFEST).exists():
        raise UnreadableInput(f"{folder}: holds evidence already, which would be mixed up with this")
    archive = Archive(folder, limit, about={"recording": Path(video).name})
    archive.open()
    return Evidence(archive, patient=True)


def _two_names(players: str) -> tuple[str, str]:
    names = [name.strip() for name in players.split(",")]
    if len(names) != 2 or not all(names):
        raise click.BadParameter(f"{players!r} is not two names, as in Ann,Bob", param_hint="--players")
    return names[0], names[1]


@cli.command()
@click.argument("pictures", metavar="IMAGE...", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line, for other programs.")
@corners_option
@click.option(
    "--corners-file",
    type=INPUT,
    metavar="FILE",
    help="Corners for many pictures: JSON with four [x, y] for each picture's name. Pictures that it does "
    "not name are searched for a board.",
)
@click.option(
    "--board",
    type=INPUT,
    metavar="PICTURE",
    help="A picture of the same board set up for a game: how its points and checkers look is learnt from it.",
)
@click.option("--dice-only", is_flag=True, help="Look for dice and for no board.")
@click.option(
    "--draw",
    type=click.Path(path_type=Path),
    metavar="OUT",
    help="Draw what is seen over the picture and write it here; a folder if there are several pictures.",
)
@click.option("--xgid", is_flag=True, help="Also tell the position as an XGID.")
@click.option("--gnubg-id", is_flag=True, help="Also tell it as GNU Backgammon's position and match id.")
@click.option("--position", is_flag=True, help="Also tell it in the short form that `zarbiter legal` takes.")
@click.option(
    "--home",
    type=click.Choice([corner.value for corner in Orientation]),
    default=Orientation.BOTTOM_RIGHT.value,
    show_default=True,
    help="For these: the corner of the picture in which the light side's 1-point lies.",
)
@click.option(
    "--turn",
    type=click.Choice(["light", "dark"]),
    default="light",
    show_default=True,
    help="For these: the side on roll.",
)
@game_option(Game.BACKGAMMON)
def photo(
    pictures: tuple[str, ...],
    as_json: bool,
    corners: Corners | None,
    corners_file: Path | None,
    board: Path | None,
    dice_only: bool,
    draw: Path | None,
    xgid: bool,
    gnubg_id: bool,
    position: bool,
    home: str,
    turn: str,
    game: str,
) -> int:
    """Read the position and the dice in photographs of a board.

    Every IMAGE is read, also if one before it cannot be; the exit status is then 3. If --board shows no
    board that is set up, none is read, and it is 3 as well. A position that has no XGID or id, such as one
    with sixteen checkers a side, is told with the reason.

    \b
    Examples:  zarbiter photo board.jpg
               zarbiter photo --json --draw seen/ *.jpg
               zarbiter photo --xgid --home top-left --turn dark board.jpg
               zarbiter photo --board start.jpg later-*.jpg
    """
    if dice_only and board:
        raise click.UsageError("--dice-only looks for no board, and so its look is of no use")
    if dice_only and (xgid or gnubg_id or position):
        raise click.UsageError("--dice-only looks for no board, and so there is no position to tell")
    from zarbiter.photos import Wanted, look_of, read_all, read_corners

    wanted = Wanted(
        corners=corners,
        corners_of=read_corners(corners_file) if corners_file else {},
        known=look_of(board) if board else None,
        dice_only=dice_only,
        draw=draw,
        forms=tuple(
            form for form, asked in (("xgid", xgid), ("gnubg_id", gnubg_id), ("position", position)) if asked
        ),
        home=Orientation(home),
        turn=Side.WHITE if turn == "light" else Side.BLACK,
        game=Game(game),
    )
    return UNREADABLE if read_all(pictures, wanted, as_json) else DONE


@cli.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="One JSON object a picture, for other programs.")
@click.option(
    "--export",
    "out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="OUT",
    help="Write the pictures and one labels.json to this folder.",
)
@click.option("--sure", is_flag=True, help="With --export: only pictures that a person has labelled.")
@click.option(
    "--anonymise",
    is_flag=True,
    help="With --export: cut the pictures to the board, and leave out when and why they were kept.",
)
def collect(folder: Path, as_json: bool, out: Path | None, sure: bool, anonymise: bool) -> int:
    """Look at the pictures that were kept for training.

    `zarbiter run` and `zarbiter digitize` keep none unless they are told to by --collect FOLDER: then
    they keep the views that were doubtful, those on which the referee has corrected the record, and the
    photographs that were put right on the photo page. The pictures stay on this machine. Here they are
    listed and checked, and written in the form in which labelled photographs are read for training.

    Exit status: 0 all is well; 3 something in the folder cannot be used.

    \b
    Examples:  zarbiter collect ~/pictures
               zarbiter collect ~/pictures --export set --sure
    """
    if (sure or anonymise) and out is None:
        raise click.UsageError("--sure and --anonymise belong to --export OUT")
    from zarbiter.collect import list_folder

    return DONE if list_folder(folder, as_json, out, sure, anonymise) else UNREADABLE


@cli.group("evidence")
def evidence_group() -> None:
    """Look at the pictures that verdicts rest on, and whether they are still as they were written.

    `zarbiter run` keeps them for each throw, play, doubt and loss of step: the deciding pictures, the dice
    enlarged, and a clip of a few seconds. `zarbiter digitize` does so with --evidence FOLDER.
    """


def evidence_arguments(command: Callable[..., Any]) -> Callable[..., Any]:
    """Whose evidence is meant: of a match in a store, or in a folder."""
    root = click.option(
        "--evidence",
        "root",
        type=click.Path(path_type=Path, file_okay=False),
        metavar="FOLDER",
        help="For a MATCH: where `zarbiter run --evidence` has kept it. Default: beside the store.",
    )
    return click.argument("source", metavar="MATCH-or-FOLDER")(store_option(KEEPS_MATCHES)(root(command)))


@evidence_group.command("check")
@evidence_arguments
@click.option(
    "--events",
    "events_file",
    type=INPUT,
    metavar="FILE",
    help="For a folder: the events that `zarbiter digitize --events` wrote, to compare with.",
)
def evidence_check(source: str, store: Path | None, root: Path | None, events_file: Path | None) -> int:
    """Say what of the evidence was changed, is missing, or is left over.

    MATCH is the number of a match that `zarbiter run` has recorded, or `last`; its evidence is looked for
    beside the store, and compared with the events of the match. A FOLDER is checked by itself, or with
    --events. Each problem is a line. What was removed for want of room is none, since the list says so.

    Exit status: 0 all is as it was written; 1 something is not; 2 wrong usage; 3 it cannot be read.

    \b
    Examples:  zarbiter evidence check last
               zarbiter evidence check pictures --events game.jsonl
    """
    from zarbiter.inspection import check_evidence, events_in

    folder, told = _evidence_of(source, store, root)
    if events_file is not None:
        if told is not None:
            raise click.UsageError("--events belongs to a FOLDER; a match has its own")
        told = events_in(events_file)
    return DONE if check_evidence(folder, told) else FOUND


@evidence_group.command("list")
@evidence_arguments
@click.option("--json", "as_json", is_flag=True, help="One JSON object an event, for other programs.")
def evidence_list(source: str, store: Path | None, root: Path | None, as_json: bool) -> None:
    """List the evidence of a match, event by event.

    \b
    Examples:  zarbiter evidence list last
               zarbiter evidence list --json pictures
    """
    from zarbiter.inspection import list_evidence

    list_evidence(_evidence_of(source, store, root)[0], as_json)


def _evidence_of(
    source: str, store: Path | None, root: Path | None
) -> tuple[Path, list[dict[str, Any]] | None]:
    """The folder that is meant, and the events of the match if it is one of the store."""
    if Path(source).is_dir() or not (source == "last" or source.isdecimal()):
        return Path(source), None
    from zarbiter.exhibits import match_folder
    from zarbiter.store import read_told

    row = _recorded_row(source, store or STORE)
    told = read_told(store or STORE, row.id)
    folder = match_folder(root or _beside(store or STORE), row.id, row.created)
    return folder, [one.event for one in told]


@cli.command()
@click.argument("name", metavar="[PRESET-or-RULE]", required=False)
@click.option("--json", "as_json", is_flag=True, help="As JSON, for other programs.")
@click.option("--toml", "as_toml", is_flag=True, help="As a preset file, to be changed to one's own rules.")
def rules(name: str | None, as_json: bool, as_toml: bool) -> None:
    """List the rule sets, or show one, or one rule.

    A rule set is named, or given as a .toml file of one's own. Every option is shown with what it
    decides and the rows of the catalogue of rules that it comes from; a * marks what is not the
    default of the game. Below stand the sources, and what they leave unsettled. A rule is named as
    verdicts do, and shown with what each rule set chooses there.

    \b
    Examples:  zarbiter rules
               zarbiter rules long.classic
               zarbiter rules long.classic --toml > club.toml
               zarbiter rules L7

    A file that begins with `base = "long.classic"` need only hold the options that differ.
    """
    from engine.catalogue import CATALOGUE
    from zarbiter.law import QuestionError, list_rules, show_row, show_rules
    from zarbiter.presets import preset

    if as_json and as_toml:
        raise click.UsageError("--json and --toml exclude each other")
    row = CATALOGUE.get(name.upper()) if name is not None else None
    if row is not None and as_toml:
        raise click.UsageError(f"{row.id} is a rule; --toml needs the name of a rule set")
    if row is not None:
        show_row(row, as_json)
    elif name is not None:
        alike = [one for one in CATALOGUE if one[0] == name[:1].upper() and name[1:].isdecimal()]
        if alike:
            raise QuestionError(f"there is no rule {name.upper()}; there are {alike[0]} to {alike[-1]}")
        show_rules(preset(name), as_json, as_toml)
    elif as_toml:
        raise click.UsageError("--toml needs the name of a rule set")
    else:
        list_rules(as_json)


@cli.command()
@click.argument("position", required=False)
@click.argument("dice", required=False)
@game_option(None, "as the position or the rule set tells, else backgammon")
@click.option(
    "--side",
    type=click.Choice([side.value for side in Side]),
    help="Whose turn it is. Default: as the position tells, else white.",
)
@rules_option()
@click.option("--ways", is_flag=True, help="Also show every order of moves that leads to each position.")
@click.option("--json", "as_json", is_flag=True, help="As JSON, for other programs.")
@click.option(
    "--check",
    "cases",
    type=INPUT,
    metavar="FILE.jsonl",
    help="Compare with the legal plays, or results, that each line of this file tells.",
)
def legal(
    position: str | None,
    dice: str | None,
    game: str | None,
    side: str | None,
    rules: str | None,
    ways: bool,
    as_json: bool,
    cases: Path | None,
) -> int:
    """List the legal plays of a roll.

    POSITION is `start`, `nardy:start`, an XGID, a GNU Backgammon id, a FIBS board, JSON with points, bar
    and off, or the short form that the plays are printed with (docs/notation.md). DICE is a roll such
    as 6-5; it may be left out where the position has one. With --check no position is given: each line
    of the file holds one with a roll, options and the positions that are legal after it, or a result
    with its points. Lines that differ are told.

    Exit status: 0 done; 1 a line of the file differs; 2 wrong usage; 3 the file cannot be read.

    \b
    Examples:  zarbiter legal start 6-5
               zarbiter legal nardy:start 6-6 --rules long.classic --ways
               zarbiter legal --check cases.jsonl
    """
    from zarbiter.law import ask, check_case_file, show_legal

    if cases is not None:
        if position or dice or game or side or rules or ways:
            raise click.UsageError("--check takes position, roll, side and rules from the file")
        return DONE if check_case_file(cases, as_json) else FOUND
    if position is None:
        raise click.UsageError("a position and a roll are needed, as in: zarbiter legal start 6-5")
    chosen = chosen_rules(game, rules) if game or rules else None
    show_legal(ask(position, dice, chosen, Side(side) if side else None), ways, as_json)
    return DONE


@cli.command()
@click.argument("file", type=INPUT)
@rules_option("that of the match, where it tells, else the usual one of its game.")
@click.option("--json", "as_json", is_flag=True, help="As JSON, for other programs.")
def check(file: Path, rules: str | None, as_json: bool) -> int:
    """Say whether every roll and play in a match file is legal.

    FILE is a match of ours (events, nardy notation, JSON), of another program (.mat, .sgf, .ogxm), or a
    game of nardy as people write it down. Each play, double, result and score is judged; what breaks a
    rule is a line with the rule, and the legal plays that come nearest. After an illegal play the match
    goes on from where the record goes on.

    Exit status: 0 all is legal; 1 something is not; 2 wrong usage; 3 the file cannot be read.

    \b
    Examples:  zarbiter check game.mat
               zarbiter check game.jsonl --rules long.moscow_open
    """
    from zarbiter.law import check_match

    return DONE if check_match(file, rules, as_json) else FOUND


@cli.command()
@click.argument("source", metavar="MATCH")
@click.option("--mat", "mat_file", type=click.Path(path_type=Path), help="Match text, for short backgammon.")
@click.option("--sgf", "sgf_file", type=click.Path(path_type=Path), help="GNU Backgammon's own form.")
@click.option(
    "--nardy", "nardy_file", type=click.Path(path_type=Path), help="The text notation of long nardy."
)
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="JSON, for either game.")
@click.option(
    "--ogxm",
    "ogxm_file",
    type=click.Path(path_type=Path),
    help="OGXM, with video times, for short backgammon; needs `pip install 'zarbiter[ogxm]'`.",
)
@click.option("--players", metavar="NAME,NAME", help="Other names than the match has: white, then black.")
@store_option(KEEPS_MATCHES)
def export(
    source: str,
    mat_file: Path | None,
    sgf_file: Path | None,
    nardy_file: Path | None,
    json_file: Path | None,
    ogxm_file: Path | None,
    players: str | None,
    store: Path | None,
) -> None:
    """Write a match in a form that other programs read.

    The MATCH is the number of one that `zarbiter run` has recorded, `last` for the newest one, or a
    file: events that `zarbiter digitize --events` wrote, or a match file of any form that is written
    here. Plays are written as they were made, legal or not.

    \b
    Examples:  zarbiter export last --mat game.mat --sgf game.sgf
               zarbiter export game.jsonl --nardy game.nardy
    """
    from dataclasses import replace

    from zarbiter.matchfiles import read_match, write_match

    files = {
        ".mat": mat_file,
        ".sgf": sgf_file,
        ".nardy": nardy_file,
        ".json": json_file,
        ".ogxm": ogxm_file,
    }
    if not any(files.values()):
        raise click.UsageError("nothing to write; name a file, as in --mat game.mat")
    names = _two_names(players) if players is not None else None
    if Path(source).exists() or not (source == "last" or source.isdecimal()):
        record = read_match(Path(source))
    else:
        record = _recorded(source, store or STORE)
    if names is not None:
        record = replace(record, players=names)
    for form, path in files.items():
        if path is not None:
            write_match(record, form, path)


def _recorded(number: str, store: Path) -> Record:
    """A match that was recorded, by its number or ``last``. Raises ``StoreError``, ``FormatError``."""
    from engine.formats.convert import record_of
    from zarbiter.store import events_of, read_told

    row = _recorded_row(number, store)
    return record_of(events_of(read_told(store, row.id)), row.players, row.length)


def _recorded_row(number: str, store: Path) -> Any:
    """A match that was recorded, as it was set up. Raises ``StoreError``."""
    from zarbiter.store import StoreError, read_matches

    rows = read_matches(store)
    chosen = rows[-1:] if number == "last" else [row for row in rows if str(row.id) == number]
    if not chosen:
        there = ", ".join(str(row.id) for row in rows) or "none"
        raise StoreError(f"{store}: no match {number}; there are: {there}")
    return chosen[0]


def simulation_options(*, faults: bool, match_length: int) -> Decorator:
    """The options that ``demo`` and ``simulate`` share, with their defaults."""
    options = (
        game_option(Game.BACKGAMMON),
        click.option("--seed", default=1, show_default=True, help="Another number, another match."),
        click.option("--style", default="wood", show_default=True, help="Look of the board."),
        click.option(
            "--faults/--no-faults",
            default=faults,
            show_default=True,
            help="Let invalid throws and illegal plays happen now and then.",
        ),
        click.option(
            "--match-length",
            type=click.IntRange(1),
            default=match_length,
            show_default=True,
            help="Points to win the match.",
        ),
    )

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return add


@cli.command()
@simulation_options(faults=True, match_length=3)
@click.option(
    "--fps", type=click.FloatRange(1, 60), default=10.0, show_default=True, help="Pictures a second."
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help=f"0 takes any free one. Default: {PORT}, or any free one while that is taken.",
)
@store_option("Keep the match in this file, and resume it from there; otherwise it is forgotten.")
@click.option(
    "--open/--no-open", "open_browser", default=True, show_default=True, help="Open the page in a browser."
)
def demo(
    game: str,
    seed: int,
    style: str,
    faults: bool,
    match_length: int,
    fps: float,
    port: int | None,
    store: Path | None,
    open_browser: bool,
) -> None:
    """Watch a simulated match being refereed, live in the browser.

    No camera is needed: a table is simulated, with a board, dice, cups and hands, and its pictures
    are read and judged exactly like those of a real camera. Some throws are invalid and some plays
    illegal, so that there is something to call.

    \b
    Example:  zarbiter demo --game long-nardy --seed 7
    """
    _check_style(style)
    from tempfile import TemporaryDirectory

    from webui.server import CannotListen, try_to_listen
    from zarbiter.live import Setup, referee

    if port is None:
        port = PORT
        try:
            try_to_listen("127.0.0.1", PORT)
        except CannotListen as error:
            click.echo(f"{error}; taking another one", err=True)
            port = 0

    def ready(pages: Any, row: Any, resumed: bool) -> None:
        _announce(pages, row, resumed)
        if open_browser and _has_a_screen():
            import webbrowser

            webbrowser.open(pages.live)

    spec = f"sim:{game}?seed={seed}&style={style}&faults={int(faults)}&fps={fps}&length={match_length}"
    with TemporaryDirectory(prefix="zarbiter-") as folder:
        setup = Setup(
            rules=default_rules(Game(game)),
            length=match_length,
            players=("White", "Black"),
            camera=spec,
            corners=None,
            store=store or Path(folder) / "demo.sqlite",
            host="127.0.0.1",
            port=port,
            new=False,
            evidence=_beside(store or Path(folder) / "demo.sqlite"),
            evidence_limit=500,
        )
        referee(setup, ready)


def _check_style(style: str) -> None:
    from hardware.table import STYLES

    if style not in STYLES:
        names = ", ".join(sorted(STYLES))
        raise click.BadParameter(f"no board style {style!r}; there are {names}", param_hint="--style")


def _has_a_screen() -> bool:
    """Whether a browser would open a window, and not take over the terminal."""
    return sys.platform == "darwin" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


@cli.command()
@click.argument("video", metavar="OUT.mp4", type=click.Path(path_type=Path, dir_okay=False))
@simulation_options(faults=False, match_length=1)
@click.option(
    "--fps", type=click.FloatRange(1, 60), default=10.0, show_default=True, help="Pictures a second."
)
@click.option("--turns", type=click.IntRange(1), help="Stop after so many turns. Default: play to the end.")
def simulate(
    video: Path,
    game: str,
    seed: int,
    style: str,
    faults: bool,
    match_length: int,
    fps: float,
    turns: int | None,
) -> None:
    """Film a simulated match, with the truth about it beside the film.

    The truth, OUT.truth.jsonl, is written as the events that a perfect referee would report.

    \b
    Example:  zarbiter simulate game.mp4 --seed 3 && zarbiter digitize game.mp4
    """
    _check_style(style)
    from hardware.running_table import some_faults
    from hardware.table import SimulatedTable, record
    from zarbiter.digitize import progress

    table = SimulatedTable(
        game=Game(game),
        seed=seed,
        style=style,
        fps=fps,
        match_length=match_length,
        max_turns=turns,
        faults=some_faults(Game(game)) if faults else (),
    )
    with progress(video.name) as bar:
        record(table, video, progress=bar.advance if bar else None)
