"""Tier 3: windows of a tensor as columns of a matrix, and back: what convolutions are products of, `unfold`, `fold`.

Whatever slides has three dimensions here; those that are missing have size 1. The geometry is an array of cells, three
for each of the names below. A *position* is one of the ``OUT`` places of the window, in row-major order. A matrix has a
row for each channel and each place in the window, and a column for each position.
"""

from __future__ import annotations

from tscript.dialect import Ptr, T, TensorImpl, address, b8, i64, pointer_cast, stack
from tscript.runtime.kernels.copy import contiguous
from tscript.runtime.kernels.memory import refuse
from tscript.runtime.kernels.memory_blocks import LARGEST as MOST_BYTES
from tscript.runtime.kernels.tensor import begin_work, itemsize_of, sizes_of, tensor_release, tensor_try_alloc

WINDOW, STRIDE, PAD, DILATION, IN, OUT = 0, 3, 6, 9, 12, 15
CELLS = 18

MOST_ELEMENTS = MOST_BYTES // 8

LARGEST_WINDOW = 1 << 24
"""No window has more elements."""

LARGEST_STEP = 1 << 36
"""Longer strides, dilations and paddings mean the same."""

LARGEST_INPUT = 1 << 34
"""No tensor that something slides over has more elements."""


def least(a: i64, b: i64) -> i64:
    """The smaller one."""
    if a < b:
        return a
    return b


def most(a: i64, b: i64) -> i64:
    """The larger one."""
    if a > b:
        return a
    return b


def first_inside(at: i64, stride: i64) -> i64:
    """The first step after which ``at + step * stride`` is not negative."""
    if at >= 0:
        return 0
    return (stride - 1 - at) // stride


def read_triple(to: Ptr[i64], given: Ptr[i64], n: i64, dims: i64, what: i64, minimum: i64) -> None:
    """The numbers for each of `dims` dimensions, or one for all of them, behind ones for the missing dimensions.

    Args:
        what: Which of ``WINDOW``, ``STRIDE``, ``PAD`` and ``DILATION`` they are.
        minimum: What they are at least.
    """
    if n != 1 and n != dims:
        if what == WINDOW:
            raise RuntimeError("expected the kernel size to be one number or {0} numbers, but got {1}", dims, n)
        if what == STRIDE:
            raise RuntimeError("expected the stride to be one number or {0} numbers, but got {1}", dims, n)
        if what == PAD:
            raise RuntimeError("expected the padding to be one number or {0} numbers, but got {1}", dims, n)
        raise RuntimeError("expected the dilation to be one number or {0} numbers, but got {1}", dims, n)
    for i in range(3):
        to[what + i] = 1
        if what == PAD:
            to[what + i] = 0
    for i in range(dims):
        value = given[0]
        if n > 1:
            value = given[i]
        if value < minimum:
            if what == WINDOW:
                raise RuntimeError("the kernel size should be at least {0}, but got {1}", minimum, value)
            if what == STRIDE:
                raise RuntimeError("the stride should be at least {0}, but got {1}", minimum, value)
            if what == PAD:
                raise RuntimeError("the padding should not be negative, but got {0}", value)
            raise RuntimeError("the dilation should be at least {0}, but got {1}", minimum, value)
        if value > LARGEST_STEP:
            value = LARGEST_STEP
        to[what + 3 - dims + i] = value


