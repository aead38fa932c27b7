"""Tier 3: `repr` of values of any type, as CPython writes it, with a `writer`."""

from __future__ import annotations

from tscript.ops.dialect import (
    Dict,
    List,
    Object,
    Ptr,
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
    u8,
)
from tscript.runtime.kernels import kinds
from tscript.runtime.kernels.digits import write_float
from tscript.runtime.kernels.hashes import as_float
from tscript.runtime.kernels.objects import cells_behind
from tscript.runtime.kernels.strings import char_at, is_bytes
from tscript.runtime.kernels.strings_format import AS_BYTES, AS_IT_IS, escape_length, put_quoted, quote_of
from tscript.runtime.kernels.tensor_text import put_size, put_tensor
from tscript.runtime.kernels.writer import (
    BUFFER,
    FAILED,
    LENGTH,
    POINT,
    TOO_DEEP,
    begin_writer,
    has_room,
    last_name,
    put_dtype,
    put_float,
    put_int,
    put_letters,
    put_utf8,
    put_word,
    word,
    written,
)

LEVELS = 16
"""Levels of call depth that must be left for a value: more than one needs between two that are looked at."""


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
SIZE_INITIAL = ord("S")
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


def put_text(w: Ptr[i64], text: Ptr[Str]) -> None:
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
    """Write a member of an enum: ``<Color.RED: 1>``."""
    put_word(w, OPEN_ANGLE)
    put_utf8(w, last_name(info.name))
    put_word(w, POINT)
    put_utf8(w, pointer_cast(info.names[2 * number], u8))
    put_word(w, COLON)
    put_utf8(w, pointer_cast(info.names[2 * number + 1], u8))
    put_word(w, CLOSE_ANGLE)


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
    elif kind == kinds.TENSOR and info.name[0] == SIZE_INITIAL:
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
        put_text(w, pointer(address(object), Str))
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
    else:
        put_word(w, OPEN_ANGLE)
        put_utf8(w, info.name)
        put_word(w, OBJECT)
        put_word(w, CLOSE_ANGLE)


def put_list(w: Ptr[i64], items: Ptr[List], again: b8, active: Ptr[i64]) -> None:
    """Write a list; `again`: within itself."""
    info = items.typeinfo
    frozen = info.flags & kinds.LIST_FROZEN != 0
    put_word(w, OPEN_ROUND if frozen else i64(OPEN_SQUARE))
    if again:
        put_word(w, DOTS)
    else:
        for k in range(items.length):
            if k > 0:
                put_word(w, COMMA)
            put_value(w, info.parts[0], items.data + k * items.cells, active)
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


def repr_value(info: Ptr[TypeInfo], cells: Ptr[i64]) -> Ptr[Str]:
    """``repr(value)``. Raises RecursionError for values that are nested too deeply, MemoryError."""
    w = stack(4, i64)
    begin_writer(w)
    put_value(w, info, cells, pointer(0, i64))
    return written(w)
