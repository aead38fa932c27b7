"""Tier 2: references to heap objects of every kind, and freeing of objects without references.

Dead objects are chained through their refcounts, which are not needed any more, and freed one after the other. So
freeing a list of a million nodes needs no recursion, and releasing cannot fail.
"""

from __future__ import annotations

from typing import Final

from tscript.abi import exceptions, layout
from tscript.dialect import (
    Dict,
    List,
    Loaded,
    Object,
    Ptr,
    Site,
    Str,
    TensorImpl,
    TypeInfo,
    Void,
    address,
    b8,
    i32,
    i64,
    memcpy,
    pointer,
    pointer_cast,
    symbol,
    u8,
)
from tscript.runtime.kernels import kinds
from tscript.runtime.kernels.memory import heap_allocate, heap_free, heap_try_allocate, value_gone, value_made
from tscript.runtime.kernels.memory_blocks import IS_CHECKED, count_down, count_up
from tscript.runtime.kernels.memory_checked import complain, object_trouble, place_of_call
from tscript.runtime.kernels.tensor import drop_object, tensor_release

CLASS_EXCEPTION: Final = layout.CLASS_EXCEPTION
NUMBER_SHIFT: Final = exceptions.NUMBER_SHIFT
RECORD_CELL: Final = exceptions.RECORD_CELL
EXCEPTION_FIELDS: Final = len(exceptions.FIELDS)


def object_retain(object: Ptr[Object]) -> None:
    """One more reference to a heap object of any kind; nothing for null."""
    if address(object) != 0:
        if IS_CHECKED != 0:
            if object_trouble(address(object)) != 0:
                complain(object_trouble(address(object)), address(object), 0, place_of_call())
                return
        count_up(pointer_cast(object, i64))


def object_release(object: Ptr[Object]) -> None:
    """Drop one reference to a heap object of any kind; nothing for null."""
    if address(object) != 0:
        if IS_CHECKED != 0:
            if object_trouble(address(object)) != 0:
                complain(object_trouble(address(object)), address(object), 0, place_of_call())
                return
        if count_down(pointer_cast(object, i64)):
            object_drop(object)


def object_drop(object: Ptr[Object]) -> None:
    """Free a heap object whose last reference is gone, and all that dies with it."""
    object.refcount = 0
    pending = address(object)
    while pending != 0:
        dead = pointer(pending, Object)
        pending = take_apart(dead, dead.refcount)


def take_apart(dead: Ptr[Object], pending: i64) -> i64:
    """Free one dead object. Objects that die with it are chained in front of `pending`, a chain too; returns its
    start."""
    info = dead.typeinfo
    if address(info) == 0:
        dead.refcount = 1
        tensor_release(pointer_cast(dead, TensorImpl))
        return pending
    if address(info.drop) != 0:
        dead.refcount = 0
        drop_object(pointer_cast(dead, u8))
        return pending
    found = pending
    kind = info.kind
    if kind == kinds.STR or kind == kinds.BYTES:
        text = pointer_cast(dead, Str)
        heap_free(pointer_cast(dead, Void), kinds.STR_BYTES + (text.length + 1) * i64(text.width))
    elif kind == kinds.LIST:
        items = pointer_cast(dead, List)
        if info.parts[0].counted != 0:
            found = leave_rows(info.parts[0], items.data, items.length, found)
        if items.capacity != 0:
            heap_free(pointer_cast(items.data, Void), items.capacity * items.itemsize)
        heap_free(pointer_cast(dead, Void), kinds.LIST_BYTES)
    elif kind == kinds.DICT or kind == kinds.SET:
        found = take_apart_dict(pointer_cast(dead, Dict), found)
        heap_free(pointer_cast(dead, Void), kinds.DICT_BYTES)
    elif kind == kinds.CLASS:
        cells = cells_behind(dead)
        if info.flags & CLASS_EXCEPTION != 0 and info.count >= EXCEPTION_FIELDS:
            site_leave(pointer(cells[RECORD_CELL], Site))
        for k in range(info.count):
            found = leave_row(info.parts[k], cells, found)
            cells = cells + info.parts[k].cells
        heap_free(pointer_cast(dead, Void), address(cells) - address(dead))
    elif kind == kinds.CALLABLE:
        found = leave_cell(cells_behind(dead)[1], found)
        owner = cells_behind(dead)[2]
        if owner != 0:
            count_down(pointer(owner, i64))
        heap_free(pointer_cast(dead, Void), kinds.CALLABLE_BYTES)
    else:
        found = leave_row(info, cells_behind(dead), found)
        heap_free(pointer_cast(dead, Void), kinds.OBJECT_BYTES + 8 * info.cells)
    value_gone(info)  # nothing reads the type after this
    return found


