"""What one call costs: a scalar function, four floats, eager and scripted."""

from __future__ import annotations

import numpy as np
from harness import Call, Row, interleave
from peers import numba, torch

import tscript


def multiply_add(a: float, b: float) -> float:
    """The scalar workload."""
    return a * b + a


def increment(x: tscript.Tensor) -> tscript.Tensor:
    """The tensor workload."""
    return x + 1.0


def run() -> list[Row]:
    """Time all of it."""
    scalar: dict[str, Call] = {
        "tscript": (tscript.script(multiply_add), (1.5, 2.5)),
        "CPython": (multiply_add, (1.5, 2.5)),
    }
    array = np.arange(4, dtype=np.float32)
    ours = tscript.from_numpy(array)
    one = np.float32(1.0)
    scripted: dict[str, Call] = {
        "tscript": (tscript.script(increment), (ours,)),
        "NumPy": ("a + 1.0", (array,)),
    }
    eager: dict[str, Call] = {
        "tscript": (tscript.add, (ours, 1.0)),
        "NumPy": (np.add, (array, one)),
    }
    operator: dict[str, Call] = {
        "tscript": ("a + 1.0", (ours,)),
        "NumPy": ("a + 1.0", (array,)),
    }
    if numba is not None:
        scalar["Numba"] = (numba.njit(multiply_add), (1.5, 2.5))
        scripted["Numba"] = (numba.njit(lambda x: x + one), (array,))
    if torch is not None:
        theirs = torch.from_numpy(array.copy())
        scalar["TorchScript"] = (torch.jit.script(multiply_add), (1.5, 2.5))
        eager["PyTorch"] = (torch.add, (theirs, 1.0))
        operator["PyTorch"] = ("a + 1.0", (theirs,))
    return [
        interleave("f(a: float, b: float)", scalar),
        interleave("scripted x + 1.0, four floats", scripted),
        interleave("eager add(x, 1.0), four floats", eager),
        interleave("eager x + 1.0, four floats", operator),
    ]
