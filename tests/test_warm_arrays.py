"""Functions over arrays, and with types from calls, are found by their source: nothing is checked again."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.test_warm import COMPILING, Fresh, read, run


@pytest.fixture(autouse=True)
def _usual_tier(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TSCRIPT_OPTIMIZE", raising=False)


ARRAYS = """
import sys

import numpy as np
from numpy import zeros
from numpy.typing import NDArray

import tscript

Vec = NDArray[np.float64]


@tscript.script
def total(a, k=2, *, scale=1.5):
    s = 0.0
    for i in range(a.shape[0]):
        s += a[i] * k * scale
    return s + {salt}


@tscript.script
def made(n):
    out = zeros((n, n))
    for i in range(n):
        out[i, i] = np.sqrt(i) + np.pi
    return out


@tscript.script
def declared(v: Vec, w: np.ndarray, names: list, n: int = 3) -> Vec:
    return v * w.sum() + n * len(names) + {salt}


@tscript.script
def tensors(x, y):
    return (x + y).sum() + {salt}


def deepest(groups: dict[str, Vec], start) -> float:
    return start + max([float(v.max()) for v in groups.values()])


if "--more" in sys.argv:
    deepest = tscript.script(deepest)


ones = np.ones(3)
print(total(ones), total(ones, 3), total(ones.astype(np.float32), k=4.0, scale=2), total(ones[::-1]))
print(made(3).tolist(), made(n=2).shape)
print(declared(ones, ones, [1]), declared(ones, np.arange(4), ["a", "b"], n=2))
print(tensors(tscript.tensor([1.0, 2.0]), 2), tensors(ones, ones))
if "--more" in sys.argv:
    print(deepest({{"a": ones}}, 1.0), deepest({{"b": ones * 3}}, 2))
    print(total(ones.astype(np.int32)), made.graph_for(2))
    for wrong in (total, lambda: total(3), lambda: declared(ones.astype(np.float32), ones, [1]), lambda: made("x")):
        try:
            wrong()
        except Exception as error:
            print(type(error).__name__, str(error).splitlines()[0])
else:
    compiling = {compiling!r} + ("tscript.frontend.values.", "tscript.frontend.checking")
    print("compiled", sorted(m for m in sys.modules if m.startswith(compiling))[:5])
"""


def test_functions_over_arrays_that_take_their_types_from_calls_are_not_checked_again(tmp_path: Path) -> None:
    path = tmp_path / "arrays.py"
    path.write_text(ARRAYS.format(salt=random.SystemRandom().randrange(1 << 40), compiling=COMPILING))
    first, second = run(path), run(path)
    assert second[:-1] == first[:-1]
    assert first[-1] != "compiled []"
    assert second[-1] == "compiled []"


@pytest.mark.slow
def test_functions_over_arrays_that_were_found_are_checked_for_other_types(tmp_path: Path) -> None:
    path = tmp_path / "arrays.py"
    path.write_text(ARRAYS.format(salt=random.SystemRandom().randrange(1 << 40), compiling=COMPILING))
    expected = run(path, "--more", TSCRIPT_CACHE="off")
    run(path)
    assert run(path, "--more") == expected == run(path, "--more")


def test_names_of_numpy_are_read(tmp_path: Path) -> None:
    fresh = Fresh(tmp_path)
    numpys = (np, np.random, np.sqrt, np.zeros, np.mean, np.float32, np.ndarray, np.random.default_rng, np.linalg.norm)
    values = [*numpys, NDArray[np.float32], NDArray[np.float64], np.ndarray[tuple[int, int], np.dtype[np.float64]]]
    found = [read(fresh(N=value).outer) for value in values]
    assert None not in found
    assert len({*found}) == len(values)
    assert found == [read(fresh(N=value).outer) for value in values]
