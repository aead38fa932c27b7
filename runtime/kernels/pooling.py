"""Tier 3: the greatest element or the mean of each window. ``T`` is float32 or float64, or an int type where
windows slide.

Channels are divided among threads. See `columns` for the geometry of windows. NaN is greater than everything.
"""

from __future__ import annotations

from tscript.abi.layout import TENSOR_CONTIGUOUS
from tscript.dialect import (
    ByType,
    Ptr,
    T,
    TensorImpl,
    address,
    b8,
    context,
    function,
    i8,
    i16,
    i32,
    i64,
    pointer,
    quot,
    select,
    stack,
)
from tscript.runtime.kernels import codes
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
    first_inside,
    least,
    most,
    read_triple,
    window_cells,
)
from tscript.runtime.kernels.copy import pack
from tscript.runtime.kernels.parallel import parallel
from tscript.runtime.kernels.shapes import copy_sizes
from tscript.runtime.kernels.tensor import (
    begin_work,
    sizes_of,
    tensor_alloc,
    tensor_release,
    tensor_retain,
    tensor_try_alloc,
)
from tscript.types import dtypes

LONGEST = 1024
"""Elements of a line that a copy on the stack has room for."""
GRAIN = 1 << 15
"""Elements that are worth another thread."""

TO, SOURCE, GEOMETRY, ADAPTS, AVERAGES, INCLUDES, DIVISOR = range(7)
TASK = 7
"""Cells of a task."""


def lowest_float(like: T) -> T:
    """Minus infinity."""
    return T(-1.0e308) * T(1.0e308)


def lowest_i8(like: i8) -> i8:
    """The least one of 8 bits; those below of 16, 32 and 64."""
    return i8(-128)


def lowest_i16(like: i16) -> i16:
    return i16(-32768)


def lowest_i32(like: i32) -> i32:
    return i32(-2147483648)


def lowest_i64(like: i64) -> i64:
    return i64(1) << 63


def lowest_unsigned(like: T) -> T:
    """Zero."""
    return T(0)


def divided(x: T, n: T) -> T:
    """A mean of floats."""
    return x / n


FLOATS = (dtypes.float32, dtypes.float64)
INTEGERS = tuple(d for d in dtypes.DTYPES if d.is_integer)

lowest = ByType(
    {
        **dict.fromkeys(FLOATS, lowest_float),
        **dict.fromkeys(INTEGERS, lowest_unsigned),
        dtypes.int8: lowest_i8,
        dtypes.int16: lowest_i16,
        dtypes.int32: lowest_i32,
        dtypes.int64: lowest_i64,
    }
)
"""The least number of a type."""
mean_from = ByType({**dict.fromkeys(FLOATS, divided), **dict.fromkeys(INTEGERS, quot)})
"""A mean; one of ints is cut to an int."""


def check_pooled(self: Ptr[TensorImpl], dims: i64) -> None:
    """Raise RuntimeError for another number of dimensions, or sizes of 0 behind the batch."""
    ndim = i64(self.ndim)
    if dims < 1 or dims > 3:
        raise RuntimeError("windows have 1, 2 or 3 dimensions, not {0}", dims)
    if ndim != dims + 1 and ndim != dims + 2:
        raise RuntimeError("Expected {0}D or {1}D (batched) input, but got {2}D", dims + 1, dims + 2, ndim)
    for i in range(dims + 1):
        if sizes_of(self)[ndim - 1 - i] == 0:
            raise RuntimeError("only the batch may have size 0, but dimension {0} has", ndim - 1 - i)
    check_size(self)


