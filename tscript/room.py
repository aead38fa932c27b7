"""Room for recursion: what compiles runs on a thread of its own where the calling one has too little stack left.

`Room` asks for the bytes of the stack, before a compilation. `with_room` asks how many of the calls that Python allows
inside each other are used up: recursion over a program that goes through it may be of any depth.
"""

from __future__ import annotations

import contextvars
import sys
import threading
from collections.abc import Callable
from functools import partial
from typing import ParamSpec, TypeVar

from tscript.sparing import SPARING

P = ParamSpec("P")
T = TypeVar("T")

ENOUGH = 1 << 20
"""Bytes of stack that a compilation is begun with, at least."""
LARGE = 64 << 20
"""Stack of the threads that are started for it. Memory that is not touched costs nothing."""

DEEP = 400
"""Calls inside each other on a thread, from which on `with_room` takes another one; no more than half of what Python
allows."""
MIDDLE = 16 << 20
"""Stack of a thread for as many calls as Python allows."""

_STARTING = threading.RLock()  # a finaliser that runs meanwhile may start another one


class Room:
    """Runs what needs a large stack.

    Args:
        left: How many bytes of stack the calling thread has left.
    """

    def __init__(self, left: Callable[[], int]) -> None:
        self._left = left

    def run(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """``function(*args, **kwargs)``, on another thread where this one has too little stack. The caller holds no
        lock that the function takes.

        Raises:
            Exception: What the function raises.
        """
        with SPARING:
            if self._left() >= ENOUGH:
                return function(*args, **kwargs)
            return elsewhere(function, *args, **kwargs)


def with_room(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """``function(*args, **kwargs)``, on another thread where this one is deep in calls already: what recurs through
    this never raises `RecursionError` for being deep. The caller holds no lock that the function takes.

    Raises:
        Exception: What the function raises.
    """
    try:
        sys._getframe(min(DEEP, sys.getrecursionlimit() // 2))
    except ValueError:  # there are not as many
        return function(*args, **kwargs)
    try:
        wait = _start(MIDDLE, partial(function, *args, **kwargs))
    except RuntimeError:  # the system gives no more threads
        return function(*args, **kwargs)
    return wait()


def elsewhere(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """``function(*args, **kwargs)`` on a thread with a large stack, and in the context of this one.

    Raises:
        Exception: What the function raises.
    """
    return _start(LARGE, partial(function, *args, **kwargs))()


def beside(function: Callable[[], T]) -> Callable[[], T]:
    """Start ``function()`` on a thread with a large stack, and in a context of its own; the result waits for it.

    Raises:
        RuntimeError: The system gives no more threads.
    """
    return _start(LARGE, function, contextvars.Context())


def _start(stack: int, function: Callable[[], T], context: contextvars.Context | None = None) -> Callable[[], T]:
    """Start a thread that runs `function`; the result waits for it, and returns or raises what it did."""
    found: list[T] = []
    failed: list[BaseException] = []
    within = contextvars.copy_context() if context is None else context

    def work() -> None:
        try:
            found.append(within.run(function))
        except BaseException as error:  # noqa: BLE001 - raised again by whoever waits
            failed.append(error)

    def wait() -> T:
        thread.join()
        if failed:
            try:
                raise failed[0]
            finally:
                failed.clear()
        return found[0]

    thread = threading.Thread(target=work, name="tscript compiler", daemon=True)
    with _STARTING:
        before = threading.stack_size(stack)
        try:
            thread.start()
        finally:
            threading.stack_size(before)
    return wait


__all__ = ["Room", "beside", "elsewhere", "with_room"]
