"""The callable type: the vectorcall function and the object protocol.

An object of the type (`tscript.abi.boundary.PY_CALLABLE`) carries a signature table (`table`). A call computes its key,
looks it up, and on a hit runs the row's stub, which unboxes the arguments, calls the row's code and boxes the result.
On a miss it calls the Python object ``miss(callable, args, kwargs)``, whose result is the call's result; it usually
compiles, adds a row and calls again. What it gives as a `Refused` (`tracebacks`) is raised.

Calls with keywords, with left-out arguments that have defaults, or with lists where tuples are meant are put in order
natively (`arranged`) when the callable has parameter names and defaults; what does not fit goes to ``miss`` unchanged.
A variadic callable without names (an operator with several overloads) takes keywords as they come: they are further
arguments, and their names are part of the key.

Callables take part in garbage collection, for their attributes often lead back to them (``__wrapped__``, closures,
modules). When the collector clears one it loses its table first: from then on it only refuses.
"""

from __future__ import annotations

from tscript.abi.python import PYTHON_FUNCTION
from tscript.dialect import (
    Ptr,
    PyCallable,
    PyObject,
    Row,
    Unit,
    Void,
    address,
    atomic_relaxed,
    b8,
    field,
    function,
    i32,
    i64,
    memcpy,
    memset,
    pointer,
    pointer_cast,
    select,
    stack,
    text,
    u8,
    unsigned_less,
)
from tscript.dialect.linkage import (
    ALWAYS_INLINE,
    FRAMED,
    NOINLINE,
    c_signature,
    exported,
    internal,
    variable,
)
from tscript.runtime.boundary.native.keys import FIRST_CAPACITY, MAX_WORDS, Flag
from tscript.runtime.boundary.native.objects import failed, incref, items_of, length_of, xdecref
from tscript.runtime.boundary.native.observed_calls import STUB, run_observed
from tscript.runtime.boundary.native.python_api import (
    Py_DecRef,
    Py_None,
    PyDict_New,
    PyDict_SetItem,
    PyErr_Clear,
    PyErr_NoMemory,
    PyErr_SetObject,
    PyExc_SystemError,
    PyList_AsTuple,
    PyList_New,
    PyList_Type,
    PyMem_RawCalloc,
    PyMem_RawFree,
    PyMethod_New,
    PyObject_Call,
    PyObject_ClearWeakRefs,
    PyObject_GC_Del,
    PyObject_GC_UnTrack,
    PyObject_GetAttrString,
    PyObject_Vectorcall,
    PyTuple_New,
    PyTuple_SetItem,
    PyTuple_Type,
    PyType_GenericAlloc,
)
from tscript.runtime.boundary.native.records import WATCHING
from tscript.runtime.boundary.native.table import (
    CLEARED,
    LISTS,
    find,
    free_tables,
    interned,
    key_names,
    keys,
    new_table,
)

MAX_ARRANGED = 32
"""Parameters of a callable that takes keywords and defaults natively."""

FLAG_LIST = int(Flag.LIST)
FLAG_OBJECTS = int(Flag.OBJECTS)
DEEPEST = 8
"""Lists in lists, which become tuples; a list that holds itself has no end."""
ARGUMENTS = (1 << 63) - 1
"""What of a vectorcall's count is the number of arguments."""

REQUIRED = variable("tsb_required", Ptr[PyObject], exported=True)
"""In defaults: the parameter has none."""
REFUSED = variable("tsb_refused", Ptr[PyObject], exported=True)
"""The class of answers of ``miss`` that are raised."""
VARIABLES = (REQUIRED, REFUSED)

VISIT = c_signature(i32, Ptr[PyObject], Ptr[Void])
"""What a collector asks for each object."""


@internal(ALWAYS_INLINE, FRAMED)
def run(
    unit: Ptr[Unit], stub: Ptr[Void], code: Ptr[Void], constants: Ptr[PyObject], args: Ptr[Ptr[PyObject]], n: i64
) -> Ptr[PyObject]:
    """Run a stub: one load more than without callbacks, for all that they cost when there are none."""
    if atomic_relaxed(WATCHING) == 0:
        return STUB(stub, code, args, constants)
    return run_observed(unit, stub, code, constants, args, n)


