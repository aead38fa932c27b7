"""Tier 2: values of any type, by their `TypeInfo`: equality, order and hash.

Equality and order are Python's, with one difference: a float has no identity here, so a NaN is never equal to anything,
in a container neither (Python finds an object in a list that holds the very same one). Heap objects are equal to themselves,
as in Python's containers. Hashes of numbers and tuples are CPython's.
"""

from __future__ import annotations

from tscript.abi.layout import NONE_INT
from tscript.ops.dialect import (
    Dict,
    List,
    Object,
    Ptr,
    Str,
    TypeInfo,
    address,
    b8,
    bitcast,
    f64,
    fabs,
    i64,
    pointer,
    stack,
)
from tscript.runtime.kernels import kinds
from tscript.runtime.kernels.objects import cells_behind
from tscript.runtime.kernels.strings import str_compare, str_equal, str_hash

MODULUS = (1 << 61) - 1
"""Hashes of numbers are their remainders by this prime."""

TUPLE_START = 2870177450012600261
TUPLE_LANE = -4417276706812531889
TUPLE_ROUND = -7046029288634856825
"""XXPRIME_64_5, _2 and _1 of CPython's `tuplehash`."""

NONE_HASH = 0xFCA86420
FACTOR = 0x2545F4914F6CDD1D
"""What hashes are mixed with."""

LARGEST_HOME = (1 << 63) - 1
UNORDERED = 2
"""The order of values of which a NaN decides."""


def as_float(cell: i64) -> f64:
    """The float in a cell."""
    return bitcast(cell, f64)


def shift_right(x: i64, count: i64) -> i64:
    """`x` moved by `count` bits (at least 1) to the right, with zeros from the left."""
    return (x >> count) & ((1 << (64 - count)) - 1)


# ---- equality


def equal_cells(info: Ptr[TypeInfo], a: Ptr[i64], b: Ptr[i64]) -> b8:
    """Whether two values of one type are equal. Raises RecursionError for values that are nested too deeply."""
    kind = info.kind
    if kind == kinds.FLOAT:
        return as_float(a[0]) == as_float(b[0])
    if kind >= kinds.FIRST_HEAP or kind == kinds.OBJECT:
        return objects_equal(pointer(a[0], Object), pointer(b[0], Object))
    if kind == kinds.COMPLEX:
        return as_float(a[0]) == as_float(b[0]) and as_float(a[1]) == as_float(b[1])
    if kind == kinds.TUPLE:
        return fields_equal(info, a, b)
    if kind == kinds.OPTIONAL:
        inner = info.parts[0]
        if inner.kind >= kinds.FIRST_HEAP or inner.kind == kinds.OBJECT:
            return objects_equal(pointer(a[0], Object), pointer(b[0], Object))
        if a[0] != b[0]:
            return False
        return a[0] == 0 or equal_cells(inner, a + 1, b + 1)
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


def objects_equal(a: Ptr[Object], b: Ptr[Object]) -> b8:
    """Whether two heap objects, or nulls, are equal."""
    if address(a) == address(b):
        return not is_never_equal(a)
    if address(a) == 0 or address(b) == 0:
        return False
    info = a.typeinfo
    other = b.typeinfo
    if address(info) == 0 or address(other) == 0:
        return False
    kind = info.kind
    if kind < kinds.FIRST_HEAP and other.kind < kinds.FIRST_HEAP:
        return boxes_equal(a, b)
    if kind != other.kind:
        return False
    if kind == kinds.STR or kind == kinds.BYTES:
        return str_equal(pointer(address(a), Str), pointer(address(b), Str))
    if kind == kinds.LIST:
        x = pointer(address(a), List)
        y = pointer(address(b), List)
        if x.length != y.length or address(info) != address(other):
            return False
        return rows_equal(info.parts[0], x.data, y.data, x.length)
    if kind == kinds.DICT or kind == kinds.SET:
        if address(info) != address(other):
            return False
        return tables_equal(pointer(address(a), Dict), pointer(address(b), Dict))
    if kind == kinds.CLASS:
        if info.flags & kinds.CLASS_EQ == 0 or address(info) != address(other):
            return False
        return fields_equal(info, cells_behind(a), cells_behind(b))
    return False


def is_never_equal(object: Ptr[Object]) -> b8:
    """Whether an object is a boxed number that is not equal to itself."""
    if address(object) == 0:
        return False
    info = object.typeinfo
    if address(info) == 0:
        return False
    return info.kind < kinds.FIRST_HEAP and not equal_cells(info, cells_behind(object), cells_behind(object))


