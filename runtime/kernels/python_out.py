"""Tier 3: native values as Python objects, and what a call changed of its arguments.

A native object that came from Python goes back as the object it came from; a new one becomes one Python object, however
often it is referred to. At the end of a call the containers and instances that it may have changed are compared with
their Python objects, and written back where they differ.
"""

from __future__ import annotations

from typing import Final

from tscript.abi.exceptions import PYTHON_ARGUMENT, RECORD_CELL
from tscript.abi.layout import MAX_DEPTH
from tscript.dialect import (
    Dict,
    List,
    Marshal,
    Object,
    Ptr,
    Str,
    TypeInfo,
    Void,
    address,
    b8,
    bitcast,
    context,
    f64,
    i32,
    i64,
    memcpy,
    pointer,
    pointer_cast,
    select,
    stack,
    symbol,
    u8,
)
from tscript.runtime.kernels import kinds
from tscript.runtime.kernels import python_api as api
from tscript.runtime.kernels.cycles import give_back
from tscript.runtime.kernels.marshal import drop_python, find_native, remember
from tscript.runtime.kernels.objects import cells_behind, object_release, object_retain, release_cells
from tscript.runtime.kernels.python_in import ask
from tscript.runtime.kernels.python_scalars import is_deep, number_in, too_deep

END: Final = 9223372036854775807


def object_out(m: Ptr[Marshal], info: Ptr[TypeInfo], cells: Ptr[i64]) -> Ptr[Void]:
    """The Python form of a result, whose references are given back; owned."""
    made = value_out(m, info, cells)
    if address(made) == 0:
        check_error()
        kept = stack(3, i64)
        api.error_fetch(kept, kept + 1, kept + 2)
        release_cells(info, cells)
        api.error_restore(pointer(kept[0], Void), pointer(kept[1], Void), pointer(kept[2], Void))
    else:
        release_cells(info, cells)
    return made


def check_error() -> None:
    """Set MemoryError after a failure without an exception."""
    if address(api.error_there()) == 0:
        api.error_memory()


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


# ---- to Python


def value_out(m: Ptr[Marshal], info: Ptr[TypeInfo], cells: Ptr[i64]) -> Ptr[Void]:
    """The Python form of a value; owned, null with an exception set."""
    kind = info.kind
    if kind == kinds.INT:
        return api.long_from(cells[0])
    if kind == kinds.FLOAT:
        return api.float_from(bitcast(cells[0], f64))
    if kind == kinds.BOOL:
        return truth(cells[0])
    if is_deep():
        too_deep()
        return api.null()
    if kind >= kinds.FIRST_HEAP or kind == kinds.OBJECT:
        return heap_out(m, info, cells[0])
    if kind == kinds.TUPLE:
        return tuple_out(m, info, cells)
    if kind == kinds.OPTIONAL:
        value = info.parts[0]
        if value.kind >= kinds.FIRST_HEAP:
            return heap_out(m, value, cells[0])
        if cells[0] == 0:
            return none()
        return value_out(m, value, cells + 1)
    if kind == kinds.NONE:
        return none()
    if kind == kinds.COMPLEX:
        return api.complex_from(bitcast(cells[0], f64), bitcast(cells[1], f64))
    if kind == kinds.DTYPE:
        return api.box_dtype(i32(cells[0]))
    if kind == kinds.ENUM and address(info.objects) != 0:
        member = pointer(api.tuple_items(info.objects)[cells[0]], Void)
        api.incref(member)
        return member
    return no_form(info)


def none() -> Ptr[Void]:
    """None, owned."""
    found = symbol("_Py_NoneStruct", Void)
    api.incref(found)
    return found


def truth(cell: i64) -> Ptr[Void]:
    """True or False, owned."""
    found = symbol("_Py_FalseStruct", Void)
    if cell != 0:
        found = symbol("_Py_TrueStruct", Void)
    api.incref(found)
    return found


def no_form(info: Ptr[TypeInfo]) -> Ptr[Void]:
    """Set the exception for a value that Python has no form of; null."""
    number = api.long_from(address(info))
    if address(number) != 0:
        ask(api.RETURN_HOOK, number)
        api.decref(number)
    return api.null()


