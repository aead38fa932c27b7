"""Sorting along dimensions, what is found by it, and searching in what is sorted. NaN counts as the greatest."""

# mypy: disable-error-code="no-untyped-def,no-any-return,operator"

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tscript.arrays import Array, np
from tscript.definitions.define import composite, kernel
from tscript.definitions.language import Tensor, generic, torch
from tscript.definitions.opdef import Arg, OpDef, OperatorRuntimeError
from tscript.definitions.rules import check_dim, constant_int, tensor_of
from tscript.definitions.values import widen, wrap_dim
from tscript.types import TensorType, TupleType, Type, dtypes

# ---- kernels


def _with_indices(args: Sequence[Arg]) -> Type:
    found = tensor_of(args[0])
    check_dim(constant_int(args[1]), found.rank)
    return TupleType((TensorType(found.dtype, found.rank), TensorType(dtypes.int64, found.rank)))


def _sorted(x: Array, dim: int, descending: bool) -> tuple[Array, Array]:
    axis = wrap_dim(dim, x.ndim)
    if x.ndim == 0:
        return x.copy(), np.asarray(0, np.int64)
    keys = widen(x)
    if descending:
        turned = np.flip(keys, axis)
        places = x.shape[axis] - 1 - np.flip(np.argsort(turned, axis=axis, kind="stable"), axis)
    else:
        places = np.argsort(keys, axis=axis, kind="stable")
    return np.take_along_axis(x, places, axis), np.asarray(places, np.int64)


SORT_DIM: OpDef = kernel(
    "sort_dim(Tensor self, int dim, bool descending) -> (Tensor, Tensor)",
    _with_indices,
    _sorted,
    "sorting_dims.sort_dim",
    "The elements along a dimension in order, and their positions; stable.",
    names="",
)


def _searched(args: Sequence[Arg]) -> Type:
    rows, values = tensor_of(args[0]), tensor_of(args[1])
    if rows.dtype is not None and values.dtype is not None and rows.dtype is not values.dtype:
        raise OperatorRuntimeError("expected contiguous tensors of one dtype")
    return TensorType(dtypes.int64, values.rank)


def _places(rows: Array, values: Array, right: bool) -> Array:
    if rows.dtype != values.dtype or rows.ndim == 0:
        raise RuntimeError("expected contiguous tensors of one dtype")
    side: Any = "right" if right else "left"
    if rows.ndim == 1:
        return np.asarray(np.searchsorted(rows, values, side=side), np.int64)
    if rows.shape[:-1] != values.shape[:-1]:
        raise RuntimeError("expected the same sizes but for the last one")
    out = np.empty(values.shape, np.int64)
    for at in np.ndindex(rows.shape[:-1]):
        out[at] = np.searchsorted(rows[at], values[at], side=side)
    return out


SEARCH_SORTED: OpDef = kernel(
    "search_sorted(Tensor rows, Tensor values, bool right) -> Tensor",
    _searched,
    _places,
    "sorting_dims.search_sorted",
    "The places of values in sorted rows; everything is contiguous.",
    generic=(0,),
    names="",
)


def _runs(args: Sequence[Arg]) -> Type:
    found, positions = tensor_of(args[0]), tensor_of(args[1])
    if found.rank not in (None, 1) or positions.rank not in (None, 1):
        raise OperatorRuntimeError("expected elements and positions of one dimension")
    if positions.dtype not in (None, dtypes.int64):
        raise OperatorRuntimeError("expected elements and positions of one dimension")
    ints = TensorType(dtypes.int64, 1)
    return TupleType((TensorType(found.dtype, 1), ints, ints))


def _run_lengths(x: Array, positions: Array) -> tuple[Array, Array, Array]:
    if x.ndim != 1 or positions.shape != x.shape:
        raise RuntimeError("expected elements and positions of one dimension")
    if np.any((positions < 0) | (positions >= x.size)):
        raise RuntimeError("expected positions of elements")
    begins = np.ones(x.shape, bool)
    begins[1:] = x[1:] != x[:-1]
    number = np.cumsum(begins) - 1
    inverse = np.zeros(x.shape, np.int64)
    inverse[positions] = number
    return x[begins], inverse, np.bincount(number, minlength=int(begins.sum())).astype(np.int64)


