"""`fork`, `wait` and `Future`: functions that run as tasks of the inter-op pool.

Scripted functions run there without the GIL; any other callable runs with it. Inside scripts the same names are
compiled (`tscript.frontend.lowering.calls`), so a function means the same scripted and as plain Python.
"""

from __future__ import annotations

import copy
import ctypes
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from tscript.abi.layout import FUTURE, FutureState
from tscript.runtime.session.tracebacks import tells
from tscript.runtime.session.usage import log_api_usage_once
from tscript.types import Type, parse_type
from tscript.types.dtypes import BY_CODE

if TYPE_CHECKING:
    from tscript.runtime.boundary.native import Boundary
    from tscript.runtime.session.pool import Pool

T = TypeVar("T")

_STATE, _STATUS, _KINDS, _ERROR = (FUTURE.offsets[name] for name in ("state", "status", "kinds", "error"))


class _Unset:
    """The type of `_UNSET`: the value has not been looked at."""


_UNSET = _Unset()


@dataclass(slots=True)
class _Native:
    """What futures need of the pool; there is no future before there is a pool."""

    wait: Callable[[int], object]
    retain: Callable[[int], object]
    release: Callable[[int], object]
    wrap: Callable[[int], object]
    size: Callable[[int], object]
    number: Callable[[int], object]
    sweep: Callable[[], object]


def _no_pool(address: int) -> object:
    raise SystemError("there is a future, but no pool")


_NATIVE = _Native(_no_pool, _no_pool, _no_pool, _no_pool, _no_pool, _no_pool, lambda: None)


def connect(pool: Pool, native: Boundary, number: Callable[[int], object], sweep: Callable[[], object]) -> None:
    """Tell futures what waits for them, and frees them and code that they were the last to need; done once, when the
    pool is made."""
    _NATIVE.sweep, _NATIVE.number = sweep, number
    _NATIVE.wait, _NATIVE.retain, _NATIVE.release = pool.wait, native.retain, pool.release
    _NATIVE.wrap, _NATIVE.size = native.wrap_borrowed, native.size


