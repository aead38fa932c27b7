"""Tier 2: the format-spec mini-language of CPython 3.11: parsing and checks.

A spec that has been read is `SPEC_FIELDS` ints.
"""

# ruff: noqa: SIM109 - the dialect has no `in`
from __future__ import annotations

from tscript.abi.tables import DECIMALS
from tscript.dialect import Ptr, Str, b8, i64, symbol
from tscript.runtime.kernels.strings import char_at

FILL = 0
ALIGN = 1
SIGN = 2
NO_NEGATIVE_ZERO = 3
ALTERNATE_FORM = 4
WIDTH = 5
"""-1: not given; so is `PRECISION`."""
GROUPING = 6
"""The separator, or 0."""
PRECISION = 7
TYPE = 8
FRACTION = 9
"""Whether a float without a presentation type has a digit after its point."""
SPEC_FIELDS = 10

OF_INT = 0
OF_BOOL = 1
OF_FLOAT = 2
OF_COMPLEX = 3
OF_STR = 4
"""Whose spec it is."""

DECIMALS_SYMBOL = DECIMALS
SPACE = 32
HASH = 35
PERCENT = 37
PLUS = 43
COMMA = 44
MINUS = 45
DOT = 46
ZERO = 48
LESS = 60
EQUAL = 61
GREATER = 62
CARET = 94
UNDERSCORE = 95
LETTER_X_CAPITAL = 88
LETTER_B = 98
LETTER_C = 99
LETTER_D = 100
LETTER_E = 101
LETTER_F = 102
LETTER_G = 103
LETTER_N = 110
LETTER_O = 111
LETTER_S = 115
LETTER_X = 120
LETTER_Z = 122
CAPITAL = 32
MOST = 9223372036854775807


def digit_of(c: i64) -> i64:
    """The decimal digit that a code point is, in any script; -1 if it is none."""
    if c < 128:
        if c >= ZERO and c <= ZERO + 9:
            return c - ZERO
        return -1
    zeros = symbol(DECIMALS_SYMBOL, i64)
    at = i64(0)
    while c >= zeros[at]:
        if c < zeros[at] + 10:
            return c - zeros[at]
        at = at + 1
    return -1


def is_alignment(c: i64) -> b8:
    """Whether a code point is an alignment."""
    return c == LESS or c == GREATER or c == EQUAL or c == CARET


def plain_spec(spec: Ptr[i64]) -> None:
    """The empty spec of a number."""
    spec[FILL] = SPACE
    spec[ALIGN] = GREATER
    spec[SIGN] = 0
    spec[NO_NEGATIVE_ZERO] = 0
    spec[ALTERNATE_FORM] = 0
    spec[WIDTH] = -1
    spec[GROUPING] = 0
    spec[PRECISION] = -1
    spec[TYPE] = 0
    spec[FRACTION] = 1


def parse_spec(text: Ptr[Str], spec: Ptr[i64], kind: i64) -> None:
    """Read a spec. Raises ValueError for what is no spec of any type."""
    n = text.length
    at = i64(0)
    filled = False
    aligned = False
    plain_spec(spec)
    if kind == OF_STR:
        spec[ALIGN] = LESS
        spec[TYPE] = LETTER_S
    elif kind <= OF_BOOL:
        spec[TYPE] = LETTER_D
    if n >= 2 and is_alignment(char_at(text, 1)):
        spec[FILL] = char_at(text, 0)
        spec[ALIGN] = char_at(text, 1)
        filled = True
        aligned = True
        at = i64(2)
    elif n >= 1 and is_alignment(char_at(text, 0)):
        spec[ALIGN] = char_at(text, 0)
        aligned = True
        at = i64(1)
    c = next_char(text, at)
    if c == SPACE or c == PLUS or c == MINUS:
        spec[SIGN] = c
        at = at + 1
        c = next_char(text, at)
    if c == LETTER_Z:
        spec[NO_NEGATIVE_ZERO] = 1
        at = at + 1
        c = next_char(text, at)
    if c == HASH:
        spec[ALTERNATE_FORM] = 1
        at = at + 1
        c = next_char(text, at)
    if c == ZERO and not filled:
        spec[FILL] = ZERO
        if not aligned and kind != OF_STR:
            spec[ALIGN] = EQUAL
        at = at + 1
    at = parse_number(text, at, spec + WIDTH)
    c = next_char(text, at)
    if c == COMMA:
        spec[GROUPING] = COMMA
        at = at + 1
        c = next_char(text, at)
    if c == UNDERSCORE:
        if spec[GROUPING] != 0:
            raise ValueError("Cannot specify both ',' and '_'.")
        spec[GROUPING] = UNDERSCORE
        at = at + 1
        c = next_char(text, at)
    if c == COMMA and spec[GROUPING] == UNDERSCORE:
        raise ValueError("Cannot specify both ',' and '_'.")
    if c == DOT:
        at = parse_number(text, at + 1, spec + PRECISION)
        if spec[PRECISION] < 0:
            raise ValueError("Format specifier missing precision")
    if n - at > 1:
        refuse_spec(text, kind)
    if n - at == 1:
        spec[TYPE] = char_at(text, at)
    if spec[GROUPING] != 0 and not may_group(spec[TYPE], spec[GROUPING]):
        refuse_grouping(spec[GROUPING], spec[TYPE])


