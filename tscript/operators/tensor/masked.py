"""`tscript.masked`: reductions and the like in which only the elements count that a mask is true for.

Each puts what changes nothing in the place of the others (0 into a sum, minus infinity into a greatest element) and is
then the operator of the same name. Where all elements along a dimension are masked out, that is the result, and NaN of
means, variances and medians.
"""

# mypy: disable-error-code="no-untyped-def,no-any-return,operator"

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tscript.definitions.define import composite
from tscript.definitions.language import Size, Tensor, generic, torch
from tscript.definitions.opdef import OpDef
from tscript.operators.tensor.checks import SCALAR_TYPE, check_real
from tscript.types import DType

# ---- what the bodies share


@generic
def over(x, mask):
    """A mask as bools, in the shape of what it masks."""
    if mask.dim() > x.dim():
        raise IndexError(
            f"masked: expected a mask that broadcasts to the input, found one of {mask.dim()} dimensions for an input "
            f"of {x.dim()}"
        )
    return mask.to(torch.bool).expand(x.size())


@generic
def filled(x, mask, value):
    """With a number where the mask is false."""
    if mask is None:
        return x
    return x.masked_fill(over(x, mask).logical_not(), value)


@generic
def check_ordered(x, name: str) -> None:
    """Refuse dtypes without a greatest and a least number that can be filled in."""
    if x.dtype == torch.bool or x.dtype == torch.uint64 or x.is_complex():
        raise NotImplementedError(f"masked.{name}: there is no identity for '{SCALAR_TYPE(x)}': leave the mask out")


@generic
def least(x) -> int:
    """The least number of a dtype of ints."""
    if x.dtype == torch.uint8 or x.dtype == torch.uint16 or x.dtype == torch.uint32:
        return 0
    return -2 * (1 << (8 * x.element_size() - 2))


@generic
def greatest(x) -> int:
    """The greatest number of a dtype of ints."""
    if x.dtype == torch.uint8 or x.dtype == torch.uint16 or x.dtype == torch.uint32:
        return (1 << 8 * x.element_size()) - 1
    return 2 * ((1 << (8 * x.element_size() - 2)) - 1) + 1


@generic
def filled_low(x, mask, name: str):
    """With the least number of the dtype."""
    if mask is None:
        return x
    check_ordered(x, name)
    if x.is_floating_point():
        return filled(x, mask, -torch.inf)
    return filled(x, mask, least(x))


@generic
def filled_high(x, mask, name: str):
    """With the greatest number of the dtype."""
    if mask is None:
        return x
    check_ordered(x, name)
    if x.is_floating_point():
        return filled(x, mask, torch.inf)
    return filled(x, mask, greatest(x))


@generic
def in_dtype(found, x, dtype):
    """In the dtype that is asked for, else in that of the input."""
    return found.to(x.dtype) if dtype is None else found.to(dtype)


@generic
def widened(x):
    """Ints as sums of them are, other numbers as they are."""
    if x.is_floating_point() or x.is_complex() or x.dtype == torch.uint64:
        return x
    return x.to(torch.int64)


@generic
def check_distinct(x, dim) -> None:
    """Refuse a dimension that is named twice."""
    for i in range(len(dim)):
        for j in range(i):
            if (dim[i] - dim[j]) % max(x.dim(), 1) == 0:
                raise RuntimeError(f"dim={dim[i]} appears multiple times in the list of dims")


@generic
def counted(x, dim, keepdim, mask):
    """How many elements count."""
    if mask is None:
        return torch.ones(x.size(), dtype=torch.int64).sum(dim, keepdim)
    return over(x, mask).sum(dim, keepdim)


# ---- reductions


def sum(self: Tensor, dim: Size | None, keepdim: bool, dtype: DType | None, mask: Tensor | None) -> Tensor:
    """The sum of the elements that a mask is true for.

    Args:
        input: A tensor.
        dim: The dimensions; None or none for all.
        keepdim: Whether the dimensions stay, with size 1.
        dtype: Of the result; if left out that of the input, int64 for ints and bools.
        mask: Bools (other numbers are true if they are not 0) that broadcast to the input; None for all elements.

    Raises:
        IndexError: A dimension is out of range, or the mask has more dimensions than the input.
        RuntimeError: A dimension is named twice, or the mask does not broadcast to the input.

    Example:
        >>> x = tscript.tensor([[1, 2, 3], [4, 5, 6]])
        >>> mask = tscript.tensor([[True, False, True], [False, False, False]])
        >>> tscript.masked.sum(x, 1, mask=mask).tolist()
        [4, 0]
    """
    return filled(self, mask, 0).sum(dim, keepdim, dtype=dtype)


