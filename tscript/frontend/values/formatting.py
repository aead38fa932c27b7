"""f-strings and `str.format`: strings made of parts."""

from __future__ import annotations

import ast
import string
from collections.abc import Sequence

from tscript.diagnostics import Span
from tscript.frontend.diagnostics import errors, type_errors
from tscript.frontend.diagnostics.type_names import article
from tscript.frontend.lowering.arguments import call_function
from tscript.frontend.lowering.expressions import attribute
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.new_containers import make_list
from tscript.frontend.lowering.tuples import make_tuple
from tscript.frontend.values import representation
from tscript.ir.graph import Value
from tscript.operators.python.functions import format_strings
from tscript.types import (
    INT,
    STR,
    DictType,
    ListType,
)


def lower_fstring(lowering: FunctionLowering, node: ast.JoinedStr) -> Value:
    """An f-string."""
    parts: list[Value] = []
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            parts.append(_field(lowering, part))
        else:
            parts.append(lowering.value(part))
    return joined(lowering, parts, lowering.span(node))


def _field(lowering: FunctionLowering, part: ast.FormattedValue) -> Value:
    span = lowering.span(part)
    conversion = chr(part.conversion) if part.conversion > 0 else ""

    def formatted(value: Value, spec: Value) -> Value:
        return representation.format_value(lowering, converted(lowering, value, conversion, span), spec, span)

    if part.format_spec is None:
        return representation.str_of_expression(
            lowering, part.value, lambda v: formatted(v, lowering.constant("", span))
        )
    value = lowering.value(part.value)
    return formatted(value, lowering.value(part.format_spec))


def converted(lowering: FunctionLowering, value: Value, conversion: str, span: Span) -> Value:
    """A value after ``!s``, ``!r`` or ``!a``."""
    match conversion:
        case "s":
            return representation.str_of(lowering, value, span)
        case "r":
            return representation.repr_of(lowering, value, span)
        case "a":
            return representation.ascii_of(lowering, value, span)
    return value


MAX_JOINED = 1 << 16
"""The maximum number of characters of a concatenated constant, since repeated doubling grows exponentially."""


def joined(lowering: FunctionLowering, parts: list[Value], span: Span) -> Value:
    """The concatenation of strings."""
    merged: list[Value] = []
    for part in parts:
        last = merged[-1].constant if merged else None
        if isinstance(last, str) and isinstance(part.constant, str) and len(last) + len(part.constant) <= MAX_JOINED:
            merged[-1] = lowering.constant(last + part.constant, span)
        elif part.constant != "":
            merged.append(part)
    if not merged:
        return lowering.constant("", span)
    if len(merged) <= 2:
        return merged[0] if len(merged) == 1 else lowering.apply("add", merged, span)
    return lowering.apply("join", [lowering.constant("", span), make_list(lowering, ListType(STR), merged, span)], span)


