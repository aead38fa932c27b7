"""Elements at the positions of a grid, and grids of affine maps."""

# mypy: disable-error-code="operator"

from __future__ import annotations

from collections.abc import Sequence

from tscript.arrays import Array, np
from tscript.definitions.define import composite, kernel
from tscript.definitions.language import Size, Tensor, generic, torch
from tscript.definitions.opdef import Arg, OpDef, OperatorNotImplementedError, OperatorRuntimeError
from tscript.definitions.promotion import torch_name
from tscript.definitions.rules import tensor_of
from tscript.types import Type

BILINEAR, NEAREST, BICUBIC = range(3)
ZEROS, BORDER, REFLECTION = range(3)


def grid_sample(input: Tensor, grid: Tensor, mode: str, padding_mode: str, align_corners: bool | None) -> Tensor:
    """Elements at the positions that a grid says, interpolated.

    The formula is that of `torch.nn.functional.grid_sample`.

    Args:
        input: Floats, of shape ``(N, C, H, W)`` or ``(N, C, D, H, W)``.
        grid: Of shape ``(N, ..., 2)`` or ``(N, ..., 3)``: positions ``x, y`` (and ``z``), from -1 to 1.
        mode: ``bilinear``, ``nearest``, or ``bicubic`` in two dimensions.
        padding_mode: What is outside: ``zeros``, or as in ``border`` or ``reflection`` elements of the input.
        align_corners: Whether -1 and 1 are the centres of the outermost elements, not their edges.

    Raises:
        ValueError: There is no such mode.
        RuntimeError: Input and grid do not go together.
        NotImplementedError: There are no floats.

    Example:
        >>> x, grid = tscript.tensor([[[[1.0, 3.0]]]]), tscript.tensor([[[[0.0, 0.0]]]])
        >>> tscript.nn.functional.grid_sample(x, grid, align_corners=False).tolist()
        [[[[2.0]]]]
    """
    if mode not in ("bilinear", "nearest", "bicubic"):
        raise ValueError(
            "nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '"
            + mode
            + "'"
        )
    if padding_mode not in ("zeros", "border", "reflection"):
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: '"
            + padding_mode
            + "'"
        )
    number = BILINEAR if mode == "bilinear" else NEAREST if mode == "nearest" else BICUBIC
    padding = ZEROS if padding_mode == "zeros" else BORDER if padding_mode == "border" else REFLECTION
    return SAMPLE_GRID(input, grid, number, padding, False if align_corners is None else align_corners)


def check_numbers(interpolation_mode: int, padding_mode: int) -> None:
    """Refuse numbers of modes that there are not."""
    if interpolation_mode < 0 or interpolation_mode > 2:
        raise RuntimeError(f"interpolation_mode is 0 (bilinear), 1 (nearest) or 2 (bicubic), not {interpolation_mode}")
    if padding_mode < 0 or padding_mode > 2:
        raise RuntimeError(f"padding_mode is 0 (zeros), 1 (border) or 2 (reflection), not {padding_mode}")


