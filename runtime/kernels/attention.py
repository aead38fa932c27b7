"""Tier 3: attention, block by block: the scores of some queries and keys are all that is in memory. ``T`` is float32
or float64.

What is found of a block of keys is brought to the largest score so far: Milakov and Gimelshein, "Online normalizer
calculation for softmax", arXiv:1805.02867. Blocks of queries are divided among threads; where they begin depends on
sizes alone.
"""

from __future__ import annotations

from typing import Final

from tscript.abi.layout import MAX_RANK
from tscript.dialect import (
    Ptr,
    T,
    TensorImpl,
    address,
    b8,
    context,
    f64,
    function,
    i64,
    pointer,
    select,
    stack,
    u8,
)
from tscript.dialect import vector_math as vm
from tscript.runtime.kernels import codes
from tscript.runtime.kernels.columns import least
from tscript.runtime.kernels.convolution_task import parts_of, release_all, try_contiguous
from tscript.runtime.kernels.gemm import (
    LARGEST_BLAS_SIZE,
    has_blas,
    is_row_major,
    multiply_own,
    multiply_part,
    pack_matrix,
)
from tscript.runtime.kernels.memory import heap_free, heap_try_allocate
from tscript.runtime.kernels.memory_blocks import LARGEST
from tscript.runtime.kernels.parallel import parallel
from tscript.runtime.kernels.shapes import broadcast_into
from tscript.runtime.kernels.tensor import (
    begin_work,
    itemsize_of,
    sizes_of,
    strides_of,
    tensor_alloc,
    tensor_release,
    tensor_retain,
)

QUERIES: Final = 128
KEYS: Final = 256
"""Queries and keys of a block."""
LANES = 32
FLOPS = 16
"""Products that take as long as one element elsewhere."""
NO_SCORE = float("-inf")
NO_MASK, BOOLS, NUMBERS = range(3)

TO, QUERY, KEY, VALUE, MASK, KIND, FACTOR, CAUSAL = range(8)
LENGTH, COUNT, WIDTH, MADE, QUERY_STEP, KEY_STEP, VALUE_STEP, MASK_ROW, MASK_STEP = range(8, 17)
RANK, BATCH, OF_QUERY, OF_KEY, OF_VALUE, OF_MASK, SHARED_KEYS, SHARED_VALUES = range(17, 25)
BLOCKS, UNITS, PARTS, ROOM, SCRATCH, USES_BLAS, ROW, COLUMN = range(25, 33)
TASK = 33
"""Cells of a task: ``LENGTH`` queries and ``COUNT`` keys of size ``WIDTH``, values of size ``MADE``. So many heads of
queries share a head of keys, or of values.
A block has ``COLUMN`` queries at most, and room for ``ROW`` scores of each."""


def add_numbers(row: Ptr[T], factor: T, mask: Ptr[T], step: i64, n: i64) -> None:
    """Multiply scores, and add what the mask says."""
    if step == 1:
        for j in range(n):
            row[j] = row[j] * factor + mask[j]
    else:
        for j in range(n):
            row[j] = row[j] * factor + mask[j * step]


def hide(row: Ptr[T], factor: T, mask: Ptr[u8], step: i64, n: i64) -> None:
    """Multiply scores, and leave those that the mask says."""
    if step == 1:
        for j in range(n):
            row[j] = select(mask[j] != 0, row[j] * factor, T(NO_SCORE))
    else:
        for j in range(n):
            row[j] = select(mask[j * step] != 0, row[j] * factor, T(NO_SCORE))


def weigh(row: Ptr[T], n: i64, state: Ptr[T]) -> T:
    """Make weights of the scores of a row, whose length is rounded up to lanes.

    Args:
        state: The largest score of earlier blocks and the sum of their weights; is brought up to date.

    Returns:
        What earlier results are multiplied by.
    """
    for j in range(n, (n + LANES - 1) & -LANES):
        row[j] = T(NO_SCORE)
    whole = (n + LANES - 1) // LANES
    lanes = stack(LANES, T)
    for lane in range(LANES):
        lanes[lane] = state[0]
    for i in range(whole):
        chunk = row + i * LANES
        for lane in range(LANES):
            lanes[lane] = select(chunk[lane] > lanes[lane], chunk[lane], lanes[lane])
    top = lanes[0]
    for lane in range(LANES):
        if lanes[lane] > top:
            top = lanes[lane]
    base = top
    if top == T(NO_SCORE):
        base = T(0)
    for lane in range(LANES):
        lanes[lane] = T(0)
    for i in range(whole):
        chunk = row + i * LANES
        for lane in range(LANES):
            weight = vm.exp(chunk[lane] - base)
            chunk[lane] = weight
            lanes[lane] = lanes[lane] + weight
    half = LANES // 2
    while half > 0:
        for lane in range(half):
            lanes[lane] = lanes[lane] + lanes[lane + half]
        half = half // 2
    kept = vm.exp(state[0] - base)
    state[0] = top
    state[1] = state[1] * kept + lanes[0]
    return kept


