"""Exceptions of operators that show a value: a key that is not there, a text that is not a number."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

import tscript
from tscript.runtime.session.process import current


def item(d: dict[str, int], k: str) -> int:
    return d[k]


def pair(d: dict[tuple[int, str], int], a: int) -> int:
    return d[a, "b"]


def optional(d: dict[int | None, int], a: int | None) -> int:
    return d.pop(a)


def number(s: str) -> float:
    return int(s) + float(s)


def real(s: str) -> float:
    return float(s)


def removed(s: set[float], x: float) -> float:
    s.remove(x)
    return x


def caught(d: dict[tuple[int, str], int], k: int) -> str:
    try:
        del d[k, "a"]
    except LookupError as e:
        return str(e) + repr(e) + repr(e.args)
    return ""


def caught_none(d: dict[float | None, int], k: float | None) -> str:
    try:
        del d[k]
    except KeyError as e:
        return str(e) + repr(e) + repr(e.args)
    return ""


def outcome(function: Callable[..., Any], args: tuple[Any, ...]) -> str:
    try:
        return repr(function(*args))
    except Exception as error:  # noqa: BLE001 - any one is compared
        return repr((type(error), error.args, str(error)))


@pytest.mark.parametrize(
    ("function", "calls"),
    [
        (item, [({}, "a"), ({"a": 1}, "\u4e00'"), ({"a": 1}, "a")]),
        (pair, [({}, 2), ({(2, "b"): 3}, 2)]),
        (optional, [({}, None), ({}, 5), ({None: 1}, None)]),
        (number, [("x\n",), ("1.5",), ("",), ("'" * 300,), ("12",)]),
        (real, [("x\n",), ("1e",), ("1e5",)]),
        (removed, [({1.5}, 2.5), (set(), 1.0)]),
        (caught, [({}, 3)]),
        (caught_none, [({}, None), ({}, 2.5)]),
    ],
)
def test_exceptions_that_show_a_value(function: Callable[..., Any], calls: list[tuple[Any, ...]]) -> None:
    scripted = tscript.script(function)
    for args in calls:
        expected = outcome(function, copy.deepcopy(args))
        before = current().live_blocks()
        assert outcome(scripted, args) == expected
        assert current().live_blocks() == before


SHOWN = """
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple
class Own(ValueError):
    def __repr__(self) -> str:
        return "own!"
class Init(ValueError):
    def __init__(self, n: int) -> None:
        super().__init__("n", n)
        self.n = n
@dataclass
class Holds:
    a: int
    e: ValueError
class Plain:
    def __init__(self, a: int) -> None:
        self.a = a
    def __repr__(self) -> str:
        return f"<{self.a}>"
class Color(Enum):
    RED = 1
    def __repr__(self) -> str:
        return f"a {self.name}"
class Named(NamedTuple):
    a: int
    def __repr__(self) -> str:
        return f"N{self.a}"
"""


@pytest.mark.parametrize(
    ("element", "item"),
    [
        ("ValueError", "ValueError('é')"),
        ("ValueError", "ValueError()"),
        ("ValueError", "ValueError('a', 3, [1])"),
        ("ValueError", "Own('a')"),
        ("ValueError", "Init(3)"),
        ("tuple[ValueError, int]", "(ValueError('x'), 1)"),
        ("ValueError | None", "ValueError(None)"),
        ("list[KeyError]", "[KeyError('x'), KeyError()]"),
        ("object", "[KeyError('x'), KeyError()]"),
        ("Holds", "Holds(1, ValueError((2,)))"),
        ("Plain", "Plain(2)"),
        ("tuple[Plain, int] | None", "(Plain(2), 3)"),
        ("Color", "Color.RED"),
        ("Named", "Named(3)"),
    ],
)
def test_index_shows_what_is_not_there(agree: Callable[..., Any], element: str, item: str) -> None:
    agree(f"{SHOWN}\ndef f(n: int) -> int:\n    xs: list[{element}] = []\n    return xs.index({item})\n", 1)


@pytest.mark.parametrize(
    "shown",
    [
        "str(ValueError(ValueError('x')))",
        "repr(ValueError(ValueError('x', 2)))",
        "str(KeyError(KeyError('x')))",
        "str(ValueError(KeyError(KeyError('x'))))",
        "str(ValueError([ValueError('x')], {1: KeyError(n)}).args)",
        "str(of_any([ValueError('x')])) + str(of_any((KeyError(n),)))",
        "str(of_any(ValueError('x', n))) + f'{of_any(ValueError(2.5))}' + repr(of_any(ValueError()))",
        "str(of_any(caught(0)))",
        "repr([of_any(caught(0)), caught(1)])",
        "within_itself(n)",
    ],
)
def test_exceptions_in_values(agree: Callable[..., Any], shown: str) -> None:
    helpers = """
from typing import Any
def of_any(x: Any) -> Any:
    return x
def caught(n: int) -> Exception:
    try:
        if n:
            raise KeyError(f"no {n}")
        raise IndexError(f"'{n}'")
    except Exception as e:
        return e
def within_itself(n: int) -> str:
    xs: list[ValueError] = []
    xs.append(ValueError(xs, n))
    xs.append(ValueError(xs))
    out = repr(of_any(xs)) + repr(of_any(xs[0])) + repr(of_any(xs[1]))
    xs.clear()
    return out
"""
    agree(f"{helpers}\ndef f(n: int) -> str:\n    return {shown}\n", 1)


@pytest.mark.parametrize("made", ["KeyError(n)", "KeyError(n, 'b')", "KeyError('b')"])
def test_a_key_that_is_an_exception(agree: Callable[..., Any], made: str) -> None:
    body = f"    d: dict[KeyError, int] = {{}}\n    try:\n        return str(d[{made}])\n"
    agree(f"def f(n: int) -> str:\n{body}    except KeyError as e:\n        return str(e) + repr(e)\n", 1)
