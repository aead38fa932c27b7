"""Tier 2: what a str is made of. Making, comparing, hashing, joining and slicing strings; bytes are the same struct.

A string is kept in the least width its code points fit into, so equal strings are equal bytes. Functions with ``try``
in their name give null when there is no memory left, for callers that have something to give back before they raise.
"""

from __future__ import annotations

from tscript.abi.layout import NONE_INT, STR_STRUCT
from tscript.dialect import (
    Heap,
    Ptr,
    Str,
    TypeInfo,
    Void,
    address,
    b8,
    i16,
    i32,
    i64,
    memcpy,
    memset,
    pointer,
    pointer_cast,
    symbol,
    u8,
)
from tscript.runtime.kernels.memory import (
    LARGEST,
    count_up,
    fits_block,
    heap_free,
    heap_lock,
    heap_try_allocate,
    heap_unlock,
    refuse,
)

HEADER = STR_STRUCT.size
SMALL = 64
"""Bytes of the smallest blocks of the heap: strings of up to `WORD` bytes fit into one."""
WORD = SMALL - STR_STRUCT.size
IMMORTAL = 1 << 40
"""The refcount of an object that is never freed."""
LAST_ASCII = 127
LAST_LATIN = 255
LAST_BMP = 65535

HASH_FACTOR = -7046029254386353131
HASH_FINISH = -4417276706812531889


# ---- code points


def data_of(s: Ptr[Str]) -> Ptr[u8]:
    """The first code point."""
    return pointer_cast(s + 1, u8)


def load(p: Ptr[u8], width: i64, i: i64) -> i64:
    """Code point `i` of those of `width` bytes at `p`."""
    if width == 1:
        return i64(p[i])
    if width == 2:
        return i64(pointer_cast(p, i16)[i]) & 65535
    return i64(pointer_cast(p, i32)[i])


def store(p: Ptr[u8], width: i64, i: i64, c: i64) -> None:
    """Set code point `i` of those of `width` bytes at `p`."""
    if width == 1:
        p[i] = u8(c)
    elif width == 2:
        pointer_cast(p, i16)[i] = i16(c)
    else:
        pointer_cast(p, i32)[i] = i32(c)


def width_of(s: Ptr[Str]) -> i64:
    """Bytes of a code point."""
    return i64(s.width)


def char_at(s: Ptr[Str], i: i64) -> i64:
    """Code point `i`, which is there."""
    return load(data_of(s), width_of(s), i)


def width_for(highest: i64) -> i64:
    """The least width for code points up to `highest`, or for those whose bits are all in `highest`."""
    if highest <= LAST_LATIN:
        return 1
    if highest <= LAST_BMP:
        return 2
    return 4


def any_bits(p: Ptr[u8], width: i64, n: i64) -> i64:
    """The bits that any of `n` code points has: as good as the highest of them to find a width."""
    bits = i64(0)
    if width == 1:
        words = pointer_cast(p, i64)
        whole = n // 8
        for i in range(whole):
            bits = bits | words[i]
        if bits & -9187201950435737472 != 0:
            return LAST_LATIN
        bits = i64(0)
        for i in range(whole * 8, n):
            bits = bits | i64(p[i])
    elif width == 2:
        halves = pointer_cast(p, i16)
        seen = i16(0)
        for i in range(n):
            seen = seen | halves[i]
        bits = i64(seen) & 65535
    else:
        quarters = pointer_cast(p, i32)
        all_seen = i32(0)
        for i in range(n):
            all_seen = all_seen | quarters[i]
        bits = i64(all_seen)
    return bits


def copy_short(to: Ptr[u8], source: Ptr[u8], n: i64) -> None:
    """Copy `n` bytes, which are often few: two words that may overlap, instead of a call."""
    if n > 16:
        memcpy(to, source, n)
    elif n >= 8:
        first = pointer_cast(source, i64)[0]
        last = pointer_cast(source + (n - 8), i64)[0]
        pointer_cast(to, i64)[0] = first
        pointer_cast(to + (n - 8), i64)[0] = last
    elif n >= 4:
        head = pointer_cast(source, i32)[0]
        tail = pointer_cast(source + (n - 4), i32)[0]
        pointer_cast(to, i32)[0] = head
        pointer_cast(to + (n - 4), i32)[0] = tail
    else:
        for i in range(n):
            to[i] = source[i]


