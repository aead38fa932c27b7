"""Tier 2: hashes of values of any type, by their `TypeInfo`. Those of numbers and tuples are CPython's."""

from __future__ import annotations

from tscript.abi.layout import NONE_INT
from tscript.dialect import (
    List,
    Object,
    Ptr,
    Str,
    TensorImpl,
    TypeInfo,
    address,
    b8,
    bitcast,
    f64,
    fabs,
    i64,
    pointer,
    pointer_cast,
    stack,
)
from tscript.runtime.kernels import kinds
from tscript.runtime.kernels.objects import cells_behind, element_cells
from tscript.runtime.kernels.strings_compare import str_hash

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


def as_float(cell: i64) -> f64:
    """The float in a cell."""
    return bitcast(cell, f64)


def shift_right(x: i64, count: i64) -> i64:
    """`x` moved by `count` bits (at least 1) to the right, with zeros from the left."""
    return (x >> count) & ((1 << (64 - count)) - 1)


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
        return hash_heap(info, cells[0])
    if kind == kinds.OPTIONAL:
        inner = info.parts[0]
        if inner.kind >= kinds.FIRST_HEAP or inner.kind == kinds.OBJECT:
            return hash_heap(inner, cells[0])
        if cells[0] == 0:
            return NONE_HASH
        return hash_cells(inner, cells + 1)
    if is_enum_of_values(info):
        return hash_cells(info.parts[0], info.members + cells[0])
    return hash_int(cells[0])


def is_enum_of_values(info: Ptr[TypeInfo]) -> b8:
    """Whether members of an enum are numbers or strings as well."""
    return info.kind == kinds.ENUM and info.flags & kinds.ENUM_VALUES != 0


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


def is_size(info: Ptr[TypeInfo]) -> b8:
    """Whether values of a type are shapes: tuples of ints that are kept as tensors are."""
    return info.kind == kinds.TENSOR and info.flags & kinds.TENSOR_SIZE != 0


def hash_heap(info: Ptr[TypeInfo], object: i64) -> i64:
    """The hash of the heap object at an address, or null, of a type that is known."""
    if object == 0 or not is_size(info):
        return hash_object(pointer(object, Object))
    shape = pointer(object, TensorImpl)
    items = pointer_cast(shape.data, i64)
    state = hash_start()
    for k in range(shape.numel):
        state = hash_next(state, hash_int(items[k]))
    return hash_end(state, shape.numel)


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
        spare = stack(1, i64)
        for k in range(items.length):
            state = hash_next(state, hash_cells(info.parts[0], element_cells(items, k, spare)))
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
