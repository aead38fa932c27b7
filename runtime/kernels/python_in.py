"""Tier 3: Python objects as native values.

Python code that runs during a conversion cannot make it read freed memory: code of the user (a property of an instance,
a finaliser) is only called while this holds its own references, and lengths are read again afterwards. Only the
contents of the builtin types and of derived ones are read; their methods are not called.

The state is consistent at any time, so a conversion that fails in the middle leaks nothing: cells of references are 0
before they are written, and a new object belongs to its entry.
"""

from __future__ import annotations

from typing import Final

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
    free,
    i64,
    malloc,
    memset,
    pointer,
    pointer_cast,
    stack,
    symbol,
    u8,
)
from tscript.runtime.kernels import kinds
from tscript.runtime.kernels import python_api as api
from tscript.runtime.kernels.marshal import (
    ELEMENT,
    FIELD,
    KEY,
    MISSING,
    VALUE,
    excuse,
    forget_from,
    mismatch,
    step_number,
    step_to,
)
from tscript.runtime.kernels.memory import heap_try_allocate, value_made
from tscript.runtime.kernels.objects import (
    cells_behind,
    element_at,
    object_release,
    put_element,
    release_cells,
)
from tscript.runtime.kernels.python_classes import ask, class_of, derives
from tscript.runtime.kernels.python_entries import entered, known, table_new, table_put
from tscript.runtime.kernels.python_plain_in import floats_in, ints_in, plain_in
from tscript.runtime.kernels.python_scalars import (
    bool_in,
    fitting,
    float_in,
    int_in,
    is_deep,
    no_memory,
    str_in,
    too_deep,
    type_differs,
)

SEEN_MODULE: Final = Seen.MODULE
SMALL_ENTRY: Final = 16
"""Cells of an entry of a dict that are on the stack while it is converted."""


def value_in(m: Ptr[Marshal], o: Ptr[Void], info: Ptr[TypeInfo], to: Ptr[i64]) -> i64:
    """Write a value to cells that are 0; -1 when that cannot be, with an exception set or what is wrong noted."""
    kind = info.kind
    if kind == kinds.INT:
        return int_in(m, o, info, to)
    if kind == kinds.STR:
        return str_in(m, o, info, to)
    if kind == kinds.FLOAT:
        return float_in(m, o, info, to)
    if kind == kinds.BOOL:
        return bool_in(m, o, info, to)
    if is_deep():
        return too_deep()
    if kind == kinds.LIST:
        return list_in(m, o, info, to)
    if kind == kinds.TUPLE:
        return tuple_in(m, o, info, to)
    if kind == kinds.DICT:
        return dict_in(m, o, info, to)
    if kind == kinds.SET:
        return set_in(m, o, info, to)
    if kind == kinds.CLASS:
        return class_in(m, o, info, to)
    if kind == kinds.OPTIONAL:
        return optional_in(m, o, info, to)
    if kind == kinds.OBJECT:
        return any_in(m, o, info, to)
    return plain_in(m, o, info, to)


# ---- sequences


