"""First values of parameters; each test runs with PyTorch too."""

import math

import pytest

import tscript


def spread(x):
    return x.min().item(), x.max().item(), x.mean().item(), x.std().item()


@pytest.mark.parametrize(
    ("fill", "low", "high", "std"),
    [
        (lambda init, x: init.uniform_(x, -1.0, 3.0), -1, 3, 4 / math.sqrt(12)),
        (lambda init, x: init.normal_(x, 1.0, 2.0), -9, 11, 2),
        (lambda init, x: init.trunc_normal_(x, 0.0, 1.0, -1.0, 1.0), -1, 1, 0.54),
        (lambda init, x: init.xavier_uniform_(x, 2.0), -0.346, 0.346, 0.2),
        (lambda init, x: init.xavier_normal_(x), -0.6, 0.6, 0.1),
        (lambda init, x: init.kaiming_uniform_(x, nonlinearity="relu"), -0.25, 0.25, 0.1414),
        (lambda init, x: init.kaiming_normal_(x, mode="fan_out"), -0.8, 0.8, 0.1414),
    ],
)
def test_distributions(fill, low, high, std, torch):
    torch.manual_seed(3)
    x = torch.empty(100, 100)
    assert fill(torch.nn.init, x) is x
    least, most, mean, deviation = spread(x)
    assert low - 1e-2 <= least < mean < most <= high + 1e-2
    assert abs(mean - (low + high) / 2) < 0.1 and abs(deviation - std) < 0.05 * std


def test_layers_have_the_distributions(torch):
    torch.manual_seed(1)
    for layer, limit in ((torch.nn.Linear(100, 100), 0.1), (torch.nn.Conv2d(4, 100, 5), 0.1)):
        for parameter in layer.parameters():
            least, most, _, deviation = spread(parameter)
            assert -limit <= least < most <= limit and abs(deviation - limit / math.sqrt(3)) < 0.01
    assert abs(torch.nn.Embedding(100, 100).weight.std().item() - 1) < 0.05


def test_seeds_give_the_same_values(torch):
    made = []
    for _ in range(2):
        torch.manual_seed(5)
        made.append(torch.nn.Linear(3, 2).weight.tolist())
    assert made[0] == made[1]


def test_matrices(torch):
    init = torch.nn.init
    x = init.orthogonal_(torch.empty(3, 5), 2.0)
    assert (x @ x.t() - 4 * torch.eye(3)).abs().max().item() < 1e-4
    assert init.eye_(torch.empty(2, 3)).tolist() == [[1, 0, 0], [0, 1, 0]]
    assert (init.sparse_(torch.empty(10, 4), 0.3) == 0).sum(0).tolist() == [3, 3, 3, 3]
    kernel = init.dirac_(torch.empty(4, 2, 3), 2)
    assert torch.nn.functional.conv1d(torch.ones(1, 4, 3), kernel, padding=1, groups=2).sum().item() == 12
    assert init.constant_(torch.empty(2), 3.0).tolist() == [3, 3]
    assert init.ones_(torch.empty(1)).item() == 1 and init.zeros_(torch.empty(1)).item() == 0


def test_gains(torch):
    gain = torch.nn.init.calculate_gain
    found = [gain(n) for n in ("linear", "conv2d", "sigmoid", "tanh", "relu", "leaky_relu", "selu")]
    assert found == pytest.approx([1, 1, 1, 5 / 3, math.sqrt(2), math.sqrt(2 / 1.0001), 0.75])
    assert gain("leaky_relu", 1) == 1
    for args in (("some",), ("leaky_relu", "a")):
        with pytest.raises(ValueError, match=r"nonlinearity|not a valid number"):
            gain(*args)


def test_wrong_tensors(torch):
    init, vector = torch.nn.init, torch.empty(2)
    for name in ("xavier_uniform_", "kaiming_normal_", "orthogonal_", "eye_", "dirac_"):
        with pytest.raises(ValueError, match="dimensions"):
            getattr(init, name)(vector)
    with pytest.raises(ValueError, match="not supported"):
        init.kaiming_uniform_(torch.empty(2, 2), mode="some")


def test_generators():
    draw = [tscript.nn.init.normal_(tscript.empty(3), generator=tscript.Generator().manual_seed(4)) for _ in range(2)]
    assert draw[0].tolist() == draw[1].tolist()
