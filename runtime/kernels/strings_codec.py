"""Tier 3: str to bytes and back, code points to str and back. UTF-8 as CPython decodes it, ill-formed strings included.

What cannot be coded raises UnicodeError with the numbers in its message; `tscript.runtime.values.errors` makes of it
what CPython raises.
"""

# ruff: noqa: SIM109 - the dialect has no `in`
from __future__ import annotations

from tscript.abi.tables import VERSION
from tscript.dialect import Ptr, Str, TypeInfo, b8, i64, memcpy, pointer_cast, symbol, u8
from tscript.runtime.kernels.memory_blocks import LARGEST
from tscript.runtime.kernels.strings import (
    LAST_ASCII,
    LAST_LATIN,
    any_bits,
    char_at,
    checked,
    copy_chars,
    data_of,
    store,
    str_new,
    str_of_char,
    string_try_new,
    width_for,
)

UTF_8 = 0
ASCII = 127
LATIN_1 = 255
"""Encodings: UTF-8, or the highest code point of one byte."""

STRICT = 0
IGNORE = 1
REPLACE = 2
PASS = 3
"""What to do with what cannot be coded; `PASS` codes surrogates in UTF-8 like any other code point."""

HIGHS = -9187201950435737472
"""The highest bit of each of eight bytes."""
QUESTION_MARK = 63
REPLACEMENT = 0xFFFD


def new_bytes(length: i64, ascii: b8) -> Ptr[Str]:
    """Bytes that are not set yet. Raises MemoryError."""
    return checked(string_try_new(symbol("ts_type:bytes_v1", TypeInfo), length, 1, ascii), length, 1)


# ---- names


def name_key(s: Ptr[Str]) -> i64:
    """The letters and digits of a name, in lower case, as one number; -1 when there are more than eight of them."""
    key = i64(0)
    count = i64(0)
    for i in range(s.length):
        c = char_at(s, i)
        if c >= 65 and c <= 90:
            c = c + 32
        if (c >= 97 and c <= 122) or (c >= 48 and c <= 57):
            key = (key << 8) | c
            count = count + 1
        elif c > LAST_ASCII:
            return -1
    return key if count <= 8 else i64(-1)


def key_of(name: str) -> int:
    """`name_key` of a constant."""
    return int.from_bytes(name.encode(), "big", signed=True)


UTF_8_KEY = key_of("utf8")
UTF_KEY = key_of("utf")
U8_KEY = key_of("u8")
ASCII_KEY = key_of("ascii")
US_ASCII_KEY = key_of("usascii")
LATIN_1_KEY = key_of("latin1")
LATIN_KEY = key_of("latin")
L1_KEY = key_of("l1")
ISO_KEY = key_of("iso88591")
STRICT_KEY = key_of("strict")
IGNORE_KEY = key_of("ignore")
REPLACE_KEY = key_of("replace")


def coding_of(name: Ptr[Str]) -> i64:
    """The coding of a name. Raises LookupError for one that is not known."""
    key = name_key(name)
    if key == UTF_8_KEY or key == UTF_KEY or key == U8_KEY:
        return UTF_8
    if key == ASCII_KEY or key == US_ASCII_KEY:
        return ASCII
    if key == LATIN_1_KEY or key == LATIN_KEY or key == L1_KEY or key == ISO_KEY:
        return LATIN_1
    raise LookupError("unknown encoding: only utf-8, ascii and latin-1 are known")


def manner_of(name: Ptr[Str]) -> i64:
    """What to do with errors, by its name. Raises LookupError for one that is not known."""
    key = name_key(name)
    if key == STRICT_KEY:
        return STRICT
    if key == IGNORE_KEY:
        return IGNORE
    if key == REPLACE_KEY:
        return REPLACE
    if name.length == 13 and char_at(name, 0) == 115 and char_at(name, 9) == 112:
        return PASS
    raise LookupError("unknown error handler: only strict, ignore, replace and surrogatepass are known")


# ---- encoding


def is_surrogate(c: i64) -> b8:
    """Whether a code point is half of one in UTF-16."""
    return c >= 0xD800 and c <= 0xDFFF