def boxes_equal(a: Ptr[Object], b: Ptr[Object]) -> b8:
    """Whether two boxed values are equal; numbers of different types may be."""
    info = a.typeinfo
    other = b.typeinfo
    if address(info) == address(other):
        return equal_cells(info, cells_behind(a), cells_behind(b))
    if not is_number(info.kind) or not is_number(other.kind):
        return False
    x = cells_behind(a)
    y = cells_behind(b)
    if imaginary(info.kind, x) != imaginary(other.kind, y):
        return False
    if is_real(info.kind) and is_real(other.kind):
        return as_float(x[0]) == as_float(y[0])
    if is_real(info.kind):
        return int_equals_float(y[0], as_float(x[0]))
    if is_real(other.kind):
        return int_equals_float(x[0], as_float(y[0]))
    return x[0] == y[0]


def is_number(kind: i64) -> b8:
    """Whether values of a kind are ints, floats, bools or complex numbers."""
    return kind == kinds.INT or kind == kinds.FLOAT or kind == kinds.BOOL or kind == kinds.COMPLEX


def is_real(kind: i64) -> b8:
    """Whether the first cell of a number of this kind is a float."""
    return kind == kinds.FLOAT or kind == kinds.COMPLEX


def imaginary(kind: i64, cells: Ptr[i64]) -> f64:
    """The imaginary part of a number."""
    if kind == kinds.COMPLEX:
        return as_float(cells[1])
    return 0.0


def int_equals_float(n: i64, x: f64) -> b8:
    """Whether an int and a float are the same number."""
    return f64(n) == x and x < 9223372036854775808.0 and i64(x) == n


def rows_equal(info: Ptr[TypeInfo], a: Ptr[i64], b: Ptr[i64], count: i64) -> b8:
    """Whether two rows of `count` values are equal, one by one."""
    if info.kind == kinds.INT or info.kind == kinds.BOOL:
        for k in range(count):  # noqa: SIM110 - the dialect has no generators
            if a[k] != b[k]:
                return False
        return True
    width = info.cells
    for k in range(count):  # noqa: SIM110 - the dialect has no generators
        if not equal_cells(info, a + k * width, b + k * width):
            return False
    return True


def find_str(cells: Ptr[i64], start: i64, stop: i64, text: Ptr[Str]) -> i64:
    """`find_equal` for strs."""
    for k in range(start, stop):
        if str_equal(pointer(cells[k], Str), text):
            return k
    return -1


def find_equal(info: Ptr[TypeInfo], cells: Ptr[i64], start: i64, stop: i64, value: Ptr[i64]) -> i64:
    """The number of the first value of a row, from `start` to before `stop`, that is equal to `value`; -1 if none is."""
    if info.kind == kinds.INT or info.kind == kinds.BOOL:
        wanted = value[0]
        for k in range(start, stop):
            if cells[k] == wanted:
                return k
        return -1
    if info.kind == kinds.STR:
        return find_str(cells, start, stop, pointer(value[0], Str))
    width = info.cells
    for k in range(start, stop):
        if equal_cells(info, cells + k * width, value):
            return k
    return -1


def tables_equal(a: Ptr[Dict], b: Ptr[Dict]) -> b8:
    """Whether two dicts or two sets of one type have the same keys with equal values."""
    if a.length != b.length:
        return False
    info = a.typeinfo
    key = info.parts[0]
    for k in range(a.used):
        entry = a.entries + k * a.stride
        if entry[0] != kinds.DELETED:
            found = find_entry(b, entry[0], entry + 1)
            if found < 0:
                return False
            if info.kind == kinds.DICT:
                value = b.entries + (found * b.stride + 1 + key.cells)
                if not equal_cells(info.parts[1], entry + (1 + key.cells), value):
                    return False
    return True


def find_entry(table: Ptr[Dict], home: i64, key: Ptr[i64]) -> i64:
    """The number of the entry with a key whose `key_home` is `home`; -1 if there is none."""
    if table.length == 0:
        return -1
    info = table.typeinfo.parts[0]
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
                if equal_cells(info, entry + 1, key):
                    return at
        left = left >> 5
        slot = (slot * 5 + left + 1) & mask
    return -1


# ---- order


def order_of(less: b8, greater: b8) -> i64:
    """-1, 1 or 0."""
    if less:
        return -1
    if greater:
        return 1
    return 0


def order_floats(a: f64, b: f64) -> i64:
    """-1, 0 or 1 as `a` is less than, equal to or greater than `b`; `UNORDERED` if one is NaN."""
    if a == b:
        return 0
    if a < b:
        return -1
    if a > b:
        return 1
    return UNORDERED


