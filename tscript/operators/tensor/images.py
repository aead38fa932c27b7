"""What is done with images besides convolutions: interpolation, shuffled channels, and norms over them."""

# mypy: disable-error-code="operator,no-untyped-def"

from __future__ import annotations

from collections.abc import Sequence

from tscript.arrays import Array, np
from tscript.definitions.define import composite, kernel
from tscript.definitions.language import Size, Tensor, generic, torch
from tscript.definitions.opdef import Arg, OpDef, OperatorNotImplementedError
from tscript.definitions.promotion import torch_name
from tscript.definitions.rules import constant_int, tensor_of
from tscript.operators.tensor.checks import check_floating
from tscript.operators.tensor.normalization import check_channels, unless_updated
from tscript.operators.tensor.padding import CONSTANT_PAD
from tscript.operators.tensor.pooling import POOL, adaptive_mean
from tscript.types import TensorType, Type

NEAREST, NEAREST_EXACT, LINEAR, CUBIC, AREA = range(5)

INTERPOLATE_DOC = """A tensor resized behind its first two dimensions, batch and channels.

The formulas are those of `torch.nn.functional.interpolate`.

Args:
    input: Floats, with one to three dimensions behind the first two; or bytes (uint8) in the modes ``nearest``,
        ``nearest-exact``, ``bilinear`` and ``bicubic``, which are rounded once at the end. PyTorch rounds them after
        each dimension, and its weights too, so one in some elements differs by 1.
    size: The sizes of the result: a number, or one for each dimension.
    scale_factor: How much larger the result is, in place of `size`: a number, or one for each dimension.
    mode: ``nearest``, ``nearest-exact``, ``area``; ``linear``, ``bilinear`` or ``trilinear`` for one, two or three
        dimensions; ``bicubic`` for two.
    align_corners: Whether the outermost elements stay where they are.
    recompute_scale_factor: Whether positions follow from the sizes, not from `scale_factor`.
    antialias: Whether elements that come together are averaged, in the modes ``bilinear`` and ``bicubic``.

Raises:
    ValueError: Both `size` and `scale_factor` are given, or none, or an argument that the mode does not take.
    NotImplementedError: There is no such mode for so many dimensions, or there are no floats.
    RuntimeError: A size is not positive.

Example:
    >>> x = tscript.tensor([[[1.0, 3.0]]])
    >>> tscript.nn.functional.interpolate(x, scale_factor=2).tolist()
    [[[1.0, 1.0, 3.0, 3.0]]]
    >>> tscript.nn.functional.interpolate(x, size=3, mode="linear", align_corners=True).tolist()
    [[[1.0, 2.0, 3.0]]]
"""


def mode_number(input: Tensor, mode: str, align_corners: bool | None, antialias: bool) -> int:
    """The number of a mode, if there is one for so many dimensions."""
    if mode in ("nearest", "nearest-exact", "area"):
        if align_corners is not None:
            raise ValueError(
                "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | "
                "trilinear"
            )
        if antialias:
            raise ValueError("Anti-alias option is restricted to bilinear and bicubic modes and requires a 4-D tensor")
        return NEAREST if mode == "nearest" else NEAREST_EXACT if mode == "nearest-exact" else AREA
    if antialias and (mode not in ("bilinear", "bicubic") or input.dim() != 4):
        raise ValueError("Anti-alias option is restricted to bilinear and bicubic modes and requires a 4-D tensor")
    dims = 3 if mode == "linear" else 5 if mode == "trilinear" else 4
    if mode not in ("linear", "bilinear", "bicubic", "trilinear"):
        raise NotImplementedError(f"there is no interpolation mode '{mode}'")
    if input.dim() != dims:
        raise NotImplementedError(f"the mode '{mode}' is for {dims} dimensions, but the input has {input.dim()}")
    return CUBIC if mode == "bicubic" else LINEAR


@generic
def resized(input, size, scales, number: int, corners: bool, recompute: bool, antialias: bool) -> Tensor:
    """`RESIZE`; bytes, as images have, are rounded once at the end."""
    if input.dtype == torch.uint8 and number != AREA and (number != LINEAR or input.dim() == 4):
        found = RESIZE(input.float(), size, scales, number, corners, recompute, antialias)
        return found.round().clamp(0.0, 255.0).to(torch.uint8)
    return RESIZE(input, size, scales, number, corners, recompute, antialias)


