"""`tscript.linalg`: QR, eigenvalues, singular values and what follows from them."""

# mypy: disable-error-code="operator,no-untyped-def"

from __future__ import annotations

from tscript.definitions.define import composite
from tscript.definitions.language import Tensor, generic, torch
from tscript.definitions.opdef import OpDef
from tscript.operators.tensor.decompositions import EIG, EIGH, QR, SVD, Q
from tscript.operators.tensor.matrices import (
    LETTER_L,
    LETTER_N,
    LETTER_U,
    by_columns,
    check_converged,
    check_finite,
    check_matrix,
    check_square,
    empty_info,
    in_linalg,
    real_like,
    turned,
)

LETTER_A, LETTER_S = 65, 83

# ---- QR


def qr(A: Tensor, mode: str) -> tuple[Tensor, Tensor]:
    """The QR decomposition: ``A = Q @ R``, with orthonormal columns in ``Q`` and an upper triangle ``R``.

    Args:
        A: Matrices, of shape ``(..., M, N)``.
        mode: ``reduced``: ``Q`` has ``min(M, N)`` columns; ``complete``: ``M``; ``r``: ``Q`` is empty.

    Raises:
        RuntimeError: They are no matrices, or there is no such mode.

    Example:
        >>> Q, R = tscript.linalg.qr(tscript.tensor([[0.0, 2.0], [3.0, 0.0]]))
        >>> (Q @ R).tolist()
        [[0.0, 2.0], [3.0, 0.0]]
    """
    check_matrix(A, "linalg.qr")
    if mode != "reduced" and mode != "complete" and mode != "r":
        raise RuntimeError(f"qr received unrecognized mode '{mode}' but expected one of 'reduced', 'r', or 'complete'")
    m, n = A.size(-2), A.size(-1)
    k = min(m, n)
    found = by_columns(A)
    tau = torch.zeros([*A.shape[:-2], k], dtype=A.dtype)
    info = empty_info(A)
    QR(found, tau, info)
    rows = m if mode == "complete" else k
    R = torch.triu(found.transpose(-2, -1).narrow(-2, 0, rows))
    if mode == "r":
        return torch.empty([0], dtype=A.dtype), R
    if rows <= n:
        q = found.narrow(-2, 0, rows).contiguous()
    else:
        q = torch.zeros([*A.shape[:-2], rows, m], dtype=A.dtype)
        q.narrow(-2, 0, n).copy_(found)
    if k == 0:
        return torch.eye(m, rows, dtype=A.dtype).expand([*A.shape[:-2], m, rows]).clone(), R
    Q(q, tau, info)
    return q.transpose(-2, -1), R


def qr_some(self: Tensor, some: bool) -> tuple[Tensor, Tensor]:
    """`linalg.qr`, reduced or complete."""
    return qr(self, "reduced" if some else "complete")


# ---- eigenvalues


def hermitian(a: Tensor, UPLO: str, vectors: bool, name: str) -> tuple[Tensor, Tensor]:
    """Eigenvalues of Hermitian matrices, and their vectors by columns."""
    check_square(a, name)
    if UPLO != "L" and UPLO != "U" and UPLO != "l" and UPLO != "u":
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    check_finite(a, name)
    found = by_columns(a)
    values = real_like(a, a.shape[:-1])
    info = empty_info(a)
    EIGH(found, values, info, 1 if vectors else 0, LETTER_U if UPLO == "U" or UPLO == "u" else LETTER_L)
    check_converged(info, name)
    return values, found


def eigh(A: Tensor, UPLO: str) -> tuple[Tensor, Tensor]:
    """Eigenvalues of symmetric or Hermitian matrices, ascending, and orthonormal eigenvectors.

    Args:
        A: Matrices, of shape ``(..., N, N)``.
        UPLO: Which triangle is read, ``L`` or ``U``.

    Returns:
        Values, of shape ``(..., N)``, and vectors in the columns of matrices ``(..., N, N)``. Their signs are free.

    Raises:
        RuntimeError: They are not square, or hold NaN or infinity.

    Example:
        >>> tscript.linalg.eigh(tscript.tensor([[2.0, 0.0], [0.0, 1.0]])).eigenvalues.tolist()
        [1.0, 2.0]
    """
    values, found = hermitian(A, UPLO, True, "linalg.eigh")
    return values, found.transpose(-2, -1)


