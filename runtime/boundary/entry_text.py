"""The boundary module as LLVM text: everything through which Python objects reach native code.

What is left of it as text: operator callbacks (`entry_record`, `entry_range`). The rest is written in the low-level
dialect (`module`). Texts have ``$name`` for every offset and constant, filled in by
`boundary_text`; so the module depends on the layouts of `abi` and on the interpreter's own, read at run time
(`Interpreter`).

Every function that returns an object returns a new reference, or null with an exception set, unless it says otherwise.
All functions except those named ``ts_`` are called with the GIL held.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from string import Template

from tscript.abi.layout import CONTEXT, MAX_DEPTH, NO_STACK, TENSOR_STRUCT
from tscript.abi.python import OBJECT_BODY, OBJECT_TYPE
from tscript.abi.signature import Signature
from tscript.abi.status import Status
from tscript.backend.llvm.target import Target
from tscript.backend.stubs.call import call_stub
from tscript.runtime.boundary import (
    entry_range,
    entry_record,
)
from tscript.runtime.boundary.module import exports, module_lines, symbols_of


@dataclass(frozen=True)
class Interpreter:
    """What of the running interpreter's object layouts the text depends on; `native_types.check_interpreter` reads it.

    Attributes:
        tuple_items: Offset of the first item of a tuple.
    """

    tuple_items: int


EXTERNALS = """
@PyFloat_Type = external global i8
@PyLong_Type = external global i8
@PyBool_Type = external global i8
@PyTuple_Type = external global i8
@PyUnicode_Type = external global i8
@PyList_Type = external global i8
@_Py_NoneStruct = external global i8
@_Py_TrueStruct = external global i8
@_Py_FalseStruct = external global i8
@_Py_NotImplementedStruct = external global i8
@PyExc_TypeError = external global ptr
@PyExc_SystemError = external global ptr
@PyExc_OverflowError = external global ptr
@PyExc_ValueError = external global ptr
@PyExc_BaseException = external global ptr
declare void @Py_IncRef(ptr)
declare void @Py_DecRef(ptr)
declare i32 @Py_IsInitialized()
declare ptr @PyErr_Occurred()
declare i32 @PyErr_CheckSignals()
declare ptr @PyErr_NoMemory()
declare ptr @PyErr_Format(ptr, ptr, ...)
declare void @PyErr_SetString(ptr, ptr)
declare void @PyErr_SetObject(ptr, ptr)
declare i32 @PyException_SetTraceback(ptr, ptr)
declare ptr @PyException_GetTraceback(ptr)
declare ptr @PyObject_CallFunctionObjArgs(ptr, ...)
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
declare i32 @PyGILState_Ensure()
declare void @PyGILState_Release(i32)
declare i32 @PyGILState_Check()
declare double @PyLong_AsDouble(ptr)
declare i64 @PyLong_AsLongLongAndOverflow(ptr, ptr)
declare i64 @PyLong_AsSsize_t(ptr)
declare ptr @PyLong_FromLongLong(i64)
declare ptr @PyLong_FromVoidPtr(ptr)
declare ptr @PyFloat_FromDouble(double)
declare ptr @PyTuple_New(i64)
declare i32 @PyTuple_SetItem(ptr, i64, ptr)
declare ptr @PyDict_New()
declare i32 @PyDict_SetItem(ptr, ptr, ptr)
declare ptr @PyList_AsTuple(ptr)
declare i32 @PyList_Append(ptr, ptr)
declare ptr @PyList_New(i64)
declare ptr @PyMethod_New(ptr, ptr)
declare ptr @PyObject_Call(ptr, ptr, ptr)
declare ptr @PyObject_CallOneArg(ptr, ptr)
declare i32 @PyObject_IsInstance(ptr, ptr)
declare void @PyObject_ClearWeakRefs(ptr)
declare void @PyObject_GC_UnTrack(ptr)
declare void @PyObject_GC_Del(ptr)
declare ptr @PyObject_Init(ptr, ptr)
declare ptr @PyObject_Malloc(i64)
declare void @PyObject_Free(ptr)
declare void @PyUnicode_InternInPlace(ptr)
declare ptr @PyType_GenericAlloc(ptr, i64)
declare ptr @PyMem_RawCalloc(i64, i64)
declare void @PyMem_RawFree(ptr)
"""

MESSAGES: dict[str, str] = {
    **entry_range.MESSAGES,
}
"""Texts of exceptions, by the name of their constant."""

EXPORTS = (*entry_record.EXPORTS,)
"""Symbols that native code imports from the boundary module."""

INTERNALS = (
    *entry_record.INTERNALS,
    *entry_range.INTERNALS,
)
"""Symbols that the Python half and the stubs use."""


def _constants(interpreter: Interpreter) -> dict[str, str]:
    offsets = {f"t_{name}": at for name, at in TENSOR_STRUCT.offsets.items()}
    found: Mapping[str, object] = {
        **offsets,
        "t_dims": TENSOR_STRUCT.size,
        "tuple_items": interpreter.tuple_items,
        "type": OBJECT_TYPE,
        "body": OBJECT_BODY,
        "c_size": CONTEXT.size,
        "c_depth": CONTEXT.offsets["depth"],
        "c_stack": CONTEXT.offsets["stack"],
        "no_stack": NO_STACK,
        "c_at": CONTEXT.offsets["at"],
        "c_state": CONTEXT.offsets["thread_state"],
        "c_ntrace": CONTEXT.offsets["ntrace"],
        "c_nargs": CONTEXT.offsets["nargs"],
        "c_trace": CONTEXT.offsets["trace"],
        "max_depth": MAX_DEPTH,
        "raised": int(Status.RAISED),
        "python": int(Status.PYTHON),
        **entry_record.constants(),
        **entry_range.constants(),
    }
    return {name: str(value) for name, value in found.items()}


def _messages() -> str:
    lines = []
    for name, text in MESSAGES.items():
        lines.append(f'@{name} = private unnamed_addr constant [{len(text) + 1} x i8] c"{text}\\00"')
    return "\n".join(lines)


def boundary_text(interpreter: Interpreter, signatures: Iterable[Signature], target: Target) -> str:
    """The whole module, with the stubs of `signatures` in it.

    Args:
        interpreter: Layouts of the running interpreter.
        signatures: Stubs to include, each with external linkage under `Signature.symbol`.
        target: What it is for.
    """
    parts = [entry_record.text(target.architecture), entry_range.TEXT]
    body = "\n".join(Template(part).substitute(_constants(interpreter)) for part in parts)
    wanted: dict[str, str] = {}
    stubs = [call_stub(s, wanted, interpreter.tuple_items) for s in signatures]
    here = symbols_of([EXTERNALS, body]) | set(exports())
    declarations = [line for symbol, line in wanted.items() if symbol not in here]
    written = [EXTERNALS, *declarations, _messages(), body, *stubs]
    return "\n".join([*written, *module_lines(target, symbols_of(written))]) + "\n"
