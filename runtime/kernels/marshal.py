"""Tier 2: what one call knows of the Python objects it has native forms of (`tscript.abi.layout.MARSHAL`).

A list, dict, set or instance is converted once in a call, so what is one object to Python is one to native code, and a
cycle ends. Two indexes with open addressing lead to an entry: by Python object and type, and, made only when a native
object has to go back, by native object.
"""

from __future__ import annotations

from typing import Final

from tscript.abi.conversion import Step
from tscript.abi.layout import MARSHAL_ENTRY, MARSHAL_FIRST
from tscript.dialect import (
    Marshal,
    MarshalEntry,
    Object,
    Ptr,
    TypeInfo,
    Void,
    address,
    free,
    i32,
    i64,
    malloc,
    memcpy,
    memset,
    pointer,
    pointer_cast,
    u8,
)
from tscript.runtime.kernels.objects import object_retain
from tscript.runtime.kernels.python_api import (
    decref,
    incref,
    list_append,
    list_new,
    long_from,
    null,
    xdecref,
)

FEW: Final = MARSHAL_FIRST
ENTRY_BYTES: Final = MARSHAL_ENTRY.size
SPREAD: Final = -7046029254386353131

ELEMENT: Final = int(Step.ELEMENT)
KEY: Final = int(Step.KEY)
VALUE: Final = int(Step.VALUE)
FIELD: Final = int(Step.FIELD)
MISSING: Final = int(Step.MISSING)


def home(word: i64, mask: i64) -> i64:
    """The first slot of an address."""
    spread = i64(word * SPREAD)
    return (spread >> 32) & mask


def find_python(m: Ptr[Marshal], o: Ptr[Void], info: Ptr[TypeInfo]) -> i64:
    """The number of the entry of a Python object converted to a type, or -1."""
    slots = m.slots
    if address(slots) == 0:
        for k in range(m.count):
            entry = m.entries + k
            if address(entry.object) == address(o) and address(entry.info) == address(info):
                return k
        return -1
    mask = 2 * m.capacity - 1
    at = home(address(o), mask)
    found = i64(slots[at])
    while found >= 0:
        entry = m.entries + found
        if address(entry.object) == address(o) and address(entry.info) == address(info):
            return found
        at = (at + 1) & mask
        found = i64(slots[at])
    return -1


def put(slots: Ptr[i32], mask: i64, word: i64, number: i64) -> None:
    """Note an entry in an index that has room."""
    at = home(word, mask)
    while slots[at] >= 0:
        at = (at + 1) & mask
    slots[at] = i32(number)


def grow(m: Ptr[Marshal]) -> i64:
    """Room for twice as many entries; -1 when there is no memory left."""
    if m.capacity == 0:
        m.entries = pointer_cast(m.first, MarshalEntry)
        m.capacity = FEW
        return 0
    capacity = 2 * m.capacity
    if capacity >= 1 << 30:
        return -1
    entries = pointer_cast(malloc(capacity * ENTRY_BYTES), MarshalEntry)
    slots = pointer_cast(malloc(2 * capacity * 4), i32)
    if address(entries) == 0 or address(slots) == 0:
        free(pointer_cast(entries, u8))
        free(pointer_cast(slots, u8))
        return -1
    memset(pointer_cast(slots, u8), -1, 2 * capacity * 4)
    memcpy(pointer_cast(entries, u8), pointer_cast(m.entries, u8), m.count * ENTRY_BYTES)
    for k in range(m.count):
        put(slots, 2 * capacity - 1, address((entries + k).object), k)
    free_memory(m)
    m.natives = pointer(0, i32)
    m.indexed = 0
    m.entries = entries
    m.slots = slots
    m.capacity = capacity
    return 0


def free_memory(m: Ptr[Marshal]) -> None:
    """Free the entries and the indexes, if there is memory of their own."""
    if address(m.slots) != 0:
        free(pointer_cast(m.entries, u8))
        free(pointer_cast(m.slots, u8))
        free(pointer_cast(m.natives, u8))


def remember(m: Ptr[Marshal], o: Ptr[Void], native: Ptr[Object], info: Ptr[TypeInfo], mutable: i64) -> i64:
    """Add an entry, with references of its own to both forms; -1 when there is no memory left."""
    if m.count == m.capacity:
        if grow(m) != 0:
            return -1
    entry = m.entries + m.count
    entry.object = o
    entry.native = native
    entry.info = info
    entry.mutable = mutable
    entry.version = 0
    incref(o)
    object_retain(native)
    if address(m.slots) != 0:
        put(m.slots, 2 * m.capacity - 1, address(o), m.count)
    m.count = m.count + 1
    return 0


def forget_from(m: Ptr[Marshal], count: i64) -> None:
    """Hide the entries from number `count` on, whose conversion failed; the call still owns them."""
    for k in range(count, m.count):
        entry = m.entries + k
        entry.info = pointer(0, TypeInfo)
        entry.mutable = 0


def find_native(m: Ptr[Marshal], native: i64) -> i64:
    """The number of the entry of a native object, -1 for none, -2 when there is no memory left."""
    if address(m.slots) == 0:
        for k in range(m.count):
            if address((m.entries + k).native) == native:
                return k
        return -1
    mask = 2 * m.capacity - 1
    if address(m.natives) == 0:
        m.natives = pointer_cast(malloc(2 * m.capacity * 4), i32)
        if address(m.natives) == 0:
            return -2
        memset(pointer_cast(m.natives, u8), -1, 2 * m.capacity * 4)
        m.indexed = 0
    for k in range(m.indexed, m.count):
        put(m.natives, mask, address((m.entries + k).native), k)
    m.indexed = m.count
    at = home(native, mask)
    found = i64(m.natives[at])
    while found >= 0:
        if address((m.entries + found).native) == native:
            return found
        at = (at + 1) & mask
        found = i64(m.natives[at])
    return -1


def drop_python(m: Ptr[Marshal]) -> None:
    """Drop the references of all entries to their Python objects, and the entries."""
    # Nobody looks anything up any more, whatever the last references that go may run.
    for k in range(m.count):
        decref((m.entries + k).object)
    free_memory(m)
    m.count = 0


# ---- what does not fit


def mismatch(m: Ptr[Marshal], o: Ptr[Void], expected: Ptr[TypeInfo]) -> i64:
    """Note that a value is not of a type; -1."""
    incref(o)
    m.failed = o
    m.expected = expected
    return -1


def step(m: Ptr[Marshal], kind: i64, o: Ptr[Void]) -> i64:
    """Note on the way out where the value was that does not fit. Takes over `o`, which may be null; -1."""
    if address(m.failed) != 0:
        if address(m.path) == 0:
            m.path = list_new(0)
        code = long_from(kind)
        if address(m.path) != 0 and address(code) != 0 and address(o) != 0:
            if list_append(m.path, code) == 0:
                list_append(m.path, o)
        xdecref(code)
    xdecref(o)
    return -1


def step_number(m: Ptr[Marshal], kind: i64, number: i64) -> i64:
    """`step` to an element."""
    if address(m.failed) == 0:
        return -1
    return step(m, kind, long_from(number))


def step_to(m: Ptr[Marshal], kind: i64, o: Ptr[Void]) -> i64:
    """`step` with an object that stays the caller's."""
    incref(o)
    return step(m, kind, o)


def excuse(m: Ptr[Marshal]) -> None:
    """Forget a value that did not fit."""
    xdecref(m.failed)
    xdecref(m.path)
    m.failed = null()
    m.path = null()
