"""Tier 2: `format` of ints, floats, complex numbers and strings, and the ``%`` operator's pieces.

A number is formatted as in CPython: padding, sign, prefix, padding, grouped digits, the rest, padding. The digits
between the paddings are written as bytes of ASCII first (`digits`, followed by `rest`).
"""

# ruff: noqa: SIM109 - the dialect has no `in`
from __future__ import annotations

from tscript.dialect import Ptr, Str, T, address, b8, bitcast, copysign, f64, i16, i32, i64, pointer_cast, stack, u8
from tscript.runtime.kernels import exact
from tscript.runtime.kernels.digits import MIN_INT, count_digits, write_digits, write_float, write_int
from tscript.runtime.kernels.exact import float_text
from tscript.runtime.kernels.format_spec import (
    ALIGN,
    ALTERNATE_FORM,
    CAPITAL,
    CARET,
    EQUAL,
    FILL,
    FRACTION,
    GREATER,
    GROUPING,
    LETTER_B,
    LETTER_C,
    LETTER_D,
    LETTER_E,
    LETTER_F,
    LETTER_G,
    LETTER_N,
    LETTER_O,
    LETTER_S,
    LETTER_X,
    LETTER_X_CAPITAL,
    MINUS,
    NO_NEGATIVE_ZERO,
    OF_BOOL,
    OF_COMPLEX,
    OF_FLOAT,
    OF_INT,
    OF_STR,
    PERCENT,
    PLUS,
    PRECISION,
    SIGN,
    SPACE,
    SPEC_FIELDS,
    TYPE,
    WIDTH,
    ZERO,
    parse_spec,
    plain_spec,
    refuse_type,
)
from tscript.runtime.kernels.memory import count_up, heap_allocate, heap_free
from tscript.runtime.kernels.strings import WORD, char_at, checked, data_of, store, str_new, str_try_new, width_for

LETTER_R = 114
LETTER_J = 106
OPEN = 40
CLOSE = 41
LAST = 0x10FFFF
LOW_63 = 0x7FFFFFFFFFFFFFFF
MOST_INT = 2147483647
ALTERNATE = exact.ALTERNATE
WITH_FRACTION = exact.WITH_FRACTION

TRUE = int.from_bytes(b"True", "little")
FALSE = int.from_bytes(b"False", "little")
NONE = int.from_bytes(b"None", "little")

ROOM = 1024
"""Bytes on the stack for a number; longer ones get a block of the heap."""
BESIDES = 416
"""Bytes that a float may need besides its precision."""

PREFIX = 0
DIGITS = 1
REST = 2
CODE_POINT = 3
"""The code point that replaces the rest, or -1."""
NEGATIVE = 4
PARTS = 5
"""A number that is to be laid out: ints by these numbers."""


def room(text: Ptr[u8], nbytes: i64) -> Ptr[u8]:
    """`text`, which is on the stack, when `nbytes` fit there, else a block of the heap."""
    if nbytes <= ROOM:
        return text
    return pointer_cast(heap_allocate(nbytes), u8)


def give_room_back(text: Ptr[u8], nbytes: i64) -> None:
    """Free what `room` gave."""
    if nbytes > ROOM:
        heap_free(text, nbytes)


def sign_of(spec: Ptr[i64], negative: b8) -> i64:
    """The sign to write, or 0."""
    if negative:
        return MINUS
    if spec[SIGN] == PLUS or spec[SIGN] == SPACE:
        return spec[SIGN]
    return 0


def group_size(spec: Ptr[i64]) -> i64:
    """Digits of a group, 0 without groups."""
    if spec[GROUPING] == 0:
        return 0
    type = spec[TYPE]
    if type == LETTER_B or type == LETTER_O or type == LETTER_X or type == LETTER_X_CAPITAL:
        return 4
    return 3


