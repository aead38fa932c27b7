"""Tier 3: the end of a call: what it changed of its arguments goes back.

The containers and instances that the call may have changed are compared with their Python objects, and written back
where they differ.
"""

from __future__ import annotations

from typing import Final

from tscript.abi.layout import MAX_DEPTH
from tscript.abi.signature import Seen
from tscript.dialect import (
    Dict,
    List,
    Marshal,
    Object,
    Ptr,
    TypeInfo,
    Void,
    address,
    b8,
    context,
    i32,
    i64,
    pointer,
    select,
    stack,
)
from tscript.runtime.kernels import kinds
from tscript.runtime.kernels import python_api as api
from tscript.runtime.kernels.cycles import give_back
from tscript.runtime.kernels.marshal import drop_python
from tscript.runtime.kernels.objects import cells_behind, element_cells, release_cells
from tscript.runtime.kernels.python_out import fill_dict, fill_set, set_field, value_out
from tscript.runtime.kernels.python_plain_out import check_error
from tscript.runtime.kernels.python_same import is_own, same

SEEN_TENSOR: Final = Seen.TENSOR
END: Final = 9223372036854775807


def marshal_end(m: Ptr[Marshal], called: i64) -> i64:
    """End a call: write back what it changed, if there was one, and give everything back. An exception that is set
    stays.

    Returns:
        0, or -1 with an exception set: something could not be written back.
    """
    failed = 0
    if m.count != 0 or address(api.error_there()) != 0:
        # What goes may run code of the user's.
        failed = entries_end(m, called)
    else:
        drop_arguments(m)
    return failed


def drop_arguments(m: Ptr[Marshal]) -> None:
    """Drop the references of the arguments."""
    frame = m.arguments
    while address(frame) != 0:
        release_cells(pointer(frame[1], TypeInfo), frame + 2)
        frame = pointer(frame[0], i64)
    m.arguments = frame


def entries_end(m: Ptr[Marshal], called: i64) -> i64:
    """`marshal_end` for containers and instances."""
    kept = stack(3, i64)
    api.error_fetch(kept, kept + 1, kept + 2)
    failed = 0
    if called != 0:
        # A call that raised may have left none.
        context().depth = MAX_DEPTH
        count = m.count
        for k in range(count):
            if failed == 0 and (m.entries + k).mutable != 0:
                failed = write_back(m, k)
                if failed != 0:
                    check_error()
    mine = stack(3, i64)
    api.error_fetch(mine, mine + 1, mine + 2)
    drop_arguments(m)
    give_back(m)
    drop_python(m)
    api.error_restore(pointer(mine[0], Void), pointer(mine[1], Void), pointer(mine[2], Void))
    if kept[0] != 0:
        api.error_restore(pointer(kept[0], Void), pointer(kept[1], Void), pointer(kept[2], Void))
    return failed


def write_back(m: Ptr[Marshal], number: i64) -> i64:
    """Make a Python object what its native form is now; -1 with an exception set."""
    entry = m.entries + number
    o = entry.object
    native = entry.native
    kind = entry.info.kind
    if kind == kinds.LIST:
        if entry.info.flags & kinds.LIST_FROZEN != 0:
            return 0
        return list_back(m, o, pointer(address(native), List))
    if kind == kinds.DICT:
        return dict_back(m, o, pointer(address(native), Dict), entry.version)
    if kind == kinds.SET:
        if pointer(address(native), Dict).version == entry.version:
            return 0
        return set_back(m, o, pointer(address(native), Dict))
    if kind == kinds.CLASS and entry.info.flags & kinds.CLASS_FROZEN == 0:
        return class_back(m, o, native)
    return 0


def list_back(m: Ptr[Marshal], o: Ptr[Void], items: Ptr[List]) -> i64:
    """Replace the elements of a list from the first different one on. If there is one, ints among floats, and bools
    among ints, are converted to the element type, so that all numbers have one type."""
    count = items.length
    element = items.typeinfo.parts[0]
    spare = stack(1, i64)
    first = 0
    while first < count and first < api.sequence_size(o):
        if not same(m, pointer(api.list_items(o)[first], Void), element, element_cells(items, first, spare)):
            break
        first = first + 1
    if first == count and first == api.sequence_size(o):
        return 0
    if element.kind < kinds.FIRST_HEAP:
        last = first
        first = 0
        while first < last and is_own(pointer(api.list_items(o)[first], Void), element):
            first = first + 1
    rest = api.list_new(count - first)
    if address(rest) == 0:
        return -1
    failed = -1
    if keep(m, o, rest, items, first):
        failed = i64(api.list_set_slice(o, first, END, rest))
    api.decref(rest)
    return failed


