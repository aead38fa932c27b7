"""Tier 2: the messages of errors that show a string. A message of `raise` shows numbers only."""

from __future__ import annotations

from tscript.abi.tables import MESSAGES, MESSAGES_AT
from tscript.dialect import Ptr, Str, i64, pointer_cast, stack, symbol, u8
from tscript.runtime.kernels.digits import write_int
from tscript.runtime.kernels.memory import heap_free
from tscript.runtime.kernels.strings import any_bits, char_at, data_of, store, str_new, string_bytes, width_for
from tscript.runtime.kernels.strings_format import str_repr

MESSAGES_SYMBOL = MESSAGES
OF_FLOAT = MESSAGES_AT["float"]
OF_INT = MESSAGES_AT["int"]
OF_SPEC = MESSAGES_AT["spec"]
OF_KIND = MESSAGES_AT["kind"]
KIND_STEP = MESSAGES_AT["step"]
LONGEST = 10
"""Code points that stand for one in a repr, at most: an escape of eight digits."""
SHOWN = 200
"""Code points of a repr that ``int()`` shows."""


def copy_message(out: Ptr[u8], at: i64) -> i64:
    """Write the message at a place of the table; gives its length."""
    found = symbol(MESSAGES_SYMBOL, u8) + at
    n = i64(0)
    while found[n] != 0:
        out[n] = found[n]
        n = n + 1
    return n


def joined(before: Ptr[u8], n: i64, text: Ptr[Str], m: i64, behind: Ptr[u8], k: i64) -> Ptr[Str]:
    """`n` letters of ASCII, `m` code points of a string and `k` letters of ASCII."""
    bits = any_bits(data_of(text), i64(text.width), m)
    width = width_for(bits)
    out = str_new(n + m + k, width, bits < 128)
    chars = data_of(out)
    for i in range(n):
        store(chars, width, i, i64(before[i]))
    for i in range(m):
        store(chars, width, n + i, char_at(text, i))
    for i in range(k):
        store(chars, width, n + m + i, i64(behind[i]))
    return out


def with_repr(before: Ptr[u8], n: i64, text: Ptr[Str], most: i64) -> Ptr[Str]:
    """`n` letters of ASCII and the repr of a string, at most `most` code points of it."""
    shown = str_repr(text)
    m = shown.length
    if m > most:
        m = most
    out = joined(before, n, shown, m, before, 0)
    heap_free(pointer_cast(shown, u8), string_bytes(shown.length, i64(shown.width)))
    return out


def parse_float_error(self: Ptr[Str]) -> Ptr[Str]:
    """The message of ``float(self)`` for a string that is no float."""
    before = stack(64, u8)
    return with_repr(before, copy_message(before, OF_FLOAT), self, LONGEST * self.length + 2)


def parse_int_error(self: Ptr[Str], base: i64) -> Ptr[Str]:
    """The message of ``int(self, base)`` for a string that is no int."""
    before = stack(64, u8)
    n = copy_message(before, OF_INT)
    n = n + write_int(before + n, base)
    before[n] = u8(58)
    before[n + 1] = u8(32)
    return with_repr(before, n + 2, self, SHOWN)


def spec_error(spec: Ptr[Str], kind: i64) -> Ptr[Str]:
    """The message for what is no format spec; `kind` is whose it is (`tscript.runtime.kernels.format_spec`)."""
    before = stack(64, u8)
    behind = stack(64, u8)
    n = copy_message(before, OF_SPEC)
    k = copy_message(behind, OF_KIND + kind * KIND_STEP)
    return joined(before, n, spec, spec.length, behind, k)