@internal(ALWAYS_INLINE, FRAMED)
def run_row(row: Ptr[Row], args: Ptr[Ptr[PyObject]], n: i64) -> Ptr[PyObject]:
    """Run what a row leads to."""
    return run(row.unit, row.stub, row.code, row.constants, args, n)


@exported("tsb_call", FRAMED)
def call(self: Ptr[PyCallable], args: Ptr[Ptr[PyObject]], nargsf: i64, kwnames: Ptr[PyObject]) -> Ptr[PyObject]:
    """The vectorcall function."""
    nargs = nargsf & ARGUMENTS
    is_open = self.variadic != 0
    if address(kwnames) == 0:
        if (nargs == self.nparams) | (is_open & unsigned_less(self.nparams, nargs)):
            words = stack(MAX_WORDS, i64)
            n = keys(self, args, nargs, words)
            if n >= 0:
                row = find(self, words, n)
                if address(row) != 0:
                    return run_row(row, args, nargs)
                return missed(self, args, nargs, kwnames)
            if n != LISTS:
                return missed(self, args, nargs, kwnames)
    elif is_open & (address(self.names) == 0):
        return spread(self, args, nargs, kwnames)
    return arranged(self, args, nargs, kwnames)


@internal(NOINLINE, FRAMED)
def spread(self: Ptr[PyCallable], args: Ptr[Ptr[PyObject]], nargs: i64, kwnames: Ptr[PyObject]) -> Ptr[PyObject]:
    """As `call`, with keywords of a variadic callable that has no names of its own: they are further arguments."""
    words = stack(MAX_WORDS, i64)
    count = nargs + length_of(kwnames)
    n = keys(self, args, count, words)
    if n == LISTS:
        return arranged(self, args, nargs, kwnames)
    if n >= 0:
        n = key_names(kwnames, words, n)
        if n >= 0:
            row = find(self, words, n)
            if address(row) != 0:
                return run_row(row, args, count)
    return missed(self, args, nargs, kwnames)


@exported("tsb_call_python", FRAMED)
def call_python(self: Ptr[PyCallable], args: Ptr[Ptr[PyObject]], nargsf: i64, kwnames: Ptr[PyObject]) -> Ptr[PyObject]:
    """The vectorcall function while compiled code is disabled: it calls the Python function, if there is one."""
    inner = PyObject_GetAttrString(pointer_cast(self, PyObject), text(PYTHON_FUNCTION))
    if address(inner) == 0:
        PyErr_Clear()
        return call(self, args, nargsf, kwnames)
    result = PyObject_Vectorcall(inner, args, nargsf, kwnames)
    Py_DecRef(inner)
    return result


@exported("tsb_callable_use_python")
def use_python(self: Ptr[PyCallable], is_python: i64) -> None:
    """Let calls run Python, or native code again."""
    if is_python != 0:
        self.vectorcall = function(call_python)
    else:
        self.vectorcall = function(call)


@internal(NOINLINE, FRAMED)
def arranged(self: Ptr[PyCallable], args: Ptr[Ptr[PyObject]], nargs: i64, kwnames: Ptr[PyObject]) -> Ptr[PyObject]:
    """Put keywords, defaults and lists in their places, then look up; what does not fit is a miss."""
    nkw = 0
    if address(kwnames) != 0:
        nkw = length_of(kwnames)
    is_open = self.variadic != 0
    # Without names of its own, a variadic callable takes any number of arguments, keywords in the order of the call,
    # and their names into the key.
    is_bare = address(self.names) == 0 and is_open
    is_spread = address(kwnames) != 0 and is_bare
    ngiven = select(is_spread, nargs + nkw, nargs)
    is_surplus = unsigned_less(self.nparams, ngiven)
    n = select(is_surplus or is_bare, ngiven, self.nparams)
    if (is_surplus and not is_open) or unsigned_less(MAX_ARRANGED, n):
        return missed(self, args, nargs, kwnames)
    vector = stack(MAX_ARRANGED, Ptr[PyObject])
    own = stack(MAX_ARRANGED, Ptr[PyObject])
    memset(vector, 0, n * 8)
    memset(own, 0, n * 8)
    memcpy(vector, args, ngiven * 8)
    if address(kwnames) != 0 and not is_spread:
        if not placed(self, args + nargs, kwnames, vector):
            return missed(self, args, nargs, kwnames)
    if not is_bare and not filled(self, vector):
        return missed(self, args, nargs, kwnames)
    result = pointer(0, PyObject)
    if made_tuples(self, vector, own, n):
        words = stack(MAX_WORDS, i64)
        row = pointer(0, Row)
        nwords = keys(self, vector, n, words)
        if nwords >= 0 and is_spread:
            nwords = key_names(kwnames, words, nwords)
        if nwords >= 0:
            row = find(self, words, nwords)
        if address(row) != 0:
            result = run_row(row, vector, n)
        else:
            result = missed(self, args, nargs, kwnames)
    for i in range(n):
        xdecref(own[i])
    return result


