"""Operators, comparisons and string forms of instances, enums and named tuples, alone and in containers.

The native library compares and prints values whose classes define nothing. If a class defines ``__eq__``, ``__lt__`` or
``__repr__``, or a generated one does not use all fields, functions in the language do it:
`tscript.operators.python.functions`.
"""

from __future__ import annotations

from tscript.abi.python import PYTHON
from tscript.diagnostics import Span
from tscript.frontend.diagnostics import type_errors
from tscript.frontend.diagnostics.type_names import shown
from tscript.frontend.lowering import common, conversions, holding, method_calls, receivers, sources, unions
from tscript.frontend.lowering.arguments import call_function
from tscript.frontend.lowering.branches import merged
from tscript.frontend.lowering.common import EQUAL, has_own
from tscript.frontend.lowering.conversions import plain
from tscript.frontend.lowering.expressions import OPERATORS, SIGNS_OF, compare_values
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.new_containers import make_dict, make_list
from tscript.frontend.lowering.tuples import make_tuple, tuple_elements
from tscript.frontend.source import hashing
from tscript.frontend.source.classes import ClassDefinition, class_definition, defines
from tscript.frontend.values import enums, instances, tuple_order
from tscript.ir.graph import Value
from tscript.operators.python.classes import IS_SAME
from tscript.operators.python.conversions import IS_INSTANCE
from tscript.operators.python.functions import keys
from tscript.operators.python.functions.containers import (
    dicts_equal,
    greatest_of,
    least_of,
    lists_equal,
    options_equal,
    order_of,
    same_options,
    update_dict,
)
from tscript.types import (
    ANY,
    BOOL,
    INT,
    NEVER,
    NONE,
    STR,
    TENSOR,
    TYPE,
    ClassType,
    DictType,
    EnumType,
    ListType,
    OptionalType,
    TensorType,
    TupleType,
    Type,
    UnionType,
    join,
    members_of,
    union,
)

ORDER = ("__lt__", "__gt__", "__le__", "__ge__")
REFLECTED = {"__lt__": "__gt__", "__gt__": "__lt__", "__le__": "__ge__", "__ge__": "__le__"}
SIGNS = {"lt": "__lt__", "gt": "__gt__", "le": "__le__", "ge": "__ge__"}

# ---- identity and equality


def same(lowering: FunctionLowering, left: Value, right: Value, span: Span) -> Value | None:
    """``left is right``; None for values that have no identity."""
    a, b = left.type, right.type
    if isinstance(a, EnumType) and isinstance(b, EnumType):
        if a != b:
            return lowering.const(False, BOOL, span)
        return lowering.apply("eq", [enums.number(lowering, v, span) for v in (left, right)], span)
    if common.has_identity(a) and common.has_identity(b):
        return lowering.leaf(IS_SAME, [left, right], BOOL, span)
    if common.has_identity(a) or common.has_identity(b):
        return lowering.const(False, BOOL, span)
    return None


def equal(lowering: FunctionLowering, left: Value, right: Value, span: Span) -> Value | None:
    """``left == right``; None if the native library can do it, or this module does not handle it."""
    a, b = left.type, right.type
    if (a == ANY) != (b == ANY) and not isinstance(a if b == ANY else b, TensorType):
        return _equal_any(lowering, left, right, span)
    if (isinstance(a, UnionType) or isinstance(b, UnionType)) and (has_own(a) or has_own(b)):
        return _equal_unions(lowering, left, right, span)
    if isinstance(a, EnumType) or isinstance(b, EnumType):
        return _equal_members(lowering, left, right, span)
    if isinstance(a, ClassType) or isinstance(b, ClassType):
        return _equal_instances(lowering, left, right, span)
    if isinstance(a, TupleType) or isinstance(b, TupleType):
        for one, other in ((left, right), (right, left)):
            found = method_calls.special_call(lowering, one, "__eq__", [other], span)
            if found is not None:
                return found
        return _equal_tuples(lowering, left, right, span)
    if (isinstance(a, OptionalType) or isinstance(b, OptionalType)) and defines(a, EQUAL) and defines(b, EQUAL):
        return call_function(lowering, options_equal, [left, right], span)
    if not (has_own(a) and has_own(b)):
        return None
    match a, b:
        case ListType(), ListType():
            return call_function(lowering, lists_equal, [left, right], span)
        case DictType(), DictType():
            asked = hashing.asks(a.key) or hashing.asks(b.key)
            return call_function(lowering, (keys.dicts_equal if asked else dicts_equal), [left, right], span)
    return None


