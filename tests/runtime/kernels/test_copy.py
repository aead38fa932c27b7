"""Copies between all dtypes, layouts and overlapping tensors; filling."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tscript.definitions.values import cast, numpy_dtype, widen
from tscript.runtime.kernels import copy, shapes, tensor, views_expand, views_slice
from tscript.types import dtypes

NAMES = [d.name for d in dtypes.DTYPES]


@pytest.mark.parametrize(("to", "source"), list(itertools.product(NAMES, NAMES)))
def test_copy_converts_between_all_dtypes(model, to, source):
    kind = dtypes.BY_NAME[source]
    values: list[float] = [0, 1, -1, -100, 100]
    if kind.is_floating_point:
        values = [0.5, -1.5, np.nan, np.inf, -1e30]
    elif source == "bool":
        values = [0, 1, 1, 0, 1]
    elif not kind.signed:
        values = [0, 1, 2, 100, 2 ** (8 * kind.itemsize) - 1]
    # As float64 the largest uint64 were another number.
    x = np.array(values, source) if source == "uint64" else cast(np.array(values), kind)
    y = np.zeros(5, numpy_dtype(dtypes.BY_NAME[to]))
    model.call("copy_", y, x, types=(to, source))
    np.testing.assert_array_equal(widen(y), widen(cast(x, dtypes.BY_NAME[to])))


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    sizes=st.lists(st.integers(1, 4), min_size=1, max_size=4),
    order=st.randoms(),
    flips=st.lists(st.booleans(), min_size=4, max_size=4),
)
def test_copies_of_any_layout(machine, sizes, order, flips):
    def laid_out(x):
        dims = list(range(x.ndim))
        order.shuffle(dims)
        out = np.ascontiguousarray(x.transpose(dims)).transpose(np.argsort(dims))
        return out[tuple(slice(None, None, -1 if f else 1) for f in flips[: x.ndim])]

    values = np.arange(np.prod(sizes), dtype=np.float32).reshape(sizes)
    x, y = laid_out(values), laid_out(np.zeros_like(values))
    run = machine()
    run.call("copy_", y, x, types=("float32", "float32"))
    np.testing.assert_array_equal(y, x)
    np.testing.assert_array_equal(run.call("clone", x), x)


@pytest.mark.parametrize(("rows", "columns"), [(1, 100), (33, 65), (64, 32), (100, 3)])
def test_transpositions_larger_than_a_tile(machine, rows, columns):
    x = np.arange(rows * columns, dtype=np.int16).reshape(rows, columns)
    np.testing.assert_array_equal(machine().call("clone", x.T), x.T)


def test_copy_broadcasts_and_drops_leading_dimensions_of_size_one(model):
    y = np.zeros((2, 3), np.float32)
    model.call("copy_", y, np.array([[[1.0], [2.0]]], np.float32), types=("float32", "float32"))
    assert y.tolist() == [[1, 1, 1], [2, 2, 2]]


@pytest.mark.parametrize(
    ("to", "source", "message"),
    [
        (np.zeros((2, 3), np.float32), np.zeros(2, np.float32), "The size of tensor a (3) must match"),
        (np.zeros(3, np.float32), np.zeros((2, 3), np.float32), "a tensor of 2 dimensions cannot be broadcast"),
        (np.broadcast_to(np.zeros(1, np.float32), (3,)), np.zeros(3, np.float32), "read-only"),
    ],
)
def test_copies_that_do_not_fit_are_refused(machine, to, source, message):
    run = machine()
    with pytest.raises(run.Error, match=message.replace("(", r"\(").replace(")", r"\)")):
        run.call("copy_", to, source, types=("float32", "float32"))


def test_writing_through_an_expanded_dimension_is_refused(model):
    x = model.tensor(np.zeros((1, 3), np.float32))
    wide = views_expand.expand(x, model.ints([2, 3]), 2, False)
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        shapes.check_distinct(wide)
    for t in (x, wide):
        tensor.tensor_release(t)


@pytest.mark.parametrize("shift", [-3, -1, 0, 1, 2])
def test_overlapping_copies_read_the_source_as_it_was(model, shift):
    whole = model.tensor(np.arange(10, dtype=np.int64))
    first, second = max(shift, 0), max(-shift, 0)
    to = views_slice.narrow(whole, 0, first, 7)
    source = views_slice.narrow(whole, 0, second, 7)
    expected = np.arange(10)
    expected[first : first + 7] = np.arange(10)[second : second + 7]
    copied = model.run("copy_", "int64", "int64")(to, source)
    assert model.view(whole).tolist() == expected.tolist()
    assert whole.storage.version == 1
    for t in (whole, to, source, copied):
        tensor.tensor_release(t)
    assert model.heap.live_blocks == 0


@pytest.mark.parametrize("name", NAMES)
def test_fill(machine, name):
    dtype = dtypes.BY_NAME[name]
    y = np.zeros((3, 5), numpy_dtype(dtype))[:, ::2]
    machine().call("fill_", y, 3.75, 3, types=(name,))
    np.testing.assert_array_equal(widen(y), widen(cast(np.full((3, 3), 3.75), dtype)))


def test_read_only_tensors_refuse_to_be_filled(machine):
    y = np.zeros(3, np.float32)
    y.flags.writeable = False
    run = machine()
    with pytest.raises(run.Error, match="read-only"):
        run.call("fill_", y, 1.0, 1, types=("float32",))


@pytest.mark.parametrize("seed", range(12))
def test_long_copies_are_divided(model, monkeypatch, seed):
    """Along one dimension, whichever way both sides lie."""
    monkeypatch.setattr(copy, "GRAIN", 64)
    rng = np.random.default_rng(seed)
    shape = tuple(int(n) for n in rng.integers(1, 9, rng.integers(1, 4)))
    whole = rng.integers(0, 100, shape).astype(rng.choice(["int64", "float32", "int8"]))
    whole = whole.transpose(rng.permutation(whole.ndim))
    if rng.random() < 0.5:
        whole = np.repeat(whole, 2, -1)[..., ::2]
    x = model.tensor(whole)
    out = copy.clone(x)
    assert np.array_equal(model.view(out), whole)
    tensor.tensor_release(out)
    tensor.tensor_release(x)
