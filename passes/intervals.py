"""Arithmetic of intervals of ints: the range of a result for ranges of the operands.

An interval is a pair ``(low, high)`` of Python ints, both ends included. The functions know nothing of the width of an
int: their results may lie beyond 64 bits, and `fits` says whether they do not.

Example:
    >>> add((0, 10), (-1, 1))
    (-1, 11)
    >>> fits(multiply((0, 2**32), (0, 2**32)))
    False
"""

from __future__ import annotations

from itertools import product

Range = tuple[int, int]

LOWEST = -(1 << 63)
HIGHEST = (1 << 63) - 1
WHOLE: Range = (LOWEST, HIGHEST)
"""Every int of 64 bits."""

BIT: Range = (0, 1)
"""A bool as an int."""


def fits(a: Range) -> bool:
    """Whether all of an interval fits 64 bits."""
    return a[0] >= LOWEST and a[1] <= HIGHEST


def join(a: Range, b: Range) -> Range:
    """The least interval around both.

    Example:
        >>> join((0, 1), (5, 6))
        (0, 6)
    """
    return (a[0] if a[0] < b[0] else b[0], a[1] if a[1] > b[1] else b[1])


def add(a: Range, b: Range) -> Range:
    """``a + b``"""
    return (a[0] + b[0], a[1] + b[1])


def subtract(a: Range, b: Range) -> Range:
    """``a - b``"""
    return (a[0] - b[1], a[1] - b[0])


def multiply(a: Range, b: Range) -> Range:
    """``a * b``"""
    corners = (a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1])
    return (min(corners), max(corners))


def negate(a: Range) -> Range:
    """``-a``"""
    return (-a[1], -a[0])


def absolute(a: Range) -> Range:
    """``abs(a)``

    Example:
        >>> absolute((-3, 2))
        (0, 3)
    """
    if a[0] >= 0:
        return a
    return (-a[1], -a[0]) if a[1] <= 0 else (0, max(-a[0], a[1]))


def invert(a: Range) -> Range:
    """``~a``"""
    return (~a[1], ~a[0])


def least(a: Range, b: Range) -> Range:
    """``min(a, b)``"""
    return (min(a[0], b[0]), min(a[1], b[1]))


def greatest(a: Range, b: Range) -> Range:
    """``max(a, b)``"""
    return (max(a[0], b[0]), max(a[1], b[1]))


def _divisors(b: Range) -> list[int]:
    """The divisors that give the extreme quotients; zero raises and gives none."""
    found = []
    if b[1] >= 1:
        found += [max(b[0], 1), b[1]]
    if b[0] <= -1:
        found += [b[0], min(b[1], -1)]
    return found


def floor_divide(a: Range, b: Range) -> Range:
    """``a // b``, for a divisor that is not zero.

    Example:
        >>> floor_divide((-7, 7), (2, 3))
        (-4, 3)
    """
    corners = [x // y for x, y in product(a, _divisors(b))]
    return (min(corners), max(corners)) if corners else (0, 0)


def remainder(a: Range, b: Range) -> Range:
    """``a % b``, with the sign of b.

    Example:
        >>> remainder((-100, 100), (1, 7))
        (0, 6)
    """
    if b[0] >= 1 and a[0] >= 0 and a[1] < b[0]:
        return a
    low = b[0] + 1 if b[0] < 0 else 0
    high = b[1] - 1 if b[1] > 0 else 0
    if b[0] >= 0 and a[0] >= 0:
        high = min(high, a[1])
    return (low, high)


def quotient(a: Range, b: Range) -> Range:
    """Division towards zero; by zero it is 0.

    Example:
        >>> quotient((-7, 7), (0, 2))
        (-7, 7)
    """
    corners = [abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1) for x, y in product(a, _divisors(b))]
    if a[0] <= 0 <= a[1] or b[0] <= 0 <= b[1]:
        corners.append(0)
    return (min(corners), max(corners))


def rest(a: Range, b: Range) -> Range:
    """The remainder of `quotient`, with the sign of a; by zero it is 0.

    Example:
        >>> rest((-100, 5), (1, 7))
        (-6, 5)
    """
    most = max(abs(b[0]), abs(b[1]), 1) - 1
    return (max(min(a[0], 0), -most), min(max(a[1], 0), most))


def _bits(*ends: int) -> int:
    return max((x if x >= 0 else ~x).bit_length() for x in ends)


def both_bits(a: Range, b: Range) -> Range:
    """``a & b``

    Example:
        >>> both_bits((-100, 100), (0, 15))
        (0, 15)
    """
    if a[0] >= 0 or b[0] >= 0:
        return (0, min(x[1] for x in (a, b) if x[0] >= 0))
    bits = _bits(*a, *b)
    return (-(1 << bits), max(a[1], b[1]))


def either_bit(a: Range, b: Range) -> Range:
    """``a | b``

    Example:
        >>> either_bit((4, 5), (0, 9))
        (4, 15)
    """
    high = (1 << _bits(*a, *b)) - 1
    return (max(a[0], b[0]) if a[0] >= 0 and b[0] >= 0 else min(a[0], b[0]), high)


def one_bit(a: Range, b: Range) -> Range:
    """``a ^ b``

    Example:
        >>> one_bit((0, 5), (0, 2))
        (0, 7)
    """
    high = (1 << _bits(*a, *b)) - 1
    return (0 if a[0] >= 0 and b[0] >= 0 else ~high, high)


def shift_left(a: Range, count: Range) -> Range:
    """``a << count``, for counts from 0 to 64: a larger one shifts everything out, or overflows.

    Example:
        >>> shift_left((-1, 3), (0, 4))
        (-16, 48)
    """
    corners = [x << min(max(n, 0), 64) for x, n in product(a, count)]
    return (min(corners), max(corners))


def shift_right(a: Range, count: Range) -> Range:
    """``a >> count``, for a count that is not negative.

    Example:
        >>> shift_right((-16, 48), (2, 3))
        (-4, 12)
    """
    corners = [x >> min(max(n, 0), 63) for x, n in product(a, count)]
    return (min(corners), max(corners))


def shift_right_masked(a: Range, count: Range) -> Range:
    """`shift_right` by the low six bits of the count."""
    return shift_right(a, count) if count[0] >= 0 and count[1] <= 63 else join(a, shift_right(a, (0, 63)))


__all__ = [
    "BIT",
    "HIGHEST",
    "LOWEST",
    "WHOLE",
    "Range",
    "absolute",
    "add",
    "both_bits",
    "either_bit",
    "fits",
    "floor_divide",
    "greatest",
    "invert",
    "join",
    "least",
    "multiply",
    "negate",
    "one_bit",
    "quotient",
    "remainder",
    "rest",
    "shift_left",
    "shift_right",
    "shift_right_masked",
    "subtract",
]
