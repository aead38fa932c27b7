"""Operators over tensors of one rank are taken to have one shape, under a test: results, shapes and errors are those of
single operators."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tscript
from tscript import Tensor
from tscript.types import parse_type


def kept(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    a = tscript.exp(x)
    b = a + y
    return a, b, b * a


def gates(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    f = tscript.sigmoid(x)
    i = tscript.sigmoid(y)
    c = f * y + i * x
    return c, tscript.tanh(c) * i


def siblings(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return tscript.sin(x) * 2, tscript.cos(x) + y, y * 3


def steps(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    for _ in range(3):
        dx = y - x
        dy = x * 0.5 - y
        x = x + dx * 0.1
        y = y + dy * 0.1
    return x, y


def with_rows(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    a = x - x.amax(-1, keepdim=True)
    b = a.exp() * y
    return b / b.sum(-1, keepdim=True), a


def compared(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    small = x < y
    return tscript.where(small, x, y), small


FUNCTIONS: list[Callable[..., tuple[Tensor, ...]]] = [kept, gates, siblings, steps, with_rows, compared]
SHAPES = [(4, 5), (1, 5), (4, 1), (1, 1), (0, 5), (4, 0), (3, 5)]


def outcome(function: Callable[..., tuple[Tensor, ...]], *args: Tensor) -> object:
    try:
        found = function(*args)
    except (RuntimeError, IndexError) as error:
        return str(error).splitlines()[0]
    return [(t.shape, t.stride(), t.numpy().tobytes()) for t in found]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_any_shapes(function):
    scripted = tscript.script(function)
    rng = np.random.default_rng(4)
    for a, b in itertools.product(SHAPES, repeat=2):
        x, y = (tscript.from_numpy(rng.random(s).astype(np.float32)) for s in (a, b))
        assert outcome(scripted, x, y) == outcome(function, x, y), (a, b)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_any_layouts(function):
    scripted = tscript.script(function)
    base = np.random.default_rng(4).random((40, 60)).astype(np.float32)
    views = [base[:20, :20], base[20:, :20], base[:20, 20:60:2], base[:20, :20].T, base[19::-1, :20], base[:1, :20]]
    for a, b in itertools.product(views, repeat=2):
        x, y = tscript.from_numpy(a), tscript.from_numpy(b)
        assert outcome(scripted, x, y) == outcome(function, x, y)


def test_functions_without_annotations_are_explained():
    scripted: Any = tscript.script(untyped)
    text = scripted.explain_fusion([parse_type("ndarray[float64, 1]")])
    assert "one loop over elements" in text and "slice.Tensor" in text and "a view" in text


def untyped(x):
    return x[1:] * 2 - x[:-1]


def test_one_group():
    types = [parse_type("Tensor[float32, 2]")] * 2
    for function in (gates, siblings, compared):
        scripted: Any = tscript.script(function)
        text = scripted.explain_fusion(types)
        assert "group 1: " in text and "group 2: " not in text, text