def grouped_length(n: i64, least: i64, group: i64) -> i64:
    """The length of `n` digits in groups, with zeros in front so that it is at least `least`."""
    if group == 0:
        if n > least:
            return n
        return least
    if least > 0:
        if n < least - least // (group + 1):
            n = least - least // (group + 1)
        if n + (n - 1) // group < least:
            # A separator would come first.
            n = n + 1
    return n + (n - 1) // group


def put_grouped(out: Ptr[T], length: i64, digits: Ptr[u8], n: i64, group: i64, separator: i64) -> None:
    """Write `n` digits in groups, zeros in front, `length` in all."""
    at = length - 1
    since = i64(0)
    while at >= 0:
        if group != 0 and since == group:
            out[at] = T(separator)
            since = i64(0)
        elif n > 0:
            n = n - 1
            since = since + 1
            out[at] = T(digits[n])
        else:
            since = since + 1
            out[at] = T(ZERO)
        at = at - 1


def put(out: Ptr[T], at: i64, c: i64, n: i64) -> i64:
    """Write a code point `n` times; returns the position after it."""
    for i in range(n):
        out[at + i] = T(c)
    if n > 0:
        return at + n
    return at


def put_number(out: Ptr[T], spec: Ptr[i64], parts: Ptr[i64], body: Ptr[u8], grouped: i64, padding: i64) -> None:
    """Write a number and `padding` code points around or in it."""
    at = i64(0)
    align = spec[ALIGN]
    left = i64(0)
    if align == GREATER:
        left = padding
    elif align == CARET:
        left = padding // 2
    at = put(out, at, spec[FILL], left)
    sign = sign_of(spec, parts[NEGATIVE] != 0)
    if sign != 0:
        at = put(out, at, sign, 1)
    if parts[PREFIX] != 0:
        at = put(out, at, ZERO, 1)
        at = put(out, at, parts[PREFIX], 1)
    if align == EQUAL:
        left = padding
        at = put(out, at, spec[FILL], padding)
    n = parts[DIGITS]
    if grouped != 0:
        put_grouped(out + at, grouped, body, n, group_size(spec), spec[GROUPING])
        at = at + grouped
    if parts[CODE_POINT] >= 0:
        at = put(out, at, parts[CODE_POINT], 1)
    else:
        for i in range(parts[REST]):
            out[at + i] = T(body[n + i])
        at = at + parts[REST]
    put(out, at, spec[FILL], padding - left)


def lay_out(spec: Ptr[i64], parts: Ptr[i64], body: Ptr[u8]) -> Ptr[Str]:
    """A number as its spec wants it; null when there is no memory left."""
    besides = parts[REST]
    if sign_of(spec, parts[NEGATIVE] != 0) != 0:
        besides = besides + 1
    if parts[PREFIX] != 0:
        besides = besides + 2
    width = spec[WIDTH]
    least = i64(0)
    if spec[FILL] == ZERO and spec[ALIGN] == EQUAL:
        least = width - besides
    grouped = i64(0)
    if parts[DIGITS] != 0:
        grouped = grouped_length(parts[DIGITS], least, group_size(spec))
    length = besides + grouped
    padding = width - length
    highest = parts[CODE_POINT]
    if padding > 0:
        length = width
        if spec[FILL] > highest:
            highest = spec[FILL]
    else:
        padding = i64(0)
    out = str_try_new(length, width_for(highest), highest < 128)
    if address(out) == 0:
        return out
    chars = data_of(out)
    if out.width == 1:
        put_number(chars, spec, parts, body, grouped, padding)
    elif out.width == 2:
        put_number(pointer_cast(chars, i16), spec, parts, body, grouped, padding)
    else:
        put_number(pointer_cast(chars, i32), spec, parts, body, grouped, padding)
    return out


def laid_out(spec: Ptr[i64], parts: Ptr[i64], body: Ptr[u8], nbytes: i64) -> Ptr[Str]:
    """A number as its spec wants it; frees the `room` of the body. Raises MemoryError."""
    out = lay_out(spec, parts, body)
    give_room_back(body, nbytes)
    return checked(out, spec[WIDTH], 4)


