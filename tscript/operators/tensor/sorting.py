"""Sorting of rows, which nobody calls by name: `np.sort` and what is made of it."""

from __future__ import annotations

from collections.abc import Sequence

from tscript.arrays import Array, np
from tscript.definitions.define import kernel
from tscript.definitions.opdef import Arg, Effects, OpDef, OperatorRuntimeError
from tscript.definitions.rules import tensor_of
from tscript.definitions.values import widen
from tscript.types import NONE, Type, dtypes

WRITES = Effects(writes=(1,), raises=True)


def _rows(args: Sequence[Arg]) -> Type:
    if any(tensor_of(arg).rank not in (2, None) for arg in args):
        raise OperatorRuntimeError("expected two dimensions")
    return NONE


def _sorted(args: Sequence[Arg]) -> Type:
    if len({tensor_of(arg).dtype for arg in args} - {None}) > 1:
        raise OperatorRuntimeError("both have one dtype")
    return _rows(args)


def _places(args: Sequence[Arg]) -> Type:
    if tensor_of(args[1]).dtype not in (dtypes.int64, None):
        raise OperatorRuntimeError("positions are int64")
    return _rows(args)


def _sort(x: Array, out: Array) -> None:
    places = np.argsort(widen(x), axis=1, kind="stable")
    out[...] = np.take_along_axis(x, places, 1)


def _argsort(x: Array, out: Array) -> None:
    out[...] = np.argsort(widen(x), axis=1, kind="stable")


SORT_ROWS: OpDef = kernel(
    "sort_rows(Tensor x, Tensor(a!) out) -> None",
    _sorted,
    _sort,
    "sorting_rows.sort_rows",
    "Sorts each row into a contiguous tensor of the same size; stable, NaN last.",
    effects=WRITES,
    names="",
)
ARGSORT_ROWS: OpDef = kernel(
    "argsort_rows(Tensor x, Tensor(a!) out) -> None",
    _places,
    _argsort,
    "sorting_rows.argsort_rows",
    "The same for the positions of the sorted elements.",
    effects=WRITES,
    names="",
)
HIDDEN: tuple[OpDef, ...] = (SORT_ROWS, ARGSORT_ROWS)
"""All operators of this module."""

__all__ = ["ARGSORT_ROWS", "HIDDEN", "SORT_ROWS"]
