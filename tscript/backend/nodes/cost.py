"""The cost between two safepoints: a static estimate per loop body, and how each loop counts its iterations.

A function counts down from a budget (`BUDGET` by default) in a register. A loop nest that is known to be short does not
count. An innermost `For` runs in chunks of the remaining budget, so that its body contains no counting and can be
vectorised. Every other loop subtracts the cost of its body on each back edge.
"""

from __future__ import annotations

from tscript.definitions.opdef import Extern, Leaf, Structural
from tscript.ir.analysis import trip_count
from tscript.ir.graph import Block, Call, Closure, Const, For, Fork, Fused, If, Invoke, Loop, Node, Op, Try
from tscript.late import dataclass
from tscript.operators.python.references import REFERENCES

BUDGET = 1 << 16
"""Iterations of a cheap loop between two safepoints: tens of microseconds."""

CALL_COST = 16
"""A call of a scripted function."""

KERNEL_COST = 256
"""A tensor operator."""

IN_PLACE_COST = 2
"""An operator of `IN_PLACE`."""

IN_PLACE = frozenset(
    {
        *("len.str", "len.bytes", "len.list", "len.dict", "len.set", "has_item.list", "getitem.list", "setitem.list"),
        *("item_in.list", "set_item_in.list", "code_in.str"),
        *("code_at.str", "isalnum.code", "isalpha.code", "isdigit.code", "isspace.code"),
        *("append.list", "entry_key.dict", "entry_key.set", "entry_value.dict", "get_field.object", "set_field.object"),
    }
)
"""Operators of the native library that are a few inline instructions. Loops with only such operators run in chunks, so
they contain no call and fields of lists stay in registers."""


@dataclass(frozen=True, slots=True)
class Uncounted:
    """The loop is short: no counting."""


@dataclass(frozen=True, slots=True)
class Chunked:
    """An innermost `For`: split into chunks."""


@dataclass(frozen=True, slots=True)
class Counted:
    """Subtract `cost` on each back edge."""

    cost: int


Plan = Uncounted | Chunked | Counted


class Costs:
    """Costs and plans of the loops of one graph, computed on demand."""

    __slots__ = ("_budget", "_enabled", "_plans")

    def __init__(self, enabled: bool = True, budget: int = BUDGET) -> None:
        self._enabled = enabled
        self._budget = budget
        self._plans: dict[Node, Plan] = {}

    def plan(self, loop: Loop | For) -> Plan:
        """How `loop` counts."""
        if not self._enabled:
            return Uncounted()
        if loop not in self._plans:
            self._of_loop(loop)
        return self._plans[loop]

    def _of_loop(self, loop: Loop | For) -> int:
        """Cost of the entire loop for the enclosing code; 1 if it counts on its own."""
        body = self._of_block(loop.body)
        if isinstance(loop, For):
            trips = trip_count(loop)
            if trips is not None and trips * body <= self._budget and not self._has_counting(loop.body):
                self._plans[loop] = Uncounted()
                return max(1, trips * body)
            if not any(isinstance(n, Loop | For) for n in _nested(loop.body)) and body < CALL_COST * 8:
                self._plans[loop] = Chunked()
                return 1
        self._plans[loop] = Counted(min(body, self._budget))
        return 1

    def _of_block(self, block: Block) -> int:
        total = 1
        for node in block.nodes:
            match node:
                case Const():
                    pass
                case Op() if node.op in REFERENCES:
                    pass
                case Op():
                    total += self.of_op(node)
                case Call() | Fork() | Closure() | Invoke():
                    total += CALL_COST
                case Fused():
                    total += KERNEL_COST
                case If():
                    total += max(self._of_block(node.then), self._of_block(node.orelse))
                case Try():
                    total += sum(map(self._of_block, node.blocks))
                case Loop() | For():
                    total += self._of_loop(node)
        return total

    @staticmethod
    def of_op(node: Op) -> int:
        """Cost of one operator."""
        if isinstance(node.op.implementation, Leaf | Structural | Extern):
            return 1
        return IN_PLACE_COST if node.op.name in IN_PLACE else KERNEL_COST

    def _has_counting(self, block: Block) -> bool:
        return any(isinstance(n, Loop | For) and not isinstance(self._plans[n], Uncounted) for n in _nested(block))


def calls_library(block: Block) -> bool:
    """Whether a block, or a nested one outside of loops, calls the native library or a kernel."""
    return any(
        isinstance(n, Fused)
        or (isinstance(n, Op) and Costs.of_op(n) == KERNEL_COST)
        or (not isinstance(n, Loop | For | Fused) and any(map(calls_library, n.blocks)))
        for n in block.nodes
    )


def _nested(block: Block) -> list[Node]:
    found: list[Node] = []
    pending = [block]
    while pending:
        for node in pending.pop().nodes:
            found.append(node)
            pending.extend(() if isinstance(node, Fused) else node.blocks)
    return found
