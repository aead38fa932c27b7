"""Tier 3: convolutions as sums of rows, as they lie: of integers, and where there is nothing to multiply."""

from __future__ import annotations

from tscript.dialect import Ptr, T, context, function, i64, pointer
from tscript.runtime.kernels.columns import DILATION, IN, OUT, PAD, STRIDE, WINDOW, first_inside, least
from tscript.runtime.kernels.convolution_task import (
    BATCH,
    DEPTH,
    GEOMETRY,
    GRAIN,
    GROUPS,
    IN_CHANNELS,
    OUT_CHANNELS,
    POSITIONS,
    SOURCE,
    TO,
    WEIGHT,
    bias_of,
)
from tscript.runtime.kernels.parallel import parallel

STRIP = 2048
"""Elements of a row that are added up at once."""


def convolve_rows(task: Ptr[i64], _element: T) -> None:
    """A convolution as sums of rows; it needs no room."""
    units = task[BATCH] * task[GROUPS] * task[OUT_CHANNELS]
    of_one = task[POSITIONS] * (task[DEPTH] + 1)
    if units * of_one > 2 * GRAIN:
        parallel(context(), function(add_rows), task, units, GRAIN // of_one + 1)
    else:
        add_rows(task, 0, units)


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
