"""Reductions as NumPy's users write them, with `keepdims`: NumPy's results, and one loop over rows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tscript

REPOSITORY = Path(__file__).parents[2]


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def normalised(x):
    d = x - x.mean(axis=-1, keepdims=True)
    return d / np.sqrt((d * d).mean(axis=-1, keepdims=True) + 1e-5)


def standard(x):
    return (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True)


def cross_entropy(x, y):
    z = x - x.max(axis=1, keepdims=True)
    return -(y * (z - np.log(np.exp(z).sum(axis=1, keepdims=True)))).sum(axis=1)


SCRIPTED: dict[Any, Any] = {f: tscript.script(f) for f in (softmax, normalised, standard, cross_entropy)}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (40, 33), (7, 1100)])
@pytest.mark.parametrize("layout", ["rows", "columns", "every other"])
def test_rows_as_numpy_has_them(dtype, shape, layout):
    x = np.random.default_rng(1).uniform(-3, 3, (2 * shape[0], shape[1])).astype(dtype)
    x = x[::2] if layout == "every other" else x[: shape[0]]
    if layout == "columns":
        x = np.asfortranarray(x)
    rtol, atol = (3e-5, 3e-6) if dtype == np.float32 else (1e-12, 1e-12)
    for function in (softmax, normalised, standard):
        if function is standard and shape[1] == 1:
            continue
        found = SCRIPTED[function](x)
        assert found.dtype == dtype
        np.testing.assert_allclose(found, function(x), rtol=rtol, atol=atol)
    y = softmax(x)
    np.testing.assert_allclose(SCRIPTED[cross_entropy](x, y), cross_entropy(x, y), rtol=rtol, atol=atol)


def test_they_are_one_loop(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(
        "import numpy as np\nimport tscript\nfrom numpy.typing import NDArray\n\n"
        "@tscript.script\n"
        "def f(x: np.ndarray[tuple[int, int], np.dtype[np.float64]]):\n"
        "    z = x - x.max(axis=1, keepdims=True)\n"
        "    return z - np.log(np.exp(z).sum(axis=1, keepdims=True)) + x.std(axis=1, keepdims=True)\n"
    )
    command = [sys.executable, "-m", "tscript", "ir", "--explain-fusion", f"{path}:f"]
    found = subprocess.run(command, capture_output=True, text=True, check=True, cwd=REPOSITORY).stdout
    assert "group 1: one loop over rows" in found and "group 2" not in found and "alone" not in found, found
