"""ndarrays: one as a tensor over its memory, and a tensor as an ndarray: the letter ``A`` of signatures.

`array_in` and `array_out` are the two ways, and need nothing of each other. Nothing is copied. A tensor over an array
keeps the array alive (`Storage.owner`); an array over a tensor has the tensor's wrapper as its base, or the array that
owns the memory. A tensor that `array_in` made becomes the array itself again (`TENSOR_GIVEN`).

What is read of an array is the start of NumPy's struct, and arrays are made by NumPy's C API;
`tscript.runtime.boundary.array_objects` finds and checks both. Where that fails `ARRAY_TYPE` stays null, no key says
that an argument is an array, and Python converts it.
"""

from __future__ import annotations

from tscript.abi.helpers import (
    ARRAY_DONE,
    ARRAY_IN,
    ARRAY_OUT,
    BOX_TENSOR,
    GENERATOR_IN,
    GENERATOR_OUT,
    IS_GIVEN,
    IS_SHARED,
    SCALAR_CELL,
    SCALAR_IN,
    SCALAR_OF_CELL,
    SCALAR_OUT,
    TORCH_IN,
    TORCH_OUT,
    UNBOX_SHARED,
)
from tscript.abi.layout import MAX_DEPTH, MAX_RANK, NO_STACK, STORAGE_READONLY, TENSOR_CONTIGUOUS, TENSOR_GIVEN
from tscript.abi.signature import Seen
from tscript.abi.tensor_facts import RANK_BITS
from tscript.dialect import (
    Arrays,
    Context,
    Ptr,
    PyArray,
    PyObject,
    Site,
    TensorImpl,
    Void,
    address,
    b8,
    bitcast,
    f16,
    f32,
    f64,
    i32,
    i64,
    pointer,
    pointer_cast,
    select,
    stack,
    text,
    u8,
)
from tscript.dialect.linkage import ALWAYS_INLINE, COLD, NOINLINE, c_signature, exported, internal, variable
from tscript.runtime.boundary.native.failures import fail
from tscript.runtime.boundary.native.objects import decref, failed, incref, items_of
from tscript.runtime.boundary.native.python_api import (
    Py_DecRef,
    Py_None,
    PyCapsule_GetPointer,
    PyErr_Occurred,
    PyErr_SetString,
    PyExc_SystemError,
    PyExc_TypeError,
    PyLong_FromLongLong,
    PyObject_CallFunctionObjArgs,
    PyObject_CallOneArg,
    PyObject_GetAttrString,
    PyTuple_New,
    PyTuple_SetItem,
    PyTuple_Type,
    PyType_GetFlags,
)
from tscript.runtime.boundary.native.table import ARRAY_TYPE, TORCH_TYPE, array_facts, torch_array, torch_facts
from tscript.runtime.boundary.native.tensor import NO_TENSOR, impl_release, wrap
from tscript.types import dtypes

HEAP_TYPE = 1 << 9
"""Python's flag of classes made at run time, as those of tensors of PyTorch are."""
WRITEABLE = 0x400
ALIGNED = 0x100
IN_ORDER = 1
"""NumPy's flags of an array."""

SEEN_TENSOR = Seen.TENSOR
SEEN_ARRAY = Seen.ARRAY
SEEN_TORCH = Seen.TORCH
SEEN_MODULE = Seen.MODULE
CHANGED = "the tensor was changed while the call began"

CODE = (1 << RANK_BITS) - 1
DEPTH = MAX_DEPTH
UNKNOWN_STACK = NO_STACK
MOST_SIZES = MAX_RANK
FROM_ARRAY = "tsb_from_array"

