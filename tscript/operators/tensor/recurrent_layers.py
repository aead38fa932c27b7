"""Recurrent networks of several layers: `lstm`, `gru`, `rnn_tanh`, `rnn_relu`."""

# mypy: disable-error-code="no-untyped-def,operator"

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from tscript.arrays import Array, np
from tscript.definitions.define import composite, kernel
from tscript.definitions.language import Tensor, generic, torch
from tscript.definitions.opdef import Arg, OpDef, OperatorNotImplementedError, OperatorRuntimeError, OperatorTypeError
from tscript.definitions.promotion import torch_name
from tscript.definitions.rules import tensor_of
from tscript.definitions.values import is_bfloat16, widen
from tscript.operators.python.lists import reads
from tscript.operators.tensor.recurrent import two_states
from tscript.types import ListType, TensorType, TupleType, Type

LSTM, GRU, TANH, RELU = range(4)


# ---- meaning


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def _step(kind: int, x: Array, s: Array, h: Array, c: Array) -> tuple[Array, Array]:
    """The new state and cell, of what the input and the state add to the gates."""
    if kind == LSTM:
        i, f, g, o = np.split(x + s, 4, -1)
        c = _sigmoid(f) * c + _sigmoid(i) * np.tanh(g)
        return _sigmoid(o) * np.tanh(c), c
    if kind == GRU:
        (r, z, n), (hr, hz, hn) = np.split(x, 3, -1), np.split(s, 3, -1)
        z = _sigmoid(z + hz)
        return (1 - z) * np.tanh(n + _sigmoid(r + hr) * hn) + z * h, c
    return (np.tanh(x + s) if kind == TANH else np.maximum(x + s, 0)), c


def _check(condition: bool, message: str) -> None:
    if not condition:
        raise RuntimeError(message)


def _network(
    input: Array,
    batch_sizes: Array | None,
    h: Array,
    c: Array | None,
    params: Sequence[Array],
    mask: Array | None,
    kind: int,
    has_biases: bool,
    layers: int,
    bidirectional: bool,
) -> tuple[Array, Array, Array]:
    """What `run_network` of `tscript.runtime.kernels.recurrent` does."""
    dtype = input.dtype
    if dtype.name not in ("float32", "float64"):
        raise NotImplementedError("a recurrent network is not implemented for this dtype: convert it to float32")
    _check(layers > 0, f"a recurrent network has at least one layer, not {layers}")
    if batch_sizes is None:
        _check(input.ndim == 3, f"the input of a recurrent network has 3 dimensions, not {input.ndim}")
        _check(len(input) > 0, "Expected sequence length to be larger than 0 in RNN")
        batches = [input.shape[1]] * len(input)
    else:
        _check(input.ndim == 2, f"packed data has 2 dimensions, not {input.ndim}")
        _check(batch_sizes.ndim == 1 and batch_sizes.dtype == np.int64 and batch_sizes.size > 0, "batch_sizes must be")
        batches = batch_sizes.tolist()
        falling = all(a >= b for a, b in pairwise(batches))
        _check(min(batches) > 0 and falling, "batch_sizes must be positive and must not increase")
        _check(sum(batches) == len(input), f"batch_sizes add up to {sum(batches)}")
    directions, gates = 2 if bidirectional else 1, (4, 3, 1, 1)[kind]
    states = (h,) if c is None else (h, c)
    for state in states:
        _check(state.ndim == 3, "the states of a recurrent network have 3 dimensions")
        _check(state.shape[:2] == (layers * directions, batches[0]), "Expected hidden size")
    projected = c is not None and c.shape[2] != h.shape[2]
    hidden, each = states[-1].shape[2], 2 + 2 * has_biases + projected
    _check(len(params) == layers * directions * each, f"expected {each} weights and biases for each layer")
    for t in (*states, *params):
        _check(t.dtype in (dtype, np.float16) or is_bfloat16(t), "a network must have one dtype")
    h, c, params = widen(h), None if c is None else widen(c), [widen(p) for p in params]
    last, cells = np.array(h, dtype), np.array(h if c is None else c, dtype)
    x = input.reshape(-1, input.shape[-1])
    for layer in range(layers):
        found = []
        for direction in range(directions):
            number = layer * directions + direction
            own = [np.asarray(p, dtype) for p in params[number * each : number * each + each]]
            _check(own[0].shape == (gates * hidden, x.shape[1]), "expected a weight of a recurrent network")
            _check(own[1].shape == (gates * hidden, h.shape[2]), "expected a weight of a recurrent network")
            biases = own[2:4] if has_biases else [np.zeros(gates * hidden, dtype)] * 2
            _check(all(b.shape == (gates * hidden,) for b in biases), "expected a bias of a recurrent network")
            _check(not projected or own[-1].shape == (h.shape[2], hidden), "expected a weight of a recurrent network")
            sums = x @ own[0].T + biases[0]
            out = np.zeros((len(x), h.shape[2]), dtype)
            ends = np.cumsum(batches).tolist()
            for t in reversed(range(len(batches))) if direction else range(len(batches)):
                n, rows = batches[t], slice(ends[t] - batches[t], ends[t])
                before = last[number, :n]
                new, cell = _step(kind, sums[rows], before @ own[1].T + biases[1], before, cells[number, :n])
                last[number, :n] = out[rows] = new @ own[-1].T if projected else new
                cells[number, :n] = cell
            found.append(out)
        x = np.concatenate(found, -1)
        if mask is not None and layer + 1 < layers:
            x = x * mask[layer].reshape(x.shape)
    return x.reshape(*input.shape[:-1], -1) if len(x) else np.zeros((*input.shape[:-1], x.shape[1]), dtype), last, cells


