"""State dicts of modules: what they hold, what they must hold, hooks; each test runs with PyTorch too."""

from collections import OrderedDict

import numpy as np
import pytest

import tscript
from tscript import nn


def network(torch):
    class Part(torch.nn.Module):
        _version = 3

        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(2, 3))
            self.register_parameter("bias", None)
            self.register_buffer("count", torch.zeros(()))
            self.register_buffer("hidden", torch.zeros(2), persistent=False)

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first = Part()
            self.second = Part()
            self.tied = self.first

    return Net()


def test_what_it_holds(torch):
    m = network(torch)
    state = m.state_dict()
    assert type(state) is OrderedDict
    paths = ["first.weight", "first.count", "second.weight", "second.count", "tied.weight", "tied.count"]
    assert [*state] == paths
    assert dict(state._metadata) == {
        "": {"version": 1},
        "first": {"version": 3},
        "second": {"version": 3},
        "tied": {"version": 3},
    }
    weight = state["first.weight"]
    assert not isinstance(weight, torch.nn.Parameter) and weight.data_ptr() == m.first.weight.data_ptr()
    assert m.state_dict(keep_vars=True)["first.weight"] is m.first.weight
    assert [*m.state_dict(prefix="net.")] == [f"net.{path}" for path in paths]
    given = OrderedDict(a=1)
    assert m.first.state_dict(destination=given, prefix="x.") is given and [*given] == ["a", "x.weight", "x.count"]


def test_values_are_copied(torch):
    m, other = network(torch), network(torch)
    state = m.state_dict()
    state["second.weight"] = torch.full((2, 3), 5.0, dtype=torch.float64)
    weight = other.second.weight
    found = other.load_state_dict(state)
    assert other.second.weight is weight and weight.dtype == torch.float32 and weight[0, 0].item() == 5
    assert found == ([], []) and repr(found) == "<All keys matched successfully>"
    assert found.missing_keys == [] and found.unexpected_keys == []


def test_values_are_assigned(torch):
    m = network(torch)
    m.first.weight.requires_grad_(False)
    state = m.state_dict()
    state["first.weight"] = torch.full((2, 3), 5.0, dtype=torch.float64)
    state["tied.weight"] = state["first.weight"]
    m.load_state_dict(state, assign=True)
    assert m.first.weight.dtype == torch.float64 and isinstance(m.first.weight, torch.nn.Parameter)
    assert not m.first.weight.requires_grad and m.first.weight.data_ptr() == state["first.weight"].data_ptr()
    assert m.second.weight.requires_grad


def test_all_that_is_wrong_is_listed(torch):
    m = network(torch)
    state = m.state_dict()
    del state["first.weight"], state["second.count"]
    state["first.nothing"] = torch.ones(1)
    state["third.weight"] = torch.ones(1)
    state["second.weight"] = torch.ones(3, 2)
    state["tied.weight"] = torch.ones(3)
    state["tied.count"] = "text"
    with pytest.raises(RuntimeError) as error:
        m.load_state_dict(state)
    text = str(error.value)
    assert text.startswith("Error(s) in loading state_dict for Net:\n\t")
    assert 'Missing key(s) in state_dict: "first.weight", "second.count". ' in text
    keys = text.split("Unexpected key(s) in state_dict: ")[1].split(". ", maxsplit=1)[0]
    assert {*keys.split(", ")} == {'"first.nothing"', '"third.weight"'}
    assert "size mismatch for second.weight: copying a param with shape" in text
    assert "size mismatch for tied.weight: copying a param with shape" in text
    assert 'While copying the parameter named "tied.count", expected' in text


def test_without_strict(torch):
    m = network(torch)
    found = m.load_state_dict({"first.weight": torch.zeros(2, 3), "other": torch.ones(1)}, strict=False)
    assert found.missing_keys == ["first.count", "second.weight", "second.count", "tied.weight", "tied.count"]
    assert found.unexpected_keys == ["other"]
    assert m.first.weight.sum().item() == 0
    with pytest.raises(RuntimeError, match=r"size mismatch for first\.weight"):
        m.load_state_dict({"first.weight": torch.zeros(1)}, strict=False)
    with pytest.raises(TypeError, match="dict-like"):
        m.load_state_dict([])
    # PyTorch's AttributeError does not say what is wrong.
    wrong = (TypeError, "expected texts as keys of state_dict, found 1, of type int")
    kind, message = wrong if torch is tscript else (AttributeError, "startswith")
    with pytest.raises(kind, match=message):
        m.load_state_dict({1: torch.zeros(1)})


def test_scalars_of_old_state_dicts(torch):
    m = network(torch).first
    m.load_state_dict({"weight": torch.ones(2, 3), "count": torch.full((1,), 7.0)})
    assert m.count.item() == 7 and m.count.shape == ()


def test_nothing_is_written_if_something_is_wrong():
    m = network(tscript)
    for wrong in ({}, {"first.weight": tscript.ones(1)}, {"other": tscript.ones(1)}):
        state = {**m.state_dict(), "second.weight": tscript.zeros(2, 3), **wrong}
        if not wrong:
            del state["first.count"]
        with pytest.raises(RuntimeError):
            m.load_state_dict(state)
        assert m.second.weight.sum().item() == 6


