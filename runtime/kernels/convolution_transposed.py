"""Tier 3: transposed convolutions: the columns of the result are a product, which is added up where they belong.

``T`` is float32, float64, or an integer, for which there is no BLAS.
"""

from __future__ import annotations

from tscript.dialect import Ptr, T, TensorImpl, address, context, function, i32, i64, pointer, stack
from tscript.runtime.kernels.columns import (
    CELLS,
    DILATION,
    IN,
    LARGEST_INPUT,
    LARGEST_STEP,
    OUT,
    PAD,
    STRIDE,
    WINDOW,
    least,
    most,
    read_triple,
    scatter_columns,
    window_cells,
)
from tscript.runtime.kernels.convolution import FLOPS, check_channels, read_sizes
from tscript.runtime.kernels.convolution_products import BLOCK
from tscript.runtime.kernels.convolution_task import (
    BLOCKS,
    COLUMNS,
    DEPTH,
    GEOMETRY,
    GROUPS,
    IN_CHANNELS,
    OUT_CHANNELS,
    PARTS,
    POSITIONS,
    ROOM,
    SOURCE,
    TASK,
    TO,
    UNITS,
    USES_BLAS,
    WEIGHT,
    bias_of,
    give_back,
    parts_of,
    release_all,
    reserve,
    room_of,
    set_task,
    try_alloc_checked,
    try_contiguous,
)
from tscript.runtime.kernels.gemm import LARGEST_BLAS_SIZE, NO_TRANSPOSE, TRANSPOSE, gemm, has_blas, multiply_own
from tscript.runtime.kernels.parallel import parallel
from tscript.runtime.kernels.shapes import copy_sizes
from tscript.runtime.kernels.tensor import begin_work, itemsize_of, sizes_of


