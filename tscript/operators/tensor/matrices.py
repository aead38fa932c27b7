"""`tscript.linalg`: determinants, inverses and solutions, by the decompositions of LU and Cholesky.

Each matrix of a stack is looked at by itself.
"""

# mypy: disable-error-code="operator,no-untyped-def"

from __future__ import annotations

from tscript.definitions.define import composite
from tscript.definitions.language import Tensor, generic, torch
from tscript.definitions.opdef import OpDef
from tscript.operators.tensor.decompositions import CHOLESKY, LU_FACTOR, LU_SOLVE, TRIANGULAR

LETTER_C, LETTER_L, LETTER_N, LETTER_T, LETTER_U = 67, 76, 78, 84, 85

# ---- checks


def check_matrix(a: Tensor, name: str) -> None:
    """Refuse what is no stack of matrices of floats or complex numbers."""
    if a.dim() < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions, it has {a.dim()}")
    if not (a.dtype == torch.float32 or a.dtype == torch.float64 or a.is_complex()):
        raise RuntimeError(f"{name}: Expected float32, float64, complex64 or complex128, got {a.dtype}")


def check_square(a: Tensor, name: str) -> None:
    check_matrix(a, name)
    if a.size(-1) != a.size(-2):
        raise RuntimeError(
            f"{name}: A must be batches of square matrices, but they are {a.size(-2)} by {a.size(-1)} matrices"
        )


def check_same(a: Tensor, b: Tensor, name: str) -> None:
    if a.dtype != b.dtype:
        raise RuntimeError(f"{name}: Expected A and B to have the same dtype, but found {a.dtype} and {b.dtype}")


def check_finite(a: Tensor, name: str) -> None:
    if not bool(torch.isfinite(a).all()):
        raise RuntimeError(
            f"{name}: The algorithm failed to converge because the input matrix contained non-finite values"
        )


def check_converged(info: Tensor, name: str) -> None:
    if bool((info != 0).any()):
        raise RuntimeError(f"{name}: The algorithm failed to converge: the input is ill-conditioned")


def check_regular(info: Tensor, name: str) -> None:
    """Refuse singular matrices, of whose decompositions `info` is."""
    if bool((info != 0).any()):
        which = first_wrong(info)
        raise RuntimeError(
            f"{name}: {which[0]}The diagonal element {which[1]} is zero, the solve could not be completed because the "
            "input matrix is singular"
        )


def first_wrong(info: Tensor) -> tuple[str, int]:
    """The matrix that LAPACK complains of first, for a message, and what it said."""
    flat = info.flatten()
    i = int((flat != 0).to(torch.int64).argmax())
    return ("" if info.dim() == 0 else f"(Batch element {i}): "), int(flat[i])


@generic
def empty_info(a):
    """Zeros, one int for each matrix."""
    return torch.zeros(a.shape[:-2], dtype=torch.int64)


def by_columns(a: Tensor) -> Tensor:
    """A new tensor of the transposed matrices: that of `a` by columns."""
    return a.transpose(-2, -1).clone(memory_format=torch.contiguous_format)


def turned(a: Tensor) -> Tensor:
    """Adjoint matrices."""
    return a.transpose(-2, -1).conj() if a.is_complex() else a.transpose(-2, -1)


@generic
def real_like(a, size):
    """Room for real numbers of the precision of `a`."""
    if a.dtype == torch.float64 or a.dtype == torch.complex128:
        return torch.empty(size, dtype=torch.float64)
    return torch.empty(size, dtype=torch.float32)


# ---- LU


