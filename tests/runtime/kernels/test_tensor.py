"""Headers and storages."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tscript.abi import layout
from tscript.dialect import address, memory_model
from tscript.runtime.kernels import tensor, views, views_slice


def test_the_last_reference_frees_storage_and_header(model):
    x = tensor.tensor_alloc(6, 2, model.ints([2, 3]))
    assert model.heap.live_blocks == 2
    tensor.tensor_retain(x)
    v = views.transpose(x, 0, 1)
    assert model.heap.live_blocks == 3
    tensor.tensor_release(x)
    tensor.tensor_release(x)
    assert model.heap.live_blocks == 2
    v.data[0] = 1
    tensor.tensor_release(v)
    assert model.heap.live_blocks == 0


def test_new_tensors_are_contiguous(model):
    x = tensor.tensor_alloc(7, 3, model.ints([2, 1, 3]))
    assert [tensor.strides_of(x)[i] for i in range(3)] == [3, 3, 1]
    assert (x.numel, x.flags, x.storage.nbytes) == (6, 1, 48)
    assert address(x.data) % 64 == 0
    tensor.tensor_release(x)


@pytest.mark.parametrize(
    ("sizes", "error"),
    [([2, -1], RuntimeError), ([1 << 40, 1 << 40], MemoryError), ([1 << 57], MemoryError), ([1] * 65, RuntimeError)],
)
def test_impossible_shapes_are_refused(model, sizes, error):
    with pytest.raises(error):
        tensor.tensor_alloc(6, len(sizes), model.ints(sizes))
    assert model.heap.live_blocks == 0


def test_foreign_memory_is_let_go_with_the_last_reference(model, monkeypatch):
    released: list[Any] = []
    monkeypatch.setattr(tensor, "drop_owner", released.append)
    x = model.tensor(np.arange(6, dtype=np.int32).reshape(2, 3)[:, ::-1])
    owner = x.storage.owner
    assert model.view(x).tolist() == [[2, 1, 0], [5, 4, 3]]
    assert x.flags == 0
    v = views_slice.select(x, 0, 1)
    tensor.tensor_release(x)
    assert released == []
    tensor.tensor_release(v)
    assert released == [owner]
    assert model.heap.live_blocks == 0


def test_reading_past_the_storage_is_caught(model):
    x = tensor.tensor_alloc(0, 1, model.ints([4]))
    tensor.tensor_release(x)
    with pytest.raises(memory_model.MemoryFault):
        tensor.sizes_of(x)[0]


def test_long_work_releases_the_gil(monkeypatch, model):
    calls: list[Any] = []
    monkeypatch.setattr(tensor, "release_gil", lambda _: calls.append("always"))
    monkeypatch.setattr(tensor, "let_others_run", lambda _: calls.append("if there are others"))
    context = memory_model._context()
    context.work = 0
    tensor.begin_work(1 << 15)
    assert calls == []
    context.work = 0
    tensor.begin_work((1 << 15) + 1)
    tensor.begin_work(1 << 18)
    tensor.begin_work((1 << 18) + 1)
    assert calls == ["if there are others", "if there are others", "always"]


def test_short_work_that_adds_up_offers_the_gil(monkeypatch, model):
    calls: list[Any] = []
    monkeypatch.setattr(tensor, "let_others_run", lambda _: calls.append("if there are others"))
    context = memory_model._context()
    context.work = 0
    for _ in range(100):
        tensor.begin_work(1 << 10)  # too short to count
    for _ in range(8):
        tensor.begin_work(1 << 12)
    assert calls == []
    tensor.begin_work(1 << 12)
    assert len(calls) == 1
    context.work = layout.OFFERED
    tensor.begin_work(1 << 18)
    assert len(calls) == 1
