"""Tier 3: recurrent networks of several layers, in one or both directions. ``T`` is float32 or float64.

What the input adds to the gates is one product for all steps. Each step multiplies the state by weights that are laid
out once, then goes over the gates once. The states of all elements of a batch lie where the last ones are wanted: an
element whose sequence has ended, or has not begun in the other direction, is left as it is.
"""

from __future__ import annotations

from tscript.abi.layout import TENSOR_CONTIGUOUS
from tscript.dialect import (
    List,
    Ptr,
    T,
    TensorImpl,
    Void,
    address,
    b8,
    f32,
    f64,
    i32,
    i64,
    pointer,
    pointer_cast,
    stack,
)
from tscript.dialect import vector_math as vm
from tscript.runtime.kernels import codes
from tscript.runtime.kernels.convert import convert_elements
from tscript.runtime.kernels.gemm import LARGEST_BLAS_SIZE, has_blas, multiply_blas
from tscript.runtime.kernels.layouts import may_lay_out
from tscript.runtime.kernels.memory import heap_free, heap_try_allocate
from tscript.runtime.kernels.memory_blocks import LARGEST
from tscript.runtime.kernels.panels import (
    COLUMNS,
    lay_out_panels,
    multiply_laid_out,
    multiply_panels,
    panels_of,
    panels_of_constant,
)
from tscript.runtime.kernels.tensor import (
    begin_work,
    itemsize_of,
    sizes_of,
    strides_of,
    tensor_alloc,
    tensor_release,
    tensor_retain,
    tensor_try_alloc,
)

LSTM, GRU, TANH, RELU = range(4)
"""Kinds of networks."""

STRIP = 64
"""Elements of a row whose gates are computed at once."""

FLOPS = 16
"""Products that take as long as one element elsewhere."""

INPUT, ROWS, STEPS, BATCH, BATCH_SIZES, HIDDEN, STATE, WIDTH, WIDEST = range(9)
KIND, LAYERS, DIRECTIONS, BIASES, PROJECTED, EACH, PARAMS, OUT, LAST, CELLS, MASK = range(9, 20)
TASK = 20
"""Cells of a network. ``HIDDEN`` is the size of a gate and ``STATE`` that of the state, which differ where there is a
projection; ``WIDTH`` is that of the input and ``WIDEST`` of the input of any layer; ``EACH`` is the number of tensors
of a layer and direction."""


def gates_of(kind: i64) -> i64:
    """How many gates a network has."""
    if kind == LSTM:
        return 4
    if kind == GRU:
        return 3
    return 1


# ---- one step of one element of the batch


def add_sums(to: Ptr[T], x: Ptr[T], s: Ptr[T], bias: Ptr[T], n: i64) -> None:
    """The sum of three rows."""
    for j in range(n):
        to[j] = x[j] + s[j] + bias[j]


def lstm_row(x: Ptr[T], s: Ptr[T], bias: Ptr[T], c: Ptr[T], h: Ptr[T], hidden: i64) -> None:
    """The new cell and state, of what the input and the state add to the gates i, f, g and o."""
    entered = stack(STRIP, T)
    forget = stack(STRIP, T)
    new = stack(STRIP, T)
    shown = stack(STRIP, T)
    cell = stack(STRIP, T)
    at = 0
    while at < hidden:
        n = hidden - at
        if n > STRIP:
            n = STRIP
        add_sums(entered, x + at, s + at, bias + at, n)
        add_sums(forget, x + (hidden + at), s + (hidden + at), bias + (hidden + at), n)
        add_sums(new, x + (2 * hidden + at), s + (2 * hidden + at), bias + (2 * hidden + at), n)
        add_sums(shown, x + (3 * hidden + at), s + (3 * hidden + at), bias + (3 * hidden + at), n)
        for j in range(n):
            cell[j] = c[at + j]
        for j in range(n):
            cell[j] = vm.sigmoid(forget[j]) * cell[j] + vm.sigmoid(entered[j]) * vm.tanh(new[j])
        for j in range(n):
            shown[j] = vm.sigmoid(shown[j]) * vm.tanh(cell[j])
        for j in range(n):
            c[at + j] = cell[j]
        for j in range(n):
            h[at + j] = shown[j]
        at = at + STRIP


