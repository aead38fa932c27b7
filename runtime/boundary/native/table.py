"""Signature keys, and the table from key to code.

A key is a few 64-bit words computed from the types of the arguments (`Tag` says how each value appears); a row gives
the stub and the code for one key. Tables use open addressing, at most half full, and grow by doubling.

The code of a row may be exchanged. Tables are read and written with the GIL held, and native code that releases it
holds no pointer into a table. Rows live as long as their callable; a table that was outgrown is freed with it too, so
no reader ever meets freed memory.
"""

from __future__ import annotations

import sys

from tscript.abi.boundary import ENTRY, ROW, TABLE
from tscript.abi.python import OBJECT_BODY
from tscript.abi.tensor_facts import HEADER_WORD, RANK_BITS, TAG_BITS
from tscript.dialect import (
    Entry,
    Ptr,
    PyArray,
    PyCallable,
    PyObject,
    PyTensor,
    Row,
    Table,
    Unit,
    Void,
    address,
    atomic_release,
    b8,
    field,
    i32,
    i64,
    memcpy,
    pointer,
    pointer_cast,
    select,
    stack,
    text,
    u8,
    unsigned_less,
    unsigned_shr,
)
from tscript.dialect.linkage import ALWAYS_INLINE, NOINLINE, exported, internal, variable
from tscript.runtime.boundary.native.keys import KINDS, MAX_WORDS, Flag, Simple, Tag
from tscript.runtime.boundary.native.objects import decref, incref, items_of, length_of
from tscript.runtime.boundary.native.python_api import (
    Py_DecRef,
    Py_None,
    Py_True,
    PyBool_Type,
    PyDict_Next,
    PyDict_Type,
    PyErr_Clear,
    PyErr_NoMemory,
    PyErr_SetString,
    PyExc_SystemError,
    PyFloat_Type,
    PyList_Append,
    PyList_Type,
    PyLong_AsLongLongAndOverflow,
    PyLong_Type,
    PyMem_RawCalloc,
    PyMem_RawFree,
    PyObject_CallMethodObjArgs,
    PySequence_List,
    PySet_Type,
    PyTuple_Type,
    PyUnicode_InternInPlace,
    PyUnicode_Type,
)

CLEARED = "this function has been cleared by the garbage collector"

LAST_WORD = MAX_WORDS - 2
BODY_WORD = OBJECT_BODY // 8
ITEMS_WORD = BODY_WORD + 1
"""Of a list: the address of its elements."""
FACTS_WORD = HEADER_WORD // 8
"""Of a tensor: what is known of it."""

FLAG_STATIC = int(Flag.STATIC)
FLAG_LIST = int(Flag.LIST)
FLAG_OBJECT = int(Flag.OBJECT)
FLAG_OBJECTS = int(Flag.OBJECTS)
FLAG_OPEN = int(Flag.OPEN)
FLAG_STRING = int(Flag.STRING)
FLAG_STATIC_BOOLS = int(Flag.STATIC | Flag.STATIC_BOOL)

TENSOR = int(Tag.TENSOR)
FLOAT = int(Tag.FLOAT)
INT = int(Tag.INT)
BOOL = int(Tag.BOOL)
OBJECT = int(Tag.OBJECT)
STATIC_INT = int(Tag.STATIC_INT)
STATIC_BOOL = int(Tag.STATIC_BOOL)
STATIC_TRUE = STATIC_BOOL + 256
STATIC_FLOAT = int(Tag.STATIC_FLOAT)
TUPLE = int(Tag.TUPLE)
NONE = int(Tag.NONE)
KEYWORDS = int(Tag.KEYWORDS)
ANY = int(Tag.ANY)
ARRAY = int(Tag.ARRAY)
TORCH = int(Tag.TORCH)

ALIGNED = 0x100
"""NumPy's flag of an array whose elements lie where their type wants them."""
SWAPPED = ord(">" if sys.byteorder == "little" else "<")
"""NumPy's letter for a byte order that is not the machine's."""
NUMBERS = 32
CLASS = int(Tag.CLASS)
LIST = int(Tag.LIST)
SET = int(Tag.SET)
DICT = int(Tag.DICT)