ARRAYS = variable("tsb_arrays", Arrays, exported=True)
MAKE = variable(FROM_ARRAY, Ptr[Void], exported=True)
"""The kernel `tensor_from_array`."""
CONNECT_HOOK = variable("tsb_array_hook", Ptr[PyObject], exported=True)
"""``hook()``: sets `MAKE`."""
FROM_NUMPY = variable("tsb_from_numpy", Ptr[PyObject], exported=True)
"""What makes a tensor of PyTorch over an ndarray."""
MEET_HOOK = variable("tsb_meet_hook", Ptr[PyObject], exported=True)
"""``hook(object)``: sets `TORCH_TYPE` if the object is a tensor of PyTorch."""
GENERATOR_AT = variable("tsb_generator_at", Ptr[PyObject], exported=True)
"""``hook(address)``: the object of a generator that compiled code made."""
VARIABLES = (ARRAYS, MAKE, CONNECT_HOOK, FROM_NUMPY, MEET_HOOK, GENERATOR_AT)

KERNEL = c_signature(i32, Ptr[Context], Ptr[Void], Ptr[Void], i64, i64, i64, Ptr[i64], Ptr[i64], Ptr[Ptr[TensorImpl]])
NEW = c_signature(Ptr[PyObject], Ptr[PyObject], Ptr[PyObject], i32, Ptr[i64], Ptr[i64], Ptr[Void], i32, Ptr[PyObject])
"""``PyArray_NewFromDescr(type, descr, ndim, sizes, strides, data, flags, object)``; takes the descr over."""
DESCR_CLASS = 2
"""The word of a dtype object that is the class of its scalars."""
FLOAT16 = dtypes.float16.code
FLOAT32 = dtypes.float32.code
INT8 = dtypes.int8.code
INT16 = dtypes.int16.code
INT32 = dtypes.int32.code
INT64 = dtypes.int64.code
BITGEN_WORDS = 5
"""Words of NumPy's ``bitgen_t``: the state, and the functions that draw from it."""
SCALAR_AS_CTYPE = c_signature(Void, Ptr[PyObject], Ptr[Void])
"""``PyArray_ScalarAsCtype(scalar, out)``."""
SCALAR = c_signature(Ptr[PyObject], Ptr[Void], Ptr[PyObject], Ptr[PyObject])
"""``PyArray_Scalar(data, descr, base)``."""
SET_BASE = c_signature(i32, Ptr[PyObject], Ptr[PyObject])
"""``PyArray_SetBaseObject(array, base)``; takes the base over."""


@internal(NOINLINE, COLD)
def is_connected() -> b8:
    """Get the kernel; False: an exception is set."""
    done = PyObject_CallFunctionObjArgs(CONNECT_HOOK[0], pointer(0, PyObject))
    if address(done) == 0:
        return False
    Py_DecRef(done)
    return True


@exported(ARRAY_IN)
def array_in(o: Ptr[PyObject]) -> Ptr[TensorImpl]:
    """A new tensor over the memory of an ndarray that `array_facts` takes; owned, or null with an exception set.

    It is an ordinary tensor: it may be kept, and the array lives as long as its storage. If the array is read-only, so
    is the storage. `array_done` drops the reference.
    """
    incref(o)
    return header_over(o, o)


@exported(TORCH_IN)
def torch_in(o: Ptr[PyObject]) -> Ptr[TensorImpl]:
    """The same of a tensor of PyTorch: over the ndarray that it gives, with the pair of both as the owner."""
    array = torch_array(o)
    if address(array) == 0:
        return pointer(0, TensorImpl)
    pair = pointer(0, PyObject)
    if array.type == ARRAY_TYPE[0]:
        if array_facts(array) >= 0:
            pair = PyTuple_New(2)
    if address(pair) == 0:
        decref(array)
        if address(PyErr_Occurred()) == 0:
            PyErr_SetString(PyExc_TypeError[0], text(CHANGED))
        return pointer(0, TensorImpl)
    incref(o)
    PyTuple_SetItem(pair, 0, o)
    PyTuple_SetItem(pair, 1, array)
    return header_over(array, pair)


@internal(ALWAYS_INLINE)
def header_over(o: Ptr[PyObject], owner: Ptr[PyObject]) -> Ptr[TensorImpl]:
    """A new tensor over the memory of an ndarray, which takes over the reference to what keeps that alive, in any
    case; null with an exception set."""
    array = pointer_cast(o, PyArray)
    readonly = i64(array.flags & WRITEABLE == 0)
    code = array_facts(o) & CODE
    return over(pointer_cast(array.data, Void), owner, readonly, code, i64(array.ndim), array.sizes, array.strides)


