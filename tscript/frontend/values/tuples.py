"""Named tuples: tuples whose elements have names."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tscript.diagnostics import Span
from tscript.frontend.diagnostics import class_errors, errors
from tscript.frontend.diagnostics.type_names import conversion_help, shown
from tscript.frontend.source.classes import ClassDefinition
from tscript.ir.graph import Value
from tscript.operators.python.classes import NAMED_MAKE
from tscript.types import STR, TYPE, DictType, TupleType

if TYPE_CHECKING:
    from tscript.frontend.language import LanguageLowering


def make(lowering: LanguageLowering, type: TupleType, elements: Sequence[Value], span: Span) -> Value:
    """A named tuple of elements of its types."""
    return lowering.leaf(NAMED_MAKE, [lowering.const(type, TYPE, span), *elements], type, span)


def construct(lowering: LanguageLowering, node: ast.Call, definition: ClassDefinition) -> Value:
    """``Point(x=1, y=2)``."""
    from tscript.frontend.values.instances import default_of, lower_fields, usable

    usable(lowering, definition)
    type, specs = definition.type, definition.fields or []
    assert isinstance(type, TupleType)
    given = lower_fields(lowering, node, definition, specs)
    elements = [
        given[s.name] if s.name in given else default_of(lowering, definition, s, wanted, node)
        for s, wanted in zip(specs, type.elements, strict=True)
    ]
    return make(lowering, type, elements, lowering.span(node))


def attribute(lowering: LanguageLowering, value: Value, name: str, span: Span) -> Value | None:
    """An element by its name; None when there is none."""
    assert isinstance(value.type, TupleType) and value.type.named is not None
    fields = value.type.named.fields
    if name in fields:
        return lowering.tuple_element(value, fields.index(name), span)
    if name == "_fields":
        return lowering.constant(fields, span)
    return None


def method(lowering: LanguageLowering, node: ast.Call, receiver: Value) -> Value | None:
    """``_replace`` and ``_asdict``; None for other methods."""
    assert isinstance(node.func, ast.Attribute)
    type, span = receiver.type, lowering.span(node)
    if not isinstance(type, TupleType) or type.named is None:
        return None
    fields = type.named.fields
    parts = lowering.tuple_elements(receiver, span)
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
            instead = "its fields are of several types: name the values that are needed"
            raise lowering.failure(errors.BuiltinArguments(span, "_asdict", "makes a dict of one type", instead))
        items = [v for f, p in zip(fields, parts, strict=True) for v in (lowering.const(f, STR, span), p)]
        return lowering.make_dict(DictType(STR, type.elements[0]), items, span)
    return None
