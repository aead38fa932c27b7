"""What a vectorized function does while compiled code is disabled: Python calls it for each element."""

from __future__ import annotations

import math
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

    def reduce(
        self,
        a: Any,
        axis: int | tuple[int, ...] | None = 0,
        dtype: Any = None,
        out: Any = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = True,
    ) -> Any:
        """``f.reduce(a, axis)``"""
        array = np.asarray(a)
        if where is not True and initial is None:
            raise ValueError(f"reduction operation '{self._body.__name__}' does not have an identity: give 'initial'")
        mask = np.broadcast_to(where, array.shape)
        axes = _axes(axis, array.ndim)
        rows, masks = _rows(array, axes), _rows(mask, axes)
        if not len(rows) and initial is None:
            raise ValueError(f"zero-size array to reduction operation {self._body.__name__} which has no identity")
        if initial is not None:
            start = np.full(rows.shape[1:], initial, array.dtype if dtype is None else dtype)
            rows, masks = [start, *rows], [True, *masks]
        total = rows[0][()]
        for row, counts in zip(rows[1:], masks[1:], strict=True):
            total = np.where(counts, self(total, row), total)[()]
        if dtype is not None:
            total = np.asarray(total).astype(dtype)[()]
        if keepdims:
            total = np.expand_dims(total, axes)
        return total if out is None else _stored(total, out, True)

    def accumulate(self, a: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        """``f.accumulate(a, axis)``"""
        array = np.asarray(a)
        rows = list(np.moveaxis(array if dtype is None else array.astype(dtype), axis, 0))
        for i in range(1, len(rows)):
            rows[i] = self(rows[i - 1], rows[i])
        made = np.stack(rows, axis) if rows else array.copy()
        return made if out is None else _stored(made, out, True)

    def outer(self, a: Any, b: Any, *, out: Any = None, where: Any = True) -> Any:
        """``f.outer(a, b)``"""
        first, second = np.asarray(a), np.asarray(b)
        return self(first.reshape(first.shape + (1,) * second.ndim), second, out=out, where=where)

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


def _axes(axis: int | tuple[int, ...] | None, rank: int) -> tuple[int, ...]:
    """The axes that a reduction goes along, counted from the first one, in order."""
    found = tuple(range(rank)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    for d in found:
        if not -rank <= d < rank:
            raise np.exceptions.AxisError(d, rank)
    return tuple(sorted(d % rank for d in found))


def _rows(array: Any, axes: tuple[int, ...]) -> Any:
    """What is reduced, one behind the other: ``rows[i]`` has the axes that stay."""
    ahead = np.moveaxis(array, axes, range(len(axes)))
    return ahead.reshape((math.prod(ahead.shape[: len(axes)]), *ahead.shape[len(axes) :]))


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
