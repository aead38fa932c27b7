# Written from the definitions of operators: 'pytest --update tests/test_catalogue.py' writes it anew.
# mypy: disable-error-code="overload-overlap, overload-cannot-match, override, assignment, no-redef, valid-type, misc"

import builtins
from collections.abc import Iterator, Sequence
from typing import Any, overload

from tscript import Tensor, return_types
from tscript.types import DType as _dtype

_Number = builtins.bool | builtins.int | builtins.float | builtins.complex
_AnyDType = _dtype | builtins.type[builtins.float]

def cholesky(A: Tensor, *, upper: builtins.bool = ..., out: Tensor | None = ...) -> Tensor: """The Cholesky decomposition of positive definite matrices: ``A = L @ L.mH``."""
def cholesky_ex(A: Tensor, *, upper: builtins.bool = ..., check_errors: builtins.bool = ..., out: tuple[Tensor, ...] | None = ...) -> return_types.linalg_cholesky_ex: """The Cholesky decomposition, and 0 for each matrix, or the order of its first minor that is not positive."""
@overload
def cond(A: Tensor, p: builtins.float | None = ..., *, out: Tensor | None = ...) -> Tensor: """Condition numbers: norms of matrices times those of their inverses."""
@overload
def cond(A: Tensor, p: builtins.str, *, out: Tensor | None = ...) -> Tensor: ...
def cross(input: Tensor, other: Tensor, dim: builtins.int = ...) -> Tensor: """Cross products of vectors of three elements: the formula of `torch.linalg.cross`."""
def det(A: Tensor, *, out: Tensor | None = ...) -> Tensor: """Determinants."""
def diagonal(A: Tensor, *, offset: builtins.int = ..., dim1: builtins.int = ..., dim2: builtins.int = ...) -> Tensor: """A view of the diagonals of matrices: `diagonal` of the last two dimensions."""
def eig(A: Tensor, *, out: tuple[Tensor, ...] | None = ...) -> return_types.linalg_eig: """Eigenvalues of square matrices, in no order, and eigenvectors of length 1; both complex."""
def eigh(A: Tensor, UPLO: builtins.str = ..., *, out: tuple[Tensor, ...] | None = ...) -> return_types.linalg_eigh: """Eigenvalues of symmetric or Hermitian matrices, ascending, and orthonormal eigenvectors."""
def eigvals(A: Tensor, *, out: Tensor | None = ...) -> Tensor: """Eigenvalues of square matrices, in no order; complex."""
def eigvalsh(A: Tensor, UPLO: builtins.str = ..., *, out: Tensor | None = ...) -> Tensor: """Eigenvalues of symmetric or Hermitian matrices, ascending."""
def householder_product(A: Tensor, tau: Tensor, *, out: Tensor | None = ...) -> Tensor: """The first columns of the product of reflectors, ``H1 @ H2 @ …``: the ``Q`` of what `geqrf` gives."""
def inv(A: Tensor, *, out: Tensor | None = ...) -> Tensor: """Inverse matrices."""
def inv_ex(A: Tensor, *, check_errors: builtins.bool = ..., out: tuple[Tensor, ...] | None = ...) -> return_types.linalg_inv_ex: """Inverse matrices, and 0 for each of them, or the diagonal element that is zero."""
def ldl_factor(A: Tensor, *, hermitian: builtins.bool = ..., out: tuple[Tensor, ...] | None = ...) -> return_types.linalg_ldl_factor: """The LDL decomposition of symmetric matrices, packed, with the pivots of Bunch and Kaufman."""
def ldl_factor_ex(A: Tensor, *, hermitian: builtins.bool = ..., check_errors: builtins.bool = ..., out: tuple[Tensor, ...] | None = ...) -> return_types.linalg_ldl_factor_ex: """The LDL decomposition of `linalg.ldl_factor`, and 0 for each matrix, or which block of the diagonal is zero."""
def ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: builtins.bool = ..., out: Tensor | None = ...) -> Tensor: """Solutions of ``A @ X = B``, of an LDL decomposition of `A`."""
def lstsq(A: Tensor, B: Tensor, rcond: builtins.float | None = ..., *, driver: builtins.str | None = ..., out: tuple[Tensor, ...] | None = ...) -> return_types.linalg_lstsq: """Least squares: the shortest ``X`` of those for which ``A @ X - B`` is shortest."""
def lu(A: Tensor, *, pivot: builtins.bool = ..., out: tuple[Tensor, ...] | None = ...) -> return_types.linalg_lu: """The LU decomposition with partial pivoting: ``A = P @ L @ U``."""
def lu_factor(A: Tensor, *, pivot: builtins.bool = ..., out: tuple[Tensor, ...] | None = ...) -> return_types.linalg_lu_factor: """The LU decomposition with partial pivoting, packed."""
def lu_factor_ex(A: Tensor, *, pivot: builtins.bool = ..., check_errors: builtins.bool = ..., out: tuple[Tensor, ...] | None = ...) -> return_types.linalg_lu_factor_ex: """The LU decomposition of `lu_factor`, and 0 for each matrix, or the diagonal element that is zero."""
def lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: builtins.bool = ..., adjoint: builtins.bool = ..., out: Tensor | None = ...) -> Tensor: """Solutions of ``A @ X = B``, of an LU decomposition of `A`."""
def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = ...) -> Tensor: """Product of matrices, vectors or batches of matrices, ``self @ other``."""
def matrix_exp(A: Tensor, *, out: Tensor | None = ...) -> Tensor: """Exponentials of square matrices."""
@overload
def matrix_norm(A: Tensor, ord: _Number, dim: Sequence[builtins.int] = ..., keepdim: builtins.bool = ..., *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: """Norms of matrices."""
@overload
def matrix_norm(A: Tensor, ord: _Number, *dim: builtins.int, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: ...
@overload
def matrix_norm(A: Tensor, ord: builtins.str = ..., dim: Sequence[builtins.int] = ..., keepdim: builtins.bool = ..., *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: ...
@overload
def matrix_norm(A: Tensor, ord: builtins.str = ..., *dim: builtins.int, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: ...
def matrix_power(A: Tensor, n: builtins.int, *, out: Tensor | None = ...) -> Tensor: """Powers of square matrices; of their inverses for a negative exponent."""
@overload
def matrix_rank(A: Tensor, *, atol: builtins.float | None = ..., rtol: builtins.float | None = ..., hermitian: builtins.bool = ..., out: Tensor | None = ...) -> Tensor: """How many singular values are above a threshold: see `pinv`."""
@overload
def matrix_rank(A: Tensor, *, atol: Tensor | None = ..., rtol: Tensor | None = ..., hermitian: builtins.bool = ..., out: Tensor | None = ...) -> Tensor: ...
@overload
def matrix_rank(A: Tensor, tol: builtins.float, hermitian: builtins.bool = ..., *, out: Tensor | None = ...) -> Tensor: ...
@overload
def matrix_rank(A: Tensor, tol: Tensor, hermitian: builtins.bool = ..., *, out: Tensor | None = ...) -> Tensor: ...
def multi_dot(tensors: Sequence[Tensor], *, out: Tensor | None = ...) -> Tensor: """The product of several matrices, in the order that takes the fewest multiplications."""
@overload
def norm(A: Tensor, ord: _Number | None = ..., dim: builtins.int | Sequence[builtins.int] | None = ..., keepdim: builtins.bool = ..., *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: """Norms of vectors, or of matrices if an order is given and there are two dimensions."""
@overload
def norm(A: Tensor, ord: builtins.str, dim: Sequence[builtins.int] | None = ..., keepdim: builtins.bool = ..., *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: ...
@overload
def norm(A: Tensor, ord: builtins.str, *dim: builtins.int, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: ...
@overload
def pinv(A: Tensor, *, atol: builtins.float | None = ..., rtol: builtins.float | None = ..., hermitian: builtins.bool = ..., out: Tensor | None = ...) -> Tensor: """The pseudo-inverses of Moore and Penrose."""
@overload
def pinv(A: Tensor, *, atol: Tensor | None = ..., rtol: Tensor | None = ..., hermitian: builtins.bool = ..., out: Tensor | None = ...) -> Tensor: ...
@overload
def pinv(A: Tensor, rcond: builtins.float, hermitian: builtins.bool = ..., *, out: Tensor | None = ...) -> Tensor: ...
@overload
def pinv(A: Tensor, rcond: Tensor, hermitian: builtins.bool = ..., *, out: Tensor | None = ...) -> Tensor: ...
def qr(A: Tensor, mode: builtins.str = ..., *, out: tuple[Tensor, ...] | None = ...) -> return_types.linalg_qr: """The QR decomposition: ``A = Q @ R``, with orthonormal columns in ``Q`` and an upper triangle ``R``."""
def slogdet(A: Tensor, *, out: tuple[Tensor, ...] | None = ...) -> return_types.linalg_slogdet: """Signs of determinants, and logarithms of their absolute values."""
def solve(A: Tensor, B: Tensor, *, left: builtins.bool = ..., out: Tensor | None = ...) -> Tensor: """Solutions of ``A @ X = B``."""
def solve_ex(A: Tensor, B: Tensor, *, left: builtins.bool = ..., check_errors: builtins.bool = ..., out: tuple[Tensor, ...] | None = ...) -> return_types.linalg_solve_ex: """Solutions as of `linalg.solve`, and 0 for each matrix, or the diagonal element that is zero."""
def solve_triangular(A: Tensor, B: Tensor, *, upper: builtins.bool, left: builtins.bool = ..., unitriangular: builtins.bool = ..., out: Tensor | None = ...) -> Tensor: """Solutions of ``A @ X = B`` for triangles `A`."""
def svd(A: Tensor, full_matrices: builtins.bool = ..., *, driver: builtins.str | None = ..., out: tuple[Tensor, ...] | None = ...) -> return_types.linalg_svd: """Singular value decompositions: ``A = U @ diag(S) @ Vh``."""
def svdvals(A: Tensor, *, driver: builtins.str | None = ..., out: Tensor | None = ...) -> Tensor: """Singular values, descending."""
def tensorinv(A: Tensor, ind: builtins.int = ..., *, out: Tensor | None = ...) -> Tensor: """The inverse of a tensor as a map between tensors."""
@overload
def tensorsolve(A: Tensor, B: Tensor, dims: Sequence[builtins.int] | None = ..., *, out: Tensor | None = ...) -> Tensor: """The tensor ``X`` whose products with `A`, summed over its dimensions, are `B`."""
@overload
def tensorsolve(A: Tensor, B: Tensor, *dims: builtins.int, out: Tensor | None = ...) -> Tensor: ...
def vander(x: Tensor, *, N: builtins.int | None = ...) -> Tensor: """Vandermonde's matrix: the powers of each element from 0 on, along a new last dimension."""
def vecdot(x: Tensor, y: Tensor, *, dim: builtins.int = ..., out: Tensor | None = ...) -> Tensor: """Sums of products along a dimension, the first of which are conjugated."""
def vector_norm(input: Tensor, ord: _Number = ..., dim: builtins.int | Sequence[builtins.int] | None = ..., keepdim: builtins.bool = ..., *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: """Norm of the elements along dimensions: the sum of ``abs(x) ** ord`` to the power ``1 / ord``."""
