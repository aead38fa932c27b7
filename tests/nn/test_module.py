"""`Module`: attributes, what it lists, hooks, conversions, copies, text; each test runs with PyTorch too."""

import copy
import pickle
from typing import Any

import pytest

import tscript
from tscript import nn


def linear(torch, outputs=2, inputs=3):
    """A module with a parameter, one that is absent, and buffers of both kinds."""

    class Affine(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(outputs, inputs))
            self.register_parameter("bias", None)
            self.register_buffer("count", torch.zeros(()))
            self.register_buffer("hidden", torch.zeros(2), persistent=False)

        def forward(self, x):
            return torch.nn.functional.linear(x, self.weight, self.bias)

        def extra_repr(self):
            return f"{inputs}, {outputs}"

    return Affine()


def network(torch):
    """Modules and parameters that stand in several places."""

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first = linear(torch, 3, 3)
            self.second = linear(torch, 3, 3)
            self.again = self.first
            self.second.weight = self.first.weight
            self.absent = None
            self.register_module("none", None)

        def forward(self, x):
            return self.second(self.first(x))

    return Net()


class Counter(nn.Module):
    """At the top of a file, so that it can be pickled."""

    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Parameter(tscript.ones(2))
        self.b = self.a
        self.c = nn.Buffer(tscript.zeros(1), persistent=False)

    def forward(self, x: tscript.Tensor) -> tscript.Tensor:
        return x + self.a


# -- parameters and buffers


def test_parameters_are_tensors_with_a_mark(torch):
    p = torch.nn.Parameter(torch.ones(2))
    assert isinstance(p, torch.nn.Parameter) and isinstance(p, torch.Tensor)
    assert p.requires_grad and p.is_leaf and p.grad is None
    assert not isinstance(torch.ones(2), torch.nn.Parameter)
    assert not isinstance(p + 1, torch.nn.Parameter) and not isinstance(p[0], torch.nn.Parameter)
    assert not isinstance(p, torch.nn.Buffer)
    assert repr(p) == "Parameter containing:\ntensor([1., 1.], requires_grad=True)"
    q = torch.nn.Parameter(torch.ones(2), requires_grad=False)
    assert not q.requires_grad and repr(q) == "Parameter containing:\ntensor([1., 1.])"
    assert q.requires_grad_() is q and q.requires_grad
    q.requires_grad = False
    assert not q.requires_grad


def test_parameters_share_memory_with_what_they_are_made_of(torch):
    x = torch.zeros(2)
    p = torch.nn.Parameter(x)
    x.fill_(3)
    assert p.tolist() == [3, 3] and p is not x
    assert torch.nn.Parameter().shape == (0,)


def test_parameters_of_ints(torch):
    with pytest.raises(RuntimeError, match="can require gradients"):
        torch.nn.Parameter(torch.ones(2, dtype=torch.int64))
    assert torch.nn.Parameter(torch.ones(2, dtype=torch.int64), False).dtype == torch.int64


def test_copies_of_parameters_are_parameters(torch):
    p = torch.nn.Parameter(torch.ones(2), requires_grad=False)
    for made in (copy.copy(p), copy.deepcopy(p), pickle.loads(pickle.dumps(p))):
        assert isinstance(made, torch.nn.Parameter) and made is not p and not made.requires_grad
    assert copy.copy(p).data_ptr() == p.data_ptr() != copy.deepcopy(p).data_ptr()
    assert isinstance(copy.deepcopy(torch.nn.Buffer(torch.ones(2))), torch.nn.Buffer)


def test_parameters_of_other_things():
    with pytest.raises(TypeError, match=r"Parameter takes a tensor, found list: write tscript\.tensor"):
        nn.Parameter([1.0])
    with pytest.raises(TypeError, match="no subclasses"):
        type("Own", (nn.Parameter,), {})
    with pytest.raises(RuntimeError, match="no gradients are computed"):
        tscript.ones(2).requires_grad = True


def test_scripted_functions_take_parameters():
    @tscript.script
    def twice(x):
        return x * 2

    made = twice(nn.Parameter(tscript.ones(2)))
    assert made.tolist() == [2, 2] and not isinstance(made, nn.Parameter)


