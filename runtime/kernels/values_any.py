"""Tier 2: hash and comparison operators of values of any type."""

from __future__ import annotations

from tscript.dialect import (
    Ptr,
    TypeInfo,
    b8,
    i64,
)
from tscript.runtime.kernels.hashes import (
    hash_cells,
)
from tscript.runtime.kernels.values_equal import equal_cells
from tscript.runtime.kernels.values_order import order_cells


def any_hash(info: Ptr[TypeInfo], value: Ptr[i64]) -> i64:
    """``hash(value)``"""
    return hash_cells(info, value)


def any_eq(info: Ptr[TypeInfo], value: Ptr[i64], same: Ptr[TypeInfo], other: Ptr[i64]) -> b8:
    """``value == other``, both of one type"""
    return equal_cells(info, value, other)


def any_ne(info: Ptr[TypeInfo], value: Ptr[i64], same: Ptr[TypeInfo], other: Ptr[i64]) -> b8:
    """``value != other``, both of one type"""
    return not equal_cells(info, value, other)


def any_lt(info: Ptr[TypeInfo], value: Ptr[i64], same: Ptr[TypeInfo], other: Ptr[i64]) -> b8:
    """``value < other``, both of one type"""
    return order_cells(info, value, other) == -1


def any_le(info: Ptr[TypeInfo], value: Ptr[i64], same: Ptr[TypeInfo], other: Ptr[i64]) -> b8:
    """``value <= other``, both of one type"""
    return order_cells(info, value, other) <= 0


def any_gt(info: Ptr[TypeInfo], value: Ptr[i64], same: Ptr[TypeInfo], other: Ptr[i64]) -> b8:
    """``value > other``, both of one type"""
    return order_cells(info, value, other) == 1


def any_ge(info: Ptr[TypeInfo], value: Ptr[i64], same: Ptr[TypeInfo], other: Ptr[i64]) -> b8:
    """``value >= other``, both of one type"""
    found = order_cells(info, value, other)
    return found == 0 or found == 1
