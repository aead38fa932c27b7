"""Steps of recurrent networks."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from tscript.definitions.define import composite
from tscript.definitions.language import Tensor, generic, torch
from tscript.definitions.opdef import OpDef


def check_step(input: Tensor, h: Tensor, w_ih: Tensor, w_hh: Tensor, gates: int, name: str) -> None:
    """Refuse shapes that do not go together."""
    if input.dim() != h.dim() or input.dim() < 1 or input.dim() > 2:
        raise RuntimeError(f"{name}(): the input and the state have 1 or 2 dimensions, not {input.dim()} and {h.dim()}")
    if input.size(-1) != w_ih.size(1):
        raise RuntimeError(f"input has inconsistent input_size: got {input.size(-1)} expected {w_ih.size(1)}")
    if h.size(-1) != w_hh.size(1) or w_ih.size(0) != gates * h.size(-1) or w_hh.size(0) != gates * h.size(-1):
        raise RuntimeError(
            f"{name}(): a state of size {h.size(-1)} needs weights of {gates * h.size(-1)} rows, they are "
            f"{w_ih.size()} and {w_hh.size()}"
        )


def parts(x: Tensor, bias: Tensor | None, weight: Tensor) -> Tensor:
    """``x @ weight.t() + bias``."""
    product = x.matmul(weight.t())
    return product if bias is None else product + bias


def lstm_step(gates: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
    """The new state and cell, of the sums for the gates i, f, g and o."""
    size = c.size(-1)
    forget = torch.sigmoid(gates.narrow(-1, size, size))
    entered = torch.sigmoid(gates.narrow(-1, 0, size)) * torch.tanh(gates.narrow(-1, 2 * size, size))
    cell = forget * c + entered
    return torch.sigmoid(gates.narrow(-1, 3 * size, size)) * torch.tanh(cell), cell


def gru_step(x: Tensor, from_h: Tensor, h: Tensor) -> Tensor:
    """The new state, of the sums for the gates r, z and n of the input and of the state."""
    size = h.size(-1)
    reset = torch.sigmoid(x.narrow(-1, 0, size) + from_h.narrow(-1, 0, size))
    update = torch.sigmoid(x.narrow(-1, size, size) + from_h.narrow(-1, size, size))
    new = torch.tanh(x.narrow(-1, 2 * size, size) + reset * from_h.narrow(-1, 2 * size, size))
    return (1 - update) * new + update * h


def check_states(count: int) -> None:
    """Refuse other than two states."""
    if count != 2:
        raise RuntimeError(f"lstm expects two hidden states, got {count}")


@generic
def two_states(x, hx):
    """The state and the cell; another number of them is refused."""
    check_states(len(hx))
    if len(hx) == 0:  # code behind a refusal has types, too
        return x, x
    return hx[0], hx[-1]


def lstm_cell(
    input: Tensor, hx: tuple[Tensor, Tensor], w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None, b_hh: Tensor | None
) -> tuple[Tensor, Tensor]:
    """One step of long short-term memory: the formula of `torch.nn.LSTMCell`.

    Hochreiter and Schmidhuber, "Long Short-Term Memory" (1997), doi:10.1162/neco.1997.9.8.1735, with the forget gates
    of Gers and others (2000), doi:10.1162/089976600300015015.

    Args:
        input: Of shape ``(I,)`` or ``(N, I)``.
        hx: State and cell, each of shape ``(H,)`` or ``(N, H)``.
        w_ih, w_hh: Of shapes ``(4 * H, I)`` and ``(4 * H, H)``: for the input gate, forget gate, cell and output gate.
        b_ih, b_hh: Of shape ``(4 * H,)``.

    Returns:
        The new state and cell.

    Raises:
        RuntimeError: The shapes do not go together.

    Example:
        >>> x, h, w = tscript.ones(1, 1), tscript.zeros(1, 1), tscript.zeros(4, 1)
        >>> state, cell = tscript.lstm_cell(x, (h, tscript.ones(1, 1)), w, w)
        >>> cell.item()
        0.5
    """
    h, c = two_states(input, hx)
    check_step(input, h, w_ih, w_hh, 4, "lstm_cell")
    return lstm_step(parts(input, b_ih, w_ih) + parts(h, b_hh, w_hh), c)


def gru_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None, b_hh: Tensor | None) -> Tensor:
    """One step of gated recurrent units: the formula of `torch.nn.GRUCell`.

    Cho and others, "Learning Phrase Representations using RNN Encoder-Decoder", arXiv:1406.1078, with the reset gate
    behind the product.

    Args:
        input: Of shape ``(I,)`` or ``(N, I)``.
        hx: The state, of shape ``(H,)`` or ``(N, H)``.
        w_ih, w_hh: Of shapes ``(3 * H, I)`` and ``(3 * H, H)``: for the reset gate, update gate and new state.
        b_ih, b_hh: Of shape ``(3 * H,)``.

    Raises:
        RuntimeError: The shapes do not go together.

    Example:
        >>> w = tscript.zeros(3, 1)
        >>> tscript.gru_cell(tscript.ones(1, 1), tscript.ones(1, 1), w, w).item()
        0.5
    """
    check_step(input, hx, w_ih, w_hh, 3, "gru_cell")
    return gru_step(parts(input, b_ih, w_ih), parts(hx, b_hh, w_hh), hx)


def rnn_tanh_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None, b_hh: Tensor | None
) -> Tensor:
    """One step of a plain recurrent network, ``tanh(x @ w_ih.t() + b_ih + h @ w_hh.t() + b_hh)``.

    Args:
        input: Of shape ``(I,)`` or ``(N, I)``.
        hx: The state, of shape ``(H,)`` or ``(N, H)``.
        w_ih, w_hh: Of shapes ``(H, I)`` and ``(H, H)``.
        b_ih, b_hh: Of shape ``(H,)``.

    Raises:
        RuntimeError: The shapes do not go together.

    Example:
        >>> w = tscript.zeros(1, 1)
        >>> tscript.rnn_tanh_cell(tscript.ones(1, 1), tscript.ones(1, 1), w, w).item()
        0.0
    """
    check_step(input, hx, w_ih, w_hh, 1, "rnn_tanh_cell")
    return torch.tanh(parts(input, b_ih, w_ih) + parts(hx, b_hh, w_hh))


def rnn_relu_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None, b_hh: Tensor | None
) -> Tensor:
    """`rnn_tanh_cell` with `relu` in place of `tanh`."""
    check_step(input, hx, w_ih, w_hh, 1, "rnn_relu_cell")
    return torch.relu(parts(input, b_ih, w_ih) + parts(hx, b_hh, w_hh))


_CELL = "Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None"

OPERATORS: tuple[OpDef, ...] = (
    composite(
        f"lstm_cell(Tensor input, Tensor[] hx, {_CELL}) -> (Tensor, Tensor)", lstm_cell, names="torch.lstm_cell out=no"
    ),
    composite(f"gru_cell(Tensor input, Tensor hx, {_CELL}) -> Tensor", gru_cell, names="torch.gru_cell out=no"),
    composite(
        f"rnn_tanh_cell(Tensor input, Tensor hx, {_CELL}) -> Tensor", rnn_tanh_cell, names="torch.rnn_tanh_cell out=no"
    ),
    composite(
        f"rnn_relu_cell(Tensor input, Tensor hx, {_CELL}) -> Tensor", rnn_relu_cell, names="torch.rnn_relu_cell out=no"
    ),
)
"""All operators of this module."""
