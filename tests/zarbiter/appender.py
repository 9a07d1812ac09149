"""A child process of the store test: appends events and prints the id of each that may be shown."""

from __future__ import annotations

import sys
from pathlib import Path

from engine.events import Throw
from engine.position import Game, Side
from engine.rules import default_rules
from zarbiter.store import Store


def main(path: Path) -> None:
    store = Store(path)
    row = store.unfinished() or store.new_match(rules=default_rules(Game.BACKGAMMON))
    count = len(store.told(row.id))
    while True:
        throw = Throw(t=float(count), side=Side.WHITE, colour="light", dice=(1, 2), valid=True)
        told = store.append(row.id, throw, f"event {count}").result()
        print(told.id, told.sentence, sep="\t", flush=True)
        count += 1


if __name__ == "__main__":
    main(Path(sys.argv[1]))
