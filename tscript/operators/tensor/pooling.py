"""Pooling: the greatest element, the mean or the norm of each window, of windows that slide or divide a tensor."""

# mypy: disable-error-code="operator,no-untyped-def,no-untyped-call,no-any-return"

from __future__ import annotations

from collections.abc import Container, Sequence

from tscript.arrays import Array, np
from tscript.definitions.define import composite, kernel
from tscript.definitions.language import Size, Tensor, generic
from tscript.definitions.opdef import Arg, OpDef, OperatorNotImplementedError, OperatorRuntimeError, OperatorTypeError
from tscript.definitions.promotion import torch_name
from tscript.definitions.rules import constant_int, tensor_of
from tscript.late import replace
from tscript.operators.tensor.convolution import numbers
from tscript.operators.tensor.pointwise import INTEGERS
from tscript.types import INT, NONE, DType, ListType, OptionalType, TensorType, TupleType, Type, dtypes

MAX_DOC = """The greatest element of each window that slides over the last dimensions; NaN is greater than everything.

The formula is that of `torch.nn.functional.max_pool2d`.

Args:
    input: Floats or ints, of shape ``(batch, channels, ...)`` or ``(channels, ...)``, with as many sizes behind the
        channels as the name of the operator says.
    kernel_size: The size of the window: a number, or one for each dimension.
    stride: How far it moves; the size of the window if left out.
    padding: By how many elements it reaches beyond both ends, at most half of the window.
    dilation: How far its elements lie apart.
    ceil_mode: Whether there is a window for what is left at the end.
    return_indices: Whether the result also has the place of each in its channel; a constant.

Raises:
    RuntimeError: The input has other dimensions, or the window does not fit, or a number is out of range.
    NotImplementedError: There are neither floats nor ints, or `return_indices` is no constant.

Example:
    >>> tscript.nn.functional.max_pool1d(tscript.tensor([[1.0, 3.0, 2.0, 0.0]]), 2).tolist()
    [[3.0, 2.0]]
"""

INDICES_DOC = """The greatest element of each window, and where it is in its channel.

Args:
    input, kernel_size, stride, padding, dilation, ceil_mode: See `torch.nn.functional.max_pool2d`.

Raises:
    RuntimeError: The input has other dimensions, or the window does not fit, or a number is out of range.
    NotImplementedError: There are no floats.

Example:
    >>> values, indices = tscript.nn.functional.max_pool1d_with_indices(tscript.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
    >>> values.tolist(), indices.tolist()
    ([[3.0, 2.0]], [[1, 2]])
"""

AVG_DOC = """The mean of each window that slides over the last dimensions.

The formula is that of `torch.nn.functional.avg_pool2d`.

Args:
    input: Floats, or int64, of which means are cut to ints; of shape ``(batch, channels, ...)`` or ``(channels, ...)``,
        with as many sizes behind the channels as the name of the operator says.
    kernel_size: The size of the window: a number, or one for each dimension.
    stride: How far it moves; the size of the window if left out.
    padding: By how many zeros it reaches beyond both ends, at most half of the window.
    ceil_mode: Whether there is a window for what is left at the end.
    count_include_pad: Whether the zeros of the padding count as elements.
    divisor_override: By what the sums are divided, in place of the number of elements.

Raises:
    RuntimeError: The input has other dimensions, or the window does not fit, or a number is out of range.
    NotImplementedError: There are no floats.

Example:
    >>> tscript.nn.functional.avg_pool1d(tscript.tensor([[1.0, 3.0, 2.0, 0.0]]), 2).tolist()
    [[2.0, 1.0]]
"""

ADAPTIVE_DOC = """The mean, or the greatest element, of each of so many windows as the result has elements.

The window of element ``i`` of ``n`` goes from ``floor(i * size / n)`` to ``ceil((i + 1) * size / n)``, as in
`torch.nn.functional.adaptive_avg_pool2d`.

Args:
    input: Floats, of shape ``(batch, channels, ...)`` or ``(channels, ...)``, with as many sizes behind the channels as
        the name of the operator says.
    output_size: The sizes of the result: a number, or one for each dimension, or None for the size of the input.
    return_indices: Of the greatest elements: whether the result also has their places; a constant.

Raises:
    RuntimeError: The input has other dimensions, or a size is negative.
    NotImplementedError: There are no floats.

Example:
    >>> tscript.nn.functional.adaptive_avg_pool1d(tscript.tensor([[1.0, 3.0, 2.0, 0.0]]), 2).tolist()
    [[2.0, 1.0]]
"""


