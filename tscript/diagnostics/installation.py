"""What is said where the compiler is needed and only `tscript-core` is installed."""

from __future__ import annotations

import sys
from importlib.util import find_spec


class CompilerNotInstalledError(ImportError):
    """Something has to be compiled, and what compiles is not installed: the distribution `tscript-core` has all files,
    and `tscript` what they need to compile.
    """

    def __init__(self) -> None:
        super().__init__(
            "this needs the compiler, and only 'tscript-core' is installed: pip install tscript", name="llvmlite"
        )

    def __reduce__(self) -> tuple[object, ...]:
        return (CompilerNotInstalledError, ())


def require_compiler() -> None:
    """Do nothing where code can be compiled.

    Raises:
        CompilerNotInstalledError: It cannot.
    """
    if not has_compiler():
        raise CompilerNotInstalledError


def has_compiler() -> bool:
    """Whether code can be compiled."""
    return sys.modules.get("llvmlite") is not None or find_spec("llvmlite") is not None
