"""`SPARING`: fewer garbage collections while much is made that stays.

Imports and compilations make hundreds of thousands of objects and drop few of them. Python's collector would look at
all of them again and again, which takes a seventh of the time from an import to the first result of a network.
"""

from __future__ import annotations

import gc

OFTEN = 50_000
"""How many objects more are made than dropped from one collection to the next, meanwhile."""


class Sparing:
    """A context in which Python collects garbage after `OFTEN` new objects, on whatever thread. What was set before is
    set again when the last thread leaves, unless the program has set something else meanwhile.

    It takes no lock: a finaliser may enter it, and a child process that was forked meanwhile.

    Example:
        >>> import gc
        >>> before = gc.get_threshold()
        >>> with SPARING:
        ...     print(gc.get_threshold()[0] >= OFTEN)
        True
        >>> gc.get_threshold() == before
        True
    """

    __slots__ = ("_before", "_inside", "_own")

    def __init__(self) -> None:
        self._inside: list[None] = []
        self._before: tuple[int, int, int] | None = None
        self._own: tuple[int, int, int] | None = None

    def __enter__(self) -> None:
        self._inside.append(None)
        found = gc.get_threshold()
        if found != self._own and 0 < found[0] < OFTEN:
            self._before, self._own = found, (OFTEN, *found[1:])
            gc.set_threshold(*self._own)

    def __exit__(self, *_: object) -> None:
        self._inside.pop()
        if not self._inside and self._before is not None and gc.get_threshold() == self._own:
            gc.set_threshold(*self._before)


SPARING = Sparing()
"""The one of the process, as its collector is."""

__all__ = ["OFTEN", "SPARING", "Sparing"]
