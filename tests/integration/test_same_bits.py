"""Operators give the same bits on processors of different levels, but for the signs and payloads of NaN."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tscript.abi.levels import X86_64_V3, X86_64_V4
from tscript.backend.llvm.target import Target

HOST = Target.host()
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


@pytest.mark.slow
@pytest.mark.parametrize("every", ["few", "all"])
def test_levels_give_the_same_bits(every, tmp_path):
    narrow, wide = (computed(level.name, tmp_path / f"{level.name}.npz", every) for level in (X86_64_V3, X86_64_V4))
    assert narrow.keys() == wide.keys()
    assert len(narrow) > (50 if every == "few" else 200)
    for name, a in narrow.items():
        b = wide[name]
        assert (a.dtype, a.shape) == (b.dtype, b.shape), name
        if a.dtype.kind == "f":
            assert (np.isnan(a) == np.isnan(b)).all(), name
            a, b = np.nan_to_num(a), np.nan_to_num(b)
        assert a.tobytes() == b.tobytes(), name
