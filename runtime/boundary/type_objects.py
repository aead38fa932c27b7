"""The types of callables, tensors, records and ranges, made with `PyType_FromSpec` from addresses in the native module.

`PyType_FromSpec` keeps pointers into what it is given (member names, getters, documentation), and types outlive
everything, so these tables are never freed (`_immortal`).
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence

from tscript.abi.boundary import PY_CALLABLE, PY_OBJECT, PY_RANGE, PY_RECORD, PY_TENSOR, RECORD_OBJECTS
from tscript.runtime.boundary.native import special_methods as special

_DEFAULT = 1 << 18
_HAVE_GC = 1 << 14
_HAVE_VECTORCALL = 1 << 11
_METHOD_DESCRIPTOR = 1 << 17
_DISALLOW_INSTANTIATION = 1 << 7

_TP_DEALLOC, _TP_TRAVERSE, _TP_CLEAR, _TP_CALL, _TP_DESCR_GET, _TP_DOC = 52, 71, 51, 50, 54, 56
_TP_METHODS, _TP_MEMBERS, _TP_GETSET = 64, 72, 73

_OBJECT, _BOOL, _LONG_LONG, _SSIZE, _READONLY = 16, 14, 17, 19, 1
"""Kinds of members, and their flag. Members of kind `_SSIZE` also tell where an object keeps its dict, weak references
and vectorcall function."""

_NO_ARGUMENTS, _FAST_CALL, _FAST_CALL_WITH_NAMES = 0x4, 0x80, 0x82
"""Conventions of methods."""

_TYPE_VECTORCALL = 400
"""Offset of `PyTypeObject.tp_vectorcall`, which no slot sets before CPython 3.14."""


class _Slot(ctypes.Structure):
    _fields_ = (("slot", ctypes.c_int), ("function", ctypes.c_void_p))


class _Spec(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("basicsize", ctypes.c_int),
        ("itemsize", ctypes.c_int),
        ("flags", ctypes.c_uint),
        ("slots", ctypes.POINTER(_Slot)),
    )


class _Member(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("type", ctypes.c_int),
        ("offset", ctypes.c_ssize_t),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


class _Getter(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("get", ctypes.c_void_p),
        ("set", ctypes.c_void_p),
        ("doc", ctypes.c_char_p),
        ("closure", ctypes.c_void_p),
    )


def _immortal(thing: object) -> None:
    """Keep `thing` for the life of the process."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))


def _address(function: object) -> int:
    value = ctypes.cast(function, ctypes.c_void_p).value  # type: ignore[arg-type]
    assert value is not None
    return value


def _make_type(name: str, size: int, flags: int, slots: Sequence[tuple[int, int]]) -> type:
    table = (_Slot * (len(slots) + 1))(*(_Slot(n, f) for n, f in slots), _Slot(0, None))
    spec = _Spec(name.encode(), size, 0, flags | _DEFAULT, table)
    _immortal(table)
    _immortal(spec)
    prototype = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p)
    made = prototype(("PyType_FromSpec", ctypes.pythonapi))(ctypes.addressof(spec))
    assert isinstance(made, type)
    return made


def _members(offsets: Mapping[str, int], kinds: Mapping[str, int] | None = None) -> int:
    table = (_Member * (len(offsets) + 1))()
    for i, (name, offset) in enumerate(offsets.items()):
        table[i] = _Member(name.encode(), (kinds or {}).get(name, _SSIZE), offset, _READONLY, None)
    _immortal(table)
    return ctypes.addressof(table)