def gru_row(x: Ptr[T], s: Ptr[T], bias: Ptr[T], h: Ptr[T], hidden: i64) -> None:
    """The new state, of what the input and the state add to the gates r, z and n."""
    reset = stack(STRIP, T)
    update = stack(STRIP, T)
    given = stack(STRIP, T)
    new = stack(STRIP, T)
    at = 0
    while at < hidden:
        n = hidden - at
        if n > STRIP:
            n = STRIP
        last = 2 * hidden + at
        add_sums(reset, x + at, s + at, bias + at, n)
        add_sums(update, x + (hidden + at), s + (hidden + at), bias + (hidden + at), n)
        for j in range(n):
            given[j] = s[last + j] + bias[last + hidden + j]
        for j in range(n):
            new[j] = x[last + j] + bias[last + j]
        for j in range(n):
            new[j] = vm.tanh(new[j] + vm.sigmoid(reset[j]) * given[j])
        for j in range(n):
            given[j] = h[at + j]
        for j in range(n):
            kept = vm.sigmoid(update[j])
            new[j] = (T(1) - kept) * new[j] + kept * given[j]
        for j in range(n):
            h[at + j] = new[j]
        at = at + STRIP


def plain_row(x: Ptr[T], s: Ptr[T], bias: Ptr[T], h: Ptr[T], hidden: i64, kind: i64) -> None:
    """The new state of a network without gates."""
    new = stack(STRIP, T)
    at = 0
    while at < hidden:
        n = hidden - at
        if n > STRIP:
            n = STRIP
        add_sums(new, x + at, s + at, bias + at, n)
        if kind == TANH:
            for j in range(n):
                new[j] = vm.tanh(new[j])
        else:
            for j in range(n):
                if new[j] < T(0):
                    new[j] = T(0)
        for j in range(n):
            h[at + j] = new[j]
        at = at + STRIP


# ---- layers


def room_of(task: Ptr[i64]) -> i64:
    """Elements of the scratch memory of a network."""
    sums = gates_of(task[KIND]) * task[HIDDEN]
    widest = task[WIDEST]
    if task[STATE] > widest:
        widest = task[STATE]
    if task[PROJECTED] != 0 and task[HIDDEN] > widest:
        widest = task[HIDDEN]
    found = (task[ROWS] + task[BATCH]) * sums + sums + task[HIDDEN]
    found = found + panels_of(sums) * COLUMNS * widest
    if task[PROJECTED] != 0:
        found = found + panels_of(task[STATE]) * COLUMNS * task[HIDDEN] + task[BATCH] * task[HIDDEN]
    if task[LAYERS] > 1:
        found = found + task[ROWS] * task[DIRECTIONS] * task[STATE]
    return found


def parameter(task: Ptr[i64], number: i64, _element: T) -> Ptr[T]:
    """The elements of a weight or bias."""
    return pointer_cast(pointer(pointer(task[PARAMS], i64)[number], TensorImpl).data, T)


def constant_panels(task: Ptr[i64], number: i64, n: i64, k: i64, _element: T) -> i64:
    """The address of the panels of a weight, which is n x k, that never changes; 0 of others."""
    weight = pointer(pointer(task[PARAMS], i64)[number], TensorImpl)
    if k == 0 or not may_lay_out(weight.storage):
        return 0
    return panels_of_constant(weight.storage, pointer_cast(weight.data, T), k, 1, n, k, itemsize_of(weight.dtype))


def laid_out(room: Ptr[T], task: Ptr[i64], number: i64, n: i64, k: i64) -> Ptr[T]:
    """The panels of a weight, which is n x k: those of a constant, or what `room` gets."""
    constant = constant_panels(task, number, n, k, T(0))
    if constant != 0:
        return pointer(constant, T)
    lay_out_panels(room, parameter(task, number, T(0)), k, 1, n, k)
    return room


