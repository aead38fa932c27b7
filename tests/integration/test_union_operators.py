"""Operators on values of several types, where all of them have the operator: what plain Python gives."""

from __future__ import annotations

import math
from typing import Any

import pytest

import tscript
from tests.integration.harness import function_of
from tscript.diagnostics import CompileError

NUMBERS: list[Any] = [3, -7, 0, 2.5, -0.0, 2**53 + 1, 2.0**53, 2**62, 1e30, math.inf, True]


def run(source: str, *args: Any) -> tuple[Any, Any]:
    outcomes = []
    for function in (function_of(source), tscript.script(function_of(source))):
        try:
            value = function(*args)
        except ArithmeticError as error:
            value = type(error)
        outcomes.append(value)
    return outcomes[0], outcomes[1]


def exactly(value: Any) -> object:
    if isinstance(value, list | tuple | dict):
        return [exactly(v) for v in (value.items() if isinstance(value, dict) else value)]
    return type(value), repr(value)


EXPRESSIONS = (
    "a + b", "a - 1", "2.5 * a", "a / b", "a // b", "a % b", "-a", "+a", "abs(a)", "a < b", "a <= 3", "2.5 > a",
    "a >= b", "a == b",
    "a != 3", "min(a, b)", "max(a, b, 1)", "max(1, a)", "min(7, 1.5, a)", "max(2, a, key=abs)", "round(a)", "float(a)",
    "math.sqrt(abs(a))", "divmod(a, b)", "a * b + 1 - a",
    "math.floor(a)", "a if a < b else b", "[a, b].index(b)", "sum([a, b])", "f'{a} {b}'", "'%s %.2f' % (a, b)",
)  # fmt: skip


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_numbers_of_two_types(expression: str) -> None:
    source = (
        f"def one(a: int | float, b: int | float):\n    return {expression}\n\n"
        "def main(xs: list[int | float], n: int) -> list[object]:\n"
        "    return [one(xs[i], xs[i + n]) for i in range(len(xs) - n)]\n"
    ).replace("-> list[object]", "")
    small = any(word in expression for word in ("round", "floor", "sum", "+", "*", "divmod"))
    values = [3, -7, 0, 2.5, -0.0, 2**31, -1e9] if small else NUMBERS[:-1]
    for n in (0, 3):
        plain, scripted = run(source, values, n)
        assert exactly(scripted) == exactly(plain)


def test_sorting_numbers_of_several_types() -> None:
    source = (
        "def main(xs: list[int | float | bool]):\n    ys = xs[:]\n    ys.sort(reverse=True)\n"
        "    return sorted(xs), ys, min(xs), max(xs), sorted([(x, 1) for x in xs])\n"
    )
    plain, scripted = run(source, NUMBERS)
    assert exactly(scripted) == exactly(plain)


def test_texts_and_numbers() -> None:
    source = (
        "def main(xs: list[int | str]):\n    out: list[int | str] = []\n    for x in xs:\n        x *= 2\n"
        "        out.append(x * 1)\n"
        "    return out\n"
    )
    plain, scripted = run(source, [3, "a", -1, ""])
    assert exactly(scripted) == exactly(plain)


@pytest.mark.parametrize("expression", ["a < b", "a + b", "a - 1", "-a", "a + 1"])
def test_what_one_of_the_types_does_not_have_is_refused(expression: str) -> None:
    with pytest.raises(CompileError, match="it may be an int or a str: test it first"):
        tscript.script(function_of(f"def main(a: int | str, b: int | str):\n    return {expression}\n"))
    with pytest.raises(CompileError, match="test it first"):
        tscript.script(function_of("def main(a: int | float | None):\n    return a + 1\n"))


def test_elements_and_attributes_change_their_type() -> None:
    source = (
        "def main(d: dict[str, int | float]):\n    d['a'] += 1\n    d['b'] *= 2\n    t = 0\n    for k in d:\n"
        "        t += d[k]\n    return d, t\n"
    )
    plain, scripted = (f({"a": 1, "b": 2.5}) for f in (function_of(source), tscript.script(function_of(source))))
    assert exactly(scripted) == exactly(plain)
    assert plain == ({"a": 2, "b": 5.0}, 7.0)
