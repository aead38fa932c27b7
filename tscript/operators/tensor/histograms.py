"""Elements, and points of several dimensions, counted into bins. All are composites."""

# mypy: disable-error-code="no-any-return,no-untyped-def,operator"

from __future__ import annotations

from collections.abc import Callable, Sequence

from tscript.definitions.define import composite
from tscript.definitions.language import Size, Tensor, generic, torch
from tscript.definitions.opdef import Arg, OpDef, OperatorTypeError
from tscript.late import replace
from tscript.operators.tensor.strided import listed
from tscript.types import FLOAT, INT, NONE, ListType, TupleType, Type

# ---- of elements


@generic
def places_between(flat, edges) -> Tensor:
    """The bin of each element; -1 or the number of bins where it lies in none. The last edge belongs to its bin."""
    count = edges.size(0) - 1
    places = torch.searchsorted(edges, flat, right=True) - 1
    places = torch.where(flat == edges[-1], count - 1, places)
    return torch.where(flat == flat, places, count)


@generic
def counted(x, edges, weight, density: bool) -> Tensor:
    """How many elements, or how much weight, lies between each two edges; the last one belongs to its bin."""
    count = edges.size(0) - 1
    places = places_between(x.reshape(-1), edges)
    inside = (places >= 0) & (places < count)
    weights = torch.ones_like(x).reshape(-1) if weight is None else weight.reshape(-1)
    held = torch.where(inside, weights, torch.zeros_like(weights))
    hist = torch.zeros(count, dtype=x.dtype).scatter_add_(0, torch.where(inside, places, 0), held)
    if density:
        return hist / hist.sum() / edges.diff()
    return hist


@generic
def check_histogram(x, weight) -> None:
    if not x.is_floating_point():
        raise NotImplementedError("histogram is only implemented for floats")
    if weight is not None:
        if weight.shape != x.shape:
            raise RuntimeError(
                "torch.histogram: if weight tensor is provided it should have the same shape as the input"
            )
        if weight.dtype != x.dtype:
            raise RuntimeError(
                "torch.histogram: if weight tensor is provided, input tensor and weight must have one dtype"
            )


@generic
def spaced(low: float, high: float, bins: int, dtype) -> Tensor:
    """The edges of bins of one width."""
    if not (low <= high and high - low < float("inf")):
        raise RuntimeError(f"torch.histogram(): range of [{low}, {high}] is not finite or not in order")
    if low == high:
        low, high = low - 0.5, high + 0.5
    return torch.linspace(low, high, bins + 1, dtype=torch.float64).to(dtype)


def histogram(self: Tensor, bins: Tensor, weight: Tensor | None, density: bool) -> tuple[Tensor, Tensor]:
    """How many elements lie between each two edges.

    Args:
        input: Floats.
        bins: The edges, a vector in order, of the dtype of the input; or an int: how many bins of one width.
        weight: What each element counts.
        density: Whether the result is divided by its sum and the widths of the bins.

    Returns:
        The counts, in the dtype of the input, and the edges.

    Raises:
        RuntimeError: Shapes or dtypes do not go together.

    Example:
        >>> hist, edges = tscript.histogram(tscript.tensor([0.5, 1.5, 1.6]), tscript.tensor([0.0, 1.0, 2.0]))
        >>> hist.tolist(), edges.tolist()
        ([1.0, 2.0], [0.0, 1.0, 2.0])
    """
    check_histogram(self, weight)
    if bins.dim() != 1 or bins.size(0) < 2:
        raise RuntimeError("torch.histogram: bins tensor should have one dimension and two edges at least")
    if bins.dtype != self.dtype:
        raise RuntimeError("torch.histogram: input tensor and bins tensors should have the same dtype")
    return counted(self, bins, weight, density), bins.clone()


def histogram_count(
    self: Tensor, bins: int, range: tuple[float, ...] | None, weight: Tensor | None, density: bool
) -> tuple[Tensor, Tensor]:
    """How many elements lie in each of so many bins of one width, in a range or that of all; see `histogram`."""
    check_histogram(self, weight)
    if bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins}")
    low, high = 0.0, 1.0
    if range is not None:
        if len(range) != 2:
            raise RuntimeError(f"torch.histogram(): range should have 2 elements, but got {len(range)}")
        low, high = float(range[0]), float(range[1])
    elif self.numel() > 0:
        low, high = float(self.min()), float(self.max())
    edges = spaced(low, high, bins, self.dtype)
    return counted(self, edges, weight, density), edges