# ---- bodies


def check_constant(asked: bool) -> None:
    """Refuse to give positions as well where only the run says so: how many results there are is known before."""
    if asked:
        raise NotImplementedError(
            "return_indices must be a constant: write return_indices=True, or call the operator whose name ends in "
            "_with_indices"
        )


@generic
def own_size(input, n, dim: int) -> int:
    """A size of the result, that of the input if it is None."""
    return input.size(dim) if n is None else n


@generic
def own_sizes1(input, size):
    """The sizes of the result, as `own_size` has them."""
    return (own_size(input, size[0], -1),)


@generic
def own_sizes2(input, size):
    """The same of two dimensions."""
    return own_size(input, size[0], -2), own_size(input, size[1], -1)


@generic
def own_sizes3(input, size):
    """The same of three dimensions."""
    return own_size(input, size[0], -3), own_size(input, size[1], -2), own_size(input, size[2], -1)


def gathered(input: Tensor, at: Tensor, dims: int) -> Tensor:
    """The elements of each channel at their positions."""
    return input.flatten(-dims).gather(-1, at.flatten(-dims)).view_as(at)


def max_pool1d(
    input: Tensor, kernel_size: Size, stride: Size | None, padding: Size, dilation: Size, ceil: bool, indices: bool
) -> Tensor:
    check_constant(indices)
    return POOL(input, kernel_size, stride, padding, dilation, ceil, False, 0, 1, False)


def max_pool2d(
    input: Tensor, kernel_size: Size, stride: Size | None, padding: Size, dilation: Size, ceil: bool, indices: bool
) -> Tensor:
    check_constant(indices)
    return POOL(input, kernel_size, stride, padding, dilation, ceil, False, 0, 2, False)


def max_pool3d(
    input: Tensor, kernel_size: Size, stride: Size | None, padding: Size, dilation: Size, ceil: bool, indices: bool
) -> Tensor:
    check_constant(indices)
    return POOL(input, kernel_size, stride, padding, dilation, ceil, False, 0, 3, False)


def max_pool1d_indices(
    input: Tensor, kernel_size: Size, stride: Size | None, padding: Size, dilation: Size, ceil: bool
) -> tuple[Tensor, Tensor]:
    at = POOL_POSITIONS(input, kernel_size, stride, padding, dilation, ceil, 1)
    return gathered(input, at, 1), at


def max_pool1d_both(
    input: Tensor, kernel_size: Size, stride: Size | None, padding: Size, dilation: Size, ceil: bool, indices: bool
) -> tuple[Tensor, Tensor]:
    at = POOL_POSITIONS(input, kernel_size, stride, padding, dilation, ceil, 1)
    return gathered(input, at, 1), at


def max_pool2d_indices(
    input: Tensor, kernel_size: Size, stride: Size | None, padding: Size, dilation: Size, ceil: bool
) -> tuple[Tensor, Tensor]:
    at = POOL_POSITIONS(input, kernel_size, stride, padding, dilation, ceil, 2)
    return gathered(input, at, 2), at


def max_pool2d_both(
    input: Tensor, kernel_size: Size, stride: Size | None, padding: Size, dilation: Size, ceil: bool, indices: bool
) -> tuple[Tensor, Tensor]:
    at = POOL_POSITIONS(input, kernel_size, stride, padding, dilation, ceil, 2)
    return gathered(input, at, 2), at


def max_pool3d_indices(
    input: Tensor, kernel_size: Size, stride: Size | None, padding: Size, dilation: Size, ceil: bool
) -> tuple[Tensor, Tensor]:
    at = POOL_POSITIONS(input, kernel_size, stride, padding, dilation, ceil, 3)
    return gathered(input, at, 3), at


