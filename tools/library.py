"""The native library, built ahead: ``python tools/library.py image LEVEL``, ``wheel``, and ``kernels``.

``image`` builds the prebuilt images of levels into a folder. ``wheel`` builds those of some levels and the wheels of
both distributions (`tools/distributions.py`) from a copy of the tree: a tree itself never has images, which an edit
would make stale. ``kernels`` fills the compilation cache of this machine, for work in a source tree.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tscript.abi.levels import LEVELS, SHIPPED, level_of
from tscript.backend.loader.prebuilt import FOLDER, SUFFIX
from tscript.runtime.session import shipping

ROOT = Path(__file__).resolve().parents[1]
PACKED = ("tscript", "runtime", "passes", "pyproject.toml", "README.md", "LICENSE")
"""What a wheel is made of."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code."""
    parser = argparse.ArgumentParser(prog="library", description=str(__doc__).partition("\n")[0])
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="processes that compile")
    parser.add_argument("--only", default="", metavar="REGEX", help="leave out parts whose names it is not found in")
    commands = parser.add_subparsers(dest="command", required=True)
    image = commands.add_parser("image", help="build images")
    image.add_argument("levels", nargs="*", metavar="LEVEL", help=f"{', '.join(v.name for v in LEVELS)}; all if none")
    image.add_argument("--output", type=Path, default=Path("build/native"), help="the folder they go to")
    wheel = commands.add_parser("wheel", help="build the wheels of both distributions, with the images of all levels")
    wheel.add_argument("--output", type=Path, default=Path("dist"), help="the folder it goes to")
    wheel.add_argument("--levels", nargs="+", default=[level.name for level in SHIPPED], help="the levels it is for")
    wheel.add_argument("--work", type=Path, default=Path("build/wheel"), help="a folder for the copy of the tree")
    commands.add_parser("kernels", help="fill the compilation cache")
    given = parser.parse_args(arguments)
    start = time.monotonic()
    if given.command == "kernels":
        built, seconds = shipping.fill(given.only, given.jobs)
        print(f"{built} built, {seconds:.0f} s of processor time, {time.monotonic() - start:.0f} s")
    elif given.command == "image":
        for name in given.levels or [level.name for level in LEVELS]:
            _image(name, given.output, given.only, given.jobs)
    else:
        _wheel(given.levels, given.work, given.output, given.only, given.jobs)
        print(f"{time.monotonic() - start:.0f} s in all")
    return 0


def _image(name: str, folder: Path, only: str, jobs: int) -> None:
    start = time.monotonic()
    built = shipping.build(level_of(name), shipping.names(only), jobs, _tell)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}{SUFFIX}"
    path.write_bytes(built.linked.data)
    print(
        f"{path}: {len(built.linked.data):,} bytes, {built.parts} parts, {built.linked.exports} symbols, "
        f"{built.linked.kept} of {built.linked.atoms} atoms, {built.seconds:.0f} s of processor time, "
        f"{time.monotonic() - start:.0f} s"
    )


def _wheel(levels: Sequence[str], work: Path, output: Path, only: str, jobs: int) -> None:
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    for name in PACKED:
        path = ROOT / name
        if path.is_dir():
            shutil.copytree(path, work / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(path, work / name)
    for name in levels:
        _image(name, work / "tscript" / FOLDER, only, jobs)
    made = [sys.executable, str(ROOT / "tools" / "distributions.py"), str(work), "--output", str(output)]
    subprocess.run(made, check=True)
    shutil.rmtree(work)


def _tell(done: int, total: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{done} of {total}", end="\n" if done == total else "", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
