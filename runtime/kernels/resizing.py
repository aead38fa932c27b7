"""Tier 3: tensors resized by interpolation, one dimension after the other. ``T`` is float32 or float64.

A dimension of the result is made by a table: for each of its elements the elements of the input that it is the weighted
sum of. `A. Catmull and R. Rom` cubics have the parameter -0.75, with antialiasing -0.5, as PyTorch's have.
"""

from __future__ import annotations

from tscript.dialect import (
    Ptr,
    T,
    TensorImpl,
    address,
    b8,
    context,
    f64,
    fabs,
    floor,
    function,
    i64,
    pointer,
    pointer_cast,
    stack,
)
from tscript.runtime.kernels.columns import LARGEST_INPUT, check_size, least, most
from tscript.runtime.kernels.convolution_task import try_contiguous
from tscript.runtime.kernels.memory import heap_free, heap_try_allocate
from tscript.runtime.kernels.memory_blocks import LARGEST
from tscript.runtime.kernels.moves_mapped import move_mapped
from tscript.runtime.kernels.parallel import parallel
from tscript.runtime.kernels.pooling import means
from tscript.runtime.kernels.shapes import copy_sizes
from tscript.runtime.kernels.tensor import (
    begin_work,
    count_elements,
    itemsize_of,
    sizes_of,
    tensor_alloc,
    tensor_release,
    tensor_try_alloc,
)

NEAREST = 0
NEAREST_EXACT = 1
LINEAR = 2
CUBIC = 3
AREA = 4

GRAIN = 1 << 15

TO, SOURCE, WEIGHTS, FIRSTS, TAPS, IN_SIZE, OUT_SIZE, INNER = range(8)
TASK = 8
"""Cells of a task: of each element of the result ``TAPS`` weights, and as many positions."""


def cubic(x: T, a: T) -> T:
    """The weight of an element at a distance."""
    d = fabs(x)
    if d <= T(1):
        return ((a + T(2)) * d - (a + T(3))) * d * d + T(1)
    if d < T(2):
        return ((a * d - T(5) * a) * d + T(8) * a) * d - T(4) * a
    return T(0)


def fill_table(
    weights: Ptr[T], places: Ptr[i64], taps: i64, size: i64, wanted: i64, scale: T, mode: i64, corners: b8
) -> None:
    """Weights and positions without antialiasing."""
    for i in range(wanted):
        at = scale * T(i)
        if not corners:
            at = scale * (T(i) + T(0.5)) - T(0.5)
            if mode == LINEAR and at < T(0):
                at = T(0)
        whole = floor(at)
        first = i64(whole)
        if mode == LINEAR:
            first = least(first, size - 1)
            part = at - T(first)
            if part > T(1):
                part = T(1)
            weights[i * taps] = T(1) - part
            weights[i * taps + 1] = part
            places[i * taps] = first
            places[i * taps + 1] = least(first + 1, size - 1)
        else:
            part = at - whole
            for k in range(4):
                weights[i * taps + k] = cubic(part - T(k - 1), T(-0.75))
                places[i * taps + k] = most(least(first + k - 1, size - 1), 0)


def fill_smooth(weights: Ptr[T], places: Ptr[i64], taps: i64, size: i64, wanted: i64, scale: T, mode: i64) -> None:
    """Weights and positions with antialiasing: the filter is as wide as the elements of the result are."""
    radius = T(1)
    if mode == CUBIC:
        radius = T(2)
    widen = scale
    if widen < T(1):
        widen = T(1)
    support = radius * widen
    for i in range(wanted):
        centre = scale * (T(i) + T(0.5))
        begin = most(i64(centre - support + T(0.5)), 0)
        count = least(least(i64(centre + support + T(0.5)), size) - begin, taps)
        total = T(0)
        for k in range(taps):
            weight = T(0)
            if k < count:
                x = (T(k + begin) - centre + T(0.5)) / widen
                if mode == CUBIC:
                    weight = cubic(x, T(-0.5))
                elif fabs(x) < T(1):
                    weight = T(1) - fabs(x)
            total = total + weight
            weights[i * taps + k] = weight
            places[i * taps + k] = most(least(begin + k, size - 1), 0)
        if total != T(0):
            for k in range(taps):
                weights[i * taps + k] = weights[i * taps + k] / total