def lower_format(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value | None:
    """``text.format(...)``: the fields of a constant string are read here, those of others when the program runs."""
    pattern, span = receiver.constant, lowering.span(node)
    args = [lowering.value(a) for a in node.args]
    kwargs = {k.arg: lowering.value(k.value) for k in node.keywords}
    if not isinstance(pattern, str):
        return _filled_at_run_time(lowering, receiver, [*args, *kwargs.values()], [*kwargs], len(args), span)
    return _filled_in(lowering, "format", pattern, args, kwargs, span)


def _filled_at_run_time(
    lowering: FunctionLowering,
    text: Value,
    values: list[Value] | Value,
    names: Sequence[str | None],
    count: int,
    span: Span,
) -> Value:
    found = tuple_of(lowering, values, span) if isinstance(values, list) else values
    numbers = [lowering.const(n, INT, span) for n in (0, 0, 0)]
    args = [text, found, names_of(lowering, names, span), lowering.const(count, INT, span)]
    state = make_list(lowering, ListType(INT), numbers, span)
    return call_function(lowering, format_strings.filled, [*args, state, lowering.const(2, INT, span)], span)


def tuple_of(lowering: FunctionLowering, values: list[Value], span: Span) -> Value:
    """The values in a tuple; None stands for no value."""
    return make_tuple(lowering, values or [lowering.constant(None, span)], span)


def names_of(lowering: FunctionLowering, names: Sequence[str | None], span: Span) -> Value:
    """A list of strings."""
    return make_list(lowering, ListType(STR), [lowering.constant(name, span) for name in names], span)


def _filled_in(
    lowering: FunctionLowering,
    method: str,
    pattern: str,
    args: list[Value],
    kwargs: dict[str | None, Value] | Named,
    span: Span,
) -> Value:
    """The result of a format string with its fields."""
    try:
        return joined(lowering, _format_parts(lowering, pattern, args, kwargs, span, _Counter()), span)
    except (ValueError, IndexError) as error:
        instead = _FIELDS_HELP if isinstance(error, IndexError) else "write a literal brace twice: {{ }}"
        if "switch" in str(error):
            instead = "number all fields, or none"
        problem = f"cannot be filled in: {str(error)[:1].lower()}{str(error)[1:]}"
        raise lowering.failure(errors.BuiltinArguments(span, method, problem, instead)) from None


_FIELDS_HELP = "give one argument for each field, by position or by name"


class _Counter:
    """Automatic numbers of fields."""

    def __init__(self) -> None:
        self.next = 0
        self.numbered: bool | None = None


def _format_parts(
    lowering: FunctionLowering,
    pattern: str,
    args: list[Value],
    kwargs: dict[str | None, Value] | Named,
    span: Span,
    counter: _Counter,
) -> list[Value]:
    parts: list[Value] = []
    for text, name, spec, conversion in string.Formatter().parse(pattern):
        if text:
            parts.append(lowering.constant(text, span))
        if name is None:
            continue
        value = _looked_up(lowering, name, args, kwargs, span, counter)
        value = converted(lowering, value, conversion or "", span)
        if not spec:
            parts.append(representation.format_value(lowering, value, lowering.constant("", span), span))
            continue
        inner = joined(lowering, _format_parts(lowering, spec, args, kwargs, span, counter), span)
        parts.append(representation.format_value(lowering, value, inner, span))
    return parts


def _looked_up(
    lowering: FunctionLowering,
    name: str,
    args: list[Value],
    kwargs: dict[str | None, Value] | Named,
    span: Span,
    counter: _Counter,
) -> Value:
    first, rest = string._string.formatter_field_name_split(name)  # type: ignore[attr-defined]
    automatic = first == ""
    if automatic or isinstance(first, int):
        if counter.numbered is not None and counter.numbered is automatic:
            raise ValueError("cannot switch between automatic field numbering and manual field specification")
        counter.numbered = not automatic
        position = counter.next if automatic else first
        counter.next += automatic
        if position >= len(args):
            raise IndexError(f"there is no argument {position}")
        value = args[position]
    elif isinstance(kwargs, Named) or first in kwargs:
        value = kwargs[first]
    else:
        raise IndexError(f"there is no argument '{first}'")
    for is_attribute, key in rest:
        value = attribute(lowering, value, key, span) if is_attribute else item(lowering, value, key, span)
    return value


def item(lowering: FunctionLowering, value: Value, key: str | int, span: Span) -> Value:
    if not isinstance(value.type, ListType | DictType) and value.type != STR:
        raise lowering.failure(type_errors.NotSubscriptable(span, article(value.type)))
    return lowering.apply("getitem", [value, lowering.constant(key, span)], span)


def lower_format_map(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value | None:
    """``text.format_map(names)``"""
    span = lowering.span(node)
    if len(node.args) != 1 or node.keywords:
        raise lowering.failure(errors.BuiltinArguments(span, "format_map", "takes one dict", _FIELDS_HELP))
    named = Named(lowering, node.args[0])
    if not isinstance(receiver.constant, str):
        return _filled_at_run_time(lowering, receiver, named.values, [*named.given], -1, span)
    return _filled_in(lowering, "format_map", receiver.constant, [], named, span)


class Named:
    """The values of named fields: those of a dict literal, or the entries of a dict of strings."""

    def __init__(self, lowering: FunctionLowering, node: ast.expr) -> None:
        self.lowering = lowering
        self.node = node
        self.given: dict[str, Value] = {}
        self.whole: Value | None = None
        if isinstance(node, ast.Dict) and all(
            isinstance(k, ast.Constant) and isinstance(k.value, str) for k in node.keys
        ):
            for key, value in zip(node.keys, node.values, strict=True):
                assert isinstance(key, ast.Constant) and isinstance(key.value, str)
                self.given[key.value] = lowering.value(value)
        else:
            self.whole = lowering.value(node)

    @property
    def values(self) -> Value | list[Value]:
        """The dict; of a literal, its values."""
        return [*self.given.values()] if self.whole is None else self.whole

    def __getitem__(self, name: str) -> Value:
        span = self.lowering.span(self.node)
        if self.whole is not None:
            return item(self.lowering, self.whole, name, span)
        if name not in self.given:
            problem = f"has a field '{name}', which is not given"
            raise self.lowering.failure(
                errors.BuiltinArguments(span, "a format", problem, "give a value for each name")
            )
        return self.given[name]
