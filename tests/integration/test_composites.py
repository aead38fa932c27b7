"""Composite operators: bodies in the language, eager and compiled, against NumPy; and what they refuse, in PyTorch's words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tscript

X = np.array([[0.5, -1.0, 2.0], [3.0, 0.25, -0.5]], np.float32)
INTS = np.arange(6).reshape(2, 3)

REFUSED: tuple[tuple[str, Any, type[Exception], str], ...] = (
    ("x.softmax(1)", INTS, NotImplementedError, "\"softmax_lastdim_kernel_impl\" not implemented for 'Long'"),
    ("x.log_softmax(1)", X > 0, NotImplementedError, "\"log_softmax_lastdim_kernel_impl\" not implemented for 'Bool'"),
    ("x.softmax(2)", X, IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
    ("x.std()", INTS, RuntimeError, "std and var only support floating point and complex dtypes"),
    ("x.var(0)", INTS, RuntimeError, "std and var only support floating point and complex dtypes"),
    ("x.outer(x[0])", X, RuntimeError, "outer: Expected 1-D argument self, but got 2-D"),
    ("x[0].outer(x)", X, RuntimeError, "outer: Expected 1-D argument vec2, but got 2-D"),
    ("torch.div(x, 2, rounding_mode='up')", X, RuntimeError, "div expected rounding_mode to be one of None, 'trunc', or 'floor'"),
    ("torch.nn.functional.gelu(x, approximate='erf')", X, RuntimeError, "approximate argument must be either none or tanh."),
)  # fmt: skip


@pytest.mark.parametrize(("expression", "x", "error", "message"), REFUSED, ids=[r[0] for r in REFUSED])
def test_refusals(agree: Callable[..., Any], expression: str, x: Any, error: type, message: str) -> None:
    found = agree(f"def f(x):\n    return {expression}\n", x, python="functional" not in expression)
    assert found.error == (error, message)


def test_a_number_divided_in_a_rounding_mode(agree: Callable[..., Any]) -> None:
    found = agree("def f(x):\n    return torch.div(2.0, x, rounding_mode='floor')\n", X)
    np.testing.assert_array_equal(found.value, np.floor(2.0 / X))


def test_logsumexp_of_bools_and_ints(agree: Callable[..., Any], integration: Any) -> None:
    for x in (X > 0, INTS, INTS.astype(np.uint8)):
        found = agree("def f(x):\n    return x.logsumexp(1)\n", x, ulps=integration.MATH_ULPS)
        np.testing.assert_allclose(found.value, np.log(np.exp(x.astype(np.float32)).sum(1)), rtol=1e-6)


def test_no_composite_is_left_unknown() -> None:
    """A function whose branches differ in dtype takes the body at run time, operator by operator."""

    @tscript.script
    def f(x: tscript.Tensor, wide: bool) -> tscript.Tensor:
        y = x.double() if wide else x
        return y.softmax(0)

    x = tscript.tensor([0.0, 1.0])
    assert f(x, True).dtype == tscript.float64
    assert f(x, False).dtype == tscript.float32
    with pytest.raises(NotImplementedError, match="for 'Int'"):
        f(x.int(), False)
