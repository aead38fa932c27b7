"""Tier 2: what a value of any type holds: boxes, rows, sequences and numbers."""

from __future__ import annotations

from tscript.dialect import (
    List,
    Object,
    Ptr,
    TensorImpl,
    TypeInfo,
    b8,
    f64,
    i64,
    pointer,
    pointer_cast,
    u8,
)
from tscript.runtime.kernels import kinds
from tscript.runtime.kernels.hashes import (
    as_float,
    is_enum_of_values,
    is_size,
)
from tscript.runtime.kernels.objects import cells_behind


def row_of(cell: Ptr[i64]) -> Ptr[i64]:
    """The cells of what `cell` points to: those of a boxed value, or `cell` itself."""
    object = pointer(cell[0], Object)
    if object.typeinfo.kind < kinds.FIRST_HEAP:
        return cells_behind(object)
    return cell


def is_none(info: Ptr[TypeInfo], cells: Ptr[i64]) -> b8:
    """Whether a value is None."""
    if info.kind == kinds.OPTIONAL or info.kind == kinds.OBJECT:
        return cells[0] == 0
    return info.kind == kinds.NONE


def holds_another(info: Ptr[TypeInfo]) -> b8:
    """Whether values of a type are compared as what they hold: optionals, values of any type, members of enums that are
    numbers or strings."""
    return info.kind == kinds.OPTIONAL or info.kind == kinds.OBJECT or is_enum_of_values(info)


def held_info(info: Ptr[TypeInfo], cells: Ptr[i64]) -> Ptr[TypeInfo]:
    """The type of what such a value holds, which is not None."""
    if info.kind == kinds.OBJECT:
        return pointer(cells[0], Object).typeinfo
    return info.parts[0]


def held_row(info: Ptr[TypeInfo], cells: Ptr[i64]) -> Ptr[i64]:
    """The cells of what such a value holds, which is not None."""
    if info.kind == kinds.OBJECT:
        return row_of(cells)
    if info.kind == kinds.ENUM:
        return info.members + cells[0]
    return cells + (info.cells - info.parts[0].cells)


def is_tuple(info: Ptr[TypeInfo]) -> b8:
    """Whether values of a type are tuples."""
    return (
        info.kind == kinds.TUPLE or (info.kind == kinds.LIST and info.flags & kinds.LIST_FROZEN != 0) or is_size(info)
    )


def length_of(info: Ptr[TypeInfo], cells: Ptr[i64]) -> i64:
    """How many elements a list or a tuple has, or fields an instance."""
    if info.kind == kinds.LIST:
        return pointer(cells[0], List).length
    if is_size(info):
        return pointer(cells[0], TensorImpl).numel
    return info.count


def elements_of(info: Ptr[TypeInfo], cells: Ptr[i64]) -> Ptr[i64]:
    """Where the first element of a list or a tuple lies (`step_of`, `cells_at`)."""
    if info.kind == kinds.LIST:
        return pointer(cells[0], List).data
    if is_size(info):
        return pointer_cast(pointer(cells[0], TensorImpl).data, i64)
    return cells


def step_of(info: Ptr[TypeInfo], k: i64) -> i64:
    """The bytes from element `k` of a list or a tuple, or field of an instance, to the next."""
    if info.kind == kinds.LIST:
        return info.parts[0].itemsize
    return element_type(info, k).cells * 8


def cells_at(place: Ptr[i64], step: i64, spare: Ptr[i64]) -> Ptr[i64]:
    """The cells of what lies at a place, `step` bytes: those, or the cell `spare` if it is one byte."""
    if step == 1:
        spare[0] = i64(pointer_cast(place, u8)[0])
        return spare
    return place


def element_type(info: Ptr[TypeInfo], k: i64) -> Ptr[TypeInfo]:
    """The type of the element `k` of a list or a tuple, or the field of an instance."""
    if info.kind == kinds.LIST or is_size(info):
        return info.parts[0]
    return info.parts[k]


def is_number(kind: i64) -> b8:
    """Whether values of a kind are ints, floats, bools or complex numbers."""
    return kind == kinds.INT or kind == kinds.FLOAT or kind == kinds.BOOL or kind == kinds.COMPLEX


def is_real(kind: i64) -> b8:
    """Whether the first cell of a number of this kind is a float."""
    return kind == kinds.FLOAT or kind == kinds.COMPLEX


def imaginary(kind: i64, cells: Ptr[i64]) -> f64:
    """The imaginary part of a number."""
    if kind == kinds.COMPLEX:
        return as_float(cells[1])
    return 0.0
