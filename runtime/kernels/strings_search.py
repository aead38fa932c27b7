"""Tier 3: where a string is in another: find, count, contains, startswith, replace. Of two str, or of two bytes.

Bytes are compared eight at a time: positions where the first and the last byte of what is looked for match are
candidates (the test for zero bytes is from H. S. Warren, Hacker's Delight, 6-1). When candidates cost more than they
should, the search goes on by rolling hash (R. M. Karp, M. O. Rabin, IBM J. Res. Dev. 31, 1987), so no string makes it
quadratic.
"""

from __future__ import annotations

from tscript.abi.layout import NONE_INT
from tscript.dialect import Ptr, Str, b8, i64, pointer_cast, u8
from tscript.runtime.kernels.memory_blocks import LARGEST
from tscript.runtime.kernels.strings import (
    copy_chars,
    copy_short,
    data_of,
    is_bytes,
    load,
    sealed,
    string_like,
    string_retain,
    width_of,
)
from tscript.runtime.kernels.strings_compare import same_bytes, str_equal
from tscript.runtime.kernels.strings_slice import piece

ONES = 0x0101010101010101
HIGHS = -9187201950435737472
PATIENCE = 4096
"""Code points that candidates may cost beyond a fixed number for each one searched."""
BASE = 6364136223846793005


# ---- single bytes


def zero_bytes(x: i64) -> i64:
    """Not 0 when a byte of `x` is 0; the lowest bit set is that of the first one."""
    return (x - ONES) & ~x & HIGHS


def first_byte(bits: i64) -> i64:
    """Which byte of a word the lowest bit that is set lies in; only the highest bits of bytes may be set, and one must
    be."""
    lowest = (bits >> 7) & ONES
    return (((lowest & -lowest) * 0x0001020304050607) >> 56) & 7


def find_byte(p: Ptr[u8], c: i64, start: i64, end: i64) -> i64:
    """The first position from `start` to before `end` with the byte `c`; -1 when there is none."""
    pattern = c * ONES
    i = start
    while i + 8 <= end:
        found = zero_bytes(pointer_cast(p + i, i64)[0] ^ pattern)
        if found != 0:
            return i + first_byte(found)
        i = i + 8
        while i + 32 <= end:
            q = pointer_cast(p + i, i64)
            a = zero_bytes(q[0] ^ pattern) | zero_bytes(q[1] ^ pattern)
            if (a | zero_bytes(q[2] ^ pattern) | zero_bytes(q[3] ^ pattern)) != 0:
                break
            i = i + 32
    while i < end:
        if i64(p[i]) == c:
            return i
        i = i + 1
    return -1


def count_byte(p: Ptr[u8], c: i64, start: i64, end: i64) -> i64:
    """How many of the bytes from `start` to before `end` are `c`."""
    wanted = u8(c)
    found = i64(0)
    for i in range(start, end):
        found = found + i64(p[i] == wanted)
    return found


# ---- searching


def match_at(p: Ptr[u8], v: i64, at: i64, q: Ptr[u8], w: i64, m: i64) -> b8:
    """Whether the `m` code points at `q` are those at position `at` of `p`."""
    if v == w:
        return same_bytes(p + at * v, q, m * v)
    for i in range(m):  # noqa: SIM110 - the dialect has no generators
        if load(p, v, at + i) != load(q, w, i):
            return False
    return True


def rolling_find(p: Ptr[u8], v: i64, start: i64, end: i64, q: Ptr[u8], w: i64, m: i64) -> i64:
    """What `find_from` gives, in time that does not depend on `m`."""
    wanted = i64(0)
    here = i64(0)
    leading = i64(1)
    for i in range(m):
        wanted = i64(wanted * BASE + load(q, w, i))
        here = i64(here * BASE + load(p, v, start + i))
        leading = i64(leading * BASE)
    at = start
    while True:
        if here == wanted and match_at(p, v, at, q, w, m):
            return at
        if at + m >= end:
            return -1
        here = i64(here * BASE + load(p, v, at + m) - leading * load(p, v, at))
        at = at + 1


