"""Tier 3: `repr` of tensors, letter by letter what `tscript.definitions.tensor_printing` writes: four digits, one
width for all elements, long tensors summarised."""

from __future__ import annotations

from tscript.abi.printing import DEFAULT_DTYPE, EDGE_ITEMS, LINE_WIDTH, PRECISION, SCI_MODE, SYMBOL, THRESHOLD
from tscript.dialect import (
    Ptr,
    Str,
    TensorImpl,
    TypeInfo,
    Void,
    b8,
    bitcast,
    f64,
    i32,
    i64,
    pointer,
    pointer_cast,
    select,
    stack,
    symbol,
    u8,
    u64,
)
from tscript.runtime.kernels import codes
from tscript.runtime.kernels.digits import write_int
from tscript.runtime.kernels.exact import LETTER_E, LETTER_F, float_text
from tscript.runtime.kernels.format_complex import complex_format, complex_repr
from tscript.runtime.kernels.format_float import ascii_string, float_format, float_repr
from tscript.runtime.kernels.format_int import bool_format, bool_repr, int_format, int_repr
from tscript.runtime.kernels.format_spec import SPEC_FIELDS
from tscript.runtime.kernels.format_str import pad_string, string_spec
from tscript.runtime.kernels.memory import heap_free
from tscript.runtime.kernels.scalars import check_one_element, load_float, load_int
from tscript.runtime.kernels.strings_list import string_release
from tscript.runtime.kernels.tensor import is_complex, is_floating, itemsize_of, part_of, sizes_of, strides_of
from tscript.runtime.kernels.writer import (
    BUFFER,
    FAILED,
    LENGTH,
    ROOM,
    begin_writer,
    put_char,
    put_dtype,
    put_int,
    put_letters,
    put_word,
    word,
    written,
)

TENSOR = word("tensor(")
EMPTY = word("[]")
CLOSE = word(")")
COMMA = word(", ")
LIST_COMMA = word(",")
OPEN_SQUARE = word("[")
CLOSE_SQUARE = word("]")
OPEN_ROUND = word("(")
DOTS = word("...")
SIZE = word("size=")
DTYPE = word("dtype=")
TRUE = word("True")
FALSE = word("False")
SPACE = ord(" ")
NEWLINE = ord("\n")
POINT = ord(".")
MINUS = ord("-")
PREFIX = 7
"""The length of ``tensor(``."""

SPECIAL = 0x7FF0000000000000
NO_SIGN = 0x7FFFFFFFFFFFFFFF
WHOLE_FROM = 4503599627370496.0
"""From here on (2 ** 52) every float is an integer."""

NUMBER = 512
"""Room for one number."""

FLOATING = 0
WHOLE = 1
SCIENTIFIC = 2
WIDTH = 3
SUMMARISED = 4
LARGEST = 5
SMALLEST = 6
"""How the elements of a tensor are written. The last two are bits of floats: the magnitudes of the finite elements that
are not 0, while they are looked for; SMALLEST is 0 when there is none."""
PARTS = 7
"""1 for complex numbers: the cells of their imaginary parts follow those of the real ones."""
CELLS = 8
PLUS = ord("+")
LETTER_J = ord("j")


def option(cell: i64) -> i64:
    """An option of the process for printing: see `tscript.abi.printing`."""
    return symbol(SYMBOL, i64)[cell]


