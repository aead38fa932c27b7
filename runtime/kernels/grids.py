"""Tier 3: elements of a tensor at positions that a grid says. ``T`` is float32 or float64.

Positions are taken in strips, in loops without branches. Along each dimension a position means at most four elements
and their weights; an element that is outside has the index -1 and counts as 0. Strips are divided among threads.
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


def fill_taps(
    at: Ptr[i32], weights: Ptr[T], grid: Ptr[T], step: i64, n: i64, size: i64, mode: i64, padding: i64, corners: b8
) -> i64:
    """The elements that numbers of the grid mean along a dimension, and their weights; how many each means."""
    x = stack(STRIP, T)
    if corners:
        for p in range(n):
            x[p] = (grid[p * step] + T(1)) / T(2) * T(size - 1)
    else:
        for p in range(n):
            x[p] = ((grid[p * step] + T(1)) * T(size) - T(1)) / T(2)
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
        return 4
    place(x, n, size, padding, corners)
    if mode == NEAREST:
        for p in range(n):
            x[p] = rint(x[p])
        store_integers(at, x, n, size)
        for p in range(n):
            weights[p] = T(1)
        return 1
    for p in range(n):
        weights[STRIP + p] = x[p] - floor(x[p])
    for p in range(n):
        x[p] = floor(x[p])
    store_integers(at, x, n, size)
    for p in range(n):
        at[STRIP + p] = at[p] + i32(1)
    for p in range(n):
        weights[p] = T(1) - weights[STRIP + p]
    return 2


def fill_places(to: Ptr[i64], z: Ptr[i32], y: Ptr[i32], x: Ptr[i32], sizes: Ptr[i64], n: i64) -> None:
    """The places of elements in a plane, -1 for those that are outside."""
    depth = i32(sizes[0])
    height = i32(sizes[1])
    width = i32(sizes[2])
    outside = stack(STRIP, i32)
    for p in range(n):
        outside[p] = z[p] | y[p] | x[p] | (depth - i32(1) - z[p]) | (height - i32(1) - y[p]) | (width - i32(1) - x[p])
    if sizes[0] * sizes[1] * sizes[2] <= LARGEST_SHORT:
        short = stack(STRIP, i32)
        for p in range(n):
            short[p] = select(outside[p] < i32(0), i32(-1), (z[p] * height + y[p]) * width + x[p])
        for p in range(n):
            to[p] = i64(short[p])
    else:
        for p in range(n):
            place = (i64(z[p]) * sizes[1] + i64(y[p])) * sizes[2] + i64(x[p])
            to[p] = select(outside[p] < i32(0), i64(-1), place)


def sample_strip(out: Ptr[T], task: Ptr[i64], batch: i64, first: i64, n: i64) -> None:
    """Some positions of an element of the batch."""
    sizes = pointer(task[SIZES], i64)
    dims = task[DIMS]
    at = stack(3 * DIMENSION, i32)
    parts = stack(3 * DIMENSION, T)
    counts = stack(3, i64)
    for d in range(3 - dims):
        counts[d] = 1
        for p in range(n):
            at[d * DIMENSION + p] = i32(0)
        for p in range(n):
            parts[d * DIMENSION + p] = T(1)
    grid = pointer(task[GRID], T) + (batch * task[POSITIONS] + first) * dims
    for d in range(3 - dims, 3):
        counts[d] = fill_taps(
            at + d * DIMENSION,
            parts + d * DIMENSION,
            grid + (2 - d),
            dims,
            n,
            sizes[d],
            task[MODE],
            task[PADDING],
            task[CORNERS] != 0,
        )
    places = stack(TAPS * STRIP, i64)
    weights = stack(TAPS * STRIP, T)
    whole = stack(TAPS, i64)
    all_inside = True
    taps = 0
    for kz in range(counts[0]):
        for ky in range(counts[1]):
            for kx in range(counts[2]):
                z = at + kz * STRIP
                y = at + (DIMENSION + ky * STRIP)
                x = at + (2 * DIMENSION + kx * STRIP)
                to = places + taps * STRIP
                fill_places(to, z, y, x, sizes, n)
                of_z = parts + kz * STRIP
                of_y = parts + (DIMENSION + ky * STRIP)
                of_x = parts + (2 * DIMENSION + kx * STRIP)
                weight = weights + taps * STRIP
                for p in range(n):
                    weight[p] = of_z[p] * of_y[p] * of_x[p]
                outside = 0
                for p in range(n):
                    outside = outside | to[p]
                whole[taps] = i64(outside >= 0)
                taps = taps + 1
    channels = task[CHANNELS]
    plane = sizes[0] * sizes[1] * sizes[2]
    total = stack(STRIP, T)
    for tap in range(taps):
        all_inside = all_inside and whole[tap] != 0
    for c in range(channels):
        source = pointer(task[SOURCE], T) + (batch * channels + c) * plane
        to = out + ((batch * channels + c) * task[POSITIONS] + first)
        if all_inside and taps == 4:
            for p in range(n):
                total[p] = source[places[p]] * weights[p] + source[places[STRIP + p]] * weights[STRIP + p]
            for p in range(n):
                lower = source[places[2 * STRIP + p]] * weights[2 * STRIP + p]
                total[p] = total[p] + lower + source[places[3 * STRIP + p]] * weights[3 * STRIP + p]
            for p in range(n):
                to[p] = total[p]
            continue
        for p in range(n):
            total[p] = T(0)
        for tap in range(taps):
            chosen = places + tap * STRIP
            weight = weights + tap * STRIP
            if whole[tap] != 0:
                for p in range(n):
                    total[p] = total[p] + source[chosen[p]] * weight[p]
            else:
                for p in range(n):
                    i = chosen[p]
                    value = source[select(i < 0, i64(0), i)]
                    total[p] = total[p] + select(i < 0, T(0), value * weight[p])
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
