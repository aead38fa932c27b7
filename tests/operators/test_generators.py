"""`tscript.Generator`: streams of their own, their states, and as values of the language."""

from __future__ import annotations

import copy
import os
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tscript
from tscript import Tensor


@tscript.script
def drawn(n: int, g: tscript.Generator | None = None) -> Tensor:
    return tscript.rand(n, generator=g)


@tscript.script
def twice(n: int, g: tscript.Generator) -> tuple[Tensor, Tensor]:
    return drawn(n, g), tscript.empty(n).normal_(generator=g)


def test_a_generator_is_a_stream_of_its_own() -> None:
    g = tscript.Generator()
    assert g.manual_seed(5) is g
    tscript.manual_seed(5)
    expected = tscript.rand(6)
    assert tscript.equal(tscript.rand(6, generator=g), expected)
    before = tscript.get_rng_state()
    assert tscript.equal(drawn(6, g.manual_seed(5)), expected)
    first, second = twice(6, g.manual_seed(5))
    assert tscript.equal(first, expected)
    tscript.manual_seed(5)
    tscript.rand(6)
    assert tscript.equal(second, tscript.randn(6))
    tscript.set_rng_state(before)
    assert tscript.equal(drawn(3), tscript.rand(3, generator=tscript.default_generator.clone_state())) is False


def test_states_go_on_where_they_were_taken() -> None:
    g = tscript.Generator().manual_seed(8)
    tscript.randn(7, generator=g)
    state = g.get_state()
    assert state.dtype is tscript.uint8
    copies = [copy.copy(g), copy.deepcopy(g), pickle.loads(pickle.dumps(g)), g.clone_state()]
    copies.append(tscript.Generator().set_state(state))
    expected = tscript.randint(1 << 40, (9,), generator=g)
    for other in copies:
        assert other is not g
        assert other.initial_seed() == 8
        assert tscript.equal(tscript.randint(1 << 40, (9,), generator=other), expected)


def test_seeds() -> None:
    g = tscript.Generator("cpu")
    assert g.initial_seed() == 67280421310721
    assert g.manual_seed(-1).initial_seed() == 2**64 - 1
    assert g.manual_seed(2**64 - 1).initial_seed() == 2**64 - 1
    assert g.seed() == g.initial_seed()
    assert tscript.manual_seed(4) is tscript.default_generator
    assert tscript.initial_seed() == 4
    assert tscript.seed() == tscript.initial_seed() != 4
    assert g.device == tscript.device("cpu")


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda g: tscript.Generator("cuda"), RuntimeError, "there is no device 'cuda'"),
        (lambda g: g.manual_seed(1.5), TypeError, "expected an int, but got float"),
        (lambda g: g.manual_seed(2**64), RuntimeError, "Overflow"),
        (lambda g: g.set_state([1]), TypeError, "expected a tensor of uint8, but got list"),
        (lambda g: g.set_state(tscript.zeros(16)), TypeError, "got one of float32"),
        (lambda g: g.set_state(tscript.zeros(3, dtype=tscript.uint8)), RuntimeError, "a state of 16 bytes"),
        (lambda g: tscript.rand(2, generator=3), TypeError, "'generator' must be a Generator or None, not int"),
        (lambda g: drawn(2, np.random.default_rng(0)), RuntimeError, "not a generator of NumPy"),
        (lambda g: twice(2, 5), TypeError, "must be Generator, not int"),
    ],
)
def test_wrong_calls(call: Callable[[Any], object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call(tscript.Generator())


def test_single_numbers_are_drawn_as_from_a_generator_of_numpy() -> None:
    @tscript.script
    def numbers(g: tscript.Generator) -> list[float]:
        return [g.random() for _ in range(4)]  # type: ignore[attr-defined]

    g = tscript.Generator().manual_seed(6)
    assert numbers(g) == np.random.Generator(np.random.Philox(key=6, counter=(2**64 - 1) << 64)).random(4).tolist()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_draws_the_same_numbers() -> None:
    tscript.manual_seed(2)
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:  # pragma: no cover
        os.write(write, tscript.rand(4).numpy().tobytes())
        os._exit(0)
    os.waitpid(pid, 0)
    assert os.read(read, 16) == tscript.rand(4).numpy().tobytes()
