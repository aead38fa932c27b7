"""The string form of a value: `str`, `repr` and `format`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from tscript.abi.exceptions import BASE_EXCEPTION
from tscript.diagnostics import Span
from tscript.frontend.diagnostics import type_errors
from tscript.frontend.diagnostics.advice import narrowing
from tscript.frontend.diagnostics.type_names import article
from tscript.frontend.lowering import conversions
from tscript.frontend.lowering.arguments import call_function
from tscript.frontend.lowering.branches import merged
from tscript.frontend.lowering.conditions import conditional
from tscript.frontend.lowering.conversions import by_member
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.method_calls import special_call
from tscript.frontend.source.classes import defines
from tscript.frontend.values.class_names import class_name_of, constant_class_name, type_text
from tscript.ir.graph import Value
from tscript.operators.python.conversions import IS_INSTANCE
from tscript.operators.python.exceptions import TEXT as EXCEPTION_STR
from tscript.operators.python.functions.format_strings import unsupported_spec
from tscript.operators.python.functions.strings import in_ascii
from tscript.types import (
    ANY,
    BOOL,
    BYTES,
    COMPLEX,
    FLOAT,
    INT,
    NONE,
    STR,
    TYPE,
    ClassType,
    OptionalType,
    ScalarType,
    TensorType,
    Type,
    UnionType,
)


def str_of_expression(lowering: FunctionLowering, node: ast.expr, text: Callable[[Value], Value]) -> Value:
    """The string form of an expression by `text`; the two values of an ``if else`` need not have one type."""

    def lower(part: ast.expr) -> Value:
        if isinstance(part, ast.IfExp):
            return conditional(lowering, part, STR, lower)
        of_type = type_text(lowering, part)
        return text(lowering.value(part) if of_type is None else of_type)

    return lower(node)


def str_of(lowering: FunctionLowering, value: Value, span: Span) -> Value:
    """``str(value)``."""
    if value.type == STR:
        return value
    found = special_str(lowering, value, "__str__", span)
    if found is not None:
        return found
    if isinstance(value.type, OptionalType | UnionType):
        return by_member(lowering, value, lambda member: str_of(lowering, member, span), STR, span)
    if value.type == ANY:
        return str_of_any(lowering, value, span)
    if value.type in _SCALARS:
        return lowering.apply("str", [value], span)
    return repr_of(lowering, value, span)


_SCALARS = frozenset({INT, FLOAT, BOOL, COMPLEX, NONE})


_FORMATTED = frozenset({INT, FLOAT, BOOL, COMPLEX, STR})
"""Types that take a format spec."""


def repr_of(lowering: FunctionLowering, value: Value, span: Span) -> Value:
    """``repr(value)``."""
    found = special_str(lowering, value, "__repr__", span)
    return lowering.apply("repr", [value], span) if found is None else found


def ascii_of(lowering: FunctionLowering, value: Value, span: Span) -> Value:
    """``ascii(value)``."""
    if value.type in {STR, BYTES}:
        return lowering.apply("ascii", [value], span)
    text = repr_of(lowering, value, span)
    return text if value.type in _SCALARS else call_function(lowering, in_ascii, [text], span)


def format_value(lowering: FunctionLowering, value: Value, spec: Value, span: Span) -> Value:
    """``format(value, spec)``."""
    own = special_call(lowering, value, "__format__", [spec], span)
    if own is not None:
        return own
    if spec.constant == "" and not isinstance(value.type, ScalarType):
        return str_of(lowering, value, span)
    computed = not isinstance(spec.constant, str)
    if (computed and isinstance(value.type, OptionalType | UnionType)) or (
        isinstance(value.type, UnionType) and {*value.type.members} <= _FORMATTED
    ):
        return by_member(lowering, value, lambda member: format_value(lowering, member, spec, span), STR, span)
    formatted = lowering.kind(value).formatted
    found = None if formatted is None else formatted(lowering, value, spec, span)
    if found is None and value.type not in _FORMATTED and not isinstance(value.type, TensorType):
        if computed and (isinstance(value.type, ClassType) or constant_class_name(value.type)):
            call_function(lowering, unsupported_spec, [spec, class_name_of(lowering, value, span)], span)
            return str_of(lowering, value, span)
        instead = narrowing([value.type]) or "write it without one, or format its parts"
        raise lowering.failure(
            type_errors.OperatorRefused(span, f"{article(value.type)} takes no format spec", instead)
        )
    return lowering.apply("format", [value, spec], span) if found is None else found


def special_str(lowering: FunctionLowering, value: Value, special: str, span: Span) -> Value | None:
    """``str(value)`` or ``repr(value)`` (`special` is ``__str__`` or ``__repr__``); None if the native library does
    it."""
    text = lowering.kind(value).as_string
    return None if text is None else text(lowering, value, special, span)


def own_str(lowering: FunctionLowering, value: Value, special: str, span: Span) -> Value | None:
    """The string form that the class of a value defines; None if it defines none."""
    found = special_call(lowering, value, special, [], span)
    if found is None and special == "__str__":
        found = special_call(lowering, value, "__repr__", [], span)
    return found


STR_METHODS = ("__repr__", "__str__")
"""The method for the string form of an instance."""


def in_parts(text: Callable[..., object]) -> Callable[[FunctionLowering, Value, str, Span], Value | None]:
    """The string form of a container by a function in the language, if the class of an element defines one."""

    def lower(lowering: FunctionLowering, value: Value, special: str, span: Span) -> Value | None:
        return call_function(lowering, text, [value], span) if defines(value.type, STR_METHODS) else None

    return lower


def str_of_any(lowering: FunctionLowering, value: Value, span: Span) -> Value:
    """``str(value)`` of a value of any type."""
    ways: list[tuple[Type, Callable[[], Value]]] = [
        (STR, lambda: conversions.narrow(lowering, value, STR, span)),
        (BASE_EXCEPTION, lambda: _builtin_str(lowering, value, span)),
    ]

    def choose(position: int) -> Value:
        if position == len(ways):
            return lowering.apply("str", [value], span)
        type, text = ways[position]
        test = lowering.leaf(IS_INSTANCE, [value, lowering.const(type, TYPE, span)], BOOL, span)
        orelse = lowering.branch(lambda: choose(position + 1))
        return merged(lowering, test, lowering.branch(text), orelse, STR, span)

    return choose(0)


def _builtin_str(lowering: FunctionLowering, value: Value, span: Span) -> Value:
    return lowering.leaf(EXCEPTION_STR, [conversions.narrow(lowering, value, BASE_EXCEPTION, span)], STR, span)


def in_fields(
    lowering: FunctionLowering, start: str, parts: Sequence[tuple[str, Value]], end: str, span: Span
) -> Value:
    """The string form of a container: its elements between a start and an end."""

    out = lowering.constant(start, span)
    for i, (name, value) in enumerate(parts):
        out = lowering.apply("add", [out, lowering.constant(f"{', ' if i else ''}{name}", span)], span)
        out = lowering.apply("add", [out, repr_of(lowering, value, span)], span)
    return lowering.apply("add", [out, lowering.constant(end, span)], span)
