"""f-strings, ``str.format`` and ``%``: strings made of parts."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Callable

from tscript.diagnostics import Span
from tscript.frontend.diagnostics import errors, type_errors
from tscript.frontend.diagnostics.type_names import article, conversion_help
from tscript.frontend.lowering import conversions, holding, sources
from tscript.frontend.lowering.arguments import Function, call_function, values
from tscript.frontend.lowering.conversions import plain
from tscript.frontend.lowering.expressions import attribute
from tscript.frontend.lowering.function import FunctionLowering, Source
from tscript.frontend.lowering.iteration import Items
from tscript.frontend.lowering.kinds import Kind
from tscript.frontend.lowering.merging import merge
from tscript.frontend.lowering.new_containers import make_list
from tscript.frontend.lowering.probing import type_of_expression
from tscript.frontend.lowering.tuples import tuple_elements
from tscript.frontend.values import elements, methods, representation, sequences
from tscript.frontend.values.methods import is_value, only
from tscript.ir.graph import Value
from tscript.operators.python.formatting import FLAGS
from tscript.operators.python.functions import byte_strings, strings
from tscript.operators.python.functions import strings as bodies
from tscript.types import (
    BOOL,
    BYTES,
    FLOAT,
    INT,
    NONE,
    NUMBER,
    STR,
    DictType,
    ListType,
    TupleType,
    Type,
    UnionType,
    optional,
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
            return lowering.apply("ascii", [value], span)
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
    """``"...".format(...)`` of a constant string."""
    pattern, span = receiver.constant, lowering.span(node)
    if not isinstance(pattern, str):
        raise lowering.failure(errors.MessageNotConstant(span, "the string of 'format'"))
    args = [lowering.value(a) for a in node.args]
    kwargs = {k.arg: lowering.value(k.value) for k in node.keywords}
    return _filled_in(lowering, "format", pattern, args, kwargs, span)


def _filled_in(
    lowering: FunctionLowering,
    method: str,
    pattern: str,
    args: list[Value],
    kwargs: dict[str | None, Value] | _Named,
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
    kwargs: dict[str | None, Value] | _Named,
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
    kwargs: dict[str | None, Value] | _Named,
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
    elif isinstance(kwargs, _Named) or first in kwargs:
        value = kwargs[first]
    else:
        raise IndexError(f"there is no argument '{first}'")
    for is_attribute, key in rest:
        value = attribute(lowering, value, key, span) if is_attribute else _item(lowering, value, key, span)
    return value


def _item(lowering: FunctionLowering, value: Value, key: str | int, span: Span) -> Value:
    if not isinstance(value.type, ListType | DictType) and value.type != STR:
        raise lowering.failure(type_errors.NotSubscriptable(span, article(value.type)))
    return lowering.apply("getitem", [value, lowering.constant(key, span)], span)


# ---- %


def lower_percent(lowering: FunctionLowering, left: Value, right: ast.expr, node: ast.BinOp) -> Value:
    """``"..." % values`` of a constant string."""
    span = lowering.span(node)
    pattern = conversions.as_string(lowering, left, span).constant
    if not isinstance(pattern, str):
        raise lowering.failure(errors.MessageNotConstant(span, "the string left of '%'"))
    if "%(" in pattern:
        return _by_name(lowering, pattern, right, span)
    value = lowering.value(right)
    values = tuple_elements(lowering, value, span) if hasattr(value.type, "elements") else [value]
    parts: list[Value] = []
    used = 0
    for text, field in _percent_fields(pattern):
        if text:
            parts.append(lowering.constant(text, span))
        if field is None:
            continue
        flags, width, precision, conversion = field
        stars = [width == "*", precision == "*"]
        needed = 1 + sum(stars)
        if used + needed > len(values):
            raise _percent(lowering, span, "not enough arguments for format string")
        taken = values[used : used + needed]
        used += needed
        numbers = taken[:-1]
        wide = numbers.pop(0) if stars[0] else lowering.constant(None if width is None else int(width), span)
        if stars[1]:
            exact = numbers.pop(0)
        else:
            exact = lowering.constant(None if precision is None else int(precision), span)
        parts.append(_percent_value(lowering, taken[-1], flags, wide, exact, conversion, span))
    if used < len(values):
        raise _percent(lowering, span, "not all arguments converted during string formatting")
    return joined(lowering, parts, span)


class _Named:
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

    def __getitem__(self, name: str) -> Value:
        span = self.lowering.span(self.node)
        if self.whole is not None:
            return _item(self.lowering, self.whole, name, span)
        if name not in self.given:
            problem = f"has a field '{name}', which is not given"
            raise self.lowering.failure(
                errors.BuiltinArguments(span, "a format", problem, "give a value for each name")
            )
        return self.given[name]


def _by_name(lowering: FunctionLowering, pattern: str, right: ast.expr, span: Span) -> Value:
    """``"%(name)d" % {"name": value}``."""
    named = _Named(lowering, right)
    parts: list[Value] = []
    for piece in _NAMED_FIELD.split(pattern):
        if not _NAMED_FIELD.fullmatch(piece):
            parts.append(lowering.constant(piece.replace("%%", "%"), span))
            continue
        name, _, rest = piece[2:].partition(")")
        ((_, field), *_) = _percent_fields(f"%{rest}")
        assert field is not None
        flags, width, precision, conversion = field
        wide = lowering.constant(None if width is None else int(width), span)
        exact = lowering.constant(None if precision is None else int(precision), span)
        parts.append(_percent_value(lowering, named[name], flags, wide, exact, conversion, span))
    return joined(lowering, parts, span)


_NAMED_FIELD = re.compile(r"(%\([^()]*\)[-+ #0]*\d*(?:\.\d*)?[a-zA-Z])")


def lower_format_map(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value | None:
    """``"...".format_map(names)`` of a constant string."""
    span = lowering.span(node)
    if not isinstance(receiver.constant, str):
        raise lowering.failure(errors.MessageNotConstant(span, "the string of 'format_map'"))
    if len(node.args) != 1 or node.keywords:
        raise lowering.failure(errors.BuiltinArguments(span, "format_map", "takes one dict", _FIELDS_HELP))
    named = _Named(lowering, node.args[0])
    return _filled_in(lowering, "format_map", receiver.constant, [], named, span)


def _percent(lowering: FunctionLowering, span: Span, problem: str) -> Exception:
    return lowering.failure(
        type_errors.OperatorRefused(span, f"'%': {problem}", "give one value for each field: (a, b)")
    )


def _percent_value(
    lowering: FunctionLowering, value: Value, flags: str, width: Value, precision: Value, conversion: str, span: Span
) -> Value:
    if conversion in "sra":
        value = converted(lowering, value, conversion, span)
        conversion = "s"
    elif value.type == NUMBER and conversion in "xXoc":
        value = lowering.coerce(value, INT, span) or value
    elif isinstance(value.type, UnionType):

        def of(member: Value) -> Value:
            return _percent_value(lowering, member, flags, width, precision, conversion, span)

        return conversions.by_member(lowering, value, of, STR, span)
    elif conversion in "diu" and value.type == FLOAT:
        return _whole(lowering, value, flags, width, precision, conversion, span)
    else:
        value = _percent_number_of(lowering, value, conversion, span)
    if conversion == "s" and not flags and width.type == NONE and precision.type == NONE:
        return value
    bits = sum(FLAGS[flag] for flag in set(flags))
    code = lowering.constant(ord(conversion), span)
    return lowering.apply("percent", [value, code, lowering.constant(bits, span), width, precision], span)


def _percent_number_of(lowering: FunctionLowering, value: Value, conversion: str, span: Span) -> Value:
    """The number that a conversion letter prints."""
    value = plain(lowering, value, span)
    if value.type == BOOL:
        value = lowering.apply("int", [value], span)
    if conversion in "eEfFgG" and value.type == INT:
        return lowering.apply("float", [value], span)
    takes = {"x": (INT,), "X": (INT,), "o": (INT,), "c": (INT, STR)}.get(conversion, (INT, FLOAT))
    if value.type not in takes:
        kinds = "an int" if FLOAT not in takes else "a number"
        instead = "convert it: int(...)" if value.type == FLOAT else "write %s"
        problem = f"'%{conversion}' takes {kinds}, not {article(value.type)}"
        raise lowering.failure(type_errors.OperatorRefused(span, problem, instead))
    return value


def _whole(
    lowering: FunctionLowering, value: Value, flags: str, width: Value, precision: Value, conversion: str, span: Span
) -> Value:
    """A float by ``d i u``: without its fraction; infinity and NaN raise."""

    def as_int() -> Value:
        whole = lowering.apply("int", [value], span)
        return _percent_value(lowering, whole, flags, width, precision, conversion, span)

    def as_float() -> Value:
        kept = "".join(f for f in flags if f != "#")
        return _percent_value(lowering, value, kept, width, lowering.constant(0, span), "f", span)

    if precision.type != NONE:
        return as_int()
    inside = lowering.apply("lt", [lowering.apply("abs", [value], span), lowering.const(2.0**63, FLOAT, span)], span)
    finite = lowering.apply("math_isfinite", [value], span)
    fits = lowering.apply("bitwise_or", [inside, lowering.apply("not", [finite], span)], span)
    if isinstance(fits.constant, bool):
        return as_int() if fits.constant else as_float()
    out = merge(lowering, fits, lowering.branch(as_int), lowering.branch(as_float), span, STR)
    assert out is not None
    return out


_Field = tuple[str, "str | None", "str | None", str]


def _percent_fields(pattern: str) -> list[tuple[str, _Field | None]]:
    """Constant strings, each with the field after it."""
    out: list[tuple[str, _Field | None]] = []
    text, at = "", 0
    while at < len(pattern):
        if pattern[at] != "%":
            text, at = text + pattern[at], at + 1
            continue
        if pattern[at : at + 2] == "%%":
            text, at = text + "%", at + 2
            continue
        start = at = at + 1
        while at < len(pattern) and pattern[at] in "-+ #0":
            at += 1
        flags = pattern[start:at]
        width, at = _percent_number(pattern, at)
        precision = None
        if pattern[at : at + 1] == ".":
            precision, at = _percent_number(pattern, at + 1)
            precision = precision or "0"
        out.append((text, (flags, width, precision, pattern[at : at + 1] or "%")))
        text, at = "", at + 1
    return [*out, (text, None)]


def _percent_number(pattern: str, at: int) -> tuple[str | None, int]:
    if pattern[at : at + 1] == "*":
        return "*", at + 1
    start = at
    while at < len(pattern) and pattern[at].isdigit():
        at += 1
    return pattern[start:at] or None, at


def _characters(lowering: FunctionLowering, value: Value, node: ast.expr) -> Source:
    return Items(value, "getitem")


def _join(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value | None:
    argument = only(lowering, node, "str.join")
    if is_value(lowering, argument):
        value = lowering.value_as(argument, ListType(receiver.type))
        lowering.settle(value, ListType(receiver.type))
        if value.type == ListType(receiver.type):
            return lowering.apply("join", [receiver, value], lowering.span(node))
        source = sources.value_source(lowering, value, argument)
    else:
        source = sources.source_of(lowering, argument)
    items = make_list(lowering, ListType(receiver.type), [], lowering.span(node))
    holding.run_into(lowering, source, lambda x: holding.append(lowering, items, x, argument), argument)
    return lowering.apply("join", [receiver, items], lowering.span(node))


_TRANSLATE: dict[Type, Function] = {
    INT: strings.translate_points,
    optional(INT): strings.translate_some_points,
    STR: strings.translate_strings,
    optional(STR): strings.translate_optional_strings,
}


def translate(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value:
    """``text.translate(table)``."""
    (table,) = values(lowering, node, "str.translate", 1, 1)
    held = table.type.value if isinstance(table.type, DictType) else NONE
    function = _TRANSLATE.get(held, strings.translate_points)
    return call_function(lowering, function, [receiver, table], lowering.span(node), "str.translate")


def starts_or_ends(
    function: Function, bytes_function: Function
) -> Callable[[FunctionLowering, ast.Call, Value], Value]:
    """``text.startswith(prefixes, start, end)``, where the first argument may be a tuple."""

    def lower(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value:
        assert isinstance(node.func, ast.Attribute)
        name, span = node.func.attr, lowering.span(node)
        found = values(lowering, node, f"{receiver.type}.{name}", 1, 3)
        if not isinstance(found[0].type, TupleType | ListType):
            return lowering.apply(name, [receiver, *found], span)
        bounds = [*found[1:], *[lowering.constant(None, span)] * (3 - len(found))]
        chosen = bytes_function if receiver.type == BYTES else function
        return call_function(lowering, chosen, [receiver, found[0], *bounds], span, f"{receiver.type}.{name}")

    return lower


def byte_found(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value | None:
    """``data.find(65)`` and the like, where an int means one byte; None for any other argument."""
    assert isinstance(node.func, ast.Attribute)
    if not node.args or type_of_expression(lowering, node.args[0]) not in (INT, BOOL):
        return None
    found = values(lowering, node, f"bytes.{node.func.attr}", 1, 3)
    span = lowering.span(node)
    items = make_list(lowering, ListType(INT), found[:1], span)
    return lowering.apply(node.func.attr, [receiver, lowering.apply("bytes", [items], span), *found[1:]], span)


def bytes_hex(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value | None:
    """``data.hex(separator)``; None without one."""
    if not node.args:
        return None
    found = values(lowering, node, "bytes.hex", 1, 1)
    return call_function(lowering, byte_strings.hex_with, [receiver, *found], lowering.span(node), "bytes.hex")


def _in_bytes(lowering: FunctionLowering, container: Value, item: Value, span: Span) -> Value:
    return lowering.apply("contains", [container, item], span, shown_as="in")


def _in_string(lowering: FunctionLowering, container: Value, item: Value, span: Span) -> Value:
    item = conversions.as_string(lowering, item, span)
    if isinstance(container.constant, str) and isinstance(item.constant, str):
        return lowering.const(item.constant in container.constant, BOOL, span)
    if item.type != STR:
        instead = f"a str holds strings only; {conversion_help(item.type, STR)}"
        raise lowering.failure(errors.UnsupportedComparison(span, "in", article(item.type), article(STR), instead))
    return lowering.apply("contains", [container, item], span, shown_as="in")


BYTES_KIND = Kind(
    truth=sequences.not_empty,
    length=sequences.length,
    item=elements.load_item,
    attribute=sequences.no_attribute,
    method=methods.lower_method,
    methods={
        "join": _join,
        "startswith": starts_or_ends(bodies.starts_with_any, bodies.bytes_start_with_any),
        "endswith": starts_or_ends(bodies.ends_with_any, bodies.bytes_end_with_any),
        "hex": bytes_hex,
        **dict.fromkeys(("find", "rfind", "index", "rindex", "count"), byte_found),
    },
    source=_characters,
    parts=sequences.parts,
    parts_around=sequences.parts_around,
    repeats=True,
    contains=_in_bytes,
)

STRING = Kind(
    truth=sequences.not_empty,
    length=sequences.length,
    item=elements.load_item,
    attribute=sequences.no_attribute,
    method=methods.lower_method,
    methods={
        "join": _join,
        "format": lower_format,
        "format_map": lower_format_map,
        "startswith": starts_or_ends(bodies.starts_with_any, bodies.bytes_start_with_any),
        "endswith": starts_or_ends(bodies.ends_with_any, bodies.bytes_end_with_any),
        "translate": translate,
    },
    source=_characters,
    parts=sequences.parts,
    parts_around=sequences.parts_around,
    percent=lower_percent,
    repeats=True,
    contains=_in_string,
)