def list_in(m: Ptr[Marshal], o: Ptr[Void], info: Ptr[TypeInfo], to: Ptr[i64]) -> i64:
    """A list, or a tuple of any length. A tuple is taken for a list, too: as a list of its own."""
    frozen = info.flags & kinds.LIST_FROZEN != 0
    given = api.is_tuple(o)
    if not given and (frozen or not api.is_list(o)):
        return mismatch(m, o, info)
    own = given and not frozen
    if not own and known(m, o, info, to):
        return 0
    count = api.sequence_size(o)
    element = info.parts[0]
    itemsize = element.itemsize
    made = pointer_cast(heap_try_allocate(kinds.LIST_BYTES), List)
    if address(made) == 0:
        return no_memory()
    made.refcount = 1
    made.typeinfo = info
    made.length = 0
    made.capacity = 0
    made.data = pointer(0, i64)
    made.itemsize = itemsize
    value_made(info)
    if own:
        to[0] = address(made)
    elif not entered(m, o, address(made), info, to):
        return -1
    if count == 0:
        return 0
    data = pointer_cast(heap_try_allocate(count * itemsize), i64)
    if address(data) == 0:
        return no_memory()
    made.data = data
    made.capacity = count
    if given:
        return elements_in(m, api.tuple_items(o), made, count)
    if itemsize == 8 and element.kind == kinds.INT:
        return ints_in(m, api.list_items(o), element, made, count)
    if element.kind == kinds.FLOAT:
        return floats_in(m, api.list_items(o), element, made, count)
    memset(pointer_cast(data, u8), 0, count * itemsize)
    made.length = count
    spare = stack(1, i64)
    for k in range(count):
        if k >= api.sequence_size(o):
            # Code of the user's made the list shorter meanwhile.
            made.length = k
            return 0
        item = pointer(api.list_items(o)[k], Void)
        api.incref(item)
        failed = element_in(m, item, made, k, spare)
        api.decref(item)
        if failed != 0:
            return step_number(m, ELEMENT, k)
    return 0


def element_in(m: Ptr[Marshal], item: Ptr[Void], made: Ptr[List], k: i64, spare: Ptr[i64]) -> i64:
    """Element `k` of a list, whose memory is zero; `spare` is a cell."""
    element = made.typeinfo.parts[0]
    if made.itemsize != 1:
        return value_in(m, item, element, element_at(made, k))
    if value_in(m, item, element, spare) != 0:
        return -1
    put_element(made, k, spare)
    return 0


def elements_in(m: Ptr[Marshal], items: Ptr[i64], made: Ptr[List], count: i64) -> i64:
    """The elements of a tuple, which holds them."""
    memset(pointer_cast(made.data, u8), 0, count * made.itemsize)
    made.length = count
    spare = stack(1, i64)
    for k in range(count):
        if element_in(m, pointer(items[k], Void), made, k, spare) != 0:
            return step_number(m, ELEMENT, k)
    return 0


def tuple_in(m: Ptr[Marshal], o: Ptr[Void], info: Ptr[TypeInfo], to: Ptr[i64]) -> i64:
    """A tuple of known length, which may be a named one."""
    if not api.is_tuple(o):
        return mismatch(m, o, info)
    if api.sequence_size(o) != info.count:
        return mismatch(m, o, info)
    if address(info.python) != 0:
        if type_differs(o, info):
            return mismatch(m, o, info)
    items = api.tuple_items(o)
    at = to
    for k in range(info.count):
        part = info.parts[k]
        if value_in(m, pointer(items[k], Void), part, at) != 0:
            return step_number(m, ELEMENT, k)
        at = at + part.cells
    return 0


# ---- dicts and sets


def dict_in(m: Ptr[Marshal], o: Ptr[Void], info: Ptr[TypeInfo], to: Ptr[i64]) -> i64:
    """A dict."""
    if not api.is_dict(o):
        return mismatch(m, o, info)
    if known(m, o, info, to):
        return 0
    made = table_new(info, api.dict_size(o))
    if address(made) == 0:
        return no_memory()
    if not entered(m, o, address(made), info, to):
        return -1
    number = m.count - 1
    cells = info.parts[0].cells + info.parts[1].cells
    entry = stack(16, i64)
    if cells > SMALL_ENTRY:
        entry = pointer_cast(malloc(8 * cells), i64)
        if address(entry) == 0:
            return no_memory()
    failed = entries_in(m, o, made, entry)
    if cells > SMALL_ENTRY:
        free(pointer_cast(entry, u8))
    made.moves = 0
    (m.entries + number).version = made.version
    return failed


