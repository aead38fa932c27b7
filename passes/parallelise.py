"""Divides loops among threads: the body of a ``prange`` loop becomes a graph of its own, which is called for parts of
the range.

Before::

    %1: float = prange L0 %i: int in range(%zero, %n, %one) (%s: float = %start) {
      %2: float = getitem.list(%xs, %i)
      %3: float = add.float(%s, %2)
      continue L0 (%3)
    }

After::

    %0: float = parallel @f.prange0(%zero, %n, %one, %xs) work 6 join @f.prange0.join
    %1: float = add.float(%start, %0)

    graph @f.prange0(%start: int, %stop: int, %step: int, %xs: list[float]) -> float {
      %none: float = const -0.0
      %0: float = for L0 %i: int in range(%start, %stop, %one) (%s: float = %none) { ... }
      return %0
    }

    graph @f.prange0.join(%a: float, %b: float) -> float { ... }

The loop is refused where iterations are not known to be independent (`tscript.passes.independence`). What only the run
knows, such as whether two arrays have memory in common, is asked before the loop; if it says no, the graph is called
once. A loop that may be divided, but need not, stays as it is in both cases, and where rounding would be another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, final

from tscript.diagnostics import Diagnostic, compile_error
from tscript.dialect import machine
from tscript.ir.analysis import defined_values, trip_count
from tscript.ir.builder import Builder
from tscript.ir.cloning import clone_block, clone_nodes
from tscript.ir.graph import (
    Block,
    Call,
    Const,
    Continue,
    Division,
    For,
    Fused,
    Graph,
    If,
    Label,
    Loop,
    Node,
    Op,
    ParallelCall,
    Param,
    Program,
    Return,
    Value,
    Yield,
    walk,
)
from tscript.ir.rewrite import replace_values
from tscript.late import dataclass
from tscript.operators.python.classes import IS_SAME
from tscript.operators.python.elements import BOOL_OF, CONVERT
from tscript.passes import random_streams
from tscript.passes.affine import Affine
from tscript.passes.base import Pass, PassContext
from tscript.passes.independence import Verdict, independence
from tscript.passes.lengths import is_alone
from tscript.passes.loop_invariant_code_motion import LoopInvariantCodeMotion
from tscript.passes.loop_results import Fold
from tscript.passes.random_streams import needs_numpy
from tscript.types import BOOL, FLOAT, NONE, ListType, ScalarType, TupleType, Type

FAR = 1 << 40
"""Counters and terms below this leave sums with small factors far from the end of the ints."""

_UNKNOWN_TRIPS = 64
"""How many iterations an inner loop has whose range is not known."""

_CALL_WORK = 50
"""Some nanoseconds."""

_COPY_WORK = 16
"""Of an element of an array of which threads have copies."""

_LARGEST_COPY = 1 << 20
"""Elements of such an array."""


@dataclass(frozen=True, slots=True)
class Parallelise(Pass):
    """Divides loops among threads."""

    name: ClassVar[str] = "parallelise"

    def run_graph(self, graph: Graph, program: Program, context: PassContext) -> bool:
        """The outermost loops that may be divided."""
        if not any(isinstance(n, For) and n.division is not Division.NONE for n in walk(graph.body)):
            return False
        # Arrays in fields of instances are values from before the loop then.
        LoopInvariantCodeMotion(alone=is_alone(program)).run_graph(graph, program, context)
        dividing = _Dividing(graph, program, context)
        dividing.run()
        if dividing.problems:
            raise compile_error(dict.fromkeys(dividing.problems))
        return True


@final
class _Dividing:
    """One walk over a graph."""

    def __init__(self, graph: Graph, program: Program, context: PassContext) -> None:
        self._graph = graph
        self._program = program
        self._context = context
        self.problems: list[Diagnostic] = []
        self._mapping: dict[Value, Value] = {}

    def run(self) -> None:
        """The whole graph."""
        self._block(self._graph.body)
        replace_values(self._graph.body, self._mapping)

    def _block(self, block: Block) -> None:
        """The loops of a block."""
        out: list[Node] = []
        for node in block.nodes:
            if isinstance(node, For) and node.division is not Division.NONE:
                replaced = self._loop(node)
                if replaced is not None:
                    out += replaced
                    continue
            for inner in node.blocks:
                if not isinstance(node, Fused):
                    self._block(inner)
            out.append(node)
        block.nodes = out

    def _loop(self, loop: For) -> list[Node] | None:
        """What stands in the place of a loop; None: it stays."""
        required = loop.division is Division.REQUIRED
        loop.division = Division.NONE
        verdict = independence(loop, self._graph, self._program)
        if verdict.problems:
            self.problems += verdict.problems if required else ()
            return None
        folds = zip(verdict.folds, loop.outputs, strict=True)
        if not required and (verdict.generators or verdict.draws_global):
            return None
        if not required and any(fold.starts_anew and _is_rounded(v) for fold, v in folds):
            return None
        for node in walk(loop.body):
            if isinstance(node, For):
                node.division = Division.NONE
        outline = _Outline(loop, verdict, self._graph, self._program, self._context)
        nodes = outline.nodes()
        self._mapping.update(outline.mapping)
        return nodes


def _is_rounded(value: Value) -> bool:
    return value.type == FLOAT or (isinstance(value.type, ScalarType) and value.type.dtype.is_floating_point)


@final
class _Outline:
    """Makes the graphs of one loop, and what calls them."""

    def __init__(self, loop: For, verdict: Verdict, graph: Graph, program: Program, context: PassContext) -> None:
        self._loop = loop
        self._verdict = verdict
        self._program = program
        self._context = context
        self._types = [v.type for v in loop.outputs]
        self._fastmath = graph.fastmath
        self.mapping: dict[Value, Value] = {}
        """By result of the loop, what is in its place."""
        number = 0
        while (name := f"{graph.name}.prange{number}") in program.graphs:
            number += 1
        self._name = name
        self._params = loop.body.params[1:]
        self._drawn: list[tuple[Value | None, tuple[Value, Value]]] = []
        """Generators that the loop draws from (None: the global one), with the keys of the streams in their place."""
        self._by_numpy = needs_numpy(walk(loop.body))
        if not self._types:
            self._result: Type = NONE
        else:
            self._result = self._types[0] if len(self._types) == 1 else TupleType(tuple(self._types))

    def nodes(self) -> list[Node]:
        """What stands in the place of the loop."""
        loop, span = self._loop, self._loop.span
        before = Block()
        b = Builder(before, span)
        rngs: list[Value | None] = [*self._verdict.generators, *([None] if self._verdict.draws_global else [])]
        self._drawn = [(rng, random_streams.keys(b, rng)) for rng in rngs]
        captured = self._captured(b)
        self._divided(captured)
        inputs = [*loop.inputs[:3], *captured]
        join = self._join()
        shared = [(3 + captured.index(root), kind) for root, kind in self._verdict.shared.items()]
        parallel = ParallelCall(self._name, join, _work_of(loop.body), inputs, self._result, span, shared)
        allowed = self._allowed(b)
        if allowed is None:
            b.append(parallel)
            found = parallel.output
        else:
            once = Call(self._name, inputs, self._result, span)
            ways = If(allowed, Block(), Block(), [self._result], span)
            ways.then.nodes = [parallel, Yield(parallel.outputs, span)]
            ways.orelse.nodes = [once, Yield(once.outputs, span)]
            b.append(ways)
            found = ways.output
        self._results(b, found)
        return before.nodes

    # What is called

    def _captured(self, b: Builder) -> list[Value]:
        """The values from before the loop that the body uses, and those that groups of iterations begin with."""
        inside = defined_values(self._loop.body)
        found: dict[Value, None] = {}
        for node in walk(self._loop.body):
            for value in node.inputs:
                if value not in inside and not _is_plain_constant(value) and value not in self._verdict.generators:
                    found[value] = None
        for _, key in self._drawn:
            found.update(dict.fromkeys(key))
        for fold, value in zip(self._verdict.folds, self._loop.inputs[3:], strict=True):
            if not fold.starts_anew and not _is_plain_constant(value):
                found[value] = None
        return list(found)

    def _divided(self, captured: Sequence[Value]) -> None:
        """The graph of the loop."""
        loop, span = self._loop, self._loop.span
        params = [Param(n, v.type) for n, v in zip(("start", "stop", "step"), loop.inputs, strict=False)]
        for i, value in enumerate(captured):
            taken = {p.name for p in params}
            params.append(Param(value.name if value.name and value.name not in taken else f"v{i}", value.type))
        graph = Graph(self._name, params, self._result, span, self._fastmath)
        start, stop, step, *values = graph.body.params
        for value, own in zip(captured, values, strict=True):
            own.name = value.name
        mapping = dict(zip(captured, values, strict=True))
        b = Builder(graph.body, span)
        for value in {v: None for n in (loop, *walk(loop.body)) for v in n.inputs}:
            if _is_plain_constant(value) and value not in mapping and value not in defined_values(loop.body):
                (copy,) = clone_nodes([value.node] if value.node is not None else [])
                graph.body.nodes.append(copy)
                mapping[value] = copy.outputs[0]
        inits = [
            _neutral(b, fold, value.type) if fold.starts_anew else mapping[value]
            for fold, value in zip(self._verdict.folds, loop.inputs[3:], strict=True)
        ]
        streams = [(rng, random_streams.make(b, self._by_numpy), key) for rng, key in self._drawn]
        mapping.update((rng, stream) for rng, stream, _ in streams if rng is not None)
        step = mapping.get(loop.inputs[2], step)
        start, stop = self._bounded(b, start, stop)
        label = Label(loop.label.name)
        body = clone_block(loop.body, mapping, labels={loop.label: label})
        if streams:
            self._begin(body, streams, mapping)
        divided = For(label, start, stop, step, inits, body, span)
        for output, own in zip(loop.outputs, divided.outputs, strict=True):
            own.name, own.type = output.name, output.type
        b.append(divided)
        b.return_(self._packed(b, divided.outputs))
        self._program.graphs[self._name] = graph

    def _begin(
        self,
        body: Block,
        streams: Sequence[tuple[Value | None, Value, tuple[Value, Value]]],
        mapping: Mapping[Value, Value],
    ) -> None:
        """Each iteration draws from its own numbers."""
        nodes, body.nodes = body.nodes, []
        b = Builder(body, self._loop.span)
        for _, stream, (low, high) in streams:
            random_streams.begin(b, stream, (mapping[low], mapping[high]), body.params[0], self._by_numpy)
        body.nodes += nodes
        for rng, stream, _ in streams:
            if rng is None:
                random_streams.draw_from(body, stream)

    def _bounded(self, b: Builder, start: Value, stop: Value) -> tuple[Value, Value]:
        """Start and stop of a part. A constant where the whole range begins is a bound of the counter, and so are
        sizes where it ends: passes remove checks by them."""
        first, _, step = (v.constant for v in self._loop.inputs[:3])
        last = self._loop.inputs[1].constant
        largest = self._context.table["max.int"]
        if isinstance(step, int) and step > 0 and isinstance(first, int):
            start = b.op(largest, start, b.const(first))
        elif isinstance(step, int) and step < 0 and isinstance(last, int):
            stop = b.op(largest, stop, b.const(last))
        return start, stop

    def _packed(self, b: Builder, values: Sequence[Value]) -> Value:
        if not values:
            return b.const(None)
        return values[0] if len(values) == 1 else b.op(machine.TUPLE_MAKE, *values)

    def _unpacked(self, b: Builder, value: Value) -> list[Value]:
        if len(self._types) < 2:
            return [value] * len(self._types)
        return [b.op(machine.TUPLE_GET, value, b.const(i)) for i in range(len(self._types))]

    def _join(self) -> str:
        """The name of the graph that makes one result of two; empty if there are none."""
        if not self._types:
            return ""
        params = [Param(n, self._result) for n in "ab"]
        graph = Graph(f"{self._name}.join", params, self._result, self._loop.span, self._fastmath)
        b = Builder(graph.body, self._loop.span)
        first, second = (self._unpacked(b, v) for v in graph.body.params)
        b.return_(self._packed(b, self._combined(b, first, second)))
        self._program.graphs[graph.name] = graph
        return graph.name

    def _combined(self, b: Builder, first: Sequence[Value], second: Sequence[Value]) -> list[Value]:
        """The results of two groups of iterations as one."""
        out: list[Value] = []
        better: dict[int, Value] = {}
        for fold, a, c in zip(self._verdict.folds, first, second, strict=True):
            if fold.kind == "last":
                out.append(c)
            elif fold.kind == "best":
                if fold.leader not in better:
                    better[fold.leader] = self._is_better(b, fold, first[fold.leader], second[fold.leader])
                with b.if_(better[fold.leader], [a.type]) as choice:
                    with choice.then:
                        b.yield_(c if fold.takes else a)
                    with choice.orelse:
                        b.yield_(a if fold.takes else c)
                out.append(choice.output)
            else:
                out.append(self._combine(b, fold, a, c))
        return out

    def _is_better(self, b: Builder, fold: Fold, own: Value, other: Value) -> Value:
        """The comparison of the loop, of two results."""
        assert fold.node is not None
        condition = fold.node.inputs[0].node
        assert isinstance(condition, Op)
        compared = condition.inputs[0].node if condition.op is BOOL_OF else condition
        assert isinstance(compared, Op)
        operands = [own, other] if fold.position == 0 else [other, own]
        found = b.op(compared.op, *operands, span=compared.span)
        return found if found.type == BOOL else b.op(BOOL_OF, found)

    def _combine(self, b: Builder, fold: Fold, first: Value, second: Value) -> Value:
        assert fold.node is not None
        span = fold.node.span
        if isinstance(fold.node, Op):
            name = fold.node.op.name
            if name.startswith("sub"):
                name = "add" + name[3:]
        else:
            name = f"bitwise_{fold.kind}{'.bool' if first.type == BOOL else ''}"
        return b.op(self._context.table[name], first, second, span=span)

    # What calls it

    def _results(self, b: Builder, found: Value) -> None:
        """Put the results of the call in the place of those of the loop."""
        loop = self._loop
        values = self._unpacked(b, found)
        for fold, init, output, value in zip(self._verdict.folds, loop.inputs[3:], loop.outputs, values, strict=True):
            result = self._combine(b, fold, init, value) if fold.starts_anew else value
            result.name = result.name or output.name
            self.mapping[output] = result

    def _allowed(self, b: Builder) -> Value | None:
        """Whether iterations may run at the same time, as far as only the run knows; None: they surely may."""
        tests = [
            *(self._are_apart(b, *pair) for pair in self._verdict.apart),
            *(b.op(self._context.table["distinct_places"], x) for x in self._verdict.distinct),
        ]
        for place in self._verdict.places:
            tests += self._place(b, place)
        tests += [b.op(machine.GE, v, b.const(least)) for v, least in self._verdict.least.items()]
        for root in self._verdict.shared:
            tests += self._copies(b, root)
        if not tests:
            return None
        found = tests[0]
        for test in tests[1:]:
            found = b.op(machine.AND, found, test)
        return found

    def _are_apart(self, b: Builder, first: Value, second: Value) -> Value:
        if isinstance(first.type, ListType):
            return b.op(machine.NOT, b.op(IS_SAME, first, second))
        return b.op(self._context.table["apart"], first, second)

    def _copies(self, b: Builder, root: Value) -> list[Value]:
        """Tests that copies of an array for each thread cost little, and would be refused what the array is."""
        start, stop, step = self._loop.inputs[:3]
        if not isinstance(step.constant, int) or step.constant == 0:
            return [b.const(False)]
        low, high = (start, stop) if step.constant > 0 else (stop, start)
        trips = b.op(machine.QUOT, b.op(machine.SUB, high, low), b.const(abs(step.constant)))
        size = b.op(self._context.table["numel"], root)
        each = -(-_COPY_WORK // _work_of(self._loop.body))
        return [
            b.op(self._context.table["tensor.writable"], root),
            b.op(machine.LT, size, b.const(_LARGEST_COPY)),
            b.op(machine.LE, b.op(machine.MUL, size, b.const(each)), trips),
        ]

    def _place(self, b: Builder, place: Affine) -> list[Value]:
        """Tests that an index never counts from the end."""
        start, stop, step = self._loop.inputs[:3]
        constant = step.constant
        grows = isinstance(constant, int) and constant > 0
        if place.factor == 1 and not place.terms and grows and not isinstance(start.constant, int):
            return [b.op(machine.GE, start, b.const(-place.constant))]
        first = place.factor > 0 if grows else place.factor < 0
        if isinstance(constant, int) and first and not place.terms and isinstance(start.constant, int):
            least = start.constant * place.factor + place.constant
            return [] if least >= 0 else [b.const(False)]
        # Where the index is least, which is computed as the loop does if nothing is too large.
        ends = [start] if first else [stop]
        if not isinstance(constant, int):
            ends = [start, stop]
        near = [v for v in (*ends, *(v for v, _ in place.terms)) if not isinstance(v.constant, int)]
        tests = [b.op(machine.LT, b.const(-FAR), v) for v in near]
        tests += [b.op(machine.LT, v, b.const(FAR)) for v in near]
        if isinstance(constant, int) and not first:
            ends = [b.op(machine.SUB if grows else machine.ADD, stop, b.const(1))]
        for end in ends:
            found = b.op(machine.ADD, b.op(machine.MUL, end, b.const(place.factor)), b.const(place.constant))
            for value, factor in sorted(place.terms, key=lambda term: term[0].name):
                found = b.op(machine.ADD, found, b.op(machine.MUL, value, b.const(factor)))
            tests.append(b.op(machine.GE, found, b.const(0)))
        return tests


def _is_plain_constant(value: Value) -> bool:
    """Whether a value is a constant that each graph can have for itself."""
    return isinstance(value.node, Const)


def _neutral(b: Builder, fold: Fold, type: Type) -> Value:
    """What changes nothing when it is combined."""
    number: object = 1 if fold.kind == "mul" else 0
    if type == FLOAT:
        number = 1.0 if fold.kind == "mul" else -0.0
    elif type == BOOL:
        number = False
    if not isinstance(type, ScalarType):
        return b.const(number, type=type)
    if type.dtype.is_floating_point:
        number = 1.0 if fold.kind == "mul" else -0.0
    return b.op(CONVERT, b.const(number), b.const(type))


def _work_of(block: Block) -> int:
    """An estimate of the work of a block, in some nanoseconds."""
    total = 1
    for node in block.nodes:
        match node:
            case Const() | Yield() | Continue() | Return():
                pass
            case If():
                total += max(map(_work_of, node.blocks))
            case For():
                trips = trip_count(node)
                total += _work_of(node.body) * (_UNKNOWN_TRIPS if trips is None else trips)
            case Loop():
                total += _work_of(node.body) * _UNKNOWN_TRIPS
            case Call():
                total += _CALL_WORK
            case _:
                total += 1 + sum(map(_work_of, node.blocks))
    return min(total, 1 << 30)


__all__ = ["Parallelise"]
