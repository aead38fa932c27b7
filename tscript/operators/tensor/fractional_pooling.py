"""Pooling over windows whose places are drawn, so that the result may be of any size.

Graham, "Fractional Max-Pooling" (2014), arXiv:1412.6071.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return,operator"

from __future__ import annotations

from tscript.definitions.define import composite
from tscript.definitions.language import Size, Tensor, generic, torch
from tscript.definitions.opdef import DRAWS, OpDef

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
def places(samples, which: int, input, i: int, dims: int, kernel: int, size: int):
    """The indices of the windows along a dimension, ``(batch, channels, windows, elements)``."""
    whole = input.size(i - dims)
    if kernel < 1 or size < 1 or size + kernel - 1 > whole:
        raise RuntimeError(
            f"fractional_max_pool{dims}d(): {size} windows of {kernel} elements do not fit dimension {i}, of {whole}"
        )
    u = samples.select(2, which)
    last = torch.full((u.size(0), u.size(1), 1), whole - kernel)
    starts = last
    if size > 1:
        step = (whole - kernel) / (size - 1)
        steps = torch.arange(size - 1).to(u.dtype)
        moved = ((steps + u.unsqueeze(2)) * step).long() - (u * step).long().unsqueeze(2)
        starts = torch.cat((moved, last), 2)
    return starts.unsqueeze(3) + torch.arange(kernel)


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
    h, w = pooled_size(input, 0, 2, output_size, output_ratio), pooled_size(input, 1, 2, output_size, output_ratio)
    kh, kw = each(kernel_size, 0, 2), each(kernel_size, 1, 2)
    u = drawn(input, samples, 2)
    n, c = u.size(0), u.size(1)
    rows = places(u, 1, input, 0, 2, kh, h).reshape(n, c, h, 1, kh, 1)
    columns = places(u, 0, input, 1, 2, kw, w).reshape(n, c, 1, w, 1, kw)
    at = (rows * input.size(-1) + columns).reshape(n, c, h * w, kh * kw)
    values, found = greatest((input if input.dim() == 4 else input.unsqueeze(0)).flatten(2), at)
    sizes = (h, w)
    shape = input.size()[:-2] + sizes
    return values.reshape(shape), found.reshape(shape)


@generic
def pooled3(input, kernel_size, output_size, output_ratio, samples):
    """The same of three dimensions."""
    check_pooled(input, 3)
    d, h = pooled_size(input, 0, 3, output_size, output_ratio), pooled_size(input, 1, 3, output_size, output_ratio)
    w = pooled_size(input, 2, 3, output_size, output_ratio)
    kd, kh, kw = each(kernel_size, 0, 3), each(kernel_size, 1, 3), each(kernel_size, 2, 3)
    u = drawn(input, samples, 3)
    n, c = u.size(0), u.size(1)
    planes = places(u, 0, input, 0, 3, kd, d).reshape(n, c, d, 1, 1, kd, 1, 1)
    rows = places(u, 1, input, 1, 3, kh, h).reshape(n, c, 1, h, 1, 1, kh, 1)
    columns = places(u, 2, input, 2, 3, kw, w).reshape(n, c, 1, 1, w, 1, 1, kw)
    whole = (planes * input.size(-2) + rows) * input.size(-1) + columns
    at = whole.reshape(n, c, d * h * w, kd * kh * kw)
    values, found = greatest((input if input.dim() == 5 else input.unsqueeze(0)).flatten(2), at)
    sizes = (d, h, w)
    shape = input.size()[:-3] + sizes
    return values.reshape(shape), found.reshape(shape)


@generic
def greatest(flat, at):
    """The greatest element of each window of indices, and its index."""
    elements = flat.gather(2, at.flatten(2)).view_as(at)
    which = elements.argmax(3, True)
    return elements.gather(3, which), at.gather(3, which)


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


OPERATORS: tuple[OpDef, ...] = (*_of(2), *_of(3))
"""All operators of this module."""