def prod(self: Tensor, dim: Size | None, keepdim: bool, dtype: DType | None, mask: Tensor | None) -> Tensor:
    """The product of the elements that a mask is true for, 1 if there are none.

    Args:
        input, dim, keepdim, dtype, mask: As for `tscript.masked.sum`.

    Example:
        >>> x = tscript.tensor([[1, 2, 3], [4, 5, 6]])
        >>> tscript.masked.prod(x, (0, 1), mask=x > 3).item()
        120
    """
    x = filled(self, mask, 1)
    x = widened(x) if dtype is None else x.to(dtype)
    found = x
    if dim is None or len(dim) == 0:
        if not keepdim:
            return in_dtype(x.prod(), x, dtype)
        for d in range(x.dim()):
            found = in_dtype(found.prod(d, True), x, dtype)
        return found
    check_distinct(x, dim)
    for d in dim:
        found = in_dtype(found.prod(d, True), x, dtype)
    return found if keepdim else found.squeeze(dim)


def amax(self: Tensor, dim: Size | None, keepdim: bool, dtype: DType | None, mask: Tensor | None) -> Tensor:
    """The greatest of the elements that a mask is true for; the least number of the dtype if there are none.

    Args:
        input, dim, keepdim, mask: As for `tscript.masked.sum`; real numbers, and no bools where there is a mask.
        dtype: Of the result; if left out that of the input.

    Raises:
        NotImplementedError: There is a mask for numbers without a least one.

    Example:
        >>> x = tscript.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        >>> tscript.masked.amax(x, 1, mask=x < 3).tolist()
        [2.0, -inf]
    """
    x = filled_low(self, mask, "amax")
    return in_dtype(x.amax(() if dim is None else dim, keepdim), self, dtype)


def amin(self: Tensor, dim: Size | None, keepdim: bool, dtype: DType | None, mask: Tensor | None) -> Tensor:
    """The least of the elements that a mask is true for; the greatest number of the dtype if there are none.

    Args:
        input, dim, keepdim, dtype, mask: As for `tscript.masked.amax`.

    Raises:
        NotImplementedError: There is a mask for numbers without a greatest one.

    Example:
        >>> x = tscript.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        >>> tscript.masked.amin(x, 1, mask=x > 1).tolist()
        [2.0, 4.0]
    """
    x = filled_high(self, mask, "amin")
    return in_dtype(x.amin(() if dim is None else dim, keepdim), self, dtype)


def argmax(self: Tensor, dim: int | None, keepdim: bool, dtype: DType | None, mask: Tensor | None) -> Tensor:
    """Where the greatest of the elements is that a mask is true for.

    Args:
        input, keepdim, mask: As for `tscript.masked.amax`.
        dim: The dimension; None for the place in all elements.
        dtype: Of the result; if left out that of the input, as PyTorch has it, in which large indices may be rounded.

    Raises:
        NotImplementedError: There is a mask for numbers without a least one.

    Example:
        >>> x = tscript.tensor([3, 1, 2])
        >>> tscript.masked.argmax(x, 0, mask=x < 3).item()
        2
    """
    return in_dtype(filled_low(self, mask, "argmax").argmax(dim, keepdim), self, dtype)


def argmin(self: Tensor, dim: int | None, keepdim: bool, dtype: DType | None, mask: Tensor | None) -> Tensor:
    """Where the least of the elements is that a mask is true for.

    Args:
        input, dim, keepdim, dtype, mask: As for `tscript.masked.argmax`.

    Raises:
        NotImplementedError: There is a mask for numbers without a greatest one.

    Example:
        >>> x = tscript.tensor([3, 1, 2])
        >>> tscript.masked.argmin(x, 0, mask=x > 1).item()
        2
    """
    return in_dtype(filled_high(self, mask, "argmin").argmin(dim, keepdim), self, dtype)


def mean(self: Tensor, dim: Size | None, keepdim: bool, dtype: DType | None, mask: Tensor | None) -> Tensor:
    """The mean of the elements that a mask is true for, NaN if there are none.

    Args:
        input, dim, keepdim, mask: As for `tscript.masked.sum`.
        dtype: Of the result, floats or complex numbers; if left out that of the input.

    Raises:
        ValueError: The dtype is one of ints or bools.

    Example:
        >>> x = tscript.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        >>> tscript.masked.mean(x, 0, mask=x > 1).tolist()
        [4.0, 3.5, 4.5]
    """
    if dtype is None:
        if not (self.is_floating_point() or self.is_complex()):
            raise ValueError(
                "mean(): Could not infer output dtype. Input dtype must be either a floating point or complex dtype. "
                f"Got: {SCALAR_TYPE(self)}: convert the input, or say dtype=torch.float32"
            )
        return filled(self, mask, 0).sum(dim, keepdim) / counted(self, dim, keepdim, mask)
    if not (dtype.is_floating_point or dtype.is_complex):
        raise ValueError(
            "mean(): Could not infer output dtype. Optional dtype must be either a floating point or complex dtype. "
            f"Got: {dtype}"
        )
    return filled(self, mask, 0).sum(dim, keepdim, dtype=dtype) / counted(self, dim, keepdim, mask)


