"""Differences, integrals, quantiles and moments: composites over scans, sorting and reductions."""

# mypy: disable-error-code="no-untyped-def,no-any-return,operator"

from __future__ import annotations

from tscript.definitions.define import composite
from tscript.definitions.language import Size, Tensor, generic, torch
from tscript.definitions.opdef import OpDef
from tscript.operators.tensor.checks import check_real
from tscript.operators.tensor.order import SORT_DIM
from tscript.types import DType

# ---- differences and integrals


def diff(self: Tensor, n: int, dim: int, prepend: Tensor | None, append: Tensor | None) -> Tensor:
    """Differences of neighbours along a dimension, `n` times.

    Args:
        input: A tensor.
        n: How often.
        dim: The dimension.
        prepend, append: What is joined to it before, along the dimension.

    Raises:
        RuntimeError: There is no dimension, `n` is negative, or what is joined has other sizes.
        IndexError: The dimension is out of range.

    Example:
        >>> tscript.diff(tscript.tensor([1, 4, 9])).tolist()
        [3, 5]
    """
    if self.dim() == 0:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    if n == 0:
        return self.clone()
    found = self.clone()
    if prepend is not None:
        found = torch.cat((prepend, found), dim)
    if append is not None:
        found = torch.cat((found, append), dim)
    for _k in range(n):
        size = found.size(dim)
        if size == 0:
            return found
        after, before = found.narrow(dim, 1, size - 1), found.narrow(dim, 0, size - 1)
        if found.dtype == torch.bool:
            found = after ^ before
        else:
            found = after - before
    return found


@generic
def areas(y, x, dx, dim: int):
    """The areas of trapezoids."""
    size = y.size(dim)
    if size == 0:
        return y.narrow(dim, 0, 0) * 0.5
    pairs = y.narrow(dim, 1, size - 1) + y.narrow(dim, 0, size - 1)
    if x is None:
        return pairs * (dx * 0.5)
    if x.dim() == 1 and y.dim() > 1:
        sizes = [1 for _ in range(y.dim())]
        sizes[dim] = x.size(0) - 1
        steps = x.narrow(0, 1, x.size(0) - 1) - x.narrow(0, 0, x.size(0) - 1)
        return pairs * steps.reshape(sizes) * 0.5
    along = dim if dim < 0 else dim - y.dim()
    steps = x.narrow(along, 1, size - 1) - x.narrow(along, 0, size - 1)
    return pairs * steps * 0.5


def trapezoid(self: Tensor, dx: float, dim: int) -> Tensor:
    """The integral along a dimension by the trapezoidal rule.

    Args:
        y: The values.
        dx: How far they are apart.
        dim: The dimension.

    Raises:
        IndexError: The dimension is out of range.

    Example:
        >>> tscript.trapezoid(tscript.tensor([1.0, 2.0, 3.0])).item()
        4.0
    """
    return areas(self, None, dx, dim).sum(dim)


def trapezoid_x(self: Tensor, x: Tensor, dim: int) -> Tensor:
    """The integral along a dimension by the trapezoidal rule over the places `x`."""
    return areas(self, x, 1.0, dim).sum(dim)


def cumulative(self: Tensor, dx: float, dim: int) -> Tensor:
    """The integrals from the first place to each other one by the trapezoidal rule.

    Args:
        y: The values.
        dx: How far they are apart.
        dim: The dimension.

    Raises:
        IndexError: The dimension is out of range.

    Example:
        >>> tscript.cumulative_trapezoid(tscript.tensor([1.0, 2.0, 3.0])).tolist()
        [1.5, 4.0]
    """
    return areas(self, None, dx, dim).cumsum(dim)


def cumulative_x(self: Tensor, x: Tensor, dim: int) -> Tensor:
    """The integrals from the first place to each other one by the trapezoidal rule over the places `x`."""
    return areas(self, x, 1.0, dim).cumsum(dim)


# ---- what leaves NaN out


@generic
def without_nan(x):
    return torch.where(x != x, torch.zeros_like(x), x) if x.is_floating_point() else x


def nansum(self: Tensor, dim: Size | None, keepdim: bool, dtype: DType | None) -> Tensor:
    """The sum of what is not NaN.

    Example:
        >>> tscript.nansum(tscript.tensor([1.0, float("nan"), 2.0])).item()
        3.0
    """
    return without_nan(self).sum(dim, keepdim, dtype=dtype)


def nanmean(self: Tensor, dim: Size | None, keepdim: bool, dtype: DType | None) -> Tensor:
    """The mean of what is not NaN.

    Raises:
        RuntimeError: The input has no floats.

    Example:
        >>> tscript.nanmean(tscript.tensor([1.0, float("nan"), 2.0])).item()
        1.5
    """
    if not self.is_floating_point():
        raise RuntimeError("nanmean(): expected input to have floating point or complex dtype")
    return without_nan(self).sum(dim, keepdim, dtype=dtype) / (self == self).sum(dim, keepdim)


