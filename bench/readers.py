"""Hostile files: small files of every format, damaged at random, through the readers.

A reader may refuse what it is given with its own documented error, in one line that names a reason (and the
line at fault where there is one), within a second. What it accepts must be writable again. Nothing else.

``python -m bench.readers FORMAT SEED`` shows one of the mutations and what became of it.
"""

from __future__ import annotations

import os
import random
import re
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from types import FrameType

import click

from bench.formats import FORMATS, Format
from bench.measure import processes
from bench.tables import table

MUTATIONS, QUICK_MUTATIONS = 100_000, 2_000  #: of all formats together
SLOW = 1.0  #: seconds of processor time that no reader may take, nor what follows with what it read
HANGING = 5.0  #: seconds after which a reader is stopped

Mutator = Callable[[bytes, random.Random], bytes]


class Hang(BaseException):
    """A reader that did not come to an end; no reader can catch it as an ``Exception``."""


@dataclass(slots=True)
class Outcome:
    """What was counted of one format; ``failures`` begin with format and seed."""

    mutations: int = 0
    accepted: int = 0
    refused: int = 0
    with_line: int = 0  #: refusals that name a line
    slowest: float = 0.0  #: seconds of processor time
    failures: list[str] = field(default_factory=list)

    def __iadd__(self, other: Outcome) -> Outcome:
        for f in fields(self):
            mine, its = getattr(self, f.name), getattr(other, f.name)
            setattr(self, f.name, max(mine, its) if f.name == "slowest" else mine + its)
        return self


def _some(data: bytes, rng: random.Random) -> tuple[int, int]:
    start = rng.randint(0, len(data))
    return start, min(len(data), start + rng.choice((1, 2, 5, 20, 200)))


def _flip(data: bytes, rng: random.Random) -> bytes:
    damaged = bytearray(data)
    for _ in range(rng.choice((1, 1, 3, 20))):
        if damaged:
            damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
    return bytes(damaged)


def _truncate(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randint(0, len(data))]


def _cut(data: bytes, rng: random.Random) -> bytes:
    start, end = _some(data, rng)
    return data[:start] + data[end:]


def _insert(data: bytes, rng: random.Random) -> bytes:
    at = rng.randint(0, len(data))
    return data[:at] + rng.choice(STRANGE) + data[at:]


def _overwrite(data: bytes, rng: random.Random) -> bytes:
    start, end = _some(data, rng)
    return data[:start] + rng.choice(STRANGE) + data[end:]


def _splice(data: bytes, rng: random.Random) -> bytes:
    """The head of one file and the tail of another, of the same format or not."""
    other = rng.choice(rng.choice(list(FORMATS.values())).samples())
    return data[: rng.randint(0, len(data))] + other[rng.randint(0, len(other)) :]


def _repeat(data: bytes, rng: random.Random) -> bytes:
    start, end = _some(data, rng)
    times = rng.choice((2, 10, 300))
    return data[:start] + data[start:end] * times + data[end:]