def median(self: Tensor, dim: int, keepdim: bool, dtype: DType | None, mask: Tensor | None) -> Tensor:
    """The median along a dimension of the elements that a mask is true for, NaN if there are none.

    Args:
        input, keepdim, mask: As for `tscript.masked.sum`. NaN is masked out, too; of two elements it is the lower one.
        dim: The dimension.
        dtype: Of the result, if the input has ints; if left out that of the input. Floats stay as they are.

    Raises:
        ValueError: The input has ints, and all elements along the dimension are masked out.

    Example:
        >>> x = tscript.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        >>> tscript.masked.median(x, 1, mask=x > 1).tolist()
        [2.0, 5.0]
    """
    check_real(self, "nanmedian")
    if self.is_floating_point():
        return torch.nanmedian(filled(self, mask, torch.nan), dim, keepdim)[0]
    found = torch.nanmedian(filled(self.to(torch.float32), mask, torch.nan), dim, keepdim)[0]
    if bool(found.isnan().any()):
        raise ValueError("masked median expects no fully masked out rows if dtype is not floating point")
    return in_dtype(found, self, dtype)


def norm(self: Tensor, ord: float, dim: Size | None, keepdim: bool, dtype: DType | None, mask: Tensor | None) -> Tensor:
    """Norm of the elements that a mask is true for: `torch.linalg.vector_norm`.

    Args:
        input: Floats or complex numbers.
        ord: The order.
        dim, keepdim, mask: As for `tscript.masked.sum`.
        dtype: What the input is converted to before.

    Raises:
        RuntimeError: As `torch.linalg.vector_norm`.

    Example:
        >>> x = tscript.tensor([3.0, 9.0, -4.0])
        >>> tscript.masked.norm(x, mask=x < 5).item()
        5.0
    """
    return length(self, ord, dim, keepdim, dtype, mask)


@generic
def length(x, ord, dim, keepdim, dtype, mask):
    """Norms of an order."""
    fill = torch.inf if ord == -torch.inf else 0.0
    return torch.linalg.vector_norm(filled(x, mask, fill), ord, dim, keepdim, dtype=dtype)


@generic
def varied(x, dim, unbiased, correction, keepdim, dtype, mask):
    """Variances in a dtype of floats or complex numbers."""
    divisor = 1.0
    if unbiased is not None:
        divisor = 1.0 if unbiased else 0.0
    if correction is not None:
        divisor = float(correction)
    wide = torch.float64 if dtype == torch.float64 or dtype == torch.complex128 else torch.float32
    middle = filled(x, mask, 0).sum(dim, True, dtype=dtype) / counted(x, dim, True, mask)
    apart = x - middle
    squares = (apart * apart.conj()).to(dtype)
    total = filled(squares, mask, 0).sum(dim, keepdim)
    count = (counted(x, dim, keepdim, mask).to(wide) - divisor).clamp(min=0.0)
    return (total / count).to(dtype)


@generic
def check_one(unbiased, correction) -> None:
    """Refuse two corrections."""
    if unbiased is not None and correction is not None:
        raise AssertionError("Only one of unbiased and correction may be given, found both")


@generic
def varied_in(x, dim, unbiased, correction, keepdim, dtype, mask):
    """Variances in the dtype that is asked for."""
    if dtype is None:
        if x.is_floating_point() or x.is_complex():
            return varied(x, dim, unbiased, correction, keepdim, x.dtype, mask)
        return varied(x, dim, unbiased, correction, keepdim, torch.float32, mask)
    if dtype.is_floating_point or dtype.is_complex:
        return varied(x, dim, unbiased, correction, keepdim, dtype, mask)
    return varied(x, dim, unbiased, correction, keepdim, torch.float32, mask).to(dtype)


