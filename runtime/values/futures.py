"""`Future`: the result of a task of the inter-op pool, as Python holds it. `tscript.runtime.public.tasks` forks
them."""

from __future__ import annotations

import copy
import ctypes
import sys
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Generic, TypeVar, cast

from tscript.abi.kinds import FutureState
from tscript.abi.layout import FUTURE
from tscript.late import dataclass
from tscript.runtime.values.tracebacks import raises_user_errors
from tscript.types import Type, parse_type
from tscript.types.dtypes import BY_CODE

T = TypeVar("T")

_STATE, _STATUS, _KINDS, _ERROR = (FUTURE.offsets[name] for name in ("state", "status", "kinds", "error"))


class _Unset:
    """The type of `_UNSET`: the value has not been looked at."""


_UNSET = _Unset()


Box = Callable[[int], object]
"""Returns the Python object of the value whose first cell is at an address."""


@dataclass(frozen=True, slots=True)
class Tasks:
    """The functions of the pool and the boundary that futures use: each takes the address of a future, tensor, size or
    cell."""

    wait: Callable[[int], object]
    retain: Callable[[int], object]
    release: Callable[[int], object]
    tensor: Callable[[int], object]
    size: Callable[[int], object]
    number: Callable[[int], object]
    value: Callable[[str, int], object]
    """Also takes the text of the type of what is in the cells."""
    type: Callable[[str], Type]
    """The type of a text."""
    sweep: Callable[[], object]
    """Frees unused code."""


def _no_pool(address: int) -> object:
    raise SystemError("there is a future, but no pool")


def _no_value(type: str, address: int) -> object:
    raise SystemError("there is a future, but no pool")


class Futures:
    """The futures of this process.

    Attributes:
        tasks: Waits for them and frees them; set when the pool is made, before which there are none.
    """

    def __init__(self) -> None:
        self.tasks = Tasks(
            _no_pool, _no_pool, _no_pool, _no_pool, _no_pool, _no_pool, _no_value, parse_type, lambda: None
        )
        self._boxers: dict[bytes, Box] = {}

    def adopt(self, address: int) -> Future[Any]:
        """The Python object of a native future, whose reference it takes over."""
        made: Future[Any] = object.__new__(Future)
        made._native = address
        made._futures = self
        made._value = _UNSET
        made._traceback = None
        return made

    def boxer(self, kinds: bytes) -> Box:
        """The boxing function for results of these kinds."""
        found = self._boxers.get(kinds)
        if found is None:
            letters = iter(kinds.decode())
            found = self._boxers[kinds] = self._box_of(next(letters), letters)[0]
        return found

    def _box_of(self, letter: str, letters: Iterator[str]) -> tuple[Box, int]:
        """The boxing function for the value that `letter` begins (`tscript.abi.signature`), and its number of cells."""
        if letter != "(":
            return self._box(letter), 0 if letter == "N" else 1
        parts: list[tuple[Box, int]] = []
        at = 0
        while (inner := next(letters)) != ")":
            box, cells = self._box_of(inner, letters)
            parts.append((box, 8 * at))
            at += cells
        return lambda address: tuple([box(address + offset) for box, offset in parts]), at

    def _box(self, letter: str) -> Box:
        tasks = self.tasks
        match letter:
            case "T":
                return lambda cell: tasks.tensor(_pointer(cell))
            case "S":
                return lambda cell: tasks.size(_pointer(cell))
            case "F":
                return self._future
            case "X":
                return tasks.number
        return _BOXES[letter]

    def _future(self, cell: int) -> object:
        address = _pointer(cell)
        self.tasks.retain(address)
        return self.adopt(address)


