"""`RemovableHandle`: what registering a hook gives."""

from __future__ import annotations

import itertools
import weakref
from collections import OrderedDict
from typing import Any

_NUMBERS = itertools.count()


class RemovableHandle:
    """Removes a hook: by `remove`, or at the end of a ``with``.

    Args:
        hooks: Where the hook is kept.
        extra: Where else there is a note of it: dicts by the number of the hook.

    Attributes:
        id: The number of the hook, its key in the dict.
    """

    def __init__(self, hooks: OrderedDict[int, Any], *extra: OrderedDict[int, Any]) -> None:
        self.id = next(_NUMBERS)
        self._dicts = tuple(weakref.ref(d) for d in (hooks, *extra))

    def remove(self) -> None:
        """Remove the hook; a second call does nothing."""
        for reference in self._dicts:
            known = reference()
            if known is not None:
                known.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()


def add_hook(
    hooks: OrderedDict[int, Any], hook: Any, *notes: OrderedDict[int, bool], prepend: bool = False
) -> RemovableHandle:
    """Keep a hook, as the last of all or as the first, and note its number in further dicts."""
    handle = RemovableHandle(hooks, *notes)
    hooks[handle.id] = hook
    for note in notes:
        note[handle.id] = True
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle
