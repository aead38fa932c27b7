"""Tensors as arrays over the same memory, and back: bfloat16, which NumPy lacks, is the record of its bits that the
interpreter computes with."""

from __future__ import annotations

from typing import Any

import numpy as np

import tscript
from tscript.definitions.values import numpy_dtype
from tscript.runtime.session.process import current
from tscript.runtime.values.dlpack import imported
from tscript.types import dtypes

Array = np.ndarray[Any, Any]


def array_of(tensor: Any) -> Array:
    """The array over the memory of a tensor."""
    if tensor.dtype is not tscript.bfloat16:
        found: Array = tensor.numpy()
        return found
    return imported(tensor)[0].view(numpy_dtype(dtypes.bfloat16))


def tensor_of(array: Array) -> Any:
    """The tensor over the memory of an array."""
    return current().tensors.over(array)


__all__ = ["array_of", "tensor_of"]