def _equal_tuples(lowering: FunctionLowering, left: Value, right: Value, span: Span) -> Value | None:
    """``left == right`` of tuples whose elements define equality, one by one; None for others."""
    a, b = left.type, right.type
    if not (
        isinstance(a, TupleType)
        and isinstance(b, TupleType)
        and (defines(a, EQUAL) or defines(b, EQUAL))
        and len(a.elements) == len(b.elements)
    ):
        return None
    pairs = list(zip(tuple_elements(lowering, left, span), tuple_elements(lowering, right, span), strict=True))
    return tuple_order.equal(lowering, pairs, lambda x, y: truth_of(lowering, "eq", x, y, span), span)


def same_or_equal(lowering: FunctionLowering, left: Value, right: Value, span: Span) -> Value:
    """Whether two values are the same object, or equal."""
    if any(isinstance(v.type, UnionType) for v in (left, right)):
        if any(NONE in members_of(v.type) for v in (left, right)):
            return call_function(lowering, same_options, [left, right], span)
        found = unions.each(lowering, [left, right], lambda v: same_or_equal(lowering, v[0], v[1], span), span)
        if found is not None:
            return found
    return tuple_order.equal(lowering, [(left, right)], lambda x, y: truth_of(lowering, "eq", x, y, span), span)


def _equal_unions(lowering: FunctionLowering, left: Value, right: Value, span: Span) -> Value | None:
    """``left == right`` where one may be an instance that defines equality."""
    if any(NONE in members_of(v.type) for v in (left, right)):
        return call_function(lowering, options_equal, [left, right], span)
    return unions.each(lowering, [left, right], lambda v: truth_of(lowering, "eq", v[0], v[1], span), span)


def _holds_tensor(type: TupleType) -> bool:
    return any(isinstance(e, TensorType) or (isinstance(e, TupleType) and _holds_tensor(e)) for e in type.elements)


def truth_of(lowering: FunctionLowering, name: str, left: Value, right: Value, span: Span) -> Value:

    return lowering.truth(compare_values(lowering, name, left, right, span), span)


def _equal_members(lowering: FunctionLowering, left: Value, right: Value, span: Span) -> Value:
    a, b = left.type, right.type
    for one, other in ((left, right), (right, left)):
        found = method_calls.special_call(lowering, one, "__eq__", [other], span)
        if found is not None:
            return found
    if a == b:
        return lowering.apply("eq", [enums.number(lowering, v, span) for v in (left, right)], span)
    x, y = plain(lowering, left, span), plain(lowering, right, span)
    if isinstance(x.type, EnumType) or isinstance(y.type, EnumType):
        other_type = y.type if isinstance(x.type, EnumType) else x.type
        if isinstance(other_type, OptionalType) and isinstance(other_type.value, EnumType):
            return call_function(lowering, options_equal, [left, right], span)
        return lowering.const(False, BOOL, span)
    numbers = (INT, BOOL)
    if x.type != y.type and not (x.type in numbers and y.type in numbers) and STR in (x.type, y.type):
        return lowering.const(False, BOOL, span)
    return lowering.apply("eq", [x, y], span, shown_as="==")


def _equal_any(lowering: FunctionLowering, left: Value, right: Value, span: Span) -> Value:
    """``left == right`` where one has any type: the method of its class if it is an instance of the other's class."""

    other = right.type if left.type == ANY else left.type
    if not (isinstance(other, ClassType) and has_own(other)):
        return lowering.apply(
            "eq", [conversions.widen(lowering, v, ANY, span) for v in (left, right)], span, shown_as="=="
        )

    def known(value: Value) -> Value:
        return conversions.narrow(lowering, value, other, span) if value.type == ANY else value

    value = left if left.type == ANY else right
    test = lowering.leaf(IS_INSTANCE, [value, lowering.const(other, TYPE, span)], BOOL, span)
    then = lowering.branch(
        lambda: lowering.truth(compare_values(lowering, "eq", known(left), known(right), span), span)
    )
    return merged(lowering, test, then, lowering.branch(lambda: lowering.const(False, BOOL, span)), BOOL, span)


