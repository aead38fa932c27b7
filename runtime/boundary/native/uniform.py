"""The stub that serves every signature: it reads the signature as a text (`tscript.abi.signature`) with every call.

What it calls is a *uniform entry*, ``i32 (context, cells)``: cells of 8 bytes, a leaf each, those of the result before
those of the arguments. Native code from archives has such entries, so it needs no stub of its own. The last constant
of a row that uses this stub is the address of a `Uniform`, as the bits of a float; the others are those of the
signature.

A value that is converted by its type has a frame of two words and its cells, which stays until the end of the call
(`tscript.abi.symbols.OBJECT_IN`); its cells are copied among those of the others.
"""

from __future__ import annotations

from tscript.abi.layout import MARSHAL, MAX_DEPTH, NO_STACK
from tscript.abi.signature import Seen
from tscript.dialect import (
    Context,
    Marshal,
    Ptr,
    PyFloat,
    PyObject,
    PyTensor,
    Site,
    TensorImpl,
    TypeInfo,
    Uniform,
    UniformCall,
    Void,
    address,
    bitcast,
    f64,
    i32,
    i64,
    memset,
    pointer,
    pointer_cast,
    select,
    stack,
    u8,
    unsigned_less,
)
from tscript.dialect.linkage import FRAMED, c_signature, exported, variable
from tscript.runtime.boundary.native.arrays import (
    array_done,
    array_in,
    array_out,
    box_tensor,
    is_given,
    torch_in,
    torch_out,
)
from tscript.runtime.boundary.native.boxes import box_constant, box_future, box_size, tuple_as, unbox_future, unbox_int
from tscript.runtime.boundary.native.failures import fail, fail_in
from tscript.runtime.boundary.native.objects import incref, items_of, length_of, xdecref
from tscript.runtime.boundary.native.python_api import (
    Py_DecRef,
    Py_False,
    Py_None,
    Py_True,
    PyErr_NoMemory,
    PyErr_Occurred,
    PyEval_RestoreThread,
    PyFloat_FromDouble,
    PyLong_AsDouble,
    PyLong_FromLongLong,
    PyMem_RawCalloc,
    PyMem_RawFree,
    PyTuple_New,
    PyTuple_SetItem,
)
from tscript.runtime.boundary.native.tensor import box_dtype, retain, unbox_dtype, wrap

ROOM = 64
"""Words of cells and frames that are on the stack."""

SHARED = Seen.ARRAY | Seen.TORCH
ZEROED = MARSHAL.offsets["first"]
DEPTH = MAX_DEPTH
UNKNOWN_STACK = NO_STACK

FLOAT, INT, BOOL, TENSOR, ARRAY, TORCH, DTYPE, WIDENED = map(ord, "fibTAHdw")
FUTURE, ABSENT, OBJECT, CHANGED = map(ord, "F_OM")
SIZE, NONE, CONSTANT, CLASS = map(ord, "SNct")
OPEN, CLOSE, COLON, LEAVES, END = map(ord, "():<>")

CONVERSIONS = variable("tsb_conversions", Ptr[Void], 3, exported=True)
"""The kernels `OBJECT_IN`, `OBJECT_OUT` and `MARSHAL_END`."""
VARIABLES = (CONVERSIONS,)

ENTRY = c_signature(i32, Ptr[Context], Ptr[i64])
OBJECT_IN = c_signature(
    i32, Ptr[Context], Ptr[Marshal], Ptr[PyObject], Ptr[TypeInfo], Ptr[PyObject], Ptr[i64], i64, Ptr[i64]
)
OBJECT_OUT = c_signature(i32, Ptr[Context], Ptr[Marshal], Ptr[TypeInfo], Ptr[i64], Ptr[Ptr[PyObject]])
MARSHAL_END = c_signature(i32, Ptr[Context], Ptr[Marshal], i64, Ptr[i64])


