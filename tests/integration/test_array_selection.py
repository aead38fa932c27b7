"""Masks, index arrays and operators in place on arrays in compiled code do what NumPy does."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import tscript
from tests.integration.array_programs import script
from tests.integration.test_array_functions import check_same

READS = (
    "a[a > 1]", "a[m]", "a[i]", "a[i, i]", "a[:, i]", "a[1, i]", "a[:, m]", "a[[0, 2]]", "a[i[:, None], i]",
    "a[..., i]",     "a[np.array([[0, 1], [2, -1]])]", "a[0][m]", "a[0][i]", "a[m, 1:]", "a[:, None][m]", "a[a > 100]",
    "a[1:][[0, 0, 1]]",
)  # fmt: skip
WRITES = (
    "a[a > 1] = 0", "a[m] = 7", "a[i] = 5", "a[i, i] = 3", "a[:, i] = 2", "a[m] = a[0]", "a[i] = a[0]",
    "a[i, i] = a[0]", "a[a > 0] = a[a > 0] * 2", "a[i] += 1", "a[m] -= 2", "a[a > 1] *= 3", "a[0][m] = 1", "a[i] = a",
    "a[:, m] = 9", "a[m, 1] = 4",
    "a += 1", "a -= a[0]", "a *= 2", "a //= 2", "a %= 3", "a **= 2", "a[1:] += a[:-1].copy()", "a[:, 1] *= 4",
    "a[0] -= 1",
)  # fmt: skip
REFUSED = ("a[m[:2]]", "a[i + 9]", "a[:, i - 9]", "a[m[:2], :]", "1 if a else 0", "a[a == a][:2][a[0] == a[0]]")


@cache
def _reads() -> Any:
    return script(f"def f(a, m, i):\n    return ({', '.join(READS)},)\n")["f"]


@cache
def _writes() -> Any:
    parts = "".join(f"def f{n}(a, m, i):\n    {text}\n    return a\n\n" for n, text in enumerate(WRITES))
    return script(parts)


def _arrays(dtype: str) -> list[Any]:
    whole = np.random.default_rng(3).integers(0, 6, (3, 3)).astype(dtype)
    return [whole, whole.T, np.repeat(whole, 2, 1)[::-1, ::-2]]


MASK, INDEX = np.array([True, False, True]), np.array([2, 0, -1])


@pytest.mark.parametrize("dtype", ["uint8", "int32", "float32", "float64"])
def test_reads(dtype: str) -> None:
    """By masks and index arrays."""
    for a in _arrays(dtype):
        for text, got in zip(READS, _reads()(a, MASK, INDEX), strict=True):
            check_same(text, got, eval(text, {"np": np, "a": a, "m": MASK, "i": INDEX}))


@pytest.mark.parametrize("dtype", ["uint8", "int32", "float64"])
def test_writes(dtype: str) -> None:
    """By masks and index arrays, and in place; the elements of the array itself are changed."""
    for layout in range(3):
        for n, text in enumerate(WRITES):
            ours, theirs = _arrays(dtype)[layout], _arrays(dtype)[layout]
            assert _writes()[f"f{n}"](ours, MASK, INDEX) is ours
            exec(text, {"np": np, "a": theirs, "m": MASK, "i": INDEX})
            assert np.array_equal(ours, theirs), text


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text: str) -> None:
    """With NumPy's error."""
    a = _arrays("int64")[0]
    program = script(f"def f(a, m, i):\n    return {text}\n")["f"]
    with pytest.raises(Exception, match=r".") as theirs:
        eval(text, {"np": np, "a": a, "m": MASK, "i": INDEX})
    with pytest.raises(type(theirs.value), match=r".") as ours:
        program(a, MASK, INDEX)
    assert str(ours.value) == str(theirs.value)


def test_casts_in_place() -> None:
    """An array keeps its dtype: what NumPy refuses is an error of the compiler."""
    program = script("def f(a):\n    a += 1.5\n    return a\n")["f"]
    with pytest.raises(tscript.CompileError, match=r"from dtype\('float64'\) to dtype\('int64'\).*same_kind"):
        program(np.arange(3))
    assert np.array_equal(program(np.arange(3.0)), np.arange(3) + 1.5)


def test_unpacking_and_membership() -> None:
    """``x, y = a`` and ``in``."""
    program = script("def f(a):\n    x, y, z = a\n    return x + y + z, 2.0 in a, 7 in a\n")["f"]
    assert program(np.array([1.0, 2.0, 4.0])) == (7.0, True, False)
    with pytest.raises(ValueError, match="not enough values to unpack"):
        program(np.zeros(2))
