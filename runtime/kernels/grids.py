"""Tier 3: elements of a tensor at positions that a grid says. ``T`` is float32 or float64.

Positions are taken in strips, in loops without branches. Along each dimension a position means at most four elements
and their weights. The weight of an element that is outside is NaN, which no other weight is, and it counts as 0; the
next element inside is named instead. Strips are divided among threads.
"""

from __future__ import annotations

from tscript.dialect import (
    ByType,
    Ptr,
    T,
    TensorImpl,
    address,
    b8,
    bitcast,
    context,
    f32,
    f64,
    fabs,
    floor,
    function,
    i32,
    i64,
    pointer,
    rint,
    select,
    stack,
)
from tscript.dialect import vector_math as vm
from tscript.runtime.kernels.columns import check_size
from tscript.runtime.kernels.convolution_task import release_all, try_alloc_checked, try_contiguous
from tscript.runtime.kernels.parallel import parallel
from tscript.runtime.kernels.tensor import begin_work, sizes_of
from tscript.types import dtypes

BILINEAR = 0
NEAREST = 1
BICUBIC = 2
ZEROS = 0
BORDER = 1
REFLECTION = 2

GRAIN = 1 << 12
STRIP = 64
"""Positions whose elements and weights are found together."""
DIMENSION = 4 * STRIP
"""Room for what a strip means along a dimension."""
TAPS = 16
SMALL = 1 << 21
"""Sizes whose indices are found by adding a number to a float."""
NOWHERE = float("nan")
"""The weight of elements outside."""
LARGEST_SHORT = 2147483647
"""Places up to here are found in 32 bits."""
TO, SOURCE, GRID, CHANNELS, POSITIONS, DIMS, SIZES, MODE, PADDING, CORNERS = range(10)
TASK = 10


def place(x: Ptr[T], n: i64, size: i64, padding: i64, corners: b8) -> None:
    """Bring positions in elements inside as the padding says; far outside where they are none."""
    if padding == REFLECTION:
        low = T(-0.5)
        span = T(size)
        if corners:
            low = T(0)
            span = T(size - 1)
        if span > T(0):
            for p in range(n):
                away = fabs(x[p] - low)
                turns = floor(away / span)
                rest = away - turns * span
                is_even = turns - T(2) * floor(turns / T(2)) == T(0)
                x[p] = select(is_even, rest, span - rest) + low
        else:
            for p in range(n):
                x[p] = T(0)
    if padding != ZEROS:
        last = T(size - 1)
        for p in range(n):
            found = select(x[p] < T(0), T(0), x[p])
            x[p] = select(found > last, last, found)
    beyond = T(size) + T(4)
    for p in range(n):
        found = select(x[p] > T(-4), x[p], T(-100))
        x[p] = select(found < beyond, found, T(-100))


def keep_finite(x: Ptr[T], n: i64) -> None:
    """Put positions far outside that no index can hold."""
    for p in range(n):
        x[p] = select(fabs(x[p]) < T(1.0e9), x[p], T(-100))


def integer_f32(x: f32) -> i32:
    """A small whole number as an integer; vectors have no other conversion on every processor."""
    return bitcast(x + vm.SHIFT32, i32) - vm.SHIFT32_BITS


def integer_f64(x: f64) -> i32:
    """The same of float64."""
    return i32(bitcast(x + vm.SHIFT64, i64) - vm.SHIFT64_BITS)


integer = ByType({dtypes.float32: integer_f32, dtypes.float64: integer_f64})


def store_integers(at: Ptr[i32], x: Ptr[T], n: i64, size: i64) -> None:
    """Whole numbers as integers."""
    if size <= SMALL:
        for p in range(n):
            at[p] = integer(x[p])
    else:
        for p in range(n):
            at[p] = i32(x[p])


def cubic_weight(x: T) -> T:
    """The weight of an element at a distance of less than 2."""
    a = T(-0.75)
    d = fabs(x)
    near = ((a + T(2)) * d - (a + T(3))) * d * d + T(1)
    far = ((a * d - T(5) * a) * d + T(8) * a) * d - T(4) * a
    return select(d <= T(1), near, far)