def copy_chars(to: Ptr[u8], to_width: i64, at: i64, source: Ptr[u8], width: i64, n: i64) -> None:
    """Copy `n` code points to position `at` of others that are as wide or wider, or that they fit into."""
    if to_width == width:
        memcpy(to + at * width, source, n * width)
    elif to_width == 2 and width == 1:
        halves = pointer_cast(to, i16) + at
        for i in range(n):
            halves[i] = i16(source[i])
    else:
        for i in range(n):
            store(to, to_width, at + i, load(source, width, i))


# ---- memory


def string_bytes(length: i64, width: i64) -> i64:
    """Bytes of the block of a string."""
    return HEADER + (length + 1) * width


def small_block_try() -> Ptr[Void]:
    """A block of `SMALL` bytes, without a call where one is free; null when there is no memory left."""
    heap = symbol("ts_heap_v1", Heap)
    heap_lock(heap)
    head = heap.free[0]
    if head == 0 or heap.allocator != 0:
        heap_unlock(heap)
        return heap_try_allocate(SMALL)
    heap.free[0] = pointer(head, i64)[0]
    heap.cached_bytes = heap.cached_bytes - SMALL
    heap.live_blocks = heap.live_blocks + 1
    heap.live_bytes = heap.live_bytes + SMALL
    heap_unlock(heap)
    return pointer(head, Void)


def block_try(nbytes: i64) -> Ptr[Void]:
    """A block of the heap; null when there is no memory left."""
    if nbytes <= SMALL:
        return small_block_try()
    return heap_try_allocate(nbytes)


def string_try_new(info: Ptr[TypeInfo], length: i64, width: i64, ascii: b8) -> Ptr[Str]:
    """A str or bytes whose code points are not set yet, except the 0 after them; null if there is no memory left."""
    if length < 0 or length > LARGEST // 4:
        return pointer(0, Str)
    s = pointer_cast(block_try(string_bytes(length, width)), Str)
    if address(s) == 0:
        return s
    s.refcount = 1
    s.typeinfo = info
    s.length = length
    s.hash = 0
    s.width = i32(width)
    s.ascii = i32(ascii)
    store(data_of(s), width, length, 0)
    return s


def str_try_new(length: i64, width: i64, ascii: b8) -> Ptr[Str]:
    """A str whose code points are not set yet; null when there is no memory left."""
    return string_try_new(symbol("ts_type:str_v1", TypeInfo), length, width, ascii)


def checked(s: Ptr[Str], length: i64, width: i64) -> Ptr[Str]:
    """`s`; raises MemoryError when it is null, for a string of `length` code points."""
    if address(s) == 0:
        if length > LARGEST // 4:
            raise MemoryError("a string of this length does not fit into memory")
        refuse(string_bytes(length, width))
    return s


def str_new(length: i64, width: i64, ascii: b8) -> Ptr[Str]:
    """A str whose code points are not set yet; raises MemoryError. `ascii` must be what they will be."""
    return checked(str_try_new(length, width, ascii), length, width)


def string_like(s: Ptr[Str], length: i64, width: i64, ascii: b8) -> Ptr[Str]:
    """A string of the type of `s` whose code points are not set yet; raises MemoryError."""
    return checked(string_try_new(s.typeinfo, length, width, ascii), length, width)


def str_free(s: Ptr[Str]) -> None:
    """Give back a str or bytes that has no references."""
    heap_free(pointer_cast(s, Void), string_bytes(s.length, width_of(s)))


def string_retain(s: Ptr[Str]) -> Ptr[Str]:
    """`s`, with one more reference."""
    count_up(pointer_cast(s, i64))
    return s


def sealed(s: Ptr[Str], ascii: b8) -> Ptr[Str]:
    """A new string whose code points are set now, in the least width; `ascii` says that all are known to be.

    Takes over `s`. Raises MemoryError.
    """
    width = width_of(s)
    if ascii and width == 1:
        s.ascii = i32(1)
        return s
    bits = any_bits(data_of(s), width, s.length)
    least = width_for(bits)
    if least == width:
        s.ascii = i32(bits <= LAST_ASCII)
        return s
    n = s.length
    out = string_try_new(s.typeinfo, n, least, bits <= LAST_ASCII)
    if address(out) != 0:
        copy_chars(data_of(out), least, 0, data_of(s), width, n)
    str_free(s)
    return checked(out, n, least)


