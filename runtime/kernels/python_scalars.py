"""Tier 3: Python numbers, strings and members of enums as native values, and which objects fit a type at a glance."""

from __future__ import annotations

from typing import Final

from tscript.abi import layout
from tscript.dialect import (
    Intrinsic,
    Marshal,
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
from tscript.dialect.machine import extern
from tscript.runtime.kernels import kinds
from tscript.runtime.kernels import python_api as api
from tscript.runtime.kernels.marshal import mismatch
from tscript.runtime.kernels.memory import heap_try_allocate
from tscript.types import I32, I64, PtrType, StructType

SPARE_DEPTH: Final = 8
"""Calls that are left when a value that is nested too deeply is refused."""
SPARE_STACK: Final = 8192
"""Bytes of stack above the limit that are left then."""
NO_STACK: Final = layout.NO_STACK


def _roomy(*_: object) -> int:
    """What the extern below means under CPython."""
    return 0


ask_stack = Intrinsic(extern("ts_stack_limit_v1", (PtrType(StructType("Context")), I64), I32), _roomy)
"""``(context, address)``: puts the limit of the thread's stack into the context."""


NEVER_SHARED: Final = kinds.TENSOR_SIZE | kinds.TENSOR_GENERATOR
"""Flags of tensors that no array becomes."""


def plain_fits(o: Ptr[Void], info: Ptr[TypeInfo]) -> b8:
    """Whether an object is the tensor, dtype or future that is wanted."""
    kind = info.kind
    found = address(api.type_of(o))
    if kind == kinds.TENSOR:
        if info.flags & kinds.TENSOR_GENERATOR != 0:
            return found == address(info.python) or found == api.tuple_items(info.objects)[0]
        plain = info.flags == 0 or info.flags & kinds.TENSOR_KNOWN != 0
        return plain and found == api.python_word(api.TENSOR_TYPE)
    if kind == kinds.DTYPE:
        return found == api.python_word(api.DTYPE_TYPE)
    if kind == kinds.FUTURE:
        return found == api.python_word(api.FUTURE_TYPE)
    return False


def is_deep() -> b8:
    """Whether the depth of calls or the stack that is left is too little for another level of values."""
    ctx = context()
    if ctx.depth < SPARE_DEPTH:
        return True
    here = address(stack(1, i64))
    if ctx.stack == NO_STACK:
        ask_stack(ctx, here)
    return ctx.stack != 0 and here < ctx.stack + SPARE_STACK


def too_deep() -> i64:
    """Refuse a value that is nested too deeply; -1."""
    api.error_set(pointer(symbol("PyExc_RecursionError", i64)[0], Void), pointer(api.python_word(api.DEPTH_TEXT), Void))
    return -1


def no_memory() -> i64:
    """-1: what fails without an exception fails for want of memory. It is set in the end, as giving memory back may run
    code of the user's."""
    return -1


def int_in(m: Ptr[Marshal], o: Ptr[Void], info: Ptr[TypeInfo], to: Ptr[i64]) -> i64:
    """An int (or bool)."""
    if api.is_int(o):
        if api.read_int(o, to):
            return 0
        to[0] = 0
    return numpy_in(m, o, info, to)


def numpy_in(m: Ptr[Marshal], o: Ptr[Void], info: Ptr[TypeInfo], to: Ptr[i64]) -> i64:
    """A NumPy scalar where one of its dtype is wanted."""
    if info.flags == 0:
        return mismatch(m, o, info)
    if api.scalar_cell(o, info.flags - kinds.SCALAR_CODE, to) == 0:
        return mismatch(m, o, info)
    return 0


def float_in(m: Ptr[Marshal], o: Ptr[Void], info: Ptr[TypeInfo], to: Ptr[i64]) -> i64:
    """A float, or an int."""
    if address(api.type_of(o)) == address(symbol("PyFloat_Type", Void)):
        to[0] = bitcast(api.read_float(o), i64)
        return 0
    number = stack(1, f64)
    if not number_in(o, number):
        return numpy_in(m, o, info, to)
    to[0] = bitcast(number[0], i64)
    return 0


def number_in(o: Ptr[Void], out: Ptr[f64]) -> b8:
    """Read a float or an int as a float; False when it is neither, or too large."""
    if api.is_int(o):
        whole = stack(1, i64)
        if api.read_int(o, whole):
            out[0] = f64(whole[0])
            return True
        out[0] = api.long_as_double(o)
        if out[0] == -1.0 and address(api.error_there()) != 0:
            api.error_clear()
            return False
        return True
    if api.is_float(o):
        out[0] = api.read_float(o)
        return True
    return False


def bool_in(m: Ptr[Marshal], o: Ptr[Void], info: Ptr[TypeInfo], to: Ptr[i64]) -> i64:
    """True or False."""
    if not api.is_bool(o):
        return numpy_in(m, o, info, to)
    to[0] = select(address(o) == address(symbol("_Py_TrueStruct", Void)), i64(1), i64(0))
    return 0


def complex_in(m: Ptr[Marshal], o: Ptr[Void], info: Ptr[TypeInfo], to: Ptr[i64]) -> i64:
    """A complex number, a float or an int."""
    if api.is_complex(o):
        to[0] = pointer_cast(o, i64)[2]
        to[1] = pointer_cast(o, i64)[3]
        return 0
    number = stack(1, f64)
    if not number_in(o, number):
        return mismatch(m, o, info)
    to[0] = bitcast(number[0], i64)
    to[1] = 0
    return 0


def enum_in(m: Ptr[Marshal], o: Ptr[Void], info: Ptr[TypeInfo], to: Ptr[i64]) -> i64:
    """A member of an enum."""
    at = member_at(address(o), info)
    if at < 0:
        own = own_of(o)
        if own == -1:
            return -1
        at = member_at(own, info)
    if at < 0:
        return mismatch(m, o, info)
    to[0] = at
    return 0


def member_at(o: i64, info: Ptr[TypeInfo]) -> i64:
    """The position of an object, by its address, among the members of an enum; -1 if it is none."""
    if address(info.objects) != 0:
        members = api.tuple_items(info.objects)
        for k in range(info.count):
            if members[k] == o:
                return k
    return -1


def own_of(o: Ptr[Void]) -> i64:
    """The address of our object for a dtype, device, layout or memory format of PyTorch, or for the name of a device; 0
    for any other object, -1 with an exception set."""
    said = api.call_one(api.hook(api.OWN_HOOK), o)
    if address(said) == 0:
        return -1
    found = api.long_address(said)
    api.decref(said)
    return found


def string_new(info: Ptr[TypeInfo], length: i64, width: i64, data: Ptr[Void]) -> Ptr[Str]:
    """A str or bytes with a copy of the contents; null when there is no memory left."""
    size = length * width
    made = pointer_cast(heap_try_allocate(kinds.STR_BYTES + size + width), Str)
    if address(made) == 0:
        return made
    made.refcount = 1
    made.typeinfo = info
    made.length = length
    made.hash = 0
    made.width = i32(width)
    made.ascii = 0
    memcpy(pointer_cast(made + 1, u8), data, size)
    end = pointer_cast(made + 1, u8) + size
    for k in range(width):
        end[k] = u8(0)
    return made


def str_in(m: Ptr[Marshal], o: Ptr[Void], info: Ptr[TypeInfo], to: Ptr[i64]) -> i64:
    """A str."""
    if not api.is_str(o):
        return mismatch(m, o, info)
    width = api.width_of(o)
    made = string_new(info, pointer_cast(o, i64)[2], width, api.characters(o))
    if address(made) == 0:
        return -1
    if api.is_ascii(o):
        made.ascii = i32(1)
    to[0] = address(made)
    return 0


def bytes_in(m: Ptr[Marshal], o: Ptr[Void], info: Ptr[TypeInfo], to: Ptr[i64]) -> i64:
    """A bytes object."""
    if not api.has_flag(o, api.BYTES_FLAG):
        return mismatch(m, o, info)
    made = string_new(info, api.sequence_size(o), 1, api.bytes_data(o))
    if address(made) == 0:
        return -1
    to[0] = address(made)
    return 0


def type_differs(o: Ptr[Void], info: Ptr[TypeInfo]) -> b8:
    """Whether an object is no instance of the class of a type."""
    found = api.type_of(o)
    return address(found) != address(info.python) and api.type_is(found, info.python) == 0


def fitting(o: Ptr[Void], info: Ptr[TypeInfo]) -> i64:
    """How well an object fits a type, at a glance: 2 it is of that type, 1 it can be converted, 0 it does not fit."""
    kind = info.kind
    if kind == kinds.NONE:
        return select(api.is_none(o), i64(2), i64(0))
    if kind == kinds.INT or kind == kinds.FLOAT or kind == kinds.BOOL or kind == kinds.COMPLEX:
        return fitting_number(o, kind)
    fits = False
    if kind == kinds.STR:
        fits = api.is_str(o)
    elif kind == kinds.BYTES:
        fits = api.has_flag(o, api.BYTES_FLAG)
    elif kind == kinds.LIST:
        if info.flags & kinds.LIST_FROZEN != 0:
            fits = api.is_tuple(o)
        else:
            fits = api.is_list(o)
            if not fits:
                return i64(api.is_tuple(o))
    elif kind == kinds.TUPLE:
        fits = api.is_tuple(o)
        if fits:
            fits = api.sequence_size(o) == info.count
        if fits and address(info.python) != 0:
            fits = not type_differs(o, info)
    elif kind == kinds.DICT:
        fits = api.is_dict(o)
    elif kind == kinds.SET:
        fits = api.is_set(o)
    elif kind == kinds.CLASS or kind == kinds.ENUM:
        if address(info.python) != 0:
            fits = not type_differs(o, info)
            if fits and address(api.type_of(o)) != address(info.python):
                return 1
            if not fits and kind == kinds.ENUM:
                fits = member_at(own_of(o), info) >= 0
                if api.is_str(o):
                    return i64(fits)
    elif kind == kinds.CALLABLE:
        return i64(api.callable_check(o))
    else:
        fits = plain_fits(o, info)
        if not fits and kind == kinds.DTYPE:
            own = own_of(o)
            return select(own > 0 and plain_fits(pointer(own, Void), info), i64(2), i64(0))
        if not fits and kind == kinds.TENSOR and info.flags & NEVER_SHARED == 0:
            return i64(api.is_shared(o))
    return select(fits, i64(2), i64(0))


def fitting_number(o: Ptr[Void], kind: i64) -> i64:
    """`fitting` for a kind of numbers."""
    found = -1
    if api.is_bool(o):
        found = kinds.BOOL
    elif api.is_int(o):
        found = kinds.INT
    elif api.is_float(o):
        found = kinds.FLOAT
    elif api.is_complex(o):
        found = kinds.COMPLEX
    if found == -1:
        return 0
    if found == kind:
        return 2
    if kind == kinds.BOOL or found == kinds.COMPLEX:
        return 0
    if kind == kinds.INT and found == kinds.FLOAT:
        return 0
    return 1