def keep(m: Ptr[Marshal], o: Ptr[Void], rest: Ptr[Void], items: Ptr[List], first: i64) -> b8:
    """Fill the new end of a list: elements that did not change stay the objects they are. False with an exception
    set."""
    element = items.typeinfo.parts[0]
    spare = stack(1, i64)
    for k in range(items.length - first):
        at = first + k
        cells = element_cells(items, at, spare)
        item = api.null()
        if at < api.sequence_size(o):
            there = pointer(api.list_items(o)[at], Void)
            if same(m, there, element, cells) and is_own(there, element):
                api.incref(there)
                item = there
        if address(item) == 0:
            item = value_out(m, element, cells)
        if address(item) == 0:
            return False
        api.list_items(rest)[k] = address(item)
    return True


def dict_back(m: Ptr[Marshal], o: Ptr[Void], table: Ptr[Dict], version: i64) -> i64:
    """Write changed values; if keys were added or removed and those of the Python dict are not the first of them, write
    all entries anew. As in `list_back`, any change converts all numbers to the declared type."""
    changed = differs(m, o, table, version)
    info = table.typeinfo
    place = stack(3, i64)
    place[0] = 0
    number = 0
    matches = True
    while matches and api.dict_next(o, place, place + 1, place + 2) != 0:
        number = next_entry(table, number)
        if number == table.used:
            matches = False
        else:
            entry = table.entries + number * table.stride
            name = pointer(place[1], Void)
            item = pointer(place[2], Void)
            if table.version != version:
                matches = same(m, name, info.parts[0], entry + 1)
            if changed and not is_own(name, info.parts[0]):
                matches = False
            fits = same(m, item, info.parts[1], entry + (1 + info.parts[0].cells))
            if changed and not is_own(item, info.parts[1]):
                fits = False
            if matches and not fits:
                api.incref(name)
                value = value_out(m, info.parts[1], entry + (1 + info.parts[0].cells))
                failed = i32(-1)
                if address(value) != 0:
                    failed = api.dict_set(o, name, value)
                    api.decref(value)
                api.decref(name)
                if failed != 0:
                    return -1
            number = number + 1
    if matches:
        return select(fill_dict(m, o, table, number), i64(0), i64(-1))
    fresh = api.dict_new()
    if address(fresh) == 0:
        return -1
    failed = i32(-1)
    if fill_dict(m, fresh, table, 0):
        api.dict_clear(o)
        failed = api.dict_update(o, fresh)
    api.decref(fresh)
    return i64(failed)


def differs(m: Ptr[Marshal], o: Ptr[Void], table: Ptr[Dict], version: i64) -> b8:
    """Whether a dict is not what it was."""
    if table.version != version:
        return True
    info = table.typeinfo
    place = stack(3, i64)
    place[0] = 0
    number = 0
    while api.dict_next(o, place, place + 1, place + 2) != 0:
        number = next_entry(table, number)
        if number == table.used:
            return True
        entry = table.entries + number * table.stride
        if not same(m, pointer(place[2], Void), info.parts[1], entry + (1 + info.parts[0].cells)):
            return True
        number = number + 1
    return False


def next_entry(table: Ptr[Dict], start: i64) -> i64:
    """The number of the first entry from `start` on that is there, or of the end."""
    number = start
    while number < table.used:
        if (table.entries + number * table.stride)[0] != kinds.DELETED:
            return number
        number = number + 1
    return number


def set_back(m: Ptr[Marshal], o: Ptr[Void], table: Ptr[Dict]) -> i64:
    """Replace the elements of a set."""
    fresh = api.set_new(api.null())
    if address(fresh) == 0:
        return -1
    items = api.null()
    if fill_set(m, fresh, table):
        items = api.sequence_list(fresh)
    api.decref(fresh)
    if address(items) == 0:
        return -1
    failed = api.set_clear(o)
    for k in range(api.sequence_size(items)):
        if failed == 0:
            failed = api.set_add(o, pointer(api.list_items(items)[k], Void))
    api.decref(items)
    return i64(failed)


def class_back(m: Ptr[Marshal], o: Ptr[Void], native: Ptr[Object]) -> i64:
    """Set the fields of an instance that differ. Modules have Tensors of ours, whatever tensors the call has."""
    if native.typeinfo.flags & kinds.CLASS_MODULE == 0:
        return fields_back(m, o, native)
    seen = m.seen
    m.seen = SEEN_TENSOR
    failed = fields_back(m, o, native)
    m.seen = seen
    return failed


def fields_back(m: Ptr[Marshal], o: Ptr[Void], native: Ptr[Object]) -> i64:
    """`class_back`, with tensors as `m` says."""
    info = native.typeinfo
    at = cells_behind(native)
    for k in range(info.count):
        part = info.parts[k]
        changed = info.flags & kinds.CLASS_EXCEPTION == 0 or k == 1 or k >= kinds.EXCEPTION_FIELDS  # the arguments stay
        if changed:
            name = pointer(api.tuple_items(info.objects)[k], Void)
            there = api.attribute_get(o, name)
            if address(there) == 0:
                api.error_clear()
            else:
                changed = not same(m, there, part, at)
                api.decref(there)
        if changed:
            if set_field(m, o, info, k, at) != 0:
                return -1
        at = at + part.cells
    return 0
