"""Tier 3: where the greatest element of each window is, of windows whose places along a dimension follow from a number
that is drawn. ``T`` is float32 or float64.

Channels are divided among threads. See `columns` for the geometry of windows. NaN is greater than everything.
"""

from __future__ import annotations

from tscript.dialect import Ptr, T, TensorImpl, address, context, function, i32, i64, pointer, pointer_cast, stack
from tscript.runtime.kernels import codes
from tscript.runtime.kernels.columns import CELLS, IN, OUT, WINDOW, least, most, read_triple
from tscript.runtime.kernels.parallel import parallel
from tscript.runtime.kernels.pooling import GRAIN, check_pooled, lowest, packed_input, pooled_tensor
from tscript.runtime.kernels.tensor import begin_work, sizes_of, strides_of, tensor_release

TO, SOURCE, SAMPLES, GEOMETRY, DIMS = range(5)
TASK = 5
"""Cells of a task; `SAMPLES` is a tensor."""


def check_samples(self: Ptr[TensorImpl], samples: Ptr[TensorImpl], dims: i64, _element: T) -> None:
    """Raise RuntimeError where samples are not from 0 to 1, or not as many as `fractional_positions` says."""
    channels = sizes_of(self)[i64(self.ndim) - dims - 1]
    batch = i64(1)
    if i64(self.ndim) > dims + 1:
        batch = sizes_of(self)[0]
    if samples.dtype != self.dtype:
        raise RuntimeError("Expect _random_samples to have the same dtype as input")
    fits = samples.ndim == 3
    if fits:
        sizes = sizes_of(samples)
        fits = sizes[0] == batch and sizes[1] == channels and sizes[2] == dims
    if not fits:
        raise RuntimeError("expected _random_samples of shape ({0}, {1}, {2})", batch, channels, dims)
    for channel in range(batch * channels):
        for d in range(dims):
            x = sample_of(samples, channel, d, T(0))
            if not (x >= T(0) and x <= T(1)):
                raise RuntimeError("_random_samples must be numbers from 0 to 1")


def sample_of(samples: Ptr[TensorImpl], channel: i64, d: i64, _element: T) -> T:
    """The number of a channel of the batch and one of its dimensions."""
    channels = sizes_of(samples)[1]
    strides = strides_of(samples)
    at = channel // channels * strides[0] + channel % channels * strides[1] + d * strides[2]
    return pointer_cast(samples.data, T)[at]


def read_sizes(g: Ptr[i64], self: Ptr[TensorImpl], size: Ptr[i64], sizes: i64, dims: i64) -> None:
    """The sizes of the input and of the result, behind the windows that `g` has. Raises RuntimeError where windows do
    not fit."""
    if sizes != dims:
        raise RuntimeError("expected {0} sizes, but got {1}", dims, sizes)
    for i in range(3):
        g[IN + i] = 1
        g[OUT + i] = 1
    for d in range(dims):
        i = 3 - dims + d
        whole = sizes_of(self)[i64(self.ndim) - dims + d]
        wanted = size[d]
        if wanted < 1 or wanted > whole or wanted + g[WINDOW + i] - 1 > whole:
            raise RuntimeError(
                "fractional_max_pool{0}d(): {1} windows of {2} elements do not fit dimension {3}, of {4}",
                dims,
                wanted,
                g[WINDOW + i],
                d,
                whole,
            )
        g[IN + i] = whole
        g[OUT + i] = wanted


def begin_of(g: Ptr[i64], axis: i64, at: i64, drawn: T) -> i64:
    """Where a window begins. The last one ends where the dimension does."""
    room = g[IN + axis] - g[WINDOW + axis]
    last = g[OUT + axis] - 1
    if at == last:
        return room
    step = T(room) / T(last)
    return least(most(i64((T(at) + drawn) * step) - i64(drawn * step), 0), room)


