"""Packages that only some users need: imported when they are used, with an error that names what to install."""

from __future__ import annotations

import importlib
from types import ModuleType


def needed(module: str, package: str, extra: str) -> ModuleType:
    """Import a module of an optional package.

    Args:
        module: Its import name.
        package: What it is called where packages come from.
        extra: The extra of tscript that brings it.

    Raises:
        ImportError: It is not installed; the message says how to install it.

    Example:
        >>> needed("no_such_module", "no-such-package", "such")
        Traceback (most recent call last):
        ImportError: this needs no-such-package: pip install 'tscript[such]'
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise ImportError(f"this needs {package}: pip install 'tscript[{extra}]'", name=module) from error
