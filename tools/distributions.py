"""The two distributions that are released: ``python tools/distributions.py --output dist``.

`tscript-core` has all files and needs NumPy alone: it loads archives with native code, and runs what is in the native
library that the wheel has. `tscript` has no files; it needs `tscript-core` of the same version and what compiles. Both
are made of one tree and one `pyproject.toml`, with the build backend that it names. Whoever installs a checkout itself
(``pip install .``, ``pip install -e .``) gets everything as one distribution `tscript`.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PACKED = ("tscript", "runtime", "passes", "README.md", "LICENSE")
"""What a distribution with files is made of, beside its metadata."""

CORE = "tscript-core"

Table = Mapping[str, Any]


def core_metadata(config: Table) -> dict[str, Any]:
    """The `pyproject.toml` of `tscript-core`: all files, and only the dependencies that they need to run."""
    needed = config["tool"]["tscript"]["core-dependencies"]
    if unknown := set(needed) - set(config["project"]["dependencies"]):
        raise ValueError(f"dependencies of the core are no dependencies: {', '.join(sorted(unknown))}")
    project = {k: v for k, v in config["project"].items() if k != "optional-dependencies"}
    project |= {"name": CORE, "dependencies": needed}
    return {"build-system": config["build-system"], "project": project, "tool": {"setuptools": _setuptools(config)}}


def whole_metadata(config: Table, version: str) -> dict[str, Any]:
    """The `pyproject.toml` of `tscript`: no files."""
    needed = config["tool"]["tscript"]["core-dependencies"]
    others = [d for d in config["project"]["dependencies"] if d not in needed]
    project = {k: v for k, v in config["project"].items() if k not in ("scripts", "entry-points", "dynamic")}
    project |= {"version": version, "dependencies": [f"{CORE}=={version}", *others]}
    nothing: dict[str, Any] = {"packages": [], "py-modules": []}
    return {"build-system": config["build-system"], "project": project, "tool": {"setuptools": nothing}}


def _setuptools(config: Table) -> Table:
    table: Table = config["tool"]["setuptools"]
    return table


def toml(table: Table, name: str = "") -> str:
    """A table as TOML: strings, booleans, numbers, lists, and tables of those."""
    plain = {k: v for k, v in table.items() if not isinstance(v, Mapping)}
    lines = [f"[{name}]"] if name and plain else []
    lines += [f"{json.dumps(key)} = {_value(value)}" for key, value in plain.items()]
    parts = ["\n".join(lines)] if lines else []
    for key, value in table.items():
        if isinstance(value, Mapping):
            part = json.dumps(key)
            parts.append(toml(value, f"{name}.{part}" if name else part))
    return "\n\n".join(parts)


def _value(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{json.dumps(k)} = {_value(v)}' for k, v in value.items())} }}"
    return json.dumps(value)


def copy_tree(tree: Path, folder: Path) -> None:
    """Copy what a distribution with files is made of."""
    for name in PACKED:
        if (tree / name).is_dir():
            shutil.copytree(tree / name, folder / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(tree / name, folder / name)


def build(tree: Path, output: Path, options: Sequence[str] = ()) -> list[Path]:
    """Build the wheels of both distributions.

    Args:
        tree: A checkout, or a copy of one.
        output: The folder they go to.
        options: For pip.

    Returns:
        Their files.
    """
    config = tomllib.loads((tree / "pyproject.toml").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as work:
        core, whole = Path(work, "core"), Path(work, "whole")
        core.mkdir()
        copy_tree(tree, core)
        (core / "pyproject.toml").write_text(toml(core_metadata(config)), encoding="utf-8")
        found = _wheel(core, output, options)
        version = found.name.split("-")[1]
        whole.mkdir()
        for name in ("README.md", "LICENSE"):
            shutil.copy2(tree / name, whole / name)
        (whole / "pyproject.toml").write_text(toml(whole_metadata(config, version)), encoding="utf-8")
        return [found, _wheel(whole, output, options)]


def _wheel(folder: Path, output: Path, options: Sequence[str]) -> Path:
    """Build the wheel of a folder; its file."""
    made = folder / "made"
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-input", "--no-deps"]
    subprocess.run([*pip, *options, "--wheel-dir", str(made), str(folder)], check=True)
    (wheel,) = made.glob("*.whl")
    output.mkdir(parents=True, exist_ok=True)
    return Path(shutil.move(wheel, output / wheel.name))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code."""
    parser = argparse.ArgumentParser(prog="distributions", description=str(__doc__).partition("\n")[0])
    parser.add_argument("tree", nargs="?", type=Path, default=ROOT, help="a checkout; this one if left out")
    parser.add_argument("--output", type=Path, default=Path("dist"), help="the folder the wheels go to")
    given = parser.parse_args(arguments)
    for wheel in build(given.tree, given.output):
        print(f"{wheel}: {wheel.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
