"""Products through BLAS (its model checks every leading dimension) and without one; chains of batches."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tscript.dialect import memory_model
from tscript.runtime.kernels import gemm
from tscript.types import U8


def use_blas(yes: bool) -> None:
    memory_model._symbol("ts_has_blas_v1", U8)[0] = yes


def layouts(x):
    """The same elements contiguous, transposed, with gaps, reversed and from an expanded row."""
    wide = np.zeros((x.shape[0], 2 * x.shape[1] + 1), x.dtype)
    wide[:, : x.shape[1]] = x
    strided = np.zeros((x.shape[0], 2 * x.shape[1]), x.dtype)
    strided[:, ::2] = x
    yield x
    yield np.asfortranarray(x)
    yield wide[:, : x.shape[1]]
    yield strided[:, ::2]
    yield np.ascontiguousarray(x[::-1, ::-1])[::-1, ::-1]
    yield np.broadcast_to(x[:1], x.shape)


@pytest.mark.parametrize("blas", [False, True])
@pytest.mark.parametrize(
    ("m", "k", "n"), [(3, 4, 5), (1, 4, 5), (3, 1, 5), (3, 4, 1), (1, 1, 1), (6, 3, 40), (4, 2, 16)]
)
def test_every_pair_of_layouts(make_model, blas, m, k, n):
    rng = np.random.default_rng(0)
    a = rng.integers(-4, 5, (m, k)).astype(np.float32)
    b = rng.integers(-4, 5, (k, n)).astype(np.float32)
    for x in layouts(a):
        for y in layouts(b):
            model = make_model()
            use_blas(blas)
            np.testing.assert_array_equal(model.call("mm", x, y, types=("float32",)), x @ y)


@pytest.mark.parametrize("blas", [False, True])
def test_sums_longer_than_one_pass(make_model, blas):
    a = np.arange(2 * (2 * gemm.DEPTH + 3), dtype=np.float64).reshape(2, -1) % 7
    model = make_model()
    use_blas(blas)
    np.testing.assert_array_equal(model.call("mm", a, a.T, types=("float64",)), a @ a.T)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    batch_a=st.lists(st.sampled_from([1, 2, 3]), max_size=2),
    batch_b=st.lists(st.sampled_from([1, 2, 3]), max_size=2),
    name=st.sampled_from(["float32", "float64", "int16"]),
    turned=st.booleans(),
)
def test_batches_broadcast(make_model, batch_a, batch_b, name, turned):
    try:
        np.broadcast_shapes(batch_a, batch_b)
    except ValueError:
        return
    a = (np.arange(np.prod([*batch_a, 6])) % 5 - 2).astype(name).reshape(*batch_a, 2, 3)
    b = (np.arange(np.prod([*batch_b, 12])) % 7 - 3).astype(name).reshape(*batch_b, 3, 4)
    if turned:
        a = np.ascontiguousarray(a.swapaxes(0, -1)).swapaxes(0, -1)
    for blas in (False, True):
        model = make_model()
        use_blas(blas)
        np.testing.assert_array_equal(model.call("matmul", a, b, types=(name,)), a @ b)


def test_no_sums_give_zero(machine):
    run = machine()
    got = run.call("mm", np.zeros((2, 0), np.float32), np.zeros((0, 3), np.float32), types=("float32",))
    assert got.tolist() == [[0, 0, 0], [0, 0, 0]]


def test_blas_is_used_natively_and_agrees(machine):
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((70, 33)).astype(np.float32), rng.standard_normal((33, 20)).astype(np.float32)
    run = machine()
    for x, y in ((a, b), (np.asfortranarray(a), b), (a[::2], b[:, ::3]), (a, b[:, 0]), (a[0], b)):
        np.testing.assert_allclose(run.call("matmul", x, y, types=("float32",)), x @ y, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ((2, 3), (2, 3), "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"),
        ((2, 3), (4,), "size mismatch, got input (2), mat (2x3), vec (4)"),
        ((3,), (2,), "inconsistent tensor size, expected tensor [3] and src [2]"),
        ((4, 2, 3), (2, 5), "mat1 and mat2 shapes cannot be multiplied (8x3 and 2x5)"),
        (
            (4, 2, 3),
            (4, 5, 6),
            "Expected size for first two dimensions of batch2 tensor to be: [4, 3] but got: [4, 5].",
        ),
        ((4, 2, 3), (5, 3, 6), "The size of tensor a (4) must match the size of tensor b (5)"),
        ((), (3,), "both arguments to matmul need to be at least 1D, but they are 0D and 1D"),
    ],
)
def test_shapes_that_do_not_match(machine, a, b, message):
    run = machine()
    with pytest.raises(run.Error) as caught:
        run.call("matmul", np.zeros(a, np.float32), np.zeros(b, np.float32), types=("float32",))
    assert str(caught.value).startswith(message)
