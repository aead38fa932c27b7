"""Integer tensors divided by zero, in every way there is: PyTorch raises."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

FORMS = ("x // y", "x % y", "x.fmod(y)", "x.remainder(y)", "tscript.div(x, y, rounding_mode='floor')",
         "tscript.div(x, y, rounding_mode='trunc')",
         "x // (y - 1) + 1", "(x + 1) % y.t().sum(0)", "7 // y", "x.clone().floor_divide_(y)", "x // n", "x % n",
         "x // 3")  # fmt: skip
ZERO = (RuntimeError, "ZeroDivisionError")


@pytest.mark.parametrize("form", FORMS)
def test_integers_divided_by_zero(harness: Any, form: str) -> None:
    source = f"def f(x: Tensor, y: Tensor, n: int) -> Tensor:\n    return {form}\n"
    x = np.arange(6).reshape(2, 3)
    y = np.array([[1, 2, 3], [4, 5, 6]])
    with_zero = y - 3
    harness.agree_all(source, [(x, y, 2), (x, with_zero, 2), (x, with_zero.astype(np.float32), 2), (x, y, 0),
                               (x[:0], with_zero[:0], 0), (x.astype(np.int8), with_zero.astype(np.uint8),
                                                           1)])  # fmt: skip


def test_what_is_raised(agree: Any) -> None:
    source = "def f(x: Tensor, y: Tensor) -> Tensor:\n    x //= y\n    return x + 1\n"
    x, y = np.arange(4), np.array([1, 2, 0, 3])
    assert agree(source, x, y).error == ZERO
    assert agree(source, x, y + 1).error is None
    assert agree(source, x.astype(np.float64), y).error is None


def test_what_is_divided_where_the_dtype_is_not_known(agree: Any) -> None:
    source = """
class Held:
    def __init__(self, t: Tensor):
        self.t = t
def f(x: Tensor, y: Tensor) -> Tensor:
    return Held(x).t // Held(y).t
"""
    x = np.arange(3)
    assert agree(source, x, x).error == ZERO
    assert agree(source, x, x + 1).error is None
