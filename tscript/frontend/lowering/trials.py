"""`Trial`: lowering that can be undone. It restores the state at a point, including the `Findings` of the function
(`tscript.frontend.lowering.findings`).

Some code is lowered more than once: a loop whose names need wider types, an expression whose type is needed first, a
    function that reads containers before their types are known. The results of the discarded lowering
must be forgotten, including errors, because the next one finds them again. Errors in *called* functions must be kept:
such a function is lowered once and is finished the next time.

So each error belongs to its function, each function records the functions it uses, and both are undone together. A
program consists only of the functions that its entry uses, directly or not, and has the errors of all of them. So no
program contains a function with an error.
"""

from __future__ import annotations

from collections.abc import Sequence

from tscript.frontend.lowering.frames import LoopExits
from tscript.frontend.lowering.lowering import Lowering


class Trial:
    """The state of lowering a function at a point, to which it can return.

    Args:
        lowering: The function.
        exits: Exits of enclosing loops that `lowering` does not know of yet.
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
        """Restore the state. Functions that have been lowered since stay lowered."""
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
