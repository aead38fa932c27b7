"""``--import``: libraries of operators that a command needs."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Annotated

from tscript.cli.errors import UsageError
from tscript.cli.parameters import Option


def import_modules(names: list[str] | None) -> list[str] | None:
    """Import modules as ``python -m`` finds them: the working folder first.

    Raises:
        UsageError: One cannot be imported.
    """
    for name in names or ():
        if os.getcwd() not in sys.path:
            sys.path.insert(0, os.getcwd())
        try:
            importlib.import_module(name)
        except Exception as error:  # noqa: BLE001 - whatever the module raises, the user asked for it
            raise UsageError(f"--import {name}: {type(error).__name__}: {error}") from None
    return names


Imports = Annotated[
    list[str] | None,
    Option(
        "--import",
        metavar="MODULE",
        help="Import a library of operators first; it is run. Repeat for several.",
        callback=import_modules,
    ),
]
"""The option of commands that use operators."""
