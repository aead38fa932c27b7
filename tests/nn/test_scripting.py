"""Scripted modules: `tscript.script` of an instance."""

from __future__ import annotations

import copy
import pickle
import threading
from pathlib import Path
from typing import Any, Dict, Final, List, Optional

import numpy as np
import pytest

import tscript
import tscript as torch
from tscript import Tensor, nn
from tscript.nn.modules.module import Module
from tscript.nn.scripting import ScriptModule


class Linear(Module):
    weight: Tensor
    bias: Optional[Tensor]

    def __init__(self, inputs: int, outputs: int, bias: bool = True) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(outputs, inputs))
        if bias:
            self.bias = nn.Parameter(torch.randn(outputs))
        else:
            self.register_parameter("bias", None)

    def forward(self, input: Tensor) -> Tensor:
        return torch.nn.functional.linear(input, self.weight, self.bias)


class Net(Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = Linear(3, 4)
        self.second = Linear(4, 4, bias=False)
        self.down = None
        self.scale = 2.0
        self.act = torch.tanh
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64))
        self.register_buffer("mean", None)

    def helper(self, x: Tensor) -> Tensor:
        return x * self.scale

    def forward(self, x: Tensor) -> Tensor:
        x = self.act(self.first(x))
        if self.down is not None:
            x = self.down(x)
        x = self.second(x)
        if self.training:
            self.calls += 1
        return self.helper(x)


def same(a: Any, b: Any) -> bool:
    return bool(np.allclose(a.numpy(), b.numpy(), rtol=1e-5, atol=1e-6))


X = tscript.tensor([[1.0, -2.0, 0.5], [0.25, 3.0, -1.0]])


def test_it_computes_what_the_module_does() -> None:
    net = Net()
    scripted = tscript.script(net)
    assert isinstance(scripted, ScriptModule) and isinstance(scripted, Module)
    assert same(scripted(X), net(X)) and same(scripted.forward(X), net(X))
    assert scripted(X[:0]).shape == (0, 4)


def test_parameters_are_shared() -> None:
    net = Net()
    scripted = tscript.script(net)
    assert [*scripted.state_dict()] == [*net.state_dict()]
    with torch.no_grad():
        net.first.weight.mul_(3)
    assert same(scripted(X), net(X))
    scripted.load_state_dict(Net().state_dict())
    assert same(net(X), scripted(X))
    assert [name for name, _ in scripted.named_parameters()] == [name for name, _ in net.named_parameters()]


def test_attributes_are_kept_and_changed() -> None:
    scripted = tscript.script(Net())
    assert scripted.training is True and scripted.scale == 2.0 and scripted.down is None
    scripted(X)
    scripted(X)
    assert scripted.calls.item() == 2
    scripted.eval()
    before = scripted(X)
    assert scripted.calls.item() == 2 and not scripted.first.training
    scripted.scale = 4.0
    assert same(scripted(X), before * 2)


def test_modules_of_the_same_types_share_their_code() -> None:
    first, second = tscript.script(Net()), tscript.script(Net())
    assert type(first) is type(second) and type(first.first) is not type(first.second)
    assert not same(first(X), second(X))


class Base(Module):
    def __init__(self, by: int) -> None:
        super().__init__()
        self.by = by

    @property
    def twice(self) -> int:
        return self.by * 2

    @staticmethod
    def shifted(x: Tensor) -> Tensor:
        return x - 1

    def inner(self, x: Tensor) -> Tensor:
        return x + self.by

    def forward(self, x: Tensor) -> Tensor:
        return self.shifted(self.inner(x)) * self.twice


class Mixin:
    by: int

    def inner(self, x: Tensor) -> Tensor:
        return x * self.by


class Derived(Base):
    def inner(self, x: Tensor) -> Tensor:
        return super().inner(x) * 10

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x) + 0.5


class Mixed(Mixin, Base):
    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x) + super().inner(x)


@pytest.mark.parametrize("cls", [Base, Derived, Mixed])
def test_inheritance(cls: type) -> None:
    module = cls(3)
    assert same(tscript.script(module)(X), module(X))


class Constants(Module):
    __constants__ = ["mode", "sizes"]  # noqa: RUF012
    steps: Final[int] = 2
    table: Dict[str, float]
    found: List[int]
    best: Optional[Tensor]

    def __init__(self, mode: str) -> None:
        super().__init__()
        self.mode = mode
        self.sizes = (2, 3)
        self.table = {}
        self.found = []
        self.names: List[str] = []
        self.best = None

    def forward(self, x: Tensor) -> Tensor:
        if self.mode == "plain":
            return self.missing(x)  # type: ignore[operator, no-any-return]
        for i in range(self.steps):
            x = x + self.sizes[i]
        self.found.append(int(x.sum()))
        self.names.append(self.mode)
        self.table["sum"] = float(x.sum())
        self.best = x
        return x