@exported("tsb_uniform", FRAMED)
def uniform(code: Ptr[Void], args: Ptr[Ptr[PyObject]], constants: Ptr[PyObject]) -> Ptr[PyObject]:
    """The stub."""
    given = pointer(number(items_of(constants)[length_of(constants) - 1]), Uniform)
    room = stack(ROOM, i64)
    words = given.results + given.arguments + given.frames
    if words <= ROOM:
        return called(code, args, constants, given, room)
    more = pointer_cast(PyMem_RawCalloc(words, 8), i64)
    if address(more) == 0:
        return PyErr_NoMemory()
    made = called(code, args, constants, given, more)
    PyMem_RawFree(pointer_cast(more, Void))
    return made


def called(
    code: Ptr[Void], args: Ptr[Ptr[PyObject]], constants: Ptr[PyObject], given: Ptr[Uniform], room: Ptr[i64]
) -> Ptr[PyObject]:
    """Call an entry with the cells at `room`, behind which the frames lie."""
    context = stack(1, Context)
    context.depth = DEPTH
    context.stack = UNKNOWN_STACK
    context.at = pointer(0, Site)
    context.thread_state = pointer(0, Void)
    context.ntrace = 0
    context.work = 0
    marshal = stack(1, Marshal)
    call = stack(1, UniformCall)
    call.text = given.text
    call.first = room + given.results
    call.at = given.text
    call.cell = room + given.results
    call.frame = room + given.results + given.arguments
    call.constants = constants
    call.constant = 0
    call.position = 0
    call.marshal = pointer(0, Marshal)
    call.context = context
    if given.converts != 0:
        memset(marshal, 0, ZEROED)
        marshal.seen = given.seen
        call.marshal = marshal
    memset(room, 0, given.results * 8)
    if given.seen & SHARED != 0:
        memset(room + given.results, 0, given.arguments * 8)
    if unboxed(call, args, 0) != 0:
        ended(call, 0)
        end_arrays(given, room)
        return pointer(0, PyObject)
    status = ENTRY(code, context, room)
    if address(context.thread_state) != 0:
        PyEval_RestoreThread(context.thread_state)
    if status != 0:
        fail_in(context, status, pointer_cast(call.marshal, Void))
        ended(call, 1)
        end_arrays(given, room)
        return pointer(0, PyObject)
    call.at = call.at + 1
    call.cell = room
    made = boxed(call)
    end_arrays(given, room)
    if ended(call, 1) != 0:
        xdecref(made)
        return pointer(0, PyObject)
    return made


def end_arrays(given: Ptr[Uniform], room: Ptr[i64]) -> None:
    """Drop the tensors over arrays that were made; the cells of others are 0."""
    if given.seen & SHARED != 0:
        walk = stack(2, i64)
        walk[0] = address(given.text)
        walk[1] = address(room + given.results)
        found = next_array(walk)
        while address(found) != 0:
            array_done(pointer(found[0], TensorImpl))
            found = next_array(walk)


def next_array(walk: Ptr[i64]) -> Ptr[i64]:
    """The cell of the next array among the arguments, or null: `walk` is where the text goes on, and the next cell."""
    at = pointer(walk[0], u8)
    cell = pointer(walk[1], i64)
    found = pointer(0, i64)
    while at[0] != COLON and address(found) == 0:
        letter = at[0]
        at = at + 1
        if letter == LEAVES:
            while at[0] != END:
                at = at + 1
                cell = cell + 1
            at = at + 1
        elif letter != OPEN and letter != CLOSE and letter != ABSENT and letter != OBJECT and letter != CHANGED:
            if (letter == ARRAY) | (letter == TORCH):
                found = cell
            cell = cell + 1
    walk[0] = address(at)
    walk[1] = address(cell)
    return found


def made_before(call: Ptr[UniformCall], o: Ptr[PyObject]) -> Ptr[TensorImpl]:
    """The tensor of an earlier argument that is the same object, with one more reference, or null."""
    walk = stack(2, i64)
    walk[0] = address(call.text)
    walk[1] = address(call.first)
    found = next_array(walk)
    while address(found) != 0 and unsigned_less(address(found), address(call.cell) - 8):
        impl = pointer(found[0], TensorImpl)
        if is_given(impl, o) != 0:
            retain(impl)
            return impl
        found = next_array(walk)
    return pointer(0, TensorImpl)


