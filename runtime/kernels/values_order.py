"""Tier 2: order of values of any type, by their `TypeInfo`.

Values of one type are compared cell by cell (`order_cells`), those of two types as what they hold (`order_values`).
"""

from __future__ import annotations

from tscript.dialect import (
    Dict,
    List,
    Object,
    Ptr,
    Str,
    TypeInfo,
    address,
    b8,
    f64,
    i64,
    pointer,
    stack,
)
from tscript.runtime.kernels import kinds
from tscript.runtime.kernels.hashes import (
    as_float,
    is_size,
)
from tscript.runtime.kernels.objects import cells_behind
from tscript.runtime.kernels.strings_compare import str_compare
from tscript.runtime.kernels.values_equal import is_within, values_equal
from tscript.runtime.kernels.values_held import (
    cells_at,
    element_type,
    elements_of,
    held_info,
    held_row,
    holds_another,
    is_none,
    is_tuple,
    length_of,
    row_of,
    step_of,
)

UNORDERED = 2
"""The order of values that have none: a NaN and a number, two sets."""


def order_of(less: b8, greater: b8) -> i64:
    """-1, 1 or 0."""
    if less:
        return -1
    if greater:
        return 1
    return 0


def order_floats(a: f64, b: f64) -> i64:
    """-1, 0 or 1 as `a` is less than, equal to or greater than `b`; `UNORDERED` if one is NaN."""
    if a == b:
        return 0
    if a < b:
        return -1
    if a > b:
        return 1
    return UNORDERED


def order_int_float(n: i64, x: f64) -> i64:
    """The exact order of an int and a float."""
    if x != x:
        return UNORDERED
    if x >= 9223372036854775808.0:
        return -1
    if x < -9223372036854775808.0:
        return 1
    whole = i64(x)
    if n != whole:
        return order_of(n < whole, n > whole)
    rest = x - f64(whole)
    return order_of(rest > 0.0, rest < 0.0)


def order_objects(a: Ptr[Object], b: Ptr[Object]) -> i64:
    """`order_cells` of two values of which each may be of any type."""
    if address(a) == 0 or address(b) == 0:
        raise TypeError("'<' not supported between these values")
    cell = stack(2, i64)
    cell[0] = address(a)
    cell[1] = address(b)
    return order_values(a.typeinfo, row_of(cell), b.typeinfo, row_of(cell + 1))


def order_values(info: Ptr[TypeInfo], a: Ptr[i64], other: Ptr[TypeInfo], b: Ptr[i64]) -> i64:
    """`order_cells` of values of any two types: numbers have an order, and so have tuples, and lists."""
    if address(info) == address(other):
        return order_cells(info, a, b)
    if holds_another(info) and not is_none(info, a):
        return order_values(held_info(info, a), held_row(info, a), other, b)
    if holds_another(other) and not is_none(other, b):
        return order_values(info, a, held_info(other, b), held_row(other, b))
    left = info.kind == kinds.INT or info.kind == kinds.BOOL
    right = other.kind == kinds.INT or other.kind == kinds.BOOL
    if left and right:
        return order_of(a[0] < b[0], a[0] > b[0])
    if left and other.kind == kinds.FLOAT:
        return order_int_float(a[0], as_float(b[0]))
    if right and info.kind == kinds.FLOAT:
        found = order_int_float(b[0], as_float(a[0]))
        if found == UNORDERED:
            return found
        return -found
    if info.kind == kinds.SET and other.kind == kinds.SET:
        return order_sets(pointer(a[0], Dict), pointer(b[0], Dict))
    if is_tuple(info) and is_tuple(other):
        return order_sequences(info, a, other, b)
    if info.kind == kinds.LIST and other.kind == kinds.LIST and not is_tuple(info) and not is_tuple(other):
        return order_sequences(info, a, other, b)
    raise TypeError("'<' not supported between these values")


