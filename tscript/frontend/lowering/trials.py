"""`Trial`: what lowering can take back. It goes back to how everything was at a point, the `Findings` of the function
(`tscript.frontend.lowering.findings`) among it.

Some code is lowered more than once: a loop whose names turn out to need wider types, an expression whose type is asked
for first, a function whose containers were read before it was known what they hold. What the lowering that is thrown
away said must be forgotten, errors included, for the next one says it again. Errors in the functions that it *called*
must not be: such a function is lowered once and found finished the next time.

So each error belongs to the function it stands in, each function keeps which functions it uses, and both are taken back
together. A program has the errors of all functions that its entry uses, directly or not, and consists of these
functions alone: a function with an error is in no program, however it came to be lowered.
"""

from __future__ import annotations

from collections.abc import Sequence

from tscript.frontend.lowering.frames import LoopExits
from tscript.frontend.lowering.lowering import Lowering


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