def interpolate(
    input: Tensor,
    size: Size | None,
    scale_factor: float | None,
    mode: str,
    align_corners: bool | None,
    recompute_scale_factor: bool | None,
    antialias: bool,
) -> Tensor:
    number = mode_number(input, mode, align_corners, antialias)
    corners = False if align_corners is None else align_corners
    recompute = False if recompute_scale_factor is None else recompute_scale_factor
    if size is not None:
        if scale_factor is not None:
            raise ValueError("only one of size or scale_factor should be defined")
        if recompute:
            raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
        return resized(input, size, (0.0,), number, corners, False, antialias)
    if scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    return resized(input, (), (float(scale_factor),), number, corners, recompute, antialias)


def interpolate_scales(
    input: Tensor,
    size: None,
    scale_factor: tuple[float, ...],
    mode: str,
    align_corners: bool | None,
    recompute_scale_factor: bool | None,
    antialias: bool,
) -> Tensor:
    number = mode_number(input, mode, align_corners, antialias)
    corners = False if align_corners is None else align_corners
    recompute = False if recompute_scale_factor is None else recompute_scale_factor
    return resized(input, (), scale_factor, number, corners, recompute, antialias)


def upsample_nearest(input: Tensor, size: Size | None, scale_factor: float | None) -> Tensor:
    """`interpolate` with ``mode="nearest"``.

    Args:
        input, size, scale_factor: See `interpolate`.

    Raises:
        ValueError: There are neither sizes nor a factor, or both.

    Example:
        >>> tscript.nn.functional.upsample_nearest(tscript.tensor([[[1.0, 3.0]]]), scale_factor=2).tolist()
        [[[1.0, 1.0, 3.0, 3.0]]]
    """
    return torch.nn.functional.interpolate(input, size, scale_factor, "nearest")


def upsample_nearest_scales(input: Tensor, size: None, scale_factor: tuple[float, ...]) -> Tensor:
    return torch.nn.functional.interpolate(input, None, scale_factor=scale_factor, mode="nearest")


def upsample_bilinear(input: Tensor, size: Size | None, scale_factor: float | None) -> Tensor:
    """`interpolate` with ``mode="bilinear"`` and ``align_corners=True``.

    Args:
        input, size, scale_factor: See `interpolate`.

    Raises:
        ValueError: There are neither sizes nor a factor, or both.

    Example:
        >>> tscript.nn.functional.upsample_bilinear(tscript.tensor([[[[1.0, 3.0]]]]), (1, 3)).tolist()
        [[[[1.0, 2.0, 3.0]]]]
    """
    return torch.nn.functional.interpolate(input, size, scale_factor, "bilinear", True)


def upsample_bilinear_scales(input: Tensor, size: None, scale_factor: tuple[float, ...]) -> Tensor:
    return torch.nn.functional.interpolate(input, None, scale_factor=scale_factor, mode="bilinear", align_corners=True)


def pixel_shuffle(self: Tensor, upscale_factor: int) -> Tensor:
    """Channels made pixels: ``(*, C * r * r, H, W)`` becomes ``(*, C, H * r, W * r)``.

    The formula is that of `torch.pixel_shuffle`.

    Args:
        input: Of three dimensions or more.
        upscale_factor: The factor ``r``.

    Raises:
        RuntimeError: There are fewer dimensions, or the channels cannot be divided so.

    Example:
        >>> tscript.pixel_shuffle(tscript.tensor([[[1]], [[2]], [[3]], [[4]]]), 2).tolist()
        [[[1, 2], [3, 4]]]
    """
    r = upscale_factor
    if self.dim() < 3:
        raise RuntimeError(
            f"pixel_shuffle expects input to have at least 3 dimensions, but got input with {self.dim()} dimension(s)"
        )
    if r < 1:
        raise RuntimeError(f"pixel_shuffle expects a positive upscale_factor, but got {r}")
    if self.size(-3) // r % r != 0 or self.size(-3) % r != 0:
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, "
            "but "
            f"{self.size(-3)} is not divisible by the square of {r}"
        )
    c, h, w = self.size(-3) // r // r, self.size(-2), self.size(-1)
    whole = self.unsqueeze(0).flatten(0, -4)
    parts = whole.reshape(whole.size(0), c, r, r, h, w).permute(0, 1, 4, 2, 5, 3)
    sizes = (c, h * r, w * r)
    return parts.reshape(self.size()[:-3] + sizes)


