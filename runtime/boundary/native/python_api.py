"""What the boundary calls and reads of CPython, with C's signatures."""

from __future__ import annotations

from tscript.dialect import Ptr, PyObject, Void, f64, i32, i64
from tscript.dialect.linkage import c_function, external

# Types and singletons

PyFloat_Type = external("PyFloat_Type", PyObject)
PyLong_Type = external("PyLong_Type", PyObject)
PyBool_Type = external("PyBool_Type", PyObject)
PyComplex_Type = external("PyComplex_Type", PyObject)
PyTuple_Type = external("PyTuple_Type", PyObject)
PyList_Type = external("PyList_Type", PyObject)
PyDict_Type = external("PyDict_Type", PyObject)
PySet_Type = external("PySet_Type", PyObject)
PySlice_Type = external("PySlice_Type", PyObject)
PyUnicode_Type = external("PyUnicode_Type", PyObject)
Py_Ellipsis = external("_Py_EllipsisObject", PyObject)
Py_None = external("_Py_NoneStruct", PyObject)
Py_True = external("_Py_TrueStruct", PyObject)
Py_False = external("_Py_FalseStruct", PyObject)
Py_NotImplemented = external("_Py_NotImplementedStruct", PyObject)

# Exceptions

PyExc_BaseException = external("PyExc_BaseException", Ptr[PyObject])
PyExc_BufferError = external("PyExc_BufferError", Ptr[PyObject])
PyExc_Exception = external("PyExc_Exception", Ptr[PyObject])
PyExc_KeyboardInterrupt = external("PyExc_KeyboardInterrupt", Ptr[PyObject])
PyExc_OverflowError = external("PyExc_OverflowError", Ptr[PyObject])
PyExc_RecursionError = external("PyExc_RecursionError", Ptr[PyObject])
PyExc_RuntimeError = external("PyExc_RuntimeError", Ptr[PyObject])
PyExc_SystemError = external("PyExc_SystemError", Ptr[PyObject])
PyExc_TypeError = external("PyExc_TypeError", Ptr[PyObject])
PyExc_ValueError = external("PyExc_ValueError", Ptr[PyObject])

PyErr_Occurred = c_function("PyErr_Occurred", Ptr[PyObject])
PyErr_Clear = c_function("PyErr_Clear", None)
PyErr_CheckSignals = c_function("PyErr_CheckSignals", i32)
PyErr_SetInterrupt = c_function("PyErr_SetInterrupt", None)
PyErr_GivenExceptionMatches = c_function("PyErr_GivenExceptionMatches", i32, Ptr[PyObject], Ptr[PyObject])
PyErr_NoMemory = c_function("PyErr_NoMemory", Ptr[PyObject])
PyErr_SetString = c_function("PyErr_SetString", None, Ptr[PyObject], Ptr[Void])
PyErr_SetObject = c_function("PyErr_SetObject", None, Ptr[PyObject], Ptr[PyObject])
PyErr_Format = c_function("PyErr_Format", Ptr[PyObject], Ptr[PyObject], Ptr[Void], ...)
PyErr_Fetch = c_function("PyErr_Fetch", None, Ptr[Ptr[PyObject]], Ptr[Ptr[PyObject]], Ptr[Ptr[PyObject]])
PyErr_Restore = c_function("PyErr_Restore", None, Ptr[PyObject], Ptr[PyObject], Ptr[PyObject])
PyErr_NormalizeException = c_function(
    "PyErr_NormalizeException", None, Ptr[Ptr[PyObject]], Ptr[Ptr[PyObject]], Ptr[Ptr[PyObject]]
)
PyErr_WriteUnraisable = c_function("PyErr_WriteUnraisable", None, Ptr[PyObject])
PyException_SetTraceback = c_function("PyException_SetTraceback", i32, Ptr[PyObject], Ptr[PyObject])
PyException_GetTraceback = c_function("PyException_GetTraceback", Ptr[PyObject], Ptr[PyObject])

# References, memory

Py_DecRef = c_function("Py_DecRef", None, Ptr[PyObject])
Py_IsInitialized = c_function("Py_IsInitialized", i32)
PyMem_RawCalloc = c_function("PyMem_RawCalloc", Ptr[Void], i64, i64)
PyMem_RawFree = c_function("PyMem_RawFree", None, Ptr[Void])
PyObject_Malloc = c_function("PyObject_Malloc", Ptr[PyObject], i64)
PyObject_Free = c_function("PyObject_Free", None, Ptr[PyObject])
PyObject_Init = c_function("PyObject_Init", Ptr[PyObject], Ptr[PyObject], Ptr[PyObject])
PyObject_GC_UnTrack = c_function("PyObject_GC_UnTrack", None, Ptr[PyObject])
PyObject_GC_Del = c_function("PyObject_GC_Del", None, Ptr[PyObject])
PyObject_ClearWeakRefs = c_function("PyObject_ClearWeakRefs", None, Ptr[PyObject])
PyType_GenericAlloc = c_function("PyType_GenericAlloc", Ptr[PyObject], Ptr[PyObject], i64)

# Objects

