"""`once`: `functools.cached_property` that makes its value once, whatever threads ask for it.

That was so up to Python 3.11; later ones let every thread make a value of its own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from functools import cached_property as once
else:

    class once(cached_property):  # noqa: N801 - it is written as a decorator
        """A property that is computed at the first use, by one thread, and kept."""

        def __init__(self, function: Callable[[Any], object]) -> None:
            super().__init__(function)
            self._making = threading.RLock()

        def __get__(self, instance: object, owner: type | None = None) -> object:
            if instance is None:
                return self
            with self._making:
                return super().__get__(instance, owner)


__all__ = ["once"]
