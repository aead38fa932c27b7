"""Recurrent networks, `RNN`, `LSTM`, `GRU`, and single steps of these."""

from __future__ import annotations

import math
import warnings
from typing import Any, overload

import tscript
from tscript import Tensor
from tscript.nn import init
from tscript.nn.modules.making import empty
from tscript.nn.modules.module import Module
from tscript.nn.parameter import Parameter
from tscript.nn.utils.rnn import PackedSequence

_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


class RNNBase(Module):
    """What recurrent networks have.

    Args:
        mode: ``LSTM``, ``GRU``, ``RNN_TANH`` or ``RNN_RELU``.
        input_size: Size of the last dimension of the input.
        hidden_size: That of the state.
        num_layers: How many networks stand on each other.
        bias: Whether something is added.
        batch_first: Whether the batch is the first dimension of input and result.
        dropout: Part of the elements between layers that is set to 0 in training mode.
        bidirectional: Whether each layer runs in both directions.
        proj_size: Size of the projected state of an LSTM; 0 for none.
        device, dtype: Of the parameters.

    Raises:
        TypeError: A size is no int.
        ValueError: A size that is not positive, a part that is none, an unknown mode.
    """

    __constants__: tuple[str, ...] = (
        "mode", "input_size", "hidden_size", "num_layers", "bias", "batch_first", "dropout", "bidirectional",
        "proj_size", "_flat_weights_names",
    )  # fmt: skip
    mode: str
    input_size: int
    hidden_size: int
    num_layers: int
    bias: bool
    batch_first: bool
    dropout: float
    bidirectional: bool
    proj_size: int
    _flat_weights_names: list[str]

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if isinstance(dropout, bool) or not isinstance(dropout, int | float) or not 0 <= dropout <= 1:
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an element being zeroed, "
                f"found {dropout!r}"
            )
        if dropout > 0 and num_layers == 1:
            warnings.warn(
                "dropout is applied behind all but the last recurrent layer, so it needs num_layers greater than 1, "
                f"found dropout={dropout} and num_layers={num_layers}",
                stacklevel=3,
            )
        if not isinstance(hidden_size, int):
            raise TypeError(f"hidden_size should be of type int, got: {type(hidden_size).__name__}")
        if hidden_size <= 0:
            raise ValueError("hidden_size must be greater than zero")
        if num_layers <= 0:
            raise ValueError("num_layers must be greater than zero")
        if proj_size < 0:
            raise ValueError("proj_size should be a positive integer or zero to disable projections")
        if proj_size >= hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")
        if mode not in _GATES:
            raise ValueError(f"Unrecognized RNN mode: {mode}")
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._flat_weights_names = []
        rows = _GATES[mode] * hidden_size
        state = proj_size if proj_size > 0 else hidden_size
        directions = 2 if bidirectional else 1
        for layer in range(num_layers):
            width = input_size if layer == 0 else state * directions
            shapes: list[tuple[str, tuple[int, ...]]] = [("weight_ih", (rows, width)), ("weight_hh", (rows, state))]
            if bias:
                shapes += [("bias_ih", (rows,)), ("bias_hh", (rows,))]
            if proj_size > 0:
                shapes += [("weight_hr", (proj_size, hidden_size))]
            for suffix in ("", "_reverse")[:directions]:
                for name, shape in shapes:
                    full = f"{name}_l{layer}{suffix}"
                    self.register_parameter(full, Parameter(empty(shape, device=device, dtype=dtype)))
                    self._flat_weights_names.append(full)
        self.reset_parameters()

    @property
    def _flat_weights(self) -> list[Tensor]:
        """The parameters in the order in which the operators take them."""
        weights: list[Tensor] = []
        for name in self._flat_weights_names:
            weights.append(getattr(self, name))
        return weights

    def flatten_parameters(self) -> None:
        """Nothing: weights are taken as they are."""

    def reset_parameters(self) -> None:
        """Evenly spread numbers within ``1 / sqrt(hidden_size)``."""
        limit = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -limit, limit)

    @property
    def all_weights(self) -> list[list[Tensor]]:
        """The parameters of each layer and direction."""
        weights = self._flat_weights
        count = len(weights) // (self.num_layers * (2 if self.bidirectional else 1))
        return [weights[at : at + count] for at in range(0, len(weights), count)]

    def _checked(self, input: Tensor, is_packed: bool) -> Tensor:
        """The input with a dimension for the batch."""
        if input.dim() != 2 and (is_packed or input.dim() != 3):
            wanted = "2-D" if is_packed else "2-D or 3-D"
            raise ValueError(f"{self._get_name()}: Expected input to be {wanted}, got {input.dim()}D instead")
        if input.size(-1) != self.input_size:
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.size(-1)}"
            )
        if is_packed or input.dim() == 3:
            return input
        return input.unsqueeze(0 if self.batch_first else 1)

    def _zeros(self, input: Tensor, batch: int, size: int) -> Tensor:
        """First states."""
        return input.new_zeros([self.num_layers * (2 if self.bidirectional else 1), batch, size])

    def _given(self, state: Tensor, is_batched: bool, batch: int, size: int, name: str) -> Tensor:
        """First states as the operators take them."""
        if state.dim() != (3 if is_batched else 2):
            kind, dims = ("batched 3-D", "3-D") if is_batched else ("unbatched 2-D", "2-D")
            raise RuntimeError(f"For {kind} input, hx should also be {dims} but got {state.dim()}-D tensor")
        whole = state if is_batched else state.unsqueeze(1)
        layers = self.num_layers * (2 if self.bidirectional else 1)
        if whole.size(0) != layers or whole.size(1) != batch or whole.size(2) != size:
            raise RuntimeError(f"Expected {name} size {(layers, batch, size)}, got {list(whole.shape)}")
        return whole

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        if self.proj_size != 0:
            text += f", proj_size={self.proj_size}"
        if self.num_layers != 1:
            text += f", num_layers={self.num_layers}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        if self.batch_first is not False:
            text += f", batch_first={self.batch_first}"
        if self.dropout != 0:
            text += f", dropout={self.dropout}"
        if self.bidirectional is not False:
            text += f", bidirectional={self.bidirectional}"
        return text


