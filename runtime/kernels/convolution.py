"""Tier 3: convolutions: products of the weights with the windows of the input. ``T`` is float32 or float64.

The windows of a block of positions are laid out as columns that the cache holds, and multiplied by BLAS at once. Where
a group makes few channels, as a filter of an image or of sound or a depthwise convolution does, rows of the input are
added up as they lie. Blocks are divided among threads; where they begin depends on sizes alone, so the result does not
depend on how many threads there are.
"""

from __future__ import annotations

from tscript.abi.layout import TENSOR_CONTIGUOUS
from tscript.dialect import (
    Ptr,
    T,
    TensorImpl,
    Void,
    address,
    b8,
    context,
    function,
    i32,
    i64,
    pointer,
    stack,
    symbol,
)
from tscript.runtime.kernels.columns import (
    CELLS,
    DILATION,
    IN,
    LARGEST_INPUT,
    LARGEST_STEP,
    MOST_ELEMENTS,
    OUT,
    PAD,
    STRIDE,
    WINDOW,
    check_size,
    first_inside,
    gather_columns,
    least,
    most,
    read_triple,
    scatter_columns,
    slide,
    window_cells,
)
from tscript.runtime.kernels.copy import pack
from tscript.runtime.kernels.gemm import (
    LARGEST_BLAS_SIZE,
    NO_TRANSPOSE,
    TRANSPOSE,
    gemm,
    has_blas,
    multiply_blas,
    multiply_own,
    multiply_part,
)
from tscript.runtime.kernels.memory import heap_free, heap_try_allocate
from tscript.runtime.kernels.parallel import parallel
from tscript.runtime.kernels.shapes import copy_sizes
from tscript.runtime.kernels.tensor import (
    begin_work,
    itemsize_of,
    sizes_of,
    strides_of,
    tensor_release,
    tensor_retain,
    tensor_try_alloc,
)

BLOCK = 1 << 18
"""Elements of the columns of a block, about."""

LEAST_COLUMNS = 64
"""Of a block."""

GRAIN = 1 << 20
"""Products that are worth another thread."""

FEW = 2
"""Output channels of a group for which rows are added up."""

STRIP = 2048
"""Elements of a row that are added up at once."""

FLOPS = 16
"""Products that take as long as one element elsewhere."""

