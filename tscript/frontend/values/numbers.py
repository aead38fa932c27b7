"""Numbers: arithmetic of complex ones, their methods and attributes."""

from __future__ import annotations

import ast

from tscript.diagnostics import Span
from tscript.frontend.lowering.arguments import Function, call_as_written, call_function
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.kinds import Kind
from tscript.frontend.lowering.method_names import _METHODS
from tscript.frontend.values import methods
from tscript.ir.graph import Value
from tscript.operators.python.functions import complex_numbers
from tscript.types import BOOL, COMPLEX, FLOAT, INT, ScalarType, Type

NUMBERS = (BOOL, INT, FLOAT)


_COMPLEX_SIGNS: dict[str, Function] = {
    "add": complex_numbers.complex_add,
    "sub": complex_numbers.complex_sub,
    "mul": complex_numbers.complex_mul,
    "div": complex_numbers.complex_div,
    "pow": complex_numbers.complex_pow,
}


def complex_binary(lowering: FunctionLowering, name: str, left: Value, right: Value, span: Span) -> Value | None:
    """An operator of which one operand is a complex number and the other a number; None for anything else."""
    types = (left.type, right.type)
    function = _COMPLEX_SIGNS.get(name)
    if COMPLEX not in types or function is None or not all(t == COMPLEX or t in NUMBERS for t in types):
        return None
    return call_function(lowering, function, [left, right], span)


def complex_unary(lowering: FunctionLowering, name: str, value: Value, span: Span) -> Value | None:
    """``-x`` and ``+x`` of a complex number; None for anything else."""
    if value.type != COMPLEX:
        return None
    if name == "neg":
        constant = value.constant
        if isinstance(constant, complex):
            return lowering.constant(-constant, span)
        return call_function(lowering, complex_numbers.complex_neg, [value], span)
    return value if name == "positive" else None


def number_method(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value | None:
    """A call of a method of a number; None when it has none of this name."""
    assert isinstance(node.func, ast.Attribute)
    name, span = node.func.attr, lowering.span(node)
    type = INT if receiver.type == BOOL else receiver.type
    if type not in (INT, FLOAT, COMPLEX):
        return None
    if name == "conjugate" and type != COMPLEX:
        return lowering.coerce(receiver, type, span)
    if type == INT and name == "is_integer" and hasattr(int, name):
        return lowering.const(True, BOOL, span)
    function = _METHODS.get((type, name))
    if function is None:
        return None
    return call_as_written(lowering, node, function, [receiver], f"{type}.{name}")


def number_attribute(lowering: FunctionLowering, value: Value, name: str, span: Span) -> Value | None:
    """``x.real`` and the like; None when a number has no such attribute."""
    if value.type == COMPLEX:
        return lowering.apply(name, [value], span) if name in ("real", "imag") else None
    if value.type not in NUMBERS:
        return None
    plain = INT if value.type == BOOL else value.type
    if name == "real" or (name == "numerator" and plain == INT):
        return lowering.coerce(value, plain, span)
    if name == "imag":
        return lowering.const(0.0 if plain == FLOAT else 0, plain, span)
    return lowering.const(1, INT, span) if name == "denominator" and plain == INT else None


def _truth(lowering: FunctionLowering, value: Value, span: Span) -> Value:
    return lowering.apply("bool", [value], span)


def _complex_truth(lowering: FunctionLowering, value: Value, span: Span) -> Value:
    return call_function(lowering, complex_numbers.complex_truth, [value], span)


def _attribute(lowering: FunctionLowering, value: Value, name: str, span: Span, node: ast.expr | None) -> Value | None:
    return number_attribute(lowering, value, name, span)


def _method(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value:
    found = number_method(lowering, node, receiver)
    return methods.lower_method(lowering, node, receiver) if found is None else found


def _converted(lowering: FunctionLowering, value: Value, target: Type, span: Span) -> Value | None:
    """A number as a NumPy scalar, where names are merged."""
    if not isinstance(target, ScalarType):
        return None
    from tscript.frontend.values.scalars import number_converted

    return number_converted(lowering, value, target, span)


def _same(lowering: FunctionLowering, left: Value, right: Value, span: Span) -> Value | None:
    """Whether two bools are the same object: there are only two of them."""
    return lowering.apply("eq", [left, right], span) if left.type == right.type == BOOL else None


NUMBER_KIND = Kind(truth=_truth, attribute=_attribute, method=_method, converted=_converted, same=_same)

COMPLEX_KIND = Kind(
    truth=_complex_truth,
    attribute=_attribute,
    method=_method,
    arithmetic=complex_binary,
    unary=complex_unary,
)