def _lstm_layers(
    input: Array,
    batch_sizes: Array | None,
    h: Array,
    c: Array,
    params: Sequence[Array],
    mask: Array | None,
    has_biases: bool,
    layers: int,
    bidirectional: bool,
) -> tuple[Array, Array, Array]:
    return _network(input, batch_sizes, h, c, params, mask, LSTM, has_biases, layers, bidirectional)


def _recurrent_layers(
    input: Array,
    batch_sizes: Array | None,
    h: Array,
    params: Sequence[Array],
    mask: Array | None,
    kind: int,
    has_biases: bool,
    layers: int,
    bidirectional: bool,
) -> tuple[Array, Array]:
    return _network(input, batch_sizes, h, None, params, mask, kind, has_biases, layers, bidirectional)[:2]


def _states(count: int) -> Callable[[Sequence[Arg]], Type]:
    """The rule of networks with `count` results."""

    def rule(args: Sequence[Arg]) -> Type:
        input = tensor_of(args[0])
        for arg in args:
            if isinstance(arg.type, ListType) and not isinstance(arg.type.element, TensorType):
                raise OperatorTypeError(f"the weights of a recurrent network are tensors, not {arg.type.element}")
        if input.dtype is not None and input.dtype.name not in ("float32", "float64"):
            raise OperatorNotImplementedError(
                f"a recurrent network is not implemented for '{torch_name(input.dtype)}': convert it to float32"
            )
        for arg in args[2 : 1 + count]:
            state = tensor_of(arg)
            if None not in (input.dtype, state.dtype) and state.dtype is not input.dtype:
                raise OperatorRuntimeError(
                    "the input, the states and the weights of a recurrent network must have one dtype, not "
                    f"{input.dtype} and {state.dtype}"
                )
        return TupleType((input, *[TensorType(input.dtype, 3)] * (count - 1)))

    return rule


_OF_LSTM = "Tensor input, Tensor? batch_sizes, Tensor h, Tensor c"
_OTHERS = "Tensor input, Tensor? batch_sizes, Tensor h"
_HOW = "bool has_biases, int layers, bool bidirectional"

LSTM_LAYERS = kernel(
    f"lstm_layers({_OF_LSTM}, Tensor[] params, Tensor? mask, {_HOW}) -> (Tensor, Tensor, Tensor)",
    _states(3),
    _lstm_layers,
    "recurrent.lstm_layers",
    "Layers of long short-term memory.",
    exact=False,
    names="",
)
RECURRENT_LAYERS = kernel(
    f"recurrent_layers({_OTHERS}, Tensor[] params, Tensor? mask, int kind, {_HOW}) -> (Tensor, Tensor)",
    _states(2),
    _recurrent_layers,
    "recurrent.recurrent_layers",
    "Layers of a recurrent network without cells.",
    exact=False,
    names="",
)
LIST_LSTM_LAYERS = reads(
    f"lstm_layers.list({_OF_LSTM}, list params, Tensor? mask, {_HOW}) -> (Tensor, Tensor, Tensor)",
    _lstm_layers,
    "recurrent.list_lstm_layers",
    "The same with the weights in a list.",
    rule=_states(3),
    exact=False,
)
LIST_RECURRENT_LAYERS = reads(
    f"recurrent_layers.list({_OTHERS}, list params, Tensor? mask, int kind, {_HOW}) -> (Tensor, Tensor)",
    _recurrent_layers,
    "recurrent.list_recurrent_layers",
    "The same with the weights in a list.",
    rule=_states(2),
    exact=False,
)
HIDDEN: tuple[OpDef, ...] = (LSTM_LAYERS, RECURRENT_LAYERS, LIST_LSTM_LAYERS, LIST_RECURRENT_LAYERS)
"""What bodies call."""