def aminmax(self: Tensor, dim: int | None, keepdim: bool) -> tuple[Tensor, Tensor]:
    """The least and the greatest element, of all or along a dimension.

    Raises:
        RuntimeError: There are no elements.
        IndexError: The dimension is out of range.

    Example:
        >>> low, high = tscript.aminmax(tscript.tensor([3.0, 1.0, 2.0]))
        >>> low.item(), high.item()
        (1.0, 3.0)
    """
    if dim is None:
        if self.numel() == 0:
            raise RuntimeError(
                "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."
            )
        return self.amin((), keepdim), self.amax((), keepdim)
    return self.amin(dim, keepdim), self.amax(dim, keepdim)


# ---- quantiles


@generic
def quantiles(self, q, dim, keepdim: bool, interpolation: str, is_nan_left_out: bool):
    if not self.is_floating_point():
        raise RuntimeError("quantile() input tensor must be either float or double dtype")
    if q.dim() > 1:
        raise RuntimeError(f"quantile() q must be a scalar or 1D tensor, but got {q.dim()} dimensions")
    if self.numel() == 0:
        raise RuntimeError("quantile() input tensor must be non-empty")
    if q.dtype != self.dtype:
        raise RuntimeError("quantile() q tensor must be same dtype as the input tensor")
    if bool(((q < 0) | (q > 1)).any()):
        raise RuntimeError("quantile() q values must be in the range [0, 1]")
    x = self.reshape((-1,)) if dim is None else self
    at = 0 if dim is None else dim
    values = SORT_DIM(x, at, False)[0]
    rows = (values.reshape((1,)) if x.dim() == 0 else values.transpose(at, -1).contiguous()).unsqueeze(-2)
    n = rows.size(-1)
    nans = (rows != rows).sum(-1, True)
    last = (n - 1 - nans).clamp_min(0) if is_nan_left_out else torch.full_like(nans, n - 1)
    place = q.reshape((-1, 1)) * last.to(self.dtype)
    low = place.floor()
    part = place - low
    if interpolation == "lower":
        part = torch.zeros_like(part)
    elif interpolation == "higher":
        part = (part > 0).to(self.dtype)
    elif interpolation == "nearest":
        part = place.round() - low
    elif interpolation == "midpoint":
        part = (part > 0).to(self.dtype) * 0.5
    elif interpolation != "linear":
        raise RuntimeError(
            "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got "
            + interpolation
        )
    first = low.to(torch.int64)
    wide = rows.expand_as(rows + torch.zeros_like(part))
    below = wide.gather(-1, first)
    above = wide.gather(-1, (first + 1).clamp_max(n - 1))
    found = torch.where(part == 0, below, below + (above - below) * part)
    if not is_nan_left_out:
        found = torch.where(nans > 0, torch.full_like(found, torch.nan), found)
    # of each row a column of quantiles: (..., Q, 1)
    return found


@generic
def arranged(self, found, q, dim, keepdim: bool):
    """Quantiles of rows in the shape of the result: those of several come first."""
    if dim is None or self.dim() == 0:
        flat = found.reshape((-1,))
        if keepdim and self.dim() > 0:
            ones = [1 for _ in range(self.dim())]
            return flat.reshape([flat.size(0), *ones]) if q.dim() == 1 else flat.reshape(ones)
        return flat if q.dim() == 1 else flat.reshape(())
    outer = found.unsqueeze(0).transpose(0, -2).squeeze(-2)  # (Q, rows..., 1)
    back = outer.transpose(dim + 1 if dim >= 0 else dim, -1)
    if not keepdim:
        back = back.squeeze(dim + 1 if dim >= 0 else dim)
    return back.contiguous() if q.dim() == 1 else back.squeeze(0).contiguous()


def quantile(self: Tensor, q: Tensor, dim: int | None, keepdim: bool, interpolation: str) -> Tensor:
    """Quantiles of all elements or along a dimension; NaN where there is one.

    Args:
        input: Floats.
        q: From 0 to 1; those of several come first in the result.
        dim: The dimension; None for all elements.
        keepdim: Whether the dimension stays, with size 1.
        interpolation: Between two elements: ``linear``, ``lower``, ``higher``, ``midpoint`` or ``nearest``.

    Raises:
        RuntimeError: `q` is out of range, or has another dtype or too many dimensions.
        IndexError: The dimension is out of range.

    Example:
        >>> tscript.quantile(tscript.tensor([1.0, 2.0, 4.0]), tscript.tensor([0.5, 0.75])).tolist()
        [2.0, 3.0]
    """
    return arranged(self, quantiles(self, q, dim, keepdim, interpolation, False), q, dim, keepdim)