UNIQUE_RUNS: OpDef = kernel(
    "unique_runs(Tensor self, Tensor positions) -> (Tensor, Tensor, Tensor)",
    _runs,
    _run_lengths,
    "sorting_dims.unique_runs",
    "Of sorted elements of one dimension the different ones, for each position which of them it has, and how often "
    "each is there; `positions` says where each element was.",
    generic=(0,),
    names="",
)
HIDDEN: tuple[OpDef, ...] = (SORT_DIM, SEARCH_SORTED, UNIQUE_RUNS)
"""What the bodies below call."""

# ---- sorting


def sort(self: Tensor, dim: int, descending: bool) -> tuple[Tensor, Tensor]:
    """The elements along a dimension in order, and their indices. It is stable; NaN counts as the greatest.

    Args:
        input: A tensor.
        dim: The dimension.
        descending: Whether the greatest comes first.

    Raises:
        IndexError: The dimension is out of range.

    Example:
        >>> values, indices = tscript.sort(tscript.tensor([3.0, 1.0, 2.0]))
        >>> values.tolist(), indices.tolist()
        ([1.0, 2.0, 3.0], [1, 2, 0])
    """
    return SORT_DIM(self, dim, descending)


def sort_stable(self: Tensor, stable: bool | None, dim: int, descending: bool) -> tuple[Tensor, Tensor]:
    """The same with ``stable=``, which is always so."""
    return SORT_DIM(self, dim, descending)


def argsort(self: Tensor, dim: int, descending: bool, stable: bool) -> Tensor:
    """The indices that sort a dimension: the second result of `torch.sort`.

    Args:
        input: A tensor.
        dim: The dimension.
        descending: Whether the greatest comes first.
        stable: Equal elements keep their order in any case.

    Raises:
        IndexError: The dimension is out of range.

    Example:
        >>> tscript.argsort(tscript.tensor([3.0, 1.0, 2.0]), descending=True).tolist()
        [0, 2, 1]
    """
    return SORT_DIM(self, dim, descending)[1]


def msort(self: Tensor) -> Tensor:
    """The elements along the first dimension in order.

    Example:
        >>> tscript.msort(tscript.tensor([3, 1, 2])).tolist()
        [1, 2, 3]
    """
    return SORT_DIM(self, 0, False)[0]


def topk(self: Tensor, k: int, dim: int, largest: bool, sorted: bool) -> tuple[Tensor, Tensor]:
    """The `k` greatest or least elements along a dimension, and their indices.

    Args:
        input: A tensor.
        k: How many.
        dim: The dimension.
        largest: Whether they are the greatest.
        sorted: They are in order in any case.

    Raises:
        IndexError: The dimension is out of range.
        RuntimeError: There are not so many elements.

    Example:
        >>> values, indices = tscript.topk(tscript.tensor([1.0, 5.0, 3.0]), 2)
        >>> values.tolist(), indices.tolist()
        ([5.0, 3.0], [1, 2])
    """
    values, indices = SORT_DIM(self, dim, largest)
    if self.dim() == 0:
        if k < 0 or k > 1:
            raise RuntimeError(f"selected index k out of range: k is {k}, and the input has one element")
        if k == 0:
            return values.reshape((1,)).narrow(0, 0, 0), indices.reshape((1,)).narrow(0, 0, 0)
        return values, indices
    if k < 0 or k > self.size(dim):
        raise RuntimeError(f"selected index k out of range: k is {k}, dimension {dim} has size {self.size(dim)}")
    return values.narrow(dim, 0, k).contiguous(), indices.narrow(dim, 0, k).contiguous()


# ---- one element of what is sorted


@generic
def check_not_empty(self, dim: int, name: str) -> None:
    """There is an element along a dimension."""
    if self.dim() > 0 and self.size(dim) == 0:
        at = dim + self.dim() if dim < 0 else dim
        raise IndexError(f"{name}(): Expected reduction dim {at} to have non-zero size.")


@generic
def taken(values, indices, dim: int, at, keepdim: bool):
    """The elements at some places along a dimension, and their indices."""
    found = values.gather(dim, at)
    places = indices.gather(dim, at)
    if keepdim or values.dim() == 0:
        return found, places
    return found.squeeze(dim), places.squeeze(dim)