def order_int_float(n: i64, x: f64) -> i64:
    """The exact order of an int and a float."""
    if x != x:
        return UNORDERED
    if x >= 9223372036854775808.0:
        return -1
    if x < -9223372036854775808.0:
        return 1
    whole = i64(x)
    if n != whole:
        return order_of(n < whole, n > whole)
    rest = x - f64(whole)
    return order_of(rest > 0.0, rest < 0.0)


def order_objects(a: Ptr[Object], b: Ptr[Object]) -> i64:
    """`order_cells` of two values of which each may be of any type: numbers of different kinds have an order."""
    if address(a) != 0 and address(b) != 0:
        info = a.typeinfo
        other = b.typeinfo
        if address(info) != 0 and address(other) != 0:
            if address(info) == address(other) and info.kind >= kinds.FIRST_HEAP:
                cell = stack(2, i64)
                cell[0] = address(a)
                cell[1] = address(b)
                return order_cells(info, cell, cell + 1)
            if address(info) == address(other):
                return order_cells(info, cells_behind(a), cells_behind(b))
            left = info.kind == kinds.INT or info.kind == kinds.BOOL
            right = other.kind == kinds.INT or other.kind == kinds.BOOL
            x = cells_behind(a)
            y = cells_behind(b)
            if left and right:
                return order_of(x[0] < y[0], x[0] > y[0])
            if left and other.kind == kinds.FLOAT:
                return order_int_float(x[0], as_float(y[0]))
            if right and info.kind == kinds.FLOAT:
                found = order_int_float(y[0], as_float(x[0]))
                if found == UNORDERED:
                    return found
                return -found
    if objects_equal(a, b):
        return 0
    raise TypeError("'<' not supported between these values")


def order_cells(info: Ptr[TypeInfo], a: Ptr[i64], b: Ptr[i64]) -> i64:
    """-1, 0 or 1 as a value comes before, with or after another of its type; `UNORDERED` if a NaN decides.

    Raises TypeError for different values that have no order, RecursionError for those that are nested too deeply.
    """
    kind = info.kind
    if kind == kinds.INT or kind == kinds.BOOL or kind == kinds.ENUM:
        return order_of(a[0] < b[0], a[0] > b[0])
    if kind == kinds.FLOAT:
        return order_floats(as_float(a[0]), as_float(b[0]))
    if kind == kinds.STR or kind == kinds.BYTES:
        return str_compare(pointer(a[0], Str), pointer(b[0], Str))
    if kind == kinds.TUPLE:
        return order_fields(info, a, b)
    if kind == kinds.LIST:
        x = pointer(a[0], List)
        y = pointer(b[0], List)
        return order_rows(info.parts[0], x.data, x.length, y.data, y.length)
    if kind == kinds.OBJECT:
        return order_objects(pointer(a[0], Object), pointer(b[0], Object))
    if equal_cells(info, a, b):
        return 0
    if kind == kinds.OPTIONAL:
        inner = info.parts[0]
        if a[0] != 0 and b[0] != 0:
            if info.cells == inner.cells:
                return order_cells(inner, a, b)
            return order_cells(inner, a + 1, b + 1)
    if kind == kinds.CLASS:
        left = pointer(a[0], Object)
        right = pointer(b[0], Object)
        if info.flags & kinds.CLASS_ORDER != 0 and address(left.typeinfo) == address(right.typeinfo):
            return order_fields(left.typeinfo, cells_behind(left), cells_behind(right))
    raise TypeError("'<' not supported between these values")


def order_fields(info: Ptr[TypeInfo], a: Ptr[i64], b: Ptr[i64]) -> i64:
    """`order_cells` of the first elements of two tuples, or fields of two instances, that are not equal."""
    at = 0
    for k in range(info.count):
        part = info.parts[k]
        found = order_cells(part, a + at, b + at)
        if found != 0:
            return found
        at = at + part.cells
    return 0


def order_rows(info: Ptr[TypeInfo], a: Ptr[i64], n: i64, b: Ptr[i64], m: i64) -> i64:
    """`order_cells` of rows of `n` and of `m` values: the first that are not equal decide, then the lengths."""
    common = n
    if m < common:
        common = m
    for k in range(common):
        found = order_cells(info, a + k * info.cells, b + k * info.cells)
        if found != 0:
            return found
    return order_of(n < m, n > m)


# ---- hashes


