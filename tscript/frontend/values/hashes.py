"""``hash(x)`` of values that the native library cannot hash, because a class defines ``__hash__``."""

from __future__ import annotations

from collections.abc import Sequence

from tscript.diagnostics import Span
from tscript.frontend.diagnostics import errors
from tscript.frontend.diagnostics.type_names import article
from tscript.frontend.lowering import conversions, method_calls, receivers
from tscript.frontend.lowering.arguments import call_function
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.hashes import hash_of
from tscript.frontend.lowering.merging import merge
from tscript.frontend.lowering.tuples import tuple_elements
from tscript.frontend.source import hashing
from tscript.frontend.source.classes import ClassDefinition, class_definition
from tscript.frontend.values import fields
from tscript.ir.graph import Value
from tscript.operators.python.conversions import IS_INSTANCE
from tscript.operators.python.functions.hashing import hash_end, hash_given, hash_next, hash_option, hash_row, no_hash
from tscript.types import BOOL, INT, TYPE, ClassType, EnumType, Type

TUPLE_START = 2870177450012600261
"""The state of the hash of a tuple before its first element."""


def of_union(lowering: FunctionLowering, value: Value, span: Span) -> Value | None:
    """The hash of a value of a union."""
    if not hashing.asks(value.type):
        return None
    return conversions.by_member(lowering, value, lambda member: hash_of(lowering, member, span), INT, span)


def of_option(lowering: FunctionLowering, value: Value, span: Span) -> Value | None:
    """The hash of a value that may be None."""
    return call_function(lowering, hash_option, [value], span) if _is_own(value.type) else None


def of_row(lowering: FunctionLowering, value: Value, span: Span) -> Value | None:
    """The hash of a tuple of any length."""
    return call_function(lowering, hash_row, [value], span) if hashing.asks(value.type) else None


def of_tuple(lowering: FunctionLowering, value: Value, span: Span) -> Value | None:
    """The hash of a tuple."""
    if not _is_own(value.type):
        return None
    found = method_calls.special_call(lowering, value, "__hash__", [], span)
    if found is not None:
        return _as_hash(lowering, found, value.type, span)
    return _hash_tuple(lowering, tuple_elements(lowering, value, span), span)


def of_member(lowering: FunctionLowering, value: Value, span: Span) -> Value | None:
    """The hash of a member of an enum."""
    assert isinstance(value.type, EnumType)
    if not _is_own(value.type):
        return None
    found = method_calls.special_call(lowering, value, "__hash__", [], span)
    if found is not None:
        return _as_hash(lowering, found, value.type, span)
    return _no_hash(lowering, value.type.info.name.rpartition(".")[2], span)


def _is_own(type: Type) -> bool:
    """Whether a class defines the hash, or that there is none."""
    return hashing.asks(type) or hashing.unhashable_part(type) is not None


def of_instance(lowering: FunctionLowering, value: Value, span: Span) -> Value | None:
    """The hash of an instance, by the class that it is of."""
    assert isinstance(value.type, ClassType)
    definition = class_definition(value.type)
    if definition is None:
        return None
    receivers.usable_or_reading(lowering, definition)
    others: list[ClassDefinition] = []
    if not receivers.is_exact(value):
        if not definition.is_final:
            definition.assumed |= {"__hash__", "__eq__"}
        others = [d for d in definition.known_derived if d.base is not None and _kind(d) != _kind(d.base)]

    def choose(position: int) -> Value:
        if position == len(others):
            return _hash_as(lowering, value, definition, span)
        derived = others[position]
        test = lowering.leaf(IS_INSTANCE, [value, lowering.const(derived.type, TYPE, span)], BOOL, span)

        def of_derived() -> Value:
            return _hash_as(lowering, conversions.narrow(lowering, value, derived.type, span), derived, span)

        orelse = lowering.branch(lambda: choose(position + 1))
        found = merge(lowering, test, lowering.branch(of_derived), orelse, span, INT)
        assert found is not None
        return found

    return choose(0)


def _kind(definition: ClassDefinition) -> tuple[str, ClassDefinition | None]:
    kind, owner = hashing.source_of(definition)
    return kind, None if kind == hashing.IDENTITY else owner


def _hash_as(lowering: FunctionLowering, value: Value, definition: ClassDefinition, span: Span) -> Value:
    """The hash of an instance as a class has it."""
    kind, owner = hashing.source_of(definition)
    if kind == hashing.WRITTEN:
        method = owner.methods["__hash__"]
        found = method_calls.call_directly(lowering, receivers.placed(lowering, span), owner, method, value)
        return _as_hash(lowering, found, value.type, span)
    if kind == hashing.GENERATED:
        names = [n for n in hashing.hashed_fields(owner) if n in definition.info.fields]
        return _hash_tuple(lowering, [fields.get_field(lowering, value, n, span) for n in names], span)
    if kind == hashing.NONE:
        return _no_hash(lowering, definition.name, span)
    if kind == hashing.OTHER:
        what = f"the '__hash__' of {definition.name}, which is no method,"
        raise lowering.failure(errors.UnsupportedExpression(span, what, "write 'def __hash__(self) -> int:'"))
    return lowering.apply("hash", [value], span)


def _hash_tuple(lowering: FunctionLowering, elements: Sequence[Value], span: Span) -> Value:
    state = lowering.const(TUPLE_START, INT, span)
    for element in elements:
        state = call_function(lowering, hash_next, [state, hash_of(lowering, element, span)], span)
    return call_function(lowering, hash_end, [state, lowering.const(len(elements), INT, span)], span)


def _no_hash(lowering: FunctionLowering, name: str, span: Span) -> Value:
    call_function(lowering, no_hash, [lowering.constant(name, span)], span)
    return lowering.const(0, INT, span)


def _as_hash(lowering: FunctionLowering, found: Value, type: Type, span: Span) -> Value:
    """The hash from a result of ``__hash__``: -1 becomes -2, as in CPython."""
    if found.type == BOOL:
        found = lowering.apply("int", [found], span)
    if found.type != INT:
        what = f"a '__hash__' that gives {article(found.type)}, of {article(type)},"
        raise lowering.failure(errors.UnsupportedExpression(span, what, "let it give an int"))
    return call_function(lowering, hash_given, [found], span)
