"""Named tuples as arguments and results, whatever their fields are."""

# mypy: disable-error-code="arg-type"

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

import pytest

import tscript


class Point(NamedTuple):
    a: int
    b: float = 1.5


class Pair(NamedTuple):
    p: Point
    s: str


class Colour(Enum):
    RED = 1
    GREEN = 2


class Mixed(NamedTuple):
    c: Colour
    z: complex


def moved(p: Point) -> Point:
    return Point(p.a + 1, p.b)


def nested(q: Pair) -> Pair:
    return Pair(Point(q.p.a), q.s + "x")


def other(w: Mixed) -> Colour:
    return Colour.RED if w.c == Colour.GREEN else Colour.GREEN


def test_named_tuples() -> None:
    assert tscript.script(moved)(Point(1, 2.0)) == Point(2, 2.0)
    assert type(tscript.script(moved)(Point(1))) is Point
    assert tscript.script(nested)(Pair(Point(1), "a")) == Pair(Point(1), "ax")
    assert tscript.script(other)(Mixed(Colour.RED, 1j)) is Colour.GREEN


def shown(n: int) -> str:
    p = Point(24)
    return f"{p} {(p, n)}" + str(p) + repr((p, 1))


def test_constant_named_tuples_keep_their_name() -> None:
    assert tscript.script(shown)(1) == shown(1)


def test_a_plain_tuple_is_no_named_one() -> None:
    with pytest.raises(TypeError, match=r"must be .*Point, not tuple"):
        tscript.script(moved)((1, 2.0))


def in_handler(x: int) -> int:
    try:
        x = 10 // x
    except ZeroDivisionError:

        def more(q: int) -> int:
            return q + 1

        x = more(x)
    return x


def test_functions_defined_in_a_handler() -> None:
    assert [tscript.script(in_handler)(x) for x in (0, 5)] == [1, 2]


def looked_up(n: int) -> Colour:
    if n > 5:
        k = 77
        return Colour(k)
    try:
        return Colour(n)
    except ValueError:
        return Colour.RED


def test_members_by_value() -> None:
    scripted = tscript.script(looked_up)
    assert [scripted(n) for n in (1, 2, 3)] == [looked_up(n) for n in (1, 2, 3)]
    with pytest.raises(ValueError, match="77 is not a valid Colour"):
        scripted(6)
