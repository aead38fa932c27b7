"""Containers; each test runs with PyTorch too."""

from collections import OrderedDict

import pytest


def names(modules):
    return [type(module).__name__ for module in modules]


def test_sequential(torch):
    nn = torch.nn
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
    assert net(torch.ones(1, 2)).shape == (1, 3) and len(net) == 2
    assert names(net[-1:]) == ["ReLU"] and isinstance(net[1], nn.ReLU) and isinstance(net[-1], nn.ReLU)
    net.append(nn.Tanh()).extend([nn.Sigmoid()])
    net.insert(1, nn.GELU())
    assert names(net) == ["Linear", "GELU", "ReLU", "Tanh", "Sigmoid"]
    del net[1:3]
    assert names(net) == ["Linear", "Tanh", "Sigmoid"] and [*net._modules] == ["0", "1", "2"]
    assert isinstance(net.pop(1), nn.Tanh)
    net[1] = nn.Mish()
    assert names(net) == ["Linear", "Mish"]
    assert names(net + nn.Sequential(nn.ReLU())) == ["Linear", "Mish", "ReLU"]
    assert names(net * 2) == names(2 * net) == ["Linear", "Mish", "Linear", "Mish"]
    net += nn.Sequential(nn.ReLU())
    net *= 2
    assert len(net) == 6 and not {"0", "1"} & {*dir(net)}
    named = nn.Sequential(OrderedDict(first=nn.ReLU(), second=nn.Tanh()))
    assert [*named._modules] == ["first", "second"] and isinstance(named.first, nn.ReLU)
    assert repr(named) == "Sequential(\n  (first): ReLU()\n  (second): Tanh()\n)"
    with pytest.raises(IndexError):
        named[2]


def test_module_lists(torch):
    nn = torch.nn
    layers = nn.ModuleList([nn.ReLU(), nn.ReLU(), nn.Tanh()])
    assert repr(layers) == "ModuleList(\n  (0-1): 2 x ReLU()\n  (2): Tanh()\n)"
    layers += [nn.Linear(1, 1)]
    layers.append(nn.Mish())
    layers.insert(0, nn.GELU())
    assert names(layers) == ["GELU", "ReLU", "ReLU", "Tanh", "Linear", "Mish"]
    del layers[1]
    assert isinstance(layers.pop(-1), nn.Mish) and names(layers[1:3]) == ["ReLU", "Tanh"]
    layers[0] = nn.ReLU()
    assert names(layers + nn.ModuleList([nn.Mish()])) == ["ReLU", "ReLU", "Tanh", "Linear", "Mish"]
    assert [*layers.state_dict()] == ["3.weight", "3.bias"] and repr(nn.ModuleList()) == "ModuleList()"
    with pytest.raises(NotImplementedError):
        layers(1)
    with pytest.raises(TypeError):
        layers.extend(1)
    with pytest.raises(TypeError):
        layers.append(1)
    with pytest.raises(IndexError):
        layers[9]


def test_module_dicts(torch):
    nn = torch.nn
    layers = nn.ModuleDict({"a": nn.ReLU(), "b": nn.Tanh()})
    layers.update([("c", nn.Mish())])
    layers["d"] = nn.Linear(1, 1)
    assert [*layers] == [*layers.keys()] == ["a", "b", "c", "d"] and "a" in layers and len(layers) == 4
    assert names(layers.values()) == names(m for _, m in layers.items()) == ["ReLU", "Tanh", "Mish", "Linear"]
    assert isinstance(layers.pop("a"), nn.ReLU)
    del layers["b"]
    assert [*layers.state_dict()] == ["d.weight", "d.bias"]
    layers.clear()
    assert not len(layers)
    with pytest.raises(TypeError):
        layers.update(1)
    with pytest.raises(ValueError, match="2 is required"):
        layers.update([("a", 1, 2)])
    with pytest.raises(KeyError):
        layers["a"]


def test_parameter_lists(torch):
    values = torch.nn.ParameterList([torch.ones(2), torch.nn.Parameter(torch.ones(1))])
    values.append(torch.zeros(3)).extend([torch.ones(4)])
    assert [p.shape[0] for p in values] == [2, 1, 3, 4] and len(values) == 4
    assert all(isinstance(p, torch.nn.Parameter) for p in values)
    assert values[-1].shape == (4,) and [p.shape[0] for p in values[1:3]] == [1, 3]
    values[0] = torch.ones(5)
    assert [*values.state_dict()] == ["0", "1", "2", "3"] and values.state_dict()["0"].shape == (5,)
    with pytest.raises(RuntimeError, match="should not be called"):
        values(1)
    with pytest.raises(TypeError):
        values.extend(1)


def test_parameter_dicts(torch):
    values = torch.nn.ParameterDict({"a": torch.ones(2), "b": torch.ones(3)})
    values["c"] = torch.ones(4)
    assert isinstance(values["a"], torch.nn.Parameter) and [*values] == [*values.keys()] == ["a", "b", "c"]
    assert [*values.state_dict()] == ["a", "b", "c"] and values.get("z") is None and "a" in values
    assert [*reversed(values)] == ["c", "b", "a"] and len(values.copy()) == 3
    assert [*(values | torch.nn.ParameterDict({"d": torch.ones(1)}))] == ["a", "b", "c", "d"]
    assert values.pop("a").shape == (2,) and values.popitem()[0] == "c"
    assert values.setdefault("e", torch.ones(1)).shape == (1,)
    assert next(iter(values.items()))[0] == "b" and len([*values.values()]) == 2
    values.clear()
    assert len(values) == 0
    with pytest.raises(KeyError):
        values["a"]
    with pytest.raises(TypeError):
        values[1] = torch.ones(1)