def test_constants_decide_branches_and_declared_attributes_are_filled() -> None:
    scripted = tscript.script(Constants("other"))
    y = scripted(X)
    assert same(y, X + 5) and scripted.found == [int(y.sum())] and scripted.names == ["other"]
    assert scripted.table == {"sum": pytest.approx(float(y.sum()))} and same(scripted.best, y)
    with pytest.raises(AttributeError, match="'mode' of Constants is a constant"):
        scripted.mode = "plain"
    with pytest.raises(tscript.CompileError, match="missing"):
        tscript.script(Constants("plain"))


class Tied(Module):
    def __init__(self) -> None:
        super().__init__()
        self.a = Linear(3, 3)
        self.b = self.a
        self.c = Linear(3, 3)
        self.c.weight = self.a.weight

    def forward(self, x: Tensor) -> Tensor:
        return self.c(self.b(self.a(x)))


def test_what_is_tied_stays_tied() -> None:
    module = Tied()
    scripted = tscript.script(module)
    assert scripted.a is scripted.b and scripted.c.weight is scripted.a.weight
    assert same(scripted(X), module(X))
    copied = copy.deepcopy(scripted)
    assert copied.a is copied.b and copied.c.weight is copied.a.weight and copied.a is not scripted.a
    with torch.no_grad():
        copied.a.weight.zero_()
    assert same(copied(X), X[:, :0].sum(1, keepdim=True) + copied.c.bias) and same(scripted(X), module(X))


def test_dtypes_may_change() -> None:
    scripted = tscript.script(Net()).eval()
    before = scripted(X)
    scripted.double()
    after = scripted(X.double())
    assert after.dtype is torch.float64 and np.allclose(after.numpy(), before.numpy(), rtol=1e-4)
    assert scripted.first.weight.dtype is torch.float64
    scripted.to(torch.float32)
    assert same(scripted(X), before)


def test_state_dicts_of_another_dtype_may_be_assigned() -> None:
    scripted = tscript.script(Net()).eval()
    before = scripted(X)
    state = {
        name: tensor.double() if tensor.is_floating_point() else tensor
        for name, tensor in scripted.state_dict().items()
    }
    scripted.load_state_dict(state, assign=True)
    after = scripted(X.double())
    assert after.dtype is torch.float64 and np.allclose(after.numpy(), before.numpy(), rtol=1e-4)
    assert scripted.first.weight.dtype is torch.float64 and isinstance(scripted.first.weight, torch.nn.Parameter)
    wrong = {**state, "first.weight": tscript.ones(7)}
    with pytest.raises(RuntimeError, match=r"size mismatch for first\.weight"):
        scripted.load_state_dict(wrong, assign=True)
    assert same(scripted(X.double()), after)