# ---- ints


def int_digits(out: Ptr[u8], value: i64, type: i64) -> i64:
    """Write the digits of an int without sign in the base of a presentation; gives how many."""
    if type == LETTER_B:
        return bit_digits(out, value, 1, 0)
    if type == LETTER_O:
        return bit_digits(out, value, 3, 0)
    if type == LETTER_X:
        return bit_digits(out, value, 4, 39)
    if type == LETTER_X_CAPITAL:
        return bit_digits(out, value, 4, 7)
    if value < 0:
        n = write_int(out, value) - 1
        for i in range(n):
            out[i] = out[i + 1]
        return n
    return write_int(out, value)


def bit_digits(out: Ptr[u8], value: i64, bits: i64, letters: i64) -> i64:
    """Write the magnitude of an int in base 2^bits; `letters` is what digits from 10 on have more than ``0`` and 10."""
    if value < 0:
        value = i64(-value)
    n = i64(1)
    rest = (value >> bits) & (LOW_63 >> (bits - 1))
    while rest != 0:
        rest = rest >> bits
        n = n + 1
    at = n - 1
    while at >= 0:
        digit = value & ((i64(1) << bits) - 1)
        value = (value >> bits) & (LOW_63 >> (bits - 1))
        if digit > 9:
            digit = digit + letters
        out[at] = u8(digit + ZERO)
        at = at - 1
    return n


def format_as_int(value: i64, spec: Ptr[i64], kind: i64) -> Ptr[Str]:
    """An int or a bool with a spec that has been read."""
    type = spec[TYPE]
    if is_float_type(type):
        return format_as_float(f64(value), spec)
    lower = type | CAPITAL
    if type != LETTER_D and type != LETTER_N and type != LETTER_B and type != LETTER_C and type != LETTER_O:
        if lower != LETTER_X:
            refuse_type(type, kind)
    if spec[PRECISION] >= 0:
        raise ValueError("Precision not allowed in integer format specifier")
    if spec[NO_NEGATIVE_ZERO] != 0:
        raise ValueError("Negative zero coercion (z) not allowed in integer format specifier")
    body = stack(72, u8)
    parts = stack(PARTS, i64)
    parts[PREFIX] = 0
    parts[DIGITS] = 0
    parts[REST] = 0
    parts[CODE_POINT] = -1
    parts[NEGATIVE] = 0
    if type == LETTER_C:
        if spec[SIGN] != 0:
            raise ValueError("Sign not allowed with integer format specifier 'c'")
        if spec[ALTERNATE_FORM] != 0:
            raise ValueError("Alternate form (#) not allowed with integer format specifier 'c'")
        check_code_point(value)
        parts[REST] = 1
        parts[CODE_POINT] = value
    else:
        if spec[ALTERNATE_FORM] != 0 and type != LETTER_D and type != LETTER_N:
            parts[PREFIX] = type
        parts[DIGITS] = int_digits(body, value, type)
        if value < 0:
            parts[NEGATIVE] = 1
    return laid_out(spec, parts, body, 0)


def check_code_point(value: i64) -> None:
    """Raise OverflowError for what is no code point."""
    if value < 0 or value > LAST:
        raise OverflowError("%c arg not in range(0x110000)")


def int_repr(self: i64) -> Ptr[Str]:
    """``str(self)``."""
    if self == MIN_INT:
        out = str_new(20, 1, True)
        write_int(data_of(out), self)
        return out
    sign = i64(0)
    if self < 0:
        sign = i64(1)
        self = -self
    n = count_digits(self)
    out = str_new(n + sign, 1, True)
    chars = data_of(out)
    chars[0] = u8(MINUS)
    write_digits(chars + sign, self, n)
    return out