# ---- of points


@generic
def check_points(x, weight) -> None:
    if not x.is_floating_point():
        raise NotImplementedError("histogramdd is only implemented for floats")
    if x.dim() < 2:
        raise RuntimeError("torch.histogramdd: input tensor should have at least 2 dimensions")
    if weight is not None:
        if weight.dim() != x.dim() - 1 or weight.shape != x.shape[:-1]:
            raise RuntimeError(
                "torch.histogramdd: if weight tensor is provided it should have the same shape as the input tensor "
                "excluding its innermost dimension"
            )
        if weight.dtype != x.dtype:
            raise RuntimeError(
                "torch.histogramdd: if weight tensor is provided, input tensor and weight must have one dtype"
            )


@generic
def points_counted(x, edges: list[Tensor], weight, density: bool) -> Tensor:
    """How many points, or how much weight, lies in each box, in one row."""
    rows = x.reshape(-1, x.size(-1))
    weights = torch.ones(rows.size(0), dtype=x.dtype) if weight is None else weight.reshape(-1)
    inside = torch.ones(rows.size(0), dtype=torch.bool)
    at = torch.zeros(rows.size(0), dtype=torch.int64)
    volume = torch.ones(1, dtype=x.dtype)
    for d in range(rows.size(1)):
        count = edges[d].size(0) - 1
        places = places_between(rows.select(1, d).contiguous(), edges[d])
        inside = inside & (places >= 0) & (places < count)
        at = at * count + torch.where((places >= 0) & (places < count), places, 0)
        volume = (volume.unsqueeze(1) * edges[d].diff()).reshape(-1)
    held = torch.where(inside, weights, torch.zeros_like(weights))
    hist = torch.zeros(volume.size(0), dtype=x.dtype).scatter_add_(0, torch.where(inside, at, 0), held)
    return hist / hist.sum() / volume if density else hist


@generic
def bounds_of(numbers) -> list[float]:
    """Numbers as a list; of None none."""
    if numbers is None:
        return []
    found = [0.0 for _i in range(len(numbers))]
    if len(numbers) > 0:
        for i, n in enumerate(numbers):
            found[i] = float(n)
    return found


@generic
def even_edges(x, counts: list[int], is_bound: bool, bounds: list[float], weight) -> list[Tensor]:
    """The edges of bins of one width along each dimension."""
    check_points(x, weight)
    dims = x.size(-1)
    if len(counts) != dims:
        raise RuntimeError("histogramdd: The size of bins must be equal to the innermost dimension of the input.")
    if is_bound and len(bounds) != 2 * dims:
        raise RuntimeError(
            f"torch.histogramdd: for a {dims}-dimensional histogram range should have {2 * dims} elements, but got "
            f"{len(bounds)}"
        )
    rows = x.reshape(-1, dims)
    found: list[Tensor] = []
    for d in range(dims):
        if counts[d] <= 0:
            raise RuntimeError(f"torch.histogramdd(): bins must be > 0, but got {counts[d]} for dimension {d}")
        low, high = 0.0, 1.0
        if is_bound:
            low, high = bounds[2 * d], bounds[2 * d + 1]
            if not low <= high:
                raise RuntimeError(
                    f"torch.histogramdd: min should not exceed max, but got min {low} max {high} for dimension {d}"
                )
        elif rows.size(0) > 0:
            low, high = float(rows.select(1, d).min()), float(rows.select(1, d).max())
        found.append(spaced(low, high, counts[d], x.dtype))
    return found


@generic
def repeated(n: int, times: int) -> list[int]:
    return [n for _d in range(times)]


@generic
def shape_of_bins(edges: list[Tensor]) -> list[int]:
    return [e.size(0) - 1 for e in edges]


