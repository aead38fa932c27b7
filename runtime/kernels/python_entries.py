"""Tier 3: the native forms of the Python objects of a call: found again, entered, and the tables among them filled."""

from __future__ import annotations

from tscript.dialect import (
    Dict,
    Marshal,
    Object,
    Ptr,
    TypeInfo,
    Void,
    address,
    b8,
    i64,
    pointer,
    pointer_cast,
)
from tscript.runtime.kernels import kinds
from tscript.runtime.kernels.hashes import key_home
from tscript.runtime.kernels.marshal import (
    find_python,
    remember,
)
from tscript.runtime.kernels.memory import heap_free, heap_try_allocate, value_gone
from tscript.runtime.kernels.objects import (
    copy_cells,
    object_release,
    object_retain,
    replace_cells,
)
from tscript.runtime.kernels.python_scalars import (
    no_memory,
)
from tscript.runtime.kernels.tables import (
    LEAST_ROOM,
    add_entry,
    clear_new,
    entry_key,
    entry_value,
    find_at,
    table_try_rebuild,
)


def known(m: Ptr[Marshal], o: Ptr[Void], info: Ptr[TypeInfo], to: Ptr[i64]) -> b8:
    """Whether an object has a native form already; a reference to it is written."""
    found = find_python(m, o, info)
    if found < 0:
        return False
    entry = m.entries + found
    if m.mutable != 0 and entry.mutable == 0:
        # What was converted for an argument that stays can be reached from one that may change.
        for k in range(m.count):
            if address((m.entries + k).info) != 0:
                (m.entries + k).mutable = 1
    object_retain(entry.native)
    to[0] = address(entry.native)
    return True


def entered(m: Ptr[Marshal], o: Ptr[Void], made: i64, info: Ptr[TypeInfo], to: Ptr[i64]) -> b8:
    """Add the entry of a new object, and write the reference to it. False, and the object gone, when
    there is no memory left."""
    native = pointer(made, Object)
    if remember(m, o, native, info, m.mutable) != 0:
        object_release(native)
        return False
    to[0] = made
    return True


def table_new(info: Ptr[TypeInfo], count: i64) -> Ptr[Dict]:
    """An empty dict or set with room for `count` entries; null when there is no memory left."""
    made = pointer_cast(heap_try_allocate(kinds.DICT_BYTES), Dict)
    if address(made) == 0:
        return made
    clear_new(made, info)
    if count > 0:
        if not table_try_rebuild(made, count):
            value_gone(info)
            heap_free(pointer_cast(made, Void), kinds.DICT_BYTES)
            return pointer(0, Dict)
    return made


def table_put(made: Ptr[Dict], entry: Ptr[i64]) -> i64:
    """Add the key, and value, in the cells of `entry`; their references are the table's then, and the cells 0. Of keys
    that are equal the first stays. -1 when there is no memory left."""
    info = made.typeinfo
    key = info.parts[0]
    home = key_home(key, entry)
    found = find_at(made, home, entry)
    if found >= 0:
        if info.kind == kinds.DICT:
            replace_cells(info.parts[1], entry_value(made, found), entry + key.cells)
        return 0
    if made.used == made.capacity:
        if not table_try_rebuild(made, made.length + (made.length >> 1) + LEAST_ROOM):
            return no_memory()
    number = add_entry(made, home)
    cells = made.stride - 1
    copy_cells(entry_key(made, number), entry, cells)
    for k in range(cells):
        entry[k] = 0
    return 0