def ended(call: Ptr[UniformCall], is_called: i64) -> i64:
    """Write changes back to Python objects, if the code was called, and free the table; not 0 if that failed."""
    if address(call.marshal) == 0:
        return 0
    out = stack(1, i64)
    out[0] = 0
    MARSHAL_END(CONVERSIONS[2], call.context, call.marshal, is_called, out)
    return out[0]


def number(o: Ptr[PyObject]) -> i64:
    """The bits of a float."""
    return bitcast(pointer_cast(o, PyFloat).value, i64)


def constant(call: Ptr[UniformCall]) -> Ptr[PyObject]:
    """The next of the row's constants, borrowed."""
    index = call.constant
    call.constant = index + 1
    return items_of(call.constants)[index]


def unboxed(call: Ptr[UniformCall], items: Ptr[Ptr[PyObject]], depth: i64) -> i32:
    """Put arguments, or the items of one that is a tuple, into cells. 0, or -1 with an exception set."""
    i = 0
    while call.at[0] != COLON and call.at[0] != CLOSE:
        letter = call.at[0]
        call.at = call.at + 1
        if depth == 0:
            call.position = i + 1
        if letter == OPEN:
            if unboxed(call, items_of(items[i]), depth + 1) != 0:
                return -1
            call.at = call.at + 1
        elif (letter == OBJECT) | (letter == CHANGED):
            if unboxed_object(call, items[i], i64(letter == CHANGED)) != 0:
                return -1
        elif letter != ABSENT:
            if unboxed_value(call, items[i], letter) != 0:
                return -1
        i = i + 1
    return 0


def unboxed_value(call: Ptr[UniformCall], o: Ptr[PyObject], letter: u8) -> i32:
    """Put a value of one cell there. 0, or -1 with an exception set."""
    cell = call.cell
    call.cell = cell + 1
    if letter == FLOAT:
        cell[0] = number(o)
    elif letter == TENSOR:
        cell[0] = address(pointer_cast(o, PyTensor).impl)
    elif (letter == ARRAY) | (letter == TORCH):
        made = made_before(call, o)
        if address(made) == 0:
            if letter == ARRAY:
                made = array_in(o)
            else:
                made = torch_in(o)
        cell[0] = address(made)
        if address(made) == 0:
            return -1
    elif letter == INT:
        return unbox_int(o, cell, call.position)
    elif letter == BOOL:
        cell[0] = i64(o == Py_True)
    elif letter == WIDENED:
        found = PyLong_AsDouble(o)
        cell[0] = bitcast(found, i64)
        if found == -1.0:
            if address(PyErr_Occurred()) != 0:
                return -1
    elif letter == DTYPE:
        code = unbox_dtype(o)
        cell[0] = i64(code)
        if code < 0:
            return -1
    else:
        future = unbox_future(o)
        cell[0] = address(future)
        if address(future) == 0:
            return -1
    return 0


def unboxed_object(call: Ptr[UniformCall], o: Ptr[PyObject], mutable: i64) -> i32:
    """Put a value that is converted by its type into its cells. 0, or -1 with an exception set."""
    info = pointer(number(constant(call)), TypeInfo)
    label = constant(call)
    refused = stack(1, i64)
    refused[0] = 0
    status = OBJECT_IN(CONVERSIONS[0], call.context, call.marshal, o, info, label, call.frame, mutable, refused)
    if status != 0:
        fail(call.context, status)
        return -1
    if refused[0] != 0:
        return -1
    leaf = call.at + 1
    frame = call.frame + 2
    cell = call.cell
    while leaf[0] != END:
        cell[0] = frame[0]
        leaf = leaf + 1
        frame = frame + 1
        cell = cell + 1
    call.at = leaf + 1
    call.frame = frame
    call.cell = cell
    return 0


