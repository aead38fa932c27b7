"""`tscript.Generator`: streams of their own, their states, and as values of the language."""

from __future__ import annotations

import copy
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tscript
from tscript import Tensor
from tscript.diagnostics import CompileError


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


class Sampler:
    def __init__(self, seed: int) -> None:
        self.generator = tscript.Generator().manual_seed(seed)

    def draw(self, n: int) -> Tensor:
        return tscript.rand(n, generator=self.generator)


@tscript.script
def made_inside(seed: int) -> tuple[Tensor, Tensor, Tensor, int, int]:
    g, h = tscript.Generator(), tscript.Generator(device="cpu")
    first = tscript.randn(5, generator=g.manual_seed(seed))
    h.manual_seed(seed)
    sampler = Sampler(seed)
    return (
        first,
        tscript.randn(5, generator=h),
        sampler.draw(3),
        g.initial_seed(),
        tscript.Generator("cpu").initial_seed(),
    )


@tscript.script
def made(seed: int) -> tuple[tscript.Generator, Sampler, list[tscript.Generator]]:
    g, sampler = tscript.Generator().manual_seed(seed), Sampler(seed)
    tscript.rand(9, generator=g)
    sampler.draw(9)
    return g, sampler, [g]


@tscript.script
def seeded(g: tscript.Generator) -> int:
    return g.seed()


def test_compiled_code_makes_generators(tmp_path: Path) -> None:
    tscript.save({"inside": made_inside}, tmp_path / "a.tsa")
    for function in (made_inside, tscript.load(tmp_path / "a.tsa").inside):
        first, second, third, seed, usual = function(11)
        assert (seed, usual) == (11, tscript.Generator().initial_seed())
        assert tscript.equal(first, second)
        assert tscript.equal(first, tscript.randn(5, generator=tscript.Generator().manual_seed(11)))
        assert tscript.equal(third, tscript.rand(3, generator=tscript.Generator().manual_seed(11)))


def test_generators_that_compiled_code_made_go_on_outside() -> None:
    g, sampler, (same,) = made(4)
    plain = tscript.Generator().manual_seed(4)
    tscript.rand(9, generator=plain)
    wanted = tscript.rand(3, generator=plain)
    assert isinstance(g, tscript.Generator) and g.initial_seed() == 4
    assert tscript.equal(tscript.rand(3, generator=g), wanted)
    assert tscript.equal(sampler.draw(3), wanted)
    assert tscript.equal(tscript.rand(3, generator=same), wanted if same is not g else tscript.rand(3, generator=plain))
    found = seeded(g)
    assert found == g.initial_seed() != 4


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return torch.Generator('cuda')", "no device"),
        ("return torch.Generator(3)", "takes a device, not an int"),
        ("return torch.Generator().manual_seed('x')", "takes an int, not a str"),
        ("return torch.Generator().reseed(3)", "reseed"),
    ],
)
def test_wrong_makings_of_generators(body: str, expected: str) -> None:
    with pytest.raises((CompileError, RuntimeError), match=expected):
        tscript.script(f"import tscript as torch\n\ndef f() -> torch.Generator:\n    {body}\n").f()
