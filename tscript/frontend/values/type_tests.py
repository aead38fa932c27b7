"""``type(x)`` as a value, where it is compared or called: ``type(x) is Point``, ``type(x) in (int, str)``,
``type(a) == type(b)``, ``type(x)(3)``."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tscript.abi.exceptions import is_exception
from tscript.diagnostics import Span
from tscript.frontend.diagnostics import errors
from tscript.frontend.diagnostics.abandoned import Abandoned
from tscript.frontend.lowering import comparisons
from tscript.frontend.lowering.calls import call_symbol
from tscript.frontend.lowering.conversions import by_member
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.names import static
from tscript.frontend.lowering.receivers import is_exact
from tscript.frontend.lowering.refinement import bare_test
from tscript.frontend.source.annotations import annotation_type
from tscript.frontend.source.classes import class_definition, symbol_of
from tscript.frontend.source.symbols import PythonSymbol, Symbol
from tscript.frontend.values.class_names import constant_class_name, typed_expression
from tscript.ir.graph import Value
from tscript.operators.python.classes import IS_CLASS, SAME_CLASS
from tscript.types import (
    ANY,
    BOOL,
    FLOAT,
    INT,
    STR,
    TYPE,
    ClassType,
    EnumType,
    OptionalType,
    TensorType,
    TupleType,
    Type,
    UnionType,
)
from tscript.types.inference import weaken


def lower_compare(lowering: FunctionLowering, node: ast.Compare) -> Value:
    """A comparison, of classes too."""
    if len(node.ops) == 1 and (found := _of_classes(lowering, node)) is not None:
        return found
    return comparisons.lower_compare(lowering, node)


def _of_classes(lowering: FunctionLowering, node: ast.Compare) -> Value | None:
    left, right, op = node.left, node.comparators[0], node.ops[0]
    first, second = typed_expression(lowering, left), typed_expression(lowering, right)
    if first is None and second is None:
        return None
    span = lowering.span(node)
    if isinstance(op, ast.In | ast.NotIn):
        if first is None or not isinstance(right, ast.Tuple | ast.List | ast.Set):
            return None
        value = lowering.value(first)
        found = _one_of(lowering, [_is_class(lowering, value, written, span) for written in right.elts], span)
    elif not isinstance(op, ast.Is | ast.IsNot | ast.Eq | ast.NotEq):
        return None
    elif first is not None and second is not None:
        found = _same_class(lowering, lowering.value(first), lowering.value(second), span)
    elif first is not None:
        found = _is_class(lowering, lowering.value(first), right, span)
    else:
        assert second is not None
        found = _is_class(lowering, lowering.value(second), left, span)
    negated = isinstance(op, ast.NotIn | ast.IsNot | ast.NotEq)
    return lowering.apply("not", [found], span) if negated else found


def _one_of(lowering: FunctionLowering, tests: Sequence[Value], span: Span) -> Value:
    out = lowering.const(False, BOOL, span)
    for test in tests:
        out = lowering.apply("bitwise_or", [out, test], span)
    return out


def _is_class(lowering: FunctionLowering, value: Value, written: ast.expr, span: Span) -> Value:
    """Whether the class of a value is exactly the one that an expression names."""
    if isinstance(value.type, OptionalType | UnionType):
        return by_member(lowering, value, lambda member: _is_class(lowering, member, written, span), BOOL, span)
    found = weaken(value.type)
    if found == ANY:
        raise lowering.failure(errors.UnsupportedBuiltin(span, "type", "use isinstance(x, T)"))
    if (is_bare := bare_test(static(lowering, written))) is not None:
        return lowering.const(is_bare(found) and not _is_named(found), BOOL, span)
    wanted = annotation_type(lowering.context, lowering.function, written)
    if wanted is None:
        raise Abandoned
    if isinstance(found, TensorType) or isinstance(wanted, TensorType):
        return lowering.const(type(found) is type(wanted), BOOL, span)
    if not isinstance(found, ClassType) or not isinstance(wanted, ClassType):
        return lowering.const(found == wanted, BOOL, span)
    if not wanted.info.derives_from(found.info) and not (is_exception(found) and is_exception(wanted)):
        return lowering.const(False, BOOL, span)  # an exception may be of a class that derives from both
    return lowering.leaf(IS_CLASS, [value, lowering.const(wanted, TYPE, span)], BOOL, span)


def _is_named(type: Type) -> bool:
    return isinstance(type, TupleType) and type.named is not None


def _same_class(lowering: FunctionLowering, a: Value, b: Value, span: Span) -> Value:
    """Whether two values are of one class."""
    if isinstance(a.type, OptionalType | UnionType):
        return by_member(lowering, a, lambda member: _same_class(lowering, member, b, span), BOOL, span)
    if isinstance(b.type, OptionalType | UnionType):
        return _same_class(lowering, b, a, span)
    x, y = weaken(a.type), weaken(b.type)
    if ANY in (x, y):
        raise lowering.failure(errors.UnsupportedBuiltin(span, "type", "use isinstance(x, T)"))
    if isinstance(x, ClassType) and isinstance(y, ClassType):
        return lowering.leaf(SAME_CLASS, [a, b], BOOL, span)
    alone = (ClassType, EnumType)
    if isinstance(x, alone) or isinstance(y, alone) or _is_named(x) or _is_named(y):
        return lowering.const(x == y, BOOL, span)
    return lowering.const(constant_class_name(x) == constant_class_name(y), BOOL, span)


def class_call(lowering: FunctionLowering, node: ast.Call) -> Value | None:
    """``type(x)(…)``: a call of the class of `x`, which must be known; None for any other call."""
    of = typed_expression(lowering, node.func)
    if of is None:
        return None
    value = lowering.value(of)
    symbol = _class_of(value)
    if symbol is None:
        instead = "name the class; that of a value whose class may be a derived one is not known when it is compiled"
        raise lowering.failure(errors.UnsupportedBuiltin(lowering.span(node.func), "type", instead))
    return call_symbol(lowering, node, symbol)


def _class_of(value: Value) -> Symbol | None:
    builtins: dict[Type, type] = {INT: int, FLOAT: float, BOOL: bool, STR: str}
    builtin = builtins.get(weaken(value.type))
    if builtin is not None:
        return PythonSymbol(builtin)
    if isinstance(value.type, OptionalType | UnionType) or value.type == ANY:
        return None
    definition = class_definition(value.type)
    if definition is None or (isinstance(value.type, ClassType) and not is_exact(value)):
        return None
    return symbol_of(definition)


__all__ = ["class_call", "lower_compare"]
