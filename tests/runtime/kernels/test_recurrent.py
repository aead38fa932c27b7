"""Recurrent networks on several threads: the same bits as on one, within the memory they have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pytest

import tscript
from tests.runtime.kernels.conftest import Model, bound
from tests.samples.recurrent import layers
from tscript.dialect import TensorImpl, memory_model, pointer
from tscript.runtime.kernels import recurrent
from tscript.types import I64

KINDS = ("lstm", "gru", "rnn_tanh", "rnn_relu")
GATES = {"lstm": 4, "gru": 3}


@dataclass(frozen=True)
class Network:
    """A network over sequences."""

    kind: str
    batches: tuple[int, ...]
    width: int
    hidden: int
    layers: int = 1
    both: bool = False
    projected: int = 0
    packed: bool = False

    def values(self, dtype: str) -> tuple[Any, ...]:
        """The arguments of its operator, as arrays."""
        random = np.random.default_rng(0)

        def drawn(*shape: int) -> Any:
            return random.uniform(-0.3, 0.3, shape).astype(dtype)

        sums, directions = GATES.get(self.kind, 1) * self.hidden, 1 + self.both
        state = self.projected or self.hidden
        params = []
        for layer in range(self.layers):
            for _ in range(directions):
                params += [drawn(sums, directions * state if layer else self.width), drawn(sums, state)]
                params += [drawn(sums), drawn(sums)] + ([drawn(state, self.hidden)] if self.projected else [])
        number, batch = self.layers * directions, self.batches[0]
        hx: Any = drawn(number, batch, state)
        if self.kind == "lstm":
            hx = [hx, drawn(number, batch, self.hidden)]
        x = drawn(sum(self.batches), self.width) if self.packed else drawn(len(self.batches), batch, self.width)
        sizes = (np.array(self.batches),) if self.packed else ()
        end = (self.both,) if self.packed else (self.both, False)
        return (x, *sizes, hx, params, True, self.layers, 0.0, False, *end)


def tensors(value: Any) -> Any:
    """Tensors for arrays."""
    if isinstance(value, list):
        return [tensors(one) for one in value]
    return tscript.from_numpy(value) if isinstance(value, np.ndarray) else value


def computed(network: Network, values: tuple[Any, ...]) -> list[Any]:
    """What the operator gives, as arrays."""
    return [one.numpy() for one in getattr(tscript, network.kind)(*map(tensors, values))]


LARGE = (
    *(Network(kind, (11,) * 30, 40, 200) for kind in KINDS),
    Network("lstm", (1,) * 30, 40, 200, layers=2, both=True),
    Network("lstm", (3,) * 30, 40, 200, projected=50),
    Network("gru", (9, 9, *(7,) * 30, 3, 2, 1), 40, 200, both=True, packed=True),
    Network("lstm", (8,) * 30, 300, 200, layers=2),
    # Products of each step are divided.
    Network("lstm", (6,) * 5, 8, 600),
    Network("gru", (2,) * 5, 8, 900, both=True),
)


@pytest.mark.parametrize("network", LARGE, ids=lambda network: network.kind)
def test_threads_change_no_bit(network):
    values = network.values("float32")
    threads = tscript.get_num_threads()
    found = []
    try:
        for n in (1, 2, 3, 5):
            tscript.set_num_threads(n)
            found.append([one.tobytes() for one in computed(network, values)])
    finally:
        tscript.set_num_threads(threads)
    assert all(one == found[0] for one in found)


@pytest.fixture
def small(monkeypatch) -> Iterator[None]:
    """All steps are worth several threads."""
    monkeypatch.setattr(recurrent, "GRAIN", 1024)
    bound.cache_clear()
    yield
    bound.cache_clear()


SMALL = [
    Network(kind, batches, 2, 3, depth, both, projected, packed)
    for kind, (batches, packed), depth, both, projected in product(
        ("lstm", "gru", "rnn_tanh"),
        (((5, 5), False), ((2, 2, 2), False), ((9, 4, 1), True)),
        (1, 2),
        (False, True),
        (0, 2),
    )
    if kind == "lstm" or not projected
]


@pytest.mark.parametrize("largest", [0, 1 << 21])
@pytest.mark.parametrize("network", SMALL[::3], ids=lambda network: network.kind)
def test_parts_stay_within_their_memory(small, network, largest, monkeypatch):
    monkeypatch.setattr(recurrent, "LARGEST_CACHED", largest)
    values = network.values("float64")
    x, *sizes, hx, params, has_biases, count, _, _, both = values if network.packed else values[:-1]
    model = Model()
    memory_model._symbol("ts_parallel_threads_v1", I64)[0] = 3
    nothing = pointer(0, TensorImpl)
    first = (x, sizes[0] if sizes else nothing)
    rest = (params, nothing, has_biases, count, both)
    if network.kind == "lstm":
        got = model.call("lstm_layers", *first, *hx, *rest)
    else:
        kind = KINDS.index(network.kind)
        got = model.call("recurrent_layers", *first, hx, *rest[:2], kind, *rest[2:])
    wanted = layers(network.kind.removeprefix("rnn_"), network.packed)(*values)
    for one, other in zip(got, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)