def eigvalsh(A: Tensor, UPLO: str) -> Tensor:
    """Eigenvalues of symmetric or Hermitian matrices, ascending."""
    values, _ = hermitian(A, UPLO, False, "linalg.eigvalsh")
    return values


def complexes(a: Tensor) -> Tensor:
    """Complex numbers of the same precision."""
    if a.is_complex():
        return a
    return a.to(torch.complex128 if a.dtype == torch.float64 else torch.complex64)


def eig(A: Tensor) -> tuple[Tensor, Tensor]:
    """Eigenvalues of square matrices, in no order, and eigenvectors of length 1; both complex.

    Raises:
        RuntimeError: They are not square, or hold NaN or infinity.

    Example:
        >>> tscript.linalg.eig(tscript.tensor([[0.0, 1.0], [-1.0, 0.0]])).eigenvalues.abs().tolist()
        [1.0, 1.0]
    """
    check_square(A, "linalg.eig")
    check_finite(A, "linalg.eig")
    matrix = by_columns(complexes(A))
    values = torch.empty(A.shape[:-1], dtype=matrix.dtype)
    vectors = torch.empty(A.shape, dtype=matrix.dtype)
    info = empty_info(A)
    EIG(matrix, values, vectors, info)
    check_converged(info, "linalg.eig")
    return values, vectors.transpose(-2, -1)


def eigvals(A: Tensor) -> Tensor:
    """Eigenvalues of square matrices, in no order; complex."""
    check_square(A, "linalg.eigvals")
    check_finite(A, "linalg.eigvals")
    matrix = by_columns(complexes(A))
    values = torch.empty(A.shape[:-1], dtype=matrix.dtype)
    info = empty_info(A)
    EIG(matrix, values, torch.empty([0, 0], dtype=matrix.dtype), info)
    check_converged(info, "linalg.eigvals")
    return values


# ---- singular values


def svd(A: Tensor, full_matrices: bool, driver: str | None) -> tuple[Tensor, Tensor, Tensor]:
    """Singular value decompositions: ``A = U @ diag(S) @ Vh``.

    Args:
        A: Matrices, of shape ``(..., M, N)``.
        full_matrices: Whether ``U`` and ``Vh`` are square; else they have ``min(M, N)`` columns and rows.
        driver: None; others are for other devices.

    Returns:
        ``U``, the values ``S``, descending, and ``Vh``. Signs of vectors are free.

    Raises:
        RuntimeError: They are no matrices, or hold NaN or infinity.

    Example:
        >>> U, S, Vh = tscript.linalg.svd(tscript.tensor([[0.0, 2.0], [3.0, 0.0]]))
        >>> S.tolist()
        [3.0, 2.0]
    """
    check_matrix(A, "linalg.svd")
    check_finite(A, "linalg.svd")
    if driver is not None:
        raise RuntimeError("linalg.svd: keyword argument `driver=` is only supported on other devices: leave it out")
    m, n = A.size(-2), A.size(-1)
    k = min(m, n)
    # by columns the matrix is its transpose, and what is U there is Vh here
    work = A.clone(memory_format=torch.contiguous_format)
    S = real_like(A, [*A.shape[:-2], k])
    U = torch.zeros([*A.shape[:-2], m, m if full_matrices else k], dtype=A.dtype)
    Vh = torch.zeros([*A.shape[:-2], n if full_matrices else k, n], dtype=A.dtype)
    if k == 0:
        U.diagonal(0, -2, -1).fill_(1)
        Vh.diagonal(0, -2, -1).fill_(1)
        return U, S, Vh
    info = empty_info(A)
    SVD(work, Vh, S, U, info, LETTER_A if full_matrices else LETTER_S)
    check_converged(info, "linalg.svd")
    return U, S, Vh


