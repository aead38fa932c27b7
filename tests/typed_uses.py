"""Uses of the library with the types that checkers see: mypy and pyright read this file, nothing runs it."""

from __future__ import annotations

from typing import Any

from typing_extensions import assert_type

import tscript
import tscript.nn.functional as F
from tscript import Tensor


@tscript.script
def scaled(x: Tensor, by: float = 2.0) -> tuple[Tensor, int]:
    return x * by, x.dim()


def uses(x: Tensor, y: Tensor, n: int) -> None:
    # functions
    assert_type(tscript.add(x, y), Tensor)
    assert_type(tscript.add(x, 1.5, alpha=2), Tensor)
    assert_type(tscript.zeros(2, 3), Tensor)
    assert_type(tscript.zeros((2, 3), dtype=tscript.float64), Tensor)
    assert_type(tscript.sum(x, dim=(0, 1), keepdim=True), Tensor)
    assert_type(tscript.cat([x, y], dim=1), Tensor)
    assert_type(tscript.where(x > 0, x, 0.0), Tensor)
    assert_type(tscript.exp(x, out=y), Tensor)
    assert_type(F.softplus(x, beta=2.0), Tensor)
    assert_type(tscript.nn.functional.gelu(x, approximate="tanh"), Tensor)
    assert_type(tscript.linalg.vector_norm(x, 2, dim=1), Tensor)
    assert_type(tscript.special.expit(x), Tensor)
    # methods and attributes
    assert_type(x.sum(), Tensor)
    assert_type(x.view(2, -1), Tensor)
    assert_type(x.permute(1, 0), Tensor)
    assert_type(x.reshape((n, 2)), Tensor)
    assert_type(x.shape[0], int)
    assert_type(x.size(0), int)
    assert_type(x.ndim, int)
    assert_type(x.dtype.is_floating_point, bool)
    assert_type(x.T, Tensor)
    assert_type(x.item(), Any)
    assert_type(x.add_(1), Tensor)
    assert_type(x.max(1).values, Tensor)
    assert_type(tscript.sort(x)[1], Tensor)
    # operators
    assert_type(x + y, Tensor)
    assert_type(2.0 * x, Tensor)
    assert_type(x @ y, Tensor)
    assert_type(x < 3, Tensor)
    assert_type(-x, Tensor)
    assert_type(x[0, :, None], Tensor)
    assert_type(len(x), int)
    # what `script` gives has the signature of the function
    assert_type(scaled(x, by=3.0), tuple[Tensor, int])
