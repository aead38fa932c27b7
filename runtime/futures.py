"""`fork`, `wait` and `Future`: functions that run as tasks of the inter-op pool.

Scripted functions run there without the GIL; any other callable runs with it. Inside scripts the same names are
compiled (`tscript.frontend.calls`), so a function means the same scripted and as plain Python.
"""

from __future__ import annotations

import ctypes
import sys
import types
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from tscript.abi.layout import FUTURE, FutureState
from tscript.types import Type, parse_type
from tscript.types.dtypes import BY_CODE

if TYPE_CHECKING:
    from tscript.runtime.pool import Pool

_STATE, _STATUS, _KINDS = (FUTURE.offsets[name] for name in ("state", "status", "kinds"))


class _Unset:
    """The type of `_UNSET`: the value has not been looked at."""


_UNSET = _Unset()


def _pool() -> Pool:
    from tscript.runtime.process import current

    return current().pool


class Future:
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

    __slots__ = ("__weakref__", "_native", "_value")
    _native: int
    _value: object

    __class_getitem__ = classmethod(types.GenericAlias)

    def __init__(self) -> None:
        raise TypeError("a Future comes from fork(function, arguments)")

    @staticmethod
    def _adopt(address: int) -> Future:
        """The Python object of a native future, whose reference it takes over."""
        made = object.__new__(Future)
        made._native = address
        made._value = _UNSET
        return made

    def wait(self) -> Any:
        """The result of the task, as soon as it is there; the same object each time.

        If no thread has begun the task yet, it runs here. Ctrl-C ends the waiting.

        Raises:
            Exception: What the task raised, with its traceback.
            RuntimeError: This process was forked off (`os.fork`) before the task was done.
        """
        if self._value is _UNSET:
            _pool().wait(self._native)
            self._value = self._boxed()
        return self._value

    def value(self) -> Any:
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

    def _field(self, offset: int) -> int:
        return ctypes.c_int64.from_address(self._native + offset).value

    def _boxed(self) -> object:
        letters = iter(ctypes.string_at(self._field(_KINDS)).decode())
        cells = iter(range(self._native + FUTURE.size, sys.maxsize, 8))
        return _box(next(letters), letters, cells)

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

    def __del__(self) -> None:
        if not sys.is_finalizing() and hasattr(self, "_native"):
            _pool().release(self._native)


def _box(letter: str, letters: Iterator[str], cells: Iterator[int]) -> object:
    """The Python object of the leaves that `letter` begins (`tscript.backend.entry`)."""
    if letter == "(":
        found: list[object] = []
        while (inner := next(letters)) != ")":
            found.append(_box(inner, letters, cells))
        return tuple(found)
    return _BOXES[letter](cells)


def _tensor(cells: Iterator[int]) -> object:
    from tscript.runtime.process import current

    return current().native.wrap_borrowed(_pointer(cells))


def _pointer(cells: Iterator[int]) -> int:
    return ctypes.c_int64.from_address(next(cells)).value


def _size(cells: Iterator[int]) -> object:
    from tscript.runtime.process import current

    return current().native.size(_pointer(cells))


def _future(cells: Iterator[int]) -> object:
    address = _pointer(cells)
    _pool().retain(address)
    return Future._adopt(address)


def _object(cells: Iterator[int]) -> object:
    return ctypes.py_object.from_address(next(cells)).value


_BOXES: dict[str, Callable[[Iterator[int]], object]] = {
    "N": lambda cells: None,
    "i": _pointer,
    "f": lambda cells: ctypes.c_double.from_address(next(cells)).value,
    "b": lambda cells: ctypes.c_uint8.from_address(next(cells)).value != 0,
    "d": lambda cells: BY_CODE[ctypes.c_int32.from_address(next(cells)).value],
    "T": _tensor,
    "S": _size,
    "F": _future,
    "O": _object,
}


def fork(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future:
    """Run ``function(*args, **kwargs)`` as a task of the inter-op pool.

    A scripted function is checked against its arguments, and compiled if need be, here; its code then runs on a thread of
    the pool without the GIL. Any other callable runs there with the GIL. Tensors are shared with the task, not copied:
    what writes to one while the other side uses it is a race of elements, though never of memory.

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
    scripted = getattr(function, "_scripted", None)
    if scripted is not None:
        forked: Future = scripted.forked(*args, **kwargs)
        return forked
    if not callable(function):
        raise TypeError(f"fork() takes a function first, not {type(function).__name__}: fork(f, x) runs f(x)")
    return Future._adopt(_pool().fork_python(function, args, kwargs))


def wait(future: Future) -> Any:
    """The result of a forked call, as soon as it is there: `Future.wait`.

    Raises:
        TypeError: It is no future.
        Exception: What the task raised, with its traceback.

    Example:
        >>> import tscript
        >>> tscript.wait(tscript.fork(divmod, 7, 2))
        (3, 1)
    """
    if not isinstance(future, Future):
        raise TypeError(f"wait() takes a Future, which fork() gives, not {type(future).__name__}")
    return future.wait()


fork.__module__ = wait.__module__ = Future.__module__ = "tscript"

__all__ = ["Future", "fork", "wait"]
