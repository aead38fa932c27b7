"""``x[key]`` and ``x[key] = value`` on eager tensors: the key is split into views, as the frontend does for scripts."""

from __future__ import annotations

import operator as python_operator
from collections.abc import Callable
from typing import Any

from tscript.runtime.values.tracebacks import raises_user_errors
from tscript.types import dtypes


class Indexing:
    """Indexes tensors.

    Args:
        operator: Gives an eager operator by its name.
        tensor: The tensor type.
    """

    def __init__(self, operator: Callable[[str], Any], tensor: type) -> None:
        self._operator = operator
        self._tensor: Any = tensor

    @raises_user_errors
    def getitem(self, x: Any, key: Any) -> Any:
        """``x[key]`` for ints, slices, None and Ellipsis, or a tuple of them: a view.

        Raises:
            IndexError: Too many indices, or one out of range.
            TypeError: Another kind of index.
        """
        if type(key) is int:
            return self._operator("select")(x, 0, key)
        if type(key) is slice:
            return self._operator("slice")(x, 0, key.start, key.stop, 1 if key.step is None else key.step)
        parts = key if isinstance(key, tuple) else (key,)
        taken = sum(part is not None and part is not Ellipsis for part in parts)
        if taken > x.dim():
            raise IndexError(f"too many indices for tensor of dimension {x.dim()}")
        if sum(part is Ellipsis for part in parts) > 1:
            raise IndexError("an index can only have a single ellipsis ('...')")
        dim = 0
        view = x
        for part in parts:
            if part is Ellipsis:
                dim += x.dim() - taken
            elif part is None:
                view = self._operator("unsqueeze")(view, dim)
                dim += 1
            elif isinstance(part, slice):
                view = self._operator("slice")(view, dim, part.start, part.stop, 1 if part.step is None else part.step)
                dim += 1
            else:
                view = self._operator("select")(view, dim, self._index(part))
        return self._operator("alias")(x) if view is x else view

    @raises_user_errors
    def _index(self, part: Any) -> int:
        if type(part) is self._tensor and (part.dim() != 0 or part.dtype is dtypes.bool_):
            raise TypeError(
                "masks and index tensors do not index a tensor yet: use tscript.where, index_select or gather"
            )
        if isinstance(part, bool) or not hasattr(part, "__index__"):
            raise TypeError(f"a tensor is indexed with ints, slices, None and ..., not with a {type(part).__name__}")
        return python_operator.index(part)

    @raises_user_errors
    def setitem(self, x: Any, key: Any, value: Any) -> None:
        """``x[key] = value``: the value is broadcast and cast to the view.

        Raises:
            IndexError, TypeError: As `getitem`.
            RuntimeError: The value does not broadcast to the view, or the tensor is read-only.
        """
        view = self.getitem(x, key)
        if isinstance(value, bool | int | float):
            self._operator("fill_")(view, value)
        else:
            self._operator("copy_")(view, value)