class Casting(Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = Linear(3, 4)
        self.rest = nn.Sequential(Linear(4, 4), nn.Tanh())

    def forward(self, x: Tensor) -> Tensor:
        x = self.first(x.to(self.first.weight.dtype))
        return self.rest(x.to(torch.float64).float())


def test_dtypes_of_a_submodule_may_change(tmp_path: Path) -> None:
    scripted = tscript.script(Casting())
    before = scripted(X)
    tscript.save(scripted, tmp_path / "net.tsa")
    for net in (scripted, tscript.load(tmp_path / "net.tsa"), copy.deepcopy(scripted), copy.copy(scripted)):
        original = type(net)
        net.first.double()
        assert net.first.weight.dtype is torch.float64 and same(net(X.double()), before)
        net.first.float()
        assert type(net) is original and same(net(X), before)
        net.rest[0].double()
        with pytest.raises(RuntimeError, match="Float != Double"):
            net(X)
        net.rest.float()
        assert type(net) is original and same(net(X), before)
        around = nn.Sequential(net.rest)
        around.double()
        assert net.rest[0].weight.dtype is torch.float64 and type(net) is not original
        net.float()
        assert type(net) is original and same(net(X), before)


def test_attributes_are_checked() -> None:
    scripted = tscript.script(Net())
    with pytest.raises(AttributeError, match="a scripted Net has no attribute 'other'"):
        scripted.other = 3
    with pytest.raises(TypeError, match="'scale' of a scripted Net must be float, not str"):
        scripted.scale = "a"
    with pytest.raises(
        TypeError, match=r"'weight' of a scripted Linear must be Tensor\[float32, 2\], not Tensor\[float"
    ):
        scripted.first.weight = torch.zeros(2, 2, dtype=torch.float64)
    with pytest.raises(AttributeError, match="cannot be deleted"):
        del scripted.scale
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = scripted.nothing
    with pytest.raises(RuntimeError, match="native code calls no hooks"):
        scripted.register_forward_hook(print)


def test_tensors_put_there_by_force_are_refused_by_native_code() -> None:
    scripted = tscript.script(Net())
    scripted.first.__dict__["weight"] = torch.zeros(4, 3, dtype=torch.float64)
    with pytest.raises(TypeError, match=r"'weight' of attribute 'first' must be Tensor\[float32, 2\]"):
        scripted(X)
    scripted.first.__dict__["weight"] = torch.zeros(4)
    with pytest.raises(TypeError, match=r"it has tscript\.float32 and 1 dimension"):
        scripted(X)
    scripted = tscript.script(Net())
    scripted.__dict__["first"] = copy.deepcopy(scripted.first).double()
    with pytest.raises(
        TypeError,
        match=r"the Linear that the code was compiled for: its 'weight' is Tensor\[float64, 2\], and "
        r"Tensor\[float32, 2\] there; convert the module it is part of",
    ):
        scripted(X)


def test_copies_and_pickles() -> None:
    scripted = tscript.script(Net())
    scripted.scale = 5.0
    for other in (copy.copy(scripted), copy.deepcopy(scripted), pickle.loads(pickle.dumps(scripted))):
        assert other is not scripted and type(other) is type(scripted) and same(other(X), scripted(X))


def test_methods_can_be_called_from_python() -> None:
    scripted = tscript.script(Net())
    assert same(scripted.helper(X), X * 2)
    assert tscript.script(Base(3)).twice == 6


class Marked(Module):
    def __init__(self) -> None:
        super().__init__()
        self.log = ["start"]

    @tscript.ignore
    def in_python(self, x: Tensor) -> Tensor:
        self.log.append("called")
        return x * 7

    @tscript.unused
    def training_only(self, x: Tensor) -> Tensor:
        return undefined(x)  # type: ignore[name-defined, no-any-return]  # noqa: F821

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() > 3:
            return self.training_only(x)
        return self.in_python(x)


def test_marks() -> None:
    scripted = tscript.script(Marked())
    assert same(scripted(X), X * 7)
    with pytest.raises(RuntimeError, match="training_only"):
        scripted(torch.zeros(1, 1, 1, 1))


@tscript.script
def twice(module, x):  # type: ignore[no-untyped-def]
    return module(module(x))


def test_scripted_functions_take_modules() -> None:
    module = tscript.script(Linear(3, 3))
    assert same(twice(module, X), module(module(X)))


class Untyped(Module):
    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value

    def forward(self, x: Tensor) -> Tensor:
        return x + len(self.value)


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ([], "whose elements have no common type"),
        ([Linear(1, 1)], "a list of modules"),
        (object(), "a object"),
    ],
)
def test_attributes_without_a_type_are_named(value: Any, problem: str) -> None:
    with pytest.raises(tscript.CompileError, match=problem) as raised:
        tscript.script(Untyped(value))
    assert "value" in str(raised.value) and "in the module" not in str(raised.value)
    within = type("Within", (Untyped,), {})(value)
    with pytest.raises(tscript.CompileError, match=r"in the module '1\.0', cannot be compiled"):
        tscript.script(nn.Sequential(Linear(1, 1), nn.Sequential(within)))(X)


def test_hooks_are_refused_with_the_path_of_the_module() -> None:
    net = Net()
    net.second.register_forward_hook(lambda module, args, output: None)
    with pytest.raises(RuntimeError, match="the module 'second', a Linear, has hooks"):
        tscript.script(net)


def test_threads_may_call_one_module() -> None:
    scripted = tscript.script(Net()).eval()
    expected = scripted(X)
    wrong: list[int] = []

    def run() -> None:
        wrong.extend(i for i in range(200) if not same(scripted(X), expected))

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_graph_and_text() -> None:
    scripted = tscript.script(Net())
    assert "matmul" in str(scripted.graph_for(X)) or "linear" in str(scripted.graph_for(X))
    assert scripted.original_name == "Net" and "original_name=Linear" in repr(scripted)
    assert "helper" in dir(scripted)


