"""Tier 3: reference cycles of native objects, collected at the end of the call that they were made for.

With refcounts, an unreachable cycle would never be freed. The algorithm is that of Python: references from other
objects of the call are subtracted from each refcount. Objects with a remaining count, and all objects that they refer
to, stay alive; the rest is cleared.
"""

from __future__ import annotations

from tscript.dialect import Dict, List, Marshal, Object, Ptr, TypeInfo, address, i64, pointer
from tscript.runtime.kernels import kinds
from tscript.runtime.kernels.lists import list_clear
from tscript.runtime.kernels.marshal import find_native
from tscript.runtime.kernels.objects import cells_behind, element_at, object_release, release_cells
from tscript.runtime.kernels.tables import table_clear

COUNTING = -2
"""In place of a chain: what is found is taken off its count."""


def give_back(m: Ptr[Marshal]) -> None:
    """Drop the references of all entries to their native objects."""
    left = 0
    for k in range(m.count):
        entry = m.entries + k
        if entry.native.refcount == 1:
            object_release(entry.native)
            entry.native = pointer(0, Object)
        else:
            left = left + 1
    if left > 0:
        break_cycles(m)
        for k in range(m.count):
            object_release((m.entries + k).native)


def break_cycles(m: Ptr[Marshal]) -> None:
    """Empty the objects that only their own references keep."""
    before = note_counts(m)
    for k in range(m.count):
        entry = m.entries + k
        if address(entry.native) != 0:
            visit_parts(m, entry.native, COUNTING)
    chain = -1
    garbage = 0
    for k in range(m.count):
        entry = m.entries + k
        if address(entry.native) != 0:
            if entry.version > 0:
                entry.mutable = chain
                chain = k
            else:
                garbage = garbage + 1
    if garbage == 0:
        return
    while chain >= 0:
        entry = m.entries + chain
        chain = visit_parts(m, entry.native, entry.mutable)
    # Another thread may hold one of them and have moved on meanwhile; then they stay.
    if count_sum(m) == before:
        for k in range(m.count):
            entry = m.entries + k
            if address(entry.native) != 0 and entry.version <= 0:
                empty(entry.native)


def note_counts(m: Ptr[Marshal]) -> i64:
    """Set the version of each entry to the references that others than the entry hold; gives `count_sum`."""
    for k in range(m.count):
        entry = m.entries + k
        if address(entry.native) != 0:
            entry.version = entry.native.refcount - 1
    return count_sum(m)


def count_sum(m: Ptr[Marshal]) -> i64:
    """A number that is another one, most likely, after any of the counts has changed."""
    total = 0
    for k in range(m.count):
        entry = m.entries + k
        if address(entry.native) != 0:
            total = i64(total * 31) + entry.native.refcount
    return total


def visit_parts(m: Ptr[Marshal], native: Ptr[Object], chain: i64) -> i64:
    """`visit` for all that an object refers to."""
    found = chain
    info = native.typeinfo
    if address(info) == 0:
        return chain
    kind = info.kind
    if kind == kinds.LIST:
        items = pointer(address(native), List)
        element = info.parts[0]
        if element.counted != 0:
            for k in range(items.length):
                found = visit_cells(m, element, element_at(items, k), found)
    elif kind == kinds.DICT or kind == kinds.SET:
        table = pointer(address(native), Dict)
        for k in range(table.used):
            entry = table.entries + k * table.stride
            if entry[0] != kinds.DELETED:
                found = visit_cells(m, info.parts[0], entry + 1, found)
                if kind == kinds.DICT:
                    found = visit_cells(m, info.parts[1], entry + (1 + info.parts[0].cells), found)
    elif kind == kinds.CLASS:
        cells = cells_behind(native)
        for k in range(info.count):
            found = visit_cells(m, info.parts[k], cells, found)
            cells = cells + info.parts[k].cells
    elif kind < kinds.FIRST_HEAP:
        found = visit_cells(m, info, cells_behind(native), found)
    return found


def visit_cells(m: Ptr[Marshal], info: Ptr[TypeInfo], cells: Ptr[i64], chain: i64) -> i64:
    """`visit` for the references of a value."""
    found = chain
    for k in range(info.counted):
        cell = cells[info.references[k]]
        if cell != 0:
            found = visit(m, pointer(cell, Object), found)
    return found


def visit(m: Ptr[Marshal], native: Ptr[Object], chain: i64) -> i64:
    """Come to an object by one reference: take that off its count, or put it at the start of the chain of those that
    live when it was not known to. Gives the start of the chain."""
    info = native.typeinfo
    if address(info) == 0:
        return chain
    kind = info.kind
    if kind < kinds.FIRST_HEAP:
        return visit_parts(m, native, chain)
    if kind < kinds.LIST or kind > kinds.CLASS:
        return chain
    found = find_native(m, address(native))
    if found < 0:
        return chain
    entry = m.entries + found
    if chain == COUNTING:
        entry.version = entry.version - 1
    elif entry.version <= 0:
        entry.version = 1
        entry.mutable = chain
        return found
    return chain


def empty(native: Ptr[Object]) -> None:
    """Drop all that an object refers to."""
    info = native.typeinfo
    if address(info) == 0:
        return
    kind = info.kind
    if kind == kinds.LIST:
        list_clear(pointer(address(native), List))
    elif kind == kinds.DICT or kind == kinds.SET:
        table_clear(pointer(address(native), Dict))
    elif kind == kinds.CLASS:
        cells = cells_behind(native)
        for k in range(info.count):
            part = info.parts[k]
            release_cells(part, cells)
            for c in range(part.cells):
                cells[c] = 0
            cells = cells + part.cells