def hash_int(n: i64) -> i64:
    """CPython's hash of an int."""
    if n > -MODULUS and n < MODULUS:
        if n == -1:
            return -2
        return n
    if n == NONE_INT:
        return -4
    if n > 0:
        return n % MODULUS
    found = -(-n % MODULUS)
    if found == -1:
        return -2
    return found


def hash_float(x: f64) -> i64:
    """CPython's hash of a float; 0 for a NaN."""
    if fabs(x) < 4503599627370496.0 and f64(i64(x)) == x:
        return hash_int(i64(x))
    bits = bitcast(x, i64)
    exponent = shift_right(bits, 52) & 0x7FF
    mantissa = bits & 0xFFFFFFFFFFFFF
    if exponent == 0x7FF:
        if mantissa != 0:
            return 0
        if x > 0.0:
            return 314159
        return -314159
    if exponent == 0:
        exponent = 1
    else:
        mantissa = mantissa | 0x10000000000000
    # The value is mantissa * 2^(exponent - 1075), and 2^61 is 1 by the modulus: a rotation of 61 bits.
    turn = (exponent - 1075 + 61 * 18) % 61
    found = (i64(mantissa << turn) & MODULUS) | (mantissa >> (61 - turn))
    if bits < 0:
        found = -found
    if found == -1:
        return -2
    return found


def hash_start() -> i64:
    """The state of the hash of a tuple without elements."""
    return TUPLE_START


def hash_next(state: i64, lane: i64) -> i64:
    """The state of the hash of a tuple with one more element, whose hash is `lane`."""
    x = i64(state + i64(lane * TUPLE_LANE))
    return i64((i64(x << 31) | shift_right(x, 33)) * TUPLE_ROUND)


def hash_end(state: i64, count: i64) -> i64:
    """The hash of a tuple of `count` elements."""
    found = i64(state + (count ^ (TUPLE_START ^ 3527539)))
    if found == -1:
        return 1546275796
    return found


def hash_cells(info: Ptr[TypeInfo], cells: Ptr[i64]) -> i64:
    """The hash of a value: CPython's for numbers, None and tuples of them.

    Raises TypeError for an object that has none, RecursionError for values that are nested too deeply.
    """
    kind = info.kind
    if kind == kinds.FLOAT:
        return hash_float(as_float(cells[0]))
    if kind == kinds.NONE:
        return NONE_HASH
    if kind == kinds.COMPLEX:
        return hash_complex(as_float(cells[0]), as_float(cells[1]))
    if kind == kinds.TUPLE:
        return hash_fields(info, cells)
    if kind >= kinds.FIRST_HEAP or kind == kinds.OBJECT:
        if kind == kinds.OBJECT and info.count == 0 and has_own_hash(info, cells):
            raise TypeError("a value of any type is no key where its class has a '__hash__' or '__eq__' of its own")
        return hash_object(pointer(cells[0], Object))
    if kind == kinds.OPTIONAL:
        inner = info.parts[0]
        if inner.kind >= kinds.FIRST_HEAP or inner.kind == kinds.OBJECT:
            return hash_object(pointer(cells[0], Object))
        if cells[0] == 0:
            return NONE_HASH
        return hash_cells(inner, cells + 1)
    return hash_int(cells[0])


def has_own_hash(info: Ptr[TypeInfo], cells: Ptr[i64]) -> b8:
    """Whether a value is, or has in it, an instance whose hash only compiled code knows."""
    kind = info.kind
    if kind == kinds.OPTIONAL and info.cells > info.parts[0].cells:
        return has_own_hash(info.parts[0], cells + 1)
    if kind == kinds.TUPLE:
        return fields_have_own_hash(info, cells)
    if kind < kinds.FIRST_HEAP and kind != kinds.OBJECT and kind != kinds.OPTIONAL:
        return False
    object = pointer(cells[0], Object)
    if address(object) == 0:
        return False
    own = object.typeinfo
    if address(own) == 0:
        return False
    if own.kind < kinds.FIRST_HEAP:
        return has_own_hash(own, cells_behind(object))
    if own.kind != kinds.CLASS or own.flags & kinds.CLASS_OWN_KEYS != 0:
        return own.kind == kinds.CLASS
    return own.flags & kinds.CLASS_EQ != 0 and fields_have_own_hash(own, cells_behind(object))


def fields_have_own_hash(info: Ptr[TypeInfo], cells: Ptr[i64]) -> b8:
    """`has_own_hash` of an element of a tuple, or a field."""
    at = 0
    for k in range(info.count):
        if has_own_hash(info.parts[k], cells + at):
            return True
        at = at + info.parts[k].cells
    return False