def pixel_unshuffle(self: Tensor, downscale_factor: int) -> Tensor:
    """Pixels made channels: ``(*, C, H * r, W * r)`` becomes ``(*, C * r * r, H, W)``.

    The formula is that of `torch.pixel_unshuffle`.

    Args:
        input: Of three dimensions or more.
        downscale_factor: The factor ``r``.

    Raises:
        RuntimeError: There are fewer dimensions, or height or width cannot be divided so.

    Example:
        >>> tscript.pixel_unshuffle(tscript.tensor([[[1, 2], [3, 4]]]), 2).tolist()
        [[[1]], [[2]], [[3]], [[4]]]
    """
    r = downscale_factor
    if self.dim() < 3:
        raise RuntimeError(
            f"pixel_unshuffle expects input to have at least 3 dimensions, but got input with {self.dim()} dimension(s)"
        )
    if r < 1:
        raise RuntimeError(f"pixel_unshuffle expects a positive downscale_factor, but got {r}")
    if self.size(-2) % r != 0 or self.size(-1) % r != 0:
        raise RuntimeError(
            f"pixel_unshuffle expects height and width to be divisible by downscale_factor, but {self.size(-2)} or "
            f"{self.size(-1)} is not divisible by {r}"
        )
    c, h, w = self.size(-3), self.size(-2) // r, self.size(-1) // r
    whole = self.unsqueeze(0).flatten(0, -4)
    parts = whole.reshape(whole.size(0), c, h, r, w, r).permute(0, 1, 3, 5, 2, 4)
    sizes = (c * r * r, h, w)
    return parts.reshape(self.size()[:-3] + sizes)


def channel_shuffle(self: Tensor, groups: int) -> Tensor:
    """Channels of several groups in turn: ``(N, g * C, *)`` as ``(N, C * g, *)``.

    The formula is that of `torch.channel_shuffle`.

    Args:
        input: Of three dimensions or more.
        groups: How many groups there are.

    Raises:
        RuntimeError: There are fewer dimensions, or the channels cannot be divided so.

    Example:
        >>> tscript.channel_shuffle(tscript.tensor([[[1], [2], [3], [4]]]), 2).flatten().tolist()
        [1, 3, 2, 4]
    """
    if self.dim() < 3:
        raise RuntimeError(f"channel_shuffle expects input with > 2 dims, but got {self.dim()}")
    if groups < 1:
        raise RuntimeError(f"Number of groups to divide channels in must be positive. Value of groups: {groups}")
    if self.size(1) % groups != 0:
        raise RuntimeError(
            f"Number of channels must be divisible by groups. Got {self.size(1)} channels and {groups} groups."
        )
    rows = self.flatten(2)
    parts = rows.reshape(rows.size(0), groups, rows.size(1) // groups, rows.size(2)).transpose(1, 2)
    return parts.reshape(self.size())


def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None, bias: Tensor | None, eps: float, cudnn_enabled: bool
) -> Tensor:
    """Mean 0 and variance 1 over each group of channels, then times `weight` plus `bias` of the channel.

    ``(x - mean) / sqrt(variance + eps) * weight + bias``: Wu and He, "Group Normalization", arXiv:1803.08494.

    Args:
        input: Floats, of shape ``(batch, channels, ...)``.
        num_groups: How many groups there are.
        weight, bias: For each channel.
        eps: Added to the variance.
        cudnn_enabled: Makes no difference here.

    Raises:
        RuntimeError: The channels cannot be divided so, or `weight` or `bias` has another size or dtype.
        NotImplementedError: The input has no floats.

    Example:
        >>> x = tscript.tensor([[1.0, 3.0, 2.0, 6.0]])
        >>> tscript.nn.functional.group_norm(x, 2, eps=0.0).tolist()
        [[-1.0, 1.0, -1.0, 1.0]]
    """
    if input.dim() < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.dim()}")
    if num_groups < 1:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {num_groups}")
    if input.size(1) % num_groups != 0:
        raise RuntimeError(
            "Expected number of channels in input to be divisible by num_groups, but got input with "
            f"{input.size(1)} channels and num_groups={num_groups}"
        )
    check_floating(input, "GroupNormKernelImpl")
    for given in (weight, bias):
        if given is not None:
            check_channels(given, input)
    channels = input.unsqueeze(2) if input.dim() == 2 else input.flatten(2)
    inner = channels.size(1) // num_groups * channels.size(2)
    rows = channels.reshape(channels.size(0), num_groups, inner)
    centred = rows - rows.mean(-1, True)
    scaled = centred * ((centred * centred).mean(-1, True) + eps).rsqrt()
    out = scaled.reshape(channels.size())
    if weight is not None:
        out = out * weight.unsqueeze(1)
    if bias is not None:
        out = out + bias.unsqueeze(1)
    return out.reshape(input.size())