def read_positions(x: Ptr[T], grid: Ptr[T], step: i64, n: i64, size: i64, corners: b8) -> None:
    """Numbers of the grid, from -1 to 1, as positions in elements."""
    if step == 2:  # a step that is known makes vectors
        for p in range(n):
            x[p] = grid[p * 2]
    else:
        for p in range(n):
            x[p] = grid[p * step]
    scale = T(size)
    shift = T(1)
    if corners:
        scale = T(size - 1)
        shift = T(0)
    for p in range(n):
        x[p] = ((x[p] + T(1)) * scale - shift) / T(2)


def keep_inside(at: Ptr[i32], weights: Ptr[T], n: i64, size: i64) -> None:
    """Mark elements that are outside, and name the next one inside instead."""
    last = i32(size - 1)
    for p in range(n):
        low = select(at[p] < i32(0), i32(0), at[p])
        found = select(low > last, last, low)
        weights[p] = select(found == at[p], weights[p], T(NOWHERE))
        at[p] = found


def fill_taps(
    at: Ptr[i32], weights: Ptr[T], grid: Ptr[T], step: i64, n: i64, size: i64, mode: i64, padding: i64, corners: b8
) -> i64:
    """The elements that numbers of the grid mean along a dimension, and their weights; how many each means."""
    x = stack(STRIP, T)
    read_positions(x, grid, step, n, size, corners)
    taps = 2
    if mode == BICUBIC:
        keep_finite(x, n)
        moved = stack(STRIP, T)
        for k in range(4):
            for p in range(n):
                moved[p] = floor(x[p]) + T(k - 1)
            for p in range(n):
                weights[k * STRIP + p] = cubic_weight(x[p] - moved[p])
            place(moved, n, size, padding, corners)
            store_integers(at + k * STRIP, moved, n, size)
        taps = 4
    else:
        place(x, n, size, padding, corners)
        if mode == NEAREST:
            for p in range(n):
                x[p] = rint(x[p])
            store_integers(at, x, n, size)
            for p in range(n):
                weights[p] = T(1)
            taps = 1
        else:
            for p in range(n):
                whole = floor(x[p])
                part = x[p] - whole
                x[p] = whole
                weights[STRIP + p] = part
                weights[p] = T(1) - part
            store_integers(at, x, n, size)
            for p in range(n):
                at[STRIP + p] = at[p] + i32(1)
    for k in range(taps):
        keep_inside(at + k * STRIP, weights + k * STRIP, n, size)
    return taps


def fill_places(to: Ptr[i64], z: Ptr[i32], y: Ptr[i32], x: Ptr[i32], sizes: Ptr[i64], n: i64) -> None:
    """The places of elements in a plane."""
    if sizes[0] * sizes[1] * sizes[2] <= LARGEST_SHORT:
        height = i32(sizes[1])
        width = i32(sizes[2])
        if sizes[0] == 1:
            for p in range(n):
                to[p] = i64(y[p] * width + x[p])
        else:
            for p in range(n):
                to[p] = i64((z[p] * height + y[p]) * width + x[p])
    else:
        for p in range(n):
            to[p] = (i64(z[p]) * sizes[1] + i64(y[p])) * sizes[2] + i64(x[p])


def plan_bilinear(places: Ptr[i64], weights: Ptr[T], x: Ptr[T], y: Ptr[T], sizes: Ptr[i64], n: i64) -> None:
    """What positions in a small plane mean, all four elements and their weights in one loop."""
    height = T(sizes[1]) + T(4)
    width = T(sizes[2]) + T(4)
    row = i32(sizes[2])
    below = i32(sizes[1] - 1)
    right = i32(sizes[2] - 1)
    for p in range(n):
        far_x = select(x[p] > T(-4), x[p], T(-100))
        far_y = select(y[p] > T(-4), y[p], T(-100))
        in_x = select(far_x < width, far_x, T(-100))
        in_y = select(far_y < height, far_y, T(-100))
        whole_x = floor(in_x)
        whole_y = floor(in_y)
        part_x = in_x - whole_x
        part_y = in_y - whole_y
        x0 = integer(whole_x)
        y0 = integer(whole_y)
        x1 = x0 + i32(1)
        y1 = y0 + i32(1)
        x0_low = select(x0 < i32(0), i32(0), x0)
        x1_low = select(x1 < i32(0), i32(0), x1)
        y0_low = select(y0 < i32(0), i32(0), y0)
        y1_low = select(y1 < i32(0), i32(0), y1)
        left0 = select(x0_low > right, right, x0_low)
        left1 = select(x1_low > right, right, x1_low)
        top0 = select(y0_low > below, below, y0_low)
        top1 = select(y1_low > below, below, y1_low)
        of_x0 = select(left0 == x0, T(1) - part_x, T(NOWHERE))
        of_x1 = select(left1 == x1, part_x, T(NOWHERE))
        of_y0 = select(top0 == y0, T(1) - part_y, T(NOWHERE))
        of_y1 = select(top1 == y1, part_y, T(NOWHERE))
        places[p] = i64(top0 * row + left0)
        places[STRIP + p] = i64(top0 * row + left1)
        places[2 * STRIP + p] = i64(top1 * row + left0)
        places[3 * STRIP + p] = i64(top1 * row + left1)
        weights[p] = of_y0 * of_x0
        weights[STRIP + p] = of_y0 * of_x1
        weights[2 * STRIP + p] = of_y1 * of_x0
        weights[3 * STRIP + p] = of_y1 * of_x1