class _Method(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


def _methods(table: Sequence[tuple[str, int, int, str]]) -> int:
    out = (_Method * (len(table) + 1))()
    for i, (name, function, flags, doc) in enumerate(table):
        out[i] = _Method(name.encode(), function, flags, doc.encode())
    _immortal(out)
    return ctypes.addressof(out)


def _doc(text: str) -> int:
    buffer = ctypes.create_string_buffer(text.encode())
    _immortal(buffer)
    return ctypes.addressof(buffer)


def _getters(table: Sequence[tuple[str, int, int | None, str]]) -> int:
    out = (_Getter * (len(table) + 1))()
    for i, (name, get, set_, doc) in enumerate(table):
        out[i] = _Getter(name.encode(), get, set_, doc.encode(), None)
    _immortal(out)
    return ctypes.addressof(out)


def make_callable_type(symbols: Mapping[str, int], name: str, doc: str) -> type:
    """A type of native callables: vectorcall, ``__dict__``, weak references, garbage collection, binding as a method.

    Its objects are made by `Callables.new` only. It cannot be subclassed; attributes and properties are set on
    the type itself.

    Args:
        symbols: Addresses of `callable`.
        name: Dotted name, ``tscript.ScriptFunction``.
        doc: Its documentation.
    """
    fields = PY_CALLABLE.offsets
    members = {
        "__vectorcalloffset__": fields["vectorcall"],
        "__dictoffset__": fields["dict"],
        "__weaklistoffset__": fields["weak"],
    }
    get_dict = _address(ctypes.pythonapi.PyObject_GenericGetDict)
    set_dict = _address(ctypes.pythonapi.PyObject_GenericSetDict)
    slots = [
        (_TP_CALL, _address(ctypes.pythonapi.PyVectorcall_Call)),
        (_TP_DEALLOC, symbols["tsb_callable_dealloc"]),
        (_TP_TRAVERSE, symbols["tsb_callable_traverse"]),
        (_TP_CLEAR, symbols["tsb_callable_clear"]),
        (_TP_DESCR_GET, symbols["tsb_callable_bind"]),
        (_TP_DOC, _doc(doc)),
        (_TP_MEMBERS, _members(members)),
        (_TP_GETSET, _getters([("__dict__", get_dict, set_dict, "Attributes of this function.")])),
    ]
    flags = _HAVE_GC | _HAVE_VECTORCALL | _METHOD_DESCRIPTOR | _DISALLOW_INSTANTIATION
    return _make_type(name, PY_CALLABLE.size, flags, slots)


def make_tensor_type(symbols: Mapping[str, int], name: str, doc: str) -> type:
    """The tensor type.

    Its objects come from native code only. It cannot be subclassed, but attributes can be set on it.

    Args:
        symbols: Addresses of `tensor`.
        name: Dotted name.
        doc: Its documentation.
    """
    getters = [(attribute, symbols[get], None, text) for attribute, (get, text) in special.GETTERS.items()]
    methods = [(n, symbols[function], _NO_ARGUMENTS, text) for n, (function, text) in special.METHODS.items()]
    methods += [(n, symbols[f], _FAST_CALL_WITH_NAMES, text) for n, (f, text) in special.OPTIONAL.items()]
    numbers = {**special.BINARY, **special.POWER, **special.UNARY}
    slots = [
        *((slot, symbols[special.function_of(method)]) for method, slot in numbers.items()),
        *((slot, symbols[symbol]) for symbol, slot in special.PROTOCOL.items()),
        (_TP_DOC, _doc(doc)),
        (_TP_METHODS, _methods(methods)),
        (_TP_MEMBERS, _members({"__weaklistoffset__": PY_TENSOR.offsets["weak"]})),
        (_TP_GETSET, _getters(getters)),
    ]
    made = _make_type(name, PY_TENSOR.size, _DISALLOW_INSTANTIATION, slots)
    # NumPy must leave operators with a tensor to the tensor.
    made.__array_ufunc__ = None  # type: ignore[attr-defined]
    return made


def make_record_type(symbols: Mapping[str, int], name: str, doc: str) -> type:
    """The type of what Python callbacks get. Its objects come from native code only."""
    offsets = {name: at for name, at in PY_RECORD.offsets.items() if name not in PY_OBJECT.offsets}
    kinds = dict.fromkeys(offsets, _LONG_LONG) | dict.fromkeys(RECORD_OBJECTS, _OBJECT) | {"failed": _BOOL}
    slots = [
        (_TP_DEALLOC, symbols["tsb_record_dealloc"]),
        (_TP_DOC, _doc(doc)),
        (_TP_MEMBERS, _members(offsets, kinds)),
    ]
    return _make_type(name, PY_RECORD.size, _DISALLOW_INSTANTIATION, slots)


def make_range_type(symbols: Mapping[str, int], name: str, doc: str) -> type:
    """The type of ranges that the program marks: called with a name, then entered and left."""
    methods = [
        ("__enter__", symbols["tsb_range_enter"], _NO_ARGUMENTS, "Begin the range."),
        ("__exit__", symbols["tsb_range_exit"], _FAST_CALL, "End the range."),
    ]
    slots = [
        (_TP_DEALLOC, symbols["tsb_range_dealloc"]),
        (_TP_DOC, _doc(doc)),
        (_TP_METHODS, _methods(methods)),
        (_TP_MEMBERS, _members({"name": PY_RANGE.offsets["name"]}, {"name": _OBJECT})),
    ]
    made = _make_type(name, PY_RANGE.size, _DISALLOW_INSTANTIATION, slots)
    ctypes.c_void_p.from_address(id(made) + _TYPE_VECTORCALL).value = symbols["tsb_range_new"]
    return made