def heap_out(m: Ptr[Marshal], declared: Ptr[TypeInfo], cell: i64) -> Ptr[Void]:
    """The Python form of a heap object; 0 is None."""
    if cell == 0:
        return none()
    native = pointer(cell, Object)
    if declared.kind == kinds.TENSOR or declared.kind == kinds.FUTURE:
        return tensor_out(declared, native)
    info = native.typeinfo
    if address(info) == 0:
        return api.wrap_borrowed(pointer(cell, Void))
    kind = info.kind
    if kind == kinds.STR:
        return str_out(pointer(cell, Str))
    if kind < kinds.FIRST_HEAP:
        return value_out(m, info, cells_behind(native))
    if kind == kinds.BYTES:
        return api.bytes_from(pointer_cast(pointer(cell, Str) + 1, u8), pointer(cell, Str).length)
    if kind == kinds.FUTURE:
        return tensor_out(info, native)
    found = find_native(m, cell)
    if found >= 0:
        o = (m.entries + found).object
        api.incref(o)
        return o
    if found == -2:
        return api.null()
    if kind == kinds.LIST:
        return list_out(m, pointer(cell, List))
    if kind == kinds.DICT:
        return dict_out(m, pointer(cell, Dict))
    if kind == kinds.SET:
        return set_out(m, pointer(cell, Dict))
    if kind == kinds.CLASS:
        return class_out(m, native)
    if kind == kinds.CALLABLE:
        return function_out(native)
    return no_form(info)


def function_out(native: Ptr[Object]) -> Ptr[Void]:
    """The Python form of a function as a value; null with an exception set."""
    number = api.long_from(address(native))
    if address(number) == 0:
        return api.null()
    object_retain(native)
    made = api.call_one(api.hook(api.FUNCTION_OUT_HOOK), number)
    api.decref(number)
    if address(made) == 0:
        object_release(native)
    return made


def tensor_out(info: Ptr[TypeInfo], native: Ptr[Object]) -> Ptr[Void]:
    """The Python form of a tensor, a Size or a future."""
    if info.kind == kinds.TENSOR and info.flags == 0:
        return api.wrap_borrowed(pointer_cast(native, u8))
    object_retain(native)
    if info.kind == kinds.TENSOR:
        return api.box_size(pointer_cast(native, u8))
    return api.box_future(pointer_cast(native, u8))


def str_out(text: Ptr[Str]) -> Ptr[Void]:
    """The Python str of a native one."""
    data = pointer_cast(text + 1, u8)
    length = text.length
    if length < 2 or text.width > 2:
        return api.unicode_from(text.width, data, length)
    most = 65535
    offset = api.python_word(api.COMPACT_DATA)
    if text.width == 1:
        most = 255
        if text.ascii != 0:
            most = 127
            offset = api.python_word(api.ASCII_DATA)
    made = api.unicode_new(length, i32(most))
    if address(made) != 0:
        memcpy(made + offset, data, length * i64(text.width))
    return made


def tuple_out(m: Ptr[Marshal], info: Ptr[TypeInfo], cells: Ptr[i64]) -> Ptr[Void]:
    """The Python form of a tuple, of the class of a named one."""
    made = api.tuple_new(info.count)
    if address(made) == 0:
        return made
    at = cells
    for k in range(info.count):
        part = info.parts[k]
        item = value_out(m, part, at)
        if address(item) == 0:
            api.decref(made)
            return item
        api.tuple_items(made)[k] = address(item)
        at = at + part.cells
    if address(info.python) == 0:
        return made
    named = api.call_tuple(info.python, made, api.null())
    api.decref(made)
    return named


def new_one(m: Ptr[Marshal], made: Ptr[Void], native: Ptr[Object]) -> b8:
    """Note the new Python object of a native one; False, and it is gone, when that was not to be had."""
    if address(made) == 0:
        return False
    if remember(m, made, native, native.typeinfo, 0) != 0:
        api.decref(made)
        return False
    return True


