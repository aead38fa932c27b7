"""Named tuples: tuples whose elements have names."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tscript.diagnostics import Span
from tscript.frontend.diagnostics import class_errors, errors, type_errors
from tscript.frontend.diagnostics.type_names import conversion_help, shown
from tscript.frontend.lowering import conversions
from tscript.frontend.lowering.constants import constant_int
from tscript.frontend.lowering.function import FunctionLowering, Source
from tscript.frontend.lowering.holding import append
from tscript.frontend.lowering.iteration import Elements, Parts
from tscript.frontend.lowering.kinds import Kind, Pattern
from tscript.frontend.lowering.new_containers import make_dict, make_list
from tscript.frontend.lowering.receivers import usable
from tscript.frontend.lowering.tuples import make_tuple, tuple_element, tuple_elements
from tscript.frontend.source.classes import ClassDefinition, FieldSpec, defines
from tscript.frontend.values import fields, hashes, instances, methods, tuple_comparisons
from tscript.frontend.values.making_instances import default_of, lower_fields
from tscript.frontend.values.representation import STR_METHODS, in_fields, own_str
from tscript.ir.graph import Op, Value
from tscript.operators.python.classes import NAMED_MAKE
from tscript.types import BOOL, INT, NEVER, STR, TYPE, DictType, ListType, TupleType, Type, leaves_open
from tscript.types.inference import weaken
from tscript.types.opened import with_rank


def make(lowering: FunctionLowering, type: TupleType, elements: Sequence[Value], span: Span) -> Value:
    """A named tuple of elements of its types."""
    return lowering.leaf(NAMED_MAKE, [lowering.const(type, TYPE, span), *elements], type, span)


def construct(lowering: FunctionLowering, node: ast.Call, definition: ClassDefinition) -> Value:
    """``Point(x=1, y=2)``."""

    usable(lowering, definition)
    type, specs = definition.type, definition.fields or []
    assert isinstance(type, TupleType) and type.named is not None
    given = lower_fields(lowering, node, definition, specs)
    elements = [
        given[s.name] if s.name in given else _default(lowering, definition, s, with_rank(wanted, NEVER, 1), node)
        for s, wanted in zip(specs, type.elements, strict=True)
    ]
    if type.named.typed is not None:
        type = type.named.typed(tuple(weaken(element.type) for element in elements))
        assert isinstance(type, TupleType)
    return make(lowering, type, elements, lowering.span(node))


def _default(
    lowering: FunctionLowering, definition: ClassDefinition, spec: FieldSpec, wanted: Type, node: ast.Call
) -> Value:
    """The default of a field, which says its type if the field does not."""
    if not leaves_open(wanted):
        return default_of(lowering, definition, spec, wanted, node)
    symbol = lowering.program.resolver.class_constant(definition, spec.default)
    what = f"the default of '{definition.name}.{spec.name}'"
    return fields.symbol_value(lowering, symbol, what, lowering.span(node))


def attribute(lowering: FunctionLowering, value: Value, name: str, span: Span) -> Value | None:
    """An element by its name; None if there is none."""
    assert isinstance(value.type, TupleType) and value.type.named is not None
    fields = value.type.named.fields
    if name in fields:
        return tuple_element(lowering, value, fields.index(name), span)
    if name == "_fields":
        return lowering.constant(fields, span)
    return None


def method(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value | None:
    """``_replace`` and ``_asdict``; None for other methods."""
    assert isinstance(node.func, ast.Attribute)
    type, span = receiver.type, lowering.span(node)
    if not isinstance(type, TupleType) or type.named is None:
        return None
    fields = type.named.fields
    parts = tuple_elements(lowering, receiver, span)
    if node.func.attr == "_replace" and not node.args:
        for keyword in node.keywords:
            if keyword.arg not in fields:
                instead = f"its fields are {', '.join(fields)}"
                raise lowering.failure(
                    errors.UnknownKeyword(lowering.span(keyword), "_replace", str(keyword.arg), instead)
                )
            at = fields.index(keyword.arg)
            wanted = type.elements[at]
            value = lowering.value_as(keyword.value, wanted)
            found = lowering.coerce(value, wanted, span)
            if found is None:
                instead = conversion_help(value, wanted)
                raise lowering.failure(
                    class_errors.FieldType(span, shown(type), keyword.arg, shown(wanted), shown(value.type), instead)
                )
            parts[at] = found
        return make(lowering, type, parts, span)
    if node.func.attr == "_asdict" and not node.args and not node.keywords:
        if len(set(type.elements)) != 1:
            instead = "its fields have several types: list the fields that you need"
            raise lowering.failure(errors.BuiltinArguments(span, "_asdict", "makes a dict of one type", instead))
        items = [v for f, p in zip(fields, parts, strict=True) for v in (lowering.const(f, STR, span), p)]
        return make_dict(lowering, DictType(STR, type.elements[0]), items, span)
    return None


def _truth(lowering: FunctionLowering, value: Value, span: Span) -> Value:
    assert isinstance(value.type, TupleType)
    return lowering.const(bool(value.type.elements), BOOL, span)


def _attribute(lowering: FunctionLowering, value: Value, name: str, span: Span, node: ast.expr | None) -> Value | None:
    assert isinstance(value.type, TupleType)
    found = _result(lowering, value, name, span) if value.type.named is None else attribute(lowering, value, name, span)
    return fields.get_attribute(lowering, value, name, span) if found is None else found


def _result(lowering: FunctionLowering, value: Value, name: str, span: Span) -> Value | None:
    """A result of an operator by its name: ``x.max(1).values``; None if it has no such one."""
    if not isinstance(value.node, Op) or name not in value.node.op.schema.result_names:
        return None
    return tuple_element(lowering, value, value.node.op.schema.result_names.index(name), span)


MAX_UNROLLED = 8
"""The maximum length of a tuple of one type for which a loop is unrolled."""


def _source(lowering: FunctionLowering, value: Value, node: ast.expr) -> Source:
    assert isinstance(value.type, TupleType)
    elements = value.type.elements
    if len(set(elements)) == 1 and len(elements) > MAX_UNROLLED:
        return Elements(value, len(elements))
    return Parts(tuple_elements(lowering, value, lowering.span(node)))


def _parts(lowering: FunctionLowering, value: Value, count: int, span: Span) -> list[Value]:
    assert isinstance(value.type, TupleType)
    found = len(value.type.elements)
    if found != count:
        raise lowering.failure(type_errors.UnpackCount(span, found, count, shown(value.type)))
    return tuple_elements(lowering, value, span)


def _parts_around(lowering: FunctionLowering, value: Value, before: int, after: int, span: Span) -> list[Value]:
    elements = tuple_elements(lowering, value, span)
    if len(elements) < before + after:
        raise lowering.failure(type_errors.UnpackCount(span, len(elements), before + after, shown(value.type)))
    end = len(elements) - after
    middle = make_list(lowering, ListType(NEVER), [], span)
    for element in elements[before:end]:
        lowering.settle(middle, ListType(element.type))
        append(lowering, middle, element, lowering.function.tree)
    return [*elements[:before], middle, *elements[end:]]


def _as_string(lowering: FunctionLowering, value: Value, special: str, span: Span) -> Value | None:
    own = own_str(lowering, value, special, span)
    if own is not None or not defines(value.type, STR_METHODS):
        return own
    assert isinstance(value.type, TupleType)
    elements, named = tuple_elements(lowering, value, span), value.type.named
    if named is None:
        end = ",)" if len(elements) == 1 else ")"
        return in_fields(lowering, "(", [("", e) for e in elements], end, span)
    pairs = [(f"{n}=", e) for n, e in zip(named.fields, elements, strict=True)]
    return in_fields(lowering, f"{named.name.rpartition('.')[2]}(", pairs, ")", span)


def _method(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value:
    found = instances.lower_method(lowering, node, receiver) or method(lowering, node, receiver)
    return methods.lower_method(lowering, node, receiver) if found is None else found


def _length(lowering: FunctionLowering, value: Value, span: Span) -> Value:
    assert isinstance(value.type, TupleType)
    return lowering.const(len(value.type.elements), INT, span)


def _item(lowering: FunctionLowering, container: Value, node: ast.Subscript) -> Value:
    found = _variable_item(lowering, container, node)
    return _tuple_item(lowering, container, node.slice) if found is None else found


def _arithmetic(lowering: FunctionLowering, name: str, left: Value, right: Value, span: Span) -> Value | None:
    """Tuples one after the other, or one several times; None for anything else."""
    tuples = [v for v in (left, right) if isinstance(v.type, TupleType)]
    if name == "add" and len(tuples) == 2:
        return make_tuple(lowering, [e for v in tuples for e in tuple_elements(lowering, v, span)], span)
    if name == "mul":
        sequence, count = (left, right) if isinstance(left.type, TupleType) else (right, left)
        times = count.constant
        if count.type == INT and isinstance(times, int) and times < 1000:
            return make_tuple(lowering, tuple_elements(lowering, sequence, span) * times, span)
        if count.type == INT:
            items = conversions.as_sequence(lowering, sequence, span)
            if items is not sequence:
                repeated = lowering.apply("mul", [lowering.apply("to_list", [items], span), count], span)
                return lowering.apply("to_tuple", [repeated], span)
    return None


def _pattern(lowering: FunctionLowering, value: Value, count: int, star: bool, span: Span) -> Pattern | None:
    assert isinstance(value.type, TupleType)
    found = len(value.type.elements)
    if found < count or (found > count and not star):
        return None
    return lowering.const(True, BOOL, span), lambda: tuple_elements(lowering, value, span)


TUPLE = Kind(
    truth=_truth,
    length=_length,
    item=_item,
    attribute=_attribute,
    method=_method,
    as_string=_as_string,
    source=_source,
    parts=_parts,
    parts_around=_parts_around,
    call=instances.call_instance,
    construct=construct,
    has_methods=True,
    arithmetic=_arithmetic,
    precedence=2,
    equal=tuple_comparisons.equal,
    negates_equal=True,
    order=tuple_comparisons.order,
    contains=tuple_comparisons.contains,
    hash=hashes.of_tuple,
    pattern=_pattern,
)


def _variable_item(lowering: FunctionLowering, container: Value, node: ast.Subscript) -> Value | None:
    """An element of a tuple of one type at a computed index; None for any other index."""
    if isinstance(node.slice, ast.Slice | ast.Constant | ast.UnaryOp | ast.Tuple):
        return None
    number = lowering.value(node.slice)
    sequence = conversions.as_sequence(lowering, container, lowering.span(node))
    at = lowering.coerce(number, INT, lowering.span(node.slice))
    if isinstance(number.constant, int) or sequence is container or at is None:
        return None
    return lowering.apply("getitem", [sequence, at], lowering.span(node))


def _tuple_item(lowering: FunctionLowering, container: Value, index: ast.expr) -> Value:
    assert isinstance(container.type, TupleType)
    length, span = len(container.type.elements), lowering.span(index)
    if isinstance(index, ast.Slice):
        bounds = [constant_int(lowering, part) for part in (index.lower, index.upper, index.step)]
        if bounds[2] == 0:
            raise lowering.failure(type_errors.TupleIndexNotConstant(span))
        elements = range(length)[slice(*bounds)]
        return make_tuple(lowering, [tuple_element(lowering, container, i, span) for i in elements], span)
    position = constant_int(lowering, index)
    assert position is not None
    if not -length <= position < length:
        raise lowering.failure(type_errors.TupleIndexRange(span, position, length, -length, length - 1))
    return tuple_element(lowering, container, position % length, span)
