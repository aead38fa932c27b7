"""Errors of native code as Python exceptions: the class and message of the `Site` that raised, and a traceback whose
innermost frames name the scripted file, line and function.

`exception_of` is the hook that the boundary module calls with the address of the `Context` of a call that failed.
"""

from __future__ import annotations

import builtins
import ctypes
import re
import struct
import traceback
from collections.abc import Generator, Iterator, Sequence
from itertools import count
from types import CodeType, FrameType, FunctionType, TracebackType
from weakref import WeakValueDictionary

from tscript.abi.exceptions import OBJECT_RAISED, PYTHON_ARGUMENT, is_exception, nearest
from tscript.abi.layout import CONTEXT, MAX_TRACE, SITE
from tscript.abi.symbols import OBJECT_RELEASE
from tscript.diagnostics import UNKNOWN
from tscript.runtime.session.raised import (
    new_error,
    origin_of,
    record_of,
    taken,
    type_of,
)
from tscript.runtime.session.tracebacks import foreign, is_own, shows_all
from tscript.types import ClassInfo, ClassType
from tscript.types.dtypes import BY_CODE

_CODE_UNITS_AN_ENTRY = 8
_NO_COLUMNS = 0x80 | 13 << 3
"""Kind of an entry of `co_linetable` that gives a line without columns (CPython 3.11 and later)."""

LONGEST_CHAIN = 1000
"""Inlined callers that are followed; a longer chain can only be broken data."""


def _line() -> Generator[None, None, None]:
    yield


def _one_line_table(code: CodeType) -> bytes:
    units = len(code.co_code) // 2
    table = bytearray()
    while units > 0:
        span = min(units, _CODE_UNITS_AN_ENTRY)
        table += bytes((_NO_COLUMNS | span - 1, 0))
        units -= span
    return bytes(table)


def _frame(file: str, function: str, line: int) -> FrameType:
    """A frame of a function that appears to stand at `file`, `line`.

    It is the frame of a generator that never starts: a frame that ran would hold on to its callers, and they to the
    exception, so that what they refer to would live until the next garbage collection.
    """
    code = _line.__code__.replace(
        co_filename=file,
        co_name=function,
        co_qualname=function,
        co_firstlineno=line,
        co_linetable=_one_line_table(_line.__code__),
    )
    # Empty globals: otherwise `linecache` would ask this module's loader for the lines of files it cannot find.
    frame = FunctionType(code, {})().gi_frame
    assert isinstance(frame, FrameType)
    return frame


def traceback_through(places: list[tuple[str, str, int]], inner: TracebackType | None = None) -> TracebackType | None:
    """A traceback through scripted functions.

    Args:
        places: File, function and line of each frame, innermost first.
        inner: What comes behind the innermost.
    """
    found = inner
    for file, function, line in places:
        found = TracebackType(found, _frame(file, function, line), 0, line)
    return found


def _text(address: int | None, default: str) -> str:
    return default if not address else ctypes.string_at(address).decode("utf-8", "replace")


def _site(address: int) -> ctypes.Structure:
    return SITE.ctype.from_address(address)


def _chain(address: int) -> Iterator[ctypes.Structure]:
    """A site and the calls it was inlined by."""
    current: int | None = address
    for _ in range(LONGEST_CHAIN):
        if not current:
            return
        site = _site(current)
        yield site
        current = site.caller


def _arguments(context: ctypes.Structure) -> list[object]:
    return shown_values(int(context.kinds), [int(a) for a in context.args[: max(0, int(context.nargs))]])


def shown_values(kinds: int, args: Sequence[int]) -> list[object]:
    """The values that a message shows, from ``Context.kinds`` and ``Context.args``."""
    values: list[object] = []
    for i, bits in enumerate(args):
        match kinds >> 2 * i & 3:
            case 1:
                values.append(struct.unpack("d", struct.pack("q", bits))[0])
            case 2:
                values.append(BY_CODE.get(bits, bits))
            case _:
                values.append(bits)
    return values


def _message(template: str, values: list[object]) -> str:
    try:
        return template.format(*values)
    except (IndexError, KeyError, ValueError):
        return template


def _class(name: str) -> type[BaseException]:
    found = getattr(builtins, name, None)
    return found if isinstance(found, type) and issubclass(found, BaseException) else RuntimeError


