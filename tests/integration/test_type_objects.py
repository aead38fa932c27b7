"""``type(x)`` compared and called in compiled code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tscript
from tests.integration.harness import function_of
from tscript.diagnostics import CompileError

SOURCE = """
from enum import Enum
from typing import NamedTuple

class Color(Enum):
    RED = 1

class P(NamedTuple):
    x: int

class Base:
    def __init__(self, n: int):
        self.n = n

class Derived(Base):
    pass

class Alone:
    def __init__(self, n: int):
        self.n = n

def made(b: bool) -> Base:
    return Derived(1) if b else Base(2)
"""

ARRAY = tscript.ones(2).numpy()


@pytest.mark.parametrize(
    ("parameters", "body", "calls"),
    [
        ("b: bool", "(type(made(b)) is Base, type(made(b)) is Derived, type(made(b)) != Base)", [(True,), (False,)]),
        ("b: bool", "(type(made(b)) == type(made(True)), type(Alone(1)) is type(made(b)))", [(True,), (False,)]),
        ("b: bool", "(made(b).__class__ is Base, Derived is type(made(b)))", [(True,), (False,)]),
        (
            "n: int, x: float, s: str",
            "(type(n) is int, type(x) == int, type(s) in (int, str), type(n) not in (float, str), type(n) is bool)",
            [(1, 0.5, "a")],
        ),
        ("v: int | str | None", "(type(v) is int, type(v) in (int, str), type(v) is not str)", [(1,), ("a",), (None,)]),
        (
            "x: Tensor, xs: list[int]",
            "(type(x) is torch.Tensor, type(xs) is list, type(xs) is tuple, type((1, 2)) is tuple, "
            "type(P(1)) is tuple, type(P(1)) is P, type(Color.RED) is Color, type(xs) is type([0.5]))",
            [(ARRAY, [1])],
        ),
        (
            "n: int, s: str",
            "(type(n)(3.7), type(s)(n), type(0.5)(n), type(Alone(n))(n + 1).n, type(P(n))(n).x)",
            [(4, "a")],
        ),
    ],
)
def test_type(harness: Any, parameters: str, body: str, calls: list[tuple[Any, ...]]) -> None:
    harness.agree_all(f"{SOURCE}\ndef f({parameters}):\n    return {body}\n", calls)


def test_narrow_code(agree: Callable[..., Any]) -> None:
    agree(f"{SOURCE}\ndef f(b: bool):\n    if type(made(b)) is Base:\n        return 1\n    return 2\n", True)


class Point:
    def __init__(self, n: int) -> None:
        self.n = n


class Apart:
    class Point(Point):  # another class of the same name
        pass


def point(n: int) -> Point:
    return Apart.Point(n) if n > 1 else Point(n)


@tscript.script
def classes_of(n: int) -> tuple[bool, bool, bool]:
    p = point(n)
    return type(p) is Point, type(p) is Apart.Point, type(p) in (Apart.Point, Point)


def test_classes_of_one_name_are_different() -> None:
    assert [classes_of(n) for n in (1, 2)] == [(True, False, True), (False, True, True)]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("type(made(b))(1).n", "name the class"),
        ("type(b) < int", "'type' cannot be compiled"),
        ("type(b)", "'type' cannot be compiled"),
    ],
)
def test_mistakes(body: str, message: str) -> None:
    with pytest.raises(CompileError) as caught:
        tscript.script(function_of(f"{SOURCE}\ndef f(b: bool):\n    return {body}\n"))
    assert message in str(caught.value)
