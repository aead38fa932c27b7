"""Frozen programs: the hook for PyInstaller, and programs that were made with it."""

from __future__ import annotations

import importlib.metadata
import os
import runpy
import subprocess
import sys
import types
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tscript.integrations.pyinstaller import hook_directories

MODELS = """
import tscript

@tscript.script
def double(x: tscript.Tensor) -> tscript.Tensor:
    return x * 2.0

@tscript.script
def greet(name: str) -> str:
    return "hello " + name.upper()
"""

APP = """
import sys
import tscript
from models import double, greet

x = tscript.arange(4).to(tscript.float32)
print(double(x).tolist(), greet("ada"), x.sum().item(), tscript.load(sys.argv[1]).half(3.0), sys.frozen)
"""


def test_pyinstaller_finds_the_hook() -> None:
    (entry,) = (e for e in importlib.metadata.entry_points(group="pyinstaller40") if e.module.startswith("tscript"))
    assert entry.load() is hook_directories
    (folder,) = hook_directories()
    assert (Path(folder) / "hook-tscript.py").is_file()


def test_the_hook_collects_sources_and_data(monkeypatch: pytest.MonkeyPatch) -> None:
    made: Any = types.ModuleType("PyInstaller.utils.hooks")
    made.collect_submodules = lambda name, filter: [n for n in (f"{name}.api", f"{name}.integrations.x") if filter(n)]
    made.collect_data_files = lambda name: [(f"{name}/include/tscript_ops.h", f"{name}/include")]
    made.copy_metadata = lambda name: [(f"{name}.dist-info", ".")]
    for name in ("PyInstaller", "PyInstaller.utils"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setitem(sys.modules, "PyInstaller.utils.hooks", made)
    found = runpy.run_path(os.path.join(hook_directories()[0], "hook-tscript.py"))
    assert found["hiddenimports"] == ["tscript.api"]
    assert found["datas"] == [("tscript/include/tscript_ops.h", "tscript/include"), ("tscript.dist-info", ".")]
    assert found["module_collection_mode"] == {"tscript": "py"}


def test_the_hook_takes_the_distribution_that_has_the_files(monkeypatch: pytest.MonkeyPatch) -> None:
    made: Any = types.ModuleType("PyInstaller.utils.hooks")
    made.collect_submodules = made.collect_data_files = lambda name, **given: []
    made.copy_metadata = lambda name: [name]
    for name in ("PyInstaller", "PyInstaller.utils"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setitem(sys.modules, "PyInstaller.utils.hooks", made)
    for owners in (["tscript-core"], ["tscript"]):
        monkeypatch.setattr(importlib.metadata, "packages_distributions", lambda owners=owners: {"tscript": owners})
        assert runpy.run_path(os.path.join(hook_directories()[0], "hook-tscript.py"))["datas"] == owners


@pytest.mark.slow
@pytest.mark.skipif(find_spec("PyInstaller") is None, reason="needs PyInstaller")
@pytest.mark.parametrize("kind", ["--onedir", "--onefile"])
def test_a_frozen_program(tmp_path: Path, kind: str) -> None:
    import tscript

    (tmp_path / "models.py").write_text(MODELS)
    (tmp_path / "app.py").write_text(APP)
    half = tscript.script("def half(x: float) -> float:\n    return x / 2\n").half
    tscript.save(half, tmp_path / "half.tsa")
    command = [sys.executable, "-m", "PyInstaller", "-y", "--log-level", "WARN", kind, "--add-data", "models.py:."]
    subprocess.run([*command, "app.py"], cwd=tmp_path, check=True, timeout=500)
    program = tmp_path / "dist" / "app"
    program = program / "app" if program.is_dir() else program
    done = subprocess.run(
        [program, tmp_path / "half.tsa"], capture_output=True, text=True, timeout=500, cwd="/", check=False
    )
    assert (done.stdout, done.stderr) == ("[0.0, 2.0, 4.0, 6.0] hello ADA 6.0 1.5 True\n", "")