def test_arrays():
    m = network(tscript)
    state = {key: value.numpy() for key, value in m.state_dict().items()}
    state["second.weight"] = np.full((2, 3), 2.0, ">f4")
    state["second.count"] = np.float64(4)
    m.load_state_dict(state)
    assert m.second.weight.sum().item() == 12 and m.second.count.item() == 4
    with pytest.raises(RuntimeError, match=r'While reading "second\.count", an exception occurred'):
        m.load_state_dict({**state, "second.count": np.array("text")})


def test_files_of_safetensors(tmp_path):
    numpy = pytest.importorskip("safetensors.numpy")
    m, other = network(tscript), network(tscript)
    m.first.weight.fill_(8)
    numpy.save_file({key: value.numpy() for key, value in m.state_dict().items()}, tmp_path / "m.safetensors")
    other.load_state_dict(numpy.load_file(tmp_path / "m.safetensors"))
    assert other.first.weight.sum().item() == 48


def test_tensors_of_torch():
    torch = pytest.importorskip("torch")
    theirs, ours = network(torch).bfloat16(), network(tscript)
    theirs.second.weight.data.fill_(3)
    ours.load_state_dict(theirs.state_dict())
    assert ours.second.weight.sum().item() == 18
    theirs.load_state_dict({key: torch.from_dlpack(value) for key, value in ours.state_dict().items()})


def test_hooks_of_state_dicts(torch):
    m = network(torch)
    seen = []
    m.register_state_dict_pre_hook(lambda module, prefix, keep: seen.append((module is m, prefix, keep)))
    handle = m.register_state_dict_post_hook(lambda module, state, prefix, local: state.pop("tied.count"))
    with pytest.raises(RuntimeError, match="must return None"):
        m.state_dict()
    handle.remove()
    m._register_state_dict_hook(lambda module, state, prefix, local: {**state, "extra": local["version"]})
    state = m.state_dict()
    assert seen[0] == (True, "", False) and state["extra"] == 1


def test_hooks_of_loading(torch):
    m = network(torch)
    seen = []

    def rename(module, state, prefix, local, strict, missing, unexpected, errors):
        seen.append((module is m.first, prefix, local.get("version"), strict))
        if prefix + "old" in state:
            state[prefix + "weight"] = state.pop(prefix + "old")

    def forgive(module, found):
        assert module is m and module.first.weight.sum().item() == 0
        found.missing_keys.clear()

    m.first.register_load_state_dict_pre_hook(rename)
    handle = m.register_load_state_dict_post_hook(forgive)
    state = m.state_dict()
    del state["second.weight"]
    state["tied.weight"] = state["first.old"] = torch.zeros(2, 3)
    del state["first.weight"]
    m.load_state_dict(state)
    assert seen[0] == (True, "first.", 3, True)
    handle.remove()
    with pytest.raises(RuntimeError, match=r'Missing key\(s\) in state_dict: "second\.weight"'):
        m.load_state_dict(state)
    m.register_load_state_dict_post_hook(lambda module, found: 1)
    with pytest.raises(RuntimeError if torch is tscript else AssertionError):
        m.load_state_dict(m.state_dict())


def test_overridden_loading(torch):
    class Renamed(torch.nn.Module):
        _version = 2

        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.zeros(2))

        def _load_from_state_dict(self, state_dict, prefix, local_metadata, *rest):
            if local_metadata.get("version", 1) < 2:
                state_dict[prefix + "weight"] = state_dict.pop(prefix + "w")
            super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)

    outer = torch.nn.Module()
    outer.inner = Renamed()
    outer.load_state_dict({"inner.w": torch.ones(2)})
    assert outer.inner.weight.tolist() == [1, 1]
    outer.load_state_dict(outer.state_dict())


def test_extra_state(torch):
    class Extra(torch.nn.Module):
        def get_extra_state(self):
            return {"a": 1}

        def set_extra_state(self, state):
            self.taken = state

    m = torch.nn.Module()
    m.part = Extra()
    state = m.state_dict()
    assert [*state.items()] == [("part._extra_state", {"a": 1})]
    m.load_state_dict(state)
    assert m.part.taken == {"a": 1}
    with pytest.raises(RuntimeError, match="Missing key"):
        m.load_state_dict({})
    with pytest.raises(RuntimeError, match="Unexpected key"):
        torch.nn.Module().load_state_dict({"_extra_state": 1})
    for act in (lambda: torch.nn.Module().get_extra_state(), lambda: torch.nn.Module().set_extra_state(1)):
        with pytest.raises(RuntimeError):
            act()


def test_no_module_shares_hooks_with_its_copy():
    import copy

    m = nn.Module()
    m.weight = nn.Parameter(tscript.zeros(1))
    m.register_load_state_dict_pre_hook(lambda module, *rest: module.seen.append(1))
    other = copy.deepcopy(m)
    m.seen, other.seen = [], []
    other.load_state_dict(m.state_dict())
    assert not m.seen and other.seen == [1]
