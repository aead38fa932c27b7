"""What object code of the runtime's own is made by and from: its key in the cache without its text."""

from __future__ import annotations

import hashlib
from pathlib import Path

from tscript._version import __version__
from tscript.abi.checked import IS_CHECKED
from tscript.abi.layout import ABI_VERSION
from tscript.abi.python import PYTHON

_COMPILING = (
    "types", "abi", "dialect", "operators", "ir", "frontend", "passes", "backend", "runtime/kernels",
    "runtime/boundary",
    "pipeline",
)  # fmt: skip
"""What object code of kernels and of the boundary is made by and from, inside the package."""


def source_fingerprint() -> str:
    """Changes whenever a file of the compiler, of the kernels or of the boundary does, or Python's version.

    It stands for them in keys.

    Taken from names, sizes and times of the package's files, so it costs about a millisecond.
    """
    root = Path(__file__).parents[1]
    digest = hashlib.sha256(f"{__version__} {ABI_VERSION} {PYTHON} {IS_CHECKED}".encode())
    for part in _COMPILING:
        place = root / part
        for path in sorted(place.rglob("*.py")):
            info = path.stat()
            digest.update(f"{path.relative_to(root)} {info.st_size} {info.st_mtime_ns}\n".encode())
    return digest.hexdigest()
