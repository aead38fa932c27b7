"""Functions and objects of a main module go to the processes of pools, and come back."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parent / "pool_program.py"


def run(pool: str) -> None:
    found = subprocess.run([sys.executable, str(PROGRAM), pool], capture_output=True, text=True, timeout=500)
    assert found.returncode == 0 and found.stdout.endswith("done\n"), found.stderr


@pytest.mark.parametrize("method", ["spawn", "fork", pytest.param("forkserver", marks=pytest.mark.slow)])
def test_pools_of_the_standard_library(method):
    run(method)


@pytest.mark.slow
@pytest.mark.parametrize("library", ["cloudpickle", "joblib", "dask", "ray"])
def test_pools_of_libraries(library):
    """They are in the group ``cluster`` of pyproject.toml."""
    if importlib.util.find_spec("distributed" if library == "dask" else library) is None:
        pytest.skip(f"{library} is not installed")
    run(library)
