"""Programs over instances, as CPython, tscript, mypyc and Numba (`jitclass`) run the same functions."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import objects_workloads
from harness import Call, Row, interleave
from objects_workloads import WORKLOADS
from peers import numba

import tscript


def mypyc() -> Any:
    """The workloads as mypyc compiles them; None where it or a C compiler is missing."""
    folder = Path(tempfile.mkdtemp(prefix="tscript-mypyc-"))
    source = folder / "compiled_workloads.py"
    shutil.copy(str(objects_workloads.__file__), source)
    made = subprocess.run([sys.executable, "-m", "mypyc", source.name], cwd=folder, capture_output=True, check=False)
    library = next(folder.glob("compiled_workloads.*.so"), None)
    return None if made.returncode or library is None else load("compiled_workloads", library)


def jitted() -> dict[str, Any]:
    """The workloads that Numba takes, with classes as `jitclass` has them."""
    if numba is None:
        return {}
    from numba.experimental import jitclass

    own = load("jitted_workloads", Path(str(objects_workloads.__file__)))
    number, integer = numba.float64, numba.int64
    own.Vec = jitclass([("x", number), ("y", number), ("z", number)])(own.Vec)
    own.Counter = jitclass([("total", number), ("count", integer)])(own.Counter)
    return {name: numba.njit(getattr(own, name)) for name in ("walked", "counted")}


def load(name: str, path: Path) -> Any:
    """A module of its own."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def run() -> list[Row]:
    """Time all of it."""
    compiled, fast = mypyc(), jitted()
    if compiled is None:
        print("mypyc cannot compile the workloads here", file=sys.stderr)
    rows: list[Row] = []
    for name, (function, args) in WORKLOADS.items():
        calls: dict[str, Call] = {"tscript": (tscript.script(function, optimize="full"), args)}
        if compiled is not None:
            calls["mypyc"] = (getattr(compiled, function.__name__), args)
        if function.__name__ in fast:
            calls["Numba"] = (fast[function.__name__], args)
        expected = function(*args)
        for variant, (call, given) in calls.items():
            if callable(call) and call(*given) != expected:
                raise SystemExit(f"{variant}: {name} gives another result than CPython")
        rows.append(interleave(name, {**calls, "CPython": (function, args)}, rounds=5))
    return rows
