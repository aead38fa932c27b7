"""Which tensor is which: a view is a new object each time, whatever it shows; what PyTorch gives back itself stays
itself."""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tscript
from tests.integration.harness import function_of

VIEWS = (
    *(
        "x[...]",
        "x[:]",
        "x[()]",
        "x[..., :]",
        "x[:, ...]",
        "x[0:]",
        "x[::1]",
        "x[...][...]",
        "x.detach()",
        "x.detach().detach()",
    ),
    *(
        "x.t()",
        "x.t().t()",
        "x.T.T",
        "x.mT.mT",
        "x.transpose(0, 0)",
        "x.transpose(0, 1).transpose(1, 0)",
        "x.permute(0, 1)",
    ),
    *(
        "x.permute(1, 0).permute(1, 0)",
        "x.view(2, 3)",
        "x.view_as(x)",
        "x.reshape(2, 3)",
        "x.reshape_as(x)",
        "x.expand(2, 3)",
    ),
    *("x.expand_as(x)", "x.broadcast_to(2, 3)", "x.squeeze()", "x.squeeze(0)", "x.unsqueeze(0).squeeze(0)"),
    *("x.unsqueeze(-1).squeeze(-1)", "x.flatten()", "x.t().t().contiguous()", "x[...].float()", "x[...].flatten(0, 0)"),
)
ITSELF = (
    "x",
    "x.contiguous()",
    "x.float()",
    "x.to(tscript.float32)",
    "x.flatten(0, 0)",
    "x.flatten(1)",
    "x.float().contiguous()",
)


@pytest.mark.parametrize("expression", VIEWS)
def test_a_view_is_a_new_tensor_each_time(expression: str, agree: Any) -> None:
    _check(expression, agree, False)


@pytest.mark.parametrize("expression", ITSELF)
def test_some_give_back_the_tensor_itself(expression: str, agree: Any) -> None:
    _check(expression, agree, True)


def _check(expression: str, agree: Any, same: bool) -> None:
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    asked = (
        f"def f(x: Tensor):\n    y, z = {expression}, {expression}\n"
        f"    return y is x, x is y, y is z, {expression} is x\n"
    )
    plain = function_of(asked)
    assert plain(tscript.from_numpy(array)) == (same,) * 4
    agree(asked, array)
    held = "class Held:\n    def __init__(self, t: Tensor) -> None:\n        self.t = t\n"
    given = (
        f"def f(x: Tensor):\n    y = {expression}\n    z = y\n    h = Held({expression})\n    for i in range(len(x)):\n"
        f"        z = {expression}\n    return x, y, z, {expression}, [{expression}, y, h.t], x * 2 + y.sum()\n"
    )
    for first in ("", "    x = Held(x).t\n"):
        source = held + given.replace("    y =", first + "    y =", 1)
        for function in (function_of(source), tscript.script(function_of(source))):
            x = tscript.from_numpy(array)
            whole, *found = function(x)
            found = [*found[:3], *found[3]]
            assert whole is x
            assert [t is x for t in found] == [same] * 6
            if not same:
                assert [[a is b for b in found] for a in found] == [
                    [i == j or {i, j} == {0, 4} for j in range(6)] for i in range(6)
                ]


@pytest.mark.parametrize("expression", ["x[...]", "x.detach()", "x.t().t()", "x.contiguous()"])
def test_a_view_in_what_may_be_none(expression: str) -> None:
    source = (
        "from typing import Optional\nclass Held:\n    def __init__(self, t: Optional[Tensor]) -> None:\n"
        "        self.t: Optional[Tensor] = t\n"
        f"def f(x: Tensor, h: Held):\n    y = x + 1\n    h.t = {expression.replace('x', 'y')}\n    return Held(y), y\n"
    )
    plain = function_of(source)
    for function in (plain, tscript.script(plain)):
        held = plain.__globals__["Held"](None)
        other, y = function(tscript.ones(2, 3), held)
        assert other.t is y and (held.t is y) == (expression in ITSELF)


def test_what_is_written_through_a_view_is_seen(agree: Any) -> None:
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    for expression in VIEWS[:10]:
        agree(f"def f(x: Tensor):\n    y = {expression}\n    y += 1\n    return x.sum(), y\n", array)


def test_a_view_that_nobody_asks_about_costs_nothing() -> None:
    source = "def f(x: Tensor):\n    y = x[...]\n    return y * 2 + y.t().t() + x.permute(0, 1) + x.detach()\n"
    scripted: Any = tscript.script(function_of(source))
    text = str(scripted.graph_for(tscript.ones(2, 2)))
    assert not [word for word in ("alias(", "t(%", "permute", "detach") if word in text], text


def test_fewer_than_two_dimensions_are_no_matrix(agree: Any) -> None:
    for shape in ((), (3,)):
        plain = function_of("def f(x: Tensor) -> Tensor:\n    return x.mT\n")
        with pytest.raises(RuntimeError, match="only supported on matrices"):
            plain(tscript.ones(shape))
        agree("def f(x: Tensor) -> Tensor:\n    return x.mT\n", np.ones(shape, np.float32))