def _permuted(state: Tensor, order: Tensor | None) -> Tensor:
    """A state of all sequences in another order."""
    return state if order is None else state.index_select(1, order)


class _Plain(RNNBase):
    """What networks with one state have."""

    @overload
    def forward(self, input: Tensor, hx: Tensor | None = None) -> tuple[Tensor, Tensor]: ...

    @overload
    def forward(self, input: PackedSequence, hx: Tensor | None = None) -> tuple[PackedSequence, Tensor]: ...

    def forward(self, input, hx=None):  # type: ignore[no-untyped-def]  # each call decides the types
        """The states of the last layer at all steps, and the last states of all layers.

        Args:
            input: ``(T, N, input_size)``, ``(T, input_size)``, or a packed sequence.
            hx: The first states; 0 if left out.

        Raises:
            ValueError: Another number of dimensions.
            RuntimeError: Another size.
        """
        size = self.hidden_size
        if isinstance(input, PackedSequence):
            data = self._checked(input.data, True)
            batch = int(input.batch_sizes[0])
            if hx is None:
                first = self._zeros(data, batch, size)
            else:
                first = _permuted(self._given(hx, True, batch, size, "hidden"), input.sorted_indices)
            out, last = self._packed(data, input.batch_sizes, first)
            result = PackedSequence(out, input.batch_sizes, input.sorted_indices, input.unsorted_indices)
            return result, _permuted(last, input.unsorted_indices)
        dim = 0 if self.batch_first else 1
        is_batched = input.dim() == 3
        x = self._checked(input, False)
        if hx is None:
            first = self._zeros(x, x.size(dim), size)
        else:
            first = self._given(hx, is_batched, x.size(dim), size, "hidden")
        out, last = self._padded(x, first)
        return (out, last) if is_batched else (out.squeeze(dim), last.squeeze(1))

    def _padded(self, x: Tensor, first: Tensor) -> tuple[Tensor, Tensor]:
        """Apply the operator to sequences of one length."""
        raise NotImplementedError

    def _packed(self, data: Tensor, sizes: Tensor, first: Tensor) -> tuple[Tensor, Tensor]:
        """Apply the operator to packed sequences."""
        raise NotImplementedError


_DOC = """{what}

    Args:
        input_size: Size of the last dimension of the input.
        hidden_size: That of the state.
        num_layers: How many networks stand on each other.
        {more}bias: Whether something is added.
        batch_first: Whether the batch is the first dimension of input and result.
        dropout: Part of the elements between layers that is set to 0 in training mode.
        bidirectional: Whether each layer runs in both directions.
        device, dtype: Of the parameters.

    Raises:
        TypeError, ValueError: As `RNNBase`.
"""


