"""Tier 3: native values as Python objects.

A native object that came from Python goes back as the object it came from; a new one becomes one Python object, however
often it is referred to.
"""

from __future__ import annotations

from tscript.abi.exceptions import PYTHON_ARGUMENT, RECORD_CELL
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
    f64,
    i32,
    i64,
    pointer,
    pointer_cast,
    stack,
    u8,
)
from tscript.runtime.kernels import kinds
from tscript.runtime.kernels import python_api as api
from tscript.runtime.kernels.marshal import find_native, remember
from tscript.runtime.kernels.objects import cells_behind, element_at, element_cells, release_cells
from tscript.runtime.kernels.python_plain_out import (
    box_tensor,
    check_error,
    function_out,
    no_form,
    none,
    str_out,
    tensor_out,
    truth,
)
from tscript.runtime.kernels.python_scalars import is_deep, too_deep


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


def value_out(m: Ptr[Marshal], info: Ptr[TypeInfo], cells: Ptr[i64]) -> Ptr[Void]:
    """The Python form of a value; owned, null with an exception set."""
    kind = info.kind
    if kind <= kinds.BOOL and info.flags != 0:
        return api.scalar_of_cell(cells[0], info.flags - kinds.SCALAR_CODE)
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


def heap_out(m: Ptr[Marshal], declared: Ptr[TypeInfo], cell: i64) -> Ptr[Void]:
    """The Python form of a heap object; 0 is None."""
    if cell == 0:
        return none()
    native = pointer(cell, Object)
    if declared.kind == kinds.TENSOR or declared.kind == kinds.FUTURE:
        return tensor_out(m, declared, native)
    info = native.typeinfo
    if address(info) == 0:
        return box_tensor(m, native)
    kind = info.kind
    if kind == kinds.STR:
        return str_out(pointer(cell, Str))
    if kind < kinds.FIRST_HEAP:
        return value_out(m, info, cells_behind(native))
    if kind == kinds.BYTES:
        return api.bytes_from(pointer_cast(pointer(cell, Str) + 1, u8), pointer(cell, Str).length)
    if kind == kinds.FUTURE:
        return tensor_out(m, info, native)
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
    count = items.length - start
    data = element_at(items, start)
    spare = stack(1, i64)
    kind = element.kind
    if kind <= kinds.BOOL and element.flags != 0:
        kind = kinds.OBJECT
    for k in range(count):
        item = api.null()
        if kind == kinds.INT:
            item = api.long_from(data[k])
        elif kind == kinds.FLOAT:
            item = api.float_from(bitcast(data[k], f64))
        else:
            item = value_out(m, element, element_cells(items, start + k, spare))
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