def instance_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None,
    bias: Tensor | None,
    use_input_stats: bool,
    momentum: float,
    eps: float,
) -> Tensor:
    """Mean 0 and variance 1 over each channel of each element of the batch, then times `weight` plus `bias`.

    ``(x - mean) / sqrt(variance + eps) * weight + bias``: Ulyanov and others, "Instance Normalization",
    arXiv:1607.08022.

    Args:
        input: Floats, of shape ``(batch, channels, ...)``.
        running_mean, running_var: The mean and the variance, unless `use_input_stats`.
        weight, bias: For each channel.
        use_input_stats: Whether the mean and the variance are those of the input.
        momentum: How far running statistics move, if `use_input_stats`.
        eps: Added to the variance.

    Raises:
        ValueError: A channel has one element alone.
        RuntimeError: There are fewer dimensions, or `weight` or `bias` has another size or dtype.
        NotImplementedError: The input has no floats, or there is one of the running statistics alone.

    Example:
        >>> tscript.nn.functional.instance_norm(tscript.tensor([[[1.0, 3.0], [2.0, 6.0]]]), eps=0.0).tolist()
        [[[-1.0, 1.0], [-1.0, 1.0]]]
    """
    if not use_input_stats:
        return torch.nn.functional.batch_norm(input, running_mean, running_var, weight, bias, False, momentum, eps)
    if running_mean is not None or running_var is not None:
        raise NotImplementedError("instance_norm() takes both running statistics, or None for both")
    if input.dim() < 3:
        raise RuntimeError(f"instance_norm expects at least 3 dimensions, but got {input.dim()}")
    if input.numel() == input.size(0) * input.size(1):
        raise ValueError("Expected more than 1 spatial element when training, but each channel has one")
    return torch.nn.functional.group_norm(input, input.size(1), weight, bias, eps)


