"""What a reduction does with one element: dialect functions for the generic drivers of the native library.

A driver converts each element to the accumulator type ``U``, starts from `init` (or, where that is None, from the first
element), folds with `combine`, and ends with `finish`, which also gets the number of elements. Partial accumulators join
by `combine` too, so drivers may split the work into lanes and blocks.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from tscript.ops.dialect import U, b8, i64, select


def zero() -> U:
    return U(0)


def one() -> U:
    return U(1)


def add(total: U, x: U) -> U:
    return total + x


def multiply(total: U, x: U) -> U:
    return total * x


def greater(best: U, x: U) -> U:
    return select((x > best) | (x != x), x, best)


def lesser(best: U, x: U) -> U:
    return select((x < best) | (x != x), x, best)


def is_greater(best: U, x: U) -> b8:
    """Whether x at a later place displaces the best so far: only a first NaN displaces a number, and nothing a NaN."""
    return (best == best) & ((x > best) | (x != x))


def is_less(best: U, x: U) -> b8:
    """The same for the least."""
    return (best == best) & ((x < best) | (x != x))


def false() -> b8:
    return False


def true() -> b8:
    return True


def either(found: b8, x: U) -> b8:
    return found | (x != 0)


def both(found: b8, x: U) -> b8:
    return found & (x != 0)


def same(total: U, n: i64) -> U:
    return total


def average(total: U, n: i64) -> U:
    return total / U(n)


@dataclass(frozen=True, slots=True)
class Reduction:
    """The three steps of a reduction.

    Attributes:
        init: The start, or None: the first element (of which there must be one).
        combine: Accumulator and element to accumulator.
        finish: Accumulator and number of elements to result.
    """

    init: Callable[[], Any] | None
    combine: Callable[[Any, Any], Any]
    finish: Callable[[Any, int], Any]


REDUCTIONS: Mapping[str, Reduction] = MappingProxyType(
    {
        "sum": Reduction(zero, add, same),
        "prod": Reduction(one, multiply, same),
        "mean": Reduction(zero, add, average),
        "max": Reduction(None, greater, same),
        "min": Reduction(None, lesser, same),
        "any": Reduction(false, either, same),
        "all": Reduction(true, both, same),
    }
)
"""By the stem of the kernel's symbol: ``sum_dim`` is "sum"."""
