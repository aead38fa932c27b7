"""Samples of products of matrices and vectors, and of numbers written everywhere."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.samples.base import ALL, COMPLEX, NUMBERS, Array, Call, Name, Samples, T, Wrong

KINDS = (*NUMBERS, *COMPLEX)
ONES = 1.0 + 1.0j


def _full(size: tuple[int, ...], value: Any, dtype: Any = None) -> Array:
    kinds = {int: np.int64, bool: np.bool_, complex: np.complex64}
    return np.full(size, value, dtype or kinds.get(type(value), np.float32))


SAMPLES = (
    Samples(
        "mm",
        np.matmul,
        Call(T(3, 4), T(4, 2)),
        Call(T(3, 4, dtype="complex64", layout="s"), T(4, 5, dtype="complex64", layout="t")),
        Call(T(2, 0, dtype="complex128"), T(0, 2, dtype="complex128")),
        dtypes=KINDS,
        rtol=1e-4,
        atol=1e-5,
        wrong=(Wrong(RuntimeError, "cannot be multiplied", T(2, 3), T(2, 3)),),
    ),
    Samples(
        "bmm",
        np.matmul,
        Call(T(2, 3, 4), T(2, 4, 2)),
        Call(T(2, 3, 4, dtype="complex128"), T(2, 4, 1, dtype="complex128", layout="t")),
        dtypes=KINDS,
        rtol=1e-4,
        atol=1e-5,
    ),
    Samples(
        "mv",
        np.matmul,
        Call(T(3, 4), T(4)),
        Call(T(3, 4, dtype="complex64", layout="t"), T(4, dtype="complex64", layout="s")),
        dtypes=KINDS,
        rtol=1e-4,
        atol=1e-5,
    ),
    Samples(
        "dot",
        np.dot,
        Call(T(7), T(7)),
        Call(T(3, dtype="complex64"), T(3, dtype="complex64", layout="s")),
        dtypes=KINDS,
        rtol=1e-4,
        atol=1e-5,
    ),
    Samples(
        "vdot",
        np.vdot,
        Call(T(7), T(7)),
        Call(T(0, dtype="complex64"), T(0, dtype="complex64")),
        dtypes=("float32", *COMPLEX),
        rtol=1e-4,
        atol=1e-5,
        wrong=(Wrong(RuntimeError, "inconsistent tensor size", T(2), T(3)),),
    ),
    Samples(
        "matmul",
        np.matmul,
        Call(T(2, 3, 4), T(4, 2)),
        Call(T(2, 1, 3, 4, dtype="complex64"), T(2, 4, 3, dtype="complex64")),
        Call(T(3, dtype="complex128"), T(3, 2, dtype="complex128", layout="t")),
        dtypes=KINDS,
        rtol=1e-4,
        atol=1e-5,
    ),
    Samples("adjoint", lambda x: np.conj(np.swapaxes(x, -1, -2)), Call(T(2, 3, 4)), Call(T(2, 3)), dtypes=COMPLEX),
    Samples(
        "full",
        _full,
        Call((2, 3), 2),
        Call((2,), 1.5, dtype=Name("complex64")),
        Call((2,), True),
        wrong=(Wrong(RuntimeError, "negative", (-1,), 2),),
    ),
    Samples("full_like", lambda x, value: np.full_like(x, value), Call(T(2, 3), 2), dtypes=(*ALL, *COMPLEX)),
    Samples(
        "Tensor.new_full",
        lambda x, size, value: np.full(size, value, x.dtype),
        Call(T(2, 3), (2,), 2),
        dtypes=(*ALL, *COMPLEX),
    ),
    Samples(
        "eye",
        lambda n, m=None, dtype=np.float32: np.eye(n, m, dtype=dtype),
        Call(3),
        Call(2, 3, dtype=Name("complex64")),
    ),
    Samples(
        "gather",
        lambda x, dim, index: np.take_along_axis(x, index, dim),
        Call(T(3, 4), 1, T(3, 2, values=[[0, 3], [1, 1], [2, 0]], dtype="int64")),
        Call(T(3, 4), 0, T(0, 4, dtype="int64")),
        dtypes=(*ALL, *COMPLEX),
        wrong=(
            Wrong(RuntimeError, "number of dimensions", T(2), 0, T(1, 1, values=[[0]], dtype="int64")),
            Wrong(RuntimeError, "dtype", T(2), 0, T(1, values=[0], dtype="float32")),
            Wrong(RuntimeError, "out of bounds", T(2), 0, T(1, values=[2], dtype="int64")),
        ),
    ),
    Samples(
        "index_select",
        lambda x, dim, index: np.take(x, index, dim),
        Call(T(3, 4), 1, T(3, values=[3, 0, 0], dtype="int64")),
        dtypes=(*ALL, *COMPLEX),
    ),
)
"""All samples of this module."""