class RNN(_Plain):
    __doc__ = _DOC.format(
        what="A plain recurrent network: ``tanh(x @ w_ih.t() + b_ih + h @ w_hh.t() + b_hh)`` at each step.",
        more="nonlinearity: ``tanh`` or ``relu``.\n        ",
    )
    nonlinearity: str

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        if len(args) > 3:
            nonlinearity = args[3]
            args = args[:3] + args[4:]
        else:
            nonlinearity = kwargs.pop("nonlinearity", "tanh")
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__("RNN_TANH" if nonlinearity == "tanh" else "RNN_RELU", *args, **kwargs)
        self.nonlinearity = nonlinearity

    def _padded(self, x: Tensor, first: Tensor) -> tuple[Tensor, Tensor]:
        if self.mode == "RNN_TANH":
            return tscript.rnn_tanh(
                x, first, self._flat_weights,
                self.bias, self.num_layers, self.dropout, self.training, self.bidirectional, self.batch_first,
            )  # fmt: skip
        return tscript.rnn_relu(
            x, first, self._flat_weights,
            self.bias, self.num_layers, self.dropout, self.training, self.bidirectional, self.batch_first,
        )  # fmt: skip

    def _packed(self, data: Tensor, sizes: Tensor, first: Tensor) -> tuple[Tensor, Tensor]:
        if self.mode == "RNN_TANH":
            return tscript.rnn_tanh(
                data, sizes, first, self._flat_weights,
                self.bias, self.num_layers, self.dropout, self.training, self.bidirectional,
            )  # fmt: skip
        return tscript.rnn_relu(
            data, sizes, first, self._flat_weights,
            self.bias, self.num_layers, self.dropout, self.training, self.bidirectional,
        )  # fmt: skip


class GRU(_Plain):
    __doc__ = _DOC.format(what="Gated recurrent units (Cho et al., 2014).", more="")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        super().__init__("GRU", *args, **kwargs)

    def _padded(self, x: Tensor, first: Tensor) -> tuple[Tensor, Tensor]:
        return tscript.gru(
            x, first, self._flat_weights,
            self.bias, self.num_layers, self.dropout, self.training, self.bidirectional, self.batch_first,
        )  # fmt: skip

    def _packed(self, data: Tensor, sizes: Tensor, first: Tensor) -> tuple[Tensor, Tensor]:
        return tscript.gru(
            data, sizes, first, self._flat_weights,
            self.bias, self.num_layers, self.dropout, self.training, self.bidirectional,
        )  # fmt: skip


class LSTM(RNNBase):
    __doc__ = _DOC.format(
        what="Long short-term memory (Hochreiter and Schmidhuber, 1997).",
        more="proj_size: Size of the projected state; 0 for none.\n        ",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)

    @overload
    def forward(
        self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]: ...

    @overload
    def forward(
        self, input: PackedSequence, hx: tuple[Tensor, Tensor] | None = None
    ) -> tuple[PackedSequence, tuple[Tensor, Tensor]]: ...

    def forward(self, input, hx=None):  # type: ignore[no-untyped-def]  # each call decides the types
        """The states of the last layer at all steps, and the last states and cells of all layers.

        Args:
            input: ``(T, N, input_size)``, ``(T, input_size)``, or a packed sequence.
            hx: The first states and cells; 0 if left out.

        Raises:
            ValueError: Another number of dimensions.
            RuntimeError: Another size.
        """
        cells = self.hidden_size
        size = self.proj_size if self.proj_size > 0 else cells
        if isinstance(input, PackedSequence):
            data = self._checked(input.data, True)
            batch = int(input.batch_sizes[0])
            order = input.sorted_indices
            if hx is None:
                first = [self._zeros(data, batch, size), self._zeros(data, batch, cells)]
            else:
                first = [
                    _permuted(self._given(hx[0], True, batch, size, "hidden[0]"), order),
                    _permuted(self._given(hx[1], True, batch, cells, "hidden[1]"), order),
                ]
            out, h, c = tscript.lstm(
                data, input.batch_sizes, first, self._flat_weights,
                self.bias, self.num_layers, self.dropout, self.training, self.bidirectional,
            )  # fmt: skip
            back = input.unsorted_indices
            return PackedSequence(out, input.batch_sizes, order, back), (_permuted(h, back), _permuted(c, back))
        dim = 0 if self.batch_first else 1
        is_batched = input.dim() == 3
        x = self._checked(input, False)
        batch = x.size(dim)
        if hx is None:
            first = [self._zeros(x, batch, size), self._zeros(x, batch, cells)]
        else:
            first = [
                self._given(hx[0], is_batched, batch, size, "hidden[0]"),
                self._given(hx[1], is_batched, batch, cells, "hidden[1]"),
            ]
        out, h, c = tscript.lstm(
            x, first, self._flat_weights,
            self.bias, self.num_layers, self.dropout, self.training, self.bidirectional, self.batch_first,
        )  # fmt: skip
        if is_batched:
            return out, (h, c)
        return out.squeeze(dim), (h.squeeze(1), c.squeeze(1))