def var(
    self: Tensor,
    dim: Size | None,
    unbiased: bool | None,
    correction: float | None,
    keepdim: bool,
    dtype: DType | None,
    mask: Tensor | None,
) -> Tensor:
    """Variance of the elements that a mask is true for.

    The sum of the squares of the distances from the mean, divided by how many they are, less the correction.

    Args:
        input, dim, keepdim, mask: As for `tscript.masked.sum`.
        unbiased: Whether 1 is the correction, else 0.
        correction: The correction, instead; 1 if both are left out.
        dtype: Of the result; if left out that of the input, float32 for ints and bools.

    Raises:
        AssertionError: Both `unbiased` and `correction` are given.

    Example:
        >>> x = tscript.tensor([1.0, 9.0, 3.0])
        >>> tscript.masked.var(x, mask=x < 5).item()
        2.0
    """
    check_one(unbiased, correction)
    return varied_in(self, dim, unbiased, correction, keepdim, dtype, mask)


def std(
    self: Tensor,
    dim: Size | None,
    unbiased: bool | None,
    correction: float | None,
    keepdim: bool,
    dtype: DType | None,
    mask: Tensor | None,
) -> Tensor:
    """Standard deviation of the elements that a mask is true for, the square root of `tscript.masked.var`.

    Args:
        input, dim, unbiased, correction, keepdim, dtype, mask: As for `tscript.masked.var`.

    Raises:
        AssertionError: Both `unbiased` and `correction` are given.

    Example:
        >>> x = tscript.tensor([1.0, 9.0, 5.0])
        >>> tscript.masked.std(x, correction=0, mask=x < 7).item()
        2.0
    """
    check_one(unbiased, correction)
    return varied_in(self, dim, unbiased, correction, keepdim, dtype, mask).sqrt()


def logsumexp(self: Tensor, dim: Size | None, keepdim: bool, dtype: DType | None, mask: Tensor | None) -> Tensor:
    """Logarithm of the sum of ``exp(x)`` of the elements that a mask is true for.

    Args:
        input, dim, keepdim, mask: As for `tscript.masked.amax`.
        dtype: Of the result; if left out that of the input.

    Raises:
        NotImplementedError: There is a mask for numbers without a least one.

    Example:
        >>> x = tscript.tensor([1.0, 9.0])
        >>> tscript.masked.logsumexp(x, mask=x < 5).item()
        1.0
    """
    x = filled_low(self, mask, "logsumexp")
    return in_dtype(x.logsumexp(() if dim is None else dim, keepdim), self, dtype)


# ---- what keeps the shape


def cumsum(self: Tensor, dim: int, dtype: DType | None, mask: Tensor | None) -> Tensor:
    """The sum of each element and all before it along a dimension; only those count that a mask is true for.

    Args:
        input, mask: As for `tscript.masked.sum`.
        dim: The dimension.
        dtype: Of the result; if left out that of the input, also of ints.

    Example:
        >>> x = tscript.tensor([1, 2, 3])
        >>> tscript.masked.cumsum(x, 0, mask=x != 2).tolist()
        [1, 1, 4]
    """
    x = filled(self, mask, 0)
    return x.cumsum(dim, dtype=self.dtype) if dtype is None else x.cumsum(dim, dtype=dtype)


def cumprod(self: Tensor, dim: int, dtype: DType | None, mask: Tensor | None) -> Tensor:
    """The product of each element and all before it along a dimension; only those count that a mask is true for.

    Args:
        input, dim, dtype, mask: As for `tscript.masked.cumsum`.

    Example:
        >>> x = tscript.tensor([1, 2, 3])
        >>> tscript.masked.cumprod(x, 0, mask=x != 2).tolist()
        [1, 1, 3]
    """
    x = filled(self, mask, 1)
    return x.cumprod(dim, dtype=self.dtype) if dtype is None else x.cumprod(dim, dtype=dtype)


def softmax(self: Tensor, dim: int, dtype: DType | None, mask: Tensor | None) -> Tensor:
    """``exp(x)`` along a dimension, scaled to the sum 1: 0 where a mask is false, NaN where it is false for all.

    Args:
        input: Floats; with `dtype` ints, too.
        dim: The dimension.
        dtype: What the input is converted to before.
        mask: As for `tscript.masked.sum`.

    Raises:
        NotImplementedError: The numbers are no floats.

    Example:
        >>> x = tscript.tensor([1.0, 1.0, 9.0])
        >>> tscript.masked.softmax(x, 0, mask=x < 5).tolist()
        [0.5, 0.5, 0.0]
    """
    x = filled_low(self, mask, "softmax")
    return x.softmax(dim) if dtype is None else x.softmax(dim, dtype)