def placed(self: Ptr[PyCallable], values: Ptr[Ptr[PyObject]], kwnames: Ptr[PyObject], vector: Ptr[Ptr[PyObject]]) -> b8:
    """Put the values of keywords in their places; False: a name is unknown, or given twice."""
    if address(self.names) == 0:
        return False
    for k in range(length_of(kwnames)):
        at = position(self, items_of(kwnames)[k])
        if at < 0:
            return False
        if address(vector[at]) != 0:
            return False
        vector[at] = values[k]
    return True


@internal(ALWAYS_INLINE)
def position(self: Ptr[PyCallable], name: Ptr[PyObject]) -> i64:
    """The position of a parameter, or -1. Names made at run time need not be the ones that the parameters have."""
    at = position_of(self, name)
    if at < 0:
        other = interned(name)
        if other != name:
            return position_of(self, other)
    return at


def position_of(self: Ptr[PyCallable], name: Ptr[PyObject]) -> i64:
    """As `position`, for a name that is interned."""
    names = items_of(self.names)
    for i in range(self.nparams):
        if names[i] == name:
            return i
    return -1


def filled(self: Ptr[PyCallable], vector: Ptr[Ptr[PyObject]]) -> b8:
    """Put defaults where nothing was given; False: an argument is missing."""
    defaults = self.defaults
    for i in range(self.nparams):
        if address(vector[i]) == 0:
            if address(defaults) == 0:
                return False
            default = items_of(defaults)[i]
            if default == REQUIRED[0]:
                return False
            vector[i] = default
    return True


def made_tuples(self: Ptr[PyCallable], vector: Ptr[Ptr[PyObject]], own: Ptr[Ptr[PyObject]], n: i64) -> b8:
    """Make tuples of lists where tuples are meant, at any depth; in what is converted by its type, lists in tuples may
    be meant. `own` holds them. False: an exception is set."""
    last = self.nparams - 1
    for i in range(n):
        flag = self.flags[select(i > last, last, i)]
        if flag & FLAG_LIST != 0:
            depth = select(flag & FLAG_OBJECTS != 0, i64(0), i64(DEEPEST))
            if holds_list(vector[i], depth):
                made = tuple_in_depth(vector[i], depth)
                if address(made) == 0:
                    return False
                vector[i] = made
                own[i] = made
    return True


def holds_list(o: Ptr[PyObject], depth: i64) -> b8:
    """Whether an object is a list, or a tuple with one in it."""
    if o.type == PyList_Type:
        return True
    if o.type == PyTuple_Type and depth > 0:
        for k in range(length_of(o)):
            if holds_list(items_of(o)[k], depth - 1):
                return True
    return False


def tuple_in_depth(o: Ptr[PyObject], depth: i64) -> Ptr[PyObject]:
    """A new tuple of the elements of a list or a tuple, with tuples in place of lists in it, or null."""
    made = pointer(0, PyObject)
    if o.type == PyList_Type:
        made = PyList_AsTuple(o)
    else:
        made = tuple_of(items_of(o), length_of(o))
    if address(made) == 0:
        return made
    for k in range(length_of(made)):
        item = items_of(made)[k]
        if depth > 0 and holds_list(item, depth - 1):
            inner = tuple_in_depth(item, depth - 1)
            if address(inner) == 0:
                Py_DecRef(made)
                return inner
            PyTuple_SetItem(made, k, inner)
    return made


