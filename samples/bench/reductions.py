"""Reductions over rows and over everything, written out and as operators, one thread."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from elementwise import torch_form
from harness import Call, Row, interleave
from peers import jax, numba, torch

import tscript
from tscript import Tensor

N = 1024
f32 = np.float32


def softmax(x: Tensor) -> Tensor:
    """Three passes over a row."""
    e = tscript.exp(x - tscript.amax(x, dim=-1, keepdim=True))
    return e / e.sum(dim=-1, keepdim=True)


def layernorm(x: Tensor, g: Tensor, b: Tensor) -> Tensor:
    """Mean and variance of rows, then scaled."""
    d = x - x.mean(dim=-1, keepdim=True)
    v = (d * d).mean(dim=-1, keepdim=True)
    return d * tscript.rsqrt(v + 1e-5) * g + b


def logsumexp(x: Tensor) -> Tensor:
    """Two passes over a row, one number each."""
    m = tscript.amax(x, dim=-1, keepdim=True)
    return tscript.log(tscript.exp(x - m).sum(dim=-1, keepdim=True)) + m


def squared_error(x: Tensor, y: Tensor) -> Tensor:
    """One pass over two tensors."""
    return ((x - y) ** 2).mean()


def softmax_operator(x: Tensor) -> Tensor:
    """The operator."""
    return tscript.softmax(x, -1)


def sum_all(x: Tensor) -> Tensor:
    """One number of all elements."""
    return x.sum()


def max_all(x: Tensor) -> Tensor:
    """The greatest of all elements."""
    return x.max()


def argmax_rows(x: Tensor) -> Tensor:
    """Positions in rows."""
    return x.argmax(dim=-1)


def sum_columns(x: Tensor) -> Tensor:
    """Over the first dimension."""
    return x.sum(0)


def dot(x: Tensor, y: Tensor) -> Tensor:
    """The inner product."""
    return tscript.dot(x, y)


def plain_softmax(x: Any) -> Any:
    """`softmax` over arrays."""
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def plain_layernorm(x: Any, g: Any, b: Any) -> Any:
    """`layernorm` over arrays."""
    d = x - x.mean(-1, keepdims=True)
    v = (d * d).mean(-1, keepdims=True)
    return d / np.sqrt(v + f32(1e-5)) * g + b


def plain_logsumexp(x: Any) -> Any:
    """`logsumexp` over arrays."""
    m = x.max(-1, keepdims=True)
    return np.log(np.exp(x - m).sum(-1, keepdims=True)) + m


def loop_softmax(x: Any) -> Any:
    """`softmax` as Numba likes it."""
    out = np.empty_like(x)
    for i in range(x.shape[0]):
        m = x[i, 0]
        for j in range(x.shape[1]):
            m = max(m, x[i, j])
        s = f32(0)
        for j in range(x.shape[1]):
            e = math.exp(x[i, j] - m)
            out[i, j] = e
            s += e
        for j in range(x.shape[1]):
            out[i, j] /= s
    return out


def loop_layernorm(x: Any, g: Any, b: Any) -> Any:
    """`layernorm` as Numba likes it."""
    out = np.empty_like(x)
    n = x.shape[1]
    for i in range(x.shape[0]):
        s = f32(0)
        for j in range(n):
            s += x[i, j]
        m = s / f32(n)
        q = f32(0)
        for j in range(n):
            d = x[i, j] - m
            q += d * d
        r = f32(1) / math.sqrt(q / f32(n) + f32(1e-5))
        for j in range(n):
            out[i, j] = (x[i, j] - m) * r * g[j] + b[j]
    return out


def loop_logsumexp(x: Any) -> Any:
    """`logsumexp` as Numba likes it."""
    out = np.empty((x.shape[0], 1), f32)
    for i in range(x.shape[0]):
        m = x[i, 0]
        for j in range(x.shape[1]):
            m = max(m, x[i, j])
        s = f32(0)
        for j in range(x.shape[1]):
            s += math.exp(x[i, j] - m)
        out[i, 0] = math.log(s) + m
    return out


Plain = Callable[..., Any]

CASES: tuple[tuple[Plain, Plain, Plain | None, tuple[tuple[int, ...], ...]], ...] = (
    (softmax, plain_softmax, loop_softmax, ((N, N),)),
    (layernorm, plain_layernorm, loop_layernorm, ((N, N), (N,), (N,))),
    (logsumexp, plain_logsumexp, loop_logsumexp, ((N, N),)),
    (squared_error, lambda x, y: ((x - y) ** 2).mean(), None, ((N, N), (N, N))),
    (softmax_operator, plain_softmax, None, ((N, N),)),
    (sum_all, lambda x: x.sum(), None, ((10_000_000,),)),
    (max_all, lambda x: x.max(), None, ((1_000_000,),)),
    (argmax_rows, lambda x: x.argmax(-1), None, ((N, N),)),
    (sum_columns, lambda x: x.sum(0), None, ((N, N),)),
    (dot, lambda x, y: x @ y, None, ((1_000_000,), (1_000_000,))),
)
"""What is scripted, over arrays, as loops, and the shapes of the operands."""


def run() -> list[Row]:
    """Time all of it."""
    tscript.set_num_threads(1)
    rows = []
    for scripted, plain, loop, shapes in CASES:
        rng = np.random.default_rng(0)
        arrays = tuple(rng.standard_normal(s).astype(f32) for s in shapes)
        calls: dict[str, Call] = {
            "tscript": (tscript.script(scripted), tuple(tscript.from_numpy(a) for a in arrays)),
            "NumPy": (plain, arrays),
        }
        if torch is not None:
            calls["TorchScript"] = (torch_form(scripted), tuple(torch.from_numpy(a) for a in arrays))
        if numba is not None and loop is not None:
            calls["Numba"] = (numba.njit(loop, fastmath=True), arrays)
        if jax is not None:
            calls["JAX"] = (_blocking(scripted), tuple(jax.numpy.asarray(a) for a in arrays))
        rows.append(interleave(scripted.__name__, calls, rounds=12))
    return rows


def _blocking(scripted: Plain) -> Plain:
    """A function jitted by JAX, waited for."""
    jnp = jax.numpy
    forms: dict[str, Plain] = {
        "softmax": lambda x: _ratio(jnp.exp(x - x.max(-1, keepdims=True))),
        "layernorm": _jax_layernorm,
        "logsumexp": lambda x: jnp.log(jnp.exp(x - x.max(-1, keepdims=True)).sum(-1, keepdims=True)),
        "squared_error": lambda x, y: ((x - y) ** 2).mean(),
        "softmax_operator": lambda x: jax.nn.softmax(x, axis=-1),
        "sum_all": lambda x: x.sum(),
        "max_all": lambda x: x.max(),
        "argmax_rows": lambda x: x.argmax(-1),
        "sum_columns": lambda x: x.sum(0),
        "dot": jnp.dot,
    }
    compiled = jax.jit(forms[scripted.__name__])
    return lambda *args: compiled(*args).block_until_ready()


def _ratio(e: Any) -> Any:
    return e / e.sum(-1, keepdims=True)


def _jax_layernorm(x: Any, g: Any, b: Any) -> Any:
    d = x - x.mean(-1, keepdims=True)
    return d * jax.lax.rsqrt((d * d).mean(-1, keepdims=True) + 1e-5) * g + b