def entries_in(m: Ptr[Marshal], o: Ptr[Void], made: Ptr[Dict], entry: Ptr[i64]) -> i64:
    """Fill a new dict."""
    info = made.typeinfo
    key = info.parts[0]
    value = info.parts[1]
    cells = key.cells + value.cells
    place = stack(3, i64)
    place[0] = 0
    while api.dict_next(o, place, place + 1, place + 2) != 0:
        for k in range(cells):
            entry[k] = 0
        name = pointer(place[1], Void)
        item = pointer(place[2], Void)
        api.incref(name)
        api.incref(item)
        failed = value_in(m, name, key, entry)
        if failed != 0:
            step_to(m, KEY, name)
        else:
            failed = value_in(m, item, value, entry + key.cells)
            if failed != 0:
                step_to(m, VALUE, name)
        if failed == 0:
            failed = table_put(made, entry)
        release_cells(key, entry)
        release_cells(value, entry + key.cells)
        api.decref(name)
        api.decref(item)
        if failed != 0:
            return -1
    return 0


def set_in(m: Ptr[Marshal], o: Ptr[Void], info: Ptr[TypeInfo], to: Ptr[i64]) -> i64:
    """A set."""
    if not api.is_set(o):
        return mismatch(m, o, info)
    if known(m, o, info, to):
        return 0
    items = api.sequence_list(o)
    if address(items) == 0:
        return -1
    count = api.sequence_size(items)
    made = table_new(info, count)
    if address(made) == 0:
        api.decref(items)
        return no_memory()
    if not entered(m, o, address(made), info, to):
        api.decref(items)
        return -1
    number = m.count - 1
    element = info.parts[0]
    cell = stack(16, i64)
    entry = cell
    if element.cells > SMALL_ENTRY:
        entry = pointer_cast(malloc(8 * element.cells), i64)
    failed = 0
    if address(entry) == 0:
        failed = no_memory()
    at = 0
    while failed == 0 and at < count:
        for k in range(element.cells):
            entry[k] = 0
        item = pointer(api.list_items(items)[at], Void)
        failed = value_in(m, item, element, entry)
        if failed != 0:
            step_to(m, KEY, item)
        else:
            failed = table_put(made, entry)
        release_cells(element, entry)
        at = at + 1
    if element.cells > SMALL_ENTRY:
        free(pointer_cast(entry, u8))
    api.decref(items)
    made.moves = 0
    (m.entries + number).version = made.version
    return failed


# ---- instances, optionals, unions


def class_in(m: Ptr[Marshal], o: Ptr[Void], wanted: Ptr[TypeInfo], to: Ptr[i64]) -> i64:
    """An instance of a class, or of one derived from it."""
    info = wanted
    if address(wanted.python) == 0:
        return mismatch(m, o, wanted)
    if address(api.type_of(o)) != address(wanted.python):
        if type_differs(o, wanted):
            return mismatch(m, o, wanted)
        found = class_of(o)
        if found == -1:
            return -1
        info = pointer(found, TypeInfo)
        if not derives(info, wanted):
            return mismatch(m, o, wanted)
    if known(m, o, info, to):
        return 0
    cells = 0
    for k in range(info.count):
        cells = cells + info.parts[k].cells
    made = pointer_cast(heap_try_allocate(kinds.OBJECT_BYTES + 8 * cells), Object)
    if address(made) == 0:
        return no_memory()
    made.refcount = 1
    made.typeinfo = info
    value_made(info)
    at = cells_behind(made)
    for k in range(cells):
        at[k] = 0
    if not entered(m, o, address(made), info, to):
        return -1
    seen = m.seen
    for k in range(info.count):
        failed = 0
        if info.flags & kinds.CLASS_EXCEPTION == 0 or k == 1 or k >= kinds.EXCEPTION_FIELDS:
            failed = field_in(m, o, info, k, at)
        elif k == 0:
            failed = arguments_in(m, o, info, at)
        if failed != 0:
            return -1
        at = at + info.parts[k].cells
    if info.flags & kinds.CLASS_MODULE != 0 and m.seen != seen:
        m.seen = seen | SEEN_MODULE
    return 0