def _equal_instances(lowering: FunctionLowering, left: Value, right: Value, span: Span) -> Value | None:
    a, b = left.type, right.type
    for one, other in ((left, right), (right, left)):
        if isinstance(one.type, ClassType) and isinstance(other.type, OptionalType) and common.has_identity(other.type):
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
        ours, theirs = (instances.get_field(lowering, v, names[position], span) for v in (left, right))
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
    sides = [
        make_tuple(lowering, [instances.get_field(lowering, v, n, span) for n in names], span) for v in (left, right)
    ]
    return compare_values(lowering, name, sides[0], sides[1], span)


# ---- order


def order(lowering: FunctionLowering, name: str, left: Value, right: Value, span: Span) -> Value | None:
    """``left < right`` and the like; None if the native library can do it, or this module does not handle it."""
    special = SIGNS.get(name)
    if special is None:
        return None
    a, b = left.type, right.type
    found = method_calls.special_call(lowering, left, special, [right], span)
    if found is not None:
        return found
    found = method_calls.special_call(lowering, right, REFLECTED[special], [left], span)
    if found is not None:
        return found
    if isinstance(a, EnumType) or isinstance(b, EnumType):
        x, y = plain(lowering, left, span), plain(lowering, right, span)
        if isinstance(x.type, EnumType) or isinstance(y.type, EnumType):
            return (
                None
                if not (isinstance(a, EnumType) and isinstance(b, EnumType))
                else _refuse(lowering, a, b, name, span)
            )
        return lowering.apply(name, [x, y], span)
    if isinstance(a, ClassType) and isinstance(b, ClassType):
        definition = class_definition(a)
        generator = None if definition is None else definition.generator(special)
        if definition is not None and generator is None and a == b and definition.total_order:
            return _from_less(lowering, special, left, right, span)
        if generator is None or a != b:
            return _refuse(lowering, a, b, name, span)
        if defines(a, ORDER):
            return compare_parts(lowering, name, left, right, generator, span)
    elif isinstance(a, ClassType) or isinstance(b, ClassType):
        return _refuse(lowering, a, b, name, span)
    elif (
        isinstance(a, TupleType)
        and isinstance(b, TupleType)
        and _holds_tensor(a)
        and len(a.elements) == len(b.elements)
    ):
        pairs = list(zip(tuple_elements(lowering, left, span), tuple_elements(lowering, right, span), strict=True))

        def compare(by: str) -> tuple_order.Compare:
            return lambda x, y: truth_of(lowering, by, x, y, span)

        return tuple_order.ordered(lowering, pairs, compare("eq"), compare(name), name in ("le", "ge"), span)
    return None


def _from_less(lowering: FunctionLowering, special: str, left: Value, right: Value, span: Span) -> Value | None:
    """The comparisons that `functools.total_ordering` derives from ``__lt__`` (or ``__gt__`` …) and ``__eq__``."""
    definition = class_definition(left.type)
    assert definition is not None
    base = next((n for n in ("__lt__", "__gt__", "__le__", "__ge__") if definition.method(n) is not None), None)
    if base is None:
        return None
    flips = {"__lt__": "__gt__", "__gt__": "__lt__", "__le__": "__ge__", "__ge__": "__le__"}
    x, y = (right, left) if special == flips[base] else (left, right)
    if special in (base, flips[base]):
        return method_calls.special_call(lowering, x, base, [y], span)
    # "not less" means "greater or equal" with the operands swapped
    x, y = (right, left) if special[2] == base[2] else (left, right)
    found = method_calls.special_call(lowering, x, base, [y], span)
    assert found is not None
    return lowering.apply("not", [lowering.truth(found, span)], span)


def _refuse(lowering: FunctionLowering, a: Type, b: Type, name: str, span: Span) -> Value:
    sign = {"lt": "<", "gt": ">", "le": "<=", "ge": ">="}[name]
    what = f"'{sign}' does not take {shown(a)} and {shown(b)}"
    instead = f"define '{SIGNS[name]}' in the class, or write @dataclass(order=True)"
    if isinstance(a, EnumType) and isinstance(b, EnumType):
        instead = "compare the values of the members: '.value'"
    raise lowering.failure(type_errors.OperatorRefused(span, what, instead))