def attend_block(task: Ptr[i64], scratch: Ptr[T], unit: i64) -> None:
    """One block of queries."""
    batch = unit // task[BLOCKS]
    first = (unit - batch * task[BLOCKS]) * QUERIES
    queries = task[LENGTH] - first
    if queries > QUERIES:
        queries = QUERIES
    width = task[WIDTH]
    made = task[MADE]
    query = pointer(task[QUERY], T)
    key = pointer(task[KEY], T)
    value = pointer(task[VALUE], T)
    masked = 0
    rest = batch
    d = task[RANK] - 1
    sizes = pointer(task[BATCH], i64)
    while d >= 0:
        index = rest % sizes[d]
        rest = rest // sizes[d]
        of_key = index
        of_value = index
        if d == task[RANK] - 1:
            of_key = index // task[SHARED_KEYS]
            of_value = index // task[SHARED_VALUES]
        query = query + index * pointer(task[OF_QUERY], i64)[d]
        key = key + of_key * pointer(task[OF_KEY], i64)[d]
        value = value + of_value * pointer(task[OF_VALUE], i64)[d]
        masked = masked + index * pointer(task[OF_MASK], i64)[d]
        d = d - 1
    query = query + first * task[QUERY_STEP]
    out = pointer(task[TO], T) + (batch * task[LENGTH] + first) * made
    factor = T(pointer(task[FACTOR], f64)[0])
    row_step = task[ROW]
    scores = scratch
    found = scratch + task[COLUMN] * row_step
    packed = found + task[COLUMN] * made
    states = stack(2 * QUERIES, T)
    kept = stack(QUERIES, T)
    for r in range(queries):
        states[2 * r] = T(NO_SCORE)
        states[2 * r + 1] = T(0)
    for j in range(queries * made):
        out[j] = T(0)
    count = task[COUNT]
    if task[CAUSAL] != 0 and count > first + queries:
        count = first + queries
    start = 0
    while start < count:
        n = count - start
        if n > KEYS:
            n = KEYS
        keys = key + start * task[KEY_STEP]
        values = value + start * task[VALUE_STEP]
        if width == 0:
            for j in range(queries * row_step):
                scores[j] = T(0)
        elif task[USES_BLAS] != 0:
            multiply_part(scores, query, task[QUERY_STEP], 1, keys, 1, task[KEY_STEP], queries, n, width, row_step)
        else:
            pack_matrix(packed, keys, width, n, 1, task[KEY_STEP])
            multiply_own(scores, query, task[QUERY_STEP], 1, packed, n, queries, n, width, row_step)
        for r in range(queries):
            row = scores + r * row_step
            at = masked + (first + r) * task[MASK_ROW] + start * task[MASK_STEP]
            if task[KIND] == BOOLS:
                hide(row, factor, pointer(task[MASK], u8) + at, task[MASK_STEP], n)
            elif task[KIND] == NUMBERS:
                add_numbers(row, factor, pointer(task[MASK], T) + at, task[MASK_STEP], n)
            else:
                for j in range(n):
                    row[j] = row[j] * factor
            if task[CAUSAL] != 0:
                seen = first + r + 1 - start
                if seen < 0:
                    seen = 0
                for j in range(seen, n):
                    row[j] = T(NO_SCORE)
            kept[r] = weigh(row, n, states + 2 * r)
        if task[USES_BLAS] != 0:
            multiply_part(found, scores, row_step, 1, values, task[VALUE_STEP], 1, queries, made, n, made)
        else:
            multiply_own(found, scores, row_step, 1, values, task[VALUE_STEP], queries, made, n, made)
        for r in range(queries):
            scale = kept[r]
            to = out + r * made
            more = found + r * made
            for j in range(made):
                to[j] = to[j] * scale + more[j]
        start = start + KEYS
    for r in range(queries):
        total = states[2 * r + 1]
        to = out + r * made
        if total != T(0):
            for j in range(made):
                to[j] = to[j] / total


