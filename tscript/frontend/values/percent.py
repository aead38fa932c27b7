"""The operator ``%`` of strings."""

from __future__ import annotations

import ast
import re

from tscript.diagnostics import Span
from tscript.frontend.diagnostics import type_errors
from tscript.frontend.diagnostics.type_names import article
from tscript.frontend.lowering import conversions
from tscript.frontend.lowering.arguments import call_function
from tscript.frontend.lowering.conversions import plain
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.merging import merge
from tscript.frontend.lowering.tuples import tuple_elements
from tscript.frontend.values.class_names import constant_class_name
from tscript.frontend.values.formatting import Named, converted, joined, names_of, tuple_of
from tscript.frontend.values.scalars import number
from tscript.ir.graph import Value
from tscript.operators.python.formatting import FLAGS
from tscript.operators.python.functions import format_strings
from tscript.operators.python.functions.strings import refused_value
from tscript.types import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    NUMBER,
    STR,
    DictType,
    EnumType,
    ListType,
    OptionalType,
    ScalarType,
    TensorType,
    TupleType,
    Type,
    UnionType,
)


def lower_percent(lowering: FunctionLowering, left: Value, right: ast.expr, node: ast.BinOp) -> Value:
    """``text % values``: the fields of a constant string are read here, those of others when the program runs."""
    span = lowering.span(node)
    given = conversions.as_string(lowering, left, span)
    pattern = given.constant
    if not isinstance(pattern, str):
        return _at_run_time(lowering, given, right, span)
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


def _at_run_time(lowering: FunctionLowering, text: Value, right: ast.expr, span: Span) -> Value:
    named: list[Value] | Value = []
    names: list[str] = []
    if isinstance(right, ast.Dict):
        found = Named(lowering, right)
        named, names = found.values, [*found.given]
        values = [] if found.whole is None else [found.whole]
        is_mapping = is_container = True
    else:
        value = lowering.value(right)
        values = tuple_elements(lowering, value, span) if hasattr(value.type, "elements") else [value]
        is_mapping = isinstance(value.type, DictType) and value.type.key == STR
        is_container = isinstance(value.type, DictType | ListType | TensorType)
        named = value if is_mapping else []
    given = [text, tuple_of(lowering, values, span), lowering.const(len(values), INT, span)]
    given.append(tuple_of(lowering, named, span) if isinstance(named, list) else named)
    given.append(names_of(lowering, names, span))
    flags = [lowering.const(flag, BOOL, span) for flag in (is_mapping, is_container)]
    return call_function(lowering, format_strings.percent, [*given, *flags], span)


def _by_name(lowering: FunctionLowering, pattern: str, right: ast.expr, span: Span) -> Value:
    """``"%(name)d" % {"name": value}``."""
    named = Named(lowering, right)
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


def _percent(lowering: FunctionLowering, span: Span, problem: str) -> Exception:
    return lowering.failure(
        type_errors.OperatorRefused(span, f"'%': {problem}", "give one value for each field: (a, b)")
    )


def _percent_value(
    lowering: FunctionLowering, value: Value, flags: str, width: Value, precision: Value, conversion: str, span: Span
) -> Value:
    if isinstance(value.type, ScalarType) and conversion not in "sra":
        value = number(lowering, value, span)
    if conversion in "sra":
        value = converted(lowering, value, conversion, span)
        conversion = "s"
    elif value.type == NUMBER and conversion in "xXoc":
        value = lowering.coerce(value, INT, span) or value
    elif isinstance(value.type, OptionalType | UnionType):

        def of(member: Value) -> Value:
            return _percent_value(lowering, member, flags, width, precision, conversion, span)

        return conversions.by_member(lowering, value, of, STR, span)
    elif (message := _refusal(value.type, conversion)) is not None:
        return call_function(lowering, refused_value, [lowering.constant(message, span)], span)
    elif conversion in "diu" and value.type == FLOAT:
        return _whole(lowering, value, flags, width, precision, conversion, span)
    else:
        value = _percent_number_of(lowering, value, conversion, span)
    if conversion == "s" and not flags and width.type == NONE and precision.type == NONE:
        return value
    bits = sum(FLAGS[flag] for flag in set(flags))
    code = lowering.constant(ord(conversion), span)
    return lowering.apply("percent", [value, code, lowering.constant(bits, span), width, precision], span)


def _refusal(type: Type, conversion: str) -> str | None:
    """What Python says of a value of a type that a conversion letter does not take; None for one that it takes, and for
    tensors and instances."""
    sample = _SAMPLES.get("tuple" if isinstance(type, TupleType) else constant_class_name(type))
    if sample is None or isinstance(type, EnumType) or (type == STR and conversion == "c"):
        return None
    try:
        f"%{conversion}" % sample
    except TypeError as error:
        return str(error)
    except ValueError:  # of the letter, whatever the value
        return None
    return None


_SAMPLES: dict[str, tuple[object]] = {
    "float": (0.5,),
    "complex": (0j,),
    "str": ("ab",),
    "bytes": (b"ab",),
    "NoneType": (None,),
    "tuple": ((),),
    "list": ([],),
    "dict": ({},),
    "set": (set(),),
}
"""A value of each class, in front of which Python refuses some letters."""


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
