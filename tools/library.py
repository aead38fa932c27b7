"""The native library, built ahead: `python tools/library.py image LEVEL` and `python tools/library.py kernels`.

``image`` builds the prebuilt image of a level, or of each one that is named, into a folder; ``make wheel`` does so for
all of them. ``kernels`` fills the compilation cache of this machine, for work in a source tree.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tscript.abi.levels import LEVELS, level_of
from tscript.backend.loader.prebuilt import SUFFIX
from tscript.runtime.session import shipping


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code."""
    parser = argparse.ArgumentParser(prog="library", description=__doc__.partition("\n")[0])
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="processes that compile")
    commands = parser.add_subparsers(dest="command", required=True)
    image = commands.add_parser("image", help="build images")
    image.add_argument("levels", nargs="*", metavar="LEVEL", help=f"{', '.join(v.name for v in LEVELS)}; all if none")
    image.add_argument("--output", type=Path, default=Path("build/native"), help="the folder they go to")
    image.add_argument("--only", default="", metavar="REGEX", help="leave out parts whose names it is not found in")
    kernels = commands.add_parser("kernels", help="fill the compilation cache")
    kernels.add_argument("--only", default="", metavar="REGEX", help="as above")
    given = parser.parse_args(arguments)
    start = time.monotonic()
    if given.command == "kernels":
        built, seconds = shipping.fill(given.only, given.jobs)
        print(f"{built} built, {seconds:.0f} s of processor time, {time.monotonic() - start:.0f} s")
        return 0
    for name in given.levels or [level.name for level in LEVELS]:
        _image(name, given.output, given.only, given.jobs)
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


def _tell(done: int, total: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{done} of {total}", end="\n" if done == total else "", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