# ---- operators


def binary(lowering: FunctionLowering, name: str, left: Value, right: Value, span: Span) -> Value | None:
    """An operator on instances and members: their special methods; None where neither has any."""
    method = OPERATORS.get(name)
    if method is None:
        return None
    a, b = left.type, right.type
    if not any(isinstance(t, ClassType | EnumType | TupleType) for t in (a, b)):
        return None
    first, second = (left, f"__{method}__", right), (right, f"__r{method}__", left)
    ways = [first, second]
    if a != b and isinstance(a, ClassType) and isinstance(b, ClassType) and b.info.derives_from(a.info):
        ways.reverse()
    for receiver, special, other in ways:
        found = method_calls.special_call(lowering, receiver, special, [other], span)
        if found is not None:
            return found
    x, y = plain(lowering, left, span), plain(lowering, right, span)
    if x is not left or y is not right:
        return lowering.apply(name, [x, y], span, shown_as=SIGNS_OF[name])
    return None


# ---- string forms


# ---- lists of instances


def contains(lowering: FunctionLowering, container: Value, item: Value, span: Span) -> Value | None:
    """``item in container`` if the class of either defines it; None otherwise."""
    found = method_calls.special_call(lowering, container, "__contains__", [item], span)
    if found is not None:
        return lowering.truth(found, span)
    type = container.type
    if isinstance(type, ListType) and defines(type.element, EQUAL):
        wanted = lowering.coerce(item, type.element, span)
        if wanted is not None:
            return call_function(lowering, keys.in_row, [container, wanted], span)
    if isinstance(type, TupleType) and isinstance(item.type, TensorType):
        pairs = [(element, item) for element in tuple_elements(lowering, container, span)]
        return tuple_order.any_equal(lowering, pairs, lambda x, y: truth_of(lowering, "eq", x, y, span), span)
    return None


def order_objects(lowering: FunctionLowering, keys: Value, reverse: Value, span: Span) -> Value | None:
    """The indices that sort a list by the order of its elements; None if the native library can sort."""
    if isinstance(keys.type, ListType) and needs_order(keys.type.element):
        return call_function(lowering, order_of, [keys, reverse], span)
    return None


def needs_order(type: Type) -> bool:
    """Whether code of the program defines the order of values of a type."""
    if isinstance(type, ClassType):
        return defines(type, ORDER)
    if isinstance(type, EnumType | TensorType):
        return True
    return isinstance(type, TupleType) and any(map(needs_order, type.elements))


def extreme(lowering: FunctionLowering, name: str, keys: Value, span: Span) -> Value | None:
    """The index of the least or greatest element by its own order; None if the native library can find it."""
    if isinstance(keys.type, ListType) and needs_order(keys.type.element):
        return call_function(lowering, least_of if name == "min" else greatest_of, [keys], span)
    return None


def of_one_type(lowering: FunctionLowering, left: Value, right: Value, span: Span) -> tuple[Value, Value] | None:
    """Two containers of different element types that are compared, as containers of the wider one: the other is copied.
    None if neither converts to the other."""
    for one, other in ((left, right), (right, left)):
        made = _copied(lowering, one, other.type, span)
        if made is not None:
            return (made, right) if one is left else (left, made)
    return None


def _copied(lowering: FunctionLowering, value: Value, wanted: Type, span: Span) -> Value | None:
    found, node = value.type, receivers.placed(lowering, span)
    if common.becomes(found, wanted) and isinstance(wanted, DictType):
        made = make_dict(lowering, wanted, [], span)
        call_function(lowering, update_dict, [made, value], span)
        return made
    if not isinstance(found, ListType) or not isinstance(wanted, ListType) or found.frozen or wanted.frozen:
        return None
    if NEVER in (found.element, wanted.element) or not common.is_wider(found.element, wanted.element):
        return None
    made = make_list(lowering, wanted, [], span)
    holding.run_into(
        lowering, sources.value_source(lowering, value, node), lambda x: holding.append(lowering, made, x, node), node
    )
    return made