def quantile_number(self: Tensor, q: float, dim: int | None, keepdim: bool, interpolation: str) -> Tensor:
    """A quantile of all elements or along a dimension."""
    one = torch.full((), q, dtype=self.dtype)
    return arranged(self, quantiles(self, one, dim, keepdim, interpolation, False), one, dim, keepdim)


def nanquantile(self: Tensor, q: Tensor, dim: int | None, keepdim: bool, interpolation: str) -> Tensor:
    """Quantiles of what is not NaN: see `torch.quantile`."""
    return arranged(self, quantiles(self, q, dim, keepdim, interpolation, True), q, dim, keepdim)


def nanquantile_number(self: Tensor, q: float, dim: int | None, keepdim: bool, interpolation: str) -> Tensor:
    """A quantile of what is not NaN."""
    one = torch.full((), q, dtype=self.dtype)
    return arranged(self, quantiles(self, one, dim, keepdim, interpolation, True), one, dim, keepdim)


# ---- covariances


@generic
def check_weights(weights, x, name: str) -> None:
    """A weight for each observation, none negative."""
    if weights.dim() > 1:
        raise RuntimeError(f"cov(): expected {name} to have one or fewer dimensions but got {weights.dim()} dimensions")
    if weights.numel() != (x.numel() if x.dim() < 2 else x.size(1)):
        raise RuntimeError(
            f"cov(): expected {name} to have the same numel as there are observations in the input but got "
            f"{weights.numel()}"
        )
    if weights.numel() > 0 and bool((weights < 0).any()):
        raise RuntimeError(f"cov(): {name} cannot be negative")


def cov(self: Tensor, correction: int, fweights: Tensor | None, aweights: Tensor | None) -> Tensor:
    """The covariances of the rows: variables are rows, observations are columns.

    Args:
        input: At most two dimensions.
        correction: What is taken off the number of observations.
        fweights: How often each observation counts: ints.
        aweights: How much each observation counts.

    Raises:
        RuntimeError: There are more dimensions, or the weights are negative, or more or fewer than observations.

    Example:
        >>> tscript.cov(tscript.tensor([[0.0, 2.0], [0.0, 4.0]])).tolist()
        [[2.0, 4.0], [4.0, 8.0]]
    """
    if self.dim() > 2:
        raise RuntimeError(f"cov(): expected input to have two or fewer dimensions but got {self.dim()} dimensions")
    check_real(self, "cov")
    x = self if self.is_floating_point() else self.to(torch.get_default_dtype())
    rows = x if x.dim() == 2 else x.reshape((1, -1))
    if fweights is None and aweights is None:
        centred = rows - rows.mean(1, True)
        found = torch.mm(centred, centred.t()) / max(rows.size(1) - correction, 0)
        return found if rows.size(0) != 1 else found.reshape(())
    weights = torch.ones(rows.size(1), dtype=rows.dtype)
    if fweights is not None:
        if fweights.is_floating_point() or fweights.dtype == torch.bool:
            raise RuntimeError("cov(): expected fweights to have integral dtype")
        check_weights(fweights, x, "fweights")
        weights = weights * fweights.reshape(-1)
    if aweights is not None:
        if not aweights.is_floating_point():
            raise RuntimeError("cov(): expected aweights to have floating point dtype")
        check_weights(aweights, x, "aweights")
        weights = weights * aweights.reshape(-1)
    total = weights.sum()
    taken = torch.full_like(total, correction)
    if aweights is not None:
        taken = correction * (weights * aweights.reshape(-1)).sum() / total
    centred = rows - (rows * weights).sum(1, True) / total
    found = torch.mm(centred, (centred * weights).t()) / (total - taken).clamp_min(0)
    return found if rows.size(0) != 1 else found.reshape(())


def corrcoef(self: Tensor) -> Tensor:
    """The correlation coefficients of the rows: see `torch.cov`.

    Example:
        >>> tscript.corrcoef(tscript.tensor([[0.0, 2.0], [0.0, 4.0]])).tolist()
        [[1.0, 1.0], [1.0, 1.0]]
    """
    if self.dim() > 2:
        raise RuntimeError(
            f"corrcoef(): expected input to have two or fewer dimensions but got {self.dim()} dimensions"
        )
    found = torch.cov(self)
    if found.dim() < 2:
        return found / found
    deviation = found.diagonal().sqrt()
    return (found / deviation.unsqueeze(1) / deviation.unsqueeze(0)).clamp(-1, 1)


