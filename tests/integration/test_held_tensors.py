"""Tensors that attributes, containers, exceptions and names hold, run in every way there is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

HELD = {
    "Tensor": "x",
    "Optional[Tensor]": "x",
    "tuple[Tensor, int]": "(x, 2)",
    "tuple[int, Optional[Tensor]]": "(1, None)",
    "list[Tensor]": "[x, x]",
    "dict[str, Tensor]": "{'a': x}",
    "Optional[list[Tensor]]": "[x]",
    "Tensor | int": "x",
    "Pair": "Pair(x, 1)",
    "Inner": "Inner(x)",
    "Any": "x",
}
"""Types that hold a tensor, and a value of each."""

PRELUDE = """
from dataclasses import dataclass
from typing import Any, NamedTuple, Optional
class Pair(NamedTuple):
    t: Tensor
    n: int
@dataclass
class Inner:
    t: Tensor
"""

HOLDER = """
class Plain:
    def __init__(self, x: Tensor, n: int):
        self.v: {type} = {value}
        if n == 2:
            x[9]
        self.w: {type} = self.v
        self.v = {value}
@dataclass
class Data:
    v: {type}
    w: {type}
def f(x: Tensor, n: int) -> tuple[Tensor, int]:
    made = Plain(x, n)
    data = Data(made.w, made.v)
    data.v = made.v
    kept = [made, Plain(x * 2, 0)]
    if n == 1:
        raise ValueError("one")
    kept[1].v = data.w
    x += 1
    return x, len(kept)
"""


@pytest.mark.parametrize("type", HELD)
def test_instances_hold_tensors(harness: Any, type: str) -> None:
    source = PRELUDE + HOLDER.format(type=type, value=HELD[type])
    harness.agree_all(source, [(np.arange(3.0), n) for n in range(3)])


def test_an_attribute_that_is_not_set_yet_raises(agree: Any) -> None:
    source = """
class Late:
    def __init__(self, x: Tensor, early: bool):
        if early:
            self.show()
        self.t = x
        self.t = x + 1
        self.show()
    def show(self) -> None:
        self.t += 1
def f(x: Tensor, early: bool) -> Tensor:
    return Late(x, early).t
"""
    assert agree(source, np.arange(3.0), False).error is None
    assert agree(source, np.arange(3.0), True).error == (AttributeError, "'Late' object has no attribute 't'")


def test_names_that_hold_no_tensor_yet_are_let_go(agree: Any) -> None:
    source = """
from typing import Optional
def f(x: Tensor, n: int) -> Tensor:
    held: Optional[Tensor] = None
    rows: list[Optional[Tensor]] = [None] * (n + 1)
    if n > 1:
        held = x * 2
        rows[0] = held
    try:
        if held is not None:
            return held + x[n]
        first = rows[n]
        if first is None:
            raise ValueError("nothing")
        held = first
    except IndexError:
        held = None
    if held is None:
        return x
    return held
"""
    for n in range(4):
        agree(source, np.arange(3.0), n)


def test_an_error_that_is_caught_holds_no_tensor(harness: Any) -> None:
    harness.agree_all(
        PRELUDE
        + """
def f(x: Tensor) -> Tensor:
    pair = Pair(x, 1)
    try:
        pair.t.add_(1.5)
    except RuntimeError:
        return pair.t
    return x + 1
""",
        [(np.array([True, False]),), (np.arange(3),), (np.arange(3.0),)],
    )


def test_named_tuples_of_several_dtypes_keep_their_class(integration: Any) -> None:
    import tscript

    source = """
from typing import NamedTuple
class Pair(NamedTuple):
    t: Tensor
    n: int
def f(x: Tensor, n: int) -> Pair:
    if n > 2:
        return Pair(x * 0.5, n)
    pair = Pair(x, 0)
    for i in range(n):
        pair = Pair(pair.t > 1, i)
    return pair
"""
    plain = integration.function_of(source)
    scripted = tscript.script(plain)
    for n in (0, 1, 3):
        assert repr(scripted(tscript.arange(3), n)) == repr(plain(tscript.arange(3), n))


SHAPES = """
def f(x: Tensor, c: bool) -> tuple[int, int, bool]:
    shapes = [x.shape]
    shapes.append(x.sum(0).shape)
    d = {"a": x.shape}
    d["b"] = x.sum(0).shape
    found = d.get("c", x.shape)
    kept = d.setdefault("c", x.sum(0).shape)
    maybe = x.shape if c else None
    pairs = [(x.shape, 1)]
    pairs.append((x.sum(0).shape, 2))
    total = sum([len(s) for s in shapes]) + 10 * len(found) + 100 * len(kept)
    return total, 0 if maybe is None else len(maybe), pairs[1] == (x.sum(0).shape, 2) and shapes[0] != shapes[1]
"""


@pytest.mark.parametrize("c", [True, False])
def test_shapes_of_any_rank_lie_in_containers(agree: Any, integration: Any, c: bool) -> None:
    agree(integration.function_of(SHAPES), np.ones((2, 3), np.float32), c)
