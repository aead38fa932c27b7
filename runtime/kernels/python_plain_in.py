"""Tier 3: Python objects that hold no others as native values, and lists of numbers."""

from __future__ import annotations

from typing import Final

from tscript.abi.signature import Seen
from tscript.dialect import (
    List,
    Marshal,
    Object,
    Ptr,
    TensorImpl,
    TypeInfo,
    Void,
    address,
    bitcast,
    i64,
    pointer,
    pointer_cast,
    stack,
    symbol,
)
from tscript.runtime.kernels import kinds
from tscript.runtime.kernels import python_api as api
from tscript.runtime.kernels.marshal import (
    ELEMENT,
    mismatch,
    step_number,
)
from tscript.runtime.kernels.objects import (
    object_release,
    object_retain,
)
from tscript.runtime.kernels.python_entries import entered, known
from tscript.runtime.kernels.python_scalars import (
    bytes_in,
    complex_in,
    enum_in,
    float_in,
    int_in,
    own_of,
    plain_fits,
)

SEEN_TENSOR: Final = Seen.TENSOR


def plain_in(m: Ptr[Marshal], o: Ptr[Void], info: Ptr[TypeInfo], to: Ptr[i64]) -> i64:
    """`value_in` for the rarer kinds without parts."""
    kind = info.kind
    if kind == kinds.NONE:
        if api.is_none(o):
            return 0
        return mismatch(m, o, info)
    if kind == kinds.BYTES:
        return bytes_in(m, o, info, to)
    if kind == kinds.COMPLEX:
        return complex_in(m, o, info, to)
    if kind == kinds.ENUM:
        return enum_in(m, o, info, to)
    if kind == kinds.CALLABLE:
        return function_in(m, o, info, to)
    if kind == kinds.TENSOR and info.flags & kinds.TENSOR_GENERATOR != 0:
        return generator_in(m, o, info, to)
    if kind == kinds.DTYPE:
        return dtype_in(m, o, info, to)
    if not plain_fits(o, info):
        if kind == kinds.TENSOR and info.flags & kinds.TENSOR_SIZE == 0:
            return shared_in(m, o, info, to)
        return mismatch(m, o, info)
    native = 0
    if kind == kinds.TENSOR:
        native = pointer_cast(o, i64)[2]
        m.seen = m.seen | SEEN_TENSOR
        if native != 0 and info.flags & kinds.TENSOR_KNOWN != 0 and not has_facts(native, info):
            return mismatch(m, o, info)
    else:
        native = address(api.unbox_future(o))
    if native == 0:
        return -1
    object_retain(pointer(native, Object))
    to[0] = native
    return 0


def dtype_in(m: Ptr[Marshal], o: Ptr[Void], info: Ptr[TypeInfo], to: Ptr[i64]) -> i64:
    """A dtype, or one of PyTorch."""
    own = address(o)
    if not plain_fits(o, info):
        own = own_of(o)
        if own == -1:
            return -1
        if own == 0 or not plain_fits(pointer(own, Void), info):
            return mismatch(m, o, info)
    code = api.unbox_dtype(pointer(own, Void))
    if code < 0:
        return -1
    to[0] = i64(code)
    return 0


def has_facts(tensor: i64, info: Ptr[TypeInfo]) -> bool:
    """Whether a tensor has the dtype and the rank of its type."""
    header = pointer(tensor, TensorImpl)
    return i64(header.dtype) | i64(header.ndim) << 8 == info.flags >> kinds.TENSOR_FACTS


def shared_in(m: Ptr[Marshal], o: Ptr[Void], info: Ptr[TypeInfo], to: Ptr[i64]) -> i64:
    """An array of others as a tensor over its memory; one object is one tensor."""
    if known(m, o, info, to):
        return 0
    seen = stack(1, i64)
    seen[0] = m.seen
    made = api.unbox_shared(o, seen)
    if address(made) == 0:
        if address(api.error_there()) != 0:
            return -1
        return mismatch(m, o, info)
    if info.flags != 0 and not has_facts(address(made), info):
        object_release(pointer_cast(made, Object))
        return mismatch(m, o, info)
    m.seen = seen[0]
    if not entered(m, o, address(made), info, to):
        return -1
    return 0


def generator_in(m: Ptr[Marshal], o: Ptr[Void], info: Ptr[TypeInfo], to: Ptr[i64]) -> i64:
    """A Generator of NumPy as the tensor over its state; one object is one tensor."""
    if not plain_fits(o, info):
        return mismatch(m, o, info)
    if known(m, o, info, to):
        return 0
    made = api.generator_in(o)
    if address(made) == 0:
        return -1
    if not entered(m, o, address(made), info, to):
        return -1
    return 0


def function_in(m: Ptr[Marshal], o: Ptr[Void], info: Ptr[TypeInfo], to: Ptr[i64]) -> i64:
    """A function as a value: the hook compiles it for the type."""
    given = api.tuple_new(2)
    wanted = api.long_from(address(info))
    if address(given) == 0 or address(wanted) == 0:
        api.xdecref(given)
        api.xdecref(wanted)
        return -1
    items = api.tuple_items(given)
    api.incref(o)
    items[0] = address(o)
    items[1] = address(wanted)
    said = api.call_tuple(api.hook(api.FUNCTION_IN_HOOK), given, api.null())
    api.decref(given)
    if address(said) == 0:
        return -1
    to[0] = api.long_address(said)
    api.decref(said)
    if to[0] == 0:
        return mismatch(m, o, info)
    return 0


def ints_in(m: Ptr[Marshal], items: Ptr[i64], element: Ptr[TypeInfo], made: Ptr[List], count: i64) -> i64:
    """The elements of a list of ints; nothing that is called runs code of the user's."""
    data = made.data
    exact = address(symbol("PyLong_Type", Void))
    for k in range(count):
        item = pointer(items[k], Void)
        fine = False
        if address(api.type_of(item)) == exact:
            fine = api.read_int(item, data + k)
        if not fine:
            if int_in(m, item, element, data + k) != 0:
                return step_number(m, ELEMENT, k)
    made.length = count
    return 0


def floats_in(m: Ptr[Marshal], items: Ptr[i64], element: Ptr[TypeInfo], made: Ptr[List], count: i64) -> i64:
    """The elements of a list of floats; nothing that is called runs code of the user's."""
    data = made.data
    exact = address(symbol("PyFloat_Type", Void))
    for k in range(count):
        item = pointer(items[k], Void)
        if address(api.type_of(item)) == exact:
            data[k] = bitcast(api.read_float(item), i64)
        elif float_in(m, item, element, data + k) != 0:
            return step_number(m, ELEMENT, k)
    made.length = count
    return 0
