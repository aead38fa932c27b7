"""Distances of vectors, sums of products of matrices, derivatives. All are composites."""

# mypy: disable-error-code="no-any-return,no-untyped-def,operator"

from __future__ import annotations

from tscript.definitions.define import composite
from tscript.definitions.language import Size, Tensor, generic, torch
from tscript.definitions.opdef import OpDef
from tscript.operators.tensor.checks import SCALAR_TYPE
from tscript.operators.tensor.linalg import added
from tscript.operators.tensor.rearranged import wrapped


@generic
def lengths(apart, p: float) -> Tensor:
    """The p-norms of differences along the last dimension."""
    if p == 2:
        return (apart * apart).sum(-1).sqrt()
    if p == 0:
        return (apart != 0).to(apart.dtype).sum(-1)
    if p == 1:
        return apart.abs().sum(-1)
    if p == float("inf"):
        return apart.abs().amax(-1)
    return apart.abs().pow(p).sum(-1).pow(1 / p)


def cdist(x1: Tensor, x2: Tensor, p: float, compute_mode: str | None) -> Tensor:
    """The distance of each row of a matrix from each row of another.

    Args:
        x1, x2: Floats of the shapes ``(..., n, k)`` and ``(..., m, k)``; what stands in front is broadcast.
        p: The distance is the p-norm of the difference.
        compute_mode: Of no effect: differences are never made of products.

    Raises:
        RuntimeError: There are fewer dimensions, the rows differ in length, `p` is negative, or there are no floats.

    Example:
        >>> tscript.cdist(tscript.tensor([[0.0, 0.0]]), tscript.tensor([[3.0, 4.0], [0.0, 1.0]])).tolist()
        [[5.0, 1.0]]
    """
    if not x1.is_floating_point():
        raise RuntimeError(f"cdist only supports floating-point dtypes, X1 got: {SCALAR_TYPE(x1)}")
    if not x2.is_floating_point():
        raise RuntimeError(f"cdist only supports floating-point dtypes, X2 got: {SCALAR_TYPE(x2)}")
    if x1.dim() < 2:
        raise RuntimeError(f"cdist only supports at least 2D tensors, X1 got: {x1.dim()}D")
    if x2.dim() < 2:
        raise RuntimeError(f"cdist only supports at least 2D tensors, X2 got: {x2.dim()}D")
    if x1.size(-1) != x2.size(-1):
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: {x1.size(-1)} X2: {x2.size(-1)}")
    if not p >= 0:
        raise RuntimeError("cdist only supports non-negative p values")
    apart = x1.unsqueeze(-2) - x2.unsqueeze(-3)
    if x1.size(-1) == 0:
        return torch.zeros_like(apart.sum(-1))
    return lengths(apart, p)


def pdist(self: Tensor, p: float) -> Tensor:
    """The distance of each row of a matrix from each one behind it.

    Args:
        input: A matrix of floats.
        p: The distance is the p-norm of the difference.

    Raises:
        RuntimeError: There is no matrix, or `p` is negative.

    Example:
        >>> tscript.pdist(tscript.tensor([[0.0], [3.0], [5.0]])).tolist()
        [3.0, 5.0, 2.0]
    """
    if self.dim() != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {self.dim()}D")
    if not self.is_floating_point():
        raise RuntimeError("pdist only supports floating-point dtypes")
    if not p >= 0:
        raise RuntimeError("pdist only supports non-negative p values")
    n = self.size(0)
    places = torch.triu_indices(n, n, 1)
    apart = self.index_select(0, places.select(0, 0)) - self.index_select(0, places.select(0, 1))
    if self.size(1) == 0:
        return torch.zeros_like(apart.sum(-1))
    return lengths(apart, p)


def addbmm(self: Tensor, batch1: Tensor, batch2: Tensor, beta: int | float, alpha: int | float) -> Tensor:
    """``beta * input + alpha * `` the sum of the products of matrices: the formula of `torch.addbmm`.

    Args:
        input: Is expanded to the shape of a product.
        batch1, batch2: Of the shapes ``(b, n, k)`` and ``(b, k, m)``.
        beta: 0 to leave the input out, whatever it holds.
        alpha: What the sum is multiplied by.

    Raises:
        RuntimeError: The dimensions or sizes do not go together, or the dtypes differ.

    Example:
        >>> tscript.addbmm(tscript.ones(1, 1), tscript.ones(3, 1, 2), tscript.ones(3, 2, 1)).tolist()
        [[7.0]]
    """
    product = batch1.bmm(batch2).sum(0).to(batch1.dtype)
    whole = self.expand(product.size())
    if self.dtype != product.dtype:
        raise RuntimeError(f"expected scalar type {SCALAR_TYPE(self)} but found {SCALAR_TYPE(product)}")
    return added(whole, product, beta, alpha)


