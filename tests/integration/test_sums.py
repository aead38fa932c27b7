"""`tscript.sum` of a list of ints is Python's sum, or `OverflowError`, however large the elements are and wherever they
stand."""

# mypy: disable-error-code="attr-defined, no-any-return"

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tscript

LARGE = [2**52 - 1, 2**52, -(2**52), -(2**52) - 1, 2**62, -(2**62), 2**63 - 1, -(2**63)]
LENGTHS = (0, 1, 255, 256, 257, 1023, 1024, 1025, 2100)


def plain(xs: list[int], start: int) -> int:
    return tscript.sum(xs, start)


def truths(xs: list[bool]) -> int:
    return tscript.sum(xs)


PLAIN = tscript.script(plain)


def expect(xs: list[int], start: int) -> None:
    found = sum(xs, start)
    if -(2**63) <= found < 2**63:
        assert PLAIN(xs, start) == found
    else:
        with pytest.raises(OverflowError, match="the sum does not fit 64 bits"):
            PLAIN(xs, start)


@pytest.mark.parametrize("length", LENGTHS)
def test_sums_of_lists(length):
    choices = random.Random(length)
    xs = [choices.randint(-(10**6), 10**6) for _ in range(length)]
    expect(xs, 0)
    expect(xs, 2**63 - 1)
    for large in LARGE:
        for at in {0, length // 2, length - 1} if length else ():
            ys = [*xs]
            ys[at] = large
            expect(ys, 0)
            expect(ys, -large - 1)
            ys[-1] = -large // 2
            expect(ys, 5)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([*LARGE, 0, 1, -1, 7]), max_size=40), st.integers(-(2**63), 2**63 - 1))
def test_sums_of_large_ints(xs, start):
    expect(xs, start)


def test_sums_of_truths():
    xs = [i % 3 == 0 for i in range(3000)]
    assert tscript.script(truths)(xs) == 1000


FLOAT_SUMS = [
    "sum(xs)", "sum(xs, n)", "sum(xs, 0.5)", "sum(x * 0.1 for x in xs)", "sum([*xs, 0.1])", "sum((0.1, 0.2, 0.3))",
    "sum((n, 0.1, 0.2, n), 0.7)",
    "sum((True, 0.1, 0.2, 0.7), 0.0)", "sum([x for x in xs if x > n], n)", "sum(range(5), 0.1)", "sum([-0.0], -0.0)",
    "sum(x for x in (xs[0], 0.1))",
    "sum(tuple(xs))", "sum({0: 0.1, 1: 0.2}.values())", "sum(sum([x, 0.1]) for x in xs)",
]  # fmt: skip
FLOATS = (
    [0.1] * 10,
    [1e100, 1.0, -1e100],
    [1e308, 1e308, -1e308],
    [float("inf"), 1.0],
    [float("inf"), -float("inf")],
    [float("nan")],
    [-0.0],
    [1e16, 1.0, 1.0, -1e16, 0.1],
    [5e-324, 1e-310, -1.0],
)


@pytest.mark.parametrize("expression", FLOAT_SUMS)
def test_sums_of_floats_are_those_of_the_python_that_runs(integration: Any, expression: str) -> None:
    """Which since 3.12 give back what rounding lost."""
    plain = integration.function_of(f"def f(xs: list[float], n: int) -> float:\n    return float({expression})\n")
    scripted = tscript.script(plain)
    for xs in FLOATS:
        for n in (0, 1, 3):
            assert scripted(list(xs), n).hex() == plain(list(xs), n).hex(), (xs, n)
