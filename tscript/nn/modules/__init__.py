"""`Module`, and the layers under PyTorch's names. Each name is imported at its first use."""

from __future__ import annotations

import importlib
from typing import Any

from tscript.nn.modules.names import FILES, HOME

__all__ = [*FILES]  # noqa: PLE0604 - the names of the files


def __getattr__(name: str) -> Any:
    if name in FILES:
        return importlib.import_module(f"tscript.nn.modules.{name}")
    home = HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'tscript.nn.modules' has no attribute {name!r}")
    found = globals()[name] = getattr(importlib.import_module(f"tscript.nn.modules.{home}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*FILES, *HOME})