def histc(self: Tensor, bins: int, min: float, max: float) -> Tensor:
    """How many elements are in each of `bins` equal parts of an interval, that of all elements if both ends are equal.

    Args:
        input: Floats.
        bins: How many parts.
        min, max: The ends of the interval. Elements outside are left out.

    Raises:
        RuntimeError: There are no bins, or the interval is none.

    Example:
        >>> tscript.histc(tscript.tensor([0.0, 1.0, 2.0, 2.5]), 2, 0, 3).tolist()
        [2.0, 2.0]
    """
    if bins <= 0:
        raise RuntimeError("bins must be > 0")
    x = self.reshape((-1,))
    low, high = float(min), float(max)
    if low == high and x.numel() > 0:
        low, high = float(x.min()), float(x.max())
    if low == high:
        low, high = low - 1, high + 1
    if not (low < high and high - low < torch.inf):
        raise RuntimeError("max must be larger than min, and both must be finite")
    values = x.to(torch.float64)
    inside = (values >= low) & (values <= high)
    place = ((values - low) / (high - low) * bins).floor().clamp(0, bins - 1)
    held = SORT_DIM(torch.where(inside, place, torch.full_like(place, bins + 1)), 0, False)[0]
    ends = torch.searchsorted(held, torch.arange(bins + 1).to(torch.float64))
    return (ends.narrow(0, 1, bins) - ends.narrow(0, 0, bins)).to(self.dtype)


def renorm(self: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """The tensor with each part along a dimension scaled down to the norm `maxnorm` where that is less.

    Example:
        >>> tscript.renorm(tscript.tensor([[3.0, 4.0], [0.0, 1.0]]), 2, 0, 1.0).tolist()
        [[0.6000000238418579, 0.800000011920929], [0.0, 1.0]]
    """
    moved = self.transpose(0, dim)
    norms = moved.reshape((moved.size(0), -1)).norm(p, 1)
    scale = torch.where(norms > maxnorm, maxnorm / (norms + 1e-7), torch.ones_like(norms))
    sizes = [1 for _ in range(self.dim())]
    sizes[dim] = self.size(dim)
    return self * scale.reshape(sizes)


_TRAPEZOID = "Tensor self, *, Scalar dx=1, int dim=-1"
_PLACES = "Tensor self, Tensor x, *, int dim=-1"
_ALONG = "int[1]? dim=None, bool keepdim=False, *, dtype? dtype=None"
_QUANTILE = "int? dim=None, bool keepdim=False, *, str interpolation='linear'"

OPERATORS: tuple[OpDef, ...] = (
    composite(
        "diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor",
        diff,
        names="diff out=no",
    ),
    composite(f"trapezoid({_TRAPEZOID}) -> Tensor", trapezoid, names="torch.trapezoid torch.trapz y=self out=no"),
    composite(f"trapezoid.x({_PLACES}) -> Tensor", trapezoid_x, names="torch.trapezoid torch.trapz y=self out=no"),
    composite(
        f"cumulative_trapezoid({_TRAPEZOID}) -> Tensor", cumulative, names="torch.cumulative_trapezoid y=self out=no"
    ),
    composite(
        f"cumulative_trapezoid.x({_PLACES}) -> Tensor", cumulative_x, names="torch.cumulative_trapezoid y=self out=no"
    ),
    composite(f"nansum(Tensor self, {_ALONG}) -> Tensor", nansum),
    composite(f"nanmean(Tensor self, {_ALONG}) -> Tensor", nanmean),
    composite("aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)", aminmax),
    composite(f"quantile(Tensor self, Tensor q, {_QUANTILE}) -> Tensor", quantile, names="quantile out=no"),
    composite(
        f"quantile.Scalar(Tensor self, float q, {_QUANTILE}) -> Tensor", quantile_number, names="quantile out=no"
    ),
    composite(f"nanquantile(Tensor self, Tensor q, {_QUANTILE}) -> Tensor", nanquantile, names="nanquantile out=no"),
    composite(
        f"nanquantile.Scalar(Tensor self, float q, {_QUANTILE}) -> Tensor",
        nanquantile_number,
        names="nanquantile out=no",
    ),
    composite(
        "cov(Tensor self, *, int correction=1, Tensor? fweights=None, Tensor? aweights=None) -> Tensor",
        cov,
        names="cov out=no",
    ),
    composite("corrcoef(Tensor self) -> Tensor", corrcoef, names="corrcoef out=no"),
    composite("histc(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor", histc, names="histc out=no"),
    composite("renorm(Tensor self, Scalar p, int dim, Scalar maxnorm) -> Tensor", renorm, names="renorm out=no"),
)
"""All operators of this module."""