def position_of(plane: Ptr[T], g: Ptr[i64], z: i64, y: i64, x: i64) -> i64:
    """Where the greatest element of the window that begins at a place is, counted in its channel."""
    found = (z * g[IN + 1] + y) * g[IN + 2] + x
    greatest = lowest(T(0))
    for kz in range(g[WINDOW]):
        for ky in range(g[WINDOW + 1]):
            line = ((z + kz) * g[IN + 1] + y + ky) * g[IN + 2] + x
            for kx in range(g[WINDOW + 2]):
                value = plane[line + kx]
                if value > greatest or value != value:
                    greatest = value
                    found = line + kx
    return found


def position_channels(task: Ptr[i64], begin: i64, end: i64) -> None:
    """Positions of the greatest elements in some channels."""
    g = pointer(task[GEOMETRY], i64)
    dims = task[DIMS]
    samples = pointer(task[SAMPLES], TensorImpl)
    plane = g[IN] * g[IN + 1] * g[IN + 2]
    size = g[OUT] * g[OUT + 1] * g[OUT + 2]
    for channel in range(begin, end):
        to = pointer(task[TO], i64) + channel * size
        source = pointer(task[SOURCE], T) + channel * plane
        # Three dimensions are drawn in their order, two the other way round.
        first = sample_of(samples, channel, 0, T(0))
        of_y = sample_of(samples, channel, 1, T(0))
        of_z = first
        of_x = first
        if dims == 3:
            of_x = sample_of(samples, channel, 2, T(0))
        for oz in range(g[OUT]):
            z = begin_of(g, 0, oz, of_z)
            for oy in range(g[OUT + 1]):
                y = begin_of(g, 1, oy, of_y)
                for ox in range(g[OUT + 2]):
                    to[(oz * g[OUT + 1] + oy) * g[OUT + 2] + ox] = position_of(
                        source, g, z, y, begin_of(g, 2, ox, of_x)
                    )


def fractional_positions(
    self: Ptr[TensorImpl],
    samples: Ptr[TensorImpl],
    window: Ptr[i64],
    windows: i64,
    size: Ptr[i64],
    sizes: i64,
    dims: i64,
) -> Ptr[TensorImpl]:
    """The second result of `torch.nn.functional.fractional_max_pool2d_with_indices`.

    Args:
        samples: Numbers from 0 to 1, of the dtype of the input, ``(batch, channels, dims)``; the batch is 1 if there is
            none.
        window, size: The sizes of windows and of the result.
        dims: How many dimensions a window has, 2 or 3.

    Raises RuntimeError where the arguments do not go together.
    """
    return positions(self, samples, window, windows, size, sizes, dims, T(0))


def positions(
    self: Ptr[TensorImpl],
    samples: Ptr[TensorImpl],
    window: Ptr[i64],
    windows: i64,
    size: Ptr[i64],
    sizes: i64,
    dims: i64,
    _element: T,
) -> Ptr[TensorImpl]:
    """The same. The last argument only binds ``T``."""
    check_pooled(self, dims)
    if dims == 1:
        raise RuntimeError("fractional windows have 2 or 3 dimensions, not 1")
    g = stack(CELLS, i64)
    read_triple(g, window, windows, dims, WINDOW, 1)
    read_sizes(g, self, size, sizes, dims)
    check_samples(self, samples, dims, T(0))
    out = pooled_tensor(self, g, dims, i32(codes.INT64))
    if out.numel == 0:
        return out
    source = packed_input(self, out)
    task = stack(TASK, i64)
    task[TO] = address(out.data)
    task[SOURCE] = address(source.data)
    task[SAMPLES] = address(samples)
    task[GEOMETRY] = address(g)
    task[DIMS] = dims
    channels = sizes_of(samples)[0] * sizes_of(samples)[1]
    of_one = out.numel // channels * g[WINDOW] * g[WINDOW + 1] * g[WINDOW + 2]
    begin_work(channels * of_one)
    if channels * of_one > 2 * GRAIN:
        parallel(context(), function(position_channels), task, channels, GRAIN // of_one + 1)
    else:
        position_channels(task, 0, channels)
    tensor_release(source)
    return out
