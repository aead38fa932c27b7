"""``x[key]`` and ``x[key] = value``.

Keys of ints, slices, None and Ellipsis give a view, which is made here at once. With masks and index tensors among them
the layout, the ints and the tensors of the key (`tscript.definitions.index_layout`) are given to one operator. What is
anything else, is out of range, or is observed by callbacks, is left to the function behind the special method
(`tscript.runtime.values.indexing`), which also raises the errors.
"""

from __future__ import annotations

from tscript.abi.layout import MAX_DEPTH, MAX_RANK, NO_STACK
from tscript.definitions.index_layout import AT, BITS, END, MOST_PARTS, NEW, PART, REST, TENSOR
from tscript.dialect import (
    Context,
    Ptr,
    PyObject,
    PyTensor,
    Site,
    TensorImpl,
    Void,
    address,
    atomic_relaxed,
    b8,
    i32,
    i64,
    pointer,
    pointer_cast,
    select,
    stack,
    text,
)
from tscript.dialect.linkage import NOINLINE, c_signature, exported, internal, variable
from tscript.runtime.boundary.native.failures import fail
from tscript.runtime.boundary.native.objects import decref, incref, ints, items_of, length_of
from tscript.runtime.boundary.native.python_api import (
    Py_Ellipsis,
    Py_None,
    PyBool_Type,
    PyErr_SetString,
    PyExc_TypeError,
    PyFloat_Type,
    PyLong_AsLongLongAndOverflow,
    PyLong_FromLongLong,
    PyLong_Type,
    PySlice_Type,
    PyTuple_New,
    PyTuple_SetItem,
    PyTuple_Type,
)
from tscript.runtime.boundary.native.records import WATCHING
from tscript.runtime.boundary.native.special_methods import (
    CHOSEN,
    COPY,
    FILL,
    FILL_PARTS,
    GETITEM,
    READ,
    ROW,
    SET_CHOSEN,
    SETITEM,
    SLOTS,
    WRITE,
)
from tscript.runtime.boundary.native.table import TENSOR_TYPE
from tscript.runtime.boundary.native.tensor import call_slot, wrap

NO_DELETION = "elements of a tensor cannot be deleted"

DEPTH = MAX_DEPTH
UNKNOWN_STACK = NO_STACK
MOST_SIZES = MAX_RANK
MOST = MOST_PARTS
KIND_AT, KIND_PART, KIND_NEW, KIND_REST, KIND_TENSOR = AT, PART, NEW, REST, TENSOR
KIND_BITS = BITS
NO_END = END
MOST_NUMBERS = 3 * MOST_PARTS + 3

SLOT_GETITEM = SLOTS.index(GETITEM)
SLOT_SETITEM = SLOTS.index(SETITEM)
SLOT_ROW = SLOTS.index(ROW)
SLOT_CHOSEN = SLOTS.index(CHOSEN)
SLOT_SET_CHOSEN = SLOTS.index(SET_CHOSEN)
SLOT_FILL = SLOTS.index(FILL)
SLOT_COPY = SLOTS.index(COPY)
SLOT_READ = SLOTS.index(READ)
SLOT_WRITE = SLOTS.index(WRITE)
SLOT_FILL_PARTS = SLOTS.index(FILL_PARTS)

ELSE, DONE, FAILED = 0, 1, -1
"""Ways in which a step ends: it is not for native code, it is done, an exception is set."""

VIEW_AT = variable("tsb_view_at", Ptr[Void], exported=True)
"""The kernel `view_at`; null before the first index of a process."""
VARIABLES = (VIEW_AT,)

KERNEL = c_signature(i32, Ptr[Context], Ptr[TensorImpl], i64, Ptr[i64], Ptr[i64], i64, Ptr[Ptr[TensorImpl]])
SLICE_WORDS = 2
"""Words of a slice object in front of its start, stop and step."""


@exported("tsb_tensor_getitem")
def get_item(a: Ptr[PyObject], key: Ptr[PyObject]) -> Ptr[PyObject]:
    """``mp_subscript``."""
    args = stack(4, Ptr[PyObject])
    args[0] = a
    args[1] = key
    if key.type == TENSOR_TYPE[0]:
        return call_slot(args, 2, SLOT_CHOSEN)
    if key.type == PyLong_Type:
        return call_slot(args, 2, SLOT_ROW)
    if (address(VIEW_AT[0]) != 0) & (atomic_relaxed(WATCHING) == 0):
        out = stack(1, Ptr[PyObject])
        done = view(a, key, out)
        if done == DONE:
            return out[0]
        if done == ELSE:
            done = parts(key, args + 1)
            if done == DONE:
                made = call_slot(args, 4, SLOT_READ)
                drop(args + 1)
                return made
        if done == FAILED:
            return pointer(0, PyObject)
    return call_slot(args, 2, SLOT_GETITEM)


