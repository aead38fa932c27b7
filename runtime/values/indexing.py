"""``x[key]`` and ``x[key] = value`` on eager tensors: a key is split into views, or given to one operator with all its
parts if one is a mask or an index tensor, as the frontend does for scripts."""

from __future__ import annotations

import operator as python_operator
from collections.abc import Callable
from typing import Any

from tscript.definitions.index_layout import AT, END, FLAG, MOST_PARTS, NEW, PART, REST, TENSOR, layout_of
from tscript.runtime.values.tracebacks import raises_user_errors
from tscript.types import dtypes


class Indexing:
    """Indexes tensors.

    Args:
        operator: Gives an eager operator by its name.
        tensor: The tensor type.
        make: Makes a tensor of an array or of a list.
    """

    def __init__(self, operator: Callable[[str], Any], tensor: type, make: Callable[[Any], Any]) -> None:
        self._operator = operator
        self._tensor: Any = tensor
        self._make = make

    @raises_user_errors
    def getitem(self, x: Any, key: Any) -> Any:
        """``x[key]`` for ints, slices, None and Ellipsis, or a tuple of them: a view. Masks, index tensors and lists
        of ints or bools among them give a copy.

        Raises:
            IndexError: Too many indices, or one out of range.
            TypeError: Another kind of index.
        """
        if type(key) is int:
            return self._operator("select")(x, 0, key)
        if type(key) is slice:
            return self._sliced(x, 0, key)
        parts = key if isinstance(key, tuple) else (key,)
        if any(map(self._chooses, parts)):
            return self._operator("index_read")(x, *self._operands(parts))
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
                view = self._sliced(view, dim, part)
                dim += 1
            else:
                view = self._operator("select")(view, dim, self._index(part))
        return self._operator("alias")(x) if view is x else view

    @raises_user_errors
    def _sliced(self, x: Any, dim: int, part: slice) -> Any:
        start, stop, step = (
            b if b is None or type(b) is int else python_operator.index(b) for b in (part.start, part.stop, part.step)
        )
        return self._operator("slice")(x, dim, start, stop, 1 if step is None else step)

    @staticmethod
    def _chooses(part: Any) -> bool:
        """Whether a part is a mask or an index tensor, or what becomes one."""
        return not (part is None or part is Ellipsis or type(part) is int or type(part) is slice) and (
            isinstance(part, bool | list | tuple | range) or not hasattr(part, "__index__") or hasattr(part, "dtype")
        )

    @raises_user_errors
    def _operands(self, parts: tuple[Any, ...]) -> tuple[int, tuple[int, ...], tuple[Any, ...]]:
        """The layout, the ints and the tensors of an index, see `tscript.operators.tensor.index_parts`."""
        if len(parts) > MOST_PARTS:
            raise IndexError(f"an index has at most {MOST_PARTS} parts, this one has {len(parts)}")
        kinds: list[int] = []
        numbers: list[int] = []
        tensors: list[Any] = []
        for part in parts:
            if type(part) is self._tensor:
                kinds.append(TENSOR)
                tensors.append(part)
            elif part is None:
                kinds.append(NEW)
            elif part is Ellipsis:
                kinds.append(REST)
            elif isinstance(part, slice):
                kinds.append(PART)
                step = 1 if part.step is None else python_operator.index(part.step)
                start = 0 if part.start is None else python_operator.index(part.start)
                numbers += (start, END if part.stop is None else python_operator.index(part.stop), step)
            elif isinstance(part, bool):
                kinds.append(FLAG)
                numbers.append(int(part))
            elif isinstance(part, list | tuple | range):
                kinds.append(TENSOR)
                tensors.append(self._listed(part))
            elif hasattr(part, "__array_interface__") and part.ndim:
                kinds.append(TENSOR)
                tensors.append(self._make(part))
            else:
                kinds.append(AT)
                numbers.append(self._index(part))
        # Ints are given by fours: the code of a call depends on how many there are.
        numbers += (0,) * (-len(numbers) % 4)
        return layout_of(kinds), tuple(numbers), tuple(tensors)

    @raises_user_errors
    def _listed(self, items: Any) -> Any:
        """A list of ints or bools as a tensor."""
        made = self._make(list(items))
        return made if len(items) else self._operator("to")(made, dtypes.int64)

    @raises_user_errors
    def _index(self, part: Any) -> int:
        if isinstance(part, bool) or not hasattr(part, "__index__"):
            raise TypeError(
                "a tensor is indexed with ints, slices, None, ..., masks and tensors of ints, not with a "
                f"{type(part).__name__}"
            )
        return python_operator.index(part)

    @raises_user_errors
    def setitem(self, x: Any, key: Any, value: Any) -> None:
        """``x[key] = value``: the value is broadcast and cast to the view.

        Raises:
            IndexError, TypeError: As `getitem`.
            RuntimeError: The value does not broadcast to the view, or the tensor is read-only.
        """
        parts = key if isinstance(key, tuple) else (key,)
        if any(map(self._chooses, parts)):
            name = "index_fill_parts" if isinstance(value, bool | int | float) else "index_write"
            self._operator(name)(x, value, *self._operands(parts))
            return
        view = self.getitem(x, key)
        if isinstance(value, bool | int | float):
            self._operator("fill_")(view, value)
        else:
            self._operator("copy_")(view, value)
