"""Householder's reflectors, of which QR decompositions are made, and decompositions of low rank that use them."""

# mypy: disable-error-code="operator,no-untyped-def"

from __future__ import annotations

from tscript.definitions.define import composite
from tscript.definitions.language import Tensor, torch
from tscript.definitions.opdef import OpDef
from tscript.operators.tensor.decompositions import Q_TIMES, QR, Q
from tscript.operators.tensor.matrices import (
    LETTER_C,
    LETTER_L,
    LETTER_N,
    LETTER_T,
    by_columns,
    check_matrix,
    check_same,
    empty_info,
    in_linalg,
    turned,
)
from tscript.operators.tensor.spectral import qr, svd

LETTER_R = 82


def geqrf(self: Tensor) -> tuple[Tensor, Tensor]:
    """The QR decomposition as LAPACK's ``geqrf`` leaves it: see `linalg.qr` for the matrices themselves.

    Args:
        input: Matrices, of shape ``(..., M, N)``.

    Returns:
        ``R`` above the diagonal and the reflectors below it, in one matrix; and the factors of the reflectors, of
        shape ``(..., min(M, N))``.

    Example:
        >>> a, tau = tscript.geqrf(tscript.tensor([[3.0, 1.0], [4.0, 2.0]]))
        >>> round(abs(a[0, 0].item()), 4)
        5.0
    """
    check_matrix(self, "geqrf")
    found = by_columns(self)
    tau = torch.zeros([*self.shape[:-2], min(self.size(-2), self.size(-1))], dtype=self.dtype)
    QR(found, tau, empty_info(self))
    return found.transpose(-2, -1), tau


def check_reflectors(A: Tensor, tau: Tensor, name: str) -> None:
    """Refuse factors that do not belong to the reflectors."""
    check_matrix(A, name)
    check_same(A, tau, name)
    most = min(A.size(-2), A.size(-1))
    if tau.dim() != A.dim() - 1 or tau.size(-1) > most:
        raise RuntimeError(
            f"{name}: tau must have one dimension less than input, and at most {most} factors of reflectors; its shape "
            f"is {tuple(tau.shape)}"
        )
    for i in range(A.dim() - 2):
        if A.size(i) != tau.size(i):
            raise RuntimeError(f"{name}: the batches differ: {tuple(A.shape)} and {tuple(tau.shape)}")


def householder_product(A: Tensor, tau: Tensor) -> Tensor:
    """The first columns of the product of reflectors, ``H1 @ H2 @ …``: the ``Q`` of what `geqrf` gives.

    Args:
        A: Matrices, of shape ``(..., M, N)`` with ``M >= N``, with the reflectors below their diagonals.
        tau: Their factors, of shape ``(..., K)`` with ``K <= N``.

    Raises:
        RuntimeError: Shapes or dtypes do not go together.

    Example:
        >>> a, tau = tscript.geqrf(tscript.tensor([[0.0, 2.0], [3.0, 0.0]]))
        >>> (tscript.linalg.householder_product(a, tau) @ tscript.triu(a)).tolist()
        [[0.0, 2.0], [3.0, 0.0]]
    """
    check_reflectors(A, tau, "torch.linalg.householder_product")
    if A.size(-2) < A.size(-1):
        raise RuntimeError(
            "torch.linalg.householder_product: input.shape[-2] must be greater than or equal to input.shape[-1]"
        )
    if tau.size(-1) == 0:
        return torch.eye(A.size(-2), A.size(-1), dtype=A.dtype).expand(A.shape).clone()
    found = by_columns(A)
    Q(found, tau.contiguous(), empty_info(A))
    return found.transpose(-2, -1)


def orgqr(self: Tensor, input2: Tensor) -> Tensor:
    """`linalg.householder_product`."""
    return householder_product(self, input2)


def ormqr(self: Tensor, tau: Tensor, other: Tensor, left: bool, transpose: bool) -> Tensor:
    """A product with the square ``Q`` of reflectors, which is not made.

    Args:
        input, tau: Of shape ``(..., M, K)`` and ``(..., K)``, as `geqrf` gives them.
        other: What is multiplied: ``(..., M, N)`` if `left`, else ``(..., N, M)``.
        left: Whether ``Q`` stands to the left.
        transpose: Whether its adjoint is meant.

    Raises:
        RuntimeError: Shapes or dtypes do not go together.

    Example:
        >>> x = tscript.tensor([[0.0, 2.0], [3.0, 0.0]])
        >>> a, tau = tscript.geqrf(x)
        >>> tscript.ormqr(a, tau, tscript.triu(a)).tolist()
        [[0.0, 2.0], [3.0, 0.0]]
    """
    check_reflectors(self, tau, "torch.ormqr")
    check_same(self, other, "torch.ormqr")
    if other.dim() != self.dim():
        raise RuntimeError(f"torch.ormqr: other must have {self.dim()} dimensions, as input; it has {other.dim()}")
    side = -2 if left else -1
    if other.size(side) != self.size(-2):
        raise RuntimeError(
            f"torch.ormqr: other.shape[{side}] must be equal to input.shape[-2], but they are {other.size(side)} and "
            f"{self.size(-2)}"
        )
    for i in range(self.dim() - 2):
        if self.size(i) != other.size(i):
            raise RuntimeError(f"torch.ormqr: the batches differ: {tuple(self.shape)} and {tuple(other.shape)}")
    found = by_columns(other)
    letter = (LETTER_C if self.is_complex() else LETTER_T) if transpose else LETTER_N
    reflectors = by_columns(self.narrow(-1, 0, tau.size(-1)))
    if tau.size(-1) > 0:
        Q_TIMES(reflectors, tau.contiguous(), found, LETTER_L if left else LETTER_R, letter)
    return found.transpose(-2, -1)