def attend_some(task: Ptr[i64], begin: i64, end: i64) -> None:
    """Some parts of the blocks, with the scratch memory of the first one."""
    scratch = pointer(task[SCRATCH], T) + begin * task[ROOM]
    units = task[UNITS]
    parts = task[PARTS]
    for unit in range(units * begin // parts, units * end // parts):
        attend_block(task, scratch, unit)


# ---- what is checked


def try_rows(t: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
    """A reference to the tensor, or a contiguous copy where BLAS cannot read its rows; null: there is no memory."""
    n = i64(t.ndim)
    sizes = sizes_of(t) + (n - 2)
    strides = strides_of(t) + (n - 2)
    if is_row_major(sizes[0], sizes[1], strides[0], strides[1]):
        tensor_retain(t)
        return t
    return try_contiguous(t)


def step_of(t: Ptr[TensorImpl]) -> i64:
    """How far rows are apart."""
    n = i64(t.ndim)
    if sizes_of(t)[n - 2] == 1:
        return sizes_of(t)[n - 1]
    return strides_of(t)[n - 2]


def set_batch(strides: Ptr[i64], rank: i64, t: Ptr[TensorImpl], inner: i64) -> None:
    """The strides of a tensor along the dimensions of the batch; 0 where it is broadcast."""
    own = i64(t.ndim) - inner
    for d in range(rank):
        strides[d] = 0
    for d in range(own):
        if sizes_of(t)[d] != 1:
            strides[rank - own + d] = strides_of(t)[d]


def shared(query: Ptr[TensorImpl], other: Ptr[TensorImpl], grouped: b8) -> i64:
    """How many heads of queries share a head of keys or values. Raises RuntimeError where they cannot."""
    if not grouped:
        return 1
    if query.ndim < 3 or other.ndim < 3:
        raise RuntimeError("scaled_dot_product_attention(enable_gqa=True) needs tensors with heads in dimension -3")
    heads = sizes_of(query)[i64(query.ndim) - 3]
    own = sizes_of(other)[i64(other.ndim) - 3]
    if own == 0 or heads % own != 0:
        raise RuntimeError(
            "Number of heads in key and value must divide the number of heads in query, got {0} and {1}", own, heads
        )
    return heads // own


def broadcast_batch(batch: Ptr[i64], rank: i64, t: Ptr[TensorImpl], together: i64) -> None:
    """Widen the sizes of the batch to those of a tensor with `together` heads for each of its own."""
    own = i64(t.ndim) - 2
    sizes = stack(MAX_RANK, i64)
    for d in range(own):
        sizes[d] = sizes_of(t)[d]
    if together > 1:
        sizes[own - 1] = sizes[own - 1] * together
    broadcast_into(batch, rank, sizes, own)


def read_mask(task: Ptr[i64], mask: Ptr[TensorImpl], strides: Ptr[i64]) -> None:
    """Set how a mask lies. Raises RuntimeError where it does not go with the scores."""
    task[KIND] = NO_MASK
    task[MASK_ROW] = 0
    task[MASK_STEP] = 0
    for d in range(task[RANK]):
        strides[d] = 0
    if address(mask) == 0:
        return
    task[KIND] = NUMBERS
    if mask.dtype == codes.BOOL:
        task[KIND] = BOOLS
    task[MASK] = address(mask.data)
    ndim = i64(mask.ndim)
    if ndim > 0:
        n = sizes_of(mask)[ndim - 1]
        if n != 1 and n != task[COUNT]:
            raise RuntimeError("a mask for {0} keys has {1} columns", task[COUNT], n)
        if n != 1:
            task[MASK_STEP] = strides_of(mask)[ndim - 1]
    if ndim > 1:
        n = sizes_of(mask)[ndim - 2]
        if n != 1 and n != task[LENGTH]:
            raise RuntimeError("a mask for {0} queries has {1} rows", task[LENGTH], n)
        if n != 1:
            task[MASK_ROW] = strides_of(mask)[ndim - 2]
        set_batch(strides, task[RANK], mask, 2)


def attend(
    query: Ptr[TensorImpl],
    key: Ptr[TensorImpl],
    value: Ptr[TensorImpl],
    mask: Ptr[TensorImpl],
    factor: f64,
    causal: b8,
    grouped: b8,
) -> Ptr[TensorImpl]:
    """`torch.nn.functional.scaled_dot_product_attention` without dropout.

    Raises RuntimeError where the shapes do not go together, MemoryError where there is no memory.
    """
    if query.ndim < 2 or key.ndim < 2 or value.ndim < 2:
        raise RuntimeError(
            "Expected query, key, and value to all be at least 2 dimensional, but got {0}, {1} and {2} dimensions",
            i64(query.ndim),
            i64(key.ndim),
            i64(value.ndim),
        )
    task = stack(TASK, i64)
    task[LENGTH] = sizes_of(query)[i64(query.ndim) - 2]
    task[WIDTH] = sizes_of(query)[i64(query.ndim) - 1]
    task[COUNT] = sizes_of(key)[i64(key.ndim) - 2]
    task[MADE] = sizes_of(value)[i64(value.ndim) - 1]
    if sizes_of(key)[i64(key.ndim) - 1] != task[WIDTH]:
        raise RuntimeError(
            "queries and keys of one size expected, got {0} and {1}", task[WIDTH], sizes_of(key)[i64(key.ndim) - 1]
        )
    if sizes_of(value)[i64(value.ndim) - 2] != task[COUNT]:
        raise RuntimeError(
            "as many keys as values expected, got {0} and {1}", task[COUNT], sizes_of(value)[i64(value.ndim) - 2]
        )
    task[SHARED_KEYS] = shared(query, key, grouped)
    task[SHARED_VALUES] = shared(query, value, grouped)
    rank = i64(query.ndim) - 2
    if i64(key.ndim) - 2 > rank:
        rank = i64(key.ndim) - 2
    if i64(value.ndim) - 2 > rank:
        rank = i64(value.ndim) - 2
    sizes = stack(MAX_RANK, i64)
    for d in range(rank):
        sizes[d] = 1
    broadcast_batch(sizes, rank, query, 1)
    broadcast_batch(sizes, rank, key, task[SHARED_KEYS])
    broadcast_batch(sizes, rank, value, task[SHARED_VALUES])
    if address(mask) != 0:
        if i64(mask.ndim) > rank + 2:
            raise RuntimeError("a mask of {0} dimensions for scores of {1}", i64(mask.ndim), rank + 2)
        for d in range(i64(mask.ndim) - 2):
            n = sizes_of(mask)[d]
            if n != 1 and n != sizes[rank + 2 - i64(mask.ndim) + d]:
                raise RuntimeError(
                    "a mask of size {0} for scores of size {1} at dimension {2}",
                    n,
                    sizes[rank + 2 - i64(mask.ndim) + d],
                    d,
                )
    units = 1
    for d in range(rank):
        units = units * sizes[d]
    task[RANK] = rank
    sizes[rank] = task[LENGTH]
    sizes[rank + 1] = task[MADE]
    of_query = stack(MAX_RANK, i64)
    of_key = stack(MAX_RANK, i64)
    of_value = stack(MAX_RANK, i64)
    of_mask = stack(MAX_RANK, i64)
    read_mask(task, mask, of_mask)
    out = tensor_alloc(query.dtype, rank + 2, sizes)
    if out.numel == 0:
        return out
    q = try_rows(query)
    k = try_rows(key)
    v = try_rows(value)
    done = address(q) != 0 and address(k) != 0 and address(v) != 0
    if done:
        set_batch(of_query, rank, q, 2)
        set_batch(of_key, rank, k, 2)
        set_batch(of_value, rank, v, 2)
        numbers = stack(1, f64)
        numbers[0] = factor
        task[TO] = address(out.data)
        task[QUERY] = address(q.data)
        task[KEY] = address(k.data)
        task[VALUE] = address(v.data)
        task[QUERY_STEP] = step_of(q)
        task[KEY_STEP] = step_of(k)
        task[VALUE_STEP] = step_of(v)
        task[FACTOR] = address(numbers)
        task[CAUSAL] = i64(causal)
        task[BATCH] = address(sizes)
        task[OF_QUERY] = address(of_query)
        task[OF_KEY] = address(of_key)
        task[OF_VALUE] = address(of_value)
        task[OF_MASK] = address(of_mask)
        task[BLOCKS] = (task[LENGTH] + QUERIES - 1) // QUERIES
        task[UNITS] = units * task[BLOCKS]
        products = task[COUNT] * (task[WIDTH] + task[MADE])
        task[PARTS] = parts_of(task[UNITS], products * QUERIES)
        task[USES_BLAS] = i64(has_blas() and (task[COUNT] | task[WIDTH] | task[MADE]) <= LARGEST_BLAS_SIZE)
        task[COLUMN] = least(task[LENGTH], QUERIES)
        task[ROW] = least((task[COUNT] + LANES - 1) & -LANES, KEYS)
        task[ROOM] = task[COLUMN] * (task[ROW] + task[MADE])
        if task[USES_BLAS] == 0:
            task[ROOM] = task[ROOM] + KEYS * task[WIDTH]
        nbytes = task[ROOM] * itemsize_of(query.dtype)
        done = nbytes <= LARGEST // task[PARTS]
        if done:
            nbytes = nbytes * task[PARTS]
            scratch = heap_try_allocate(nbytes)
            done = address(scratch) != 0
            if done:
                task[SCRATCH] = address(scratch)
                begin_work(units * task[LENGTH] * (products // FLOPS + 1))
                if task[PARTS] > 1:
                    parallel(context(), function(attend_some), task, task[PARTS], 1)
                else:
                    attend_some(task, 0, 1)
                heap_free(scratch, nbytes)
    release_all(q, k, v)
    if not done:
        tensor_release(out)
        raise MemoryError("there is no memory for attention")
    return out
