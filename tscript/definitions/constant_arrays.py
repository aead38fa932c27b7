"""`ConstantArray`: an array whose elements nobody changes, as long as it lives.

A read-only array may be a view of one that is written to: that of a tensor that a function takes from the globals is.
Kernels lay out the elements of constant ones once (`STORAGE_CONSTANT`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from tscript.arrays import Array


class ConstantArray(np.ndarray[Any, np.dtype[Any]]):
    """A view that says so; it is one only while it is read-only, as results of NumPy are not."""


def constant_array(array: Array) -> ConstantArray:
    """A read-only view of an array that nobody else writes to.

    Example:
        >>> import numpy as np
        >>> made = constant_array(np.ones(2))
        >>> is_constant_array(made), is_constant_array(made + 1)
        (True, False)
    """
    made = array.view(ConstantArray)
    made.flags.writeable = False
    return made


def is_constant_array(value: object) -> bool:
    """Whether it is one."""
    return isinstance(value, ConstantArray) and not value.flags.writeable