TO, SOURCE, WEIGHT, BIAS, BIAS_STRIDE, GEOMETRY, SCRATCH, IN_CHANNELS, OUT_CHANNELS, GROUPS = range(10)
POSITIONS, DEPTH, COLUMNS, BLOCKS, UNITS, PARTS, ROOM, USES_BLAS, IS_PLAIN = range(10, 19)
TASK = 19
"""Cells of a task. Channels are those of a group, ``DEPTH`` is the number of products of an element, ``BLOCKS`` are of
a group of an element of the batch, ``ROOM`` is the number of elements of the scratch memory of a part."""


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
) -> Ptr[TensorImpl]:
    """`torch.conv2d` and the others.

    Args:
        dims: How many dimensions the window slides over, at most three.
        same: Whether there is as much padding as makes the result as large as the input.

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
        set_task(task, source, kernel, bias, g, groups)
        task[IN_CHANNELS] = sizes_of(weight)[1]
        task[OUT_CHANNELS] = sizes_of(weight)[0] // groups
        task[DEPTH] = depth
        task[POSITIONS] = g[OUT] * g[OUT + 1] * g[OUT + 2]
        adds = depth == 0 or task[OUT_CHANNELS] <= FEW
        if adds:
            task[PARTS] = 1
            task[ROOM] = 0
        else:
            lay_out_blocks(task, g, batch)
        ready = reserve(task, itemsize_of(input.dtype))
        if ready:
            begin_work(out.numel * (depth + FLOPS) // FLOPS)
            if adds:
                units = batch * sizes_of(weight)[0]
                of_one = task[POSITIONS] * (depth + 1)
                if units * of_one > 2 * GRAIN:
                    parallel(context(), function(add_rows), task, units, GRAIN // of_one + 1)
                else:
                    add_rows(task, 0, units)
            else:
                if task[PARTS] > 1:
                    parallel(context(), function(multiply_blocks), task, task[PARTS], 1)
                else:
                    multiply_blocks(task, 0, 1)
            give_back(task, itemsize_of(input.dtype))
    if not ready:
        release_all(source, kernel, out)
        raise MemoryError("there is no memory for the result or the columns of a convolution")
    release_all(source, kernel, pointer(0, TensorImpl))
    return out


def try_contiguous(t: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
    """A reference to the tensor itself, or to a contiguous copy; null where there is no memory."""
    if t.flags & TENSOR_CONTIGUOUS != 0:
        tensor_retain(t)
        return t
    made = tensor_try_alloc(t.dtype, i64(t.ndim), sizes_of(t), t.numel)
    if address(made) != 0:
        pack(made.data, t)
    return made


def try_alloc_checked(like: Ptr[TensorImpl], ndim: i64, sizes: Ptr[i64]) -> Ptr[TensorImpl]:
    """A new tensor; null where it is too large."""
    numel = 1
    for i in range(ndim):
        n = sizes[i]
        if n != 0 and numel > MOST_ELEMENTS // n:
            return pointer(0, TensorImpl)
        numel = numel * n
    return tensor_try_alloc(like.dtype, ndim, sizes, numel)


def release_all(a: Ptr[TensorImpl], b: Ptr[TensorImpl], c: Ptr[TensorImpl]) -> None:
    """Drop references, of which some may be null."""
    tensor_release(a)
    tensor_release(b)
    tensor_release(c)


def set_task(
    task: Ptr[i64],
    source: Ptr[TensorImpl],
    kernel: Ptr[TensorImpl],
    bias: Ptr[TensorImpl],
    g: Ptr[i64],
    groups: i64,
) -> None:
    """The cells that all convolutions have."""
    task[SOURCE] = address(source.data)
    task[WEIGHT] = address(kernel.data)
    task[BIAS] = 0
    task[BIAS_STRIDE] = 0
    if address(bias) != 0:
        task[BIAS] = address(bias.data)
        task[BIAS_STRIDE] = strides_of(bias)[0]
    task[GEOMETRY] = address(g)
    task[GROUPS] = groups
    task[SCRATCH] = 0


def reserve(task: Ptr[i64], itemsize: i64) -> b8:
    """Make room for the columns of all parts; whether there is."""
    if task[ROOM] == 0:
        return True
    if task[ROOM] > MOST_ELEMENTS // task[PARTS]:
        return False
    task[SCRATCH] = address(heap_try_allocate(task[PARTS] * task[ROOM] * itemsize))
    return task[SCRATCH] != 0


def give_back(task: Ptr[i64], itemsize: i64) -> None:
    """Free what `reserve` has reserved."""
    if task[SCRATCH] != 0:
        heap_free(pointer(task[SCRATCH], Void), task[PARTS] * task[ROOM] * itemsize)


def bias_of(task: Ptr[i64], channel: i64, _element: T) -> T:
    """What is added to all elements of an output channel."""
    if task[BIAS] == 0:
        return T(0)
    return pointer(task[BIAS], T)[channel * task[BIAS_STRIDE]]


# ---- products with blocks of columns


def lay_out_blocks(task: Ptr[i64], g: Ptr[i64], batch: i64) -> None:
    """Decide how many positions a block has, and how many parts of blocks there are."""
    plain = True
    for i in range(3):
        plain = plain and g[WINDOW + i] == 1 and g[STRIDE + i] == 1 and g[PAD + i] == 0
    positions = task[POSITIONS]
    columns = (BLOCK // task[DEPTH]) & -16
    if columns < LEAST_COLUMNS:
        columns = LEAST_COLUMNS
    if columns > positions:
        columns = positions
    # Blocks of about one size.
    blocks = (positions + columns - 1) // columns
    columns = least(((positions + blocks - 1) // blocks + 15) & -16, positions)
    blocks = (positions + columns - 1) // columns
    task[COLUMNS] = columns
    task[BLOCKS] = blocks
    task[UNITS] = batch * task[GROUPS] * blocks
    task[IS_PLAIN] = i64(plain)
    task[ROOM] = task[DEPTH] * columns
    if plain:
        task[ROOM] = 0
    task[PARTS] = parts_of(task[UNITS], task[OUT_CHANNELS] * task[DEPTH] * columns)
    task[USES_BLAS] = i64(has_blas() and (task[OUT_CHANNELS] | task[DEPTH] | positions) <= LARGEST_BLAS_SIZE)


def parts_of(units: i64, products: i64) -> i64:
    """How many threads `units` are divided among, each of which has so many products."""
    if units * (products // 1024) < 2 * GRAIN // 1024:
        return 1
    return most(least(symbol("ts_parallel_threads_v1", i64)[0], units), 1)


def multiply_blocks(task: Ptr[i64], begin: i64, end: i64) -> None:
    """Some parts of the blocks, with the scratch memory of the first one."""
    scratch = pointer(task[SCRATCH], T) + begin * task[ROOM]
    units = task[UNITS]
    parts = task[PARTS]
    for unit in range(units * begin // parts, units * end // parts):
        multiply_block(pointer(task[TO], T), scratch, task, unit)


def multiply_block(out: Ptr[T], scratch: Ptr[T], task: Ptr[i64], unit: i64) -> None:
    """The products of the weights of a group with a block of columns."""
    blocks = task[BLOCKS]
    positions = task[POSITIONS]
    made = task[OUT_CHANNELS]
    depth = task[DEPTH]
    g = pointer(task[GEOMETRY], i64)
    of_group = unit // blocks
    first = (unit - of_group * blocks) * task[COLUMNS]
    n = least(task[COLUMNS], positions - first)
    group = of_group % task[GROUPS]
    to = out + (of_group * made * positions + first)
    left = pointer(task[WEIGHT], T) + group * made * depth
    plane = g[IN] * g[IN + 1] * g[IN + 2]
    right = pointer(task[SOURCE], T) + of_group * task[IN_CHANNELS] * plane
    ld = positions
    if task[IS_PLAIN] != 0:
        right = right + first
    else:
        gather_columns(scratch, n, right, g, task[IN_CHANNELS], first, first + n)
        right = scratch
        ld = n
    if task[USES_BLAS] == 0:
        multiply_own(to, left, depth, 1, right, ld, made, n, depth, positions)
    elif blocks == 1 and ld == n:
        multiply_blas(to, left, depth, 1, right, ld, 1, made, n, depth)
    else:
        multiply_part(to, left, depth, 1, right, ld, 1, made, n, depth, positions)
    if task[BIAS] != 0:
        for m in range(made):
            value = bias_of(task, group * made + m, T(0))
            row = to + m * positions
            for i in range(n):
                row[i] = row[i] + value


# ---- rows added up


def add_row(to: Ptr[T], source: Ptr[T], step: i64, weight: T, n: i64) -> None:
    """`n` elements of a row times a weight, added to others."""
    if step == 1:
        for i in range(n):
            to[i] = to[i] + source[i] * weight
    elif step == 2:
        for i in range(n):
            to[i] = to[i] + source[2 * i] * weight
    else:
        for i in range(n):
            to[i] = to[i] + source[i * step] * weight


def add_rows(task: Ptr[i64], begin: i64, end: i64) -> None:
    """Some output channels, as sums of rows."""
    out = pointer(task[TO], T)
    positions = task[POSITIONS]
    made = task[OUT_CHANNELS] * task[GROUPS]
    for unit in range(begin, end):
        batch = unit // made
        channel = unit - batch * made
        add_channel(out + unit * positions, task, batch, channel)


def add_channel(out: Ptr[T], task: Ptr[i64], batch: i64, channel: i64) -> None:
    """An output channel of an element of the batch."""
    g = pointer(task[GEOMETRY], i64)
    plane = g[IN] * g[IN + 1] * g[IN + 2]
    out_w = g[OUT + 2]
    channels = task[IN_CHANNELS]
    group = channel // task[OUT_CHANNELS]
    source = pointer(task[SOURCE], T) + (batch * task[GROUPS] + group) * channels * plane
    weights = pointer(task[WEIGHT], T) + channel * task[DEPTH]
    start = bias_of(task, channel, T(0))
    for oz in range(g[OUT]):
        for oy in range(g[OUT + 1]):
            row = out + (oz * g[OUT + 1] + oy) * out_w
            at = 0
            while at < out_w:
                n = least(STRIP, out_w - at)
                for i in range(n):
                    row[at + i] = start
                for c in range(channels):
                    add_windows(row + at, source + c * plane, weights + c * (task[DEPTH] // channels), g, oz, oy, at, n)
                at = at + n


def add_windows(to: Ptr[T], plane: Ptr[T], weights: Ptr[T], g: Ptr[i64], oz: i64, oy: i64, first: i64, n: i64) -> None:
    """One channel's part of `n` elements of a row of the result, from `first` on."""
    step = g[STRIDE + 2]
    weight = weights
    for kz in range(g[WINDOW]):
        z = oz * g[STRIDE] - g[PAD] + kz * g[DILATION]
        for ky in range(g[WINDOW + 1]):
            y = oy * g[STRIDE + 1] - g[PAD + 1] + ky * g[DILATION + 1]
            if z >= 0 and z < g[IN] and y >= 0 and y < g[IN + 1]:
                line = plane + (z * g[IN + 1] + y) * g[IN + 2]
                for kx in range(g[WINDOW + 2]):
                    shift = first * step + kx * g[DILATION + 2] - g[PAD + 2]
                    low = least(first_inside(shift, step), n)
                    high = low
                    if shift + low * step < g[IN + 2]:
                        high = least(n, (g[IN + 2] - 1 - shift) // step + 1)
                    add_row(to + low, line + (shift + low * step), step, weight[kx], high - low)
            weight = weight + g[WINDOW + 2]


# ---- transposed


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
        set_task(task, source, kernel, bias, g, groups)
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
        task[USES_BLAS] = i64(has_blas() and (made * cells | depth | positions) <= LARGEST_BLAS_SIZE)
        ready = reserve(task, itemsize_of(input.dtype))
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
    scratch = pointer(task[SCRATCH], T) + begin * task[ROOM]
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
