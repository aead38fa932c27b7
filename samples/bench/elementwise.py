"""Chains of elementwise operators at 1e3, 1e5 and 1e7 floats, one thread."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from harness import Call, Row, interleave
from peers import numba, torch

import tscript
from tscript import Tensor

SIZES = (("1e3", 1_000), ("1e5", 100_000), ("1e7", 10_000_000))
f32 = np.float32


def polynomial(x: Tensor, y: Tensor) -> Tensor:
    """No transcendental functions: bound by memory."""
    return (x * y + x) * y - x


def gelu(x: Tensor) -> Tensor:
    """The tanh form of GELU."""
    return 0.5 * x * (1.0 + tscript.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


def mixed(x: Tensor, y: Tensor, z: Tensor) -> Tensor:
    """Three transcendental functions."""
    return x * tscript.sigmoid(x) + tscript.tanh(y) * tscript.exp(-z * z)


def numpy_gelu(x: Any) -> Any:
    """`gelu` over arrays."""
    return f32(0.5) * x * (f32(1) + np.tanh(f32(0.7978845608) * (x + f32(0.044715) * x * x * x)))


def numpy_mixed(x: Any, y: Any, z: Any) -> Any:
    """`mixed` over arrays."""
    return x * (f32(1) / (f32(1) + np.exp(-x))) + np.tanh(y) * np.exp(-z * z)


def loop_polynomial(x: Any, y: Any) -> Any:
    """`polynomial` as Numba likes it."""
    out = np.empty_like(x)
    for i in range(x.size):
        out[i] = (x[i] * y[i] + x[i]) * y[i] - x[i]
    return out


def loop_gelu(x: Any) -> Any:
    """`gelu` as Numba likes it."""
    out = np.empty_like(x)
    half, one, c0, c1 = f32(0.5), f32(1), f32(0.7978845608), f32(0.044715)
    for i in range(x.size):
        v = x[i]
        out[i] = half * v * (one + math.tanh(c0 * (v + c1 * v * v * v)))
    return out


def loop_mixed(x: Any, y: Any, z: Any) -> Any:
    """`mixed` as Numba likes it."""
    out = np.empty_like(x)
    one = f32(1)
    for i in range(x.size):
        out[i] = x[i] * (one / (one + math.exp(-x[i]))) + math.tanh(y[i]) * math.exp(-z[i] * z[i])
    return out


def torch_form(function: Callable[..., Any]) -> Any:
    """The TorchScript form of one of our functions: its source with torch's names."""
    import inspect
    import linecache

    text = inspect.getsource(function).replace("tscript.", "torch.").replace("Tensor", "torch.Tensor")
    name = f"<torch {function.__name__}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope: dict[str, Any] = {"torch": torch, "__name__": "torch_form"}
    exec(compile(text, name, "exec"), scope)  # noqa: S102 - our own source
    return torch.jit.script(scope[function.__name__])


def run() -> list[Row]:
    """Time all of it."""
    tscript.set_num_threads(1)
    rows = []
    cases = (
        (polynomial, polynomial, loop_polynomial, 2),
        (gelu, numpy_gelu, loop_gelu, 1),
        (mixed, numpy_mixed, loop_mixed, 3),
    )
    for scripted, plain, loop, count in cases:
        compiled = tscript.script(scripted)
        theirs = torch_form(scripted) if torch is not None else None
        jitted = numba.njit(loop, fastmath=True) if numba is not None else None
        for label, size in SIZES:
            rng = np.random.default_rng(size)
            arrays = tuple(rng.uniform(-3, 3, size).astype(f32) for _ in range(count))
            calls: dict[str, Call] = {
                "tscript": (compiled, tuple(tscript.from_numpy(a) for a in arrays)),
                "NumPy": (plain, arrays),
            }
            if theirs is not None:
                calls["TorchScript"] = (theirs, tuple(torch.from_numpy(a) for a in arrays))
            if jitted is not None:
                calls["Numba"] = (jitted, arrays)
            rounds = 5 if size > 1_000_000 else 12
            rows.append(interleave(f"{scripted.__name__} {label}", calls, rounds=rounds))
    return rows
