"""`nn.utils`; each test runs with PyTorch too."""

import importlib

import numpy as np
import pytest

import tscript


def rnn_utils(torch):
    return importlib.import_module(f"{torch.__name__}.nn.utils.rnn")


def test_packed_sequences(torch):
    utils = rnn_utils(torch)
    x = torch.arange(24).reshape(4, 3, 2).float()
    packed = utils.pack_padded_sequence(x, [2, 4, 1], enforce_sorted=False)
    assert packed.batch_sizes.tolist() == [3, 2, 1, 1] and packed.sorted_indices.tolist() == [1, 0, 2]
    assert packed.unsorted_indices.tolist() == [1, 0, 2] and packed.data.shape == (7, 2)
    padded, lengths = utils.pad_packed_sequence(packed, padding_value=-1.0)
    assert lengths.tolist() == [2, 4, 1] and padded[:2, 0].tolist() == x[:2, 0].tolist()
    assert padded[1:, 2].tolist() == [[-1, -1]] * 3
    assert utils.pad_packed_sequence(packed, True, total_length=6)[0].shape == (3, 6, 2)
    for args, kind in (
        ((x, [2, 4, 1]), RuntimeError),
        ((x, [2, 1]), RuntimeError),
        ((x, [2, 1, 0]), RuntimeError),
    ):
        with pytest.raises(kind):
            utils.pack_padded_sequence(*args)
    with pytest.raises(ValueError, match="total_length"):
        utils.pad_packed_sequence(packed, total_length=2)


def test_sequences(torch):
    utils = rnn_utils(torch)
    parts = [torch.ones(3), torch.ones(1), torch.ones(2)]
    assert utils.pad_sequence(parts, True, 5.0).tolist() == [[1, 1, 1], [1, 5, 5], [1, 1, 5]]
    assert utils.pad_sequence(parts, True, padding_side="left")[1].tolist() == [0, 0, 1]
    packed = utils.pack_sequence(parts, enforce_sorted=False)
    assert [len(part) for part in utils.unpack_sequence(packed)] == [3, 1, 2]


@pytest.mark.parametrize("name", ["RNN", "GRU", "LSTM"])
def test_networks_take_packed_sequences(name, torch):
    utils = rnn_utils(torch)
    torch.manual_seed(0)
    net = getattr(torch.nn, name)(2, 3, 2, bidirectional=True)
    x = torch.arange(16).reshape(4, 2, 2).float() / 16
    out, last = net(utils.pack_padded_sequence(x, [2, 4], enforce_sorted=False))
    padded, lengths = utils.pad_packed_sequence(out)
    alone, state = net(x[:2, :1])
    assert lengths.tolist() == [2, 4] and (padded[:2, 0] - alone[:, 0]).abs().max().item() < 1e-6
    found, expected = (last[1], state[1]) if name == "LSTM" else (last, state)
    assert (found[:, 0] - expected[:, 0]).abs().max().item() < 1e-6


def test_states_of_the_wrong_shape(torch):
    net = torch.nn.LSTM(2, 3)
    x = torch.ones(4, 1, 2)
    for args, kind in (
        ((torch.ones(4, 1, 5),), RuntimeError),
        ((torch.ones(1),), (ValueError, RuntimeError)),
        ((x, (torch.ones(1, 2, 3), torch.ones(1, 1, 3))), RuntimeError),
    ):
        with pytest.raises(kind):
            net(*args)
    with pytest.raises(ValueError, match=r"between|range"):
        torch.nn.GRU(2, 3, dropout=2.0)
    with pytest.raises(ValueError, match="greater than zero"):
        torch.nn.GRU(2, 0)
    with pytest.raises(ValueError, match="nonlinearity"):
        torch.nn.RNN(2, 3, nonlinearity="some")


def test_weight_norm(torch):
    utils = torch.nn.utils
    layer = torch.nn.Conv1d(2, 3, 2)
    x = torch.ones(1, 2, 4)
    before = layer(x)
    weight_norm = importlib.import_module(f"{torch.__name__}.nn.utils").weight_norm
    weight_norm(layer)
    assert [*layer.state_dict()] == ["bias", "weight_g", "weight_v"] and layer.weight_g.shape == (3, 1, 1)
    assert (layer(x) - before).abs().max().item() < 1e-5
    with pytest.raises(RuntimeError, match="two weight_norm hooks"):
        weight_norm(layer)
    utils.remove_weight_norm(layer)
    assert {*layer.state_dict()} == {"bias", "weight"} and (layer(x) - before).abs().max().item() < 1e-5
    with pytest.raises(ValueError, match="not found"):
        utils.remove_weight_norm(layer)


def test_fusion(torch):
    utils = torch.nn.utils
    for layer, norm, x, kwargs in (
        (torch.nn.Conv2d(2, 3, 2), torch.nn.BatchNorm2d(3), torch.ones(1, 2, 4, 4), {}),
        (torch.nn.ConvTranspose2d(2, 3, 2, bias=False), torch.nn.BatchNorm2d(3), torch.ones(1, 2, 4, 4), {"t": True}),
        (torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3), torch.ones(4, 2), None),
    ):
        norm.running_mean.fill_(0.5)
        norm.running_var.fill_(4.0)
        fuse = utils.fuse_linear_bn_eval if kwargs is None else utils.fuse_conv_bn_eval
        args = (True,) if kwargs else ()
        with pytest.raises(AssertionError):
            fuse(layer, norm, *args)
        made = fuse(layer.eval(), norm.eval(), *args)
        assert made is not layer and (made(x) - norm(layer(x))).abs().max().item() < 1e-5


def test_vectors(torch):
    utils, layer = torch.nn.utils, torch.nn.Linear(2, 3)
    vector = utils.parameters_to_vector(layer.parameters())
    assert vector.shape == (9,)
    utils.vector_to_parameters(torch.arange(9).float(), layer.parameters())
    assert layer.bias.tolist() == [6, 7, 8]


def by_path(torch):
    """A module that names functions where they stand, as ``nn.utils.rnn``."""
    nn = torch.nn

    class ByPath(nn.Module):
        def __init__(self):
            super().__init__()
            self.gru = nn.GRU(3, 4, batch_first=True)

        def forward(self, x: torch.Tensor, lengths: torch.Tensor):
            packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
            out, _ = self.gru(packed)
            return torch.nn.utils.rnn.pad_packed_sequence(out, batch_first=True)[0]

    return ByPath().eval()


def test_packed_sequences_by_their_paths(torch):
    net = by_path(torch)
    x, lengths = torch.randn(2, 5, 3), torch.tensor([2, 5])
    np.testing.assert_allclose(tscript.script(net)(x, lengths).numpy(), net(x, lengths).detach().numpy(), rtol=1e-5)