def max_pool3d_both(
    input: Tensor, kernel_size: Size, stride: Size | None, padding: Size, dilation: Size, ceil: bool, indices: bool
) -> tuple[Tensor, Tensor]:
    at = POOL_POSITIONS(input, kernel_size, stride, padding, dilation, ceil, 3)
    return gathered(input, at, 3), at


def avg_pool1d(
    input: Tensor, kernel_size: Size, stride: Size | None, padding: Size, ceil: bool, include: bool
) -> Tensor:
    return POOL(input, kernel_size, stride, padding, 1, ceil, include, 0, 1, True)


def divisor_of(given: int | None) -> int:
    """What sums are divided by; 0 for the number of elements."""
    if given is None:
        return 0
    if given == 0:
        raise RuntimeError("divisor must be not zero")
    return given


def avg_pool2d(
    input: Tensor,
    kernel_size: Size,
    stride: Size | None,
    padding: Size,
    ceil: bool,
    include: bool,
    divisor: int | None,
) -> Tensor:
    return POOL(input, kernel_size, stride, padding, 1, ceil, include, divisor_of(divisor), 2, True)


def avg_pool3d(
    input: Tensor,
    kernel_size: Size,
    stride: Size | None,
    padding: Size,
    ceil: bool,
    include: bool,
    divisor: int | None,
) -> Tensor:
    return POOL(input, kernel_size, stride, padding, 1, ceil, include, divisor_of(divisor), 3, True)


def adaptive_avg_pool1d(input: Tensor, output_size: Size) -> Tensor:
    return ADAPTIVE_MEAN(input, output_size, 1)


def adaptive_avg_pool1d_some(input: Tensor, output_size) -> Tensor:
    return ADAPTIVE_MEAN(input, own_sizes1(input, output_size), 1)


def adaptive_avg_pool2d(input: Tensor, output_size: Size) -> Tensor:
    return ADAPTIVE_MEAN(input, output_size, 2)


def adaptive_avg_pool2d_some(input: Tensor, output_size) -> Tensor:
    return ADAPTIVE_MEAN(input, own_sizes2(input, output_size), 2)


def adaptive_avg_pool3d(input: Tensor, output_size: Size) -> Tensor:
    return ADAPTIVE_MEAN(input, output_size, 3)


def adaptive_avg_pool3d_some(input: Tensor, output_size) -> Tensor:
    return ADAPTIVE_MEAN(input, own_sizes3(input, output_size), 3)


def adaptive_max_pool1d(input: Tensor, output_size: Size, indices: bool) -> Tensor:
    check_constant(indices)
    return gathered(input, ADAPTIVE_POSITIONS(input, output_size, 1), 1)


def adaptive_max_pool2d(input: Tensor, output_size: Size, indices: bool) -> Tensor:
    check_constant(indices)
    return gathered(input, ADAPTIVE_POSITIONS(input, output_size, 2), 2)


def adaptive_max_pool3d(input: Tensor, output_size: Size, indices: bool) -> Tensor:
    check_constant(indices)
    return gathered(input, ADAPTIVE_POSITIONS(input, output_size, 3), 3)


def adaptive_max_pool1d_indices(input: Tensor, output_size: Size) -> tuple[Tensor, Tensor]:
    at = ADAPTIVE_POSITIONS(input, output_size, 1)
    return gathered(input, at, 1), at


def adaptive_max_pool1d_both(input: Tensor, output_size: Size, indices: bool) -> tuple[Tensor, Tensor]:
    at = ADAPTIVE_POSITIONS(input, output_size, 1)
    return gathered(input, at, 1), at


def adaptive_max_pool1d_some(input: Tensor, output_size, indices: bool) -> Tensor:
    check_constant(indices)
    return gathered(input, ADAPTIVE_POSITIONS(input, own_sizes1(input, output_size), 1), 1)


def adaptive_max_pool1d_some_both(input: Tensor, output_size, indices: bool) -> tuple[Tensor, Tensor]:
    at = ADAPTIVE_POSITIONS(input, own_sizes1(input, output_size), 1)
    return gathered(input, at, 1), at


def adaptive_max_pool2d_indices(input: Tensor, output_size: Size) -> tuple[Tensor, Tensor]:
    at = ADAPTIVE_POSITIONS(input, output_size, 2)
    return gathered(input, at, 2), at


