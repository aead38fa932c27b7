"""Lets strings and lists grow in place if their old value is not used again.

Before::

    %s.3: str = add.str(%s.2, %piece)
    %0: None = release(%s.2)

After::

    %1: int = const 1
    %s.3: str = append_to.str(%s.2, %piece, %1)
    %0: None = release(%s.2)

``a + b`` copies both, so a loop that builds a string piece by piece copies it each time. If `a` is released right after
the operator, the kernel may append `b` in place, if no other reference to `a` is left; it tests the refcount at run
time. The same holds for an element of a container that the result replaces (in programs without tasks)::

    %e: list[int] = getitem.dict(%d, %k)
    %r: list[int] = append_to.list(%e, %more, %2)     # one reference is the dict's, the other one ours
    %0: None = release(%e)
    %3: None = setitem.dict(%d, %k, %r)

This pass comes after all others, because it reads the refcount operations that they leave.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from tscript.definitions.absent import MISSING
from tscript.definitions.opdef import Native, NativeCall, PythonCall
from tscript.ir.analysis import walk_blocks
from tscript.ir.graph import Block, Const, Fork, Graph, Node, Op, Program, Value, walk
from tscript.late import dataclass, replace
from tscript.operators.python.appending import APPENDING
from tscript.operators.python.references import BORROWS, REFERENCES, RELEASE, RETAIN
from tscript.passes.base import Pass, PassContext, guarded
from tscript.types import BOOL, BYTES, FLOAT, INT, STR, DictType

TAKES = {
    "getitem.list": ("setitem.list", "set_item_in.list"),
    "item_in.list": ("setitem.list", "set_item_in.list"),
    "getitem.dict": ("setitem.dict",),
    "get_field.object": ("set_field.object",),
}
"""Operators that read an element of a container, and those that replace it."""

_PLAIN_KEYS = (INT, STR, BOOL, BYTES, FLOAT)
"""Keys whose comparison calls no method of a class."""


@dataclass(frozen=True, slots=True)
class AppendInPlace(Pass):
    """Turns an ``add`` that is the last use of its operand into ``append_to``.

    Attributes:
        shared: Whether there may be tasks that read what is appended to.
    """

    name: ClassVar[str] = "append_in_place"
    shared: bool = True

    def run(self, program: Program, context: PassContext) -> bool:
        """All graphs; the program is searched for tasks once."""
        joining = [g for g in program.graphs.values() if any(map(_is_joining, walk(g.body)))]
        # A task may read a container while its element grows.
        shared = bool(joining) and any(isinstance(n, Fork) for g in program.graphs.values() for n in walk(g.body))
        step = self if shared == self.shared else replace(self, shared=shared)
        changed = False
        for graph in joining:
            changed |= guarded(step, graph, program, context)
        return changed

    def run_graph(self, graph: Graph, program: Program, context: PassContext) -> bool:
        """One walk over all blocks."""
        uses: dict[Value, int] = {}
        for node in walk(graph.body):
            if not _is_count(node):
                for value in node.inputs:
                    uses[value] = uses.get(value, 0) + 1
        changed = False
        for block in walk_blocks(graph.body):
            added = 0
            for i, node in enumerate(list(block.nodes)):
                if isinstance(node, Op) and _is_joining(node):
                    owners = _owners(block, i + added, node, {} if self.shared else uses)
                    if owners:
                        _replace(block, i + added, node, owners)
                        added += 1
            changed |= added > 0
        return changed


def _is_joining(node: Node) -> bool:
    return isinstance(node, Op) and node.op.name in APPENDING


def _is_count(node: Node) -> bool:
    return isinstance(node, Op) and node.op in REFERENCES


def _owners(block: Block, at: int, node: Op, uses: dict[Value, int]) -> int:
    """The refcount of the first input at which it can be reused; 0 if it cannot."""
    first = node.inputs[0]
    for behind in block.nodes[at + 1 :]:
        if not _is_count(behind):
            break
        if behind.inputs[0] is first and isinstance(behind, Op) and behind.op is RELEASE:
            return _replaced(block, at, node, uses) or 1
    return _replaced(block, at, node, uses)


def _replaced(block: Block, at: int, node: Op, uses: dict[Value, int]) -> int:
    """The same for an element of a container that the result replaces; 0 without `uses`."""
    first = node.inputs[0]
    taken = first.node
    if not isinstance(taken, Op) or taken.op.name not in TAKES or uses.get(first) != 1:
        return 0
    if isinstance(taken.inputs[0].type, DictType) and taken.inputs[0].type.key not in _PLAIN_KEYS:
        return 0
    nodes = block.nodes
    start = at - 1
    while start >= 0 and nodes[start] is not taken:
        if not _is_quiet(nodes[start], taken):
            return 0
        start -= 1
    end = at + 1
    while end < len(nodes) and not _puts(nodes[end], taken, node):
        if not _is_quiet(nodes[end], taken) or _uses_another(nodes[end], first, node.output):
            return 0
        end += 1
    if start < 0 or end == len(nodes):
        return 0
    counts = [n.op for n in nodes[start:at] if isinstance(n, Op) and _is_count(n) and n.inputs[0] is first]
    own = 0 if taken.op.name in BORROWS else 1
    return 1 + own + counts.count(RETAIN) - counts.count(RELEASE)


def _puts(node: Node, taken: Op, result: Op) -> bool:
    """Whether `node` stores `result` where `taken` was read from."""
    if not isinstance(node, Op) or node.op.name not in TAKES[taken.op.name] or len(node.inputs) != 3:
        return False
    same = all(map(_is_same, node.inputs[:2], taken.inputs[:2]))
    return same and node.inputs[2] is result.outputs[0]


def _is_same(a: Value, b: Value) -> bool:
    return a is b or (a.constant is not MISSING and a.type == b.type and repr(a.constant) == repr(b.constant))


def _is_quiet(node: Node, taken: Op) -> bool:
    """Whether a node neither runs code of the program nor reads the container."""
    if isinstance(node, Const) or _is_count(node):
        return True
    if not isinstance(node, Op) or isinstance(node.op.implementation, PythonCall | NativeCall):
        return False
    disturbs = isinstance(node.op.implementation, Native) and node.op.effects.world
    return not disturbs and taken.inputs[0] not in node.inputs


def _uses_another(node: Node, first: Value, result: Value) -> bool:
    """Whether a node uses a value that may be the same object as `first`: it may be borrowed, and grows with it."""
    return not _is_count(node) and any(v.type == first.type and v not in (first, result) for v in node.inputs)


def _replace(block: Block, at: int, node: Op, owners: int) -> None:
    count = Const(owners, INT, node.span)
    node.op = APPENDING[node.op.name]
    inputs: Sequence[Value] = (*node.inputs, count.output)
    node.inputs = list(inputs)
    block.nodes.insert(at, count)


__all__ = ["AppendInPlace"]