IS_INT = int(Simple.INT)
IS_FLOAT = int(Simple.FLOAT)
IS_BOOL = int(Simple.BOOL)
IS_STR = int(Simple.STR)
IS_NONE = int(Simple.NONE)
IS_TENSOR = int(Simple.TENSOR)
IS_OTHER = int(Simple.OTHER)

NO_KEY = -1
LISTS = -2
"""In place of a number of words: an argument is a list that has to become a tuple first."""

SPREAD = -7046029254386353131
TABLE_BYTES = TABLE.size
ENTRY_BYTES = ENTRY.size
ROW_BYTES = ROW.size

TENSOR_TYPE = variable("tsb_tensor_type", Ptr[PyObject], exported=True)
ARRAY_TYPE = variable("tsb_array_type", Ptr[PyObject], exported=True)
"""The type of ndarrays; null: arrays have no key."""
ARRAY_CODES = variable("tsb_array_codes", u8, 32, exported=True)
"""One more than the code of our dtype, by NumPy's number; 0: there is none."""
KEYED_KINDS = variable("tsb_kinds", Ptr[PyObject], KINDS, exported=True)
"""Types whose objects are keyed by identity."""

TORCH_TYPE = variable("tsb_torch_type", Ptr[PyObject], exported=True)
"""The type of PyTorch's tensors; null while nobody has used it."""
NUMPY_NAME = variable("tsb_numpy_name", Ptr[PyObject], exported=True)
"""The name of their method that gives an ndarray."""
KEY_SALT = variable("tsb_key_salt", i64, exported=True)
"""Where the hashes of keys begin: rows that were made under another default dtype are not found."""
VARIABLES = (KEY_SALT, TENSOR_TYPE, ARRAY_TYPE, ARRAY_CODES, TORCH_TYPE, NUMPY_NAME, KEYED_KINDS)


@internal(ALWAYS_INLINE)
def key_one(o: Ptr[PyObject], flags: u8, words: Ptr[i64], n: i64) -> i64:
    """Append the key words of `o` to `words`, which holds `n`; the new number, `NO_KEY` or `LISTS`."""
    if n > LAST_WORD:
        return NO_KEY
    if flags & FLAG_OBJECT != 0:
        words[n] = ANY
        return n + 1
    kind = o.type
    if kind == TENSOR_TYPE[0]:
        words[n] = (pointer_cast(pointer_cast(o, PyTensor).impl, i64)[FACTS_WORD] << TAG_BITS) | TENSOR
        return n + 1
    is_static = flags & FLAG_STATIC != 0
    if kind == PyFloat_Type:
        if is_static:
            words[n] = STATIC_FLOAT
            words[n + 1] = pointer_cast(o, i64)[BODY_WORD]
            return n + 2
        words[n] = FLOAT
        return n + 1
    if kind == PyLong_Type:
        if is_static:
            return key_static_int(o, words, n)
        words[n] = INT
        return n + 1
    if kind == PyBool_Type:
        known = select(o == Py_True, i64(STATIC_TRUE), i64(STATIC_BOOL))
        words[n] = select(flags & FLAG_STATIC_BOOLS != 0, known, i64(BOOL))
        return n + 1
    if o == Py_None:
        words[n] = NONE
        return n + 1
    return key_rare(o, kind, flags, words, n)


@internal(NOINLINE)
def key_static_int(o: Ptr[PyObject], words: Ptr[i64], n: i64) -> i64:
    """As `key_one`, for an int whose value is part of the key."""
    overflow = stack(1, i32)
    value = PyLong_AsLongLongAndOverflow(o, overflow)
    if overflow[0] != 0:
        return NO_KEY
    words[n] = STATIC_INT
    words[n + 1] = value
    return n + 2


@internal(ALWAYS_INLINE)
def array_facts(o: Ptr[PyObject]) -> i64:
    """What is known of an ndarray as a tensor, as in the header of one; -1: it cannot be one without a copy (its dtype,
    its byte order, its alignment)."""
    array = pointer_cast(o, PyArray)
    descr = array.descr
    number = i64(descr.number)
    if (array.flags & ALIGNED != 0) & (descr.order != SWAPPED) & unsigned_less(number, NUMBERS):
        code = i64(ARRAY_CODES[number])
        if code != 0:
            return (code - 1) | (i64(array.ndim) << RANK_BITS)
    return -1


