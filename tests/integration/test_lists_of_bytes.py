"""Lists of bools, and of NumPy's bools and bytes, whose elements lie in one byte: they do what Python's do."""

from __future__ import annotations

import copy
import random
import re
from typing import Any

import numpy as np
import pytest

import tscript

SOURCES = (
    """
def changed(a: list[T], b: list[T], i: int, j: int, k: int, x: T) -> tuple[list[T], list[T], list[T], int, bool, str]:
    a.append(x)
    c = a[i:j]
    d = a[::k] if k != 0 else a[:]
    a[i:j] = b
    e = a * (k % 4)
    a.insert(i, x)
    a.extend(c)
    return a, d, e, a.count(x), a == b, repr(a)
""",
    """
def ordered(a: list[T], b: list[T], i: int, j: int, k: int, x: T) -> tuple[list[T], list[T], list[int], list[T], int]:
    s = sorted(a)
    r = sorted(a, reverse=True)
    o = sorted(range(len(a)), key=lambda q: a[q])
    a.reverse()
    b.sort()
    del a[i:j]
    rows = [a, b, s]
    rows.sort()
    return s, r, o, rows[0], len(set(b)) + len({tuple(b): 1, tuple(a): 2})
""",
    """
def taken(a: list[T], b: list[T], i: int, j: int, k: int, x: T) -> tuple[T, list[T], list[T], T, T, int]:
    p = a.pop(i)
    a.remove(x)
    del a[::k]
    b[::2] = b[::2]
    b[j] = p
    return p, a, b, min(b), max(b), a.index(x)
""",
    """
def converted(
    a: list[T], b: list[T], i: int, j: int, k: int, x: T
) -> tuple[dict[T, int], list[T], list[T], tuple[T, ...]]:
    a += b
    a *= k % 3
    e = {q: x for q in range(3)}
    u = [x]
    while len(u) < j:
        u.append(u[-1])
    return dict.fromkeys(b, k), list(e.values()), [y for y in a if y == x], tuple(reversed(u))
""",
    """
def in_tuples(
    a: list[T], b: list[T], i: int, j: int, k: int, x: T
) -> tuple[tuple[T, ...], T, int, bool, dict[tuple[T, ...], int]]:
    c = tuple(a) + tuple(b)
    return c[i:j], c[i], c.index(x), x in c, {c: 1, tuple(a): 2}
""",
    """
class Held:
    def __init__(self, row: list[T]) -> None:
        self.row = row
        self.rows: dict[str, list[T]] = {}
        self.last: list[T] | None = None

    def turn(self, x: T) -> int:
        self.row.append(x)
        self.row.reverse()
        self.rows["row"] = self.row
        self.last = self.row
        return len(self.row)

def halves(a: list[T]) -> tuple[list[T], list[T]]:
    return a[: len(a) // 2], a[len(a) // 2 :]

def held(
    a: list[T], b: list[T], i: int, j: int, k: int, x: T
) -> tuple[list[T], dict[str, list[T]], list[T] | None, list[T]]:
    h = Held(a)
    n = h.turn(x)
    assert n == len(a)
    left, right = halves(b)
    maybe: list[T | None] = [None, *left]
    maybe.append(x)
    return h.row, h.rows, h.last, [y for y in maybe if y is not None] + right
""",
)
NAMES = ("changed", "ordered", "taken", "converted", "in_tuples", "held")
VALUES: dict[str, list[Any]] = {
    "bool": [True, False],
    "np.bool_": [np.True_, np.False_],
    "np.uint8": [np.uint8(n) for n in (0, 7, 128, 255)],
}


def arguments(values: list[Any], seed: int) -> tuple[Any, ...]:
    rng = random.Random(seed)

    def row() -> list[Any]:
        return [rng.choice(values) for _ in range(rng.choice((0, 1, 2, 3, 5, 8, 17, 40)))]

    return row(), row(), rng.randrange(-5, 8), rng.randrange(-5, 8), rng.randrange(-3, 4), rng.choice(values)


@pytest.mark.parametrize("source", SOURCES, ids=NAMES)
def test_bools(harness: Any, source: str) -> None:
    harness.agree_all(re.sub(r"\bT\b", "bool", source), [arguments(VALUES["bool"], seed) for seed in range(25)])


def said(function: Any, args: tuple[Any, ...]) -> str:
    given = copy.deepcopy(args)
    try:
        found = function(*given)
    except (IndexError, ValueError) as e:
        return f"{e!r} {given}"
    return f"{found} {given}"


@pytest.mark.parametrize("element", ["np.bool_", "np.uint8"])
@pytest.mark.parametrize("source", SOURCES, ids=NAMES)
def test_scalars_of_numpy(integration: Any, source: str, element: str) -> None:
    plain = integration.function_of("import numpy as np\n" + re.sub(r"\bT\b", element, source))
    compiled = tscript.script(plain)
    for seed in range(25):
        args = arguments(VALUES[element], seed)
        assert said(compiled, args) == said(plain, args)


def flagged(n: int) -> list[bool]:
    flags = [True] * n
    flags[::2] = [False] * len(flags[::2])
    return flags


def table(k: int) -> bool:
    return [
        True,
        False,
        True,
        True,
        False,
        False,
        True,
        False,
        True,
        True,
        False,
        True,
        False,
        False,
        True,
        True,
        True,
    ][k]


def spent(n: int) -> int:
    flags = [False] * n
    return len(flags)


def test_elements_take_one_byte() -> None:
    run = tscript.script(spent)
    run(1)
    before = tscript.memory_stats()["allocated_bytes"]
    run(1_000_000)
    assert 1_000_000 <= tscript.memory_stats()["allocated_bytes"] - before < 1_100_000


def test_long_literals() -> None:
    assert [tscript.script(table)(k) for k in range(17)] == [table(k) for k in range(17)]


def test_archives_bring_lists(tmp_path: Any) -> None:
    path = tmp_path / "lists.tsa"
    tscript.save(tscript.script(flagged), path)
    assert tscript.load(path)(5) == flagged(5)
