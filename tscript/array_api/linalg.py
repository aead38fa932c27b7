"""The array API standard: its extension for linear algebra, and the functions of it that the main namespace has."""

from __future__ import annotations

from typing import Any

import tscript
from tscript.array_api.tables import dims_of


def _common(x1: Any, x2: Any) -> tuple[Any, Any]:
    if x1.dtype == x2.dtype:
        return x1, x2
    wanted = tscript.promote_types(x1.dtype, x2.dtype)
    return x1.to(wanted), x2.to(wanted)


def matmul(x1: Any, x2: Any, /) -> Any:
    """Products of matrices, vectors and stacks of them."""
    return tscript.matmul(*_common(x1, x2))


def matrix_transpose(x: Any, /) -> Any:
    """The array with its last two dimensions exchanged.

    Raises:
        ValueError: There are fewer than two.
    """
    if x.ndim < 2:
        raise ValueError(f"matrix_transpose: a matrix has two dimensions, not {x.ndim}")
    return x.transpose(-2, -1)


def tensordot(x1: Any, x2: Any, /, *, axes: Any = 2) -> Any:
    """Sums of products over several dimensions."""
    dims = axes if isinstance(axes, int) else tuple(list(a) for a in axes)
    return tscript.tensordot(*_common(x1, x2), dims=dims)


def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """Sums of products along a dimension, the first of which are conjugated.

    Raises:
        ValueError: The sizes of the dimension differ.
    """
    if x1.shape[axis] != x2.shape[axis]:
        raise ValueError(f"vecdot: the sizes at axis {axis} are {x1.shape[axis]} and {x2.shape[axis]}")
    first, second = _common(x1, x2)
    if first.dtype.is_floating_point or first.dtype.is_complex:
        return tscript.linalg.vecdot(first, second, dim=axis)
    return tscript.sum(first * second, axis).to(first.dtype)


def cholesky(x: Any, /, *, upper: bool = False) -> Any:
    """The Cholesky decomposition."""
    return tscript.linalg.cholesky(x, upper=upper)


def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """Cross products."""
    first, second = tscript.broadcast_tensors([*_common(x1, x2)])
    return tscript.linalg.cross(first, second, dim=axis)


def det(x: Any, /) -> Any:
    """Determinants."""
    return tscript.linalg.det(x)


def diagonal(x: Any, /, *, offset: int = 0) -> Any:
    """Diagonals of matrices."""
    return tscript.diagonal(x, offset, -2, -1)


def eig(x: Any, /) -> Any:
    """Eigenvalues and eigenvectors."""
    return tscript.linalg.eig(x)


def eigvals(x: Any, /) -> Any:
    """Eigenvalues."""
    return tscript.linalg.eigvals(x)


def eigh(x: Any, /) -> Any:
    """Eigenvalues and eigenvectors of symmetric matrices."""
    return tscript.linalg.eigh(x)


def eigvalsh(x: Any, /) -> Any:
    """Eigenvalues of symmetric matrices."""
    return tscript.linalg.eigvalsh(x)


def inv(x: Any, /) -> Any:
    """Inverse matrices."""
    return tscript.linalg.inv(x)


def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    """Norms of matrices."""
    return tscript.linalg.matrix_norm(x, ord, keepdim=keepdims)


def matrix_power(x: Any, n: int, /) -> Any:
    """Powers of matrices."""
    return tscript.linalg.matrix_power(x, n)


def matrix_rank(x: Any, /, *, rtol: Any = None) -> Any:
    """Ranks of matrices."""
    return tscript.linalg.matrix_rank(x) if rtol is None else tscript.linalg.matrix_rank(x, rtol=rtol)


def outer(x1: Any, x2: Any, /) -> Any:
    """The products of all pairs of elements of two vectors."""
    return tscript.outer(*_common(x1, x2))


def pinv(x: Any, /, *, rtol: Any = None) -> Any:
    """Pseudo-inverses."""
    return tscript.linalg.pinv(x) if rtol is None else tscript.linalg.pinv(x, rtol=rtol)


def qr(x: Any, /, *, mode: str = "reduced") -> Any:
    """The QR decomposition."""
    return tscript.linalg.qr(x, mode)


def slogdet(x: Any, /) -> Any:
    """Signs and logarithms of determinants."""
    return tscript.linalg.slogdet(x)


def solve(x1: Any, x2: Any, /) -> Any:
    """Solutions of systems of equations: of a vector only if `x2` has one dimension."""
    first, second = _common(x1, x2)
    if second.ndim == 1:
        return tscript.linalg.solve(first, second.unsqueeze(-1)).squeeze(-1)
    if second.ndim == first.ndim - 1:  # a stack of matrices, which PyTorch may take for vectors
        second = second.unsqueeze(0)
    return tscript.linalg.solve(first, second)


def svd(x: Any, /, *, full_matrices: bool = True) -> Any:
    """The singular value decomposition."""
    return tscript.linalg.svd(x, full_matrices)


def svdvals(x: Any, /) -> Any:
    """Singular values."""
    return tscript.linalg.svdvals(x)


def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Any:
    """Sums of diagonals."""
    from tscript.array_api.statistics import sum as total

    return total(diagonal(x, offset=offset), axis=-1, dtype=dtype)


def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    """Norms of vectors, by default of all elements."""
    return tscript.linalg.vector_norm(x, ord, dims_of(axis), keepdims)


__all__ = [
    "cholesky",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]
