"""Tensors made of several: columns, products of each with each, powers, all choices of elements. All are composites."""

# mypy: disable-error-code="no-any-return,no-untyped-def,operator,misc"

from __future__ import annotations

from tscript.definitions.define import composite
from tscript.definitions.language import Size, Tensor, generic, torch
from tscript.definitions.opdef import FACTORY, SEVERAL, OpDef
from tscript.operators.tensor.pieces import GRID, GRID_OF_LIST
from tscript.operators.tensor.rearranged import wrapped
from tscript.types import DType


def rot90(self: Tensor, k: int, dims: Size) -> Tensor:
    """The plane of two dimensions turned by 90 degrees, from the first towards the second, in a new tensor.

    Args:
        input: Of two dimensions or more.
        k: How often; the other way round if negative.
        dims: The two dimensions.

    Raises:
        IndexError: A dimension is out of range.
        RuntimeError: There are not two, or they are the same.

    Example:
        >>> tscript.rot90(tscript.tensor([[1, 2], [3, 4]])).tolist()
        [[2, 4], [1, 3]]
    """
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if self.dim() < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {self.dim()}")
    first, second = wrapped(self, dims[0]), wrapped(self, dims[1])
    if first == second:
        raise RuntimeError(f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}")
    turns = k % 4
    if turns == 1:
        return self.flip(second).transpose(first, second).contiguous()
    if turns == 2:
        return self.flip((first, second))
    if turns == 3:
        return self.flip(first).transpose(first, second).contiguous()
    return self.clone()


@generic
def columns(tensors) -> Tensor:
    """Tensors next to each other, vectors as columns."""
    if len(tensors) == 0:
        raise RuntimeError("column_stack expects a non-empty TensorList")
    return torch.cat([t.reshape(t.numel(), 1) if t.dim() <= 1 else t for t in tensors], 1)


def column_stack(tensors: tuple[Tensor, ...]) -> Tensor:
    """Tensors joined along the second dimension; vectors are columns.

    Args:
        tensors: A tuple or list. Their dtypes are promoted.

    Raises:
        RuntimeError: There are none, or sizes differ.

    Example:
        >>> tscript.column_stack((tscript.tensor([1, 2]), tscript.tensor([3, 4]))).tolist()
        [[1, 3], [2, 4]]
    """
    return columns(tensors)


def column_stack_list(tensors: list[Tensor]) -> Tensor:
    return columns(tensors)


def kron(self: Tensor, other: Tensor) -> Tensor:
    """The Kronecker product: each element of a tensor times all of another.

    Args:
        input, other: Of any shapes; that with fewer dimensions gets further ones of size 1 in front.

    Example:
        >>> tscript.kron(tscript.tensor([1, 10]), tscript.tensor([1, 2])).tolist()
        [1, 2, 10, 20]
    """
    rank = max(self.dim(), other.dim())
    outer, inner = self, other
    whole = [1 for _i in range(rank)]
    for _i in range(rank - self.dim()):
        outer = outer.unsqueeze(0)
    for _i in range(rank - other.dim()):
        inner = inner.unsqueeze(0)
    for d in range(rank):
        outer = outer.unsqueeze(2 * d + 1)
        inner = inner.unsqueeze(2 * d)
        whole[d] = outer.size(2 * d) * inner.size(2 * d + 1)
    return (outer * inner).reshape(whole)


def vander(x: Tensor, N: int | None, increasing: bool) -> Tensor:
    """The powers of the elements of a vector, a row for each: a Vandermonde matrix.

    Args:
        x: A vector.
        N: How many powers; as many as there are elements if None.
        increasing: Whether the powers grow from left to right.

    Raises:
        RuntimeError: `x` is no vector, or `N` is negative.

    Example:
        >>> tscript.vander(tscript.tensor([1, 2, 3]), 2).tolist()
        [[1, 1], [2, 1], [3, 1]]
    """
    if x.dim() != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    count = x.size(0) if N is None else N
    if count < 0:
        raise RuntimeError("N must be non-negative.")
    base = x if x.is_floating_point() or x.is_complex() else x.to(torch.int64)
    out = torch.ones_like(base).unsqueeze(1).expand(x.size(0), count).clone()
    if count > 1:
        rest = out.narrow(1, 1, count - 1)
        rest.copy_(base.unsqueeze(1).expand(rest.size()).cumprod(1))
    return out if increasing else out.flip(1)