def _shuffle_lines(data: bytes, rng: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    if len(lines) > 1:
        i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
        lines[i], lines[j] = lines[j], lines[i]
    return b"".join(lines)


def _recode(data: bytes, rng: random.Random) -> bytes:
    """All of it, or the part after some point, in another encoding."""
    at = rng.choice((0, rng.randint(0, len(data))))
    text = data[at:].decode("utf-8", "replace")
    return data[:at] + text.encode(
        rng.choice(("utf-16", "utf-16-be", "utf-8-sig", "cp1251", "cp037")), "replace"
    )


def _number(data: bytes, rng: random.Random) -> bytes:
    """Another number in place of one that is there."""
    places = list(re.finditer(rb"-?\d+", data))
    if not places:
        return data
    found = rng.choice(places)
    return data[: found.start()] + rng.choice(NUMBERS) + data[found.end() :]


def _nest(data: bytes, rng: random.Random) -> bytes:
    depth, (opening, closing) = rng.choice((3, 100, 20_000)), rng.choice(BRACKETS)
    start, end = _some(data, rng)
    inside = rng.choice((data[start:end], b""))
    shut = closing * depth if rng.random() < 0.5 else b""
    return data[:start] + opening * depth + inside + shut + data[end:]


BRACKETS = [(b"[", b"]"), (b"{", b"}"), (b"(", b")"), (b"(;", b")"), (b'{"a":', b"}"), (b"x = [", b"]")]
NUMBERS = [
    *(b"0 -1 7 15 16 24 25 26 99 255 256 65536 2147483648 9223372036854775808".split()),
    *(b"-0 1.5 1e9 1e999 NaN Infinity 0x10 1_000 00 +3 null true".split()),
    b"9" * 400,
    b"9" * 5000,  # more digits than int() takes
    "²".encode(),  # str.isdigit() says yes, int() says no
    "٣".encode(),  # a digit to int(), and to \d
]
STRANGE = [
    *(
        b"\x00 \xff \xfe\xff \xc3 \xed\xa0\x80 \r \r\r\n \n\n \t / * : ; , ( ) [ ] { } = # \" ' \\".split(
            b" "
        )
    ),
    "\u2028\u202e\ufeff\U0001f3b2".encode(),
    "\x0b\x0c\x1c\x85".encode(),  # str.splitlines() breaks lines here
    b"\\u0000",
    b"\\ud800",
    b"a" * 10_000,
    b"\n" * 2_000,
    b" " * 10_000,
    b"1" * 3_000,
    b"((((((((((",
]
MUTATORS: list[Mutator] = [
    *(_flip, _truncate, _cut, _insert, _overwrite, _splice, _repeat, _shuffle_lines, _recode, _number, _nest)
]


def mutate(data: bytes, rng: random.Random) -> bytes:
    """The same file after one to four accidents."""
    for _ in range(rng.choice((1, 1, 1, 1, 2, 4))):
        data = rng.choice(MUTATORS)(data, rng)
    return data


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        raise Hang

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _processor_time() -> float:
    """Seconds that this process and those that it started have worked, whatever else the machine does."""
    return sum(os.times()[:4])


def try_one(form: Format, seed: int) -> Outcome:
    """Damage one of the format's samples and read it."""
    rng = random.Random(f"{form.name} {seed}")
    return read(form, mutate(rng.choice(form.samples()), rng), f"{form.name} {seed}")


def read(form: Format, data: bytes, name: str) -> Outcome:
    """Read a file of any content; ``name`` is what a failure is called."""
    result = Outcome(mutations=1)
    start = _processor_time()
    wrong = ""
    try:
        with _time_limit(HANGING):
            form.read(data)
        result.accepted = 1
    except form.errors as error:
        result.refused = 1
        wrong = _bad_message(str(error))
        result.with_line = int(bool(re.search(r"\bline \d+\b", str(error))))
    except Hang:
        wrong = f"no end after {HANGING:g} s"
    except Exception as error:  # what must never come out of a reader
        wrong = f"{type(error).__name__}: {error}"
    result.slowest = _processor_time() - start
    if not wrong and result.slowest > SLOW:
        wrong = f"{result.slowest:.1f} s for {len(data)} bytes"
    if wrong:
        result.failures.append(f"{name}: {wrong[:300]}")
    return result


def _bad_message(message: str) -> str:
    if len(message) < 8:
        return f"says no more than {message!r}"
    if len(message.splitlines()) > 1 or not message.isprintable():
        return f"a message that is not one line of text: {message!r}"
    return f"a message of {len(message)} characters: {message}" if len(message) > 1000 else ""


def _batch(name: str, seeds: range) -> Outcome:
    total = Outcome()
    for seed in seeds:
        total += try_one(FORMATS[name], seed)
    return total


def mutations(quick: bool) -> dict[str, Outcome]:
    """The readers of all formats on damaged files, on all cores."""
    shares = sum(1 / form.cost for form in FORMATS.values())
    each = int((QUICK_MUTATIONS if quick else MUTATIONS) / shares) + 1
    counts = {name: -(-each // form.cost) for name, form in FORMATS.items()}
    total = {name: Outcome() for name in FORMATS}
    with processes(os.cpu_count() or 1) as pool:
        waiting = [
            (name, pool.submit(_batch, name, range(first, min(first + 500, count))))
            for name, count in counts.items()
            for first in range(0, count, 500)
        ]
        for name, batch in waiting:
            total[name] += batch.result()
    rows = [
        (name, o.mutations, o.accepted, o.refused, o.with_line, f"{o.slowest * 1000:.0f} ms", len(o.failures))
        for name, o in total.items()
    ]
    head = ("format", "damaged files", "read", "refused", "of them naming a line", "slowest", "failures")
    click.echo(table(head, rows))
    for outcome in total.values():
        for failure in outcome.failures[:5]:
            click.echo(f"\n    {failure}", err=True)
    return total


if __name__ == "__main__":
    found = try_one(FORMATS[sys.argv[1]], int(sys.argv[2]))
    click.echo("\n".join(found.failures) or f"read: {bool(found.accepted)}")
