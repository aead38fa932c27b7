"""Replaces custom operators that have a body in the language by calls of the body, so that an archive needs no library
for them.

Before, with ``mylib::twice`` defined as ``x + x``::

    graph @f(%x: Tensor) -> Tensor {
      %0: Tensor = mylib::twice(%x)
      return %0
    }

After::

    graph @f(%x: Tensor) -> Tensor {
      %0: Tensor = call @mylib.twice(%x)
      return %0
    }
    graph @mylib.twice(%x: Tensor) -> Tensor {
      %0: Tensor = add(%x, %x, 1)
      return %0
    }

Bodies are inserted as they were lowered, for any dtype and rank. They may use such operators themselves. Those that are
built in stay: every tscript has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from tscript.definitions.opdef import Composite
from tscript.ir.builder import Builder
from tscript.ir.cloning import clone_graph
from tscript.ir.graph import Call, Closure, Fork, Graph, Node, Op, Program, Value, walk
from tscript.ir.rewrite import rewrite
from tscript.late import dataclass
from tscript.passes.base import Pass, PassContext
from tscript.types import TENSOR, TensorType, TupleType, Type


def is_expandable(node: Node) -> bool:
    """Whether a node is a custom operator with a body."""
    return isinstance(node, Op) and node.op.library is not None and isinstance(node.op.implementation, Composite)


@dataclass(frozen=True, slots=True)
class ExpandCustom(Pass):
    """Inserts bodies of custom operators into the program."""

    name: ClassVar[str] = "expand_custom"

    def run(self, program: Program, context: PassContext) -> bool:
        """See `Pass`."""
        made: dict[tuple[object, ...], Graph] = {}
        pending = list(program.graphs.values())
        changed = False
        while pending:
            graph = pending.pop()
            if not any(map(is_expandable, walk(graph.body))):
                continue

            def visit(node: Node, builder: Builder) -> Sequence[Value] | None:
                if not isinstance(node, Op) or not is_expandable(node):
                    return None
                types = [_generic(v.type) for v in node.inputs]
                key = (node.op, *types)
                if key not in made:
                    assert isinstance(node.op.implementation, Composite)
                    body = context.body(node.op.implementation.body, types, node.op.name)
                    new = _take_over(program, body, node.op.name.replace("::", "."))
                    made[key] = new[0]
                    pending.extend(new)
                callee = made[key]
                call = builder.append(Call(callee.name, node.inputs, callee.result, node.span))
                call.outputs[0].name = node.output.name
                return call.outputs

            changed |= rewrite(graph.body, visit)
        return changed


def _take_over(program: Program, body: Program, name: str) -> list[Graph]:
    """Copies of the graphs of `body` in `program`, under names of their own; the entry, called `name`, first."""
    names: dict[str, str] = {}
    for old in (body.main, *(n for n in body.graphs if n != body.main)):
        wanted = found = name if old == body.main else old
        n = 1
        while found in program.graphs or found in names.values():
            n += 1
            found = f"{wanted}_{n}"
        names[old] = found
    copies = [clone_graph(body.graphs[old], new) for old, new in names.items()]
    for copy in copies:
        for node in walk(copy.body):
            if isinstance(node, Call | Fork | Closure):
                node.callee = names[node.callee]
        program.graphs[copy.name] = copy
    return copies


def _generic(type: Type) -> Type:
    """`type` without dtypes and ranks."""
    if isinstance(type, TupleType):
        return TupleType(tuple(map(_generic, type.elements)), type.named)
    return TENSOR if isinstance(type, TensorType) else type