def boxed(call: Ptr[UniformCall]) -> Ptr[PyObject]:
    """The Python form of a result, owned; null with an exception set. Takes over what is in its cells."""
    letter = call.at[0]
    call.at = call.at + 1
    if letter == OPEN:
        return boxed_tuple(call)
    if letter == OBJECT:
        return boxed_object(call)
    if letter == NONE:
        incref(Py_None)
        return Py_None
    if letter == CONSTANT:
        call.constant = call.constant + 1
        return box_constant(call.constants, call.constant - 1)
    cell = call.cell
    call.cell = cell + 1
    if letter == FLOAT:
        return PyFloat_FromDouble(bitcast(cell[0], f64))
    if letter == INT:
        return PyLong_FromLongLong(cell[0])
    if (letter == TENSOR) | (letter == ARRAY) | (letter == TORCH):
        return boxed_tensor(call, letter, pointer(cell[0], TensorImpl))
    if letter == BOOL:
        truth = select(cell[0] & 255 != 0, Py_True, Py_False)
        incref(truth)
        return truth
    if letter == DTYPE:
        return box_dtype(i32(cell[0]))
    if letter == SIZE:
        return box_size(pointer(cell[0], TensorImpl))
    return box_future(pointer(cell[0], TensorImpl))


def boxed_tensor(call: Ptr[UniformCall], letter: u8, impl: Ptr[TensorImpl]) -> Ptr[PyObject]:
    """The same of a tensor: as the signature says, but for a Tensor where tensors are in other values too: as what
    those came as."""
    if letter == TENSOR and address(call.marshal) != 0:
        return box_tensor(impl, call.marshal.seen)
    if letter == ARRAY:
        return array_out(impl)
    if letter == TORCH:
        return torch_out(impl)
    return wrap(impl)


def boxed_tuple(call: Ptr[UniformCall]) -> Ptr[PyObject]:
    """The same of a tuple. If one of its items fails, the others are taken over all the same."""
    kind = pointer(0, PyObject)
    if call.at[0] == CLASS:
        call.at = call.at + 1
        kind = constant(call)
    n = items_from(call.at)
    made = pointer(0, PyObject)
    if address(kind) != 0:
        made = tuple_as(kind, n)
    else:
        made = PyTuple_New(n)
    is_whole = i64(address(made) != 0)
    for i in range(n):
        item = boxed(call)
        if address(item) == 0:
            is_whole = 0
        elif address(made) != 0:
            PyTuple_SetItem(made, i, item)
        else:
            Py_DecRef(item)
    call.at = call.at + 1
    if is_whole == 0:
        xdecref(made)
        return pointer(0, PyObject)
    return made


def items_from(at: Ptr[u8]) -> i64:
    """How many items a tuple has whose text begins at an address."""
    n = 0
    depth = 0
    while depth != 0 or at[0] != CLOSE:
        letter = at[0]
        at = at + 1
        if letter == CLOSE:
            depth = depth - 1
        elif letter == LEAVES:
            while at[0] != END:
                at = at + 1
            at = at + 1
        else:
            n = n + i64(depth == 0)
            depth = depth + i64(letter == OPEN)
    return n


def boxed_object(call: Ptr[UniformCall]) -> Ptr[PyObject]:
    """The same of a value that is converted by its type."""
    info = pointer(number(constant(call)), TypeInfo)
    out = stack(1, Ptr[PyObject])
    out[0] = pointer(0, PyObject)
    OBJECT_OUT(CONVERSIONS[1], call.context, call.marshal, info, call.cell, out)
    leaf = call.at + 1
    while leaf[0] != END:
        leaf = leaf + 1
        call.cell = call.cell + 1
    call.at = leaf + 1
    return out[0]


@exported("tsb_put_arguments")
def put_arguments(given: Ptr[Uniform], args: Ptr[Ptr[PyObject]], cells: Ptr[i64]) -> i32:
    """Put arguments, none of which is converted by its type, into cells. 0, or -1 with an exception set."""
    call = stack(1, UniformCall)
    call.text = given.text
    call.first = cells
    call.at = given.text
    call.cell = cells
    call.position = 0
    return unboxed(call, args, 0)


FUNCTIONS = (uniform, put_arguments)
