"""What lowering can take back: `Findings` of one function, and `Trial`, which goes back to how everything was at a
point.

Some code is lowered more than once: a loop whose names turn out to need wider types, an expression whose type is asked
for first, a function whose containers were read before it was known what they hold. What the lowering that is thrown
away said must be forgotten, errors included, for the next one says it again. Errors in the functions that it *called*
must not be: such a function is lowered once and found finished the next time.

So each error belongs to the function it stands in, each function keeps which functions it uses, and both are taken back
together. A program has the errors of all functions that its entry uses, directly or not, and consists of these
functions alone: a function with an error is in no program, however it came to be lowered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tscript.diagnostics import Diagnostic, InternalError, Span

if TYPE_CHECKING:
    from tscript.frontend.lowering.control import LoopExits
    from tscript.frontend.lowering.lowering import Lowering

Mark = tuple[int, int, int]
"""A point in the `Findings` of a function."""


@dataclass(slots=True, eq=False)
class Findings:
    """What lowering a function has come to, besides its graph.

    Attributes:
        diagnostics: The errors in it.
        uses: Those of the functions it uses, in the order in which it does.
        abandoned: Where statements have been left because of an error, in it or in what it uses.
        is_clean: There is no error in it, nor in what it uses, and never will be.
    """

    diagnostics: list[Diagnostic] = field(default_factory=list)
    uses: list[Findings] = field(default_factory=list)
    abandoned: list[Span] = field(default_factory=list)
    is_clean: bool = False

    def mark(self) -> Mark:
        """A point that `take_back` goes back to."""
        return len(self.diagnostics), len(self.uses), len(self.abandoned)

    def take_back(self, mark: Mark) -> None:
        """Forget what was found since."""
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
        """Raise unless for all that was left out, here or in what is used, an error says why.

        Raises:
            InternalError: Something was left out of a function silently. Nothing must be compiled then.
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


class Trial:
    """How the lowering of a function is when this is made, so that what is lowered afterwards can be taken back.

    Args:
        lowering: The function.
        exits: Ways out of loops around that `lowering` does not know of yet.
    """

    def __init__(self, lowering: Lowering, exits: Sequence[LoopExits] = ()) -> None:
        self._lowering = lowering
        self._block, self._nodes = lowering.block, len(lowering.block.nodes)
        self._scope = dict(lowering.scope)
        self._findings = lowering.program.findings.mark()
        self._go_back = lowering.snapshot()
        loops = [e for frame in lowering.loops for e in (frame.exits, frame.own)]
        tries = [frame.exits for frame in lowering.tries]
        finals = [e for frame in lowering.finals for e in frame.ways.values()]
        everything = {id(e): e for e in (*exits, *loops, *tries, *finals)}
        self._exits = [
            (e, len(e.found), set(e.reported), dict(e.widened), set(e.forgotten)) for e in everything.values()
        ]
        self._changed = [(frame, dict(frame.changed)) for frame in lowering.tries]

    def take_back(self) -> None:
        """Go back. Functions that have been lowered since stay lowered."""
        lowering = self._lowering
        del self._block.nodes[self._nodes :]
        lowering.block, lowering.scope = self._block, dict(self._scope)
        lowering.program.findings.take_back(self._findings)
        self._go_back()
        for exits, found, reported, widened, forgotten in self._exits:
            del exits.found[found:]
            exits.reported, exits.widened, exits.forgotten = set(reported), dict(widened), set(forgotten)
        for frame, changed in self._changed:
            frame.changed = dict(changed)