def in_base(value: i64, type: i64) -> Ptr[Str]:
    """``hex``, ``oct`` and ``bin``."""
    spec = stack(SPEC_FIELDS, i64)
    plain_spec(spec)
    spec[TYPE] = type
    spec[ALTERNATE_FORM] = 1
    return format_as_int(value, spec, OF_INT)


def int_hex(self: i64) -> Ptr[Str]:
    """``hex(self)``."""
    return in_base(self, LETTER_X)


def int_oct(self: i64) -> Ptr[Str]:
    """``oct(self)``."""
    return in_base(self, LETTER_O)


def int_bin(self: i64) -> Ptr[Str]:
    """``bin(self)``."""
    return in_base(self, LETTER_B)


def int_format(self: i64, spec: Ptr[Str]) -> Ptr[Str]:
    """``format(self, spec)``."""
    if spec.length == 0:
        return int_repr(self)
    found = stack(SPEC_FIELDS, i64)
    parse_spec(spec, found, OF_INT)
    return format_as_int(self, found, OF_INT)


def bool_repr(self: b8) -> Ptr[Str]:
    """``str(self)``."""
    n = i64(5)
    if self:
        n = i64(4)
    out = str_new(n, 1, True)
    word = data_of(out)
    if self:
        put_letters(word, TRUE, 4)
    else:
        put_letters(word, FALSE, 5)
    return out


def put_letters(out: Ptr[u8], letters: i64, n: i64) -> None:
    """Write up to eight letters, the first one in the lowest byte."""
    for i in range(n):
        out[i] = u8((letters >> (8 * i)) & 255)


def none_repr() -> Ptr[Str]:
    """``str(None)``."""
    out = str_new(4, 1, True)
    put_letters(data_of(out), NONE, 4)
    return out


def bool_format(self: b8, spec: Ptr[Str]) -> Ptr[Str]:
    """``format(self, spec)``."""
    if spec.length == 0:
        return bool_repr(self)
    found = stack(SPEC_FIELDS, i64)
    parse_spec(spec, found, OF_BOOL)
    return format_as_int(i64(self), found, OF_BOOL)


# ---- floats


def is_float_type(type: i64) -> b8:
    """Whether a presentation is one of a float's own."""
    lower = type | CAPITAL
    return lower == LETTER_E or lower == LETTER_F or lower == LETTER_G or type == PERCENT


def format_float(out: Ptr[u8], value: f64, spec: Ptr[i64], parts: Ptr[i64]) -> i64:
    """Write a float without its sign and say in `parts` what there is; gives the length. `PRECISION` must be there."""
    type = spec[TYPE]
    code = type | CAPITAL
    flags = i64(0)
    upper = i64(0)
    if type == 0 or type == LETTER_R:
        code = i64(LETTER_R)
        if type == 0:
            code = i64(LETTER_G)
        if spec[FRACTION] != 0:
            flags = i64(WITH_FRACTION)
    elif type == LETTER_N:
        code = i64(LETTER_G)
    elif type == PERCENT:
        code = i64(LETTER_F)
        value = value * 100.0
    elif type < 97:
        upper = i64(CAPITAL)
    if spec[ALTERNATE_FORM] != 0:
        flags = flags | ALTERNATE
    bits = i64(bitcast(value, i64))
    length, zero = float_text(out, bits, code, spec[PRECISION], flags, upper)
    n = i64(0)
    while n < length and out[n] >= ZERO and out[n] <= ZERO + 9:
        n = n + 1
    if type == PERCENT:
        out[length] = u8(PERCENT)
        length = length + 1
    parts[PREFIX] = 0
    parts[DIGITS] = n
    parts[REST] = length - n
    parts[CODE_POINT] = -1
    parts[NEGATIVE] = 0
    if bits < 0 and not (zero and spec[NO_NEGATIVE_ZERO] != 0) and value == value:
        parts[NEGATIVE] = 1
    return length


