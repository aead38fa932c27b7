"""LLVM. Who compiles imports this module where it does; everything else runs without."""

from __future__ import annotations

from tscript.diagnostics.installation import CompilerNotInstalledError

try:
    from llvmlite import binding
except ModuleNotFoundError as error:
    raise CompilerNotInstalledError from error

__all__ = ["binding"]