def add_biases(bias: Ptr[T], task: Ptr[i64], first: i64) -> None:
    """The biases of a layer: of both products together, but for the last gate of `GRU`, where that of the state comes
    behind that of the input."""
    hidden = task[HIDDEN]
    sums = gates_of(task[KIND]) * hidden
    for j in range(sums + hidden):
        bias[j] = T(0)
    if task[BIASES] == 0:
        return
    of_input = parameter(task, first + 2, T(0))
    of_state = parameter(task, first + 3, T(0))
    joined = sums
    if task[KIND] == GRU:
        joined = 2 * hidden
    for j in range(joined):
        bias[j] = of_input[j] + of_state[j]
    for j in range(joined, sums):
        bias[j] = of_input[j]
        bias[hidden + j] = of_state[j]


def run_direction(
    task: Ptr[i64], scratch: Ptr[T], source: Ptr[T], width: i64, to: Ptr[T], layer: i64, direction: i64
) -> None:
    """One layer in one direction.

    Args:
        source, width: A row for each step of each element of the batch, and its size.
        to: Where the states go, a row for each of them, which is as wide as the states of all directions.
    """
    number = layer * task[DIRECTIONS] + direction
    first = number * task[EACH]
    kind = task[KIND]
    hidden = task[HIDDEN]
    state = task[STATE]
    rows = task[ROWS]
    sums = gates_of(kind) * hidden
    whole = task[DIRECTIONS] * state
    of_input = scratch
    of_state = of_input + rows * sums
    bias = of_state + task[BATCH] * sums
    shown = bias + (sums + hidden)
    projection = shown
    if task[PROJECTED] != 0:
        projection = shown + task[BATCH] * hidden
    panels = projection
    if task[PROJECTED] != 0:
        panels = projection + panels_of(state) * COLUMNS * hidden
        projection = laid_out(projection, task, first + task[EACH] - 1, state, hidden)
    h = pointer(task[LAST], T) + number * task[BATCH] * state
    c = pointer(task[CELLS], T) + number * task[BATCH] * hidden
    add_biases(bias, task, first)
    weights = parameter(task, first, T(0))
    constant = constant_panels(task, first, sums, width, T(0))
    if width == 0:
        for j in range(rows * sums):
            of_input[j] = T(0)
    elif constant != 0:
        multiply_laid_out(of_input, source, width, pointer(constant, T), rows, sums, width)
    elif has_blas() and (rows | sums | width) <= LARGEST_BLAS_SIZE:
        multiply_blas(of_input, source, width, 1, weights, 1, width, rows, sums, width)
    else:
        lay_out_panels(panels, weights, width, 1, sums, width)
        multiply_panels(of_input, sums, source, width, panels, rows, sums, width)
    panels = laid_out(panels, task, first + 1, sums, state)
    sizes = pointer(task[BATCH_SIZES], i64)
    at = 0
    if direction == 1:
        at = rows
    for step in range(task[STEPS]):
        t = step
        if direction == 1:
            t = task[STEPS] - 1 - step
        batch = task[BATCH]
        if task[BATCH_SIZES] != 0:
            batch = sizes[t]
        if direction == 1:
            at = at - batch
        multiply_panels(of_state, sums, h, state, panels, batch, sums, state)
        for b in range(batch):
            x = of_input + (at + b) * sums
            s = of_state + b * sums
            if kind == LSTM:
                found = h + b * state
                if task[PROJECTED] != 0:
                    found = shown + b * hidden
                lstm_row(x, s, bias, c + b * hidden, found, hidden)
            elif kind == GRU:
                gru_row(x, s, bias, h + b * state, hidden)
            else:
                plain_row(x, s, bias, h + b * state, hidden, kind)
        if task[PROJECTED] != 0:
            multiply_panels(h, state, shown, hidden, projection, batch, state, hidden)
        for b in range(batch):
            target = to + ((at + b) * whole + direction * state)
            for j in range(state):
                target[j] = h[b * state + j]
        if direction == 0:
            at = at + batch


