"""Constants whose class tells more than their value: NumPy scalars, arrays and named tuples, alone and in tuples."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import tscript

Options = namedtuple("Options", ["tol", "steps"], defaults=(1e-6, 10))


class Limits(NamedTuple):
    low: float
    high: int | None = None


OPTIONS = Options(0.5, 2)
LIMITS = Limits(1.5)
SCALAR = np.float64(1.5)
ARRAY = np.arange(3.0)
PAIR = (SCALAR, 2)
NESTED = (OPTIONS, (ARRAY, PAIR), "x")


class Holder:
    scalar = np.float64(2.5)
    array = np.arange(2.0)
    options = OPTIONS


def named(x):
    return OPTIONS, OPTIONS.tol * x, OPTIONS == Options(0.5, 2), f"{OPTIONS}", OPTIONS._replace(tol=3.0)


def declared(x):
    return LIMITS, LIMITS.low, LIMITS.high is None, [LIMITS, Limits(2.5, 3)]


def scalars(x):
    a, b = PAIR
    for factor in PAIR:
        x = x * factor
    return x * PAIR[0], x * a, b, SCALAR


def arrays(x):
    return ARRAY, NESTED, NESTED[1][0] * 2


def of_classes(x):
    return Holder.scalar * x, Holder.array, Holder.options


def default_scalar(x, k=SCALAR):
    return x * k, k


def default_array(x, k=ARRAY):
    return k, k.sum()


def default_named(x, k=OPTIONS, *, limits=LIMITS):
    return k, limits, x * k.tol


def default_nested(x, k=NESTED):
    return k


def by_default(x):
    return default_scalar(x), default_array(x), default_named(x), default_nested(x), default_scalar(x, 2)


def _kinds(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return type(value), [_kinds(element) for element in value]
    if isinstance(value, np.ndarray):
        return type(value), value.dtype, value.tolist()
    return type(value), value


@pytest.mark.parametrize(
    "function",
    [
        *(named, declared, scalars, arrays, of_classes),
        *(default_scalar, default_array, default_named, default_nested, by_default),
    ],
    ids=lambda function: function.__name__,
)
def test_as_python(function: Callable[..., Any]):
    compiled = tscript.script(function)
    for _ in range(2):
        assert _kinds(compiled(np.ones(2, np.float32))) == _kinds(function(np.ones(2, np.float32)))


def test_arguments_in_place_of_defaults():
    x = np.ones(2, np.float32)
    for function, args in (
        (default_scalar, (np.float32(2), 2, 2.5, np.ones(2))),
        (default_named, (Options(1, 2), Options(np.float64(2.0), 1))),
        (default_array, (np.arange(4), np.ones((2, 2)))),
    ):
        compiled = tscript.script(function)
        for argument in args:
            assert _kinds(compiled(x, argument)) == _kinds(function(x, argument))
        assert _kinds(compiled(x)) == _kinds(function(x))
