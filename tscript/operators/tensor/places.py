"""Places of elements: where a condition holds, rows and columns of their numbers, elements repeated or combined by
them. All are composites."""

# mypy: disable-error-code="no-any-return,no-untyped-def,operator"

from __future__ import annotations

from tscript.definitions.define import composite
from tscript.definitions.language import Size, Tensor, generic, torch, tscript
from tscript.definitions.opdef import OpDef
from tscript.operators.tensor.order import SORT_DIM, UNIQUE_RUNS
from tscript.operators.tensor.rearranged import wrapped


def nonzero_by_dim(self: Tensor, as_tuple: bool) -> tuple[Tensor, ...]:
    """The indices of the elements that are not zero, a vector for each dimension.

    ``x[x.nonzero(as_tuple=True)]`` are these elements.

    Args:
        input: Of any dtype and shape; without dimensions it counts as one of one element.
        as_tuple: True.

    Example:
        >>> rows, columns = tscript.nonzero(tscript.tensor([[0, 5], [7, 0]]), as_tuple=True)
        >>> rows.tolist(), columns.tolist()
        ([0, 1], [1, 0])
    """
    return torch.where(self != 0)


def where_true(condition: Tensor) -> tuple[Tensor, ...]:
    """The indices of the elements that are not zero, a vector for each dimension; see `nonzero`."""
    found = condition if condition.dtype == torch.bool else condition != 0
    if found.dim() == 0:
        return tscript.true_positions(found.reshape(1)).unbind(1)
    return tscript.true_positions(found).unbind(1)


def unravel_index(indices: Tensor, shape: Size) -> tuple[Tensor, ...]:
    """Numbers of elements in row-major order as an index for each dimension.

    Args:
        indices: Ints.
        shape: Of the tensor that they are numbers of.

    Raises:
        TypeError: There are no ints.
        ValueError: A size is negative.

    Example:
        >>> rows, columns = tscript.unravel_index(tscript.tensor([1, 5]), (2, 3))
        >>> rows.tolist(), columns.tolist()
        ([0, 1], [1, 2])
    """
    if indices.is_floating_point() or indices.is_complex() or indices.dtype == torch.bool:
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    if len(shape) == 0:
        return torch.zeros((0, 1), dtype=torch.int64).unbind(0)
    steps = [1 for _i in range(len(shape))]
    for k in range(len(shape)):
        d = len(shape) - 1 - k
        if shape[d] < 0:
            raise ValueError(f"'shape' cannot have negative values, but got {shape}")
        if d > 0:
            steps[d - 1] = steps[d] * shape[d]
    sizes = [1 for _i in range(len(shape))]
    for k in range(len(shape)):
        sizes[k] = shape[k]
    found = torch.div(indices.unsqueeze(-1), torch.tensor(steps), rounding_mode="floor") % torch.tensor(sizes)
    return found.unbind(-1)


@generic
def combine_check(index, source, reduce: str) -> None:
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.")
    if index.dim() > 1:
        raise IndexError(f"index_reduce(): Index is supposed to be a vector, but got dim: {index.dim()}")


def index_reduce_(self: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, include_self: bool) -> Tensor:
    combine_check(index, source, reduce)
    d = wrapped(self, dim)
    if self.dim() == 0:
        return (
            self.unsqueeze(0)
            .scatter_reduce_(0, index.reshape(-1), source.reshape(-1), reduce, include_self=include_self)
            .squeeze(0)
        )
    if source.size(d) != index.numel():
        raise RuntimeError(
            f"index_reduce(): Number of indices ({index.numel()}) should be equal to source.size(dim): "
            f"({source.size(d)}), for dim: {d}"
        )
    place = index.reshape(-1)
    for _i in range(d):
        place = place.unsqueeze(0)
    while place.dim() < source.dim():
        place = place.unsqueeze(-1)
    return self.scatter_reduce_(d, place.expand_as(source), source, reduce, include_self=include_self)