def default_precision(spec: Ptr[i64]) -> None:
    """Set the precision of a float's spec that gives none, and the presentation that this means."""
    if spec[PRECISION] > MOST_INT:
        raise ValueError("precision too big")
    if spec[PRECISION] < 0:
        spec[PRECISION] = 6
        if spec[TYPE] == 0:
            spec[PRECISION] = 0
            spec[TYPE] = LETTER_R


def format_as_float(value: f64, spec: Ptr[i64]) -> Ptr[Str]:
    """A float with a spec that has been read."""
    default_precision(spec)
    parts = stack(PARTS, i64)
    nbytes = spec[PRECISION] + BESIDES
    body = room(stack(ROOM, u8), nbytes)
    format_float(body, value, spec, parts)
    return laid_out(spec, parts, body, nbytes)


def float_format(self: f64, spec: Ptr[Str]) -> Ptr[Str]:
    """``format(self, spec)``."""
    if spec.length == 0:
        return float_repr(self)
    found = stack(SPEC_FIELDS, i64)
    parse_spec(spec, found, OF_FLOAT)
    type = found[TYPE]
    if type != 0 and type != LETTER_N and not is_float_type(type):
        refuse_type(type, OF_FLOAT)
    return format_as_float(self, found)


def float_repr(self: f64) -> Ptr[Str]:
    """``repr(self)``."""
    text = stack(32, u8)
    return ascii_string(text, write_float(text, self, 1))


