"""Tier 2: equality of values of any type, by their `TypeInfo`.

Values of one type are compared cell by cell (`equal_cells`). Values of two types meet where a value of any type is:
`(1, 2)` and `(1.0, 2.0)` are equal, so are tuples of fixed and of any length. They are compared as what they hold
(`values_equal`).

Equality is Python's, with one difference: a float has no identity here, so a NaN is never equal to anything, in a
container neither (Python finds an object in a list that holds the very same one). Heap objects are equal to themselves,
as in Python's containers.
"""

from __future__ import annotations

from tscript.dialect import (
    Dict,
    List,
    Object,
    Ptr,
    Str,
    T,
    TypeInfo,
    address,
    b8,
    f64,
    fabs,
    i64,
    pointer,
    pointer_cast,
    stack,
    u8,
)
from tscript.runtime.kernels import kinds
from tscript.runtime.kernels.hashes import (
    NONE_HASH,
    as_float,
    hash_cells,
    int_home,
    is_size,
    str_home,
)
from tscript.runtime.kernels.objects import cells_behind
from tscript.runtime.kernels.strings_compare import str_equal
from tscript.runtime.kernels.values_held import (
    cells_at,
    element_type,
    elements_of,
    held_info,
    held_row,
    holds_another,
    imaginary,
    is_none,
    is_number,
    is_real,
    is_tuple,
    length_of,
    row_of,
    step_of,
)


def equal_cells(info: Ptr[TypeInfo], a: Ptr[i64], b: Ptr[i64]) -> b8:
    """Whether two values of one type are equal. Raises RecursionError for values that are nested too deeply."""
    kind = info.kind
    if kind == kinds.FLOAT:
        return as_float(a[0]) == as_float(b[0])
    if kind >= kinds.FIRST_HEAP or kind == kinds.OBJECT:
        return heap_equal(info, a, b)
    if kind == kinds.COMPLEX:
        return as_float(a[0]) == as_float(b[0]) and as_float(a[1]) == as_float(b[1])
    if kind == kinds.TUPLE:
        return fields_equal(info, a, b)
    if kind == kinds.OPTIONAL:
        inner = info.parts[0]
        if inner.kind >= kinds.FIRST_HEAP or inner.kind == kinds.OBJECT:
            return heap_equal(inner, a, b)
        if a[0] != b[0]:
            return False
        return a[0] == 0 or equal_cells(inner, a + 1, b + 1)
    if kind == kinds.LATE:
        if a[0] == 0 or b[0] == 0:
            raise AttributeError("an attribute that is compared has not been set")
        return equal_cells(info.parts[0], a + 1, b + 1)
    return info.cells == 0 or a[0] == b[0]


def fields_equal(info: Ptr[TypeInfo], a: Ptr[i64], b: Ptr[i64]) -> b8:
    """Whether all elements of two tuples, or all fields of two instances, are equal."""
    at = 0
    for k in range(info.count):
        part = info.parts[k]
        if not equal_cells(part, a + at, b + at):
            return False
        at = at + part.cells
    return True


def heap_equal(info: Ptr[TypeInfo], a: Ptr[i64], b: Ptr[i64]) -> b8:
    """Whether two heap objects, or nulls, of a type that is known are equal."""
    if is_size(info) and a[0] != 0 and b[0] != 0:
        return sequences_equal(info, a, info, b)
    return objects_equal(pointer(a[0], Object), pointer(b[0], Object))


def objects_equal(a: Ptr[Object], b: Ptr[Object]) -> b8:
    """Whether two heap objects, or nulls, are equal."""
    if address(a) == address(b):
        return not is_never_equal(a)
    if address(a) == 0 or address(b) == 0:
        return False
    info = a.typeinfo
    other = b.typeinfo
    if address(info) == 0 or address(other) == 0:
        return tensors_equal(a, b)
    kind = info.kind
    if has_own_equality(info) or has_own_equality(other):
        raise TypeError(
            "an instance whose class has an '__eq__' of its own is not compared where it may be of any type"
        )
    if kind < kinds.FIRST_HEAP or other.kind < kinds.FIRST_HEAP:
        return boxes_equal(a, b)
    if kind != other.kind:
        return False
    if kind == kinds.STR or kind == kinds.BYTES:
        return str_equal(pointer(address(a), Str), pointer(address(b), Str))
    if kind == kinds.LIST:
        x = pointer(address(a), List)
        y = pointer(address(b), List)
        if x.length != y.length:
            return False
        if address(info) == address(other):
            return rows_equal(info.parts[0], x.data, y.data, x.length)
        if is_tuple(info) != is_tuple(other):
            return False
        cell = stack(2, i64)
        cell[0] = address(a)
        cell[1] = address(b)
        return sequences_equal(info, cell, other, cell + 1)
    if kind == kinds.DICT or kind == kinds.SET:
        return tables_equal(pointer(address(a), Dict), pointer(address(b), Dict))
    if kind == kinds.CLASS:
        if info.flags & kinds.CLASS_EQ == 0 or address(info) != address(other):
            return False
        return fields_equal(info, cells_behind(a), cells_behind(b))
    return False