def convolve_transposed(
    input: Ptr[TensorImpl],
    weight: Ptr[TensorImpl],
    bias: Ptr[TensorImpl],
    stride: Ptr[i64],
    strides: i64,
    padding: Ptr[i64],
    paddings: i64,
    output_padding: Ptr[i64],
    output_paddings: i64,
    dilation: Ptr[i64],
    dilations: i64,
    groups: i64,
    dims: i64,
) -> Ptr[TensorImpl]:
    """`torch.conv_transpose2d` and the others: sums of windows that overlap, each the weights times an element.

    Raises RuntimeError where the operands do not go together, MemoryError where there is no memory.
    """
    if dims < 1 or dims > 3:
        raise RuntimeError("a convolution is over 1, 2 or 3 dimensions, not {0}", dims)
    g = stack(CELLS, i64)
    read_triple(g, stride, strides, dims, STRIDE, 1)
    read_triple(g, padding, paddings, dims, PAD, 0)
    read_triple(g, dilation, dilations, dims, DILATION, 1)
    if output_paddings != 1 and output_paddings != dims:
        raise RuntimeError(
            "expected the output padding to be one number or {0} numbers, but got {1}", dims, output_paddings
        )
    check_channels(input, weight, bias, groups, dims, True)
    read_sizes(g, input, weight, dims)
    ndim = i64(input.ndim)
    shape = stack(8, i64)
    copy_sizes(shape, sizes_of(input), ndim)
    cells = window_cells(g)
    made = sizes_of(weight)[1]
    shape[ndim - dims - 1] = made * groups
    # What slides, slides over the result.
    for i in range(3):
        g[OUT + i] = g[IN + i]
        g[IN + i] = 1
    for d in range(dims):
        i = 3 - dims + d
        wider = output_padding[0]
        if output_paddings > 1:
            wider = output_padding[d]
        if wider < 0:
            raise RuntimeError("negative output_padding is not supported: got {0}", wider)
        if wider >= g[STRIDE + i] and wider >= g[DILATION + i]:
            raise RuntimeError(
                "output padding must be smaller than either stride or dilation, but got {0} with a stride of {1} and a "
                "dilation of {2}",
                wider,
                g[STRIDE + i],
                g[DILATION + i],
            )
        if g[STRIDE + i] >= LARGEST_STEP and g[OUT + i] > 1:
            raise MemoryError("a tensor of this size does not fit into memory")
        if g[OUT + i] > 1 and g[STRIDE + i] > LARGEST_INPUT // g[OUT + i]:
            raise MemoryError("a tensor of this size does not fit into memory")
        if g[WINDOW + i] > 1 and g[DILATION + i] > LARGEST_INPUT // g[WINDOW + i]:
            raise MemoryError("a tensor of this size does not fit into memory")
        size = (g[OUT + i] - 1) * g[STRIDE + i] - 2 * g[PAD + i] + (g[WINDOW + i] - 1) * g[DILATION + i] + wider + 1
        if size < 1:
            raise RuntimeError(
                "Given an input of size {0} in dimension {1}, the calculated output size is {2}: Output size is too "
                "small",
                g[OUT + i],
                d,
                size,
            )
        g[IN + i] = size
        shape[ndim - dims + d] = size
    batch = 1
    if ndim == dims + 2:
        batch = shape[0]
    source = try_contiguous(input)
    kernel = try_contiguous(weight)
    out = try_alloc_checked(input, ndim, shape)
    task = stack(TASK, i64)
    ready = address(source) != 0 and address(kernel) != 0 and address(out) != 0
    if ready:
        if out.numel == 0:
            release_all(source, kernel, pointer(0, TensorImpl))
            return out
        task[TO] = address(out.data)
        set_task(task, source, kernel, bias, g, groups, batch)
        positions = g[OUT] * g[OUT + 1] * g[OUT + 2]
        depth = sizes_of(weight)[0] // groups
        chunk = least(most(BLOCK // (cells * positions), 1), made)
        task[IN_CHANNELS] = depth
        task[OUT_CHANNELS] = made
        task[POSITIONS] = positions
        task[DEPTH] = cells
        task[COLUMNS] = chunk
        task[BLOCKS] = (made + chunk - 1) // chunk
        task[UNITS] = batch * groups * task[BLOCKS]
        task[ROOM] = chunk * cells * positions
        task[PARTS] = parts_of(task[UNITS], depth * task[ROOM])
        is_float = T(0.5) != T(0)
        task[USES_BLAS] = i64(is_float and has_blas() and (made * cells | depth | positions) <= LARGEST_BLAS_SIZE)
        ready = reserve(task, itemsize_of(input.dtype), 0)
        if ready:
            begin_work(out.numel + batch * groups * made * cells * positions * depth // FLOPS)
            if task[PARTS] > 1:
                parallel(context(), function(spread_blocks), task, task[PARTS], 1)
            else:
                spread_blocks(task, 0, 1)
            give_back(task, itemsize_of(input.dtype))
    if not ready:
        release_all(source, kernel, out)
        raise MemoryError("there is no memory for the result or the columns of a convolution")
    release_all(source, kernel, pointer(0, TensorImpl))
    return out


def spread_blocks(task: Ptr[i64], begin: i64, end: i64) -> None:
    """Some parts of a transposed convolution, with the scratch memory of the first one."""
    scratch = room_of(task, begin, T(0))
    units = task[UNITS]
    parts = task[PARTS]
    for unit in range(units * begin // parts, units * end // parts):
        spread_block(pointer(task[TO], T), scratch, task, unit)


def spread_block(out: Ptr[T], scratch: Ptr[T], task: Ptr[i64], unit: i64) -> None:
    """Some output channels of a group."""
    g = pointer(task[GEOMETRY], i64)
    made = task[OUT_CHANNELS]
    depth = task[IN_CHANNELS]
    cells = task[DEPTH]
    positions = task[POSITIONS]
    of_group = unit // task[BLOCKS]
    first = (unit - of_group * task[BLOCKS]) * task[COLUMNS]
    channels = least(task[COLUMNS], made - first)
    group = of_group % task[GROUPS]
    plane = g[IN] * g[IN + 1] * g[IN + 2]
    to = out + (of_group * made + first) * plane
    for c in range(channels):
        value = bias_of(task, group * made + first + c, T(0))
        for i in range(plane):
            to[c * plane + i] = value
    if depth == 0:
        return
    left = pointer(task[WEIGHT], T) + (group * depth * made + first) * cells
    right = pointer(task[SOURCE], T) + of_group * depth * positions
    if task[USES_BLAS] == 0:
        multiply_own(scratch, left, 1, made * cells, right, positions, channels * cells, positions, depth, positions)
    else:
        multiply_spread(scratch, left, made * cells, right, channels * cells, positions, depth)
    scatter_columns(to, scratch, g, channels)


def multiply_spread(c: Ptr[T], a: Ptr[T], a1: i64, b: Ptr[T], m: i64, n: i64, k: i64) -> None:
    """C = A B by BLAS, where the columns of A lie `a1` elements apart."""
    lda = a1
    gemm(T(1), i32(TRANSPOSE), i32(NO_TRANSPOSE), m, n, k, a, lda, b, n, c, n)
