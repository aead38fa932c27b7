"""What tscript has of ``torch.nn``: `Module`, the layers, `Parameter`, and the functions in ``tscript.nn.functional``.

Everything is imported at first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tscript.nn.modules.module import Module as Module
    from tscript.nn.parameter import Buffer, Parameter

_MODULES = ("functional", "modules", "parameter")

_PARAMETERS = ("Buffer", "Parameter")

__all__ = ["Buffer", "Parameter", "functional", "modules", "parameter"]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"tscript.nn.{name}")
    if name in _PARAMETERS:
        found = getattr(importlib.import_module("tscript.nn.parameter"), name)
    else:
        from tscript.nn.modules.names import HOME

        if name not in HOME:
            raise AttributeError(f"module 'tscript.nn' has no attribute {name!r}")
        found = getattr(importlib.import_module(f"tscript.nn.modules.{HOME[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    from tscript.nn.modules.names import HOME

    return sorted({*__all__, *HOME})