# ---- shared strings


def one_char(c: i64) -> Ptr[Str]:
    """The only str of the code point `c`, at most `LAST_LATIN`; of none at all when it is `LAST_LATIN` + 1."""
    s = pointer_cast(symbol("ts_characters_v1", u8) + c * SMALL, Str)
    if s.refcount == 0:
        length = i64(c <= LAST_LATIN)
        s.typeinfo = symbol("ts_type:str_v1", TypeInfo)
        s.length = length
        s.hash = 0
        s.width = i32(1)
        s.ascii = i32(c <= LAST_ASCII or c > LAST_LATIN)
        text = data_of(s)
        text[0] = u8(c & LAST_LATIN)
        text[length] = u8(0)
        s.refcount = IMMORTAL
    return string_retain(s)


def empty_str() -> Ptr[Str]:
    """``""``."""
    return one_char(LAST_LATIN + 1)


def char_try(c: i64) -> Ptr[Str]:
    """The str of one code point; null when there is no memory left."""
    if c <= LAST_LATIN:
        return one_char(c)
    width = width_for(c)
    s = str_try_new(1, width, False)
    if address(s) != 0:
        store(data_of(s), width, 0, c)
    return s


def str_of_char(c: i64) -> Ptr[Str]:
    """The str of one code point."""
    return checked(char_try(c), 1, 4)


def str_char(s: Ptr[Str], i: i64) -> Ptr[Str]:
    """The str of code point `i`: what a loop over a str gives. Raises IndexError."""
    if i < 0 or i >= s.length:
        raise IndexError("string index out of range")
    return str_of_char(char_at(s, i))


# ---- slices


def is_bytes(s: Ptr[Str]) -> b8:
    """Whether a string is bytes."""
    return address(s.typeinfo) != address(symbol("ts_type:str_v1", TypeInfo))


def small_copy(to: Ptr[u8], source: Ptr[u8], n: i64, room: i64) -> None:
    """Copy `n` bytes, at most `WORD`, to where there is room for all of `WORD`; `room` bytes of the source may be
    read."""
    if room >= WORD:
        a = pointer_cast(to, i64)
        b = pointer_cast(source, i64)
        first = b[0]
        second = b[1]
        third = b[2]
        a[0] = first
        a[1] = second
        a[2] = third
    else:
        for i in range(n):
            to[i] = source[i]


def piece_try(s: Ptr[Str], start: i64, n: i64) -> Ptr[Str]:
    """Code points `start` to `start` + `n` of `s`, which are there; null when there is no memory left."""
    width = width_of(s)
    if n == s.length:
        return string_retain(s)
    source = data_of(s) + start * width
    if s.ascii != 0 and n < WORD:
        if n <= 1 and not is_bytes(s):
            return empty_str() if n == 0 else one_char(i64(source[0]))
        out = string_try_new(s.typeinfo, n, 1, True)
        if address(out) != 0:
            small_copy(data_of(out), source, n, s.length - start)
            data_of(out)[n] = u8(0)
        return out
    if is_bytes(s):
        bits = any_bits(source, 1, n)
        out = string_try_new(s.typeinfo, n, 1, bits <= LAST_ASCII)
        if address(out) != 0:
            memcpy(data_of(out), source, n)
        return out
    if n == 0:
        return empty_str()
    if n == 1:
        return char_try(load(source, width, 0))
    bits = i64(0)
    if s.ascii == 0:
        bits = any_bits(source, width, n)
    least = width_for(bits)
    out = str_try_new(n, least, bits <= LAST_ASCII)
    if address(out) != 0:
        copy_chars(data_of(out), least, 0, source, width, n)
    return out


def piece(s: Ptr[Str], start: i64, n: i64) -> Ptr[Str]:
    """Code points `start` to `start` + `n` of `s`, which are there. Raises MemoryError."""
    return checked(piece_try(s, start, n), n, width_of(s))


def slice_start(start: i64, n: i64, step: i64) -> i64:
    """Where a slice of `n` elements begins."""
    if start == NONE_INT:
        return 0 if step > 0 else n - 1
    if start < 0:
        if start + n < 0:
            return 0 if step > 0 else i64(-1)
        return start + n
    if start >= n:
        return n if step > 0 else n - 1
    return start


