"""Who plays: two players, consulting pairs, teams on several boards, a chouette (rules.md C11).

None of this changes how the checkers move. A roster says whose names stand behind the two sides, and
who sits there next.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

Seat = Literal[0, 1]  #: the side that is named first, or the other


class RosterError(ValueError):
    """Names or results that make no roster; the message says what is wrong."""


def _need_names(names: Iterable[str], what: str) -> None:
    names = tuple(names)
    if not all(isinstance(name, str) and name.strip() for name in names):
        raise RosterError(f"{what} has a player without a name")
    if len(set(names)) < len(names):
        raise RosterError(f"{what} names a player twice: {', '.join(names)}")


@dataclass(frozen=True, slots=True)
class Singles:
    """One player against another."""

    kind: ClassVar[str] = "singles"
    players: tuple[str, str]

    def __post_init__(self) -> None:
        _need_names(self.players, "the match")

    def names(self, game: int = 1) -> tuple[str, str]:
        """What the two sides are called; the same in every game."""
        return self.players

    def to_json(self) -> dict[str, Any]:
        """The roster as a JSON object, which :func:`roster_from_json` reads again."""
        return {"kind": self.kind, "players": list(self.players)}


@dataclass(frozen=True, slots=True)
class Consulting:
    """Two a side, who may consult; one of them throws and moves throughout a game.

    ``throwers``: for each game who does so on either side, 0 or 1. In games that it does not reach the
    partners take turns, the one named first beginning.
    """

    kind: ClassVar[str] = "consulting"
    pairs: tuple[tuple[str, str], tuple[str, str]]
    throwers: tuple[tuple[Seat, Seat], ...] = ()

    def __post_init__(self) -> None:
        if len(self.pairs) != 2 or any(len(pair) != 2 for pair in self.pairs):
            raise RosterError("consulting doubles are two players a side")
        _need_names((*self.pairs[0], *self.pairs[1]), "the match")
        if any(len(game) != 2 or not set(game) <= {0, 1} for game in self.throwers):
            raise RosterError("a thrower is the first (0) or the second (1) of his pair")

    def thrower(self, seat: Seat, game: int) -> str:
        """Who throws for a side in a game, counted from 1."""
        return self.pairs[seat][self._throws(seat, game)]

    def _throws(self, seat: int, game: int) -> int:
        return self.throwers[game - 1][seat] if game <= len(self.throwers) else (game - 1) % 2

    def names(self, game: int = 1) -> tuple[str, str]:
        """What the two sides are called: both partners, the thrower of this game first."""
        first, second = (self.pairs[seat][:: 1 - 2 * self._throws(seat, game)] for seat in (0, 1))
        return " & ".join(first), " & ".join(second)

    def to_json(self) -> dict[str, Any]:
        """The roster as a JSON object, which :func:`roster_from_json` reads again."""
        pairs, throwers = [list(p) for p in self.pairs], [list(g) for g in self.throwers]
        return {"kind": self.kind, "pairs": pairs, "throwers": throwers}


@dataclass(frozen=True, slots=True)
class TeamMatch:
    """Two teams on as many boards as each has players, usually three; most boards won wins the match.

    ``results``: (board, seat that won it), in the order in which the boards ended; boards count from 0.
    A board is a match of its own between the players of that place in both teams.
    """

    kind: ClassVar[str] = "team"
    teams: tuple[str, str]
    players: tuple[tuple[str, ...], tuple[str, ...]]
    results: tuple[tuple[int, Seat], ...] = ()

    def __post_init__(self) -> None:
        _need_names(self.teams, "the team match")
        if len(self.players) != 2 or len(self.players[0]) != len(self.players[1]):
            raise RosterError("the teams have not the same number of players")
        if len(self.players[0]) % 2 == 0:
            raise RosterError(f"on {len(self.players[0])} boards neither team might win more than the other")
        _need_names((*self.players[0], *self.players[1]), "the team match")
        boards = [board for board, _ in self.results]
        if any(not 0 <= board < self.boards for board in boards) or len(set(boards)) < len(boards):
            raise RosterError(f"the results are not of different boards among {self.boards}")
        if any(seat not in (0, 1) for _, seat in self.results):
            raise RosterError("a board is won by the first team (0) or the second (1)")

    @property
    def boards(self) -> int:
        """How many boards are played on."""
        return len(self.players[0])

    @property
    def wins(self) -> tuple[int, int]:
        """Boards won by each team."""
        second = sum(seat for _, seat in self.results)
        return len(self.results) - second, second

    @property
    def winner(self) -> Seat | None:
        """The team that has won more than half of the boards: two of three."""
        first, second = (2 * wins > self.boards for wins in self.wins)
        return 0 if first else 1 if second else None

    def pairing(self, board: int) -> tuple[str, str]:
        """Who meets on a board."""
        return self.players[0][board], self.players[1][board]

    def names(self, game: int = 1) -> tuple[str, str]:
        """What the two sides are called: the teams."""
        return self.teams

    def won(self, board: int, seat: Seat) -> TeamMatch:
        """The team match after a board has ended. Raises ``RosterError`` if it had ended before."""
        return replace(self, results=(*self.results, (board, seat)))

    def to_json(self) -> dict[str, Any]:
        """The roster as a JSON object, which :func:`roster_from_json` reads again."""
        return {
            "kind": self.kind,
            "teams": list(self.teams),
            "players": [list(team) for team in self.players],
            "results": [list(result) for result in self.results],
        }


@dataclass(frozen=True, slots=True)
class Chouette:
    """One player, the box, against all others, for whom the captain, ``team[0]``, throws and moves.

    ``team``: the others in the order in which they become captain.
    """

    kind: ClassVar[str] = "chouette"
    box: str
    team: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.team:
            raise RosterError("the box has nobody to play against")
        _need_names((self.box, *self.team), "the chouette")

    @property
    def captain(self) -> str:
        """Who plays against the box."""
        return self.team[0]

    def names(self, game: int = 1) -> tuple[str, str]:
        """What the two sides are called: the box and the captain."""
        return self.box, self.captain

    def after(self, winner: Seat) -> Chouette:
        """Who sits where in the next game, by the usual rotation.

        If the box won (0), the captain goes to the end of the team and the next one is captain. If the
        captain won (1), he is the box, and the old box goes to the end of the team.
        """
        captain, *others = self.team
        if winner == 0:
            return Chouette(self.box, (*others, captain))
        return Chouette(captain, (*others, self.box))

    def to_json(self) -> dict[str, Any]:
        """The roster as a JSON object, which :func:`roster_from_json` reads again."""
        return {"kind": self.kind, "box": self.box, "team": list(self.team)}


Roster = Singles | Consulting | TeamMatch | Chouette


def roster_from_json(data: Mapping[str, Any]) -> Roster:
    """The twin of ``to_json`` of every kind of roster. Raises ``RosterError``."""
    try:
        match data["kind"]:
            case "singles":
                return Singles(_pair(data["players"]))
            case "consulting":
                first, second = _pair(data["pairs"])
                throwers = tuple(_pair(game) for game in data.get("throwers", ()))
                return Consulting((_pair(first), _pair(second)), throwers)
            case "team":
                first, second = _pair(data["players"])
                results = tuple(_pair(result) for result in data.get("results", ()))
                return TeamMatch(_pair(data["teams"]), (tuple(first), tuple(second)), results)
            case "chouette":
                return Chouette(data["box"], tuple(data["team"]))
            case kind:
                raise RosterError(f"there is no roster of the kind {kind!r}")
    except (KeyError, TypeError) as error:
        raise RosterError(f"not a roster: {error!r}") from error


def _pair(values: Any) -> tuple[Any, Any]:
    if not isinstance(values, list | tuple) or len(values) != 2:
        raise RosterError(f"not two, as they should be: {values!r}")
    return values[0], values[1]