@internal(NOINLINE)
def missed(self: Ptr[PyCallable], args: Ptr[Ptr[PyObject]], nargs: i64, kwnames: Ptr[PyObject]) -> Ptr[PyObject]:
    """``miss(self, args, kwargs)``."""
    miss = self.miss
    if address(miss) == 0:
        return failed(PyExc_SystemError[0], text(CLEARED))
    positional = tuple_of(args, nargs)
    if address(positional) == 0:
        return positional
    keywords = dict_of(args + nargs, kwnames)
    if address(keywords) == 0:
        Py_DecRef(positional)
        return keywords
    triple = PyTuple_New(3)
    if address(triple) == 0:
        Py_DecRef(keywords)
        Py_DecRef(positional)
        return triple
    incref(pointer_cast(self, PyObject))
    incref(miss)
    PyTuple_SetItem(triple, 0, pointer_cast(self, PyObject))
    PyTuple_SetItem(triple, 1, positional)
    PyTuple_SetItem(triple, 2, keywords)
    result = PyObject_Call(miss, triple, pointer(0, PyObject))
    Py_DecRef(triple)
    Py_DecRef(miss)
    if address(result) != 0:
        if result.type == REFUSED[0]:
            refuse(result)
            return pointer(0, PyObject)
    return result


def tuple_of(args: Ptr[Ptr[PyObject]], n: i64) -> Ptr[PyObject]:
    """A tuple of borrowed objects, or null."""
    made = PyTuple_New(n)
    if address(made) != 0:
        for i in range(n):
            incref(args[i])
            PyTuple_SetItem(made, i, args[i])
    return made


def dict_of(values: Ptr[Ptr[PyObject]], names: Ptr[PyObject]) -> Ptr[PyObject]:
    """A dict of keyword arguments, or null; empty where there are no names."""
    made = PyDict_New()
    if address(made) != 0 and address(names) != 0:
        for i in range(length_of(names)):
            if PyDict_SetItem(made, items_of(names)[i], values[i]) < 0:
                Py_DecRef(made)
                return pointer(0, PyObject)
    return made


def refuse(refusal: Ptr[PyObject]) -> None:
    """Raise the error of a refusal, which goes: no frame of ``miss`` stands in the traceback."""
    error = PyObject_GetAttrString(refusal, text("error"))
    Py_DecRef(refusal)
    if address(error) != 0:
        PyErr_SetObject(error.type, error)
        Py_DecRef(error)


@exported("tsb_call_any")
def call_any(callable: Ptr[PyObject], args: Ptr[Ptr[PyObject]], nargs: i64, kwnames: Ptr[PyObject]) -> Ptr[PyObject]:
    """A call of any other Python callable that stands in a slot."""
    arguments = tuple_of(args, nargs)
    if address(arguments) == 0:
        return arguments
    result = PyObject_Call(callable, arguments, pointer(0, PyObject))
    Py_DecRef(arguments)
    return result


@exported("tsb_callable_new")
def new(
    kind: Ptr[PyObject],
    nparams: i64,
    flags: Ptr[u8],
    variadic: i64,
    miss: Ptr[PyObject],
    names: Ptr[PyObject],
    defaults: Ptr[PyObject],
) -> Ptr[PyObject]:
    """A new callable of the heap type; `flags` has max(nparams, 1) bytes and is copied; names and defaults may be
    null."""
    made = PyType_GenericAlloc(kind, 0)
    if address(made) == 0:
        return made
    self = pointer_cast(made, PyCallable)
    self.vectorcall = function(call)
    self.nparams = nparams
    self.variadic = variadic
    incref(miss)
    self.miss = miss
    keep(field(self, "names"), names)
    keep(field(self, "defaults"), defaults)
    nbytes = select(nparams == 0, i64(1), nparams)
    self.flags = PyMem_RawCalloc(nbytes, 1)
    self.table = new_table(FIRST_CAPACITY)
    if address(self.flags) == 0 or address(self.table) == 0:
        PyErr_NoMemory()
    else:
        memcpy(self.flags, flags, nbytes)
        self.keep = PyList_New(0)
        if address(self.keep) != 0:
            return made
    Py_DecRef(made)
    return pointer(0, PyObject)