def resample_rows(task: Ptr[i64], begin: i64, end: i64) -> None:
    """Some rows: a row has ``INNER`` elements, or all of a dimension if that is 1."""
    to = pointer(task[TO], T)
    source = pointer(task[SOURCE], T)
    weights = pointer(task[WEIGHTS], T)
    places = pointer(task[FIRSTS], i64)
    taps = task[TAPS]
    size = task[IN_SIZE]
    wanted = task[OUT_SIZE]
    inner = task[INNER]
    for row in range(begin, end):
        if inner == 1:
            line = source + row * size
            for i in range(wanted):
                total = T(0)
                for k in range(taps):
                    total = total + line[places[i * taps + k]] * weights[i * taps + k]
                to[row * wanted + i] = total
        else:
            outer = row // wanted
            i = row - outer * wanted
            out = to + row * inner
            for k in range(taps):
                weight = weights[i * taps + k]
                line = source + (outer * size + places[i * taps + k]) * inner
                if k == 0:
                    for x in range(inner):
                        out[x] = line[x] * weight
                else:
                    for x in range(inner):
                        out[x] = out[x] + line[x] * weight


def scale_of(size: i64, wanted: i64, given: f64, corners: b8) -> f64:
    """How far elements of the result lie apart in the input."""
    if corners:
        if wanted > 1:
            return f64(size - 1) / f64(wanted - 1)
        return 0.0
    if given > 0.0:
        return 1.0 / given
    return f64(size) / f64(wanted)


