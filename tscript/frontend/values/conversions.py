"""Values where another type is declared: numbers that become wider, optionals, unions, base classes, empty
containers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tscript.diagnostics import Span
from tscript.dialect.machine import TUPLE_MAKE
from tscript.ir.graph import Const, If, Op, Value, Yield
from tscript.operators.core.opdef import OperatorTypeError
from tscript.operators.python.conversions import IS_INSTANCE, IS_NONE, is_object, narrow_operator, widen_operator
from tscript.operators.python.displays import DISPLAYS
from tscript.types import (
    ANY,
    BOOL,
    COMPLEX,
    FLOAT,
    INT,
    NEVER,
    NONE,
    NUMBER,
    SIZE,
    STR,
    TENSOR,
    TYPE,
    DictType,
    EnumType,
    ListType,
    OptionalType,
    SetType,
    SizeType,
    TensorType,
    TupleType,
    Type,
    UnionType,
    is_heap,
    is_subtype,
    join,
    members_of,
    union,
)
from tscript.types.inference import is_open, is_open_within

if TYPE_CHECKING:
    from tscript.frontend.language import LanguageLowering

IMPLICIT: dict[tuple[Type, Type], str] = {
    (INT, FLOAT): "float",
    (BOOL, FLOAT): "float",
    (BOOL, INT): "int",
    (INT, COMPLEX): "complex",
    (FLOAT, COMPLEX): "complex",
    (BOOL, COMPLEX): "complex",
}
"""Conversions of numbers that need not be written, with their operator."""


_AS: dict[Type, Callable[[float], object]] = {INT: int, FLOAT: float, COMPLEX: complex}


def coerce(lowering: LanguageLowering, value: Value, target: Type, span: Span) -> Value | None:
    """`value` as one of type `target` where that is implicit; None when it is not.

    A bool serves as an int, an int as a float, element by element in tuples; a value as one that may be None, or as one
    of a union; an instance as one of a base class; an empty list takes any element type.
    """
    found = value.type
    if found == target:
        return value
    if (found, target) in IMPLICIT:
        name, constant = IMPLICIT[found, target], value.constant
        if isinstance(constant, int | float):
            return lowering.const(_AS[target](constant), target, span)
        return lowering.apply(name, [value], span)
    if (
        isinstance(found, EnumType)
        and found.info.kind
        and not isinstance(target, EnumType)
        and not is_subtype(found, target)
    ):
        from tscript.frontend.values import enums

        return coerce(lowering, enums.plain(lowering, value, span), target, span)
    if isinstance(found, UnionType) and {*found.members} - {NONE} == {*NUMBER.members}:
        from tscript.frontend.values import items

        number = items.as_number(lowering, value, target, span)
        if number is not None:
            return number
    takes_all = isinstance(found, UnionType) and all((m, target) in IMPLICIT or m == target for m in found.members)
    if takes_all and target in (INT, FLOAT):
        return by_member(lowering, value, lambda m: coerce(lowering, m, target, span) or m, target, span)
    if lowering.settle(value, target):
        return value
    if isinstance(found, SizeType) and isinstance(target, ListType) and target.frozen and target.element == INT:
        from tscript.frontend.values import library

        return library.of_size(lowering, value, True, span)
    if _numbers_as(found, target):
        lowering.expect(value, target)
        return None
    if isinstance(found, TupleType):
        made = _tuple(lowering, value, found, target, span)
        if made is not None or isinstance(target, TupleType):
            return made
    if isinstance(target, OptionalType | UnionType) or is_object(target):
        return _member(lowering, value, target, span)
    if is_subtype(found, target) and target != SIZE:
        return value if isinstance(found, TensorType) or found == NEVER else widen(lowering, value, target, span)
    return None


def _numbers_as(found: Type, target: Type) -> bool:
    """Whether a container of `NUMBER`, which nobody declared, could have been one of the numbers that are declared
    here."""
    if isinstance(found, ListType) and isinstance(target, ListType) and found.frozen == target.frozen:
        return found.element == NUMBER != target.element and target.element in NUMBER.members
    if isinstance(found, DictType) and isinstance(target, DictType) and found.key == target.key:
        return found.value == NUMBER != target.value and target.value in NUMBER.members
    return False


def _tuple(lowering: LanguageLowering, value: Value, found: TupleType, target: Type, span: Span) -> Value | None:
    match target:
        case TupleType() if len(found.elements) == len(target.elements) and target.named in (None, found.named):
            parts: list[Value] = []
            for element, wanted in zip(lowering.tuple_elements(value, span), target.elements, strict=True):
                part = coerce(lowering, element, wanted, span)
                if part is None:
                    return None
                parts.append(part)
            return lowering.make_tuple(parts, span)
        case ListType(frozen=True):
            given = [coerce(lowering, e, target.element, span) for e in lowering.tuple_elements(value, span)]
            parts = [g for g in given if g is not None]
            return lowering.make_list(target, parts, span) if len(parts) == len(given) else None
    return None


def _member(lowering: LanguageLowering, value: Value, target: Type, span: Span) -> Value | None:
    """A value as one of an optional, a union or `Any`."""
    found = value.type
    if isinstance(found, OptionalType) and not is_heap(found):
        if is_object(target) and is_subtype(found, target):
            return _box_optional(lowering, value, found, target, span)
    if is_subtype(found, target):
        return widen(lowering, value, target, span)
    several = isinstance(found, OptionalType | UnionType)
    wanted = members_of(target)
    if several and all(any(m == t or (m, t) in IMPLICIT for t in wanted) for m in members_of(found)):
        return by_member(lowering, value, lambda m: coerce(lowering, m, target, span) or m, target, span)
    for member in wanted:
        if member not in (NONE, found):
            inner = None if several and found != NUMBER else coerce(lowering, value, member, span)
            if inner is not None:
                return widen(lowering, inner, target, span)
    return None


def _with_tuples(lowering: LanguageLowering, value: Value, span: Span) -> Value:
    """A shape, or a value that may be one, with a tuple of ints for it, which is what a shape is where it may be
    anything."""
    from tscript.frontend.values import library

    if isinstance(value.type, SizeType):
        return library.of_size(lowering, value, True, span)
    wanted = union([ListType(INT, frozen=True) if isinstance(m, SizeType) else m for m in members_of(value.type)])
    return by_member(lowering, value, lambda m: coerce(lowering, m, wanted, span) or m, wanted, span)


def _box_optional(lowering: LanguageLowering, value: Value, found: OptionalType, target: Type, span: Span) -> Value:
    absent = lowering.leaf(IS_NONE, [value], BOOL, span)
    then = lowering.branch(lambda: lowering.const(None, target, span))
    orelse = lowering.branch(lambda: widen(lowering, narrow(lowering, value, found.value, span), target, span))
    out = lowering.merge(absent, then, orelse, span, target)
    assert out is not None
    return out


def widen(lowering: LanguageLowering, value: Value, target: Type, span: Span) -> Value:
    """A value as one of a supertype of its type."""
    if value.type == target:
        return value
    if is_object(target) and any(isinstance(m, SizeType) for m in members_of(value.type)):
        value = _with_tuples(lowering, value, span)
    if value.type == NONE or (value.constant is None and isinstance(value.type, OptionalType)):
        return lowering.const(None, target, span)
    op = widen_operator(value.type, target)
    return lowering.leaf(op, [value, lowering.const(target, TYPE, span)], target, span)


def narrow(lowering: LanguageLowering, value: Value, target: Type, span: Span) -> Value:
    """A value, of a union or an optional, as one of the type that it is known to be of."""
    if value.type == target:
        return value
    if target == NONE:
        return lowering.const(None, NONE, span)
    if isinstance(target, OptionalType) and not is_heap(target.value) and is_object(value.type):
        wide = target

        def number(inner: Value) -> Value:
            found = lowering.coerce(inner, wide, span)
            assert found is not None
            return found

        none = lowering.branch(lambda: number(lowering.const(None, NONE, span)))
        other = lowering.branch(lambda: number(narrow(lowering, value, wide.value, span)))
        joined = lowering.merge(lowering.leaf(IS_NONE, [value], BOOL, span), none, other, span, target)
        assert joined is not None
        return joined
    op = narrow_operator(value.type, target)
    return lowering.leaf(op, [value, lowering.const(target, TYPE, span)], target, span)


def by_member(
    lowering: LanguageLowering, value: Value, how: Callable[[Value], Value], result: Type, span: Span
) -> Value:
    """What `how`, which gives a `result`, makes of a value of a union, lowered once for each type it may be of."""

    def of(members: Sequence[Type]) -> Value:
        first = members[0]

        def as_first() -> Value:
            return how(lowering.const(None, NONE, span) if first == NONE else narrow(lowering, value, first, span))

        if len(members) == 1:
            return as_first()
        if first == NONE:
            test = lowering.leaf(IS_NONE, [value], BOOL, span)
        else:
            test = lowering.leaf(IS_INSTANCE, [value, lowering.const(first, TYPE, span)], BOOL, span)
        out = lowering.merge(test, lowering.branch(as_first), lowering.branch(lambda: of(members[1:])), span, result)
        return Value(result) if out is None else out  # none of these members comes to an end

    return of(sorted(members_of(value.type), key=lambda member: member != NONE))


def settle(lowering: LanguageLowering, value: Value, target: Type) -> list[tuple[Value, Type]] | None:
    """Give an empty container, whose element type nothing has said yet, that of `target`.

    It may be a display, or what operators and branches made of displays: a slice of one, two joined; or stand in a
    tuple.

    One whose elements are such containers cannot be changed any more: the function is lowered again with what is known
    then.

    Returns:
        The values that have another type now, with the type that they had; None when nothing could be done.
    """
    inner = target.value if isinstance(target, OptionalType) else target
    if is_open_within(value.type) and not is_open_within(inner) and type(value.type) is type(inner):
        lowering.expect(value, inner)
        return None
    if isinstance(value.type, TupleType) and isinstance(inner, TupleType):
        if value.type == inner or _filled(value.type, inner) != inner:
            return None
    elif not is_open(value.type) or type(value.type) is not type(inner) or is_open(inner):
        return None
    if isinstance(inner, ListType) and isinstance(value.type, ListType) and inner.frozen != value.type.frozen:
        return None
    changed: list[tuple[Value, Type]] = []
    if _settle(value, inner, changed):
        return changed
    for item, before in reversed(changed):
        retype(item, before)
    return None


def _settle(value: Value, target: Type, changed: list[tuple[Value, Type]]) -> bool:
    """Give an open value and all that it is made of another type; false when that cannot be done."""
    node, before = value.node, value.type
    if before == target:
        return True
    if isinstance(before, TupleType) and isinstance(target, TupleType):
        if not isinstance(node, Op) or node.op is not TUPLE_MAKE:
            return False
        if not all(_settle(v, t, changed) for v, t in zip(node.inputs, target.elements, strict=True)):
            return False
        retype(value, target)
        changed.append((value, before))
        return True
    if not is_open(before) or type(before) is not type(target):
        return False
    match node:
        case Op() if node.op in DISPLAYS:
            if not isinstance(node.inputs[0].node, Const):
                return False
        case Op():
            parts = [v for v in node.inputs if is_open(v.type)]
            if not parts or not all(_settle(v, _holding(v.type, target), changed) for v in parts):
                return False
            try:
                if node.op.type_rule(node.inputs) != target:
                    return False
            except OperatorTypeError:
                return False
        case If():
            place = node.outputs.index(value)
            ends = [b.nodes[-1] for b in (node.then, node.orelse)]
            parts = [end.inputs[place] for end in ends if isinstance(end, Yield)]
            if not parts or not all(_settle(v, target, changed) for v in parts):
                return False
        case _:
            return False
    retype(value, target)
    changed.append((value, before))
    return True


def _holding(container: Type, target: Type) -> Type:
    """The type of a container of this kind that holds what one of type `target` holds."""
    match container, target:
        case ListType(), ListType() | SetType():
            return ListType(target.element, container.frozen)
        case SetType(), ListType() | SetType():
            return SetType(target.element)
    return target


def retype(value: Value, type: Type) -> None:
    """Give the container that a display makes, or what is made of it, another type."""
    value.type = type
    if isinstance(value.node, Op) and value.node.op in DISPLAYS:
        assert isinstance(value.node.inputs[0].node, Const)
        value.node.inputs[0].node.value = type


def hint(value: Value, target: Type, hints: dict[Span | str, Type]) -> None:
    """Keep what an empty container that cannot be settled any more should have been, for lowering the function again.

    The hints are by the place of a display, or by the name of what a loop or branch carries.
    """
    node = value.node
    if isinstance(node, Op) and node.op in DISPLAYS:
        hints[node.span] = target
    elif isinstance(node, Op) and node.op.schema.name in ("getitem", "setdefault"):
        match node.inputs[0].type:
            case ListType(frozen=False):
                hint(node.inputs[0], ListType(target), hints)
            case DictType(key=key):
                hint(node.inputs[0], DictType(key, target), hints)
    elif value.name:
        hints[value.name] = target


def usual(type: Type) -> Type | None:
    """The type of an empty container of which a whole function says nothing; None where it has to be declared."""
    match type:
        case ListType(frozen=False, element=element) if element == NEVER:
            return ListType(TENSOR)
        case DictType(key=key) if key == NEVER:
            return DictType(STR, TENSOR)
    return None


def has_open_part(type: Type) -> bool:
    """Whether a type is that of an empty container, or of one that holds such."""
    match type:
        case ListType() | SetType():
            return type.element == NEVER or has_open_part(type.element)
        case DictType():
            return type.key == NEVER or has_open_part(type.value)
    return False


def unify(lowering: LanguageLowering, first: Value, second: Value) -> Type | None:
    """The type that two values from two branches have in common; None when there is none."""
    a, b = first.type, second.type
    if a == b:
        return a
    if lowering.settle(first, b) or lowering.settle(second, a):
        return b if is_open(a) else a
    return common(a, b)


def becomes(found: Type, target: Type) -> bool:
    """Whether a dict can be copied into one of type `target`, entry by entry, and is not of that type."""
    if not isinstance(found, DictType) or not isinstance(target, DictType) or is_open(found) or is_open(target):
        return False
    return found != target and is_wider(found.key, target.key) and is_wider(found.value, target.value)


def is_wider(found: Type, target: Type) -> bool:
    """Whether every value of a type can stand for one of another, without saying so."""
    return is_subtype(found, target) or (found, target) in IMPLICIT


def any_length(a: Type, b: Type) -> Type | None:
    """The tuple of any length that values of two types of tuple can be; None where that is none.

    Example:
        >>> from tscript.types import TupleType
        >>> str(any_length(TupleType((INT, INT)), TupleType((INT,))))
        'tuple[int, ...]'
    """
    held: set[Type] = set()
    for type in (a, b):
        match type:
            case TupleType(elements=elements, named=None):
                held |= {*elements}
            case ListType(element=element, frozen=True):
                held.add(element)
            case _:
                return None
    return ListType(held.pop(), frozen=True) if len(held) == 1 and NEVER not in held else None


def _filled(a: TupleType, b: TupleType) -> Type | None:
    """The type of two tuples that differ in containers alone that are empty in one of them; None for others."""
    if len(a.elements) != len(b.elements) or a.named is not b.named:
        return None
    parts: list[Type] = []
    for x, y in zip(a.elements, b.elements, strict=True):
        found: Type | None = x if x == y else None
        if isinstance(x, TupleType) and isinstance(y, TupleType) and found is None:
            found = _filled(x, y)
        elif type(x) is type(y) and is_open(x) != is_open(y):
            found = y if is_open(x) else x
        if found is None:
            return None
        parts.append(found)
    return TupleType(tuple(parts), a.named)


def common(a: Type, b: Type) -> Type | None:
    """The type of a value that is of one type here and of another there; None when there is none without saying it.

    Example:
        >>> from tscript.types import STR
        >>> str(common(NONE, STR)), common(INT, STR)
        ('Optional[str]', None)
    """
    if type(a) is type(b) and is_open(a) != is_open(b):
        return b if is_open(a) else a
    if isinstance(a, TupleType) and isinstance(b, TupleType) and (filled := _filled(a, b)) is not None:
        return filled
    if isinstance(a, TensorType) or isinstance(b, TensorType):
        # A dtype is not forgotten without saying it; that a value may be None, or of another type, was said.
        held = {*members_of(a), *members_of(b)}
        return (
            union([a, b]) if NONE in (a, b) or ANY in (a, b) or held in ({*members_of(a)}, {*members_of(b)}) else None
        )
    if isinstance(a, UnionType) or isinstance(b, UnionType):
        return union([a, b])
    if isinstance(a, ListType) or isinstance(b, ListType):
        return join(a, b) or any_length(a, b)
    found = join(a, b)
    return None if found == SIZE else found