def index_reduce(self: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, include_self: bool) -> Tensor:
    """A copy with slices of `source` combined with those along a dimension that `index` says.

    Args:
        input: Of any dtype.
        dim: The dimension.
        index: A vector of ints.
        source: Of the dtype of `input`, with as many slices as `index` has elements.
        reduce: ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``.
        include_self: Whether the elements of `input` take part.

    Raises:
        IndexError: `index` is no vector.
        RuntimeError: An index is out of range, `reduce` is something else, or dtypes or shapes do not go together.

    Example:
        >>> x, source = tscript.ones(2), tscript.tensor([2.0, 3.0, 4.0])
        >>> x.index_reduce(0, tscript.tensor([0, 0, 1]), source, "amax").tolist()
        [3.0, 4.0]
    """
    out = self.clone()
    tscript.index_reduce_(out, dim, index, source, reduce, include_self=include_self)
    return out


def repeated_places(repeats: Tensor, output_size: int | None) -> Tensor:
    """Each number from 0 on as often as a vector says."""
    if repeats.is_floating_point() or (repeats.dtype != torch.int64 and repeats.dtype != torch.int32):
        raise NotImplementedError(
            '"repeat_interleave_cpu" not implemented for this dtype: repeats must be int32 or int64'
        )
    if repeats.dim() != 1:
        raise RuntimeError("repeat_interleave only accept 1D vector as repeat")
    if repeats.size(0) == 0:
        return torch.zeros(0, dtype=torch.int64)
    if bool((repeats < 0).any()):
        raise RuntimeError("repeats can not be negative")
    ends = repeats.to(torch.int64).cumsum(0)
    total = int(ends[-1])
    if output_size is not None and output_size != total:
        raise RuntimeError(f"allocated size does not match required size: output_size is {output_size}, not {total}")
    return torch.searchsorted(ends, torch.arange(total), right=True)


def repeat_places(repeats: Tensor, output_size: int | None) -> Tensor:
    """Each number from 0 on as often as a vector says: 0 as often as its first element, and so on.

    Args:
        repeats: A vector of int32 or int64.
        output_size: The sum, where it is known.

    Raises:
        RuntimeError: It is no vector, an element is negative, or `output_size` is another.

    Example:
        >>> tscript.repeat_interleave(tscript.tensor([2, 1])).tolist()
        [0, 0, 1]
    """
    return repeated_places(repeats, output_size)


def repeat_interleave(self: Tensor, repeats: Tensor, dim: int | None, output_size: int | None) -> Tensor:
    """Each element, or each index of a dimension, in a row, as often as another tensor says.

    Args:
        input: Any tensor.
        repeats: A vector with an int for each of them, or one int for all.
        dim: The dimension; None for all elements in a row.
        output_size: The sum of `repeats`, where it is known.

    Raises:
        RuntimeError: `repeats` has another length, an element is negative, or `output_size` is another.

    Example:
        >>> tscript.repeat_interleave(tscript.tensor([5, 6]), tscript.tensor([1, 2])).tolist()
        [5, 6, 6]
    """
    x = self.reshape(-1) if dim is None else self
    d = 0 if dim is None else wrapped(self, dim)
    n = 1 if x.dim() == 0 else x.size(d)
    each = repeats.reshape(-1)
    if each.numel() == 1:
        each = each.expand(n)
    elif repeats.dim() != 1:
        raise RuntimeError("repeats must be 0-dim or 1-dim tensor")
    if each.numel() != n:
        raise RuntimeError(
            "repeats must have the same size as input along dim, but got repeats.size(0) = "
            f"{each.numel()} and input.size({d}) = {n}"
        )
    return (x.reshape(1) if x.dim() == 0 else x).index_select(d, repeated_places(each, output_size))


def narrow_from(self: Tensor, dim: int, start: Tensor, length: int) -> Tensor:
    """`length` indices along a dimension, from that which a tensor of one int says; a view."""
    if start.dim() != 0 or start.is_floating_point() or start.dtype == torch.bool:
        raise RuntimeError("start must be an 0-dim integral Tensor.")
    return self.narrow(dim, int(start), length)


def narrow_copy(self: Tensor, dim: int, start: int, length: int) -> Tensor:
    return self.narrow(dim, start, length).clone()


