"""Texts of tensors and numbers out of them, in compiled code: what plain Python has over eager tensors."""

# mypy: disable-error-code="arg-type, no-any-return, return-value"

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import tscript
from tscript import Tensor

DTYPES = ("float32", "float64", "int8", "int64", "uint8", "bool")
SIZES = ((), (0,), (7,), (2, 3), (3, 0, 2), (2, 1, 3), (5, 30), (1001,), (7, 8, 20))
SPECIAL = (0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, 1e-5, 1e10, 0.5, 2.0**52, 12345.678, 1e300, 5e-324)


def plainly(x: Tensor) -> str:
    return f"{x}|{x!r:>20}|{[x, x]}|{(x, 1)}"


shown = tscript.script(plainly)


def test_tensors_are_shown_as_eager_ones_are() -> None:
    rng = np.random.default_rng(5)
    for dtype, size in itertools.product(DTYPES, SIZES):
        for scale in (1.0, 1000.0, 1e-6) if dtype.startswith("float") else (120.0,):
            array = np.asarray(rng.normal(size=size) * scale).astype(dtype)
            if scale == 1000.0:
                with np.errstate(over="ignore"):
                    array = np.where(rng.random(size) < 0.3, rng.choice(SPECIAL, size), np.floor(array)).astype(dtype)
            x = tscript.from_numpy(array[..., ::-1] if array.ndim > 1 and scale == 1.0 else array)
            assert shown(x) == plainly(x), (dtype, size)


def test_each_kind_of_number_is_shown_alone() -> None:
    for dtype in ("float32", "float64"):
        for value in SPECIAL:
            with np.errstate(all="ignore"):
                x = tscript.from_numpy(np.array([value, 1.5]).astype(dtype))
            assert shown(x) == plainly(x)
            assert shown(x[0]) == plainly(x[0])


@dataclass
class Held:
    t: Tensor
    n: int


PRELUDE = "from dataclasses import dataclass\n@dataclass\nclass Held:\n    t: Tensor\n    n: int\n"
TEXTS = {
    "a dataclass": "repr(Held(x, 2)) + str([Held(x, 1)])",
    "a dict": "f'{dict(a=x)} {x.shape} {[x.shape]} {x.dtype}'",
    "an optional": "str(x if n > 0 else None)",
    "a format spec": "f'{x.max():.2f} {x.max().item():8.3f}'",
    "items": "f'{x.max().item()} {str(x.max().item())} {x.max().item()!r}'",
    "items of what has no dtype yet": "f'{Held(x, 1).t.max().item()} {Held(x, 1).t.max().item():.2f}'",
    "str.format and %": "'{} {:>9}'.format(x.max().item(), x) + '%s' % x",
}


@pytest.mark.parametrize("expression", TEXTS.values(), ids=TEXTS)
def test_texts(agree: Any, expression: str) -> None:
    source = f"{PRELUDE}def f(x: Tensor, n: int) -> str:\n    return {expression}\n"
    for array in (np.array([1.5, 2.0, -0.25], np.float32), np.array([2, 7, 1])):
        agree(source, array, 1)


ITEMS = {
    "returned": "def f(h: Held) -> float:\n    return h.t[0].item()\n",
    "declared": "def f(h: Held) -> float:\n    n: float = h.t[1].item()\n    return n * 0.1\n",
    "added up": "def f(h: Held) -> float:\n    s = 0.1\n    for i in range(h.n):\n        s += h.t[i].item()\n"
    "    return s\n",
    "passed": "def g(a: float, b: int) -> float:\n    return a + b\ndef f(h: Held) -> float:\n"
    "    return g(h.t[0].item(), 2)\n",
    "compared": "def f(h: Held) -> bool:\n    return 0.1 < h.t[0].item() and h.t[1].item() >= 2.5\n",
    "taken before a write": "def f(h: Held) -> float:\n    v = h.t[0].item()\n    h.t *= 2\n    n: float = v\n"
    "    return n\n",
    "an int": "def f(h: Held) -> int:\n    n: int = h.t.max().item()\n    return n + 1\n",
    "a bool": "def f(h: Held) -> bool:\n    return (h.t > 1).any().item()\n",
}


@pytest.mark.parametrize("source", ITEMS.values(), ids=ITEMS)
def test_items_are_numbers_where_they_are_declared(integration: Any, source: str) -> None:
    plain = integration.function_of(PRELUDE + source)
    scripted, held = tscript.script(plain), plain.__globals__["Held"]
    for values in ([2, 7, 1], [0.1, 2.5, 7.25]):
        if "int:" in source and isinstance(values[0], float):
            continue
        found, expected = (f(held(tscript.tensor(values), 3)) for f in (scripted, plain))
        assert found == expected
        assert type(found) is type(expected) or isinstance(found, float)


@pytest.mark.parametrize(("declared", "dtype", "what"), [("int", "float32", "an int"), ("bool", "int64", "a bool")])
def test_a_dtype_that_does_not_fit_the_declaration(integration: Any, declared: str, dtype: str, what: str) -> None:
    plain = integration.function_of(
        f"{PRELUDE}def f(h: Held) -> {declared}:\n    n: {declared} = h.t[0].item()\n    return n\n"
    )
    held = plain.__globals__["Held"]
    with pytest.raises(TypeError, match=rf"item\(\) is declared to give {what}, but the dtype is {dtype}") as caught:
        tscript.script(plain)(held(tscript.ones(2, dtype=getattr(tscript, dtype)), 1))
    assert any(entry.lineno == 6 for entry in caught.traceback)
