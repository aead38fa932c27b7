"""Elements chosen, counted or written by masks and index tensors."""

# mypy: disable-error-code="no-any-return,no-untyped-def,operator"
from __future__ import annotations

from collections.abc import Sequence

from tscript.arrays import Array, np
from tscript.definitions.define import composite, kernel
from tscript.definitions.index_layout import TENSOR, layout_of
from tscript.definitions.language import Size, Tensor, generic, torch, tscript
from tscript.definitions.opdef import FACTORY, Arg, Effects, OpDef, OperatorRuntimeError
from tscript.definitions.rules import check_dim, constant_int, tensor_of
from tscript.definitions.values import check_distinct, wrap_dim
from tscript.operators.tensor.index_parts import check_action, combine_at, write
from tscript.types import DType, TensorType, Type, dtypes

WRITES = Effects(writes=(0,), raises=True)


# ---- kernels


def _first(args: Sequence[Arg]) -> Type:
    return tensor_of(args[0])


def _positions(args: Sequence[Arg]) -> Type:
    if tensor_of(args[0]).dtype not in (dtypes.bool_, None):
        raise OperatorRuntimeError("expected a bool tensor")
    return TensorType(dtypes.int64, 2)


def _scattered(args: Sequence[Arg]) -> Type:
    found, index = tensor_of(args[0]), tensor_of(args[2])
    check_dim(constant_int(args[1]), found.rank)
    if index.dtype not in (None, dtypes.int32, dtypes.int64):
        raise OperatorRuntimeError("scatter(): Expected dtype int32/int64 for index")
    return found


