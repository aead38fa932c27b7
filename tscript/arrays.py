"""`np`: NumPy, which is imported when it is first used.

The frontend and the definitions of operators mention it, but a check of types never gets there, and the import takes as
long as all of theirs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeGuard

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[Any]
else:
    Array = Any

    class _NumPy:
        """The module's attributes, kept once they were asked for."""

        def __getattr__(self, name: str) -> object:
            import numpy

            value = getattr(numpy, name)
            setattr(self, name, value)
            return value

    np = _NumPy()


def numpy_function(find: Callable[[], Callable[..., Any]]) -> Callable[..., Any]:
    """A function of NumPy that is named where modules are imported: ``numpy_function(lambda: np.exp)``."""

    def function(*arguments: Any, **options: Any) -> Any:
        return find()(*arguments, **options)

    return function


def is_array(value: object) -> TypeGuard[Array]:
    """Whether `value` is an array, which nothing is before NumPy is imported."""
    return "numpy" in sys.modules and isinstance(value, np.ndarray)


def dense_order(array: Array) -> tuple[int, ...] | None:
    """The dimensions of an array from the longest steps on, if its elements lie without gaps; else None."""
    order = tuple(sorted(range(array.ndim), key=lambda d: (-array.strides[d], d)))
    return order if array.transpose(order).flags.c_contiguous else None


__all__ = ["Array", "dense_order", "is_array", "np", "numpy_function"]
