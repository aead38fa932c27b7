"""Unboxes numbers of unknown kind in joins and in loop-carried values.

Before::

    %s: Union[int, float] = for L0 %i: int in range(%0, %n, %1) (%t: Union[int, float] = %first) {
      %2: bool = is_instance(%t, %int)
      %u: Union[int, float] = if %2 {
        ...
        %3: Union[int, float] = box(%sum, %type)
        yield %3
      } else { ... }
      continue L0 (%u)
    }

After, such a value is three: the number of its type (0 int, 1 float, 2 bool, 3 None), the int or bool, the float::

    %s: int, %s.1: int, %s.2: float = for L0 %i: int in range(...) (%t: int = %0, %t.1: int = %x, %t.2: float = %zero) {
      %2: bool = eq.int(%t, %0)
      %u: int, %u.1: int, %u.2: float = if %2 {
        ...
        yield %0, %sum, %zero
      } else { ... }
      continue L0 (%u, %u.1, %u.2)
    }

Other uses of the value (a list, a call, ``return``) get a new box there; or at the definition of the value, if the use
is in a loop in which the value does not change. If the type is always the same, nothing uses the first of the three,
and other passes remove it. Values are handled together with those that flow into them. They are only unboxed if a box
is made here and something tests its content.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, NamedTuple, final

from tscript.ir.builder import Builder
from tscript.ir.graph import (
    Block,
    Break,
    Const,
    Continue,
    For,
    Graph,
    If,
    Label,
    Loop,
    Node,
    Op,
    Program,
    Value,
    Yield,
    walk,
)
from tscript.late import dataclass
from tscript.operators.python.conversions import BOX, DOWNCAST, IS_INSTANCE, IS_NONE, UNBOX, UPCAST
from tscript.passes.base import Pass, PassContext
from tscript.types import BOOL, FLOAT, INT, NONE, Type, UnionType, members_of

KINDS: tuple[Type, ...] = (INT, FLOAT, BOOL, NONE)
"""The types by the first of the three numbers."""


@dataclass(frozen=True, slots=True)
class Unboxing(Pass):
    """Carries numbers of unknown kind without boxes."""

    name: ClassVar[str] = "unboxing"

    def run_graph(self, graph: Graph, program: Program, context: PassContext) -> bool:
        """A search, and a walk if it found any."""
        if not any(is_number(v.type) for node in walk(graph.body) if node.has_blocks for v in _joined(node)):
            return False
        search = _Search()
        search.block(graph.body, 0)
        chosen = search.chosen()
        if chosen:
            _Rewriting(context, chosen, search).block(graph.body)
        return bool(chosen)


def is_number(type: Type) -> bool:
    """Whether `type` is a union of types of numbers, and perhaps None."""
    return isinstance(type, UnionType) and all(m in KINDS for m in type.members)


def _joined(node: Node) -> list[Value]:
    """The values in which others meet at `node`."""
    return node.outputs + (node.body.params if isinstance(node, Loop | For) else [])


def _is_cast(node: Node | None) -> bool:
    return isinstance(node, Op) and node.op in (UPCAST, DOWNCAST)


@final
class _Search:
    """The flow of values into each other, and their uses.

    Attributes:
        far: Values that something other than a test needs in a loop that they do not belong to.
    """

    def __init__(self) -> None:
        self.far: set[Value] = set()
        self._values: dict[Value, int] = {}
        """The loop depth of each join and of each cast of one."""
        self._parents: dict[Value, Value] = {}
        self._flows: list[tuple[Value, Value]] = []
        self._asked: list[Value] = []
        self._targets: dict[Label, tuple[list[Value], list[Value]]] = {}

    def block(self, block: Block, depth: int, results: Sequence[Value] = ()) -> None:
        """Record the nodes of `block`, which yields `results`."""
        for node in block.nodes:
            match node:
                case If():
                    self._found(node.outputs, depth)
                    for inner in node.blocks:
                        self.block(inner, depth, node.outputs)
                case Loop() | For():
                    first = 3 if isinstance(node, For) else 0
                    params = node.body.params[1:] if isinstance(node, For) else node.body.params
                    self._found(params, depth + 1)
                    self._found(node.outputs, depth)
                    self._flow(node.inputs[first:], params)
                    if isinstance(node, For):
                        self._flow(params, node.outputs)
                    self._targets[node.label] = (params if isinstance(node, For) else node.outputs, params)
                    self.block(node.body, depth + 1)
                case Yield():
                    self._flow(node.inputs, results)
                    self._used(node.inputs[len(results) :], depth)
                case Break():
                    self._flow(node.inputs, self._targets[node.label][0])
                case Continue():
                    self._flow(node.inputs, self._targets[node.label][1])
                case Op() if node.op in (IS_INSTANCE, UNBOX, IS_NONE):
                    self._asked.append(node.inputs[0])
                case Op() if _is_cast(node) and is_number(node.output.type) and node.inputs[0] in self._values:
                    self._values[node.output] = depth
                    self._flows.append((node.inputs[0], node.output))
                case _:
                    self._used(node.inputs, depth)
                    for inner in node.blocks:
                        self.block(inner, depth)

    def _found(self, values: Sequence[Value], depth: int) -> None:
        self._values |= {v: depth for v in values if is_number(v.type)}

    def _flow(self, sources: Sequence[Value], targets: Sequence[Value]) -> None:
        self._flows += zip(sources, targets, strict=False)

    def _used(self, values: Sequence[Value], depth: int) -> None:
        self.far.update(v for v in values if v in self._values and self._values[v] < depth)

    def _root(self, value: Value) -> Value:
        while value in self._parents:
            value = self._parents[value]
        return value

    def chosen(self) -> set[Value]:
        """The values to unbox: all that flow into each other, if some are boxed here, and some are tested."""
        made: list[Value] = []
        for source, target in self._flows:
            if target not in self._values:
                continue
            if source in self._values:
                a, b = self._root(source), self._root(target)
                if a is not b:
                    self._parents[a] = b
            elif isinstance(source.node, Const) or _number_in(source) is not None:
                made.append(target)
        asked = {self._root(v) for v in self._asked if v in self._values}
        groups = {self._root(v) for v in made} & asked
        return {v for v in self._values if self._root(v) in groups}


def _number_in(value: Value) -> Value | None:
    """The number in the box `value`."""
    made = value.node
    return made.inputs[0] if isinstance(made, Op) and made.op is BOX and made.inputs[0].type in KINDS else None


class Parts(NamedTuple):
    """The parts of a value: the position of its type in `KINDS`, its int or bool, its float."""

    kind: Value
    whole: Value
    real: Value


@final
class _Rewriting:
    """Rebuilds the blocks of a graph."""

    def __init__(self, context: PassContext, chosen: set[Value], search: _Search) -> None:
        self.table = context.table
        self.chosen = chosen
        self.far = search.far
        self.parts: dict[Value, Parts] = {}
        self.mapping: dict[Value, Value] = {}
        self.boxes: list[dict[Value, Value]] = []
        """The values that were boxed again, for each enclosing block."""
        self.targets: dict[Label, tuple[list[bool], list[bool]]] = {}

    def block(self, block: Block, results: Sequence[bool] = ()) -> None:
        """Rebuild `block`; yielded values that are `results` are unboxed."""
        nodes, block.nodes = block.nodes, []
        builder = Builder(block)
        self.boxes.append({})
        taken = [v for v in block.params if v in self.chosen]
        block.params = self.split(block.params, None)
        self.define(builder, taken)
        for node in nodes:
            self.node(builder, node, results)
        self.boxes.pop()

    def split(self, values: Sequence[Value], node: Node | None) -> list[Value]:
        """`values` with three in place of each that is unboxed."""
        found: list[Value] = []
        for value in values:
            if value in self.chosen:
                self.parts[value] = Parts(*[Value(t, value.name, node) for t in (INT, INT, FLOAT)])
                found += self.parts[value]
            else:
                found.append(value)
        return found

    def define(self, builder: Builder, values: Sequence[Value]) -> None:
        """Box those of `values` at once that a loop needs boxed."""
        for value in values:
            if value in self.far:
                self.boxed(builder, value)

    def node(self, builder: Builder, node: Node, results: Sequence[bool]) -> None:
        """Append the replacement of `node`."""
        for i, value in enumerate(node.inputs):
            node.inputs[i] = self.mapping.get(value, value)
        match node:
            case Op() if node.inputs and node.inputs[0] in self.parts and self.question(builder, node):
                return
            case If():
                for inner in node.blocks:
                    self.block(inner, [v in self.chosen for v in node.outputs])
            case Loop() | For():
                first = 3 if isinstance(node, For) else 0
                carried = [v in self.chosen for v in (node.body.params[1:] if first else node.body.params)]
                self.targets[node.label] = (carried if first else [v in self.chosen for v in node.outputs], carried)
                self.hand_on(builder, node, [False] * first + carried)
                self.block(node.body)
            case Yield():
                self.hand_on(builder, node, results)
            case Break():
                self.hand_on(builder, node, self.targets[node.label][0])
            case Continue():
                self.hand_on(builder, node, self.targets[node.label][1])
            case _:
                self.hand_on(builder, node, ())
                for inner in node.blocks:
                    self.block(inner)
        builder.append(node)
        taken = [v for v in node.outputs if v in self.chosen]
        if taken:
            node.outputs = self.split(node.outputs, node)
            self.define(builder, taken)

    def hand_on(self, builder: Builder, node: Node, apart: Sequence[bool]) -> None:
        """Give `node` its inputs: three for each that it takes unboxed, and boxes of the others."""
        found: list[Value] = []
        for i, value in enumerate(node.inputs):
            if i < len(apart) and apart[i]:
                found += self.taken_apart(builder, value)
            else:
                found.append(self.boxed(builder, value))
        node.inputs = found

    def question(self, builder: Builder, node: Op) -> bool:
        """A test of an unboxed value tests its parts; False if the node needs the box."""
        parts, output = self.parts[node.inputs[0]], node.output
        found = NONE if node.op is IS_NONE else node.inputs[1].constant if len(node.inputs) > 1 else None
        asked = found if isinstance(found, Type) and found in KINDS else None
        if node.op in (IS_INSTANCE, IS_NONE) and asked is not None:
            self.mapping[output] = self.is_kind(builder, parts, asked)
        elif node.op is UNBOX and asked is not None:
            self.insist(builder, self.is_kind(builder, parts, asked), node)
            value = parts.real if asked == FLOAT else parts.whole
            self.mapping[output] = builder.op(self.table["bool.int"], value) if asked == BOOL else value
        elif output in self.chosen:
            if NONE in members_of(node.inputs[0].type) and NONE not in members_of(output.type):
                none = self.is_kind(builder, parts, NONE)
                self.insist(builder, builder.op(self.table["not.bool"], none), node)
            self.parts[output] = parts
            self.define(builder, [output])
        else:
            return False
        return True

    def insist(self, builder: Builder, fine: Value, node: Op) -> None:
        """Raise, as the operator does, unless `fine`."""
        with builder.if_(fine, span=node.span) as branches:
            with branches.then:
                builder.yield_()
            with branches.orelse:
                builder.raise_("TypeError", f"the value is no {node.output.type}", span=node.span)

    def is_kind(self, builder: Builder, parts: Parts, kind: Type) -> Value:
        """Whether the value is of a type."""
        return builder.op(self.table["eq.int"], parts.kind, builder.const(KINDS.index(kind)))

    def constants(self, builder: Builder, kind: Type, value: Value | None = None) -> Parts:
        """The parts of `value`, a number; or of None."""
        if value is not None and kind == BOOL:
            value = builder.op(self.table["int.bool"], value)
        whole = value if value is not None and kind != FLOAT else builder.const(0)
        real = value if value is not None and kind == FLOAT else builder.const(0.0)
        return Parts(builder.const(KINDS.index(kind)), whole, real)

    def taken_apart(self, builder: Builder, value: Value) -> Parts:
        """The parts of any value of a union of numbers."""
        if value in self.parts:
            return self.parts[value]
        number = _number_in(value)
        if number is not None:
            number = self.mapping.get(number, number)
            return self.constants(builder, number.type, number)
        if isinstance(value.node, Const):
            return self.constants(builder, NONE)
        return Parts(*self._by_cases(builder, value, list(self._kinds(value.type))))

    def _kinds(self, type: Type) -> Iterator[Type]:
        """Its members; None first, whose test is quickest."""
        members = members_of(type)
        yield from sorted(members, key=lambda m: -KINDS.index(m))

    def _by_cases(self, builder: Builder, value: Value, kinds: Sequence[Type]) -> Sequence[Value]:
        kind, *rest = kinds
        if not rest:
            inside = None if kind == NONE else builder.op(UNBOX, value, builder.const(kind))
            return self.constants(builder, kind, inside)
        if kind == NONE:
            test = builder.op(IS_NONE, value)
        else:
            test = builder.op(IS_INSTANCE, value, builder.const(kind))
        with builder.if_(test, [INT, INT, FLOAT]) as branches:
            with branches.then:
                builder.yield_(*self._by_cases(builder, value, [kind]))
            with branches.orelse:
                builder.yield_(*self._by_cases(builder, value, rest))
        return branches.outputs

    def boxed(self, builder: Builder, value: Value) -> Value:
        """`value` itself, or a box of an unboxed value."""
        parts = self.parts.get(value)
        if parts is None:
            return value
        for made in self.boxes:
            if value in made:
                return made[value]
        found = self.boxes[-1][value] = self._boxed(builder, parts, value.type, list(self._kinds(value.type)))
        return found

    def _boxed(self, builder: Builder, parts: Parts, type: Type, kinds: Sequence[Type]) -> Value:
        kind, *rest = kinds
        if rest:
            with builder.if_(self.is_kind(builder, parts, kind), [type]) as branches:
                with branches.then:
                    builder.yield_(self._boxed(builder, parts, type, [kind]))
                with branches.orelse:
                    builder.yield_(self._boxed(builder, parts, type, rest))
            return branches.output
        if kind == NONE:
            return builder.const(None, type=type)
        value = parts.real if kind == FLOAT else parts.whole
        if kind == BOOL:
            value = builder.op(self.table["bool.int"], value)
        return builder.op(BOX, value, builder.const(type))


__all__ = ["Unboxing"]
