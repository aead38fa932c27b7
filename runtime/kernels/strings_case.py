"""Tier 3: case of strings and the questions about all their characters. ASCII is done here, the rest by the tables of
`tscript.runtime.kernels.unicode`."""

# ruff: noqa: SIM109 - the dialect has no `in`
from __future__ import annotations

from tscript.dialect import Ptr, Str, b8, i16, i64, pointer_cast, u8
from tscript.runtime.kernels.strings import (
    LAST_ASCII,
    LAST_LATIN,
    char_at,
    data_of,
    is_bytes,
    store,
    str_free,
    string_like,
    width_for,
)
from tscript.runtime.kernels.unicode import (
    ALPHA,
    CAPITAL_SIGMA,
    CHAR_BITS,
    CHAR_MASK,
    DECIMAL,
    DIGIT,
    FINAL_SIGMA,
    FOLD_FIELD,
    IDENTIFIER,
    LOWER_FIELD,
    LOWERCASE,
    NUMERIC,
    PRINTABLE,
    SMALL_SIGMA,
    SPACE,
    START,
    TITLE_FIELD,
    TITLECASE,
    UPPER_FIELD,
    UPPERCASE,
    cased,
    flags_of,
    is_cased,
    is_ignorable,
)

CAPITALIZE = 5
SWAP = 6
EACH = 7
"""Cases besides the fields of a record: `str.capitalize`, `str.swapcase`, `str.title`."""

NO_ASCII = -0x7F007F007F0080
"""The bits of four code points of two bytes that ASCII does not have."""


# ---- ASCII


def ascii_cased(self: Ptr[Str], case: i64) -> Ptr[Str]:
    """An ASCII str in another case, or the ASCII letters of bytes. Raises MemoryError."""
    n = self.length
    out = string_like(self, n, 1, self.ascii != 0)
    p = data_of(self)
    to = data_of(out)
    if case == UPPER_FIELD:
        for i in range(n):
            to[i] = p[i] - u8(32) if p[i] >= u8(97) and p[i] <= u8(122) else p[i]
        return out
    if case == LOWER_FIELD or case == FOLD_FIELD:
        for i in range(n):
            to[i] = p[i] + u8(32) if p[i] >= u8(65) and p[i] <= u8(90) else p[i]
        return out
    inside = False
    for i in range(n):
        c = i64(p[i])
        upper = c >= 65 and c <= 90
        lower = c >= 97 and c <= 122
        if case == SWAP:
            if upper or lower:
                c = c ^ 32
        else:
            if (upper and inside) or (lower and not inside):
                c = c ^ 32
            inside = case == CAPITALIZE or upper or lower
        to[i] = u8(c)
    return out


# ---- all of Unicode


def is_final(s: Ptr[Str], at: i64) -> b8:
    """Whether the capital sigma at a position ends a word, so that it becomes a final one."""
    i = at - 1
    while i >= 0 and is_ignorable(char_at(s, i)):
        i = i - 1
    if i < 0 or not is_cased(char_at(s, i)):
        return False
    i = at + 1
    while i < s.length and is_ignorable(char_at(s, i)):
        i = i + 1
    return i == s.length or not is_cased(char_at(s, i))


def lowered(s: Ptr[Str], i: i64, c: i64) -> i64:
    """The code point `c` at position `i` in lower case, as `cased` gives it."""
    if c == CAPITAL_SIGMA:
        return FINAL_SIGMA if is_final(s, i) else i64(SMALL_SIGMA)
    return cased(c, LOWER_FIELD)


def recased(s: Ptr[Str], i: i64, case: i64, inside: b8) -> i64:
    """Code point `i` in another case, as in `cased`; `inside`: the one before is a cased letter."""
    c = char_at(s, i)
    if case == LOWER_FIELD:
        return lowered(s, i, c)
    if case == UPPER_FIELD or case == FOLD_FIELD:
        return cased(c, case)
    if case == SWAP:
        flags = flags_of(c)
        if flags & UPPERCASE != 0:
            return lowered(s, i, c)
        return cased(c, UPPER_FIELD) if flags & LOWERCASE != 0 else c
    if inside:
        return lowered(s, i, c)
    return cased(c, TITLE_FIELD)


