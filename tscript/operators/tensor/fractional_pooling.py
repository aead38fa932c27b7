"""Pooling over windows whose places are drawn, so that the result may be of any size.

Graham, "Fractional Max-Pooling" (2014), arXiv:1412.6071.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return,operator"

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tscript.arrays import Array, np
from tscript.definitions.define import composite, kernel
from tscript.definitions.language import Size, Tensor, generic, torch
from tscript.definitions.opdef import DRAWS, Arg, OpDef, OperatorRuntimeError
from tscript.definitions.rules import tensor_of
from tscript.operators.tensor.convolution import numbers
from tscript.operators.tensor.pooling import check_windowed, gathered, pooled
from tscript.types import TensorType, Type, dtypes

DOC = """The greatest element of each window, whose places are drawn: so the result may be of any size.

The formula is that of `torch.nn.functional.fractional_max_pool2d`, after Graham, "Fractional Max-Pooling" (2014).

Args:
    input: Floats, of shape ``(batch, channels, ...)`` or ``(channels, ...)``, with as many sizes behind the channels as
        the name of the operator says.
    kernel_size: The size of the windows: a number, or one for each dimension.
    output_size: The sizes of the result: a number, or one for each dimension.
    output_ratio: What share of the sizes of the input they are, if they are left out: a float between 0 and 1, or one
        for each dimension.
    return_indices: Whether the result also has the place of each in its channel; a constant.
    _random_samples: Numbers from 0 to 1 that take the place of those drawn: for each element of the batch, each channel
        and each dimension.

Raises:
    RuntimeError: The input has other dimensions, or the windows do not fit.
    ValueError: There are neither sizes nor ratios, or a ratio is not between 0 and 1.
    NotImplementedError: `return_indices` is no constant.

Example:
    >>> x = tscript.arange(9.0).reshape(1, 3, 3)
    >>> tscript.nn.functional.fractional_max_pool2d(x, 2, output_size=1).tolist()
    [[[8.0]]]
