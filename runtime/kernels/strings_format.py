"""Tier 3: formatting of strings: padding, expansion of tabs, quoting as a repr."""

# ruff: noqa: SIM109 - the dialect has no `in`
from __future__ import annotations

from tscript.dialect import Ptr, Str, b8, i64, u8
from tscript.runtime.kernels.memory_blocks import LARGEST
from tscript.runtime.kernels.strings import (
    LAST_ASCII,
    LAST_BMP,
    LAST_LATIN,
    char_at,
    copy_chars,
    data_of,
    is_bytes,
    store,
    str_new,
    string_like,
    string_retain,
    width_for,
    width_of,
)
from tscript.runtime.kernels.unicode import PRINTABLE, flags_of

SPACE_CHAR = 32
ZERO = 48
QUOTE = 39
DOUBLE_QUOTE = 34
BACKSLASH = 92

CENTER = 0
LEFT = 1
RIGHT = 2
"""Methods that pad."""

ESCAPED = 0
"""How `put_quoted` treats what is not ASCII: escapes it, as `ascii` does."""
AS_IT_IS = 1
"""The same: keeps it when it is printable, as `repr` does."""
AS_BYTES = 2
"""The same: as `repr` of bytes does, a ``b`` in front."""


# ---- padding


def fill_char(fill: Ptr[Str], method: i64) -> i64:
    """The character that a method pads with. Raises TypeError unless there is exactly one."""
    if fill.length != 1:
        if is_bytes(fill):
            if method == CENTER:
                raise TypeError("center() argument 2 must be a byte string of length 1, not bytes")
            if method == LEFT:
                raise TypeError("ljust() argument 2 must be a byte string of length 1, not bytes")
            raise TypeError("rjust() argument 2 must be a byte string of length 1, not bytes")
        raise TypeError("The fill character must be exactly one character long")
    return char_at(fill, 0)


def padded(self: Ptr[Str], left: i64, right: i64, fill: i64) -> Ptr[Str]:
    """A string with `left` and `right` characters around it. Raises MemoryError."""
    n = self.length
    if left > LARGEST or right > LARGEST - left:
        raise MemoryError("a string of this length does not fit into memory")
    v = width_of(self)
    w = width_for(fill)
    width = v if v > w else w
    out = string_like(self, left + n + right, width, self.ascii != 0 and fill <= LAST_ASCII)
    to = data_of(out)
    for i in range(left):
        store(to, width, i, fill)
    copy_chars(to, width, left, data_of(self), v, n)
    for i in range(left + n, left + n + right):
        store(to, width, i, fill)
    return out


def str_center(self: Ptr[Str], width: i64, fillchar: Ptr[Str]) -> Ptr[Str]:
    """``s.center(width, fillchar)``. Raises MemoryError, TypeError for another number of fill characters."""
    fill = fill_char(fillchar, CENTER)
    if width <= self.length:
        return string_retain(self)
    marginal = width - self.length
    left = marginal // 2 + (marginal & width & 1)
    return padded(self, left, marginal - left, fill)


def str_ljust(self: Ptr[Str], width: i64, fillchar: Ptr[Str]) -> Ptr[Str]:
    """``s.ljust(width, fillchar)``. Raises MemoryError, TypeError for another number of fill characters."""
    fill = fill_char(fillchar, LEFT)
    if width <= self.length:
        return string_retain(self)
    return padded(self, 0, width - self.length, fill)


def str_rjust(self: Ptr[Str], width: i64, fillchar: Ptr[Str]) -> Ptr[Str]:
    """``s.rjust(width, fillchar)``. Raises MemoryError, TypeError for another number of fill characters."""
    fill = fill_char(fillchar, RIGHT)
    if width <= self.length:
        return string_retain(self)
    return padded(self, width - self.length, 0, fill)


def str_zfill(self: Ptr[Str], width: i64) -> Ptr[Str]:
    """``s.zfill(width)``: zeros after the sign. Raises MemoryError."""
    n = self.length
    if width <= n:
        return string_retain(self)
    out = padded(self, width - n, 0, ZERO)
    if n > 0:
        sign = char_at(self, 0)
        if sign == 43 or sign == 45:
            store(data_of(out), width_of(out), 0, sign)
            store(data_of(out), width_of(out), width - n, ZERO)
    return out


# ---- tabs