@exported("tsb_tensor_setitem")
def set_item(a: Ptr[PyObject], key: Ptr[PyObject], value: Ptr[PyObject]) -> i32:
    """``mp_ass_subscript``."""
    if address(value) == 0:
        PyErr_SetString(PyExc_TypeError[0], text(NO_DELETION))
        return -1
    args = stack(5, Ptr[PyObject])
    args[0] = a
    args[1] = key
    args[2] = value
    if key.type == TENSOR_TYPE[0]:
        return is_done(call_slot(args, 3, SLOT_SET_CHOSEN))
    kind = value.type
    is_number = (kind == PyFloat_Type) | (kind == PyLong_Type) | (kind == PyBool_Type)
    is_known = is_number | (kind == TENSOR_TYPE[0])
    if is_known & (address(VIEW_AT[0]) != 0) & (atomic_relaxed(WATCHING) == 0):
        done = view(a, key, args)
        if done == DONE:
            args[1] = value
            found = call_slot(args, 2, select(is_number, i64(SLOT_FILL), i64(SLOT_COPY)))
            decref(args[0])
            return is_done(found)
        if done == ELSE:
            done = parts(key, args + 2)
            if done == DONE:
                args[1] = value
                found = call_slot(args, 5, select(is_number, i64(SLOT_FILL_PARTS), i64(SLOT_WRITE)))
                drop(args + 2)
                return is_done(found)
        if done == FAILED:
            return -1
        args[2] = value
    return is_done(call_slot(args, 3, SLOT_SETITEM))


def is_done(found: Ptr[PyObject]) -> i32:
    """Whether a slot gave a result, which goes: 0, or -1 with an exception set."""
    if address(found) == 0:
        return -1
    decref(found)
    return 0


def drop(made: Ptr[Ptr[PyObject]]) -> None:
    """Drop what `parts` has made."""
    for i in range(3):
        decref(made[i])


def whole(o: Ptr[PyObject], out: Ptr[i64]) -> b8:
    """Whether an object is an int of 64 bits; its value."""
    if o.type != PyLong_Type:
        return False
    overflow = stack(1, i32)
    overflow[0] = 0
    out[0] = PyLong_AsLongLongAndOverflow(o, overflow)
    return overflow[0] == 0


def bounds(o: Ptr[PyObject], stop: i64, out: Ptr[i64]) -> b8:
    """Whether the start, the stop and the step of a slice are ints or None, and the step is not below 1; they, with
    `stop` for a stop that is None."""
    fields = pointer_cast(pointer_cast(o, i64) + SLICE_WORDS, Ptr[PyObject])
    out[0] = 0
    out[1] = stop
    out[2] = 1
    for i in range(3):
        if fields[i] != Py_None:
            if not whole(fields[i], out + i):
                return False
    return out[2] > 0


def clipped(index: i64, size: i64) -> i64:
    """A bound of a slice counted from the front and clipped to 0 … size."""
    at = index
    if at < 0:
        at = at + size
    at = select(at < 0, i64(0), at)
    return select(at > size, size, at)


