"""Random trees of modules: Python, scripted, frozen, saved and loaded, and traced code compute the same."""

from __future__ import annotations

import copy
import random
import warnings
from pathlib import Path
from typing import Any, Dict, List, Optional

import pytest

import tscript
from tscript import Tensor, nn

SIZE = 4
"""Features of the tensors that layers take and give."""


def words(n: int, word: str) -> List[str]:
    """What a task gives."""
    return [word * i for i in range(n)]


def label(n: int) -> Optional[str]:
    """What another task gives."""
    return None if n % 2 == 0 else f"odd {n}"


class Block(nn.Module):
    """Attributes of several types, a submodule that may be None, a list of layers, a buffer that counts; sizes that are
    computed, and parts of which only the call shows how many there are; in evaluation mode a counter and a list that
    change, tasks that give texts, warnings, and random numbers of a generator."""

    down: Optional[Tensor]
    names: List[str]
    seen: List[int]
    known: Optional[Dict[str, int]]

    def __init__(self, choices: random.Random, layers: List[nn.Module], before: nn.Module | None) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.before = before
        self.scale = choices.choice((0.5, 1.0, -2.0))
        self.times = choices.randint(0, 2)
        self.names = choices.choice(([], ["a"], ["a", "bc"]))
        self.parts = choices.choice((1, 2, 4))
        self.known = {"a": 1, "b": 2} if choices.random() < 0.5 else None
        self.is_residual = choices.random() < 0.5
        self.down = tscript.arange(float(SIZE)) if choices.random() < 0.5 else None
        self.register_buffer("calls", tscript.zeros((), dtype=tscript.int64))
        self.changes = choices.random() < 0.3
        self.count = 0
        self.seen = []
        self.forks = choices.random() < 0.3
        self.warns = choices.random() < 0.2
        self.draws = choices.random() < 0.3

    def forward(self, x: Tensor) -> Tensor:
        y = x
        if self.before is not None:
            y = self.before(y)
        for layer in self.layers:
            y = layer(y)
        for _ in range(self.times):
            y = y * self.scale
        n, size = x.shape
        y = tscript.stack(y.reshape(n, self.parts, size // self.parts).unbind(1), 1).reshape(n, size)
        known = self.known
        if known is not None:
            y = y + known.get("b", 0) * (n % self.parts)
        down = self.down
        if down is not None:
            y = y + down
        if self.training:
            self.calls += 1
            y = y - len(self.names)
        elif self.changes:
            self.count += 1
            self.seen.append(n)
            y = y + self.count * 0.5 + sum(self.seen)
        if self.forks:
            first, second = tscript.fork(words, n, "ab"), tscript.fork(label, n)
            found = first.wait()
            found.append("more")
            text = second.wait()
            y = y + len("".join(found)) + (0 if text is None else len(text))
        if self.warns and n > 4:
            warnings.warn("many rows", stacklevel=2)
        if self.draws:
            generator = tscript.Generator()
            generator.manual_seed(n)
            y = y + tscript.rand(SIZE, generator=generator)
        return y + x if self.is_residual else y


def tree(choices: random.Random, depth: int) -> nn.Module:
    """A random module from `(n, SIZE)` to `(n, SIZE)`."""
    made = choices.random()
    if depth and made < 0.35:
        return nn.Sequential(*(tree(choices, depth - 1) for _ in range(choices.randint(1, 3))))
    if depth and made < 0.8:
        layers = [tree(choices, depth - 1) for _ in range(choices.randint(0, 2))]
        return Block(choices, layers, tree(choices, depth - 1) if choices.random() < 0.5 else None)
    layers = (
        lambda: nn.Linear(SIZE, SIZE, bias=choices.random() < 0.7),
        lambda: nn.LayerNorm(SIZE, elementwise_affine=choices.random() < 0.7),
        lambda: nn.BatchNorm1d(SIZE, affine=choices.random() < 0.7),
        nn.ReLU,
        nn.Tanh,
        lambda: nn.Dropout(0.0 if choices.random() < 0.5 else 1.0),
        nn.Identity,
        lambda: nn.LeakyReLU(choices.choice((0.1, 0.5))),
        lambda: nn.Softmax(dim=-1),
    )
    return choices.choice(layers)()


def close(a: Tensor, b: Tensor) -> bool:
    return a.shape == b.shape and bool(tscript.allclose(a, b, rtol=1e-4, atol=1e-4))


def named(module: Any) -> Any:
    """A function that names a module."""

    @tscript.script
    def applied(x: Tensor) -> Tensor:
        return module(x) * 1.0

    return applied


def forked(module: Any) -> Any:
    """A function that runs a module's method as a task."""
    return lambda x: tscript.fork(module.forward, x).wait()


def check(seed: int, folder: Path) -> None:
    """One tree in training and in evaluation mode."""
    choices = random.Random(seed)
    tscript.manual_seed(seed)
    module: Any = Block(choices, [tree(choices, 2) for _ in range(2)], None)
    scripted = tscript.script(module)
    given = [tscript.randn(n, SIZE) for n in (3, 2, 5)]
    with tscript.no_grad():
        for x in given:  # the statistics of both are the same tensors: those from before each call
            before = {k: v.clone() for k, v in module.state_dict().items()}
            wanted = module(x)
            after = {k: v.clone() for k, v in module.state_dict().items()}
            module.load_state_dict(before)
            assert close(scripted(x), wanted)
            for name, found in module.state_dict().items():
                assert close(found.double(), after[name].double()), name
        scripted.eval()
        module = copy.deepcopy(module).eval()  # the scripted one has the same lists
        tscript.save(scripted, folder / "module.tsa")
        frozen, left = tscript.freeze(scripted), tscript.freeze(scripted, ["scale", "names"])
        tscript.save(frozen, folder / "frozen.tsa")
        tscript.save(left, folder / "left.tsa")
        ways = {
            "scripted": scripted,
            "frozen": frozen,
            "with attributes left": left,
            "loaded": tscript.load(folder / "module.tsa"),
            "frozen and loaded": tscript.load(folder / "frozen.tsa"),
            "with attributes left and loaded": tscript.load(folder / "left.tsa"),
            "named": named(tscript.load(folder / "module.tsa")),
        }
        tscript.save(named(tscript.load(folder / "module.tsa")), folder / "named.tsa")
        ways["named and loaded"] = tscript.load(folder / "named.tsa")
        ways["a method as a task"] = forked(tscript.load(folder / "frozen.tsa"))
        blocks = [each for each in module.modules() if isinstance(each, Block)]
        if not any(each.changes or each.forks or each.draws for each in blocks):  # a trace has what Python computed
            ways["traced"] = tscript.trace(module, given[0])
        for x in given:
            wanted = module(x)
            assert {name for name, way in ways.items() if not close(way(x), wanted)} == set()


@pytest.mark.filterwarnings("ignore:many rows")
@pytest.mark.parametrize("seed", [*range(5), *(pytest.param(n, marks=pytest.mark.slow) for n in range(5, 40))])
def test_a_tree_computes_the_same_everywhere(seed: int, tmp_path: Path) -> None:
    check(seed, tmp_path)
