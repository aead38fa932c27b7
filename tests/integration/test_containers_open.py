"""Containers that begin empty take their types from what is done with them, wherever it stands; comparisons of values
of different static types."""

# mypy: disable-error-code="var-annotated, comparison-overlap"

# ruff: noqa: RUF005, C409 - sources as users write them

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

import tscript
from tscript.diagnostics import CompileError


def same(function: Callable[..., Any], *calls: tuple[Any, ...]) -> None:
    """A function gives what it gives as plain Python."""
    scripted = tscript.script(function)
    for args in calls:
        assert repr(scripted(*copy.deepcopy(args))) == repr(function(*copy.deepcopy(args)))


def sliced(n: int) -> list[float]:
    return [35.5 for x in range(n) if False][:19]


def joined(n: int) -> list[int]:
    v: list[int] = [n] + [3 for x in range(n) if n > 2 and False][:3]
    return v


def read_before(n: int) -> list[int]:
    xs = []
    for x in xs:
        n += x
    ys = xs if n > 3 else []
    ys.append(n)
    return ys + xs


def last(n: int) -> list[int]:
    xs = []
    while len(xs) < n:
        if xs:
            xs.append(xs[-1] + 2)
        else:
            xs.append(1)
    return xs


def counted(n: int) -> dict[str, int]:
    d = {}
    for i in range(n):
        if "a" in d:
            d["a"] += i
        else:
            d["a"] = 1
    return d


def seen(n: int) -> int:
    found = set()
    for i in range(n):
        if i % 3 in found:
            return i
        found.add(i % 3)
    return -1


def rows(n: int) -> tuple[int, ...]:
    return ((n, n) if n else (1, 2) + (n, n, n))[:3] + (4, 5)


def within(n: int) -> list[list[int]]:
    v = [[]]
    v.append([n])
    u, *w = [[], *v]
    return [[], [n]] + [[]] + w + [u]


def by_key(n: int) -> dict[str, list[int]]:
    d = {"a": []}
    for i in range(n):
        d["a"].append(i)
        d["b"] = []
    return d


def nothing(n: int) -> tuple[int, ...]:
    return tuple([]) + tuple([n for x in range(0) if False])


@pytest.mark.parametrize("function", [within, by_key, nothing, sliced, joined, read_before, last, counted, seen, rows])
def test_containers_that_begin_empty(function: Callable[..., Any]) -> None:
    same(function, (0,), (1,), (5,))


def rows_and_tuples(n: int, p: tuple[int, ...]) -> list[bool]:
    return [p == (n, n), (n, n) != p, (1, n) < (n, 2), p < (n, n), (n,) == p]


def optionals(n: int, x: int | None, y: int | None) -> list[bool]:
    return [x == n, x == y, n == x, x != y, x == 0]


def unions(n: int, x: int | str, y: int | str) -> list[bool]:
    return [x == n, x == y, n == x, x != y, x == "a", "a" != x]


def anything(n: int, x: Any, y: Any) -> list[bool]:
    return [x == n, x == y, n == x, x != y, x == "a", "a" != x, (1, 2) == x, x == [1]]


def test_comparisons_of_values_of_two_types() -> None:
    same(rows_and_tuples, (0, (0, 0)), (5, (5, 5, 5)), (5, ()))
    same(optionals, (0, 0, 0), (3, None, None), (3, 3, None))
    same(unions, (0, 0, "a"), (2, "a", "a"))
    same(anything, (0, 0, "a"), (2, (1, 2), "a"), (1, [1], [1]))


def unlike(n: int, x: str) -> bool:
    return n == x


def test_values_that_are_never_equal_are_not_compared() -> None:
    with pytest.raises(CompileError, match="'==' does not take int and str"):
        tscript.script(unlike)(1, "a")


@pytest.mark.parametrize(
    ("declared", "literal"),
    [
        ("list[float | None]", "[1.0, 2.0].copy()"),
        ("list[float | None]", "[1.0, None].copy().copy()"),
        ("dict[str, float | None]", "{'a': 1.0}.copy()"),
        ("set[int | None]", "{n}.copy()"),
        ("list[list[int]]", "[[]].copy()"),
        ("list[object]", "[1, 'a'].copy()"),
        ("list[float | None]", "[float(i) for i in range(n)].copy()"),
        ("list[float | None]", "([1.0] if n else [None]).copy()"),
        ("list[int]", "[True].copy()"),
        ("list[int | str] | None", "[1].copy()"),
    ],
)
def test_what_is_declared_reaches_a_literal_behind_copy(agree: Callable[..., Any], declared: str, literal: str) -> None:
    agree(f"def f(n: int) -> {declared}:\n    x: {declared} = {literal}\n    return x", 2)
    agree(f"def f(n: int) -> {declared}:\n    return {literal}", 2)


@pytest.mark.parametrize(
    "literal",
    [
        "[(1, {}), (2, {'a': n})]",
        "[(2, {'a': n}), (1, {}), (3, {})]",
        "[(1, []), (2, []), (3, [n])]",
        "[(1, set()), (2, {n})]",
        "[(1, (2, {})), (2, (3, {'a': n}))]",
        "{1: (1, {}), 2: (2, {'a': n})}",
        "((1, {}) if n > 3 else (2, {'a': n}))",
        "[(n, d) for n, d in [(1, {}), (2, {'a': 1})]]",
        "[(d, len(d)) for _, d in [('x', {}), ('', {'a': 1})]][0]",
    ],
)
def test_an_empty_container_in_a_tuple_beside_a_filled_one(agree: Callable[..., Any], literal: str) -> None:
    agree(f"def f(n: int) -> str:\n    x = {literal}\n    return str(x)", 2)
    agree(f"def f(n: int) -> str:\n    x = {literal}\n    return str(x)", 5)
