"""Functions of `math` that are no operators."""

from __future__ import annotations

import math

from tscript.operators.python.functions.floats import frexp


def comb(n: int, k: int) -> int:
    """``math.comb(n, k)``"""
    if n < 0:
        raise ValueError("n must be a non-negative integer")
    if k < 0:
        raise ValueError("k must be a non-negative integer")
    if k > n:
        return 0
    if k > n - k:
        k = n - k
    out = 1
    for i in range(k):
        factor, divisor = n - i, i + 1
        common = math.gcd(out, divisor)
        out //= common
        factor //= divisor // common
        out *= factor
    return out


def perm(n: int, k: int) -> int:
    """``math.perm(n, k)``"""
    if n < 0:
        raise ValueError("n must be a non-negative integer")
    if k < 0:
        raise ValueError("k must be a non-negative integer")
    if k > n:
        return 0
    out = 1
    for i in range(k):
        out *= n - i
        if out == 0:
            break
    return out


def prod_ints(xs: list[int], start: int) -> int:
    """``math.prod(xs, start=start)``"""
    for x in xs:
        start *= x
    return start


def prod_floats(xs: list[float], start: float) -> float:
    """``math.prod(xs, start=start)``"""
    for x in xs:
        start *= x
    return start


def fsum(xs: list[float]) -> float:
    """``math.fsum(xs)``"""
    partials: list[float] = []
    special, infinite = 0.0, 0.0
    for given in xs:
        x = given
        count = 0
        for j in range(len(partials)):
            y = partials[j]
            if abs(x) < abs(y):
                x, y = y, x
            high = x + y
            low = y - (high - x)
            if low != 0.0:
                partials[count] = low
                count += 1
            x = high
        del partials[count:]
        if x != 0.0:
            if not math.isfinite(x):
                if math.isfinite(given):
                    raise OverflowError("intermediate overflow in fsum")
                if math.isinf(given):
                    infinite += given
                special += given
                partials.clear()
            else:
                partials.append(x)
    if special != 0.0:
        if infinite != infinite:
            raise ValueError("-inf + inf in fsum")
        return special
    n = len(partials)
    if n == 0:
        return 0.0
    n -= 1
    high = partials[n]
    low = 0.0
    while n > 0:
        n -= 1
        x, y = high, partials[n]
        high = x + y
        low = y - (high - x)
        if low != 0.0:
            break
    if n > 0 and ((low < 0.0 and partials[n - 1] < 0.0) or (low > 0.0 and partials[n - 1] > 0.0)):
        y = low * 2.0
        x = high + y
        if y == x - high:
            high = x
    return high


def hypot(xs: list[float]) -> float:
    """``math.hypot(*xs)``: the squares scaled, added in double length, the root corrected once, as CPython does."""
    largest, is_nan = 0.0, False
    for given in xs:
        x = abs(given)
        is_nan = is_nan or x != x
        if x > largest:
            largest = x
    if math.isinf(largest):
        return largest
    if is_nan:
        return math.nan
    if largest == 0.0 or len(xs) <= 1:
        return largest
    exponent = frexp(largest)[1]
    total, first, second, third = 1.0, 0.0, 0.0, 0.0
    if exponent < -1023:
        for given in xs:
            x = abs(given) / largest
            x = x * x
            before = total
            total += x
            first += (before - total) + x
        return largest * math.sqrt(total - 1.0 + first)
    scale = math.ldexp(1.0, -exponent)
    for given in xs:
        x = abs(given) * scale
        t = x * 134217729.0
        high = t - (t - x)
        low = x - high
        x = high * high
        before = total
        total += x
        first += (before - total) + x
        x = 2.0 * high * low
        before = total
        total += x
        second += (before - total) + x
        third += low * low
    h = math.sqrt(total - 1.0 + (first + second + third))
    x = h
    t = x * 134217729.0
    high = t - (t - x)
    low = x - high
    x = -high * high
    before = total
    total += x
    first += (before - total) + x
    x = -2.0 * high * low
    before = total
    total += x
    second += (before - total) + x
    x = -low * low
    before = total
    total += x
    third += (before - total) + x
    x = total - 1.0 + (first + second + third)
    return (h + x / (2.0 * h)) / scale


def dist(p: list[float], q: list[float]) -> float:
    """``math.dist(p, q)``"""
    if len(p) != len(q):
        raise ValueError("both points must have the same number of dimensions")
    return hypot([abs(a - b) for a, b in zip(p, q)])  # noqa: B905 - the lengths are equal
