"""Checks of indices leave loops where they cannot fail, or by one test before the loop; errors, and what was written
before them, are those of Python."""

# mypy: disable-error-code="attr-defined, type-arg"

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tscript
from tscript.ir.graph import For, Op, walk

CHECKS = frozenset({"element_index", "getitem.list", "setitem.list"})
Grid = np.ndarray[tuple[int, int], np.dtype[np.float64]]


def mapped(a: Grid, out: Grid) -> None:
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            out[i, j] = 2.0 * a[i, j] + 1.0


def smoothed(a: Grid, out: Grid) -> None:
    for i in range(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            out[i, j] = a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1]


def stepped(a: Grid, out: Grid) -> None:
    i = 0
    while i < a.shape[0]:
        j = a.shape[1] - 1
        while j >= 0:
            out[i, j] = a[i, j]
            j -= 1
        i += 1


def multiplied(a: Grid, out: Grid) -> None:
    n, m = a.shape
    for i in range(n):
        for j in range(n):
            s = 0.0
            for k in range(m):
                s += float(a[i, k]) * float(a[j, k])
            out[i, j] = s


def triangle(a: Grid, out: Grid) -> None:
    for i in range(a.shape[0]):
        for j in range(i, a.shape[1]):
            out[j - i, i] = a[i, j]


@pytest.mark.parametrize("program", [mapped, smoothed, stepped, multiplied, triangle])
@pytest.mark.parametrize("other", [(0, 0), (-1, 0), (0, -1), (1, 1), (-3, 2)])
def test_arrays(program: Callable[..., Any], other: tuple[int, int]) -> None:
    """`out` has the size of `a`, or is too small, or larger."""
    scripted = tscript.script(program)
    for rows, columns in ((0, 0), (1, 3), (4, 4), (5, 7), (8, 3)):
        a = np.arange(rows * columns, dtype=np.float64).reshape(rows, columns)
        for matrix in (a, np.asfortranarray(a), a[::-1]):
            results = []
            for function in (scripted, program):
                out = np.full((max(rows + other[0], 0), max(columns + other[1], 0)), -1.0)
                error = None
                try:
                    function(matrix, out)
                except IndexError as raised:
                    error = str(raised)
                results.append((error, out.tolist()))
            assert results[0] == results[1]


@pytest.mark.parametrize("program", [mapped, smoothed, multiplied])
def test_one_version_has_no_checks(program: Callable[..., Any]) -> None:
    a = np.ones((3, 3))
    graph = tscript.script(program).graph_for(a, a)
    loops = [n for n in walk(graph.entry.body) if isinstance(n, For) and any(isinstance(i, For) for i in walk(n.body))]
    dense = [n for n in loops if any(isinstance(i, Op) and i.op.name.endswith(".dense") for i in walk(n.body))]
    assert dense
    assert any(not any(isinstance(i, Op) and i.op.name in CHECKS for i in walk(loop.body)) for loop in loops)


def moved(x: list[float], v: list[float], w: list[float], n: int) -> float:
    for i in range(n):
        for j in range(i + 1, n):
            v[i] -= x[i] - x[j]
            w[j] += v[i]
    return sum(w)


def flat(cells: list[float], out: list[float], w: int, h: int) -> float:
    for y in range(1, h - 1):
        for x in range(1, w - 1):
            at = y * w + x
            out[at] = cells[at - 1] + cells[at + 1] + cells[at - w] + cells[at + w]
    return sum(out)


def shortened(x: list[float], v: list[float], w: list[float], n: int) -> float:
    """A list becomes shorter while the loop runs."""
    for i in range(n):
        if i == 2 and w:
            x.pop()
        v[i] = x[i] + 1.0
    return sum(v)


def emptied_in_a_call(x: list[float], v: list[float], w: list[float], n: int) -> float:
    for i in range(n):
        if i == 3:
            clear(x, i)
        v[i] = x[i]
    return sum(v)


def clear(x: list[float], depth: int) -> None:
    if depth > 0:
        clear(x, depth - 1)
    else:
        x.clear()


def texts(x: list[float], v: list[float], w: list[float], n: int) -> float:
    text = "abcdefg" * len(w)
    found = 0
    for i in range(n):
        if text[i] == "c":
            found += 1
        v[i] += found
    return sum(v)


def outcome(function: Callable[..., Any], *args: Any) -> object:
    args = copy.deepcopy(args)
    try:
        return function(*args), args
    except IndexError as error:
        return str(error), args


@pytest.mark.parametrize("program", [moved, shortened, emptied_in_a_call, texts])
def test_lists(program: Callable[..., Any]) -> None:
    scripted = tscript.script(program)
    for sizes in ((5, 5, 5), (5, 3, 5), (5, 5, 3), (3, 5, 5), (7, 6, 8), (5, 5, 0)):
        args = [[float(i) for i in range(size)] for size in sizes]
        for n in (0, 1, 4, 5, 6):
            assert outcome(scripted, *args, n) == outcome(program, *args, n)


def test_the_same_list_twice() -> None:
    scripted = tscript.script(moved)
    x, y = [1.0, 2.0, 3.0], [1.0, 2.0, 3.0]
    assert scripted(x, x, x, 3) == moved(y, y, y, 3)
    assert x == y


@settings(max_examples=30, deadline=None)
@given(st.integers(-2, 6), st.integers(-2, 6), st.integers(0, 40), st.integers(0, 40))
def test_flat(w: int, h: int, size: int, other: int) -> None:
    args = [float(i) for i in range(size)], [0.0] * other
    assert outcome(FLAT, *args, w, h) == outcome(flat, *args, w, h)


