"""float16, bfloat16 and the wide unsigned integers: creation, casts, arithmetic, reductions, NumPy in and out."""

from __future__ import annotations

import numpy as np
import pytest

import tscript
from tscript import Tensor
from tscript.definitions.values import cast, widen
from tscript.types import dtypes

HALVES = [dtypes.float16, dtypes.bfloat16]
EVERY = np.arange(1 << 16, dtype=np.uint16)


def test_every_float16_goes_to_float32_and_back():
    given = EVERY.view(np.float16)
    x = tscript.from_numpy(given)
    np.testing.assert_array_equal(x.float().numpy(), given.astype(np.float32))
    back = x.float().half().numpy()
    assert (back.view(np.uint16) == EVERY)[~np.isnan(given)].all()
    assert np.isnan(back[np.isnan(given)]).all()


@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_rounding_is_to_nearest_even(dtype):
    rng = np.random.default_rng(0)
    given = rng.integers(0, 1 << 32, 100_000, dtype=np.uint32).view(np.float32)
    # Halfway cases, and those beside them.
    ties = (EVERY.astype(np.int64) << 16) + 0x8000
    near = np.concatenate([(ties + d).astype(np.uint32) for d in (-1, 0, 1)]).view(np.float32)
    small = np.arange(8, dtype=np.float32) * np.float32(2.0**-25)
    given = np.concatenate([given, near, small])
    found = tscript.from_numpy(given).to(dtype).float().numpy()
    np.testing.assert_array_equal(found, widen(cast(given, dtype)))


@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_operators_round_once(dtype):
    rng = np.random.default_rng(1)
    a, b = (widen(cast(rng.standard_normal(1000), dtype)) for _ in range(2))
    x, y = (tscript.tensor(v).to(dtype) for v in (a, b))
    for found, exact in ((x + y, a + b), (x * y, a * b), (x / y, a / b), (x - 1.25, a - np.float32(1.25))):
        assert found.dtype is dtype
        np.testing.assert_array_equal(found.float().numpy(), widen(cast(exact, dtype)))
    assert (x + x.float()).dtype is dtypes.float32
    assert (x < y).numpy().tolist() == (a < b).tolist()


@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_sums_are_accumulated_in_float32(dtype):
    x = tscript.ones(5000, dtype=dtype)
    assert x.sum().item() == widen(cast(np.float32(5000), dtype)).item()
    assert x.sum(dtype=tscript.float32).item() == 5000
    assert x.mean().item() == 1 and x.mean().dtype is dtype
    m = tscript.ones((3, 700), dtype=dtype)
    assert (m @ m.T).tolist() == [[widen(cast(np.float32(700), dtype)).item()] * 3] * 3


@tscript.script
def scripted(x: Tensor, y: Tensor) -> Tensor:
    z = x * y + 0.1
    z += x
    return tscript.cat([z, y.to(x.dtype)]).sum(0)


@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_scripted_code_gives_the_same_as_eager_code(dtype):
    x = tscript.tensor([[1.5, 2.0], [0.1, -3.0]], dtype=dtype)
    y = tscript.tensor([[0.3, 7.0], [1.1, 5.0]])
    eager = tscript.cat([x * y + 0.1 + x, y.to(dtype)]).sum(0)
    assert scripted(x, y.to(dtype)).dtype is dtype
    assert scripted(x, y).dtype is dtypes.float32
    assert eager.dtype is dtypes.float32
    z = y.to(dtype)
    both = tscript.cat([x * z + 0.1 + x, z]).sum(0)
    assert scripted(x, z).tolist() == both.tolist()


def test_numpy_has_no_bfloat16():
    x = tscript.tensor([1.5], dtype=tscript.bfloat16)
    with pytest.raises(TypeError, match="bfloat16"):
        x.numpy()
    with pytest.raises(TypeError, match="bfloat16"):
        np.asarray(x)
    assert x.tolist() == [1.5]
    assert repr(x) == "tensor([1.5000], dtype=tscript.bfloat16)"


@pytest.mark.parametrize("name", ["uint16", "uint32", "uint64"])
def test_wide_unsigned_integers(name):
    dtype = getattr(tscript, name)
    top = np.iinfo(name).max
    given = np.array([1, 2, top], name)
    x = tscript.from_numpy(given)
    assert x.dtype is dtype and x.tolist() == given.tolist()
    np.testing.assert_array_equal((x + 1).numpy(), given + np.ones((), name))
    np.testing.assert_array_equal((x * x).numpy(), given * given)
    assert (x > 1).tolist() == [False, True, True]
    assert (x + tscript.ones(3)).dtype is dtypes.float32
    np.testing.assert_array_equal(x.double().numpy(), given.astype(np.float64))
    with pytest.raises(RuntimeError, match="Promotion for uint16, uint32, uint64 types is not supported"):
        x + tscript.ones(3, dtype=tscript.int64)


@tscript.script
def added(a: Tensor, b: Tensor) -> Tensor:
    return a + b


@pytest.mark.parametrize("dtype", [dtypes.uint16, dtypes.uint32, dtypes.uint64], ids=str)
def test_a_scalar_tensor_takes_no_part_in_the_dtype_of_wide_unsigned_integers(dtype):
    x = tscript.tensor([7, 0, 2], dtype=dtype)
    for scalar in (tscript.tensor(7, dtype=tscript.uint8), tscript.tensor(7), tscript.tensor(7, dtype=tscript.int16)):
        for found in (x + scalar, scalar + x, added(x, scalar)):
            assert found.dtype is dtype and found.tolist() == [14, 7, 9]
        for a, b in ((x, scalar.reshape(1)), (x[0], scalar)):
            with pytest.raises(RuntimeError, match="Promotion for uint16, uint32, uint64 types is not supported"):
                a + b