def split_by(self: Tensor, tensor_indices_or_sections: Tensor, dim: int) -> tuple[Tensor, ...]:
    """Views of a dimension: a tensor of one int says how many, a vector of ints where it is cut."""
    cuts = tensor_indices_or_sections
    if cuts.dim() > 1 or cuts.dtype != torch.int64:
        raise RuntimeError(
            "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or one-dimensional tensor of "
            f"int64, but got a tensor with {cuts.dim()} dims"
        )
    if cuts.dim() == 0:
        return self.tensor_split(int(cuts), dim)
    at = [int(cut) for cut in cuts]
    return self.tensor_split(at, dim)


def sum_to_size(self: Tensor, size: Size) -> Tensor:
    """Summed over the dimensions along which a tensor of another shape would be broadcast to this one.

    Args:
        input: Any tensor.
        size: A shape that broadcasts to that of `input`.

    Raises:
        RuntimeError: It does not.

    Example:
        >>> tscript.ones(2, 3).sum_to_size(1, 3).tolist()
        [[2.0, 2.0, 2.0]]
    """
    if len(size) == 0:
        return self.sum()
    more = self.dim() - len(size)
    if more < 0:
        raise RuntimeError(f"size {size} is not expandable to size {self.shape}.")
    out = self.alias()
    for _i in range(more):
        out = out.sum(0)
    for d in range(len(size)):
        if size[d] != self.size(more + d):
            if size[d] != 1:
                raise RuntimeError(f"size {size} is not expandable to size {self.shape}.")
            out = out.sum(d, True)
    return out


# ---- different slices along a dimension


@generic
def slices_of(self, dim: int, is_sorted: bool):
    """The different slices along a dimension, which of them each slice is, and how often they are there."""
    d = wrapped(self, dim)
    rows = self.movedim(d, 0)
    n = rows.size(0)
    order = torch.arange(n)
    if self.numel() == 0:
        if n > 0:
            raise RuntimeError("There are 0 sized dimensions, and they aren't selected, so unique cannot be applied")
        return self.clone(), order, order.clone()
    flat = rows.reshape(n, -1)
    if is_sorted:
        # Stable sorts from the last column to the first.
        for k in range(flat.size(1)):
            column = flat.select(1, flat.size(1) - 1 - k).index_select(0, order)
            order = order.index_select(0, SORT_DIM(column, 0, False)[1])
        flat = flat.index_select(0, order)
    begins = torch.ones(n, dtype=torch.bool)
    begins.narrow(0, 1, n - 1).copy_((flat.narrow(0, 1, n - 1) != flat.narrow(0, 0, n - 1)).any(1))
    _numbers, inverse, counts = UNIQUE_RUNS(begins.to(torch.int64).cumsum(0), order)
    return self.index_select(d, order[begins]), inverse, counts


def unique_dim(self: Tensor, sorted: bool, return_inverse: bool, return_counts: bool, dim: int) -> Tensor:
    """The different slices along a dimension, in order of their elements.

    Args:
        input: A tensor.
        sorted: They are in order in any case.
        return_inverse: Whether the result also has the index of each slice of the input among them.
        return_counts: Whether the result also says how often each is there.
        dim: The dimension.

    Raises:
        IndexError: The dimension is out of range.
        RuntimeError: There are slices without elements.

    Example:
        >>> tscript.unique(tscript.tensor([[3, 1], [1, 2], [3, 1]]), dim=0).tolist()
        [[1, 2], [3, 1]]
    """
    values, _inverse, _counts = slices_of(self, dim, True)
    return values


def unique_dim_inverse(
    self: Tensor, sorted: bool, return_inverse: bool, return_counts: bool, dim: int
) -> tuple[Tensor, Tensor]:
    values, inverse, _counts = slices_of(self, dim, True)
    return values, inverse


def unique_dim_counts(
    self: Tensor, sorted: bool, return_inverse: bool, return_counts: bool, dim: int
) -> tuple[Tensor, Tensor]:
    values, _inverse, counts = slices_of(self, dim, True)
    return values, counts


def unique_dim_both(
    self: Tensor, sorted: bool, return_inverse: bool, return_counts: bool, dim: int
) -> tuple[Tensor, Tensor, Tensor]:
    return slices_of(self, dim, True)


def consecutive_dim(self: Tensor, return_inverse: bool, return_counts: bool, dim: int) -> Tensor:
    """The slices along a dimension without those that are equal to the one before; see `unique_consecutive`."""
    values, _inverse, _counts = slices_of(self, dim, False)
    return values