def refuse_char(s: Ptr[Str], at: i64, coding: i64) -> None:
    """Raise UnicodeError for the code points from `at` on that cannot be encoded."""
    end = at + 1
    while end < s.length:
        c = char_at(s, end)
        if coding == UTF_8:
            if not is_surrogate(c):
                break
        elif c <= coding:
            break
        end = end + 1
    c = char_at(s, at)
    if end == at + 1:
        if coding == UTF_8:
            raise UnicodeError(
                "'utf-8' codec can't encode character {0} in position {1}: surrogates not allowed", c, at
            )
        if coding == ASCII:
            raise UnicodeError(
                "'ascii' codec can't encode character {0} in position {1}: ordinal not in range(128)", c, at
            )
        raise UnicodeError(
            "'latin-1' codec can't encode character {0} in position {1}: ordinal not in range(256)", c, at
        )
    if coding == UTF_8:
        raise UnicodeError(
            "'utf-8' codec can't encode characters in position {0}-{1}: surrogates not allowed", at, end - 1
        )
    if coding == ASCII:
        raise UnicodeError(
            "'ascii' codec can't encode characters in position {0}-{1}: ordinal not in range(128)", at, end - 1
        )
    raise UnicodeError(
        "'latin-1' codec can't encode characters in position {0}-{1}: ordinal not in range(256)", at, end - 1
    )


def put_utf8(out: Ptr[u8], at: i64, c: i64, write: b8) -> i64:
    """Write a code point in UTF-8 if `write`; returns the position after it."""
    if c < 128:
        if write:
            out[at] = u8(c)
        return at + 1
    if c < 2048:
        if write:
            out[at] = u8(192 | (c >> 6))
            out[at + 1] = u8(128 | (c & 63))
        return at + 2
    if c < 65536:
        if write:
            out[at] = u8(224 | (c >> 12))
            out[at + 1] = u8(128 | ((c >> 6) & 63))
            out[at + 2] = u8(128 | (c & 63))
        return at + 3
    if write:
        out[at] = u8(240 | (c >> 18))
        out[at + 1] = u8(128 | ((c >> 12) & 63))
        out[at + 2] = u8(128 | ((c >> 6) & 63))
        out[at + 3] = u8(128 | (c & 63))
    return at + 4


def put_encoded(s: Ptr[Str], coding: i64, manner: i64, out: Ptr[u8], write: b8) -> i64:
    """Encode a str, and write it if `write`; returns the length. Raises UnicodeError before anything is written."""
    at = i64(0)
    n = s.length
    p = data_of(s)
    i = i64(-1)
    while i + 1 < n:
        i = i + 1
        if s.width == 1 and i + 8 <= n:
            if pointer_cast(p + i, i64)[0] & HIGHS == 0:
                if write:
                    pointer_cast(out + at, i64)[0] = pointer_cast(p + i, i64)[0]
                at = at + 8
                i = i + 7
                continue
        c = char_at(s, i)
        refused = c > coding
        if coding == UTF_8:
            refused = is_surrogate(c) and manner != PASS
        if refused:
            if manner == STRICT or manner == PASS:
                refuse_char(s, i, coding)
            if manner == IGNORE:
                continue
            c = i64(QUESTION_MARK)
        if coding == UTF_8:
            at = put_utf8(out, at, c, write)
        else:
            if write:
                out[at] = u8(c)
            at = at + 1
    return at


def str_encode(self: Ptr[Str], encoding: Ptr[Str], errors: Ptr[Str]) -> Ptr[Str]:
    """``s.encode(encoding, errors)``. Raises LookupError for names that are not known, UnicodeError, MemoryError."""
    coding = coding_of(encoding)
    n = self.length
    if self.ascii != 0 or (coding == LATIN_1 and self.width == 1):
        out = new_bytes(n, self.ascii != 0)
        memcpy(data_of(out), data_of(self), n)
        return out
    manner = manner_of(errors)
    p = data_of(self)
    size = put_encoded(self, coding, manner, p, False)
    out = new_bytes(size, False)
    to = data_of(out)
    put_encoded(self, coding, manner, to, True)
    if any_bits(to, 1, size) <= LAST_ASCII:
        out.ascii = 1
    return out