FLAT = tscript.script(flat)


def test_large_sizes() -> None:
    """The test before the loop does not overflow."""
    for w, h in ((2**28, 2**28), (2**62, 3), (2**33, 2**31), (3, 2**63 - 1), (-(2**62), 5)):
        assert outcome(FLAT, [1.0] * 5, [1.0] * 5, w, h) == outcome(flat, [1.0] * 5, [1.0] * 5, w, h)


Row = np.ndarray[tuple[int], np.dtype[np.float64]]


def written(a: Row) -> float:
    before = a + 1.0
    s = float(a.sum())
    a[0] = 5.0
    after = a + 1.0
    a[1] += a[0]
    return float(before[0] + after[0] * 10.0 + a[1] * 100.0) + (float(a.sum()) - s) * 1000.0


def test_what_is_written_into_an_array_is_seen() -> None:
    assert tscript.script(written)(np.zeros(3)) == written(np.zeros(3))


def shifted(x: Row, out: Row, k: int) -> None:
    for i in range(x.size):
        out[i + k] = x[i]


@pytest.mark.parametrize("program", [mapped, smoothed, multiplied])
def test_strides_and_read_only_arrays(program: Callable[..., Any]) -> None:
    """Arrays of any layout, and errors of read-only ones behind what was written before."""
    scripted = tscript.script(program)
    wide = np.arange(200, dtype=np.float64).reshape(10, 20)
    layouts = [
        wide[:5, :5],
        wide[::2, ::4],
        wide[:5, 4::-1],
        wide.T[5:10, 3:8],
        np.broadcast_to(np.arange(5.0), (5, 5)),
        np.broadcast_to(np.arange(5.0).reshape(5, 1), (5, 5)),
    ]
    for a in layouts:
        for spread in (1, 2):
            for order in (0, 1):
                for readonly in (False, True):
                    results = []
                    for function in (scripted, program):
                        room = np.full((5 * spread, 5 * spread), -1.0)
                        out = room[::spread, ::spread] if order else room.T[::spread, ::spread]
                        out.flags.writeable = not readonly
                        error = None
                        try:
                            function(a, out)
                        except ValueError as raised:
                            error = str(raised)
                        results.append((error, room.tolist()))
                    assert results[0] == results[1]
                    assert (results[0][0] is not None) == readonly


def test_overlapping_rows() -> None:
    """What one iteration writes the next one reads."""
    scripted = tscript.script(shifted)
    for step in (1, 2, -1):
        for k in (0, 1, 3, 8):
            found, expected = np.arange(60.0), np.arange(60.0)
            scripted(found[10:50][::step][:8], found[10:50][::step][2:], k)
            shifted(expected[10:50][::step][:8], expected[10:50][::step][2:], k)
            assert found.tolist() == expected.tolist()


def searched(a: Row, v: float, low: int, high: int) -> int:
    while low < high:
        middle = (low + high) // 2
        if float(a[middle]) < v:
            low = middle + 1
        else:
            high = middle
    return low


def mirrored(a: Row, i: int, j: int) -> None:
    while i < j:
        t = float(a[i])
        a[i] = a[j]
        a[j] = t
        i += 1
        j -= 1


def sifted(a: Row, n: int, back: int) -> float:
    s = 0.0
    top = n
    while top > 0:
        s += float(a[top - 1])
        if s > 3.0 and back > 0:
            top += 2
            s -= 4.0
            back -= 1
        top -= 1
    return s


def ended(function: Callable[..., Any], a: Any, *args: Any) -> Any:
    try:
        return function(a, *args), a.tolist()
    except IndexError as raised:
        return str(raised), a.tolist()


@pytest.mark.parametrize("program", [searched, mirrored, sifted])
def test_bounds_that_only_shrink(program: Callable[..., Any]) -> None:
    """Binary search and two pointers, from places inside and outside of the array."""
    scripted = tscript.script(program)
    extra = {"searched": [(2.5,), (-1.0,), (99.0,)], "mirrored": [()], "sifted": [()]}[program.__name__]
    for size in (0, 1, 5, 8):
        for low in (-3, -1, 0, 2, size):
            for high in (0, 1, size - 1, size, size + 1, size + 4):
                for first in extra:
                    found = ended(scripted, np.arange(float(size)), *first, low, high)
                    assert found == ended(program, np.arange(float(size)), *first, low, high)


def test_a_binary_search_has_no_checks() -> None:
    graph = tscript.script(whole).graph_for(np.arange(5.0), 2.0)
    assert not any(isinstance(n, Op) and n.op.name in CHECKS for n in walk(graph.entry.body))


def whole(a: Row, v: float) -> int:
    low, high = 0, a.size
    while low < high:
        middle = (low + high) // 2
        if float(a[middle]) < v:
            low = middle + 1
        else:
            high = middle
    return low


def spread(cells: list[float], n: int, w: int) -> float:
    if w > 0:
        for i in range(n):
            cells[15 * i * w] = 2.0
    return sum(cells)


def test_factors_in_products() -> None:
    """Fifteen times the product of two numbers below 2**30 has more than 63 bits."""
    scripted = tscript.script(spread)
    assert scripted([1.0] * 40, 3, 1) == spread([1.0] * 40, 3, 1)
    for n, w in ((2**30 - 1, 2**30 - 1), (2**28 - 1, 2**28 - 1), (2**29, 2**20)):
        with pytest.raises(IndexError):
            scripted([1.0] * 5, n, w)