def adaptive_max_pool2d_both(input: Tensor, output_size: Size, indices: bool) -> tuple[Tensor, Tensor]:
    at = ADAPTIVE_POSITIONS(input, output_size, 2)
    return gathered(input, at, 2), at


def adaptive_max_pool2d_some(input: Tensor, output_size, indices: bool) -> Tensor:
    check_constant(indices)
    return gathered(input, ADAPTIVE_POSITIONS(input, own_sizes2(input, output_size), 2), 2)


def adaptive_max_pool2d_some_both(input: Tensor, output_size, indices: bool) -> tuple[Tensor, Tensor]:
    at = ADAPTIVE_POSITIONS(input, own_sizes2(input, output_size), 2)
    return gathered(input, at, 2), at


def adaptive_max_pool3d_indices(input: Tensor, output_size: Size) -> tuple[Tensor, Tensor]:
    at = ADAPTIVE_POSITIONS(input, output_size, 3)
    return gathered(input, at, 3), at


def adaptive_max_pool3d_both(input: Tensor, output_size: Size, indices: bool) -> tuple[Tensor, Tensor]:
    at = ADAPTIVE_POSITIONS(input, output_size, 3)
    return gathered(input, at, 3), at


def adaptive_max_pool3d_some(input: Tensor, output_size, indices: bool) -> Tensor:
    check_constant(indices)
    return gathered(input, ADAPTIVE_POSITIONS(input, own_sizes3(input, output_size), 3), 3)


def adaptive_max_pool3d_some_both(input: Tensor, output_size, indices: bool) -> tuple[Tensor, Tensor]:
    at = ADAPTIVE_POSITIONS(input, own_sizes3(input, output_size), 3)
    return gathered(input, at, 3), at


# ---- rules


_FLOATS = tuple(d for d in dtypes.DTYPES if d.is_floating_point)


def pooled(arg: Arg, taken: Container[DType] = _FLOATS) -> TensorType:
    """The type of a tensor that is pooled.

    Raises:
        OperatorNotImplementedError: It has a dtype that is not taken.
    """
    x = tensor_of(arg)
    if x.dtype is not None and x.dtype not in taken:
        raise OperatorNotImplementedError(f"\"pooling\" not implemented for '{torch_name(x.dtype).title()}'")
    return x


def _pooled(args: Sequence[Arg], taken: Container[DType] = _FLOATS) -> TensorType:
    x = pooled(args[0], taken)
    dims = next((d for a in args[:1:-1] if (d := constant_int(a)) in (1, 2, 3) and not isinstance(d, bool)), None)
    if dims is not None and x.rank is not None and x.rank not in (dims + 1, dims + 2):
        raise OperatorRuntimeError(f"Expected {dims + 1}D or {dims + 2}D (batched) input, but got {x.rank}D")
    return x


def _slid_over(args: Sequence[Arg]) -> TensorType:
    """Windows that slide take ints as well: means those of 64 bits."""
    averages = args[-1].constant
    return _pooled(args, (*_FLOATS, dtypes.int64) if averages is True else (*_FLOATS, *INTEGERS))


def _positions(args: Sequence[Arg]) -> Type:
    return TensorType(dtypes.int64, _pooled(args).rank)


def _slid_positions(args: Sequence[Arg]) -> Type:
    return TensorType(dtypes.int64, _pooled(args, (*_FLOATS, *INTEGERS)).rank)


def _some_sizes(found: Type, dims: int) -> None:
    """Refuse what is no tuple or list of so many ints and Nones."""
    elements: tuple[Type, ...] = ()
    if isinstance(found, TupleType):
        elements = found.elements if len(found.elements) == dims else ()
    elif isinstance(found, ListType):
        elements = (found.element,)
    if not elements or any(e not in (INT, NONE, OptionalType(INT)) for e in elements):
        raise OperatorTypeError(f"'output_size' must be an int or a tuple of {dims} ints or Nones, not {found}")


# ---- on arrays


