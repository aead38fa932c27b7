"""Results of eager operators with names."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import tscript
from tscript import return_types

X = tscript.tensor([[1.0, 3.0], [4.0, 2.0]])


def test_fields() -> None:
    found = X.max(1)
    assert type(found) is return_types.max and isinstance(found, tuple)
    assert found.values.tolist() == [3.0, 4.0] and found.indices.tolist() == [1, 0]
    values, indices = found
    assert values is found[0] is found.values and indices is found[-1]
    assert tscript.sort(X, descending=True).indices.tolist() == [[1, 0], [0, 1]]
    assert X.aminmax().max.item() == 4.0
    assert tscript.topk(X, k=1).values.tolist() == [[3.0], [4.0]]


def test_plain_tuples_stay_plain() -> None:
    assert type(tscript.var_mean(X)) is tuple
    assert type(tscript.unique(X, return_counts=True)) is tuple


def test_representation() -> None:
    assert repr(X.max(1)) == "torch.return_types.max(\nvalues=tensor([3., 4.]),\nindices=tensor([1, 0]))"


def test_it_is_a_tuple() -> None:
    found = X.min(0)
    plain = tuple(found)
    assert type(plain) is tuple and found == plain and hash(found) == hash(plain) and len(found) == 2
    assert type(found[:1]) is tuple and type((*found, X)) is tuple
    with pytest.raises(AttributeError):
        found.values = X  # type: ignore[misc]


def test_copies() -> None:
    found = pickle.loads(pickle.dumps(X.max(1)))
    assert type(found) is return_types.max and found.indices.tolist() == [1, 0]
    assert type(copy.deepcopy(found)) is return_types.max
    assert type(copy.copy(found)) is return_types.max


def test_made_of_a_sequence() -> None:
    made = return_types.max((1, 2))  # type: ignore[call-arg, arg-type]
    assert made.indices == 2
    with pytest.raises(TypeError, match=r"takes a 2-sequence .1-sequence given."):
        return_types.max((1,))  # type: ignore[call-arg, arg-type]
    with pytest.raises(TypeError, match="requires a sequence"):
        return_types.max(1)  # type: ignore[call-arg, arg-type]


def test_unknown_class() -> None:
    with pytest.raises(AttributeError, match=r"'tscript.return_types' has no attribute 'nothing'"):
        return_types.nothing  # type: ignore[attr-defined]
    assert {"max", "sort", "topk"} <= {*dir(return_types)}


def test_of_arrays_and_out() -> None:
    found = tscript.sort(np.array([3.0, 1.0]))  # type: ignore[arg-type]
    assert type(found) is return_types.sort and type(found.values) is np.ndarray
    out = tscript.empty(2), tscript.empty(2, dtype=tscript.int64)
    given = tscript.max(X, 0, out=out)
    assert type(given) is return_types.max and given.values is out[0]


def test_an_error_leaves_nothing() -> None:
    with pytest.raises(IndexError):
        X.max(7)


def test_as_torch() -> None:
    with tscript.install_as_torch() as installed:
        if installed.is_torch:
            pytest.skip("PyTorch is installed")
        import torch

        assert isinstance(X.max(1), torch.return_types.max)
