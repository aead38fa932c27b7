"""Other forms of LU decompositions and solutions, chains of products, and small matrices of `tscript.linalg`."""

# mypy: disable-error-code="operator,no-untyped-def"

from __future__ import annotations

from tscript.definitions.define import composite
from tscript.definitions.language import Tensor, torch
from tscript.definitions.opdef import SEVERAL, OpDef
from tscript.operators.tensor.matrices import (
    batch_sizes,
    check_matrix,
    check_regular,
    check_same,
    check_square,
    decomposed,
    in_linalg,
    is_vector,
    lu_solve_left,
    order_of,
    solve_decomposed,
)

# ---- LU


def lu_factor_ex(A: Tensor, pivot: bool, check_errors: bool) -> tuple[Tensor, Tensor, Tensor]:
    """The LU decomposition of `lu_factor`, and 0 for each matrix, or the diagonal element that is zero.

    Args:
        A: Matrices, of shape ``(..., M, N)``.
        pivot: True: rows are exchanged.
        check_errors: Whether a zero on the diagonal is an error.

    Raises:
        RuntimeError: There is one, and `check_errors`.

    Example:
        >>> tscript.linalg.lu_factor_ex(tscript.tensor([[1.0, 2.0], [4.0, 4.0]])).info.item()
        0
    """
    check_matrix(A, "linalg.lu_factor_ex")
    if not pivot:
        raise RuntimeError("linalg.lu_factor_ex: LU without pivoting is not implemented on the CPU")
    lu, pivots, info = decomposed(A)
    if check_errors:
        check_regular(info, "linalg.lu_factor_ex")
    return lu.transpose(-2, -1), pivots.to(torch.int32), info.to(torch.int32)


def lu(A: Tensor, pivot: bool, get_infos: bool) -> tuple[Tensor, Tensor]:
    """`linalg.lu_factor`; with `get_infos` also what `linalg.lu_factor_ex` gives besides."""
    found, pivots, _ = lu_factor_ex(A, pivot, False)
    return found, pivots


def lu_with_infos(A: Tensor, pivot: bool, get_infos: bool) -> tuple[Tensor, Tensor, Tensor]:
    """`linalg.lu_factor_ex`."""
    return lu_factor_ex(A, pivot, False)