# ---- decoding


def is_continued(p: Ptr[u8], at: i64) -> b8:
    """Whether a byte goes on with a code point."""
    return i64(p[at]) & 192 == 128


def utf8_at(p: Ptr[u8], at: i64, n: i64) -> i64:
    """The code point that begins at a byte: (code point << 3) | bytes; for ill-formed ones -(reason << 3 | bytes),
    where the reason is 1 for an invalid start, 2 for an invalid continuation and 3 for an end of the data."""
    c = i64(p[at])
    left = n - at
    if c < 128:
        return (c << 3) | 1
    if c < 194 or c > 244:
        return -9
    if left < 2:
        return -25
    d = i64(p[at + 1])
    if d & 192 != 128:
        return -17
    if c < 224:
        return (((c & 31) << 6 | (d & 63)) << 3) | 2
    if (c == 224 and d < 160) or (c == 237 and d >= 160) or (c == 240 and d < 144) or (c == 244 and d >= 144):
        return -17
    if left < 3:
        return -26
    if not is_continued(p, at + 2):
        return -18
    e = i64(p[at + 2]) & 63
    if c < 240:
        return (((c & 15) << 12 | (d & 63) << 6 | e) << 3) | 3
    if left < 4:
        return -27
    if not is_continued(p, at + 3):
        return -19
    return (((c & 7) << 18 | (d & 63) << 12 | e << 6 | (i64(p[at + 3]) & 63)) << 3) | 4


def surrogate_at(p: Ptr[u8], at: i64, n: i64) -> i64:
    """What `utf8_at` gives for a surrogate, which is ill-formed, as if it were not; 0 when there is none."""
    if n - at < 3 or i64(p[at]) != 237:
        return 0
    if i64(p[at + 1]) & 224 != 160 or not is_continued(p, at + 2):
        return 0
    return ((0xD000 | (i64(p[at + 1]) & 63) << 6 | (i64(p[at + 2]) & 63)) << 3) | 3


def refuse_utf8(p: Ptr[u8], at: i64, problem: i64) -> None:
    """Raise UnicodeError for a result of `utf8_at`."""
    size = problem & 7
    reason = problem >> 3
    if size == 1:
        c = i64(p[at])
        if reason == 1:
            raise UnicodeError("'utf-8' codec can't decode byte {0} in position {1}: invalid start byte", c, at)
        if reason == 2:
            raise UnicodeError("'utf-8' codec can't decode byte {0} in position {1}: invalid continuation byte", c, at)
        raise UnicodeError("'utf-8' codec can't decode byte {0} in position {1}: unexpected end of data", c, at)
    end = at + size - 1
    if reason == 2:
        raise UnicodeError("'utf-8' codec can't decode bytes in position {0}-{1}: invalid continuation byte", at, end)
    raise UnicodeError("'utf-8' codec can't decode bytes in position {0}-{1}: unexpected end of data", at, end)


def put_decoded(p: Ptr[u8], n: i64, coding: i64, manner: i64, out: Ptr[u8], width: i64) -> i64:
    """Go over bytes in a coding, and write the code points where `width` is not 0. Gives length | bits of all << 40.
    Raises UnicodeError before anything is written."""
    at = i64(0)
    bits = i64(0)
    i = i64(0)
    while i < n:
        if i + 8 <= n:
            if pointer_cast(p + i, i64)[0] & HIGHS == 0:
                if width != 0:
                    copy_chars(out, width, at, p + i, 1, 8)
                at = at + 8
                i = i + 8
                continue
        c = i64(p[i])
        size = i64(1)
        if c >= 128:
            found = (c << 3) | 1
            if coding == UTF_8:
                found = utf8_at(p, i, n)
                if found < 0 and manner == PASS:
                    surrogate = surrogate_at(p, i, n)
                    found = surrogate if surrogate != 0 else found
                if found < 0 and (manner == STRICT or manner == PASS):
                    refuse_utf8(p, i, -found)
            elif coding == ASCII:
                if manner == STRICT or manner == PASS:
                    raise UnicodeError(
                        "'ascii' codec can't decode byte {0} in position {1}: ordinal not in range(128)", c, i
                    )
                found = i64(-9)
            if found < 0:
                i = i + (-found & 7)
                if manner == IGNORE:
                    continue
                c = i64(REPLACEMENT)
                size = i64(0)
            else:
                c = found >> 3
                size = found & 7
        i = i + size
        bits = bits | c
        if width != 0:
            store(out, width, at, c)
        at = at + 1
    return at | (bits << 40)


