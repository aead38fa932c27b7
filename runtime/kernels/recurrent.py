"""Tier 3: recurrent networks of several layers, in one or both directions. ``T`` is float32 or float64.

What the input adds to the gates is one product for all steps. Each step multiplies the state by weights that are laid
out once, then goes over the gates once. The states of all elements of a batch lie where the last ones are wanted: an
element whose sequence has ended, or has not begun in the other direction, is left as it is.

Threads take elements of the batch and directions, from the first step to the last; where there are too few of them, the
products of each step are divided. An element is computed in one way wherever it stands, so threads change no bit.
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
    context,
    f32,
    f64,
    function,
    i64,
    pointer,
    pointer_cast,
    stack,
    symbol,
)
from tscript.dialect import vector_math as vm
from tscript.runtime.kernels import codes
from tscript.runtime.kernels.columns import least, most
from tscript.runtime.kernels.convert import convert_elements
from tscript.runtime.kernels.gemm import LARGEST_BLAS_SIZE, has_blas, multiply_blas
from tscript.runtime.kernels.layouts import may_lay_out
from tscript.runtime.kernels.memory import heap_free, heap_try_allocate
from tscript.runtime.kernels.memory_blocks import LARGEST
from tscript.runtime.kernels.panels import (
    COLUMNS,
    GRAIN,
    lay_out_panels,
    multiply_laid_out,
    multiply_panels,
    panels_of,
    panels_of_constant,
)
from tscript.runtime.kernels.panels import ROWS as PANEL_ROWS
from tscript.runtime.kernels.parallel import parallel
from tscript.runtime.kernels.recurrent_task import (
    BATCH,
    BATCH_SIZES,
    BIAS,
    BIASES,
    CELL_STATE,
    CELLS,
    DIRECTIONS,
    EACH,
    GRU,
    HIDDEN,
    HIDDEN_STATE,
    INPUT,
    KIND,
    LAST,
    LAYERS,
    LSTM,
    MASK,
    OF_INPUT,
    OF_STATE,
    OUT,
    OWN,
    PANELS_OF_STATE,
    PARAMS,
    PARTS,
    PROJECTED,
    PROJECTION,
    ROWS,
    SHOWN,
    STATE,
    STEPS,
    TANH,
    TASK,
    TO,
    WIDEST,
    WIDTH,
    check_batch_sizes,
    check_dtype,
    check_parameters,
    check_state,
    gates_of,
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

STRIP = 64
"""Elements of a row whose gates are computed at once."""

FLOPS = 16
"""Products that take as long as one element elsewhere."""

LARGEST_CACHED = 1 << 21
"""Bytes of weights that stay in the cache of a thread from one step to the next."""


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


def room_of_direction(task: Ptr[i64]) -> i64:
    """Elements of the scratch memory of a layer in one direction."""
    sums = gates_of(task[KIND]) * task[HIDDEN]
    widest = task[WIDEST]
    if task[STATE] > widest:
        widest = task[STATE]
    found = (task[ROWS] + task[BATCH]) * sums + sums + task[HIDDEN]
    found = found + panels_of(sums) * COLUMNS * widest
    if task[PROJECTED] != 0:
        found = found + panels_of(task[STATE]) * COLUMNS * task[HIDDEN] + task[BATCH] * task[HIDDEN]
    return found


def room_of(task: Ptr[i64]) -> i64:
    """Elements of the scratch memory of a network."""
    found = task[DIRECTIONS] * room_of_direction(task)
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


def prepare_direction(
    task: Ptr[i64], own: Ptr[i64], scratch: Ptr[T], source: Ptr[T], width: i64, layer: i64, direction: i64
) -> None:
    """What the steps of a layer in one direction need: the cells `own`, panels, and what the input adds to the gates.

    Args:
        source, width: A row for each step of each element of the batch, and its size.
    """
    number = layer * task[DIRECTIONS] + direction
    first = number * task[EACH]
    hidden = task[HIDDEN]
    state = task[STATE]
    rows = task[ROWS]
    sums = gates_of(task[KIND]) * hidden
    of_input = scratch
    of_state = of_input + rows * sums
    bias = of_state + task[BATCH] * sums
    shown = bias + (sums + hidden)
    panels = shown
    own[OF_INPUT] = address(of_input)
    own[OF_STATE] = address(of_state)
    own[BIAS] = address(bias)
    own[SHOWN] = address(shown)
    own[PROJECTION] = 0
    if task[PROJECTED] != 0:
        projection = shown + task[BATCH] * hidden
        panels = projection + panels_of(state) * COLUMNS * hidden
        own[PROJECTION] = address(laid_out(projection, task, first + task[EACH] - 1, state, hidden))
    own[HIDDEN_STATE] = address(pointer(task[LAST], T) + number * task[BATCH] * state)
    own[CELL_STATE] = 0
    if task[CELLS] != 0:
        own[CELL_STATE] = address(pointer(task[CELLS], T) + number * task[BATCH] * hidden)
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
        multiply_laid_out(of_input, source, width, panels, rows, sums, width)
    own[PANELS_OF_STATE] = address(laid_out(panels, task, first + 1, sums, state))


def run_rows(task: Ptr[i64], own: Ptr[i64], direction: i64, first: i64, last: i64, divided: b8, _element: T) -> None:
    """All steps of a layer in one direction, of the elements `first` to `last` of the batch.

    Args:
        divided: Whether products are divided among threads.
    """
    kind = task[KIND]
    hidden = task[HIDDEN]
    state = task[STATE]
    sums = gates_of(kind) * hidden
    whole = task[DIRECTIONS] * state
    of_input = pointer(own[OF_INPUT], T)
    of_state = pointer(own[OF_STATE], T)
    bias = pointer(own[BIAS], T)
    shown = pointer(own[SHOWN], T)
    h = pointer(own[HIDDEN_STATE], T)
    c = pointer(own[CELL_STATE], T)
    to = pointer(task[TO], T)
    sizes = pointer(task[BATCH_SIZES], i64)
    at = 0
    if direction == 1:
        at = task[ROWS]
    for step in range(task[STEPS]):
        t = step
        if direction == 1:
            t = task[STEPS] - 1 - step
        batch = task[BATCH]
        if task[BATCH_SIZES] != 0:
            batch = sizes[t]
        if direction == 1:
            at = at - batch
        end = least(batch, last)
        if first < end:
            multiply_steps(
                of_state + first * sums, h + first * state, own[PANELS_OF_STATE], end - first, sums, state, divided
            )
        for b in range(first, end):
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
        if task[PROJECTED] != 0 and first < end:
            multiply_steps(
                h + first * state, shown + first * hidden, own[PROJECTION], end - first, state, hidden, divided
            )
        for b in range(first, end):
            target = to + ((at + b) * whole + direction * state)
            for j in range(state):
                target[j] = h[b * state + j]
        if direction == 0:
            at = at + batch


def multiply_steps(to: Ptr[T], rows: Ptr[T], panels: i64, m: i64, n: i64, k: i64, divided: b8) -> None:
    """A product of a step with the panels at an address; all have no gaps."""
    if divided:
        multiply_laid_out(to, rows, k, pointer(panels, T), m, n, k)
    else:
        multiply_panels(to, n, rows, k, pointer(panels, T), m, n, k)


def run_shares(task: Ptr[i64], begin: i64, end: i64) -> None:
    """Some parts of a layer."""
    groups = groups_of(task)
    together = rows_together(task)
    units = task[DIRECTIONS] * groups
    first = begin * units // task[PARTS]
    last = end * units // task[PARTS]
    for direction in range(task[DIRECTIONS]):
        low = most(first - direction * groups, 0) * together
        high = least(least(last - direction * groups, groups) * together, task[BATCH])
        if low < high:
            run_rows(task, task + (TASK + direction * OWN), direction, low, high, False, T(0))


def rows_together(task: Ptr[i64]) -> i64:
    """How many elements of a batch one thread takes, at least: those that products go over together."""
    if task[BATCH] < PANEL_ROWS:
        return 1
    return PANEL_ROWS


def groups_of(task: Ptr[i64]) -> i64:
    """How many of such groups a batch makes."""
    together = rows_together(task)
    return (task[BATCH] + together - 1) // together


def run_steps(task: Ptr[i64], itemsize: i64, _element: T) -> None:
    """The steps of a layer in all directions, on several threads if there is much to do.

    Elements of a batch do not depend on each other, nor do directions: each thread takes some of them from the first
    step to the last. Where there are too few, or where the weights are too many for the cache of a thread, the
    products of each step are divided.
    """
    weights = gates_of(task[KIND]) * task[HIDDEN] * task[STATE]
    products = task[BATCH] * weights
    threads = symbol("ts_parallel_threads_v1", i64)[0]
    parts = least(threads, task[DIRECTIONS] * groups_of(task))
    parts = least(parts, task[DIRECTIONS] * (products // 1024 + 1) * task[STEPS] // (GRAIN // 1024) + 1)
    divided = products >= 2 * GRAIN and (parts < threads or weights * itemsize > LARGEST_CACHED)
    if divided or parts < 2:
        for direction in range(task[DIRECTIONS]):
            own = task + (TASK + direction * OWN)
            run_rows(task, own, direction, 0, task[BATCH], divided, _element)
    else:
        task[PARTS] = parts
        parallel(context(), function(run_shares), task, parts, 1)


def run_layers(task: Ptr[i64], scratch: Ptr[T], itemsize: i64) -> None:
    """All layers. They write to the result and to the end of the scratch memory in turns, the last to the result."""
    whole = task[DIRECTIONS] * task[STATE]
    spare = scratch + (room_of(task) - task[ROWS] * whole)
    source = pointer(task[INPUT], T)
    width = task[WIDTH]
    for layer in range(task[LAYERS]):
        to = pointer(task[OUT], T)
        if (task[LAYERS] - 1 - layer) & 1 != 0:
            to = spare
        task[TO] = address(to)
        for direction in range(task[DIRECTIONS]):
            own = task + (TASK + direction * OWN)
            prepare_direction(task, own, scratch + direction * room_of_direction(task), source, width, layer, direction)
        run_steps(task, itemsize, T(0))
        if task[MASK] != 0 and layer + 1 < task[LAYERS]:
            mask = pointer(task[MASK], T) + layer * task[ROWS] * whole
            for j in range(task[ROWS] * whole):
                to[j] = to[j] * mask[j]
        source = to
        width = whole


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
    task = stack(TASK + 2 * OWN, i64)
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
                run_layers(task, pointer_cast(scratch, f32), itemsize)
            else:
                run_layers(task, pointer_cast(scratch, f64), itemsize)
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
