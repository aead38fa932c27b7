"""`Disabling`: calls of scripted functions run Python instead of compiled code."""

from __future__ import annotations

import os
import threading
import weakref
from typing import Any

from tscript.runtime.boundary.callables import Callables

VARIABLE = "TSCRIPT_DISABLE"
"""Set to 1, compiled code is disabled from the start."""


class Disabling:
    """Which scripted functions there are, and whether their calls run Python.

    A native callable has a pointer to the function that answers its calls. Disabling sets this pointer, so that calls
    cost nothing more while compiled code is enabled.

    Args:
        callables: The native callables.
    """

    def __init__(self, callables: Callables) -> None:
        self._callables = callables
        self._functions: weakref.WeakSet[Any] = weakref.WeakSet()
        self._lock = threading.RLock()
        self._depth = int(os.environ.get(VARIABLE) == "1")

    @property
    def is_disabled(self) -> bool:
        """Whether calls run Python."""
        return self._depth > 0

    def add(self, function: Any) -> None:
        """A new scripted function."""
        with self._lock:
            self._functions.add(function)
            if self._depth:
                self._callables.use_python(function, True)

    def change(self, by: int) -> None:
        """Disable compiled code once more, or once less."""
        with self._lock:
            before = self._depth
            self._depth += by
            if (before > 0) != (self._depth > 0):
                for function in list(self._functions):
                    self._callables.use_python(function, self._depth > 0)