class _Named(nn.Module):
    __constants__ = ("names",)

    def __init__(self, count: int) -> None:
        super().__init__()
        self.names = tuple(f"part{n}" for n in range(count))
        for n, name in enumerate(self.names):
            self.register_buffer(name, tscript.full((2,) * (n % 2), float(n)))

    def forward(self, x: Tensor) -> Tensor:
        for name in self.names:
            x = x + getattr(self, name)
        return x + sum([getattr(self, name).sum() for name in self.names if hasattr(self, name)], tscript.zeros(()))


@pytest.mark.parametrize("count", [1, 3, 20])
def test_attributes_by_names_that_are_known(count: int) -> None:
    module = _Named(count)
    x = tscript.ones(2)
    assert tscript.script(module)(x).tolist() == module(x).tolist()


class _Split(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, int]:
        return x + 1, 2


class _Joined(nn.Module):
    def forward(self, parts: tuple[Tensor, int]) -> Tensor:
        return parts[0] * parts[1]


def test_modules_in_a_row_pass_on_what_they_give() -> None:
    class Network(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.row = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Sequential(_Split(), _Joined()))

        def forward(self, x: Tensor) -> Tensor:
            return self.row(x).sum(0)

    network = Network()
    x = tscript.randn(4, 2)
    assert tscript.script(network)(x).tolist() == network(x).tolist()
    assert tscript.script(network.row)(x).tolist() == network.row(x).tolist()


class _Attributes(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.seen: Any = torch.jit.Attribute({}, Dict[str, int])
        self.scale: Any = torch.jit.Attribute(value=3, type=float)
        self.sizes: Any = torch.jit.Attribute((1, 2), List[int])

    def forward(self, name: str) -> float:
        self.seen[name] = 3
        self.sizes.append(1)
        return len(self.seen) + self.scale + self.sizes[0]  # type: ignore[no-any-return]


def test_values_with_their_types() -> None:
    """``torch.jit.Attribute``."""
    module = tscript.script(_Attributes())
    assert module("a") == 5.0 and module.seen == {"a": 3} and module.sizes == [1, 2, 1]
    module.scale = 2.5
    assert pickle.loads(pickle.dumps(module))("b") == 5.5


class _Fusible(nn.Module):
    """As many networks that are made simpler when they are trained: the method that does it is Python's."""

    def __init__(self) -> None:
        super().__init__()
        self.left, self.right = nn.Linear(2, 2), nn.Linear(2, 2)
        self.fused: Any = None

    def forward(self, x: Tensor) -> Tensor:
        if self.fused is not None:
            return self.fused(x)  # type: ignore[no-any-return]
        return self.left(x) + self.right(x)

    def fuse(self) -> None:
        self.fused = nn.Linear(2, 2)
        self.fused.load_state_dict({n: self.left.state_dict()[n] + t for n, t in self.right.state_dict().items()})
        del self.left, self.right

    def take(self, x: Tensor) -> None:
        self.fused = x


def test_what_is_none_stays_none_where_nothing_compiled_assigns_it() -> None:
    network = _Fusible()
    x = tscript.randn(3, 2)
    before = network(x)
    assert tscript.script(nn.Sequential(network, nn.ReLU()))(x).tolist() == before.relu().tolist()
    scripted = tscript.script(network)
    with pytest.raises(
        tscript.CompileError, match=r"(?s)no attribute 'fused' to assign to.*'fused: Optional\[Tensor\]'"
    ):
        scripted.take(x)
    network.fuse()
    np.testing.assert_allclose(tscript.script(network)(x).numpy(), before.numpy(), rtol=1e-5, atol=1e-6)


class _Indirect(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.last: Any = None

    def forward(self, x: Tensor) -> bool:
        self.keep(x)
        return self.last is None

    def keep(self, x: Tensor) -> None:
        self.last = x


class _Exported(_Indirect):
    def forward(self, x: Tensor) -> bool:
        return self.last is None

    @tscript.export
    def reset(self, x: Tensor) -> None:
        self.keep(x)


@pytest.mark.parametrize("build", [_Indirect, _Exported])
def test_what_is_none_needs_a_type_where_something_compiled_assigns_it(build: type[_Indirect]) -> None:
    with pytest.raises(
        tscript.CompileError, match=r"(?s)assigned later.*declare it in the class: 'last: Optional\[Tensor\]'"
    ):
        tscript.script(build())(tscript.ones(1))