@internal(ALWAYS_INLINE)
def over(
    data: Ptr[Void],
    owner: Ptr[PyObject],
    readonly: i64,
    code: i64,
    ndim: i64,
    sizes: Ptr[i64],
    strides: Ptr[i64],
) -> Ptr[TensorImpl]:
    """`header_over` of memory of a dtype, sizes and strides."""
    if address(MAKE[0]) == 0:
        if not is_connected():
            decref(owner)
            return pointer(0, TensorImpl)
    context = stack(1, Context)
    context.depth = DEPTH
    context.stack = UNKNOWN_STACK
    context.at = pointer(0, Site)
    context.thread_state = pointer(0, Void)
    context.ntrace = 0
    out = stack(1, Ptr[TensorImpl])
    status = KERNEL(MAKE[0], context, data, pointer_cast(owner, Void), readonly, code, ndim, sizes, strides, out)
    if status == 0:
        return out[0]
    decref(owner)
    fail(context, status)
    return pointer(0, TensorImpl)


@exported(GENERATOR_IN)
def generator_in(o: Ptr[PyObject]) -> Ptr[TensorImpl]:
    """A new tensor over the ``bitgen_t`` of a Generator of NumPy, which it keeps alive; null with an exception set."""
    bits = PyObject_GetAttrString(o, text("bit_generator"))
    if address(bits) == 0:
        return pointer(0, TensorImpl)
    capsule = PyObject_GetAttrString(bits, text("capsule"))
    decref(bits)
    if address(capsule) == 0:
        return pointer(0, TensorImpl)
    data = PyCapsule_GetPointer(capsule, text("BitGenerator"))
    decref(capsule)
    if address(data) == 0:
        return pointer(0, TensorImpl)
    sizes = stack(2, i64)
    sizes[0] = BITGEN_WORDS
    sizes[1] = 8
    incref(o)
    return over(data, o, 0, INT64, 1, sizes, sizes + 1)


@exported(GENERATOR_OUT)
def generator_out(impl: Ptr[TensorImpl]) -> Ptr[PyObject]:
    """The Generator whose ``bitgen_t`` a tensor is over, or a new one in the state that compiled code has made; takes
    the reference over."""
    owner = pointer_cast(impl.storage.owner, PyObject)
    if address(owner) == 0:
        place = PyLong_FromLongLong(address(impl.data))
        if address(place) != 0:
            owner = PyObject_CallFunctionObjArgs(GENERATOR_AT[0], place, pointer(0, PyObject))
            decref(place)
    else:
        incref(owner)
    impl_release(impl)
    return owner


@exported(ARRAY_DONE)
def array_done(impl: Ptr[TensorImpl]) -> None:
    """Drop the reference to what `array_in` gave; nothing for null."""
    if address(impl) != 0:
        storage = impl.storage
        if (impl.refcount == 1) & (storage.refcount == 1):
            # Nobody else has them, and the GIL is held: it need not be asked for to let go of the array.
            owner = pointer_cast(storage.owner, PyObject)
            storage.owner = pointer(0, u8)
            impl_release(impl)
            decref(owner)
        else:
            impl_release(impl)


@exported(ARRAY_OUT)
def array_out(impl: Ptr[TensorImpl]) -> Ptr[PyObject]:
    """An ndarray over the memory of a tensor, whose reference it takes over: the array that the tensor was made of,
    else a new one. Null with an exception set."""
    if address(impl) == 0:
        return failed(PyExc_SystemError[0], text(NO_TENSOR))
    storage = impl.storage
    base = pointer_cast(storage.owner, PyObject)
    owned = False
    if address(base) != 0:
        owned = base.type == ARRAY_TYPE[0]
    if owned:
        incref(base)
        if impl.flags & TENSOR_GIVEN != 0:
            impl_release(impl)
            return base
        made = array_over(impl, storage.flags)
        impl_release(impl)
    else:
        # The wrapper owns the reference from here on.
        base = wrap(impl)
        if address(base) == 0:
            return base
        made = array_over(impl, storage.flags)
    if address(made) == 0:
        decref(base)
        return made
    if SET_BASE(ARRAYS.set_base, made, base) < 0:
        decref(made)
        return pointer(0, PyObject)
    return made


