"""The storage of a tensor as an object, and what asks for it: views of one storage, copies that keep them, pickles."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from tscript.arrays import Array, dense_order


class Storage:
    """The memory under a tensor and its views. It keeps the tensor alive.

    Args:
        tensor: The tensor.
        data: Its address.
        nbytes: Its size.
        itemsize: Bytes of an element; 1 for an untyped one.
    """

    __slots__ = ("_data", "_itemsize", "_nbytes", "_tensor")

    def __init__(self, tensor: object, data: int, nbytes: int, itemsize: int = 1) -> None:
        self._tensor, self._data, self._nbytes, self._itemsize = tensor, data, nbytes, itemsize

    def data_ptr(self) -> int:
        """Address of its first byte."""
        return self._data

    def nbytes(self) -> int:
        """Its size in bytes."""
        return self._nbytes

    def size(self) -> int:
        """How many elements it has room for; of an untyped one, its bytes."""
        return self._nbytes // self._itemsize

    def element_size(self) -> int:
        """Bytes of an element; 1 of an untyped one."""
        return self._itemsize

    def untyped(self) -> Storage:
        """The same memory as bytes."""
        return Storage(self._tensor, self._data, self._nbytes)

    def __len__(self) -> int:
        return self.size()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Storage) and (self._data, self._nbytes) == (other._data, other._nbytes)

    def __hash__(self) -> int:
        return hash((self._data, self._nbytes))

    def __bytes__(self) -> bytes:
        return ctypes.string_at(self._data, self._nbytes) if self._nbytes else b""

    def __repr__(self) -> str:
        return f"Storage({self._nbytes} bytes at {self._data:#x})"


def reduced(array: Array, restore: Callable[..., Any], role: int) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """What pickles of a tensor with these elements hold: they keep how the elements lie if there are no gaps, and what
    it is to modules if it is a parameter or buffer."""
    order = dense_order(array)
    if order is None or order == tuple(range(array.ndim)):
        elements = np.array(array, order="C")
        return restore, (elements, None, role) if role else (elements,)
    elements = np.array(array.transpose(order), order="C")
    return restore, (elements, order, role) if role else (elements, order)


def laid_out(array: Array, order: tuple[int, ...] | None) -> Array:
    """The array that `reduced` was given."""
    return array if order is None else array.transpose(np.argsort(order))
