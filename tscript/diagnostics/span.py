"""Places in source.

A `SourceFile` holds one text; a `Span` is a range in it. Every IR value, node and error carries a span, so that
messages, tracebacks and debug information name the user's own line.
"""

from __future__ import annotations

from tscript.late import dataclass, field


@dataclass(frozen=True, slots=True, eq=False)
class SourceFile:
    """Source that the compiler reads: a file, a notebook cell, a string.

    Args:
        name: The file name as the user knows it, for instance ``model.py`` or ``<ipython-input-3>``.
        text: The entire source. Empty when only positions are known (IR read from an archive without source).
    """

    name: str
    text: str = field(repr=False, default="")

    def line(self, number: int) -> str:
        """The text of line `number` (from 1), without its line end; empty when out of range."""
        # Lines as Python counts them: a form feed or a Unicode separator ends none.
        lines = self.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        return lines[number - 1] if 0 < number <= len(lines) else ""


@dataclass(frozen=True, slots=True)
class Span:
    """A range of source text: lines from 1, columns from 0 and counted in characters, the end exclusive.

    Args:
        source: The text.
        line, col: Where it begins.
        end_line, end_col: Where it ends.
        function: Name of the scripted function around it, as tracebacks print it.
        caller: For code that was inlined: the span of the call it came in by.
        module: Of a call of a module's method: where that module stands in the caller's own, ``layers.0``.

    Example:
        >>> Span(SourceFile("f.py", "x = 1"), 1, 4, 1, 5)
        f.py:1:5
    """

    source: SourceFile
    line: int
    col: int
    end_line: int
    end_col: int
    function: str = ""
    caller: Span | None = None
    module: str = ""

    def __repr__(self) -> str:
        return f"{self.source.name}:{self.line}:{self.col + 1}"

    def inlined_at(self, call: Span) -> Span:
        """This span as it appears after its function was inlined at `call`."""
        return self.called_by(call if self.caller is None else self.caller.inlined_at(call))

    def called_by(self, caller: Span) -> Span:
        """This span with another `caller`."""
        # Written out, since large functions have thousands: `replace` takes twice as long.
        return Span(self.source, self.line, self.col, self.end_line, self.end_col, self.function, caller, self.module)

    @property
    def module_path(self) -> str:
        """Where the module whose code this is stands in that of the function it was inlined into; empty: it is that
        one, or there is none.

        Example:
            >>> from dataclasses import replace
            >>> call = Span(SourceFile("f.py"), 1, 0, 1, 1, module="layers")
            >>> Span(SourceFile("f.py"), 2, 0, 2, 1, caller=replace(call, module="0", caller=call)).module_path
            'layers.0'
        """
        return ".".join(frame.module for frame in reversed(self.frames()[1:]) if frame.module)

    def frames(self) -> list[Span]:
        """This span and the calls it was inlined by, innermost first."""
        out: list[Span] = [self]
        while (caller := out[-1].caller) is not None:
            out.append(caller)
        return out


UNKNOWN = Span(SourceFile("<unknown>"), 1, 0, 1, 0)
"""The span of code without a source line (made by a builder or a pass)."""
