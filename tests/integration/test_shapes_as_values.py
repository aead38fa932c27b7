"""Shapes are tuples of ints wherever they may be: keys, elements, attributes, values of any type; the meaning is
CPython's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

import tscript
from tscript import Tensor

T = TypeVar("T")


class Held:
    def __init__(self, x: Tensor) -> None:
        self.any: object = x.shape
        self.shape = x.shape


def text(value: object) -> str:
    return str(value)


def same(value: T) -> T:
    return value


def any_type(x: Tensor, y: Tensor) -> list[object]:
    maybe: Any = x.shape if x.dim() > 1 else None
    one: object = x.shape
    return [one, x.shape, (x.shape, 1), maybe, [x.shape], same(x.shape), text(x.shape), text([x.shape]), f"{one}"]


def equal(x: Tensor, y: Tensor) -> list[object]:
    a: object = (x.shape, 1)
    b: object = ((2, 3), 1)
    c: object = [x.shape]
    d: object = [(2, 3)]
    e: object = {x.shape: 1}
    f: object = {(2, 3): 1}
    g: object = {x.shape}
    h: object = {(2, 3)}
    return [
        a == b,
        b == a,
        c == d,
        d == c,
        e == f,
        f == e,
        g == h,
        h == g,
        hash(a) == hash(b),
        a == x.shape,
        [x.shape] == [y.shape],
    ]


def keys(x: Tensor, y: Tensor) -> list[object]:
    d = {x.shape: 1}
    d[y.shape] = 2
    pairs = {(x.shape, 1): 2}
    mixed: dict[object, int] = {x.shape: 1, (2, 3): 2}
    return [d, len(d), d.get(x.shape), pairs.get((y.shape, 1)), mixed, {x.shape, y.shape}, x.shape in d]


def ordered(x: Tensor, y: Tensor) -> list[object]:
    rows: list[object] = [(x.shape, 1), ((2, 3), 1), ((1, 9), 9)]
    rows.sort()
    shapes = [x.shape, y.shape]
    return [rows, rows.count((x.shape, 1)), sorted(shapes), shapes.index(y.shape), shapes.count(x.shape)]


def held(x: Tensor, y: Tensor) -> list[object]:
    h = Held(x)
    return [h.any, h.shape, h.any == h.shape, h.any == (2, 3), h.shape == y.shape]


def maybe(x: Tensor, y: Tensor) -> list[object]:
    shapes = [x.shape if x.dim() > 1 else None, None]
    others = [y.shape if y.dim() > 1 else None, None]
    return [shapes == others, shapes.count(None), {shapes[0]: 1}]


FUNCTIONS = (any_type, equal, keys, ordered, held, maybe)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("sizes", [(2, 3), (2, 4), (3,)])
def test_shapes_are_tuples(function: Callable[[Tensor, Tensor], object], sizes: tuple[int, ...]) -> None:
    x, y = tscript.zeros(2, 3), tscript.zeros(sizes)
    assert repr(tscript.script(function)(x, y)) == repr(function(x, y))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_archives_keep_them(function: Callable[[Tensor, Tensor], object], tmp_path: Path) -> None:
    x = tscript.zeros(2, 3)
    tscript.save(tscript.script(function), tmp_path / "a.tsa")
    assert repr(tscript.load(tmp_path / "a.tsa")(x, x)) == repr(function(x, x))
