"""The order of reductions: it depends on the number of elements alone, and it is accurate."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.runtime.kernels.conftest import bound
from tscript.abi.folds import BLOCK, LANES
from tscript.runtime.kernels import positions, reduce


def in_order(x: np.ndarray) -> np.float32:
    """The sum in the order that `reduce` documents, written out plainly."""
    partial: list[tuple[int, np.float32]] = []
    for begin in range(0, len(x), BLOCK):
        block = x[begin : begin + BLOCK]
        lanes = [np.float32(0) for _ in range(min(LANES, len(block)))]
        for i, value in enumerate(block):
            lanes[i % LANES] = lanes[i % LANES] + value
        ends = [*lanes[1::2], *[None] * (len(lanes) % 2)]
        lanes = [a if b is None else a + b for a, b in zip(lanes[::2], ends, strict=True)]
        half = LANES // 4
        while half:
            for lane in range(min(half, len(lanes))):
                if lane + half < len(lanes):
                    lanes[lane] = lanes[lane] + lanes[lane + half]
            half //= 2
        level, value = 0, lanes[0]
        while partial and partial[-1][0] == level:
            value = partial.pop()[1] + value
            level += 1
        partial.append((level, value))
    total = partial.pop()[1]
    while partial:
        total = partial.pop()[1] + total
    return total


LENGTHS = [1, 2, LANES - 1, LANES, LANES + 1, 100, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 17]


@pytest.mark.parametrize("n", LENGTHS)
def test_sums_follow_the_documented_order(machine, n):
    x = np.random.default_rng(n).standard_normal(n).astype(np.float32)
    got = machine().call("sum_all", x, -1, types=("float32", "float32"))
    assert got.tobytes() == in_order(x).tobytes()


@pytest.mark.parametrize("blocks", [2, 3, 5, 8, 70, 129])
def test_parts_do_not_change_a_bit(machine, monkeypatch, request, blocks):
    """Under CPython a long sum is done in parts, the last one first; natively on several threads."""
    monkeypatch.setattr(reduce, "GRAIN", BLOCK)
    monkeypatch.setattr(reduce, "MOST_PARTS", 4)
    bound.cache_clear()
    request.addfinalizer(bound.cache_clear)
    run, rng = machine(), np.random.default_rng(blocks)
    for n in (blocks * BLOCK, blocks * BLOCK + 17) if blocks < 8 or "Model" not in type(run).__name__ else ():
        x = rng.standard_normal(n).astype(np.float32)
        assert run.call("sum_all", x, -1, types=("float32", "float32")).tobytes() == in_order(x).tobytes()
    rows = rng.standard_normal((3, 2 * BLOCK + blocks)).astype(np.float32)
    expected = np.array([in_order(row) for row in rows]).tobytes()
    for layout in (rows, np.asfortranarray(rows)):
        got = run.call("sum_dim", layout, (1,), False, -1, types=("float32", "float32"))
        assert got.tobytes() == expected


@pytest.mark.parametrize(
    ("n", "columns"), [(3, 1), (3, 70), (LANES, 9), (LANES, 70), (100, 1), (100, 9), (BLOCK + 5, 1), (BLOCK + 5, 8)]
)
def test_no_layout_changes_a_bit(machine, n, columns):
    rng = np.random.default_rng(n * columns)
    x = rng.standard_normal((columns, n)).astype(np.float32)
    run = machine()
    expected = np.array([in_order(row) for row in x])
    layouts = [x, np.asfortranarray(x), x[::-1][::-1], np.repeat(x, 2, axis=1)[:, ::2]]
    for layout in layouts:
        got = run.call("sum_dim", layout, (1,), False, -1, types=("float32", "float32"))
        assert got.tobytes() == expected.tobytes()
        turned = run.call("sum_dim", layout.T, (0,), False, -1, types=("float32", "float32"))
        assert turned.tobytes() == expected.tobytes()


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 1000), shape=st.lists(st.integers(1, 5), min_size=2, max_size=4), data=st.data())
def test_several_dimensions_are_one_in_row_major_order(machine, seed, shape, data):
    x = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
    dims = sorted(data.draw(st.sets(st.integers(0, len(shape) - 1), min_size=1)))
    kept = [d for d in range(len(shape)) if d not in dims]
    rows = x.transpose(kept + dims).reshape(int(np.prod([shape[d] for d in kept])), -1)
    got = machine().call("sum_dim", x, dims, False, -1, types=("float32", "float32"))
    assert got.tobytes() == np.array([in_order(row) for row in rows]).tobytes()


def test_long_sums_are_accurate(machine):
    x = np.random.default_rng(0).random(40 * BLOCK, np.float32) + np.float32(0.5)
    got = float(machine().call("sum_all", x, -1, types=("float32", "float32")))
    assert abs(got / x.astype(np.float64).sum() - 1) < 1e-6


@pytest.mark.parametrize("name", ["max", "min"])
@pytest.mark.parametrize("where", [0, 5, LANES + 3, BLOCK - 1, BLOCK + LANES + 30])
def test_a_nan_anywhere_wins(machine, name, where):
    x = np.arange(2 * BLOCK, dtype=np.float32)
    x[where] = np.nan
    x[-1] = np.nan
    run = machine()
    assert np.isnan(run.call(f"{name}_all", x, types=("float32",)))
    assert run.call(f"arg{name}", x, -(2**63), False, types=("float32",)) == where
    columns = np.stack([x, np.arange(2 * BLOCK, dtype=np.float32)[::-1]] * 5, axis=1)
    values, indices = run.call(f"{name}_dim", columns, 0, False, types=("float32",))
    wanted = (0 if name == "max" else 2 * BLOCK - 1), (2 * BLOCK - 1 if name == "max" else 0)
    assert np.isnan(values[::2]).all() and (indices[::2] == where).all()
    assert (indices[1::2] == wanted[0]).all() and (values[1::2] == wanted[1]).all()


def test_equal_elements_give_the_first_index(machine):
    x = np.zeros((3, 2 * BLOCK), np.float32)
    x[:, [70, BLOCK + 88, 2 * BLOCK - 36]] = 1
    run = machine()
    assert run.call("argmax", x, 1, False, types=("float32",)).tolist() == [70] * 3
    assert run.call("argmax", np.asfortranarray(x), 1, False, types=("float32",)).tolist() == [70] * 3
    assert run.call("argmax", x.T, 0, True, types=("float32",)).tolist() == [[70] * 3]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "uint8"])
@pytest.mark.parametrize("n", [1, LANES - 1, LANES, 100, 127, 128, 129, 300])
@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_positions_are_those_of_numpy(machine, name, n, dtype):
    rng, run = np.random.default_rng(n), machine()
    if "Model" in type(run).__name__ and (n == 100 or dtype not in ("float32", "int64")):
        pytest.skip("takes long")
    expected = getattr(np, name)
    x = rng.integers(0, 7, (3, n)).astype(dtype)
    if dtype.startswith("float"):
        x[:, ::3] *= -0.0  # zeros of both signs are equal
        x[1, n // 2 :: 2] = np.nan
        x[2] = -np.inf if name == "argmax" else np.inf
        x[2, n // 3] = rng.choice([np.nan, x[2, 0]])
    for layout in (x, np.asfortranarray(x), np.repeat(x, 2, axis=1)[:, ::2], x[:, ::-1]):
        got = run.call(name, layout, 1, False, types=(dtype,))
        np.testing.assert_array_equal(got, expected(layout, 1))
        assert run.call(name, layout, -(2**63), False, types=(dtype,)) == expected(layout)
        values, indices = run.call(f"{name[3:]}_dim", layout, 1, False, types=(dtype,))
        np.testing.assert_array_equal(indices, got)
        np.testing.assert_array_equal(values, np.take_along_axis(layout, got[:, None], 1)[:, 0])


@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_positions_found_in_parts(machine, monkeypatch, request, dtype):
    for module in (reduce, positions):
        monkeypatch.setattr(module, "GRAIN", BLOCK)
    monkeypatch.setattr(reduce, "MOST_PARTS", 4)
    bound.cache_clear()
    request.addfinalizer(bound.cache_clear)
    run = machine()
    x = np.random.default_rng(0).integers(0, 3, (2, 3 * BLOCK + 17)).astype(dtype)
    x[:, [5, BLOCK + 3, 3 * BLOCK]] = 9
    if dtype == "float32":
        x[1, [2 * BLOCK + 1, 3 * BLOCK + 1]] = np.nan
    for layout in (x, np.asfortranarray(x)):
        assert run.call("argmax", layout, 1, False, types=(dtype,)).tolist() == x.argmax(1).tolist()
        assert run.call("argmin", layout, -(2**63), False, types=(dtype,)) == x.argmin()


def test_variance_does_not_cancel(machine):
    x = np.float32(1e6) + np.arange(100, dtype=np.float32)
    got = machine().call("var_all", x, True, types=("float32",))
    np.testing.assert_allclose(got, x.astype(np.float64).var(ddof=1), rtol=1e-6)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0)])
def test_mean_of_nothing_is_nan(machine, shape):
    got = machine().call("mean_all", np.empty(shape, np.float32), -1, types=("float32", "float32"))
    assert np.isnan(got)


@pytest.mark.parametrize(
    ("values", "correction", "wanted"),
    [([], 0.0, np.nan), ([], 1.0, np.nan), ([4], 1.0, np.nan), ([4, 4], 2.0, np.nan), ([1, 3], 2.0, np.inf)],
)
def test_variance_without_degrees_of_freedom(machine, values, correction, wanted):
    x = np.array([values, values], np.float32)
    got = machine().call("var_correction", x, (1,), correction, int(correction), 1, False, types=("float32",))
    np.testing.assert_array_equal(got, np.array([wanted, wanted], np.float32))