def svdvals(A: Tensor, driver: str | None) -> Tensor:
    """Singular values, descending."""
    check_matrix(A, "linalg.svdvals")
    check_finite(A, "linalg.svdvals")
    work = A.clone(memory_format=torch.contiguous_format)
    S = real_like(A, [*A.shape[:-2], min(A.size(-2), A.size(-1))])
    none = torch.empty([0, 0], dtype=A.dtype)
    info = empty_info(A)
    SVD(work, none, S, none.clone(), info, LETTER_N)
    check_converged(info, "linalg.svdvals")
    return S


def svd_some(self: Tensor, some: bool, compute_uv: bool) -> tuple[Tensor, Tensor, Tensor]:
    """Singular value decompositions, with ``V`` instead of its adjoint."""
    if not compute_uv:
        m, n = self.size(-2), self.size(-1)
        U = torch.zeros([*self.shape[:-2], m, m], dtype=self.dtype)
        return U, svdvals(self, None), torch.zeros([*self.shape[:-2], n, n], dtype=self.dtype)
    U, S, Vh = svd(self, not some, None)
    return U, S, turned(Vh)


def epsilon(a: Tensor) -> float:
    """The relative precision of a dtype."""
    return 2.220446049250313e-16 if a.dtype == torch.float64 or a.dtype == torch.complex128 else 1.1920928955078125e-07


def threshold(S: Tensor, largest: int, atol: float | None, rtol: float | None) -> Tensor:
    """Below which singular values count as zero."""
    relative = (0.0 if atol is not None and atol > 0 else largest * epsilon(S)) if rtol is None else rtol
    found = S.amax(-1, True) * relative if S.size(-1) > 0 else torch.zeros([*S.shape[:-1], 1], dtype=S.dtype)
    return found if atol is None else found.clamp(min=atol)


@generic
def threshold_each(S, largest, atol, rtol):
    """The same, with numbers for each matrix."""
    lowest = torch.zeros_like(S.sum(-1)) if atol is None else atol
    relative = torch.where(lowest > 0, 0.0, largest * epsilon(S)) if rtol is None else rtol
    top = S.amax(-1) if S.size(-1) > 0 else torch.zeros(S.shape[:-1], dtype=S.dtype)
    return torch.maximum(lowest.to(S.dtype), relative * top).unsqueeze(-1)


def pinv(A: Tensor, atol: float | None, rtol: float | None, hermitian: bool) -> Tensor:
    """The pseudo-inverses of Moore and Penrose.

    Args:
        A: Matrices, of shape ``(..., M, N)``.
        atol, rtol: Singular values below the larger of `atol` and `rtol` times the largest count as zero; by default
            `rtol` is ``max(M, N)`` times the precision. Numbers, or tensors with one for each matrix.
        hermitian: Whether they are symmetric or Hermitian: then the lower triangles are read.

    Raises:
        RuntimeError: They are no matrices, or with `hermitian` not square.

    Example:
        >>> tscript.linalg.pinv(tscript.tensor([[2.0, 0.0]])).tolist()
        [[0.5], [0.0]]
    """
    check_matrix(A, "linalg.pinv")
    if A.numel() == 0:
        return torch.zeros([*A.shape[:-2], A.size(-1), A.size(-2)], dtype=A.dtype)
    U, S, Vh = svd(whole(A, hermitian, "linalg.pinv"), False, None)
    return inverted(U, S, Vh, threshold(S, max(A.size(-2), A.size(-1)), atol, rtol))


def pinv_each(A: Tensor, atol: Tensor | None, rtol: Tensor | None, hermitian: bool) -> Tensor:
    """The same, with numbers for each matrix."""
    check_matrix(A, "linalg.pinv")
    if A.numel() == 0:
        return torch.zeros([*A.shape[:-2], A.size(-1), A.size(-2)], dtype=A.dtype)
    U, S, Vh = svd(whole(A, hermitian, "linalg.pinv"), False, None)
    return inverted(U, S, Vh, threshold_each(S, max(A.size(-2), A.size(-1)), atol, rtol))


def pinv_rcond(A: Tensor, rcond: float, hermitian: bool) -> Tensor:
    """The same, with a relative threshold."""
    return pinv(A, None, rcond, hermitian)


def pinv_rcond_each(A: Tensor, rcond: Tensor, hermitian: bool) -> Tensor:
    """The same, with a relative threshold for each matrix."""
    return pinv_each(A, None, rcond, hermitian)