def plan_strip(places: Ptr[i64], weights: Ptr[T], grid: Ptr[T], task: Ptr[i64], n: i64) -> i64:
    """The elements that some positions mean and their weights; how many each means."""
    sizes = pointer(task[SIZES], i64)
    dims = task[DIMS]
    mode = task[MODE]
    padding = task[PADDING]
    corners = task[CORNERS] != 0
    is_small = sizes[1] <= SMALL and sizes[2] <= SMALL and sizes[1] * sizes[2] <= LARGEST_SHORT
    if dims == 2 and mode == BILINEAR and is_small:
        x = stack(STRIP, T)
        y = stack(STRIP, T)
        read_positions(x, grid, dims, n, sizes[2], corners)
        read_positions(y, grid + 1, dims, n, sizes[1], corners)
        if padding != ZEROS:
            place(x, n, sizes[2], padding, corners)
            place(y, n, sizes[1], padding, corners)
        plan_bilinear(places, weights, x, y, sizes, n)
        return 4
    at = stack(3 * DIMENSION, i32)
    parts = stack(3 * DIMENSION, T)
    counts = stack(3, i64)
    if dims == 2:
        counts[0] = 1
        for p in range(n):
            at[p] = i32(0)
        for p in range(n):
            parts[p] = T(1)
    for d in range(3 - dims, 3):
        to = at + d * DIMENSION
        of = parts + d * DIMENSION
        counts[d] = fill_taps(to, of, grid + (2 - d), dims, n, sizes[d], mode, padding, corners)
    taps = 0
    for kz in range(counts[0]):
        for ky in range(counts[1]):
            for kx in range(counts[2]):
                of_depth = at + kz * STRIP
                of_rows = at + (DIMENSION + ky * STRIP)
                of_columns = at + (2 * DIMENSION + kx * STRIP)
                fill_places(places + taps * STRIP, of_depth, of_rows, of_columns, sizes, n)
                of_z = parts + kz * STRIP
                of_y = parts + (DIMENSION + ky * STRIP)
                of_x = parts + (2 * DIMENSION + kx * STRIP)
                weight = weights + taps * STRIP
                for p in range(n):
                    weight[p] = of_z[p] * of_y[p] * of_x[p]
                taps = taps + 1
    return taps


def weighed(source: Ptr[T], places: Ptr[i64], weights: Ptr[T], i: i64) -> T:
    """An element and its weight; 0 of one that is outside."""
    weight = weights[i]
    return select(weight != weight, T(0), source[places[i]] * weight)


