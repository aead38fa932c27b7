"""Structs of the boundary to CPython: the heads of its objects, our own object types, and tables of signatures."""

from __future__ import annotations

from tscript.abi.fields import Struct

_HEAD = """
refcount: int
type: Ptr[PyObject]
"""

PY_OBJECT = Struct(
    "PyObject",
    f"""
        {_HEAD}
    """,
)
PY_SIZED = Struct(
    "PySized",
    f"""
        {_HEAD}
        size: int
    """,
)
"""A tuple; where its items lie, `tuple.__basicsize__` says."""
PY_FLOAT = Struct(
    "PyFloat",
    f"""
        {_HEAD}
        value: float
    """,
)

TABLE = Struct(
    "Table",
    """
        mask: int  # entries - 1
        count: int
        previous: Ptr[Table]  # the one that this one replaced
    """,
)
"""Rows of a callable by key, with open addressing: `ENTRY`s follow. A null row ends a probe."""

ENTRY = Struct(
    "Entry",
    """
        hash: int
        row: Ptr[Row]
    """,
)

ROW = Struct(
    "Row",
    """
        nwords: int
        stub: Ptr[u8]
        code: Ptr[u8]
        constants: Ptr[PyObject]
        unit: Ptr[Unit]
    """,
)
"""What one key leads to; the words of the key follow."""

UNIT = Struct(
    "Unit",
    """
        site: Ptr[RecordSite]
        observed: Ptr[u8] * 2  # observed variants: of fused groups, of single operators; null until made
        source: Ptr[PyObject]  # what the hook makes them from
    """,
)
"""What rows of one specialisation share."""

PY_CALLABLE = Struct(
    "PyCallable",
    f"""
        {_HEAD}
        vectorcall: Ptr[u8]
        dict: Ptr[PyObject]
        weak: Ptr[PyObject]
        nparams: int
        flags: Ptr[u8]
        table: Ptr[Table]
        miss: Ptr[PyObject]
        names: Ptr[PyObject]
        defaults: Ptr[PyObject]
        keep: Ptr[PyObject]
        variadic: int
        rows: int
    """,
)
"""A callable with a table of signatures."""

PY_TENSOR = Struct(
    "PyTensor",
    f"""
        {_HEAD}
        impl: Ptr[TensorImpl]  # of a free one: the next free one
        weak: Ptr[PyObject]
    """,
)
"""The Python object of a `TensorImpl`."""

PY_ARRAY = Struct(
    "PyArray",
    f"""
        {_HEAD}
        data: Ptr[u8]
        ndim: i32
        sizes: Ptr[int]
        strides: Ptr[int]  # in bytes
        base: Ptr[PyObject]
        descr: Ptr[PyDescr]
        flags: i32
    """,
)
"""An ndarray, as NumPy 1 and 2 lay it out; `tscript.runtime.boundary.array_objects` checks that before it is used."""

PY_DESCR = Struct(
    "PyDescr",
    f"""
        {_HEAD}
        scalar: Ptr[PyObject]
        kind: u8
        letter: u8
        order: u8  # of bytes
        flags: u8
        number: i32  # of the dtype
    """,
)
"""The dtype of an ndarray, up to where the versions differ."""

PY_BUFFER = Struct(
    "PyBuffer",
    """
        data: Ptr[u8]
        object: Ptr[PyObject]
        nbytes: int
        itemsize: int
        readonly: i32
        ndim: i32
        format: Ptr[u8]
        sizes: Ptr[int]
        strides: Ptr[int]  # in bytes
        offsets: Ptr[int]
        own: Ptr[u8]  # the exporter's
    """,
)
"""``Py_buffer``: memory of a Python object as others read it."""

ARRAYS = Struct(
    "Arrays",
    """
        new: Ptr[u8]  # PyArray_NewFromDescr
        set_base: Ptr[u8]  # PyArray_SetBaseObject
        scalar: Ptr[u8]  # PyArray_Scalar
        bytes_of: Ptr[u8]  # PyArray_ScalarAsCtype
        shifts: u8 * 32  # by the codes of our dtypes: of which power of two an element's bytes are
        descrs: Ptr[PyObject] * 32  # the same: NumPy's dtypes
    """,
)
"""What native code has of NumPy."""

DEBUG_TOKEN = Struct(
    "DebugToken",
    """
        references: int
        object: Ptr[PyObject]
    """,
)
"""What a token of debug info is the address of."""

SLOT = Struct(
    "Slot",
    """
        call: Ptr[u8]
        callable: Ptr[PyObject]
    """,
)
"""What is behind a special method of tensors: a function as `vectorcall`, and the callable."""

PY_RECORD = Struct(
    "PyRecord",
    f"""
        {_HEAD}
        name: Ptr[PyObject]  # the first seven come from the site
        overload: Ptr[PyObject]
        scope: Ptr[PyObject]
        file: Ptr[PyObject]
        function: Ptr[PyObject]
        members: Ptr[PyObject]
        module: Ptr[PyObject]
        inputs: Ptr[PyObject]
        outputs: Ptr[PyObject]
        line: int
        num_inputs: int
        thread_id: int
        id: int
        sequence_nr: int
        failed: int
    """,
)
"""A `RECORD` as Python callbacks get it."""

PY_RANGE = Struct(
    "PyRange",
    f"""
        {_HEAD}
        name: Ptr[PyObject]
        site: Ptr[RecordSite]  # null until it is first recorded
        record: Ptr[Record]  # while it is open and recorded, else null
        scope: int
        depth: int  # how often it is open
    """,
)
"""A range that the program marks."""

UNIFORM = Struct(
    "Uniform",
    """
        text: Ptr[u8]  # the signature, NUL-terminated
        results: int  # cells
        arguments: int  # cells
        frames: int  # words that values which are converted by their types take
        converts: int  # 1: there are such values
        seen: int  # what the arguments that are tensors come as: bits of `tscript.abi.conversion.Seen`
    """,
)
"""What the stub that serves every signature knows of one."""

UNIFORM_CALL = Struct(
    "UniformCall",
    """
        text: Ptr[u8]  # the signature
        first: Ptr[int]  # the cell of the first argument
        at: Ptr[u8]  # the next letter of the signature
        cell: Ptr[int]  # of the next value
        frame: Ptr[int]  # room for the next value that is converted by its type
        constants: Ptr[PyObject]
        constant: int  # number of the next one
        position: int  # of the argument, from 1
        marshal: Ptr[Marshal]
        context: Ptr[Context]
    """,
)
"""A call of that stub."""

RECORD_OBJECTS = ("name", "overload", "scope", "file", "function", "members", "module", "inputs", "outputs")
"""Fields of a Python record that are objects."""

BOUNDARY = (
    *(PY_OBJECT, PY_SIZED, PY_FLOAT, TABLE, ENTRY, ROW, UNIT, UNIFORM, UNIFORM_CALL),
    *(PY_CALLABLE, PY_TENSOR, PY_ARRAY, PY_DESCR, PY_BUFFER, ARRAYS, SLOT, PY_RECORD, PY_RANGE, DEBUG_TOKEN),
)
"""All of these."""