def kthvalue(self: Tensor, k: int, dim: int, keepdim: bool) -> tuple[Tensor, Tensor]:
    """The `k`-th least element along a dimension, counted from 1, and its index.

    Args:
        input: A tensor.
        k: From 1 to the size of the dimension.
        dim: The dimension.
        keepdim: Whether the dimension stays, with size 1.

    Raises:
        IndexError: The dimension is out of range.
        RuntimeError: `k` is out of range.

    Example:
        >>> value, index = tscript.kthvalue(tscript.tensor([3.0, 1.0, 2.0]), 2)
        >>> value.item(), index.item()
        (2.0, 2)
    """
    values, indices = SORT_DIM(self, dim, False)
    size = 1 if self.dim() == 0 else self.size(dim)
    if k < 1 or k > size:
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {dim}: k is {k}, size {size}")
    if self.dim() == 0:
        return values, indices
    if keepdim:
        return values.narrow(dim, k - 1, 1).contiguous(), indices.narrow(dim, k - 1, 1).contiguous()
    return values.select(dim, k - 1).contiguous(), indices.select(dim, k - 1).contiguous()


@generic
def nan_counts(x, dim: int):
    """How many elements along a dimension are NaN, which stays with size 1."""
    return (x != x).sum(dim, True)


def median_along(self: Tensor, dim: int, keepdim: bool) -> tuple[Tensor, Tensor]:
    """The median along a dimension, the lower one of two, and its index. NaN where there is one.

    Args:
        input: A tensor.
        dim: The dimension.
        keepdim: Whether the dimension stays, with size 1.

    Raises:
        IndexError: The dimension is out of range or empty.

    Example:
        >>> value, index = tscript.median(tscript.tensor([[3.0, 1.0, 2.0, 5.0]]), 1)
        >>> value.tolist(), index.tolist()
        ([2.0], [2])
    """
    values, indices = SORT_DIM(self, dim, False)
    check_not_empty(self, dim, "median")
    size = 1 if self.dim() == 0 else self.size(dim)
    nans = nan_counts(values, dim)
    at = torch.where(nans > 0, size - nans, (size - 1) // 2)
    return taken(values, indices, dim, at, keepdim)


def nanmedian_along(self: Tensor, dim: int, keepdim: bool) -> tuple[Tensor, Tensor]:
    """The median along a dimension of what is not NaN, the lower one of two, and its index.

    Args:
        input: A tensor.
        dim: The dimension.
        keepdim: Whether the dimension stays, with size 1.

    Raises:
        IndexError: The dimension is out of range or empty.

    Example:
        >>> value, index = tscript.nanmedian(tscript.tensor([float("nan"), 2.0, 1.0, 3.0]), 0)
        >>> value.item(), index.item()
        (2.0, 1)
    """
    values, indices = SORT_DIM(self, dim, False)
    check_not_empty(self, dim, "nanmedian")
    size = 1 if self.dim() == 0 else self.size(dim)
    at = ((size - 1 - nan_counts(values, dim)).clamp_min(0) / 2).floor().to(torch.int64)
    return taken(values, indices, dim, at, keepdim)


@generic
def no_median(x):
    """The median of nothing: NaN of floats."""
    if x.is_floating_point():
        return torch.full((), torch.nan, dtype=x.dtype)
    return torch.full((), -(2**63), dtype=torch.int64).to(x.dtype)


def median(self: Tensor) -> Tensor:
    """The median of all elements, the lower one of two. NaN if there is one, or nothing.

    Example:
        >>> tscript.median(tscript.tensor([3.0, 1.0, 2.0, 5.0])).item()
        2.0
    """
    if self.numel() == 0:
        return no_median(self)
    return median_along(self.reshape((-1,)), 0, False)[0]


def nanmedian(self: Tensor) -> Tensor:
    """The median of all elements that are not NaN, the lower one of two.

    Example:
        >>> tscript.nanmedian(tscript.tensor([3.0, float("nan"), 2.0])).item()
        2.0
    """
    if self.numel() == 0:
        return no_median(self)
    return nanmedian_along(self.reshape((-1,)), 0, False)[0]


def mode(self: Tensor, dim: int, keepdim: bool) -> tuple[Tensor, Tensor]:
    """The most frequent element along a dimension, the least one of several, and the index where it is last.

    Args:
        input: A tensor.
        dim: The dimension.
        keepdim: Whether the dimension stays, with size 1.

    Raises:
        IndexError: The dimension is out of range or empty.

    Example:
        >>> value, index = tscript.mode(tscript.tensor([2, 1, 2, 3]))
        >>> value.item(), index.item()
        (2, 2)
    """
    values, indices = SORT_DIM(self, dim, False)
    check_not_empty(self, dim, "mode")
    if self.dim() == 0:
        return values, indices
    n = self.size(dim)
    places = torch.ones_like(indices).cumsum(dim) - 1
    changed = values.narrow(dim, 1, n - 1) != values.narrow(dim, 0, n - 1)
    begins = torch.zeros_like(places)
    begins.narrow(dim, 1, n - 1).copy_(torch.where(changed, places.narrow(dim, 1, n - 1), 0))
    lengths = places - begins.cummax(dim)[0]
    return taken(values, indices, dim, lengths.argmax(dim, True), keepdim)


# ---- different elements


@generic
def runs_of(self, is_sorted: bool):
    """The different elements, which of them each element is, and how often they are there."""
    flat = self.reshape((-1,))
    if is_sorted:
        values, positions = SORT_DIM(flat, 0, False)
        return UNIQUE_RUNS(values, positions)
    return UNIQUE_RUNS(flat.contiguous(), torch.arange(flat.numel()))


@generic
def different(self, is_sorted: bool):
    return runs_of(self, is_sorted)[0]


@generic
def with_inverse(self, is_sorted: bool):
    values, inverse, _counts = runs_of(self, is_sorted)
    return values, inverse.reshape(self.size())


@generic
def with_counts(self, is_sorted: bool):
    values, _inverse, counts = runs_of(self, is_sorted)
    return values, counts


@generic
def with_both(self, is_sorted: bool):
    values, inverse, counts = runs_of(self, is_sorted)
    return values, inverse.reshape(self.size()), counts


def unique(self: Tensor, sorted: bool, return_inverse: bool, return_counts: bool, dim: None) -> Tensor:
    """The different elements, in order.

    Args:
        input: A tensor.
        sorted: They are in order in any case.
        return_inverse: Whether the result also has the index of each element of the input among them.
        return_counts: Whether the result also says how often each is there.
        dim: None: a tensor of one dimension is made of all elements.

    Example:
        >>> values, inverse = tscript.unique(tscript.tensor([3, 1, 3]), return_inverse=True)
        >>> values.tolist(), inverse.tolist()
        ([1, 3], [1, 0, 1])
    """
    return different(self, True)


def unique_inverse(
    self: Tensor, sorted: bool, return_inverse: bool, return_counts: bool, dim: None
) -> tuple[Tensor, Tensor]:
    return with_inverse(self, True)


def unique_counts(
    self: Tensor, sorted: bool, return_inverse: bool, return_counts: bool, dim: None
) -> tuple[Tensor, Tensor]:
    return with_counts(self, True)


def unique_both(
    self: Tensor, sorted: bool, return_inverse: bool, return_counts: bool, dim: None
) -> tuple[Tensor, Tensor, Tensor]:
    return with_both(self, True)


def consecutive(self: Tensor, return_inverse: bool, return_counts: bool, dim: None) -> Tensor:
    """The elements without those that are equal to the one before.

    Args:
        input: A tensor.
        return_inverse: Whether the result also has the index of each element of the input among them.
        return_counts: Whether the result also says how many equal ones there were.
        dim: None: a tensor of one dimension is made of all elements.

    Example:
        >>> tscript.unique_consecutive(tscript.tensor([1, 1, 2, 2, 1])).tolist()
        [1, 2, 1]
    """
    return different(self, False)


def consecutive_inverse(self: Tensor, return_inverse: bool, return_counts: bool, dim: None) -> tuple[Tensor, Tensor]:
    return with_inverse(self, False)


def consecutive_counts(self: Tensor, return_inverse: bool, return_counts: bool, dim: None) -> tuple[Tensor, Tensor]:
    return with_counts(self, False)


def consecutive_both(
    self: Tensor, return_inverse: bool, return_counts: bool, dim: None
) -> tuple[Tensor, Tensor, Tensor]:
    return with_both(self, False)


# ---- searching


@generic
def searched(rows, values, right: bool):
    """Places in sorted rows, in the dtype that both go together to."""
    if rows.dtype == values.dtype:
        return SEARCH_SORTED(rows.contiguous(), values.contiguous(), right)
    common = rows.new_zeros((1,)) + values.new_zeros((1,))
    return SEARCH_SORTED(rows.to(common.dtype).contiguous(), values.to(common.dtype).contiguous(), right)


def searchsorted(
    sorted_sequence: Tensor, self: Tensor, out_int32: bool, right: bool, side: str | None, sorter: Tensor | None
) -> Tensor:
    """Where values would be put into sorted rows so that they stay sorted.

    Args:
        sorted_sequence: One sorted row, or rows of as many dimensions as `input`.
        input: The values.
        out_int32: Whether the result is int32.
        right: Whether values go behind those that are equal.
        side: The same as ``"left"`` or ``"right"``.
        sorter: Indices that sort `sorted_sequence`, as `torch.argsort` gives them.

    Raises:
        RuntimeError: Shapes do not go together, or `side` is no side.

    Example:
        >>> tscript.searchsorted(tscript.tensor([1.0, 3.0, 5.0]), tscript.tensor([3.0, 4.0])).tolist()
        [1, 2]
    """
    if sorted_sequence.dim() == 0:
        raise RuntimeError(
            "torch.searchsorted(): boundaries tensor should have positive dimension, but got 0 dimension"
        )
    if sorted_sequence.dim() > 1 and (
        sorted_sequence.dim() != self.dim() or sorted_sequence.size()[:-1] != self.size()[:-1]
    ):
        raise RuntimeError(
            "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries "
            "tensor and input value tensor must match"
        )
    behind = right
    if side is not None:
        if side != "left" and side != "right":
            raise RuntimeError(f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}")
        if right and side == "left":
            raise RuntimeError(
                "torch.searchsorted(): side and right can't be set to opposites, got side of left while right was True"
            )
        behind = side == "right"
    rows = sorted_sequence if sorter is None else sorted_sequence.gather(-1, sorter)
    found = searched(rows, self, behind)
    return found.to(torch.int32) if out_int32 else found


@generic
def beside(number, row: Tensor) -> Tensor:
    """A number as a tensor of the dtype that it has in arithmetic with `row`."""
    value = torch.full((), number)
    return value.to(torch.result_type(row, value))


def searchsorted_number(
    sorted_sequence: Tensor, self: float, out_int32: bool, right: bool, side: str | None, sorter: Tensor | None
) -> Tensor:
    """Where a number would be put into a sorted row."""
    value = beside(self, sorted_sequence)
    return torch.searchsorted(sorted_sequence, value, out_int32=out_int32, right=right, side=side, sorter=sorter)


def bucketize(self: Tensor, boundaries: Tensor, out_int32: bool, right: bool) -> Tensor:
    """The number of the bucket of each value; `boundaries` between them are sorted.

    Args:
        input: The values.
        boundaries: One dimension.
        out_int32: Whether the result is int32.
        right: Whether a value that is a boundary belongs to the bucket behind it.

    Raises:
        RuntimeError: `boundaries` has several dimensions.

    Example:
        >>> tscript.bucketize(tscript.tensor([0.5, 2.0]), tscript.tensor([1.0, 2.0])).tolist()
        [0, 1]
    """
    if boundaries.dim() != 1:
        raise RuntimeError(f"torch.bucketize(): boundaries tensor must be 1 dimension, but got dim({boundaries.dim()})")
    found = searched(boundaries, self, right)
    return found.to(torch.int32) if out_int32 else found


def bucketize_number(self: float, boundaries: Tensor, out_int32: bool, right: bool) -> Tensor:
    """The number of the bucket of a number."""
    return torch.bucketize(beside(self, boundaries), boundaries, out_int32=out_int32, right=right)


_NAMED = "(Tensor values, Tensor indices)"
_ALONG = "Tensor self, int dim=-1, bool keepdim=False"
_UNIQUE = "Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False, None dim=None"
_RUNS = "Tensor self, bool return_inverse=False, bool return_counts=False, None dim=None"
_SEARCH = "bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None"


def _flags(inverse: bool, counts: bool) -> dict[str, object]:
    return {"return_inverse": inverse, "return_counts": counts}


OPERATORS: tuple[OpDef, ...] = (
    composite(f"sort(Tensor self, int dim=-1, bool descending=False) -> {_NAMED}", sort),
    composite(
        f"sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> {_NAMED}",
        sort_stable,
        names="sort",
    ),
    composite("argsort(Tensor self, int dim=-1, bool descending=False, *, bool stable=False) -> Tensor", argsort),
    composite("msort(Tensor self) -> Tensor", msort),
    composite(f"topk(Tensor self, int k, int dim=-1, bool largest=True, bool sorted=True) -> {_NAMED}", topk),
    composite(f"kthvalue(Tensor self, int k, int dim=-1, bool keepdim=False) -> {_NAMED}", kthvalue),
    composite("median(Tensor self) -> Tensor", median, names="median out=no"),
    composite(f"median.dim(Tensor self, int dim, bool keepdim=False) -> {_NAMED}", median_along, names="median"),
    composite("nanmedian(Tensor self) -> Tensor", nanmedian, names="nanmedian out=no"),
    composite(
        f"nanmedian.dim(Tensor self, int dim, bool keepdim=False) -> {_NAMED}", nanmedian_along, names="nanmedian"
    ),
    composite(f"mode({_ALONG}) -> {_NAMED}", mode),
    composite(f"unique({_UNIQUE}) -> Tensor", unique, names="unique out=no", when=_flags(False, False)),
    composite(
        f"unique.inverse({_UNIQUE}) -> (Tensor, Tensor)",
        unique_inverse,
        "The different elements, in order, and the index of each element of the input among them.",
        names="unique out=no",
        when=_flags(True, False),
    ),
    composite(
        f"unique.counts({_UNIQUE}) -> (Tensor, Tensor)",
        unique_counts,
        "The different elements, in order, and how often each is there.",
        names="unique out=no",
        when=_flags(False, True),
    ),
    composite(
        f"unique.both({_UNIQUE}) -> (Tensor, Tensor, Tensor)",
        unique_both,
        "The different elements, in order, the index of each element of the input among them, and how often each is "
        "there.",
        names="unique out=no",
        when=_flags(True, True),
    ),
    composite(
        f"unique_consecutive({_RUNS}) -> Tensor",
        consecutive,
        names="unique_consecutive out=no",
        when=_flags(False, False),
    ),
    composite(
        f"unique_consecutive.inverse({_RUNS}) -> (Tensor, Tensor)",
        consecutive_inverse,
        "The elements without repetitions, and the index of each element of the input among them.",
        names="unique_consecutive out=no",
        when=_flags(True, False),
    ),
    composite(
        f"unique_consecutive.counts({_RUNS}) -> (Tensor, Tensor)",
        consecutive_counts,
        "The elements without repetitions, and how many equal ones there were.",
        names="unique_consecutive out=no",
        when=_flags(False, True),
    ),
    composite(
        f"unique_consecutive.both({_RUNS}) -> (Tensor, Tensor, Tensor)",
        consecutive_both,
        "The elements without repetitions, the index of each element of the input among them, and how many equal ones "
        "there were.",
        names="unique_consecutive out=no",
        when=_flags(True, True),
    ),
    composite(
        f"searchsorted(Tensor sorted_sequence, Tensor self, *, {_SEARCH}) -> Tensor",
        searchsorted,
        names="torch.searchsorted input=self",
    ),
    composite(
        f"searchsorted.Scalar(Tensor sorted_sequence, Scalar self, *, {_SEARCH}) -> Tensor",
        searchsorted_number,
        names="torch.searchsorted input=self",
    ),
    composite(
        "bucketize(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor",
        bucketize,
        names="torch.bucketize",
    ),
    composite(
        "bucketize.Scalar(Scalar self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor",
        bucketize_number,
        names="torch.bucketize",
    ),
)
"""All operators of this module."""