def hash_complex(real: f64, imaginary: f64) -> i64:
    """CPython's hash of a complex number."""
    found = i64(hash_float(real) + i64(1000003 * hash_float(imaginary)))
    if found == -1:
        return -2
    return found


def hash_fields(info: Ptr[TypeInfo], cells: Ptr[i64]) -> i64:
    """The hash of a tuple, or of an instance as the tuple of its fields."""
    state = hash_start()
    at = 0
    for k in range(info.count):
        state = hash_next(state, hash_cells(info.parts[k], cells + at))
        at = at + info.parts[k].cells
    return hash_end(state, info.count)


def hash_object(object: Ptr[Object]) -> i64:
    """The hash of a heap object, or null."""
    if address(object) == 0:
        return NONE_HASH
    info = object.typeinfo
    if address(info) == 0:
        return hash_int(address(object) >> 4)
    kind = info.kind
    if kind == kinds.STR or kind == kinds.BYTES:
        return i64(str_hash(pointer(address(object), Str)))
    if kind == kinds.LIST and info.flags & kinds.LIST_FROZEN != 0:
        items = pointer(address(object), List)
        state = hash_start()
        for k in range(items.length):
            state = hash_next(state, hash_cells(info.parts[0], items.data + k * items.cells))
        return hash_end(state, items.length)
    if kind == kinds.LIST:
        raise TypeError("unhashable type: 'list'")
    if kind == kinds.DICT:
        raise TypeError("unhashable type: 'dict'")
    if kind == kinds.SET:
        raise TypeError("unhashable type: 'set'")
    if kind == kinds.CLASS and info.flags & kinds.CLASS_EQ != 0:
        if info.flags & kinds.CLASS_FROZEN != 0:
            return hash_fields(info, cells_behind(object))
        if info.flags & kinds.CLASS_OWN_KEYS == 0:
            raise TypeError("unhashable type")
    if kind < kinds.FIRST_HEAP:
        return hash_cells(info, cells_behind(object))
    return hash_int(address(object) >> 4)


def key_home(info: Ptr[TypeInfo], key: Ptr[i64]) -> i64:
    """Where the search for a key begins, and what a table keeps of it: a well mixed hash, never negative."""
    kind = info.kind
    if kind == kinds.INT or kind == kinds.BOOL:
        return int_home(key[0])
    if kind == kinds.STR:
        return str_home(pointer(key[0], Str))
    return int_home(hash_cells(info, key))


def int_home(n: i64) -> i64:
    """`key_home` of an int."""
    x = i64((n ^ shift_right(n, 32)) * FACTOR)
    return (x ^ shift_right(x, 29)) & LARGEST_HOME


def str_home(text: Ptr[Str]) -> i64:
    """`key_home` of a str."""
    if text.hash != 0:
        return text.hash & LARGEST_HOME
    return str_hash(text) & LARGEST_HOME


# ---- operators


def any_hash(info: Ptr[TypeInfo], value: Ptr[i64]) -> i64:
    """``hash(value)``"""
    return hash_cells(info, value)


def any_eq(info: Ptr[TypeInfo], value: Ptr[i64], same: Ptr[TypeInfo], other: Ptr[i64]) -> b8:
    """``value == other``, both of one type"""
    return equal_cells(info, value, other)


def any_ne(info: Ptr[TypeInfo], value: Ptr[i64], same: Ptr[TypeInfo], other: Ptr[i64]) -> b8:
    """``value != other``, both of one type"""
    return not equal_cells(info, value, other)


def any_lt(info: Ptr[TypeInfo], value: Ptr[i64], same: Ptr[TypeInfo], other: Ptr[i64]) -> b8:
    """``value < other``, both of one type"""
    return order_cells(info, value, other) == -1


def any_le(info: Ptr[TypeInfo], value: Ptr[i64], same: Ptr[TypeInfo], other: Ptr[i64]) -> b8:
    """``value <= other``, both of one type"""
    return order_cells(info, value, other) <= 0


def any_gt(info: Ptr[TypeInfo], value: Ptr[i64], same: Ptr[TypeInfo], other: Ptr[i64]) -> b8:
    """``value > other``, both of one type"""
    return order_cells(info, value, other) == 1


def any_ge(info: Ptr[TypeInfo], value: Ptr[i64], same: Ptr[TypeInfo], other: Ptr[i64]) -> b8:
    """``value >= other``, both of one type"""
    found = order_cells(info, value, other)
    return found == 0 or found == 1