@exported("tsb_callable_shape")
def shape(self: Ptr[PyCallable], nparams: i64, flags: Ptr[u8], names: Ptr[PyObject], defaults: Ptr[PyObject]) -> i32:
    """Give a callable without rows other parameters; as for `new`. -1: an exception is set, and nothing changed."""
    nbytes = select(nparams == 0, i64(1), nparams)
    made: Ptr[u8] = PyMem_RawCalloc(nbytes, 1)
    if address(made) == 0:
        PyErr_NoMemory()
        return -1
    memcpy(made, flags, nbytes)
    old = self.flags
    self.flags = made
    self.nparams = nparams
    old_names = self.names
    old_defaults = self.defaults
    self.names = pointer(0, PyObject)
    self.defaults = pointer(0, PyObject)
    keep(field(self, "names"), names)
    keep(field(self, "defaults"), defaults)
    PyMem_RawFree(old)
    xdecref(old_names)
    xdecref(old_defaults)
    return 0


def keep(place: Ptr[Ptr[PyObject]], o: Ptr[PyObject]) -> None:
    """Store a reference to an object, or leave null."""
    if address(o) != 0:
        incref(o)
        place[0] = o


@exported("tsb_callable_count")
def count(self: Ptr[PyCallable]) -> i64:
    """How many rows it has."""
    return self.rows


@exported("tsb_callable_key")
def key(self: Ptr[PyCallable], arguments: Ptr[PyObject], words: Ptr[i64]) -> i64:
    """Key words of a tuple of arguments into `MAX_WORDS` words; how many or negative."""
    return keys(self, items_of(arguments), length_of(arguments), words)


@internal(ALWAYS_INLINE)
def visited(o: Ptr[PyObject], visit: Ptr[Void], argument: Ptr[Void]) -> i32:
    """What a collector says of an object that may be null."""
    if address(o) == 0:
        return i32(0)
    return VISIT(visit, o, argument)


@exported("tsb_callable_traverse")
def traverse(self: Ptr[PyCallable], visit: Ptr[Void], argument: Ptr[Void]) -> i32:
    """Show the collector all objects that it refers to."""
    status = VISIT(visit, self.type, argument)
    if status == 0:
        status = visited(self.dict, visit, argument)
    if status == 0:
        status = visited(self.miss, visit, argument)
    if status == 0:
        status = visited(self.names, visit, argument)
    if status == 0:
        status = visited(self.defaults, visit, argument)
    if status == 0:
        status = visited(self.keep, visit, argument)
    return status


@internal(ALWAYS_INLINE)
def clear_field(place: Ptr[Ptr[PyObject]]) -> None:
    """Drop what a field refers to; the field is null before anybody can look."""
    o = place[0]
    place[0] = pointer(0, PyObject)
    xdecref(o)


@exported("tsb_callable_clear")
def clear(self: Ptr[PyCallable]) -> i32:
    """Drop what it refers to. Rows must not outlive what keeps their code alive, so the table goes first."""
    free_tables(self)
    clear_field(field(self, "dict"))
    clear_field(field(self, "miss"))
    clear_field(field(self, "names"))
    clear_field(field(self, "defaults"))
    clear_field(field(self, "keep"))
    return 0


@exported("tsb_callable_dealloc")
def dealloc(self: Ptr[PyCallable]) -> None:
    """The last reference is gone."""
    itself = pointer_cast(self, PyObject)
    PyObject_GC_UnTrack(itself)
    if address(self.weak) != 0:
        PyObject_ClearWeakRefs(itself)
    clear(self)
    PyMem_RawFree(self.flags)
    kind = self.type
    PyObject_GC_Del(itself)
    Py_DecRef(kind)


@exported("tsb_callable_bind")
def bind(self: Ptr[PyObject], instance: Ptr[PyObject], kind: Ptr[PyObject]) -> Ptr[PyObject]:
    """``tp_descr_get``: like functions."""
    if address(instance) == 0 or instance == Py_None:
        incref(self)
        return self
    return PyMethod_New(self, instance)


@exported("tsb_invoke", FRAMED)
def invoke(
    stub: Ptr[Void], code: Ptr[Void], arguments: Ptr[PyObject], constants: Ptr[PyObject], unit: Ptr[Unit]
) -> Ptr[PyObject]:
    """Run a stub on the items of a tuple, outside any table."""
    return run(unit, stub, code, constants, items_of(arguments), length_of(arguments))


FUNCTIONS = (call, call_python, use_python, invoke, call_any, new, shape, count, key, traverse, clear, dealloc, bind)