# ---- low rank


def range_of(A: Tensor, q: int, niter: int) -> Tensor:
    """Orthonormal columns near whose span the matrices are: Halko, Martinsson and Tropp, "Finding structure with
    randomness" (2009), algorithm 4.4, https://arxiv.org/abs/0909.4061."""
    Q, _ = qr(A @ torch.randn([A.size(-1), q], dtype=A.dtype), "reduced")
    for _ in range(niter):
        back, _ = qr(turned(A) @ Q, "reduced")
        Q, _ = qr(A @ back, "reduced")
    return Q


def svd_lowrank(A: Tensor, q: int, niter: int, M: Tensor | None) -> tuple[Tensor, Tensor, Tensor]:
    """The largest singular values and their vectors, by random projections: ``A`` is near ``U @ diag(S) @ V.mH``.

    Args:
        A: Matrices, of shape ``(..., M, N)``.
        q: How many; at most both sizes. Some more than are wanted make it more accurate.
        niter: How often the projection is refined.
        M: What is subtracted from the matrices, of their shape or a shape that goes to it.

    Returns:
        ``U``, the values ``S``, descending, and ``V``.

    Raises:
        ValueError: There are not so many values, or `niter` is negative.

    Example:
        >>> U, S, V = tscript.svd_lowrank(tscript.ones(4, 3), q=1)
        >>> round(S.item(), 4)
        3.4641
    """
    check_matrix(A, "svd_lowrank")
    if q < 0 or q > min(A.size(-2), A.size(-1)):
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)")
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    B = A if M is None else A - M
    if B.size(-2) < B.size(-1):
        V, S, U = lowrank_of(turned(B), q, niter)
        return U, S, V
    return lowrank_of(B, q, niter)


def lowrank_of(A: Tensor, q: int, niter: int) -> tuple[Tensor, Tensor, Tensor]:
    """`svd_lowrank` of matrices with as many rows as columns, or more."""
    Q = range_of(A, q, niter)
    U, S, Vh = svd(turned(Q) @ A, False, None)
    return Q @ U, S, turned(Vh)


def pca_lowrank(A: Tensor, q: int | None, center: bool, niter: int) -> tuple[Tensor, Tensor, Tensor]:
    """Principal components, by `svd_lowrank`: the columns of ``V`` are directions, ``S * S / (M - 1)`` variances.

    Args:
        A: Rows of observations, of shape ``(..., M, N)``.
        q: How many; 6 if left out, or both sizes allow.
        center: Whether means of columns are subtracted before.
        niter: As for `svd_lowrank`.

    Raises:
        ValueError: There are not so many components, or `niter` is negative.

    Example:
        >>> x = tscript.tensor([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]])
        >>> U, S, V = tscript.pca_lowrank(x, q=1)
        >>> round(S.item(), 4)
        3.1623
    """
    check_matrix(A, "pca_lowrank")
    wanted = min(6, A.size(-2), A.size(-1)) if q is None else q
    if wanted < 0 or wanted > min(A.size(-2), A.size(-1)):
        raise ValueError(
            f"q(={wanted}) must be non-negative integer and not greater than min(m, n)={min(A.size(-2), A.size(-1))}"
        )
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    if center:
        return svd_lowrank(A - A.mean(-2, True), wanted, niter, None)
    return svd_lowrank(A, wanted, niter, None)


OPERATORS: tuple[OpDef, ...] = (
    composite("geqrf(Tensor self) -> (Tensor a, Tensor tau)", geqrf, names="geqrf"),
    in_linalg("linalg_householder_product(Tensor A, Tensor tau) -> Tensor", householder_product, names="input=A"),
    composite("orgqr(Tensor self, Tensor input2) -> Tensor", orgqr, names="orgqr"),
    composite(
        "ormqr(Tensor self, Tensor tau, Tensor other, bool left=True, bool transpose=False) -> Tensor",
        ormqr,
        names="ormqr",
    ),
    composite(
        "svd_lowrank(Tensor A, int q=6, int niter=2, Tensor? M=None) -> (Tensor U, Tensor S, Tensor V)",
        svd_lowrank,
        names="torch.svd_lowrank out=no",
        world=True,
    ),
    composite(
        "pca_lowrank(Tensor A, int? q=None, bool center=True, int niter=2) -> (Tensor U, Tensor S, Tensor V)",
        pca_lowrank,
        names="torch.pca_lowrank out=no",
        world=True,
    ),
)
"""All operators of this module."""