def _scatter(array: Array, dim: int, index: Array, src: Array, action: int) -> Array:
    at = wrap_dim(dim, array.ndim)
    check_distinct(array)
    check_action(action)
    if src.dtype != array.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    if index.size == 0:
        return array
    if max(index.ndim, 1) != max(array.ndim, 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as self tensor")
    if src.ndim and max(index.ndim, 1) != max(src.ndim, 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
    for d, size in enumerate(index.shape):
        if d != at and array.ndim and size > array.shape[d]:
            raise RuntimeError(
                f"Size does not match at dimension {d} expected index size {size} to be no larger than self size "
                f"{array.shape[d]} apart from dimension {at}"
            )
        if src.ndim and size > src.shape[d]:
            raise RuntimeError(
                f"Size does not match at dimension {d} expected index size {size} to be no larger than src size "
                f"{src.shape[d]}"
            )
    length = array.shape[at] if array.ndim else 1
    bad = index[(index < 0) | (index >= length)]
    if bad.size:
        raise RuntimeError(f"index {bad.flat[0]} is out of bounds for dimension {at} with size {length}")
    target = array if array.ndim else array.reshape(1)
    places: list[Array] = list(np.indices(index.shape or (1,)))
    places[at] = index.reshape(index.shape or (1,))
    shape = index.shape or (1,)
    given = src[tuple(slice(n) for n in shape)] if src.ndim else np.broadcast_to(src, shape)
    if action == 1:
        target[tuple(places)] = given
    else:
        with np.errstate(all="ignore"):
            combine_at(target, tuple(places), given, action)
    return array


def _index_put(array: Array, indices: Sequence[Array], values: Array, accumulate: bool) -> Array:
    layout = layout_of([TENSOR] * len(indices))
    return write(array, values, layout, (), indices, 2 if accumulate else 1)


# ---- composites


def index_put(self: Tensor, indices: object, values: Tensor, accumulate: bool) -> Tensor:
    return self.clone().index_put_(indices, values, accumulate)


def nonzero(self: Tensor, as_tuple: bool) -> Tensor:
    """The indices of the elements that are not zero, in row-major order: a row for each.

    Args:
        input: Of any dtype and shape.
        as_tuple: False.

    Returns:
        int64, of the shape ``(count, input.dim())``.

    Example:
        >>> tscript.nonzero(tscript.tensor([[0, 5], [7, 0]])).tolist()
        [[0, 1], [1, 0]]
    """
    return tscript.true_positions(self != 0)


def count_nonzero(self: Tensor) -> Tensor:
    return (self != 0).sum()


def count_nonzero_along(self: Tensor, dim: Size | None) -> Tensor:
    return (self != 0).sum(dim)


def masked_select(self: Tensor, mask: Tensor) -> Tensor:
    """The elements where a mask is true, in row-major order; both are broadcast.

    Args:
        input: Of any dtype and shape.
        mask: Bools of a shape that goes with it.

    Raises:
        RuntimeError: The mask has another dtype, or the shapes do not go together.

    Example:
        >>> tscript.masked_select(tscript.tensor([1, 2, 3]), tscript.tensor([True, False, True])).tolist()
        [1, 3]
    """
    if mask.dtype != torch.bool:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    if self.shape == mask.shape:
        return self[mask]
    wide = torch.logical_or(mask, torch.zeros_like(self, dtype=torch.bool))
    return self.expand(wide.shape)[wide]


def masked_scatter_(self: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    if mask.dtype != torch.bool:
        raise RuntimeError("masked_scatter_ only supports boolean masks")
    wide = mask if mask.shape == self.shape else mask.expand(self.shape)
    count = int(wide.sum())
    if count > source.numel():
        raise RuntimeError(f"masked_scatter: expected self.numel() <= source.numel(), found {count} > {source.numel()}")
    self[wide] = source.reshape(-1)[:count]
    return self


def masked_scatter(self: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """A copy with the elements where a mask is true replaced by those of `source`, from its first one on.

    Args:
        input: Of any dtype and shape.
        mask: Bools that broadcast to its shape.
        source: Of the same dtype, with at least as many elements as are true.

    Raises:
        RuntimeError: There are fewer, or dtypes or shapes do not go together.

    Example:
        >>> x = tscript.zeros(3)
        >>> x.masked_scatter(tscript.tensor([True, False, True]), tscript.tensor([1.0, 2.0])).tolist()
        [1.0, 0.0, 2.0]
    """
    if mask.dim() > self.dim():
        return tscript.masked_scatter_(self.expand(mask.shape).clone(), mask, source)
    return tscript.masked_scatter_(self.clone(), mask, source)


def take(self: Tensor, index: Tensor) -> Tensor:
    return self.reshape(-1)[index.reshape(-1)].reshape(index.shape)


def put_(self: Tensor, index: Tensor, source: Tensor, accumulate: bool) -> Tensor:
    if index.numel() != source.numel():
        raise RuntimeError(
            f"put_(): Expected source and index to have the same number of elements, but got source.numel() = "
            f"{source.numel()}, index.numel() = {index.numel()}"
        )
    flat = self.reshape(-1).clone()
    tscript.index_put_(flat, (index.reshape(-1),), source.reshape(-1), accumulate)
    return self.copy_(flat.view(self.shape))


def put(self: Tensor, index: Tensor, source: Tensor, accumulate: bool) -> Tensor:
    return tscript.put_(self.clone(), index, source, accumulate)


@generic
def one_along(x, dim: int) -> Tensor:
    """False in the shape of `x`, with one element along a dimension, which may have none."""
    if x.size(dim) == 0:
        return torch.zeros_like(x.sum(dim, True), dtype=torch.bool)
    return torch.zeros_like(x.select(dim, 0).unsqueeze(dim), dtype=torch.bool)


def take_along_dim(self: Tensor, indices: Tensor, dim: int | None) -> Tensor:
    """What `gather` gives, with both tensors broadcast in the other dimensions; of all elements without `dim`.

    Args:
        input: Of any dtype.
        indices: int64, with as many dimensions.
        dim: The dimension that is indexed.

    Raises:
        RuntimeError: An index is out of range, or the shapes do not go together.

    Example:
        >>> x = tscript.tensor([[3.0, 1.0], [2.0, 5.0]])
        >>> tscript.take_along_dim(x, tscript.tensor([[1], [0]]), 1).tolist()
        [[1.0], [2.0]]
    """
    if dim is None:
        return self.reshape(-1).gather(0, indices.reshape(-1))
    if self.dim() != indices.dim():
        raise RuntimeError(
            f"torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{self.dim()} dimensions for input, and {indices.dim()} dimensions for indices"
        )
    indices = torch.where(indices < 0, indices + self.size(dim), indices)
    wide = torch.logical_or(one_along(indices, dim), one_along(self, dim))
    mine = self + torch.zeros_like(wide, dtype=self.dtype)
    return mine.gather(dim, indices + torch.zeros_like(wide, dtype=indices.dtype))


def scatter_(self: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    return tscript.scatter_write(self, dim, index, src, 1)


def scatter_value_(self: Tensor, dim: int, index: Tensor, value: int | float | bool) -> Tensor:
    return tscript.scatter_write(self, dim, index, torch.full((), value, dtype=self.dtype), 1)


def scatter(self: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """A copy with the elements of `src` written along `dim` where `index` says: what `gather` reads.

    Args:
        input: Of any dtype.
        dim: The dimension that is indexed.
        index: int64, with as many dimensions, no larger than `input` but along `dim`.
        src: Of the dtype of `input`, at least as large as `index`; or `value`, a number.

    Raises:
        RuntimeError: An index is out of range, or dtypes or shapes do not go together.

    Example:
        >>> x = tscript.zeros(2, 3)
        >>> x.scatter(1, tscript.tensor([[2], [0]]), tscript.tensor([[1.0], [2.0]])).tolist()
        [[0.0, 0.0, 1.0], [2.0, 0.0, 0.0]]
    """
    return tscript.scatter_write(self.clone(), dim, index, src, 1)


def scatter_value(self: Tensor, dim: int, index: Tensor, value: int | float | bool) -> Tensor:
    return tscript.scatter_write(self.clone(), dim, index, torch.full((), value, dtype=self.dtype), 1)


def scatter_action(reduce: str) -> int:
    if reduce == "add":
        return 2
    if reduce == "multiply":
        return 3
    raise RuntimeError("reduce argument must be either add or multiply.")


@generic
def combine(self, dim: int, index, src, action: int) -> Tensor:
    """`scatter_write` that adds, multiplies or compares; sums and products of narrow floats are rounded once."""
    if self.dtype == torch.float16 or self.dtype == torch.bfloat16:
        if src.dtype != self.dtype:
            raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
        return self.copy_(tscript.scatter_write(self.float(), dim, index, src.float(), action))
    return tscript.scatter_write(self, dim, index, src, action)


def scatter_with(self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str) -> Tensor:
    return combine(self.clone(), dim, index, src, scatter_action(reduce))


def scatter_with_(self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str) -> Tensor:
    return combine(self, dim, index, src, scatter_action(reduce))


def scatter_value_with(self: Tensor, dim: int, index: Tensor, value: int | float | bool, reduce: str) -> Tensor:
    number = torch.full((), value, dtype=self.dtype)
    return combine(self.clone(), dim, index, number, scatter_action(reduce))


def scatter_value_with_(self: Tensor, dim: int, index: Tensor, value: int | float | bool, reduce: str) -> Tensor:
    return combine(self, dim, index, torch.full((), value, dtype=self.dtype), scatter_action(reduce))


def scatter_add_(self: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    return combine(self, dim, index, src, 2)


def scatter_add(self: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    return combine(self.clone(), dim, index, src, 2)


def lowest_of(x: Tensor) -> Tensor:
    """What every element is as large as or larger than."""
    if x.is_floating_point():
        return torch.full((), -float("inf"), dtype=x.dtype)
    if x.dtype == torch.bool or x.dtype == torch.uint8:
        return torch.full((), 0, dtype=x.dtype)
    bits = 8 if x.dtype == torch.int8 else 16 if x.dtype == torch.int16 else 32 if x.dtype == torch.int32 else 63
    least = -(1 << 62) * 2 if bits == 63 else -(1 << (bits - 1))
    return torch.full((), least, dtype=x.dtype)


def highest_of(x: Tensor) -> Tensor:
    """What every element is as small as or smaller than."""
    if x.is_floating_point():
        return torch.full((), float("inf"), dtype=x.dtype)
    return torch.bitwise_not(lowest_of(x))


def scatter_reduce_(self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, include_self: bool) -> Tensor:
    if reduce in ("sum", "mean"):
        action = 2
        start = torch.zeros((), dtype=self.dtype)
    elif reduce == "prod":
        action = 3
        start = torch.ones((), dtype=self.dtype)
    elif reduce == "amin":
        action = 4
        start = highest_of(self)
    elif reduce == "amax":
        action = 5
        start = lowest_of(self)
    else:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}.")
    if not include_self:
        tscript.scatter_write(self, dim, index, start, 1)
    combine(self, dim, index, src, action)
    if reduce == "mean":
        count = torch.ones_like(self) if include_self else torch.zeros_like(self)
        combine(count, dim, index, torch.ones_like(src), 2)
        count = torch.where(count < 1, torch.ones_like(count), count)
        if self.is_floating_point():
            self.copy_(self / count)
        else:
            self.copy_(torch.div(self, count, rounding_mode="floor"))
    return self


def scatter_reduce(self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, include_self: bool) -> Tensor:
    """A copy with the elements of `src` combined along `dim` with those that `index` says.

    Args:
        input: Of any dtype.
        dim: The dimension that is indexed.
        index: int64, with as many dimensions, no larger than `input` but along `dim`.
        src: Of the dtype of `input`, at least as large as `index`.
        reduce: ``"sum"``, ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``.
        include_self: Whether the elements of `input` take part.

    Raises:
        RuntimeError: An index is out of range, or dtypes or shapes do not go together.

    Example:
        >>> x, src = tscript.ones(2), tscript.tensor([2.0, 3.0, 4.0])
        >>> x.scatter_reduce(0, tscript.tensor([0, 0, 1]), src, "sum").tolist()
        [6.0, 5.0]
    """
    return tscript.scatter_reduce_(self.clone(), dim, index, src, reduce, include_self=include_self)


def check_vector(index: Tensor, name: str) -> None:
    if index.dim() > 1:
        raise IndexError(f"{name}: Index should have dimension 1 or 0 (got {index.dim()})")


def front(x: Tensor, dim: int) -> Tensor:
    return x.transpose(0, dim) if x.dim() > 0 else x.unsqueeze(0)


def index_add_(self: Tensor, dim: int, index: Tensor, source: Tensor, alpha: int | float) -> Tensor:
    check_vector(index, "index_add_()")
    given = source if alpha == 1 else source * alpha
    tscript.index_put_(front(self, dim), (index.reshape(-1),), front(given, dim), True)
    return self


def index_add(self: Tensor, dim: int, index: Tensor, source: Tensor, alpha: int | float) -> Tensor:
    """A copy to which slices of `source` are added along a dimension, where `index` says.

    Args:
        input: Of any dtype.
        dim: The dimension.
        index: A vector of ints.
        source: Of the dtype of `input`, with as many slices as `index` has elements.
        alpha: What `source` is multiplied by.

    Raises:
        IndexError: An index is out of range.
        RuntimeError: Dtypes or shapes do not go together.

    Example:
        >>> tscript.zeros(3).index_add(0, tscript.tensor([0, 0, 2]), tscript.ones(3)).tolist()
        [2.0, 0.0, 1.0]
    """
    return tscript.index_add_(self.clone(), dim, index, source, alpha=alpha)


def index_copy_(self: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    check_vector(index, "index_copy_()")
    if source.dim() > 0 and source.size(dim) != index.numel():
        raise IndexError(
            f"index_copy_(): Number of indices ({index.numel()}) should be equal to source.size(dim) "
            f"({source.size(dim)})"
        )
    tscript.index_put_(front(self, dim), (index.reshape(-1),), front(source, dim), False)
    return self


def index_copy(self: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    return tscript.index_copy_(self.clone(), dim, index, source)


def index_fill_(self: Tensor, dim: int, index: Tensor, value: int | float | bool) -> Tensor:
    check_vector(index, "index_fill_()")
    number = torch.full((), value, dtype=self.dtype)
    tscript.index_put_(front(self, dim), (index.reshape(-1),), number, False)
    return self


def index_fill(self: Tensor, dim: int, index: Tensor, value: int | float | bool) -> Tensor:
    return tscript.index_fill_(self.clone(), dim, index, value)


def fill_diagonal_(self: Tensor, fill_value: int | float | bool) -> Tensor:
    if self.dim() != 2:
        raise RuntimeError(f"fill_diagonal_: the tensor must have 2 dimensions, got {self.dim()}")
    self.diagonal().fill_(fill_value)
    return self


def select_scatter(self: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    out = self.clone()
    out.select(dim, index).copy_(src)
    return out


def slice_scatter(self: Tensor, src: Tensor, dim: int, start: int | None, end: int | None, step: int) -> Tensor:
    out = self.clone()
    tscript.slice(out, dim, start, end, step).copy_(src)
    return out


def diagonal_scatter(self: Tensor, src: Tensor, offset: int, dim1: int, dim2: int) -> Tensor:
    out = self.clone()
    out.diagonal(offset, dim1, dim2).copy_(src)
    return out


def one_hot(self: Tensor, num_classes: int) -> Tensor:
    """Ones at the places that a tensor of classes says, in a new last dimension.

    Args:
        input: int64, of any shape.
        num_classes: Its size; -1: one more than the largest class.

    Raises:
        RuntimeError: A class is negative or too large, or there is none to count.

    Example:
        >>> tscript.nn.functional.one_hot(tscript.tensor([0, 2]), 3).tolist()
        [[1, 0, 0], [0, 0, 1]]
    """
    if self.dtype != torch.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor")
    count = num_classes
    if self.numel() == 0:
        if count <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
    else:
        if int(self.min()) < 0:
            raise RuntimeError("Class values must be non-negative.")
        most = int(self.max())
        if count == -1:
            count = most + 1
        elif count < 1:
            raise RuntimeError("num_classes should be positive")
        elif most >= count:
            raise RuntimeError(f"Class values must be smaller than num_classes: {most} is not below {count}")
    return (self.unsqueeze(-1) == torch.arange(count)).to(torch.int64)


def bincount(self: Tensor, weights: Tensor | None, minlength: int) -> Tensor:
    """How often each number from 0 on occurs, or the sums of the weights of its places.

    Args:
        input: A vector of ints, none negative.
        weights: As many numbers.
        minlength: The least length of the result.

    Raises:
        RuntimeError: The input is no vector of ints that are not negative, or the weights are of another length.

    Example:
        >>> tscript.bincount(tscript.tensor([1, 1, 3])).tolist()
        [0, 2, 0, 1]
    """
    if self.dim() != 1 or self.is_floating_point():
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    length = minlength
    if self.numel() > 0:
        if int(self.min()) < 0:
            raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
        length = max(minlength, int(self.max()) + 1)
    at = self.to(torch.int64)
    if weights is None:
        return torch.zeros(length, dtype=torch.int64).scatter_add_(0, at, torch.ones_like(at))
    if weights.shape != self.shape:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    if weights.dtype == torch.float32:
        return torch.zeros(length, dtype=torch.float32).scatter_add_(0, at, weights)
    return torch.zeros(length, dtype=torch.float64).scatter_add_(0, at, weights.to(torch.float64))


def isin(elements: Tensor, test_elements: Tensor, assume_unique: bool, invert: bool) -> Tensor:
    """Which elements are among others.

    Args:
        elements: Of any shape.
        test_elements: What is looked for, of any shape.
        assume_unique: Whether neither has an element twice; not needed.
        invert: Whether those that are not there count.

    Returns:
        Bools of the shape of `elements`.

    Example:
        >>> tscript.isin(tscript.tensor([1, 2, 3]), tscript.tensor([2, 5])).tolist()
        [False, True, False]
    """
    found = (elements.unsqueeze(-1) == test_elements.reshape(-1)).any(-1)
    return torch.logical_not(found) if invert else found


@generic
def corner(row: int, col: int, offset: int, is_lower, dtype) -> Tensor:
    """Rows and columns of a triangle, as int64 or in the dtype that is asked for.

    Raises:
        RuntimeError: A size is negative.
        MemoryError: There are more elements than memory has room for.
    """
    if row < 0 or col < 0:
        raise RuntimeError(f"rows and columns must be non-negative, got {row} and {col}")
    if row > (1 << 32) or row > (1 << 46) // max(col, 1):
        raise MemoryError(f"a matrix of {row} rows and {col} columns does not fit into memory")
    places = CORNER_PLACES(row, col, offset, is_lower)
    return places if dtype is None else places.to(dtype)


def tril_indices(row: int, col: int, offset: int, dtype: DType | None) -> Tensor:
    return corner(row, col, offset, True, dtype)


def triu_indices(row: int, col: int, offset: int, dtype: DType | None) -> Tensor:
    return corner(row, col, offset, False, dtype)


def _corner_places(row: int, col: int, offset: int, is_lower: bool) -> Array:
    if row < 0 or col < 0:
        raise RuntimeError(f"rows and columns must be non-negative, got {row} and {col}")
    away = np.arange(col) - np.arange(row)[:, None]
    return np.array(np.nonzero(away <= offset if is_lower else away >= offset), np.int64)


CORNER_PLACES: OpDef = kernel(
    "corner_places(int row, int col, int offset, bool is_lower) -> Tensor",
    lambda args: TensorType(dtypes.int64, 2),
    _corner_places,
    "corners.corner_places",
    "Rows and columns of the elements of a triangle.",
    tags=(FACTORY,),
    names="",
)
HIDDEN: tuple[OpDef, ...] = (CORNER_PLACES,)
"""What bodies call."""

OPERATORS: tuple[OpDef, ...] = (
    kernel(
        "true_positions(Tensor mask) -> Tensor",
        _positions,
        lambda mask: np.argwhere(mask).astype(np.int64),
        "scattering.nonzero",
        "The indices of the true elements of a bool tensor.",
        names="tscript.true_positions",
    ),
    kernel(
        "scatter_write(Tensor(a!) self, int dim, Tensor index, Tensor src, int action) -> Tensor",
        _scattered,
        _scatter,
        "scattering.scatter_write",
        "What scatters are made of.",
        effects=WRITES,
        names="tscript.scatter_write",
        complex=True,
    ),
    kernel(
        "index_put_(Tensor(a!) self, Tensor[] indices, Tensor values, bool accumulate=False) -> Tensor",
        _first,
        _index_put,
        "scattering.index_put_",
        "``self[indices] = values``, or added to what is there.",
        effects=WRITES,
        names="index_put_ torch.index_put_",
        complex=True,
    ),
    composite(
        "index_put(Tensor self, Tensor[] indices, Tensor values, bool accumulate=False) -> Tensor",
        index_put,
        "A copy with ``self[indices] = values``, or with the values added.",
        names="index_put out=no",
    ),
    composite(
        "nonzero(Tensor self, *, bool as_tuple=False) -> Tensor",
        nonzero,
        names="nonzero argwhere out=no",
        when={"as_tuple": False},
    ),
    composite(
        "count_nonzero(Tensor self) -> Tensor",
        count_nonzero,
        "How many elements are not zero.",
        names="out=no count_nonzero",
    ),
    composite(
        "count_nonzero.dim(Tensor self, int[1]? dim) -> Tensor",
        count_nonzero_along,
        "How many elements are not zero along dimensions.",
        names="out=no count_nonzero",
    ),
    composite("masked_select(Tensor self, Tensor mask) -> Tensor", masked_select),
    composite(
        "masked_scatter_(Tensor(a!) self, Tensor mask, Tensor source) -> Tensor",
        masked_scatter_,
        "In-place `masked_scatter`.",
    ),
    composite(
        "masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor",
        masked_scatter,
        names="masked_scatter out=no",
    ),
    composite("take(Tensor self, Tensor index) -> Tensor", take, "Elements by their numbers in row-major order."),
    composite(
        "put_(Tensor(a!) self, Tensor index, Tensor source, bool accumulate=False) -> Tensor",
        put_,
        "Elements written, or added, by their numbers in row-major order.",
    ),
    composite(
        "put(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor",
        put,
        "A copy with `put_`.",
        names="put out=no",
    ),
    composite("take_along_dim(Tensor self, Tensor indices, int? dim=None) -> Tensor", take_along_dim),
    composite(
        "scatter_.src(Tensor(a!) self, int dim, Tensor index, Tensor src) -> Tensor", scatter_, "In-place `scatter`."
    ),
    composite(
        "scatter_.value(Tensor(a!) self, int dim, Tensor index, Scalar value) -> Tensor",
        scatter_value_,
        "In-place `scatter` of a number.",
    ),
    composite(
        "scatter_.reduce(Tensor(a!) self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor",
        scatter_with_,
        "In-place `scatter` that adds or multiplies.",
    ),
    composite(
        "scatter_.value_reduce(Tensor(a!) self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor",
        scatter_value_with_,
        "In-place `scatter` of a number that adds or multiplies.",
    ),
    composite("scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor", scatter),
    composite(
        "scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor",
        scatter_value,
        "A copy with a number written where `index` says.",
    ),
    composite(
        "scatter.reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor",
        scatter_with,
        '`scatter` that adds (``reduce="add"``) or multiplies (``"multiply"``).',
    ),
    composite(
        "scatter.value_reduce(Tensor self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor",
        scatter_value_with,
        "`scatter` of a number that adds or multiplies.",
    ),
    composite(
        "scatter_add_(Tensor(a!) self, int dim, Tensor index, Tensor src) -> Tensor",
        scatter_add_,
        "In-place `scatter_add`.",
    ),
    composite(
        "scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor",
        scatter_add,
        "A copy with the elements of `src` added along `dim` where `index` says.",
    ),
    composite(
        "scatter_reduce_(Tensor(a!) self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) "
        "-> Tensor",
        scatter_reduce_,
        "In-place `scatter_reduce`.",
    ),
    composite(
        "scatter_reduce(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) "
        "-> Tensor",
        scatter_reduce,
    ),
    composite(
        "index_add_(Tensor(a!) self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor",
        index_add_,
        "In-place `index_add`.",
    ),
    composite("index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor", index_add),
    composite(
        "index_copy_(Tensor(a!) self, int dim, Tensor index, Tensor source) -> Tensor",
        index_copy_,
        "In-place `index_copy`.",
    ),
    composite(
        "index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor",
        index_copy,
        "A copy with the slices along `dim` that `index` says replaced.",
    ),
    composite(
        "index_fill_(Tensor(a!) self, int dim, Tensor index, Scalar value) -> Tensor",
        index_fill_,
        "In-place `index_fill`.",
    ),
    composite(
        "index_fill(Tensor self, int dim, Tensor index, Scalar value) -> Tensor",
        index_fill,
        "A copy with the slices along `dim` that `index` says filled with a number.",
        names="index_fill out=no",
    ),
    composite(
        "fill_diagonal_(Tensor(a!) self, Scalar fill_value) -> Tensor",
        fill_diagonal_,
        "The main diagonal of a matrix filled.",
    ),
    composite(
        "select_scatter(Tensor self, Tensor src, int dim, int index) -> Tensor",
        select_scatter,
        "A copy with one index of a dimension replaced.",
        names="select_scatter out=no",
    ),
    composite(
        "slice_scatter(Tensor self, Tensor src, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor",
        slice_scatter,
        "A copy with a slice of a dimension replaced.",
        names="slice_scatter out=no",
    ),
    composite(
        "diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor",
        diagonal_scatter,
        "A copy with a diagonal replaced.",
        names="diagonal_scatter out=no",
    ),
    composite("one_hot(Tensor self, int num_classes=-1) -> Tensor", one_hot, names="F.one_hot"),
    composite(
        "bincount(Tensor self, Tensor? weights=None, int minlength=0) -> Tensor", bincount, names="bincount out=no"
    ),
    composite(
        "isin(Tensor elements, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor",
        isin,
        names="torch.isin",
    ),
    composite(
        "tril_indices(int row, int col, int offset=0, *, dtype? dtype=None) -> Tensor",
        tril_indices,
        "Rows and columns of the elements on and below a diagonal.",
        names="torch.tril_indices out=no",
        tags=(FACTORY,),
    ),
    composite(
        "triu_indices(int row, int col, int offset=0, *, dtype? dtype=None) -> Tensor",
        triu_indices,
        "Rows and columns of the elements on and above a diagonal.",
        names="torch.triu_indices out=no",
        tags=(FACTORY,),
    ),
)
"""All operators of this module."""