def list_out(m: Ptr[Marshal], items: Ptr[List]) -> Ptr[Void]:
    """A new Python list, or tuple, with the elements of a native one."""
    count = items.length
    frozen = items.typeinfo.flags & kinds.LIST_FROZEN != 0
    made = api.null()
    if frozen:
        made = api.tuple_new(count)
    else:
        made = api.list_new(count)
    if not new_one(m, made, pointer(address(items), Object)):
        return api.null()
    if not fill(m, made, frozen, items, 0):
        api.decref(made)
        return api.null()
    return made


def fill(m: Ptr[Marshal], made: Ptr[Void], frozen: b8, items: Ptr[List], start: i64) -> b8:
    """Set the elements of a new list or tuple from those of a native list from `start` on; False with an exception
    set."""
    element = items.typeinfo.parts[0]
    cells = items.cells
    count = items.length - start
    data = items.data + start * cells
    kind = element.kind
    for k in range(count):
        item = api.null()
        if kind == kinds.INT:
            item = api.long_from(data[k])
        elif kind == kinds.FLOAT:
            item = api.float_from(bitcast(data[k], f64))
        else:
            item = value_out(m, element, data + k * cells)
        if address(item) == 0:
            return False
        if frozen:
            api.tuple_items(made)[k] = address(item)
        elif k < api.sequence_size(made):
            api.list_items(made)[k] = address(item)
        else:
            api.decref(item)
    return True


def dict_out(m: Ptr[Marshal], table: Ptr[Dict]) -> Ptr[Void]:
    """A new Python dict with the entries of a native one."""
    made = api.dict_new()
    if not new_one(m, made, pointer(address(table), Object)):
        return api.null()
    if not fill_dict(m, made, table, 0):
        api.decref(made)
        return api.null()
    return made


def fill_dict(m: Ptr[Marshal], made: Ptr[Void], table: Ptr[Dict], start: i64) -> b8:
    """Set the entries of a native dict from number `start` on in a Python dict; False with an exception set."""
    info = table.typeinfo
    for k in range(start, table.used):
        entry = table.entries + k * table.stride
        if entry[0] != kinds.DELETED:
            key = value_out(m, info.parts[0], entry + 1)
            if address(key) == 0:
                return False
            value = value_out(m, info.parts[1], entry + (1 + info.parts[0].cells))
            failed = i32(-1)
            if address(value) != 0:
                failed = api.dict_set(made, key, value)
                api.decref(value)
            api.decref(key)
            if failed != 0:
                return False
    return True


def set_out(m: Ptr[Marshal], table: Ptr[Dict]) -> Ptr[Void]:
    """A new Python set with the elements of a native one."""
    made = api.set_new(api.null())
    if not new_one(m, made, pointer(address(table), Object)):
        return api.null()
    if not fill_set(m, made, table):
        api.decref(made)
        return api.null()
    return made


def fill_set(m: Ptr[Marshal], made: Ptr[Void], table: Ptr[Dict]) -> b8:
    """Add the elements of a native set to a Python set; False with an exception set."""
    for k in range(table.used):
        entry = table.entries + k * table.stride
        if entry[0] != kinds.DELETED:
            item = value_out(m, table.typeinfo.parts[0], entry + 1)
            if address(item) == 0:
                return False
            failed = api.set_add(made, item)
            api.decref(item)
            if failed != 0:
                return False
    return True


def class_out(m: Ptr[Marshal], native: Ptr[Object]) -> Ptr[Void]:
    """A new instance of the Python class of a native instance."""
    info = native.typeinfo
    if address(info.python) == 0:
        return no_form(info)
    made = api.null()
    if info.flags & kinds.CLASS_EXCEPTION != 0:
        return exception_out(m, native)
    else:
        empty = api.tuple_new(0)
        if address(empty) == 0:
            return empty
        made = api.type_new(info.python, empty, api.null())
        api.decref(empty)
    if not new_one(m, made, native):
        return api.null()
    at = cells_behind(native)
    for k in range(info.count):
        part = info.parts[k]
        if set_field(m, made, info, k, at) != 0:
            api.decref(made)
            return api.null()
        at = at + part.cells
    return made