def write_cased(s: Ptr[Str], case: i64, out: Ptr[u8], width: i64, write: b8) -> i64:
    """Convert a str to another case, and write it if `write`. Returns the bits of all its code points above its length:
    length + bits << 40."""
    n = s.length
    at = i64(0)
    bits = i64(0)
    inside = False
    for i in range(n):
        found = recased(s, i, case, inside)
        if case == CAPITALIZE:
            inside = True
        elif case == EACH:
            inside = is_cased(char_at(s, i))
        while True:
            c = found & CHAR_MASK
            bits = bits | c
            if write:
                store(out, width, at, c)
            at = at + 1
            found = found >> CHAR_BITS
            if found == 0:
                break
    return at | (bits << 40)


def ascii_letter(c: i16, first: i16) -> i16:
    """An ASCII character, with the case of those letters changed of which `first` is the first."""
    return c ^ i16(32) if c >= first and c < first + i16(26) else c


def write_like(s: Ptr[Str], case: i64, to: Ptr[i16]) -> i64:
    """Write a string that is two bytes wide in lower or upper case, if that is as long and as wide. Gives the bits any
    of its code points has; 0: it is not."""
    n = s.length
    p = pointer_cast(data_of(s), i16)
    first = i16(97) if case == UPPER_FIELD else i16(65)
    bits = i64(0)
    i = i64(0)
    while i < n:
        if i + 8 <= n:
            words = pointer_cast(p + i, i64)
            if (words[0] | words[1]) & NO_ASCII == 0:
                for k in range(8):
                    to[i + k] = ascii_letter(p[i + k], first)
                i = i + 8
                continue
        c = i64(p[i]) & 65535
        found = i64(ascii_letter(p[i], first)) if c <= LAST_ASCII else recased(s, i, case, False)
        if found > 65535:
            return 0
        bits = bits | found
        to[i] = i16(found)
        i = i + 1
    return bits


def case_of(self: Ptr[Str], case: i64) -> Ptr[Str]:
    """A str or bytes in another case. Raises MemoryError."""
    if self.ascii != 0 or is_bytes(self):
        return ascii_cased(self, case)
    if self.width == 2 and (case == UPPER_FIELD or case == LOWER_FIELD):
        made = string_like(self, self.length, 2, False)
        if write_like(self, case, pointer_cast(data_of(made), i16)) > LAST_LATIN:
            return made
        str_free(made)
    found = write_cased(self, case, data_of(self), 1, False)
    bits = (found >> 40) & CHAR_MASK
    length = found & ((1 << 40) - 1)
    width = width_for(bits)
    out = string_like(self, length, width, bits <= LAST_ASCII)
    write_cased(self, case, data_of(out), width, True)
    return out


def str_upper(self: Ptr[Str]) -> Ptr[Str]:
    """``s.upper()``. Raises MemoryError."""
    return case_of(self, UPPER_FIELD)


def str_lower(self: Ptr[Str]) -> Ptr[Str]:
    """``s.lower()``. Raises MemoryError."""
    return case_of(self, LOWER_FIELD)


def str_casefold(self: Ptr[Str]) -> Ptr[Str]:
    """``s.casefold()``. Raises MemoryError."""
    return case_of(self, FOLD_FIELD)


def str_capitalize(self: Ptr[Str]) -> Ptr[Str]:
    """``s.capitalize()``. Raises MemoryError."""
    return case_of(self, CAPITALIZE)


def str_title(self: Ptr[Str]) -> Ptr[Str]:
    """``s.title()``. Raises MemoryError."""
    return case_of(self, EACH)


def str_swapcase(self: Ptr[Str]) -> Ptr[Str]:
    """``s.swapcase()``. Raises MemoryError."""
    return case_of(self, SWAP)


