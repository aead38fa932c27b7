"""Traces: `tscript.trace` and `tscript.trace_module`."""

from __future__ import annotations

import copy
import pickle
import warnings
from pathlib import Path
from typing import Any, Dict, List, Tuple

import pytest

import tscript
from tscript import Tensor, nn
from tscript.nn.scripting import ScriptModule
from tscript.nn.tracing.errors import TracerWarning, TracingCheckError, TracingError

X = tscript.tensor([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]])


@pytest.fixture(autouse=True)
def _strict() -> Any:
    """Warnings are errors where a test expects none."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", TracerWarning)
        yield


def test_a_function_becomes_a_scripted_one() -> None:
    def program(x: Any, y: Any) -> Any:
        z = tscript.relu(x) + 1
        z += y
        z[0] = 7.0
        z[:, 1:] *= 2
        return z.t() @ x, tscript.cat([x, y], dim=1).sum(-1), -(z.abs() ** 2) / 3

    traced = tscript.trace(program, (X, X * 2))
    for given in ((X, X * 2), (X[:1], X[1:]), (tscript.ones(5, 4), tscript.ones(5, 4))):
        for found, wanted in zip(traced(*given), program(*given), strict=True):
            assert tscript.equal(found, wanted)
    assert "def program(x: Tensor, y: Tensor)" in traced.code and "tscript.relu(x)" in traced.code
    assert traced.graph is not None and "fused" in str(traced.graph_for(X, X))


def test_sizes_are_values() -> None:
    def program(x: Any) -> Any:
        rows, columns = x.shape
        n = x.numel() // rows - 1
        return x.reshape(columns, -1) * rows, tscript.zeros(x.size(-1), n + 1), x.numel() + x.size()[0] * 2

    traced = tscript.trace(program, X)
    for given in (X, tscript.ones(4, 5), tscript.ones(1, 1)):
        wanted = program(given)
        found = traced(given)
        assert tscript.equal(found[0], wanted[0]) and found[1].shape == wanted[1].shape and found[2] == wanted[2]


def test_rules_of_sizes() -> None:
    def program(x: Any) -> Any:
        n = x.size(0)
        return (
            x * (2 * n - 1)
            + n % 2
            + 3 // n
            + n**2
            - (-n)
            + x.dim()
            + tscript.arange(n).sum()
            + tscript.full((n,), n)[0]
        )

    traced = tscript.trace(program, X)
    for given in (X, tscript.ones(3, 2)):
        assert tscript.equal(traced(given), program(given))


def test_containers_of_tensors() -> None:
    def program(pair: Any, named: Any, many: Any) -> Any:
        return pair[0] * named["a"] + sum(many), {"b": pair[1][0]}

    example = ((X, (X + 1,)), {"a": X}, [X, X])
    with pytest.raises(TracingError, match=r"returns a dict, whose form .* strict=False"):
        tscript.trace(program, example)
    traced = tscript.trace(program, example, strict=False)
    first, second = traced(*example)
    assert tscript.equal(first, X * X + X + X) and tscript.equal(second["b"], X + 1)
    by_name = tscript.trace(lambda x, y: x - y, (X,), example_kwarg_inputs={"y": X * 3})
    assert tscript.equal(by_name(X, y=X), X - X)


def test_results_of_several_values() -> None:
    def program(x: Any) -> Any:
        values, indices = x.max(dim=1)
        found = tscript.sort(x, dim=0)
        first, second = x.unbind(0)
        return values * found.values[0, 0], indices + found[1][0, :2], first - second

    traced = tscript.trace(program, X)
    for found, wanted in zip(traced(X * -1), program(X * -1), strict=True):
        assert tscript.equal(found, wanted)


@tscript.script
def flipped(x: Tensor) -> Tensor:
    if bool(x.sum() > 0):
        return x
    return -x


def test_scripted_functions_stay_calls() -> None:
    traced = tscript.trace(lambda x: flipped(x) * 2, X)
    assert tscript.equal(traced(-X), flipped(-X) * 2) and "flipped(x)" in traced.code
    assert tscript.trace(flipped, X) is flipped


class Scale(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.by = nn.Parameter(tscript.tensor([2.0, 3.0, 4.0]))
        self.register_buffer("calls", tscript.zeros(()))
        self.plain = tscript.ones(3)

    def forward(self, x: Any) -> Any:
        self.calls += 1
        return x * self.by.abs() + self.calls + self.plain

    def other(self, x: Any) -> Any:
        return x - self.by


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scale = Scale()
        self.layers = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Dropout(0.5), nn.Linear(4, 2))
        self.scripted = tscript.script(nn.Linear(2, 2))

    def forward(self, x: Any) -> Any:
        return self.scripted(self.layers(self.scale(x)))


def test_a_module_becomes_a_scripted_one() -> None:
    net = Net().eval()
    before = copy.deepcopy(net.state_dict())
    traced = tscript.trace(net, X)
    assert isinstance(traced, ScriptModule) and traced.original_name == "Net"
    assert {*traced.state_dict()} == {*before}
    assert all(tscript.equal(v, before[k]) for k, v in traced.state_dict().items())
    code = traced.code
    assert "layers_0_v0 = " in code and "self.scripted(" in code and "self.scale.by" in code
    first = traced(X)
    assert traced.scale.calls.item() == 1
    net.scale.calls.zero_()  # the buffer is that of the module
    assert tscript.allclose(first, net(X))
    with tscript.no_grad():
        net.layers[0].weight.fill_(0.5)
    traced.scale.calls.zero_()
    first = traced(X * 2)
    net.scale.calls.zero_()
    assert tscript.allclose(first, net(X * 2))


def test_several_methods() -> None:
    scale = Scale()
    traced = tscript.trace_module(scale, {"forward": X, "other": (X,)}, check_inputs=[{"other": X * 2}])
    assert tscript.equal(traced.other(X), scale.other(X))
    assert tscript.equal(traced(X) + 1, scale(X))  # both count calls in one buffer
    assert tscript.equal(tscript.trace(Scale().other, X)(X), scale.other(X))
    with pytest.raises(AttributeError, match="Scale has no method 'backward'"):
        tscript.trace_module(scale, {"backward": X})


def test_copies_of_traced_modules() -> None:
    traced = tscript.trace(Scale(), X)
    again = pickle.loads(pickle.dumps(traced))
    other = copy.deepcopy(traced)
    assert tscript.equal(again(X), other(X)) and traced.calls.item() == 0


def test_archives_of_traced_modules(tmp_path: Path) -> None:
    traced = tscript.trace(Scale(), X)
    tscript.save(traced, tmp_path / "scale.tsa")
    loaded = tscript.load(tmp_path / "scale.tsa")
    assert tscript.equal(loaded(X), traced(X)) and {*loaded.state_dict()} == {"by", "calls"}
    function = tscript.trace(lambda x: x * 2 + 1, X)
    tscript.save(function, tmp_path / "function.tsa")
    assert tscript.equal(tscript.load(tmp_path / "function.tsa")(X), function(X))


def test_a_traced_module_is_frozen() -> None:
    net = nn.Sequential(nn.Conv2d(1, 2, 1), nn.BatchNorm2d(2), nn.ReLU()).eval()
    x = tscript.randn(2, 1, 3, 3)
    frozen = tscript.freeze(tscript.trace(net, x))
    assert tscript.allclose(frozen(x), net(x), atol=1e-6)


@pytest.mark.parametrize(
    ("program", "told"),
    [
        (lambda x: x if x.sum() > 0 else -x, "a tensor decides which way the program goes"),
        (lambda x: x * int(x[0, 0]), "'int' of a tensor is a number"),
        (lambda x: x * float(x[0, 0]), "'float' of a tensor is a number"),
        (lambda x: x * x[0, 0].item(), "'item' makes a number of a tensor"),
        (lambda x: x * len(x), "'len' of a tensor is a number"),
        (lambda x: sum(row for row in x), "a loop over a tensor has as many rounds"),
        (lambda x: x * (1 if x.size(0) == 2 else 2), "a size of a tensor is compared"),
        (lambda x: sum(x[i] for i in range(x.size(0))), "a size of a tensor becomes a number"),
    ],
)
def test_what_holds_for_this_run_only_is_told(program: Any, told: str) -> None:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        traced = tscript.trace(program, X)
    assert any(told in str(w.message) for w in found)
    assert all(
        w.filename == __file__ and w.lineno == program.__code__.co_firstlineno for w in found if told in str(w.message)
    )
    assert tscript.equal(traced(X), program(X))


def test_other_inputs_are_tried() -> None:
    with pytest.warns(TracerWarning) as found:
        tscript.trace(lambda x: x * 2 if x[0, 0] > 0 else x - 1, X)
    assert any("computes something else for other inputs of the same shapes" in str(w.message) for w in found)
    with pytest.warns(TracerWarning), pytest.raises(TracingCheckError, match=r"for check_inputs\[0\]: 6 of 6 elements"):
        tscript.trace(lambda x: x * 2 if x[0, 0] > 0 else x - 10, X, check_inputs=[(-X,)])


def test_random_numbers_are_named() -> None:
    with pytest.warns(TracerWarning, match=r"draws random numbers, .* dropout at .*test_tracing.py:"):
        traced = tscript.trace(lambda x: tscript.nn.functional.dropout(x, 0.5, True), X)
    assert not tscript.equal(traced(tscript.ones(100)), tscript.ones(100))
    count = 0

    def counts(x: Any) -> Any:
        nonlocal count
        count += 1
        return x * count

    with pytest.raises(TracingCheckError, match="'counts' computes something else for the example inputs"):
        tscript.trace(counts, X)
    assert tscript.equal(tscript.trace(counts, X, check_trace=False)(X), X * count)


def test_random_tensors_are_drawn_anew() -> None:
    from tscript import rand as other

    def program(x: Any) -> Any:
        noise = tscript.randn(2, 3)
        more = tscript.randn(2, 3)
        filled = tscript.empty(2, 3).uniform_(5.0, 6.0)
        return x * 0 + noise, x * 0 + more, x * 0 + filled, x * 0 + other(2, 3), tscript.randint(0, 9, (4,))

    tscript.randn(2, 3)
    with pytest.warns(TracerWarning, match="draws random numbers, .*randn at .*uniform_ at .*rand at .*randint at"):
        traced = tscript.trace(program, X)
    tscript.manual_seed(3)
    found, again = traced(X), traced(X)
    assert not any(tscript.equal(one, two) for one, two in zip(found, again, strict=True))
    assert not tscript.equal(found[0], found[1]) and bool(((found[2] >= 5) & (found[2] < 6)).all())
    tscript.manual_seed(3)
    assert all(tscript.equal(one, two) for one, two in zip(found, traced(X), strict=True))
    tscript.manual_seed(3)
    assert tscript.equal(found[0], tscript.randn(2, 3))


def test_what_is_made_inside_is_made_anew() -> None:
    def program(x: Any) -> Any:
        total = tscript.zeros(3)
        total += x[0]
        total.add_(x[1])
        return total

    traced = tscript.trace(program, X)
    assert tscript.equal(traced(X), program(X)) and tscript.equal(traced(X), program(X))


def test_what_cannot_be_traced() -> None:
    with pytest.raises(TracingError, match="'numpy' takes a tensor out of what can be traced"):
        tscript.trace(lambda x: tscript.from_numpy(x.numpy() + 1), X)
    with pytest.raises(TypeError, match="the example for 'n' is an int: a trace takes tensors"):
        tscript.trace(lambda x, n: x * n, (X, 3))
    with pytest.raises(TracingError, match="returns a str: a trace gives tensors"):
        tscript.trace(lambda x: "a", X)
    with pytest.raises(TypeError, match=r"takes a function or a module, not int"):
        tscript.trace(3, X)
    with pytest.raises(TracingError, match="the attribute 'note' of a tensor cannot be traced"):
        tscript.trace(lambda x: setattr(x, "note", 1), X)


def test_modules_of_either_library(torch: Any) -> None:
    layer = torch.nn.Linear(3, 2)
    traced = tscript.trace(layer, X)
    expected = layer(X if torch is tscript else torch.from_dlpack(X)).tolist()
    assert tscript.allclose(traced(X), tscript.tensor(expected))
    before = traced(X)
    with torch.no_grad():
        layer.bias.add_(1.0)
    assert tscript.allclose(traced(X), before + 1.0)


def test_modules_of_pytorch() -> None:
    torch = pytest.importorskip("torch")

    class Steps(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.layers = torch.nn.ModuleList([torch.nn.Linear(3, 3) for _ in range(2)])
            self.layers[1].weight = self.layers[0].weight
            self.norm = torch.nn.BatchNorm1d(3)

        def forward(self, x: Any, scale: Any) -> Any:
            for _, layer in enumerate(self.layers):
                x = torch.relu(layer(x))
            return self.norm(x) * scale, x.sum()

        def other(self, x: Any) -> Any:
            return self.layers[0](x)

    steps = Steps().eval()
    traced = tscript.trace(steps, (X, tscript.tensor(2.0)))
    wanted = steps(torch.from_dlpack(X), torch.tensor(2.0))
    found = traced(X, tscript.tensor(2.0))
    for one, other in zip(found, wanted, strict=True):
        assert tscript.allclose(one, tscript.tensor(other.tolist()), atol=1e-6)
    assert traced.get_submodule("layers.0").weight is traced.get_submodule("layers.1").weight
    handle = steps.norm.register_forward_hook(lambda module, given, result: result + 100.0)
    hooked = tscript.trace(steps, (torch.from_dlpack(X), torch.tensor(2.0)))
    assert tscript.allclose(hooked(X, tscript.tensor(2.0))[0], found[0] + 200.0)
    handle.remove()
    several = tscript.trace_module(steps, {"forward": (X, tscript.tensor(2.0)), "other": X})
    assert several.other(X).shape == (2, 3)
    with pytest.warns(TracerWarning, match="draws random numbers"):
        tscript.trace(torch.nn.Dropout(0.5), X)


def test_hooks_run_in_traces() -> None:
    class Twice(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = nn.Linear(3, 2)

        def forward(self, x: Any) -> Any:
            return self.inner(x) * 2

    twice = Twice()
    plain = twice(X)
    twice.inner.register_forward_pre_hook(lambda module, given: (given[0] + 1,))
    twice.inner.register_forward_hook(lambda module, given, result: result - 3)
    twice.register_forward_hook(lambda module, given, result: result * 10)
    expected = twice(X)
    assert tscript.allclose(expected, (twice.inner.forward(X + 1) - 3) * 20) and not tscript.allclose(expected, plain)
    traced = tscript.trace(twice, X)
    assert tscript.allclose(traced(X), expected)
    with pytest.raises(RuntimeError, match="has hooks, which native code does not call"):
        tscript.script(twice)


def test_errors_leave_the_module_as_it_was() -> None:
    class Fails(Scale):
        def forward(self, x: Any) -> Any:
            self.calls += 5
            raise KeyError("a")

    fails = Fails()
    with pytest.raises(KeyError):
        tscript.trace(fails, X)
    assert type(fails.by) is nn.Parameter or isinstance(fails.by, Tensor)
    assert fails.calls.item() == 0 and not fails._forward_hooks and not tscript.jit.is_tracing()


def test_the_state_of_tracing() -> None:
    seen: List[bool] = []

    def program(x: Any) -> Any:
        seen.append(tscript.jit.is_tracing())
        return x * 1

    tscript.jit.trace(program, X, check_trace=False)
    assert seen == [True] and not tscript.jit.is_tracing()
    assert "tscript.tracer" in tscript.api_usage().keys


def test_the_sum_of_the_diagonal_has_the_same_name() -> None:
    assert tscript.trace(tscript.eye(3)).item() == 3

    @tscript.script
    def f(x: Tensor) -> Tensor:
        return tscript.trace(x)

    assert f(tscript.eye(2)).item() == 2
    assert tscript.trace(lambda x: tscript.trace(x), tscript.eye(2))(tscript.ones(3, 3)).item() == 3


def test_types_of_parameters() -> None:
    def f(a: Tuple[Tensor, Tensor], b: Dict[str, Tensor]) -> Tensor:
        return a[0] + b["k"]

    traced = tscript.trace(f, ((X, X), {"k": X}))
    assert [str(p.type) for p in traced.params] == ["tuple[Tensor, Tensor]", "dict[str, Tensor]"]
