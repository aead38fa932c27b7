"""Samples of tables of vectors. What is written to the table shows in a second result of the same table."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from tests.samples.base import Array, Call, Samples, T, Wrong


def _short(table: Array, used: Array, most: float, p: float) -> Array:
    for row in np.unique(used):
        length = np.linalg.norm(table[row], p)
        if length > most:
            table[row] *= most / (length + 1e-7)
    return table


def _embedding(
    numbers: Array,
    table: Array,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    **options: Any,
) -> Array:
    return (table if max_norm is None else _short(table, numbers, max_norm, norm_type))[numbers]


def _bag(
    numbers: Array,
    table: Array,
    offsets: Array | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Array | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Array:
    if max_norm is not None:
        _short(table, numbers, max_norm, norm_type)
    begins = [*offsets] if offsets is not None else [*range(0, numbers.size + 1, numbers.shape[1])]
    ends = begins if offsets is None or include_last_offset else [*begins, numbers.size]
    found = []
    for begin, end in itertools.pairwise(ends):
        inside = [i for i in range(begin, end) if padding_idx is None or numbers.flat[i] != padding_idx % len(table)]
        factors = 1 if per_sample_weights is None else per_sample_weights.reshape(-1)[inside][:, None]
        rows = table[numbers.reshape(-1)[inside]] * factors
        how: Any = {"sum": np.sum, "mean": np.mean, "max": np.max}[mode]
        found.append(how(rows, 0) if inside else np.zeros(table.shape[1]))
    return np.array(found).reshape(len(ends) - 1, table.shape[1]).astype(table.dtype)


def _ints(values: Any, dtype: str = "int64") -> T:
    return T(*np.shape(values), values=values, dtype=dtype)


_ROWS = T(5, 3)
_FLAT = _ints([0, 4, 2, 2, 1])

SAMPLES = (
    Samples(
        "nn.functional.embedding",
        _embedding,
        Call(_ints([[1, 0], [4, 1]]), _ROWS),
        Call(_ints([[1, 0], [4, 1]]), _ROWS, max_norm=1.0),
        Call(_ints([1, 1], "int32"), T(3, 2, layout="t"), None, 0.5, 1.0),
        Call(_ints(2), _ROWS, 2, scale_grad_by_freq=True),
        wrong=(
            Wrong(RuntimeError, "2-D", _ints([0]), T(3)),
            Wrong(IndexError, "out of range", _ints([5]), _ROWS),
            Wrong(IndexError, "out of range", _ints([5]), _ROWS, max_norm=1.0),
            Wrong(AssertionError, "5 is not, with 5", _ints([0]), _ROWS, 5),
            Wrong(AssertionError, "-6 is not, with 5", _ints([0]), _ROWS, -6, max_norm=1.0),
        ),
    ),
    Samples(
        "embedding_renorm_",
        _short,
        Call(_ROWS, _ints([[1, 0], [4, 1]]), 1.0, 2.0),
        Call(_ROWS, _ints([3]), 0.5, 1.0),
        wrong=(Wrong(RuntimeError, "2-D", T(3), _ints([0]), 1.0, 2.0),),
    ),
    Samples(
        "nn.functional.embedding_bag",
        _bag,
        Call(_FLAT, _ROWS, _ints([0, 2, 2, 4])),
        Call(_ints([[0, 1], [3, 3]]), _ROWS, mode="max"),
        Call(_FLAT, _ROWS, _ints([0, 2, 2, 5]), mode="sum", include_last_offset=True, per_sample_weights=T(5)),
        Call(_FLAT, _ROWS, _ints([0, 2, 4]), mode="max", padding_idx=2),
        Call(_FLAT, _ROWS, _ints([0, 2, 4]), padding_idx=-1),
        Call(_FLAT, _ROWS, _ints([0, 2, 4]), 1.0, 2.0, mode="sum"),
        Call(_ints([[0, 1], [3, 3]], "int32"), _ROWS, mode="sum", per_sample_weights=T(2, 2)),
        Call(T(0, dtype="int64"), _ROWS, _ints([0, 0])),
        wrong=(
            Wrong(ValueError, "2D, then offsets", _ints([[0]]), _ROWS, _ints([0])),
            Wrong(ValueError, "has to be a 1D Tensor", _ints([0]), _ROWS),
            Wrong(ValueError, "1D or 2D", _ints(0), _ROWS),
            Wrong(ValueError, "2D Tensor", _ints([0]), T(3), _ints([0])),
            Wrong(ValueError, "mode has to be", _ints([0]), _ROWS, _ints([0]), mode="least"),
            Wrong(RuntimeError, "has to be 0", _ints([0, 1]), _ROWS, _ints([1])),
            Wrong(RuntimeError, "can not be greater", _ints([0, 1]), _ROWS, _ints([0, 3])),
            Wrong(RuntimeError, "valid range", _ints([0, 5]), _ROWS, _ints([0])),
            Wrong(RuntimeError, "padding_idx must be within", _ints([0]), _ROWS, _ints([0]), padding_idx=7),
            Wrong(RuntimeError, "int32 or int64", T(2), _ROWS, _ints([0])),
            Wrong(NotImplementedError, "only supported", _ints([0]), _ROWS, _ints([0]), per_sample_weights=T(1)),
            Wrong(
                ValueError, "same shape", _ints([0]), _ROWS, _ints([0]), mode="sum", per_sample_weights=T(2), torch=True
            ),
        ),
    ),
)
"""All samples of this module."""
