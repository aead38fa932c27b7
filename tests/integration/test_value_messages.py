"""Exceptions of operators that show a value: a key that is not there, a text that is no number."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

import tscript
from tscript.runtime.process import current


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
