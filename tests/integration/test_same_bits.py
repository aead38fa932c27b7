"""Operators give the same bits on processors of different levels, but for the signs and payloads of NaN."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tscript
from tests.shipped import PYTHON, WHEEL, install, run
from tscript.abi.levels import X86_64_V3, X86_64_V4
from tscript.backend.llvm.target import Target
from tscript.types import parse_type

HOST = Target.host()
DTYPES = "float32,float64,int8,int16,int32,int64,uint8,bool_"
SCRIPT = Path(__file__).with_name("same_bits.py")

pytestmark = pytest.mark.skipif(
    not X86_64_V4.fits(HOST.triple, HOST.features), reason="this processor runs one level alone"
)


def computed(level: str, path: Path, every: str) -> dict[str, Any]:
    """What operators compute at a level."""
    options = ["--every", "--dtypes", "float32,float64,int32"] if every == "all" else []
    # NumPy's BLAS asks the processor itself.
    subprocess.run(
        [sys.executable, str(SCRIPT), level, str(path), *options], check=True, env={**os.environ, "TSCRIPT_BLAS": "off"}
    )
    with np.load(path) as found:
        return dict(found)


def compare(narrow: dict[str, Any], wide: dict[str, Any]) -> None:
    """Whether both computed the same."""
    assert narrow.keys() == wide.keys()
    for name, a in narrow.items():
        b = wide[name]
        assert (a.dtype, a.shape) == (b.dtype, b.shape), name
        if a.dtype.kind == "f":
            assert (np.isnan(a) == np.isnan(b)).all(), name
            a, b = np.nan_to_num(a), np.nan_to_num(b)
        assert a.tobytes() == b.tobytes(), name


@pytest.mark.slow
@pytest.mark.parametrize("every", ["few", "all"])
def test_levels_give_the_same_bits(every, tmp_path):
    narrow, wide = (computed(level.name, tmp_path / f"{level.name}.npz", every) for level in (X86_64_V3, X86_64_V4))
    assert len(narrow) > (50 if every == "few" else 200)
    compare(narrow, wide)


def chain(x, y):
    """As in `same_bits`."""
    z = x * 1.5 - y
    return z / (1.0 + (z * z + x * y) * 0.25) + x.tanh() * y.exp()


@pytest.mark.slow
@pytest.mark.skipif(not WHEEL, reason="needs TSCRIPT_WHEEL")
def test_variants_of_the_wheel_give_the_same_bits(tmp_path):
    """Of the kernels of the library that have a variant for better processors."""
    install(tmp_path)
    types = [(parse_type(f"Tensor[{d}, 2]"),) * 2 for d in ("float32", "float64")]
    tscript.save(
        tscript.script(chain), tmp_path / "chain.tsa", native="x86-64-v3", signatures=[(None, t) for t in types]
    )
    found = []
    for level in (X86_64_V3, X86_64_V4):
        options = ["--every", "--dtypes", DTYPES, "--archive", str(tmp_path / "chain.tsa")]
        path = tmp_path / f"{level.name}.npz"
        run([*PYTHON, SCRIPT, level.name, path, *options], PYTHONPATH=str(tmp_path), TSCRIPT_BLAS="off")
        with np.load(path) as results:
            found.append(dict(results))
    assert len(found[0]) > 1000
    compare(*found)