# -- attributes


def test_attributes_are_put_where_they_belong(torch):
    m = linear(torch)
    assert [*m._parameters] == ["weight", "bias"] and [*m._buffers] == ["count", "hidden"]
    assert m._non_persistent_buffers_set == {"hidden"} and not m._modules and m.training
    assert m.bias is None and not {"weight", "count"} & vars(m).keys()
    m.weight = torch.nn.Parameter(torch.zeros(1))
    assert m.weight.shape == (1,)
    m.count = torch.ones(3)
    assert m.state_dict()["count"].tolist() == [1, 1, 1]
    m.count = None
    assert m._buffers["count"] is None and [*m.state_dict()] == ["weight"]
    m.child = linear(torch)
    m.child = None
    assert m._modules == {"child": None}
    m.other = torch.nn.Buffer(torch.ones(1), persistent=False)
    assert "other" in m._buffers and "other" in m._non_persistent_buffers_set
    m.plain = torch.ones(1)
    assert "plain" in vars(m)
    m.plain = torch.nn.Parameter(torch.ones(1))
    assert "plain" not in vars(m) and "plain" in m._parameters
    with pytest.raises(TypeError, match="as parameter"):
        m.plain = linear(torch)
    m.extra = 1
    m.extra = linear(torch)
    assert "extra" in m._modules and "extra" not in vars(m)
    del m.plain, m.weight, m.hidden
    assert not hasattr(m, "plain") and not hasattr(m, "weight") and m._non_persistent_buffers_set == {"other"}


def test_wrong_attributes(torch):
    m, child, p = linear(torch), linear(torch), torch.nn.Parameter(torch.ones(1))
    m.child = child
    wrong = [
        (lambda: setattr(m, "weight", torch.ones(1)), TypeError, "as parameter 'weight'"),
        (lambda: setattr(m, "bias", 1), TypeError, "as parameter 'bias'"),
        (lambda: setattr(m, "count", 1), TypeError, "as buffer 'count'"),
        (lambda: setattr(m, "child", 1), TypeError, "as child module 'child'"),
        (lambda: m.register_parameter("p", 1), TypeError, "parameter 'p'"),
        (lambda: m.register_parameter("forward", p), KeyError, "already exists"),
        (lambda: m.register_parameter("a.b", p), KeyError, "contain"),
        (lambda: m.register_parameter("", p), KeyError, "be empty"),
        (lambda: m.register_parameter(1, p), TypeError, "should be a string"),
        (lambda: m.register_buffer("b", 1), TypeError, "buffer 'b'"),
        (lambda: m.register_buffer("weight", torch.ones(1)), KeyError, "already exists"),
        (lambda: m.register_buffer("a.b", torch.ones(1)), KeyError, "contain"),
        (lambda: m.register_buffer(1, torch.ones(1)), TypeError, "should be a string"),
        (lambda: m.add_module("m", 1), TypeError, "is not a Module subclass"),
        (lambda: m.add_module("weight", child), KeyError, "already exists"),
        (lambda: m.add_module("a.b", child), KeyError, "contain"),
        (lambda: m.add_module("", child), KeyError, "be empty"),
        (lambda: m.add_module(1, child), TypeError, "should be a string"),
        (lambda: m.nothing, AttributeError, "has no attribute 'nothing'"),
        (lambda: delattr(m, "nothing"), AttributeError, "nothing"),
        (lambda: m(torch.ones(1), 2), TypeError, "positional argument"),
        (lambda: torch.nn.Module()(1), NotImplementedError, 'missing the required "forward"'),
        (lambda: torch.nn.Module(1), TypeError, "takes 1 positional argument"),
        (lambda: torch.nn.Module(a=1), TypeError, "'a'|argument"),
    ]
    for act, kind, message in wrong:
        with pytest.raises(kind, match=message):
            act()