def resample(
    current: Ptr[TensorImpl], d: i64, wanted: i64, given: f64, mode: i64, corners: b8, smooth: b8, _element: T
) -> Ptr[TensorImpl]:
    """One dimension of a contiguous tensor resized: a new tensor, or null where there is no memory."""
    sizes = stack(8, i64)
    ndim = i64(current.ndim)
    copy_sizes(sizes, sizes_of(current), ndim)
    size = sizes[d]
    sizes[d] = wanted
    outer = 1
    inner = 1
    for i in range(ndim):
        if i < d:
            outer = outer * sizes[i]
        if i > d:
            inner = inner * sizes[i]
    scale = T(scale_of(size, wanted, given, corners))
    if size == wanted and mode == LINEAR and not smooth:
        scale = T(1)
    taps = 2
    if mode == CUBIC:
        taps = 4
    if smooth:
        reach = scale_of(size, wanted, given, corners)
        if reach < 1.0:
            reach = 1.0
        taps = least(i64(floor(f64(taps) * reach)) + 2, size + 1)
    nothing = pointer(0, TensorImpl)
    itemsize = itemsize_of(current.dtype)
    if wanted > LARGEST // 64 // taps:
        return nothing
    nbytes = wanted * taps * (itemsize + 8)
    memory = heap_try_allocate(nbytes)
    if address(memory) == 0:
        return nothing
    out = tensor_try_alloc(current.dtype, ndim, sizes, outer * wanted * inner)
    if address(out) == 0:
        heap_free(memory, nbytes)
        return nothing
    places = pointer_cast(memory, i64)
    weights = pointer_cast(places + wanted * taps, T)
    if smooth:
        fill_smooth(weights, places, taps, size, wanted, scale, mode)
    else:
        fill_table(weights, places, taps, size, wanted, scale, mode, corners)
    task = stack(TASK, i64)
    task[TO] = address(out.data)
    task[SOURCE] = address(current.data)
    task[WEIGHTS] = address(weights)
    task[FIRSTS] = address(places)
    task[TAPS] = taps
    task[IN_SIZE] = size
    task[OUT_SIZE] = wanted
    task[INNER] = inner
    rows = outer * wanted
    if inner == 1:
        rows = outer
    begin_work(out.numel * taps)
    if out.numel * taps > 2 * GRAIN:
        parallel(context(), function(resample_rows), task, rows, GRAIN * rows // (out.numel * taps) + 1)
    else:
        resample_rows(task, 0, rows)
    heap_free(memory, nbytes)
    return out


def nearest(self: Ptr[TensorImpl], shape: Ptr[i64], scales: Ptr[f64], exact: b8, _element: T) -> Ptr[TensorImpl]:
    """The nearest elements."""
    ndim = i64(self.ndim)
    out = tensor_alloc(self.dtype, ndim, shape)
    if out.numel == 0:
        return out
    cells = 0
    for d in range(2, ndim):
        cells = cells + shape[d]
    memory = heap_try_allocate(cells * 8)
    if address(memory) == 0:
        tensor_release(out)
        raise MemoryError("there is no memory for a table of positions")
    begin_work(out.numel)
    tables = stack(8, i64)
    table = pointer_cast(memory, i64)
    tables[0] = 0
    tables[1] = 0
    for d in range(2, ndim):
        size = sizes_of(self)[d]
        scale = T(scale_of(size, shape[d], scales[d], False))
        tables[d] = address(table)
        for i in range(shape[d]):
            at = T(i) * scale
            if exact:
                at = (T(i) + T(0.5)) * scale
            table[i] = least(i64(floor(at)), size - 1)
        table = table + shape[d]
    move_mapped(out, self, tables)
    heap_free(memory, cells * 8)
    return out


def resize(
    self: Ptr[TensorImpl],
    size: Ptr[i64],
    n: i64,
    given: Ptr[f64],
    scales: i64,
    mode: i64,
    corners: b8,
    recompute: b8,
    smooth: b8,
) -> Ptr[TensorImpl]:
    """`torch.nn.functional.interpolate`.

    Args:
        size: The sizes of the result behind the channels, or none.
        given: How much larger it is, if `size` is none.
        mode: How: ``NEAREST`` and so on.
        corners: Whether the outermost elements stay where they are.
        recompute: Whether what counts is how much larger the result is in the end.
        smooth: Whether elements that come together are averaged.

    Raises RuntimeError where a size is not positive, MemoryError where there is no memory.
    """
    ndim = i64(self.ndim)
    if ndim < 3 or ndim > 5:
        raise NotImplementedError("Input Error: Only 3D, 4D and 5D input Tensors supported, but got {0}D", ndim)
    dims = ndim - 2
    if n > 0 and n != 1 and n != dims:
        raise ValueError("expected one size or {0} sizes, but got {1}", dims, n)
    if n <= 0 and scales != 1 and scales != dims:
        raise ValueError("expected one scale factor or {0} of them, but got {1}", dims, scales)
    shape = stack(8, i64)
    factors = stack(8, f64)
    copy_sizes(shape, sizes_of(self), ndim)
    for d in range(2, ndim):
        factors[d] = 0.0
        if n > 0:
            shape[d] = size[0]
            if n > 1:
                shape[d] = size[d - 2]
        else:
            factor = given[0]
            if scales > 1:
                factor = given[d - 2]
            wide = floor(f64(shape[d]) * factor)
            if not (wide <= f64(LARGEST_INPUT)):
                raise MemoryError("a tensor of this size does not fit into memory")
            shape[d] = 0
            if wide > 0.0:
                shape[d] = i64(wide)
            if not recompute:
                factors[d] = factor
        if shape[d] < 1 or sizes_of(self)[d] < 1:
            raise RuntimeError(
                "Input and output sizes should be greater than 0, but got input size {0} and output size {1} in "
                "dimension "
                "{2}",
                sizes_of(self)[d],
                shape[d],
                d,
            )
    if sizes_of(self)[1] == 0:
        raise RuntimeError("expected an input with channels, but dimension 1 has size 0")
    check_size(self)
    count_elements(ndim, shape)
    if mode <= NEAREST_EXACT:
        return nearest(self, shape, factors, mode == NEAREST_EXACT, T(0))
    if mode == AREA:
        return means(self, shape + 2, dims, dims, T(0))
    if sizes_of(self)[0] == 0:
        return tensor_alloc(self.dtype, ndim, shape)
    current = try_contiguous(self)
    for d in range(2, ndim):
        if address(current) != 0:
            following = resample(current, d, shape[d], factors[d], mode, corners, smooth, T(0))
            tensor_release(current)
            current = following
    if address(current) == 0:
        raise MemoryError("there is no memory for the result of an interpolation")
    return current
