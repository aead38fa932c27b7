"""What is laid out of a constant once."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.runtime.kernels.conftest import Model, bound
from tscript.abi.layout import STORAGE_CONSTANT, STORAGE_READONLY
from tscript.dialect import f32, pointer, pointer_cast
from tscript.runtime.kernels import layouts, panels, tensor


@contextlib.contextmanager
def emptied() -> Iterator[Model]:
    """An address space in which everything is freed."""
    model = Model()
    before = model.heap.live_blocks
    yield model
    assert model.heap.live_blocks == before


def constant(model: Model, array: np.ndarray) -> Any:
    """A tensor over a copy of the array, which never changes."""
    return model.tensor(array, STORAGE_READONLY | STORAGE_CONSTANT)


def test_a_layout_is_found_by_all_that_tells_it_from_others() -> None:
    with emptied() as model:
        made = constant(model, np.zeros(4, np.float32))
        storage = made.storage
        assert layouts.may_lay_out(storage)
        kept = {}
        for key in ((0, 0, 1, 2), (1, 0, 1, 2), (0, 8, 1, 2), (0, 0, 2, 2), (0, 0, 1, 3)):
            assert layouts.find_layout(storage, *key) == 0
            kept[key] = layouts.keep_layout(storage, layouts.new_layout(16, *key))
        assert {key: layouts.find_layout(storage, *key) for key in kept} == kept
        assert len({*kept.values()}) == 5
        tensor.tensor_release(made)


def test_the_second_of_two_threads_frees_its_own() -> None:
    with emptied() as model:
        made = constant(model, np.zeros(4, np.float32))
        first, second = (layouts.new_layout(16, 0, 0, 1, 2) for _ in range(2))
        assert layouts.keep_layout(made.storage, first) == first
        assert layouts.keep_layout(made.storage, second) == first
        tensor.tensor_release(made)


@pytest.mark.parametrize("plain", [True, False])
def test_panels_of_a_constant_are_made_once(plain: bool) -> None:
    w = np.arange(26 * 3, dtype=np.float32).reshape(26, 3)
    with emptied() as model:
        made = constant(model, w if plain else np.ascontiguousarray(w.T))
        data = pointer_cast(made.data, f32)
        strides = (3, 1) if plain else (1, 26)
        of_constant = bound(panels.panels_of_constant, ("float32",))
        found = of_constant(made.storage, data, *strides, 26, 3, 4)
        assert found == of_constant(made.storage, data, *strides, 26, 3, 4) != 0
        assert of_constant(made.storage, data, 6, 2, 13, 3, 4) == 0
        laid = pointer(found, f32)
        got = np.array([laid[i] for i in range(2 * 24 * 3)]).reshape(2, 3, 24).transpose(0, 2, 1).reshape(48, 3)
        np.testing.assert_array_equal(got, [*w, *np.zeros((22, 3))])
        tensor.tensor_release(made)