def test_attributes_before_init(torch):
    p = torch.nn.Parameter(torch.ones(1))
    for value, message in ((p, "cannot assign parameters? before"), (linear(torch), "cannot assign module before")):

        class Early(torch.nn.Module):
            def __init__(self, value=value):
                self.x = value

        with pytest.raises(AttributeError, match=message):
            Early()
    with pytest.raises(AttributeError, match=r"cannot assign buffers? before"):
        torch.nn.Module.register_buffer(object.__new__(torch.nn.Module), "b", torch.ones(1))


# -- what there is


def test_lists_name_shared_ones_once(torch):
    m = network(torch)
    assert [n for n, _ in m.named_modules()] == ["", "first", "second"]
    assert [n for n, _ in m.named_modules(remove_duplicate=False)] == ["", "first", "second", "again"]
    assert [n for n, _ in m.named_modules(prefix="net")] == ["net", "net.first", "net.second"]
    assert [n for n, _ in m.named_children()] == ["first", "second"]
    assert [n for n, _ in m.named_parameters()] == ["first.weight"]
    assert [n for n, _ in m.named_parameters(prefix="p", remove_duplicate=False)] == [
        "p.first.weight",
        "p.second.weight",
        "p.again.weight",
    ]
    assert [n for n, _ in m.named_parameters(recurse=False)] == []
    assert [n for n, _ in m.named_buffers()] == ["first.count", "first.hidden", "second.count", "second.hidden"]
    assert len([*m.parameters()]) == 1 and len([*m.buffers()]) == 4
    assert len([*m.modules()]) == 3 and len([*m.children()]) == 2


def test_paths(torch):
    m = network(torch)
    assert m.get_submodule("") is m and m.get_submodule("first") is m.first
    assert m.get_parameter("second.weight") is m.first.weight
    assert m.get_buffer("first.count") is m.first.count
    m.set_submodule("second", linear(torch))
    m.second.set_submodule("inner", linear(torch))
    assert m.get_submodule("second.inner") is m.second.inner
    for act in (
        lambda: m.get_submodule("third"),
        lambda: m.get_submodule("first.weight"),
        lambda: m.get_parameter("first.count"),
        lambda: m.get_parameter("first.nothing"),
        lambda: m.get_buffer("first.weight"),
        lambda: m.get_buffer("first.nothing"),
        lambda: m.set_submodule("third.x", linear(torch)),
        lambda: m.set_submodule("third", linear(torch), strict=True),
    ):
        with pytest.raises(AttributeError):
            act()
    for act in (lambda: m.set_submodule("", linear(torch)), lambda: m.set_submodule("first", 1)):
        with pytest.raises(ValueError, match=r"empty|is not an|Cannot"):
            act()


def test_text(torch):
    assert repr(linear(torch)) == "Affine(3, 2)"
    assert repr(torch.nn.Module()) == "Module()"
    assert repr(network(torch)) == (
        "Net(\n  (first): Affine(3, 3)\n  (second): Affine(3, 3)\n  (again): Affine(3, 3)\n  (none): None\n)"
    )
    m = network(torch)
    m.first.inner = network(torch)
    assert "(inner): Net(\n      (first): Affine(3, 3)" in repr(m)
    assert {"first", "second", "weight"} & {*dir(m)} == {"first", "second"} and "forward" in dir(m)


# -- modes and conversions


def test_modes(torch):
    m = network(torch)
    assert m.eval() is m and not any(part.training for part in m.modules())
    assert m.train() is m and all(part.training for part in m.modules())
    with pytest.raises(ValueError, match="boolean"):
        m.train(1)
    assert m.requires_grad_(False) is m and not m.first.weight.requires_grad
    m.zero_grad()
    seen: list[Any] = []
    assert m.apply(seen.append) is m and [id(x) for x in seen] == [id(m.first), id(m.second), id(m)]