def write_wide(out: Ptr[u8], value: u64) -> i64:
    """Write an element of uint64, which may be beyond an int, and give its length."""
    n = i64(0)
    if value >= u64(10):
        n = write_int(out, i64(value // u64(10)))
    out[n] = u8(48) + u8(value % u64(10))
    return n + 1


def write_number(out: Ptr[u8], p: Ptr[u8], code: i64, how: Ptr[i64]) -> i64:
    """Write the element at `p` without padding; its length."""
    if code == codes.BOOL:
        letters = i64(FALSE)
        if load_int(p, i32(code)) != 0:
            letters = i64(TRUE)
        count = i64(0)
        while letters != 0:
            out[count] = u8(letters & 255)
            letters = letters >> 8
            count = count + 1
        return count
    if how[FLOATING] == 0:
        if code == codes.UINT64:
            return write_wide(out, pointer_cast(p, u64)[0])
        return write_int(out, load_int(p, i32(code)))
    bits = bitcast(load_float(p, i32(code)), i64)
    magnitude = bits & NO_SIGN
    start = i64(0)
    if bits < 0 and magnitude <= SPECIAL:  # a NaN is shown without its sign
        out[0] = u8(MINUS)
        start = i64(1)
    if how[SCIENTIFIC] != 0:
        count, _ = float_text(out + start, magnitude, LETTER_E, option(PRECISION), 0, 0)
        return start + count
    if how[WHOLE] == 0:
        count, _ = float_text(out + start, magnitude, LETTER_F, option(PRECISION), 0, 0)
        return start + count
    count, _ = float_text(out + start, magnitude, LETTER_F, 0, 0, 0)
    count = start + count
    if magnitude < SPECIAL:
        out[count] = u8(POINT)
        count = count + 1
    return count


def note_float(x: f64, how: Ptr[i64]) -> None:
    """Take a float into account for the form of all."""
    magnitude = bitcast(x, i64) & NO_SIGN
    if magnitude == 0 or magnitude >= SPECIAL:
        return
    if how[SMALLEST] == 0 or magnitude < how[SMALLEST]:
        how[SMALLEST] = magnitude
    if magnitude > how[LARGEST]:
        how[LARGEST] = magnitude
    value = bitcast(magnitude, f64)
    if value < WHOLE_FROM and f64(i64(value)) != value:
        how[WHOLE] = 0


def note_width(p: Ptr[u8], code: i64, how: Ptr[i64]) -> None:
    """Make the width at least that of the element at `p`; that of a float only when it is finite and not 0."""
    if how[FLOATING] != 0:
        magnitude = bitcast(load_float(p, i32(code)), i64) & NO_SIGN
        if magnitude == 0 or magnitude >= SPECIAL:
            return
    letters = stack(NUMBER, u8)
    count = write_number(letters, p, code, how)
    if count > how[WIDTH]:
        how[WIDTH] = count


def skips(how: Ptr[i64], size: i64) -> b8:
    """Whether a dimension of this size is shown by its ends."""
    return how[SUMMARISED] != 0 and size > 2 * option(EDGE_ITEMS)


def look(t: Ptr[TensorImpl], dim: i64, p: Ptr[u8], how: Ptr[i64], widths: b8) -> None:
    """Go over the elements that are shown, from dimension `dim` on; `widths`: for their widths, else for their form."""
    code = t.dtype
    if how[PARTS] != 0:
        code = part_of(code)
    if dim == i64(t.ndim):
        for k in range(how[PARTS] + 1):
            part = p + k * itemsize_of(code)
            if widths:
                note_width(part, i64(code), how + k * CELLS)
            elif how[FLOATING] != 0:
                note_float(load_float(part, code), how + k * CELLS)
        return
    size = sizes_of(t)[dim]
    step = strides_of(t)[dim] * itemsize_of(t.dtype)
    edge = option(EDGE_ITEMS)
    for k in range(size):
        if not skips(how, size) or k < edge or k >= size - edge:
            look(t, dim + 1, p + k * step, how, widths)


def put_padded(w: Ptr[i64], p: Ptr[u8], code: i64, how: Ptr[i64]) -> None:
    """Write an element to the right of the common width."""
    letters = stack(NUMBER, u8)
    own = i32(code)
    if how[PARTS] != 0:
        own = part_of(own)
    count = write_number(letters, p, i64(own), how)
    for _ in range(how[WIDTH] - count):
        put_char(w, SPACE)
    put_letters(w, letters, count)
    if how[PARTS] != 0:
        count = write_number(letters, p + itemsize_of(own), i64(own), how + CELLS)
        if letters[0] != MINUS:
            put_char(w, PLUS)
        put_letters(w, letters, count)
        put_char(w, LETTER_J)


def put_newline(w: Ptr[i64], lines: i64, indent: i64) -> None:
    """Write newlines and an indentation."""
    for _ in range(lines):
        put_char(w, NEWLINE)
    for _ in range(indent):
        put_char(w, SPACE)


def put_row(w: Ptr[i64], t: Ptr[TensorImpl], p: Ptr[u8], how: Ptr[i64], indent: i64) -> None:
    """Write the last dimension, in lines."""
    last = i64(t.ndim) - 1
    size = sizes_of(t)[last]
    step = strides_of(t)[last] * itemsize_of(t.dtype)
    edge = option(EDGE_ITEMS)
    width = how[WIDTH] + 2
    if how[PARTS] != 0:
        width = width + how[CELLS + WIDTH] + 1
    per_line = (option(LINE_WIDTH) - indent) // width
    if per_line < 1:
        per_line = i64(1)
    put_word(w, OPEN_SQUARE)
    shown = size
    if skips(how, size):
        shown = i64(2 * edge + 1)
    for k in range(shown):
        if k > 0:
            if k % per_line == 0:
                put_word(w, LIST_COMMA)
                put_newline(w, 1, indent + 1)
            else:
                put_word(w, COMMA)
        if not skips(how, size) or k < edge:
            put_padded(w, p + k * step, i64(t.dtype), how)
        elif k == edge:
            if edge > 0:
                put_char(w, SPACE)
            put_word(w, DOTS)
        else:
            put_padded(w, p + (size - shown + k) * step, i64(t.dtype), how)
    put_word(w, CLOSE_SQUARE)


def put_elements(w: Ptr[i64], t: Ptr[TensorImpl], dim: i64, p: Ptr[u8], how: Ptr[i64], indent: i64) -> None:
    """Write the elements from dimension `dim` on."""
    left = i64(t.ndim) - dim
    if left == 0:
        put_padded(w, p, i64(t.dtype), how)
        return
    if left == 1:
        put_row(w, t, p, how, indent)
        return
    size = sizes_of(t)[dim]
    step = strides_of(t)[dim] * itemsize_of(t.dtype)
    edge = option(EDGE_ITEMS)
    first = True
    put_word(w, OPEN_SQUARE)
    for k in range(size):
        if w[FAILED] != 0:
            return
        inside = skips(how, size) and k >= edge and k < size - edge
        if not inside or k == edge:
            if not first:
                put_word(w, LIST_COMMA)
                put_newline(w, left - 1, indent + 1)
            first = False
            if inside:
                put_word(w, DOTS)
            else:
                put_elements(w, t, dim + 1, p + k * step, how, indent + 1)
    put_word(w, CLOSE_SQUARE)


def last_line(w: Ptr[i64], start: i64) -> i64:
    """The length of the last line from `start` on, and 1 for its newline; with 2 when there is none, as it is
    counted."""
    if w[FAILED] != 0:
        return 0
    buffer = pointer(w[BUFFER], i32)
    at = w[LENGTH]
    while at > start and buffer[at - 1] != NEWLINE:
        at = at - 1
    if at == start:
        return w[LENGTH] - start + 2
    return w[LENGTH] - at + 2


def put_suffix(w: Ptr[i64], suffix: Ptr[i64], line: i64) -> i64:
    """Write the content of another writer after the elements, on a line of its own if it is too long; returns the
    length of the line."""
    count = suffix[LENGTH]
    put_word(w, LIST_COMMA)
    length = line + count + 2
    if line + count + 2 > option(LINE_WIDTH):
        put_newline(w, 1, PREFIX)
        length = PREFIX + count
    else:
        put_char(w, SPACE)
    if suffix[FAILED] != 0:
        w[FAILED] = suffix[FAILED]
    else:
        letters = pointer(suffix[BUFFER], i32)
        for k in range(count):
            put_char(w, i64(letters[k]))
    if suffix[ROOM] != 0:
        heap_free(pointer(suffix[BUFFER], Void), suffix[ROOM] * 4)
    begin_writer(suffix)
    return length


def put_size(w: Ptr[i64], count: i64, sizes: Ptr[i64]) -> None:
    """Write sizes as a tuple."""
    put_word(w, OPEN_ROUND)
    for k in range(count):
        if k > 0:
            put_word(w, COMMA)
        put_int(w, sizes[k])
    if count == 1:
        put_word(w, LIST_COMMA)
    put_word(w, CLOSE)


def is_far(how: Ptr[i64]) -> b8:
    """Whether floats so far apart, or so large or small, are written with exponents."""
    if how[SMALLEST] == 0:
        return False
    mode = option(SCI_MODE)
    if mode >= 0:
        return mode == 1
    largest = bitcast(how[LARGEST], f64)
    smallest = bitcast(how[SMALLEST], f64)
    if largest / smallest > 1000.0 or largest > 1.0e8:
        return True
    return how[WHOLE] == 0 and smallest < 1.0e-4


def put_tensor(w: Ptr[i64], t: Ptr[TensorImpl]) -> None:
    """Write the string form of a tensor."""
    start = w[LENGTH]
    code = t.dtype
    put_word(w, TENSOR)
    suffix = stack(4, i64)
    begin_writer(suffix)
    line = i64(0)
    default = i32(option(DEFAULT_DTYPE))
    plain = code == default
    if t.numel == 0:
        put_word(w, EMPTY)
        line = last_line(w, start)
        if t.ndim != 1:
            put_word(suffix, SIZE)
            put_size(suffix, i64(t.ndim), sizes_of(t))
            line = put_suffix(w, suffix, line)
    else:
        plain = plain or code == codes.INT64 or code == codes.BOOL
        numbers = select(default == codes.FLOAT64, i32(codes.COMPLEX128), i32(codes.COMPLEX64))
        plain = plain or code == numbers
        how = stack(2 * CELLS, i64)
        for k in range(2):
            part = how + k * CELLS
            part[FLOATING] = i64(is_floating(code) or is_complex(code))
            part[WHOLE] = 1
            part[SCIENTIFIC] = 0
            part[WIDTH] = 1
            part[SUMMARISED] = i64(t.numel > option(THRESHOLD))
            part[LARGEST] = 0
            part[SMALLEST] = 0
            part[PARTS] = 0
        how[PARTS] = i64(is_complex(code))
        look(t, 0, t.data, how, False)
        for k in range(2):
            if is_far(how + k * CELLS):
                how[k * CELLS + SCIENTIFIC] = 1
        look(t, 0, t.data, how, True)
        put_elements(w, t, 0, t.data, how, PREFIX)
        line = last_line(w, start)
        if option(EDGE_ITEMS) == 0:
            put_word(suffix, SIZE)
            put_size(suffix, i64(t.ndim), sizes_of(t))
            line = put_suffix(w, suffix, line)
    if not plain:
        put_word(suffix, DTYPE)
        put_dtype(suffix, symbol("ts_type:dtype_v1", TypeInfo), i64(code))
        line = put_suffix(w, suffix, line)
    put_word(w, CLOSE)


def tensor_repr(self: Ptr[TensorImpl]) -> Ptr[Str]:
    """``repr(x)``. Raises MemoryError."""
    w = stack(4, i64)
    begin_writer(w)
    put_tensor(w, self)
    return written(w)


def size_repr(self: Ptr[TensorImpl]) -> Ptr[Str]:
    """``repr(shape)``. Raises MemoryError."""
    w = stack(4, i64)
    begin_writer(w)
    put_size(w, self.numel, pointer_cast(self.data, i64))
    return written(w)


def parts_of(self: Ptr[TensorImpl], to: Ptr[f64]) -> Ptr[f64]:
    """The parts of the first element, a complex number, as floats."""
    code = part_of(self.dtype)
    to[0] = load_float(self.data, code)
    to[1] = load_float(self.data + itemsize_of(code), code)
    return to


def item_repr(self: Ptr[TensorImpl]) -> Ptr[Str]:
    """``repr(x.item())``. Raises RuntimeError unless there is one element, MemoryError."""
    check_one_element(self)
    if is_floating(self.dtype):
        return float_repr(load_float(self.data, self.dtype))
    if is_complex(self.dtype):
        parts = stack(2, f64)
        return complex_repr(parts_of(self, parts))
    if self.dtype == codes.UINT64:
        letters = stack(NUMBER, u8)
        return ascii_string(letters, write_wide(letters, pointer_cast(self.data, u64)[0]))
    if self.dtype == codes.BOOL:
        return bool_repr(load_int(self.data, self.dtype) != 0)
    return int_repr(load_int(self.data, self.dtype))


def tensor_format(self: Ptr[TensorImpl], spec: Ptr[Str]) -> Ptr[Str]:
    """``format(x, spec)``: of a tensor without dimensions its element, of others their string form. Raises as `format`
    does."""
    if spec.length != 0 and self.ndim == 0:
        if is_floating(self.dtype):
            return float_format(load_float(self.data, self.dtype), spec)
        if is_complex(self.dtype):
            parts = stack(2, f64)
            return complex_format(parts_of(self, parts), spec)
        if self.dtype == codes.BOOL:
            return bool_format(load_int(self.data, self.dtype) != 0, spec)
        return int_format(load_int(self.data, self.dtype), spec)
    if spec.length == 0:
        return tensor_repr(self)
    fields = stack(SPEC_FIELDS, i64)
    string_spec(spec, fields)
    text = tensor_repr(self)
    out = pad_string(text, fields)
    string_release(text)
    return out
