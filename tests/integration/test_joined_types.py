"""Values of several types that meet: tuples of two lengths, the truth of a union, methods with other names of
parameters."""

# ruff: noqa: C410, C417 - sources as users write them

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tscript


class Base:
    def __init__(self, n: int) -> None:
        self.n = n

    def m(self, q: int, r: int = 3) -> int:
        return self.n + q + r


class Derived(Base):
    def m(self, other: int, s: int = 3) -> int:
        return self.n * other * s


def renamed(n: int) -> int:
    a: Base = Derived(n) if n > 2 else Base(n)
    return a.m(2) + a.m(2, 5)


def truth(x: int | str | None) -> bool:
    if x:
        return True
    return not not x


def lengths(n: int) -> str:
    return f"{((3,) if n else ())}{len((1, 2) if n else (1,))}"


def declared(n: int) -> list[str | None]:
    v: list[str | None] = list(map(lambda k: None, range(n)))
    return v


def widened(n: int) -> list[float]:
    v: list[float] = list(map(lambda k: k, range(n)))
    return v + list([1.0])


def ranges(n: int, s: int) -> list[tuple[int, int]]:
    return list(zip(range(n), range(10, 0, -3), strict=False)) + list(zip(range(0, n, s), range(5), strict=False))


@pytest.mark.parametrize(
    ("function", "calls"),
    [
        (renamed, [(1,), (5,)]),
        (truth, [(0,), (3,), ("",), ("a",), (None,)]),
        (lengths, [(0,), (1,)]),
        (declared, [(3,)]),
        (widened, [(2,)]),
        (ranges, [(1, 2), (5, 2), (0, 1), (7, 3)]),
    ],
)
def test_types_that_meet(function: Callable[..., Any], calls: list[tuple[Any, ...]]) -> None:
    scripted = tscript.script(function)
    for args in calls:
        assert scripted(*args) == function(*args)


def tuple_of_optionals(p: tuple[str | None, int | None]) -> str:
    return str(p)


def nested_optionals(p: tuple[tuple[int, int] | None, float | str]) -> str:
    return str(p)


@pytest.mark.parametrize(
    ("function", "values"),
    [
        (tuple_of_optionals, [(None, None), ("a", 3), (None, 3), ("a", None)]),
        (nested_optionals, [(None, 1.5), ((1, 2), "x")]),
    ],
)
def test_tuples_whose_elements_may_be_of_several_types(function: Callable[[Any], str], values: list[Any]) -> None:
    scripted = tscript.script(function)
    assert [scripted(v) for v in values] == [function(v) for v in values]
    for bad in ((1.5, b""), 3, (None,), (None, None, None)):
        with pytest.raises(TypeError, match="must be"):
            scripted(bad)


def test_a_name_of_two_types_on_every_way_is_no_error_until_it_is_read() -> None:
    def unread(x: int) -> int:
        try:
            if x > 1:
                w = [10 // x]
            else:
                w = (10 // x, 2)  # type: ignore[assignment]
        except ZeroDivisionError:
            if x > 2:
                w = [1]
            else:
                w = (1, 2)  # type: ignore[assignment]  # noqa: F841
        return x

    scripted = tscript.script(unread)
    assert [scripted(x) for x in (0, 1, 2)] == [0, 1, 2]