def find_bytes(p: Ptr[u8], start: i64, end: i64, q: Ptr[u8], m: i64) -> i64:
    """`find_from` where all are single bytes, at least two of them looked for."""
    first = i64(q[0])
    last = i64(q[m - 1])
    first_pattern = first * ONES
    last_pattern = last * ONES
    at = start
    cost = i64(0)
    stop = end - m
    while at <= stop:
        if at + 8 <= stop:
            heads = pointer_cast(p + at, i64)[0] ^ first_pattern
            tails = pointer_cast(p + (at + (m - 1)), i64)[0] ^ last_pattern
            if zero_bytes(heads | tails) == 0:
                at = at + 8
                continue
        tried = at + 8 if at + 8 <= stop else stop + 1
        while at < tried:
            if i64(p[at]) == first and i64(p[at + (m - 1)]) == last:
                if same_bytes(p + at, q, m):
                    return at
                cost = cost + m
            at = at + 1
        if cost > PATIENCE + 8 * (at - start) and at <= stop:
            return rolling_find(p, 1, at, end, q, 1, m)
    return -1


def find_from(p: Ptr[u8], v: i64, start: i64, end: i64, q: Ptr[u8], w: i64, m: i64) -> i64:
    """The first position from `start` on, so that all lies before `end`, of `m` code points (at least 1); -1 if
    none."""
    if w > v or end - start < m:
        return -1
    if v == 1:
        if m == 1:
            return find_byte(p, i64(q[0]), start, end)
        return find_bytes(p, start, end, q, m)
    first = load(q, w, 0)
    last = load(q, w, m - 1)
    cost = i64(0)
    at = start
    while at + m <= end:
        if load(p, v, at) == first and load(p, v, at + (m - 1)) == last:
            if match_at(p, v, at, q, w, m):
                return at
            cost = cost + m
            if cost > PATIENCE + 8 * (at - start):
                return rolling_find(p, v, at, end, q, w, m)
        at = at + 1
    return -1


def find_back(p: Ptr[u8], v: i64, start: i64, end: i64, q: Ptr[u8], w: i64, m: i64) -> i64:
    """The last such position."""
    if w > v:
        return -1
    first = load(q, w, 0)
    at = end - m
    while at >= start:
        if load(p, v, at) == first and match_at(p, v, at, q, w, m):
            return at
        at = at - 1
    return -1


def bound(value: i64, n: i64, default: i64) -> i64:
    """A start or end of a search in `n` code points, not yet cut at `n`."""
    if value == NONE_INT:
        return default
    if value < 0:
        return value + n if value + n > 0 else i64(0)
    return value


def bound_end(end: i64, n: i64) -> i64:
    """Where a search in `n` code points ends."""
    found = bound(end, n, n)
    return found if found < n else n


def find_in(self: Ptr[Str], sub: Ptr[Str], start: i64, end: i64, backwards: b8) -> i64:
    """`str_find`, and `str_rfind`."""
    n = self.length
    m = sub.length
    first = bound(start, n, 0)
    last = bound_end(end, n)
    if last - first < m:
        return -1
    if m == 0:
        return last if backwards else first
    if backwards:
        return find_back(data_of(self), width_of(self), first, last, data_of(sub), width_of(sub), m)
    return find_from(data_of(self), width_of(self), first, last, data_of(sub), width_of(sub), m)


def str_find(self: Ptr[Str], sub: Ptr[Str], start: i64, end: i64) -> i64:
    """``s.find(sub, start, end)``."""
    return find_in(self, sub, start, end, False)


def str_rfind(self: Ptr[Str], sub: Ptr[Str], start: i64, end: i64) -> i64:
    """``s.rfind(sub, start, end)``."""
    return find_in(self, sub, start, end, True)


def found_or_error(at: i64, bytes: b8) -> i64:
    """`at`; raises ValueError when it is -1."""
    if at < 0:
        if bytes:
            raise ValueError("subsection not found")
        raise ValueError("substring not found")
    return at


def str_index(self: Ptr[Str], sub: Ptr[Str], start: i64, end: i64) -> i64:
    """``s.index(sub, start, end)``. Raises ValueError when it is not there."""
    return found_or_error(find_in(self, sub, start, end, False), is_bytes(self))


def str_rindex(self: Ptr[Str], sub: Ptr[Str], start: i64, end: i64) -> i64:
    """``s.rindex(sub, start, end)``. Raises ValueError when it is not there."""
    return found_or_error(find_in(self, sub, start, end, True), is_bytes(self))


def str_contains(self: Ptr[Str], sub: Ptr[Str]) -> b8:
    """``sub in s``."""
    return find_in(self, sub, NONE_INT, NONE_INT, False) >= 0


