"""`tscript.linalg`: norms of matrices, products of several matrices, inverses of tensors."""

# mypy: disable-error-code="operator,no-untyped-def"

from __future__ import annotations

from tscript.definitions.language import Size, Tensor, generic, torch
from tscript.definitions.opdef import OpDef
from tscript.operators.tensor.matrices import in_linalg, inv, solve
from tscript.operators.tensor.spectral import svdvals
from tscript.types import DType


def values_last(A: Tensor, first: int, second: int) -> Tensor:
    """Singular values of the matrices of two dimensions."""
    return svdvals(A.movedim((first, second), (-2, -1)), None)


def in_place_of(found: Tensor, first: int, second: int, keepdim: bool) -> Tensor:
    """One number for each matrix, with dimensions of size 1 in the place of the two if they are to stay."""
    return found.unsqueeze(min(first, second)).unsqueeze(max(first, second)) if keepdim else found


@generic
def two_dims(A, dim) -> tuple[int, int]:
    """Two different dimensions, counted from 0."""
    if len(dim) != 2:
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple, it has {len(dim)} elements")
    if A.dim() < 2:
        raise RuntimeError(f"linalg.matrix_norm: The input tensor A must have at least 2 dimensions, it has {A.dim()}")
    for d in dim:
        if d < -A.dim() or d >= A.dim():
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-A.dim()}, {A.dim() - 1}], but got {d})"
            )
    first, second = dim[0] % A.dim(), dim[1] % A.dim()
    if first == second:
        raise RuntimeError(f"linalg.matrix_norm: dims must be different, but both are {dim[0]}")
    return first, second


def matrix_norm(A: Tensor, ord: float, dim: Size, keepdim: bool, dtype: DType | None) -> Tensor:
    """Norms of matrices.

    Args:
        A: Of floats or complex numbers.
        ord: ``"fro"`` (the square root of the sum of squares), ``"nuc"`` (the sum of the singular values), 2 and -2
            (the largest and smallest of them), 1 and -1 (of the sums of columns), inf and -inf (of the sums of rows).
        dim: The two dimensions of the matrices.
        keepdim: Whether they stay, with size 1.
        dtype: What the input is converted to before.

    Raises:
        RuntimeError: There is no such norm, or there are no such dimensions.

    Example:
        >>> tscript.linalg.matrix_norm(tscript.tensor([[3.0, 0.0], [0.0, 4.0]])).item()
        5.0
    """
    return by_order(A if dtype is None else A.to(dtype), ord, dim, keepdim)


@generic
def by_order(x, ord, dim, keepdim):
    """`matrix_norm`"""
    first, second = two_dims(x, dim)
    if ord == 2 or ord == -2:
        values = values_last(x, first, second)
        if ord > 0 and values.size(-1) == 0:
            return in_place_of(values.sum(-1), first, second, keepdim)
        return in_place_of(values.amax(-1) if ord > 0 else values.amin(-1), first, second, keepdim)
    if ord == torch.inf or ord == -torch.inf:
        first, second = second, first
    elif ord != 1 and ord != -1:
        raise RuntimeError(
            f"linalg.matrix_norm: Order {ord} not supported: take 1, -1, 2, -2, inf, -inf, 'fro' or 'nuc'"
        )
    sums = x.abs().sum(first, True)
    if ord > 0 and x.size(second) == 0:
        found = sums.sum(second, True)
    else:
        found = sums.amax(second, True) if ord > 0 else sums.amin(second, True)
    return found if keepdim else found.squeeze(max(first, second)).squeeze(min(first, second))


def matrix_norm_named(A: Tensor, ord: str, dim: Size, keepdim: bool, dtype: DType | None) -> Tensor:
    """Norms of matrices by their names."""
    return by_name(A if dtype is None else A.to(dtype), ord, dim, keepdim)


@generic
def by_name(x, ord, dim, keepdim):
    """`matrix_norm_named`"""
    first, second = two_dims(x, dim)
    if ord == "nuc":
        return in_place_of(values_last(x, first, second).sum(-1), first, second, keepdim)
    if ord == "fro":
        return torch.linalg.vector_norm(x, 2.0, (first, second), keepdim)
    raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported: take 1, -1, 2, -2, inf, -inf, 'fro' or 'nuc'")


def norm(A: Tensor, ord: float | None, dim: Size | None, keepdim: bool, dtype: DType | None) -> Tensor:
    """Norms of vectors, or of matrices if an order is given and there are two dimensions.

    Args:
        A: Of floats or complex numbers.
        ord: The order: see `matrix_norm` and `vector_norm`; None for the square root of the sum of squares.
        dim: One dimension, of vectors, or two, of matrices; None for all.
        keepdim: Whether they stay, with size 1.
        dtype: What the input is converted to before.

    Example:
        >>> x = tscript.tensor([[3.0, -4.0], [0.0, 2.0]])
        >>> tscript.linalg.norm(x, 1).item(), tscript.linalg.norm(x, dim=1).tolist()
        (6.0, [5.0, 2.0])
    """
    if ord is not None:
        if dim is None:
            if A.dim() == 2:
                return by_order(A if dtype is None else A.to(dtype), ord, (0, 1), keepdim)
            if A.dim() > 2:
                raise RuntimeError(
                    f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {A.dim()}D."
                )
        elif len(dim) == 2:
            return by_order(A if dtype is None else A.to(dtype), ord, dim, keepdim)
    return torch.linalg.vector_norm(A, 2.0 if ord is None else ord, dim, keepdim, dtype=dtype)