_CODING = re.compile(
    r"'(?P<codec>[\w-]+)' codec can't (?P<what>en|de)code (?:character |byte )?(?P<item>\d+)?(?:characters|bytes)?"
    r" ?in position (?P<start>\d+)(?:-(?P<last>\d+))?: (?P<reason>.*)"
)


def unicode_error(message: str) -> UnicodeError:
    r"""What CPython raises for a text that cannot be coded. Its `object` has the right length up to the error, and
    there the right character, but is not the text itself, of which native code leaves only numbers.

    Args:
        message: Of a kernel: CPython's, with the character or byte as a decimal number.

    Example:
        >>> unicode_error("'ascii' codec can't encode character 233 in position 1: ordinal not in range(128)")
        UnicodeEncodeError('ascii', '?\xe9', 1, 2, 'ordinal not in range(128)')
    """
    found = _CODING.fullmatch(message)
    if found is None:
        return UnicodeError(message)
    start = int(found["start"])
    last = int(found["last"] or start)
    item = int(found["item"] or ord("?"))
    rest = (found["codec"], start, last + 1, found["reason"])
    if found["what"] == "en":
        return UnicodeEncodeError(rest[0], "?" * start + chr(item) + "?" * (last - start), *rest[1:])
    return UnicodeDecodeError(rest[0], b"?" * start + bytes([item]) + b"?" * (last - start), *rest[1:])


def exception_of(address: int, marshal: int = 0, *, keeps: bool = False) -> BaseException:
    """The exception that a native call left in its context, with its traceback set.

    Args:
        address: Of a `Context` whose call returned `Status.RAISED`.
        marshal: Address of the `Marshal` of that call; 0: it has none.
        keeps: Whether somebody else owns the exception object, if it is one.
    """
    context = CONTEXT.ctype.from_address(address)
    entries = max(0, min(int(context.ntrace), MAX_TRACE))
    sites = [int(context.trace[i]) for i in range(entries) if context.trace[i]]
    if not sites:
        return SystemError("native code failed without saying where")
    origin = _site(sites[0])
    if origin.number == OBJECT_RAISED:
        error, first = take_object(int(context.args[0]), marshal, keeps)
        inner = foreign(error.__traceback__)
        return error.with_traceback(traceback_through(_places([*first, *(s for s in sites if _site(s).file)]), inner))
    kind = _class(_text(origin.exception, "RuntimeError"))
    if origin.message:
        message = _message(_text(origin.message, ""), _arguments(context))
        error = unicode_error(message) if kind is UnicodeError else kind(message)
    else:
        error = kind()
    return error.with_traceback(traceback_through(_places(sites)))


KEPT = 16
"""Python exceptions that native code has caught and may raise again; of more, the oldest are made anew from class and
message."""

_PYTHON_SITE = SITE.ctype(number=OBJECT_RAISED, line=1)


class Caught:
    """The exceptions of Python that native code has caught, by the numbers that stand for them there."""

    def __init__(self) -> None:
        self._kept: dict[int, BaseException] = {}
        self._keys = count(1)
        self._unknown: WeakValueDictionary[type, ClassInfo] = WeakValueDictionary()
        """Classes that no code names, as long as there are native exceptions of them."""

    def keep(self, error: BaseException) -> int:
        """The number of one more exception; the oldest is forgotten when there are too many."""
        key = next(self._keys)
        self._kept[key] = error
        while len(self._kept) > KEPT:
            self._kept.pop(min(self._kept), None)
        return key

    def find(self, key: int) -> BaseException | None:
        """The exception of a number, unless it is forgotten."""
        return self._kept.get(key)

    def forget(self, key: int) -> None:
        """Let go of an exception."""
        self._kept.pop(key, None)

    def exact(self, known: ClassType, python: type) -> ClassType:
        """The type of an exception of the class `python` that is caught as one of a class that is `known`: it has the
        name of its own class."""
        base = known.info
        if base.python is python:
            return known
        info = self._unknown.get(python)
        if info is None or info.base is not base:
            name = f"{python.__module__}.{python.__name__}"
            info = self._unknown[python] = ClassInfo(name, python, base, dict(base.fields), base.flags, late=base.late)
        return ClassType(info)