def gather_columns(to: Ptr[T], ld: i64, source: Ptr[T], g: Ptr[i64], channels: i64, begin: i64, end: i64) -> None:
    """Columns `begin` to `end` of the matrix of windows of a contiguous tensor; its rows lie `ld` elements apart."""
    in_d = g[IN]
    in_h = g[IN + 1]
    in_w = g[IN + 2]
    out_h = g[OUT + 1]
    out_w = g[OUT + 2]
    step = g[STRIDE + 2]
    row = to
    first = begin // out_w
    first_x = begin - first * out_w
    for c in range(channels):
        plane = source + c * in_d * in_h * in_w
        for kz in range(g[WINDOW]):
            for ky in range(g[WINDOW + 1]):
                for kx in range(g[WINDOW + 2]):
                    shift = kx * g[DILATION + 2] - g[PAD + 2]
                    low = least(first_inside(shift, step), out_w)
                    high = low
                    if shift + low * step < in_w:
                        high = least(out_w, (in_w - 1 - shift) // step + 1)
                    line = first
                    x = first_x
                    at = begin
                    while at < end:
                        n = least(out_w - x, end - at)
                        z = line // out_h
                        y = (line - z * out_h) * g[STRIDE + 1] - g[PAD + 1] + ky * g[DILATION + 1]
                        z = z * g[STRIDE] - g[PAD] + kz * g[DILATION]
                        cells = row + (at - begin)
                        if z < 0 or z >= in_d or y < 0 or y >= in_h:
                            for i in range(n):
                                cells[i] = T(0)
                        else:
                            here = least(most(low - x, 0), n)
                            there = most(least(high - x, n), here)
                            line_of = plane + ((z * in_h + y) * in_w + shift + x * step)
                            for i in range(here):
                                cells[i] = T(0)
                            if step == 1:
                                for i in range(here, there):
                                    cells[i] = line_of[i]
                            else:
                                for i in range(here, there):
                                    cells[i] = line_of[i * step]
                            for i in range(there, n):
                                cells[i] = T(0)
                        at = at + n
                        line = line + 1
                        x = 0
                    row = row + ld


def scatter_columns(to: Ptr[T], source: Ptr[T], g: Ptr[i64], channels: i64) -> None:
    """Add the whole matrix of windows to the contiguous tensor that they are windows of, whose sizes are ``IN``."""
    in_d = g[IN]
    in_h = g[IN + 1]
    in_w = g[IN + 2]
    out_w = g[OUT + 2]
    step = g[STRIDE + 2]
    row = source
    for c in range(channels):
        plane = to + c * in_d * in_h * in_w
        for kz in range(g[WINDOW]):
            for ky in range(g[WINDOW + 1]):
                for kx in range(g[WINDOW + 2]):
                    shift = kx * g[DILATION + 2] - g[PAD + 2]
                    low = least(first_inside(shift, step), out_w)
                    high = low
                    if shift + low * step < in_w:
                        high = least(out_w, (in_w - 1 - shift) // step + 1)
                    for oz in range(g[OUT]):
                        z = oz * g[STRIDE] - g[PAD] + kz * g[DILATION]
                        for oy in range(g[OUT + 1]):
                            y = oy * g[STRIDE + 1] - g[PAD + 1] + ky * g[DILATION + 1]
                            if z >= 0 and z < in_d and y >= 0 and y < in_h:
                                cells = plane + ((z * in_h + y) * in_w + shift)
                                if step == 1:
                                    for i in range(low, high):
                                        cells[i] = cells[i] + row[i]
                                else:
                                    for i in range(low, high):
                                        cells[i * step] = cells[i * step] + row[i]
                            row = row + out_w


def slide(g: Ptr[i64]) -> b8:
    """Set how many positions a window has in each dimension; whether there is one at least in all of them."""
    fits = True
    for i in range(3):
        room = g[IN + i] + 2 * g[PAD + i] - (g[WINDOW + i] - 1) * g[DILATION + i] - 1
        g[OUT + i] = 0
        if room >= 0:
            g[OUT + i] = room // g[STRIDE + i] + 1
        else:
            fits = False
    count = 1
    for i in range(3):
        n = g[OUT + i]
        if n != 0 and count > MOST_ELEMENTS // n:
            raise MemoryError("a tensor of this size does not fit into memory")
        count = count * n
    return fits


def check_size(self: Ptr[TensorImpl]) -> None:
    """Raise MemoryError for a tensor, most likely an expanded one, that is too large to slide over."""
    if self.numel > LARGEST_INPUT:
        raise MemoryError("a tensor of {0} elements is too large to slide over", self.numel)


def window_cells(g: Ptr[i64]) -> i64:
    """How many elements a window has; capped."""
    found = 1
    for i in range(3):
        if g[WINDOW + i] > LARGEST_WINDOW:
            raise RuntimeError("a kernel of size {0} is too large", g[WINDOW + i])
        found = found * g[WINDOW + i]
        if found > LARGEST_WINDOW:
            raise RuntimeError("a kernel of {0} elements is too large", found)
    return found


def unfold_windows(
    self: Ptr[TensorImpl],
    window: Ptr[i64],
    windows: i64,
    dilation: Ptr[i64],
    dilations: i64,
    padding: Ptr[i64],
    paddings: i64,
    stride: Ptr[i64],
    strides: i64,
) -> Ptr[TensorImpl]:
    """`torch.nn.functional.unfold`: windows of (N, C, H, W) or (C, H, W) as columns.

    Raises RuntimeError where the arguments do not go together.
    """
    if self.ndim != 3 and self.ndim != 4:
        raise RuntimeError("unfold(): expected 3D or 4D (batched) input, but got {0}D", i64(self.ndim))
    check_size(self)
    g = stack(CELLS, i64)
    read_triple(g, window, windows, 2, WINDOW, 1)
    read_triple(g, dilation, dilations, 2, DILATION, 1)
    read_triple(g, padding, paddings, 2, PAD, 0)
    read_triple(g, stride, strides, 2, STRIDE, 1)
    ndim = i64(self.ndim)
    sizes = sizes_of(self)
    g[IN] = 1
    g[IN + 1] = sizes[ndim - 2]
    g[IN + 2] = sizes[ndim - 1]
    if g[IN + 1] == 0 or g[IN + 2] == 0 or sizes[ndim - 3] == 0:
        raise RuntimeError("unfold(): only the batch may have size 0")
    cells = window_cells(g)
    if not slide(g):
        raise RuntimeError(
            "unfold(): a kernel of ({0}, {1}) has no place in an input of ({2}, {3})",
            g[WINDOW + 1],
            g[WINDOW + 2],
            g[IN + 1],
            g[IN + 2],
        )
    shape = stack(3, i64)
    shape[0] = 1
    if ndim == 4:
        shape[0] = sizes[0]
    channels = sizes[ndim - 3]
    shape[1] = channels * cells
    shape[2] = g[OUT + 1] * g[OUT + 2]
    begin = shape
    if ndim == 3:
        begin = shape + 1
    source = contiguous(self)
    out = tensor_try_like(source, ndim - 1, begin)
    begin_work(out.numel)
    read = pointer_cast(source.data, T)
    to = pointer_cast(out.data, T)
    for n in range(shape[0]):
        gather_columns(
            to + n * shape[1] * shape[2],
            shape[2],
            read + n * channels * g[IN + 1] * g[IN + 2],
            g,
            channels,
            0,
            shape[2],
        )
    tensor_release(source)
    return out


def tensor_try_like(source: Ptr[TensorImpl], ndim: i64, sizes: Ptr[i64]) -> Ptr[TensorImpl]:
    """A new tensor of the dtype of `source`, which is released where there is no memory."""
    numel = 1
    for i in range(ndim):
        n = sizes[i]
        if n != 0 and numel > MOST_ELEMENTS // n:
            tensor_release(source)
            raise MemoryError("a tensor of this size does not fit into memory")
        numel = numel * n
    out = tensor_try_alloc(source.dtype, ndim, sizes, numel)
    if address(out) == 0:
        nbytes = numel * itemsize_of(source.dtype)
        tensor_release(source)
        refuse(nbytes)
    return out


def fold_windows(
    self: Ptr[TensorImpl],
    output: Ptr[i64],
    outputs: i64,
    window: Ptr[i64],
    windows: i64,
    dilation: Ptr[i64],
    dilations: i64,
    padding: Ptr[i64],
    paddings: i64,
    stride: Ptr[i64],
    strides: i64,
) -> Ptr[TensorImpl]:
    """`torch.nn.functional.fold`: sums of windows that overlap.

    Raises RuntimeError where the arguments do not go together.
    """
    if self.ndim != 2 and self.ndim != 3:
        raise RuntimeError("fold(): expected 2D or 3D (batched) input, but got {0}D", i64(self.ndim))
    check_size(self)
    g = stack(CELLS, i64)
    if outputs != 1 and outputs != 2:
        raise RuntimeError("expected the output size to be one number or 2 numbers, but got {0}", outputs)
    read_triple(g, window, windows, 2, WINDOW, 1)
    read_triple(g, dilation, dilations, 2, DILATION, 1)
    read_triple(g, padding, paddings, 2, PAD, 0)
    read_triple(g, stride, strides, 2, STRIDE, 1)
    ndim = i64(self.ndim)
    sizes = sizes_of(self)
    g[IN] = 1
    g[IN + 1] = output[0]
    g[IN + 2] = output[outputs - 1]
    if g[IN + 1] < 1 or g[IN + 2] < 1:
        raise RuntimeError("fold(): the output size should be positive, but got ({0}, {1})", g[IN + 1], g[IN + 2])
    if g[IN + 1] > LARGEST_INPUT or g[IN + 2] > LARGEST_INPUT:
        raise MemoryError("a tensor of this size does not fit into memory")
    cells = window_cells(g)
    if sizes[ndim - 2] == 0 or sizes[ndim - 2] % cells != 0:
        raise RuntimeError(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got size {0} "
            "and a "
            "product of {1}",
            sizes[ndim - 2],
            cells,
        )
    fits = slide(g)
    if not fits or sizes[ndim - 1] != g[OUT + 1] * g[OUT + 2]:
        raise RuntimeError(
            "fold(): there are {0} x {1} positions of the kernel in the output, but the input has {2}",
            g[OUT + 1],
            g[OUT + 2],
            sizes[ndim - 1],
        )
    shape = stack(4, i64)
    shape[0] = 1
    if ndim == 3:
        shape[0] = sizes[0]
    channels = sizes[ndim - 2] // cells
    shape[1] = channels
    shape[2] = g[IN + 1]
    shape[3] = g[IN + 2]
    begin = shape
    if ndim == 2:
        begin = shape + 1
    source = contiguous(self)
    out = tensor_try_like(source, ndim + 1, begin)
    begin_work(self.numel)
    read = pointer_cast(source.data, T)
    to = pointer_cast(out.data, T)
    for i in range(out.numel):
        to[i] = T(0)
    of_one = sizes[ndim - 2] * sizes[ndim - 1]
    for n in range(shape[0]):
        scatter_columns(to + n * channels * g[IN + 1] * g[IN + 2], read + n * of_one, g, channels)
    tensor_release(source)
    return out
