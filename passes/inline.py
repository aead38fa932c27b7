"""Replaces calls by the bodies they call, unless these are recursive or large.

Before::

    graph @main(%x: int) -> int {
      %0: int = call @twice(%x)
      return %0
    }
    graph @twice(%a: int) -> int {
      %0: int = add.int(%a, %a)
      return %0
    }

After::

    graph @main(%x: int) -> int {
      %0: int = add.int(%x, %x)
      return %0
    }

Each inlined node keeps its own place and records the call, so tracebacks show both functions. Nodes without a place in
the user's source (bodies of operators) get that of the call. Graphs that nothing calls any more are removed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar

from tscript.diagnostics import UNKNOWN, Span
from tscript.dialect.machine import FUNCTION
from tscript.ir.analysis import called_module
from tscript.ir.builder import Builder
from tscript.ir.graph import Call, Closure, Fork, Graph, Invoke, Node, Op, ParallelCall, Program, Value, walk
from tscript.ir.rewrite import rewrite
from tscript.ir.splicing import splice_graph
from tscript.late import dataclass, replace
from tscript.passes.base import Pass, PassContext, guarded
from tscript.passes.retyping import is_narrower, retype
from tscript.types import ScalarType, Type, dtype_of

MAX_ROUNDS = 8
"""The number of rounds in which calls of function values that became known are inlined."""


@dataclass(frozen=True, slots=True)
class Inline(Pass):
    """Inlines calls.

    Attributes:
        max_callee: Callees of at most this many nodes are inlined wherever they are called; larger ones where they are
            called only once. Bodies of operators always are.
        max_caller: Nothing more is inlined into a graph of more nodes than this.
        once: Whether a callee that is called in one place only is inlined whatever its size.
        max_depth: The maximum depth of inlining of a body, which is copied each time.
    """

    name: ClassVar[str] = "inline"

    max_callee: int = 100
    max_caller: int = 5000
    once: bool = True
    max_depth: int = 24

    def run(self, program: Program, context: PassContext) -> bool:
        """Callees first, so that inlined graphs are already complete. This may make the callee of a function value
        known."""
        changed = self._inline(program, context)
        for _ in range(MAX_ROUNDS):
            invoking = [g for g in program.graphs.values() if any(isinstance(n, Invoke) for n in walk(g.body))]
            rewritten = [rewrite(g.body, _direct) for g in invoking]
            if not any(rewritten):
                break
            changed = True
            self._inline(program, context)
        return changed

    def _inline(self, program: Program, context: PassContext) -> bool:
        changed = False
        calls = {name: list(needed_graphs(graph)) for name, graph in program.graphs.items()}
        if not any(calls.values()) and len(program.graphs) == 1:
            return changed
        order, recursive = _callees_first(program, calls)
        counts: dict[str, int] = {}
        for callees in calls.values():
            for callee in callees:
                counts[callee] = counts.get(callee, 0) + 1
        sizes: dict[str, int] = {}
        depths: dict[str, int] = {}
        for name in order:
            graph = program.graphs[name]
            if calls[name]:
                step = _Into(self, sizes, depths, counts, recursive)
                changed |= guarded(step, graph, program, context)
            sizes[name] = sum(1 for _ in walk(graph.body))
        return changed | drop_uncalled(program)


@dataclass(frozen=True, slots=True)
class _Into(Pass):
    """Inlines into one graph whose callees are done.

    Attributes:
        options: When to inline.
        sizes: How many nodes a graph has.
        depths: The depth of inlining into a graph; that of this graph is added.
        counts: How often a graph is called.
        recursive: Graphs that can reach themselves.
    """

    name: ClassVar[str] = "inline"

    options: Inline
    sizes: dict[str, int]
    depths: dict[str, int]
    counts: dict[str, int]
    recursive: frozenset[str]

    def run_graph(self, graph: Graph, program: Program, context: PassContext) -> bool:
        narrowed, depth = False, 0
        room = self.options.max_caller - sum(1 for _ in walk(graph.body))

        def visit(node: Node, builder: Builder) -> Sequence[Value] | None:
            nonlocal narrowed, room, depth
            if not isinstance(node, Call) or isinstance(node, ParallelCall) or node.callee in self.recursive:
                return None
            callee, size = program.graphs[node.callee], self.sizes[node.callee]
            small = size <= self.options.max_callee or (self.options.once and self.counts[node.callee] == 1)
            inner = self.depths.get(node.callee, 0)
            small = small and inner < self.options.max_depth
            if size > room or not (small or callee.span is UNKNOWN):
                return None
            if callee.fastmath != graph.fastmath and callee.span is not UNKNOWN and _computes(callee):
                return None  # each keeps its own arithmetic
            room -= size
            depth = max(depth, inner + 1)
            narrowed |= is_narrower(callee.body.params, node.inputs)
            module = called_module(node, graph)
            call = replace(node.span, module=module) if module else node.span
            result = splice_graph(builder, callee, node.inputs, node.span, span_of=called_at(call))
            if result is None:
                return ()
            narrowed |= is_narrower(node.outputs, [result])
            return (result,)

        changed = rewrite(graph.body, visit)
        self.depths[graph.name] = depth
        if narrowed:
            retype(graph, context.table)
        return changed


def _computes(graph: Graph) -> bool:
    """Whether there are floats in a graph."""
    return any(_is_float(v.type) for n in walk(graph.body) if isinstance(n, Op) for v in n.outputs)


def _is_float(type: Type) -> bool:
    dtype = type.dtype if isinstance(type, ScalarType) else dtype_of(type)
    return dtype is not None and dtype.is_floating_point


def _direct(node: Node, builder: Builder) -> Sequence[Value] | None:
    """A call of a function value that is known, as a call of the function."""
    if not isinstance(node, Invoke) or not isinstance(made := node.inputs[0].node, Closure):
        return None
    call = builder.append(Call(made.callee, [*made.inputs, *node.inputs[1:]], node.output.type, node.span))
    call.outputs[0].name = node.output.name
    return call.outputs


def called_at(call: Span) -> Callable[[Span], Span]:
    """Spans of what is inlined at `call`, each made once. They are found by identity: hashing one would hash all its
    callers."""
    known: dict[int, tuple[Span, Span]] = {}

    def inlined(span: Span) -> Span:
        found = known.get(id(span))
        if found is None:
            caller = call if span.caller is None else inlined(span.caller)
            found = known[id(span)] = (span, span.called_by(caller))  # the first keeps the number taken
        return found[1]

    return lambda span: call if span is UNKNOWN else inlined(span)


def drop_uncalled(program: Program) -> bool:
    """Remove the graphs that the entry does not reach; whether there were any."""
    reached = {program.main}
    pending = [program.main]
    while pending:
        for callee in needed_graphs(program.graphs[pending.pop()]):
            if callee not in reached:
                reached.add(callee)
                pending.append(callee)
    gone = [name for name in program.graphs if name not in reached]
    for name in gone:
        del program.graphs[name]
    return bool(gone)


def needed_graphs(graph: Graph) -> Iterator[str]:
    """The graphs that a graph needs: those that it calls or takes the address of."""
    for node in walk(graph.body):
        if isinstance(node, Call | Fork | Closure):
            yield node.callee
            if isinstance(node, ParallelCall) and node.join:
                yield node.join
        elif isinstance(node, Op) and node.op is FUNCTION:
            yield str(node.inputs[0].constant)


def _callees_first(program: Program, calls: dict[str, list[str]]) -> tuple[list[str], frozenset[str]]:
    """All graphs in an order in which callees precede callers, and those that can reach themselves."""
    order: list[str] = []
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    recursive: set[str] = set()
    for root in program.graphs:
        if root in index:
            continue
        work: list[tuple[str, Iterator[str]]] = []
        _enter(root, calls, index, low, stack, work)
        while work:
            name, rest = work[-1]
            for callee in rest:
                if callee not in index:
                    _enter(callee, calls, index, low, stack, work)
                    break
                if callee in stack:
                    low[name] = min(low[name], index[callee])
            else:
                work.pop()
                if work:
                    caller = work[-1][0]
                    low[caller] = min(low[caller], low[name])
                if low[name] == index[name]:
                    component = stack[stack.index(name) :]
                    del stack[stack.index(name) :]
                    order += reversed(component)
                    if len(component) > 1 or name in calls[name]:
                        recursive.update(component)
    return order, frozenset(recursive)


def _enter(
    name: str,
    calls: dict[str, list[str]],
    index: dict[str, int],
    low: dict[str, int],
    stack: list[str],
    work: list[tuple[str, Iterator[str]]],
) -> None:
    index[name] = low[name] = len(index)
    stack.append(name)
    work.append((name, iter(calls[name])))
