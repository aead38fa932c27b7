"""LDL decompositions of symmetric and Hermitian matrices, definite or not, and solutions by them."""

# mypy: disable-error-code="operator,no-untyped-def"

from __future__ import annotations

from tscript.definitions.language import Tensor, torch
from tscript.definitions.opdef import OpDef
from tscript.operators.tensor.decompositions import LDL_FACTOR, LDL_SOLVE
from tscript.operators.tensor.matrices import (
    batch_sizes,
    by_columns,
    check_same,
    check_square,
    empty_info,
    first_wrong,
    in_linalg,
)


def decomposed(A: Tensor, hermitian: bool, name: str) -> tuple[Tensor, Tensor, Tensor]:
    """What `ldl_factor_ex` gives."""
    check_square(A, name)
    ld = by_columns(torch.tril(A))
    pivots = torch.zeros([*A.shape[:-2], A.size(-1)], dtype=torch.int64)
    info = empty_info(A)
    LDL_FACTOR(ld, pivots, info, 1 if hermitian and A.is_complex() else 0)
    return ld.transpose(-2, -1), pivots.to(torch.int32), info.to(torch.int32)


def check_blocks(info: Tensor, name: str) -> None:
    """Refuse decompositions with a block that is zero."""
    if bool((info != 0).any()):
        which = first_wrong(info)
        raise RuntimeError(
            f"{name}: {which[0]}The block {which[1]} of the diagonal is zero, nothing can be solved because the input "
            "matrix is singular"
        )


def ldl_factor(A: Tensor, hermitian: bool) -> tuple[Tensor, Tensor]:
    """The LDL decomposition of symmetric matrices, packed, with the pivots of Bunch and Kaufman.

    ``P @ L @ D @ L.mT @ P.mT``, where D has blocks of one or two rows: Bunch and Kaufman, "Some stable methods for
    calculating inertia and solving symmetric linear systems" (1977), as `sytrf` and `hetrf` of LAPACK.

    Args:
        A: Matrices, of shape ``(..., N, N)``, of which the lower triangles are read.
        hermitian: Whether those of complex numbers are Hermitian, not symmetric.

    Returns:
        D and what is below it of L in one triangle; and for each row with which it was exchanged, counted from 1, less
        than 0 for both rows of a block of two.

    Raises:
        RuntimeError: There are no square matrices of floats or complex numbers, or one is singular.

    Example:
        >>> LD, pivots = tscript.linalg.ldl_factor(tscript.tensor([[2.0, 1.0], [1.0, 3.0]]))
        >>> LD.tolist(), pivots.tolist()
        ([[2.0, 0.0], [0.5, 2.5]], [1, 2])
    """
    found = decomposed(A, hermitian, "linalg.ldl_factor")
    check_blocks(found[2], "linalg.ldl_factor")
    return found[0], found[1]


def ldl_factor_ex(A: Tensor, hermitian: bool, check_errors: bool) -> tuple[Tensor, Tensor, Tensor]:
    """The LDL decomposition of `linalg.ldl_factor`, and 0 for each matrix, or which block of the diagonal is zero.

    Args:
        A, hermitian: As for `linalg.ldl_factor`.
        check_errors: Whether such a block is an error.

    Raises:
        RuntimeError: There is one, and `check_errors`; or there are no square matrices of floats or complex numbers.

    Example:
        >>> tscript.linalg.ldl_factor_ex(tscript.zeros(2, 2)).info.item()
        1
    """
    found = decomposed(A, hermitian, "linalg.ldl_factor_ex")
    if check_errors:
        check_blocks(found[2], "linalg.ldl_factor_ex")
    return found


def ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, hermitian: bool) -> Tensor:
    """Solutions of ``A @ X = B``, of an LDL decomposition of `A`.

    Args:
        LD, pivots: What `linalg.ldl_factor` gives.
        B: Of shape ``(..., N, K)``, of the dtype of `LD`.
        hermitian: As it was decomposed.

    Raises:
        RuntimeError: Shapes or dtypes do not go together, or the pivots are not those of an LDL decomposition.

    Example:
        >>> LD, pivots = tscript.linalg.ldl_factor(tscript.tensor([[0.0, 2.0], [2.0, 0.0]]))
        >>> tscript.linalg.ldl_solve(LD, pivots, tscript.tensor([[2.0], [4.0]])).tolist()
        [[2.0], [1.0]]
    """
    check_square(LD, "linalg.ldl_solve")
    if B.dim() < 2:
        raise RuntimeError(f"linalg.ldl_solve: Expected B to have at least 2 dimensions, but it has {B.dim()}")
    n = LD.size(-1)
    if B.size(-2) != n:
        raise RuntimeError(
            f"linalg.ldl_solve: Incompatible matrix sizes: each LD is {n} by {n} but each B is {B.size(-2)} by "
            f"{B.size(-1)}"
        )
    if pivots.is_floating_point() or pivots.is_complex() or pivots.dtype == torch.bool:
        raise RuntimeError(f"linalg.ldl_solve: Expected pivots to be integers. Got {pivots.dtype}")
    if pivots.shape != LD.shape[:-1]:
        raise RuntimeError(
            "linalg.ldl_solve: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
            f"{tuple(pivots.shape)} instead"
        )
    check_same(LD, B, "linalg.ldl_solve")
    sizes = batch_sizes(LD, B, "linalg.ldl_solve")
    x = by_columns(B.expand([*sizes, n, B.size(-1)]))
    factors = by_columns(LD.expand([*sizes, n, n]))
    rows = pivots.to(torch.int64).expand([*sizes, n]).contiguous()
    LDL_SOLVE(factors, rows, x, torch.empty([n], dtype=torch.int64), 1 if hermitian and LD.is_complex() else 0)
    return x.transpose(-2, -1)


OPERATORS: tuple[OpDef, ...] = (
    in_linalg("linalg_ldl_factor(Tensor A, *, bool hermitian=False) -> (Tensor LD, Tensor pivots)", ldl_factor),
    in_linalg(
        "linalg_ldl_factor_ex(Tensor A, *, bool hermitian=False, bool check_errors=False) "
        "-> (Tensor LD, Tensor pivots, Tensor info)",
        ldl_factor_ex,
    ),
    in_linalg("linalg_ldl_solve(Tensor LD, Tensor pivots, Tensor B, *, bool hermitian=False) -> Tensor", ldl_solve),
)
"""All operators of this module."""