def next_char(text: Ptr[Str], at: i64) -> i64:
    """Code point `at`, or -1 after the end."""
    if at < text.length:
        return char_at(text, at)
    return -1


def parse_number(text: Ptr[Str], at: i64, out: Ptr[i64]) -> i64:
    """Read decimal digits; gives where they end. `out` is left alone when there are none."""
    value = i64(0)
    start = at
    digit = digit_of(next_char(text, at))
    while digit >= 0:
        if value > (MOST - digit) // 10:
            raise ValueError("Too many decimal digits in format string")
        value = value * 10 + digit
        at = at + 1
        digit = digit_of(next_char(text, at))
    if at > start:
        out[0] = value
    return at


def may_group(type: i64, separator: i64) -> b8:
    """Whether digits may be grouped in this presentation."""
    if type == 0 or type == LETTER_D or type == PERCENT:
        return True
    if type | CAPITAL == LETTER_E or type | CAPITAL == LETTER_F or type | CAPITAL == LETTER_G:
        return True
    return separator == UNDERSCORE and (type == LETTER_B or type == LETTER_O or type | CAPITAL == LETTER_X)


def refuse_grouping(separator: i64, type: i64) -> None:
    """Raise for a separator that a presentation does not take."""
    if type > 32 and type < 128:
        raise ValueError("Cannot specify '{0:c}' with '{1:c}'.", separator, type)
    raise ValueError("Cannot specify '{0:c}' with '\\x{1:x}'.", separator, type)


def refuse_spec(text: Ptr[Str], kind: i64) -> None:
    """Raise for what is no spec."""
    if kind == OF_INT:
        raise ValueError("Invalid format specifier for object of type 'int'")
    if kind == OF_BOOL:
        raise ValueError("Invalid format specifier for object of type 'bool'")
    if kind == OF_FLOAT:
        raise ValueError("Invalid format specifier for object of type 'float'")
    if kind == OF_COMPLEX:
        raise ValueError("Invalid format specifier for object of type 'complex'")
    raise ValueError("Invalid format specifier for object of type 'str'")


def refuse_type(type: i64, kind: i64) -> None:
    """Raise for a presentation that values of a kind do not have."""
    if type > 32 and type < 128:
        if kind == OF_INT:
            raise ValueError("Unknown format code '{0:c}' for object of type 'int'", type)
        if kind == OF_BOOL:
            raise ValueError("Unknown format code '{0:c}' for object of type 'bool'", type)
        if kind == OF_FLOAT:
            raise ValueError("Unknown format code '{0:c}' for object of type 'float'", type)
        if kind == OF_COMPLEX:
            raise ValueError("Unknown format code '{0:c}' for object of type 'complex'", type)
        raise ValueError("Unknown format code '{0:c}' for object of type 'str'", type)
    if kind == OF_INT:
        raise ValueError("Unknown format code '\\x{0:x}' for object of type 'int'", type)
    if kind == OF_BOOL:
        raise ValueError("Unknown format code '\\x{0:x}' for object of type 'bool'", type)
    if kind == OF_FLOAT:
        raise ValueError("Unknown format code '\\x{0:x}' for object of type 'float'", type)
    if kind == OF_COMPLEX:
        raise ValueError("Unknown format code '\\x{0:x}' for object of type 'complex'", type)
    raise ValueError("Unknown format code '\\x{0:x}' for object of type 'str'", type)