def consecutive_dim_inverse(self: Tensor, return_inverse: bool, return_counts: bool, dim: int) -> tuple[Tensor, Tensor]:
    values, inverse, _counts = slices_of(self, dim, False)
    return values, inverse


def consecutive_dim_counts(self: Tensor, return_inverse: bool, return_counts: bool, dim: int) -> tuple[Tensor, Tensor]:
    values, _inverse, counts = slices_of(self, dim, False)
    return values, counts


def consecutive_dim_both(
    self: Tensor, return_inverse: bool, return_counts: bool, dim: int
) -> tuple[Tensor, Tensor, Tensor]:
    return slices_of(self, dim, False)


_UNIQUE = "Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False, *, int dim"
_RUNS = "Tensor self, bool return_inverse=False, bool return_counts=False, *, int dim"
_DIFFERENT = "The different slices along a dimension, in order"
_CONSECUTIVE = "The slices along a dimension without repetitions"
_WHICH, _MANY = "the index of each slice of the input among them", "how often each is there"


def _slices() -> tuple[OpDef, ...]:
    forms = (
        ("dim", False, False, unique_dim, consecutive_dim, ""),
        ("dim_inverse", True, False, unique_dim_inverse, consecutive_dim_inverse, f", and {_WHICH}."),
        ("dim_counts", False, True, unique_dim_counts, consecutive_dim_counts, f", and {_MANY}."),
        ("dim_both", True, True, unique_dim_both, consecutive_dim_both, f", {_WHICH}, and {_MANY}."),
    )
    return tuple(
        composite(
            f"{name}.{overload}({parameters}) -> {result}",
            body,
            doc + more if more else "",
            names=f"{name} out=no",
            when={"return_inverse": inverse, "return_counts": counts},
        )
        for overload, inverse, counts, of_all, of_runs, more in forms
        for result in (("Tensor", "(Tensor, Tensor)", "(Tensor, Tensor, Tensor)")[inverse + counts],)
        for name, parameters, body, doc in (
            ("unique", _UNIQUE, of_all, _DIFFERENT),
            ("unique_consecutive", _RUNS, of_runs, _CONSECUTIVE),
        )
    )


OPERATORS: tuple[OpDef, ...] = (
    composite(
        "nonzero.tuple(Tensor self, *, bool as_tuple) -> Tensor[]",
        nonzero_by_dim,
        names="nonzero out=no",
        when={"as_tuple": True},
    ),
    composite("where.true(Tensor condition) -> Tensor[]", where_true, names="torch.where out=no"),
    composite(
        "unravel_index(Tensor indices, int[1] shape) -> Tensor[]", unravel_index, names="torch.unravel_index out=no"
    ),
    composite(
        "index_reduce_(Tensor(a!) self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True) "
        "-> Tensor",
        index_reduce_,
        "In-place `index_reduce`.",
    ),
    composite(
        "index_reduce(Tensor self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True) "
        "-> Tensor",
        index_reduce,
    ),
    composite(
        "repeat_interleave.Tensor(Tensor repeats, *, int? output_size=None) -> Tensor",
        repeat_places,
        names="torch.repeat_interleave out=no",
    ),
    composite(
        "repeat_interleave.self_Tensor(Tensor self, Tensor repeats, int? dim=None, *, int? output_size=None) -> Tensor",
        repeat_interleave,
        names="repeat_interleave out=no",
    ),
    composite(
        "narrow.Tensor(Tensor self, int dim, Tensor start, int length) -> Tensor", narrow_from, names="narrow out=no"
    ),
    composite(
        "narrow_copy(Tensor self, int dim, int start, int length) -> Tensor",
        narrow_copy,
        "`length` indices from `start` along a dimension, in a new tensor.",
    ),
    composite(
        "tensor_split.tensor_indices_or_sections(Tensor self, Tensor tensor_indices_or_sections, int dim=0) "
        "-> Tensor[]",
        split_by,
        names="tensor_split out=no",
    ),
    composite("sum_to_size(Tensor self, int[] size) -> Tensor", sum_to_size, names="Tensor.sum_to_size"),
    *_slices(),
)
"""All operators of this module."""