def slice_stop(stop: i64, n: i64, step: i64) -> i64:
    """Where a slice of `n` elements ends."""
    if stop == NONE_INT:
        return n if step > 0 else i64(-1)
    return slice_start(stop, n, step)


def slice_count(first: i64, last: i64, step: i64) -> i64:
    """How many elements a slice has."""
    if step > 0:
        if last <= first:
            return 0
        return (last - first - 1) // step + 1
    if first <= last:
        return 0
    # The step is negated as a sum: the least int has no positive counterpart.
    return (first - last - 1) // (-(step + 1) + 1) + 1 if step > -LARGEST else i64(1)


def str_slice(self: Ptr[Str], start: i64, stop: i64, step: i64) -> Ptr[Str]:
    """``s[start:stop:step]``, of a str or bytes. Raises ValueError when `step` is 0."""
    if step == NONE_INT:
        step = i64(1)
    if step == 0:
        raise ValueError("slice step cannot be zero")
    n = self.length
    first = slice_start(start, n, step)
    count = slice_count(first, slice_stop(stop, n, step), step)
    if step == 1 or count <= 1:
        if count == 0:
            first = i64(0)
        return piece(self, first, count)
    width = width_of(self)
    out = string_like(self, count, width, False)
    source = data_of(self)
    to = data_of(out)
    for i in range(count):
        store(to, width, i, load(source, width, first + i * step))
    if is_bytes(self):
        out.ascii = i32(any_bits(to, 1, count) <= LAST_ASCII)
        return out
    return sealed(out, self.ascii != 0)


def str_getitem(self: Ptr[Str], index: i64) -> Ptr[Str]:
    """``s[index]``. Raises IndexError when there is no such code point."""
    i = index
    if i < 0:
        i = i + self.length
    if i < 0 or i >= self.length:
        raise IndexError("string index out of range")
    return str_char(self, i)


def str_code_at(self: Ptr[Str], index: i64) -> i64:
    """``ord(s[index])``. Raises IndexError when there is no such code point."""
    i = index
    if i < 0:
        i = i + self.length
    if i < 0 or i >= self.length:
        raise IndexError("string index out of range")
    return char_at(self, i)


def str_len(self: Ptr[Str]) -> i64:
    """``len(s)``, of a str or bytes."""
    return self.length


def str_truth(self: Ptr[Str]) -> b8:
    """``bool(s)``, of a str or bytes."""
    return self.length != 0


# ---- joining


def str_add(self: Ptr[Str], other: Ptr[Str]) -> Ptr[Str]:
    """``a + b``, of two str or two bytes. Raises MemoryError."""
    n = self.length
    m = other.length
    if m == 0:
        return string_retain(self)
    if n == 0:
        return string_retain(other)
    a = width_of(self)
    b = width_of(other)
    width = a if a > b else b
    out = string_like(self, n + m, width, self.ascii & other.ascii != 0)
    to = data_of(out)
    copy_chars(to, width, 0, data_of(self), a, n)
    copy_chars(to, width, n, data_of(other), b, m)
    return out


def str_append(self: Ptr[Str], other: Ptr[Str], owners: i64) -> Ptr[Str]:
    """``a + b``, of two str or two bytes, where `a` is released afterwards: in place if it has `owners` references and
    there is room after it; then it has one more. Raises MemoryError."""
    n = self.length
    m = other.length
    width = width_of(self)
    if self.refcount == owners and n != 0 and width_of(other) <= width:
        if fits_block(string_bytes(n, width), string_bytes(n + m, width)):
            to = data_of(self)
            copy_chars(to, width, n, data_of(other), width_of(other), m)
            store(to, width, n + m, 0)
            self.length = n + m
            self.hash = 0
            self.ascii = self.ascii & other.ascii
            return string_retain(self)
    return str_add(self, other)


def str_mul(self: Ptr[Str], count: i64) -> Ptr[Str]:
    """``s * count``, of a str or bytes. Raises MemoryError."""
    n = self.length
    if count == 1:
        return string_retain(self)
    if count <= 0 or n == 0:
        return string_like(self, 0, 1, True)
    if count > LARGEST // n:
        raise MemoryError("a string of this length does not fit into memory")
    width = width_of(self)
    out = string_like(self, n * count, width, self.ascii != 0)
    to = data_of(out)
    if n == 1 and width == 1:
        memset(to, i64(data_of(self)[0]), count)
        return out
    size = n * width
    memcpy(to, data_of(self), size)
    done = size
    total = size * count
    while done < total:
        more = done if done <= total - done else total - done
        memcpy(to + done, to, more)
        done = done + more
    return out


