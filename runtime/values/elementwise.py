"""What a vectorized function does while compiled code is disabled: Python calls it for each element."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

_NUMBERS = (bool, int, float)


class Elementwise:
    """A function of numbers, called by Python for each element of arrays.

    Args:
        body: The function.
        annotations: What it declares.
    """

    def __init__(self, body: Callable[..., Any], annotations: Mapping[str, object]) -> None:
        self._body = body
        self._result = _dtype(annotations.get("return"))
        names = body.__code__.co_varnames[: body.__code__.co_argcount]
        self._declared = [_dtype(annotations.get(name)) for name in names]

    def __call__(self, *args: Any, out: Any = None, where: Any = True) -> Any:
        """``f(a, b, out=c, where=mask)``"""
        operands = self._operands(args)
        shape = np.broadcast_shapes(*(np.shape(x) for x in (*operands, where)))
        if out is not None:
            shape = np.broadcast_shapes(shape, out.shape)
        views = [x if isinstance(x, _NUMBERS) else np.broadcast_to(x, shape) for x in operands]
        mask = np.broadcast_to(where, shape)
        found = {index: self._element(views, index) for index in np.ndindex(shape) if mask[index]}
        dtype = self._result or np.result_type(*(list(found.values()) or operands))
        made = np.zeros(shape, dtype)
        for index, value in found.items():
            made[index] = value
        return _stored(made, out, mask)

    def reduce(self, a: Any, axis: int | None = 0, initial: Any = None, keepdims: bool = False) -> Any:
        """``f.reduce(a, axis)``"""
        (array,) = map(np.asarray, (a,))
        flat = array.reshape(-1) if axis is None else np.moveaxis(array, axis, 0)
        if not len(flat) and initial is None:
            raise ValueError(f"zero-size array to reduction operation {self._body.__name__} which has no identity")
        rows = list(flat) if initial is None else [np.full(flat.shape[1:], initial, array.dtype), *flat]
        total = rows[0]
        for row in rows[1:]:
            total = self(total, row)
        if keepdims:
            total = np.expand_dims(total, tuple(range(array.ndim)) if axis is None else axis)
        return total

    def accumulate(self, a: Any, axis: int = 0) -> Any:
        """``f.accumulate(a, axis)``"""
        rows = list(np.moveaxis(np.asarray(a), axis, 0))
        for i in range(1, len(rows)):
            rows[i] = self(rows[i - 1], rows[i])
        return np.stack(rows, axis) if rows else np.asarray(a).copy()

    def outer(self, a: Any, b: Any) -> Any:
        """``f.outer(a, b)``"""
        first, second = np.asarray(a), np.asarray(b)
        return self(first.reshape(first.shape + (1,) * second.ndim), second)

    def at(self, a: Any, indices: Any, *b: Any) -> None:
        """``f.at(a, indices, b)``"""
        every = np.broadcast_arrays(*(indices if isinstance(indices, tuple) else (indices,)))
        values = [np.broadcast_to(x, every[0].shape) for x in b]
        for number in np.ndindex(every[0].shape):
            index = tuple(x[number] for x in every)
            a[index] = self(a[index], *(v[number] for v in values))

    def _operands(self, args: Sequence[Any]) -> list[Any]:
        if all(isinstance(x, _NUMBERS) for x in args):
            args = [np.asarray(x)[()] for x in args]
        found = [x if isinstance(x, _NUMBERS) else np.asarray(x) for x in args]
        pairs = zip(found, self._declared, strict=True)
        return [x if dtype is None else np.asarray(x).astype(dtype, casting="same_kind") for x, dtype in pairs]

    def _element(self, views: Sequence[Any], index: tuple[int, ...]) -> Any:
        with np.errstate(all="ignore"):
            return np.asarray(self._body(*(x if isinstance(x, _NUMBERS) else x[index] for x in views)))[()]


def _dtype(annotation: object) -> Any:
    usual = {"float": float, "int": int, "bool": bool, float: float, int: int, bool: bool}
    if isinstance(annotation, type) and issubclass(annotation, np.generic):
        return np.dtype(annotation)
    return np.dtype(usual[annotation]) if annotation in usual else None


def _stored(made: Any, out: Any, mask: Any) -> Any:
    if out is None:
        return made[()]
    np.copyto(out, made, casting="same_kind", where=mask)
    return out