class Future(Generic[T]):
    """The result of a forked call, which may not be there yet. Made by `fork`, in Python and in scripts.

    ``Future[T]`` is the type of one in annotations. When the task of a future fails and nobody waits for it, a
    `RuntimeWarning` says so as the future goes away.

    Example:
        >>> import tscript
        >>> future = tscript.fork(pow, 2, 10)
        >>> future.wait()
        1024
        >>> future.done()
        True
    """

    __slots__ = ("__weakref__", "_native", "_traceback", "_value")
    _native: int
    _value: object
    _traceback: TracebackType | None

    def __new__(cls) -> Future[T]:
        """Refused: see `fork`."""
        raise TypeError("a Future comes from fork(function, arguments)")

    @staticmethod
    def _adopt(address: int) -> Future[Any]:
        """The Python object of a native future, whose reference it takes over."""
        made: Future[Any] = object.__new__(Future)
        made._native = address
        made._value = _UNSET
        made._traceback = None
        return made

    def wait(self) -> T:
        """The result of the task, as soon as it is there; the same object each time.

        If no thread has begun the task yet, it runs here. Ctrl-C ends the waiting.

        Raises:
            Exception: What the task raised, with its traceback.
            RuntimeError: This process was forked off (`os.fork`) before the task was done.
        """
        if self._value is _UNSET:
            try:
                _NATIVE.wait(self._native)
            except BaseException as error:
                if not self._raised(error):
                    raise
                # Kept here, too: the native future does not keep the traceback of a task that ran inside this call.
                if self._traceback is None and error.__traceback__ is not None:
                    self._traceback = error.__traceback__.tb_next  # without the frame of this function
                raise error.with_traceback(self._traceback)  # noqa: B904 - it is the same exception
            self._value = _boxer(ctypes.string_at(self._field(_KINDS)))(self._native + FUTURE.size)
        return cast(T, self._value)

    def value(self) -> T:
        """The result of a task that is done.

        Raises:
            Exception: What the task raised, with its traceback.
            RuntimeError: It is not done.
        """
        if not self.done():
            raise RuntimeError("the task is not done; wait() returns its result as soon as it is")
        return self.wait()

    def done(self) -> bool:
        """Whether the task has ended, with a result or an exception."""
        return self._field(_STATE) == FutureState.DONE

    def _raised(self, error: BaseException) -> bool:
        """Whether an exception is one of Python that the task raised, and not one of native code or of the waiting."""
        address = self._field(_ERROR)
        return bool(address) and type(ctypes.cast(address, ctypes.py_object).value) is type(error)

    def _field(self, offset: int) -> int:
        return ctypes.c_int64.from_address(self._native + offset).value

    @property
    def type(self) -> Type | None:
        """Type of the result; None when the task is a plain Python function."""
        start = self._field(_KINDS)
        text = ctypes.string_at(start + len(ctypes.string_at(start)) + 1).decode()
        return parse_type(text) if text else None

    def __repr__(self) -> str:
        state = FutureState(self._field(_STATE)).name.lower()
        if state == "done" and self._field(_STATUS):
            state = "failed"
        return f"<tscript.Future[{self.type or 'object'}]: {state}>"

    def __reduce__(self) -> str:
        raise TypeError("a Future cannot be copied or pickled; wait for it and take its result")

    def __del__(self, native: _Native = _NATIVE, is_finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        # After the last hooks of the interpreter nobody counts blocks any more, and the module may be half gone.
        if not is_finalizing():
            native.release(self._native)
            native.sweep()


def copy_error(error: BaseException) -> BaseException:
    """A copy of the exception that a native future keeps, to be raised; itself where its class makes no copies."""
    try:
        made = copy.copy(error)
    except Exception:  # noqa: BLE001 - whatever its class does; then it is raised itself
        return error
    if type(made) is not type(error):
        return error
    made.__cause__, made.__context__ = error.__cause__, error.__context__
    made.__suppress_context__ = error.__suppress_context__
    return made


Box = Callable[[int], object]
"""Gives the Python object of the value whose first cell lies at an address."""


@cache
def _boxer(kinds: bytes) -> Box:
    """What boxes results of these kinds."""
    letters = iter(kinds.decode())
    return _box_of(next(letters), letters)[0]


def _box_of(letter: str, letters: Iterator[str]) -> tuple[Box, int]:
    """What boxes the value that `letter` begins (`tscript.abi.signature`), and how many cells it has."""
    if letter != "(":
        return _BOXES[letter], 0 if letter == "N" else 1
    parts: list[tuple[Box, int]] = []
    at = 0
    while (inner := next(letters)) != ")":
        box, cells = _box_of(inner, letters)
        parts.append((box, 8 * at))
        at += cells
    return lambda address: tuple([box(address + offset) for box, offset in parts]), at


def _pointer(cell: int) -> int:
    return ctypes.c_int64.from_address(cell).value


def _future(cell: int) -> object:
    address = _pointer(cell)
    _NATIVE.retain(address)
    return Future._adopt(address)


def _number(cell: int) -> object:
    return _NATIVE.number(cell)


_BOXES: dict[str, Box] = {
    "N": lambda cell: None,
    "i": _pointer,
    "f": lambda cell: ctypes.c_double.from_address(cell).value,
    "b": lambda cell: ctypes.c_uint8.from_address(cell).value != 0,
    "d": lambda cell: BY_CODE[ctypes.c_int32.from_address(cell).value],
    "T": lambda cell: _NATIVE.wrap(_pointer(cell)),
    "S": lambda cell: _NATIVE.size(_pointer(cell)),
    "F": _future,
    "X": _number,
    "O": lambda cell: ctypes.py_object.from_address(cell).value,
}


@tells
def fork(function: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
    """Run ``function(*args, **kwargs)`` as a task of the inter-op pool.

    A scripted function is checked against its arguments, and compiled if need be, here; its code then runs on a thread
    of the pool without the GIL. Any other callable runs there with the GIL. Tensors are shared with the task, not
    copied: what writes to one while the other side uses it is a race of elements, though never of memory.

    Args:
        function: What to call.
        args: Its positional arguments.
        kwargs: Its keyword arguments.

    Returns:
        The future of the result. The task runs whether somebody waits for it or not.

    Raises:
        TypeError: `function` cannot be called, or is scripted and does not take the arguments.
        CompileError: It is scripted and cannot be compiled for them.

    Example:
        >>> import tscript
        >>> @tscript.script
        ... def total(x: tscript.Tensor) -> tscript.Tensor:
        ...     return x.sum()
        >>> futures = [tscript.fork(total, tscript.ones(n)) for n in range(3)]
        >>> [float(tscript.wait(future)) for future in futures]
        [0.0, 1.0, 2.0]
    """
    log_api_usage_once("tscript.fork")
    scripted = getattr(function, "_scripted", None)
    if scripted is not None:
        forked: Future[T] = scripted.forked(*args, **kwargs)
        return forked
    if not callable(function):
        raise TypeError(f"fork() takes a function first, not {type(function).__name__}: fork(f, x) runs f(x)")
    from tscript.runtime.session.process import current

    return Future._adopt(current().pool.fork_python(function, args, kwargs))


@tells
def wait(future: Future[T]) -> T:
    """The result of a forked call, as soon as it is there: `Future.wait`.

    Raises:
        TypeError: It is no future.
        Exception: What the task raised, with its traceback.

    Example:
        >>> import tscript
        >>> tscript.wait(tscript.fork(divmod, 7, 2))
        (3, 1)
    """
    log_api_usage_once("tscript.wait")
    if not isinstance(future, Future):
        raise TypeError(f"wait() takes a Future, which fork() gives, not {type(future).__name__}")
    return future.wait()


fork.__module__ = wait.__module__ = Future.__module__ = "tscript"

__all__ = ["Future", "fork", "wait"]