# ---- questions


def property_of(s: Ptr[Str], i: i64, bytes: b8) -> i64:
    """The flags of a code point; bytes above 127 have none."""
    c = char_at(s, i)
    if bytes:
        if c > LAST_ASCII or (c >= 28 and c <= 31):
            return 0
    return flags_of(c)


def all_have(s: Ptr[Str], flag: i64) -> b8:
    """Whether all code points have one of these flags, and there are any."""
    bytes = is_bytes(s)
    for i in range(s.length):
        if property_of(s, i, bytes) & flag == 0:
            return False
    return s.length != 0


def str_isalpha(self: Ptr[Str]) -> b8:
    """``s.isalpha()``."""
    return all_have(self, ALPHA)


def str_isdigit(self: Ptr[Str]) -> b8:
    """``s.isdigit()``."""
    return all_have(self, DIGIT)


def str_isdecimal(self: Ptr[Str]) -> b8:
    """``s.isdecimal()``."""
    return all_have(self, DECIMAL)


def str_isnumeric(self: Ptr[Str]) -> b8:
    """``s.isnumeric()``."""
    return all_have(self, NUMERIC)


def str_isalnum(self: Ptr[Str]) -> b8:
    """``s.isalnum()``."""
    return all_have(self, ALPHA | DECIMAL | DIGIT | NUMERIC)


def str_isspace(self: Ptr[Str]) -> b8:
    """``s.isspace()``."""
    return all_have(self, SPACE)


def code_isalpha(code: i64) -> b8:
    """``chr(code).isalpha()``, of what is a code point."""
    return flags_of(code) & ALPHA != 0


def code_isdigit(code: i64) -> b8:
    """``chr(code).isdigit()``, of what is a code point."""
    return flags_of(code) & DIGIT != 0


def code_isalnum(code: i64) -> b8:
    """``chr(code).isalnum()``, of what is a code point."""
    return flags_of(code) & (ALPHA | DECIMAL | DIGIT | NUMERIC) != 0


def code_isspace(code: i64) -> b8:
    """``chr(code).isspace()``, of what is a code point."""
    return flags_of(code) & SPACE != 0


def str_isprintable(self: Ptr[Str]) -> b8:
    """``s.isprintable()``."""
    return self.length == 0 or all_have(self, PRINTABLE)


def str_isascii(self: Ptr[Str]) -> b8:
    """``s.isascii()``."""
    return self.ascii != 0


def str_isidentifier(self: Ptr[Str]) -> b8:
    """``s.isidentifier()``."""
    if self.length == 0:
        return False
    if flags_of(char_at(self, 0)) & START == 0:
        return False
    return all_have(self, IDENTIFIER)


def one_case(s: Ptr[Str], wanted: i64, unwanted: i64) -> b8:
    """Whether some code point has the flag `wanted`, and none the flags `unwanted`."""
    bytes = is_bytes(s)
    found = False
    for i in range(s.length):
        flags = property_of(s, i, bytes)
        if flags & unwanted != 0:
            return False
        if flags & wanted != 0:
            found = True
    return found


def str_isupper(self: Ptr[Str]) -> b8:
    """``s.isupper()``."""
    return one_case(self, UPPERCASE, LOWERCASE | TITLECASE)


def str_islower(self: Ptr[Str]) -> b8:
    """``s.islower()``."""
    return one_case(self, LOWERCASE, UPPERCASE | TITLECASE)


def str_istitle(self: Ptr[Str]) -> b8:
    """``s.istitle()``."""
    bytes = is_bytes(self)
    found = False
    inside = False
    for i in range(self.length):
        flags = property_of(self, i, bytes)
        if flags & (UPPERCASE | TITLECASE) != 0:
            if inside:
                return False
            inside = True
            found = True
        elif flags & LOWERCASE != 0:
            if not inside:
                return False
            found = True
        else:
            inside = False
    return found