def run_layers(task: Ptr[i64], scratch: Ptr[T]) -> None:
    """All layers. They write to the result and to the end of the scratch memory in turns, the last to the result."""
    whole = task[DIRECTIONS] * task[STATE]
    spare = scratch + (room_of(task) - task[ROWS] * whole)
    source = pointer(task[INPUT], T)
    width = task[WIDTH]
    for layer in range(task[LAYERS]):
        to = pointer(task[OUT], T)
        if (task[LAYERS] - 1 - layer) & 1 != 0:
            to = spare
        for direction in range(task[DIRECTIONS]):
            run_direction(task, scratch, source, width, to, layer, direction)
        if task[MASK] != 0 and layer + 1 < task[LAYERS]:
            mask = pointer(task[MASK], T) + layer * task[ROWS] * whole
            for j in range(task[ROWS] * whole):
                to[j] = to[j] * mask[j]
        source = to
        width = whole


# ---- what is checked


def is_half(code: i32) -> b8:
    """Whether weights of the dtype with this code are converted."""
    return code == codes.FLOAT16 or code == codes.BFLOAT16


def check_dtype(input: Ptr[TensorImpl], other: Ptr[TensorImpl]) -> None:
    """Raise RuntimeError where a tensor has another dtype than the input; weights of 16 bits are converted."""
    if other.dtype != input.dtype and not is_half(other.dtype):
        raise RuntimeError("the input, the states and the weights of a recurrent network must have one dtype")


def check_state(state: Ptr[TensorImpl], count: i64, batch: i64) -> None:
    """Raise RuntimeError where a state is not one row for each layer, direction and element of the batch."""
    if state.ndim != 3:
        raise RuntimeError("the states of a recurrent network have 3 dimensions, not {0}", i64(state.ndim))
    if sizes_of(state)[0] != count or sizes_of(state)[1] != batch:
        raise RuntimeError(
            "Expected hidden size ({0}, {1}, ...), of layers times directions and batch, got ({2}, {3}, ...)",
            count,
            batch,
            sizes_of(state)[0],
            sizes_of(state)[1],
        )


def check_weight(weight: Ptr[TensorImpl], rows: i64, columns: i64) -> None:
    """Raise RuntimeError where a weight has another shape."""
    if weight.ndim != 2:
        raise RuntimeError("a weight of a recurrent network has 2 dimensions, not {0}", i64(weight.ndim))
    if sizes_of(weight)[0] != rows or sizes_of(weight)[1] != columns:
        raise RuntimeError(
            "expected a weight of a recurrent network of size {0}x{1}, got {2}x{3}",
            rows,
            columns,
            sizes_of(weight)[0],
            sizes_of(weight)[1],
        )


def check_bias(bias: Ptr[TensorImpl], size: i64) -> None:
    """Raise RuntimeError where a bias has another shape."""
    if bias.ndim != 1 or bias.numel != size:
        raise RuntimeError(
            "expected a bias of a recurrent network of size {0}, got {1} elements in {2} dimensions",
            size,
            bias.numel,
            i64(bias.ndim),
        )


def check_batch_sizes(batch_sizes: Ptr[TensorImpl], rows: i64) -> None:
    """Raise RuntimeError where the numbers of elements of the steps do not make up the rows."""
    if batch_sizes.ndim != 1 or batch_sizes.dtype != codes.INT64 or batch_sizes.numel == 0:
        raise RuntimeError("batch_sizes must be int64 numbers in one dimension, at least one of them")
    total = 0
    before = rows
    for t in range(batch_sizes.numel):
        n = pointer_cast(batch_sizes.data, i64)[t * strides_of(batch_sizes)[0]]
        if n < 1 or n > before:
            raise RuntimeError("batch_sizes must be positive and must not increase, got {0} after {1}", n, before)
        before = n
        total = total + n
    if total != rows:
        raise RuntimeError("batch_sizes add up to {0}, but the data has {1} rows", total, rows)


