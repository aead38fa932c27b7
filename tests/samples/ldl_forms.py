"""Samples of LDL decompositions: PyTorch has the same pivots, and NumPy none."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.samples.base import Array, Call, Samples, T, Wrong

WIDE = ("float32", "float64", "complex64", "complex128")
PLAIN = [[4.0, 1.0, 2.0], [1.0, 3.0, 0.0], [2.0, 0.0, -5.0]]
SWAPPED = [[0.0, 1.0, 6.0, 2.0], [1.0, 0.0, 3.0, -1.0], [6.0, 3.0, 2.0, 0.5], [2.0, -1.0, 0.5, 1.0]]
"""What takes exchanges, and a block of two rows."""
COMPLEX = [[1.0, 2.0 - 1j, 7j], [2.0 + 1j, -1.0, 3.0], [-7j, 3.0, 2.0]]
"""A Hermitian matrix, of which the lower triangle is also read as that of a symmetric one."""
RIGHT = [[1.0, 2.0], [3.0, -1.0], [0.5, 4.0]]
BATCH = [PLAIN, [[0.0, 5.0, 1.0], [5.0, 0.0, 2.0], [1.0, 2.0, 0.1]]]
WHY = "NumPy has no such decomposition"
_BOUND: dict[str, Any] = {"rtol": 1e-4, "atol": 1e-5}


def of(values: Any, dtype: str | None = None, layout: str = "c") -> T:
    """A tensor of these elements."""
    return T(values=values, dtype=dtype, layout=layout)


def _solved(ld: Array, pivots: Array, b: Array, *, hermitian: bool = False) -> Array:
    lower, middle = np.tril(ld, -1) + np.eye(ld.shape[-1]), np.diag(np.diagonal(ld))
    if pivots[0] < 0:  # a block of the first two rows, the second of which is exchanged
        middle[1, 0], middle[0, 1], lower[1, 0] = ld[1, 0], ld[1, 0].conj() if hermitian else ld[1, 0], 0
        lower[[1, -pivots[0] - 1]] = lower[[-pivots[0] - 1, 1]]
    return np.linalg.solve(lower @ middle @ (lower.conj() if hermitian else lower).T, b).astype(b.dtype)


FACTORED = (
    Call(of(PLAIN)),
    Call(of(SWAPPED, layout="t")),
    Call(of(BATCH)),
    Call(of(COMPLEX, "complex64")),
    Call(of(COMPLEX, "complex128"), hermitian=True),
    Call(of([COMPLEX, COMPLEX], "complex64"), hermitian=True),
    Call(T(0, 0)),
    Call(T(2, 0, 0)),
    Call(T(1, 1)),
)
WRONG = (
    Wrong(RuntimeError, "at least 2 dimensions", T(3)),
    Wrong(RuntimeError, "square", T(2, 3)),
    Wrong(RuntimeError, "Expected float", T(2, 2, dtype="int64")),
)

SAMPLES = (
    Samples(
        "linalg.ldl_factor",
        None,
        *FACTORED,
        dtypes=WIDE,
        wrong=(*WRONG, Wrong(RuntimeError, "block 1", T(2, 2, low=0, high=1e-300, dtype="float32"))),
        why=WHY,
        **_BOUND,
    ),
    Samples(
        "linalg.ldl_factor_ex",
        None,
        *FACTORED,
        Call(of([[0.0, 0.0], [0.0, 0.0]])),
        dtypes=WIDE,
        wrong=(*WRONG, Wrong(RuntimeError, "block 1", of([[0.0, 0.0], [0.0, 0.0]], "float32"), check_errors=True)),
        why=WHY,
        **_BOUND,
    ),
    Samples(
        "linalg.ldl_solve",
        _solved,
        Call(of(PLAIN), of([1, 2, 3], "int32"), of(RIGHT)),
        Call(of(PLAIN, layout="t"), of([1, 2, 3], "int64"), of(RIGHT, layout="t")),
        Call(of(COMPLEX, "complex64"), of([1, 2, 3], "int32"), of(RIGHT, "complex64")),
        Call(of(PLAIN), of([1, 2, 3], "int32"), T(3, 0)),
        Call(of(PLAIN), of([-3, -3, 3], "int32"), of(RIGHT)),
        Call(of(COMPLEX, "complex64"), of([-3, -3, 3], "int32"), of(RIGHT, "complex64")),
        Call(of(COMPLEX, "complex128"), of([-3, -3, 3], "int32"), of(RIGHT, "complex128"), hermitian=True),
        dtypes=WIDE,
        wrong=(
            Wrong(RuntimeError, "Incompatible", of(PLAIN), of([1, 2, 3], "int32"), T(2, 1)),
            Wrong(RuntimeError, "to be integers", of(PLAIN), T(3), of(RIGHT)),
            Wrong(RuntimeError, "same", of(PLAIN), T(2, dtype="int32"), of(RIGHT)),
            Wrong(RuntimeError, "same dtype", of(PLAIN), of([1, 2, 3], "int32"), of(RIGHT, "float64")),
            Wrong(RuntimeError, "no row", of(PLAIN), of([1, 2, 4], "int32"), of(RIGHT), torch=False),
            Wrong(RuntimeError, "in twos", of(PLAIN), of([1, 2, -3], "int32"), of(RIGHT), torch=False),
            Wrong(RuntimeError, "in twos", of(PLAIN), of([-2, -3, 3], "int32"), of(RIGHT), torch=False),
        ),
        **_BOUND,
    ),
)
"""All samples of this module."""