class RNNCellBase(Module):
    """What single steps have.

    Args:
        input_size: Size of the last dimension of the input.
        hidden_size: That of the state.
        bias: Whether something is added.
        num_chunks: Gates.
        device, dtype: Of the parameters.
    """

    __constants__: tuple[str, ...] = ("input_size", "hidden_size", "bias")
    input_size: int
    hidden_size: int
    bias: bool
    weight_ih: Tensor
    weight_hh: Tensor
    bias_ih: Tensor | None
    bias_hh: Tensor | None

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool, num_chunks: int, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows = num_chunks * hidden_size
        self.weight_ih = Parameter(empty((rows, input_size), device=device, dtype=dtype))
        self.weight_hh = Parameter(empty((rows, hidden_size), device=device, dtype=dtype))
        if bias:
            self.bias_ih = Parameter(empty(rows, device=device, dtype=dtype))
            self.bias_hh = Parameter(empty(rows, device=device, dtype=dtype))
        else:
            self.register_parameter("bias_ih", None)
            self.register_parameter("bias_hh", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Evenly spread numbers within ``1 / sqrt(hidden_size)``."""
        limit = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -limit, limit)

    def _check(self, x: Tensor, name: str) -> None:
        if x.dim() not in (1, 2):
            raise ValueError(f"{self._get_name()}: Expected {name} to be 1D or 2D, got {x.dim()}D instead")

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        return text + (f", bias={self.bias}" if self.bias is not True else "")


class RNNCell(RNNCellBase):
    """One step of `RNN`.

    Args:
        input_size: Size of the last dimension of the input.
        hidden_size: That of the state.
        bias: Whether something is added.
        nonlinearity: ``tanh`` or ``relu``.
        device, dtype: Of the parameters.
    """

    __constants__: tuple[str, ...] = ("input_size", "hidden_size", "bias", "nonlinearity")
    nonlinearity: str

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """The next state, of the input and the state; 0 if left out.

        Raises:
            ValueError: Another number of dimensions.
            RuntimeError: No such nonlinearity.
        """
        self._check(input, "input")
        if hx is None:
            hx = input.new_zeros([*input.shape[:-1], self.hidden_size])
        self._check(hx, "hidden")
        if self.nonlinearity == "tanh":
            return tscript.rnn_tanh_cell(input, hx, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        if self.nonlinearity == "relu":
            return tscript.rnn_relu_cell(input, hx, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")

    def extra_repr(self) -> str:
        text = super().extra_repr()
        return text + (f", nonlinearity={self.nonlinearity}" if self.nonlinearity != "tanh" else "")


class LSTMCell(RNNCellBase):
    """One step of `LSTM`.

    Args:
        input_size: Size of the last dimension of the input.
        hidden_size: That of the state.
        bias: Whether something is added.
        device, dtype: Of the parameters.
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, Tensor]:
        """The next state and cell, of the input, the state and the cell; 0 if left out.

        Raises:
            ValueError: Another number of dimensions.
        """
        self._check(input, "input")
        if hx is None:
            zeros = input.new_zeros([*input.shape[:-1], self.hidden_size])
            hx = (zeros, zeros)
        self._check(hx[0], "hx[0]")
        self._check(hx[1], "hx[1]")
        return tscript.lstm_cell(input, hx, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)


class GRUCell(RNNCellBase):
    """One step of `GRU`.

    Args:
        input_size: Size of the last dimension of the input.
        hidden_size: That of the state.
        bias: Whether something is added.
        device, dtype: Of the parameters.
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """The next state, of the input and the state; 0 if left out.

        Raises:
            ValueError: Another number of dimensions.
        """
        self._check(input, "input")
        if hx is None:
            hx = input.new_zeros([*input.shape[:-1], self.hidden_size])
        self._check(hx, "hidden")
        return tscript.gru_cell(input, hx, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
