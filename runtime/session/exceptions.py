"""Conversion of exception objects between native code and Python, with class, arguments, attributes and cause."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any
from weakref import WeakValueDictionary

from tscript.abi.cells import LateType, cells_of, held
from tscript.abi.exceptions import FIELDS, PYTHON_ARGUMENT, RECORD, is_exception, nearest
from tscript.abi.layout import CONTEXT, OBJECT_RAISED, OBJECT_STRUCT, SITE, TYPEINFO
from tscript.abi.symbols import OBJECT_RELEASE
from tscript.runtime.boundary.converter import Conversions, Converter
from tscript.runtime.session.build import KernelLibrary
from tscript.runtime.values.errors import message_of, places, shown_values, site_at, traceback_through
from tscript.runtime.values.strings import str_at
from tscript.runtime.values.tracebacks import foreign
from tscript.types import ClassInfo, ClassType, Type

KEPT = 16
"""The number of Python exceptions kept that native code has caught and may raise again; beyond it, the oldest are
recreated from class and message."""

_PYTHON_SITE = SITE.ctype(number=OBJECT_RAISED, line=1)


class Caught:
    """The Python exceptions that native code has caught, by their numbers in native code."""

    def __init__(self) -> None:
        self._kept: dict[int, BaseException] = {}
        self._keys = count(1)
        self._unknown: WeakValueDictionary[type, ClassInfo] = WeakValueDictionary()
        """Classes that no code names, while native exceptions of them exist."""

    def keep(self, error: BaseException) -> int:
        """Add an exception and return its number; the oldest is dropped if there are too many."""
        key = next(self._keys)
        self._kept[key] = error
        while len(self._kept) > KEPT:
            self._kept.pop(min(self._kept), None)
        return key

    def find(self, key: int) -> BaseException | None:
        """The exception of a number, unless it was dropped."""
        return self._kept.get(key)

    def forget(self, key: int) -> None:
        """Drop an exception."""
        self._kept.pop(key, None)

    def exact(self, known: ClassType, python: type) -> ClassType:
        """The type of an exception of the class `python` that is caught as one of a `known` class; it has the name of
        its own class."""
        base = known.info
        if base.python is python:
            return known
        info = self._unknown.get(python)
        if info is None or info.base is not base:
            name = f"{python.__module__}.{python.__name__}"
            info = self._unknown[python] = ClassInfo(name, python, base, dict(base.fields), base.flags, late=base.late)
        return ClassType(info)


class Exceptions:
    """The exceptions of this process that cross the boundary as objects.

    Args:
        converter: Converts their arguments and attributes.
        library: Makes and releases them.
        classes: The classes that code knows, by name.
    """

    def __init__(self, converter: Converter, library: KernelLibrary, classes: Callable[[], Mapping[str, Type]]) -> None:
        self._converter = converter
        self._library = library
        self._classes = classes
        self._caught = Caught()

    def take(self, address: int, marshal: int, *, keeps: bool) -> tuple[BaseException, list[int]]:
        """The Python exception for an exception object in flight, which is released unless the caller `keeps` it, and
        the sites where it was raised before it became an object."""
        origin, record = origin_of(address), record_of(address)
        cell = ctypes.c_int64(address)
        with Conversions(self._converter, marshal) as conversions:
            error = conversions.to_python(type_of(address), ctypes.addressof(cell))
        assert isinstance(error, BaseException)
        if record.kinds == PYTHON_ARGUMENT and not origin:
            self._caught.forget(int(record.args[0]))
        if not keeps:
            _RELEASE(self._library.address(OBJECT_RELEASE))(None, address)
        return error, [origin] if origin and site_at(origin).file else []

    def python(self, address: int, given: object) -> BaseException:
        """The hook that returns the Python form of an exception object: its class and arguments, and where it was
        raised. The caller sets its attributes and its cause, unless it came from Python.

        Args:
            address: Of the object. It is unchanged, except the mark that it came from Python, if that exception was
                dropped.
            given: Its arguments.
        """
        origin, record = origin_of(address), record_of(address)
        if record.kinds == PYTHON_ARGUMENT and not origin:
            found = self._caught.find(int(record.args[0]))
            if found is not None:
                return found
            record.kinds = 0
        error = new_error(address, given)
        if origin and site_at(origin).file and error.__traceback__ is None:
            error = error.with_traceback(traceback_through(places([origin])))
        return error

    def fetch(self, address: int, error: BaseException) -> None:
        """The hook that converts a Python exception to one that native code raises at its call.

        Args:
            address: Of the `Context` of the call.
            error: Handlers compare the nearest class that code knows and whose attributes can be converted. The
                exception is kept, so that raising it again raises the same object.
        """
        known = {t.info.python: t for t in self._classes().values() if is_exception(t) and isinstance(t, ClassType)}
        classes = (*(known[c] for c in type(error).__mro__ if c in known), nearest(type(error)))
        exact = self._caught.exact
        made = next(found for cls in classes if (found := self._native_form(cls, exact(cls, type(error)), error)))
        _let_go_of_frames(error)
        record = record_of(made)
        record.kinds, record.args[0] = PYTHON_ARGUMENT, self._caught.keep(error)
        context = CONTEXT.ctype.from_address(address)
        context.nargs, context.args[0] = 0, made
        context.trace[0], context.ntrace = ctypes.addressof(_PYTHON_SITE), 1

    def _native_form(self, type: ClassType, exact: ClassType, error: BaseException) -> int | None:
        """The address of a native form of a Python exception: of a class, with its declared attributes and its
        arguments; with only its message if native code would print another one. None if an attribute is not a value of
        its type.

        Args:
            type: A class that code knows.
            exact: That class, or one derived from it that adds nothing.
            error: The exception.
        """
        return self._made(type, exact, error, None) or self._made(type, exact, error, str(error))

    def _made(self, type: ClassType, exact: ClassType, error: BaseException, text: str | None) -> int | None:
        """`_native_form`, with one argument if it is given."""
        made, said = ctypes.c_void_p(), ctypes.c_void_p()
        self._library.call("exception_new", self._library.types.address(exact), 0, ctypes.byref(made))
        assert made.value is not None
        args: Any = error.args if text is None else (text,)
        whole = args[0] if len(args) == 1 and args[0] is not None and not isinstance(args[0], tuple) else args
        values = {n: vars(error).get(n, _MISSING) for n in type.info.fields if n not in FIELDS} | {
            "args": whole if args else None
        }
        cells = _cells(made.value)
        try:
            with Conversions(self._converter) as conversions:
                at, found = 0, list[tuple[int, list[int]]]()
                for name, wanted in held(type.info).items():
                    value = values.get(name, _MISSING)
                    if name in values and (value is not _MISSING or name not in type.info.late):
                        info = self._library.types.address(type.info.fields[name])
                        row = list(conversions.from_python(value, info, name))
                        found.append((at, [1, *row] if isinstance(wanted, LateType) else row))
                    at += cells_of(wanted)
                conversions.keep()
        except (TypeError, OverflowError, RecursionError):
            self._library.call("object_release", made.value)
            return None
        for start, row in found:
            for i, cell in enumerate(row):
                cells[start + i] = cell
        if text is None:
            self._library.call("exception_str", made.value, ctypes.byref(said))
            assert said.value is not None
            same = str_at(said.value) == _said(error, type)
            for used in (said.value, *([] if same else [made.value])):
                self._library.call("object_release", used)
            return made.value if same else None
        return made.value


_RELEASE = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
_CELL = 8

_MISSING = object()
"""The placeholder of a missing attribute: a value of no type."""


def _said(error: BaseException, type: ClassType) -> str:
    """The string form of an exception, except a form defined by its class that native code knows."""
    if error.__class__ is not type.info.python:
        return str(error)
    builtin: Any = next(c for c in error.__class__.__mro__ if c.__module__ == "builtins")
    return str(builtin.__str__(error))


def _let_go_of_frames(error: BaseException) -> None:
    """Remove the frames of tscript from the traceback of an exception, and clear the others: frames hold tensors, and
    the exception may be kept for long."""
    left: list[BaseException | None] = [error]
    seen: set[int] = set()
    while left:
        at = left.pop()
        if at is None or id(at) in seen:
            continue
        seen.add(id(at))
        at.__traceback__ = foreign(at.__traceback__)
        from traceback import clear_frames

        clear_frames(at.__traceback__)
        left += [at.__cause__, at.__context__]


def origin_of(address: int) -> int:
    """The site that raised an exception before it became an object; 0 for none."""
    return int(record_of(address).site or 0)


def new_error(address: int, given: object) -> BaseException:
    """A Python exception for an exception object, without attributes and cause.

    Args:
        address: Of the object; it stays as it is.
        given: Its arguments: None for none, a tuple for several, else the only one.
    """
    cls = _python(_type(type_of(address)))
    record = record_of(address)
    args = () if given is None else given if isinstance(given, tuple) else (given,)
    if record.site:
        message = SITE.ctype.from_address(record.site).message
        text = ctypes.string_at(message).decode("utf-8", "replace") if message else ""
        shown = shown_values(int(record.kinds), [int(a) for a in record.args])
        args = (message_of(text, shown),) if message else ()
    made: BaseException = cls.__new__(cls, *args)
    made.args = args
    return made


def type_of(address: int) -> int:
    """The address of the `TypeInfo` of an object."""
    return int(OBJECT_STRUCT.ctype.from_address(address).typeinfo)


def _type(address: int) -> Any:
    return TYPEINFO.ctype.from_address(address)


def record_of(address: int) -> Any:
    """The record in an exception object of where it was raised before it became an object."""
    return RECORD.ctype.from_address(address + OBJECT_STRUCT.size + 2 * _CELL)


def _cells(address: int) -> Any:
    return ctypes.cast(address + OBJECT_STRUCT.size, ctypes.POINTER(ctypes.c_int64))


def _python(info: Any) -> Any:
    return ctypes.cast(info.python, ctypes.py_object).value
