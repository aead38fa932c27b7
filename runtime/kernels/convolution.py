"""Tier 3: convolutions: sums of products of the weights with the windows of the input.

Which way they are computed depends on sizes alone:

- integers, and windows of no channels, as sums of rows (`convolution_rows`);
- windows of one element without stride and padding as products of matrices (`convolution_products`);
- 3 x 3 windows over images by Winograd's F(2 x 2, 3 x 3), where it multiplies less, or by F(4 x 4, 3 x 3), where the
  caller asks for speed (`convolution_winograd`);
- windows of one channel that make one or two, out of copies of each channel (`convolution_depthwise`);
- others out of copies of the input with padding (`convolution_direct`);
- but windows whose places are so many, or lie so far apart, that these copies have more than columns would, as products
  of the weights with columns.

Work is divided among threads; no result depends on how.
"""

from __future__ import annotations

from tscript.dialect import ByType, Ptr, T, TensorImpl, address, b8, i64, pointer, stack
from tscript.runtime.kernels.columns import (
    CELLS,
    DILATION,
    IN,
    LARGEST_INPUT,
    OUT,
    PAD,
    STRIDE,
    WINDOW,
    check_size,
    least,
    most,
    read_triple,
    slide,
    window_cells,
)
from tscript.runtime.kernels.convolution_depthwise import convolve_depthwise, lay_out_depthwise
from tscript.runtime.kernels.convolution_direct import convolve_directly, lay_out_direct
from tscript.runtime.kernels.convolution_products import convolve_products, is_plain, lay_out_products
from tscript.runtime.kernels.convolution_rows import convolve_rows
from tscript.runtime.kernels.convolution_task import (
    DEPTH,
    EPILOGUE,
    FAST,
    IN_CHANNELS,
    OUT_CHANNELS,
    PARTS,
    ROOM,
    SHARED,
    TASK,
    TO,
    TOTAL,
    give_back,
    release_all,
    reserve,
    rooms,
    set_task,
    try_alloc_checked,
    try_contiguous,
)
from tscript.runtime.kernels.convolution_winograd import convolve_winograd, lay_out_winograd
from tscript.runtime.kernels.epilogues import accepted, finish_epilogue
from tscript.runtime.kernels.shapes import copy_sizes
from tscript.runtime.kernels.tensor import begin_work, itemsize_of, sizes_of
from tscript.types import dtypes

FLOPS = 16
"""Products that take as long as one element elsewhere."""


def check_channels(
    input: Ptr[TensorImpl], weight: Ptr[TensorImpl], bias: Ptr[TensorImpl], groups: i64, dims: i64, transposed: b8
) -> None:
    """Raise RuntimeError where the dimensions or channels of the operands do not go together."""
    if i64(weight.ndim) != dims + 2:
        raise RuntimeError("expected a weight of {0} dimensions, but got {1}", dims + 2, i64(weight.ndim))
    ndim = i64(input.ndim)
    if ndim != dims + 1 and ndim != dims + 2:
        raise RuntimeError(
            "Expected {0}D (unbatched) or {1}D (batched) input to a convolution over {2} dimensions, but got {3}D",
            dims + 1,
            dims + 2,
            dims,
            ndim,
        )
    if groups < 1:
        raise RuntimeError("non-positive groups is not supported: got {0}", groups)
    w = sizes_of(weight)
    channels = sizes_of(input)[ndim - dims - 1]
    made = w[0]
    if transposed:
        if w[0] < 1 or w[0] % groups != 0:
            raise RuntimeError(
                "Given groups={0}, expected weight to be divisible by {0} at dimension 0, but got size {1}",
                groups,
                w[0],
            )
        if channels != w[0]:
            raise RuntimeError(
                "Given groups={0} and a weight of size {1} at dimension 0, expected input to have {1} channels, but "
                "got "
                "{2} channels instead",
                groups,
                w[0],
                channels,
            )
        if w[1] > LARGEST_INPUT // groups:
            raise MemoryError("a tensor of this size does not fit into memory")
        made = w[1] * groups
    else:
        if w[0] < groups or w[0] % groups != 0:
            raise RuntimeError(
                "Given groups={0}, expected weight to be at least {0}, and divisible by it, at dimension 0, but got "
                "size "
                "{1}",
                groups,
                w[0],
            )
        if channels % groups != 0 or channels // groups != w[1]:
            raise RuntimeError(
                "Given groups={0} and a weight of size {1} at dimension 1, expected input to have {1} channels in each "
                "group, but got {2} channels in all",
                groups,
                w[1],
                channels,
            )
    if address(bias) != 0:
        if bias.ndim != 1:
            raise RuntimeError(
                "expected bias to be 1-dimensional with {0} elements, but got {1} dimensions", made, i64(bias.ndim)
            )
        if sizes_of(bias)[0] != made:
            raise RuntimeError(
                "expected bias to be 1-dimensional with {0} elements, but got {1}", made, sizes_of(bias)[0]
            )
    for i in range(dims):
        if sizes_of(input)[ndim - dims + i] == 0:
            raise RuntimeError(
                "a convolution needs elements to slide over, but dimension {0} has none", ndim - dims + i
            )
    check_size(input)
    check_size(weight)


def read_sizes(g: Ptr[i64], input: Ptr[TensorImpl], weight: Ptr[TensorImpl], dims: i64) -> None:
    """The sizes of the window and of what it slides over."""
    for i in range(3):
        g[IN + i] = 1
        g[WINDOW + i] = 1
    for i in range(dims):
        g[IN + 3 - dims + i] = sizes_of(input)[i64(input.ndim) - dims + i]
        size = sizes_of(weight)[2 + i]
        if size == 0:
            raise RuntimeError("kernel size should be greater than zero, but it is 0 in dimension {0}", i)
        g[WINDOW + 3 - dims + i] = size


