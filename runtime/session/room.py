"""`Room`: compiling takes more stack than some threads have. What compiles runs on a thread of its own there."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

ENOUGH = 1 << 20
"""Bytes of stack that a compilation is begun with, at least."""
LARGE = 64 << 20
"""Stack of the threads that are started for it. Memory that is not touched costs nothing."""

_STARTING = threading.Lock()


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
        if self._left() >= ENOUGH:
            return function(*args, **kwargs)
        return elsewhere(function, *args, **kwargs)


def elsewhere(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """``function(*args, **kwargs)`` on a thread with a large stack, and in the context of this one.

    Raises:
        Exception: What the function raises.
    """
    found: list[T] = []
    failed: list[BaseException] = []
    context = contextvars.copy_context()

    def work() -> None:
        try:
            found.append(context.run(function, *args, **kwargs))
        except BaseException as error:  # noqa: BLE001 - raised again by whoever waits
            failed.append(error)

    thread = threading.Thread(target=work, name="tscript compiler", daemon=True)
    with _STARTING:
        before = threading.stack_size(LARGE)
        try:
            thread.start()
        finally:
            threading.stack_size(before)
    thread.join()
    if failed:
        try:
            raise failed[0]
        finally:
            failed.clear()
    return found[0]


__all__ = ["Room", "elsewhere"]