PyObject_Call = c_function("PyObject_Call", Ptr[PyObject], Ptr[PyObject], Ptr[PyObject], Ptr[PyObject])
PyObject_CallFunction = c_function("PyObject_CallFunction", Ptr[PyObject], Ptr[PyObject], Ptr[Void], ...)
PyObject_CallFunctionObjArgs = c_function("PyObject_CallFunctionObjArgs", Ptr[PyObject], Ptr[PyObject], ...)
PyObject_CallMethodObjArgs = c_function("PyObject_CallMethodObjArgs", Ptr[PyObject], Ptr[PyObject], Ptr[PyObject], ...)
PyObject_Vectorcall = c_function(
    "PyObject_Vectorcall", Ptr[PyObject], Ptr[PyObject], Ptr[Ptr[PyObject]], i64, Ptr[PyObject]
)
PyObject_CallOneArg = c_function("PyObject_CallOneArg", Ptr[PyObject], Ptr[PyObject], Ptr[PyObject])
PyObject_GetAttrString = c_function("PyObject_GetAttrString", Ptr[PyObject], Ptr[PyObject], Ptr[Void])
PyCapsule_GetPointer = c_function("PyCapsule_GetPointer", Ptr[Void], Ptr[PyObject], Ptr[Void])
PyType_GetFlags = c_function("PyType_GetFlags", i64, Ptr[PyObject])
PyObject_IsSubclass = c_function("PyObject_IsSubclass", i32, Ptr[PyObject], Ptr[PyObject])
PyObject_IsInstance = c_function("PyObject_IsInstance", i32, Ptr[PyObject], Ptr[PyObject])
PyMethod_New = c_function("PyMethod_New", Ptr[PyObject], Ptr[PyObject], Ptr[PyObject])

# Numbers

PyLong_AsLongLongAndOverflow = c_function("PyLong_AsLongLongAndOverflow", i64, Ptr[PyObject], Ptr[i32])
PyLong_AsSsize_t = c_function("PyLong_AsSsize_t", i64, Ptr[PyObject])
PyLong_AsVoidPtr = c_function("PyLong_AsVoidPtr", Ptr[Void], Ptr[PyObject])
PyLong_AsDouble = c_function("PyLong_AsDouble", f64, Ptr[PyObject])
PyLong_FromLongLong = c_function("PyLong_FromLongLong", Ptr[PyObject], i64)
PyLong_FromVoidPtr = c_function("PyLong_FromVoidPtr", Ptr[PyObject], Ptr[Void])
PyFloat_AsDouble = c_function("PyFloat_AsDouble", f64, Ptr[PyObject])
PyFloat_FromDouble = c_function("PyFloat_FromDouble", Ptr[PyObject], f64)

# Containers, strings

PyTuple_New = c_function("PyTuple_New", Ptr[PyObject], i64)
PyTuple_SetItem = c_function("PyTuple_SetItem", i32, Ptr[PyObject], i64, Ptr[PyObject])
PyList_New = c_function("PyList_New", Ptr[PyObject], i64)
PyList_Append = c_function("PyList_Append", i32, Ptr[PyObject], Ptr[PyObject])
PyList_AsTuple = c_function("PyList_AsTuple", Ptr[PyObject], Ptr[PyObject])
PyDict_New = c_function("PyDict_New", Ptr[PyObject])
PyDict_GetItemString = c_function("PyDict_GetItemString", Ptr[PyObject], Ptr[PyObject], Ptr[Void])
PyDict_Next = c_function("PyDict_Next", i32, Ptr[PyObject], Ptr[i64], Ptr[Ptr[PyObject]], Ptr[Ptr[PyObject]])
PyDict_SetItem = c_function("PyDict_SetItem", i32, Ptr[PyObject], Ptr[PyObject], Ptr[PyObject])
PySequence_List = c_function("PySequence_List", Ptr[PyObject], Ptr[PyObject])
PyUnicode_DecodeUTF8 = c_function("PyUnicode_DecodeUTF8", Ptr[PyObject], Ptr[Void], i64, Ptr[Void])
PyUnicode_FromString = c_function("PyUnicode_FromString", Ptr[PyObject], Ptr[Void])
PyUnicode_InternFromString = c_function("PyUnicode_InternFromString", Ptr[PyObject], Ptr[Void])
PyUnicode_InternInPlace = c_function("PyUnicode_InternInPlace", None, Ptr[Ptr[PyObject]])

# Threads

PyEval_GetBuiltins = c_function("PyEval_GetBuiltins", Ptr[PyObject])
PyEval_SaveThread = c_function("PyEval_SaveThread", Ptr[Void])
PyEval_RestoreThread = c_function("PyEval_RestoreThread", None, Ptr[Void])
PyGILState_Ensure = c_function("PyGILState_Ensure", i32)
PyGILState_Release = c_function("PyGILState_Release", None, i32)
PyGILState_Check = c_function("PyGILState_Check", i32)
PyInterpreterState_Get = c_function("PyInterpreterState_Get", Ptr[Void])
PyInterpreterState_ThreadHead = c_function("PyInterpreterState_ThreadHead", Ptr[Void], Ptr[Void])
PyThreadState_Next = c_function("PyThreadState_Next", Ptr[Void], Ptr[Void])
PyThread_allocate_lock = c_function("PyThread_allocate_lock", Ptr[Void])
PyThread_free_lock = c_function("PyThread_free_lock", None, Ptr[Void])
PyThread_acquire_lock = c_function("PyThread_acquire_lock", i32, Ptr[Void], i32)
PyThread_acquire_lock_timed = c_function("PyThread_acquire_lock_timed", i32, Ptr[Void], i64, i32)
PyThread_release_lock = c_function("PyThread_release_lock", None, Ptr[Void])
PyThread_start_new_thread = c_function("PyThread_start_new_thread", i64, Ptr[Void], Ptr[Void])