def grid_sampler(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """`grid_sample` with modes by number.

    Args:
        input, grid: See `grid_sample`.
        interpolation_mode: 0 for ``bilinear``, 1 for ``nearest``, 2 for ``bicubic``.
        padding_mode: 0 for ``zeros``, 1 for ``border``, 2 for ``reflection``.
        align_corners: Whether -1 and 1 are the centres of the outermost elements, not their edges.

    Raises:
        RuntimeError: Input and grid do not go together, or there is no such mode.
        NotImplementedError: There are no floats.

    Example:
        >>> x, grid = tscript.tensor([[[[1.0, 3.0]]]]), tscript.tensor([[[[0.0, 0.0]]]])
        >>> tscript.grid_sampler(x, grid, 0, 0, False).tolist()
        [[[[2.0]]]]
    """
    check_numbers(interpolation_mode, padding_mode)
    return SAMPLE_GRID(input, grid, interpolation_mode, padding_mode, align_corners)


def grid_sampler_2d(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """`grid_sampler` of images."""
    if input.dim() != 4:
        raise RuntimeError(f"grid_sampler_2d(): expected 4D input, but got {input.dim()}D")
    return grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners)


def grid_sampler_3d(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """`grid_sampler` of volumes."""
    if input.dim() != 5:
        raise RuntimeError(f"grid_sampler_3d(): expected 5D input, but got {input.dim()}D")
    return grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners)


@generic
def places_along(size, corners, dtype):  # type: ignore[no-untyped-def]
    """The positions of the elements of a dimension, from -1 to 1."""
    x = torch.arange(size).to(dtype)
    if corners:
        return x * (2.0 / max(size - 1, 1)) - (1.0 if size > 1 else 0.0)
    return (x * 2.0 + 1.0) / size - 1.0


def affine_grid(theta: Tensor, size: Size, align_corners: bool | None) -> Tensor:
    """Where affine maps take the positions of an image, for `grid_sample`.

    The formula is that of `torch.nn.functional.affine_grid`.

    Args:
        theta: A matrix of shape ``(2, 3)`` for each image, or ``(3, 4)`` for each volume, all in one tensor.
        size: The sizes of the result of `grid_sample`, ``(N, C, H, W)`` or ``(N, C, D, H, W)``.
        align_corners: Whether -1 and 1 are the centres of the outermost elements, not their edges.

    Raises:
        ValueError: The maps have another shape.
        NotImplementedError: There are no floats, or `size` has neither four nor five numbers.

    Example:
        >>> theta = tscript.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
        >>> tscript.nn.functional.affine_grid(theta, (1, 1, 1, 2), align_corners=True).tolist()
        [[[[-1.0, 0.0], [1.0, 0.0]]]]
    """
    dims = len(size) - 2
    if dims != 2 and dims != 3:
        raise NotImplementedError(f"affine_grid expects 4 or 5 sizes, but got {len(size)}")
    if not theta.is_floating_point():
        raise ValueError("Expected theta to have floating point type")
    n, h, w = size[0], size[-2], size[-1]
    if theta.dim() != 3 or theta.size(0) != n or theta.size(1) != dims or theta.size(2) != dims + 1:
        shape = f"{dims}x{dims + 1}"
        raise ValueError(f"Expected a batch of {n} {dims}D affine matrices of shape {shape}, one for each image")
    if n < 1 or h < 1 or w < 1 or size[2] < 1:
        raise ValueError(f"Expected positive sizes, but got {n}, {size[2]}, {h} and {w}")
    corners = align_corners is not None and align_corners
    x = places_along(w, corners, theta.dtype).reshape(1, 1, w, 1)
    y = places_along(h, corners, theta.dtype).reshape(1, h, 1, 1)
    maps = theta.reshape(n, 1, 1, dims, dims + 1)
    plane = maps.select(4, 0) * x + maps.select(4, 1) * y + maps.select(4, dims)
    if dims == 2:
        return plane
    z = places_along(size[2], corners, theta.dtype).reshape(1, size[2], 1, 1, 1)
    return plane.unsqueeze(1) + maps.select(4, 2).unsqueeze(1) * z


def _sampled(args: Sequence[Arg]) -> Type:
    x, grid = tensor_of(args[0]), tensor_of(args[1])
    for given in (x, grid):
        if given.dtype is not None and not given.dtype.is_floating_point:
            raise OperatorNotImplementedError(
                f"\"grid_sampler\" not implemented for '{torch_name(given.dtype).title()}'"
            )
    if None not in (x.dtype, grid.dtype) and x.dtype is not grid.dtype:
        raise OperatorRuntimeError(
            f"grid_sampler(): expected input and grid to have same dtype, but input has {x.dtype} and grid has "
            f"{grid.dtype}"
        )
    if x.rank not in (None, 4, 5):
        raise OperatorRuntimeError(f"grid_sampler(): expected 4D or 5D input, but got {x.rank}D")
    return x


def _placed(x: Array, size: int, padding: int, corners: bool) -> Array:
    if padding == REFLECTION:
        low, span = (0.0, size - 1) if corners else (-0.5, size)
        if span > 0:
            away = np.abs(x - low)
            turns = np.floor(away / span)
            rest = away - turns * span
            x = np.where(turns % 2 != 0, span - rest, rest) + low
        else:
            x = np.zeros_like(x)
    if padding != ZEROS:
        x = np.clip(x, 0, size - 1)
    return np.where(np.abs(x) < 1e9, x, -100)


def _cubic(x: Array, a: float = -0.75) -> Array:
    d = np.abs(x)
    return np.where(d <= 1, ((a + 2) * d - (a + 3)) * d * d + 1, ((a * d - 5 * a) * d + 8 * a) * d - 4 * a)


def _taps(given: Array, size: int, mode: int, padding: int, corners: bool) -> list[tuple[Array, Array]]:
    x = (given + 1) / 2 * (size - 1) if corners else ((given + 1) * size - 1) / 2
    if mode == BICUBIC:
        x = np.where(np.abs(x) < 1e9, x, -100)
        whole = np.floor(x)
        return [(_placed(whole + k, size, padding, corners), _cubic(x - whole - k)) for k in range(-1, 3)]
    x = _placed(x, size, padding, corners)
    if mode == NEAREST:
        return [(np.rint(x), np.ones_like(x))]
    whole = np.floor(x)
    return [(whole, 1 - (x - whole)), (whole + 1, x - whole)]


def _sample(x: Array, grid: Array, mode: int, padding: int, corners: bool) -> Array:
    dims = x.ndim - 2
    if dims not in (2, 3):
        raise RuntimeError(f"grid_sampler(): expected 4D or 5D input, but got {x.ndim}D")
    if grid.ndim != x.ndim:
        raise RuntimeError(f"grid_sampler(): expected a grid of {x.ndim} dimensions, but got {grid.ndim}")
    if len(grid) != len(x):
        raise RuntimeError(
            f"grid_sampler(): expected grid and input to have same batch size, but got {len(grid)} and {len(x)}"
        )
    if grid.shape[-1] != dims:
        raise RuntimeError(
            f"grid_sampler(): expected grid to have size {dims} in last dimension, but got {grid.shape[-1]}"
        )
    if mode == BICUBIC and dims != 2:
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
    for d in range(dims):
        if x.shape[2 + d] == 0:
            raise RuntimeError(f"grid_sampler(): expected input to have non-empty dimensions, but dimension {d + 2} is")
    out = np.zeros((*x.shape[:2], *grid.shape[1:-1]))
    batch = np.arange(len(x)).reshape(-1, *[1] * dims)
    with np.errstate(all="ignore"):
        found: list[tuple[tuple[Array, ...], Array]] = [((), np.ones(grid.shape[:-1]))]
        for d in range(dims):
            size = x.shape[2 + d]
            taps = _taps(grid[..., dims - 1 - d], size, mode, padding, corners)
            found = [
                ((*places, np.clip(at, 0, size - 1).astype(np.int64)), weight * np.where((at >= 0) & (at < size), w, 0))
                for places, weight in found
                for at, w in taps
            ]
        for places, weight in found:
            # Elements first by the batch, then by the position; channels come last.
            chosen = np.moveaxis(np.moveaxis(x, 1, -1)[(batch, *places)], -1, 1)
            out += np.where(weight[:, None] == 0, 0, chosen * weight[:, None])
    return out.astype(x.dtype)


SAMPLE_GRID: OpDef = kernel(
    "sample_grid(Tensor input, Tensor grid, int mode, int padding, bool corners) -> Tensor",
    _sampled,
    _sample,
    "grids.sample_grid",
    "Elements at the positions of a grid.",
    generic=(0,),
    exact=False,
    names="",
)
OPERATORS: tuple[OpDef, ...] = (
    composite(
        "grid_sample(Tensor input, Tensor grid, str mode='bilinear', str padding_mode='zeros', "
        "bool? align_corners=None) -> Tensor",
        grid_sample,
        names="F.grid_sample",
    ),
    *(
        composite(
            f"{name}(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) "
            "-> Tensor",
            body,
            names=f"torch.{name} out=no",
        )
        for name, body in (
            ("grid_sampler", grid_sampler),
            ("grid_sampler_2d", grid_sampler_2d),
            ("grid_sampler_3d", grid_sampler_3d),
        )
    ),
    composite(
        "affine_grid(Tensor theta, int[] size, bool? align_corners=None) -> Tensor",
        affine_grid,
        names="F.affine_grid",
    ),
)
HIDDEN: tuple[OpDef, ...] = (SAMPLE_GRID,)
"""What bodies call."""

__all__ = ["HIDDEN", "OPERATORS", "SAMPLE_GRID"]
"""All operators of this module."""
