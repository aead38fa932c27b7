"""float16 and bfloat16: operators compute in float32 and round once. Functions of one number are tested on all numbers
that there are, and against PyTorch where it is installed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tscript
from tests.operators.test_samples import found_in
from tscript.definitions.opdef import Pointwise
from tscript.operators.table import TABLE

HALVES = ("float16", "bfloat16")

INEXACT_IN_TORCH = {
    "erf": "its vectorised error function has up to 5 ULP of float16 near 0",
    "nn.functional.gelu": "it is made of that error function",
    "special.ndtr": "it is 0 from -3.7 down",
    "special.i1": "NaN at infinity and beyond 88",
    "i0": "NaN at infinity",
    "special.i0": "NaN at infinity",
    "special.sinc": "it is NaN where the angle overflows",
    "sinc": "it is NaN where the angle overflows",
}

FEW = 20
"""How many of 65,536 results may be the other neighbour, as the float32 before lies near the middle."""


def functions() -> Iterator[str]:
    """Paths of functions of one tensor."""
    for op in TABLE.operators:
        if isinstance(op.implementation, Pointwise) and len(op.schema.parameters) == 1 and not op.effects.writes:
            for path in op.names.paths:
                if path.startswith("torch."):
                    yield path.removeprefix("torch.")
                    break


FUNCTIONS = sorted({*functions()})


def every(dtype: str) -> Any:
    """All numbers of a dtype: infinities, NaN and denormals among them."""
    bits = np.arange(1 << 16, dtype=np.uint16).view(np.int16)
    return tscript.from_numpy(bits).view(getattr(tscript, dtype))


def bits_of(x: Any) -> np.ndarray[Any, Any]:
    """The bits of halves, NaN all alike; other elements as they are."""
    if x.dtype not in (tscript.float16, tscript.bfloat16):
        return np.asarray(x.numpy())
    return np.where(np.isnan(x.float().numpy()), 0x7FFF, x.view(tscript.int16).numpy())


@pytest.mark.parametrize("dtype", HALVES)
def test_functions_of_one_number_are_rounded_once(dtype: str) -> None:
    x = every(dtype)
    for path in FUNCTIONS:
        function = found_in(tscript, path)
        try:
            found = function(x)
        except (TypeError, NotImplementedError):  # bitwise_not, which has no floats
            continue
        expected = function(x.float())
        if found.dtype == x.dtype:
            expected = expected.to(x.dtype)
        assert np.array_equal(bits_of(found), bits_of(expected)), path


@pytest.mark.parametrize("dtype", HALVES)
def test_operators_of_two_numbers_are_rounded_once(dtype: str) -> None:
    every_one = every(dtype)
    random = np.random.default_rng(5)
    x, y = (every_one[tscript.from_numpy(random.integers(0, 1 << 16, 1 << 16))] for _ in range(2))
    for name in ("add", "sub", "mul", "div", "pow", "atan2", "hypot", "maximum", "fmod", "remainder", "logaddexp"):
        function = getattr(tscript, name)
        expected = function(x.float(), y.float()).to(x.dtype)
        assert np.array_equal(bits_of(function(x, y)), bits_of(expected)), name


@pytest.mark.parametrize("dtype", HALVES)
def test_they_are_those_of_pytorch(dtype: str) -> None:
    torch = pytest.importorskip("torch")
    bits = torch.arange(1 << 16, dtype=torch.int32).to(torch.int16)
    theirs, x = bits.view(getattr(torch, dtype)), every(dtype)
    for path in FUNCTIONS:
        if path in INEXACT_IN_TORCH:
            continue
        try:
            want = found_in(torch, path)(theirs)
        except (AttributeError, RuntimeError):  # not there, or not of halves
            continue
        found = found_in(tscript, path)(x)
        if want.dtype is not theirs.dtype:
            assert np.array_equal(want.numpy(), found.numpy(), equal_nan=want.is_floating_point()), path
            continue
        number = np.where(want.isnan().numpy(), 0x7FFF, want.view(torch.int16).numpy())
        different = np.flatnonzero(number != bits_of(found))
        assert len(different) <= FEW, (path, len(different), theirs[int(different[0])])