class Future(Generic[T]):
    """The result of a forked call, which may not be available yet. Made by `fork`, in Python and in scripts.

    ``Future[T]`` is its type in annotations. If the task of a future fails and nothing waits for it, a `RuntimeWarning`
    is issued when the future is freed.

    Example:
        >>> import tscript
        >>> future = tscript.fork(pow, 2, 10)
        >>> future.wait()
        1024
        >>> future.done()
        True
    """

    __slots__ = ("__weakref__", "_futures", "_native", "_traceback", "_value")
    _futures: Futures
    _native: int
    _value: object
    _traceback: TracebackType | None

    def __new__(cls) -> Future[T]:
        """Refused: see `fork`."""
        raise TypeError("a Future comes from fork(function, arguments)")

    @raises_user_errors
    def wait(self) -> T:
        """Wait for the result of the task; the same object each time.

        If no thread has begun the task yet, it runs here. Ctrl-C ends the waiting.

        Raises:
            Exception: The exception of the task, with its traceback.
            RuntimeError: This process was forked off (`os.fork`) before the task was done.
        """
        if self._value is _UNSET:
            try:
                self._futures.tasks.wait(self._native)
            except BaseException as error:
                if not self._raised(error):
                    raise
                # Kept here, too: the native future does not keep the traceback of a task that ran inside this call.
                if self._traceback is None and error.__traceback__ is not None:
                    self._traceback = error.__traceback__.tb_next  # without the frame of this function
                raise error.with_traceback(self._traceback)  # noqa: B904 - it is the same exception
            kinds, cells = ctypes.string_at(self._field(_KINDS)), self._native + FUTURE.size
            if kinds.startswith(b"*"):
                self._value = self._futures.tasks.value(self._type_text, cells)
            else:
                self._value = self._futures.boxer(kinds)(cells)
        return cast(T, self._value)

    def value(self) -> T:
        """The result of a task that is done.

        Raises:
            Exception: The exception of the task, with its traceback.
            RuntimeError: It is not done.
        """
        if not self.done():
            raise RuntimeError("the task is not done; wait() returns its result as soon as it is")
        return self.wait()

    def done(self) -> bool:
        """Whether the task has ended, with a result or an exception."""
        return self._field(_STATE) == FutureState.DONE

    def _raised(self, error: BaseException) -> bool:
        """Whether an exception is a Python exception of the task, not one of native code or of waiting."""
        address = self._field(_ERROR)
        return bool(address) and type(ctypes.cast(address, ctypes.py_object).value) is type(error)

    def _field(self, offset: int) -> int:
        return ctypes.c_int64.from_address(self._native + offset).value

    @property
    def type(self) -> Type | None:
        """Type of the result; None when the task is a plain Python function."""
        return self._futures.tasks.type(self._type_text) if self._type_text else None

    @property
    def _type_text(self) -> str:
        start = self._field(_KINDS)
        return ctypes.string_at(start + len(ctypes.string_at(start)) + 1).decode()

    def __repr__(self) -> str:
        state = FutureState(self._field(_STATE)).name.lower()
        if state == "done" and self._field(_STATUS):
            state = "failed"
        return f"<tscript.Future[{self._type_text or 'object'}]: {state}>"

    def __reduce__(self) -> str:
        raise TypeError("a Future cannot be copied or pickled; wait for it and take its result")

    def __del__(self, is_finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        # After the last hooks of the interpreter blocks are not counted any more, and parts of the module may be gone.
        if not is_finalizing():
            tasks = self._futures.tasks
            tasks.release(self._native)
            tasks.sweep()


def copy_error(error: BaseException) -> BaseException:
    """A copy of the exception that a native future keeps, to raise; the exception itself if it cannot be copied."""
    try:
        made = copy.copy(error)
    except Exception:  # noqa: BLE001 - whatever its class does; then it is raised itself
        return error
    if type(made) is not type(error):
        return error
    made.__cause__, made.__context__ = error.__cause__, error.__context__
    made.__suppress_context__ = error.__suppress_context__
    return made


def _pointer(cell: int) -> int:
    return ctypes.c_int64.from_address(cell).value


_BOXES: dict[str, Box] = {
    "N": lambda cell: None,
    "i": _pointer,
    "f": lambda cell: ctypes.c_double.from_address(cell).value,
    "b": lambda cell: ctypes.c_uint8.from_address(cell).value != 0,
    "d": lambda cell: BY_CODE[ctypes.c_int32.from_address(cell).value],
    "O": lambda cell: ctypes.py_object.from_address(cell).value,
}


Future.__module__ = "tscript"

__all__ = ["Future", "Futures", "copy_error"]