def decomposed(a: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The LU decomposition by columns, the pivots from 1 on, and what LAPACK says."""
    lu = by_columns(a)
    pivots = torch.zeros([*a.shape[:-2], min(a.size(-1), a.size(-2))], dtype=torch.int64)
    info = empty_info(a)
    LU_FACTOR(lu, pivots, info)
    return lu, pivots, info


def sign_of(pivots: Tensor) -> Tensor:
    """1 for an even number of exchanges, -1 for an odd one."""
    moved = (pivots != torch.arange(1, pivots.size(-1) + 1)).sum(-1)
    return 1 - 2 * (moved % 2)


def det(A: Tensor) -> Tensor:
    """Determinants.

    Args:
        A: Matrices, of shape ``(..., N, N)``, of floats or complex numbers.

    Raises:
        RuntimeError: They are not square, or not of such a dtype.

    Example:
        >>> tscript.linalg.det(tscript.tensor([[2.0, 0.0], [1.0, 3.0]])).item()
        6.0
    """
    check_square(A, "linalg.det")
    lu, pivots, _ = decomposed(A)
    return lu.diagonal(0, -2, -1).prod(-1) * sign_of(pivots).to(A.dtype)


def slogdet(A: Tensor) -> tuple[Tensor, Tensor]:
    """Signs of determinants, and logarithms of their absolute values.

    Example:
        >>> sign, logabsdet = tscript.linalg.slogdet(tscript.tensor([[-2.0]]))
        >>> sign.item(), round(logabsdet.item(), 4)
        (-1.0, 0.6931)
    """
    check_square(A, "linalg.slogdet")
    lu, pivots, _ = decomposed(A)
    diagonal = lu.diagonal(0, -2, -1)
    return torch.sgn(diagonal).prod(-1) * sign_of(pivots).to(A.dtype), diagonal.abs().log().sum(-1)


def logdet(input: Tensor) -> Tensor:
    """Logarithms of determinants, NaN where they are negative."""
    check_square(input, "logdet")
    lu, pivots, _ = decomposed(input)
    diagonal = lu.diagonal(0, -2, -1)
    if input.is_complex():
        return diagonal.log().sum(-1) + sign_of(pivots).to(input.dtype).log()
    sign = torch.sgn(diagonal).prod(-1) * sign_of(pivots).to(input.dtype)
    found = diagonal.abs().log().sum(-1)
    return torch.where(sign < 0, float("nan"), found)


def solve_decomposed(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """Solutions of ``a @ x = b`` for stacks of matrices of the same sizes, and what LAPACK says."""
    lu, pivots, info = decomposed(a)
    x = by_columns(b)
    LU_SOLVE(lu, pivots, x, torch.empty([a.size(-1)], dtype=torch.int64), LETTER_N)
    return x.transpose(-2, -1), info


def solve_by(a: Tensor, b: Tensor, name: str) -> Tensor:
    """Solutions of ``a @ x = b`` for stacks of matrices of the same sizes."""
    x, info = solve_decomposed(a, b)
    check_regular(info, name)
    return x


def inv(A: Tensor) -> Tensor:
    """Inverse matrices.

    Args:
        A: Matrices, of shape ``(..., N, N)``, of floats or complex numbers.

    Raises:
        RuntimeError: A matrix is singular, or they are not square.

    Example:
        >>> tscript.linalg.inv(tscript.tensor([[2.0, 0.0], [0.0, 4.0]])).tolist()
        [[0.5, 0.0], [0.0, 0.25]]
    """
    check_square(A, "linalg.inv")
    unit = torch.eye(A.size(-1), dtype=A.dtype).expand(A.shape)
    return solve_by(A, unit, "linalg.inv")


def inv_ex(A: Tensor, check_errors: bool) -> tuple[Tensor, Tensor]:
    """Inverse matrices, and 0 for each of them, or the diagonal element that is zero."""
    check_square(A, "linalg.inv_ex")
    lu, pivots, info = decomposed(A)
    if check_errors:
        check_regular(info, "linalg.inv_ex")
    x = torch.eye(A.size(-1), dtype=A.dtype).expand(A.shape).clone(memory_format=torch.contiguous_format)
    LU_SOLVE(lu, pivots, x, torch.empty([A.size(-1)], dtype=torch.int64), LETTER_N)
    return x.transpose(-2, -1), info.to(torch.int32)


def batch_sizes(a: Tensor, b: Tensor, name: str) -> list[int]:
    """The sizes of two stacks of matrices, broadcast."""
    sizes: list[int] = []
    n, m = a.dim() - 2, b.dim() - 2
    for i in range(max(n, m)):
        at_a, at_b = i + n - max(n, m), i + m - max(n, m)
        x = a.size(at_a) if at_a >= 0 else 1
        y = b.size(at_b) if at_b >= 0 else 1
        if x != y and x != 1 and y != 1:
            raise RuntimeError(f"{name}: the stacks of matrices have {x} and {y} parts, which do not broadcast")
        sizes.append(y if x == 1 else x)
    return sizes


def is_vector(a: Tensor, b: Tensor) -> bool:
    """Whether `b` is a stack of vectors for a stack of matrices, as `torch.linalg.solve` has it."""
    if b.dim() == 1:
        return True
    if a.dim() - 1 != b.dim():
        return False
    same = True
    for i in range(b.dim()):
        same = same and b.size(i) == a.size(i)
    return same


def solve(A: Tensor, B: Tensor, left: bool) -> Tensor:
    """Solutions of ``A @ X = B``.

    Args:
        A: Matrices, of shape ``(..., N, N)``, of floats or complex numbers.
        B: Of shape ``(..., N, K)``, or vectors of shape ``(..., N)``; of the dtype of `A`.
        left: False: of ``X @ A = B`` instead.

    Raises:
        RuntimeError: A matrix is singular, or shapes or dtypes do not go together.

    Example:
        >>> a, b = tscript.tensor([[2.0, 0.0], [0.0, 4.0]]), tscript.tensor([2.0, 2.0])
        >>> tscript.linalg.solve(a, b).tolist()
        [1.0, 0.5]
    """
    check_square(A, "linalg.solve")
    check_same(A, B, "linalg.solve")
    if not left:
        return solve_left(A.transpose(-2, -1), B.transpose(-2, -1)).transpose(-2, -1)
    if is_vector(A, B):
        return solve_left(A, B.unsqueeze(-1)).squeeze(-1)
    return solve_left(A, B)


def solve_left(A: Tensor, B: Tensor) -> Tensor:
    """Solutions of ``A @ X = B``."""
    if B.dim() < 2 or B.size(-2) != A.size(-1):
        raise RuntimeError(f"linalg.solve: Incompatible shapes of A and B: {tuple(A.shape)} and {tuple(B.shape)}")
    sizes = batch_sizes(A, B, "linalg.solve")
    return solve_by(
        A.expand([*sizes, A.size(-2), A.size(-1)]), B.expand([*sizes, B.size(-2), B.size(-1)]), "linalg.solve"
    )


def lu_factor(A: Tensor, pivot: bool) -> tuple[Tensor, Tensor]:
    """The LU decomposition with partial pivoting, packed.

    Returns:
        Both triangles in one matrix, and the rows that were exchanged, counted from 1.

    Example:
        >>> tscript.linalg.lu_factor(tscript.tensor([[1.0, 2.0], [4.0, 4.0]])).pivots.tolist()
        [2, 2]
    """
    check_matrix(A, "linalg.lu_factor")
    if not pivot:
        raise RuntimeError("linalg.lu_factor: LU without pivoting is not implemented on the CPU")
    lu, pivots, _ = decomposed(A)
    return lu.transpose(-2, -1), pivots.to(torch.int32)


def order_of(pivots: Tensor, rows: int) -> Tensor:
    """Where each row comes from after exchanges."""
    flat = pivots.reshape(-1, pivots.size(-1))
    order = torch.arange(rows).expand(flat.size(0), rows).clone()
    for i in range(flat.size(0)):
        for k in range(flat.size(1)):
            other = int(flat[i, k]) - 1
            kept = int(order[i, k])
            order[i, k] = int(order[i, other])
            order[i, other] = kept
    return order.reshape([*pivots.shape[:-1], rows])


def lu(A: Tensor, pivot: bool) -> tuple[Tensor, Tensor, Tensor]:
    """The LU decomposition with partial pivoting: ``A = P @ L @ U``.

    Example:
        >>> P, L, U = tscript.linalg.lu(tscript.tensor([[1.0, 2.0], [4.0, 4.0]]))
        >>> (P @ L @ U).tolist()
        [[1.0, 2.0], [4.0, 4.0]]
    """
    check_matrix(A, "linalg.lu")
    if not pivot:
        raise RuntimeError("linalg.lu: LU without pivoting is not implemented on the CPU")
    found, pivots, _ = decomposed(A)
    both = found.transpose(-2, -1)
    m, n = A.size(-2), A.size(-1)
    k = min(m, n)
    lower = torch.tril(both.narrow(-1, 0, k), -1) + torch.eye(m, k, dtype=A.dtype)
    order = order_of(pivots, m)
    P = (torch.arange(m).unsqueeze(-1) == order.unsqueeze(-2)).to(A.dtype)
    return P, lower, torch.triu(both.narrow(-2, 0, k))


def lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, left: bool, adjoint: bool) -> Tensor:
    """Solutions of ``A @ X = B``, of an LU decomposition of `A`.

    Args:
        LU, pivots: What `lu_factor` gives.
        B: Of shape ``(..., N, K)``.
        left: False: of ``X @ A = B``.
        adjoint: Whether the adjoint of `A` is meant.
    """
    if not left:
        return turned(lu_solve_left(LU, pivots, turned(B), not adjoint))
    return lu_solve_left(LU, pivots, B, adjoint)


def lu_solve_left(LU: Tensor, pivots: Tensor, B: Tensor, adjoint: bool) -> Tensor:
    """Solutions of ``A @ X = B``, or of the adjoint of `A`."""
    check_square(LU, "linalg.lu_solve")
    check_same(LU, B, "linalg.lu_solve")
    if B.dim() < 2 or B.size(-2) != LU.size(-1) or pivots.size(-1) != LU.size(-1):
        raise RuntimeError(
            f"linalg.lu_solve: Incompatible shapes of LU, pivots and B: {tuple(LU.shape)}, {tuple(pivots.shape)} and "
            f"{tuple(B.shape)}"
        )
    if bool(((pivots < 1) | (pivots > LU.size(-1))).any()):
        raise RuntimeError(f"linalg.lu_solve: pivots must be from 1 to {LU.size(-1)}, as lu_factor gives them")
    sizes = batch_sizes(LU, B, "linalg.lu_solve")
    n = LU.size(-1)
    x = by_columns(B.expand([*sizes, n, B.size(-1)]))
    factors = by_columns(LU.expand([*sizes, n, n]))
    rows = pivots.to(torch.int64).expand([*sizes, n]).contiguous()
    LU_SOLVE(factors, rows, x, torch.empty([n], dtype=torch.int64), LETTER_C if adjoint else LETTER_N)
    return x.transpose(-2, -1)


# ---- Cholesky


def lower_of(a: Tensor) -> tuple[Tensor, Tensor]:
    """Lower triangles of Cholesky decompositions, and what LAPACK says."""
    found = a.clone(memory_format=torch.contiguous_format)
    info = empty_info(a)
    CHOLESKY(found, info, LETTER_U)
    return torch.tril(found), info


def cholesky(A: Tensor, upper: bool) -> Tensor:
    """The Cholesky decomposition of positive definite matrices: ``A = L @ L.mH``.

    Args:
        A: Matrices, of shape ``(..., N, N)``, of which the lower triangle is read.
        upper: Whether the adjoint of ``L`` is wanted.

    Raises:
        RuntimeError: A matrix is not positive definite, or they are not square.

    Example:
        >>> tscript.linalg.cholesky(tscript.tensor([[4.0, 2.0], [2.0, 5.0]])).tolist()
        [[2.0, 0.0], [1.0, 2.0]]
    """
    check_square(A, "linalg.cholesky")
    found, info = lower_of(turned(A) if upper else A)
    if bool((info != 0).any()):
        which = first_wrong(info)
        raise RuntimeError(
            f"linalg.cholesky: {which[0]}The factorization could not be completed because the input is not "
            f"positive-definite (the leading minor of order {which[1]} is not positive-definite)"
        )
    return turned(found) if upper else found


def old_cholesky(self: Tensor, upper: bool) -> Tensor:
    """`linalg.cholesky`."""
    return cholesky(self, upper)


def cholesky_ex(A: Tensor, upper: bool, check_errors: bool) -> tuple[Tensor, Tensor]:
    """The Cholesky decomposition, and 0 for each matrix, or the order of its first minor that is not positive."""
    check_square(A, "linalg.cholesky_ex")
    found, info = lower_of(turned(A) if upper else A)
    if check_errors and bool((info != 0).any()):
        raise RuntimeError("linalg.cholesky_ex: the input is not positive-definite")
    return (turned(found) if upper else found), info.to(torch.int32)


def cholesky_solve(self: Tensor, L: Tensor, upper: bool) -> Tensor:
    """Solutions of ``A @ X = B`` for the right hand sides `self`, of a Cholesky decomposition of `A`."""
    lower = turned(L) if upper else L
    return triangle_left(turned(lower), triangle_left(lower, self, False, False), True, False)


def cholesky_inverse(self: Tensor, upper: bool) -> Tensor:
    """Inverse matrices, of their Cholesky decomposition."""
    check_square(self, "cholesky_inverse")
    return cholesky_solve(torch.eye(self.size(-1), dtype=self.dtype), self, upper)


def solve_triangular(A: Tensor, B: Tensor, upper: bool, left: bool, unitriangular: bool) -> Tensor:
    """Solutions of ``A @ X = B`` for triangles `A`.

    Args:
        A: Matrices, of shape ``(..., N, N)``, of which one triangle is read.
        B: Of shape ``(..., N, K)``.
        upper: Which.
        left: False: of ``X @ A = B``.
        unitriangular: Whether the diagonal is taken for ones.

    Example:
        >>> a, b = tscript.tensor([[2.0, 0.0], [2.0, 1.0]]), tscript.tensor([[2.0], [3.0]])
        >>> tscript.linalg.solve_triangular(a, b, upper=False).tolist()
        [[1.0], [1.0]]
    """
    if not left:
        return triangle_left(A.transpose(-2, -1), B.transpose(-2, -1), not upper, unitriangular).transpose(-2, -1)
    return triangle_left(A, B, upper, unitriangular)


def triangle_left(A: Tensor, B: Tensor, upper: bool, unitriangular: bool) -> Tensor:
    """Solutions of ``A @ X = B``."""
    check_square(A, "linalg.solve_triangular")
    check_same(A, B, "linalg.solve_triangular")
    if B.dim() < 2 or B.size(-2) != A.size(-1):
        raise RuntimeError(
            f"linalg.solve_triangular: Incompatible shapes of A and B: {tuple(A.shape)} and {tuple(B.shape)}"
        )
    sizes = batch_sizes(A, B, "linalg.solve_triangular")
    # the other triangle by rows is this one by columns
    a = A.expand([*sizes, A.size(-2), A.size(-1)]).contiguous()
    x = by_columns(B.expand([*sizes, B.size(-2), B.size(-1)]))
    info = torch.zeros(sizes, dtype=torch.int64)
    TRIANGULAR(a, x, info, LETTER_L if upper else LETTER_U, LETTER_T, LETTER_U if unitriangular else LETTER_N)
    check_regular(info, "linalg.solve_triangular")
    return x.transpose(-2, -1)


def triangular_solve(
    self: Tensor, A: Tensor, upper: bool, transpose: bool, unitriangular: bool
) -> tuple[Tensor, Tensor]:
    """`solve_triangular` with the right hand side first; and a copy of `A`."""
    if transpose:
        return triangle_left(A.transpose(-2, -1), self, not upper, unitriangular), A.clone()
    return triangle_left(A, self, upper, unitriangular), A.clone()


# ---- operators


def in_linalg(schema: str, body: object, doc: str = "", names: str = "") -> OpDef:
    """An operator of ``torch.linalg``, with what else it is called."""
    name = schema.partition("(")[0].partition(".")[0].removeprefix("linalg_")
    paths = f"torch.linalg.{name} {names}".strip()
    return composite(schema, body, doc, names=paths)  # type: ignore[arg-type]


OPERATORS: tuple[OpDef, ...] = (
    in_linalg("linalg_det(Tensor A) -> Tensor", det, names="torch.det Tensor.det"),
    in_linalg(
        "linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet)", slogdet, names="torch.slogdet Tensor.slogdet"
    ),
    composite("logdet(Tensor self) -> Tensor", logdet, names="logdet out=no"),
    in_linalg("linalg_inv(Tensor A) -> Tensor", inv, names="torch.inverse Tensor.inverse"),
    in_linalg("linalg_inv_ex(Tensor A, *, bool check_errors=False) -> (Tensor inverse, Tensor info)", inv_ex),
    in_linalg("linalg_solve(Tensor A, Tensor B, *, bool left=True) -> Tensor", solve),
    in_linalg("linalg_lu_factor(Tensor A, *, bool pivot=True) -> (Tensor LU, Tensor pivots)", lu_factor),
    in_linalg("linalg_lu(Tensor A, *, bool pivot=True) -> (Tensor P, Tensor L, Tensor U)", lu),
    in_linalg(
        "linalg_lu_solve(Tensor LU, Tensor pivots, Tensor B, *, bool left=True, bool adjoint=False) -> Tensor", lu_solve
    ),
    in_linalg("linalg_cholesky(Tensor A, *, bool upper=False) -> Tensor", cholesky),
    composite("cholesky(Tensor self, bool upper=False) -> Tensor", old_cholesky, names="cholesky"),
    in_linalg(
        "linalg_cholesky_ex(Tensor A, *, bool upper=False, bool check_errors=False) -> (Tensor L, Tensor info)",
        cholesky_ex,
    ),
    composite(
        "cholesky_solve(Tensor self, Tensor L, bool upper=False) -> Tensor", cholesky_solve, names="cholesky_solve"
    ),
    composite("cholesky_inverse(Tensor self, bool upper=False) -> Tensor", cholesky_inverse, names="cholesky_inverse"),
    in_linalg(
        "linalg_solve_triangular(Tensor A, Tensor B, *, bool upper, bool left=True, bool unitriangular=False) "
        "-> Tensor",
        solve_triangular,
    ),
    composite(
        "triangular_solve(Tensor self, Tensor A, bool upper=True, bool transpose=False, bool unitriangular=False) "
        "-> (Tensor solution, Tensor cloned_coefficient)",
        triangular_solve,
        names="triangular_solve",
    ),
)