def count_between(self: Ptr[Str], sub: Ptr[Str], first: i64, last: i64, most: i64) -> i64:
    """How often `sub`, which is not empty, comes without overlaps, `most` at most."""
    p = data_of(self)
    v = width_of(self)
    q = data_of(sub)
    w = width_of(sub)
    m = sub.length
    if v == 1 and m == 1 and w == 1:
        found = count_byte(p, i64(q[0]), first, last)
        return found if found < most else most
    found = i64(0)
    at = first
    while found < most:
        at = find_from(p, v, at, last, q, w, m)
        if at < 0:
            break
        found = found + 1
        at = at + m
    return found


def str_count(self: Ptr[Str], sub: Ptr[Str], start: i64, end: i64) -> i64:
    """``s.count(sub, start, end)``."""
    n = self.length
    first = bound(start, n, 0)
    last = bound_end(end, n)
    if last - first < sub.length:
        return 0
    if sub.length == 0:
        return last - first + 1
    return count_between(self, sub, first, last, LARGEST)


def str_startswith(self: Ptr[Str], prefix: Ptr[Str], start: i64, end: i64) -> b8:
    """``s.startswith(prefix, start, end)``."""
    m = prefix.length
    first = bound(start, self.length, 0)
    if bound_end(end, self.length) - first < m:
        return False
    return match_at(data_of(self), width_of(self), first, data_of(prefix), width_of(prefix), m)


def str_endswith(self: Ptr[Str], suffix: Ptr[Str], start: i64, end: i64) -> b8:
    """``s.endswith(suffix, start, end)``."""
    m = suffix.length
    last = bound_end(end, self.length)
    if last - bound(start, self.length, 0) < m:
        return False
    return match_at(data_of(self), width_of(self), last - m, data_of(suffix), width_of(suffix), m)


# ---- replacing


def str_replace(self: Ptr[Str], old: Ptr[Str], new: Ptr[Str], count: i64) -> Ptr[Str]:
    """``s.replace(old, new, count)``. Raises MemoryError and OverflowError."""
    most = count if count >= 0 else i64(LARGEST)
    m = old.length
    n = self.length
    if most == 0 or m > n or str_equal(old, new):
        return string_retain(self)
    found = n + 1
    if m != 0:
        found = count_between(self, old, 0, n, most)
    if found > most:
        found = most
    if found == 0:
        return string_retain(self)
    more = new.length
    if more > m and found > (LARGEST - n) // (more - m):
        raise OverflowError("replace string is too long")
    v = width_of(self)
    w = width_of(new)
    width = v if v > w else w
    ascii = self.ascii & new.ascii != 0
    out = string_like(self, n + found * (more - m), width, ascii)
    to = data_of(out)
    p = data_of(self)
    q = data_of(new)
    if v == 1 and w == 1 and m == 1 and more == 1 and found < most:
        before = data_of(old)[0]
        after = q[0]
        for i in range(n):
            to[i] = after if p[i] == before else p[i]
        return sealed(out, ascii)
    end = i64(0)
    at = i64(0)
    for k in range(found):
        next = at
        if m != 0:
            next = find_from(p, v, at, n, data_of(old), width_of(old), m)
        elif k > 0:
            next = at + 1
        copy_some(to, width, end, p, v, at, next - at)
        end = end + (next - at)
        copy_some(to, width, end, q, w, 0, more)
        end = end + more
        at = next + m
    copy_some(to, width, end, p, v, at, n - at)
    return sealed(out, ascii)


def copy_some(to: Ptr[u8], width: i64, end: i64, p: Ptr[u8], v: i64, at: i64, n: i64) -> None:
    """`copy_chars` of what is often short."""
    if width == 1:
        copy_short(to + end, p + at, n)
    else:
        copy_chars(to, width, end, p + at * v, v, n)


# ---- affixes


def str_removeprefix(self: Ptr[Str], prefix: Ptr[Str]) -> Ptr[Str]:
    """``s.removeprefix(prefix)``. Raises MemoryError."""
    if str_startswith(self, prefix, NONE_INT, NONE_INT):
        return piece(self, prefix.length, self.length - prefix.length)
    return string_retain(self)


def str_removesuffix(self: Ptr[Str], suffix: Ptr[Str]) -> Ptr[Str]:
    """``s.removesuffix(suffix)``. Raises MemoryError."""
    if str_endswith(self, suffix, NONE_INT, NONE_INT):
        return piece(self, 0, self.length - suffix.length)
    return string_retain(self)