@internal(NOINLINE)
def torch_facts(o: Ptr[PyObject]) -> i64:
    """The same of a tensor of PyTorch."""
    array = torch_array(o)
    if address(array) == 0:
        PyErr_Clear()
        return -1
    facts = -1
    if array.type == ARRAY_TYPE[0]:
        facts = array_facts(array)
    decref(array)
    return facts


def torch_array(o: Ptr[PyObject]) -> Ptr[PyObject]:
    """The ndarray over the memory of a tensor of PyTorch, owned; null with an exception if PyTorch refuses it. While it
    lives the tensor cannot be resized."""
    return PyObject_CallMethodObjArgs(o, NUMPY_NAME[0], pointer(0, PyObject))


@internal(NOINLINE)
def key_rare(o: Ptr[PyObject], kind: Ptr[PyObject], flags: u8, words: Ptr[i64], n: i64) -> i64:
    """As `key_one`, for what is neither a number nor a tensor."""
    if kind == PyTuple_Type:
        count = length_of(o)
        words[n] = (count << 8) | TUPLE
        at = n + 1
        i = 0
        while i != count:
            at = key_one(items_of(o)[i], flags, words, at)
            if at < 0:
                return at
            i = i + 1
        return at
    if kind == ARRAY_TYPE[0]:
        facts = array_facts(o)
        if facts >= 0:
            words[n] = (facts << TAG_BITS) | ARRAY
            return n + 1
    if kind == TORCH_TYPE[0]:
        facts = torch_facts(o)
        if facts >= 0:
            words[n] = (facts << TAG_BITS) | TORCH
            return n + 1
    if kind == PyList_Type:
        if flags & FLAG_LIST != 0:
            return LISTS
    else:
        for k in range(KINDS):
            if KEYED_KINDS[k] == kind:
                words[n] = OBJECT
                words[n + 1] = address(o)
                return n + 2
    if (flags & FLAG_STRING != 0) & (kind == PyUnicode_Type):
        words[n] = OBJECT
        words[n + 1] = address(o)
        return n + 2
    if flags & FLAG_OPEN != 0:
        return key_open(o, kind, words, n)
    if flags & FLAG_OBJECTS == 0:
        return NO_KEY
    words[n] = ANY
    return n + 1


@internal(NOINLINE)
def key_open(o: Ptr[PyObject], kind: Ptr[PyObject], words: Ptr[i64], n: i64) -> i64:
    """As `key_one`, where the types of containers come from the call: with the classes of what is in them."""
    state = stack(2, i64)
    state[0] = 0
    state[1] = n + 1
    if kind == PyList_Type:
        return key_items(o, LIST, state, words, n)
    if kind == PyDict_Type:
        return key_dict(o, state, words, n)
    if kind == PySet_Type:
        items = PySequence_List(o)
        if address(items) == 0:
            PyErr_Clear()
            return NO_KEY
        found = key_items(items, SET, state, words, n)
        Py_DecRef(items)
        return found
    words[n] = CLASS
    words[n + 1] = address(kind)
    return n + 2


def key_items(items: Ptr[PyObject], tag: i64, state: Ptr[i64], words: Ptr[i64], n: i64) -> i64:
    """As `key_open`, for the elements of a list."""
    elements = pointer(pointer_cast(items, i64)[ITEMS_WORD], Ptr[PyObject])
    count = length_of(items)
    i = 0
    while i != count:
        if not noted(elements[i], state, words, n):
            return NO_KEY
        i = i + 1
    words[n] = (state[0] << 8) | tag
    return state[1]


def key_dict(o: Ptr[PyObject], state: Ptr[i64], words: Ptr[i64], n: i64) -> i64:
    """As `key_open`, for the keys and the values of a dict."""
    at = stack(1, i64)
    pair = stack(2, Ptr[PyObject])
    start = n
    part = 0
    while part != 2:
        at[0] = 0
        while PyDict_Next(o, at, pair, pair + 1) != 0:
            if not noted(pair[part], state, words, start):
                return NO_KEY
        words[start] = (state[0] << 8) | DICT
        start = state[1]
        if start > LAST_WORD:
            return NO_KEY
        state[0] = 0
        state[1] = start + 1
        part = part + 1
    return start


