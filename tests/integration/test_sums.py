"""`tscript.sum` of a list of ints is Python's sum, or `OverflowError`, however large the elements are and wherever they stand."""

# mypy: disable-error-code="attr-defined, no-any-return"

from __future__ import annotations

import random

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
