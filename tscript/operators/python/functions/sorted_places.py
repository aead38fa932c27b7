"""The functions of `bisect`: places in what is sorted, found by halving."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return,type-arg"

from __future__ import annotations


def bisect_left(a, x, lo: int = 0, hi: int | None = None, *, key=None) -> int:
    """``bisect.bisect_left``"""
    if lo < 0:
        raise ValueError("lo must be non-negative")
    end = len(a) if hi is None else hi
    while lo < end:
        middle = (lo + end) // 2
        if (a[middle] if key is None else key(a[middle])) < x:
            lo = middle + 1
        else:
            end = middle
    return lo


def bisect_right(a, x, lo: int = 0, hi: int | None = None, *, key=None) -> int:
    """``bisect.bisect_right``"""
    if lo < 0:
        raise ValueError("lo must be non-negative")
    end = len(a) if hi is None else hi
    while lo < end:
        middle = (lo + end) // 2
        if x < (a[middle] if key is None else key(a[middle])):
            end = middle
        else:
            lo = middle + 1
    return lo


def insort_left(a: list, x, lo: int = 0, hi: int | None = None, *, key=None) -> None:
    """``bisect.insort_left``"""
    a.insert(bisect_left(a, x if key is None else key(x), lo, hi, key=key), x)


def insort_right(a: list, x, lo: int = 0, hi: int | None = None, *, key=None) -> None:
    """``bisect.insort_right``"""
    a.insert(bisect_right(a, x if key is None else key(x), lo, hi, key=key), x)
