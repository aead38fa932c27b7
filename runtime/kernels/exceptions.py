"""Tier 2: exceptions as objects. See `tscript.backend.nodes.exceptions` for exceptions in flight."""

from __future__ import annotations

from typing import Final

from tscript.abi import exceptions, layout
from tscript.dialect import (
    List,
    Object,
    Ptr,
    Str,
    TypeInfo,
    address,
    b8,
    context,
    i64,
    pointer,
    pointer_cast,
    stack,
    symbol,
    u8,
)
from tscript.runtime.kernels import kinds
from tscript.runtime.kernels.lists import list_new
from tscript.runtime.kernels.memory import heap_allocate, value_made
from tscript.runtime.kernels.objects import (
    cells_behind,
    object_box,
    object_is,
    object_release,
    object_retain,
    site_hold,
)
from tscript.runtime.kernels.representation import (
    NONE,
    RECORD,
    is_exception,
    kind_of_object,
    message_of,
    put_error_message,
    put_exception,
    put_member_name,
    put_object,
    put_value,
    write_message,
)
from tscript.runtime.kernels.strings import empty_str, string_retain
from tscript.runtime.kernels.writer import (
    begin_writer,
    last_name,
    put_utf8,
    put_word,
    written,
)

OBJECT_RAISED: Final = layout.OBJECT_RAISED
BRACKET: Final = 91


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
    value_made(info)
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
    """Set the cause of an exception, or take it away: null."""
    object_retain(cause)
    before = pointer(cells_behind(exception)[1], Object)
    cells_behind(exception)[1] = address(cause)
    object_release(before)


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
    site_hold(site)
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


# ---- what it says


SYNTAX_ERROR: Final = exceptions.number_of("SyntaxError")
LAST_SYNTAX_ERROR: Final = exceptions.number_of("TabError")
KEY_ERROR: Final = exceptions.number_of("KeyError")
NUMBER_SHIFT: Final = exceptions.NUMBER_SHIFT


def is_key_error(self: Ptr[Object]) -> b8:
    """Whether the only argument is shown by its repr."""
    return self.typeinfo.flags >> NUMBER_SHIFT == KEY_ERROR


def is_syntax_error(self: Ptr[Object]) -> b8:
    """Whether ``str`` of no arguments is that of the missing message, None."""
    number = self.typeinfo.flags >> NUMBER_SHIFT
    return number >= SYNTAX_ERROR and number <= LAST_SYNTAX_ERROR


def exception_str(self: Ptr[Object]) -> Ptr[Str]:
    """``str(self)``; that of an only argument that is an exception is its own."""
    at = self
    args = pointer(cells_behind(at)[0], Object)
    while address(message_of(at)) == 0 and is_exception(args) and not is_key_error(at):
        at = args
        args = pointer(cells_behind(at)[0], Object)
    message = message_of(at)
    w = stack(4, i64)
    begin_writer(w)
    if address(message) != 0:
        if is_key_error(at):
            put_error_message(w, at, message)
        else:
            write_message(w, at, message)
        return written(w)
    if address(args) == 0:
        if is_syntax_error(at):
            put_word(w, NONE)
            return written(w)
        return empty_str()
    if kind_of_object(args) == kinds.STR and not is_key_error(at):
        return string_retain(pointer(address(args), Str))
    if kind_of_object(args) == kinds.ENUM and not is_key_error(at):
        put_member_name(w, args.typeinfo, cells_behind(args)[0])
    elif kind_of_object(args) == kinds.TUPLE and args.typeinfo.count == 1:
        put_value(w, args.typeinfo.parts[0], cells_behind(args), pointer(0, i64))
    else:
        put_object(w, args, pointer(0, i64))
    return written(w)


def exception_repr(self: Ptr[Object]) -> Ptr[Str]:
    """``repr(self)``."""
    w = stack(4, i64)
    begin_writer(w)
    put_exception(w, self, pointer(0, i64))
    return written(w)


def object_class_name(self: Ptr[Object]) -> Ptr[Str]:
    """``type(self).__name__``."""
    w = stack(4, i64)
    begin_writer(w)
    put_utf8(w, last_name(self.typeinfo.name))
    return written(w)


def is_name_end(c: u8) -> b8:
    """Whether the name of a class ends here; types in brackets tell no classes apart."""
    return c == 0 or c == BRACKET


def object_same_class(self: Ptr[Object], other: Ptr[Object]) -> b8:
    """``type(self) is type(other)``: names are unique in the process."""
    a = self.typeinfo.name
    b = other.typeinfo.name
    at = i64(0)
    while a[at] == b[at] and not is_name_end(a[at]):
        at = at + 1
    return is_name_end(a[at]) and is_name_end(b[at])


def exception_args(result: Ptr[TypeInfo], self: Ptr[Object]) -> Ptr[List]:
    """``self.args``: a ``tuple[Any, ...]``."""
    message = message_of(self)
    args = pointer(cells_behind(self)[0], Object)
    if address(message) != 0:
        w = stack(4, i64)
        begin_writer(w)
        write_message(w, self, message)
        text = written(w)
        one = list_new(result, 1)
        one.data[0] = address(text)
        one.length = 1
        return one
    if address(args) == 0:
        return list_new(result, 0)
    if kind_of_object(args) != kinds.TUPLE:
        only = list_new(result, 1)
        object_retain(args)
        only.data[0] = address(args)
        only.length = 1
        return only
    info = args.typeinfo
    out = list_new(result, info.count)
    cells = cells_behind(args)
    for k in range(info.count):
        part = info.parts[k]
        out.data[k] = boxed(part, cells)
        out.length = k + 1
        cells = cells + part.cells
    return out


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
