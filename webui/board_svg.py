"""The believed board as a picture: a pure function from a position to SVG text.

Everything is drawn with presentation attributes, so that the text stands alone in a report or an
overlay; every shape also carries CSS classes, and a style sheet wins over the attributes. Nothing
in the text needs ``style=`` or an ``id``, so it passes a strict content security policy and may
appear several times on one page.

Classes: ``board``, ``frame``, ``field``, ``bar``, ``tray`` (with ``turn`` for the side to move),
``point`` (``odd``, ``even``), ``checker`` (``light``, ``dark``), ``count``, ``label``, ``die``,
``pip``, ``dice`` (``invalid``), ``moved``, ``left`` (``illegal``), ``highlight``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from engine.layout import Orientation, Slot, colour_of, index_at, slot_of
from engine.observation import Half
from engine.position import BAR, OFF, Game, Position, Side, index_of, point_of

POINT = 44.0  #: width of a point, in user units, as all lengths here
RADIUS = 20.0
TRIANGLE = 190.0
FIELD_HEIGHT = 464.0
BAR_WIDTH = 46.0
TRAY = 46.0
EDGE = 12.0  #: frame left and right of a tray
BAND = 26.0  #: frame above and below the field, which carries the numbers
DIE = 38.0
STACK = 5  #: checkers drawn before a number takes over

FIELD_LEFT = EDGE + TRAY + EDGE
FIELD_WIDTH = 12 * POINT + BAR_WIDTH
WIDTH = FIELD_WIDTH + 2 * FIELD_LEFT
HEIGHT = FIELD_HEIGHT + 2 * BAND
MIDDLE = HEIGHT / 2

_FACES: dict[str, tuple[str, str, str]] = {  # body, edge, pattern
    "light": ("#f6efdf", "#a8946c", "#cdb98d"),
    "dark": ("#23262d", "#59616f", "#808b9c"),
}
_PIPS: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}


def occupied(position: Position, game: Game, side: Side) -> tuple[tuple[int, int], ...]:
    """The points on which ``side`` stands, as (own point, count), from the 24-point down."""
    counts = ((point, position.count(game, side, point)) for point in range(24, 0, -1))
    return tuple((point, count) for point, count in counts if count)


def describe(position: Position, game: Game) -> str:
    """The position in words, for those who hear a page rather than see it."""
    sentences = []
    for side in Side:
        places = [f"{count} on point {point}" for point, count in occupied(position, game, side)]
        places += [f"{position.bar[side.index]} on the bar"] * bool(position.bar[side.index])
        places += [f"{position.off[side.index]} off"] * bool(position.off[side.index])
        sentences.append(f"{side.name.title()}: {', '.join(places) or 'no checkers'}.")
    return " ".join(sentences)


def board_svg(
    position: Position,
    *,
    game: Game,
    orientation: Orientation = Orientation.BOTTOM_RIGHT,
    side_to_move: Side | None = None,
    dice: tuple[int, int] | None = None,
    dice_valid: bool = True,
    dice_side: Side | None = None,
    dice_halves: Sequence[Half] = (),
    white_is_light: bool = True,
    last_move: Sequence[tuple[int, int]] = (),
    last_side: Side | None = None,
    last_legal: bool = True,
    highlight_slots: Sequence[Slot] = (),
    size: int | None = None,
    labels: bool = True,
) -> str:
    """Draw a position.

    Args:
        position: what to draw; ``dice`` lie on it if given, crossed out unless ``dice_valid``.
        orientation: the corner of the picture in which White's 1-point lies.
        side_to_move: whose points are numbered (White's if ``None``) and whose tray is marked.
        dice_side: who threw them; by default ``side_to_move``.
        dice_halves: the half of the picture in which each die lies; by default (and for a die off the
            board) to the right of the thrower, as he sits.
        white_is_light: whether White's checkers are the light ones.
        last_move: moves to mark, in points of ``last_side`` (``BAR`` and ``OFF`` included).
        last_side: who made them; by default the opponent of ``side_to_move``.
        last_legal: draws the marks as a warning if false.
        highlight_slots: slots (0-23) to point out, as where picture and record disagree.
        size: width in pixels; by default the picture fills its container.
        labels: whether points are numbered.

    Returns:
        One ``<svg>`` element as text.
    """
    mover = side_to_move or Side.WHITE
    title = f"{'Long nardy' if game is Game.LONG_NARDY else 'Backgammon'} board"
    words = describe(position, game)
    if side_to_move:
        title += f", {side_to_move.name.title()} to move"
    if dice:
        words += f" Dice: {dice[0]} and {dice[1]}{'' if dice_valid else ', an invalid throw'}."
    extent = f' width="{size}" height="{size * HEIGHT / WIDTH:.0f}"' if size else ""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="board" viewBox="0 0 {WIDTH:g} {HEIGHT:g}"{extent} '
        f'role="img" font-family="system-ui, sans-serif">',
        f"<title>{title}</title><desc>{words}</desc>",
        *_wood(),
    ]
    for slot in range(24):
        parts.append(_triangle(slot))
    for slot in highlight_slots:
        parts.append(_highlight(slot))
    if labels:
        for slot in range(24):
            parts.append(_label(slot, point_of(game, mover, index_at(orientation, slot))))
    homes = {_home(game, orientation, side) for side in Side}
    parts += (_recess(corner) for corner in (0, 11, 12, 23) if corner not in homes)
    for side in Side:
        face = colour_of(side, white_is_light)
        parts += _tray(_home(game, orientation, side), position.off[side.index], face, side is side_to_move)
        parts += _on_bar(_home(game, orientation, side), position.bar[side.index], face)
    for slot in range(24):
        count = position.points[index_at(orientation, slot)]
        face = colour_of(Side.WHITE if count > 0 else Side.BLACK, white_is_light)
        parts += _stack(slot, abs(count), face)
    if last_move:
        parts += _marks(position, game, orientation, last_side or mover.other, last_move, last_legal)
    if dice:
        thrower = dice_side or mover
        own: Half = "left" if _is_top(_home(game, orientation, thrower)) else "right"
        face = colour_of(thrower, white_is_light)
        lying = [half if half != "off" else own for half in (*dice_halves, own, own)[:2]]
        for half in sorted(set(lying)):
            values = [die for die, place in zip(dice, lying, strict=True) if place == half]
            centre = FIELD_LEFT + 3 * POINT + (6 * POINT + BAR_WIDTH) * (half == "right")
            parts.append(_dice(values, face, dice_valid, centre, MIDDLE))
    parts.append("</svg>")
    return "".join(parts)


def dice_svg(dice: tuple[int, int], *, face: str = "light", valid: bool = True) -> str:
    """A pair of dice by itself; ``face`` is ``light`` or ``dark``."""
    width, height = 3.4 * DIE, 1.9 * DIE
    words = f"Dice: {dice[0]} and {dice[1]}{'' if valid else ', an invalid throw'}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="pair" viewBox="0 0 {width:g} {height:g}" role="img">'
        f"<title>{words}</title>{_dice(dice, face, valid, width / 2, height / 2)}</svg>"
    )


def _is_top(slot: Slot) -> bool:
    return slot < 12


def _home(game: Game, orientation: Orientation, side: Side) -> Slot:
    """The slot of a side's 1-point: its tray is at that corner."""
    return slot_of(orientation, index_of(game, side, 1))


def _column_x(slot: Slot) -> float:
    """The middle of a slot."""
    column = slot % 12
    return FIELD_LEFT + (column + 0.5) * POINT + BAR_WIDTH * (column >= 6)


def _checker_y(slot: Slot, k: int) -> float:
    """The middle of the ``k``-th checker of a slot, counted from the rim."""
    inset = RADIUS + 2 * RADIUS * k
    return BAND + inset if _is_top(slot) else HEIGHT - BAND - inset


def _rect(css: str, x: float, y: float, width: float, height: float, fill: str, extra: str = "") -> str:
    box = f'x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"'
    return f'<rect class="{css}" {box} fill="{fill}"{extra}/>'


def _wood() -> Iterator[str]:
    yield _rect("frame", 0, 0, WIDTH, HEIGHT, "#4b3023", ' rx="12"')
    field = FIELD_LEFT, BAND, FIELD_WIDTH, FIELD_HEIGHT
    yield _rect("field", *field, "#234a44", ' rx="3"')
    yield _rect("bar", FIELD_LEFT + 6 * POINT, BAND, BAR_WIDTH, FIELD_HEIGHT, "#4b3023")
    hinge = FIELD_LEFT + 6 * POINT + BAR_WIDTH / 2
    yield (
        f'<path class="hinge" d="M{hinge:g} {BAND:g}V{HEIGHT - BAND:g}" stroke="#38231a" stroke-width="1.5"/>'
    )


def _triangle(slot: Slot) -> str:
    x = _column_x(slot)
    base, tip = (BAND, BAND + TRIANGLE) if _is_top(slot) else (HEIGHT - BAND, HEIGHT - BAND - TRIANGLE)
    odd = (slot % 12 + _is_top(slot)) % 2
    return (
        f'<path class="point {"odd" if odd else "even"}" '
        f'd="M{x - POINT / 2 + 1:g} {base:g}L{x:g} {tip:g}L{x + POINT / 2 - 1:g} {base:g}Z" '
        f'fill="{"#c79a5b" if odd else "#8b3f33"}"/>'
    )


def _highlight(slot: Slot) -> str:
    top = BAND + 2 if _is_top(slot) else MIDDLE + 2
    box = _column_x(slot) - POINT / 2 + 1, top, POINT - 2, FIELD_HEIGHT / 2 - 4
    extra = ' fill-opacity="0.18" stroke="#ffb000" stroke-width="2.5" stroke-dasharray="7 5" rx="6"'
    return _rect("highlight", *box, "#ffb000", extra)


def _label(slot: Slot, point: int) -> str:
    y = BAND / 2 if _is_top(slot) else HEIGHT - BAND / 2
    return _text("label", _column_x(slot), y, str(point), 13, "#e2c9a6")


def _text(css: str, x: float, y: float, text: str, size: float, fill: str) -> str:
    return (
        f'<text class="{css}" x="{x:g}" y="{y:g}" dy="0.36em" text-anchor="middle" font-size="{size:g}" '
        f'font-weight="600" fill="{fill}">{text}</text>'
    )


def _checker(x: float, y: float, face: str, text: str = "") -> str:
    """One checker. Light ones carry a double ring, dark ones a beaded ring, so that they differ in
    shape and not only in colour."""
    body, edge, pattern = _FACES[face]
    rings = (
        f'<circle r="13.5" fill="none" stroke="{pattern}" stroke-width="1.6"/>'
        f'<circle r="9.5" fill="none" stroke="{pattern}" stroke-width="1.6"/>'
        if face == "light"
        else f'<circle r="12.5" fill="none" stroke="{pattern}" stroke-width="3.4" stroke-linecap="round" '
        f'stroke-dasharray="0.1 6.445"/>'
    )
    inside = _text("count", 0, 0, text, 15, "#3a2f1c" if face == "light" else "#f3f5f8") if text else ""
    return (
        f'<g class="checker {face}" transform="translate({x:g} {y:g})">'
        f'<circle r="{RADIUS - 1:g}" fill="{body}" stroke="{edge}" stroke-width="1.5"/>{rings}{inside}</g>'
    )


def _stack(slot: Slot, count: int, face: str) -> Iterator[str]:
    shown = min(count, STACK)
    for k in range(shown):
        number = str(count) if count > STACK and k == shown - 1 else ""
        yield _checker(_column_x(slot), _checker_y(slot, k), face, number)


def _on_bar(home: Slot, count: int, face: str) -> Iterator[str]:
    """Hit checkers wait in the half where they come in: opposite their own home."""
    x, away = FIELD_LEFT + 6 * POINT + BAR_WIDTH / 2, 1 if _is_top(home) else -1
    shown = min(count, 4)
    for k in range(shown):
        number = str(count) if count > shown and k == shown - 1 else ""
        yield _checker(x, MIDDLE + away * (DIE / 2 + RADIUS + 2 * RADIUS * k), face, number)


def _recess(corner: Slot, turn: bool = False) -> str:
    top = BAND if _is_top(corner) else MIDDLE + 6
    left = EDGE if corner % 12 < 6 else WIDTH - EDGE - TRAY
    edge = ' stroke="#5cc8ff" stroke-width="2.5"' if turn else ' stroke="#38231a" stroke-width="1"'
    css = "tray turn" if turn else "tray"
    return _rect(css, left, top, TRAY, FIELD_HEIGHT / 2 - 6, "#38231a", f' rx="4"{edge}')


def _tray(home: Slot, count: int, face: str, turn: bool) -> Iterator[str]:
    """The tray beside a side's home, its checkers lying on edge."""
    yield _recess(home, turn)
    left = EDGE if home % 12 < 6 else WIDTH - EDGE - TRAY
    body, edge, _ = _FACES[face]
    for k in range(count):
        y = BAND + 4 + 12.4 * k if _is_top(home) else HEIGHT - BAND - 15 - 12.4 * k
        extra = f' rx="3" stroke="{edge}" stroke-width="1.2"'
        yield _rect(f"checker off {face}", left + 5, y, TRAY - 10, 11, body, extra)
    if count:
        y = MIDDLE - 20 if _is_top(home) else MIDDLE + 20
        yield _text("count", left + TRAY / 2, y, str(count), 16, "#f3e6d0")


def _marks(
    position: Position,
    game: Game,
    orientation: Orientation,
    side: Side,
    moves: Sequence[tuple[int, int]],
    legal: bool,
) -> Iterator[str]:
    """Rings on the checkers that came, empty rings where they left."""
    change = Counter(end for _, end in moves)
    change.subtract(start for start, _ in moves)
    colour, state = ("#5cc8ff", "") if legal else ("#ff4d4d", " illegal")
    for point, difference in sorted(change.items()):
        if point in (BAR, OFF):
            continue
        slot = slot_of(orientation, index_of(game, side, point))
        standing = min(STACK, position.count(game, side, point))
        came = range(max(0, standing - difference), standing)
        left = range(standing, min(STACK, standing - difference))
        for k in came:
            yield (
                f'<circle class="moved{state}" cx="{_column_x(slot):g}" cy="{_checker_y(slot, k):g}" '
                f'r="{RADIUS - 1.5:g}" fill="none" stroke="{colour}" stroke-width="3.2"/>'
            )
        for k in left:
            yield (
                f'<circle class="left{state}" cx="{_column_x(slot):g}" cy="{_checker_y(slot, k):g}" '
                f'r="{RADIUS - 3:g}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="5 4"/>'
            )


def _dice(dice: Sequence[int], face: str, valid: bool, x: float, y: float) -> str:
    """One or two dice side by side, in a broken frame if they are void."""
    body, edge, _ = _FACES[face]
    ink = _FACES["dark" if face == "light" else "light"][0]
    parts = [f'<g class="dice{"" if valid else " invalid"}" transform="translate({x:g} {y:g})">']
    for k, value in enumerate(dice):
        centre = 1.36 * DIE * (k - (len(dice) - 1) / 2)
        half = DIE / 2
        extra = f' rx="8" stroke="{edge}" stroke-width="1.5"'
        parts.append(_rect(f"die {face}", centre - half, -half, DIE, DIE, body, extra))
        for dx, dy in _PIPS[value]:
            at = f'cx="{centre + dx * 0.27 * DIE:g}" cy="{dy * 0.27 * DIE:g}"'
            parts.append(f'<circle class="pip" {at} r="3.7" fill="{ink}"/>')
    if not valid:
        w, h = 0.68 * DIE * len(dice), 0.66 * DIE
        extra = ' stroke="#ff4d4d" stroke-width="3" stroke-dasharray="7 4" rx="10"'
        parts.append(_rect("void", -w, -h, 2 * w, 2 * h, "none", extra))
        parts.append(
            f'<g class="void" transform="translate({w:g} {-h:g})"><circle r="9" fill="#d92d2d"/>'
            '<path d="M-4 -4L4 4M4 -4L-4 4" stroke="#fff" stroke-width="2.6" stroke-linecap="round"/></g>'
        )
    return "".join((*parts, "</g>"))