def put_expanded(s: Ptr[Str], tabsize: i64, out: Ptr[u8], write: b8) -> i64:
    """Expand the tabs of a string, and write it if `write`. Returns its length, -1 beyond memory."""
    width = width_of(s)
    at = i64(0)
    column = i64(0)
    for i in range(s.length):
        c = char_at(s, i)
        if c == 9:
            if tabsize > 0:
                more = tabsize - column % tabsize
                column = column + more
                if more > LARGEST - at:
                    return -1
                if write:
                    for k in range(at, at + more):
                        store(out, width, k, SPACE_CHAR)
                at = at + more
        else:
            if write:
                store(out, width, at, c)
            at = at + 1
            column = column + 1
            if c == 10 or c == 13:
                column = i64(0)
    return at


def str_expandtabs(self: Ptr[Str], tabsize: i64) -> Ptr[Str]:
    """``s.expandtabs(tabsize)``. Raises MemoryError, OverflowError when the result is too long."""
    n = put_expanded(self, tabsize, data_of(self), False)
    if n < 0:
        if is_bytes(self):
            raise OverflowError("result too long")
        raise OverflowError("new string is too long")
    out = string_like(self, n, width_of(self), self.ascii != 0)
    put_expanded(self, tabsize, data_of(out), True)
    return out


# ---- repr


def hex_digit(value: i64) -> i64:
    """A digit from 0 to 15 as a character."""
    return value + 48 if value < 10 else value + 87


def put_escape(c: i64, letter: i64, digits: i64, out: Ptr[u8], width: i64, at: i64) -> i64:
    """Write ``\\x41``: a backslash, a letter and so many hexadecimal digits. Gives where that ends."""
    store(out, width, at, BACKSLASH)
    store(out, width, at + 1, letter)
    for k in range(digits):
        store(out, width, at + 2 + k, hex_digit((c >> (4 * (digits - 1 - k))) & 15))
    return at + 2 + digits


def quote_of(s: Ptr[Str]) -> i64:
    """The quote around a repr: a double one when there are only single ones inside."""
    found = i64(QUOTE)
    for i in range(s.length):
        c = char_at(s, i)
        if c == DOUBLE_QUOTE:
            return QUOTE
        if c == QUOTE:
            found = i64(DOUBLE_QUOTE)
    return found


def escape_length(c: i64, quote: i64, manner: i64) -> i64:
    """How many characters stand for a code point within quotes."""
    if c == quote or c == BACKSLASH or c == 9 or c == 10 or c == 13:
        return 2
    if c < 32 or c == 127:
        return 4
    if c < 127:
        return 1
    if manner == AS_IT_IS:
        if flags_of(c) & PRINTABLE != 0:
            return 1
    if c <= LAST_LATIN:
        return 4
    return 6 if c <= LAST_BMP else i64(10)


def put_quoted(s: Ptr[Str], manner: i64, out: Ptr[u8], width: i64) -> None:
    """Write the repr of a string."""
    quote = quote_of(s)
    at = i64(0)
    if manner == AS_BYTES:
        store(out, width, 0, 98)
        at = i64(1)
    store(out, width, at, quote)
    at = at + 1
    for i in range(s.length):
        c = char_at(s, i)
        size = escape_length(c, quote, manner)
        if size == 1:
            store(out, width, at, c)
        elif size == 2:
            letter = c
            if c == 9:
                letter = i64(116)
            elif c == 10:
                letter = i64(110)
            elif c == 13:
                letter = i64(114)
            store(out, width, at, BACKSLASH)
            store(out, width, at + 1, letter)
        elif size == 4:
            put_escape(c, 120, 2, out, width, at)
        elif size == 6:
            put_escape(c, 117, 4, out, width, at)
        else:
            put_escape(c, 85, 8, out, width, at)
        at = at + size
    store(out, width, at, quote)


def quoted(s: Ptr[Str], manner: i64) -> Ptr[Str]:
    """The repr of a string. Raises MemoryError."""
    quote = quote_of(s)
    length = i64(3) if manner == AS_BYTES else i64(2)
    bits = i64(0)
    for i in range(s.length):
        c = char_at(s, i)
        size = escape_length(c, quote, manner)
        if size == 1:
            bits = bits | c
        length = length + size
    width = width_for(bits)
    out = str_new(length, width, bits <= LAST_ASCII)
    put_quoted(s, manner, data_of(out), width)
    return out


def str_repr(self: Ptr[Str]) -> Ptr[Str]:
    """``repr(s)``, of a str or bytes. Raises MemoryError."""
    return quoted(self, AS_BYTES if is_bytes(self) else i64(AS_IT_IS))


def str_ascii(self: Ptr[Str]) -> Ptr[Str]:
    """``ascii(s)``, of a str or bytes. Raises MemoryError."""
    return quoted(self, AS_BYTES if is_bytes(self) else i64(ESCAPED))
