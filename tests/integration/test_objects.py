"""Values of the type `object`: what is equal in Python is equal in compiled code, whatever the types of its parts; and
what `isinstance` says of them."""

from __future__ import annotations

import copy
import enum
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

import tscript
from tscript import Tensor


class Level(enum.IntEnum):
    HIGH = 5
    LOW = 2


class Word(enum.StrEnum):
    X = "x"
    Y = "y"


@dataclass
class Range:
    low: int | None
    high: float | None = None


def tuples_of_any_length_are_keys(xs: list[int]) -> list[object]:
    seen: dict[object, int] = {}
    first = tuple(xs)
    seen[first] = 1
    second = (xs[0], xs[1])
    a: object = first
    b: object = second
    return [second in seen, first in seen, a == b, hash(first) == hash(second), b in seen, a != b]


def numbers_in_tuples(xs: list[int]) -> list[bool]:
    found: set[object] = {(xs[0], 2.0), 3, True, "a", (1, (2, "x"))}
    return [
        (float(xs[0]), xs[1]) in found,
        3.0 in found,
        1 in found,
        (1.0, (2.0, "x")) in found,
        (True, (2, "y")) in found,
    ]


def containers(xs: list[int]) -> list[bool]:
    values: list[object] = [tuple(xs), (1, 2), [1.0, 2.0], {1: 2}, {1}]
    more: dict[object, list[float]] = {2.0: [], True: [1.0]}
    a: object = {1: [1], 2: []}
    b: object = more
    return [
        (1, 2) == values[0],
        [1, 2] in values,
        {1.0: 2.0} in values,
        {1.0} in values,
        {2.0} in values,
        a == b,
        values[1] == values[2],
    ]


def members(n: int) -> list[object]:
    a: object = Level.HIGH
    b: object = n
    c: object = Word.X
    d: object = "x"
    values: list[object] = [Level.HIGH, n]
    table: dict[object, int] = {Level.HIGH: 1, Word.Y: 2}
    pairs = [(Level.HIGH, 1), (Level.LOW, 2)]
    return [
        a == b,
        c == d,
        hash(a) == hash(b),
        hash(c) == hash(d),
        values.index(5),
        n in table,
        "y" in table,
        sorted(pairs),
        str(values),
    ]


def tables_of_members(d: dict[Level, int], e: dict[int, int], s: set[Word]) -> list[bool]:
    x: object = d
    y: object = e
    z: object = s
    w: object = {"x", "y"}
    return [x == y, y == x, z == w, w == z]


def bools_are_ints(n: int) -> list[int]:
    values: list[object] = [True, n, 1.0, "x"]
    return [x + 1 for x in values if isinstance(x, int)]


Number = int | float


def numbers_among_others(n: int) -> list[object]:
    values: list[object] = [True, n, 1.5, "x", None]
    found: list[object] = []
    for x in values:
        if isinstance(x, Number):
            found.append(x + 1)
        elif isinstance(x, (Number, str)):
            found.append(str(x))
    return found


def asked(x: object) -> str:
    match x:
        case bool(b):
            return f"bool {b}"
        case int(n):
            return f"int {n + 1}"
        case str(s):
            return s
    return "other"


def members_of_unions(x: Level | str | None) -> list[object]:
    if isinstance(x, int):
        return [x + 1, x]
    if isinstance(x, (int, str)):
        return [x]
    return [isinstance(Level.LOW, int), isinstance(Word.X, str), isinstance(Word.X, int)]


def matched(x: Level | str | int) -> list[object]:
    match x:
        case int(n):
            return ["n", n + 1, n]
        case str(s):
            return ["s", s]
    return []


def ints_or_none(x: int | float | None, n: int | None) -> str:
    y: float | str | None = x
    return f"{y} {Range(n, n)!r}" if y is None else f"{y:.1f}"


def ordered(n: int) -> list[object]:
    values: list[object] = [(n, 2.0), (1.0, 1), (0.5, "a"), (True, 0)]
    values.sort()
    return [*values, max(values)]  # type: ignore[type-var]


CALLS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (tuples_of_any_length_are_keys, ([1, 2],)),
    (numbers_in_tuples, ([1, 2],)),
    (containers, ([1, 2],)),
    (members, (5,)),
    (members, (4,)),
    (tables_of_members, ({Level.HIGH: 1}, {5: 1}, {Word.X, Word.Y})),
    (bools_are_ints, (3,)),
    (numbers_among_others, (3,)),
    (asked, (True,)),
    (asked, (7,)),
    (asked, ("a",)),
    (members_of_unions, (Level.HIGH,)),
    (members_of_unions, ("a",)),
    (members_of_unions, (None,)),
    (matched, (Level.LOW,)),
    (matched, (4,)),
    (matched, ("b",)),
    (ints_or_none, (2.5, 1)),
    (ordered, (3,)),
]


@pytest.mark.parametrize(("function", "args"), CALLS, ids=lambda v: getattr(v, "__name__", ""))
def test_values_of_any_type_are_what_they_are_in_python(function: Callable[..., Any], args: tuple[Any, ...]) -> None:
    assert repr(tscript.script(function)(*copy.deepcopy(args))) == repr(function(*args))


def test_an_int_for_a_float_that_may_be_none() -> None:
    assert tscript.script(ints_or_none)(None, 3) == "None Range(low=3, high=3.0)"


class Modular:
    def __init__(self, n: int) -> None:
        self.n = n

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Modular) and self.n % 3 == other.n % 3

    __hash__ = None  # type: ignore[assignment]


@dataclass
class Late:
    a: int
    b: int = field(init=False)

    def __post_init__(self) -> None:
        if self.a > 0:
            self.b = self.a * 10


def with_what_is_known(n: int, m: int) -> list[bool]:
    x: object = Modular(n)
    d: object = Range(n)
    p: object = Level.LOW
    none: object = None
    return [
        x == Modular(m),
        Modular(m) == x,
        x != Modular(m),
        d == Range(m),
        Range(n) == d,
        p == Level.LOW,
        Level.HIGH != p,
        Modular(m) == none,
        d == n,
    ]


def two_of_any_type(n: int, m: int) -> bool:
    x: object = (1, Modular(n))
    y: object = (1, Modular(m))
    return x == y


def late_ones(n: int, m: int) -> bool:
    x: object = Late(n)
    y: object = Late(m)
    return x == y


@pytest.mark.parametrize("m", [5, 3])
def test_values_of_any_type_are_compared_as_a_known_class_says(m: int) -> None:
    assert tscript.script(with_what_is_known)(2, m) == with_what_is_known(2, m)
    for function in (two_of_any_type, late_ones):
        with pytest.raises(TypeError, match="whose class has an '__eq__' of its own is not compared where it may be"):
            tscript.script(function)(2, m)


def same(x: Tensor, y: Tensor) -> bool:
    a: object = x
    b: object = y
    return a == b


def place(x: Tensor, y: object) -> int:
    values: list[object] = ["a", x]
    return values.index(y)


def test_tensors_of_any_type_are_never_equal_by_accident() -> None:
    x = tscript.ones(2)
    for call in (lambda: tscript.script(same)(x, tscript.ones(2)), lambda: tscript.script(place)(x, 1)):
        with pytest.raises(TypeError, match="a tensor that may be of any type is not compared"):
            call()
    assert tscript.script(place)(x, x) == 1
    assert tscript.script(place)(x, "a") == 0
