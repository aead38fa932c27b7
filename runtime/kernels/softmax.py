"""Tier 3: softmax and log-softmax along a dimension that is not the last one. ``T`` is float32 or float64.

Neighbouring lines are computed together, a strip of them, which is divided into chunks of rows where rows are short.
Sums are added up in float64. Strips are divided among threads.
"""

from __future__ import annotations

from typing import Final

from tscript.abi.layout import TENSOR_CONTIGUOUS
from tscript.dialect import Ptr, T, TensorImpl, address, b8, context, f64, function, i64, pointer, select, stack
from tscript.dialect import vector_math as vm
from tscript.runtime.kernels.copy import pack
from tscript.runtime.kernels.parallel import parallel
from tscript.runtime.kernels.scans import distance_in_lines, length_of_lines
from tscript.runtime.kernels.shapes import wrap_dim
from tscript.runtime.kernels.tensor import begin_work, sizes_of, tensor_alloc

WIDTH: Final = 64
"""Lines of a strip."""
CHUNK: Final = 512
"""Elements of a chunk of rows."""
GRAIN: Final = 1 << 12
"""Elements that are worth another thread."""

TO, SOURCE, LENGTH, INNER, IS_LOG = range(5)
TASK = 5


def soften_strip(to: Ptr[T], source: Ptr[T], n: i64, inner: i64, width: i64, is_log: b8) -> None:
    """`width` lines of `n` elements, of which neighbours in a line are `inner` apart."""
    tops = stack(WIDTH, T)
    totals = stack(WIDTH, f64)
    powers = stack(CHUNK, T)
    for j in range(width):
        tops[j] = source[j]
        totals[j] = 0.0
    for k in range(1, n):
        row = source + k * inner
        for j in range(width):
            tops[j] = select(row[j] > tops[j], row[j], tops[j])
    rows = 1
    if width == inner:
        rows = CHUNK // width
    done = 0
    while done < n:
        if rows > n - done:
            rows = n - done
        chunk = to + done * inner
        for k in range(rows):
            row = source + (done + k) * inner
            for j in range(width):
                chunk[k * inner + j] = row[j] - tops[j]
        for i in range(rows * width):
            powers[i] = vm.exp(chunk[i])
        for k in range(rows):
            for j in range(width):
                totals[j] = totals[j] + f64(powers[k * width + j])
        if not is_log:
            for i in range(rows * width):
                chunk[i] = powers[i]
        done = done + rows
    if is_log:
        for j in range(width):
            tops[j] = T(vm.log(totals[j]))
        for k in range(n):
            row = to + k * inner
            for j in range(width):
                row[j] = row[j] - tops[j]
    else:
        for j in range(width):
            tops[j] = T(1.0 / totals[j])
        for k in range(n):
            row = to + k * inner
            for j in range(width):
                row[j] = row[j] * tops[j]


def soften_some(task: Ptr[i64], begin: i64, end: i64) -> None:
    """Some strips."""
    n = task[LENGTH]
    inner = task[INNER]
    strips = (inner + WIDTH - 1) // WIDTH
    for unit in range(begin, end):
        outer = unit // strips
        first = (unit - outer * strips) * WIDTH
        width = select(inner - first < WIDTH, inner - first, i64(WIDTH))
        at = outer * n * inner + first
        soften_strip(pointer(task[TO], T) + at, pointer(task[SOURCE], T) + at, n, inner, width, task[IS_LOG] != 0)


def soften_lines(self: Ptr[TensorImpl], dim: i64, is_log: b8) -> Ptr[TensorImpl]:
    """`torch.softmax`, or `torch.log_softmax`. Raises IndexError."""
    d = wrap_dim(dim, i64(self.ndim))
    out = tensor_alloc(self.dtype, i64(self.ndim), sizes_of(self))
    if out.numel == 0:
        return out
    begin_work(out.numel * 8)
    given = self.data
    if self.flags & TENSOR_CONTIGUOUS == 0:
        pack(out.data, self)
        given = out.data
    task = stack(TASK, i64)
    task[TO] = address(out.data)
    task[SOURCE] = address(given)
    task[LENGTH] = length_of_lines(out, d)
    task[INNER] = distance_in_lines(out, d)
    task[IS_LOG] = i64(is_log)
    strips = out.numel // (task[LENGTH] * task[INNER]) * ((task[INNER] + WIDTH - 1) // WIDTH)
    if out.numel > 2 * GRAIN and strips > 1:
        parallel(context(), function(soften_some), task, strips, GRAIN * strips // out.numel + 1)
    else:
        soften_some(task, 0, strips)
    return out
