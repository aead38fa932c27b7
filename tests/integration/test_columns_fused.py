"""Reductions over the first dimensions in fused groups: the bits are those of the operators one by one.

Each function is run as plain Python, so that every operator runs alone, and compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tscript
from tests.integration.test_reductions_fused import FLOATS, NUMBERS, numbers, outcome, same
from tscript import Tensor
from tscript.abi.column_task import FEWEST
from tscript.abi.folds import BLOCK, LANES


def standardised(x: Tensor) -> Tensor:
    return (x - x.mean(0)) / (x.std(0) + 1e-5)


def batch_norm(x: Tensor, g: Tensor, b: Tensor) -> Tensor:
    m = x.mean(0, keepdim=True)
    d = x - m
    v = (d * d).mean(0)
    return d * tscript.rsqrt(v + 1e-5) * g + b


def scaled(x: Tensor, g: Tensor) -> tuple[Tensor, Tensor]:
    s = (x * x).sum(0) * g
    return s, x / (s + 1)


def softmax(x: Tensor) -> Tensor:
    e = tscript.exp(x - tscript.amax(x, 0, True))
    return e / e.sum(0)


def softmax_operator(x: Tensor) -> tuple[Tensor, Tensor]:
    return tscript.softmax(x, 0), tscript.logsumexp(x, 0)


def prologue(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    d = x * 3 - y
    return d.sum(0), (d > 0).any(0), (d * d).amax(0, True)


def several(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    d = x - y
    return d, d.sum(0), d.amin(0), (d > 0).all(0)


def product(x: Tensor, y: Tensor) -> Tensor:
    return (x + y).prod(0) + (x - y).prod(0)


def spread(x: Tensor) -> tuple[Tensor, Tensor]:
    low, high = tscript.amin(x, 0), tscript.amax(x, 0, True)
    return (x - low) / (high - low + 1), (high - low).abs()


def both(x: Tensor) -> Tensor:
    e = (x * 2).sum(0)
    return e + (x * 2).sum(-1).sum()


def first_two(x: Tensor) -> tuple[Tensor, Tensor]:
    d = x * 0.5 + 1
    return d.mean((0, 1)), d - d.sum((0, 1), keepdim=True)


def variances(x: Tensor) -> tuple[Tensor, Tensor]:
    return (x * 2).var(0), (x + 1).std(0, unbiased=False)


Function = Callable[..., Any]
ONE: list[Function] = [standardised, softmax, softmax_operator, spread, both, variances]
TWO: list[Function] = [prologue, several, product]
ALL: list[Function] = [*ONE, *TWO, batch_norm, scaled, first_two]
COMPILED: dict[str, Any] = {f.__name__: tscript.script(f) for f in ALL}
ROWS = [1, 2, 7, LANES - 1, LANES, LANES + 1, 100, BLOCK, 3 * BLOCK + 17]
COLUMNS = [1, FEWEST - 1, FEWEST, 63, 64, 65, 130]


def check(name: str, *arrays: Any) -> None:
    compiled = COMPILED[name]
    tensors = [tscript.tensor(a) if isinstance(a, np.ndarray) else a for a in arrays]
    same(outcome(compiled, *tensors), outcome(compiled.__wrapped__, *tensors))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("function", ONE, ids=lambda f: f.__name__)
def test_columns_of_any_length(function: Any, rows: int, dtype: str) -> None:
    check(function.__name__, numbers(np.random.default_rng(rows), (rows, 70), dtype))


@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("function", ONE, ids=lambda f: f.__name__)
def test_rows_of_any_length(function: Any, columns: int) -> None:
    check(function.__name__, numbers(np.random.default_rng(columns), (9, columns), "float32"))


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("rows", [1, LANES + 5, BLOCK + 40])
@pytest.mark.parametrize("function", TWO, ids=lambda f: f.__name__)
def test_dtypes(function: Any, rows: int, dtype: str) -> None:
    rng = np.random.default_rng(rows)
    check(function.__name__, numbers(rng, (rows, 77), dtype), numbers(rng, (rows, 77), dtype))


@pytest.mark.parametrize("dtype", FLOATS)
def test_operands_are_broadcast(dtype: str) -> None:
    rng = np.random.default_rng(1)
    x = numbers(rng, (40, 77), dtype)
    for g in (numbers(rng, s, dtype) for s in ((77,), (1, 77), (40, 77), (40, 1), (1,), (1, 1), ())):
        check("batch_norm", x, g, g)
        check("batch_norm", x, numbers(rng, (77,), dtype), g)
        check("scaled", x, g)
    check("scaled", x[:1], numbers(rng, (5, 77), dtype))
    check("scaled", x[:, :1], numbers(rng, (77,), dtype))
    check("scaled", x, numbers(rng, (3, 40, 77), dtype))


@pytest.mark.parametrize("function", [softmax, several, standardised], ids=lambda f: f.__name__)
def test_layouts(function: Any) -> None:
    x = tscript.tensor(numbers(np.random.default_rng(2), (60, 80), "float32"))
    for t in (x, x[:, 1:70], x[::2], x[:, ::2], x.t(), x[:, :40].t(), x[0:1], x[:, :, None]):
        check(function.__name__, *((t,) if function in ONE else (t, t * 2)))


@pytest.mark.parametrize("shape", [(3, 5, 40), (5, 8, 5), (1, 5, 40), (5, 1, 40), (2, 3, 4, 11)])
def test_several_dimensions(shape: tuple[int, ...]) -> None:
    x = tscript.tensor(numbers(np.random.default_rng(3), shape, "float32"))
    for t in (x, x.transpose(0, 1), x[:, 1:], x[..., 1:]):
        check("first_two", t)
        check("standardised", t)


@pytest.mark.parametrize("shape", [(0, 50), (50, 0), (1, 50), (0, 0)])
def test_nothing_to_reduce(shape: tuple[int, ...]) -> None:
    x = tscript.zeros(shape)
    for function in ONE:
        check(function.__name__, x)
    for function in TWO:
        check(function.__name__, x, x)


def test_shapes_that_do_not_match() -> None:
    rng = np.random.default_rng(4)
    x = numbers(rng, (9, 70), "float32")
    for other in ((8, 70), (9, 71), (9, 1), (1, 70), (70,), (2, 9, 70)):
        check("several", x, numbers(rng, other, "float32"))
        check("several", numbers(rng, other, "float32"), x)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads(threads: int) -> None:
    rng = np.random.default_rng(8)
    before = tscript.get_num_threads()
    tscript.set_num_threads(threads)
    try:
        for columns in (1000, 1037):
            x = numbers(rng, (300, columns), "float32")
            for name in ("standardised", "softmax"):
                check(name, x)
            check("several", x, x[::-1].copy())
    finally:
        tscript.set_num_threads(before)


def arrays(x: np.ndarray[Any, Any], y: np.ndarray[Any, Any]) -> Any:
    m = x.mean(axis=0, keepdims=True)
    s = ((x - m) ** 2).sum(axis=0)
    return (x - x.mean(axis=0)) / x.std(axis=0), (x * y).sum(axis=0, keepdims=True), s, np.sum(x * y, axis=0)


def test_arrays() -> None:
    x, y = (np.random.default_rng(i).standard_normal((50, 40)) for i in range(2))
    for found, wanted in zip(tscript.script(arrays)(x, y), arrays(x, y), strict=True):
        assert found.shape == wanted.shape and found.dtype == wanted.dtype
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


def powers(x: np.ndarray[Any, Any]) -> Any:
    return x**2, x**3, x**2.5, (x**2).sum(axis=-1), (x**3 + 1).mean(axis=0), x ** np.float64(3)


@pytest.mark.parametrize("dtype", [*FLOATS, "int32"])
def test_powers_of_arrays(dtype: str) -> None:
    x = np.abs(numbers(np.random.default_rng(9), (40, 50), dtype))
    for found, wanted in zip(tscript.script(powers)(x), powers(x), strict=True):
        assert found.shape == wanted.shape and found.dtype == wanted.dtype
        np.testing.assert_allclose(found, wanted, rtol=1e-5)


def test_constant_exponents_of_arrays_are_products() -> None:
    def squares(x: np.ndarray[Any, Any]) -> Any:
        return x**2 + x**3

    x = np.random.default_rng(9).standard_normal((40, 50))
    assert np.array_equal(tscript.script(squares)(x), x * x + x * x * x)


def test_one_loop() -> None:
    assert "columns_fit" in str(COMPILED["standardised"].graph_for(tscript.zeros(40, 40)))


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_any_shapes(data: st.DataObject) -> None:
    function = data.draw(st.sampled_from(ALL))
    rng = np.random.default_rng(data.draw(st.integers(0, 5)))
    shape = [data.draw(st.integers(1, 40)), data.draw(st.integers(1, 90))]
    if data.draw(st.booleans()) or function is first_two:
        shape.insert(0, data.draw(st.integers(1, 4)))
    given_arrays = [numbers(rng, tuple(shape), "float32")]
    while len(given_arrays) < function.__code__.co_argcount:
        own = [1 if data.draw(st.integers(0, 4)) == 0 else s for s in shape]
        given_arrays.append(numbers(rng, tuple(own[data.draw(st.integers(0, len(own) - 1)) :]), "float32"))
    check(function.__name__, *given_arrays)