def check_parameters(params: Ptr[Ptr[TensorImpl]], count: i64, input: Ptr[TensorImpl], task: Ptr[i64]) -> None:
    """Raise RuntimeError where the weights do not go with the input and the states; sets ``WIDEST``."""
    networks = task[LAYERS] * task[DIRECTIONS]
    if count != networks * task[EACH]:
        raise RuntimeError(
            "expected {0} weights and biases for each of {1} layers, times directions, got {2} in all",
            task[EACH],
            networks,
            count,
        )
    sums = gates_of(task[KIND]) * task[HIDDEN]
    for number in range(networks):
        each = params + number * task[EACH]
        width = task[WIDTH]
        if number >= task[DIRECTIONS]:
            width = task[DIRECTIONS] * task[STATE]
        if width > task[WIDEST]:
            task[WIDEST] = width
        for k in range(task[EACH]):
            check_dtype(input, each[k])
        if each[0].ndim == 2:
            if sizes_of(each[0])[1] != width:
                raise RuntimeError(
                    "input.size(-1) must be equal to input_size. Expected {0}, got {1}", sizes_of(each[0])[1], width
                )
        check_weight(each[0], sums, width)
        check_weight(each[1], sums, task[STATE])
        if task[BIASES] != 0:
            check_bias(each[2], sums)
            check_bias(each[3], sums)
        if task[PROJECTED] != 0:
            check_weight(each[task[EACH] - 1], task[STATE], task[HIDDEN])


# ---- networks


