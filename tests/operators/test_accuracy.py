"""What `docs/accuracy.md` says is so: errors of functions and of sums, and what happens at the ends of numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tscript
from tests.operators.accuracy import (
    ELEMENTARY,
    LONG,
    TWO_ARGUMENTS,
    bounds,
    called,
    double_error,
    error,
    exhaustive,
    single_error,
    special,
)

BOUNDS = bounds()
STEP = 800_011
"""Each exponent is among one float32 in so many, with ten mantissas."""

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def test_the_table_is_complete() -> None:
    assert set(BOUNDS) == {*ELEMENTARY, *special()}


@pytest.mark.skipif(bool(np.finfo(LONG).nmant <= 52), reason="the reference needs more precision than float64")
@pytest.mark.parametrize("name", BOUNDS)
def test_errors_of_float64(name: str) -> None:
    assert double_error(name, BOUNDS[name].least) <= BOUNDS[name].double


@pytest.mark.parametrize("name", [n for n in BOUNDS if n not in TWO_ARGUMENTS])
def test_errors_of_float32(name: str) -> None:
    assert single_error(name, BOUNDS[name].least, 7, 1 << 32, STEP) <= BOUNDS[name].single


@pytest.mark.parametrize("name", TWO_ARGUMENTS)
def test_errors_of_float32_of_two_arguments(name: str) -> None:
    arguments = [x.astype(np.float32) for x in special()[name][:-2]]
    wide = called(name, *(x.astype(np.float64) for x in arguments))
    assert error(called(name, *arguments), wide, BOUNDS[name].least) <= BOUNDS[name].single


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n in BOUNDS if n not in TWO_ARGUMENTS])
def test_errors_of_many_float32(name: str, tmp_path: Path) -> None:
    """Four million of them: `python -m tests.operators.accuracy` takes all, hours long."""
    assert exhaustive(name, 1_009, tmp_path / "floats.json") <= BOUNDS[name].single


def test_what_was_measured_is_kept(tmp_path: Path) -> None:
    record = tmp_path / "floats.json"
    first = exhaustive("sqrt", 1_000_003, record)
    record.write_text(record.read_text().replace(str(first), "7.5"))
    assert exhaustive("sqrt", 1_000_003, record) == 7.5


# ---- sums


def _data(count: int, seed: int) -> Iterator[tuple[str, Any]]:
    rng = np.random.default_rng(seed)
    yield "uniform", rng.uniform(0, 1, count)
    yield "normal", rng.normal(size=count)
    yield "of all magnitudes", np.exp(rng.uniform(-20, 20, count))
    yield "that cancels", np.where(np.arange(count) % 2, 1, -1) * np.exp(rng.uniform(0, 10, count))
    yield "with a large first element", np.r_[1e6, rng.uniform(0, 1, count - 1)]
    yield "far from 0", rng.normal(size=count) + 1e4
    yield "that falls", np.sort(rng.exponential(size=count))[::-1].copy()


def _norm(x: Any) -> Any:
    return np.sqrt((x * x).sum())


def _logsumexp(x: Any) -> Any:
    return np.log(np.exp(x - x.max()).sum()) + x.max()


SUMS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "sum": (np.sum, lambda x: x.sum()),
    "sum of every third": (lambda x: x[::3].sum(), lambda x: x[::3].sum()),
    "sums of rows": (lambda x: x.reshape(16, -1).sum(1), lambda x: x.reshape(16, -1).sum(1)),
    "sums of columns": (lambda x: np.ascontiguousarray(x.reshape(-1, 16).T).sum(1), lambda x: x.reshape(-1, 16).sum(0)),
    "mean": (np.mean, lambda x: x.mean()),
    "var": (np.var, lambda x: x.var(unbiased=False)),
    "norm": (_norm, lambda x: x.norm()),
    "logsumexp": (_logsumexp, lambda x: x.logsumexp(0)),
    "cumsum": (np.cumsum, lambda x: x.cumsum(0)),
}


@pytest.mark.parametrize("name", SUMS)
def test_sums_are_as_exact_as_pairwise_ones(name: str) -> None:
    numpys, ours = SUMS[name]
    squares: dict[str, list[Any]] = {}
    for seed in range(64):
        # NumPy's sums of so many are of blocks of 128 elements, the largest it has.
        for kind, data in _data(8_192 - 16 * (seed % 8), seed):
            x = data.astype(np.float32)
            exact = numpys(x.astype(LONG))
            errors = squares.setdefault(kind, [0.0, 0.0, 0.0])
            for k, found in enumerate((numpys(x), ours(tscript.from_numpy(x)).numpy())):
                errors[k] += float(np.square(found.astype(LONG) - exact).mean())
            errors[2] += float(np.square(np.spacing(np.abs(exact).astype(np.float32)).astype(LONG)).mean())
    for kind, (theirs, mine, unit) in squares.items():
        assert math.sqrt(mine) <= max(1.5 * math.sqrt(theirs), math.sqrt(unit)), kind


# ---- products


def _of(rng: np.random.Generator, *shape: int) -> Any:
    return rng.normal(size=shape)


def _definite(rng: np.random.Generator) -> Any:
    a = _of(rng, 60, 60)
    return a @ a.T + 60 * np.eye(60)


PRODUCTS: dict[str, tuple[Callable[[Any], list[Any]], Callable[..., Any], int]] = {
    "matmul": (lambda r: [_of(r, 70, 900), _of(r, 900, 50)], lambda a, b: a @ b, 900),
    "matmul of a vector": (lambda r: [_of(r, 70, 900), _of(r, 900)], lambda a, b: a @ b, 900),
    "dot": (lambda r: [_of(r, 9000), _of(r, 9000)], lambda a, b: a.dot(b), 9000),
    "bmm": (lambda r: [_of(r, 5, 20, 300), _of(r, 5, 300, 7)], tscript.bmm, 300),
    "einsum": (
        lambda r: [_of(r, 9, 8, 60), _of(r, 60, 8, 5)], lambda a, b: tscript.einsum("aij,jib->ab", a, b), 480
    ),
    "conv1d": (lambda r: [_of(r, 2, 16, 90), _of(r, 8, 16, 5)], tscript.nn.functional.conv1d, 80),
    "conv2d": (lambda r: [_of(r, 2, 16, 20, 20), _of(r, 8, 16, 3, 3)], tscript.nn.functional.conv2d, 144),
    "conv_transpose2d": (
        lambda r: [_of(r, 2, 16, 9, 9), _of(r, 16, 8, 3, 3)], tscript.nn.functional.conv_transpose2d, 144
    ),
    "fft": (lambda r: [_of(r, 5, 1000)], lambda x: tscript.view_as_real(tscript.fft.fft(x)), 1000),
    "irfft of rfft": (lambda r: [_of(r, 5, 997)], lambda x: tscript.fft.irfft(tscript.fft.rfft(x), 997), 997),
    "solve": (lambda r: [_of(r, 60, 60) + 60 * np.eye(60), _of(r, 60, 3)], tscript.linalg.solve, 60),
    "cholesky": (
        lambda r: [_definite(r)], tscript.linalg.cholesky, 60
    ),
    "inv": (lambda r: [_of(r, 60, 60) + 60 * np.eye(60)], tscript.linalg.inv, 60),
    "lstsq": (lambda r: [_of(r, 80, 20), _of(r, 80, 2)], lambda a, b: tscript.linalg.lstsq(a, b).solution, 80),
}  # fmt: skip
"""Operands, the function, and how many products a result is made of."""


@pytest.mark.parametrize("name", PRODUCTS)
def test_errors_of_products_grow_with_the_root_of_their_number(name: str) -> None:
    make, function, count = PRODUCTS[name]
    operands = [x.astype(np.float32) for x in make(np.random.default_rng(3))]
    found = function(*map(tscript.from_numpy, operands)).numpy()
    exact = function(*(tscript.from_numpy(x.astype(np.float64)) for x in operands)).numpy()
    assert found.dtype == np.float32
    size = np.sqrt(np.square(exact).mean())
    assert np.abs(found - exact).max() <= 4 * math.sqrt(count) * np.finfo(np.float32).eps * size


def test_references_of_products_are_right() -> None:
    rng = np.random.default_rng(4)
    a, b = _of(rng, 7, 30), _of(rng, 30, 5)
    exact = np.einsum("ij,jk->ik", a.astype(LONG), b.astype(LONG))
    found = (tscript.from_numpy(a) @ tscript.from_numpy(b)).numpy()
    assert np.abs(found - exact).max() <= 4 * math.sqrt(30) * np.finfo(np.float64).eps * np.abs(exact).max()


# ---- ends of numbers

INTS = ("int8", "uint8", "int16", "int32", "int64", "uint16", "uint32", "uint64")


@pytest.mark.parametrize("source", ["float16", "float32", "float64", "bfloat16"])
@pytest.mark.parametrize("target", INTS)
def test_floats_out_of_range_become_the_nearest_int(source: str, target: str) -> None:
    ends = [1e30, -1e30, math.nan, math.inf, -math.inf, 300.0, -1.5, 0.9, -0.9, 2.0**15, -(2.0**31), 2.0**63]
    x = tscript.tensor(ends * 3).to(getattr(tscript, source))
    limits = np.iinfo(target)
    wanted = []
    for value in x.tolist():
        whole = 0 if math.isnan(value) else math.copysign(2**70, value) if math.isinf(value) else math.trunc(value)
        wanted.append(min(max(int(whole), int(limits.min)), int(limits.max)))
    assert x.to(getattr(tscript, target)).tolist() == wanted


@pytest.mark.parametrize("name", ["floor_divide", "remainder", "fmod"])
@pytest.mark.parametrize("dtype", INTS)
def test_ints_by_zero_and_the_least_int(name: str, dtype: str) -> None:
    function = getattr(tscript, name)
    x = tscript.tensor([5, 7], dtype=getattr(tscript, dtype))
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        function(x, tscript.zeros_like(x))
    if not dtype.startswith("u"):
        least = tscript.full((3,), np.iinfo(dtype).min, dtype=getattr(tscript, dtype))
        wanted = least if name == "floor_divide" else tscript.zeros_like(least)
        assert tscript.equal(function(least, -tscript.ones_like(least)), wanted)
        assert tscript.equal(least.abs(), least)
        assert tscript.equal(-least, least)


def _lower_median(x: Any) -> Any:
    """The middle element, of two the lower one; NaN if there is one, or no element."""
    return np.sort(x)[(len(x) - 1) // 2] if len(x) and not np.isnan(x).any() else x.dtype.type(math.nan)


ENDS = (0.0, -0.0, 1.5, -1.5, 2.5, -2.5, 0.5, -0.5, math.inf, -math.inf, math.nan, 1e-40, -1e-40, 1e-45, 3.4e38)
SAME: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "round": (np.round, lambda x: x.round()),
    "floor": (np.floor, lambda x: x.floor()),
    "ceil": (np.ceil, lambda x: x.ceil()),
    "trunc": (np.trunc, lambda x: x.trunc()),
    "neg": (np.negative, lambda x: -x),
    "abs": (np.abs, lambda x: x.abs()),
    "sign": (lambda x: np.where(np.isnan(x), 0, np.sign(x)) + 0.0, lambda x: x.sign()),
    "sqrt": (np.sqrt, lambda x: x.sqrt()),
    "half": (lambda x: x * np.float32(0.5), lambda x: x * 0.5),
    "double": (lambda x: x + x, lambda x: x + x),
    "reciprocal": (lambda x: np.float32(1) / x, lambda x: x.reciprocal()),
    "clamp": (lambda x: np.clip(x, -1, 1), lambda x: x.clamp(-1, 1)),
    "relu": (lambda x: np.where(x > 0, x, np.where(np.isnan(x), x, 0)), lambda x: x.relu()),
    "signbit": (np.signbit, lambda x: x.signbit()),
    "isfinite": (np.isfinite, lambda x: x.isfinite()),
    "sort": (np.sort, lambda x: x.sort(stable=True).values),
    "argsort": (lambda x: np.argsort(x, kind="stable"), lambda x: x.argsort(stable=True)),
    "cummax": (np.maximum.accumulate, lambda x: x.cummax(0).values),
    "median": (_lower_median, lambda x: x.median()),
    "nanmedian": (lambda x: _lower_median(x[~np.isnan(x)]), lambda x: x.nanmedian()),
    "topk": (lambda x: np.sort(x)[::-1][: (len(x) + 1) // 2], lambda x: x.topk((len(x) + 1) // 2).values),
    "least of topk": (lambda x: np.sort(x)[:1], lambda x: x.topk(1, largest=False).values),
    "kthvalue": (lambda x: np.sort(x)[len(x) // 2], lambda x: x.kthvalue(len(x) // 2 + 1).values),
    "unique": (lambda x: np.unique(x, equal_nan=False), lambda x: x.unique()),
    "nanmean": (np.nanmean, lambda x: x.nanmean()),
    "amin": (np.min, lambda x: x.amin(0)),
    "cummin": (np.minimum.accumulate, lambda x: x.cummin(0).values),
    "cumsum": (np.cumsum, lambda x: x.cumsum(0)),
    "cumprod": (np.cumprod, lambda x: x.cumprod(0)),
    "max": (np.max, lambda x: x.max()),
    "min": (np.min, lambda x: x.min()),
    "argmax": (np.argmax, lambda x: x.argmax()),
    "argmin": (np.argmin, lambda x: x.argmin()),
    "amax": (np.max, lambda x: x.amax(0)),
    "sum": (np.sum, lambda x: x.sum()),
    "prod": (np.prod, lambda x: x.prod()),
    "mean": (np.mean, lambda x: x.mean()),
    "var": (np.var, lambda x: x.var(unbiased=False)),
    "nansum": (np.nansum, lambda x: x.nansum()),
    "any": (np.any, lambda x: x.any()),
    "all": (np.all, lambda x: x.all()),
    "count_nonzero": (np.count_nonzero, lambda x: x.count_nonzero()),
    "logsumexp": (lambda x: np.log(np.exp(x - x.max()).sum()) + x.max(), lambda x: x.logsumexp(0)),
}


SIGNS_OF_ZERO = ("sort", "min", "max", "amin", "amax", "cummax", "cummin", "relu", "median", "nanmedian", "topk",
                 "least of topk", "kthvalue", "unique")  # fmt: skip
"""Of equal elements any is theirs."""


@pytest.mark.parametrize("name", SAME)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_ends_of_numbers(name: str, dtype: str) -> None:
    numpys, ours = SAME[name]
    rng = np.random.default_rng(5)
    for length in (1, 2, 3, 15, 70):
        for _ in range(6):
            # A product that overflows on the way may come back in the wider numbers that it is computed in.
            x = rng.choice(np.array(ENDS[:-1] if "prod" in name else ENDS), length).astype(dtype)
            wanted, found = np.asarray(numpys(x)), ours(tscript.from_numpy(x)).numpy()
            if name == "logsumexp" and np.isinf(x.max()):
                wanted = np.asarray(x.max())  # NumPy's formula subtracts infinities
            rounded = name in ("sum", "mean", "var", "nansum", "nanmean", "cumsum", "cumprod", "prod", "logsumexp")
            if name == "cumsum" and dtype == "float32":  # four elements are added up in float64 before the total is
                lost = 2.0**-50 * np.cumsum(np.abs(x.astype(np.float64)))
                assert np.isclose(found, wanted, rtol=1e-5, atol=np.nan_to_num(lost) + 1e-44, equal_nan=True).all()
                continue
            np.testing.assert_allclose(
                found, wanted, rtol=1e-5 if rounded else 0, atol=1e-44 if rounded else 0, err_msg=str(x.tolist())
            )
            if found.dtype.kind == "f" and not rounded and name not in SIGNS_OF_ZERO:
                there = ~np.isnan(wanted)
                assert (np.signbit(found) == np.signbit(wanted))[there].all(), x.tolist()


@pytest.mark.parametrize("name", ["maximum", "minimum", "fmax", "fmin", "eq", "ne", "lt", "le", "gt", "ge", "copysign"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_pairs_of_ends(name: str, dtype: str) -> None:
    words = {"eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}
    x, y = (np.ascontiguousarray(a).ravel().astype(dtype) for a in np.meshgrid(ENDS, ENDS))
    wanted = getattr(np, words.get(name, name))(x, y)
    found = getattr(tscript, name)(tscript.from_numpy(x), tscript.from_numpy(y)).numpy()
    np.testing.assert_array_equal(found, wanted)
