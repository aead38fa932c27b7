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
from tscript.ir.graph import Block, For, Graph, Loop, Node, Op, Program, Value, walk
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
        if not any(_is_select(node) and _rank(node.outputs[0]) == 0 for node in walk(graph.body)):
            return False
        search = _Search(context.table)
        search.block(graph.body, 0)
        search.settle()
        if not search.chosen:
            return False
        return rewrite(graph.body, _Replacing(search, context.table).visit)


def _rank(value: Value) -> int | None:
    """The rank of a tensor whose dtype is known too."""
    type = value.type
    return type.rank if isinstance(type, TensorType) and type.dtype is not None else None


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
        made: Those new ones that become tensors where one node needs them: the node.
    """

    def __init__(self, table: OperatorTable) -> None:
        self.table = table
        self.chosen: set[Value] = set()
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
        return node.inputs[0] in self.chosen if node.op.effects.writes or _is_itself(node) else True

    def replaces(self, node: Op) -> bool:
        """Whether an operator that computes 0-d tensors is one on registers, because an operand is."""
        return any(v in self.chosen for v in node.inputs) and _computes(node) and self._has_value(node)

    def settle(self) -> None:
        """Drop candidates until all uses of the others can be replaced."""
        again = True
        while again:
            again = False
            for value, origin in self._origins.items():
                if value in self.chosen and not self._holds(value, origin):
                    self.chosen.discard(value)
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
        needed = [u for u in origin.uses if not self._is_read(u)]
        if not needed:
            return True
        use = needed[0]
        if any(u.node is not use.node for u in needed) or use.depth > origin.depth:
            return False
        if isinstance(use.node, Op) and use.node.op.effects.writes:
            return False
        if any(u.time > use.time for u in origin.uses):
            return False
        self.made[value] = use.node
        return True

    def _is_read(self, use: _Use) -> bool:
        """Whether a use reads a 0-d tensor, and can read a register."""
        node = use.node
        if not isinstance(node, Op):
            return False
        if node.op.name in CONVERSIONS:
            return converts(node)
        implementation = node.op.implementation
        if use.at in node.op.effects.writes or _is_itself(node):
            return False
        if not isinstance(implementation, Pointwise) or not isinstance(implementation.rule, PointwiseRule):
            return False
        return self.replaces(node) if _rank(node.output) == 0 else _is_broadcast(node, implementation.rule)

    def _is_of_element(self, use: _Use) -> bool:
        """Whether a use of a view can be one of its place."""
        node = use.node
        if isinstance(node, Op) and (use.at in node.op.effects.writes or _is_itself(node)):
            return node.output in self.chosen
        return self._is_read(use)

    def _has_value(self, node: Op) -> bool:
        """Whether an in-place operator has a variant that gives the value."""
        name = node.op.name
        return not node.op.effects.writes or name in STORES or functional(name) in self.table


def converts(node: Op) -> bool:
    """Whether a conversion to a number of Python is one of a register."""
    if _rank(node.inputs[0]) != 0:
        return False
    dtype = _dtype(node.inputs[0])
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

    def __init__(self, search: _Search, table: OperatorTable) -> None:
        self.search = search
        self.table = table
        self.places: dict[Value, _Place] = {}
        self.registers: dict[Value, Value] = {}

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


__all__ = ["ScalarTensors"]