# ---- operators


@generic
def wide(x):
    """Floats of 16 bits as float32, in which a network computes."""
    return x.float() if x.dtype == torch.float16 or x.dtype == torch.bfloat16 else x


@generic
def time_first(x, batch_first):
    """The input or output with the steps along dimension 0, or back."""
    return x.transpose(0, 1) if batch_first else x


@generic
def dropped_between(rows, h, layers, dropout, bidirectional):
    """What the states between layers are multiplied by: zeros, and ones that are scaled."""
    width = h.size(-1) * (2 if bidirectional else 1)
    return torch.dropout(torch.ones(layers - 1, rows, width, dtype=h.dtype), dropout, True)


def check_input(input: Tensor) -> None:
    """Refuse an input that is no batch of sequences."""
    if input.dim() != 3:
        raise RuntimeError(
            f"the input of a recurrent network has 3 dimensions, not {input.dim()}: unsqueeze(1) makes a batch of one"
        )


def check_packed(data: Tensor, batch_sizes: Tensor) -> None:
    """Refuse what is no packed sequence."""
    if data.dim() != 2:
        raise RuntimeError(f"packed data has 2 dimensions, not {data.dim()}")
    if batch_sizes.dtype != torch.int64:
        raise RuntimeError("batch_sizes must be int64 numbers")


def _lstm(run: OpDef) -> Callable[..., Any]:
    def body(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first):
        check_input(input)
        x = time_first(wide(input), batch_first)
        first, second = two_states(x, hx)
        h, c = wide(first), wide(second)
        if train and dropout > 0 and num_layers > 1:
            mask = dropped_between(x.size(0) * x.size(1), h, num_layers, dropout, bidirectional)
            out, last, cells = run(x, None, h, c, params, mask, has_biases, num_layers, bidirectional)
        else:
            out, last, cells = run(x, None, h, c, params, None, has_biases, num_layers, bidirectional)
        return time_first(out, batch_first).to(input.dtype), last.to(input.dtype), cells.to(input.dtype)

    return body


def _packed_lstm(run: OpDef) -> Callable[..., Any]:
    def body(data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional):
        check_packed(data, batch_sizes)
        x = wide(data)
        first, second = two_states(x, hx)
        h, c = wide(first), wide(second)
        if train and dropout > 0 and num_layers > 1:
            mask = dropped_between(x.size(0), h, num_layers, dropout, bidirectional)
            out, last, cells = run(x, batch_sizes, h, c, params, mask, has_biases, num_layers, bidirectional)
        else:
            out, last, cells = run(x, batch_sizes, h, c, params, None, has_biases, num_layers, bidirectional)
        return out.to(data.dtype), last.to(data.dtype), cells.to(data.dtype)

    return body


def _plain(run: OpDef, kind: int) -> Callable[..., Any]:
    def body(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first):
        check_input(input)
        x, h = time_first(wide(input), batch_first), wide(hx)
        if train and dropout > 0 and num_layers > 1:
            mask = dropped_between(x.size(0) * x.size(1), h, num_layers, dropout, bidirectional)
            out, last = run(x, None, h, params, mask, kind, has_biases, num_layers, bidirectional)
        else:
            out, last = run(x, None, h, params, None, kind, has_biases, num_layers, bidirectional)
        return time_first(out, batch_first).to(input.dtype), last.to(input.dtype)

    return body


def _packed_plain(run: OpDef, kind: int) -> Callable[..., Any]:
    def body(data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional):
        check_packed(data, batch_sizes)
        x, h = wide(data), wide(hx)
        if train and dropout > 0 and num_layers > 1:
            mask = dropped_between(x.size(0), h, num_layers, dropout, bidirectional)
            out, last = run(x, batch_sizes, h, params, mask, kind, has_biases, num_layers, bidirectional)
        else:
            out, last = run(x, batch_sizes, h, params, None, kind, has_biases, num_layers, bidirectional)
        return out.to(data.dtype), last.to(data.dtype)

    return body