@generic
def points(tensors, grid) -> Tensor:
    """All points of a grid, in rows."""
    if len(tensors) == 1:
        return tensors[0].clone()
    return torch.stack([side.reshape(-1) for side in grid], 1)


@generic
def check_vectors(tensors) -> None:
    for t in tensors:
        if t.dim() != 1:
            raise RuntimeError(f"Expect a 1D vector, but got shape {t.shape}")


def cartesian_prod(tensors: tuple[Tensor, ...]) -> Tensor:
    """All combinations of one element of each vector, in rows; of one vector the vector itself.

    Args:
        tensors: Vectors of one dtype, one by one.

    Raises:
        RuntimeError: There are none, one is no vector, or dtypes differ.

    Example:
        >>> tscript.cartesian_prod(tscript.tensor([1, 2]), tscript.tensor([3, 4])).tolist()
        [[1, 3], [1, 4], [2, 3], [2, 4]]
    """
    check_vectors(tensors)
    return points(tensors, GRID(tensors, 0))


def cartesian_prod_of_list(tensors: list[Tensor]) -> Tensor:
    check_vectors(tensors)
    return points(tensors, GRID_OF_LIST(tensors, 0))


def combinations(self: Tensor, r: int, with_replacement: bool) -> Tensor:
    """All choices of `r` elements of a vector, in rows, as `itertools.combinations` orders them.

    Args:
        input: A vector.
        r: How many elements.
        with_replacement: Whether an element may be chosen several times.

    Raises:
        RuntimeError: `r` is negative, or the input is no vector.

    Example:
        >>> tscript.combinations(tscript.tensor([1, 2, 3])).tolist()
        [[1, 2], [1, 3], [2, 3]]
    """
    if self.dim() != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {self.shape}")
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return self.new_empty((0,))
    # Rows grow by one index at a time: each goes on with those behind its last one.
    n = self.size(0)
    chosen = torch.arange(n).unsqueeze(1)
    for _i in range(1, r):
        last = chosen.select(1, chosen.size(1) - 1)
        first = last if with_replacement else last + 1
        rows, following = torch.nonzero(torch.arange(n) >= first.unsqueeze(1)).unbind(1)
        chosen = torch.cat((chosen.index_select(0, rows), following.unsqueeze(1)), 1)
    return self[chosen]


def logspace(start: float, end: float, steps: int, base: float, dtype: DType | None) -> Tensor:
    """Powers of `base`, with `steps` exponents from `start` to `end`, both included.

    Args:
        start, end: The first and the last exponent.
        steps: How many.
        base: What is raised to them.
        dtype: The default dtype if it is left out.

    Raises:
        RuntimeError: `steps` is negative.

    Example:
        >>> tscript.logspace(0, 3, 4).tolist()
        [1.0, 10.0, 100.0, 1000.0]
    """
    if dtype is not None:
        if not (dtype.is_floating_point or dtype.is_complex):
            # Of ints, the exponents at both ends are cut to ints.
            whole = torch.linspace(float(int(start)), float(int(end)), steps, dtype=torch.float64)
            return torch.pow(base, whole).to(dtype)
    powers = torch.pow(base, torch.linspace(start, end, steps, dtype=torch.float64))
    return powers.to(torch.get_default_dtype()) if dtype is None else powers.to(dtype)


@generic
def end_point(x, operator: str, name: str):
    """The number of one end, which a tensor without dimensions may hold."""
    if isinstance(x, Tensor):
        if x.dim() != 0:
            raise RuntimeError(
                f"{operator} only supports 0-dimensional start and end tensors, but got {name} with {x.dim()} "
                "dimension(s)."
            )
        return float(x)
    return x


