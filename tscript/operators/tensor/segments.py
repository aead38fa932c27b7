"""Reductions of the segments that a dimension is divided into."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return,operator"

from __future__ import annotations

from tscript.definitions.define import composite
from tscript.definitions.language import Tensor, generic, torch
from tscript.definitions.opdef import OpDef
from tscript.operators.tensor.checks import SCALAR_TYPE, check_floating
from tscript.operators.tensor.rearranged import wrapped


@generic
def product_of(sizes, begin: int, end: int) -> int:
    """How many elements dimensions have together."""
    found = 1
    for i, n in enumerate(sizes):
        if begin <= i and i < end:
            found = found * n
    return found


def check_segments(data: Tensor, lengths: Tensor, d: int, name: str) -> None:
    """Refuse lengths or offsets that are no ints or have not the first sizes of the data."""
    if lengths.dtype != torch.int64 and lengths.dtype != torch.int32:
        raise NotImplementedError(f"\"segment_reduce\" not implemented for {name} of '{SCALAR_TYPE(lengths)}'")
    if lengths.dim() != d + 1:
        raise RuntimeError(
            f"segment_reduce(): Expected axis to be the last dimension of {name} but got {d}, of {lengths.dim()} "
            "dimensions"
        )
    for i in range(d):
        if lengths.size(i) != data.size(i):
            raise RuntimeError(
                f"segment_reduce(): Expected data and {name} to have the same sizes before axis, but dimension {i} has "
                f"{data.size(i)} and {lengths.size(i)}"
            )


def segment_reduce(
    data: Tensor,
    reduce: str,
    lengths: Tensor | None,
    indices: None,
    offsets: Tensor | None,
    axis: int,
    unsafe: bool,
    initial: float | None,
) -> Tensor:
    """Sums, products, means, greatest or least elements of the segments that a dimension is divided into.

    Args:
        data: Floats.
        reduce: ``"sum"``, ``"prod"``, ``"mean"``, ``"max"`` or ``"min"``.
        lengths: How long each segment is, int32 or int64, with the sizes of the data before `axis`.
        indices: Must be None.
        offsets: Where each segment begins, and the end of the last one: instead of the lengths.
        axis: The dimension, the last one of the lengths.
        unsafe: Whether the lengths need not add up to the size of the dimension.
        initial: A further element of each segment; of none the sum is 0, the product 1, the mean NaN, the greatest
            element minus infinity and the least one infinity.

    Raises:
        RuntimeError: There are no lengths, they do not go with the data, or there is no such reduction.
        NotImplementedError: The data are no floats, or the lengths no ints.
        IndexError: The dimension is out of range.

    Example:
        >>> x = tscript.tensor([1.0, 2.0, 3.0, 4.0])
        >>> tscript.segment_reduce(x, "sum", lengths=tscript.tensor([1, 3])).tolist()
        [1.0, 9.0]
    """
    if reduce not in ("sum", "prod", "mean", "max", "min", "amax", "amin"):
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, max or min, got {reduce}")
    check_floating(data, "_segment_reduce_cpu")
    d = wrapped(data, axis)
    outer, n, inner = product_of(data.size(), 0, d), data.size(d), product_of(data.size(), d + 1, data.dim())
    if offsets is not None:
        check_segments(data, offsets, d, "offsets")
        bounds = offsets.long().reshape(outer, -1)
        count = bounds.size(1) - 1
        sizes = bounds.narrow(1, 1, count) - bounds.narrow(1, 0, count)
        begins = bounds.narrow(1, 0, 1)
        ends = bounds.narrow(1, 1, count)
    elif lengths is not None:
        check_segments(data, lengths, d, "lengths")
        sizes = lengths.long().reshape(outer, -1)
        count = sizes.size(1)
        ends = sizes.cumsum(1)
        begins = torch.zeros((outer, 1), dtype=torch.int64)
        if not unsafe and sizes.numel() > 0:
            if int(sizes.min()) < 0:
                raise RuntimeError("lengths contains negative value!")
            if bool((sizes.sum(1) != n).any()):
                raise RuntimeError(
                    "segment_reduce(): Expected all rows of lengths along axis to sum to data.size(lengths.dim()-1) "
                    f"when !unsafe: that is {n}."
                )
    else:
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")
    place = torch.arange(n).expand(outer, n)
    # Elements outside of all segments are in a further one, which is left out.
    segment = torch.searchsorted(ends.contiguous(), place.contiguous(), right=True)
    segment = torch.where(place < begins, count, segment)
    at = segment.unsqueeze(2).expand(outer, n, inner)
    rows = data.reshape(outer, n, inner)
    if initial is None:
        start = 0.0
        if reduce == "prod":
            start = 1.0
        if reduce == "max" or reduce == "amax":
            start = float("-inf")
        if reduce == "min" or reduce == "amin":
            start = float("inf")
    else:
        start = float(initial)
    out = torch.full((outer, count + 1, inner), start, dtype=data.dtype)
    if reduce == "prod":
        out = out.scatter_reduce(1, at, rows, "prod")
    elif reduce == "max" or reduce == "amax":
        out = out.scatter_reduce(1, at, rows, "amax")
    elif reduce == "min" or reduce == "amin":
        out = out.scatter_reduce(1, at, rows, "amin")
    else:
        out = out.scatter_add(1, at, rows)
    found = out.narrow(1, 0, count)
    if reduce == "mean":
        many = sizes.unsqueeze(2).to(data.dtype)
        if initial is not None:
            many = torch.clamp(many, min=1.0)
        found = found / many
    shape = [m for m in data.size()]  # noqa: C416
    shape[d] = count
    return found.reshape(shape)


def convert_indices_from_coo_to_csr(self: Tensor, size: int, out_int32: bool) -> Tensor:
    """Where the entries of each row begin, of the row numbers of the entries, which are in order.

    Args:
        self: The row numbers, int32 or int64, in order, of one dimension.
        size: How many rows there are.
        out_int32: Whether the result is int32, else int64.

    Returns:
        For each row how many entries stand before it, and at last the number of all: of size `size` + 1.

    Example:
        >>> import tscript
        >>> tscript._convert_indices_from_coo_to_csr(tscript.tensor([0, 0, 2]), 3).tolist()
        [0, 2, 2, 3]
    """
    if self.dim() != 1:
        raise RuntimeError(f"Input is supposed to be a vector, but got {self.dim()} dimensional tensor.")
    if self.dtype != torch.int64 and self.dtype != torch.int32:
        raise RuntimeError(f"expected row numbers of int32 or int64, found {SCALAR_TYPE(self)}")
    if size < 0:
        raise RuntimeError(f"the number of rows cannot be negative, found {size}")
    found = torch.searchsorted(self, torch.arange(size + 1, dtype=self.dtype))
    return found.to(torch.int32) if out_int32 else found


def convert_indices_from_csr_to_coo(
    crow_indices: Tensor, col_indices: Tensor, out_int32: bool, transpose: bool
) -> Tensor:
    """The row and the column of each entry, of where the entries of each row begin.

    Args:
        crow_indices: For each row how many entries stand before it, and the number of all; of one dimension.
        col_indices: The columns of the entries.
        out_int32: Whether the result is int32, else int64.
        transpose: Whether columns come first.

    Returns:
        Rows and columns, of size 2 x entries.

    Example:
        >>> import tscript
        >>> rows, columns = tscript.tensor([0, 2, 2, 3]), tscript.tensor([0, 1, 1])
        >>> tscript._convert_indices_from_csr_to_coo(rows, columns).tolist()
        [[0, 0, 2], [0, 1, 1]]
    """
    if crow_indices.dim() != 1 or col_indices.dim() != 1:
        raise RuntimeError(
            f"crow_indices and col_indices are supposed to be vectors, but have {crow_indices.dim()} and "
            f"{col_indices.dim()} dimensions"
        )
    count = crow_indices.numel() - 1
    if count < 0:
        raise RuntimeError("crow_indices is empty: it ends with the number of all entries")
    dtype = torch.int32 if out_int32 else torch.int64
    lengths = crow_indices.narrow(0, 1, count) - crow_indices.narrow(0, 0, count)
    rows = torch.repeat_interleave(torch.arange(count, dtype=dtype), lengths)
    columns = col_indices.to(dtype)
    return torch.stack((columns, rows)) if transpose else torch.stack((rows, columns))


OPERATORS: tuple[OpDef, ...] = (
    composite(
        "segment_reduce(Tensor data, str reduce, *, Tensor? lengths=None, None indices=None, Tensor? offsets=None, "
        "int axis=0, bool unsafe=False, Scalar? initial=None) -> Tensor",
        segment_reduce,
        names="torch.segment_reduce torch._segment_reduce out=no",
    ),
    composite(
        "_convert_indices_from_coo_to_csr(Tensor self, int size, *, bool out_int32=False) -> Tensor",
        convert_indices_from_coo_to_csr,
        names="torch._convert_indices_from_coo_to_csr out=no",
    ),
    composite(
        "_convert_indices_from_csr_to_coo(Tensor crow_indices, Tensor col_indices, *, bool out_int32=False, "
        "bool transpose=False) -> Tensor",
        convert_indices_from_csr_to_coo,
        names="torch._convert_indices_from_csr_to_coo out=no",
    ),
)
"""All operators of this module."""