def has_own_equality(info: Ptr[TypeInfo]) -> b8:
    """Whether only compiled code knows which instances of a class are equal."""
    return info.kind == kinds.CLASS and info.flags & kinds.CLASS_OWN_EQ != 0


def tensors_equal(a: Ptr[Object], b: Ptr[Object]) -> b8:
    """Whether two objects, of which one is a tensor at least, are equal: they are not, or only PyTorch knows."""
    info = a.typeinfo
    if address(info) == 0:
        info = b.typeinfo
    if address(info) != 0 and not is_number(info.kind):
        return False
    raise TypeError("a tensor that may be of any type is not compared: ask 'isinstance(..., Tensor)' first")


def is_never_equal(object: Ptr[Object]) -> b8:
    """Whether an object is a boxed number that is not equal to itself."""
    if address(object) == 0:
        return False
    info = object.typeinfo
    if address(info) == 0:
        return False
    return info.kind < kinds.FIRST_HEAP and not equal_cells(info, cells_behind(object), cells_behind(object))


def boxes_equal(a: Ptr[Object], b: Ptr[Object]) -> b8:
    """Whether two objects, of which one is a boxed value at least, are equal."""
    info = a.typeinfo
    if address(info) == address(b.typeinfo):
        return equal_cells(info, cells_behind(a), cells_behind(b))
    cell = stack(2, i64)
    cell[0] = address(a)
    cell[1] = address(b)
    return values_equal(info, row_of(cell), b.typeinfo, row_of(cell + 1))


def values_equal(info: Ptr[TypeInfo], a: Ptr[i64], other: Ptr[TypeInfo], b: Ptr[i64]) -> b8:
    """Whether two values of any types are equal."""
    if address(info) == address(other):
        return equal_cells(info, a, b)
    if holds_another(info):
        if is_none(info, a):
            return is_none(other, b)
        return values_equal(held_info(info, a), held_row(info, a), other, b)
    if holds_another(other):
        return values_equal(other, b, info, a)
    kind = info.kind
    if kind >= kinds.FIRST_HEAP and other.kind == kind:
        return objects_equal(pointer(a[0], Object), pointer(b[0], Object))
    if is_number(kind) and is_number(other.kind):
        return numbers_equal(kind, a, other.kind, b)
    if is_tuple(info) and is_tuple(other):
        return sequences_equal(info, a, other, b)
    return kind == kinds.NONE and other.kind == kinds.NONE


def sequences_equal(info: Ptr[TypeInfo], a: Ptr[i64], other: Ptr[TypeInfo], b: Ptr[i64]) -> b8:
    """Whether two tuples, or two lists, of different types have equal elements."""
    count = length_of(info, a)
    if count != length_of(other, b):
        return False
    x = elements_of(info, a)
    y = elements_of(other, b)
    spare = stack(2, i64)
    for k in range(count):
        left = element_type(info, k)
        right = element_type(other, k)
        p = step_of(info, k)
        q = step_of(other, k)
        if not values_equal(left, cells_at(x, p, spare), right, cells_at(y, q, spare + 1)):
            return False
        x = pointer(address(x) + p, i64)
        y = pointer(address(y) + q, i64)
    return True


def numbers_equal(kind: i64, x: Ptr[i64], other: i64, y: Ptr[i64]) -> b8:
    """Whether two numbers of two kinds are equal."""
    if imaginary(kind, x) != imaginary(other, y):
        return False
    if is_real(kind) and is_real(other):
        return as_float(x[0]) == as_float(y[0])
    if is_real(kind):
        return int_equals_float(y[0], as_float(x[0]))
    if is_real(other):
        return int_equals_float(x[0], as_float(y[0]))
    return x[0] == y[0]


def int_equals_float(n: i64, x: f64) -> b8:
    """Whether an int and a float are the same number."""
    return f64(n) == x and x < 9223372036854775808.0 and i64(x) == n


def rows_equal(info: Ptr[TypeInfo], a: Ptr[i64], b: Ptr[i64], count: i64) -> b8:
    """Whether `count` elements of two lists are equal, one by one."""
    if info.itemsize == 1:
        return numbers_are_equal(pointer_cast(a, u8), pointer_cast(b, u8), count)
    if info.kind == kinds.INT or info.kind == kinds.BOOL:
        return numbers_are_equal(a, b, count)
    width = info.cells
    for k in range(count):  # noqa: SIM110 - the dialect has no generators
        if not equal_cells(info, a + k * width, b + k * width):
            return False
    return True


