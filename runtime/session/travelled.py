"""`Travelled`: the functions and classes that came in pickles, so that the same payload gives the same objects."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any
from weakref import WeakValueDictionary

MOST = 256
"""Functions that are kept although nothing refers to them: the next task may bring them again."""

MOST_BYTES = 256 << 20
"""Bytes of their payloads."""


class Travelled:
    """What a process has of pickled functions.

    Attributes:
        objects: Functions and classes by the digest of all that they lead to.
        lock: Held while one is made.
    """

    def __init__(self) -> None:
        self.objects: WeakValueDictionary[str, Any] = WeakValueDictionary()
        self.lock = threading.RLock()
        self._recent: OrderedDict[bytes, tuple[Any, int, object]] = OrderedDict()
        self._size = 0

    def recent(self, digest: bytes) -> Any:
        """What came in a payload that is kept; None if it is not."""
        found = self._recent.get(digest)
        if found is None:
            return None
        self._recent.move_to_end(digest)
        return found[0]

    def keep(self, digest: bytes, made: object, size: int, types: object = None) -> None:
        """Keep what came in a payload, instead of the oldest ones.

        Args:
            digest: Of the payload.
            made: What came.
            size: Of the payload.
            types: What else is kept with it: the types of its classes.
        """
        if size > MOST_BYTES:
            return
        self._size += size - self._recent.pop(digest, (None, 0, None))[1]
        self._recent[digest] = made, size, types
        while len(self._recent) > MOST or self._size > MOST_BYTES:
            self._size -= self._recent.popitem(last=False)[1][1]
