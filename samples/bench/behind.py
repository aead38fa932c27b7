"""Where others are ahead: single operators on one thread, float32."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from harness import Call, Row, interleave
from peers import numba

import tscript
from tscript import Tensor


def add(x: Tensor, y: Tensor) -> Tensor:
    """One addition."""
    return x + y


def largest(x: Tensor) -> Tensor:
    """The largest element."""
    return x.max()


def inner(x: Tensor, y: Tensor) -> Tensor:
    """The inner product."""
    return tscript.dot(x, y)


def sum_first(x: Tensor) -> Tensor:
    """A sum over the first dimension."""
    return x.sum(0)


def element_by_element(x: Tensor) -> float:
    """Each element of a matrix read by itself."""
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            total += x[i, j].item()
    return total


def run(part: int = 1, rounds: int = 12) -> list[Row]:
    """Time all of it.

    Args:
        part: Divides sizes.
        rounds: How many turns the variants take.
    """
    random = np.random.default_rng(0)

    def array(*shape: int) -> np.ndarray[Any, Any]:
        return random.random(shape, dtype=np.float32)

    small, large = 100_000 // part, 10_000_000 // part
    x, y, big, wide = array(small), array(small), array(large), array(8, small)
    rows, row, column = array(1_347, 10), array(10), array(1_347, 1)
    workloads: dict[str, tuple[Callable[..., Any], str, tuple[np.ndarray[Any, Any], ...]]] = {
        f"x + y, {small:,} elements": (add, "a + b", (x, y)),
        f"max, {small:,} elements": (largest, "a.max()", (x,)),
        f"max, {large:,} elements": (largest, "a.max()", (big,)),
        f"dot, {small:,} elements": (inner, "a.dot(b)", (x, y)),
        f"sum(0) of 8 x {small:,}": (sum_first, "a.sum(0)", (wide,)),
        "a row added to 1,347 rows of 10": (add, "a + b", (rows, row)),
        "a column added to 1,347 rows of 10": (add, "a + b", (rows, column)),
        "x[i, j], 1,000 elements": (element_by_element, "a.sum()", (array(100, 10),)),
    }
    found = []
    for name, (function, statement, arrays) in workloads.items():
        compiled: Any = tscript.script(function)
        calls: dict[str, Call] = {
            "tscript": (compiled, tuple(map(tscript.from_numpy, arrays))),
            "NumPy": (statement, arrays),
        }
        if numba is not None and function is add:
            calls["Numba"] = (numba.njit(lambda a, b: a + b), arrays)
        found.append(interleave(name, calls, rounds=rounds))
    return found
