"""Questions about a `range`."""

from __future__ import annotations

from tscript.operators.python.wrapping import wrapping_add, wrapping_mul, wrapping_sub


def in_range(n: int, start: int, stop: int, step: int) -> bool:
    """``n in range(start, stop, step)``"""
    if step == 0:
        raise ValueError("range() arg 3 must not be zero")
    if step > 0:
        return start <= n < stop and n % step == start % step
    return stop < n <= start and n % step == start % step


def float_in_range(x: float, start: int, stop: int, step: int) -> bool:
    """``x in range(start, stop, step)``"""
    n = int(x) if -9223372036854775808.0 <= x < 9223372036854775808.0 else 0
    return in_range(n, start, stop, step) and n == x


def range_length(start: int, stop: int, step: int) -> int:
    """``len(range(start, stop, step))``"""
    if step == 0:
        raise ValueError("range() arg 3 must not be zero")
    if start >= stop if step > 0 else start <= stop:
        return 0
    length = wrapping_sub(stop, start)
    if step != 1:
        last = wrapping_sub(stop, 1 if step > 0 else -1)
        less = last % step < start % step if step > 0 else last % step > start % step
        length = wrapping_add(wrapping_sub(last // step, start // step), 0 if less else 1)
    if length <= 0:
        raise OverflowError("Python int too large to convert to C ssize_t")
    return length


def range_item(start: int, stop: int, step: int, index: int) -> int:
    """``range(start, stop, step)[index]``"""
    length = range_length(start, stop, step)
    if not -length <= index < length:
        raise IndexError("range object index out of range")
    return wrapping_add(start, wrapping_mul(index if index >= 0 else index + length, step))