def whole(A: Tensor, hermitian: bool, name: str) -> Tensor:
    """Matrices, of which the lower triangle is read if they are Hermitian."""
    if not hermitian:
        return A
    check_square(A, name)
    lower = torch.tril(A, -1)
    return lower + turned(lower) + torch.diag_embed(A.diagonal(0, -2, -1))


def inverted(U: Tensor, S: Tensor, Vh: Tensor, least: Tensor) -> Tensor:
    """Pseudo-inverses of decompositions, without the values that are not above `least`."""
    inverse = torch.where(least >= S, 0.0, 1.0 / S).to(U.dtype)
    return turned(Vh) @ (inverse.unsqueeze(-1) * turned(U))


def pinverse(self: Tensor, rcond: float) -> Tensor:
    """`linalg.pinv` with a relative threshold."""
    return pinv(self, None, rcond, False)


def matrix_rank(A: Tensor, atol: float | None, rtol: float | None, hermitian: bool) -> Tensor:
    """How many singular values are above a threshold: see `pinv`.

    Example:
        >>> tscript.linalg.matrix_rank(tscript.ones(3, 3)).item()
        1
    """
    check_matrix(A, "linalg.matrix_rank")
    if A.numel() == 0:
        return torch.zeros(A.shape[:-2], dtype=torch.int64)
    S = svdvals(whole(A, hermitian, "linalg.matrix_rank"), None)
    return (threshold(S, max(A.size(-2), A.size(-1)), atol, rtol) < S).sum(-1)


def matrix_rank_each(A: Tensor, atol: Tensor | None, rtol: Tensor | None, hermitian: bool) -> Tensor:
    """The same, with numbers for each matrix."""
    check_matrix(A, "linalg.matrix_rank")
    if A.numel() == 0:
        return torch.zeros(A.shape[:-2], dtype=torch.int64)
    S = svdvals(whole(A, hermitian, "linalg.matrix_rank"), None)
    return (threshold_each(S, max(A.size(-2), A.size(-1)), atol, rtol) < S).sum(-1)


def matrix_rank_tol(A: Tensor, tol: float, hermitian: bool) -> Tensor:
    """The same, with an absolute threshold."""
    return matrix_rank(A, tol, 0.0, hermitian)


def matrix_rank_tol_each(A: Tensor, tol: Tensor, hermitian: bool) -> Tensor:
    """The same, with an absolute threshold for each matrix."""
    return matrix_rank_each(A, tol, torch.zeros_like(tol), hermitian)


