"""A process that finds all its code in an archive and in the cache does not import the compiler's LLVM."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import tscript
from tscript import Tensor
from tscript.types import parse_type

USE = """
import sys, numpy, tscript
x = tscript.from_numpy(numpy.ones(3, numpy.float32))
f = tscript.load(sys.argv[1], trust_native=True)
y = f(x, x)
print(y.tolist(), "llvmlite" in sys.modules)
"""


@tscript.script
def blend(x: Tensor, y: Tensor) -> Tensor:
    return tscript.tanh(x * 2.5) + tscript.exp(-y) * x


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="LLVM links elsewhere")
def test_an_archive_with_native_code_needs_no_llvm(tmp_path: Path) -> None:
    path = tmp_path / "blend.tsa"
    tscript.save(blend, path, native=True, signatures=[(None, (parse_type("Tensor[float32, 1]"),) * 2)])
    # The first process puts what the archive does not hold into the cache: kernels and the boundary.
    done = [
        subprocess.run([sys.executable, "-c", USE, path], capture_output=True, text=True, timeout=240, check=False)
        for _ in range(2)
    ]
    x = tscript.tensor([1.0, 1.0, 1.0])
    assert [d.stderr for d in done] == ["", ""]
    assert done[1].stdout.strip() == f"{blend(x, x).tolist()} False"