def norm_named(A: Tensor, ord: str, dim: Size | None, keepdim: bool, dtype: DType | None) -> Tensor:
    """Norms of matrices by their names."""
    x = A if dtype is None else A.to(dtype)
    if dim is None:
        return by_name(x, ord, (0, 1), keepdim)
    return by_name(x, ord, dim, keepdim)


def vecdot(x: Tensor, y: Tensor, dim: int) -> Tensor:
    """Sums of products along a dimension, the first of which are conjugated.

    Example:
        >>> tscript.linalg.vecdot(tscript.ones(2, 3), tscript.ones(2, 3)).tolist()
        [3.0, 3.0]
    """
    return ((x.conj() if x.is_complex() else x) * y).sum(dim)


def tensorinv(A: Tensor, ind: int) -> Tensor:
    """The inverse of a tensor as a map between tensors.

    Args:
        A: The product of its first `ind` sizes is that of the others.

    Example:
        >>> tscript.linalg.tensorinv(tscript.eye(4).reshape(4, 2, 2), ind=1).shape
        (2, 2, 4)
    """
    if ind <= 0:
        raise RuntimeError(f"linalg.tensorinv: Expected a strictly positive integer for 'ind', but got {ind}")
    rows, columns = 1, 1
    sizes: list[int] = []
    for i in range(ind, A.dim()):
        columns *= A.size(i)
        sizes.append(A.size(i))
    for i in range(ind):
        rows *= A.size(i)
        sizes.append(A.size(i))
    if rows != columns:
        raise RuntimeError(
            f"linalg.tensorinv: the first {ind} sizes make {rows} and the others {columns} elements; they must be equal"
        )
    return inv(A.reshape(rows, columns)).reshape(sizes)


def tensorsolve(A: Tensor, B: Tensor, dims: Size | None) -> Tensor:
    """The tensor ``X`` whose products with `A`, summed over its dimensions, are `B`.

    Args:
        A: The product of the sizes behind those of `B` is that of the sizes of `B`.
        B: The right hand side.
        dims: Dimensions of `A` that are moved to its end before.

    Raises:
        RuntimeError: Sizes do not go together, or a matrix is singular.

    Example:
        >>> tscript.linalg.tensorsolve(tscript.eye(4).reshape(2, 2, 4), tscript.ones(2, 2)).tolist()
        [1.0, 1.0, 1.0, 1.0]
    """
    if dims is not None:
        order: list[int] = []
        for i in range(len(dims)):
            order.append(i - len(dims))
        return solve_tensors(A.movedim(dims, order), B)
    return solve_tensors(A, B)


def solve_tensors(A: Tensor, B: Tensor) -> Tensor:
    """`tensorsolve` of tensors as they stand."""
    sizes: list[int] = []
    for i in range(B.dim(), A.dim()):
        sizes.append(A.size(i))
    if A.numel() != B.numel() * B.numel():
        raise RuntimeError("linalg.tensorsolve: the sizes of A behind those of B multiply to another number than B has")
    return solve(A.reshape(B.numel(), B.numel()), B.flatten(), True).reshape(sizes)


OPERATORS: tuple[OpDef, ...] = (
    in_linalg(
        "linalg_matrix_norm(Tensor A, Scalar ord, int[] dim=(-2, -1), bool keepdim=False, *, dtype? dtype=None) "
        "-> Tensor",
        matrix_norm,
    ),
    in_linalg(
        'linalg_matrix_norm.str(Tensor A, str ord="fro", int[] dim=(-2, -1), bool keepdim=False, *, '
        "dtype? dtype=None) -> Tensor",
        matrix_norm_named,
    ),
    in_linalg(
        "linalg_norm(Tensor A, Scalar? ord=None, int[1]? dim=None, bool keepdim=False, *, dtype? dtype=None) -> Tensor",
        norm,
    ),
    in_linalg(
        "linalg_norm.str(Tensor A, str ord, int[]? dim=None, bool keepdim=False, *, dtype? dtype=None) -> Tensor",
        norm_named,
    ),
    in_linalg("linalg_vecdot(Tensor x, Tensor y, *, int dim=-1) -> Tensor", vecdot),
    in_linalg("linalg_tensorinv(Tensor A, int ind=2) -> Tensor", tensorinv),
    in_linalg("linalg_tensorsolve(Tensor A, Tensor B, int[]? dims=None) -> Tensor", tensorsolve),
)