def caught_python(address: int, error: BaseException) -> None:
    """Make a Python exception one that native code raised where it was called.

    Args:
        address: Of the `Context` of the call.
        error: Handlers compare the nearest class that code knows and whose attributes can be taken over; it is kept, so
            that it is itself when it is raised again.
    """
    from tscript.runtime.session.process import current

    process = current()
    known = {
        t.info.python: t for t in process.compiler.classes.values() if is_exception(t) and isinstance(t, ClassType)
    }
    classes = (*(known[c] for c in type(error).__mro__ if c in known), nearest(type(error)))
    exact = process.caught.exact
    made = next(found for cls in classes if (found := taken(process.library, cls, exact(cls, type(error)), error)))
    _let_go_of_frames(error)
    record = record_of(made)
    record.kinds, record.args[0] = PYTHON_ARGUMENT, process.caught.keep(error)
    context = CONTEXT.ctype.from_address(address)
    context.nargs, context.args[0] = 0, made
    context.trace[0], context.ntrace = ctypes.addressof(_PYTHON_SITE), 1


def _let_go_of_frames(error: BaseException) -> None:
    """Take away the frames of ours that an exception came through, and empty the others: frames hold tensors, and the
    exception may be kept for long."""
    left: list[BaseException | None] = [error]
    seen: set[int] = set()
    while left:
        at = left.pop()
        if at is None or id(at) in seen:
            continue
        seen.add(id(at))
        at.__traceback__ = foreign(at.__traceback__)
        traceback.clear_frames(at.__traceback__)
        left += [at.__cause__, at.__context__]


def take_object(address: int, marshal: int, keeps: bool) -> tuple[BaseException, list[int]]:
    """The Python exception for an exception object in flight, which is released unless somebody else `keeps` it; and
    where it was raised before it became one."""
    from tscript.runtime.boundary.native import Conversions
    from tscript.runtime.session.process import current

    origin, record = origin_of(address), record_of(address)
    cell = ctypes.c_int64(address)
    with Conversions(current().native, marshal) as conversions:
        error = conversions.to_python(type_of(address), ctypes.addressof(cell))
    assert isinstance(error, BaseException)
    if record.kinds == PYTHON_ARGUMENT and not origin:
        current().caught.forget(int(record.args[0]))
    if not keeps:
        _RELEASE(current().library.address(OBJECT_RELEASE))(None, address)
    return error, [origin] if origin and _site(origin).file else []


def python_exception(address: int, given: object) -> BaseException:
    """The Python form of an exception object: its class and arguments, and where it was raised if it was. Who asks sets
    its attributes and its cause, unless it came from Python.

    Args:
        address: Of the object, which stays as it is, but for what says that it came from Python if that is forgotten.
        given: Its arguments.
    """
    from tscript.runtime.session.process import current

    origin, record = origin_of(address), record_of(address)
    if record.kinds == PYTHON_ARGUMENT and not origin:
        found = current().caught.find(int(record.args[0]))
        if found is not None:
            return found
        record.kinds = 0
    error = new_error(address, given, _filled)
    if origin and _site(origin).file and error.__traceback__ is None:
        error = error.with_traceback(traceback_through(_places([origin])))
    return error


_RELEASE = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)


def _filled(template: str, kinds: int, args: Sequence[int]) -> str:
    return _message(template, shown_values(kinds, args))


def _places(sites: list[int]) -> list[tuple[str, str, int]]:
    """File, function and line of the sites at these addresses and of the calls they were inlined by, without ours."""
    found = [
        (_text(site.file, UNKNOWN.source.name), _text(site.function, "") or "<script>", max(1, int(site.line)))
        for first in sites
        for site in _chain(first)
    ]
    return found if shows_all() else [p for p in found if p[0] != UNKNOWN.source.name and not is_own(p[0])]


def trace_through(address: int, error: BaseException) -> None:
    """Put the scripted lines that a Python exception came through into its traceback, and take our own frames out.

    Args:
        address: Of the `Context` of the call; its sites are those that the exception passed on its way out.
        error: What a function that native code called has raised.
    """
    context = CONTEXT.ctype.from_address(address)
    entries = max(0, min(int(context.ntrace), MAX_TRACE))
    places = _places([int(s) for s in context.trace[:entries] if s])
    inner = foreign(error.__traceback__)
    if inner is None and not places:
        inner = error.__traceback__
    error.__traceback__ = traceback_through(places, inner)