def local_response_norm(input: Tensor, size: int, alpha: float, beta: float, k: float) -> Tensor:
    """Divided by a power of the mean square of neighbouring channels.

    ``x / (k + alpha * mean(x * x)) ** beta``: Krizhevsky and others, "ImageNet Classification with Deep Convolutional
    Neural Networks", 2012.

    Args:
        input: Floats, of shape ``(batch, channels, ...)``, of three dimensions or more.
        size: How many channels are neighbours.
        alpha, beta, k: Numbers of the formula.

    Raises:
        ValueError: There are fewer dimensions.
        RuntimeError: `size` is not positive.

    Example:
        >>> tscript.nn.functional.local_response_norm(tscript.ones(1, 2, 1), 1, alpha=1.0, beta=1.0).tolist()
        [[[0.5], [0.5]]]
    """
    if input.dim() < 3:
        raise ValueError(f"Expected 3D or higher dimensionality input (got {input.dim()} dimensions)")
    if size < 1:
        raise RuntimeError(f"expected a positive size, but got {size}")
    if not input.is_floating_point() and not input.is_complex():
        if input.numel() == 0:
            return input
    rows = (input * input).flatten(2).unsqueeze(1)
    padded = CONSTANT_PAD(rows, (0, 0, size // 2, (size - 1) // 2), 0)
    means = POOL(padded, (size, 1), (1,), (0,), (1,), False, True, 0, 2, True)
    return input / (means.reshape(input.size()) * alpha + k).pow(beta)


def lp_pool1d(input: Tensor, norm_type: float, kernel_size: Size, stride: Size | None, ceil_mode: bool) -> Tensor:
    """The norm of each window: ``sum(x ** p) ** (1 / p)``, the formula of `torch.nn.functional.lp_pool1d`.

    Args:
        input, kernel_size, stride, ceil_mode: See `torch.nn.functional.avg_pool1d`.
        norm_type: The exponent ``p``.

    Raises:
        RuntimeError: The input has other dimensions, or the window does not fit, or a number is out of range.
        NotImplementedError: There are no floats.

    Example:
        >>> tscript.nn.functional.lp_pool1d(tscript.tensor([[3.0, 4.0]]), 2, 2).tolist()
        [[5.0]]
    """
    means = POOL(input.pow(norm_type), kernel_size, stride, 0, 1, ceil_mode, True, 0, 1, True)
    return (means.sign() * means.abs().relu() * kernel_size[0]).pow(1.0 / norm_type)


def lp_pool2d(input: Tensor, norm_type: float, kernel_size: Size, stride: Size | None, ceil_mode: bool) -> Tensor:
    """The norm of each window: ``sum(x ** p) ** (1 / p)``, the formula of `torch.nn.functional.lp_pool2d`.

    Args:
        input, kernel_size, stride, ceil_mode: See `torch.nn.functional.avg_pool2d`.
        norm_type: The exponent ``p``.

    Raises:
        RuntimeError: The input has other dimensions, or the window does not fit, or a number is out of range.
        NotImplementedError: There are no floats.

    Example:
        >>> tscript.nn.functional.lp_pool2d(tscript.tensor([[[3.0, 4.0]]]), 2, (1, 2)).tolist()
        [[[5.0]]]
    """
    means = POOL(input.pow(norm_type), kernel_size, stride, 0, 1, ceil_mode, True, 0, 2, True)
    return (means.sign() * means.abs().relu() * (kernel_size[0] * kernel_size[-1])).pow(1.0 / norm_type)


def lp_pool3d(input: Tensor, norm_type: float, kernel_size: Size, stride: Size | None, ceil_mode: bool) -> Tensor:
    """The norm of each window: ``sum(x ** p) ** (1 / p)``, the formula of `torch.nn.functional.lp_pool3d`.

    Args:
        input, kernel_size, stride, ceil_mode: See `torch.nn.functional.avg_pool3d`.
        norm_type: The exponent ``p``.

    Raises:
        RuntimeError: The input has other dimensions, or the window does not fit, or a number is out of range.
        NotImplementedError: There are no floats.

    Example:
        >>> tscript.nn.functional.lp_pool3d(tscript.tensor([[[[3.0, 4.0]]]]), 2, (1, 1, 2)).tolist()
        [[[[5.0]]]]
    """
    means = POOL(input.pow(norm_type), kernel_size, stride, 0, 1, ceil_mode, True, 0, 3, True)
    count = kernel_size[0] * kernel_size[len(kernel_size) // 2] * kernel_size[-1]
    return (means.sign() * means.abs().relu() * count).pow(1.0 / norm_type)


# ---- interpolation on arrays


def _resized(args: Sequence[Arg]) -> Type:
    x = tensor_of(args[0])
    mode = constant_int(args[3])
    if x.dtype is not None and not x.dtype.is_floating_point:
        raise OperatorNotImplementedError(f"\"upsample\" not implemented for '{torch_name(x.dtype).title()}'")
    if x.rank not in (None, 3, 4, 5) or (mode is not None and not NEAREST <= mode <= AREA):
        raise OperatorNotImplementedError("Input Error: Only 3D, 4D and 5D input Tensors supported")
    return TensorType(x.dtype, x.rank)


def _cubic(x: Array, a: float) -> Array:
    d = np.abs(x)
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return np.where(d <= 1, near, np.where(d < 2, far, 0))


def _table(size: int, wanted: int, scale: float, mode: int, corners: bool, smooth: bool, of: type) -> Array:
    """The matrix of weights of a dimension."""
    at: Array = np.arange(wanted).astype(of)
    step = of(scale)
    out = np.zeros((wanted, size))
    if mode in (NEAREST, NEAREST_EXACT):
        found = np.floor((at + of(0.5)) * step if mode == NEAREST_EXACT else at * step)
        out[np.arange(wanted), np.minimum(found.astype(np.int64), size - 1)] = 1
        return out
    if smooth:
        radius, widen = (2, of(max(scale, 1))) if mode == CUBIC else (1, of(max(scale, 1)))
        centre = step * (at + of(0.5))
        for i, c in enumerate(centre):
            first = max(int(c - radius * widen + of(0.5)), 0)
            places = np.arange(first, min(int(c + radius * widen + of(0.5)), size))
            x = (places.astype(of) - c + of(0.5)) / widen
            weights = _cubic(x, -0.5) if mode == CUBIC else np.maximum(1 - np.abs(x), 0)
            out[i, places] = weights / weights.sum()
        return out
    source = at * step if corners else (at + of(0.5)) * step - of(0.5)
    if mode == LINEAR:
        source = np.maximum(source, 0)
        first = np.minimum(np.floor(source), size - 1)
        part = np.minimum(source - first, 1)
        np.add.at(out, (np.arange(wanted), first.astype(np.int64)), 1 - part)
        np.add.at(out, (np.arange(wanted), np.minimum(first.astype(np.int64) + 1, size - 1)), part)
        return out
    first = np.floor(source)
    for k in range(-1, 3):
        places = np.clip(first.astype(np.int64) + k, 0, size - 1)
        np.add.at(out, (np.arange(wanted), places), _cubic(source - first - k, -0.75))
    return out


def _resize(
    x: Array,
    size: Sequence[int],
    scales: Sequence[float],
    mode: int,
    corners: bool,
    recompute: bool,
    smooth: bool,
) -> Array:
    dims = x.ndim - 2
    if not 1 <= dims <= 3:
        raise NotImplementedError(f"Input Error: Only 3D, 4D and 5D input Tensors supported, but got {x.ndim}D")
    if size and len(size) not in (1, dims):
        raise ValueError(f"expected one size or {dims} sizes, but got {len(size)}")
    if not size and len(scales) not in (1, dims):
        raise ValueError(f"expected one scale factor or {dims} of them, but got {len(scales)}")
    factors = [0.0] * dims
    if size:
        shape = list(size) * dims if len(size) == 1 else list(size)
    else:
        given = list(scales) * dims if len(scales) == 1 else list(scales)
        wide = [np.floor(n * f) for n, f in zip(x.shape[2:], given, strict=True)]
        if not all(w <= 1 << 34 for w in wide):
            raise MemoryError("a tensor of this size does not fit into memory")
        shape = [max(int(w), 0) for w in wide]
        factors = [0.0] * dims if recompute else given
    for d, (have, want) in enumerate(zip(x.shape[2:], shape, strict=True)):
        if have < 1 or want < 1:
            raise RuntimeError(
                f"Input and output sizes should be greater than 0, but got input size {have} and output size {want} in "
                f"dimension {d + 2}"
            )
    if x.shape[1] == 0:
        raise RuntimeError("expected an input with channels, but dimension 1 has size 0")
    if mode == AREA:
        return adaptive_mean(x, shape, dims)
    out: Array = x.astype(np.float64) if mode > NEAREST_EXACT else x
    with np.errstate(all="ignore"):
        for d, (have, want, factor) in enumerate(zip(x.shape[2:], shape, factors, strict=True)):
            scale = (have - 1) / max(want - 1, 1) if corners else 1 / factor if factor > 0 else have / want
            if have == want and mode == LINEAR and not smooth:
                scale = 1.0
            of = np.float32 if x.dtype == np.float32 else np.float64
            table = _table(have, want, scale, mode, corners, smooth, of)
            if mode <= NEAREST_EXACT:
                out = np.take(out, table.argmax(1), d + 2)
            else:
                out = np.moveaxis(np.moveaxis(out, d + 2, -1) @ table.T, -1, d + 2)
    return out.astype(x.dtype)


RESIZE: OpDef = kernel(
    "resize(Tensor self, int[1] size, float[] scales, int mode, bool corners, bool recompute, bool smooth) -> Tensor",
    _resized,
    _resize,
    "resizing.resize",
    "Resized by interpolation.",
    generic=(0,),
    exact=False,
    names="",
)

_REST = (
    "str mode='nearest', bool? align_corners=None, bool? recompute_scale_factor=None, bool antialias=False) -> Tensor"
)
OPERATORS: tuple[OpDef, ...] = (
    composite(
        f"interpolate(Tensor input, int[1]? size=None, Scalar? scale_factor=None, {_REST}",
        interpolate,
        INTERPOLATE_DOC,
        names="F.interpolate F.upsample",
    ),
    composite(
        f"interpolate.scales(Tensor input, None size=None, *, float[] scale_factor, {_REST}",
        interpolate_scales,
        INTERPOLATE_DOC,
        names="F.interpolate F.upsample",
    ),
    *(
        composite(
            f"{name}(Tensor input, int[1]? size=None, Scalar? scale_factor=None) -> Tensor", body, names=f"F.{name}"
        )
        for name, body in (("upsample_nearest", upsample_nearest), ("upsample_bilinear", upsample_bilinear))
    ),
    *(
        composite(
            f"{name}.scales(Tensor input, None size=None, *, float[] scale_factor) -> Tensor",
            body,
            f"`{name}` with a factor for each dimension.",
            names=f"F.{name}",
        )
        for name, body in (
            ("upsample_nearest", upsample_nearest_scales),
            ("upsample_bilinear", upsample_bilinear_scales),
        )
    ),
    composite(
        "pixel_shuffle(Tensor self, int upscale_factor) -> Tensor",
        pixel_shuffle,
        names="torch.pixel_shuffle F.pixel_shuffle out=no",
        exact=True,
    ),
    composite(
        "pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor",
        pixel_unshuffle,
        names="torch.pixel_unshuffle F.pixel_unshuffle out=no",
        exact=True,
    ),
    composite(
        "channel_shuffle(Tensor self, int groups) -> Tensor",
        channel_shuffle,
        names="torch.channel_shuffle F.channel_shuffle torch.native_channel_shuffle F.native_channel_shuffle out=no",
        exact=True,
    ),
    composite(
        "group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, "
        "bool cudnn_enabled=True) -> Tensor",
        group_norm,
        names="torch.group_norm F.group_norm out=no",
    ),
    unless_updated(
        composite(
            "instance_norm(Tensor input, Tensor? running_mean=None, Tensor? running_var=None, Tensor? weight=None, "
            "Tensor? bias=None, bool use_input_stats=True, float momentum=0.1, float eps=1e-05) -> Tensor",
            instance_norm,
            names="F.instance_norm",
        ),
        "use_input_stats",
    ),
    composite(
        "local_response_norm(Tensor input, int size, float alpha=0.0001, float beta=0.75, float k=1.0) -> Tensor",
        local_response_norm,
        names="F.local_response_norm",
    ),
    composite(
        "lp_pool1d(Tensor input, Scalar norm_type, int[1] kernel_size, int[1]? stride=None, bool ceil_mode=False) "
        "-> Tensor",
        lp_pool1d,
        names="F.lp_pool1d",
    ),
    composite(
        "lp_pool2d(Tensor input, Scalar norm_type, int[1] kernel_size, int[1]? stride=None, bool ceil_mode=False) "
        "-> Tensor",
        lp_pool2d,
        names="F.lp_pool2d",
    ),
    composite(
        "lp_pool3d(Tensor input, Scalar norm_type, int[1] kernel_size, int[1]? stride=None, bool ceil_mode=False) "
        "-> Tensor",
        lp_pool3d,
        names="F.lp_pool3d",
    ),
)
HIDDEN: tuple[OpDef, ...] = (RESIZE,)
"""What bodies call."""

__all__ = ["HIDDEN", "OPERATORS", "RESIZE"]
"""All operators of this module."""
