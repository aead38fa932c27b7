"""Slices, ranges and ``...`` under names, compiled and as plain Python."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Optional

import pytest

import tscript
from tscript import Tensor
from tscript.checking import check_file


def _both(function: Callable[..., Any], *args: object) -> Any:
    """The result of a function, compiled and as plain Python, which agree."""
    found, plain = tscript.script(function)(*args), function(*args)
    assert str(found) == str(plain) and type(found) is type(plain)
    return found


def grid() -> Tensor:
    return tscript.arange(20).reshape(4, 5)


def test_slices_under_names():
    def f(x: Tensor, n: int) -> tuple[Tensor, Tensor]:
        rows = slice(n, n + 2)
        n = 100
        odd = slice(1, None, 2)
        return x[slice(1), odd], x[rows, odd]

    assert _both(f, grid(), 1)[1].shape == (2, 2)


def test_several_in_one_assignment():
    def f(x: Tensor, n: int) -> tuple[Tensor, Tensor, int, list[int]]:
        rows, columns = slice(n), slice(1, None, 2)
        if n > 1:
            rows, count = slice(1, n), n
        else:
            [rows, count] = slice(0, n), 7
        steps, rest = range(n), ...
        return x[rows, columns], x[rest, columns], count, [2 * i for i in steps]

    assert [_both(f, grid(), n)[2] for n in (1, 2)] == [7, 2]


def test_one_that_reads_what_another_of_its_assignment_had():
    def f(n: int) -> int:
        n, steps = 2, range(n)
        return len(steps) + n

    with pytest.raises(tscript.CompileError, match="range"):
        tscript.script(f)(5)


def test_other_bounds_in_branches_and_loops():
    def f(x: Tensor, n: int) -> Tensor:
        if n > 1:
            s = slice(n)
        else:
            s = slice(n, n + 1)
        total = x[s].sum(0)
        for i in range(3):
            part = slice(i, i + 2)
            total = total + x[part].sum(0)
        return total + x[..., s].sum()

    assert [_both(f, grid(), n).sum() for n in (1, 2)] == [490, 650]


def test_a_bound_that_may_be_none():
    def f(x: Tensor, text: str, n: Optional[int], m: Optional[int]) -> tuple[Tensor, str]:
        return x[n:m, m:], text[n:m]

    for n, m in ((None, None), (1, None), (None, -1), (1, 3)):
        _both(f, grid(), "abcdef", n, m)


def test_indices_of_several_parts():
    def f(x: Tensor, n: int) -> tuple[Tensor, Tensor]:
        rest = ...
        place = (slice(None), n)
        other = (Ellipsis, slice(1, None, 2))
        x[place] = 7
        return x[place], x[other] + x[rest, 0].sum() + x[Ellipsis, 1, 1:2]

    _both(f, grid(), 2)


def test_elements_of_lists_and_strings():
    def f(xs: list[int], text: str) -> str:
        middle = slice(1, 3)
        xs[middle] = [9]
        del xs[slice(0, 1)]
        return text[middle]

    xs = [1, 2, 3, 4]
    assert tscript.script(f)(xs, "abcd") == "bc"
    assert xs == [9, 4]


def test_ranges_under_names():
    def f(n: int) -> tuple[list[int], int, list[int], int]:
        steps = range(1, n, 2)
        n = 100
        total = sum(steps) + steps.start + steps.stop + steps.step + len(steps) + steps[1]
        for a, (i, b) in zip(steps, enumerate(reversed(steps))):
            total += a * b + i

        def count(k: int) -> int:
            return k + len(steps)

        return [x for x in steps if x in steps], total, list(steps), count(2)

    assert _both(f, 6)[0] == [1, 3, 5]


def test_names_that_mean_something_else():
    def f(x: Tensor) -> Tensor:
        slice = 1
        return x[slice]

    def g(n: int) -> int:
        r = range(n)
        r = range(n)[1:] if n > 100 else r
        return len(r)

    _both(f, grid())
    with pytest.raises(tscript.CompileError, match="range"):
        tscript.script(g)


def test_tensors_for_indices_and_bounds():
    def f(n: Tensor, xs: list[int]) -> int:
        total = xs[n]
        for i in range(n):
            total += i
        return total

    assert _both(f, tscript.tensor(2), [4, 5, 6]) == 7
    with pytest.raises(TypeError, match="only tensors of ints"):
        tscript.script(f)(tscript.tensor(2.5), [4, 5, 6])


def test_in_files_that_are_read(tmp_path: Path):
    file = tmp_path / "a.py"
    file.write_text(
        "import tscript\nfrom tscript import Tensor\n\n@tscript.script\ndef f(x: Tensor, n: int) -> Tensor:\n"
        "    rows = slice(n)\n    steps = range(n)\n    for i in steps:\n        x = x + i\n"
        "    return x[rows, Ellipsis]\n"
    )
    assert check_file(file) == []
    file.write_text("def slice(n: int) -> str:\n    return str(n)\n\n" + file.read_text())
    assert check_file(file) != []
