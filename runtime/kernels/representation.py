"""Tier 3: `repr` of values of any type, as CPython writes it.

Text grows in a buffer of four bytes a code point. What writes it never raises: it notes why it cannot go on, and the
buffer is given back before the exception is raised.
"""

from __future__ import annotations

from tscript.ops.dialect import (
    Dict,
    List,
    Object,
    Ptr,
    Str,
    TypeInfo,
    Void,
    address,
    b8,
    context,
    f64,
    i32,
    i64,
    memcpy,
    pointer,
    pointer_cast,
    stack,
    u8,
)
from tscript.runtime.kernels import kinds
from tscript.runtime.kernels.digits import write_float, write_float_repr, write_int
from tscript.runtime.kernels.memory import heap_free, heap_try_allocate, refuse
from tscript.runtime.kernels.objects import cells_behind
from tscript.runtime.kernels.strings import (
    LAST_ASCII,
    char_at,
    copy_chars,
    data_of,
    is_bytes,
    str_try_new,
    width_for,
)
from tscript.runtime.kernels.strings_format import AS_BYTES, AS_IT_IS, escape_length, put_quoted, quote_of
from tscript.runtime.kernels.values import as_float

BUFFER = 0
ROOM = 1
LENGTH = 2
FAILED = 3
"""Cells of a writer: the address of its buffer, the code points it has room for, those that are there, and why it has
stopped, `NO_MEMORY` or `TOO_DEEP`, else 0."""

NO_MEMORY = 1
TOO_DEEP = 2
LEVELS = 16
"""Levels of call depth that must be left for a value: more than one needs between two that are looked at."""


def word(text: str) -> int:
    """Up to seven ASCII characters as a number."""
    return int.from_bytes(text.encode("ascii"), "little")


NONE = word("None")
TRUE = word("True")
FALSE = word("False")
COMMA = word(", ")
COLON = word(": ")
TENSOR = word("Tensor")
DOTS = word("...")
TSCRIPT = word("tscript")
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
POINT = word(".")
ONE_COMMA = word(",")
PLUS = word("+")
IMAGINARY = word("j")
MINUS = ord("-")

# ---- the writer


def has_room(w: Ptr[i64], more: i64) -> b8:
    """Whether there is room for so many code points more, after some has been made."""
    if w[FAILED] != 0:
        return False
    wanted = w[LENGTH] + more
    if wanted <= w[ROOM]:
        return True
    room = w[ROOM] * 2
    if room < wanted:
        room = wanted + 16
    made = heap_try_allocate(room * 4)
    if address(made) == 0:
        w[FAILED] = NO_MEMORY
        return False
    if w[ROOM] != 0:
        before = pointer(w[BUFFER], u8)
        memcpy(pointer_cast(made, u8), before, w[LENGTH] * 4)
        heap_free(pointer_cast(before, Void), w[ROOM] * 4)
    w[BUFFER] = address(made)
    w[ROOM] = room
    return True


def put_char(w: Ptr[i64], c: i64) -> None:
    """Write a code point."""
    if has_room(w, 1):
        pointer(w[BUFFER], i32)[w[LENGTH]] = i32(c)
        w[LENGTH] = w[LENGTH] + 1


def put_word(w: Ptr[i64], letters: i64) -> None:
    """Write what `word` gave."""
    left = letters
    while left != 0:
        put_char(w, left & 255)
        left = left >> 8


def put_letters(w: Ptr[i64], letters: Ptr[u8], count: i64) -> None:
    """Write ASCII characters."""
    for k in range(count):
        put_char(w, i64(letters[k]))


def put_utf8(w: Ptr[i64], text: Ptr[u8]) -> None:
    """Write a text that ends in a NUL."""
    at = i64(0)
    while text[at] != 0:
        c = i64(text[at])
        more = i64(0)
        if c >= 0xF0:
            c = c & 7
            more = i64(3)
        elif c >= 0xE0:
            c = c & 15
            more = i64(2)
        elif c >= 0xC0:
            c = c & 31
            more = i64(1)
        at = at + 1
        for _ in range(more):
            c = (c << 6) | (i64(text[at]) & 63)
            at = at + 1
        put_char(w, c)


def last_name(text: Ptr[u8]) -> Ptr[u8]:
    """What stands behind the last point of a name."""
    found = text
    at = i64(0)
    while text[at] != 0:
        if text[at] == 46:
            found = text + (at + 1)
        at = at + 1
    return found


# ---- values


def put_float(w: Ptr[i64], x: f64) -> None:
    """Write a float."""
    letters = stack(32, u8)
    put_letters(w, letters, write_float_repr(letters, x))


def put_int(w: Ptr[i64], n: i64) -> None:
    """Write an int."""
    letters = stack(32, u8)
    put_letters(w, letters, write_int(letters, n))


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


def put_dtype(w: Ptr[i64], info: Ptr[TypeInfo], code: i64) -> None:
    """Write a dtype."""
    put_word(w, TSCRIPT)
    put_word(w, POINT)
    put_utf8(w, pointer_cast(info.names[code], u8))


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
        put_word(w, OPEN_ANGLE)
        put_word(w, TENSOR)
        put_word(w, CLOSE_ANGLE)
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


def begin_writer(w: Ptr[i64]) -> None:
    """Make four cells a writer."""
    w[BUFFER] = 0
    w[ROOM] = 0
    w[LENGTH] = 0
    w[FAILED] = 0


def repr_value(info: Ptr[TypeInfo], cells: Ptr[i64]) -> Ptr[Str]:
    """``repr(value)``. Raises RecursionError for values that are nested too deeply, MemoryError."""
    w = stack(4, i64)
    begin_writer(w)
    put_value(w, info, cells, pointer(0, i64))
    return written(w)


def written(w: Ptr[i64]) -> Ptr[Str]:
    """What a writer has written; it gives back its buffer. Raises RecursionError, MemoryError."""
    out = pointer(0, Str)
    buffer = pointer(w[BUFFER], i32)
    length = w[LENGTH]
    if w[FAILED] == 0:
        bits = i64(0)
        for k in range(length):
            bits = bits | i64(buffer[k])
        width = width_for(bits)
        out = str_try_new(length, width, bits <= LAST_ASCII)
        if address(out) != 0:
            copy_chars(data_of(out), width, 0, pointer_cast(buffer, u8), 4, length)
    if w[ROOM] != 0:
        heap_free(pointer_cast(buffer, Void), w[ROOM] * 4)
    if w[FAILED] == TOO_DEEP:
        raise RecursionError("maximum recursion depth exceeded while getting the repr of an object")
    if address(out) == 0:
        refuse(length * 4)
    return out
