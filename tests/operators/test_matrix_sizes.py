"""Decompositions of real matrices, small ones, which are done without LAPACK, and larger ones, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tscript

SIZES = (1, 2, 3, 8, 9, 12)
DTYPES = ("float32", "float64")

Array = np.ndarray[Any, Any]


def given(*shape: int, dtype: str, seed: int = 0) -> Array:
    """Random numbers; each first element is 0, so that rows are exchanged."""
    found = np.random.default_rng(seed).standard_normal(shape).astype(dtype)
    found[..., 0, 0] = 0
    return found


def close(found: Any, expected: Array, dtype: str) -> None:
    """Compare with NumPy's, relative to the greatest element."""
    bound = 2e-4 if dtype == "float32" else 1e-11
    np.testing.assert_allclose(found.numpy(), expected, atol=bound * max(1.0, float(np.abs(expected).max(initial=0))))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", SIZES)
def test_systems(n: int, dtype: str) -> None:
    a, b = given(4, n, n, dtype=dtype) + 2 * np.eye(n, dtype=dtype)[::-1], given(4, n, 3, dtype=dtype, seed=1)
    x, y = tscript.from_numpy(a), tscript.from_numpy(b)
    close(tscript.linalg.det(x), np.linalg.det(a), dtype)
    close(tscript.matmul(x, tscript.linalg.inv(x)), np.broadcast_to(np.eye(n), a.shape), dtype)
    close(tscript.matmul(x, tscript.linalg.solve(x, y)), b, dtype)
    packed, pivots = tscript.linalg.lu_factor(x)
    close(tscript.matmul(x, tscript.linalg.lu_solve(packed, pivots, y)), b, dtype)
    close(tscript.matmul(x.mT, tscript.linalg.lu_solve(packed, pivots, y, adjoint=True)), b, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", SIZES)
def test_cholesky(n: int, dtype: str) -> None:
    a = given(4, n, n, dtype=dtype)
    a = a @ a.swapaxes(1, 2) + np.eye(n, dtype=dtype)
    lower = tscript.linalg.cholesky(tscript.from_numpy(a))
    close(lower, np.linalg.cholesky(a), dtype)
    close(tscript.linalg.cholesky(tscript.from_numpy(a), upper=True), np.linalg.cholesky(a).swapaxes(1, 2), dtype)
    a[2, n - 1, n - 1] = -1
    assert tscript.linalg.cholesky_ex(tscript.from_numpy(a)).info.tolist() == [0, 0, n, 0]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("m", "n"), [(1, 1), (3, 3), (5, 2), (2, 5), (8, 8), (9, 4), (4, 9), (12, 12)])
def test_qr(m: int, n: int, dtype: str) -> None:
    a = given(3, m, n, dtype=dtype)
    a[1, :, 0] = 0  # a column that needs no reflector
    for mode in ("reduced", "complete"):
        q, r = tscript.linalg.qr(tscript.from_numpy(a), mode)
        close(tscript.matmul(q, r), a, dtype)
        close(tscript.matmul(q.mT, q), np.broadcast_to(np.eye(q.size(-1)), (3, q.size(-1), q.size(-1))), dtype)
        close(r, np.triu(r.numpy()), dtype)


@pytest.mark.parametrize("n", [3, 8, 9])
def test_singular(n: int) -> None:
    a = np.ones((2, n, n))
    assert tscript.linalg.inv_ex(tscript.from_numpy(a)).info.tolist() == [2, 2]
    assert tscript.linalg.det(tscript.from_numpy(a)).tolist() == [0.0, 0.0]
    with pytest.raises(RuntimeError, match="singular"):
        tscript.linalg.inv(tscript.from_numpy(a))


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_lengths_do_not_overflow(scale: float) -> None:
    a = given(3, 3, dtype="float64")
    _, expected = tscript.linalg.qr(tscript.from_numpy(a))
    _, found = tscript.linalg.qr(tscript.from_numpy(a * scale))
    close(found / scale, expected.numpy(), "float64")
