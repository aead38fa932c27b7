"""Simplifies small patterns of operators: identities, inverses, casts there and back.

Before::

    %0: Tensor[float32, 2] = t(%x)
    %1: Tensor[float32, 2] = t(%0)
    %2: int = const 0
    %3: int = add.int(%n, %2)
    %4: bool = not.bool(%c)
    %5: bool = not.bool(%4)
    %6: tuple[int, int] = tuple.make(%3, %n)
    %7: int = tuple.get(%6, %2)
    %8: tuple[Tensor[float32, 1], Tensor[int64, 1]] = max.dim(%x, %n, %c)
    %9: Tensor[float32, 1] = tuple.get(%8, %2)

After, `%x` replaces `%1`, `%n` replaces `%3` and `%7`, and `%c` replaces `%5`; `%9` is
``max_values(%x, %n, %c)``. If a program can distinguish `%1` from
`%x` (it returns it, or tests ``is``), ``alias(%x)`` replaces it.

One rule per operator, as data: `RULES`. No rule changes a result: ``x + 0`` is an identity of ints but not of floats
(it makes ``-0.0`` positive), ``x * 1`` is one of both. A rule that looks through a tensor that was computed earlier
makes sure that what it then reads has not been written to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from tscript.definitions.opdef import SAME_DTYPE_IS_SELF, OpDef
from tscript.dialect import machine
from tscript.ir.builder import Builder
from tscript.ir.graph import Graph, If, Node, Op, Program, Value
from tscript.ir.rewrite import rewrite
from tscript.late import dataclass
from tscript.passes.base import Pass, PassContext
from tscript.passes.peephole_conversions import CONVERSIONS
from tscript.passes.peephole_numbers import NUMBERS
from tscript.passes.peephole_tensors import TENSORS, cast
from tscript.passes.peephole_tuples import TUPLES
from tscript.passes.peephole_window import Rule, Window


@dataclass(frozen=True, slots=True)
class Peephole(Pass):
    """Applies the rules once, forwards.

    Attributes:
        portable: Whether the result is for files, which have no operators that the compiler makes for itself.
    """

    name: ClassVar[str] = "peephole"

    portable: bool = False

    def run_graph(self, graph: Graph, program: Program, context: PassContext) -> bool:
        """One walk."""
        walk = _Walk(graph, context, self.portable)
        return rewrite(graph.body, walk.visit) or walk.swapped


class _Walk:
    """One walk over a graph.

    Attributes:
        window: The context of the rules.
        swapped: Whether branches were swapped.
        portable: See `Peephole`.
    """

    __slots__ = ("negation", "portable", "rules", "swapped", "window")

    def __init__(self, graph: Graph, context: PassContext, portable: bool) -> None:
        self.portable = portable
        self.window = Window(graph, context)
        self.rules = context.by_operator(RULES)
        self.negation = context.by_operator(_NEGATIONS)
        self.swapped = False

    def visit(self, node: Node, builder: Builder) -> Sequence[Value] | None:
        """For `rewrite`."""
        if isinstance(node, Op):
            rule = self.rules.get(node.op) or self.rule_of_tags(node.op)
            if rule is not None:
                self.window.builder = builder
                found = rule(node, self.window)
                if found is not None and found.type == node.outputs[0].type and not self.is_refused(found):
                    return (found,)
        elif isinstance(node, If):
            self.positive(node)
        return None

    def is_refused(self, found: Value) -> bool:
        """Whether a file may not have the operator that a rule has made; it is dead code then."""
        return self.portable and isinstance(found.node, Op) and not found.node.op.portable

    def rule_of_tags(self, op: OpDef) -> Rule | None:
        """The first rule of `_TAGGED` for a tag of `op`."""
        tags = op.tags
        return next((rule for tag, rule in _TAGGED.items() if tag in tags), None) if tags else None

    def positive(self, node: If) -> None:
        """Swap the branches of an `If` on a negation."""
        cond = node.inputs[0].node
        if isinstance(cond, Op) and (cond.op is machine.NOT or cond.op in self.negation):
            node.inputs[0] = cond.inputs[0]
            node.then, node.orelse = node.orelse, node.then
            self.swapped = True


RULES: Mapping[str, Rule] = {**NUMBERS, **TUPLES, **TENSORS, **CONVERSIONS}
"""Qualified name of an operator to its rule."""

_NEGATIONS: Mapping[str, None] = {"not.bool": None, "logical_not.bool": None}

_TAGGED: Mapping[str, Rule] = {SAME_DTYPE_IS_SELF: cast}
"""Rules for all operators with a tag, in the order in which they are tried."""
