"""Structs of the boundary to CPython: the heads of its objects, our own object types, and tables of signatures."""

from __future__ import annotations

from tscript.abi.fields import BYTES, Field, Struct
from tscript.types import F64, I64, U8, PtrType, StructType

OBJECT = PtrType(StructType("PyObject"))
OBJECTS = PtrType(OBJECT)

_HEAD = (Field("refcount", I64), Field("type", OBJECT))

PY_OBJECT = Struct("PyObject", _HEAD)
PY_SIZED = Struct("PySized", (*_HEAD, Field("size", I64)))
"""A tuple; where its items lie, `tuple.__basicsize__` says."""
PY_FLOAT = Struct("PyFloat", (*_HEAD, Field("value", F64)))

TABLE = Struct(
    "Table",
    (
        Field("mask", I64),  # entries - 1
        Field("count", I64),
        Field("previous", PtrType(StructType("Table"))),  # the one that this one replaced
    ),
)
"""Rows of a callable by key, with open addressing: `ENTRY`s follow. A null row ends a probe."""

ENTRY = Struct("Entry", (Field("hash", I64), Field("row", PtrType(StructType("Row")))))

ROW = Struct(
    "Row",
    (
        Field("nwords", I64),
        Field("stub", BYTES),
        Field("code", BYTES),
        Field("constants", OBJECT),
        Field("unit", PtrType(StructType("Unit"))),
    ),
)
"""What one key leads to; the words of the key follow."""

UNIT = Struct(
    "Unit",
    (
        Field("site", PtrType(StructType("RecordSite"))),
        Field("observed", BYTES, 2),  # observed variants: of fused groups, of single operators; null until made
        Field("source", OBJECT),  # what the hook makes them from
    ),
)
"""What rows of one specialisation share."""

PY_CALLABLE = Struct(
    "PyCallable",
    (
        *_HEAD,
        Field("vectorcall", BYTES),
        Field("dict", OBJECT),
        Field("weak", OBJECT),
        Field("nparams", I64),
        Field("flags", PtrType(U8)),
        Field("table", PtrType(StructType("Table"))),
        Field("miss", OBJECT),
        Field("names", OBJECT),
        Field("defaults", OBJECT),
        Field("keep", OBJECT),
        Field("variadic", I64),
        Field("rows", I64),
    ),
)
"""A callable with a table of signatures."""

PY_TENSOR = Struct(
    "PyTensor",
    (
        *_HEAD,
        Field("impl", PtrType(StructType("TensorImpl"))),  # of a free one: the next free one
        Field("weak", OBJECT),
    ),
)
"""The Python object of a `TensorImpl`."""

DEBUG_TOKEN = Struct("DebugToken", (Field("references", I64), Field("object", OBJECT)))
"""What a token of debug info is the address of."""

SLOT = Struct("Slot", (Field("call", BYTES), Field("callable", OBJECT)))
"""What is behind a special method of tensors: a function as `vectorcall`, and the callable."""

PY_RECORD = Struct(
    "PyRecord",
    (
        *_HEAD,
        Field("name", OBJECT),  # the first six come from the site
        Field("overload", OBJECT),
        Field("scope", OBJECT),
        Field("file", OBJECT),
        Field("function", OBJECT),
        Field("members", OBJECT),
        Field("inputs", OBJECT),
        Field("outputs", OBJECT),
        Field("line", I64),
        Field("num_inputs", I64),
        Field("thread_id", I64),
        Field("id", I64),
        Field("sequence_nr", I64),
        Field("failed", I64),
    ),
)
"""A `RECORD` as Python callbacks get it."""

PY_RANGE = Struct(
    "PyRange",
    (
        *_HEAD,
        Field("name", OBJECT),
        Field("site", PtrType(StructType("RecordSite"))),  # null until it is first recorded
        Field("record", PtrType(StructType("Record"))),  # while it is open and recorded, else null
        Field("scope", I64),
        Field("depth", I64),  # how often it is open
    ),
)
"""A range that the program marks."""

UNIFORM = Struct(
    "Uniform",
    (
        Field("text", PtrType(U8)),  # the signature, NUL-terminated
        Field("results", I64),  # cells
        Field("arguments", I64),  # cells
        Field("frames", I64),  # words that values which are converted by their types take
        Field("converts", I64),  # 1: there are such values
    ),
)
"""What the stub that serves every signature knows of one."""

UNIFORM_CALL = Struct(
    "UniformCall",
    (
        Field("at", PtrType(U8)),  # the next letter of the signature
        Field("cell", PtrType(I64)),  # of the next value
        Field("frame", PtrType(I64)),  # room for the next value that is converted by its type
        Field("constants", OBJECT),
        Field("constant", I64),  # number of the next one
        Field("position", I64),  # of the argument, from 1
        Field("marshal", PtrType(StructType("Marshal"))),
        Field("context", PtrType(StructType("Context"))),
    ),
)
"""A call of that stub."""

RECORD_OBJECTS = tuple(f.name for f in PY_RECORD.fields if f.type == OBJECT and f.name != "type")
"""Fields of a Python record that are objects."""

BOUNDARY = (
    *(PY_OBJECT, PY_SIZED, PY_FLOAT, TABLE, ENTRY, ROW, UNIT, UNIFORM, UNIFORM_CALL),
    *(PY_CALLABLE, PY_TENSOR, SLOT, PY_RECORD, PY_RANGE, DEBUG_TOKEN),
)
"""All of these."""
