"""What a reduction does with one element: the parts of `tscript.runtime.kernels.reduce`."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from tscript.dialect import (
    ByType,
    T,
    U,
    b8,
    c64,
    c128,
    divide,
    f32,
    f64,
    i64,
    imag,
    machine,
    of_parts,
    real,
    select,
)
from tscript.types import BOOL, Type, dtypes

INFINITY = math.inf
NAN = math.nan


class Fold(NamedTuple):
    """A reduction of elements of type ``T`` to results of type ``U``, whose partial results join in any grouping.

    Attributes:
        lift: ``(x: T, shift: U) -> U``: one element; `shift` is zero, but for the variance.
        start: ``(first: U) -> U``: what to begin with, given the first element, or zero when there is none.
        combine: ``(a: U, b: U) -> U``.
        finish: ``(a: U, count: i64) -> U``: the result of `count` elements.
        first: What `start` may be given in place of an element: no element changes for being combined with it.
    """

    lift: Callable[..., Any]
    start: Callable[..., Any]
    combine: Callable[..., Any]
    finish: Callable[..., Any]
    first: float = 0.0

    def first_of(self, type: Type) -> object:
        """`first` as a value of a machine type."""
        return self.first > 0 if type == BOOL else machine.CONVERT.semantics(self.first, type)


def as_result(x: T, shift: U) -> U:
    """Lift: the element converted."""
    return U(x)


def is_true(x: T, shift: U) -> U:
    """Lift: whether the element is not zero."""
    return U(x != T(0))


def squared_distance(x: T, shift: U) -> U:
    """Lift of var: the square of the distance from the mean."""
    return (U(x) - shift) * (U(x) - shift)


def zero(first: U) -> U:
    """Start of sum, mean and any."""
    return U(0)


def one(first: U) -> U:
    """Start of prod and all."""
    return U(1)


def itself(first: U) -> U:
    """Start of max and min."""
    return first


def add(total: U, x: U) -> U:
    """Combine of sum, mean and var."""
    return total + x


def multiply(total: U, x: U) -> U:
    """Combine of prod."""
    return total * x


def greater(best: U, x: U) -> U:
    """Combine of max; NaN wins."""
    return select(x != x, U(NAN), select(x > best, x, best))


def lesser(best: U, x: U) -> U:
    """Combine of min; NaN wins."""
    return select(x != x, U(NAN), select(x < best, x, best))


def exceeds(x: T, best: T) -> b8:
    """Whether an element is the greatest so far, which are not NaN."""
    return x > best


def undercuts(x: T, best: T) -> b8:
    """Whether an element is the least so far, which are not NaN."""
    return x < best


def same(total: U, n: i64) -> U:
    """Finish of all but mean."""
    return total


def either(a: U, b: U) -> U:
    """Combine of any."""
    return a | b  # type: ignore[operator]


def either_or(a: U, b: U) -> U:
    """Combine of the exclusive or."""
    return a ^ b  # type: ignore[operator]


def both(a: U, b: U) -> U:
    """Combine of all."""
    return a & b  # type: ignore[operator]


def divided_real(a: U, count: i64) -> U:
    """Finish of mean; NaN when there is nothing to take it of."""
    return select(count == 0, U(NAN), U(divide(f64(a), f64(count))))


def divided_c64(a: c64, count: i64) -> c64:
    """The same of complex numbers."""
    return of_parts(divided_part(f64(real(a)), count, f32(0)), divided_part(f64(imag(a)), count, f32(0)))


def divided_c128(a: c128, count: i64) -> c128:
    """The same of complex numbers."""
    return of_parts(divided_part(real(a), count, f64(0)), divided_part(imag(a), count, f64(0)))


def divided_part(part: f64, count: i64, _like: T) -> T:
    """A part of a sum of complex numbers as that of their mean."""
    return select(count == 0, T(NAN), T(divide(part, f64(count))))


divided = ByType(
    {
        **{d: divided_real for d in dtypes.DTYPES if not d.is_complex},
        dtypes.complex64: divided_c64,
        dtypes.complex128: divided_c128,
    }
)


def variance_of(squares: f64, free: f64) -> f64:
    """A variance from the sum of squared distances and the degrees of freedom."""
    return select(free > 0.0, divide(squares, free), select(squares > 0.0, INFINITY, NAN))


SUM = Fold(as_result, zero, add, same)

PROD = Fold(as_result, one, multiply, same)

MEAN = Fold(as_result, zero, add, divided)

SQUARES = Fold(squared_distance, zero, add, same)

MAX = Fold(as_result, itself, greater, same, -math.inf)

MIN = Fold(as_result, itself, lesser, same, math.inf)

ANY = Fold(is_true, zero, either, same)

ALL = Fold(is_true, one, both, same)

EITHER_OR = Fold(as_result, zero, either_or, same)
