"""Files of tscript itself, by names that hold wherever it is installed.

Kernels say in which file an error was raised. What they are compiled to is the same in every place, so it names these
files by what they are called inside the package.
"""

from __future__ import annotations

import os

_FILE: str = globals().get("__file__", os.path.join(os.devnull, "tscript", "abi", "places.py"))

FOLDER = os.path.dirname(os.path.dirname(_FILE)) + os.sep
"""The folder of the package. Where modules are part of a program and have no files, it is none that can exist."""

OWN = "<tscript>/"
"""Begins the name of a file of the package, in compiled code."""


def portable(file: str) -> str:
    """What compiled code calls a file.

    Example:
        >>> portable(FOLDER + "once.py")
        '<tscript>/once.py'
    """
    return OWN + file[len(FOLDER) :].replace(os.sep, "/") if file.startswith(FOLDER) else file


def local(file: str) -> str:
    """The file that compiled code calls so, in this installation.

    Example:
        >>> local("<tscript>/once.py") == FOLDER + "once.py"
        True
    """
    return FOLDER + file[len(OWN) :].replace("/", os.sep) if file.startswith(OWN) else file