# ---- gradients


@generic
def gradient_along(x, d: int, spacing: float, edge_order: int) -> Tensor:
    """The derivative along one dimension, of points at one distance."""
    n = x.size(d)
    if n < edge_order + 1:
        raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")
    step = 1 / spacing
    wide = x if x.is_floating_point() or x.is_complex() else x.to(torch.get_default_dtype())
    first = (wide.narrow(d, 1, 1) - wide.narrow(d, 0, 1)) * step
    last = (wide.narrow(d, n - 1, 1) - wide.narrow(d, n - 2, 1)) * step
    if edge_order == 2:
        first = (wide.narrow(d, 1, 1) * 2 - wide.narrow(d, 0, 1) * 1.5 - wide.narrow(d, 2, 1) * 0.5) * step
        last = (wide.narrow(d, n - 1, 1) * 1.5 - wide.narrow(d, n - 2, 1) * 2 + wide.narrow(d, n - 3, 1) * 0.5) * step
    middle = (wide.narrow(d, 2, n - 2) - wide.narrow(d, 0, n - 2)) * (0.5 * step)
    return torch.cat((first, middle, last), d)


@generic
def gradients(self, spacing: float, dims: list[int], edge_order: int) -> tuple[Tensor, ...]:
    if edge_order != 1 and edge_order != 2:
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    found = [gradient_along(self, d, spacing, edge_order) for d in dims]
    return torch.stack(found).unbind(0)


def gradient(self: Tensor, spacing: float | None, dim: int | None, edge_order: int) -> tuple[Tensor, ...]:
    """Derivatives of a function along dimensions: differences of its values at neighbouring points.

    Args:
        input: The values.
        spacing: The distance, 1 if left out; or for each dimension a distance, or a vector of the places of its points.
        dim: The dimension, or several; all if left out.
        edge_order: 1 or 2: how many neighbours the first and the last point take.

    Returns:
        A tensor for each dimension.

    Raises:
        IndexError: A dimension is out of range.
        RuntimeError: A dimension is too small, or `edge_order` is another.

    Example:
        >>> (slope,) = tscript.gradient(tscript.tensor([1.0, 2.0, 4.0, 8.0]))
        >>> slope.tolist()
        [1.0, 1.5, 3.0, 4.0]
    """
    dims = [i for i in range(self.dim() if dim is None else 1)]  # noqa: C416
    if dim is not None:
        dims[0] = wrapped(self, dim)
    return gradients(self, 1.0 if spacing is None else spacing, dims, edge_order)


def gradient_of_dims(self: Tensor, spacing: float | None, dim: Size, edge_order: int) -> tuple[Tensor, ...]:
    """Derivatives along several dimensions; see `gradient`."""
    dims = [0 for _i in range(len(dim))]
    if len(dim) > 0:
        for i in range(len(dim)):
            dims[i] = wrapped(self, dim[i])
    return gradients(self, 1.0 if spacing is None else spacing, dims, edge_order)


def gradient_spacings(
    self: Tensor, spacing: tuple[float, ...], dim: Size | None, edge_order: int
) -> tuple[Tensor, ...]:
    """Derivatives along dimensions, each with a distance of its own; see `gradient`."""
    if edge_order != 1 and edge_order != 2:
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    count = self.dim() if dim is None else len(dim)
    if len(spacing) != count:
        raise RuntimeError(
            f"torch.gradient expected spacing to be unspecified, a scalar, or a list of length {count}, but got "
            f"{len(spacing)}"
        )
    dims = [i for i in range(count)]  # noqa: C416
    if dim is not None:
        for i in range(count):
            dims[i] = wrapped(self, dim[i])
    found = [gradient_along(self, dims[i], spacing[i], edge_order) for i in range(count)]
    return torch.stack(found).unbind(0)


@generic
def between(x, y):
    """The weights of three points, by the distances of the second from the first and of the third from the second."""
    return -y / (x * (x + y)), (y - x) / (x * y), x / (y * (x + y))


