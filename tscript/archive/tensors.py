"""Constant tensors in an archive: members under ``tensors/``, named after their bytes; dtype and shape in the manifest.

A member holds the elements row by row, little-endian, nothing else. Equal tensors are one member.
"""

from __future__ import annotations

import hashlib
import math
from typing import Any

import numpy as np

from tscript.abi.layout import MAX_RANK
from tscript.definitions.values import dtype_of_array, numpy_dtype
from tscript.diagnostics.archives import ArchiveError
from tscript.ir.signatures import text_of
from tscript.types import dtypes
from tscript.types.parsing import shortened

FOLDER = "tensors/"

Array = np.ndarray[Any, Any]


def bytes_of(array: Array) -> bytes:
    """The elements as a member holds them."""
    return array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()


def tensor_to_json(array: Array, content: bytes) -> dict[str, Any]:
    """What the manifest says of a tensor whose elements are `content`."""
    name = f"{FOLDER}{hashlib.sha256(content).hexdigest()[:32]}.bin"
    return {"member": name, "dtype": dtype_of_array(array).name, "shape": list(array.shape)}


def restore(item: Any, content: bytes | memoryview) -> Array:
    """The tensor, read-only, over the bytes of its member.

    Args:
        item: What the manifest says of it.
        content: The bytes.

    Raises:
        ArchiveError: They do not fit each other, or are no elements of the dtype.
    """
    member, kind, shape = text_of(item["member"]), text_of(item["dtype"]), item["shape"]
    dtype = dtypes.BY_NAME.get(kind)
    if dtype is None:
        raise ArchiveError(f"the tensor {shortened(member)!r} has the unknown dtype {shortened(kind)!r}")
    if type(shape) is not list or len(shape) > MAX_RANK or any(type(n) is not int or n < 0 for n in shape):
        raise ArchiveError(f"the tensor {shortened(member)!r} has no valid shape: {shortened(repr(shape), 200)}")
    if math.prod(max(1, n) for n in shape) * dtype.itemsize >= 1 << 63:
        raise ArchiveError(f"the tensor {shortened(member)!r} is too large: {shortened(repr(shape), 200)}")
    expected = math.prod(shape) * dtype.itemsize
    if len(content) != expected:
        raise ArchiveError(f"the tensor {shortened(member)!r} has {len(content)} bytes, its shape needs {expected}")
    if kind == "bool" and expected and np.frombuffer(content, np.uint8).max() > 1:
        raise ArchiveError(f"the tensor {shortened(member)!r} has elements that are no bools")
    native = numpy_dtype(dtype)
    array: Array = np.ndarray(tuple(shape), native.newbyteorder("<"), content).astype(native, copy=False)
    from tscript.definitions.constant_arrays import constant_array

    return constant_array(array)


class PlainArrays(list[Array]):
    """Constant arrays, of which those that are asked for are arrays like any other: defaults are like what callers
    give."""

    def __getitem__(self, number: Any) -> Any:
        self[number] = found = super().__getitem__(number).view(np.ndarray)
        return found
