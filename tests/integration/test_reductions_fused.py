"""Reductions in fused groups: the bits are those of the operators one by one.

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
from tscript import Tensor
from tscript.abi.folds import BLOCK, LANES


def softmax(x: Tensor) -> Tensor:
    e = tscript.exp(x - tscript.amax(x, -1, True))
    return e / e.sum(-1, keepdim=True)


def layernorm(x: Tensor, g: Tensor, b: Tensor) -> Tensor:
    d = x - x.mean(-1, keepdim=True)
    v = (d * d).mean(-1, keepdim=True)
    return d * tscript.rsqrt(v + 1e-5) * g + b


def logsumexp(x: Tensor) -> Tensor:
    m = tscript.amax(x, -1, True)
    return tscript.log(tscript.exp(x - m).sum(-1, keepdim=True)) + m


def log_softmax(x: Tensor) -> Tensor:
    d = x - tscript.amax(x, -1, True)
    return d - tscript.log(tscript.exp(d).sum(-1, keepdim=True))


def weighted(x: Tensor, w: Tensor) -> tuple[Tensor, Tensor]:
    e = tscript.exp(x - tscript.amax(x, -1, True))
    p = e / e.sum(-1, keepdim=True)
    return (p * w).sum(-1), tscript.tanh(p * 2).sum(-1)


def spread(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    low, high = tscript.amin(x, -1, True), tscript.amax(x, -1, True)
    return (x - low) / (high - low + 1), low, (high - low).abs()


def several(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    d = x * 3 - y
    return d, d.sum(-1), (d > 0).any(-1), (d > 0).all(-1, keepdim=True)


def whole(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    d = x - y
    return (d * d).sum(), (d * 2).max(), ((x + y).amin() - x * 2)


def centred(x: Tensor) -> Tensor:
    return (x - x.mean()) * (x - x.mean()).abs().mean()


def softmax_operator(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return tscript.softmax(x, -1), tscript.log_softmax(x, -1), tscript.logsumexp(x, -1)


def variances(x: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    v = (x * 2).var(-1, keepdim=True)
    return (
        (x - x.mean(-1, keepdim=True)) / (v + 1),
        x.std(-1, unbiased=False),
        (x + 1).var(),
        tscript.var(-x, -1, correction=3),
    )


def values(x: Tensor) -> Tensor:
    high, _ = x.max(-1, True)
    return (x - x.min(-1, keepdim=True)[0]) / (high - 1)


def squares(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    return ((x - y) ** 2).mean(-1), (x**y).sum()


def scaled(x: Tensor, m: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    s = (x - m).sum(-1, keepdim=True)
    return s * m, s, (x * m + s).amax(-1)


def attention(x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    scores = tscript.softmax(x * 0.5 + mask, -1)
    return scores, scores.sum(-1)


def product(x: Tensor, y: Tensor) -> Tensor:
    return (x + y).prod() + (x - y).prod()


Function = Callable[..., Any]
ONE: list[Function] = [softmax, logsumexp, log_softmax, spread, softmax_operator, variances, values]
TWO: list[Function] = [weighted, several, whole]
ALL: list[Function] = [*ONE, *TWO, layernorm, centred, product, squares, attention, scaled]
COMPILED: dict[str, Any] = {f.__name__: tscript.script(f) for f in ALL}
LENGTHS = [1, 2, 7, LANES - 1, LANES, LANES + 1, 100, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 17]
FLOATS = ["float32", "float64"]
NUMBERS = [*FLOATS, "int64", "int32", "int16", "int8", "uint8"]


def numbers(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> np.ndarray[Any, Any]:
    """Numbers of all sizes, some of them equal, zeros of both signs among them."""
    if dtype == "bool":
        return rng.random(shape) > 0.5
    if dtype.startswith("float"):
        found = np.round(rng.standard_normal(shape) * 8) / 4
        return np.where(rng.random(shape) < 0.1, -0.0, found).astype(dtype)
    return rng.integers(0, 100, shape).astype(dtype)


def outcome(function: Callable[..., Any], *args: Any) -> Any:
    """What a call gives or raises."""
    try:
        return function(*args)
    except (IndexError, RuntimeError) as error:
        return f"{type(error).__name__}: {error}"


def same(a: Any, b: Any) -> None:
    """Both have the same bits."""
    if isinstance(a, str) or isinstance(b, str):
        assert a == b
        return
    if isinstance(a, tuple):
        for x, y in zip(a, b, strict=True):
            same(x, y)
        return
    assert a.shape == b.shape and a.dtype == b.dtype
    assert a.stride() == b.stride()
    assert a.numpy().tobytes() == b.numpy().tobytes()


def check(name: str, *arrays: Any) -> None:
    compiled = COMPILED[name]
    tensors = [tscript.tensor(a) if isinstance(a, np.ndarray) else a for a in arrays]
    same(compiled(*tensors), compiled.__wrapped__(*tensors))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("function", ONE, ids=lambda f: f.__name__)
def test_rows_of_any_length(function: Any, length: int, dtype: str) -> None:
    rng = np.random.default_rng(length)
    check(function.__name__, numbers(rng, (3, length), dtype))


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("length", [1, LANES + 5, BLOCK + 40])
@pytest.mark.parametrize("function", TWO, ids=lambda f: f.__name__)
def test_dtypes(function: Any, length: int, dtype: str) -> None:
    rng = np.random.default_rng(length)
    check(function.__name__, numbers(rng, (3, length), dtype), numbers(rng, (3, length), dtype))


@pytest.mark.parametrize("dtype", FLOATS)
def test_powers(dtype: str) -> None:
    rng = np.random.default_rng(5)
    check("squares", numbers(rng, (3, 70), dtype), numbers(rng, (3, 70), dtype))
    check("squares", numbers(rng, (3, 70), dtype), np.full((3, 70), 2, dtype))


@pytest.mark.parametrize("name", ["softmax_operator", "variances"])
@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (2, 0, 3), (1,), (0,)])
def test_operators_of_nothing(name: str, shape: tuple[int, ...]) -> None:
    x = tscript.zeros(shape)
    same(outcome(COMPILED[name], x), outcome(COMPILED[name].__wrapped__, x))


@pytest.mark.parametrize("dtype", FLOATS)
def test_operands_are_broadcast_over_rows(dtype: str) -> None:
    rng = np.random.default_rng(1)
    x, g, b = (numbers(rng, s, dtype) for s in ((2, 5, 77), (77,), (1, 1, 77)))
    check("layernorm", x, g, b)
    check("layernorm", x, numbers(rng, (5, 77), dtype), b)
    check("layernorm", x[:, :, :1], g, b)
    check("layernorm", x, g[:1], numbers(rng, (4, 1, 1, 1), dtype))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("length", LENGTHS)
def test_operands_with_one_element_a_row(length: int, dtype: str) -> None:
    rng = np.random.default_rng(length)
    x, m = numbers(rng, (5, length), dtype), numbers(rng, (5, 1), dtype)
    for y in (m, m[:1], m[::-1], np.repeat(m, 2, 1)[:, :1]):
        for name in ("several", "squares", "weighted", "attention"):
            check(name, x, y)
            check(name, y, x)
        check("layernorm", x, y, y)
        check("scaled", x, y)
        check("scaled", y, x)


@pytest.mark.parametrize("name", ["softmax", "several"])
def test_layouts(name: str) -> None:
    x = tscript.tensor(numbers(np.random.default_rng(2), (6, 8, 40), "float32"))
    for t in (x, x[:, 1:7], x[::2], x[:, ::3, 5:30], x.permute(2, 1, 0), x.transpose(0, 1), x[..., ::2], x[:, :, :1]):
        check(name, *((t,) if name == "softmax" else (t, t * 2)))


@pytest.mark.parametrize("shape", [(), (7,), (5, 1), (5, 40), (2, 3, 5, 33), (9, 7), (8, 7), (3, 0), (0, 3), (2, 2000)])
def test_operators_for_any_rank(shape: tuple[int, ...]) -> None:
    """Their code knows no rank: softmax along the last dimension is a group all the same."""
    x = tscript.tensor(numbers(np.random.default_rng(3), shape, "float32"))
    every = (x,) if x.dim() < 2 else (x, x.transpose(0, -1), x[..., ::2], x.transpose(0, -1).contiguous()[::2])
    for t in every:
        for operator, plain in ((tscript.softmax, softmax), (tscript.log_softmax, log_softmax)):
            for dim in {-1, max(t.dim() - 1, 0)}:
                found = operator(t, dim)
                if t.numel():
                    assert found.isclose(plain(t) if t.dim() else plain(t[None])[0], 1e-5, 1e-6).all()
                assert found.shape == t.shape and found.is_contiguous()


def test_rows_that_are_no_run() -> None:
    rng = np.random.default_rng(6)
    x = tscript.tensor(numbers(rng, (4, 3, 8, 40), "float32"))
    mask = tscript.tensor(numbers(rng, (8, 40), "float32"))
    check("attention", x, mask)
    check("attention", x, mask.view((1, 1, 8, 40)))
    check("attention", x, mask[:1])
    check("attention", x.transpose(0, 1), mask)
    check("attention", x.transpose(1, 2), mask[:3])
    check("attention", x[::2, :, 1:], mask[1:])
    check("attention", x[:, ::2, ::3, 5:], mask[::3, 5:])
    check("attention", x, tscript.tensor(numbers(rng, (2, 4, 3, 8, 40), "float32"))[1])
    check("attention", x[0, 0], tscript.tensor(numbers(rng, (3, 8, 40), "float32")))


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads(threads: int) -> None:
    before = tscript.get_num_threads()
    rng = np.random.default_rng(7)
    x, mask = numbers(rng, (5, 300, 200), "float32"), numbers(rng, (300, 200), "float32")
    try:
        tscript.set_num_threads(threads)
        check("attention", x, mask)
        check("weighted", x[0], mask)
        check("weighted", numbers(rng, (40, 9000), "float32"), numbers(rng, (9000,), "float32"))
    finally:
        tscript.set_num_threads(before)


@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (0, 0), (2, 0, 3)])
def test_nothing_to_reduce(shape: tuple[int, ...]) -> None:
    x = tscript.zeros(shape)
    for name in ("several", "product"):
        check(name, x, x)
    if shape[-1]:
        check("softmax", x)
        return
    with pytest.raises(IndexError) as found:
        COMPILED["softmax"](x)
    with pytest.raises(IndexError) as expected:
        softmax(x)
    assert str(found.value) == str(expected.value)


def test_shapes_that_do_not_match() -> None:
    x, y = tscript.ones((3, 4)), tscript.ones((3, 5))
    with pytest.raises(RuntimeError, match="must match the size of tensor b"):
        COMPILED["several"](x, y)


def test_numbers_that_are_none() -> None:
    x = numbers(np.random.default_rng(3), (4, 70), "float32")
    x[1, 3] = np.nan
    x[2, 69] = np.inf
    x[3, :] = -np.inf
    compiled = COMPILED["softmax"](tscript.tensor(x)).numpy()
    assert np.array_equal(compiled, softmax(tscript.tensor(x)).numpy(), equal_nan=True)


def test_long_rows_have_scratch() -> None:
    rng = np.random.default_rng(4)
    check("weighted", numbers(rng, (2, 70_000), "float32"), numbers(rng, (70_000,), "float32"))


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_any_shapes(data: st.DataObject) -> None:
    rank = data.draw(st.integers(1, 4))
    sizes = st.sampled_from([0, 1, 2, 3, 31, 33, 64])
    shape = tuple(data.draw(sizes if d == rank - 1 else st.integers(0, 4)) for d in range(rank))
    dtype = data.draw(st.sampled_from(NUMBERS))
    rng = np.random.default_rng(data.draw(st.integers(0, 100)))
    x = tscript.tensor(numbers(rng, shape, dtype))
    order = data.draw(st.permutations(range(rank)))
    x = x.permute(*order)
    narrower = tuple(1 if data.draw(st.booleans()) else n for n in x.shape)[data.draw(st.integers(0, rank)) :]
    y = tscript.tensor(numbers(rng, narrower, dtype))
    name = data.draw(st.sampled_from([f.__name__ for f in TWO] + ["product"]))
    same(outcome(COMPILED[name], x, y), outcome(COMPILED[name].__wrapped__, x, y))
