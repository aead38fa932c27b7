"""Intervals hold every result that operands between their bounds give, and no bound is far off."""

from __future__ import annotations

import operator
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tscript.dialect import machine
from tscript.passes import intervals
from tscript.passes.intervals import Range

BINARY: dict[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "least": min,
    "greatest": max,
    "floor_divide": operator.floordiv,
    "remainder": operator.mod,
    "quotient": machine.QUOT.semantics,  # type: ignore[dict-item]
    "rest": machine.REM.semantics,  # type: ignore[dict-item]
    "both_bits": operator.and_,
    "either_bit": operator.or_,
    "one_bit": operator.xor,
    "shift_left": operator.lshift,
    "shift_right": operator.rshift,
    "shift_right_masked": lambda a, n: a >> (n & 63),
}
UNARY: dict[str, Callable[[int], int]] = {"negate": operator.neg, "absolute": abs, "invert": operator.invert}
SPAN = range(-5, 6)
RANGES = [(a, b) for a in SPAN for b in SPAN if a <= b]


def holds(name: str, a: Range, b: Range, xs: list[int], ys: list[int]) -> None:
    found = getattr(intervals, name)(a, b)
    for x in xs:
        for y in ys:
            if (name.startswith("shift") and y < 0) or (name in ("floor_divide", "remainder") and y == 0):
                continue
            assert found[0] <= BINARY[name](x, y) <= found[1], f"{name}({a}, {b}) is {found}, not {x}, {y}"


@pytest.mark.parametrize("name", BINARY)
def test_every_result_of_small_operands(name):
    for a in RANGES[::3]:
        for b in RANGES:
            holds(name, a, b, list(range(a[0], a[1] + 1)), list(range(b[0], b[1] + 1)))


@pytest.mark.parametrize("name", UNARY)
def test_unary_results_are_exact(name):
    for a in RANGES:
        results = [UNARY[name](x) for x in range(a[0], a[1] + 1)]
        assert getattr(intervals, name)(a) == (min(results), max(results))


ENDS = st.one_of(
    st.integers(-(2**63), 2**63 - 1),
    st.sampled_from([0, 1, -1, 63, 64, 2**31, 2**32 - 1, 2**62, 2**63 - 1, -(2**63), -(2**62) - 1]),
)
THREE = st.tuples(ENDS, ENDS, ENDS).map(sorted)


@settings(max_examples=100)
@given(THREE, THREE)
def test_results_of_large_operands(xs, ys):
    a, b = (xs[0], xs[-1]), (ys[0], ys[-1])
    for name in BINARY:
        counts = [y for y in ys if y <= 64] if name == "shift_left" else ys
        if name == "shift_right":
            counts = [min(y, 70) for y in ys]
        holds(name, a, b, xs, counts)


def test_bounds_are_tight_where_programs_count_on_it():
    assert intervals.remainder((0, 2**63 - 1), (1000, 1000)) == (0, 999)
    assert intervals.both_bits(intervals.WHOLE, (0, 0xFFFF)) == (0, 0xFFFF)
    assert intervals.floor_divide((0, 2**63 - 1), (2, 2)) == (0, 2**62 - 1)
    assert intervals.shift_right(intervals.WHOLE, (60, 60)) == (-8, 7)
