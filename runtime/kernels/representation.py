"""Tier 3: `repr` of values of any type, as CPython writes it, with a `writer`."""

from __future__ import annotations

from typing import Final

from tscript.abi import exceptions
from tscript.dialect import (
    Dict,
    List,
    Object,
    Ptr,
    Site,
    Str,
    TensorImpl,
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
from tscript.runtime.kernels.digits import write_float
from tscript.runtime.kernels.format_int import int_digits
from tscript.runtime.kernels.format_spec import LETTER_C, LETTER_X
from tscript.runtime.kernels.hashes import as_float, is_size
from tscript.runtime.kernels.objects import cells_behind, element_cells, object_release
from tscript.runtime.kernels.strings import char_at, is_bytes
from tscript.runtime.kernels.strings_format import AS_BYTES, AS_IT_IS, escape_length, put_quoted, quote_of
from tscript.runtime.kernels.tensor_printing import put_size, put_tensor
from tscript.runtime.kernels.writer import (
    BUFFER,
    FAILED,
    LENGTH,
    NO_MEMORY,
    POINT,
    TOO_DEEP,
    begin_writer,
    has_room,
    last_name,
    put_char,
    put_dtype,
    put_float,
    put_int,
    put_letters,
    put_utf8,
    put_word,
    try_written,
    word,
    written,
)

LEVELS = 16
"""Levels of call depth that must be left for a value: more than one needs between two checks."""


NONE = word("None")
TRUE = word("True")
FALSE = word("False")
COMMA = word(", ")
COLON = word(": ")
DOTS = word("...")
EMPTY_SET = word("set()")
OBJECT = word(" object")
OPEN_ROUND = word("(")
CLOSE_ROUND = word(")")
OPEN_SQUARE = word("[")
CLOSE_SQUARE = word("]")
OPEN_CURLY = word("{")
CLOSE_CURLY = word("}")
OPEN_ANGLE = word("<")
CLOSE_ANGLE = word(">")
EQUALS = word("=")
ONE_COMMA = word(",")
PLUS = word("+")
IMAGINARY = word("j")
MINUS = ord("-")
CODE_OF_COLON = ord(":")
OPEN_BRACE = ord("{")
CLOSE_BRACE = ord("}")
RECORD: Final = exceptions.RECORD_CELL
"""The first cell of the record of an exception: after ``args`` and ``__cause__``."""
"""How the name of the type of sizes begins, whose values lie like tensors."""


def put_complex(w: Ptr[i64], real: i64, imaginary: i64) -> None:
    """Write a complex number, given the bits of its parts."""
    letters = stack(32, u8)
    if real != 0:
        put_word(w, OPEN_ROUND)
        put_letters(w, letters, write_float(letters, as_float(real), 0))
    count = write_float(letters, as_float(imaginary), 0)
    if real != 0:
        if letters[0] != MINUS:
            put_word(w, PLUS)
    put_letters(w, letters, count)
    put_word(w, IMAGINARY)
    if real != 0:
        put_word(w, CLOSE_ROUND)


def put_string(w: Ptr[i64], text: Ptr[Str]) -> None:
    """Write the repr of a str or of bytes."""
    manner = i64(AS_IT_IS)
    length = i64(2)
    if is_bytes(text):
        manner = AS_BYTES
        length = i64(3)
    quote = quote_of(text)
    for k in range(text.length):
        length = length + escape_length(char_at(text, k), quote, manner)
    if has_room(w, length):
        put_quoted(text, manner, pointer(w[BUFFER] + w[LENGTH] * 4, u8), 4)
        w[LENGTH] = w[LENGTH] + length


def put_member(w: Ptr[i64], info: Ptr[TypeInfo], number: i64) -> None:
    """Write a member of an enum: ``<Color.RED: 1>``; a device, a layout or a memory format as its repr."""
    if info.flags & kinds.ENUM_PLAIN != 0:
        put_utf8(w, pointer_cast(info.names[3 * number + 1], u8))
        return
    put_word(w, OPEN_ANGLE)
    put_utf8(w, last_name(info.name))
    put_word(w, POINT)
    put_utf8(w, pointer_cast(info.names[3 * number], u8))
    put_word(w, COLON)
    put_utf8(w, pointer_cast(info.names[3 * number + 1], u8))
    put_word(w, CLOSE_ANGLE)


def put_member_name(w: Ptr[i64], info: Ptr[TypeInfo], number: i64) -> None:
    """Write what ``str()`` gives of a member of an enum: ``Color.RED``, or the int or str that it is besides."""
    put_utf8(w, pointer_cast(info.names[3 * number + 2], u8))


def put_fields(w: Ptr[i64], info: Ptr[TypeInfo], cells: Ptr[i64], active: Ptr[i64]) -> None:
    """Write the elements of a tuple, or the fields of an instance with their names."""
    at = cells
    named = address(info.names) != 0
    if named:
        put_utf8(w, last_name(info.name))
    put_word(w, OPEN_ROUND)
    for k in range(info.count):
        if k > 0:
            put_word(w, COMMA)
        if named:
            put_utf8(w, pointer_cast(info.names[k], u8))
            put_word(w, EQUALS)
        put_value(w, info.parts[k], at, active)
        at = at + info.parts[k].cells
    if info.count == 1 and not named:
        put_word(w, ONE_COMMA)
    put_word(w, CLOSE_ROUND)


def put_value(w: Ptr[i64], info: Ptr[TypeInfo], cells: Ptr[i64], active: Ptr[i64]) -> None:
    """Write a value.

    Args:
        active: The objects that are being written, innermost first: a pair of the address of the next one, or 0, and
            of the object itself.
    """
    if w[FAILED] != 0:
        return
    if context().depth < LEVELS:
        w[FAILED] = TOO_DEEP
        return
    kind = info.kind
    if kind == kinds.INT:
        put_int(w, cells[0])
    elif kind == kinds.FLOAT:
        put_float(w, as_float(cells[0]))
    elif kind == kinds.BOOL:
        put_word(w, TRUE if cells[0] != 0 else i64(FALSE))
    elif kind == kinds.NONE:
        put_word(w, NONE)
    elif kind == kinds.COMPLEX:
        put_complex(w, cells[0], cells[1])
    elif kind == kinds.DTYPE:
        put_dtype(w, info, cells[0])
    elif kind == kinds.ENUM:
        put_member(w, info, cells[0])
    elif kind == kinds.TUPLE:
        put_fields(w, info, cells, active)
    elif kind == kinds.OPTIONAL and info.cells != info.parts[0].cells:
        if cells[0] == 0:
            put_word(w, NONE)
        else:
            put_value(w, info.parts[0], cells + 1, active)
    elif cells[0] == 0:
        put_word(w, NONE)
    elif is_size(info):
        shape = pointer(cells[0], TensorImpl)
        put_size(w, shape.numel, pointer_cast(shape.data, i64))
    else:
        put_object(w, pointer(cells[0], Object), active)


def is_active(object: Ptr[Object], active: Ptr[i64]) -> b8:
    """Whether an object is being written."""
    at = active
    while address(at) != 0:
        if at[1] == address(object):
            return True
        at = pointer(at[0], i64)
    return False


def put_object(w: Ptr[i64], object: Ptr[Object], outer: Ptr[i64]) -> None:
    """Write a heap object."""
    info = object.typeinfo
    if address(info) == 0:
        put_tensor(w, pointer(address(object), TensorImpl))
        return
    kind = info.kind
    if kind == kinds.STR or kind == kinds.BYTES:
        put_string(w, pointer(address(object), Str))
        return
    if kind < kinds.FIRST_HEAP:
        put_value(w, info, cells_behind(object), outer)
        return
    active = stack(2, i64)
    active[0] = address(outer)
    active[1] = address(object)
    again = is_active(object, outer)
    if kind == kinds.LIST:
        put_list(w, pointer(address(object), List), again, active)
    elif kind == kinds.DICT or kind == kinds.SET:
        put_table(w, pointer(address(object), Dict), again, active)
    elif kind == kinds.CLASS and info.flags & kinds.CLASS_REPR != 0:
        if again:
            put_word(w, DOTS)
        else:
            put_fields(w, info, cells_behind(object), active)
    elif is_exception(object):
        put_exception(w, object, outer)
    else:
        put_word(w, OPEN_ANGLE)
        put_utf8(w, info.name)
        put_word(w, OBJECT)
        put_word(w, CLOSE_ANGLE)


# ---- exceptions


def message_of(self: Ptr[Object]) -> Ptr[u8]:
    """The format string of an exception that was raised without an object, or null."""
    site = pointer(cells_behind(self)[RECORD], Site)
    if address(site) == 0:
        return pointer(0, u8)
    return site.message


def put_message(w: Ptr[i64], message: Ptr[u8], kinds_of: i64, args: Ptr[i64]) -> None:
    """Write a format string with its numbers."""
    start = i64(0)
    at = i64(0)
    piece = stack(4096, u8)
    while message[at] != 0:
        start = 0
        while message[at] != 0 and message[at] != OPEN_BRACE and message[at] != CLOSE_BRACE and start < 4095:
            piece[start] = message[at]
            start = start + 1
            at = at + 1
        piece[start] = u8(0)
        put_utf8(w, piece)
        if message[at] == OPEN_BRACE or message[at] == CLOSE_BRACE:
            if message[at + 1] == message[at]:
                put_char(w, i64(message[at]))
                at = at + 2
            else:
                number = i64(0)
                form = i64(0)
                at = at + 1
                while message[at] != 0 and message[at] != CLOSE_BRACE:
                    if message[at] == CODE_OF_COLON:
                        at = at + 1
                        form = i64(message[at])
                    else:
                        number = number * 10 + (i64(message[at]) - 48)
                    at = at + 1
                if message[at] != 0:
                    at = at + 1
                kind = kinds_of >> 2 * number & 3
                if form == LETTER_C:
                    put_char(w, args[number])
                elif form == LETTER_X:
                    put_letters(w, piece, int_digits(piece, args[number], LETTER_X))
                elif kind == 1:
                    put_float(w, as_float(args[number]))
                elif kind == 2:
                    put_dtype(w, symbol("ts_type:dtype_v1", TypeInfo), args[number])
                else:
                    put_int(w, args[number])


def write_message(w: Ptr[i64], self: Ptr[Object], message: Ptr[u8]) -> None:
    """Write the message of an exception that was raised without an object."""
    record = cells_behind(self) + RECORD
    put_message(w, message, record[1], record + 2)


def put_error_message(w: Ptr[i64], self: Ptr[Object], message: Ptr[u8]) -> None:
    """Write the repr of such a message."""
    inner = stack(4, i64)
    begin_writer(inner)
    write_message(inner, self, message)
    text = try_written(inner)
    if address(text) == 0:
        w[FAILED] = NO_MEMORY
    else:
        put_string(w, text)
        object_release(pointer(address(text), Object))


def kind_of_object(object: Ptr[Object]) -> i64:
    """The kind of an object; tensors have no type of their own."""
    info = object.typeinfo
    if address(info) == 0:
        return kinds.TENSOR
    return info.kind


def is_exception(object: Ptr[Object]) -> b8:
    """Whether an object, or null, is an exception."""
    if address(object) == 0:
        return False
    info = object.typeinfo
    return address(info) != 0 and info.kind == kinds.CLASS and info.flags & kinds.CLASS_EXCEPTION != 0


def put_exception(w: Ptr[i64], self: Ptr[Object], outer: Ptr[i64]) -> None:
    """Write the repr that builtin exceptions have."""
    message = message_of(self)
    args = pointer(cells_behind(self)[0], Object)
    put_utf8(w, last_name(self.typeinfo.name))
    put_word(w, OPEN_ROUND)
    if address(message) != 0:
        put_error_message(w, self, message)
    elif address(args) != 0:
        if kind_of_object(args) != kinds.TUPLE:
            put_object(w, args, outer)
        elif is_active(args, outer):
            put_word(w, DOTS)
        else:
            active = stack(2, i64)
            active[0] = address(outer)
            active[1] = address(args)
            put_parts(w, args, active)
    put_word(w, CLOSE_ROUND)


def put_parts(w: Ptr[i64], args: Ptr[Object], active: Ptr[i64]) -> None:
    """Write the elements of a boxed tuple."""
    info = args.typeinfo
    cells = cells_behind(args)
    for k in range(info.count):
        if k > 0:
            put_word(w, COMMA)
        put_value(w, info.parts[k], cells, active)
        cells = cells + info.parts[k].cells


# ---- containers


def put_list(w: Ptr[i64], items: Ptr[List], again: b8, active: Ptr[i64]) -> None:
    """Write a list; `again`: within itself."""
    info = items.typeinfo
    frozen = info.flags & kinds.LIST_FROZEN != 0
    put_word(w, OPEN_ROUND if frozen else i64(OPEN_SQUARE))
    if again:
        put_word(w, DOTS)
    else:
        spare = stack(1, i64)
        for k in range(items.length):
            if k > 0:
                put_word(w, COMMA)
            put_value(w, info.parts[0], element_cells(items, k, spare), active)
        if frozen and items.length == 1:
            put_word(w, ONE_COMMA)
    put_word(w, CLOSE_ROUND if frozen else i64(CLOSE_SQUARE))


def put_table(w: Ptr[i64], table: Ptr[Dict], again: b8, active: Ptr[i64]) -> None:
    """Write a dict or a set; `again`: within itself."""
    info = table.typeinfo
    if info.kind == kinds.SET and table.length == 0:
        put_word(w, EMPTY_SET)
        return
    put_word(w, OPEN_CURLY)
    if again:
        put_word(w, DOTS)
    else:
        first = True
        for k in range(table.used):
            entry = table.entries + k * table.stride
            if entry[0] != kinds.DELETED:
                if not first:
                    put_word(w, COMMA)
                first = False
                put_value(w, info.parts[0], entry + 1, active)
                if info.kind == kinds.DICT:
                    put_word(w, COLON)
                    put_value(w, info.parts[1], entry + (1 + info.parts[0].cells), active)
    put_word(w, CLOSE_CURLY)


def str_value(info: Ptr[TypeInfo], cells: Ptr[i64]) -> Ptr[Str]:
    """``str(value)`` of a value that is no str and no exception. Raises what `repr_value` does."""
    kind = info.kind
    at = cells
    own = info
    if kind == kinds.OBJECT and cells[0] != 0:
        object = pointer(cells[0], Object)
        if address(object.typeinfo) != 0 and object.typeinfo.kind == kinds.ENUM:
            own = object.typeinfo
            at = cells_behind(object)
    if kind == kinds.OPTIONAL and cells[0] != 0 and info.parts[0].kind == kinds.ENUM:
        own = info.parts[0]
        at = cells + 1
    if own.kind != kinds.ENUM:
        return repr_value(info, cells)
    w = stack(4, i64)
    begin_writer(w)
    put_member_name(w, own, at[0])
    return written(w)


def repr_value(info: Ptr[TypeInfo], cells: Ptr[i64]) -> Ptr[Str]:
    """``repr(value)``. Raises RecursionError for values that are nested too deeply, MemoryError."""
    w = stack(4, i64)
    begin_writer(w)
    put_value(w, info, cells, pointer(0, i64))
    return written(w)
