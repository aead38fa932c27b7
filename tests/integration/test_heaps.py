"""`heapq` and `bisect` in compiled code: the lists, results and errors of CPython's, comparison by comparison."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tscript
from tests.integration.harness import function_of
from tscript.diagnostics import CompileError

SOURCE = """
import bisect
import heapq
from bisect import bisect as found, insort
from heapq import heappop, heappush


class Task:
    def __init__(self, rank: int, name: str):
        self.rank = rank
        self.name = name

    def __lt__(self, other: "Task") -> bool:
        return self.rank < other.rank


def heap_of(xs: list[T], changes: list[tuple[int, T]]) -> tuple[list[T], list[T]]:
    heap = xs[:]
    heapq.heapify(heap)
    out = heap[:]
    for what, x in changes:
        if what == 0:
            heappush(heap, x)
        elif what == 1:
            out.append(heapq.heappushpop(heap, x))
        elif what == 2 and heap:
            out.append(heapq.heapreplace(heap, x))
        elif heap:
            out.append(heappop(heap))
    return heap, out


def few(xs: list[T], n: int) -> tuple[list[T], list[T]]:
    return heapq.nsmallest(n, xs), heapq.nlargest(n, xs)


def few_by(xs: list[int], n: int) -> tuple[list[int], list[int]]:
    return heapq.nsmallest(n, xs, key=lambda x: x % 7), heapq.nlargest(n, xs, lambda x: x % 7)


def places(xs: list[T], x: T, lo: int, hi: int | None) -> tuple[int, int, int]:
    return bisect.bisect_left(xs, x, lo, hi), bisect.bisect_right(xs, x, lo, hi=hi), found(xs, x)


def places_by(xs: list[int], x: int) -> tuple[int, int]:
    return bisect.bisect_left(xs, x, key=lambda v: v // 3), bisect.bisect(xs, x, key=lambda v: v // 3)


def kept(xs: list[T]) -> tuple[list[T], list[T]]:
    left: list[T] = []
    right: list[T] = []
    for x in xs:
        bisect.insort_left(left, x)
        insort(right, x)
    return left, right


def kept_by(xs: list[int]) -> list[int]:
    out: list[int] = []
    for x in xs:
        insort(out, x, key=lambda v: -v)
    return out


def tasks(ranks: list[int]) -> list[str]:
    queue = []
    for i, rank in enumerate(ranks):
        heappush(queue, Task(rank, f"task {i}"))
    out = []
    while queue:
        out.append(heappop(queue).name)
    return out


def popped(xs: list[int]) -> int:
    return heapq.heappop(xs)


def replaced(xs: list[int]) -> int:
    return heapq.heapreplace(xs, 1)


def in_array(xs, x):
    return bisect.bisect_left(xs, x), bisect.bisect_right(xs, x)
"""
MAKERS: dict[str, Callable[[random.Random], Any]] = {
    "int": lambda r: r.randint(-9, 9),
    "float": lambda r: r.choice((float("nan"), 0.0, -0.0, r.uniform(-2, 2))),
    "str": lambda r: r.choice(("", "a", "ab", "b", "é")),
    "bool": lambda r: r.random() < 0.5,
    "tuple[int, str]": lambda r: (r.randint(0, 3), r.choice(("x", "y"))),
    "list[int]": lambda r: [r.randint(0, 2) for _ in range(r.randint(0, 2))],
}
PLAIN = function_of(SOURCE.replace("T]", "int]").replace("T,", "int,")).__globals__


def _compiled(name: str, type: str = "int") -> Any:
    module = function_of(SOURCE.replace("T]", f"{type}]").replace("T,", f"{type},")).__globals__
    return tscript.script(module[name])


@pytest.mark.parametrize("type", MAKERS)
def test_random(type: str) -> None:
    """Lists of each type of element; NaN shows each comparison (of those that no sorting makes)."""
    make, names = MAKERS[type], ("heap_of", "few", "places", "kept")
    compiled = {name: _compiled(name, type) for name in names}
    for seed in range(60):
        r = random.Random(seed)
        xs = [make(r) for _ in range(r.choice((0, 1, 2, 3, 8, 30)))]
        arguments: dict[str, tuple[Any, ...]] = {
            "heap_of": (xs, [(r.randint(0, 3), make(r)) for _ in range(20)]),
            "few": ([x for x in xs if x == x], r.randint(-1, 5)),
            "places": (xs, make(r), r.randint(0, len(xs)), r.choice((None, r.randint(0, len(xs))))),
            "kept": (xs,),
        }
        for name in names:
            assert repr(compiled[name](*arguments[name])) == repr(PLAIN[name](*arguments[name])), (name, seed)


@pytest.mark.parametrize("name", ["few_by", "places_by", "kept_by", "tasks"])
def test_keys_and_classes(name: str) -> None:
    """With ``key=``, and by ``__lt__`` of a class."""
    compiled = _compiled(name)
    for seed in range(40):
        r = random.Random(seed)
        xs = [r.randint(0, 30) for _ in range(r.randint(0, 12))]
        more = {"few_by": (r.randint(-1, 5),), "places_by": (r.randint(0, 9),)}.get(name, ())
        assert compiled(xs, *more) == PLAIN[name](xs, *more)


@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_arrays(dtype: str) -> None:
    """`bisect` in an array."""
    compiled, xs = _compiled("in_array"), np.arange(0, 20, 2, dtype=dtype)
    for x in (-1, 4, 5, 100):
        assert compiled(xs, x) == PLAIN["in_array"](xs, x)


def test_errors() -> None:
    """An empty heap, a negative start, and arguments of other types."""
    for name in ("popped", "replaced"):
        with pytest.raises(IndexError, match="index out of range"):
            _compiled(name)([])
    with pytest.raises(ValueError, match="lo must be non-negative"):
        _compiled("places")([1], 1, -1, None)
    for source, expected in (
        ("def f(d: dict[str, int]):\n    heapq.heappush(d, 1)", "expects a list for 'heap'"),
        ("def f(xs: list[int]):\n    return heapq.merge(xs, xs)", "join the lists and sort them"),
    ):
        with pytest.raises(CompileError, match=expected):
            tscript.script(function_of(f"import heapq\n\n{source}"))
