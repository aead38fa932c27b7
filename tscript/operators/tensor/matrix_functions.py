"""`tscript.linalg`: powers and exponentials of matrices, and their condition."""

# mypy: disable-error-code="operator,no-untyped-def"

from __future__ import annotations

from tscript.definitions.language import Tensor, torch
from tscript.definitions.opdef import OpDef
from tscript.operators.tensor.matrices import check_matrix, check_square, in_linalg, inv, inv_ex, solve_by
from tscript.operators.tensor.matrix_norms import by_name, by_order
from tscript.operators.tensor.spectral import svdvals


def matrix_power(A: Tensor, n: int) -> Tensor:
    """Powers of square matrices; of their inverses for a negative exponent.

    Example:
        >>> tscript.linalg.matrix_power(tscript.tensor([[1.0, 1.0], [0.0, 1.0]]), 3).tolist()
        [[1.0, 3.0], [0.0, 1.0]]
    """
    if A.dim() < 2 or A.size(-1) != A.size(-2):
        raise RuntimeError(f"linalg.matrix_power: A must be batches of square matrices, but they are {tuple(A.shape)}")
    base = inv(A) if n < 0 else A
    left = -n if n < 0 else n
    result = torch.eye(A.size(-1), dtype=A.dtype).expand(A.shape).clone()
    while left > 0:
        if left % 2 == 1:
            result = result @ base
        left = left // 2
        if left > 0:
            base = base @ base
    return result


def matrix_exp(A: Tensor) -> Tensor:
    """Exponentials of square matrices.

    By scaling, a Padé approximation of degree 13 and squaring: Higham, "The Scaling and Squaring Method for the Matrix
    Exponential Revisited" (2005), doi:10.1137/04061101X. It is computed with 64 bits.

    Example:
        >>> tscript.linalg.matrix_exp(tscript.zeros(2, 2)).tolist()
        [[1.0, 0.0], [0.0, 1.0]]
    """
    check_square(A, "linalg.matrix_exp")
    if A.numel() == 0:
        return A.clone()
    wide = A.to(torch.complex128 if A.is_complex() else torch.float64)
    size = wide.abs().sum(-2).amax(-1)
    # so often each matrix is halved; NaN and infinity not at all
    often = torch.where(torch.isfinite(size), (size / 5.371920351148152).log2().ceil().clamp(0.0, 1100.0), 0.0)
    a = wide * torch.exp2(-often).unsqueeze(-1).unsqueeze(-1)
    unit = torch.eye(A.size(-1), dtype=wide.dtype)
    a2 = a @ a
    a4 = a2 @ a2
    a6 = a4 @ a2
    u = a6 @ (a6 + 16380.0 * a4 + 40840800.0 * a2)
    u = u + 33522128640.0 * a6 + 10559470521600.0 * a4 + 1187353796428800.0 * a2 + 32382376266240000.0 * unit
    u = a @ u
    v = a6 @ (182.0 * a6 + 960960.0 * a4 + 1323241920.0 * a2)
    v = v + 670442572800.0 * a6 + 129060195264000.0 * a4 + 7771770303897600.0 * a2 + 64764752532480000.0 * unit
    found = solve_by(v - u, v + u, "linalg.matrix_exp")
    for k in range(int(often.max())):
        found = torch.where((often > k).unsqueeze(-1).unsqueeze(-1), found @ found, found)
    return found.to(A.dtype)


def cond(A: Tensor, p: float | None) -> Tensor:
    """Condition numbers: norms of matrices times those of their inverses.

    Args:
        A: Matrices; square ones but for None, 2 and -2.
        p: The norm, see `matrix_norm`. None and 2: the largest singular value over the smallest, -2 the inverse.

    Raises:
        RuntimeError: There is no such norm, or matrices are not square.

    Example:
        >>> tscript.linalg.cond(tscript.tensor([[2.0, 0.0], [0.0, 4.0]]), 1).item()
        2.0
    """
    check_matrix(A, "linalg.cond")
    if p is None or p == 2 or p == -2:
        S = svdvals(A, None)
        return S[..., -1] / S[..., 0] if p == -2 else S[..., 0] / S[..., -1]
    if p != 1 and p != -1 and p != torch.inf and p != -torch.inf:
        raise RuntimeError(f"linalg.cond got an invalid norm type: {p}")
    check_square(A, "linalg.cond")
    inverse, info = inv_ex(A, False)
    found = by_order(A, p, (-2, -1), False) * by_order(inverse, p, (-2, -1), False)
    return torch.where(info != 0, torch.inf, found)


def cond_named(A: Tensor, p: str) -> Tensor:
    """The same by norms that have names."""
    check_square(A, "linalg.cond")
    if p != "fro" and p != "nuc":
        raise RuntimeError(f"linalg.cond got an invalid norm type: {p}")
    if p == "nuc":
        S = svdvals(A, None)
        return S.sum(-1) * (1.0 / S).sum(-1)
    inverse, info = inv_ex(A, False)
    found = by_name(A, p, (-2, -1), False) * by_name(inverse, p, (-2, -1), False)
    return torch.where(info != 0, torch.inf, found)


OPERATORS: tuple[OpDef, ...] = (
    in_linalg(
        "linalg_matrix_power(Tensor A, int n) -> Tensor", matrix_power, names="torch.matrix_power Tensor.matrix_power"
    ),
    in_linalg("linalg_matrix_exp(Tensor A) -> Tensor", matrix_exp, names="torch.matrix_exp Tensor.matrix_exp"),
    in_linalg("linalg_cond(Tensor A, float? p=None) -> Tensor", cond),
    in_linalg("linalg_cond.p_str(Tensor A, str p) -> Tensor", cond_named),
)
"""All operators of this module."""