@exported(TORCH_OUT)
def torch_out(impl: Ptr[TensorImpl]) -> Ptr[PyObject]:
    """A tensor of PyTorch over the memory of a tensor, whose reference it takes over: the one that it was made of, else
    a new one. Null with an exception set."""
    if address(impl) == 0:
        return failed(PyExc_SystemError[0], text(NO_TENSOR))
    if impl.flags & TENSOR_GIVEN != 0:
        owner = pointer_cast(impl.storage.owner, PyObject)
        if owner.type == PyTuple_Type:
            given = items_of(owner)[0]
            incref(given)
            impl_release(impl)
            return given
    array = array_out(impl)
    if address(array) == 0:
        return array
    made = PyObject_CallOneArg(FROM_NUMPY[0], array)
    decref(array)
    return made


@exported(BOX_TENSOR)
def box_tensor(impl: Ptr[TensorImpl], seen: i64) -> Ptr[PyObject]:
    """The Python form of a tensor, whose reference it takes over, in a call whose tensors came as `Seen` says."""
    if seen & SEEN_TENSOR == 0:
        if seen & SEEN_TORCH != 0:
            return torch_out(impl)
        if seen & (SEEN_ARRAY | SEEN_MODULE) == SEEN_ARRAY:
            return array_out(impl)
    return wrap(impl)


@exported(UNBOX_SHARED)
def unbox_shared(o: Ptr[PyObject], seen: Ptr[i64]) -> Ptr[TensorImpl]:
    """A new tensor over the memory of an array or a tensor of PyTorch, owned, with its bit in `seen`; null for anything
    else, with an exception only if something failed."""
    if is_shared(o) == 0:
        return pointer(0, TensorImpl)
    if o.type == ARRAY_TYPE[0]:
        seen[0] = seen[0] | SEEN_ARRAY
        return array_in(o)
    seen[0] = seen[0] | SEEN_TORCH
    return torch_in(o)


@exported("tsb_shared_tensor")
def shared_tensor(o: Ptr[PyObject]) -> Ptr[PyObject]:
    """The Tensor over the memory of what `is_shared` takes."""
    seen = stack(1, i64)
    seen[0] = 0
    return wrap(unbox_shared(o, seen))


def is_plain(o: Ptr[PyObject]) -> b8:
    """Whether an object is an ndarray whose memory a tensor can share: of one of its dtypes, with strides of whole
    elements."""
    if o.type != ARRAY_TYPE[0]:
        return False
    facts = array_facts(o)
    if facts < 0:
        return False
    array = pointer_cast(o, PyArray)
    ndim = i64(array.ndim)
    inside = (1 << i64(ARRAYS.shifts[facts & CODE])) - 1
    for i in range(ndim):
        if array.strides[i] & inside != 0:
            return False
    return ndim <= MOST_SIZES


@exported("tsb_tensor_over")
def tensor_over(o: Ptr[PyObject]) -> Ptr[PyObject]:
    """The Tensor over the memory of an ndarray, which stays one wherever it goes; None if it cannot be one."""
    if not is_plain(o):
        incref(Py_None)
        return Py_None
    impl = array_in(o)
    if address(impl) == 0:
        return pointer(0, PyObject)
    impl.flags = impl.flags & ~TENSOR_GIVEN
    return wrap(impl)


@exported(IS_SHARED)
def is_shared(o: Ptr[PyObject]) -> i32:
    """1: a tensor can share the memory of the object as it is; 0 with an exception if something failed."""
    if o.type == ARRAY_TYPE[0]:
        return i32(array_facts(o) >= 0)
    if address(TORCH_TYPE[0]) == 0 and PyType_GetFlags(o.type) & HEAP_TYPE != 0:
        done = PyObject_CallFunctionObjArgs(MEET_HOOK[0], o, pointer(0, PyObject))
        if address(done) == 0:
            return 0
        Py_DecRef(done)
    if o.type == TORCH_TYPE[0]:
        return i32(torch_facts(o) >= 0)
    return 0