def sample_strip(out: Ptr[T], task: Ptr[i64], batch: i64, first: i64, n: i64) -> None:
    """Some positions of an element of the batch."""
    sizes = pointer(task[SIZES], i64)
    places = stack(TAPS * STRIP, i64)
    weights = stack(TAPS * STRIP, T)
    grid = pointer(task[GRID], T) + (batch * task[POSITIONS] + first) * task[DIMS]
    taps = plan_strip(places, weights, grid, task, n)
    channels = task[CHANNELS]
    plane = sizes[0] * sizes[1] * sizes[2]
    total = stack(STRIP, T)
    for c in range(channels):
        source = pointer(task[SOURCE], T) + (batch * channels + c) * plane
        to = out + ((batch * channels + c) * task[POSITIONS] + first)
        if taps == 4:
            for p in range(n):
                upper = weighed(source, places, weights, p) + weighed(source, places, weights, STRIP + p)
                lower = weighed(source, places, weights, 2 * STRIP + p) + weighed(
                    source, places, weights, 3 * STRIP + p
                )
                total[p] = upper + lower
        else:
            for p in range(n):
                total[p] = weighed(source, places, weights, p)
            for tap in range(1, taps):
                for p in range(n):
                    total[p] = total[p] + weighed(source, places, weights, tap * STRIP + p)
        for p in range(n):
            to[p] = total[p]


def sample_some(task: Ptr[i64], begin: i64, end: i64) -> None:
    """Some strips of positions."""
    strips = (task[POSITIONS] + STRIP - 1) // STRIP
    for unit in range(begin, end):
        batch = unit // strips
        first = (unit - batch * strips) * STRIP
        n = task[POSITIONS] - first
        if n > STRIP:
            n = STRIP
        sample_strip(pointer(task[TO], T), task, batch, first, n)


def sample_grid(self: Ptr[TensorImpl], grid: Ptr[TensorImpl], mode: i64, padding: i64, corners: b8) -> Ptr[TensorImpl]:
    """`torch.nn.functional.grid_sample`.

    Raises RuntimeError where input and grid do not go together, MemoryError where there is no memory.
    """
    ndim = i64(self.ndim)
    dims = ndim - 2
    if ndim != 4 and ndim != 5:
        raise RuntimeError("grid_sampler(): expected 4D or 5D input, but got {0}D", ndim)
    if i64(grid.ndim) != ndim:
        raise RuntimeError("grid_sampler(): expected a grid of {0} dimensions, but got {1}", ndim, i64(grid.ndim))
    if sizes_of(grid)[0] != sizes_of(self)[0]:
        raise RuntimeError(
            "grid_sampler(): expected grid and input to have same batch size, but got {0} and {1}",
            sizes_of(grid)[0],
            sizes_of(self)[0],
        )
    if sizes_of(grid)[ndim - 1] != dims:
        raise RuntimeError(
            "grid_sampler(): expected grid to have size {0} in last dimension, but got {1}",
            dims,
            sizes_of(grid)[ndim - 1],
        )
    if mode == BICUBIC and dims != 2:
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
    sizes = stack(3, i64)
    shape = stack(8, i64)
    sizes[0] = 1
    shape[0] = sizes_of(self)[0]
    shape[1] = sizes_of(self)[1]
    positions = 1
    for d in range(dims):
        sizes[3 - dims + d] = sizes_of(self)[2 + d]
        if sizes_of(self)[2 + d] == 0:
            raise RuntimeError(
                "grid_sampler(): expected input to have non-empty dimensions, but dimension {0} is", d + 2
            )
        shape[2 + d] = sizes_of(grid)[1 + d]
    check_size(self)
    check_size(grid)
    for d in range(dims):
        positions = positions * shape[2 + d]
    source = try_contiguous(self)
    places = try_contiguous(grid)
    out = try_alloc_checked(self, ndim, shape)
    if address(source) == 0 or address(places) == 0 or address(out) == 0:
        release_all(source, places, out)
        raise MemoryError("there is no memory for the elements at the positions of a grid")
    if out.numel != 0:
        task = stack(TASK, i64)
        task[TO] = address(out.data)
        task[SOURCE] = address(source.data)
        task[GRID] = address(places.data)
        task[CHANNELS] = shape[1]
        task[POSITIONS] = positions
        task[DIMS] = dims
        task[SIZES] = address(sizes)
        task[MODE] = mode
        task[PADDING] = padding
        task[CORNERS] = i64(corners)
        strips = shape[0] * ((positions + STRIP - 1) // STRIP)
        begin_work(out.numel * 8)
        if out.numel > 2 * GRAIN:
            parallel(context(), function(sample_some), task, strips, GRAIN // (shape[1] * STRIP) + 1)
        else:
            sample_some(task, 0, strips)
    release_all(source, places, pointer(0, TensorImpl))
    return out