def try_stored(t: Ptr[TensorImpl], like: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
    """A reference to the tensor, or to a contiguous copy of the dtype of `like`; null where there is no memory."""
    if t.flags & TENSOR_CONTIGUOUS != 0 and t.dtype == like.dtype:
        tensor_retain(t)
        return t
    made = tensor_try_alloc(like.dtype, i64(t.ndim), sizes_of(t), t.numel)
    if address(made) != 0:
        convert_elements(
            made.data, made.dtype, strides_of(made), t.data, t.dtype, strides_of(t), sizes_of(t), i64(t.ndim)
        )
    return made


def run_network(
    input: Ptr[TensorImpl],
    batch_sizes: Ptr[TensorImpl],
    h: Ptr[TensorImpl],
    c: Ptr[TensorImpl],
    params: Ptr[Ptr[TensorImpl]],
    count: i64,
    mask: Ptr[TensorImpl],
    kind: i64,
    has_biases: b8,
    layers: i64,
    bidirectional: b8,
) -> tuple[Ptr[TensorImpl], Ptr[TensorImpl], Ptr[TensorImpl]]:
    """The states of the last layer after each step, the last states of all layers, and the last cells or null.

    Args:
        input: Of shape ``(steps, batch, width)``, or ``(rows, width)`` with `batch_sizes`; float32 or float64.
        batch_sizes: How many elements of the batch each step has; null if that is the same for all.
        h, c: First states and cells; the latter of `LSTM` only, else null.
        params, count: Weights and biases, layer by layer, direction by direction.
        mask: What the states between layers are multiplied by; null for nothing.

    Raises RuntimeError where they do not go together, MemoryError where there is no memory.
    """
    if input.dtype != codes.FLOAT32 and input.dtype != codes.FLOAT64:
        raise NotImplementedError("a recurrent network is not implemented for this dtype: convert it to float32")
    task = stack(TASK, i64)
    task[KIND] = kind
    task[LAYERS] = layers
    task[DIRECTIONS] = 1
    if bidirectional:
        task[DIRECTIONS] = 2
    task[BATCH_SIZES] = 0
    if layers < 1:
        raise RuntimeError("a recurrent network has at least one layer, not {0}", layers)
    if address(batch_sizes) != 0:
        if input.ndim != 2:
            raise RuntimeError("packed data has 2 dimensions, not {0}", i64(input.ndim))
        check_batch_sizes(batch_sizes, sizes_of(input)[0])
        task[ROWS] = sizes_of(input)[0]
        task[STEPS] = batch_sizes.numel
        task[BATCH] = pointer_cast(batch_sizes.data, i64)[0]
        task[WIDTH] = sizes_of(input)[1]
    else:
        if input.ndim != 3:
            raise RuntimeError(
                "the input of a recurrent network has 3 dimensions, not {0}: unsqueeze(1) makes a batch of one",
                i64(input.ndim),
            )
        task[STEPS] = sizes_of(input)[0]
        task[BATCH] = sizes_of(input)[1]
        task[ROWS] = task[STEPS] * task[BATCH]
        task[WIDTH] = sizes_of(input)[2]
        if task[STEPS] == 0:
            raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
    task[WIDEST] = task[WIDTH]
    networks = layers * task[DIRECTIONS]
    check_dtype(input, h)
    check_state(h, networks, task[BATCH])
    task[STATE] = sizes_of(h)[2]
    task[HIDDEN] = task[STATE]
    task[PROJECTED] = 0
    if kind == LSTM:
        check_dtype(input, c)
        check_state(c, networks, task[BATCH])
        task[HIDDEN] = sizes_of(c)[2]
        task[PROJECTED] = i64(task[HIDDEN] != task[STATE])
    task[BIASES] = i64(has_biases)
    task[EACH] = 2 + 2 * task[BIASES] + task[PROJECTED]
    check_parameters(params, count, input, task)
    shape = stack(3, i64)
    shape[0] = sizes_of(input)[0]
    shape[1] = sizes_of(input)[1]
    shape[i64(input.ndim) - 1] = task[DIRECTIONS] * task[STATE]
    out = tensor_alloc(input.dtype, i64(input.ndim), shape)
    last = tensor_try_alloc(input.dtype, 3, sizes_of(h), h.numel)
    cells = pointer(0, TensorImpl)
    done = address(last) != 0
    if kind == LSTM:
        cells = tensor_try_alloc(input.dtype, 3, sizes_of(c), c.numel)
        done = done and address(cells) != 0
    if done:
        begin_work(task[ROWS] * gates_of(kind) * task[HIDDEN] * (task[WIDEST] + task[STATE]) * layers // FLOPS)
        store_state(last, h)
        task[OUT] = address(out.data)
        task[LAST] = address(last.data)
        task[CELLS] = 0
        if kind == LSTM:
            store_state(cells, c)
            task[CELLS] = address(cells.data)
        done = run_stored(task, input, batch_sizes, params, count, mask)
    if not done:
        tensor_release(out)
        tensor_release(last)
        tensor_release(cells)
        raise MemoryError("there is no memory for a recurrent network")
    return out, last, cells


def store_state(to: Ptr[TensorImpl], source: Ptr[TensorImpl]) -> None:
    """Copy states of any layout, of another dtype too."""
    convert_elements(to.data, to.dtype, strides_of(to), source.data, source.dtype, strides_of(source), sizes_of(to), 3)


def run_stored(
    task: Ptr[i64],
    input: Ptr[TensorImpl],
    batch_sizes: Ptr[TensorImpl],
    params: Ptr[Ptr[TensorImpl]],
    count: i64,
    mask: Ptr[TensorImpl],
) -> b8:
    """Run a network with contiguous copies of what is not contiguous; whether there was memory."""
    if task[ROWS] == 0 or task[HIDDEN] == 0:
        return True
    more = count + 3
    table = pointer_cast(heap_try_allocate(more * 8), Ptr[TensorImpl])
    if address(table) == 0:
        return False
    done = True
    for k in range(more):
        t = pointer(0, TensorImpl)
        if k < count:
            t = params[k]
        elif k == count:
            t = input
        elif k == count + 1:
            t = mask
        else:
            t = batch_sizes
        table[k] = t
        if address(t) != 0:
            like = input
            if k == count + 2:
                like = batch_sizes
            table[k] = try_stored(t, like)
            done = done and address(table[k]) != 0
    room = room_of(task)
    itemsize = itemsize_of(input.dtype)
    done = done and room <= LARGEST // itemsize
    if done:
        scratch = heap_try_allocate(room * itemsize)
        done = address(scratch) != 0
        if done:
            task[PARAMS] = address(table)
            task[INPUT] = address(table[count].data)
            task[MASK] = 0
            if address(mask) != 0:
                task[MASK] = address(table[count + 1].data)
            if address(batch_sizes) != 0:
                task[BATCH_SIZES] = address(table[count + 2].data)
            if input.dtype == codes.FLOAT32:
                run_layers(task, pointer_cast(scratch, f32))
            else:
                run_layers(task, pointer_cast(scratch, f64))
            heap_free(scratch, room * itemsize)
    for k in range(more):
        tensor_release(table[k])
    heap_free(pointer_cast(table, Void), more * 8)
    return done


def lstm_layers(
    input: Ptr[TensorImpl],
    batch_sizes: Ptr[TensorImpl],
    h: Ptr[TensorImpl],
    c: Ptr[TensorImpl],
    params: Ptr[Ptr[TensorImpl]],
    count: i64,
    mask: Ptr[TensorImpl],
    has_biases: b8,
    layers: i64,
    bidirectional: b8,
) -> tuple[Ptr[TensorImpl], Ptr[TensorImpl], Ptr[TensorImpl]]:
    """`run_network` of `LSTM`."""
    return run_network(input, batch_sizes, h, c, params, count, mask, LSTM, has_biases, layers, bidirectional)


def recurrent_layers(
    input: Ptr[TensorImpl],
    batch_sizes: Ptr[TensorImpl],
    h: Ptr[TensorImpl],
    params: Ptr[Ptr[TensorImpl]],
    count: i64,
    mask: Ptr[TensorImpl],
    kind: i64,
    has_biases: b8,
    layers: i64,
    bidirectional: b8,
) -> tuple[Ptr[TensorImpl], Ptr[TensorImpl]]:
    """`run_network` of the other kinds."""
    out, last, _ = run_network(
        input,
        batch_sizes,
        h,
        pointer(0, TensorImpl),
        params,
        count,
        mask,
        kind,
        has_biases,
        layers,
        bidirectional,
    )
    return out, last


def list_lstm_layers(
    input: Ptr[TensorImpl],
    batch_sizes: Ptr[TensorImpl],
    h: Ptr[TensorImpl],
    c: Ptr[TensorImpl],
    params: Ptr[List],
    mask: Ptr[TensorImpl],
    has_biases: b8,
    layers: i64,
    bidirectional: b8,
    found: Ptr[i64],
) -> None:
    """`lstm_layers` with the weights in a list; the results go to `found`."""
    out, last, cells = lstm_layers(
        input,
        batch_sizes,
        h,
        c,
        pointer_cast(params.data, Ptr[TensorImpl]),
        params.length,
        mask,
        has_biases,
        layers,
        bidirectional,
    )
    found[0] = address(out)
    found[1] = address(last)
    found[2] = address(cells)


def list_recurrent_layers(
    input: Ptr[TensorImpl],
    batch_sizes: Ptr[TensorImpl],
    h: Ptr[TensorImpl],
    params: Ptr[List],
    mask: Ptr[TensorImpl],
    kind: i64,
    has_biases: b8,
    layers: i64,
    bidirectional: b8,
    found: Ptr[i64],
) -> None:
    """`recurrent_layers` with the weights in a list; the results go to `found`."""
    out, last = recurrent_layers(
        input,
        batch_sizes,
        h,
        pointer_cast(params.data, Ptr[TensorImpl]),
        params.length,
        mask,
        kind,
        has_biases,
        layers,
        bidirectional,
    )
    found[0] = address(out)
    found[1] = address(last)
