"""`Findings`: the results of lowering a function, besides its graph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tscript.diagnostics import Diagnostic, InternalError, Span
from tscript.late import dataclass, field

Mark = tuple[int, int, int]
"""A point in the `Findings` of a function."""


@dataclass(slots=True, eq=False)
class Findings:
    """The results of lowering a function, besides its graph.

    Attributes:
        diagnostics: Its errors.
        uses: The findings of the functions it uses, in order of first use.
        abandoned: Places of statements that were left because of an error, in it or in a function it uses.
        is_clean: Neither it nor a function it uses has an error, or can get one.
    """

    diagnostics: list[Diagnostic] = field(default_factory=list)
    uses: list[Findings] = field(default_factory=list)
    abandoned: list[Span] = field(default_factory=list)
    is_clean: bool = False

    def mark(self) -> Mark:
        """A point to which `take_back` returns."""
        return len(self.diagnostics), len(self.uses), len(self.abandoned)

    def take_back(self, mark: Mark) -> None:
        """Forget the findings since then."""
        diagnostics, uses, abandoned = mark
        del self.diagnostics[diagnostics:], self.uses[uses:], self.abandoned[abandoned:]

    def has_errors(self, since: Mark = (0, 0, 0)) -> bool:
        """Whether there are errors in the function, or in one that it uses, directly or not."""
        diagnostics, uses, _ = since
        return len(self.diagnostics) > diagnostics or any(
            f.diagnostics for f in reachable([f for f in self.uses[uses:] if not f.is_clean])
        )

    def errors(self) -> list[Diagnostic]:
        """The errors in the function and in those that it uses, directly or not."""
        return [diagnostic for findings in reachable([self]) for diagnostic in findings.diagnostics]

    def check_nothing_lost(self) -> None:
        """Raise if something was left out, here or in a used function, without an error.

        Raises:
            InternalError: Something was left out of a function silently, so the program must not be compiled.
        """
        for findings in reachable([self]):
            if findings.abandoned and not findings.has_errors():
                raise InternalError("a statement was left out although no error was found in it", findings.abandoned[0])


def reachable(roots: Sequence[Findings]) -> Iterator[Findings]:
    """Some functions and those that they use, directly or not, each once."""
    seen: set[int] = set()
    pending = list(reversed(roots))
    while pending:
        findings = pending.pop()
        if id(findings) not in seen:
            seen.add(id(findings))
            yield findings
            pending += reversed(findings.uses)
