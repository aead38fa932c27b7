"""What a key function, or `__lt__`, sees of the list that is sorted: as in CPython it is empty meanwhile."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

import tscript


class A:
    def __init__(self, n: int, items: list["A"]) -> None:
        self.n = n
        self.items = items

    def __lt__(self, other: "A") -> bool:
        if len(self.items) > 0:
            self.items.append(self)
        return self.n < other.n


def seen(xs: list[int]) -> tuple[list[int], list[int]]:
    out: list[int] = []

    def key(x: int) -> int:
        out.append(len(xs))
        return -x

    xs.sort(key=key)
    return xs, out


def changed(xs: list[int]) -> list[int]:
    def key(x: int) -> int:
        xs.append(x)
        return -x

    try:
        xs.sort(key=key)
    except ValueError as e:
        return [*xs, len(str(e))]
    return xs


def failed(xs: list[int]) -> list[int]:
    def key(x: int) -> int:
        if x == 3:
            raise KeyError(x)
        xs.append(5)
        return -x

    try:
        xs.sort(key=key, reverse=True)
    except KeyError:
        return [*xs, 99]
    except ValueError:
        return [*xs, 98]
    return xs


def blind(xs: list[int]) -> list[int]:
    xs.sort(key=lambda x: (x % 3, -x))
    ys = xs.copy()
    ys.sort(key=abs)
    return xs + ys


def inst(xs: list[int]) -> list[int]:
    items: list[A] = []
    for x in xs:
        items.append(A(x, items))
    items.sort()
    a = [i.n for i in items]
    items.sort(key=lambda i: (len(i.items) * i.n, -i.n), reverse=True)
    for k in range(3):
        try:
            items.sort(key=lambda i: i.n // (i.n - 3))
        except ZeroDivisionError:
            a.append(-1)
    return a + [i.n for i in items]


CASES: tuple[Callable[[list[int]], object], ...] = (seen, changed, failed, blind, inst)


@pytest.mark.parametrize("function", CASES, ids=lambda f: f.__name__)
def test_lists_are_empty_while_they_are_sorted(function: Callable[[list[int]], object]) -> None:
    scripted = tscript.script(function)
    rng = random.Random(function.__name__)
    for _ in range(30):
        xs = [rng.randrange(9) for _ in range(rng.randrange(7))]
        given, expected = list(xs), list(xs)
        assert scripted(given) == function(expected)
        assert given == expected
