"""Frozen modules: `tscript.freeze`."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any, List, Optional

import pytest

import tscript
from tscript import Tensor, nn
from tscript.nn.scripting import ScriptModule
from tscript.nn.scripting.freezing import FrozenModule, FrozenModuleError


def lively(module: Any) -> Any:
    """The module in evaluation mode, with statistics of a network that was trained."""
    tscript.manual_seed(3)
    for each in module.modules():
        if getattr(each, "running_mean", None) is not None:
            each.running_mean.normal_()
            each.running_var.uniform_(0.5, 2.0)
            if each.weight is not None:
                each.weight.data.uniform_(0.5, 2.0)
                each.bias.data.normal_()
    return module.eval()


def close(a: Tensor, b: Tensor) -> bool:
    return bool(tscript.allclose(a, b, rtol=1e-4, atol=1e-5))


def operators(frozen: Any) -> str:
    """The operators of `forward`."""
    return str(frozen.graph)


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 6, 3, padding=1, bias=False)
        self.bn = nn.BatchNorm2d(6)
        self.drop = nn.Dropout(0.5)
        self.down = None
        self.scale = 2.0

    def forward(self, x: Tensor) -> Tensor:
        y = self.drop(tscript.relu(self.bn(self.conv(x))))
        if self.down is not None:
            y = self.down(y)
        if self.training:
            y = y * 100
        return y * self.scale


X = tscript.arange(2 * 3 * 5 * 5, dtype=tscript.float32).reshape(2, 3, 5, 5) / 75 - 1


def test_a_frozen_module_computes_the_same_without_attributes() -> None:
    scripted = tscript.script(lively(Block()))
    frozen = tscript.freeze(scripted)
    assert isinstance(frozen, FrozenModule) and isinstance(frozen, ScriptModule)
    assert close(frozen(X), scripted(X))
    graph = operators(frozen)
    assert "get_field" not in graph and "batch_norm" not in graph and "dropout" not in graph and "self" not in graph
    assert [*frozen.parameters()] == [] and [*frozen.named_modules()] == [("", frozen)] and not frozen.state_dict()
    assert not frozen.training and frozen.original_name == "Block" and "FrozenModule" in repr(frozen)


def test_it_shares_nothing_with_the_module() -> None:
    scripted = tscript.script(lively(Block()))
    frozen = tscript.freeze(scripted)
    before = frozen(X)
    scripted.conv.weight.data.zero_()
    scripted.scale = 3.0
    assert close(frozen(X), before) and not close(scripted(X), before)


@pytest.mark.parametrize(
    ("layers", "shape"),
    [
        ([nn.Conv1d(4, 6, 3, groups=2), nn.BatchNorm1d(6)], (2, 4, 7)),
        ([nn.Conv3d(2, 3, 2), nn.BatchNorm3d(3, affine=False)], (2, 2, 3, 4, 3)),
        ([nn.Conv2d(2, 3, 2, padding="same"), nn.BatchNorm2d(3)], (1, 2, 3, 4)),
        ([nn.ConvTranspose1d(4, 6, 3, groups=2), nn.BatchNorm1d(6)], (2, 4, 7)),
        ([nn.ConvTranspose2d(3, 4, 3, stride=2), nn.BatchNorm2d(4)], (2, 3, 4, 5)),
        ([nn.Linear(3, 4), nn.BatchNorm1d(4)], (5, 3)),
        ([nn.Linear(3, 4, bias=False), nn.BatchNorm1d(4)], (5, 3)),
        ([nn.Conv2d(2, 3, 1), nn.BatchNorm2d(3), nn.BatchNorm2d(3)], (2, 2, 3, 3)),
    ],
    ids=lambda value: "-".join(type(v).__name__ for v in value) if isinstance(value, list) else None,
)
@pytest.mark.parametrize("dtype", [tscript.float32, tscript.float64])
def test_normalisations_go_into_weights(layers: List[nn.Module], shape: tuple[int, ...], dtype: Any) -> None:
    scripted = tscript.script(lively(nn.Sequential(*layers)).to(dtype))
    frozen = tscript.freeze(scripted)
    x = tscript.randn(*shape, dtype=dtype)
    assert close(frozen(x), scripted(x))
    assert "batch_norm" not in str(frozen.graph_for(x)) and "rsqrt" not in str(frozen.graph_for(x))
    plain = tscript.freeze(scripted, optimize_numerics=False)
    assert close(plain(x), scripted(x)) and "batch_norm" in operators(plain)


def test_channels_are_only_folded_where_they_are_dimension_1() -> None:
    scripted = tscript.script(lively(nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))))
    frozen = tscript.freeze(scripted)
    x = tscript.randn(2, 4, 3)  # four rows of features: the channels are the rows
    assert close(frozen(x), scripted(x))
    assert close(frozen(x[0]), scripted(x[0]))
    conv = tscript.script(lively(nn.Sequential(nn.Conv1d(3, 4, 1), nn.BatchNorm1d(4))))
    unbatched = tscript.randn(3, 4)  # a result of (4, 4), whose channels the normalisation takes for a batch
    assert close(tscript.freeze(conv)(unbatched), conv(unbatched))


class Convolutions(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(16, 16, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(16)
        self.same = nn.Conv2d(16, 16, 3, padding="same")
        self.last = nn.Conv2d(16, 4, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.last(self.same(tscript.relu(self.norm(self.first(x)))))


@pytest.mark.parametrize("dtype", [tscript.float16, tscript.float32, tscript.float64])
def test_convolutions_may_have_larger_errors_where_that_is_asked_for(dtype: Any, tmp_path: Path) -> None:
    scripted = tscript.script(lively(Convolutions()).to(dtype))
    plain, fast = tscript.freeze(scripted), tscript.freeze(scripted, fast=True)
    assert "conv2d_fast" not in operators(plain)
    assert operators(fast).count("conv2d_fast") == 2 and "conv2d(" in operators(fast)
    x = tscript.randn(2, 16, 13, 14).to(dtype)
    limit = 2e-2 if dtype is tscript.float16 else 1e-4
    assert tscript.allclose(fast(x), plain(x), rtol=limit, atol=limit)
    for other in (
        tscript.optimize_for_inference(scripted, fast=True),
        tscript.optimize_for_inference(plain, fast=True),
        tscript.freeze(fast),
    ):
        assert operators(other).count("conv2d_fast") == 2 and tscript.equal(other(x), fast(x))
    assert "conv2d_fast" not in operators(plain) and tscript.freeze(plain) is plain
    tscript.save(fast, tmp_path / "fast.tsa")
    assert tscript.equal(tscript.load(tmp_path / "fast.tsa")(x), fast(x))


def test_what_a_frozen_module_keeps_is_not_shared_with_the_faster_one() -> None:
    module = lively(Block())
    frozen = tscript.freeze(tscript.script(module), ["scale"])
    fast = tscript.optimize_for_inference(frozen, fast=True)
    fast.scale = 4.0
    assert frozen.scale == 2.0 and close(fast(X), 2 * frozen(X)) and operators(fast).count("conv2d_fast") == 1


class TwoUses(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv, self.bn = nn.Conv2d(3, 3, 1), nn.BatchNorm2d(3)

    def forward(self, x: Tensor) -> Tensor:
        y = self.conv(x)
        return self.bn(y) + y


def test_what_is_used_twice_is_not_folded() -> None:
    scripted = tscript.script(lively(TwoUses()))
    frozen = tscript.freeze(scripted)
    assert close(frozen(X), scripted(X)) and "batch_norm" in operators(frozen)


def test_statistics_of_the_input_are_not_folded() -> None:
    net = nn.Sequential(nn.Conv2d(3, 4, 1), nn.BatchNorm2d(4, track_running_stats=False)).eval()
    scripted = tscript.script(net)
    frozen = tscript.freeze(scripted)
    assert close(frozen(X), scripted(X)) and "batch_norm" in operators(frozen)


class Options(nn.Module):
    number: Optional[int]

    def __init__(self) -> None:
        super().__init__()
        self.number = 3
        self.names = ("a", "b")
        self.sizes = [1, 2, 3]
        self.weight = nn.Parameter(tscript.ones(2))
        self.register_buffer("shift", tscript.ones(2))

    def helper(self, x: Tensor) -> Tensor:
        return x + self.shift

    def forward(self, x: Tensor, twice: bool = False) -> Tensor:
        number = self.number
        if number is not None:
            x = x * number
        if twice:
            x = x * 2
        for size in self.sizes:
            x = x + size
        return self.helper(x) * self.weight * len(self.names)

    @tscript.export
    def other(self, x: Tensor) -> Tensor:
        return self.helper(x) * 10


def test_attributes_of_all_types() -> None:
    scripted = tscript.script(Options().eval())
    frozen = tscript.freeze(scripted)
    x = tscript.ones(2)
    for given in ((x,), (x, True)):
        assert frozen(*given).tolist() == scripted(*given).tolist()
    assert frozen(x, twice=True).tolist() == [26.0, 26.0]
    assert frozen.forward(x).tolist() == frozen(x).tolist()
    assert "self.names" in frozen.code


class Counter(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("calls", tscript.zeros(()))
        self.last = 0

    def forward(self, x: Tensor) -> Tensor:
        self.calls += 1
        self.last = x.size(0)
        return x + self.calls


class Outer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.counter, self.linear = Counter(), nn.Linear(2, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(self.counter(x))


def test_what_changes_stays_an_attribute() -> None:
    outer = Outer().eval()
    scripted = tscript.script(outer)
    frozen = tscript.freeze(scripted, preserved_attrs=["counter"])
    x = tscript.ones(3, 2)
    for _ in range(3):
        assert close(frozen(x), scripted(x))
    assert frozen.counter.calls.item() == 3 and frozen.counter.last == 3 and scripted.counter.calls.item() == 3
    other = copy.deepcopy(frozen)
    other(x)
    assert (other.counter.calls.item(), frozen.counter.calls.item()) == (4, 3)
    assert '"weight"' not in str(frozen.graph) and '"calls"' in str(frozen.graph)


def test_preserved_attributes_can_be_set() -> None:
    frozen = tscript.freeze(tscript.script(lively(Block())), preserved_attrs=["scale"])
    before = frozen(X)
    assert frozen.scale == 2.0
    frozen.scale = 4.0
    assert close(frozen(X), before * 2)
    with pytest.raises(TypeError, match="must be float, not str"):
        frozen.scale = "a"
    with pytest.raises(AttributeError, match="Block has no attribute 'sclae' that could be preserved"):
        tscript.freeze(tscript.script(Block().eval()), ["sclae"])


def test_preserved_methods() -> None:
    frozen = tscript.jit.freeze(tscript.script(Options().eval()), ["other"])
    assert frozen.other(tscript.ones(2)).tolist() == [20.0, 20.0]
    both = tscript.jit.optimize_for_inference(tscript.script(Options().eval()), ["other"])
    assert both.other(tscript.ones(2)).tolist() == [20.0, 20.0]
    with pytest.raises(FrozenModuleError, match=r"freezing keeps 'forward' .* preserved_attrs=\['other'\]"):
        tscript.freeze(tscript.script(Options().eval())).other(tscript.ones(2))


def test_what_a_frozen_module_refuses() -> None:
    frozen = tscript.freeze(tscript.script(lively(Block())))
    with pytest.raises(FrozenModuleError, match="a frozen Block cannot be trained"):
        frozen.train()
    around = nn.Sequential(nn.ReLU(), nn.Sequential(frozen)).eval()
    with pytest.raises(FrozenModuleError, match=r"'1.0', a frozen Block, cannot be trained, .* freeze that again"):
        around.train()
    assert not around.training and not around[0].training
    for given in ({}, {"bn.bias": tscript.ones(4)}):
        with pytest.raises(FrozenModuleError, match=r"a frozen Block takes no state dict, .* load it into the module"):
            frozen.load_state_dict(given)
    assert frozen.eval() is frozen and frozen.train(False) is frozen
    with pytest.raises(
        FrozenModuleError, match="'scale' of a frozen Block is a constant of its code, and cannot be set"
    ):
        frozen.scale = 1.0
    with pytest.raises(AttributeError, match=r"preserved_attrs=\['conv'\]"):
        _ = frozen.conv
    with pytest.raises(AttributeError, match="a frozen Block has no attribute 'convv'"):
        _ = frozen.convv
    with pytest.raises(RuntimeError, match=r"'conv\.weight' of a frozen Block is a constant of dtype float32"):
        frozen.double()
    assert frozen.float() is frozen and frozen.to("cpu") is frozen
    with pytest.raises(TypeError, match="takes a scripted module, not a Block: call tscript"):
        tscript.freeze(Block().eval())
    half = Block().eval()
    half.bn.train()
    with pytest.raises(RuntimeError, match=r"'bn' of the Block is in training mode: call eval\(\)"):
        tscript.freeze(tscript.script(half))
    assert tscript.freeze(frozen) is frozen


def test_copies() -> None:
    frozen = tscript.freeze(tscript.script(lively(Block())), ["scale"])
    again = pickle.loads(pickle.dumps(frozen))
    assert close(again(X), frozen(X)) and again.scale == 2.0
    again.scale = 4.0
    assert frozen.scale == 2.0 and close(again(X), frozen(X) * 2)
    plain = tscript.freeze(tscript.script(lively(Block())))
    assert copy.deepcopy(plain) is plain and close(pickle.loads(pickle.dumps(plain))(X), plain(X))


def test_constants_cannot_be_written_to() -> None:
    class Leaks(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("table", tscript.ones(3))

        def forward(self, x: Tensor) -> Tensor:
            return self.table

    found = tscript.freeze(tscript.script(Leaks().eval()))(X)
    with pytest.raises(RuntimeError, match="read-only"):
        found.add_(1)


def test_a_frozen_module_as_a_part(tmp_path: Path) -> None:
    """Of a module that is scripted, copied, pickled, saved, loaded, saved again, frozen with it."""
    frozen = tscript.freeze(tscript.script(lively(Block())))
    whole = tscript.script(nn.Sequential(frozen, nn.Tanh())).eval()
    wanted = tscript.tanh(frozen(X))
    assert close(whole(X), wanted) and close(whole[0](X), frozen(X)) and not [*whole.named_parameters()]
    for other in (copy.deepcopy(whole), pickle.loads(pickle.dumps(whole)), tscript.freeze(whole)):
        assert close(other(X), wanted)
    for number in range(2):
        tscript.save(whole, tmp_path / f"{number}.tsa")
        whole = tscript.load(tmp_path / f"{number}.tsa")
        assert close(whole(X), wanted) and close(whole[0](X), frozen(X))


def test_a_frozen_module_in_a_function(tmp_path: Path) -> None:
    """By its name, as an argument, and its other methods."""

    class Shifted(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.row = nn.Linear(2, 2)

        def forward(self, x: Tensor, n: int = 1) -> Tensor:
            return self.row(x) + n

        @tscript.export
        def halved(self, x: Tensor) -> Tensor:
            return self.row(x) / 2

    frozen: Any = tscript.freeze(tscript.script(Shifted().eval()), ["halved"])
    x = tscript.ones(3, 2)

    def calls(x: Tensor) -> Tensor:
        return frozen(x, n=2) + frozen.forward(x) + frozen.halved(x)

    def given(net, x: Tensor) -> Tensor:  # type: ignore[no-untyped-def]
        return net(x)  # type: ignore[no-any-return]

    wanted = frozen(x, n=2) + frozen(x) + frozen.halved(x)
    assert close(tscript.script(calls)(x), wanted) and close(tscript.script(given)(frozen, x), frozen(x))
    tscript.save(tscript.script(calls), tmp_path / "calls.tsa")
    assert close(tscript.load(tmp_path / "calls.tsa")(x), wanted)


def test_a_frozen_module_with_attributes_stays_outside() -> None:
    """As a part and by name."""

    class Scaled(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scale = 2.0

        def forward(self, x: Tensor) -> Tensor:
            return x * self.scale

    frozen = tscript.freeze(tscript.script(Scaled().eval()), ["scale"])

    def calls(x: Tensor) -> Tensor:
        return frozen(x) + 1

    with pytest.raises(RuntimeError, match="the module '0', a Scaled, is frozen and has attributes left: freeze it"):
        tscript.script(nn.Sequential(frozen, nn.ReLU()))
    with pytest.raises(tscript.CompileError, match="freeze it without preserved_attrs"):
        tscript.script(calls)


def test_an_archive_of_a_frozen_module_has_its_functions(tmp_path: Path) -> None:
    frozen = tscript.freeze(tscript.script(lively(Block())))
    tscript.save(frozen, tmp_path / "block.tsa")
    assert close(tscript.load(tmp_path / "block.tsa")(X), frozen(X))
    kept = tscript.freeze(tscript.script(lively(Block())), ["scale"])
    tscript.save(kept, tmp_path / "kept.tsa")
    loaded = tscript.load(tmp_path / "kept.tsa")
    before = kept(X)
    assert close(loaded(X), before) and not [*loaded.named_parameters()]
    loaded.scale = kept.scale = 3.0
    assert close(loaded(X), kept(X)) and not close(loaded(X), before)


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
def test_networks_that_name_their_class_in_errors_become_functions(kind: str, tmp_path: Path) -> None:
    network = getattr(nn, kind)(3, 4).eval()
    frozen = tscript.freeze(tscript.script(network))
    assert "self" not in str(frozen.graph).partition("{")[0]
    x = tscript.randn(5, 2, 3)
    tscript.save(frozen, tmp_path / "net.tsa")
    for made in (frozen, tscript.load(tmp_path / "net.tsa")):
        assert tscript.allclose(made(x)[0], network(x)[0], atol=1e-6)
        with pytest.raises(ValueError, match=f"^{kind}: Expected input to be 2-D or 3-D, got 1D instead"):
            made(tscript.ones(3))


class _Counting(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.seen: list[str] = []
        self.calls = 0

    def forward(self, x: Tensor, name: str) -> Tensor:
        self.seen.append(name)
        self.calls += 1
        return self.layer(x)  # type: ignore[no-any-return]


def test_attributes_that_are_left_are_read() -> None:
    frozen = tscript.freeze(tscript.script(_Counting().eval()))
    frozen(tscript.ones(1, 2), "a")
    assert (frozen.seen, frozen.calls) == (["a"], 1) and {"seen", "calls"} <= {*dir(frozen)}
    for name in ("layer", "other"):
        with pytest.raises(AttributeError, match=f"'{name}'"):
            getattr(frozen, name)
    with pytest.raises(AttributeError, match="preserved_attrs"):
        frozen.calls = 0
