"""Debug info: what a program says of the work it does now, for those who watch it: a request id, a user, a batch
number.

Each thread has a stack of (kind, info) pairs; `DebugInfoGuard` pushes one for a block of code, `debug_info` finds the
innermost of a kind. Callbacks of operators see the stack of the thread that runs the operator. A forked task runs with
the stack of the place that forked it, whichever thread runs it (`tscript.runtime.boundary.pool.workers` copies the
token of the thread's native state, without the GIL); other code that hands work to threads does the same with
`capture_debug_info` and `restore_debug_info`.

The stack belongs to the thread of the operating system, not to a context of `contextvars`: coroutines that take turns
on one thread see each other's info, so leave a guard before an ``await``.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Hashable
from functools import cache
from types import TracebackType
from typing import Any

from tscript.abi.layout import THREAD
from tscript.late import dataclass
from tscript.runtime.session.usage import log_api_usage_once


@dataclass(slots=True)
class _Native:
    """The native functions, once a guard has been used."""

    thread: Callable[[], int]
    new: Callable[[object], int]
    retain: Callable[[int], int]
    release: Callable[[int], None]

    def token(self) -> ctypes.c_int64:
        """The token of the calling thread's state, as something to read and write."""
        return ctypes.c_int64.from_address(self.thread() + THREAD.offsets["debug_info"])


@cache
def _native() -> _Native:
    from tscript.runtime.session.process import current

    bind = current().native.module.address
    prototype, i64 = ctypes.PYFUNCTYPE, ctypes.c_int64
    return _Native(
        prototype(ctypes.c_void_p)(bind("ts_thread_v1")),
        prototype(i64, ctypes.py_object)(bind("tsb_debug_new")),
        prototype(i64, i64)(bind("ts_debug_retain_v1")),
        prototype(None, i64)(bind("ts_debug_release_v1")),
    )


class _Entry:
    """One pair of a stack, and the pairs below it; what a token stands for.

    Attributes:
        native: The native functions.
        token: Stands for this entry in native code.
        outer: The entry below; this one keeps its token valid.
        left: Whether its guard was left while it was not the innermost one.
    """

    __slots__ = ("info", "kind", "left", "native", "outer", "token")

    def __init__(self, native: _Native, kind: Hashable, info: object, outer: _Entry | None) -> None:
        self.native = native
        self.kind = kind
        self.info = info
        self.outer = outer
        self.left = False
        self.token = 0
        if outer is not None:
            native.retain(outer.token)

    def __del__(self) -> None:
        if self.outer is not None:
            self.native.release(self.outer.token)


def _entry(token: int) -> _Entry | None:
    """The entry that a token of this thread stands for."""
    if not token:
        return None
    found = ctypes.py_object.from_address(token + 8).value
    assert isinstance(found, _Entry)
    return found


class DebugInfoGuard:
    """Says something of the work that a block of code does on this thread.

    A guard inside a guard of the same kind hides it until it is left; ``info=None`` hides it too. The info is visible
    in the callbacks of operators that run in the block and in tasks forked there, also after the block is left.

    Args:
        kind: What sort of info it is: anything that can be a key of a dict.
        info: Anything. It is kept alive until the block is left and the tasks forked in it are done.

    Raises:
        TypeError: `kind` is not hashable.

    Example:
        >>> import tscript
        >>> with tscript.DebugInfoGuard("request", "r-17"):
        ...     tscript.debug_info("request")
        'r-17'
        >>> tscript.debug_info("request") is None
        True
    """

    __slots__ = ("_entries", "info", "kind")

    def __init__(self, kind: Hashable, info: object) -> None:
        log_api_usage_once("tscript.DebugInfoGuard")
        try:
            hash(kind)
        except TypeError:
            raise TypeError(
                f"the kind of debug info must be hashable, such as a str, not a {type(kind).__name__}"
            ) from None
        self.kind = kind
        self.info = info
        self._entries: list[_Entry] = []

    def __enter__(self) -> DebugInfoGuard:
        self._entries.append(_push(self.kind, self.info))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        _pop(self._entries.pop())


