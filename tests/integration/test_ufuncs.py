"""``out=`` and ``where=`` of NumPy's ufuncs in scripted functions, methods of ufuncs, keywords of reductions."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import tscript

MATRIX = np.random.default_rng(1).random((3, 4)) - 0.5


def _copies(args: tuple[Any, ...]) -> list[Any]:
    return [x.copy() if isinstance(x, np.ndarray) else x for x in args]


def same(function: Any, *args: Any) -> None:
    """Compare results, and what is written into arguments, with NumPy."""
    ours, others = _copies(args), _copies(args)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted: Any = function(*others)
    found: Any = tscript.script(function)(*ours)
    pairs = zip(wanted, found, strict=True) if isinstance(wanted, tuple) else [(wanted, found)]
    for one, other in pairs:
        assert np.asarray(one).dtype == np.asarray(other).dtype
        assert isinstance(one, np.ndarray) == isinstance(other, np.ndarray)
        np.testing.assert_allclose(other, one, rtol=1e-12)
    for one, other in zip(others, ours, strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-12)


def test_out_and_where() -> None:
    def f(a, b, c, m):
        np.add(a, b, out=c)
        np.exp(a, c, where=m)
        np.less(a, b, m)
        return np.multiply(a, b, out=(c,), where=a < b)

    same(f, MATRIX, MATRIX[::-1] * 2, np.ones((3, 4)), MATRIX > 0)


def test_out_is_given_back() -> None:
    @tscript.script
    def f(a, c):
        return np.sqrt(a, out=c)

    c = np.zeros(3)
    assert f(np.arange(3.0), c) is c


def test_out_may_overlap() -> None:
    def f(a):
        np.add(a[:, :-1], a[:, 1:], out=a[:, 1:])
        np.multiply(a[::-1], a, out=a)
        np.sqrt(np.abs(a), out=a)
        return a

    same(f, MATRIX)


def test_out_is_broadcast_to_and_converted() -> None:
    def f(a, i, wide):
        np.add(i, i, out=a)
        np.floor_divide(i, 2, out=i)
        np.negative(i, out=i)
        np.add(i, 1.0, out=wide)
        np.logical_not(i, out=a)
        return np.hypot(a, a, out=a)

    same(f, np.zeros(3, np.float32), np.arange(3, dtype=np.int8), np.zeros((2, 3)))


@pytest.mark.parametrize(
    ("out", "error", "message"),
    [
        (np.zeros(4), ValueError, "non-broadcastable output operand"),
        (np.zeros((3, 1)), ValueError, "non-broadcastable output operand"),
        (np.zeros(3, np.int64), TypeError, "cannot store a result of float64 in an array of int64"),
        (3.0, TypeError, "'out' is no ndarray"),
    ],
)
def test_out_that_does_not_fit(out: Any, error: type[Exception], message: str) -> None:
    @tscript.script
    def f(a, o):
        return np.add(a, a, out=o)

    with pytest.raises(error, match=message):
        f(np.zeros(3), out)


def test_signed_results_are_not_stored_without_sign() -> None:
    @tscript.script
    def f(a, o):
        return np.add(a, a, out=o)

    with pytest.raises(TypeError, match="cannot store a result of int8 in an array of uint8"):
        f(np.zeros(3, np.int8), np.zeros(3, np.uint8))


def test_methods() -> None:
    def f(a):
        return (
            np.add.reduce(a),
            np.add.reduce(a, axis=1, keepdims=True),
            np.maximum.reduce(a, axis=None),
            np.maximum.reduce(a, axis=(0, 1), initial=9.0),
            np.subtract.reduce(a, axis=1),
            np.minimum.accumulate(a, axis=1),
            np.add.accumulate(a),
            np.add.outer(a[0], a[:, 0]),
            np.multiply.outer(a, a[0]),
            np.less.outer(a[0], a[1]),
        )

    same(f, MATRIX)


@pytest.mark.parametrize("dtype", ["int8", "int64", "float32"])
def test_dtypes_of_methods(dtype: str) -> None:
    def f(a):
        return (
            np.add.reduce(a),
            np.subtract.accumulate(a),
            np.add.accumulate(a),
            np.multiply.reduce(a),
            np.equal.outer(a, a),
        )

    same(f, np.array([3, 2, 1]).astype(dtype))


def test_at_counts_repeated_indices() -> None:
    def f(a, i, v):
        np.add.at(a, i, v)
        np.maximum.at(a, np.array([0, 0]), 3.0)
        np.subtract.at(a, i[0], 1.0)
        return a

    same(f, np.zeros(5), np.array([1, 1, -1]), np.array([1.5, 2, 3]))

    @tscript.script
    def outside(a):
        np.add.at(a, np.array([7]), 1.0)

    with pytest.raises(IndexError, match="index 7 is out of bounds"):
        outside(np.zeros(5))


def test_keywords_of_reductions() -> None:
    def f(a, m):
        return (
            np.sum(a, where=m),
            np.sum(a, axis=0, where=m, initial=2.0),
            np.max(a, initial=0.2),
            np.min(a, axis=1, initial=0.0, where=m),
            np.mean(a, where=m),
            np.mean(a, axis=0, where=m, keepdims=True),
            np.prod(a, axis=1, where=m),
            np.any(a > 0.2, where=m),
            np.all(m, axis=0, where=a < 0.3),
            a.sum(axis=(0, 1), keepdims=True, initial=1),
            np.max(a, axis=(0, 1), keepdims=True, initial=5.0),
            np.max(a[:0], initial=1.0),
        )

    same(f, MATRIX, MATRIX > 0)


def test_out_of_reductions() -> None:
    def f(a, o):
        np.sum(a, axis=0, out=o)
        np.max(a, 0, o)
        a.mean(axis=0, out=o)
        np.clip(a, 0.0, 0.1, out=a)
        np.add(a, 1, a)
        return np.argmax(a, axis=0)

    same(f, MATRIX, np.zeros(4))


def test_a_mask_of_an_extreme_needs_a_beginning() -> None:
    with pytest.raises(TypeError, match="reduction operation 'maximum' does not have an identity"):
        tscript.script(lambda_free_max)(MATRIX, MATRIX > 0)


def lambda_free_max(a, m):
    return np.max(a, where=m)


def test_tensors_outside_of_compiled_code() -> None:
    t, out = tscript.tensor([1.0, 2.0]), tscript.tensor([5.0, 5.0])
    assert np.exp(t, out=out) is out
    np.add(t, t, out=out, where=np.array([True, False]))
    np.add.at(out, [0, 0], 1)
    np.testing.assert_allclose(np.asarray(out), [4.0, np.exp(2.0)], rtol=1e-6)
    assert np.add.reduce(t).item() == 3.0
    assert np.sum(t, out=tscript.tensor(0.0)).item() == 3.0


def test_angles_of_numbers():
    def angles(x: float):
        return np.radians(10), np.degrees(x), np.deg2rad(x), np.rad2deg(1.5), np.reciprocal(x), np.radians(x, out=None)

    assert repr(tscript.script(angles)(2.5)) == repr(angles(2.5))