def test_conversions_keep_shared_parameters_shared(torch):
    m = network(torch)
    m.first.weight.requires_grad_(False)
    m.first.register_buffer("number", torch.zeros(1, dtype=torch.int64))
    for convert, dtype in (
        (lambda: m.half(), torch.float16),
        (lambda: m.bfloat16(), torch.bfloat16),
        (lambda: m.double(), torch.float64),
        (lambda: m.float(), torch.float32),
        (lambda: m.to(torch.float64), torch.float64),
        (lambda: m.to("cpu", torch.float32), torch.float32),
        (lambda: m.to(torch.ones(1, dtype=torch.float64)), torch.float64),
        (lambda: m.to(dtype=torch.float32, non_blocking=True), torch.float32),
        (lambda: m.to(device="cpu"), torch.float32),
        (lambda: m.cpu(), torch.float32),
    ):
        assert convert() is m
        assert m.first.weight.dtype == m.second.weight.dtype == m.first.count.dtype == dtype
        assert m.first.weight is m.second.weight is m.again.weight
        assert isinstance(m.first.weight, torch.nn.Parameter) and not m.first.weight.requires_grad
        assert m.first.number.dtype == torch.int64
    assert m.type(torch.float64).first.number.dtype == torch.float64
    with pytest.raises(TypeError, match="floating point or complex"):
        m.to(torch.int64)


def test_what_there_is_not():
    m = Counter()
    for act in (m.register_backward_hook, m.register_full_backward_hook, m.register_full_backward_pre_hook):
        with pytest.raises(RuntimeError, match="no gradients are computed"):
            act(print)
    with pytest.raises(NotImplementedError, match="other processes"):
        m.share_memory()
    with pytest.raises(RuntimeError, match="cuda"):
        m.cuda()
    assert m.to_empty(device="cpu").a.shape == (2,)


# -- copies


def test_copies(torch):
    m = network(torch)
    deep = copy.deepcopy(m)
    assert deep.first is deep.again is not m.first
    assert deep.first.weight is deep.second.weight is not m.first.weight
    assert isinstance(deep.first.weight, torch.nn.Parameter)
    flat = copy.copy(m)
    assert flat.first is m.first and flat is not m


def test_pickles_keep_shared_parameters_shared():
    made = pickle.loads(pickle.dumps(Counter().eval()))
    assert made.a is made.b and isinstance(made.a, nn.Parameter) and isinstance(made.c, nn.Buffer)
    assert not made.training and "c" not in made.state_dict()
    assert made(tscript.ones(2)).tolist() == [2, 2]


class Activated(nn.Module):
    """With a function for an attribute."""

    def __init__(self) -> None:
        super().__init__()
        self.activation = nn.functional.gelu


def test_functions_as_attributes_are_copied():
    m = Activated()
    for made in (copy.copy(m), copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
        assert made.activation is nn.functional.gelu


# -- hooks


def test_forward_hooks(torch):
    m, x = linear(torch, 1, 1), torch.ones(1, 1)
    seen = []
    first = m.register_forward_pre_hook(lambda module, args: seen.append(("pre", module is m, len(args))))
    second = m.register_forward_pre_hook(lambda module, args: args[0] * 3)
    third = m.register_forward_pre_hook(lambda module, args, kwargs: ((args[0] + 1,), kwargs), with_kwargs=True)
    last = m.register_forward_hook(lambda module, args, result: result * 10)
    assert m(x).item() == 40 and seen == [("pre", True, 1)]
    third.remove()
    third.remove()
    assert m(x).item() == 30
    with m.register_forward_hook(lambda module, args, result: result + 1, prepend=True):
        assert m(x).item() == 40
    assert m(x).item() == 30
    with m.register_forward_hook(lambda m, args, kwargs, result: result + len(kwargs), with_kwargs=True):
        assert m(x=x[:]).item() == 11 if not m._forward_pre_hooks else True
    for handle in (first, second, last):
        handle.remove()
    assert m(x).item() == 1 and not m._forward_hooks and not m._forward_pre_hooks
    m.register_forward_pre_hook(lambda module, args, kwargs: 1, with_kwargs=True)
    with pytest.raises(RuntimeError, match=r"tuple of \(new_args, new_kwargs\)"):
        m(x)


def test_hooks_that_are_always_called(torch):
    m = linear(torch)
    seen = []
    m.register_forward_hook(lambda module, args, result: seen.append(result), always_call=True)
    m.register_forward_hook(lambda module, args, result: seen.append("never"))
    with pytest.raises(TypeError):
        m(1, 2)
    assert seen == [None]
