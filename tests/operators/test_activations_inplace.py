"""The argument `inplace` of activations."""

from __future__ import annotations

from typing import Any

import pytest

import tscript
import tscript.nn.functional as F
from tscript import Tensor

USES: list[tuple[str, tuple[Any, ...]]] = [
    ("relu", ()),
    ("relu6", ()),
    ("hardtanh", (-0.5, 0.75)),
    ("elu", (0.5,)),
    ("selu", ()),
    ("celu", (2.0,)),
    ("leaky_relu", (0.25,)),
    ("hardsigmoid", ()),
    ("hardswish", ()),
    ("silu", ()),
    ("mish", ()),
    ("threshold", (0.1, -3.0)),
]


def given() -> Tensor:
    return tscript.tensor([-7.0, -0.5, 0.0, 0.25, 2.0, 8.0])


@pytest.mark.parametrize(("name", "more"), USES, ids=[name for name, _ in USES])
def test_eager(name: str, more: tuple[Any, ...]) -> None:
    function = getattr(F, name)
    x = given()
    plain = function(x, *more)
    assert x.tolist() == given().tolist()
    assert function(x, *more, False).tolist() == plain.tolist() and x.tolist() == given().tolist()
    assert function(x, *more, inplace=True) is x and x.tolist() == plain.tolist()
    y = given()[::2]
    function(y, *more, True)
    assert y.tolist() == plain[::2].tolist()


def scripted(name: str) -> Any:
    more = ", ".join(map(repr, dict(USES)[name]))
    args = f"x, {more}" if more else "x"
    return tscript.script(
        f"""
import torch
import torch.nn.functional as F
def f(x: torch.Tensor, inplace: bool) -> torch.Tensor:
    return F.{name}({args}, inplace=inplace)
def g(x: torch.Tensor) -> torch.Tensor:
    return F.{name}({args}, True) + F.{name}({args}, inplace=False)
"""
    )


@pytest.mark.parametrize("name", [name for name, _ in USES])
def test_scripted(name: str) -> None:
    functions = scripted(name)
    plain = getattr(F, name)(given(), *dict(USES)[name])
    x = given()
    assert functions.f(x, False).tolist() == plain.tolist() and x.tolist() == given().tolist()
    assert functions.f(x, True).tolist() == plain.tolist() and x.tolist() == plain.tolist()
    y = given()
    again = getattr(F, name)(plain, *dict(USES)[name])
    assert functions.g(y).tolist() == (plain + again).tolist() and y.tolist() == plain.tolist()