def log_softmax(self: Tensor, dim: int, dtype: DType | None, mask: Tensor | None) -> Tensor:
    """Logarithm of `tscript.masked.softmax`: minus infinity where a mask is false.

    Args:
        input, dim, dtype, mask: As for `tscript.masked.softmax`.

    Raises:
        NotImplementedError: The numbers are no floats.

    Example:
        >>> x = tscript.tensor([1.0, 9.0])
        >>> tscript.masked.log_softmax(x, 0, mask=x < 5).tolist()
        [0.0, -inf]
    """
    x = filled_low(self, mask, "log_softmax")
    return x.log_softmax(dim) if dtype is None else x.log_softmax(dim, dtype)


def softmin(self: Tensor, dim: int, dtype: DType | None, mask: Tensor | None) -> Tensor:
    """``exp(-x)`` along a dimension, scaled to the sum 1: 0 where a mask is false, NaN where it is false for all.

    Args:
        input, dim, dtype, mask: As for `tscript.masked.softmax`.

    Raises:
        NotImplementedError: The numbers are no floats.

    Example:
        >>> x = tscript.tensor([1.0, 1.0, -9.0])
        >>> tscript.masked.softmin(x, 0, mask=x > 0).tolist()
        [0.5, 0.5, 0.0]
    """
    x = filled_high(self, mask, "softmin").neg()
    return x.softmax(dim) if dtype is None else x.softmax(dim, dtype)


def normalize(self: Tensor, ord: float, dim: Size, eps: float, dtype: DType | None, mask: Tensor | None) -> Tensor:
    """Divided by the norm along dimensions, `eps` at least: 0 where a mask is false.

    Args:
        input: Floats or complex numbers.
        ord: The order of the norm, as for `tscript.masked.norm`.
        dim: The dimensions.
        eps: The least that is divided by.
        dtype: What the norm is computed in.
        mask: As for `tscript.masked.sum`.

    Raises:
        RuntimeError: As `torch.linalg.vector_norm`.

    Example:
        >>> x = tscript.tensor([3.0, 9.0, -4.0])
        >>> [round(n, 4) for n in tscript.masked.normalize(x, 2.0, 0, mask=x < 5).tolist()]
        [0.6, 0.0, -0.8]
    """
    return filled(self, mask, 0) / length(self, ord, dim, True, dtype, mask).clamp(min=eps)


def logaddexp(
    self: Tensor, other: Tensor, dtype: DType | None, input_mask: Tensor | None, other_mask: Tensor | None
) -> Tensor:
    """``log(exp(a) + exp(b))``, without what a mask is false for.

    Args:
        input, other: Floats that broadcast to one shape.
        dtype: Of the result; if left out that of the input.
        input_mask, other_mask: Masks of the two, as for `tscript.masked.sum`.

    Raises:
        NotImplementedError: There is a mask for numbers without a least one.

    Example:
        >>> a, b = tscript.tensor([-1.0, -2.0]), tscript.tensor([-5.0, -6.0])
        >>> tscript.masked.logaddexp(a, b, other_mask=tscript.zeros(2)).tolist()
        [-1.0, -2.0]
    """
    a, b = filled_low(self, input_mask, "logaddexp"), filled_low(other, other_mask, "logaddexp")
    return in_dtype(torch.logaddexp(a, b), self, dtype)


# ---- operators


def _masked(body: Callable[..., Tensor], more: str, masks: str = "Tensor? mask=None") -> OpDef:
    """An operator of ``torch.masked``: its parameters between the tensor and what all have."""
    name: Any = body.__name__
    return composite(
        f"masked_{name}(Tensor self, {more}dtype? dtype=None, {masks}) -> Tensor",
        body,
        names=f"torch.masked.{name} out=no",
    )


_DIMS = "int[1]? dim=None, *, bool keepdim=False, "
_DIM = "int? dim=None, *, bool keepdim=False, "
_VARIED = "int[1]? dim=None, bool? unbiased=None, *, Scalar? correction=None, bool keepdim=False, "

OPERATORS: tuple[OpDef, ...] = (
    *(_masked(body, _DIMS) for body in (sum, prod, amax, amin, mean, logsumexp)),
    *(_masked(body, _DIM) for body in (argmax, argmin)),
    _masked(median, "int dim=-1, *, bool keepdim=False, "),
    _masked(norm, f"Scalar ord=2.0, {_DIMS}"),
    *(_masked(body, _VARIED) for body in (var, std)),
    *(_masked(body, "int dim, *, ") for body in (cumsum, cumprod, softmax, log_softmax, softmin)),
    _masked(normalize, "Scalar ord, int[1] dim, *, float eps=1e-12, "),
    _masked(logaddexp, "Tensor other, *, ", "Tensor? input_mask=None, Tensor? other_mask=None"),
)
"""All operators of this module."""