@generic
def gradient_at(x, d: int, points, edge_order: int) -> Tensor:
    """The derivative along one dimension, of points at given places.

    Of three points that is the derivative of the parabola through them.
    """
    n = x.size(d)
    if points.dim() != 1:
        raise RuntimeError(
            "torch.gradient expected each element of spacing to have one dimension, but got an element with "
            f"{points.dim()} dimensions"
        )
    if n < edge_order + 1:
        raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")
    if points.size(0) != n:
        raise RuntimeError(f"torch.gradient expected {n} places along dimension {d}, but got {points.size(0)}")
    wide = (x if x.is_floating_point() or x.is_complex() else x.to(torch.get_default_dtype())).movedim(d, -1)
    apart = points.narrow(0, 1, n - 1) - points.narrow(0, 0, n - 1)
    gaps = apart.to(torch.get_default_dtype()) if not x.is_floating_point() and not apart.is_floating_point() else apart
    left, right = gaps.narrow(0, 0, n - 2), gaps.narrow(0, 1, n - 2)
    before, at, after = wide.narrow(-1, 0, n - 2), wide.narrow(-1, 1, n - 2), wide.narrow(-1, 2, n - 2)
    a, b, c = between(left, right)
    middle = before * a + at * b + after * c
    if edge_order == 2:
        p, q = gaps.narrow(0, 0, 1), gaps.narrow(0, 1, 1)
        first = (
            wide.narrow(-1, 0, 1) * (-(p * 2 + q) / (p * (p + q)))
            + wide.narrow(-1, 1, 1) * ((p + q) / (p * q))
            - wide.narrow(-1, 2, 1) * (p / (q * (p + q)))
        )
        p, q = gaps.narrow(0, n - 3, 1), gaps.narrow(0, n - 2, 1)
        last = (
            wide.narrow(-1, n - 3, 1) * (q / (p * (p + q)))
            - wide.narrow(-1, n - 2, 1) * ((p + q) / (p * q))
            + wide.narrow(-1, n - 1, 1) * ((q * 2 + p) / (q * (p + q)))
        )
    else:
        first = (wide.narrow(-1, 1, 1) - wide.narrow(-1, 0, 1)) / gaps.narrow(0, 0, 1)
        last = (wide.narrow(-1, n - 1, 1) - wide.narrow(-1, n - 2, 1)) / gaps.narrow(0, n - 2, 1)
    return torch.cat((first, middle, last), -1).movedim(-1, d)


@generic
def gradient_places(self, spacing, dim, edge_order: int) -> tuple[Tensor, ...]:
    """Derivatives along dimensions, at the places of points; see `gradient`."""
    if edge_order != 1 and edge_order != 2:
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    count = self.dim() if dim is None else len(dim)
    points = [p for p in spacing]  # noqa: C416
    if len(points) != count:
        raise RuntimeError(
            f"torch.gradient expected spacing to be unspecified, a scalar, or a list of length {count}, but got "
            f"{len(points)}"
        )
    dims = [i for i in range(count)]  # noqa: C416
    if dim is not None:
        for i in range(count):
            dims[i] = wrapped(self, dim[i])
    found = [gradient_at(self, dims[i], points[i], edge_order) for i in range(count)]
    return torch.stack(found).unbind(0)


def gradient_tensors(
    self: Tensor, spacing: tuple[Tensor, ...], dim: Size | None, edge_order: int
) -> tuple[Tensor, ...]:
    return gradient_places(self, spacing, dim, edge_order)


def gradient_list(self: Tensor, spacing: list[Tensor], dim: Size | None, edge_order: int) -> tuple[Tensor, ...]:
    return gradient_places(self, spacing, dim, edge_order)


_PLACES = "Derivatives along dimensions, of points whose places along each are a vector; see `gradient`."
_SCALED = "*, Scalar beta=1, Scalar alpha=1"

OPERATORS: tuple[OpDef, ...] = (
    composite(
        "cdist(Tensor x1, Tensor x2, float p=2.0, str? compute_mode=None) -> Tensor",
        cdist,
        names="torch.cdist out=no",
    ),
    composite("pdist(Tensor self, float p=2.0) -> Tensor", pdist, names="torch.pdist F.pdist out=no"),
    composite(f"addbmm(Tensor self, Tensor batch1, Tensor batch2, {_SCALED}) -> Tensor", addbmm),
    composite(
        "gradient(Tensor self, *, float? spacing=None, int? dim=None, int edge_order=1) -> Tensor[]",
        gradient,
        names="torch.gradient",
    ),
    composite(
        "gradient.dims(Tensor self, *, float? spacing=None, int[] dim, int edge_order=1) -> Tensor[]",
        gradient_of_dims,
        names="torch.gradient",
    ),
    composite(
        "gradient.spacings(Tensor self, *, float[] spacing, int[1]? dim=None, int edge_order=1) -> Tensor[]",
        gradient_spacings,
        names="torch.gradient",
    ),
    composite(
        "gradient.tensors(Tensor self, *, Tensor[] spacing, int[1]? dim=None, int edge_order=1) -> Tensor[]",
        gradient_tensors,
        _PLACES,
        names="torch.gradient",
    ),
    composite(
        "gradient.list(Tensor self, *, list spacing, int[1]? dim=None, int edge_order=1) -> Tensor[]",
        gradient_list,
        _PLACES,
        names="torch.gradient",
    ),
)
"""All operators of this module."""