def lu_solve(self: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
    """Solutions of ``A @ X = b`` for the right hand sides `input`, of an LU decomposition: see `linalg.lu_solve`."""
    return lu_solve_left(LU_data, LU_pivots, self, False)


def lu_unpack(
    LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool, unpack_pivots: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """The matrices of an LU decomposition that `linalg.lu_factor` gives: ``A = P @ L @ U``.

    Args:
        LU_data: Both triangles, of shape ``(..., M, N)``.
        LU_pivots: The rows that were exchanged, counted from 1.
        unpack_data: Whether ``L`` and ``U`` are wanted; else they are empty.
        unpack_pivots: Whether ``P`` is.

    Raises:
        RuntimeError: Pivots are no int32, or no rows.

    Example:
        >>> LU, pivots = tscript.linalg.lu_factor(tscript.tensor([[1.0, 2.0], [4.0, 4.0]]))
        >>> P, L, U = tscript.lu_unpack(LU, pivots)
        >>> (P @ L @ U).tolist()
        [[1.0, 2.0], [4.0, 4.0]]
    """
    check_matrix(LU_data, "lu_unpack")
    m, n = LU_data.size(-2), LU_data.size(-1)
    k = min(m, n)
    P = torch.empty([0], dtype=LU_data.dtype)
    lower, upper = P.clone(), P.clone()
    if unpack_data:
        lower = torch.tril(LU_data.narrow(-1, 0, k), -1) + torch.eye(m, k, dtype=LU_data.dtype)
        upper = torch.triu(LU_data.narrow(-2, 0, k))
    if unpack_pivots:
        if LU_pivots.dtype != torch.int32:
            raise RuntimeError(
                f"torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype, not "
                f"{LU_pivots.dtype}: pass what linalg.lu_factor gives"
            )
        if bool(((LU_pivots < 1) | (LU_pivots > m)).any()):
            raise RuntimeError(f"torch.lu_unpack: pivots must be from 1 to {m}, as lu_factor gives them")
        order = order_of(LU_pivots, m)
        P = (torch.arange(m).unsqueeze(-1) == order.unsqueeze(-2)).to(LU_data.dtype)
    return P, lower, upper


# ---- solutions


def solve_ex(A: Tensor, B: Tensor, left: bool, check_errors: bool) -> tuple[Tensor, Tensor]:
    """Solutions as of `linalg.solve`, and 0 for each matrix, or the diagonal element that is zero.

    Args:
        A, B, left: As for `linalg.solve`.
        check_errors: Whether a singular matrix is an error; else its solutions are not finite.

    Raises:
        RuntimeError: A matrix is singular and `check_errors`, or shapes or dtypes do not go together.

    Example:
        >>> a, b = tscript.tensor([[2.0, 0.0], [0.0, 4.0]]), tscript.tensor([2.0, 2.0])
        >>> tscript.linalg.solve_ex(a, b).result.tolist()
        [1.0, 0.5]
    """
    check_square(A, "linalg.solve_ex")
    check_same(A, B, "linalg.solve_ex")
    if not left:
        found, info = solve_pair(A.transpose(-2, -1), B.transpose(-2, -1), check_errors)
        return found.transpose(-2, -1), info
    if is_vector(A, B):
        found, info = solve_pair(A, B.unsqueeze(-1), check_errors)
        return found.squeeze(-1), info
    return solve_pair(A, B, check_errors)


def solve_pair(A: Tensor, B: Tensor, check_errors: bool) -> tuple[Tensor, Tensor]:
    """`solve_ex` of matrices."""
    if B.dim() < 2 or B.size(-2) != A.size(-1):
        raise RuntimeError(f"linalg.solve_ex: Incompatible shapes of A and B: {tuple(A.shape)} and {tuple(B.shape)}")
    sizes = batch_sizes(A, B, "linalg.solve_ex")
    x, info = solve_decomposed(A.expand([*sizes, A.size(-2), A.size(-1)]), B.expand([*sizes, B.size(-2), B.size(-1)]))
    if check_errors:
        check_regular(info, "linalg.solve_ex")
    return x, info.to(torch.int32)


# ---- products


def multi_dot(tensors: list[Tensor]) -> Tensor:
    """The product of several matrices, in the order that takes the fewest multiplications.

    The order is that of the usual program: Cormen, Leiserson, Rivest and Stein, "Introduction to Algorithms", 15.2.

    Args:
        tensors: Two or more matrices. The first and the last may be vectors: a row and a column.

    Raises:
        RuntimeError: There are fewer than two, or their dimensions or sizes do not go together.

    Example:
        >>> a, b, c = tscript.ones(2, 3), tscript.ones(3, 4), tscript.ones(4)
        >>> tscript.linalg.multi_dot([a, b, c]).tolist()
        [12.0, 12.0]
    """
    return in_best_order(list(tensors))


def in_best_order(tensors: list[Tensor]) -> Tensor:
    """`multi_dot` of a list."""
    n = len(tensors)
    if n < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {n}")
    matrices: list[Tensor] = []
    for i in range(n):
        x = tensors[i]
        if x.dim() == 1 and (i == 0 or i == n - 1):
            matrices.append(x.unsqueeze(0 if i == 0 else 1))
        elif x.dim() == 2:
            matrices.append(x)
        else:
            raise RuntimeError(
                f"multi_dot(): tensor {i} must be {'1D or ' if i == 0 or i == n - 1 else ''}2D but got {x.dim()}D"
            )
    sizes: list[int] = [matrices[0].size(0)]
    for i in range(n):
        if matrices[i].size(0) != sizes[i]:
            raise RuntimeError(
                f"multi_dot(): tensors {i - 1} and {i} with shapes {tuple(matrices[i - 1].shape)} and "
                f"{tuple(matrices[i].shape)} cannot be multiplied"
            )
        sizes.append(matrices[i].size(1))
    found = product_of(matrices, split_of(sizes), 0, n - 1, n)
    if tensors[n - 1].dim() == 1:
        found = found.squeeze(1)
    if tensors[0].dim() == 1:
        found = found.squeeze(0)
    return found


def split_of(sizes: list[int]) -> list[int]:
    """For each chain from i to j, at ``i * n + j``, where its last product is: behind which matrix."""
    n = len(sizes) - 1
    costs = [0] * (n * n)
    splits = [0] * (n * n)
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            least = -1
            for k in range(i, j):
                cost = costs[i * n + k] + costs[(k + 1) * n + j] + sizes[i] * sizes[k + 1] * sizes[j + 1]
                if least < 0 or cost < least:
                    least = cost
                    splits[i * n + j] = k
            costs[i * n + j] = least
    return splits


def product_of(matrices: list[Tensor], splits: list[int], first: int, last: int, n: int) -> Tensor:
    """The product of a chain, without recursion: parts are put on a stack until both their factors are there."""
    done: list[Tensor] = []
    todo: list[tuple[int, int, bool]] = [(first, last, False)]
    while len(todo) > 0:
        i, j, ready = todo.pop()
        if i == j:
            done.append(matrices[i])
        elif ready:
            right = done.pop()
            done.append(done.pop() @ right)
        else:
            k = splits[i * n + j]
            todo.append((i, j, True))
            todo.append((k + 1, j, False))
            todo.append((i, k, False))
    return done[0]


def chain_matmul(matrices: list[Tensor]) -> Tensor:
    """`linalg.multi_dot`; of one matrix itself."""
    if len(matrices) == 1:
        return matrices[0].clone()
    return in_best_order(list(matrices))


# ---- small matrices


def diagonal(A: Tensor, offset: int, dim1: int, dim2: int) -> Tensor:
    """A view of the diagonals of matrices: `diagonal` of the last two dimensions."""
    return A.diagonal(offset, dim1, dim2)


def vander(x: Tensor, N: int | None) -> Tensor:
    """Vandermonde's matrix: the powers of each element from 0 on, along a new last dimension.

    Args:
        x: Of shape ``(..., n)``; one number counts as a vector of one element.
        N: How many powers; n if left out.

    Raises:
        RuntimeError: There are no powers, or no elements.

    Example:
        >>> tscript.linalg.vander(tscript.tensor([2, 3]), N=3).tolist()
        [[1, 2, 4], [1, 3, 9]]
    """
    count = N if N is not None else 1 if x.dim() == 0 else x.size(-1)
    if count <= 1:
        raise RuntimeError(f"linalg.vander: N must be greater than 1, not {count}")
    rows = x.unsqueeze(-1) if x.dim() == 0 else x
    base = rows.to(torch.int64) if x.dtype == torch.bool else rows
    powers = base.unsqueeze(-1).expand([*rows.shape, count - 1]).cumprod(-1)
    return torch.cat([torch.ones([*rows.shape, 1], dtype=powers.dtype), powers], -1)


OPERATORS: tuple[OpDef, ...] = (
    in_linalg(
        "linalg_lu_factor_ex(Tensor A, *, bool pivot=True, bool check_errors=False) "
        "-> (Tensor LU, Tensor pivots, Tensor info)",
        lu_factor_ex,
    ),
    composite(
        "lu.infos(Tensor A, bool pivot=True, bool get_infos=False) -> (Tensor, Tensor, Tensor)",
        lu_with_infos,
        names="torch.lu Tensor.lu out=no",
        when={"get_infos": True},
    ),
    composite(
        "lu(Tensor A, bool pivot=True, bool get_infos=False) -> (Tensor, Tensor)",
        lu,
        names="torch.lu Tensor.lu out=no",
        when={"get_infos": False},
    ),
    composite("lu_solve(Tensor self, Tensor LU_data, Tensor LU_pivots) -> Tensor", lu_solve, names="lu_solve b=self"),
    composite(
        "lu_unpack(Tensor LU_data, Tensor LU_pivots, bool unpack_data=True, bool unpack_pivots=True) "
        "-> (Tensor P, Tensor L, Tensor U)",
        lu_unpack,
        names="torch.lu_unpack",
    ),
    in_linalg(
        "linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) "
        "-> (Tensor result, Tensor info)",
        solve_ex,
    ),
    in_linalg("linalg_multi_dot(Tensor[] tensors) -> Tensor", multi_dot),
    composite("chain_matmul(Tensor[] matrices) -> Tensor", chain_matmul, names="torch.chain_matmul", tags=(SEVERAL,)),
    in_linalg(
        "linalg_diagonal(Tensor A, *, int offset=0, int dim1=-2, int dim2=-1) -> Tensor", diagonal, names="out=no"
    ),
    in_linalg("linalg_vander(Tensor x, *, int? N=None) -> Tensor", vander, names="out=no"),
)
"""All operators of this module."""