def arguments_in(m: Ptr[Marshal], o: Ptr[Void], info: Ptr[TypeInfo], to: Ptr[i64]) -> i64:
    """The arguments of an exception as its field ``args`` holds them: nothing for none, the only one unless it is a
    tuple or None itself, else the tuple of all."""
    name = pointer(api.tuple_items(info.objects)[0], Void)
    given = api.attribute_get(o, name)
    if address(given) == 0:
        return -1
    count = api.sequence_size(given)
    held = given
    if count == 1:
        only = pointer(api.tuple_items(given)[0], Void)
        if not api.is_tuple(only) and not api.is_none(only):
            held = only
    failed = 0
    if count > 0:
        failed = value_in(m, held, info.parts[0], to)
    if failed != 0 and address(held) != address(given):
        step_number(m, ELEMENT, 0)
    api.decref(given)
    if failed != 0:
        return step_to(m, FIELD, name)
    return 0


def field_in(m: Ptr[Marshal], o: Ptr[Void], info: Ptr[TypeInfo], index: i64, to: Ptr[i64]) -> i64:
    """One field of an instance."""
    part = info.parts[index]
    name = pointer(api.tuple_items(info.objects)[index], Void)
    value = api.attribute_get(o, name)
    if address(value) == 0:
        if api.error_matches(pointer(symbol("PyExc_AttributeError", i64)[0], Void)) == 0:
            return -1
        api.error_clear()
        if part.kind == kinds.LATE:
            return 0
        mismatch(m, o, info)
        return step_to(m, MISSING, name)
    failed = 0
    if part.kind == kinds.LATE:
        to[0] = 1
        failed = value_in(m, value, part.parts[0], to + 1)
    else:
        failed = value_in(m, value, part, to)
    api.decref(value)
    if failed != 0:
        return step_to(m, FIELD, name)
    return 0


def optional_in(m: Ptr[Marshal], o: Ptr[Void], info: Ptr[TypeInfo], to: Ptr[i64]) -> i64:
    """A value or None."""
    if api.is_none(o):
        return 0
    value = info.parts[0]
    failed = 0
    if value.kind >= kinds.FIRST_HEAP:
        failed = value_in(m, o, value, to)
    else:
        to[0] = 1
        failed = value_in(m, o, value, to + 1)
    if failed != 0 and address(m.expected) == address(value) and address(m.path) == 0:
        m.expected = info
    return failed


def any_in(m: Ptr[Marshal], o: Ptr[Void], info: Ptr[TypeInfo], to: Ptr[i64]) -> i64:
    """A value of one of several types, or of any."""
    if info.count == 0:
        if api.is_none(o):
            return 0
        found = ask(api.TYPE_HOOK, o)
        if found == -1:
            return -1
        if found == 0:
            return mismatch(m, o, info)
        return boxed_in(m, o, pointer(found, TypeInfo), to)
    tried = 0
    for loose in range(2):
        for k in range(info.count):
            member = info.parts[k]
            if fitting(o, member) == 2 - loose:
                excuse(m)
                tried = tried + 1
                count = m.count
                if member.kind == kinds.NONE:
                    return 0
                if boxed_in(m, o, member, to) == 0:
                    return 0
                forget_from(m, count)
                if address(m.failed) == 0:
                    return -1
    if tried == 1:
        return -1
    excuse(m)
    return mismatch(m, o, info)


def boxed_in(m: Ptr[Marshal], o: Ptr[Void], info: Ptr[TypeInfo], to: Ptr[i64]) -> i64:
    """A value of a type as an object."""
    if info.kind >= kinds.FIRST_HEAP:
        failed = value_in(m, o, info, to)
        if failed != 0:
            object_release(pointer(to[0], Object))
            to[0] = 0
        return failed
    box = pointer_cast(heap_try_allocate(kinds.OBJECT_BYTES + 8 * info.cells), Object)
    if address(box) == 0:
        return no_memory()
    box.refcount = 1
    box.typeinfo = info
    value_made(info)
    cells = cells_behind(box)
    for k in range(info.cells):
        cells[k] = 0
    if value_in(m, o, info, cells) != 0:
        object_release(box)
        return -1
    to[0] = address(box)
    return 0
