"""Peels the first iteration of loops after which carried tensors have known types.

Before, with ``%x: Tensor[float64, 1]``::

    %s: Tensor[float32, 0] = zeros((), None)
    %t: Tensor[?, 0] = for L0 %i: int in range(%start, %stop, %one) (%a: Tensor[?, 0] = %s) {
      %0: Tensor[float64, 0] = select.int(%x, %zero, %i)
      %1: Tensor[?, 0] = add(%a, %0, %one)
      continue L0 (%1)
    }

After::

    %some: bool = machine.lt(%start, %stop)
    %t: Tensor[?, 0] = if %some {
      %0: Tensor[float64, 0] = select.int(%x, %zero, %start)
      %1: Tensor[float64, 0] = add(%s, %0, %one)
      %second: int = machine.add(%start, %one)
      %2: Tensor[float64, 0] = for L0 %i: int in range(%second, %stop, %one) (%a: Tensor[float64, 0] = %1) {
        %3: Tensor[float64, 0] = select.int(%x, %zero, %i)
        %4: Tensor[float64, 0] = add(%a, %3, %one)
        continue L0 (%4)
      }
      yield %2
    } else {
      yield %s
    }

The operators of the loop that remains are compiled for these types, fused, or done in registers; before, they were
looked up in each iteration. Loops that gain nothing by it stay: tests like ``i == 0`` and carried optionals of numbers
are peeled by LLVM.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, final

from tscript.definitions.table import OperatorTable
from tscript.dialect import machine
from tscript.ir.builder import Builder
from tscript.ir.cloning import clone_nodes
from tscript.ir.graph import Block, Break, Continue, Division, For, Graph, Label, Node, Program, Value, walk
from tscript.ir.rewrite import rewrite
from tscript.late import dataclass
from tscript.passes.base import Pass, PassContext
from tscript.passes.loop_unrolling import is_short
from tscript.passes.retyping import retype
from tscript.types import INT, TensorType, Type, is_subtype

LIMIT = 1 << 63
"""The least int that is too large."""


@dataclass(frozen=True, slots=True)
class LoopPeeling(Pass):
    """Peels first iterations.

    Attributes:
        max_nodes: Loops with more nodes stay as they are.
        max_loops: So many loops of a graph are peeled.
    """

    name: ClassVar[str] = "loop_peeling"

    max_nodes: int = 200
    max_loops: int = 8

    def run_graph(self, graph: Graph, program: Program, context: PassContext) -> bool:
        """Inner loops first; the types of what follows become narrower."""
        if not any(isinstance(node, For) and _unknown(node) for node in walk(graph.body)):
            return False
        if not rewrite(graph.body, _Peeling(self, context.table).visit):
            return False
        retype(graph, context.table)
        return True


def _unknown(node: For) -> list[int]:
    """The carried tensors of unknown type that begin with a known one."""
    pairs = zip(node.body.params[1:], node.inputs[3:], strict=True)
    return [i for i, (param, init) in enumerate(pairs) if not _is_known(param.type) and _is_known(init.type)]


def _is_known(type: Type) -> bool:
    return not isinstance(type, TensorType) or (type.dtype is not None and type.rank is not None)


def _ends_plainly(node: For) -> bool:
    """Whether each iteration runs to its end."""
    end = node.body.nodes[-1]
    exits = [n for n in walk(node.body) if isinstance(n, Break | Continue) and n.label is node.label]
    return exits == [end] and isinstance(end, Continue)


def _number(value: Value) -> int:
    assert isinstance(value.constant, int)
    return value.constant


def _is_plain(node: For) -> bool:
    """Whether the loop counts ints by a known step."""
    return isinstance(node.inputs[2].constant, int) and node.body.params[0].type == INT


@final
class _Peeling:
    """The walk."""

    def __init__(self, options: LoopPeeling, table: OperatorTable) -> None:
        self.options = options
        self.table = table
        self.left = options.max_loops

    def visit(self, node: Node, builder: Builder) -> Sequence[Value] | None:
        """The rule for a loop."""
        if not isinstance(node, For) or node.division is not Division.NONE or not self.left or not _unknown(node):
            return None
        if not (is_short(node.body, self.options.max_nodes) and _is_plain(node) and _ends_plainly(node)):
            return None
        types = self.later(node)
        if types is None:
            return None
        self.left -= 1
        return self.peel(node, types, builder)

    def later(self, node: For) -> list[Type] | None:
        """The types of the carried values from the second iteration on, if that makes some of them known."""
        declared = [v.type for v in node.body.params[1:]]
        types = self.after(node, [v.type for v in node.inputs[3:]])
        for _ in range(len(types) + 1):
            found = self.after(node, types)
            kept = [a if is_subtype(b, a) else c for a, b, c in zip(types, found, declared, strict=True)]
            if kept == types:
                gained = any(_is_known(a) and not _is_known(b) for a, b in zip(types, declared, strict=True))
                return types if gained else None
            types = kept
        return None

    def after(self, node: For, types: Sequence[Type]) -> list[Type]:
        """The types of the carried values after an iteration that begins with others."""
        declared = [v.type for v in node.body.params[1:]]
        scratch = Graph("iteration")
        params = [Value(INT), *map(Value, types)]
        scratch.body.nodes = clone_nodes(node.body.nodes, dict(zip(node.body.params, params, strict=True)))
        retype(scratch, self.table)
        end = scratch.body.nodes[-1]
        if not isinstance(end, Continue):  # an operator is refused
            return declared
        return [v.type if is_subtype(v.type, d) else d for v, d in zip(end.inputs, declared, strict=True)]

    def peel(self, node: For, types: Sequence[Type], builder: Builder) -> Sequence[Value]:
        """The first iteration, if there is one, and the others."""
        start, stop, step = node.inputs[:3]
        some = builder.op(machine.LT if _number(step) > 0 else machine.GT, start, stop, name="some")
        with builder.if_(some, [v.type for v in node.outputs], span=node.span) as branch:
            with branch.then:
                values = self.first(node, builder)
                second = self.second(node, builder)
                body = Block([Value(INT, node.body.params[0].name), *self.carried(node, types)])
                label = Label(node.label.name)
                rest = For(label, second, stop, step, values, body, node.span)
                body.nodes = clone_nodes(node.body.nodes, dict(zip(node.body.params, body.params, strict=True)))
                end = body.nodes[-1]
                assert isinstance(end, Continue)
                end.label = label
                for output, type in zip(rest.outputs, types, strict=True):
                    output.type = type
                builder.append(rest)
                builder.yield_(*rest.outputs, span=node.span)
            with branch.orelse:
                builder.yield_(*node.inputs[3:], span=node.span)
        for output, old in zip(branch.outputs, node.outputs, strict=True):
            output.name = old.name
        return branch.outputs

    def second(self, node: For, builder: Builder) -> Value:
        """The counter of the second iteration; where it overflows there is none."""
        start, stop, step = node.inputs[:3]
        found = builder.op(machine.ADD, start, step, name="second")
        if abs(_number(step)) == 1 or (isinstance(start.constant, int) and abs(start.constant + _number(step)) < LIMIT):
            return found
        return builder.op(machine.SELECT, builder.op(machine.ADD_OVERFLOWS, start, step), stop, found)

    def first(self, node: For, builder: Builder) -> list[Value]:
        """The first iteration; gives what it carries on."""
        params = dict(zip(node.body.params, [node.inputs[0], *node.inputs[3:]], strict=True))
        *nodes, end = clone_nodes(node.body.nodes, params)
        scratch = Graph("first")
        scratch.body.nodes = [*nodes, end]
        retype(scratch, self.table)
        builder.block.nodes += scratch.body.nodes[:-1]
        return list(scratch.body.nodes[-1].inputs)

    def carried(self, node: For, types: Sequence[Type]) -> list[Value]:
        return [Value(type, param.name) for type, param in zip(types, node.body.params[1:], strict=True)]


__all__ = ["LoopPeeling"]