def int_mul_str(count: i64, other: Ptr[Str]) -> Ptr[Str]:
    """``count * s``."""
    return str_mul(other, count)


# ---- comparing


def same_bytes(a: Ptr[u8], b: Ptr[u8], n: i64) -> b8:
    """Whether `n` bytes are the same."""
    i = i64(0)
    if n >= 8:
        while i + 8 <= n:
            if pointer_cast(a + i, i64)[0] != pointer_cast(b + i, i64)[0]:
                return False
            i = i + 8
        return pointer_cast(a + (n - 8), i64)[0] == pointer_cast(b + (n - 8), i64)[0]
    while i < n:
        if a[i] != b[i]:
            return False
        i = i + 1
    return True


def tail_word(p: Ptr[u8], n: i64) -> i64:
    """The last `n` % 8 bytes of the `n` of a string at `p`, whose header lies before them, as a number."""
    rest = n & 7
    if rest == 0:
        return 0
    mask = (i64(1) << (rest * 8)) - 1
    return (pointer_cast(p + (n - 8), i64)[0] >> (64 - rest * 8)) & mask


def str_equal(self: Ptr[Str], other: Ptr[Str]) -> b8:
    """``a == b``, of two str or two bytes."""
    if address(self) == address(other):
        return True
    n = self.length
    if n != other.length or self.width != other.width:
        return False
    size = n * width_of(self)
    a = data_of(self)
    b = data_of(other)
    words = size // 8
    p = pointer_cast(a, i64)
    q = pointer_cast(b, i64)
    i = i64(0)
    while i < words:
        if p[i] != q[i]:
            return False
        i = i + 1
    return tail_word(a, size) == tail_word(b, size)


def str_ne(self: Ptr[Str], other: Ptr[Str]) -> b8:
    """``a != b``."""
    return not str_equal(self, other)


def str_compare(self: Ptr[Str], other: Ptr[Str]) -> i64:
    """-1, 0 or 1: how two str or two bytes are ordered."""
    n = self.length if self.length < other.length else other.length
    a = data_of(self)
    b = data_of(other)
    v = width_of(self)
    w = width_of(other)
    i = i64(0)
    if v == w:
        while i + 8 // v <= n and pointer_cast(a + i * v, i64)[0] == pointer_cast(b + i * v, i64)[0]:
            i = i + 8 // v
    while i < n:
        c = load(a, v, i)
        d = load(b, w, i)
        if c != d:
            return i64(-1) if c < d else i64(1)
        i = i + 1
    if self.length == other.length:
        return 0
    return i64(-1) if self.length < other.length else i64(1)


def str_lt(self: Ptr[Str], other: Ptr[Str]) -> b8:
    """``a < b``."""
    return str_compare(self, other) < 0


def str_le(self: Ptr[Str], other: Ptr[Str]) -> b8:
    """``a <= b``."""
    return str_compare(self, other) <= 0


def str_gt(self: Ptr[Str], other: Ptr[Str]) -> b8:
    """``a > b``."""
    return str_compare(self, other) > 0


def str_ge(self: Ptr[Str], other: Ptr[Str]) -> b8:
    """``a >= b``."""
    return str_compare(self, other) >= 0


# ---- hashing


def shifted(x: i64) -> i64:
    """The upper half of `x`, as a number from 0."""
    return (x >> 32) & 4294967295


def str_hash(self: Ptr[Str]) -> i64:
    """``hash(s)``, of a str or bytes: kept in it, never 0. Differs from process to process."""
    if self.hash != 0:
        return self.hash
    size = self.length * width_of(self)
    p = data_of(self)
    words = pointer_cast(p, i64)
    h = i64(symbol("ts_hash_seed_v1", i64)[0] + size * HASH_FACTOR)
    for i in range(size // 8):
        h = i64((h ^ words[i]) * HASH_FACTOR)
        h = h ^ shifted(h)
    h = i64((h ^ tail_word(p, size)) * HASH_FACTOR)
    h = i64((h ^ shifted(h)) * HASH_FINISH)
    h = h ^ shifted(h)
    if h == 0:
        h = i64(1)
    self.hash = h
    return h
