"""Every operator that takes float32 takes float16 and bfloat16, or refuses them: compiled code and the
interpreter, which has no arithmetic of bfloat16 but by way of float32, give the same."""

from __future__ import annotations

from typing import Any
from zlib import crc32

import numpy as np
import pytest

import tscript
from tests.operators.test_samples import BODIES, compiled, leaves, method_text, quiet, to_tensor
from tests.samples.base import Array, Samples
from tests.samples.table import SAMPLES
from tscript.definitions.values import cast, dtype_of_array, is_bfloat16, widen
from tscript.ir.interpreter import interpret
from tscript.runtime.session.scripted import scripted_of
from tscript.types import dtypes

ALWAYS = (
    "sort",
    "topk",
    "median",
    "unique",
    "scatter_add",
    "index_add",
    "index_put",
    "scatter_reduce",
    "nansum",
    "gru",
    "linalg.matrix_power",
)
"""Operators with arithmetic or an order of their own on arrays."""

TAKEN = [s for s in SAMPLES.values() if s.calls and s.scripted and "float32" in s.dtypes and not s.random]


def check(samples: Samples, dtype: str) -> None:
    call = samples.calls[0]
    arrays = call.arrays(dtype, samples.path)
    text = call.text(0)
    line = (
        method_text(samples, text) if samples.path.startswith("Tensor.") else f"torch.{samples.path}({', '.join(text)})"
    )
    params = ", ".join(f"a{i}" for i in range(len(arrays)))
    try:
        function = compiled(f"def f({params}):\n    return {line}\n", samples.path)
        found = function(*[to_tensor(*a) for a in arrays])
    except (RuntimeError, NotImplementedError, TypeError, ValueError):
        return  # refused, as by most of `linalg`
    given = {f"a{i}": in_dtype(*a) for i, a in enumerate(arrays)}
    program = scripted_of(function).program
    expected = quiet(lambda: interpret(program, (), given, step_limit=1_000_000, bodies=BODIES))
    for value, want in zip(leaves(found), leaves(expected), strict=True):
        same(value, want)


def in_dtype(array: Array, dtype: str) -> Array:
    return cast(array, dtypes.BY_NAME[dtype])


def same(value: Any, want: Any) -> None:
    if not isinstance(value, tscript.Tensor):
        assert value == want
        return
    want = np.asarray(want)
    assert str(value.dtype) == f"tscript.{dtype_of_array(want).name}"
    narrow = is_bfloat16(want) or want.dtype == np.float16
    have = (value.float() if narrow else value).numpy()
    tolerance = 2e-2 if is_bfloat16(want) else 2e-3
    np.testing.assert_allclose(have, widen(want), rtol=tolerance, atol=tolerance)


def cases(every: bool) -> list[Any]:
    found = []
    for s in TAKEN:
        turn = crc32(s.path.encode())
        for i, dtype in enumerate(("bfloat16", "float16")):
            chosen = turn % 12 == i or (s.path in ALWAYS and dtype == "bfloat16")
            if chosen != every:
                found.append(pytest.param(s, dtype, id=f"{s.path}-{dtype}"))
    return found


@pytest.mark.parametrize(("samples", "dtype"), cases(False))
def test_some_operators(samples: Samples, dtype: str) -> None:
    check(samples, dtype)


@pytest.mark.slow
@pytest.mark.parametrize(("samples", "dtype"), cases(True))
def test_the_other_operators(samples: Samples, dtype: str) -> None:
    check(samples, dtype)