def numbers_are_equal(a: Ptr[T], b: Ptr[T], count: i64) -> b8:
    """Whether two rows of numbers are equal."""
    for k in range(count):  # noqa: SIM110 - the dialect has no generators
        if a[k] != b[k]:
            return False
    return True


def find_number(row: Ptr[T], start: i64, stop: i64, wanted: i64) -> i64:
    """`find_equal` for whole numbers."""
    for k in range(start, stop):
        if i64(row[k]) == wanted:
            return k
    return -1


def find_str(cells: Ptr[i64], start: i64, stop: i64, text: Ptr[Str]) -> i64:
    """`find_equal` for strings."""
    for k in range(start, stop):
        if str_equal(pointer(cells[k], Str), text):
            return k
    return -1


def find_equal(info: Ptr[TypeInfo], cells: Ptr[i64], start: i64, stop: i64, value: Ptr[i64]) -> i64:
    """The number of the first element of a list, from `start` to before `stop`, that is equal to `value`; -1 if none
    is."""
    if info.itemsize == 1:
        return find_number(pointer_cast(cells, u8), start, stop, value[0])
    if info.kind == kinds.INT or info.kind == kinds.BOOL:
        return find_number(cells, start, stop, value[0])
    if info.kind == kinds.STR:
        return find_str(cells, start, stop, pointer(value[0], Str))
    width = info.cells
    for k in range(start, stop):
        if equal_cells(info, cells + k * width, value):
            return k
    return -1


def tables_equal(a: Ptr[Dict], b: Ptr[Dict]) -> b8:
    """Whether two dicts or two sets have the same keys with equal values."""
    return a.length == b.length and is_within(a, b)


def is_within(a: Ptr[Dict], b: Ptr[Dict]) -> b8:
    """Whether all keys of a dict or a set are in another one, with equal values."""
    info = a.typeinfo
    other = b.typeinfo
    key = info.parts[0]
    for k in range(a.used):
        entry = a.entries + k * a.stride
        if entry[0] != kinds.DELETED:
            home = entry[0]
            if address(key) != address(other.parts[0]):
                home = home_in(other.parts[0], key, entry + 1)
            found = -1
            if home >= 0:
                found = find_like(b, home, key, entry + 1)
            if found < 0:
                return False
            if info.kind == kinds.DICT:
                value = b.entries + (found * b.stride + 1 + other.parts[0].cells)
                if not values_equal(info.parts[1], entry + (1 + key.cells), other.parts[1], value):
                    return False
    return True


def home_in(table: Ptr[TypeInfo], info: Ptr[TypeInfo], key: Ptr[i64]) -> i64:
    """`key_home` of a key in a table whose keys are of the type `table`, which may be another one; -1 if it cannot be
    there."""
    if holds_another(info):
        if not is_none(info, key):
            return home_in(table, held_info(info, key), held_row(info, key))
        if table.kind == kinds.OPTIONAL or table.kind == kinds.OBJECT or table.kind == kinds.NONE:
            return int_home(NONE_HASH)
        return -1
    if table.kind == kinds.STR:
        if info.kind == kinds.STR:
            return str_home(pointer(key[0], Str))
        return -1
    if table.kind == kinds.INT or table.kind == kinds.BOOL:
        if info.kind == kinds.INT or info.kind == kinds.BOOL:
            return int_home(key[0])
        if is_real(info.kind) and imaginary(info.kind, key) == 0.0:
            x = as_float(key[0])
            if fabs(x) < 9223372036854775808.0:
                return int_home(i64(x))
        return -1
    return int_home(hash_cells(info, key))


def find_entry(table: Ptr[Dict], home: i64, key: Ptr[i64]) -> i64:
    """The number of the entry with a key whose `key_home` is `home`; -1 if there is none."""
    return find_like(table, home, table.typeinfo.parts[0], key)


def find_like(table: Ptr[Dict], home: i64, info: Ptr[TypeInfo], key: Ptr[i64]) -> i64:
    """`find_entry` for a key that may be of another type than those of the table."""
    if table.length == 0:
        return -1
    own = table.typeinfo.parts[0]
    mask = table.mask
    slot = home & mask
    left = home
    while True:
        at = i64(table.index[slot])
        if at == -1:
            return -1
        if at >= 0:
            entry = table.entries + at * table.stride
            if entry[0] == home:
                if values_equal(own, entry + 1, info, key):
                    return at
        left = left >> 5
        slot = (slot * 5 + left + 1) & mask
    return -1