def read_window(
    g: Ptr[i64],
    self: Ptr[TensorImpl],
    window: Ptr[i64],
    windows: i64,
    stride: Ptr[i64],
    strides: i64,
    padding: Ptr[i64],
    paddings: i64,
    dilation: Ptr[i64],
    dilations: i64,
    ceil_mode: b8,
    dims: i64,
) -> None:
    """The geometry of windows that slide; the stride is the size of the window if it is left out."""
    check_pooled(self, dims)
    read_triple(g, window, windows, dims, WINDOW, 1)
    if strides < 1:
        read_triple(g, window, windows, dims, STRIDE, 1)
    else:
        read_triple(g, stride, strides, dims, STRIDE, 1)
    read_triple(g, padding, paddings, dims, PAD, 0)
    read_triple(g, dilation, dilations, dims, DILATION, 1)
    window_cells(g)
    for i in range(3):
        g[IN + i] = 1
        g[OUT + i] = 1
    for d in range(dims):
        i = 3 - dims + d
        reach = (g[WINDOW + i] - 1) * g[DILATION + i] + 1
        if g[PAD + i] > reach // 2:
            raise RuntimeError(
                "pad should be at most half of effective kernel size, but got pad={0}, kernel_size={1} and "
                "dilation={2}",
                g[PAD + i],
                g[WINDOW + i],
                g[DILATION + i],
            )
        size = sizes_of(self)[i64(self.ndim) - dims + d]
        g[IN + i] = size
        room = size + 2 * g[PAD + i] - reach
        if ceil_mode:
            room = room + g[STRIDE + i] - 1
        found = 0
        if room >= 0:
            found = room // g[STRIDE + i] + 1
            if ceil_mode and (found - 1) * g[STRIDE + i] >= size + g[PAD + i]:
                found = found - 1
        if found < 1:
            raise RuntimeError(
                "Given an input of size {0} in dimension {1} and a kernel that takes {2} elements, the calculated "
                "output "
                "size is {3}: Output size is too small",
                size,
                d,
                reach,
                found,
            )
        g[OUT + i] = found


def read_adaptive(g: Ptr[i64], self: Ptr[TensorImpl], size: Ptr[i64], n: i64, dims: i64) -> None:
    """The geometry of as many windows as the result has elements."""
    check_pooled(self, dims)
    if n != 1 and n != dims:
        raise RuntimeError("expected the output size to be one number or {0} numbers, but got {1}", dims, n)
    for i in range(3):
        g[IN + i] = 1
        g[OUT + i] = 1
        g[DILATION + i] = 1
    for d in range(dims):
        wanted = size[0]
        if n > 1:
            wanted = size[d]
        if wanted < 0:
            raise RuntimeError("elements of output_size must be greater than or equal to 0, but got {0}", wanted)
        if wanted > LARGEST_INPUT:
            raise MemoryError("a tensor of this size does not fit into memory")
        g[OUT + 3 - dims + d] = wanted
        g[IN + 3 - dims + d] = sizes_of(self)[i64(self.ndim) - dims + d]


def pooled_tensor(self: Ptr[TensorImpl], g: Ptr[i64], dims: i64, code: i32) -> Ptr[TensorImpl]:
    """A new tensor for the results."""
    ndim = i64(self.ndim)
    shape = stack(8, i64)
    copy_sizes(shape, sizes_of(self), ndim)
    for d in range(dims):
        shape[ndim - dims + d] = g[OUT + 3 - dims + d]
    return tensor_alloc(code, ndim, shape)


