"""Errors of native code as Python exceptions: the class and message of the `Site` that raised, and a traceback whose
innermost frames name the scripted file, line and function.

`Errors.exception_of` is the hook that the boundary module calls with the address of the `Context` of a failed call.
"""

from __future__ import annotations

import builtins
import ctypes
import struct
from collections.abc import Callable, Generator, Iterator, Sequence
from types import CodeType, FrameType, FunctionType, TracebackType
from typing import Protocol

from tscript.abi.layout import CONTEXT, MAX_TRACE, OBJECT_RAISED, SITE
from tscript.abi.places import local
from tscript.runtime.values.tracebacks import foreign, is_own, shows_all
from tscript.types.dtypes import BY_CODE

_CODE_UNITS_AN_ENTRY = 8
_NO_COLUMNS = 0x80 | 13 << 3
"""Kind of an entry of `co_linetable` that gives a line without columns (CPython 3.11 and later)."""

LONGEST_CHAIN = 1000
"""The maximum number of inlined callers; a longer chain can only be broken data."""


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

    It is the frame of a generator that never starts. A frame that ran would refer to its callers, and they to the
    exception, so all of them would live until the next garbage collection.
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
        inner: The traceback after the innermost frame.
    """
    found = inner
    for file, function, line in places:
        found = TracebackType(found, _frame(file, function, line), 0, line)
    return found


def _text(address: int | None, default: str) -> str:
    return default if not address else ctypes.string_at(address).decode("utf-8", "replace")


def site_at(address: int) -> ctypes.Structure:
    """The `Site` at an address."""
    return SITE.ctype.from_address(address)


def _chain(address: int) -> Iterator[ctypes.Structure]:
    """A site and the calls it was inlined by."""
    current: int | None = address
    for _ in range(LONGEST_CHAIN):
        if not current:
            return
        site = site_at(current)
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


def message_of(template: str, values: list[object]) -> str:
    """A message with its values, as far as they fit."""
    try:
        return template.format(*values)
    except (IndexError, KeyError, ValueError):
        return template


def _class(name: str) -> type[BaseException]:
    found = getattr(builtins, name, None)
    return found if isinstance(found, type) and issubclass(found, BaseException) else RuntimeError


_CODING = (
    r"'(?P<codec>[\w-]+)' codec can't (?P<what>en|de)code (?:character |byte )?(?P<item>\d+)?(?:characters|bytes)?"
    r" ?in position (?P<start>\d+)(?:-(?P<last>\d+))?: (?P<reason>.*)"
)


def unicode_error(message: str) -> UnicodeError:
    r"""CPython's exception for a string that cannot be encoded or decoded. Its `object` has the right length up to the
    error, and there the right character, but is not the original string, of which native code keeps only numbers.

    Args:
        message: Of a kernel: CPython's, with the character or byte as a decimal number.

    Example:
        >>> unicode_error("'ascii' codec can't encode character 233 in position 1: ordinal not in range(128)")
        UnicodeEncodeError('ascii', '?\xe9', 1, 2, 'ordinal not in range(128)')
    """
    import re

    found = re.fullmatch(_CODING, message)
    if found is None:
        return UnicodeError(message)
    start = int(found["start"])
    last = int(found["last"] or start)
    item = int(found["item"] or ord("?"))
    rest = (found["codec"], start, last + 1, found["reason"])
    if found["what"] == "en":
        return UnicodeEncodeError(rest[0], "?" * start + chr(item) + "?" * (last - start), *rest[1:])
    return UnicodeDecodeError(rest[0], b"?" * start + bytes([item]) + b"?" * (last - start), *rest[1:])


class Objects(Protocol):
    """The exceptions that native code holds as objects; `tscript.runtime.session.exceptions` is the implementation."""

    def take(self, address: int, marshal: int, *, keeps: bool) -> tuple[BaseException, list[int]]:
        """The Python exception for an exception object in flight, and the sites where it was raised before it became
        one."""


class Errors:
    """Converts the errors of failed native calls to Python exceptions.

    Attributes:
        objects: Gives what converts exception objects; None while no code makes them.
    """

    def __init__(self) -> None:
        self.objects: Callable[[], Objects] | None = None

    def exception_of(self, address: int, marshal: int = 0, *, keeps: bool = False) -> BaseException:
        """The exception that a native call left in its context, with its traceback set.

        Args:
            address: Of a `Context` whose call returned `Status.RAISED`.
            marshal: Address of the `Marshal` of that call; 0: it has none.
            keeps: Whether the caller owns the exception object, if there is one.
        """
        context = CONTEXT.ctype.from_address(address)
        entries = max(0, min(int(context.ntrace), MAX_TRACE))
        sites = [int(context.trace[i]) for i in range(entries) if context.trace[i]]
        if not sites:
            return SystemError("native code failed without saying where")
        origin = site_at(sites[0])
        if origin.number == OBJECT_RAISED:
            if self.objects is None:
                return SystemError("native code raised an exception object, which nothing converts")
            error, first = self.objects().take(int(context.args[0]), marshal, keeps=keeps)
            inner = foreign(error.__traceback__)
            passed = [*first, *(s for s in sites if site_at(s).file)]
            return error.with_traceback(traceback_through(places(passed), inner))
        kind = _class(_text(origin.exception, "RuntimeError"))
        if origin.message:
            message = message_of(_text(origin.message, ""), _arguments(context))
            error = unicode_error(message) if kind is UnicodeError else kind(message)
        else:
            error = kind()
        return error.with_traceback(traceback_through(places(sites)))


def places(sites: list[int]) -> list[tuple[str, str, int]]:
    """File, function and line of the sites at these addresses and of the calls they were inlined by, without those of
    tscript."""
    from tscript.diagnostics import UNKNOWN

    found = [
        (local(_text(site.file, UNKNOWN.source.name)), _text(site.function, "") or "<script>", max(1, int(site.line)))
        for first in sites
        for site in _chain(first)
    ]
    return found if shows_all() else [p for p in found if p[0] != UNKNOWN.source.name and not is_own(p[0])]


def trace_through(address: int, error: BaseException) -> None:
    """Insert the scripted lines that a Python exception passed into its traceback, and remove frames of tscript.

    Args:
        address: Of the `Context` of the call; its sites are those that the exception passed on its way out.
        error: The exception of a function that native code called.
    """
    context = CONTEXT.ctype.from_address(address)
    entries = max(0, min(int(context.ntrace), MAX_TRACE))
    passed = places([int(s) for s in context.trace[:entries] if s])
    inner = foreign(error.__traceback__)
    if inner is None and not passed:
        inner = error.__traceback__
    error.__traceback__ = traceback_through(passed, inner)
