"""The arithmetic of a fused group: scalar machine code for one element, made into vector code.

`Steps` is the group's arithmetic as one list in SSA form, its members' bodies flattened into it. Equal steps are one,
steps on constants and scalars alone (`varying` is False) are computed once before the loop, unused ones are left out.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence

from tscript.backend.llvm.machine import emit_leaf
from tscript.backend.llvm.text import Text
from tscript.backend.llvm.types import literal, llvm_type, splat
from tscript.backend.nodes.quotients import BOUNDS, Divisor, emit_quotient
from tscript.definitions.opdef import Extern, Leaf, OpDef
from tscript.diagnostics import InternalError
from tscript.dialect import machine
from tscript.ir.graph import Block, Const, Graph, If, Op, Return, Value, Yield, walk
from tscript.late import dataclass
from tscript.types import BOOL, TYPE, Type

Id = int
"""A value of `Steps`: its number."""


UNLIKELY = ', !prof !{!"branch_weights", i32 1, i32 2000}'


_TYPE_OPERAND = frozenset({machine.CONVERT, machine.BITCAST})


@dataclass(frozen=True, slots=True)
class _Literal:
    value: object


@dataclass(frozen=True, slots=True)
class _Input:
    varying: bool


@dataclass(frozen=True, slots=True)
class _Step:
    op: OpDef
    args: tuple[Id, ...]


@dataclass(frozen=True, slots=True)
class _Rare:
    """args: condition, value if it holds, value otherwise. Steps that only the first value needs run only if the
    condition holds somewhere."""

    args: tuple[Id, Id, Id]


_Definition = _Literal | _Input | _Step | _Rare


class Steps:
    """The arithmetic of one element. Values are numbered in the order of their definition.

    Attributes:
        types: Type of each value.
        varying: Of each value, whether it differs between elements.
    """

    __slots__ = ("_definitions", "_known", "_region", "_regions", "types", "varying")

    def __init__(self) -> None:
        self.types: list[Type] = []
        self.varying: list[bool] = []
        self._definitions: list[_Definition] = []
        self._known: dict[object, Id] = {}
        self._region = 0  # 0: always computed; else the number of the rare region that is being defined
        self._regions: list[int] = []

    def _define(self, definition: _Definition, type: Type, varying: bool) -> Id:
        self._definitions.append(definition)
        self._regions.append(self._region)
        self.types.append(type)
        self.varying.append(varying)
        return len(self.types) - 1

    def input(self, type: Type, varying: bool) -> Id:
        """An element of an array (`varying`) or a scalar."""
        return self._define(_Input(varying), type, varying)

    def literal(self, value: object, type: Type) -> Id:
        """A constant."""
        key = (repr(value), type)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._define(_Literal(value), type, False)
        return found

    def step(self, op: OpDef, args: Sequence[Id], type: Type) -> Id:
        """An application of a leaf operator or an extern; the type operand of a conversion is left out."""
        if op is machine.MUL and len(args) == 2:
            for one, other in (args, reversed(args)):
                definition = self._definitions[one]
                if isinstance(definition, _Literal) and definition.value == 1:
                    return other
        definitions = [self._definitions[a] for a in args]
        if op is machine.SELECT and isinstance(definitions[0], _Literal):
            return args[1] if definitions[0].value else args[2]
        if op is machine.EQ and all(isinstance(d, _Literal) for d in definitions):
            first, second = (d.value for d in definitions if isinstance(d, _Literal))
            return self.literal(first == second, type)
        key = (op, tuple(args), type)
        found = self._known.get(key)
        if found is None:
            varying = any(self.varying[a] for a in args)
            found = self._known[key] = self._define(_Step(op, tuple(args)), type, varying)
        return found

    def convert(self, value: Id, type: Type) -> Id:
        """`value` converted to another number type."""
        if self.types[value] == type:
            return value
        definition = self._definitions[value]
        if isinstance(definition, _Literal):
            return self.literal(machine.CONVERT.semantics(definition.value, type), type)
        return self.step(machine.CONVERT, (value,), type)

    def inline(self, graph: Graph, args: Sequence[Id]) -> Id:
        """The result of a graph of machine operators without loops.

        An `If` becomes a selection: nothing has effects, so both sides are computed. Where its first block calls C,
        that block runs only when the condition holds for some lane.

        Raises:
            InternalError: The graph has loops or operators that are no machine code.
        """
        env: dict[Value, Id] = dict(zip(graph.body.params, args, strict=True))
        return self._inline(graph.body, env)[0]

    def _inline(self, block: Block, env: dict[Value, Id]) -> list[Id]:
        """The values a block returns or yields."""
        for node in block.nodes:
            match node:
                case Const():
                    if node.output.type != TYPE:
                        env[node.output] = self.literal(node.value, node.output.type)
                case Op() if isinstance(node.op.implementation, Leaf | Extern):
                    values = node.inputs[:1] if node.op in _TYPE_OPERAND else node.inputs
                    operands = [self._operand(env, v) for v in values]
                    if node.op is machine.CONVERT:
                        env[node.output] = self.convert(operands[0], node.output.type)
                    else:
                        env[node.output] = self.step(node.op, operands, node.output.type)
                case If():
                    self._choose(node, env)
                case Return() | Yield():
                    return [self._operand(env, v) for v in node.inputs]
                case _:
                    what = node.op.name if isinstance(node, Op) else type(node).__name__
                    raise InternalError(
                        f"the body of a pointwise operator holds what is no machine code: {what}", node.span
                    )
        raise InternalError("the body of a pointwise operator returns nothing")

    def _choose(self, node: If, env: dict[Value, Id]) -> None:
        condition = self._operand(env, node.inputs[0])
        otherwise = self._inline(node.orelse, env)
        rare = self._region == 0 and any(
            isinstance(n, Op) and isinstance(n.op.implementation, Extern) for n in walk(node.then)
        )
        if not rare:
            then = self._inline(node.then, env)
            for output, a, b in zip(node.outputs, then, otherwise, strict=True):
                env[output] = self.step(machine.SELECT, (condition, a, b), output.type)
            return
        before = dict(self._known)
        self._region = len(self.types) + 1
        then = self._inline(node.then, env)
        self._region, self._known = 0, before
        for output, a, b in zip(node.outputs, then, otherwise, strict=True):
            varying = any(self.varying[v] for v in (condition, a, b))
            env[output] = self._define(_Rare((condition, a, b)), output.type, varying)

    def _operand(self, env: dict[Value, Id], value: Value) -> Id:
        found = env.get(value)
        if found is None:
            assert isinstance(value.node, Const), value
            found = env[value] = self.literal(value.node.value, value.type)
        return found

    def arguments(self, value: Id) -> tuple[Id, ...]:
        """What a value is computed from; nothing for constants and inputs."""
        definition = self._definitions[value]
        return definition.args if isinstance(definition, _Step | _Rare) else ()

    def needed(self, wanted: Iterable[Id]) -> set[Id]:
        """`wanted` and all values they are computed from."""
        found = set(wanted)
        for value in range(len(self.types) - 1, -1, -1):
            if value in found:
                definition = self._definitions[value]
                if isinstance(definition, _Step | _Rare):
                    found.update(definition.args)
        return found

    def constant_text(self, value: Id, lanes: int) -> str | None:
        """A constant as LLVM text, None for other values."""
        definition = self._definitions[value]
        return literal(definition.value, self.types[value], lanes) if isinstance(definition, _Literal) else None

    def emit_scalars(self, text: Text, needed: set[Id], names: dict[Id, str]) -> None:
        """Compute the values that do not vary. `names` has the scalar inputs and receives the rest."""
        values = [v for v in sorted(needed) if not self.varying[v]]
        rare: set[int] = set()
        for value in values:
            definition = self._definitions[value]
            if isinstance(definition, _Rare):
                rare.add(self._regions[definition.args[1]])
        usual = [v for v in values if self._regions[v] not in rare or not self._regions[v]]
        self._emit(text, usual, needed, names, 1, {})

    def spread(
        self,
        text: Text,
        needed: set[Id],
        wanted: Iterable[Id],
        scalars: dict[Id, str],
        lanes: int,
        spread: Container[Id] = (),
    ) -> dict[Id, str]:
        """Vectors of the scalars and constants that varying steps use, and of those in `wanted`; without those that are
        `spread` already."""
        used = {v for v in wanted if not self.varying[v]}
        for value in needed:
            definition = self._definitions[value]
            if self.varying[value] and isinstance(definition, _Step | _Rare):
                used.update(a for a in definition.args if not self.varying[a])
        out: dict[Id, str] = {}
        for value in sorted(v for v in used if v not in spread):
            constant = self.constant_text(value, lanes)
            out[value] = splat(text, scalars[value], self.types[value], lanes) if constant is None else constant
        return out

    def divisors(self, needed: set[Id]) -> list[Id]:
        """The numbers, not constants, that varying values are divided by."""
        found: dict[Id, None] = {}
        for value in sorted(needed):
            definition = self._definitions[value]
            if isinstance(definition, _Step) and definition.op is machine.DIV and self.types[value] in BOUNDS:
                by = definition.args[1]
                if self.varying[value] and not self.varying[by] and not isinstance(self._definitions[by], _Literal):
                    found[by] = None
        return list(found)

    def emit_varying(
        self,
        text: Text,
        needed: set[Id],
        names: dict[Id, str],
        lanes: int,
        divisors: Mapping[Id, Divisor] | None = None,
    ) -> None:
        """Compute the varying values. `names` has the array elements and the result of `spread`, and receives the
        rest; `divisors` those numbers that are divided by in another way."""
        values = [v for v in sorted(needed) if self.varying[v] and not self._regions[v]]
        self._emit(text, values, needed, names, lanes, divisors or {})

    def _emit(
        self,
        text: Text,
        values: Sequence[Id],
        needed: set[Id],
        names: dict[Id, str],
        lanes: int,
        divisors: Mapping[Id, Divisor],
    ) -> None:
        for value in values:
            if value in names:
                continue
            definition = self._definitions[value]
            match definition:
                case _Literal():
                    names[value] = literal(definition.value, self.types[value], lanes)
                case _Step():
                    args = [names[a] for a in definition.args]
                    types = [self.types[a] for a in definition.args]
                    result = self.types[value]
                    implementation = definition.op.implementation
                    if definition.op is machine.DIV and definition.args[1] in divisors:
                        names[value] = emit_quotient(text, args[0], divisors[definition.args[1]], result, lanes)
                    elif isinstance(implementation, Extern):
                        names[value] = _call_by_lane(text, implementation.symbol, args, types, result, lanes)
                    else:
                        names[value] = emit_leaf(text, definition.op, args, types, result, lanes)
                case _Rare():
                    names[value] = self._emit_rare(text, definition, needed, names, lanes, divisors)

    def _emit_rare(
        self,
        text: Text,
        rare: _Rare,
        needed: set[Id],
        names: dict[Id, str],
        lanes: int,
        divisors: Mapping[Id, Divisor],
    ) -> str:
        condition, then, otherwise = rare.args
        type = self.types[then]
        full = llvm_type(type, lanes)
        some = names[condition]
        if lanes > 1:
            bits = text.let(f"bitcast <{lanes} x i1> {some} to i{lanes}")
            some = text.let(f"icmp ne i{lanes} {bits}, 0")
        before, block, following = text.block, text.fresh_label("rare"), text.fresh_label("usual")
        text.terminate(f"br i1 {some}, label %{block}, label %{following}{UNLIKELY}")
        text.label(block)
        region = self._regions[then]
        inner = dict(names)
        varying = lanes > 1
        values = [v for v in sorted(needed) if region and self._regions[v] == region and self.varying[v] == varying]
        self._emit(text, values, needed, inner, lanes, divisors)
        chosen = emit_leaf(
            text, machine.SELECT, [names[condition], inner[then], names[otherwise]], [BOOL, type, type], type, lanes
        )
        end = text.block
        text.branch(following)
        text.label(following)
        return text.let(f"phi {full} [ {names[otherwise]}, %{before} ], [ {chosen}, %{end} ]")


def _call_by_lane(text: Text, symbol: str, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
    """A C function, called for each lane."""
    scalars = [llvm_type(t) for t in types]
    returned = llvm_type(result)
    text.declare_function(symbol, returned, scalars, "nounwind")
    if lanes == 1:
        return text.let(
            f"call {returned} @{symbol}({', '.join(f'{s} {a}' for s, a in zip(scalars, args, strict=True))})"
        )
    places = [text.alloca(llvm_type(t, lanes), "lanes") for t in types]
    for place, type, arg in zip(places, types, args, strict=True):
        text.line(f"store {llvm_type(type, lanes)} {arg}, ptr {place}")
    out = text.alloca(llvm_type(result, lanes), "lanes")
    before, block, following = text.block, text.fresh_label("lane"), text.fresh_label("called")
    text.branch(block)
    text.label(block)
    lane, after = text.fresh("lane"), text.fresh("lane")
    text.line(f"{lane} = phi i64 [ 0, %{before} ], [ {after}, %{block} ]")
    single = []
    for place, scalar in zip(places, scalars, strict=True):
        single.append(text.let(f"load {scalar}, ptr {text.let(f'getelementptr {scalar}, ptr {place}, i64 {lane}')}"))
    value = _call_by_lane(text, symbol, single, types, result, 1)
    text.line(f"store {returned} {value}, ptr {text.let(f'getelementptr {returned}, ptr {out}, i64 {lane}')}")
    text.line(f"{after} = add i64 {lane}, 1")
    text.branch_if(text.let(f"icmp ult i64 {after}, {lanes}"), block, following)
    text.label(following)
    return text.let(f"load {llvm_type(result, lanes)}, ptr {out}")