@generic
def linspace_of(start, end, steps, dtype) -> Tensor:
    return torch.linspace(end_point(start, "linspace", "start"), end_point(end, "linspace", "end"), steps, dtype=dtype)


@generic
def logspace_of(start, end, steps, base, dtype) -> Tensor:
    return torch.logspace(
        end_point(start, "logspace", "start"), end_point(end, "logspace", "end"), steps, base, dtype=dtype
    )


def linspace_tensors(start: Tensor, end: Tensor, steps: int, dtype: DType | None) -> Tensor:
    return linspace_of(start, end, steps, dtype)


def linspace_from(start: Tensor, end: float, steps: int, dtype: DType | None) -> Tensor:
    return linspace_of(start, end, steps, dtype)


def linspace_to(start: float, end: Tensor, steps: int, dtype: DType | None) -> Tensor:
    return linspace_of(start, end, steps, dtype)


def logspace_tensors(start: Tensor, end: Tensor, steps: int, base: float, dtype: DType | None) -> Tensor:
    return logspace_of(start, end, steps, base, dtype)


def logspace_from(start: Tensor, end: float, steps: int, base: float, dtype: DType | None) -> Tensor:
    return logspace_of(start, end, steps, base, dtype)


def logspace_to(start: float, end: Tensor, steps: int, base: float, dtype: DType | None) -> Tensor:
    return logspace_of(start, end, steps, base, dtype)


_ENDS = (
    ("Tensor_Tensor", "Tensor start, Tensor end", linspace_tensors, logspace_tensors),
    ("Tensor_Scalar", "Tensor start, Scalar end", linspace_from, logspace_from),
    ("Scalar_Tensor", "Scalar start, Tensor end", linspace_to, logspace_to),
)

OPERATORS: tuple[OpDef, ...] = (
    composite("rot90(Tensor self, int k=1, int[] dims=[0, 1]) -> Tensor", rot90, names="rot90 out=no"),
    composite("column_stack(Tensor[] tensors) -> Tensor", column_stack, names="torch.column_stack out=no"),
    composite(
        "column_stack.list(list tensors) -> Tensor",
        column_stack_list,
        "Tensors of a list joined along the second dimension; vectors are columns.",
        names="torch.column_stack out=no",
    ),
    composite("kron(Tensor self, Tensor other) -> Tensor", kron),
    composite("vander(Tensor x, int? N=None, bool increasing=False) -> Tensor", vander, names="torch.vander out=no"),
    composite(
        "cartesian_prod(Tensor[] tensors) -> Tensor",
        cartesian_prod,
        names="torch.cartesian_prod out=no",
        tags=(SEVERAL,),
    ),
    composite(
        "cartesian_prod.list(list tensors) -> Tensor",
        cartesian_prod_of_list,
        "All combinations of one element of each vector of a list.",
        names="torch.cartesian_prod out=no",
    ),
    composite(
        "combinations(Tensor self, int r=2, bool with_replacement=False) -> Tensor",
        combinations,
        names="torch.combinations out=no",
    ),
    composite(
        "logspace(float start, float end, int steps, float base=10.0, *, dtype? dtype=None) -> Tensor",
        logspace,
        names="torch.logspace",
        tags=(FACTORY,),
    ),
    *(
        composite(
            f"linspace.{overload}({ends}, int steps, *, dtype? dtype=None) -> Tensor",
            body,
            "`steps` numbers between those of tensors without dimensions, both included.",
            names="torch.linspace",
            tags=(FACTORY,),
        )
        for overload, ends, body, _powers in _ENDS
    ),
    *(
        composite(
            f"logspace.{overload}({ends}, int steps, float base=10.0, *, dtype? dtype=None) -> Tensor",
            body,
            "Powers of `base`, with exponents between those of tensors without dimensions, both included.",
            names="torch.logspace",
            tags=(FACTORY,),
        )
        for overload, ends, _numbers, body in _ENDS
    ),
)
"""All operators of this module."""
