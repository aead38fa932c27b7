"""Tier 2: exceptions as objects. What is in flight is said in `tscript.backend.exceptions`."""

from __future__ import annotations

from typing import Final

from tscript.abi import exceptions
from tscript.ops.dialect import Object, Ptr, TypeInfo, address, b8, context, i64, pointer, pointer_cast, symbol
from tscript.runtime.kernels import kinds
from tscript.runtime.kernels.memory import heap_allocate
from tscript.runtime.kernels.objects import cells_behind, object_is, object_retain

OBJECT_RAISED: Final = exceptions.OBJECT_RAISED
RECORD: Final = 2
"""The cell where the record begins: behind ``args`` and ``__cause__``."""
RECORD_CELLS: Final = exceptions.RECORD_CELLS


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


def exception_chain(exception: Ptr[Object], cause: Ptr[Object]) -> None:
    """Set the cause of an exception that has none yet."""
    object_retain(cause)
    cells_behind(exception)[1] = address(cause)


def exception_take() -> Ptr[Object]:
    """The exception in flight as an object, which is the caller's."""
    ctx = context()
    site = ctx.trace[0]
    if site.number == OBJECT_RAISED:
        return pointer(ctx.args[0], Object)
    types = symbol("ts_exception_types_v1", Ptr[TypeInfo])
    count = ctx.nargs
    kind = ctx.kinds
    made = exception_blank(types[site.number])
    record = cells_behind(made) + RECORD
    record[0] = address(site)
    if count > 0:
        record[1] = kind
        for k in range(count):
            record[2 + k] = ctx.args[k]
    return made


def exception_is(info: Ptr[TypeInfo]) -> b8:
    """Whether the exception in flight is an object of a class derived from one."""
    ctx = context()
    if ctx.trace[0].number != OBJECT_RAISED:
        return False
    return object_is(pointer(ctx.args[0], Object), info)