def _push(kind: Hashable, info: object) -> _Entry:
    native = _native()
    place = native.token()
    entry = _Entry(native, kind, info, _entry(place.value))
    entry.token = native.new(entry)
    if not entry.token:
        raise MemoryError("no memory for debug info")
    place.value = entry.token
    return entry


def _pop(entry: _Entry) -> None:
    """Leave an entry, even where guards are not left in turn: then it only becomes invisible."""
    place = entry.native.token()
    if place.value == entry.token:
        below = entry.outer
        while below is not None and below.left:
            below = below.outer
        place.value = 0 if below is None else below.token
    else:
        entry.left = True
    entry.native.release(entry.token)


def debug_info(kind: Hashable) -> Any:
    """The info of the innermost guard of this kind around the running code, or None.

    Inside a callback: around the operator that the callback is about. Inside a forked task: around the fork, unless the
    task has a guard of its own.

    Args:
        kind: As it was given to the guard.

    Example:
        >>> import tscript
        >>> with tscript.DebugInfoGuard("user", "ada"):
        ...     tscript.wait(tscript.fork(tscript.debug_info, "user"))
        'ada'
    """
    if not _native.cache_info().currsize:
        return None
    entry = _entry(_native().token().value)
    while entry is not None:
        if entry.kind == kind and not entry.left:
            return entry.info
        entry = entry.outer
    return None


class CapturedDebugInfo:
    """The stack of a thread at one moment; see `capture_debug_info`."""

    __slots__ = ("_pairs",)

    def __init__(self, pairs: tuple[tuple[Hashable, object], ...]) -> None:
        self._pairs = pairs


def capture_debug_info() -> CapturedDebugInfo:
    """The debug info of this thread, to be carried to another one with `restore_debug_info`.

    `tscript.fork` does this by itself.

    Example:
        >>> import threading, tscript
        >>> def work(captured):
        ...     with tscript.restore_debug_info(captured):
        ...         print(tscript.debug_info("request"))
        >>> with tscript.DebugInfoGuard("request", "r-18"):
        ...     thread = threading.Thread(target=work, args=(tscript.capture_debug_info(),))
        >>> thread.start(); thread.join()
        r-18
    """
    pairs: list[tuple[Hashable, object]] = []
    entry = _entry(_native().token().value) if _native.cache_info().currsize else None
    while entry is not None:
        if not entry.left:
            pairs.append((entry.kind, entry.info))
        entry = entry.outer
    return CapturedDebugInfo(tuple(reversed(pairs)))


class restore_debug_info:  # noqa: N801 - used like a function
    """Runs a block of code with captured debug info in place of the thread's own.

    Args:
        captured: What `capture_debug_info` gave; it may be restored many times, and on many threads at once.

    Raises:
        TypeError: It is something else.

    Example:
        >>> import tscript
        >>> with tscript.DebugInfoGuard("request", "r-19"):
        ...     captured = tscript.capture_debug_info()
        >>> with tscript.restore_debug_info(captured):
        ...     tscript.debug_info("request")
        'r-19'
    """

    __slots__ = ("_captured", "_saved")

    def __init__(self, captured: CapturedDebugInfo) -> None:
        if not isinstance(captured, CapturedDebugInfo):
            raise TypeError(
                f"restore_debug_info() takes what capture_debug_info() gives, not {type(captured).__name__}"
            )
        self._captured = captured
        self._saved: list[tuple[int, list[_Entry]]] = []

    def __enter__(self) -> None:
        place = _native().token()
        before = place.value
        place.value = 0
        self._saved.append((before, [_push(kind, info) for kind, info in self._captured._pairs]))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        before, entries = self._saved.pop()
        for entry in reversed(entries):
            _pop(entry)
        _native().token().value = before


for _public in (DebugInfoGuard, debug_info, CapturedDebugInfo, capture_debug_info, restore_debug_info):
    _public.__module__ = "tscript"

__all__ = ["CapturedDebugInfo", "DebugInfoGuard", "capture_debug_info", "debug_info", "restore_debug_info"]
