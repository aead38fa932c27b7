"""Tier 2: `format` and `repr` of ints and bools, and `repr` of None."""

from __future__ import annotations

from tscript.dialect import Ptr, Str, b8, f64, i64, stack, u8
from tscript.runtime.kernels.digits import MIN_INT, count_digits, write_digits, write_int
from tscript.runtime.kernels.format_float import format_as_float, is_float_type
from tscript.runtime.kernels.format_layout import CODE_POINT, DIGITS, NEGATIVE, PARTS, PREFIX, REST, laid_out
from tscript.runtime.kernels.format_spec import (
    ALTERNATE_FORM,
    CAPITAL,
    LETTER_B,
    LETTER_C,
    LETTER_D,
    LETTER_N,
    LETTER_O,
    LETTER_X,
    LETTER_X_CAPITAL,
    MINUS,
    NO_NEGATIVE_ZERO,
    OF_BOOL,
    OF_INT,
    PRECISION,
    SIGN,
    SPEC_FIELDS,
    TYPE,
    ZERO,
    parse_spec,
    plain_spec,
    refuse_type,
)
from tscript.runtime.kernels.strings import data_of, str_new

LAST = 0x10FFFF

LOW_63 = 0x7FFFFFFFFFFFFFFF

TRUE = int.from_bytes(b"True", "little")

FALSE = int.from_bytes(b"False", "little")

NONE = int.from_bytes(b"None", "little")


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
