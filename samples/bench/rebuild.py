"""What is built again after an edit of the compiler: processor time of a process that uses strings and tensors, after a
line was put behind a file of a copy of the package."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from harness import Row

import tscript

PROGRAM = """
import tscript
tscript.tensor([1.0, 2.0]).sum()
@tscript.script
def f(s: str) -> str:
    return s.upper() + "x"
f("a")
"""
EDITS = {
    "no file": "",
    "of values in the frontend": "frontend/values/strings.py",
    "of another kernel": "runtime/kernels/sorting.py",
    "of the boundary": "runtime/boundary/native/table.py",
    "of a kernel of strings": "runtime/kernels/strings_case.py",
    "of a pass": "passes/peephole.py",
}


def _time(folder: Path) -> float:
    """Nanoseconds of processor time."""
    program = folder / "program.py"
    program.write_text(PROGRAM)
    environment = {**os.environ, "PYTHONPATH": str(folder), "TSCRIPT_CACHE_DIR": str(folder / "cache")}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, program], check=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e9


def run() -> list[Row]:
    """Time each edit once all was built, and what is there when nothing was."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        package = folder / "tscript"
        shutil.copytree(Path(tscript.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
        _time(folder)  # byte code
        shutil.rmtree(folder / "cache")
        rows = [Row("nothing was built yet", {"tscript": _time(folder)})]
        for what, file in EDITS.items():
            times = []
            for turn in range(3):
                if file:
                    with (package / file).open("a") as edited:
                        edited.write(f"# {turn}\n")
                times.append(_time(folder))
            rows.append(Row(f"edit {what}", {"tscript": min(times)}))
    return rows
