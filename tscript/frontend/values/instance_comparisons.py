"""Comparisons of instances: by the methods of their classes, or generated ones.

The native library compares values whose classes define nothing. If a class defines ``__eq__`` or ``__lt__``, or a
generated one does not use all fields, functions in the language do it.
"""

from __future__ import annotations

from tscript.abi.python import PYTHON
from tscript.diagnostics import Span
from tscript.frontend.diagnostics import type_errors
from tscript.frontend.diagnostics.type_names import shown
from tscript.frontend.lowering import conversions, method_calls
from tscript.frontend.lowering.arguments import call_function
from tscript.frontend.lowering.branches import merged
from tscript.frontend.lowering.common import EQUAL, ORDER
from tscript.frontend.lowering.comparisons import ORDER_METHODS, REFLECTED, SIGNS, compare_values
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.tuples import make_tuple
from tscript.frontend.source.classes import ClassDefinition, class_definition, defines
from tscript.frontend.values import fields
from tscript.ir.graph import Value
from tscript.operators.python.classes import IS_SAME
from tscript.operators.python.functions.containers import options_equal
from tscript.types import BOOL, TENSOR, ClassType, EnumType, OptionalType, TensorType, Type, join, union


def equal(lowering: FunctionLowering, left: Value, right: Value, span: Span) -> Value | None:
    """``left == right`` of which one is an instance."""
    a, b = left.type, right.type
    for one, other in ((left, right), (right, left)):
        if (
            isinstance(one.type, ClassType)
            and isinstance(other.type, OptionalType)
            and lowering.kinds.has_identity(other.type)
        ):
            return call_function(lowering, options_equal, [left, right], span)
        definition = class_definition(one.type) if isinstance(one.type, ClassType) else None
        if definition is not None and definition.method("__eq__") is not None:
            found = method_calls.special_call(lowering, one, "__eq__", [other], span)
            if found is not None:
                return found
    if not (isinstance(a, ClassType) and isinstance(b, ClassType)):
        return lowering.const(False, BOOL, span)
    wide = join(a, b)
    definition = class_definition(a)
    if wide is None:
        return lowering.const(False, BOOL, span)
    generator = None if definition is None else definition.generator("__eq__")  # builtin exceptions have no definition
    if generator is None:
        return lowering.leaf(IS_SAME, [left, right], BOOL, span)
    if not defines(a, EQUAL):
        return lowering.apply(
            "eq", [conversions.widen(lowering, v, wide, span) for v in (left, right)], span, shown_as="=="
        )
    if a != b:
        return lowering.const(False, BOOL, span)
    if PYTHON >= 313:
        return _fields_equal(lowering, left, right, generator, span)
    return lowering.truth(compare_parts(lowering, "eq", left, right, generator, span), span)


def _fields_equal(
    lowering: FunctionLowering, left: Value, right: Value, generator: ClassDefinition, span: Span
) -> Value:
    """The generated ``__eq__`` since Python 3.13: ``self is other or self.a == other.a and self.b == other.b``, which
    may give a tensor."""

    names = _compared(generator)
    wanted: Type = BOOL
    if any(isinstance(generator.info.fields[name], TensorType) for name in names):
        wanted = union((BOOL, TENSOR))

    def converted(value: Value) -> Value:
        found = lowering.coerce(value, wanted, span)
        return lowering.truth(value, span) if found is None else found

    def choose(position: int) -> Value:
        ours, theirs = (fields.get_field(lowering, v, names[position], span) for v in (left, right))
        value = compare_values(lowering, "eq", ours, theirs, span)
        if position + 1 == len(names):
            return converted(value)
        test = lowering.truth(value, span)
        then = lowering.branch(lambda: choose(position + 1))
        return merged(lowering, test, then, lowering.branch(lambda: converted(value)), wanted, span)

    identical = lowering.leaf(IS_SAME, [left, right], BOOL, span)
    yes = lowering.branch(lambda: converted(lowering.const(True, BOOL, span)))
    other = lowering.branch(lambda: choose(0) if names else converted(lowering.const(True, BOOL, span)))
    return merged(lowering, identical, yes, other, wanted, span)


def _compared(generator: ClassDefinition) -> list[str]:
    return [f.name for f in generator.fields or () if f.compare and f.only_init is None]


def compare_parts(
    lowering: FunctionLowering, name: str, left: Value, right: Value, generator: ClassDefinition, span: Span
) -> Value:
    """A generated comparison of two instances: that of the tuples of their fields."""

    names = _compared(generator)
    sides = [make_tuple(lowering, [fields.get_field(lowering, v, n, span) for n in names], span) for v in (left, right)]
    return compare_values(lowering, name, sides[0], sides[1], span)


def order(lowering: FunctionLowering, name: str, left: Value, right: Value, span: Span) -> Value | None:
    """``left < right`` and the like of which one is an instance, without a method for it."""
    a, b = left.type, right.type
    if not (isinstance(a, ClassType) and isinstance(b, ClassType)):
        return refuse(lowering, a, b, name, span)
    special = ORDER_METHODS[name]
    definition = class_definition(a)
    generator = None if definition is None else definition.generator(special)
    if definition is not None and generator is None and a == b and definition.total_order:
        return _from_less(lowering, special, left, right, span)
    if generator is None or a != b:
        return refuse(lowering, a, b, name, span)
    return compare_parts(lowering, name, left, right, generator, span) if defines(a, ORDER) else None


def says_order(type: Type, name: str) -> bool:
    """Whether the class of a value says how ``<`` (or `name`) compares it with one of its type."""
    definition = class_definition(type)
    special = ORDER_METHODS[name]
    if definition is None:
        return False
    methods = definition.method(special) or definition.method(REFLECTED[special]) or definition.generator(special)
    return methods is not None or definition.total_order


def _from_less(lowering: FunctionLowering, special: str, left: Value, right: Value, span: Span) -> Value | None:
    """The comparisons that `functools.total_ordering` derives from ``__lt__`` (or ``__gt__`` …) and ``__eq__``."""
    definition = class_definition(left.type)
    assert definition is not None
    base = next((n for n in REFLECTED if definition.method(n) is not None), None)
    if base is None:
        return None
    x, y = (right, left) if special == REFLECTED[base] else (left, right)
    if special in (base, REFLECTED[base]):
        return method_calls.special_call(lowering, x, base, [y], span)
    # "not less" means "greater or equal" with the operands swapped
    x, y = (right, left) if special[2] == base[2] else (left, right)
    found = method_calls.special_call(lowering, x, base, [y], span)
    assert found is not None
    return lowering.apply("not", [lowering.truth(found, span)], span)


def refuse(lowering: FunctionLowering, a: Type, b: Type, name: str, span: Span) -> Value:
    """Report that values of two types have no order."""
    what = f"'{SIGNS[name]}' does not take {shown(a)} and {shown(b)}"
    instead = f"define '{ORDER_METHODS[name]}' in the class, or write @dataclass(order=True)"
    if isinstance(a, EnumType) and isinstance(b, EnumType):
        instead = "compare the values of the members: '.value'"
    raise lowering.failure(type_errors.OperatorRefused(span, what, instead))