def convolve(
    input: Ptr[TensorImpl],
    weight: Ptr[TensorImpl],
    bias: Ptr[TensorImpl],
    stride: Ptr[i64],
    strides: i64,
    padding: Ptr[i64],
    paddings: i64,
    dilation: Ptr[i64],
    dilations: i64,
    groups: i64,
    dims: i64,
    same: b8,
    fast: b8,
    epilogue: i64,
) -> Ptr[TensorImpl]:
    """`torch.conv2d` and the others.

    Args:
        dims: How many dimensions the window slides over, at most three.
        same: Whether there is as much padding as makes the result as large as the input.
        fast: Whether larger errors are allowed for speed: F(4 x 4, 3 x 3) in place of F(2 x 2, 3 x 3).
        epilogue: What to run over the result (`epilogues`).

    Raises RuntimeError where the operands do not go together, MemoryError where there is no memory.
    """
    if dims < 1 or dims > 3:
        raise RuntimeError("a convolution is over 1, 2 or 3 dimensions, not {0}", dims)
    g = stack(CELLS, i64)
    read_triple(g, stride, strides, dims, STRIDE, 1)
    read_triple(g, padding, paddings, dims, PAD, 0)
    read_triple(g, dilation, dilations, dims, DILATION, 1)
    check_channels(input, weight, bias, groups, dims, False)
    read_sizes(g, input, weight, dims)
    depth = window_cells(g) * sizes_of(weight)[1]
    if same:
        for i in range(3):
            if g[STRIDE + i] != 1:
                raise RuntimeError("padding='same' is not supported for strided convolutions")
            g[PAD + i] = (g[WINDOW + i] - 1) * g[DILATION + i] // 2
            g[OUT + i] = g[IN + i]
    elif not slide(g):
        for i in range(3):
            reach = (g[WINDOW + i] - 1) * g[DILATION + i] + 1
            room = g[IN + i] + 2 * g[PAD + i]
            if reach > room:
                raise RuntimeError(
                    "Kernel size can't be greater than actual input size: with its dilation the kernel takes {0} "
                    "elements of the {1} that padded dimension {2} has",
                    reach,
                    room,
                    i - 3 + dims,
                )
    ndim = i64(input.ndim)
    shape = stack(8, i64)
    copy_sizes(shape, sizes_of(input), ndim)
    shape[ndim - dims - 1] = sizes_of(weight)[0]
    for i in range(dims):
        shape[ndim - dims + i] = g[OUT + 3 - dims + i]
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
        task[IN_CHANNELS] = sizes_of(weight)[1]
        task[OUT_CHANNELS] = sizes_of(weight)[0] // groups
        task[DEPTH] = depth
        task[FAST] = i64(fast)
        task[EPILOGUE] = accepted(epilogue, out)
        ready = compute(T(0), task, g, itemsize_of(input.dtype), out.numel * (depth + FLOPS) // FLOPS)
    if not ready:
        release_all(source, kernel, out)
        raise MemoryError("there is no memory for the result or the columns of a convolution")
    release_all(source, kernel, pointer(0, TensorImpl))
    return out


BY_ROWS, DIRECTLY, BY_COLUMNS, DEPTHWISE = range(4)
"""Ways of adding up the products of a convolution."""


def lay_out_floats(element: T, task: Ptr[i64], g: Ptr[i64], itemsize: i64) -> i64:
    """Choose a way that adds up products of elements, and set what it needs."""
    if task[DEPTH] == 0:
        return BY_ROWS
    if lay_out_depthwise(task, g, itemsize):
        return DEPTHWISE
    if not is_plain(g) and lay_out_direct(task, g, itemsize):
        return DIRECTLY
    lay_out_products(task, g)
    return BY_COLUMNS


def compute_floats(element: T, task: Ptr[i64], g: Ptr[i64], itemsize: i64, work: i64) -> b8:
    """Compute a convolution of floats; whether there was memory for it."""
    way = lay_out_floats(element, task, g, itemsize)
    minimum = rooms(task)
    is_fast = way != BY_ROWS and lay_out_winograd(task, g, itemsize, element)
    if not reserve(task, itemsize, minimum):
        return False
    begin_work(work)
    if is_fast:
        if convolve_winograd(task, itemsize, element):
            finish_epilogue(task[EPILOGUE])
            give_back(task, itemsize)
            return True
        lay_out_floats(element, task, g, itemsize)
        # The number of threads may have changed, the room has not.
        task[PARTS] = most(least(task[PARTS], (task[TOTAL] - task[SHARED]) // most(task[ROOM], 1)), 1)
    if way == BY_ROWS:
        convolve_rows(task, element)
    elif way == DIRECTLY:
        convolve_directly(task, g, element)
        finish_epilogue(task[EPILOGUE])
    elif way == DEPTHWISE:
        convolve_depthwise(task, g, element)
        finish_epilogue(task[EPILOGUE])
    else:
        convolve_products(task, element)
        finish_epilogue(task[EPILOGUE])
    give_back(task, itemsize)
    return True


def compute_others(element: T, task: Ptr[i64], g: Ptr[i64], itemsize: i64, work: i64) -> b8:
    """The same of integers."""
    begin_work(work)
    convolve_rows(task, element)
    return True


compute = ByType(
    {
        dtypes.float32: compute_floats,
        dtypes.float64: compute_floats,
        **{d: compute_others for d in dtypes.DTYPES if d not in (dtypes.float32, dtypes.float64)},
    }
)