def ascii_string(text: Ptr[u8], n: i64) -> Ptr[Str]:
    """A str of `n` letters of ASCII."""
    out = str_new(n, 1, True)
    chars = data_of(out)
    if n <= WORD - 1:
        # The smallest block has room for this many: three moves instead of one for each letter.
        words = pointer_cast(chars, i64)
        source = pointer_cast(text, i64)
        for i in range(WORD // 8):
            words[i] = source[i]
        chars[n] = 0
    else:
        for i in range(n):
            chars[i] = text[i]
    return out


# ---- complex numbers


def put_part(out: Ptr[u8], spec: Ptr[i64], parts: Ptr[i64], body: Ptr[u8]) -> i64:
    """Write one part of a complex number, with its sign but no padding; gives the length."""
    at = i64(0)
    sign = sign_of(spec, parts[NEGATIVE] != 0)
    if sign != 0:
        out[0] = u8(sign)
        at = i64(1)
    n = parts[DIGITS]
    if n != 0:
        grouped = grouped_length(n, 0, group_size(spec))
        put_grouped(out + at, grouped, body, n, group_size(spec), spec[GROUPING])
        at = at + grouped
    for i in range(parts[REST]):
        out[at + i] = body[n + i]
    return at + parts[REST]


def format_as_complex(real: f64, imaginary: f64, spec: Ptr[i64]) -> Ptr[Str]:
    """A complex number with a spec that has been read."""
    bare = spec[TYPE] == 0
    default_precision(spec)
    if spec[FILL] == ZERO:
        raise ValueError("Zero padding is not allowed in complex format specifier")
    if spec[ALIGN] == EQUAL:
        raise ValueError("'=' alignment flag is not allowed in complex format specifier")
    parts = stack(PARTS, i64)
    # Each part with its groups takes at most four thirds of its digits; both, and what they are made from.
    piece = spec[PRECISION] + 2 * BESIDES
    nbytes = 3 * piece
    body = room(stack(ROOM, u8), nbytes)
    scratch = body + 2 * piece
    at = i64(0)
    parens = False
    if not (bare and real == 0.0 and copysign(1.0, real) == 1.0):
        if bare:
            parens = True
            body[0] = u8(OPEN)
            at = i64(1)
        format_float(scratch, real, spec, parts)
        at = at + put_part(body + at, spec, parts, scratch)
        spec[SIGN] = PLUS
    format_float(scratch, imaginary, spec, parts)
    at = at + put_part(body + at, spec, parts, scratch)
    body[at] = u8(LETTER_J)
    at = at + 1
    if parens:
        body[at] = u8(CLOSE)
        at = at + 1
    parts[DIGITS] = 0
    parts[REST] = at
    parts[NEGATIVE] = 0
    spec[SIGN] = 0
    return laid_out(spec, parts, body, nbytes)


def complex_format(self: Ptr[f64], spec: Ptr[Str]) -> Ptr[Str]:
    """``format(self, spec)``."""
    found = stack(SPEC_FIELDS, i64)
    parse_spec(spec, found, OF_COMPLEX)
    found[FRACTION] = 0
    type = found[TYPE]
    if type == PERCENT or (type != 0 and type != LETTER_N and not is_float_type(type)):
        refuse_type(type, OF_COMPLEX)
    return format_as_complex(self[0], self[1], found)


def write_complex(out: Ptr[u8], real: f64, imaginary: f64) -> i64:
    """Write ``repr`` of a complex number and give its length, at most 52."""
    if real == 0.0 and copysign(1.0, real) == 1.0:
        n = write_float(out, imaginary, 0)
        out[n] = u8(LETTER_J)
        return n + 1
    out[0] = u8(OPEN)
    at = 1 + write_float(out + 1, real, 0)
    if imaginary != imaginary or copysign(1.0, imaginary) == 1.0:
        out[at] = u8(PLUS)
        at = at + 1
    at = at + write_float(out + at, imaginary, 0)
    out[at] = u8(LETTER_J)
    out[at + 1] = u8(CLOSE)
    return at + 2


def complex_repr(self: Ptr[f64]) -> Ptr[Str]:
    """``repr(self)``."""
    text = stack(64, u8)
    return ascii_string(text, write_complex(text, self[0], self[1]))


# ---- strings


def str_format(self: Ptr[Str], spec: Ptr[Str]) -> Ptr[Str]:
    """``format(self, spec)``."""
    found = stack(SPEC_FIELDS, i64)
    string_spec(spec, found)
    return pad_string(self, found)


def string_spec(spec: Ptr[Str], found: Ptr[i64]) -> None:
    """Read the spec of a string. Raises ValueError for one of another type."""
    parse_spec(spec, found, OF_STR)
    if found[TYPE] != LETTER_S:
        refuse_type(found[TYPE], OF_STR)
    if found[SIGN] == SPACE:
        raise ValueError("Space not allowed in string format specifier")
    if found[SIGN] != 0:
        raise ValueError("Sign not allowed in string format specifier")
    if found[NO_NEGATIVE_ZERO] != 0:
        raise ValueError("Negative zero coercion (z) not allowed in string format specifier")
    if found[ALTERNATE_FORM] != 0:
        raise ValueError("Alternate form (#) not allowed in string format specifier")
    if found[ALIGN] == EQUAL:
        raise ValueError("'=' alignment not allowed in string format specifier")


def pad_string(self: Ptr[Str], spec: Ptr[i64]) -> Ptr[Str]:
    """A string cut to the precision of a spec and filled up to its width."""
    n = self.length
    if spec[PRECISION] >= 0 and spec[PRECISION] < n:
        n = spec[PRECISION]
    padding = spec[WIDTH] - n
    if padding <= 0:
        if n == self.length:
            count_up(pointer_cast(self, i64))
            return self
        padding = i64(0)
    highest = i64(0)
    if padding > 0:
        highest = spec[FILL]
    for i in range(n):
        c = char_at(self, i)
        if c > highest:
            highest = c
    left = i64(0)
    if spec[ALIGN] == GREATER:
        left = padding
    elif spec[ALIGN] == CARET:
        left = padding // 2
    width = width_for(highest)
    out = str_new(n + padding, width, highest < 128)
    chars = data_of(out)
    for i in range(left):
        store(chars, width, i, spec[FILL])
    for i in range(n):
        store(chars, width, left + i, char_at(self, i))
    for i in range(left + n, n + padding):
        store(chars, width, i, spec[FILL])
    return out