def str_of_bytes(p: Ptr[u8], n: i64, coding: i64, manner: i64) -> Ptr[Str]:
    """A str of `n` bytes in a coding. Raises UnicodeError and MemoryError."""
    highest = any_bits(p, 1, n)
    if highest <= LAST_ASCII or coding == LATIN_1:
        out = str_new(n, 1, highest <= LAST_ASCII)
        memcpy(data_of(out), p, n)
        return out
    found = put_decoded(p, n, coding, manner, p, 0)
    bits = found >> 40
    width = width_for(bits)
    out = str_new(found & ((1 << 40) - 1), width, bits <= LAST_ASCII)
    put_decoded(p, n, coding, manner, data_of(out), width)
    return out


def bytes_decode(self: Ptr[Str], encoding: Ptr[Str], errors: Ptr[Str]) -> Ptr[Str]:
    """``b.decode(encoding, errors)``. Raises LookupError for names that are not known, UnicodeError, MemoryError."""
    coding = coding_of(encoding)
    manner = i64(STRICT)
    if self.ascii == 0:
        manner = manner_of(errors)
    return str_of_bytes(data_of(self), self.length, coding, manner)


def str_from_utf8(data: Ptr[u8], nbytes: i64) -> Ptr[Str]:
    """The str of `nbytes` bytes of UTF-8. Raises UnicodeError and MemoryError."""
    return str_of_bytes(data, nbytes, UTF_8, STRICT)


# ---- code points and bytes


def str_ord(self: Ptr[Str]) -> i64:
    """``ord(c)``, of a str or bytes. Raises TypeError when there is another number of characters."""
    if self.length != 1:
        raise TypeError("ord() expected a character, but string of length {0} found", self.length)
    return char_at(self, 0)


def str_chr(code: i64) -> Ptr[Str]:
    """``chr(i)``. Raises ValueError when there is no such code point; before Python 3.13, OverflowError beyond an int
    of C."""
    if symbol(VERSION, i64)[0] < 313:
        if code > 2147483647 or code < -2147483648:
            raise OverflowError("Python int too large to convert to C int")
    if code < 0 or code > 0x10FFFF:
        raise ValueError("chr() arg not in range(0x110000)")
    return str_of_char(code)


def bytes_getitem(self: Ptr[Str], index: i64) -> i64:
    """``b[index]``. Raises IndexError when there is no such byte."""
    i = index
    if i < 0:
        i = i + self.length
    if i < 0 or i >= self.length:
        raise IndexError("index out of range")
    return char_at(self, i)


def bytes_contains(self: Ptr[Str], value: i64) -> b8:
    """``value in b``. Raises ValueError when it is no byte."""
    if value < 0 or value > LAST_LATIN:
        raise ValueError("byte must be in range(0, 256)")
    for i in range(self.length):  # noqa: SIM110 - the dialect has no generators
        if char_at(self, i) == value:
            return True
    return False


def bytes_hex(self: Ptr[Str]) -> Ptr[Str]:
    """``b.hex()``. Raises MemoryError."""
    n = self.length
    if n > LARGEST // 2:
        raise MemoryError("a string of this length does not fit into memory")
    out = str_new(2 * n, 1, True)
    p = data_of(self)
    to = data_of(out)
    for i in range(n):
        high = p[i] >> u8(4)
        low = p[i] & u8(15)
        to[2 * i] = high + u8(48) if high < u8(10) else high + u8(87)
        to[2 * i + 1] = low + u8(48) if low < u8(10) else low + u8(87)
    return out