@internal(NOINLINE)
def view(a: Ptr[PyObject], key: Ptr[PyObject], out: Ptr[Ptr[PyObject]]) -> i64:
    """The view that a key of ints, slices, None and Ellipsis gives, owned."""
    impl = pointer_cast(a, PyTensor).impl
    ndim = i64(impl.ndim)
    single = stack(1, Ptr[PyObject])
    single[0] = key
    items = single
    n = 1
    if key.type == PyTuple_Type:
        items = items_of(key)
        n = length_of(key)
    taken = 0
    rests = 0
    for i in range(n):
        o = items[i]
        kind = o.type
        if (kind == PyLong_Type) | (kind == PySlice_Type):
            taken = taken + 1
        elif o == Py_Ellipsis:
            rests = rests + 1
        elif o != Py_None:
            return ELSE
    if (taken > ndim) | (rests > 1) | (ndim + n > MOST_SIZES):
        return ELSE
    own = pointer_cast(impl + 1, i64)
    own_strides = own + ndim
    sizes = stack(MOST_SIZES, i64)
    strides = stack(MOST_SIZES, i64)
    given = stack(3, i64)
    offset = 0
    d = 0
    at = 0
    for i in range(n):
        o = items[i]
        if o == Py_None:
            sizes[at] = 1
            strides[at] = 1
            if d < ndim:
                strides[at] = own[d] * own_strides[d]
            at = at + 1
        elif o == Py_Ellipsis:
            for _ in range(ndim - taken):
                sizes[at] = own[d]
                strides[at] = own_strides[d]
                at = at + 1
                d = d + 1
        elif o.type == PyLong_Type:
            if not whole(o, given):
                return ELSE
            index = given[0]
            if index < 0:
                index = index + own[d]
            if (index < 0) | (index >= own[d]):
                return ELSE
            offset = offset + index * own_strides[d]
            d = d + 1
        else:
            if not bounds(o, NO_END, given):
                return ELSE
            first = clipped(given[0], own[d])
            last = clipped(given[1], own[d])
            step = given[2]
            sizes[at] = 0
            strides[at] = own_strides[d]
            if last > first:
                # Where an empty slice begins does not matter; the start of the memory is always inside.
                sizes[at] = (last - first - 1) // step + 1
                offset = offset + first * own_strides[d]
                if sizes[at] > 1:
                    strides[at] = own_strides[d] * step
            at = at + 1
            d = d + 1
    while d < ndim:
        sizes[at] = own[d]
        strides[at] = own_strides[d]
        at = at + 1
        d = d + 1
    return boxed(impl, at, sizes, strides, offset, out)


def boxed(
    impl: Ptr[TensorImpl], n: i64, sizes: Ptr[i64], strides: Ptr[i64], offset: i64, out: Ptr[Ptr[PyObject]]
) -> i64:
    """The view of a tensor with these sizes and strides, so many elements behind its first one, as an object."""
    context = stack(1, Context)
    context.depth = DEPTH
    context.stack = UNKNOWN_STACK
    context.at = pointer(0, Site)
    context.thread_state = pointer(0, Void)
    context.ntrace = 0
    made = stack(1, Ptr[TensorImpl])
    status = KERNEL(VIEW_AT[0], context, impl, n, sizes, strides, offset, made)
    if status != 0:
        fail(context, status)
        return FAILED
    out[0] = wrap(made[0])
    return select(address(out[0]) == 0, i64(FAILED), i64(DONE))


@internal(NOINLINE)
def parts(key: Ptr[PyObject], out: Ptr[Ptr[PyObject]]) -> i64:
    """The layout, the ints and the tensors of a tuple of ints, slices, None, Ellipsis and tensors, owned."""
    if key.type != PyTuple_Type:
        return ELSE
    n = length_of(key)
    items = items_of(key)
    if n > MOST:
        return ELSE
    numbers = stack(MOST_NUMBERS, i64)
    count = 0
    tensors = 0
    layout = 0
    for i in range(n):
        o = items[i]
        kind = KIND_TENSOR
        if o.type == TENSOR_TYPE[0]:
            tensors = tensors + 1
        elif o.type == PyLong_Type:
            kind = KIND_AT
            if not whole(o, numbers + count):
                return ELSE
            count = count + 1
        elif o.type == PySlice_Type:
            kind = KIND_PART
            if not bounds(o, NO_END, numbers + count):
                return ELSE
            count = count + 3
        elif o == Py_None:
            kind = KIND_NEW
        elif o == Py_Ellipsis:
            kind = KIND_REST
        else:
            return ELSE
        layout = layout | (kind << (KIND_BITS * i))
    if tensors == 0:
        return ELSE
    # Ints are given by fours: the code of a call depends on how many there are.
    while count & 3 != 0:
        numbers[count] = 0
        count = count + 1
    chosen = PyTuple_New(tensors)
    if address(chosen) == 0:
        return FAILED
    at = 0
    for i in range(n):
        if items[i].type == TENSOR_TYPE[0]:
            incref(items[i])
            PyTuple_SetItem(chosen, at, items[i])
            at = at + 1
    out[2] = chosen
    out[1] = ints(numbers, count)
    if address(out[1]) == 0:
        decref(chosen)
        return FAILED
    out[0] = PyLong_FromLongLong(layout)
    if address(out[0]) == 0:
        decref(chosen)
        decref(out[1])
        return FAILED
    return DONE


FUNCTIONS = (get_item, set_item)