def check_windowed(x: Array, dims: int) -> None:
    """Refuse other numbers of dimensions, and sizes of 0 behind the batch."""
    if not 1 <= dims <= 3:
        raise RuntimeError(f"windows have 1, 2 or 3 dimensions, not {dims}")
    if x.ndim not in (dims + 1, dims + 2):
        raise RuntimeError(f"Expected {dims + 1}D or {dims + 2}D (batched) input, but got {x.ndim}D")
    for d in range(x.ndim - 1, x.ndim - dims - 2, -1):
        if x.shape[d] == 0:
            raise RuntimeError(f"only the batch may have size 0, but dimension {d} has")


Range = tuple[range, int]
"""The places of a window along a dimension, and how many elements count."""


def _slid(
    x: Array,
    window: Sequence[int],
    stride: Sequence[int] | None,
    padding: Sequence[int],
    dilation: Sequence[int],
    ceil: bool,
    include: bool,
    dims: int,
) -> list[list[Range]]:
    check_windowed(x, dims)
    window = numbers(window, dims, "kernel size", 1)
    stride = numbers(stride, dims, "stride", 1) if stride else window
    padding = numbers(padding, dims, "padding", 0)
    dilation = numbers(dilation, dims, "dilation", 1)
    found = []
    for d, (w, s, p, step) in enumerate(zip(window, stride, padding, dilation, strict=True)):
        reach, size = (w - 1) * step + 1, x.shape[d - dims]
        if p > reach // 2:
            raise RuntimeError(
                f"pad should be at most half of effective kernel size, but got pad={p}, kernel_size={w} and "
                f"dilation={step}"
            )
        room = size + 2 * p - reach + (s - 1 if ceil else 0)
        count = room // s + 1 if room >= 0 else 0
        if ceil and count and (count - 1) * s >= size + p:
            count -= 1
        if count < 1:
            raise RuntimeError(
                f"Given an input of size {size} in dimension {d} and a kernel that takes {reach} elements, the "
                f"calculated "
                f"output size is {count}: Output size is too small"
            )
        places = []
        for at in range(-p, -p + count * s, s):
            inside = range(at + max((step - 1 - at) // step, 0) * step, min(at + reach, size), step)
            end = min(at + w, size + p)
            places.append((inside, end - at if include else min(end, size) - max(at, 0)))
        found.append(places)
    return found


def _adapted(x: Array, size: Sequence[int], dims: int) -> list[list[Range]]:
    check_windowed(x, dims)
    if len(size) not in (1, dims):
        raise RuntimeError(f"expected the output size to be one number or {dims} numbers, but got {len(size)}")
    wanted = tuple(size) * dims if len(size) == 1 else tuple(size)
    for n in wanted:
        if n < 0:
            raise RuntimeError(f"elements of output_size must be greater than or equal to 0, but got {n}")
    found = []
    for n, have in zip(wanted, x.shape[x.ndim - dims :], strict=True):
        ranges = [range(i * have // n, -(-(i + 1) * have // n)) for i in range(n)]
        found.append([(r, len(r)) for r in ranges])
    return found


def _over(x: Array, places: list[list[Range]], kind: str, divisor: int = 0) -> Array:
    """What the windows make of their elements."""
    dims = len(places)
    lead = x.shape[: x.ndim - dims]
    flat = np.arange(int(np.prod(x.shape[len(lead) :]))).reshape(x.shape[len(lead) :])
    shape = (*lead, *map(len, places))
    out = np.empty(shape, np.int64 if kind == "positions" else x.dtype)
    for at in np.ndindex(*shape[len(lead) :]):
        chosen = [places[d][i] for d, i in enumerate(at)]
        inside = np.ix_(*(list(r) for r, _ in chosen))
        elements = x[(..., *inside)].reshape(*lead, -1)
        count = int(np.prod([n for _, n in chosen]))
        if kind == "mean":
            by = divisor or count
            if x.dtype.kind in "iu":
                total = elements.sum(-1)
                out[(..., *at)] = np.sign(total) * (abs(total) // abs(by)) * (1 if by > 0 else -1)
            else:
                out[(..., *at)] = elements.sum(-1, dtype=np.float64) / by
        elif kind == "max":
            out[(..., *at)] = elements.max(-1)
        else:
            # NaN is the greatest, the last one of several; of other numbers the first one.
            numbers = np.where(np.isnan(elements), -np.inf, elements).argmax(-1)
            nans = np.isnan(elements)
            last = elements.shape[-1] - 1 - nans[..., ::-1].argmax(-1)
            out[(..., *at)] = flat[inside].reshape(-1)[np.where(nans.any(-1), last, numbers)]
    return out


def _pool(
    x: Array,
    window: Sequence[int],
    stride: Sequence[int] | None,
    padding: Sequence[int],
    dilation: Sequence[int],
    ceil: bool,
    include: bool,
    divisor: int,
    dims: int,
    average: bool,
) -> Array:
    with np.errstate(all="ignore"):
        places = _slid(x, window, stride, padding, dilation, ceil, include, dims)
        return _over(x, places, "mean" if average else "max", divisor)


def _pool_positions(
    x: Array,
    window: Sequence[int],
    stride: Sequence[int] | None,
    padding: Sequence[int],
    dilation: Sequence[int],
    ceil: bool,
    dims: int,
) -> Array:
    return _over(x, _slid(x, window, stride, padding, dilation, ceil, False, dims), "positions")


def adaptive_mean(x: Array, size: Sequence[int], dims: int) -> Array:
    """The mean of each of so many windows."""
    with np.errstate(all="ignore"):
        return _over(x, _adapted(x, size, dims), "mean")


def _adaptive_positions(x: Array, size: Sequence[int], dims: int) -> Array:
    return _over(x, _adapted(x, size, dims), "positions")


# ---- operators

_WINDOW = "Tensor self, int[1] kernel_size, int[1]? stride, int[1] padding, int[1] dilation, bool ceil_mode"

POOL: OpDef = kernel(
    f"pool({_WINDOW}, bool include, int divisor, int dims, bool average) -> Tensor",
    _slid_over,
    _pool,
    "pooling.pool",
    "The greatest element or the mean of each window.",
    generic=(0,),
    exact=False,
    names="",
)
POOL_POSITIONS: OpDef = kernel(
    f"pool_positions({_WINDOW}, int dims) -> Tensor",
    _slid_positions,
    _pool_positions,
    "pooling.pool_positions",
    "Where the greatest element of each window is.",
    generic=(0,),
    names="",
)
ADAPTIVE_MEAN: OpDef = kernel(
    "adaptive_mean(Tensor self, int[1] size, int dims) -> Tensor",
    _pooled,
    adaptive_mean,
    "pooling.adaptive_mean",
    "The mean of each of so many windows.",
    generic=(0,),
    exact=False,
    names="",
)
ADAPTIVE_POSITIONS: OpDef = kernel(
    "adaptive_positions(Tensor self, int[1] size, int dims) -> Tensor",
    _positions,
    _adaptive_positions,
    "pooling.adaptive_positions",
    "Where the greatest element of each of so many windows is.",
    generic=(0,),
    names="",
)

_MAX = (
    "Tensor input, int[1] kernel_size, int[1]? stride=None, int[1] padding=(0,), int[1] dilation=(1,), "
    "bool ceil_mode=False"
)
_AVG = (
    "Tensor input, int[1] kernel_size, int[1]? stride=None, int[1] padding=(0,), bool ceil_mode=False, "
    "bool count_include_pad=True"
)
_BODIES = (
    (
        (max_pool1d, max_pool1d_both, max_pool1d_indices),
        avg_pool1d,
        (adaptive_avg_pool1d, adaptive_avg_pool1d_some),
        (adaptive_max_pool1d, adaptive_max_pool1d_both, adaptive_max_pool1d_some, adaptive_max_pool1d_some_both),
        adaptive_max_pool1d_indices,
    ),
    (
        (max_pool2d, max_pool2d_both, max_pool2d_indices),
        avg_pool2d,
        (adaptive_avg_pool2d, adaptive_avg_pool2d_some),
        (adaptive_max_pool2d, adaptive_max_pool2d_both, adaptive_max_pool2d_some, adaptive_max_pool2d_some_both),
        adaptive_max_pool2d_indices,
    ),
    (
        (max_pool3d, max_pool3d_both, max_pool3d_indices),
        avg_pool3d,
        (adaptive_avg_pool3d, adaptive_avg_pool3d_some),
        (adaptive_max_pool3d, adaptive_max_pool3d_both, adaptive_max_pool3d_some, adaptive_max_pool3d_some_both),
        adaptive_max_pool3d_indices,
    ),
)
_ASKED = {"return_indices": True}


def _with_own_sizes(dims: int, made: OpDef) -> OpDef:
    """The overload in whose sizes None stands for the input's."""
    rule = made.type_rule

    def checked(args: Sequence[Arg]) -> Type:
        _some_sizes(args[1].type, dims)
        return rule(args)

    return replace(made, type_rule=checked)


def _of(dims: int) -> tuple[OpDef, ...]:
    (greatest, both, positions), mean, (adaptive, adaptive_some), of_max, adaptive_at = _BODIES[dims - 1]
    adaptive_max, adaptive_both, adaptive_max_some, adaptive_both_some = of_max
    d = f"{dims}d"
    own = f" torch.avg_pool{d} torch.adaptive_avg_pool{d}".split() if dims == 1 else ["", ""]
    more = ", int? divisor_override=None" if dims > 1 else ""
    size, some = "Tensor input, int[1] output_size", "Tensor input, Any output_size"
    at = f"torch.max_pool{d}_with_indices " if dims == 1 else ""
    asks = "bool return_indices=False"
    pooled, adapted = f"F.max_pool{d} torch.max_pool{d} out=no", f"F.adaptive_max_pool{d}"
    mean_names = f"F.adaptive_avg_pool{d} {own[1]} out=no"
    return (
        composite(
            f"max_pool{d}.indices({_MAX}, {asks}) -> (Tensor, Tensor)", both, INDICES_DOC, names=pooled, when=_ASKED
        ),
        composite(f"max_pool{d}({_MAX}, {asks}) -> Tensor", greatest, MAX_DOC, names=pooled),
        composite(
            f"max_pool{d}_with_indices({_MAX}) -> (Tensor, Tensor)",
            positions,
            INDICES_DOC,
            names=f"{at}F.max_pool{d}_with_indices out=no",
        ),
        composite(f"avg_pool{d}({_AVG}{more}) -> Tensor", mean, AVG_DOC, names=f"F.avg_pool{d} {own[0]} out=no"),
        composite(f"adaptive_avg_pool{d}({size}) -> Tensor", adaptive, ADAPTIVE_DOC, names=mean_names),
        _with_own_sizes(
            dims,
            composite(f"adaptive_avg_pool{d}.some({some}) -> Tensor", adaptive_some, ADAPTIVE_DOC, names=mean_names),
        ),
        composite(
            f"adaptive_max_pool{d}.indices({size}, {asks}) -> (Tensor, Tensor)",
            adaptive_both,
            ADAPTIVE_DOC,
            names=adapted,
            when=_ASKED,
        ),
        composite(f"adaptive_max_pool{d}({size}, {asks}) -> Tensor", adaptive_max, ADAPTIVE_DOC, names=adapted),
        _with_own_sizes(
            dims,
            composite(
                f"adaptive_max_pool{d}.some_indices({some}, {asks}) -> (Tensor, Tensor)",
                adaptive_both_some,
                ADAPTIVE_DOC,
                names=adapted,
                when=_ASKED,
            ),
        ),
        _with_own_sizes(
            dims,
            composite(
                f"adaptive_max_pool{d}.some({some}, {asks}) -> Tensor", adaptive_max_some, ADAPTIVE_DOC, names=adapted
            ),
        ),
        composite(
            f"adaptive_max_pool{d}_with_indices({size}) -> (Tensor, Tensor)",
            adaptive_at,
            ADAPTIVE_DOC,
            names=f"F.adaptive_max_pool{d}_with_indices",
        ),
    )


OPERATORS: tuple[OpDef, ...] = (*_of(1), *_of(2), *_of(3))
HIDDEN: tuple[OpDef, ...] = (POOL, POOL_POSITIONS, ADAPTIVE_MEAN, ADAPTIVE_POSITIONS)
"""What bodies call."""

__all__ = ["ADAPTIVE_MEAN", "ADAPTIVE_POSITIONS", "HIDDEN", "OPERATORS", "POOL", "POOL_POSITIONS"]
"""All operators of this module."""
