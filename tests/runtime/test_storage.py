"""The storage of tensors, copies and pickles that keep how elements lie, DLPack."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import tscript


def test_views_are_set_to_each_other_by_place_and_layout():
    x = tscript.ones(3, 4)
    assert x.is_set_to(x[:])
    assert not x.is_set_to(x[1])
    assert not x.is_set_to(x.T)
    assert not x.is_set_to(x.clone())
    with pytest.raises(TypeError, match="expected a tensor, found list"):
        x.is_set_to([])


def test_the_storage_of_a_view_is_that_of_the_whole():
    x = tscript.ones(3, 4)
    whole = x[1:, 2].untyped_storage()
    assert whole == x.untyped_storage()
    assert (whole.nbytes(), len(whole), whole.data_ptr()) == (48, 48, x.data_ptr())
    assert (len(x.storage()), x.storage().element_size()) == (12, 4)
    assert bytes(tscript.tensor([1, 2], dtype=tscript.uint8).untyped_storage())[:2] == b"\1\2"


def test_order_of_dimensions_and_strides():
    x = tscript.ones(2, 3, 4).permute(2, 0, 1)
    assert x.dim_order() == (1, 2, 0)
    with pytest.raises(IndexError, match=r"expected to be in range of \[-3, 2\], but got 3"):
        x.stride(3)


def test_deep_copies_of_views_share_a_storage():
    x = tscript.ones(3, 4)
    whole, row, turned = copy.deepcopy([x, x[1], x.T])
    whole[1] = 5.0
    assert row.tolist() == [5.0] * 4
    assert turned.stride() == (1, 4)
    assert turned[0].tolist() == [1.0, 5.0, 1.0]
    assert x[1].tolist() == [1.0] * 4
    assert copy.deepcopy(tscript.empty(0, 3)).shape == (0, 3)


def test_shallow_copies_share_memory():
    x = tscript.ones(3)
    assert copy.copy(x).is_set_to(x)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "complex64", "bool"])
def test_pickles_keep_strides(dtype):
    x = tscript.ones(2, 3, 4, dtype=getattr(tscript, dtype)).permute(2, 0, 1)
    found = pickle.loads(pickle.dumps(x))
    assert (found.stride(), found.dtype) == (x.stride(), x.dtype)
    assert bool((found == x).all())
    assert pickle.loads(pickle.dumps(x[:, :, ::2])).shape == (4, 2, 2)


@pytest.mark.parametrize("name", ["float16", "bfloat16", "uint16", "complex64", "bool"])
def test_dlpack_goes_both_ways(name):
    x = tscript.ones(2, 3, dtype=getattr(tscript, name)).T
    found = tscript.from_dlpack(x)
    assert (found.dtype, found.stride()) == (x.dtype, x.stride())
    found[0, 0] = 0
    assert not bool(x[0, 0])
    assert not tscript.from_dlpack(x, copy=True).data_ptr() == x.data_ptr()


def test_dlpack_refuses_other_devices_and_objects():
    x = tscript.ones(2)
    assert x.__dlpack_device__() == (1, 0)
    with pytest.raises(BufferError, match="not copied to"):
        x.__dlpack__(dl_device=(2, 0))
    with pytest.raises(TypeError, match="an object with __dlpack__"):
        tscript.from_dlpack(3)
    assert np.from_dlpack(x).tolist() == [1.0, 1.0]


def test_numbers_and_elements():
    x = tscript.tensor([1.0, 2.0])
    assert 2 in x
    assert 3.0 not in x
    assert x[0] in x
    with pytest.raises(RuntimeError, match="only supports Tensor or scalar"):
        "a" in x
    assert complex(tscript.tensor(1 + 2j)) == 1 + 2j
    with pytest.raises(RuntimeError, match="no gradients are computed"):
        x.backward()
