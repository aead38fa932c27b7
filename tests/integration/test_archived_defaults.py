"""Defaults of parameters without annotation in archives: NumPy scalars, named tuples, arrays in tuples."""

# mypy: ignore-errors
from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

import tscript

F64 = np.ndarray[tuple[int], np.dtype[np.float64]]
F32 = np.ndarray[tuple[int], np.dtype[np.float32]]


class Scale(NamedTuple):
    by: int
    plus: float


class Weights(NamedTuple):
    bias: float
    of: np.ndarray


def single(a: F64, k=np.float32(1.5)):
    return a * k, k


def double(a: F32, k=np.float64(2.5)):
    return a * k, k


def integer(a: F32, k=np.int8(7), f=np.bool_(True)):
    return a * k, k, f


def named(a: F64, s=Scale(3, 0.25)):
    return a * s.by + s.plus, s


def annotated(a: F64, s: Scale = Scale(3, 0.25)):
    return a * s.by + s.plus, s


def nested(a: F64, w=Weights(2.0, np.arange(3.0))):
    return a * w.of + w.bias


def plain(a: F64, pair=(np.float32(0.5), (1, np.arange(3)))):
    return a * pair[0] + pair[1][1] * pair[1][0], pair[0]


def same(found, wanted):
    if isinstance(wanted, tuple):
        assert (type(found).__name__, len(found)) == (type(wanted).__name__, len(wanted))
        return all(map(same, found, wanted))
    same_types = type(found) is type(wanted) and np.asarray(found).dtype == np.asarray(wanted).dtype
    return same_types and np.array_equal(found, wanted)


@pytest.mark.parametrize("function", [single, double, integer, named, annotated, nested, plain])
@pytest.mark.parametrize("native", [False, True])
def test_defaults_come_back(function, native, tmp_path):
    a = np.arange(1.0, 4.0).astype(np.float32 if "F32" in str(function.__annotations__["a"]) else np.float64)
    scripted = tscript.script(function)
    wanted = function(a)
    assert same(scripted(a), wanted)
    tscript.save(scripted, tmp_path / "a.tsa", native=native)
    loaded = tscript.load(tmp_path / "a.tsa")
    assert same(loaded(a), wanted)
    if function is nested:  # its class, whose fields are open, is another one in this process
        return
    tscript.save(loaded, tmp_path / "b.tsa")
    assert same(tscript.load(tmp_path / "b.tsa")(a), wanted)


def test_arrays_of_a_subclass_in_tuples():
    class Own(np.ndarray):
        pass

    @tscript.script
    def f(xs):
        return xs[0].sum() + len(xs)

    for _ in range(2):
        assert f((np.ones(3).view(Own), np.ones(3))) == 5.0
        assert f((np.ones(3).view(Own),)) == 4.0
