"""Facts of specialisation about values: types, and constants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from tscript.definitions.absent import MISSING
from tscript.definitions.opdef import Arg, OpDef
from tscript.definitions.resolve import Resolved
from tscript.definitions.values import constant_type
from tscript.diagnostics import Diagnostic
from tscript.ir.graph import Graph, Node, Program, Value
from tscript.ir.placing import place
from tscript.late import dataclass, field
from tscript.operators.python.conversions import BOX, DOWNCAST, IS_INSTANCE, IS_NONE, UPCAST
from tscript.passes.folding import fold, is_foldable_type, same_constant
from tscript.types import (
    NEVER,
    NONE,
    NUMBER,
    ArrayType,
    OptionalType,
    TensorType,
    TupleType,
    Type,
    UnionType,
    is_subtype,
)


@final
class Fact:
    """The facts about a value; an `Arg` of type rules.

    Attributes:
        type: Its type.
        constant: Its value, where that is known.
        member: The member of a union that it has, if known of a number.
    """

    __slots__ = ("constant", "member", "type")

    def __init__(self, type: Type, constant: object = MISSING, member: Type | None = None) -> None:
        self.type = type
        self.constant = None if type == NONE else constant
        self.member = member

    @property
    def is_written(self) -> bool:
        """Whether a constant of the IR stands for the value."""
        return self.constant is not MISSING and self.type != NONE and is_foldable_type(self.type)

    def is_same(self, other: Fact) -> bool:
        """Whether both facts are equal."""
        return self.type == other.type and self.member == other.member and self.constant_is_same(other)

    def constant_is_same(self, other: Fact) -> bool:
        """Whether both know the same constant, or neither knows one."""
        a, b = self.constant, other.constant
        return a is b or (a is not MISSING and b is not MISSING and same_constant(a, b))


@final
class Held:
    """A fact of one input of a node."""

    __slots__ = ("constant", "type", "value")

    def __init__(self, fact: Fact, value: Value) -> None:
        self.type = fact.type
        self.constant = fact.constant
        self.value = value


def member_of(op: OpDef, args: Sequence[Fact]) -> Type | None:
    """The member of a union that the result of `op` has, if known of a number."""
    if op is BOX:
        return args[0].type if args[0].type in NUMBER.members else None
    return args[0].member if op is UPCAST else None


def tested(op: OpDef, args: Sequence[Fact]) -> object:
    """Whether a number in a box is of a type, or an optional tensor is None, where known; `MISSING` otherwise."""
    if op is IS_NONE:
        return False if is_tensor(args[0].type) else MISSING
    if op is not IS_INSTANCE or args[0].member is None:
        return MISSING
    return args[0].member == args[1].constant


def stays(op: OpDef, source: Type, declared: Type) -> bool:
    """Whether a conversion from `source` leaves a tensor what it is: one as an optional, and back.

    Its dtype and rank stay known, and that it is not None. Both have the same form in native code.
    """
    if not is_tensor(source):
        return False
    if op is UPCAST:
        return isinstance(declared, OptionalType) and is_tensor(declared.value) and is_subtype(source, declared.value)
    return op is DOWNCAST and is_tensor(declared) and is_subtype(source, declared)


def is_tensor(type: Type) -> bool:
    """Whether values of a type are tensors, and no arrays."""
    return isinstance(type, TensorType) and not isinstance(type, ArrayType)


def seen_by_caller(result: Fact, declared: Type) -> Fact:
    """The fact for a caller that expects a union, about a result that is always the same kind of number."""
    boxed = isinstance(declared, UnionType) and result.type in NUMBER.members
    return Fact(declared, member=result.type) if boxed else result


class _Facts:
    """The facts about the inputs of an operator; see `tscript.ir.placing.Inputs`."""

    def given(self, arg: Arg) -> Fact:
        return Fact(arg.type, arg.constant)

    def constant(self, value: object) -> Fact:
        return Fact(constant_type(value), value)

    def gathered(self, elements: Sequence[Fact]) -> Fact:
        constants = tuple(e.constant for e in elements)
        known = all(c is not MISSING for c in constants)
        return Fact(TupleType(tuple(e.type for e in elements)), constants if known else MISSING)

    def apply(self, op: OpDef, inputs: Sequence[Fact]) -> Fact:
        type = op.type_rule(inputs)
        return Fact(type, fold(op, inputs, type, {}))


def input_facts(resolved: Resolved) -> list[Fact]:
    """The facts about the inputs of an operator that overload resolution found."""
    return place(resolved.slots, _Facts())


def known_type(type: Type, value: object) -> Type:
    """The type of a constant: of tensors with dtype and rank."""
    if isinstance(type, TupleType) and isinstance(value, tuple):
        return TupleType(tuple(map(known_type, type.elements, value)), type.named)
    return constant_type(value) if is_tensor(type) else type


@dataclass(slots=True, eq=False)
class Variant:
    """One function for one signature; bodies of operators know the operator they came in by as `origin`. The function
    of a function value returns what is `declared`; the operators in `formed` take their arguments as these types.
    `caller` needed it first."""

    program: Program
    graph: Graph
    arguments: list[Fact]
    origin: tuple[Variant, Node] | None
    facts: dict[Value, Fact] = field(default_factory=dict)
    callees: dict[Node, Variant] = field(default_factory=dict)
    dependents: dict[Variant, None] = field(default_factory=dict)
    errors: dict[Node, Diagnostic] = field(default_factory=dict)
    refused: dict[Node, tuple[str, str]] = field(default_factory=dict)
    resolved: dict[Node, Resolved] = field(default_factory=dict)
    formed: dict[Node, list[Type]] = field(default_factory=dict)
    result: Fact = field(default_factory=lambda: Fact(NEVER))
    declared: Type | None = None
    name: str = ""
    caller: Variant | None = None

    @property
    def nested(self) -> int:
        """The number of nested variants of the same function around it."""
        count, caller = 0, self.caller
        while caller is not None:
            count += caller.graph is self.graph
            caller = caller.caller
        return count


__all__ = ["Fact", "Held", "Variant", "input_facts", "known_type", "member_of", "seen_by_caller", "stays", "tested"]
