"""Tier 3: elements of a tensor at positions that a grid says. ``T`` is float32 or float64.

Along each dimension a position means at most four elements and their weights; an element that is outside has the index
-1 and counts as 0. Positions are divided among threads.
"""

from __future__ import annotations

from tscript.dialect import Ptr, T, TensorImpl, address, b8, context, fabs, floor, function, i64, pointer, rint, stack
from tscript.runtime.kernels.columns import check_size
from tscript.runtime.kernels.convolution_task import release_all, try_alloc_checked, try_contiguous
from tscript.runtime.kernels.parallel import parallel
from tscript.runtime.kernels.resizing import cubic
from tscript.runtime.kernels.tensor import begin_work, sizes_of

BILINEAR = 0
NEAREST = 1
BICUBIC = 2
ZEROS = 0
BORDER = 1
REFLECTION = 2

GRAIN = 1 << 12
TO, SOURCE, GRID, CHANNELS, POSITIONS, DIMS, SIZES, MODE, PADDING, CORNERS = range(10)
TASK = 10


def clipped(x: T, size: i64) -> T:
    """The nearest position inside."""
    if x < T(0):
        return T(0)
    if x > T(size - 1):
        return T(size - 1)
    return x


def placed(x: T, size: i64, padding: i64, corners: b8) -> T:
    """A position in elements, brought inside as the padding says; far outside where it is none."""
    found = x
    if padding == REFLECTION:
        low = T(-0.5)
        span = T(size)
        if corners:
            low = T(0)
            span = T(size - 1)
        if span > T(0):
            away = fabs(x - low)
            turns = floor(away / span)
            rest = away - turns * span
            found = rest + low
            if turns - T(2) * floor(turns / T(2)) != T(0):
                found = span - rest + low
        else:
            found = T(0)
    if padding != ZEROS:
        found = clipped(found, size)
    if not (fabs(found) < T(1.0e9)):
        return T(-100)
    return found


def fill_taps(at: Ptr[i64], weights: Ptr[T], given: T, size: i64, mode: i64, padding: i64, corners: b8) -> i64:
    """The elements that a number of the grid means along a dimension; how many they are."""
    x = ((given + T(1)) * T(size) - T(1)) / T(2)
    if corners:
        x = (given + T(1)) / T(2) * T(size - 1)
    count = 1
    if mode == BICUBIC:
        count = 4
        if not (fabs(x) < T(1.0e9)):
            x = T(-100)
        whole = floor(x)
        for k in range(4):
            weights[k] = cubic(x - whole - T(k - 1), T(-0.75))
            at[k] = i64(placed(whole + T(k - 1), size, padding, corners))
    else:
        x = placed(x, size, padding, corners)
        if mode == NEAREST:
            weights[0] = T(1)
            at[0] = i64(rint(x))
        else:
            count = 2
            whole = floor(x)
            weights[0] = T(1) - (x - whole)
            weights[1] = x - whole
            at[0] = i64(whole)
            at[1] = i64(whole) + 1
    for k in range(count):
        if at[k] < 0 or at[k] >= size:
            at[k] = -1
    return count


def sample_some(task: Ptr[i64], begin: i64, end: i64) -> None:
    """Some positions."""
    sizes = pointer(task[SIZES], i64)
    at = stack(12, i64)
    counts = stack(3, i64)
    weights = stack(12, T)
    dims = task[DIMS]
    plane = sizes[0] * sizes[1] * sizes[2]
    channels = task[CHANNELS]
    positions = task[POSITIONS]
    for unit in range(begin, end):
        batch = unit // positions
        for i in range(3):
            counts[i] = 1
            at[4 * i] = 0
            weights[4 * i] = T(1)
        for d in range(dims):
            i = 2 - d
            given = pointer(task[GRID], T)[unit * dims + d]
            counts[i] = fill_taps(
                at + 4 * i, weights + 4 * i, given, sizes[i], task[MODE], task[PADDING], task[CORNERS] != 0
            )
        to = pointer(task[TO], T) + (batch * channels * positions + unit - batch * positions)
        for c in range(channels):
            source = pointer(task[SOURCE], T) + (batch * channels + c) * plane
            total = T(0)
            for kz in range(counts[0]):
                for ky in range(counts[1]):
                    if at[kz] >= 0 and at[4 + ky] >= 0:
                        line = source + (at[kz] * sizes[1] + at[4 + ky]) * sizes[2]
                        for kx in range(counts[2]):
                            if at[8 + kx] >= 0:
                                total = total + line[at[8 + kx]] * (weights[kz] * weights[4 + ky] * weights[8 + kx])
            to[c * positions] = total


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
        begin_work(out.numel * 8)
        if out.numel > 2 * GRAIN:
            parallel(context(), function(sample_some), task, shape[0] * positions, GRAIN // shape[1] + 1)
        else:
            sample_some(task, 0, shape[0] * positions)
    release_all(source, places, pointer(0, TensorImpl))
    return out
