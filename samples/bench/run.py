"""Run the benchmarks and print them as Markdown tables: ``make bench``, or ``python samples/bench/run.py [calls …]``.

Peers (PyTorch, Numba) are measured where they are installed: ``pip install tscript[peers]``.
"""

from __future__ import annotations

import os
import sys

os.environ.setdefault("TSCRIPT_THREADS", "1")

import appending
import archives
import behind
import caches
import callbacks
import calls
import classics
import compiling
import elements
import elementwise
import imported
import language
import linking
import networks
import objects
import operators
import readme
import rebuild
import reductions
import startup
import threads
import tiers
import whole
from harness import table

GROUPS = {
    "calls": calls.run,
    "startup": startup.run,
    "compile": compiling.run,
    "classics": classics.run,
    "elementwise": elementwise.run,
    "reductions": reductions.run,
    "whole": whole.run,
    "elements": elements.run,
    "callbacks": callbacks.run,
    "language": language.run,
    "imported": imported.run,
    "linking": linking.run,
    "networks": networks.run,
    "objects": objects.run,
    "operators": operators.run,
    "caches": caches.run,
    "appending": appending.run,
    "archives": archives.run,
    "behind": behind.run,
    "rebuild": rebuild.run,
    "threads": threads.run,
    "tiers": tiers.run,
    "readme": readme.run,
}


def main() -> None:
    """Run the groups named on the command line, or all."""
    for name in sys.argv[1:] or GROUPS:
        print(table(name, GROUPS[name]()), flush=True)


if __name__ == "__main__":
    main()
