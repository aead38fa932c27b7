"""Tier 2: exception objects made and raised by kernels: their arguments may be any values, such as a key that is not there."""

from __future__ import annotations

from typing import Final

from tscript.abi import exceptions
from tscript.ops.dialect import (
    Object,
    Ptr,
    Str,
    Thrown,
    TypeInfo,
    address,
    i64,
    pointer,
    pointer_cast,
    symbol,
)
from tscript.runtime.kernels import kinds
from tscript.runtime.kernels.memory import heap_allocate
from tscript.runtime.kernels.number_errors import parse_float_error, parse_int_error, spec_error
from tscript.runtime.kernels.objects import cells_behind, object_box, object_release, object_retain

RECORD: Final = 2
"""The cell where the record begins: behind ``args`` and ``__cause__``."""
ONE_ARGUMENT: Final = exceptions.ONE_ARGUMENT
KEY_ERROR: Final = exceptions.number_of("KeyError")
VALUE_ERROR: Final = exceptions.number_of("ValueError")


def cells_of_class(info: Ptr[TypeInfo]) -> i64:
    """The cells of the fields of a class."""
    count = 0
    for k in range(info.count):
        count = count + info.parts[k].cells
    return count


def exception_blank(info: Ptr[TypeInfo]) -> Ptr[Object]:
    """An exception without arguments; all its cells are 0."""
    count = cells_of_class(info)
    made = pointer_cast(heap_allocate(kinds.OBJECT_BYTES + 8 * count), Object)
    made.refcount = 1
    made.typeinfo = info
    cells = cells_behind(made)
    for k in range(count):
        cells[k] = 0
    return made


def exception_new(info: Ptr[TypeInfo], args: Ptr[Object]) -> Ptr[Object]:
    """An exception; `args` is null, its only argument, or a boxed tuple of all."""
    made = exception_blank(info)
    object_retain(args)
    cells_behind(made)[0] = address(args)
    return made


def boxed(info: Ptr[TypeInfo], cells: Ptr[i64]) -> i64:
    """The address of a value as an object of its own, or 0 for None."""
    kind = info.kind
    if kind == kinds.NONE:
        return 0
    if kind == kinds.OPTIONAL:
        if info.cells != info.parts[0].cells:
            return 0 if cells[0] == 0 else boxed_plain(info.parts[0], cells + 1)
        return boxed_plain(info.parts[0], cells)
    return boxed_plain(info, cells)


def boxed_plain(info: Ptr[TypeInfo], cells: Ptr[i64]) -> i64:
    """`boxed` for what is no optional."""
    if info.kind >= kinds.FIRST_HEAP or info.kind == kinds.OBJECT:
        object_retain(pointer(cells[0], Object))
        return cells[0]
    return address(object_box(info, cells))


# ---- raised here


def throw(number: i64, argument: i64, kind: i64) -> None:
    """Raise a builtin exception.

    Args:
        number: Of the class.
        argument: Address of its only argument, which is given away, or 0 for None.
        kind: Of the argument.
    """
    types = symbol("ts_exception_types_v1", Ptr[TypeInfo])
    made = exception_new(types[number], pointer(argument, Object))
    object_release(pointer(argument, Object))
    if argument == 0 or kind == kinds.TUPLE:
        cells_behind(made)[RECORD + 1] = ONE_ARGUMENT
    raise Thrown(made)


def refuse_key(info: Ptr[TypeInfo], key: Ptr[i64]) -> None:
    """Raise KeyError for a key."""
    argument = boxed(info, key)
    kind = i64(0)
    if argument != 0:
        kind = pointer(argument, Object).typeinfo.kind
    throw(KEY_ERROR, argument, kind)


def refuse_int(s: Ptr[Str], base: i64) -> None:
    """Raise for a text that is no int."""
    throw(VALUE_ERROR, address(parse_int_error(s, base)), kinds.STR)


def refuse_float(s: Ptr[Str]) -> None:
    """Raise for a text that is no float."""
    throw(VALUE_ERROR, address(parse_float_error(s)), kinds.STR)


def refuse_spec(spec: Ptr[Str], kind: i64) -> None:
    """Raise for a text that is no format spec; `kind` is whose it is."""
    throw(VALUE_ERROR, address(spec_error(spec, kind)), kinds.STR)