def packed_input(self: Ptr[TensorImpl], out: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
    """A reference to the tensor itself, or a contiguous copy. Raises MemoryError, and gives `out` back before."""
    if self.flags & TENSOR_CONTIGUOUS != 0:
        tensor_retain(self)
        return self
    made = tensor_try_alloc(self.dtype, i64(self.ndim), sizes_of(self), self.numel)
    if address(made) == 0:
        tensor_release(out)
        raise MemoryError("there is no memory for a contiguous copy of the input")
    pack(made.data, self)
    return made


def work_of(g: Ptr[i64]) -> i64:
    """How many elements a channel of the result is made of, about."""
    return g[OUT] * g[OUT + 1] * g[OUT + 2] + g[IN] * g[IN + 1] * g[IN + 2]


# ---- values of windows that slide: rows are gone over place by place


def greater_row(to: Ptr[T], source: Ptr[T], step: i64, n: i64) -> None:
    """The greater one of each two elements. Every element is written, so that vectors are."""
    if step == 1:
        for i in range(n):
            x = source[i]
            best = to[i]
            to[i] = select((x > best) | (x != x), x, best)
    elif step == 2:
        for i in range(n):
            x = source[2 * i]
            best = to[i]
            to[i] = select((x > best) | (x != x), x, best)
    else:
        for i in range(n):
            x = source[i * step]
            best = to[i]
            to[i] = select((x > best) | (x != x), x, best)


def sum_row(to: Ptr[T], source: Ptr[T], step: i64, n: i64) -> None:
    """The sum of each two elements."""
    if step == 1:
        for i in range(n):
            to[i] = to[i] + source[i]
    else:
        for i in range(n):
            to[i] = to[i] + source[i * step]


def inside(g: Ptr[i64], axis: i64, at: i64, includes: b8) -> i64:
    """How many elements of a window count, along a dimension."""
    begin = at * g[STRIDE + axis] - g[PAD + axis]
    end = least(begin + g[WINDOW + axis], g[IN + axis] + g[PAD + axis])
    if includes:
        return end - begin
    return least(end, g[IN + axis]) - most(begin, 0)


def pool_channels(task: Ptr[i64], begin: i64, end: i64) -> None:
    """Some channels of the result."""
    g = pointer(task[GEOMETRY], i64)
    size = g[OUT] * g[OUT + 1] * g[OUT + 2]
    plane = g[IN] * g[IN + 1] * g[IN + 2]
    for channel in range(begin, end):
        pool_channel(pointer(task[TO], T) + channel * size, pointer(task[SOURCE], T) + channel * plane, task, g)


def greatest_channel(out: Ptr[T], plane: Ptr[T], g: Ptr[i64]) -> None:
    """The greatest elements of one channel, whose lines have `LONGEST` elements at most: the greatest of the lines of a
    window, place by place, then those of its places."""
    n = g[OUT + 2]
    width = g[IN + 2]
    step = g[STRIDE + 2]
    whole = stack(LONGEST, T)
    for oz in range(g[OUT]):
        for oy in range(g[OUT + 1]):
            row = out + (oz * g[OUT + 1] + oy) * n
            lines = 0
            for kz in range(g[WINDOW]):
                z = oz * g[STRIDE] - g[PAD] + kz * g[DILATION]
                for ky in range(g[WINDOW + 1]):
                    y = oy * g[STRIDE + 1] - g[PAD + 1] + ky * g[DILATION + 1]
                    if z >= 0 and z < g[IN] and y >= 0 and y < g[IN + 1]:
                        line = plane + (z * g[IN + 1] + y) * width
                        if lines == 0:
                            for i in range(width):
                                whole[i] = line[i]
                        else:
                            greater_row(whole, line, 1, width)
                        lines = lines + 1
            for i in range(n):
                row[i] = lowest(T(0))
            if lines > 0:
                for kx in range(g[WINDOW + 2]):
                    shift = kx * g[DILATION + 2] - g[PAD + 2]
                    low = least(first_inside(shift, step), n)
                    high = low
                    if shift + low * step < width:
                        high = least(n, (width - 1 - shift) // step + 1)
                    greater_row(row + low, whole + (shift + low * step), step, high - low)


def pool_channel(out: Ptr[T], plane: Ptr[T], task: Ptr[i64], g: Ptr[i64]) -> None:
    """One channel of the result."""
    averages = task[AVERAGES] != 0
    if not averages and g[IN + 2] <= LONGEST:
        greatest_channel(out, plane, g)
        return
    includes = task[INCLUDES] != 0
    n = g[OUT + 2]
    step = g[STRIDE + 2]
    start = lowest(T(0))
    if averages:
        start = T(0)
    for oz in range(g[OUT]):
        for oy in range(g[OUT + 1]):
            row = out + (oz * g[OUT + 1] + oy) * n
            for i in range(n):
                row[i] = start
            for kz in range(g[WINDOW]):
                z = oz * g[STRIDE] - g[PAD] + kz * g[DILATION]
                for ky in range(g[WINDOW + 1]):
                    y = oy * g[STRIDE + 1] - g[PAD + 1] + ky * g[DILATION + 1]
                    if z >= 0 and z < g[IN] and y >= 0 and y < g[IN + 1]:
                        line = plane + (z * g[IN + 1] + y) * g[IN + 2]
                        for kx in range(g[WINDOW + 2]):
                            shift = kx * g[DILATION + 2] - g[PAD + 2]
                            low = least(first_inside(shift, step), n)
                            high = low
                            if shift + low * step < g[IN + 2]:
                                high = least(n, (g[IN + 2] - 1 - shift) // step + 1)
                            if averages:
                                sum_row(row + low, line + (shift + low * step), step, high - low)
                            else:
                                greater_row(row + low, line + (shift + low * step), step, high - low)
            if averages:
                count = inside(g, 0, oz, includes) * inside(g, 1, oy, includes)
                for i in range(n):
                    divisor = task[DIVISOR]
                    if divisor == 0:
                        divisor = count * inside(g, 2, i, includes)
                    row[i] = mean_from(row[i], T(divisor))


def pool(
    self: Ptr[TensorImpl],
    window: Ptr[i64],
    windows: i64,
    stride: Ptr[i64],
    strides: i64,
    padding: Ptr[i64],
    paddings: i64,
    dilation: Ptr[i64],
    dilations: i64,
    ceil_mode: b8,
    includes: b8,
    divisor: i64,
    dims: i64,
    averages: b8,
) -> Ptr[TensorImpl]:
    """`torch.max_pool2d`, `torch.nn.functional.avg_pool2d` and the others.

    Args:
        includes: Whether padding counts as elements, for a mean.
        divisor: By what sums are divided, or 0 for how many elements there are.
        dims: How many dimensions a window has.
        averages: Whether it is the mean.

    Raises RuntimeError where the arguments do not go together.
    """
    g = stack(CELLS, i64)
    read_window(g, self, window, windows, stride, strides, padding, paddings, dilation, dilations, ceil_mode, dims)
    out = pooled_tensor(self, g, dims, self.dtype)
    if out.numel == 0:
        return out
    source = packed_input(self, out)
    size = g[OUT] * g[OUT + 1] * g[OUT + 2]
    channels = out.numel // size
    task = stack(TASK, i64)
    task[TO] = address(out.data)
    task[SOURCE] = address(source.data)
    task[GEOMETRY] = address(g)
    task[AVERAGES] = i64(averages)
    task[INCLUDES] = i64(includes)
    task[DIVISOR] = divisor
    of_one = size * g[WINDOW] * g[WINDOW + 1] * g[WINDOW + 2]
    begin_work(channels * of_one)
    if channels * of_one > 2 * GRAIN:
        parallel(context(), function(pool_channels), task, channels, GRAIN // of_one + 1)
    else:
        pool_channels(task, 0, channels)
    tensor_release(source)
    return out


# ---- windows one by one: those of adaptive pooling, and positions of the greatest elements


def begin_of(g: Ptr[i64], axis: i64, at: i64, adapts: b8) -> i64:
    """Where a window begins."""
    if adapts:
        return at * g[IN + axis] // g[OUT + axis]
    return first_step(at * g[STRIDE + axis] - g[PAD + axis], g[DILATION + axis])


def first_step(at: i64, step: i64) -> i64:
    """The first place of a window that is inside."""
    return at + first_inside(at, step) * step


def end_of(g: Ptr[i64], axis: i64, at: i64, adapts: b8) -> i64:
    """Where it ends."""
    if adapts:
        return ((at + 1) * g[IN + axis] + g[OUT + axis] - 1) // g[OUT + axis]
    begin = at * g[STRIDE + axis] - g[PAD + axis]
    return least(begin + (g[WINDOW + axis] - 1) * g[DILATION + axis] + 1, g[IN + axis])


def position_of(plane: Ptr[T], task: Ptr[i64], g: Ptr[i64], oz: i64, oy: i64, ox: i64) -> i64:
    """Where the greatest element of a window is, counted in its channel."""
    adapts = task[ADAPTS] != 0
    ends = end_of(g, 2, ox, adapts)
    begin = begin_of(g, 2, ox, adapts)
    y0 = begin_of(g, 1, oy, adapts)
    z = begin_of(g, 0, oz, adapts)
    found = (z * g[IN + 1] + y0) * g[IN + 2] + begin
    greatest = lowest(T(0))
    while z < end_of(g, 0, oz, adapts):
        y = y0
        while y < end_of(g, 1, oy, adapts):
            line = (z * g[IN + 1] + y) * g[IN + 2]
            x = begin
            while x < ends:
                value = plane[line + x]
                if value > greatest or value != value:
                    greatest = value
                    found = line + x
                x = x + g[DILATION + 2]
            y = y + g[DILATION + 1]
        z = z + g[DILATION]
    return found


def mean_of(plane: Ptr[T], g: Ptr[i64], oz: i64, oy: i64, ox: i64) -> T:
    """The mean of a window of adaptive pooling."""
    z0 = begin_of(g, 0, oz, True)
    z1 = end_of(g, 0, oz, True)
    y0 = begin_of(g, 1, oy, True)
    y1 = end_of(g, 1, oy, True)
    x0 = begin_of(g, 2, ox, True)
    x1 = end_of(g, 2, ox, True)
    total = T(0)
    for z in range(z0, z1):
        for y in range(y0, y1):
            line = plane + (z * g[IN + 1] + y) * g[IN + 2]
            part = T(0)
            for x in range(x0, x1):
                part = part + line[x]
            total = total + part
    return total / T((z1 - z0) * (y1 - y0) * (x1 - x0))


def mean_channels(task: Ptr[i64], begin: i64, end: i64) -> None:
    """Some channels of an adaptive mean."""
    g = pointer(task[GEOMETRY], i64)
    plane = g[IN] * g[IN + 1] * g[IN + 2]
    size = g[OUT] * g[OUT + 1] * g[OUT + 2]
    for channel in range(begin, end):
        to = pointer(task[TO], T) + channel * size
        for oz in range(g[OUT]):
            for oy in range(g[OUT + 1]):
                for ox in range(g[OUT + 2]):
                    to[(oz * g[OUT + 1] + oy) * g[OUT + 2] + ox] = mean_of(
                        pointer(task[SOURCE], T) + channel * plane, g, oz, oy, ox
                    )


def position_channels(task: Ptr[i64], begin: i64, end: i64) -> None:
    """Positions of the greatest elements in some channels."""
    g = pointer(task[GEOMETRY], i64)
    plane = g[IN] * g[IN + 1] * g[IN + 2]
    size = g[OUT] * g[OUT + 1] * g[OUT + 2]
    for channel in range(begin, end):
        to = pointer(task[TO], i64) + channel * size
        for oz in range(g[OUT]):
            for oy in range(g[OUT + 1]):
                for ox in range(g[OUT + 2]):
                    to[(oz * g[OUT + 1] + oy) * g[OUT + 2] + ox] = position_of(
                        pointer(task[SOURCE], T) + channel * plane, task, g, oz, oy, ox
                    )


def set_windows(task: Ptr[i64], out: Ptr[TensorImpl], source: Ptr[TensorImpl], g: Ptr[i64], adapts: b8) -> None:
    """The cells of a task that goes over windows one by one."""
    task[TO] = address(out.data)
    task[SOURCE] = address(source.data)
    task[GEOMETRY] = address(g)
    task[ADAPTS] = i64(adapts)


def find_positions(self: Ptr[TensorImpl], g: Ptr[i64], dims: i64, adapts: b8, _element: T) -> Ptr[TensorImpl]:
    """Positions of the greatest elements of windows of a geometry."""
    out = pooled_tensor(self, g, dims, i32(codes.INT64))
    if out.numel == 0:
        return out
    source = packed_input(self, out)
    channels = out.numel // (g[OUT] * g[OUT + 1] * g[OUT + 2])
    task = stack(TASK, i64)
    set_windows(task, out, source, g, adapts)
    begin_work(channels * work_of(g))
    if channels * work_of(g) > 2 * GRAIN:
        parallel(context(), function(position_channels), task, channels, GRAIN // work_of(g) + 1)
    else:
        position_channels(task, 0, channels)
    tensor_release(source)
    return out


def pool_positions(
    self: Ptr[TensorImpl],
    window: Ptr[i64],
    windows: i64,
    stride: Ptr[i64],
    strides: i64,
    padding: Ptr[i64],
    paddings: i64,
    dilation: Ptr[i64],
    dilations: i64,
    ceil_mode: b8,
    dims: i64,
) -> Ptr[TensorImpl]:
    """The second result of `torch.max_pool2d_with_indices`. Errors are those of `pool`."""
    g = stack(CELLS, i64)
    read_window(g, self, window, windows, stride, strides, padding, paddings, dilation, dilations, ceil_mode, dims)
    return find_positions(self, g, dims, False, T(0))


def adaptive_positions(self: Ptr[TensorImpl], size: Ptr[i64], n: i64, dims: i64) -> Ptr[TensorImpl]:
    """The second result of `torch.adaptive_max_pool2d`. Errors are those of `adaptive_mean`."""
    g = stack(CELLS, i64)
    read_adaptive(g, self, size, n, dims)
    return find_positions(self, g, dims, True, T(0))


def adaptive_mean(self: Ptr[TensorImpl], size: Ptr[i64], n: i64, dims: i64) -> Ptr[TensorImpl]:
    """`torch.adaptive_avg_pool2d` and the others.

    Raises RuntimeError where the arguments do not go together.
    """
    return means(self, size, n, dims, T(0))


def means(self: Ptr[TensorImpl], size: Ptr[i64], n: i64, dims: i64, _element: T) -> Ptr[TensorImpl]:
    """The same. The last argument only binds ``T``."""
    g = stack(CELLS, i64)
    read_adaptive(g, self, size, n, dims)
    out = pooled_tensor(self, g, dims, self.dtype)
    if out.numel == 0:
        return out
    source = packed_input(self, out)
    channels = out.numel // (g[OUT] * g[OUT + 1] * g[OUT + 2])
    task = stack(TASK, i64)
    set_windows(task, out, source, g, True)
    begin_work(channels * work_of(g))
    if channels * work_of(g) > 2 * GRAIN:
        parallel(context(), function(mean_channels), task, channels, GRAIN // work_of(g) + 1)
    else:
        mean_channels(task, 0, channels)
    tensor_release(source)
    return out
