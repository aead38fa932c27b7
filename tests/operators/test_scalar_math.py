"""`math`: equal to CPython digit for digit, errors included."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Callable
from typing import Any

import pytest

from tscript.definitions.opdef import OpDef, Scalar
from tscript.definitions.rules import SCALARS
from tscript.ir.interpreter import interpret
from tscript.operators.python.overflow import wrap64
from tscript.operators.table import TABLE
from tscript.pipeline.bodies import Bodies

BODIES = Bodies(TABLE)
LIMITS = (-(2**63), 2**63 - 1)
EDGES = (
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 3.0, -3.0, 23.0, 24.0, 170.5, 171.7, -170.5, 199.5, -200.5, 709.0, 710.0,
    1e-21,
    1e308, 5e-324, 1e-310, 2.0**1023, 1e16, math.pi, math.inf, -math.inf, math.nan,
)  # fmt: skip
WORDS = {
    "expected a positive input": "math domain error",
    "expected a nonnegative input": "math domain error",
    "expected a number between -1 and 1": "math domain error",
}
"""The beginnings of what later Pythons say, in the words of 3.11."""


def draw(kind: str, choices: random.Random) -> Any:
    if kind == "int":
        return choices.choice([choices.randint(-5, 40), choices.randint(*LIMITS), choices.randint(-2000, 2000)])
    roll = choices.random()
    if roll < 0.3:
        return choices.choice(EDGES)
    if roll < 0.6:
        return choices.uniform(-10, 10)
    if roll < 0.8:
        return choices.uniform(-300, 300)
    return struct.unpack("d", struct.pack("Q", choices.getrandbits(64)))[0]


def outcome(function: Callable[..., Any], args: list[Any]) -> tuple[str, str]:
    try:
        found = function(*args)
    except (ArithmeticError, ValueError) as error:
        text = str(error)
        return type(error).__name__, next((old for new, old in WORDS.items() if text.startswith(new)), text)
    if isinstance(found, int) and not LIMITS[0] <= found <= LIMITS[1]:
        return "", "too large"
    return type(found).__name__, repr(found)


def interpreted(op: OpDef) -> Callable[..., Any]:
    assert isinstance(op.implementation, Scalar)
    program = BODIES.lower_body(op.implementation.body, [SCALARS[p.kind] for p in op.schema.parameters], op.name)
    return lambda *args: interpret(program, args)


OVERLOADS = [op for name in TABLE.math.values() for op in TABLE.overloads(name)]


@pytest.mark.parametrize("op", OVERLOADS, ids=lambda op: op.name)
def test_digits_are_those_of_cpython(op: OpDef) -> None:
    python = getattr(math, op.schema.name.removeprefix("math_"))
    native = interpreted(op)
    choices = random.Random(op.name)
    rest = [p.default for p in op.schema.parameters if p.keyword_only]
    kinds = [p.kind for p in op.schema.parameters if not p.keyword_only]
    edges: list[list[Any]] = [[x] for x in EDGES] if kinds == ["float"] else []
    for case in range(150):
        args = edges[case] if case < len(edges) else [draw(kind, choices) for kind in kinds]
        if op.name == "math_factorial":
            args = [case % 21 - 3]
        expected = outcome(python, args)
        if expected == ("", "too large"):
            continue
        assert outcome(op.semantics, [*args, *rest]) == expected, args
        if case % 3 == 0 or case < len(edges):
            assert outcome(native, [*args, *rest]) == expected, args


@pytest.mark.parametrize("name", ["floor", "ceil", "trunc"])
def test_floats_beyond_64_bits_raise(name: str) -> None:
    with pytest.raises(OverflowError, match="float out of range of a 64-bit int"):
        TABLE[f"math_{name}.float"].semantics(1e300)


def test_ints_that_do_not_fit_raise() -> None:
    for n in (21, 25, 67, 10**18):
        with pytest.raises(OverflowError, match=rf"factorial\({n}\) does not fit 64 bits"):
            interpreted(TABLE["math_factorial"])(n)
    a, b = 2**62 + 1, 2**61 + 3
    for name, args in (("math_lcm", (a, b)), ("math_lcm", (-(2**63), 1)), ("math_gcd", (-(2**63), 0))):
        for function in (TABLE[name].semantics, interpreted(TABLE[name])):
            with pytest.raises(OverflowError, match="does not fit 64 bits"):
                function(*args)


def test_the_first_versions_wrap() -> None:
    assert TABLE["wrapping_math_factorial"].semantics(25) == wrap64(math.factorial(25))
    assert TABLE["wrapping_math_factorial"].semantics(100) == 0
    a, b = 2**62 + 1, 2**61 + 3
    lcm = TABLE["wrapping_math_lcm"]
    assert lcm.semantics(a, b) == wrap64(math.lcm(a, b)) == interpreted(lcm)(a, b)


def test_isclose_keywords() -> None:
    close = TABLE["math_isclose"].semantics
    assert close(1.0, 1.05, 0.1, 0.0) is True
    assert close(0.0, 1e-12, 1e-9, 1e-9) is True
    with pytest.raises(ValueError, match="tolerances must be non-negative"):
        close(1.0, 1.0, -1.0, 0.0)