@internal(ALWAYS_INLINE)
def noted(o: Ptr[PyObject], state: Ptr[i64], words: Ptr[i64], n: i64) -> b8:
    """Add an element to the classes of those before it, `state[0]`; `state[1]` is where words that all of another class
    share end, which begin behind word `n`. False: it has other words."""
    kind = o.type
    if kind == PyLong_Type:
        state[0] = state[0] | IS_INT
        return True
    if kind == PyFloat_Type:
        state[0] = state[0] | IS_FLOAT
        return True
    if kind == PyUnicode_Type:
        state[0] = state[0] | IS_STR
        return True
    return noted_other(o, kind, state, words, n)


@internal(NOINLINE)
def noted_other(o: Ptr[PyObject], kind: Ptr[PyObject], state: Ptr[i64], words: Ptr[i64], n: i64) -> b8:
    """As `noted`."""
    if kind == TENSOR_TYPE[0]:
        state[0] = state[0] | IS_TENSOR
        return True
    if kind == PyBool_Type:
        state[0] = state[0] | IS_BOOL
        return True
    if o == Py_None:
        state[0] = state[0] | IS_NONE
        return True
    known = state[1]
    end = key_one(o, u8(FLAG_OPEN), words, known)
    if end < 0:
        return False
    if state[0] & IS_OTHER == 0:
        state[0] = state[0] | IS_OTHER
        state[1] = end
        return True
    first = n + 1
    count = known - first
    if end - known != count:
        return False
    i = 0
    while i != count:
        if words[known + i] != words[first + i]:
            return False
        i = i + 1
    return True


@internal(ALWAYS_INLINE)
def keys(function: Ptr[PyCallable], args: Ptr[Ptr[PyObject]], nargs: i64, words: Ptr[i64]) -> i64:
    """Key words of all arguments; how many, or negative as `key_one` says."""
    flags = function.flags
    last = function.nparams - 1
    n = 0
    i = 0
    while i != nargs:
        # Further arguments of a variadic callable are like its last parameter.
        n = key_one(args[i], flags[select(i > last, last, i)], words, n)
        if n < 0:
            return n
        i = i + 1
    return n


def interned(name: Ptr[PyObject]) -> Ptr[PyObject]:
    """The one string that stands for all equal to `name`; borrowed, for comparison of addresses only."""
    slot = stack(1, Ptr[PyObject])
    incref(name)
    slot[0] = name
    PyUnicode_InternInPlace(slot)
    decref(slot[0])
    return slot[0]


def key_names(kwnames: Ptr[PyObject], words: Ptr[i64], n: i64) -> i64:
    """Append the names of keyword arguments to a key of `n` words; the new number or `NO_KEY`."""
    count = length_of(kwnames)
    end = n + 1 + count
    if unsigned_less(MAX_WORDS, end):
        return NO_KEY
    words[n] = (count << 8) | KEYWORDS
    for i in range(count):
        words[n + 1 + i] = address(interned(items_of(kwnames)[i]))
    return end


@internal(ALWAYS_INLINE)
def hash_words(words: Ptr[i64], n: i64) -> i64:
    """The hash of a key. Of two salts it gives two hashes of the same words, since each step can be undone."""
    found = n + KEY_SALT[0]
    i = 0
    while i != n:
        found = i64((found ^ words[i]) * SPREAD)
        found = found ^ unsigned_shr(found, 32)
        i = i + 1
    return found


@internal(ALWAYS_INLINE)
def has_key(row: Ptr[Row], words: Ptr[i64], n: i64) -> b8:
    """Whether a row with a key of `n` words has this one."""
    own = pointer_cast(row + 1, i64)
    i = 0
    while i != n:
        if words[i] != own[i]:
            return False
        i = i + 1
    return True


@internal(ALWAYS_INLINE)
def find(function: Ptr[PyCallable], words: Ptr[i64], n: i64) -> Ptr[Row]:
    """The row with this key, or null."""
    table = function.table
    if address(table) == 0:
        return pointer(0, Row)
    wanted = hash_words(words, n)
    mask = table.mask
    entries = pointer_cast(table + 1, Entry)
    at = wanted
    while True:
        slot = at & mask
        entry = entries + slot
        row = entry.row
        if address(row) == 0:
            return pointer(0, Row)
        if entry.hash == wanted:
            if row.nwords == n:
                if has_key(row, words, n):
                    return row
        at = slot + 1