def lstsq(A: Tensor, B: Tensor, rcond: float | None, driver: str | None) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Least squares: the shortest ``X`` of those for which ``A @ X - B`` is shortest.

    Args:
        A: Matrices, of shape ``(..., M, N)``.
        B: Of shape ``(..., M, K)``, or vectors ``(..., M)``.
        rcond: Singular values below this times the largest count as zero; None: ``max(M, N)`` times the precision.
        driver: The routine of LAPACK whose results are given: ``gels``, ``gelsy`` (also for None), ``gelsd`` or
            ``gelss``. All are computed by singular values.

    Returns:
        The solution; sums of squares of what is left, empty unless all ranks are full, M > N and the driver is not
        ``gelsy``; ranks, empty for ``gels``; singular values, empty but for ``gelsd`` and ``gelss``.

    Raises:
        RuntimeError: There is no such driver, or shapes do not go together.

    Example:
        >>> a, b = tscript.tensor([[1.0], [1.0]]), tscript.tensor([[1.0], [3.0]])
        >>> round(tscript.linalg.lstsq(a, b).solution.item(), 4)
        2.0
    """
    check_matrix(A, "linalg.lstsq")
    name = "gelsy" if driver is None else driver
    if name != "gels" and name != "gelsy" and name != "gelsd" and name != "gelss":
        raise RuntimeError(
            f"torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss), not {name}"
        )
    vectors = B.dim() == A.dim() - 1
    solution, residuals, rank, values = least(A, B.unsqueeze(-1) if vectors else B, rcond)
    if vectors:
        solution = solution.squeeze(-1)
        residuals = residuals.squeeze(-1) if residuals.dim() > 1 else residuals
    if name == "gelsy":
        residuals = torch.empty([0], dtype=values.dtype)
    if name == "gels":
        rank = torch.empty([0], dtype=torch.int64)
    if name == "gels" or name == "gelsy":
        values = torch.empty([0], dtype=values.dtype)
    return solution, residuals, rank, values


def least(A: Tensor, B: Tensor, rcond: float | None) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """`lstsq` for matrices."""
    if B.dim() < 2 or B.size(-2) != A.size(-2):
        raise RuntimeError(
            f"linalg.lstsq: input.size(-2) should match other.size(-2), got {A.size(-2)} and {B.size(-2)}"
        )
    U, S, Vh = svd(A, False, None)
    small = threshold(S, max(A.size(-2), A.size(-1)), None, rcond) >= S
    inverse = torch.where(small, 0.0, 1.0 / S).to(A.dtype)
    X = turned(Vh) @ (inverse.unsqueeze(-1) * (turned(U) @ B))
    rank = (~small).sum(-1)
    residuals = torch.empty([0], dtype=S.dtype)
    if A.size(-2) > A.size(-1) and bool((rank == A.size(-1)).all()):
        rest = A @ X - B
        residuals = (rest.abs() * rest.abs()).sum(-2)
    return X, residuals, rank, S


# ---- operators

OPERATORS: tuple[OpDef, ...] = (
    in_linalg('linalg_qr(Tensor A, str mode="reduced") -> (Tensor Q, Tensor R)', qr),
    composite("qr(Tensor self, bool some=True) -> (Tensor Q, Tensor R)", qr_some, names="qr"),
    in_linalg('linalg_eigh(Tensor A, str UPLO="L") -> (Tensor eigenvalues, Tensor eigenvectors)', eigh),
    in_linalg('linalg_eigvalsh(Tensor A, str UPLO="L") -> Tensor', eigvalsh),
    in_linalg("linalg_eig(Tensor A) -> (Tensor eigenvalues, Tensor eigenvectors)", eig),
    in_linalg("linalg_eigvals(Tensor A) -> Tensor", eigvals),
    in_linalg(
        "linalg_svd(Tensor A, bool full_matrices=True, *, str? driver=None) -> (Tensor U, Tensor S, Tensor Vh)", svd
    ),
    composite(
        "svd(Tensor self, bool some=True, bool compute_uv=True) -> (Tensor U, Tensor S, Tensor V)",
        svd_some,
        names="svd",
    ),
    in_linalg("linalg_svdvals(Tensor A, *, str? driver=None) -> Tensor", svdvals),
    in_linalg("linalg_pinv(Tensor A, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor", pinv),
    in_linalg(
        "linalg_pinv.atol_rtol_tensor(Tensor A, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False) "
        "-> Tensor",
        pinv_each,
    ),
    in_linalg("linalg_pinv.rcond(Tensor A, float rcond, bool hermitian=False) -> Tensor", pinv_rcond),
    in_linalg("linalg_pinv.rcond_tensor(Tensor A, Tensor rcond, bool hermitian=False) -> Tensor", pinv_rcond_each),
    composite("pinverse(Tensor self, float rcond=1e-15) -> Tensor", pinverse, names="pinverse out=no"),
    in_linalg(
        "linalg_matrix_rank(Tensor A, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor",
        matrix_rank,
    ),
    in_linalg(
        "linalg_matrix_rank.atol_rtol_tensor(Tensor A, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False) "
        "-> Tensor",
        matrix_rank_each,
    ),
    in_linalg("linalg_matrix_rank.tol(Tensor A, float tol, bool hermitian=False) -> Tensor", matrix_rank_tol),
    in_linalg(
        "linalg_matrix_rank.tol_tensor(Tensor A, Tensor tol, bool hermitian=False) -> Tensor", matrix_rank_tol_each
    ),
    in_linalg(
        "linalg_lstsq(Tensor A, Tensor B, float? rcond=None, *, str? driver=None) "
        "-> (Tensor solution, Tensor residuals, Tensor rank, Tensor singular_values)",
        lstsq,
    ),
)
