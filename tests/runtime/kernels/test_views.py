"""Views share memory with what they are views of; shapes beyond 64 bits are refused."""

from __future__ import annotations

import numpy as np
import pytest

from tscript.dialect import address
from tscript.runtime.kernels import scalars, tensor, views, views_expand, views_reshape, views_slice, views_strided


def ints(model, *values):
    return model.ints(values), len(values)


CASES = {
    "alias": lambda m, x: views.alias(x),
    "transpose": lambda m, x: views.transpose(x, 0, 2),
    "reverse_dims": lambda m, x: views.reverse_dims(x),
    "permute": lambda m, x: views.permute(x, *ints(m, 2, 0, 1)),
    "view": lambda m, x: views_reshape.view(x, *ints(m, 6, -1)),
    "reshape": lambda m, x: views_reshape.reshape(x, *ints(m, -1)),
    "flatten": lambda m, x: views_reshape.flatten(x, 1, 2),
    "ravel": lambda m, x: views_reshape.ravel(x),
    "unflatten": lambda m, x: views_reshape.unflatten(x, 2, *ints(m, 2, -1)),
    "squeeze": lambda m, x: views.squeeze(x),
    "unsqueeze": lambda m, x: views.unsqueeze(x, 1),
    "expand": lambda m, x: views_expand.broadcast_to(x, *ints(m, 5, -1, -1, -1)),
    "diagonal": lambda m, x: views_slice.diagonal(x, 1, 1, 2),
    "select": lambda m, x: views_slice.select(x, 1, -1),
    "slice": lambda m, x: views_slice.slice_(x, 2, 1, 4, 2),
    "as_strided": lambda m, x: views_strided.as_strided(x, *ints(m, 2, 3), *ints(m, 4, 2), 1),
    "unfold": lambda m, x: views_strided.unfold(x, 2, 3, 1),
    "narrow": lambda m, x: views_slice.narrow(x, 0, 1, 1),
}


@pytest.mark.parametrize("make", CASES.values(), ids=CASES)
def test_a_view_shares_the_storage(model, make):
    x = model.tensor(np.arange(24, dtype=np.float32).reshape(2, 3, 4))
    v = make(model, x)
    assert address(v.storage) == address(x.storage)
    assert x.storage.refcount == 2
    model.check_header(v)
    before = model.view(v).copy()
    model.view(x)[...] += 100
    assert (model.view(v) == before + 100).all()
    tensor.tensor_release(x)
    assert (model.view(v) == before + 100).all()
    tensor.tensor_release(v)
    assert model.heap.live_blocks == 0


def test_reshape_copies_only_when_it_must(model):
    x = model.tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    turned = views.t(x)
    copied = views_reshape.reshape(turned, *ints(model, 6))
    assert address(copied.storage) != address(x.storage)
    assert model.view(copied).tolist() == [0, 3, 1, 4, 2, 5]
    for t in (x, turned, copied):
        tensor.tensor_release(t)


def test_offsets_are_in_elements(model):
    x = model.tensor(np.arange(24, dtype=np.int16).reshape(2, 3, 4))
    v = views_slice.select(x, 0, 1)
    w = views_slice.narrow(v, 1, 2, 2)
    assert [scalars.storage_offset(t) for t in (x, v, w)] == [0, 12, 14]
    for t in (x, v, w):
        tensor.tensor_release(t)


def test_a_shape_beyond_64_bits_is_refused(machine):
    run = machine()
    with pytest.raises(run.Error, match="numel: integer multiplication overflow"):
        run.call("broadcast_to", np.zeros((1, 1), np.int8), (1 << 40, 1 << 40))


@pytest.mark.parametrize("shape", [(), (6,), (5,), (2, 2), (2, 2, 2), (2, 2, 2, 2), (2, 2, 2, 2, 2), (2,) * 7])
def test_the_error_of_view_shows_the_shape(machine, shape):
    run = machine()
    shown = ", ".join(map(str, shape)) if len(shape) < 6 else "2, 2, 2, 2, ..."
    with pytest.raises(run.Error) as caught:
        run.call("view", np.zeros(7, np.float32), shape)
    assert str(caught.value) == f"shape '[{shown}]' is invalid for input of size 7"


def test_too_many_dimensions_are_refused(machine):
    run = machine()
    with pytest.raises(run.Error, match="at most 64 dimensions"):
        run.call("view", np.zeros(1, np.float32), (1,) * 65)