def exception_out(m: Ptr[Marshal], native: Ptr[Object]) -> Ptr[Void]:
    """The Python form of an exception: its class, arguments, cause and attributes. One that came from Python is that
    itself."""
    info = native.typeinfo
    at = cells_behind(native)
    args = value_out(m, info.parts[0], at)
    if address(args) == 0:
        return args
    number = api.long_from(address(native))
    given = api.tuple_new(2)
    if address(number) == 0 or address(given) == 0:
        api.decref(args)
        api.xdecref(number)
        api.xdecref(given)
        return api.null()
    api.tuple_items(given)[0] = address(number)
    api.tuple_items(given)[1] = address(args)
    made = api.call_tuple(api.hook(api.EXCEPTION_HOOK), given, api.null())
    api.decref(given)
    if not new_one(m, made, native):
        return api.null()
    if at[RECORD_CELL] == 0 and at[RECORD_CELL + 1] == PYTHON_ARGUMENT:
        return made
    for k in range(info.count):
        if k >= kinds.EXCEPTION_FIELDS or (k == 1 and at[0] != 0):
            if set_field(m, made, info, k, at) != 0:
                api.decref(made)
                return api.null()
        at = at + info.parts[k].cells
    return made


def set_field(m: Ptr[Marshal], o: Ptr[Void], info: Ptr[TypeInfo], index: i64, cells: Ptr[i64]) -> i64:
    """Set a field of a Python instance, if it has been set; -1 with an exception set."""
    part = info.parts[index]
    at = cells
    if part.kind == kinds.LATE:
        if cells[0] == 0:
            return 0
        part = part.parts[0]
        at = cells + 1
    value = value_out(m, part, at)
    if address(value) == 0:
        return -1
    failed = api.attribute_set(o, pointer(api.tuple_items(info.objects)[index], Void), value)
    api.decref(value)
    return i64(failed)


# ---- back into what came from Python


def same(m: Ptr[Marshal], o: Ptr[Void], info: Ptr[TypeInfo], cells: Ptr[i64]) -> b8:
    """Whether a Python object is what a value would be in Python, or as good as it. Runs no code of the user's."""
    kind = info.kind
    if kind == kinds.INT:
        number = stack(1, i64)
        if not api.is_int(o):
            return False
        return api.read_int(o, number) and number[0] == cells[0]
    if kind == kinds.FLOAT:
        if address(api.type_of(o)) == address(symbol("PyFloat_Type", Void)):
            return bitcast(api.read_float(o), i64) == cells[0]
        real = stack(1, f64)
        return number_in(o, real) and bitcast(real[0], i64) == cells[0]
    if kind == kinds.BOOL:
        truth_of = symbol("_Py_FalseStruct", Void)
        if cells[0] != 0:
            truth_of = symbol("_Py_TrueStruct", Void)
        return address(o) == address(truth_of)
    if kind == kinds.NONE:
        return api.is_none(o)
    if kind >= kinds.FIRST_HEAP or kind == kinds.OBJECT:
        return same_object(m, o, cells[0])
    if kind == kinds.OPTIONAL:
        value = info.parts[0]
        if value.kind >= kinds.FIRST_HEAP:
            return same_object(m, o, cells[0])
        if cells[0] == 0:
            return api.is_none(o)
        return same(m, o, value, cells + 1)
    if kind == kinds.TUPLE:
        return same_tuple(m, o, info, cells)
    if kind == kinds.COMPLEX:
        if not api.is_complex(o):
            return False
        return pointer_cast(o, i64)[2] == cells[0] and pointer_cast(o, i64)[3] == cells[1]
    if kind == kinds.ENUM:
        return address(info.objects) != 0 and api.tuple_items(info.objects)[cells[0]] == address(o)
    if kind == kinds.DTYPE:
        return address(api.type_of(o)) == api.python_word(api.DTYPE_TYPE) and i64(api.unbox_dtype(o)) == cells[0]
    if kind == kinds.LATE:
        return cells[0] != 0 and same(m, o, info.parts[0], cells + 1)
    return False


