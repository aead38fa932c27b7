"""Tier 3: recurrent networks: the cells of a task, and what is checked before one runs."""

from __future__ import annotations

from tscript.dialect import Ptr, TensorImpl, b8, i32, i64, pointer_cast
from tscript.runtime.kernels import codes
from tscript.runtime.kernels.tensor import sizes_of, strides_of

LSTM, GRU, TANH, RELU = range(4)
"""Kinds of networks."""

INPUT, ROWS, STEPS, BATCH, BATCH_SIZES, HIDDEN, STATE, WIDTH, WIDEST = range(9)
KIND, LAYERS, DIRECTIONS, BIASES, PROJECTED, EACH, PARAMS, OUT, LAST, CELLS, MASK, TO, PARTS = range(9, 22)
TASK = 22
"""Cells of a network. ``HIDDEN`` is the size of a gate and ``STATE`` that of the state, which differ where there is a
projection; ``WIDTH`` is that of the input and ``WIDEST`` of the input of any layer; ``EACH`` is the number of tensors
of a layer and direction, ``TO`` where the states of a layer go, and ``PARTS`` how many threads may take some."""

OF_INPUT, OF_STATE, BIAS, SHOWN, PROJECTION, HIDDEN_STATE, CELL_STATE, PANELS_OF_STATE = range(8)
OWN = 8
"""Cells of a layer in one direction, which come behind those of the network: addresses of what its steps read and
write, 0 for what there is not."""


def gates_of(kind: i64) -> i64:
    """How many gates a network has."""
    if kind == LSTM:
        return 4
    if kind == GRU:
        return 3
    return 1


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
