"""All kernels that compiled code over arrays asks for are in the native library."""

from __future__ import annotations

import linecache
import re
from typing import Any

import numpy as np
import pytest

import tscript
from tscript.diagnostics import CompileError
from tscript.runtime.session.build import is_kernel
from tscript.runtime.session.instances import kernel_symbols

EXPRESSIONS = (
    "np.sort(a)",
    "np.sort(a, axis=0)",
    "np.argsort(a, axis=1)",
    "np.argsort(a, kind='stable')",
    "np.median(a)",
    "np.percentile(a, 30)",
    "np.unique(a)",
    "np.unique(a, return_index=True, return_inverse=True, return_counts=True)",
    "np.searchsorted(np.sort(a[0]), a[1])",
    "np.bincount(a[0])",
    "np.histogram(a, 5)",
    "np.partition(a[0], 2)",
    "a.sum(), a.prod(), a.mean(), a.std(), a.var(), a.min(), a.max(), a.any(), a.all()",
    "a.sum(0), a.prod(0), a.mean(0), a.std(0), a.var(0), a.min(0), a.max(0), a.any(0), a.all(0)",
    "a.sum(axis=1, keepdims=True), a.max(axis=1, keepdims=True), a.mean(axis=1, keepdims=True)",
    "a.argmin(), a.argmax(), a.argmin(0), a.argmax(1)",
    "a.sum(dtype=np.float64), a.sum(axis=0, dtype=np.float32), a.mean(dtype=np.float64)",
    "np.cumsum(a), np.cumprod(a, axis=1), np.diff(a)",
    "np.nonzero(a), np.count_nonzero(a), np.argwhere(a)",
    "np.where(a > 0, a, 1 - a), a[a > 0]",
    "a @ a.T, a[0] @ a[1], a @ a[0], np.dot(a[0], a[0]), np.outer(a[0], a[0])",
    "np.concatenate((a, a)), np.stack((a, a)), np.tile(a, 2), np.repeat(a, 2), np.roll(a, 1), a[::-1].copy()",
    "np.zeros((3, 3), a.dtype), np.full((3, 3), a[0, 0]), np.empty_like(a), np.ones_like(a), np.eye(3), a.copy()",
    "np.arange(5), np.linspace(0.0, 1.0, 5), np.array([a[0, 0], a[0, 1]])",
    "a.astype(np.float64), a.astype(np.int32), a.astype(np.bool_), a.reshape(-1), a.ravel(), a.T.copy()",
    "str(a), repr(a[0]), f'{a[0, 0]:.2f} {a[0]}'",
    "np.add.reduce(a), np.add.accumulate(a), np.multiply.outer(a[0], a[0]), np.maximum.reduce(a, axis=1)",
    "np.exp(a), np.sqrt(a), np.abs(a), np.floor(a), np.round(a, 1), np.clip(a, 0, 1), np.isnan(a)",
    "a.tolist(), sorted(a[0]), list(a[0]), max(a[0]), sum(a[0]), len(a)",
    "np.random.default_rng(3).random(5), np.random.default_rng(3).integers(0, 9, 5), np.random.rand(3)",
    "np.random.default_rng(3).normal(size=3), np.random.default_rng(3).permutation(a[0]), np.random.randint(5)",
    "np.allclose(a, a), np.array_equal(a, a), (a == a).all(), np.isin(a, a[0])",
)
STATEMENTS = (
    "a.sort()\n    a[0].fill(1)\n    a[:] = 0\n    a[1] = a[0]\n    a[a > 0] = 1\n    return a",
    "a[0, :2] += a[1, 1:]\n    return a",
    "np.random.shuffle(a)\n    out = np.empty_like(a)\n    np.add(a, a, out=out)\n    return out",
)
DTYPES = (np.float64, np.float32, np.int64, np.int32, np.uint8, np.bool_)

_NAMED = re.compile(r"@(ts_[\w$]+)")


def asked(body: str, dtype: type) -> set[str]:
    """The kernels that a function over an array asks for; none where NumPy refuses it, too."""
    name = f"<shipped kernels {body} {dtype}>"
    source = f"def f(a):\n    {body}\n"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    scope: dict[str, Any] = {"np": np}
    exec(compile(source, name, "exec"), scope)
    try:
        text = tscript.script(scope["f"]).llvm_for(np.ones((3, 3), dtype))
    except (CompileError, TypeError):
        return set()
    return {symbol for symbol in _NAMED.findall(text) if is_kernel(symbol)}


@pytest.mark.parametrize("dtype", [np.float64, np.int32])
def test_all_kernels_of_arrays_are_in_the_library(dtype: type) -> None:
    there = set(kernel_symbols())
    found = {body: asked(f"return {body}" if body in EXPRESSIONS else body, dtype) for body in EXPRESSIONS + STATEMENTS}
    assert {body: symbols - there for body, symbols in found.items() if symbols - there} == {}
    assert len(set().union(*found.values())) > 50
    assert sum(map(bool, found.values())) > 25


@pytest.mark.slow
@pytest.mark.parametrize("dtype", DTYPES)
def test_all_kernels_of_all_dtypes_are_in_the_library(dtype: type) -> None:
    test_all_kernels_of_arrays_are_in_the_library(dtype)