def take_apart_dict(table: Ptr[Dict], pending: i64) -> i64:
    """`take_apart` for the entries of a dict or a set, and its memory except the header."""
    found = pending
    info = table.typeinfo
    key = info.parts[0]
    counted = key.counted
    if info.kind == kinds.DICT:
        counted = counted + info.parts[1].counted
    if counted != 0:
        stride = table.stride
        for k in range(table.used):
            entry = table.entries + k * stride
            if entry[0] != kinds.DELETED:
                found = leave_row(key, entry + 1, found)
                if info.kind == kinds.DICT:
                    found = leave_row(info.parts[1], entry + (1 + key.cells), found)
    free_table(table.entries, table.index, table.mask, table.stride)
    return found


def leave_rows(info: Ptr[TypeInfo], cells: Ptr[i64], count: i64, pending: i64) -> i64:
    """`leave_row` for `count` values in a row."""
    found = pending
    width = info.cells
    for k in range(count):
        found = leave_row(info, cells + k * width, found)
    return found


def leave_row(info: Ptr[TypeInfo], cells: Ptr[i64], pending: i64) -> i64:
    """Drop the references of a value; objects that die are chained in front of `pending`."""
    found = pending
    for k in range(info.counted):
        found = leave_cell(cells[info.references[k]], found)
    return found


def leave_cell(cell: i64, pending: i64) -> i64:
    """`leave_row` for one reference, which may be 0."""
    if cell == 0:
        return pending
    object = pointer(cell, Object)
    if count_down(pointer_cast(object, i64)):
        object.refcount = pending
        return cell
    return pending


def free_table(entries: Ptr[i64], index: Ptr[i32], mask: i64, stride: i64) -> None:
    """Give back the memory of a table; what it refers to is not touched."""
    if mask >= 0:
        heap_free(pointer_cast(entries, Void), entries_room(mask + 1) * stride * 8)
        heap_free(pointer_cast(index, Void), (mask + 1) * 4)


def entries_room(slots: i64) -> i64:
    """Entries that a table with an index of so many slots has room for: a third of the slots stays empty."""
    return slots * 2 // 3


def cells_behind(object: Ptr[Object]) -> Ptr[i64]:
    """The cells of a class instance or of a boxed value."""
    return pointer_cast(object + 1, i64)


def retain_cells(info: Ptr[TypeInfo], cells: Ptr[i64]) -> None:
    """One more reference to all that a value refers to."""
    for k in range(info.counted):
        object_retain(pointer(cells[info.references[k]], Object))


def release_cells(info: Ptr[TypeInfo], cells: Ptr[i64]) -> None:
    """Drop the references of a value."""
    for k in range(info.counted):
        object_release(pointer(cells[info.references[k]], Object))


def copy_cells(target: Ptr[i64], source: Ptr[i64], count: i64) -> None:
    """Copy cells; references are not counted."""
    if count == 1:
        target[0] = source[0]
    else:
        memcpy(pointer_cast(target, u8), pointer_cast(source, u8), count * 8)


def put_cells(info: Ptr[TypeInfo], target: Ptr[i64], source: Ptr[i64]) -> None:
    """Copy a value to cells that hold none; its references count once more."""
    if info.counted != 0:
        retain_cells(info, source)
    copy_cells(target, source, info.cells)


def replace_cells(info: Ptr[TypeInfo], target: Ptr[i64], source: Ptr[i64]) -> None:
    """Write a value over another one."""
    if info.counted == 0:
        copy_cells(target, source, info.cells)
        return
    retain_cells(info, source)
    release_cells(info, target)
    copy_cells(target, source, info.cells)


def element_at(items: Ptr[List], index: i64) -> Ptr[i64]:
    """Where element `index` lies: its cells, unless it is one byte."""
    return pointer(address(items.data) + index * items.itemsize, i64)


def byte_at(items: Ptr[List], index: i64) -> Ptr[u8]:
    """Where element `index` lies in a list whose elements are bytes."""
    return pointer_cast(items.data, u8) + index


def element_cells(items: Ptr[List], index: i64, spare: Ptr[i64]) -> Ptr[i64]:
    """The cells of element `index`, to be read: where it lies, or the cell `spare` if it is one byte."""
    if items.itemsize == 1:
        spare[0] = i64(byte_at(items, index)[0])
        return spare
    return element_at(items, index)