"""


@generic
def each(values, i: int, dims: int) -> int:
    """The number of a dimension, of one for all or one for each."""
    if len(values) == 1:
        return values[0]
    if len(values) != dims:
        raise RuntimeError(f"expected one number or {dims} numbers, but got {len(values)}")
    found = 0
    for at, n in enumerate(values):
        if at == i:
            found = n
    return found


@generic
def ratio_of(ratio, i: int, dims: int) -> float:
    """The ratio of a dimension."""
    if isinstance(ratio, float):
        return ratio
    found = 0.0
    for at, r in enumerate(ratio):
        if at == i:
            found = r
    return found


@generic
def pooled_size(input, i: int, dims: int, output_size, output_ratio) -> int:
    """The size of a dimension of the result."""
    if output_size is not None:
        return each(output_size, i, dims)
    if output_ratio is None:
        raise ValueError(f"fractional_max_pool{dims}d requires specifying either an output_size or an output_ratio")
    share = ratio_of(output_ratio, i, dims)
    if share <= 0 or share >= 1:
        raise ValueError(f"output_ratio must be between 0 and 1 (got {share})")
    return int(input.size(i - dims) * share)


@generic
def drawn(input, samples, dims: int):
    """Numbers for each element of the batch, each channel and each dimension."""
    batch = input.size(0) if input.dim() == dims + 2 else 1
    channels = input.size(-1 - dims)
    if samples is None:
        return torch.rand(batch, channels, dims, dtype=input.dtype)
    if samples.dim() != 3 or samples.size(0) != batch or samples.size(1) != channels or samples.size(2) != dims:
        raise RuntimeError(f"expected _random_samples of shape ({batch}, {channels}, {dims}), got {samples.size()}")
    return samples


@generic
def check_pooled(input, dims: int) -> None:
    """Refuse other numbers of dimensions, and dtypes without NaN."""
    if input.dim() != dims + 1 and input.dim() != dims + 2:
        raise RuntimeError(f"fractional_max_pool{dims}d(): Expected {dims + 1}D or {dims + 2}D, but got {input.dim()}D")
    if not input.is_floating_point():
        raise NotImplementedError(f"fractional_max_pool{dims}d(): expected floats")


@generic
def pooled2(input, kernel_size, output_size, output_ratio, samples):
    """The greatest elements, and their places."""
    check_pooled(input, 2)
    sizes = (pooled_size(input, 0, 2, output_size, output_ratio), pooled_size(input, 1, 2, output_size, output_ratio))
    at = FRACTIONAL_POSITIONS(input, drawn(input, samples, 2), kernel_size, sizes, 2)
    return gathered(input, at, 2), at


@generic
def pooled3(input, kernel_size, output_size, output_ratio, samples):
    """The same of three dimensions."""
    check_pooled(input, 3)
    d, h = pooled_size(input, 0, 3, output_size, output_ratio), pooled_size(input, 1, 3, output_size, output_ratio)
    sizes = (d, h, pooled_size(input, 2, 3, output_size, output_ratio))
    at = FRACTIONAL_POSITIONS(input, drawn(input, samples, 3), kernel_size, sizes, 3)
    return gathered(input, at, 3), at


@generic
def check_asked(asked: bool) -> None:
    """Refuse to give places as well where only the run says so."""
    if asked:
        raise NotImplementedError(
            "return_indices must be a constant: write return_indices=True, or call the operator whose name ends in "
            "_with_indices"
        )


def fractional_max_pool2d(
    input: Tensor, kernel_size: Size, output_size: Size | None, output_ratio, indices: bool, samples: Tensor | None
) -> Tensor:
    check_asked(indices)
    values, _places = pooled2(input, kernel_size, output_size, output_ratio, samples)
    return values


def fractional_max_pool2d_both(
    input: Tensor, kernel_size: Size, output_size: Size | None, output_ratio, indices: bool, samples: Tensor | None
) -> tuple[Tensor, Tensor]:
    return pooled2(input, kernel_size, output_size, output_ratio, samples)


def fractional_max_pool3d(
    input: Tensor, kernel_size: Size, output_size: Size | None, output_ratio, indices: bool, samples: Tensor | None
) -> Tensor:
    check_asked(indices)
    values, _places = pooled3(input, kernel_size, output_size, output_ratio, samples)
    return values


def fractional_max_pool3d_both(
    input: Tensor, kernel_size: Size, output_size: Size | None, output_ratio, indices: bool, samples: Tensor | None
) -> tuple[Tensor, Tensor]:
    return pooled3(input, kernel_size, output_size, output_ratio, samples)


def _of(dims: int) -> tuple[OpDef, ...]:
    one, both = (
        (fractional_max_pool2d, fractional_max_pool2d_both)
        if dims == 2
        else (fractional_max_pool3d, fractional_max_pool3d_both)
    )
    name = f"fractional_max_pool{dims}d"
    rest = (
        "Tensor input, int[1] kernel_size, int[1]? output_size=None, Any output_ratio=None, bool return_indices=False, "
        "Tensor? _random_samples=None"
    )
    doc = DOC.replace("pool2d", f"pool{dims}d")
    if dims == 3:
        doc = doc.replace("arange(9.0).reshape(1, 3, 3)", "arange(27.0).reshape(1, 3, 3, 3)")
        doc = doc.replace("[[[8.0]]]", "[[[[26.0]]]]")
    tags = (DRAWS,)
    return (
        composite(
            f"{name}.indices({rest}) -> (Tensor, Tensor)",
            both,
            doc,
            names=f"F.{name}",
            when={"return_indices": True},
            tags=tags,
            world=True,
        ),
        composite(f"{name}({rest}) -> Tensor", one, doc, names=f"F.{name}", tags=tags, world=True),
        composite(
            f"{name}_with_indices({rest}) -> (Tensor, Tensor)",
            both,
            doc,
            names=f"F.{name}_with_indices",
            tags=tags,
            world=True,
        ),
    )


# ---- positions


def _of_samples(args: Sequence[Arg]) -> Type:
    x, samples = pooled(args[0]), tensor_of(args[1])
    if x.dtype is not None and samples.dtype not in (None, x.dtype):
        raise OperatorRuntimeError("Expect _random_samples to have the same dtype as input")
    return TensorType(dtypes.int64, x.rank)


def _starts(u: Any, whole: int, window: int, size: int) -> list[int]:
    """Where the windows along a dimension begin."""
    last, kind = size - 1, u.dtype.type
    step = kind((whole - window) / max(last, 1))
    found = [int((kind(i) + u) * step) - int(u * step) for i in range(last)]
    return [*(min(max(n, 0), whole - window) for n in found), whole - window]


def _positions(x: Array, samples: Array, window: Sequence[int], size: Sequence[int], dims: int) -> Array:
    check_windowed(x, dims)
    if dims == 1:
        raise RuntimeError("fractional windows have 2 or 3 dimensions, not 1")
    window = numbers(window, dims, "kernel size", 1)
    if len(size) != dims:
        raise RuntimeError(f"expected {dims} sizes, but got {len(size)}")
    whole = x.shape[x.ndim - dims :]
    for d, (n, w, have) in enumerate(zip(size, window, whole, strict=True)):
        if n < 1 or n + w - 1 > have:
            raise RuntimeError(
                f"fractional_max_pool{dims}d(): {n} windows of {w} elements do not fit dimension {d}, of {have}"
            )
    shape = (x.shape[0] if x.ndim == dims + 2 else 1, x.shape[x.ndim - dims - 1], dims)
    if samples.shape != shape:
        raise RuntimeError(f"expected _random_samples of shape {shape}")
    if not ((samples >= 0) & (samples <= 1)).all():
        raise RuntimeError("_random_samples must be numbers from 0 to 1")
    flat = np.arange(int(np.prod(whole))).reshape(whole)
    channels = x.reshape(*shape[:2], *whole)
    out = np.empty((*shape[:2], *size), np.int64)
    for n, c in np.ndindex(*shape[:2]):
        drawn = samples[n, c] if dims == 3 else samples[n, c, ::-1]
        starts = [_starts(u, *sizes) for u, *sizes in zip(drawn, whole, window, size, strict=True)]
        for at in np.ndindex(*size):
            places = tuple(slice(s[i], s[i] + w) for s, i, w in zip(starts, at, window, strict=True))
            elements = channels[n, c][places].reshape(-1)
            # NaN is the greatest, the last one of several; of other numbers the first one.
            nans = np.flatnonzero(np.isnan(elements))
            out[(n, c, *at)] = flat[places].reshape(-1)[nans[-1] if nans.size else elements.argmax()]
    return out.reshape(*x.shape[: x.ndim - dims], *size)


FRACTIONAL_POSITIONS: OpDef = kernel(
    "fractional_positions(Tensor self, Tensor samples, int[1] window, int[] size, int dims) -> Tensor",
    _of_samples,
    _positions,
    "fractional_pooling.fractional_positions",
    "Where the greatest element of each window is, of windows whose places follow from samples.",
    generic=(0,),
    exact=False,
    names="",
)

OPERATORS: tuple[OpDef, ...] = (*_of(2), *_of(3))
HIDDEN: tuple[OpDef, ...] = (FRACTIONAL_POSITIONS,)
"""What bodies call."""

__all__ = ["FRACTIONAL_POSITIONS", "HIDDEN", "OPERATORS"]
"""All operators of this module."""
