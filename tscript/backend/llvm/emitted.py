"""`Emitted`: the text of one LLVM module, with its effort and its external symbols."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tscript.abi.layout import ABI_VERSION
from tscript.backend.llvm.effort import Effort, Length
from tscript.backend.llvm.instructions import INSTRUCTIONS
from tscript.backend.llvm.target import Target
from tscript.backend.llvm.text import STRINGS
from tscript.late import dataclass

MARK = r"\n  ; resume (\d+): ([^|\n]*) \|([^\n]*)"
"""A place where better code may take over: its number, operands with their types, and stack slots with theirs. A
regular expression, which is compiled where there are any."""


@dataclass(frozen=True, slots=True)
class Emitted:
    """One LLVM module.

    Attributes:
        text: The module.
        effort: How it is to be compiled.
        externals: The symbols that it refers to without defining them, intrinsics of LLVM not among them.
        entry: Of the program of a scripted function: the name of its entry with its sign, and the list of parameters;
            empty otherwise.
        length: How long a call may take.
        marked: The module with the places where better code may take over (`tscript.backend.nodes.resuming`); empty
            if it has none.
        marks: How many there are.
    """

    text: str
    effort: Effort = Effort.FULL
    externals: tuple[str, ...] = ()
    entry: tuple[str, str] = ("", "")
    length: Length = Length.SHORT
    marked: str = ""
    marks: int = 0


def whole_module(target: Target, declared: Mapping[str, str], parts: Iterable[str], effort: Effort) -> Emitted:
    """A module of what it declares and defines.

    Args:
        target: What it is for.
        declared: Declarations, and constant strings, by symbol.
        parts: Definitions. The attributes ``#0`` are those of all compiled functions, so that profilers can unwind
            them.
        effort: How it is to be compiled.
    """
    chosen = {symbol: choose(target) for symbol, choose in INSTRUCTIONS.items() if symbol in declared}
    text = "\n".join(
        [
            f'source_filename = "tscript-abi-{ABI_VERSION}"',
            f'target triple = "{target.triple}"',
            f'target datalayout = "{target.data_layout}"',
            *(line for symbol, line in declared.items() if symbol not in chosen),
            *chosen.values(),
            *parts,
            f"attributes #0 = {{ {target.attributes} }}",
            "",
        ]
    )
    externals = (s for s in declared if s not in chosen and not s.startswith(("llvm.", STRINGS)))
    return Emitted(text, effort, tuple(sorted(externals)))
