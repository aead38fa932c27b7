"""Implicit conversions to a declared type: wider numbers, optionals, unions, base classes, empty containers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tscript.arrays import np
from tscript.diagnostics import Span
from tscript.frontend.lowering.common import IMPLICIT, common, same_class
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.merging import merge
from tscript.frontend.lowering.new_containers import make_list
from tscript.frontend.lowering.tuples import make_tuple, tuple_elements
from tscript.ir.graph import Value
from tscript.operators.python.classes import NAMED_MAKE
from tscript.operators.python.conversions import IS_INSTANCE, IS_NONE, is_object, narrow_operator, widen_operator
from tscript.operators.python.elements import CONVERT
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
    ArrayType,
    DictType,
    EnumType,
    ListType,
    OptionalType,
    ScalarType,
    SizeType,
    TensorType,
    TupleType,
    Type,
    UnionType,
    by_name,
    is_heap,
    is_subtype,
    members_of,
    union,
)
from tscript.types.inference import is_open

_NUMBERS = frozenset({INT, FLOAT, union([INT, FLOAT])})
"""Numbers of Python whose values a name or result may have in turn."""

_AS: dict[Type, Callable[[float], object]] = {INT: int, FLOAT: float, COMPLEX: complex}


def coerce(lowering: FunctionLowering, value: Value, target: Type, span: Span) -> Value | None:
    """`value` as one of type `target` where that is implicit; None when it is not.

    A bool converts to int, an int to float, also as elements of tuples. Tensors in a tuple of any length, such as
    ``x.chunk(2)``, convert to a new list: TorchScript takes them for one. A value converts to an optional or a union
    of its type, an instance to a base class, an empty list to any element type.
    """
    found = value.type
    if found == target:
        return value
    if (found, target) in IMPLICIT:
        name, constant = IMPLICIT[found, target], value.constant
        if isinstance(constant, int | float):
            return lowering.const(_AS[target](constant), target, span)
        return lowering.apply(name, [value], span)
    converted = lowering.kind(value).converted
    if converted is not None and (made := converted(lowering, value, target, span)) is not None:
        return made
    takes_all = isinstance(found, UnionType) and all((m, target) in IMPLICIT or m == target for m in found.members)
    if takes_all and target in (INT, FLOAT):
        return by_member(lowering, value, lambda m: coerce(lowering, m, target, span) or m, target, span)
    if found in _NUMBERS and isinstance(found, UnionType) and isinstance(target, ScalarType):
        number = coerce(lowering, value, FLOAT, span)
        return None if number is None else coerce(lowering, number, target, span)
    if lowering.settle(value, target):
        return value
    if _numbers_as(found, target):
        lowering.opened.expect(value, target)
        return None
    if isinstance(found, TupleType):
        made = _tuple(lowering, value, found, target, span)
        if made is not None or isinstance(target, TupleType):
            return made
    if isinstance(found, ListType) and found.frozen and target == ListType(TENSOR):
        return lowering.apply("to_list", [value], span) if found.element == TENSOR else None
    if isinstance(target, OptionalType | UnionType) or is_object(target):
        return _member(lowering, value, target, span)
    if is_subtype(found, target) and target != SIZE:
        return value if isinstance(found, TensorType) or found == NEVER else widen(lowering, value, target, span)
    return None


def _numbers_as(found: Type, target: Type) -> bool:
    """Whether a container of `NUMBER`, which is never declared, could be one of the declared number type."""
    if isinstance(found, ListType) and isinstance(target, ListType) and found.frozen == target.frozen:
        return found.element == NUMBER != target.element and target.element in NUMBER.members
    if isinstance(found, DictType) and isinstance(target, DictType) and found.key == target.key:
        return found.value == NUMBER != target.value and target.value in NUMBER.members
    return False


def _tuple(lowering: FunctionLowering, value: Value, found: TupleType, target: Type, span: Span) -> Value | None:
    match target:
        case TupleType() if len(found.elements) == len(target.elements) and (
            target.named is None or same_class(found, target)
        ):
            parts: list[Value] = []
            for element, wanted in zip(tuple_elements(lowering, value, span), target.elements, strict=True):
                part = coerce(lowering, element, wanted, span)
                if part is None:
                    return None
                parts.append(part)
            if target.named is None:
                return make_tuple(lowering, parts, span)
            return lowering.leaf(NAMED_MAKE, [lowering.const(target, TYPE, span), *parts], target, span)
        case ListType(frozen=True):
            given = [coerce(lowering, e, target.element, span) for e in tuple_elements(lowering, value, span)]
            parts = [g for g in given if g is not None]
            return make_list(lowering, target, parts, span) if len(parts) == len(given) else None
    return None


def _member(lowering: FunctionLowering, value: Value, target: Type, span: Span) -> Value | None:
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


def _with_tuples(lowering: FunctionLowering, value: Value, span: Span) -> Value:
    """A shape, or a value that may be one, as a tuple of ints. That is the form of a shape in a value of any type."""

    if isinstance(value.type, SizeType):
        return lowering.coerce(value, ListType(INT, frozen=True), span) or value
    wanted = union([ListType(INT, frozen=True) if isinstance(m, SizeType) else m for m in members_of(value.type)])
    return by_member(lowering, value, lambda m: coerce(lowering, m, wanted, span) or m, wanted, span)


def _box_optional(lowering: FunctionLowering, value: Value, found: OptionalType, target: Type, span: Span) -> Value:
    absent = lowering.leaf(IS_NONE, [value], BOOL, span)
    then = lowering.branch(lambda: lowering.const(None, target, span))
    orelse = lowering.branch(lambda: widen(lowering, narrow(lowering, value, found.value, span), target, span))
    out = merge(lowering, absent, then, orelse, span, target)
    assert out is not None
    return out


def widen(lowering: FunctionLowering, value: Value, target: Type, span: Span) -> Value:
    """A value as one of a supertype of its type."""
    if value.type == target:
        return value
    if is_object(target) and any(isinstance(m, SizeType) for m in members_of(value.type)):
        value = _with_tuples(lowering, value, span)
    if value.type == NONE or (value.constant is None and isinstance(value.type, OptionalType)):
        return lowering.const(None, target, span)
    op = widen_operator(value.type, target)
    return lowering.leaf(op, [value, lowering.const(target, TYPE, span)], target, span)


def narrow(lowering: FunctionLowering, value: Value, target: Type, span: Span) -> Value:
    """A value of a union or an optional, as one of its narrowed type."""
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
        joined = merge(lowering, lowering.leaf(IS_NONE, [value], BOOL, span), none, other, span, target)
        assert joined is not None
        return joined
    op = narrow_operator(value.type, target)
    return lowering.leaf(op, [value, lowering.const(target, TYPE, span)], target, span)


def by_member(
    lowering: FunctionLowering, value: Value, how: Callable[[Value], Value], result: Type, span: Span
) -> Value:
    """Apply `how`, whose result is a `result`, to a value of a union. It is lowered once for each member of the
    union."""

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
        out = merge(lowering, test, lowering.branch(as_first), lowering.branch(lambda: of(members[1:])), span, result)
        return Value(result) if out is None else out  # none of these members comes to an end

    return of(sorted(members_of(value.type), key=lambda member: member != NONE))


def unify(lowering: FunctionLowering, first: Value, second: Value) -> Type | None:
    """The common type of values from two branches; None if there is none."""
    a, b = first.type, second.type
    if a == b:
        return a
    if lowering.settle(first, b) or lowering.settle(second, a):
        return b if is_open(a) else a
    if {a, b} <= _NUMBERS:
        return union([a, b])
    if isinstance(a, ScalarType) and b in _NUMBERS:
        return common(a, b if b in (INT, FLOAT) else FLOAT)
    if isinstance(b, ScalarType) and a in _NUMBERS:
        return common(a if a in (INT, FLOAT) else FLOAT, b)
    return common(a, b)


def as_sequence(lowering: FunctionLowering, value: Value, span: Span) -> Value:
    """A tuple whose elements are all of one type as a ``tuple[T, ...]``; any other value itself."""
    if isinstance(value.type, TupleType) and len(set(value.type.elements)) == 1:
        found = lowering.coerce(value, ListType(value.type.elements[0], frozen=True), span)
        return value if found is None else found
    return value


def is_none(lowering: FunctionLowering, value: Value, span: Span) -> Value:
    """Whether a value is None."""
    if isinstance(value.type, OptionalType) or is_object(value.type):
        return lowering.leaf(IS_NONE, [value], BOOL, span)
    return lowering.const(value.type == NONE, BOOL, span)


def is_string(type: Type) -> bool:
    """Whether values of a type are strings, members of a StrEnum among them."""
    return type == STR or (isinstance(type, EnumType) and type.info.kind == "str")


def as_string(lowering: FunctionLowering, value: Value, span: Span) -> Value:
    """A member of a StrEnum as its str; any other value unchanged."""
    return plain(lowering, value, span) if is_string(value.type) else value


def typed_constant(lowering: FunctionLowering, value: object, type: Type, span: Span) -> Value | None:
    """A constant of a type that it does not tell itself; None if it is not of that type."""
    if isinstance(type, TupleType) and isinstance(value, tuple):
        parts = [typed_constant(lowering, v, t, span) for v, t in zip(value, type.elements, strict=True)]
        made = [part for part in parts if part is not None]
        if len(made) < len(parts):
            return None
        if type.named is None:
            return make_tuple(lowering, made, span)
        return lowering.leaf(NAMED_MAKE, [lowering.const(type, TYPE, span), *made], type, span)
    if isinstance(type, TensorType):
        return lowering.const(value, type, span)
    found = lowering.constant(value.item() if isinstance(value, np.generic) else value, span)
    if isinstance(type, ScalarType):
        return lowering.leaf(CONVERT, [found, lowering.const(type, TYPE, span)], type, span)
    return coerce(lowering, found, type, span)


def default_value(lowering: FunctionLowering, value: object, type: Type, span: Span) -> Value:
    """The default of a parameter of a type."""
    if isinstance(type, ListType) and isinstance(value, tuple):
        return make_list(lowering, type, [default_value(lowering, v, type.element, span) for v in value], span)
    if isinstance(value, tuple) and isinstance(type, OptionalType | UnionType):
        lists = [m for m in members_of(type) if isinstance(m, ListType)]
        if lists and lowering.coerce(lowering.constant(value, span), type, span) is None:
            return widen(lowering, default_value(lowering, value, lists[0], span), type, span)
    if isinstance(type, ScalarType) or (isinstance(type, TupleType) and type.named):
        made = typed_constant(lowering, value, type, span)
        assert made is not None
        return made
    wide = (OptionalType, UnionType, ListType, TupleType, ScalarType, ArrayType)
    if isinstance(type, TupleType) and not type.named and any(isinstance(t, wide) or t == ANY for t in type.elements):
        assert isinstance(value, tuple)
        elements = [default_value(lowering, v, t, span) for v, t in zip(value, type.elements, strict=True)]
        return widen(lowering, make_tuple(lowering, elements, span), type, span)
    if value is None or (not isinstance(type, OptionalType | UnionType) and type != ANY):
        return lowering.const(by_name(value), type, span)
    found = lowering.coerce(lowering.constant(value, span), type, span)
    assert found is not None
    return found


def plain(lowering: FunctionLowering, value: Value, span: Span) -> Value:
    """A member of an IntEnum or StrEnum as its int or str; any other value unchanged."""
    how = lowering.kind(value).plain
    return value if how is None else how(lowering, value, span)
