"""What a reduction does with one element: dialect functions for the generic drivers of the native library.

A driver converts each element to the accumulator type ``U``, folds with a function of two (`add`), and ends with one
that also gets the number of elements (`same`). Partial accumulators join by the first too, so drivers may split the
work into lanes and blocks.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from tscript.dialect import U, i64, select


def add(total: U, x: U) -> U:
    return total + x


def multiply(total: U, x: U) -> U:
    return total * x


def greater(best: U, x: U) -> U:
    return select((x > best) | (x != x), x, best)


def lesser(best: U, x: U) -> U:
    return select((x < best) | (x != x), x, best)


def same(total: U, n: i64) -> U:
    return total