def new_table(capacity: i64) -> Ptr[Table]:
    """An empty table, or null."""
    table = pointer_cast(PyMem_RawCalloc(capacity * ENTRY_BYTES + TABLE_BYTES, 1), Table)
    if address(table) != 0:
        table.mask = capacity - 1
    return table


def insert(table: Ptr[Table], hash: i64, row: Ptr[Row]) -> None:
    """Put a row into a table that has room."""
    entries = pointer_cast(table + 1, Entry)
    at = hash & table.mask
    while address((entries + at).row) != 0:
        at = (at + 1) & table.mask
    entry = entries + at
    entry.hash = hash
    entry.row = row
    table.count = table.count + 1


def new_row(
    words: Ptr[i64], n: i64, stub: Ptr[Void], code: Ptr[Void], constants: Ptr[PyObject], unit: Ptr[Unit]
) -> Ptr[Row]:
    """A row, or null."""
    row = pointer_cast(PyMem_RawCalloc(n * 8 + ROW_BYTES, 1), Row)
    if address(row) != 0:
        row.nwords = n
        row.stub = stub
        row.code = code
        row.constants = constants
        row.unit = unit
        memcpy(row + 1, words, n * 8)
    return row


def larger(table: Ptr[Table]) -> Ptr[Table]:
    """A table of twice the size with the same rows, or null."""
    made = new_table((table.mask + 1) * 2)
    if address(made) != 0:
        made.previous = table
        entries = pointer_cast(table + 1, Entry)
        for i in range(table.mask + 1):
            entry = entries + i
            if address(entry.row) != 0:
                insert(made, entry.hash, entry.row)
    return made


@exported("tsb_callable_add")
def add_row(
    function: Ptr[PyCallable],
    words: Ptr[i64],
    n: i64,
    stub: Ptr[Void],
    code: Ptr[Void],
    constants: Ptr[PyObject],
    unit: Ptr[Unit],
    keepalive: Ptr[PyObject],
) -> i32:
    """1 added, 0 when the key has a row already, -1 with an exception; `keepalive` keeps what the row refers to."""
    table = function.table
    if address(table) == 0:
        PyErr_SetString(PyExc_SystemError[0], text(CLEARED))
        return -1
    if address(find(function, words, n)) != 0:
        return 0
    if PyList_Append(function.keep, keepalive) < 0:
        return -1
    row = new_row(words, n, stub, code, constants, unit)
    if address(row) == 0:
        PyErr_NoMemory()
        return -1
    if unsigned_less(table.count * 2, table.mask):
        insert(table, hash_words(words, n), row)
    else:
        grown = larger(table)
        if address(grown) == 0:
            PyMem_RawFree(pointer_cast(row, Void))
            PyErr_NoMemory()
            return -1
        insert(grown, hash_words(words, n), row)
        atomic_release(field(function, "table"), grown)
    function.rows = function.rows + 1
    return 1


@exported("tsb_callable_swap")
def swap(function: Ptr[PyCallable], old: Ptr[Void], code: Ptr[Void]) -> i64:
    """Let all rows with `old` code run other code, which is the same function; how many. Calls that run go on."""
    table = function.table
    found = 0
    if address(table) != 0:
        entries = pointer_cast(table + 1, Entry)
        for i in range(table.mask + 1):
            row = (entries + i).row
            if address(row) != 0:
                if address(row.code) == address(old):
                    atomic_release(field(row, "code"), code)
                    found = found + 1
    return found


@exported("tsb_publish")
def publish(place: Ptr[i64], value: i64) -> None:
    """Store a word that other threads read without the GIL, behind all that was stored before."""
    atomic_release(place, value)


def free_tables(function: Ptr[PyCallable]) -> None:
    """Free all rows of a callable, and its table with those that it replaced."""
    table = function.table
    function.table = pointer(0, Table)
    if address(table) == 0:
        return
    entries = pointer_cast(table + 1, Entry)
    for i in range(table.mask + 1):
        PyMem_RawFree(pointer_cast((entries + i).row, Void))
    while address(table) != 0:
        previous = table.previous
        PyMem_RawFree(pointer_cast(table, Void))
        table = previous


FUNCTIONS = (add_row, swap, publish)