def order_cells(info: Ptr[TypeInfo], a: Ptr[i64], b: Ptr[i64]) -> i64:
    """-1, 0 or 1 as a value comes before, with or after another of its type; `UNORDERED` if a NaN decides, or sets of
    which none is part of the other.

    Raises TypeError for different values that have no order, RecursionError for those that are nested too deeply.
    """
    kind = info.kind
    if kind == kinds.INT or kind == kinds.BOOL:
        return order_of(a[0] < b[0], a[0] > b[0])
    if kind == kinds.FLOAT:
        return order_floats(as_float(a[0]), as_float(b[0]))
    if kind == kinds.STR or kind == kinds.BYTES:
        return str_compare(pointer(a[0], Str), pointer(b[0], Str))
    if kind == kinds.TUPLE or is_size(info):
        return order_sequences(info, a, info, b)
    if kind == kinds.LIST:
        x = pointer(a[0], List)
        y = pointer(b[0], List)
        return order_rows(info.parts[0], x.data, x.length, y.data, y.length)
    if kind == kinds.SET:
        return order_sets(pointer(a[0], Dict), pointer(b[0], Dict))
    if kind == kinds.OBJECT:
        return order_objects(pointer(a[0], Object), pointer(b[0], Object))
    if holds_another(info) and not is_none(info, a) and not is_none(info, b):
        return order_cells(info.parts[0], held_row(info, a), held_row(info, b))
    if kind == kinds.CLASS:
        left = pointer(a[0], Object)
        right = pointer(b[0], Object)
        if info.flags & kinds.CLASS_ORDER != 0 and address(left.typeinfo) == address(right.typeinfo):
            return order_sequences(left.typeinfo, cells_behind(left), right.typeinfo, cells_behind(right))
    raise TypeError("'<' not supported between these values")


def order_sets(a: Ptr[Dict], b: Ptr[Dict]) -> i64:
    """-1 or 1 as a set is part of another one or has it as its part, 0 if they are equal; else `UNORDERED`."""
    if a.length <= b.length and is_within(a, b):
        return order_of(a.length < b.length, False)
    if a.length > b.length and is_within(b, a):
        return 1
    return UNORDERED


def order_sequences(info: Ptr[TypeInfo], a: Ptr[i64], other: Ptr[TypeInfo], b: Ptr[i64]) -> i64:
    """`order_cells` of tuples, lists, or fields of instances: the first that are not equal decide, then the lengths."""
    n = length_of(info, a)
    m = length_of(other, b)
    x = elements_of(info, a)
    y = elements_of(other, b)
    common = n
    if m < common:
        common = m
    spare = stack(2, i64)
    for k in range(common):
        left = element_type(info, k)
        right = element_type(other, k)
        p = step_of(info, k)
        q = step_of(other, k)
        found = order_elements(left, cells_at(x, p, spare), right, cells_at(y, q, spare + 1))
        if found != 0:
            return found
        x = pointer(address(x) + p, i64)
        y = pointer(address(y) + q, i64)
    return order_of(n < m, n > m)


def order_rows(info: Ptr[TypeInfo], a: Ptr[i64], n: i64, b: Ptr[i64], m: i64) -> i64:
    """`order_sequences` of the `n` and the `m` elements of two lists of one type."""
    common = n
    if m < common:
        common = m
    step = info.itemsize
    spare = stack(2, i64)
    for k in range(common):
        x = cells_at(pointer(address(a) + k * step, i64), step, spare)
        y = cells_at(pointer(address(b) + k * step, i64), step, spare + 1)
        found = order_elements(info, x, info, y)
        if found != 0:
            return found
    return order_of(n < m, n > m)


def order_elements(info: Ptr[TypeInfo], a: Ptr[i64], other: Ptr[TypeInfo], b: Ptr[i64]) -> i64:
    """`order_values` of two elements, which need no order where they are equal."""
    kind = info.kind
    if address(info) == address(other) and (
        kind == kinds.INT or kind == kinds.BOOL or kind == kinds.FLOAT or kind == kinds.STR or kind == kinds.BYTES
    ):
        return order_cells(info, a, b)
    if values_equal(info, a, other, b):
        return 0
    return order_values(info, a, other, b)