_ARGUMENTS = """

Args:
    input: Of shape ``(T, N, I)``, or ``(N, T, I)`` if `batch_first`; or, as ``data``, the rows of packed sequences,
        with the number of sequences that have a step ``t`` in `batch_sizes`.
    hx: The first state, of shape ``(L * D, N, H)`` for L layers in D directions{states}.
    params: Weights and biases of each layer, direction by direction: ``w_ih, w_hh, b_ih, b_hh``, without the
        biases unless `has_biases`{further}.
    has_biases: Whether there are biases.
    num_layers: How many layers there are.
    dropout, train: With which probability the states between layers are dropped, if `train`.
    bidirectional: Whether each layer goes in both directions. Their states are joined.
    batch_first: Whether the batch is dimension 0 of input and output.

Returns:
    The states of the last layer after each step, and the last states of all layers{cells}.

Raises:
    RuntimeError: Shapes or dtypes do not go together.
    NotImplementedError: There are no floats.

Example:
    >>> x, h, w = tscript.ones(2, 1, 1), tscript.zeros(1, 1, 1), tscript.{zeros}
    >>> {call}
    {shown}
"""

_LSTM_DOC = (
    "Long short-term memory over sequences: the formulas of `torch.nn.LSTM`, a step of which is `lstm_cell`."
    + _ARGUMENTS.format(
        states=", and the first cell, of the same shape or, with projections, of another size",
        further="; and behind them ``w_hr`` where the state is projected",
        cells=", and the last cells",
        zeros="zeros(4, 1)",
        call="tscript.lstm(x, [h, h + 1], [w, w], False, 1, 0.0, False, False, False)[2].item()",
        shown="0.25",
    )
)


def _doc(summary: str, zeros: str, name: str, shown: str) -> str:
    return summary + _ARGUMENTS.format(
        states="",
        further="",
        cells="",
        zeros=zeros,
        call=f"tscript.{name}(x, h + 1, [w, w], False, 1, 0.0, False, False, False)[0].flatten().tolist()",
        shown=shown,
    )


_NETWORKS: tuple[tuple[str, int, str], ...] = (
    (
        "gru",
        GRU,
        _doc(
            "Gated recurrent units over sequences: the formulas of `torch.nn.GRU`, a step of which is `gru_cell`.",
            "zeros(3, 1)",
            "gru",
            "[0.5, 0.25]",
        ),
    ),
    (
        "rnn_tanh",
        TANH,
        _doc(
            "A plain network over sequences: the formula of `torch.nn.RNN`, a step of which is `rnn_tanh_cell`.",
            "zeros(1, 1)",
            "rnn_tanh",
            "[0.0, 0.0]",
        ),
    ),
    (
        "rnn_relu",
        RELU,
        _doc("`rnn_tanh` with `relu` in place of `tanh`.", "ones(1, 1)", "rnn_relu", "[2.0, 3.0]"),
    ),
)

_REST = "bool has_biases, int num_layers, float dropout, bool train, bool bidirectional"


def _operators() -> tuple[OpDef, ...]:
    found = []
    for params, run, others, mark in (
        ("Tensor[] params", LSTM_LAYERS, RECURRENT_LAYERS, ""),
        ("list params", LIST_LSTM_LAYERS, LIST_RECURRENT_LAYERS, "_list"),
    ):
        for states, also in (("Tensor[] hx", ""), ("list hx", "_states")):
            if also and not mark:
                continue
            for overload, given, body, more in (
                ("input", "Tensor input", _lstm, ", bool batch_first"),
                ("data", "Tensor data, Tensor batch_sizes", _packed_lstm, ""),
            ):
                schema = f"lstm.{overload}{mark}{also}({given}, {states}, {params}, {_REST}{more})"
                schema += " -> (Tensor, Tensor, Tensor)"
                found.append(composite(schema, body(run), _LSTM_DOC, names="torch.lstm out=no", world=True))
        for name, kind, doc in _NETWORKS:
            for overload, given, make, more in (
                ("input", "Tensor input", _plain, ", bool batch_first"),
                ("data", "Tensor data, Tensor batch_sizes", _packed_plain, ""),
            ):
                schema = f"{name}.{overload}{mark}({given}, Tensor hx, {params}, {_REST}{more}) -> (Tensor, Tensor)"
                found.append(composite(schema, make(others, kind), doc, names=f"torch.{name} out=no", world=True))
    return tuple(found)


OPERATORS: tuple[OpDef, ...] = _operators()
"""All operators of this module."""