def histogramdd(
    self: Tensor, bins: Size, range: tuple[float, ...] | None, weight: Tensor | None, density: bool
) -> tuple[Tensor, list[Tensor]]:
    """How many points lie in each box of a grid.

    Args:
        input: Floats, of shape ``(..., N)``: points of N dimensions.
        bins: How many bins of one width along each dimension: an int, or N of them; or N vectors of edges, in order,
            of the dtype of the input.
        range: The first and the last edge of each dimension, 2 N numbers; if left out those of all points.
        weight: What each point counts, of the shape of the input without its last dimension.
        density: Whether the result is divided by its sum and the volumes of the boxes.

    Returns:
        The counts, with a dimension for each of the points, and the edges of each dimension.

    Raises:
        RuntimeError: Shapes, dtypes or numbers do not go together.
        NotImplementedError: There are no floats.

    Example:
        >>> hist, edges = tscript.histogramdd(tscript.tensor([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]]), (2, 2))
        >>> hist.tolist(), edges[0].tolist()
        ([[0.0, 1.0], [1.0, 1.0]], [0.0, 1.0, 2.0])
    """
    edges = even_edges(self, listed(bins), range is not None, bounds_of(range), weight)
    return points_counted(self, edges, weight, density).reshape(bins), edges


def histogramdd_int(
    self: Tensor, bins: int, range: tuple[float, ...] | None, weight: Tensor | None, density: bool
) -> tuple[Tensor, list[Tensor]]:
    """So many bins of one width along each dimension; see `histogramdd`."""
    check_points(self, weight)
    edges = even_edges(self, repeated(bins, self.size(-1)), range is not None, bounds_of(range), weight)
    return points_counted(self, edges, weight, density).reshape(shape_of_bins(edges)), edges


def histogramdd_edges(
    self: Tensor, bins: list[Tensor], range: None, weight: Tensor | None, density: bool
) -> tuple[Tensor, list[Tensor]]:
    """Bins between edges that are given; see `histogramdd`."""
    check_points(self, weight)
    if len(bins) != self.size(-1):
        raise RuntimeError("histogramdd: The size of bins must be equal to the innermost dimension of the input.")
    edges = [e.clone() for e in bins]
    for e in edges:
        if e.dim() != 1 or e.size(0) < 1:
            raise RuntimeError("torch.histogramdd: bins tensors should have one dimension and one edge at least")
        if e.dtype != self.dtype:
            raise RuntimeError("torch.histogramdd: input tensor and bins tensors should have the same dtype")
    return points_counted(self, edges, weight, density).reshape(shape_of_bins(edges)), edges


def _with_range(schema: str, body: Callable[..., object], *, names: str) -> OpDef:
    """A composite whose `range` is None or numbers, two for each dimension."""
    made = composite(schema, body, names=names)
    rule = made.type_rule

    def checked(args: Sequence[Arg]) -> Type:
        found = args[2].type
        numbers = found.elements if isinstance(found, TupleType) else ()
        if found not in (NONE, ListType(FLOAT)) and not (numbers and set(numbers) <= {FLOAT, INT}):
            raise OperatorTypeError(f"'range' must be floats, two for each dimension, not {found}")
        return rule(args)

    return replace(made, type_rule=checked)


_POINTS = "Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor[] bin_edges)"

OPERATORS: tuple[OpDef, ...] = (
    composite(
        "histogram.tensor(Tensor self, Tensor bins, *, Tensor? weight=None, bool density=False) "
        "-> (Tensor hist, Tensor bin_edges)",
        histogram,
        names="histogram out=no",
    ),
    _with_range(
        "histogram.count(Tensor self, int bins=100, *, Any range=None, Tensor? weight=None, bool density=False) "
        "-> (Tensor hist, Tensor bin_edges)",
        histogram_count,
        names="histogram out=no",
    ),
    _with_range(
        f"histogramdd.int_bins(Tensor self, int bins, *, Any range=None, {_POINTS}",
        histogramdd_int,
        names="torch.histogramdd out=no",
    ),
    _with_range(
        f"histogramdd(Tensor self, int[] bins, *, Any range=None, {_POINTS}",
        histogramdd,
        names="torch.histogramdd out=no",
    ),
    _with_range(
        f"histogramdd.TensorList_bins(Tensor self, Tensor[] bins, *, Any range=None, {_POINTS}",
        histogramdd_edges,
        names="torch.histogramdd out=no",
    ),
)
"""All operators of this module."""
