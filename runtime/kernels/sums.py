"""Tier 3: sums of lists of numbers."""

from __future__ import annotations

from tscript.dialect import List, Ptr, f64, fabs, i64, pointer_cast, u8
from tscript.runtime.kernels.hashes import as_float

CHUNK = 1024
"""Elements that are summed up before anybody asks how large they were."""
SMALL = 4503599627370496
"""2**52: so many ints of this size do not overflow."""
LOW = 4294967295
"""The lower half of an int."""


def sum_of_bytes(self: Ptr[List]) -> i64:
    """The sum of elements that are bytes."""
    data = pointer_cast(self.data, u8)
    total = i64(0)
    for k in range(self.length):
        total = total + i64(data[k])
    return total


def list_sum_ints(self: Ptr[List], start: i64) -> i64:
    """``sum(self, start)`` of ints or bools. Raises OverflowError when it does not fit.

    The sum is kept in two halves, so that only its own size counts. Chunks are summed up as they are, with the bits
    that their elements have beside; one with large elements is summed up in halves.
    """
    low = start & LOW
    high = start >> 32
    at = 0
    if self.itemsize == 1:
        total = sum_of_bytes(self)
        low = low + (total & LOW)
        high = high + (total >> 32) + (low >> 32)
        low = low & LOW
        at = self.length
    while at < self.length:
        end = at + CHUNK
        if end > self.length:
            end = self.length
        total = 0
        bits = 0
        for k in range(at, end):
            x = self.data[k]
            total = i64(total + x)
            bits = bits | i64(x + SMALL)
        if bits >> 53 != 0:
            total = 0
            for k in range(at, end):
                x = self.data[k]
                low = low + (x & LOW)
                high = high + (x >> 32)
        low = low + (total & LOW)
        high = high + (total >> 32) + (low >> 32)
        low = low & LOW
        at = end
    if (high < -2147483648) | (high > 2147483647):
        raise OverflowError("int overflow: the sum does not fit 64 bits; use floats, or plain Python")
    return (high << 32) | low


def list_sum_ints_wrapping(self: Ptr[List], start: i64) -> i64:
    """``sum(self, start)`` modulo 2**64."""
    total = start
    if self.itemsize == 1:
        return i64(total + sum_of_bytes(self))
    for k in range(self.length):
        total = i64(total + self.data[k])
    return total


def list_sum_floats(self: Ptr[List], start: f64) -> f64:
    """``sum(self, start)`` of floats, one after the other, as CPython 3.11 does it."""
    total = start
    for k in range(self.length):
        total = total + as_float(self.data[k])
    return total


def list_sum_floats_compensated(self: Ptr[List], start: f64) -> f64:
    """``sum(self, start)`` of floats with Neumaier's correction, as CPython does it since 3.12."""
    total = start
    lost = 0.0
    for k in range(self.length):
        x = as_float(self.data[k])
        following = total + x
        if fabs(total) >= fabs(x):
            lost = lost + ((total - following) + x)
        else:
            lost = lost + ((x - following) + total)
        total = following
    if lost != 0.0 and lost - lost == 0.0:
        return total + lost
    return total
