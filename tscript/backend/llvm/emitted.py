"""`Emitted`: the text of one LLVM module, and what is known of it when it is written."""

from __future__ import annotations

from dataclasses import dataclass

from tscript.backend.llvm.effort import Effort


@dataclass(frozen=True, slots=True)
class Emitted:
    """One LLVM module.

    Attributes:
        text: The module.
        effort: How it is to be compiled.
        externals: The symbols that it refers to without defining them, intrinsics of LLVM not among them.
    """

    text: str
    effort: Effort = Effort.FULL
    externals: tuple[str, ...] = ()
