"""Scalar replacement of 0-d tensors: elements that are only read, written and computed with stay in registers.

Before::

    %0: Tensor[float32, 1] = select.int(%x, %zero, %i)
    %1: Tensor[float32, 0] = select.int(%0, %zero, %j)
    %2: Tensor[float32, 0] = mul(%1, %two)
    %3: Tensor[float32, 1] = select.int(%out, %zero, %i)
    %4: Tensor[float32, 0] = select.int(%3, %zero, %j)
    %5: Tensor[float32, 0] = copy_(%4, %2, %false)

After::

    %p: int = select_index(%x, %zero, %i, %zero)
    %q: int = select_index(%x, %one, %j, %zero)
    %v: numpy.float32 = element_in(%x, %p, %q)
    %w: numpy.float32 = mul(%v, %two)
    %r: int = select_index(%out, %zero, %i, %zero)
    %s: int = select_index(%out, %one, %j, %zero)
    %6: None = check_writable(%out)
    %7: None = set_element_in(%out, %w, %r, %s)

A view of one element becomes its place: the tensor and the checked positions. It is read where it is used, so a write
in between, by whatever name, is seen as before. A result of pointwise operators on such elements is a new tensor; its
value stays in a register. If one thing needs it as a tensor (``return``, a list, a kernel), it is made there. Views
that something else needs stay views.

What loops carry and branches result in (`tscript.passes.tensor_webs`) is a number too. Before::

    %s: Tensor[float32, 0] = for L0 %i: int in range(%zero, %n, %one) (%a: Tensor[float32, 0] = %x0) {
      %0: Tensor[float32, 0] = select.int(%x, %zero, %i)
      %1: Tensor[float32, 0] = add(%a, %0, %one)
      continue L0 (%1)
    }
    return %s

After::

    %2: numpy.float32 = element_in(%x0)
    %s, %old, %new = for L0 %i: int in range(%zero, %n, %one) (%a = %2, %b = %x0, %c = %false) {
      %3: numpy.float32 = element_in(%x, %p)
      %4: numpy.float32 = add(%a, %3, %one)
      continue L0 (%4, %b, %true)
    }
    %5: Tensor[float32, 0] = if %new { full((), %s) } else { %old }
    return %5

The tensor and the flag say which tensor it is, if that is seen; otherwise they are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, final

from tscript.definitions.absent import MISSING
from tscript.definitions.opdef import SAME_DTYPE_IS_SELF, Pointwise
from tscript.definitions.promotion import PointwiseRule
from tscript.definitions.table import OperatorTable
from tscript.diagnostics import Span
from tscript.ir.builder import Builder
from tscript.ir.graph import Block, For, Graph, If, Loop, Node, Op, Program, Value, walk
from tscript.ir.rewrite import rewrite
from tscript.late import dataclass, field
from tscript.operators.python.elements import (
    BOOL_OF,
    CHECK_WRITABLE,
    CONVERT,
    ELEMENT_IN,
    FLOAT_OF,
    INT_OF,
    SELECT_INDEX,
    SET_ELEMENT_IN,
)
from tscript.passes.base import Pass, PassContext
from tscript.passes.tensor_webs import Web, Webs, carries_single
from tscript.types import BOOL, FLOAT, INT, ArrayType, DType, ScalarType, TensorType, Type, dtypes

CONVERSIONS = ("float.Tensor", "int.Tensor", "bool.Tensor", "item.float", "item.int", "item.bool")
STORES = ("copy_", "fill_")
"""What stores an operand as it is."""
DIVISIONS = ("floor_divide", "trunc_divide", "remainder", "fmod")
"""What checks divisors that are integers; the in-place variants have an underscore more."""


@dataclass(frozen=True, slots=True)
class ScalarTensors(Pass):
    """Keeps elements of tensors in registers."""

    name: ClassVar[str] = "scalar_tensors"

    def run_graph(self, graph: Graph, program: Program, context: PassContext) -> bool:
        """Find what can be replaced, then one walk."""
        carries = carries_single(graph)
        if not carries and not any(_is_select(node) and _rank(node.outputs[0]) == 0 for node in walk(graph.body)):
            return False
        search = _Search(context.table, Webs(graph) if carries else None)
        search.block(graph.body, 0)
        search.settle()
        if not search.chosen:
            return False
        return rewrite(graph.body, _Replacing(search, context.table, graph).visit)


def _rank(value: Value) -> int | None:
    """The rank of a tensor whose dtype is known too, and not complex."""
    type = value.type
    is_known = isinstance(type, TensorType) and type.dtype is not None and not type.dtype.is_complex
    return type.rank if isinstance(type, TensorType) and is_known else None


def _dtype(value: Value) -> DType:
    assert isinstance(value.type, TensorType) and value.type.dtype is not None
    return value.type.dtype


def _is_select(node: Node) -> bool:
    """Whether a node is a view at one index of a dimension that is known."""
    if not isinstance(node, Op) or node.op.name != "select.int":
        return False
    source, dim = node.inputs[:2]
    rank = _rank(source)
    return rank is not None and isinstance(dim.constant, int) and -rank <= dim.constant < rank


def _is_itself(node: Op) -> bool:
    return SAME_DTYPE_IS_SELF in node.op.tags and node.inputs[0].type == node.output.type


def _computes(node: Op) -> bool:
    """Whether it is a pointwise operator of known dtypes that gives or writes a 0-d tensor and reads no other ones, and
    that operators on registers can do."""
    implementation = node.op.implementation
    if not isinstance(implementation, Pointwise) or not isinstance(implementation.rule, PointwiseRule):
        return False
    if _rank(node.output) != 0 or any(_rank(v) != 0 for v in node.inputs if isinstance(v.type, TensorType)):
        return False
    if any(isinstance(v.type, ArrayType) for v in node.inputs):
        return False
    return implementation.rule.is_decided(node.inputs) and not _checks_divisor(node)


def _checks_divisor(node: Op) -> bool:
    """Whether it is a division of integers that may raise."""
    if node.op.schema.name.removesuffix("_") not in DIVISIONS or _dtype(node.output).is_floating_point:
        return False
    divisor = node.inputs[1].constant
    return divisor is MISSING or divisor == 0


@dataclass(slots=True)
class _Use:
    """A use of a value: the node, the position among its inputs, how many loops are around it, and when it is met."""

    node: Node
    at: int
    depth: int
    time: int


@dataclass(slots=True)
class _Origin:
    """What defines a value: how many loops are around it."""

    node: Op
    depth: int
    uses: list[_Use] = field(default_factory=list)


@final
class _Search:
    """Which values are replaced.

    Attributes:
        chosen: Views (of one element, or of rows on the way to one), and new 0-d tensors.
        webs: What is carried; None if nothing is.
        made: Those new ones that become tensors where one node needs them: the node.
    """

    def __init__(self, table: OperatorTable, webs: Webs | None) -> None:
        self.table = table
        self.webs = webs
        self.chosen: set[Value] = set() if webs is None else set(webs.of)
        self.made: dict[Value, Node] = {}
        self._origins: dict[Value, _Origin] = {}
        self._time = 0

    def block(self, block: Block, depth: int) -> None:
        """Collect candidates, and the uses of all values."""
        for node in block.nodes:
            self._time += 1
            for at, value in enumerate(node.inputs):
                if (origin := self._origins.get(value)) is not None:
                    origin.uses.append(_Use(node, at, depth, self._time))
            for inner in node.blocks:
                self.block(inner, depth + isinstance(node, Loop | For))
            if isinstance(node, Op) and self._is_candidate(node):
                self._origins[node.output] = _Origin(node, depth)
                self.chosen.add(node.output)

    def _is_candidate(self, node: Op) -> bool:
        if _is_select(node):
            return not isinstance(node.inputs[0].type, ArrayType)
        if not self.replaces(node):
            return False
        if node.op.effects.writes or _is_itself(node):
            return node.inputs[0] in self.chosen and not self._is_merged(node.inputs[0])
        return True

    def _is_merged(self, value: Value) -> bool:
        return self.webs is not None and value in self.webs.of

    def is_new(self, value: Value) -> bool:
        """Whether a value is a new tensor that is not made."""
        node = value.node
        if value not in self.chosen or not isinstance(node, Op):
            return False
        return not (_is_select(node) or node.op.effects.writes or _is_itself(node))

    def replaces(self, node: Op) -> bool:
        """Whether an operator that computes 0-d tensors is one on registers, because an operand is."""
        return any(v in self.chosen for v in node.inputs) and _computes(node) and self._has_value(node)

    def base(self, value: Value) -> Value | None:
        """The tensor that has an element; None of other values than places."""
        node = value.node
        while value in self.chosen and isinstance(node, Op) and not self.is_new(value):
            value, node = node.inputs[0], node.inputs[0].node
            if value not in self.chosen:
                return value
        return None

    def settle(self) -> None:
        """Drop candidates until all uses of the others can be replaced."""
        again = True
        while again:
            again = False
            for value, origin in self._origins.items():
                if value in self.chosen and not self._holds(value, origin):
                    self.chosen.discard(value)
                    again = True
            for web in [] if self.webs is None else self.webs.all:
                if web.merged[0] in self.chosen and not any(v in self.chosen for v in web.sources):
                    self.chosen.difference_update(web.merged)
                    again = True

    def _holds(self, value: Value, origin: _Origin) -> bool:
        node = origin.node
        if _is_select(node):
            if _rank(value) == 0:
                return all(self._is_of_element(u) for u in origin.uses)
            return bool(origin.uses) and all(
                _is_select(u.node) and u.at == 0 and u.node.outputs[0] in self.chosen for u in origin.uses
            )
        if node.op.effects.writes or _is_itself(node):
            return node.inputs[0] in self.chosen and all(self._is_of_element(u) for u in origin.uses)
        return self.replaces(node) and self._is_register(value, origin)

    def _is_register(self, value: Value, origin: _Origin) -> bool:
        """Whether a new tensor can be a value; it may be made where one node needs it."""
        self.made.pop(value, None)
        needed = [u for u in origin.uses if not self.is_read(u.node, u.at)]
        if not needed:
            return True
        if self.webs is not None and self.webs.flows(value):
            return False
        use = needed[0]
        if any(u.node is not use.node for u in needed) or use.depth > origin.depth:
            return False
        if isinstance(use.node, Op) and use.node.op.effects.writes:
            return False
        if any(u.time > use.time for u in origin.uses):
            return False
        self.made[value] = use.node
        return True

    def is_read(self, node: Node, at: int) -> bool:
        """Whether a use reads a 0-d tensor, and can read a register."""
        if self.webs is not None and (target := self.webs.target(node, at)) is not None:
            return target in self.chosen
        if not isinstance(node, Op):
            return False
        if node.op.name in CONVERSIONS:
            return converts(node)
        implementation = node.op.implementation
        if at in node.op.effects.writes or _is_itself(node):
            return False
        if not isinstance(implementation, Pointwise) or not isinstance(implementation.rule, PointwiseRule):
            return False
        return self.replaces(node) if _rank(node.output) == 0 else _is_broadcast(node, implementation.rule)

    def _is_of_element(self, use: _Use) -> bool:
        """Whether a use of a view can be one of its place."""
        node = use.node
        if isinstance(node, Op) and (use.at in node.op.effects.writes or _is_itself(node)):
            return node.output in self.chosen
        return self.is_read(node, use.at)

    def _has_value(self, node: Op) -> bool:
        """Whether an operator that writes is an in-place one with a variant that gives the value."""
        name = node.op.name
        if not node.op.effects.writes or name in STORES:
            return True
        return functional(name) != name and functional(name) in self.table


def converts(node: Op) -> bool:
    """Whether a conversion to a number of Python is one of a register."""
    if _rank(node.inputs[0]) != 0:
        return False
    dtype = _dtype(node.inputs[0])
    if dtype is dtypes.uint64 and node.op.name in ("item.int", "int.Tensor"):
        return False  # it checks that the number fits
    if node.op.name == "item.int":
        return not dtype.is_floating_point
    return node.op.name != "item.bool" or dtype is dtypes.bool_


def functional(name: str) -> str:
    """The name of the operator whose in-place variant has a name."""
    stem, dot, overload = name.partition(".")
    return f"{stem.removesuffix('_')}{dot}{overload}"


def _is_broadcast(node: Op, rule: PointwiseRule) -> bool:
    """Whether an operator on tensors with dimensions takes a number where it has a 0-d tensor."""
    if any(isinstance(v.type, ArrayType) for v in node.inputs) or _checks_divisor(node):
        return False
    dimensioned = sum(isinstance(v.type, TensorType) and v.type.rank != 0 for v in node.inputs)
    return dimensioned > 0 and not rule.same_shape and rule.is_decided(node.inputs)


@dataclass(slots=True)
class _Place:
    """An element: a tensor and positions, which are None in dimensions that no view has chosen yet."""

    base: Value
    positions: list[Value | None]

    def at(self) -> list[Value]:
        """All positions."""
        return [p for p in self.positions if p is not None]


@final
class _Replacing:
    """The walk that replaces what a search has found."""

    def __init__(self, search: _Search, table: OperatorTable, graph: Graph) -> None:
        self.search = search
        self.table = table
        self.places: dict[Value, _Place] = {}
        self.registers: dict[Value, Value] = {}
        self.carried = _Carried(self, graph)

    def visit(self, node: Node, builder: Builder) -> Sequence[Value] | None:
        """For `rewrite`: what is replaced keeps its name in the operands of what is not seen yet."""
        if isinstance(node, Op):
            if _is_select(node) and node.output in self.search.chosen:
                return self.select(node, builder)
            if _is_itself(node) and node.output in self.search.chosen:
                self.places[node.output] = self.places[node.inputs[0]]
                return node.outputs
            if self.search.replaces(node):
                return self.update(node, builder) if node.op.effects.writes else self.compute(node, builder)
            if node.op.name in CONVERSIONS and node.inputs[0] in self.search.chosen:
                return (self.convert(node, builder),)
        self.carried.visit(node, builder)
        for at, value in enumerate(node.inputs):
            if value in self.places:
                node.inputs[at] = self.read(value, builder, node.span)
            elif value in self.registers:
                made = self.search.made.get(value) is node
                node.inputs[at] = self.tensor(value, builder, node.span) if made else self.registers[value]
        return None

    def select(self, node: Op, builder: Builder) -> Sequence[Value]:
        """Check an index of a view where the view was made."""
        source, dim, index = node.inputs
        place = self.places.get(source)
        rank = _rank(source)
        assert rank is not None and isinstance(dim.constant, int)
        if place is None:
            place = _Place(source, [None] * rank)
        shown = dim.constant % rank
        at = [i for i, p in enumerate(place.positions) if p is None][shown]
        span = node.span
        position = builder.op(
            SELECT_INDEX, place.base, builder.const(at, span), index, builder.const(shown, span), span=span
        )
        positions = [position if i == at else p for i, p in enumerate(place.positions)]
        self.places[node.output] = _Place(place.base, positions)
        return node.outputs

    def read(self, value: Value, builder: Builder, span: Span) -> Value:
        """The element that a 0-d tensor holds now."""
        if value in self.registers:
            return self.registers[value]
        place = self.places.get(value) or _Place(value, [])
        return builder.op(ELEMENT_IN, place.base, *place.at(), span=span)

    def view(self, base: Value, positions: Sequence[Value], builder: Builder, span: Span) -> Value:
        """A view of an element."""
        zero = builder.const(0, span)
        for position in positions:
            base = builder.op(self.table["select.int"], base, zero, position, span=span)
        return base

    def operands(self, node: Op, builder: Builder) -> list[Value]:
        return [self.read(v, builder, node.span) if isinstance(v.type, TensorType) else v for v in node.inputs]

    def compute(self, node: Op, builder: Builder) -> Sequence[Value]:
        """An operator that makes a 0-d tensor."""
        operands = self.operands(node, builder)
        found = builder.op(node.op, *operands, span=node.span, name=node.output.name)
        self.registers[node.output] = found
        if node.output in self.search.chosen:
            return node.outputs
        return (self.tensor(node.output, builder, node.span),)

    def update(self, node: Op, builder: Builder) -> Sequence[Value]:
        """An operator that writes a 0-d tensor."""
        target, span, name = node.inputs[0], node.span, node.op.name
        place = self.places.get(target) or _Place(target, [])
        dtype = ScalarType(_dtype(target))
        if name in STORES:
            source = node.inputs[1]
            found = self.read(source, builder, span) if isinstance(source.type, TensorType) else source
        else:
            found = builder.op(self.table[functional(name)], *self.operands(node, builder), span=span)
        if found.type != dtype:
            found = builder.op(CONVERT, found, builder.const(dtype, span), span=span)
        builder.op(CHECK_WRITABLE, place.base, span=span)
        builder.op(SET_ELEMENT_IN, place.base, found, *place.at(), span=span)
        if target in self.places:
            self.places[node.output] = place
            return node.outputs
        return (target,)

    def convert(self, node: Op, builder: Builder) -> Value:
        """A conversion to a number of Python."""
        found = self.read(node.inputs[0], builder, node.span)
        return self.number(found, node.output.type, builder, node.span, node.output.name)

    def number(self, found: Value, target: Type, builder: Builder, span: Span, name: str = "") -> Value:
        """A register as a number of Python."""
        if target == BOOL:
            return builder.op(BOOL_OF, found, span=span, name=name)
        if target == FLOAT:
            return builder.op(FLOAT_OF, found, span=span, name=name)
        assert isinstance(found.type, ScalarType)
        if found.type.dtype.is_floating_point:
            wide = builder.op(FLOAT_OF, found, span=span)
            return builder.op(self.table["int.float"], wide, span=span, name=name)
        return builder.op(INT_OF, found, span=span, name=name)

    def tensor(self, value: Value, builder: Builder, span: Span) -> Value:
        """A register as a 0-d tensor."""
        dtype, found = _dtype(value), self.registers[value]
        kind = BOOL if dtype is dtypes.bool_ else FLOAT if dtype.is_floating_point else INT
        number = self.number(found, kind, builder, span)
        arguments = builder.const((), span), number, builder.const(dtype, span)
        return builder.op(self.table["full"], *arguments, span=span, name=value.name)


@final
class _Carried:
    """What carried values become: a number, and, if it is seen which tensor one is, also that tensor and whether the
    number is a new one instead. If all those tensors are elements of one, they are positions."""

    def __init__(self, replacing: _Replacing, graph: Graph) -> None:
        self.replacing = replacing
        self.search = replacing.search
        self.webs: dict[Value, Web] = {}
        self.tensors: dict[Value, list[Value]] = {}
        self.bases: dict[Value, Value] = {}
        if self.search.webs is None:
            return
        everywhere = {*graph.body.params, *(v for node in graph.body.nodes for v in node.outputs)}
        for web in self.search.webs.all:
            if web.merged[0] not in self.search.chosen:
                continue
            others = [v for v in web.sources if not self.search.is_new(v)]
            bases = {self.search.base(v) for v in others}
            base = bases.pop() if len(bases) == 1 and bases <= everywhere else None
            for value in web.merged:
                self.webs[value] = web
                replacing.registers[value] = Value(ScalarType(_dtype(value)), value.name, value.node)
                if not web.keeps or not others:
                    continue
                types: list[Type] = [value.type]
                if base is not None:
                    self.bases[value] = base
                    types = [INT] * (_rank(base) or 0)
                self.tensors[value] = [*(Value(t, value.name, value.node) for t in types), Value(BOOL, "", value.node)]

    def visit(self, node: Node, builder: Builder) -> None:
        """Replace what is carried in the inputs of a node, and what it merges."""
        if not self.webs:
            return
        for at in self.needed(node):
            node.inputs[at] = self.tensor(node, at, builder)
        self.flow(node, builder)
        if isinstance(node, If | Loop | For):
            node.outputs = self.expanded(node.outputs)
            if not isinstance(node, If):
                node.body.params = self.expanded(node.body.params)

    def needed(self, node: Node) -> list[int]:
        """The inputs of which a node needs a tensor."""
        return [i for i, v in enumerate(node.inputs) if v in self.webs and not self.search.is_read(node, i)]

    def expanded(self, values: Sequence[Value]) -> list[Value]:
        """Parameters or outputs with what they become."""
        out = [self.replacing.registers[v] if v in self.webs else v for v in values]
        return out + [part for v in values for part in self.tensors.get(v, ())]

    def flow(self, node: Node, builder: Builder) -> None:
        """What flows into merged values."""
        assert self.search.webs is not None
        more: list[Value] = []
        for at, target in self.search.webs.targets.get(node, ()):
            if target not in self.webs:
                continue
            source = node.inputs[at]
            if target in self.tensors:
                more += self.origin(node, source, target, builder)
            node.inputs[at] = self.replacing.read(source, builder, node.span)
        node.inputs += more

    def origin(self, node: Node, source: Value, target: Value, builder: Builder) -> list[Value]:
        """The tensor that flows into a merged value, and whether it is a new one instead."""
        span = node.span
        if source in self.tensors:
            return self.tensors[source]
        if not self.search.is_new(source):
            place = self.replacing.places.get(source)
            if target in self.bases:
                assert place is not None
                return [*place.at(), builder.const(False, span)]
            if place is not None:
                source = self.replacing.view(place.base, place.at(), builder, span)
            return [source, builder.const(False, span)]
        assert self.search.webs is not None
        for loop in reversed(self.search.webs.around[node]):
            for param in loop.body.params:
                if self.webs.get(param) is self.webs[target]:
                    return [*self.tensors[param][:-1], builder.const(True, span)]
        if target in self.bases:
            return [*(builder.const(0, span) for _ in self.tensors[target][:-1]), builder.const(True, span)]
        return [self.replacing.tensor(source, builder, span), builder.const(False, span)]

    def tensor(self, node: Node, at: int, builder: Builder) -> Value:
        """The tensor that a node needs."""
        value, span = node.inputs[at], node.span
        kept = any(u.node is node for u in self.webs[value].keeps)
        if not kept or value not in self.tensors:
            return self.replacing.tensor(value, builder, span)
        *old, is_new = self.tensors[value]
        with builder.if_(is_new, span=span) as branch:
            with branch.then:
                builder.yield_(self.replacing.tensor(value, builder, span), span=span)
            with branch.orelse:
                base = self.bases.get(value)
                builder.yield_(old[0] if base is None else self.replacing.view(base, old, builder, span), span=span)
        return branch.output


__all__ = ["ScalarTensors"]