@exported(IS_GIVEN)
def is_given(impl: Ptr[TensorImpl], o: Ptr[PyObject]) -> i32:
    """1: the tensor was made of the object."""
    if impl.flags & TENSOR_GIVEN == 0:
        return 0
    owner = pointer_cast(impl.storage.owner, PyObject)
    if owner.type == PyTuple_Type:
        owner = items_of(owner)[0]
    return i32(owner == o)


@internal(ALWAYS_INLINE)
def array_over(impl: Ptr[TensorImpl], storage_flags: i64) -> Ptr[PyObject]:
    """A new ndarray over the memory of a tensor, which nothing keeps alive yet; null with an exception set."""
    code = i64(impl.dtype)
    descr = ARRAYS.descrs[code]
    ndim = i64(impl.ndim)
    sizes = pointer_cast(impl + 1, i64)
    flags = select(storage_flags & STORAGE_READONLY != 0, i64(ALIGNED), i64(ALIGNED | WRITEABLE))
    strides = pointer(0, i64)
    if impl.flags & TENSOR_CONTIGUOUS != 0:
        flags = flags | IN_ORDER
    else:
        strides = stack(MOST_SIZES, i64)
        shift = ARRAYS.shifts[code]
        for i in range(ndim):
            strides[i] = sizes[ndim + i] << i64(shift)
    incref(descr)
    return NEW(
        ARRAYS.new,
        ARRAY_TYPE[0],
        descr,
        impl.ndim,
        sizes,
        strides,
        pointer_cast(impl.data, Void),
        i32(flags),
        pointer(0, PyObject),
    )


@exported(SCALAR_IN)
def scalar_in(o: Ptr[PyObject], out: Ptr[Void]) -> None:
    """Write the bytes of a NumPy scalar."""
    SCALAR_AS_CTYPE(ARRAYS.bytes_of, o, out)


@exported(SCALAR_CELL)
def scalar_cell(o: Ptr[PyObject], code: i64, to: Ptr[i64]) -> i32:
    """Write a NumPy scalar of a dtype to a cell, as a number of Python; 0 if the object is none."""
    if address(o.type) != pointer_cast(ARRAYS.descrs[code], i64)[DESCR_CLASS]:
        return i32(0)
    place = stack(1, i64)
    place[0] = 0
    SCALAR_AS_CTYPE(ARRAYS.bytes_of, o, pointer_cast(place, Void))
    found = place[0]
    if code == FLOAT32:
        found = bitcast(f64(pointer_cast(place, f32)[0]), i64)
    elif code == FLOAT16:
        found = bitcast(f64(pointer_cast(place, f16)[0]), i64)
    elif code == INT8:
        found = (found << 56) >> 56
    elif code == INT16:
        found = (found << 48) >> 48
    elif code == INT32:
        found = (found << 32) >> 32
    to[0] = found
    return i32(1)


@exported(SCALAR_OF_CELL)
def scalar_of_cell(cell: i64, code: i64) -> Ptr[PyObject]:
    """The NumPy scalar of a dtype that is in a cell as a number of Python; null with an exception set."""
    place = stack(1, i64)
    place[0] = cell
    if code == FLOAT32:
        pointer_cast(place, f32)[0] = f32(bitcast(cell, f64))
    elif code == FLOAT16:
        pointer_cast(place, f16)[0] = f16(bitcast(cell, f64))
    return scalar_out(pointer_cast(place, Void), code)


@exported(SCALAR_OUT)
def scalar_out(data: Ptr[Void], code: i64) -> Ptr[PyObject]:
    """A NumPy scalar with the bytes at an address; null with an exception set."""
    return SCALAR(ARRAYS.scalar, data, ARRAYS.descrs[code], pointer(0, PyObject))


FUNCTIONS = (
    array_in,
    torch_in,
    generator_in,
    generator_out,
    array_done,
    array_out,
    torch_out,
    box_tensor,
    unbox_shared,
    shared_tensor,
    tensor_over,
    is_shared,
    is_given,
    scalar_in,
    scalar_cell,
    scalar_of_cell,
    scalar_out,
)
