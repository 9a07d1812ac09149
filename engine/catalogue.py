"""The catalogue of rules: what each row says, by its id.

Verdicts, options and commentary name rules by these ids. A row is *judged* (what is seen is held
against it, or the match keeps it), or *offered*: no camera sees it, and the referee's page has an action for
it (:mod:`engine.actions`). Which sources a row has, and where they disagree, is told in docs/rules.md.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.position import Game
from engine.rules import BOTH, LONG, SHORT


@dataclass(frozen=True, slots=True)
class Row:
    """One rule: the games that have it, what it says in one sentence, how Zarbiter treats it."""

    id: str
    games: tuple[Game, ...]
    text: str
    judged: bool = True
    offered: bool = False


#: Every rule, by its id.
CATALOGUE: dict[str, Row] = {
    row.id: row
    for row in (
        Row(
            "G1",
            BOTH,
            "Two sides of fifteen checkers on twenty-four points in two halves, parted by the bar.",
        ),
        Row("G2", LONG, "All fifteen start on the head; the two heads lie twelve holes apart."),
        Row(
            "G3",
            SHORT,
            "Start: 2 on the 24-point, 5 on the 13, 3 on the 8, 5 on the 6; mirrored is as right.",
        ),
        Row("G4", LONG, "Both sides move the same way round the board."),
        Row("G5", SHORT, "Each side moves from its 24-point down to its 1-point, against the other."),
        Row("G6", BOTH, "A side's home is the last quarter of its own way."),
        Row(
            "G7",
            BOTH,
            "One die each decides who begins; the higher does, equal dice are thrown again.",
            offered=True,
        ),
        Row("G8", LONG, "The higher die also takes the white checkers."),
        Row(
            "G9",
            LONG,
            "In the next game colours are swapped and the former black begins, or the winner begins.",
            offered=True,
        ),
        Row("G10", BOTH, "The sides take turns; a turn is a throw and its moves."),
        Row("G11", BOTH, "Only one's own checkers are moved."),
        Row("D1", BOTH, "Both dice are thrown together, once a turn, before anything is moved."),
        Row(
            "D2",
            BOTH,
            "The dice come from a cup: always, once the opponent asks for it, or never of need.",
            offered=True,
        ),
        Row("D3", BOTH, "Both dice come to rest in one half of the board."),
        Row("D4", SHORT, "That half is the one to the thrower's right."),
        Row("D5", BOTH, "A die off the board voids the throw."),
        Row("D6", BOTH, "Dice in different halves void the throw."),
        Row("D7", BOTH, "A die that leans or stands on edge voids the throw."),
        Row("D8", BOTH, "A die on a checker voids the throw; one that touches a checker may."),
        Row("D9", BOTH, "A die on the frame or the bar voids the throw."),
        Row("D10", BOTH, "After a void throw both dice are thrown again, not one.", offered=True),
        Row("D11", BOTH, "The dice stay as they lie until the turn is over."),
        Row("D12", BOTH, "One pair of dice for both players, or a pair each."),
        Row(
            "D13",
            SHORT,
            "A throw before the opponent has finished is void, unless he was forced or there is no contact.",
            offered=True,
        ),
        Row("E1", LONG, "Pressing the clock ends the turn.", offered=True),
        Row(
            "E2",
            LONG,
            "Handing over the dice ends the turn; the opponent who takes them accepts the play.",
            offered=True,
        ),
        Row("E3", BOTH, "Lifting one's own dice ends the turn.", offered=True),
        Row("E4", LONG, "Until the turn ends the play may be changed; only what then stands counts."),
        Row(
            "E5",
            BOTH,
            "An illegal or unfinished play may be accepted as it stands, or a correct one be demanded.",
            offered=True,
        ),
        Row(
            "E6",
            SHORT,
            "Once the opponent has thrown or begun to double, the position stands as it is.",
            offered=True,
        ),
        Row(
            "E7",
            LONG,
            "Touch and move: a touched checker is moved unless the player says that he adjusts it.",
            judged=False,
            offered=True,
        ),
        Row("E8", BOTH, "Every move is the full number of one die, with one checker."),
        Row(
            "M1", BOTH, "One die, one move; one checker may make both through an open stop, in either order."
        ),
        Row("M2", BOTH, "A double is four moves."),
        Row("M3", BOTH, "Both dice are played if that can be done."),
        Row("M4", BOTH, "If either die can be played but not both, the larger is."),
        Row("M5", BOTH, "If only one die can be played it is played and the other is lost."),
        Row("M6", BOTH, "If none can be played the turn is lost and nothing moves."),
        Row("M7", BOTH, "Of a double as many moves are made as can be."),
        Row("M8", BOTH, "Any number of one's own checkers may stand on a point."),
        Row("L1", LONG, "A hole with even one enemy checker is closed; nothing is hit."),
        Row("L2", LONG, "One checker a turn leaves the head."),
        Row("L3", LONG, "On some doubles of the first turn two may leave it."),
        Row("L4", LONG, "That second one may simply leave, or only if the first cannot play out the roll."),
        Row("L5", LONG, "After White's opening 5-5, Black's opening 4-4 moves one checker by one 4."),
        Row("L6", LONG, "A second checker may leave the head when the roll cannot be played otherwise."),
        Row("L7", LONG, "A wall of six needs an enemy checker ahead of it."),
        Row("L8", LONG, "Variant: a wall of six needs an enemy checker in the enemy's own home."),
        Row("L9", LONG, "Ahead means further along the enemy's way than the wall."),
        Row("L10", LONG, "Variant: not even a wall that stands only during the turn is allowed."),
        Row("L11", LONG, "A checker before six enemy holes in a row cannot pass them."),
        Row("B1", BOTH, "Bearing off begins when all fifteen checkers are home."),
        Row(
            "B2",
            BOTH,
            "The exact number takes a checker off its point, or a move is made inside the home instead.",
        ),
        Row(
            "B3",
            BOTH,
            "With no checker on the point of the number, one from a higher point moves if there is any.",
        ),
        Row("B4", BOTH, "A number above the highest checker takes that one off."),
        Row("B5", LONG, "Variant: no bearing off in the turn in which the last checker comes home."),
        Row("B6", SHORT, "A checker hit during the bear-off must come home before the next one goes off."),
        Row("B7", BOTH, "Who first has all fifteen off wins at once."),
        Row(
            "B8",
            LONG,
            "Variant: if the side that began finishes, the other has one more turn, and may draw.",
        ),
        Row("K1", SHORT, "Two or more enemies close a point; a single one may be hit and goes to the bar."),
        Row("K2", SHORT, "Checkers on the bar enter before anything else moves."),
        Row("K3", SHORT, "As many as can enter do; if some cannot, the rest of the turn is lost."),
        Row(
            "K4", SHORT, "Variant: a checker that hits may not go on to hide on another own one in that turn."
        ),
        Row("K5", SHORT, "Six closed points in a row shut a checker in, and may be built without limit."),
        Row("P1", LONG, "Oin, one point: the loser has borne off at least one."),
        Row("P2", LONG, "Mars, two points: the loser has borne off none."),
        Row("P3", BOTH, "Four grades: simple, mars, home mars, koks, with their points as data."),
        Row("P4", SHORT, "Single, gammon, backgammon: one, two, three times the cube."),
        Row("P5", BOTH, "The checkers that the loser still has on the board are counted up to a set total."),
        Row("C1", SHORT, "The cube starts in the middle at 1 and shows the stake."),
        Row("C2", SHORT, "A double is offered on one's own turn before the throw.", offered=True),
        Row(
            "C3", SHORT, "Who drops loses the stake before the double; who takes owns the cube.", offered=True
        ),
        Row("C4", SHORT, "Only the owner redoubles, up to a cap if there is one."),
        Row("C5", SHORT, "Beaver: the doubled player redoubles at once and keeps the cube.", offered=True),
        Row("C6", SHORT, "Equal dice in the roll-off double the stake, the cube staying in the middle."),
        Row("C7", SHORT, "Jacoby: gammons and backgammons count as single games unless a double was made."),
        Row("C8", SHORT, "A match goes to a number of points."),
        Row(
            "C9",
            SHORT,
            "Crawford: no double in the one game after a side has come within a point of the match.",
        ),
        Row("C10", SHORT, "Money play: games without end, with its own usual options."),
        Row("C11", SHORT, "Consulting teams, and team matches on three boards."),
    )
}