def same_tuple(m: Ptr[Marshal], o: Ptr[Void], info: Ptr[TypeInfo], cells: Ptr[i64]) -> b8:
    """`same` for a tuple."""
    if not api.is_tuple(o):
        return False
    if api.sequence_size(o) != info.count:
        return False
    at = cells
    for k in range(info.count):
        part = info.parts[k]
        if not same(m, pointer(api.tuple_items(o)[k], Void), part, at):
            return False
        at = at + part.cells
    return True


def same_object(m: Ptr[Marshal], o: Ptr[Void], cell: i64) -> b8:
    """`same` for a heap object or None."""
    if cell == 0:
        return api.is_none(o)
    native = pointer(cell, Object)
    info = native.typeinfo
    if address(info) == 0:
        return address(api.type_of(o)) == api.python_word(api.TENSOR_TYPE) and pointer_cast(o, i64)[2] == cell
    kind = info.kind
    if kind == kinds.STR:
        return same_str(o, pointer(cell, Str))
    if kind == kinds.BYTES:
        return same_bytes(o, pointer(cell, Str))
    if kind < kinds.FIRST_HEAP:
        return exact_kind(o, kind) and same(m, o, info, cells_behind(native))
    found = find_native(m, cell)
    if found < 0:
        return False
    return address((m.entries + found).object) == address(o)


def is_own(o: Ptr[Void], info: Ptr[TypeInfo]) -> b8:
    """Whether the numbers of a Python value that fits a type have exactly the declared types, not narrower ones."""
    kind = info.kind
    if kind == kinds.FLOAT:
        return not api.is_int(o)
    if kind == kinds.INT:
        return not api.is_bool(o)
    if kind == kinds.OPTIONAL:
        return api.is_none(o) or is_own(o, info.parts[0])
    if kind == kinds.TUPLE and api.is_tuple(o):
        for k in range(info.count):
            if not is_own(pointer(api.tuple_items(o)[k], Void), info.parts[k]):
                return False
    return True


def exact_kind(o: Ptr[Void], kind: i64) -> b8:
    """Whether an object is a number of this very kind, when it is about numbers: where any may be, 1 and True
    differ."""
    if kind == kinds.INT:
        return not api.is_bool(o)
    if kind == kinds.FLOAT:
        return not api.is_int(o)
    return True


def same_str(o: Ptr[Void], text: Ptr[Str]) -> b8:
    """`same` for a str."""
    if not api.is_str(o):
        return False
    if pointer_cast(o, i64)[2] != text.length or api.width_of(o) != i64(text.width):
        return False
    return same_memory(api.characters(o), pointer_cast(text + 1, u8), text.length * i64(text.width))


def same_bytes(o: Ptr[Void], text: Ptr[Str]) -> b8:
    """`same` for bytes."""
    if not api.has_flag(o, api.BYTES_FLAG):
        return False
    if api.sequence_size(o) != text.length:
        return False
    return same_memory(api.bytes_data(o), pointer_cast(text + 1, u8), text.length)


def same_memory(a: Ptr[Void], b: Ptr[Void], nbytes: i64) -> b8:
    """Whether two pieces of memory hold the same bytes."""
    words = pointer_cast(a, i64)
    others = pointer_cast(b, i64)
    for k in range(nbytes // 8):
        if words[k] != others[k]:
            return False
    at = nbytes & -8
    while at < nbytes and a[at] == b[at]:
        at = at + 1
    return at == nbytes


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
    cells = items.cells
    first = 0
    while first < count and first < api.sequence_size(o):
        if not same(m, pointer(api.list_items(o)[first], Void), element, items.data + first * cells):
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
    cells = items.cells
    for k in range(items.length - first):
        at = first + k
        item = api.null()
        if at < api.sequence_size(o):
            there = pointer(api.list_items(o)[at], Void)
            if same(m, there, element, items.data + at * cells) and is_own(there, element):
                api.incref(there)
                item = there
        if address(item) == 0:
            item = value_out(m, element, items.data + at * cells)
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
    """Set the fields of an instance that differ."""
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