def put_element(items: Ptr[List], index: i64, cells: Ptr[i64]) -> None:
    """Copy a value to the place of an element where there is none."""
    if items.itemsize == 1:
        byte_at(items, index)[0] = u8(cells[0])
    else:
        put_cells(items.typeinfo.parts[0], element_at(items, index), cells)


def replace_element(items: Ptr[List], index: i64, cells: Ptr[i64]) -> None:
    """Write a value over an element."""
    if items.itemsize == 1:
        byte_at(items, index)[0] = u8(cells[0])
    else:
        replace_cells(items.typeinfo.parts[0], element_at(items, index), cells)


def get_element(items: Ptr[List], index: i64, out: Ptr[i64]) -> None:
    """Copy an element to cells that hold no value."""
    put_cells(items.typeinfo.parts[0], out, element_cells(items, index, out))


def object_box(info: Ptr[TypeInfo], cells: Ptr[i64]) -> Ptr[Object]:
    """A value that does not live on the heap as an object."""
    made = pointer_cast(heap_allocate(kinds.OBJECT_BYTES + 8 * info.cells), Object)
    made.refcount = 1
    made.typeinfo = info
    value_made(info)
    put_cells(info, cells_behind(made), cells)
    return made


def object_new(info: Ptr[TypeInfo], cells: i64) -> Ptr[Object]:
    """An instance of a class, with zeros in its cells, of which it has `cells`."""
    made = pointer_cast(heap_allocate(kinds.OBJECT_BYTES + 8 * cells), Object)
    made.refcount = 1
    made.typeinfo = info
    value_made(info)
    at = cells_behind(made)
    for k in range(cells):
        at[k] = 0
    return made


def site_hold(site: Ptr[Site]) -> None:
    """Something refers to a site from now on, which may be null; what contains it stays loaded."""
    if address(site) != 0:
        if address(site.owner) != 0:
            count_up(pointer_cast(site.owner, i64))


def site_leave(site: Ptr[Site]) -> None:
    """The end of what `site_hold` began."""
    if address(site) != 0:
        if address(site.owner) != 0:
            count_down(pointer_cast(site.owner, i64))


def trace_hold(trace: Ptr[i64], count: i64) -> None:
    """`site_hold` for a trace that somebody keeps."""
    for k in range(count):
        site_hold(pointer(trace[k], Site))


def trace_leave(trace: Ptr[i64], count: i64) -> None:
    """`site_leave` for a trace that somebody kept."""
    for k in range(count):
        site_leave(pointer(trace[k], Site))


def closure_new(
    info: Ptr[TypeInfo], code: Ptr[Void], held: Ptr[TypeInfo], cells: Ptr[i64], owner: Ptr[Loaded]
) -> Ptr[Object]:
    """A function as a value.

    Args:
        info: Its type.
        code: What runs when it is called.
        held: Type of what it holds, as a tuple; null when it holds nothing.
        cells: What it holds.
        owner: Of the object with the code, or null.
    """
    environment = 0
    if address(held) != 0:
        environment = address(object_box(held, cells))
    made = pointer_cast(heap_try_allocate(kinds.CALLABLE_BYTES), Object)
    if address(made) == 0:
        object_release(pointer(environment, Object))
        raise MemoryError("cannot allocate a function")
    made.refcount = 1
    made.typeinfo = info
    value_made(info)
    to = cells_behind(made)
    to[0] = address(code)
    to[1] = environment
    to[2] = address(owner)
    if address(owner) != 0:
        count_up(pointer_cast(owner, i64))
    return made


def object_is(object: Ptr[Object], info: Ptr[TypeInfo]) -> b8:
    """Whether an object, which may be null, is of a type, or an instance of a class derived from it."""
    if address(object) == 0:
        return False
    found = object.typeinfo
    if address(found) == 0:
        return info.kind == kinds.TENSOR
    while address(found) != 0:
        if address(found) == address(info):
            return True
        if found.kind != kinds.CLASS:
            return False
        found = found.base
    own = object.typeinfo
    if own.kind != kinds.CLASS or info.kind != kinds.CLASS:
        return False
    if (own.flags & CLASS_EXCEPTION) != 0 and (info.flags & CLASS_EXCEPTION) != 0:
        types = symbol("ts_exception_types_v1", Ptr[TypeInfo])
        found = types[own.flags >> NUMBER_SHIFT]  # its builtin class, if it has several bases
        while address(found) != 0:
            if address(found) == address(info):
                return True
            found = found.base
    return False
