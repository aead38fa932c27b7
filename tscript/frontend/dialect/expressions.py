"""Expressions of the low-level dialect: constants, names, operators, conditions."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Sequence
from typing import Any

from tscript.definitions.opdef import OpDef
from tscript.diagnostics import Span
from tscript.dialect import machine
from tscript.frontend.diagnostics import dialect_errors, errors, type_errors
from tscript.frontend.diagnostics.type_names import machine_article, machine_name
from tscript.frontend.dialect.lowering import DialectLowering, Literal, Operand
from tscript.frontend.lowering.merging import merge
from tscript.frontend.lowering.names import read, symbol_of
from tscript.frontend.lowering.tuples import make_tuple
from tscript.frontend.source.descriptions import shown_symbol
from tscript.frontend.source.symbols import ConstantSymbol, Symbol, VariableSymbol
from tscript.ir.graph import Value
from tscript.types import BOOL, INT, STR, TYPE, PtrType, dtype_of

_BINARY: dict[type[ast.operator], tuple[OpDef, str]] = {
    ast.Add: (machine.ADD, "+"),
    ast.Sub: (machine.SUB, "-"),
    ast.Mult: (machine.MUL, "*"),
    ast.Div: (machine.DIV, "/"),
    ast.FloorDiv: (machine.QUOT, "//"),
    ast.Mod: (machine.REM, "%"),
    ast.BitAnd: (machine.AND, "&"),
    ast.BitOr: (machine.OR, "|"),
    ast.BitXor: (machine.XOR, "^"),
    ast.LShift: (machine.SHL, "<<"),
    ast.RShift: (machine.SHR, ">>"),
}


_FLOAT_ONLY = frozenset({machine.DIV})


_NO_FLOAT = frozenset({machine.QUOT, machine.REM, machine.AND, machine.OR, machine.XOR, machine.SHL, machine.SHR})


_COMPARISONS: dict[type[ast.cmpop], tuple[OpDef, str]] = {
    ast.Eq: (machine.EQ, "=="),
    ast.NotEq: (machine.NE, "!="),
    ast.Lt: (machine.LT, "<"),
    ast.LtE: (machine.LE, "<="),
    ast.Gt: (machine.GT, ">"),
    ast.GtE: (machine.GE, ">="),
}


_LITERALS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: machine.QUOT.semantics,
    ast.Mod: machine.REM.semantics,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}


def lower_constant(lowering: DialectLowering, node: ast.Constant) -> Operand:
    """A constant."""
    return lowering.constant_operand(node.value, node)


def lower_name(lowering: DialectLowering, node: ast.Name) -> Operand:
    """A local value, or the value of another name."""
    found = read(lowering, node)
    return found if found is not None else meant(lowering, symbol_of(lowering, node), node)


def meant(lowering: DialectLowering, symbol: Symbol, node: ast.expr) -> Operand:
    """The value of a name that is not local, as an operand."""
    if isinstance(symbol, ConstantSymbol):
        return lowering.constant_operand(symbol.value, node)
    if isinstance(symbol, VariableSymbol):
        span = lowering.span(node)
        inputs = [lowering.const(symbol.name, STR, span), lowering.const(symbol.type, TYPE, span)]
        return lowering.leaf(machine.SYMBOL, inputs, PtrType(symbol.type), span)
    instead = "functions and types are called, or passed where a type is expected"
    raise lowering.failure(errors.NotAValue(lowering.span(node), shown_symbol(symbol), instead))


def lower_binary(lowering: DialectLowering, node: ast.BinOp) -> Operand:
    """``a + b``"""
    return binary(lowering, node.op, lowering.operand(node.left), lowering.operand(node.right), node)


def binary(lowering: DialectLowering, op: ast.operator, left: Operand, right: Operand, node: ast.AST) -> Operand:
    """A binary operator on two operands."""
    span = lowering.span(node)
    leaf = _BINARY.get(type(op))
    if leaf is None:
        what = "'**'" if isinstance(op, ast.Pow) else "'@'"
        raise lowering.failure(dialect_errors.DialectUnsupported(span, what, "call a function that computes it"))
    if isinstance(left, Literal) and isinstance(right, Literal):
        return _fold(lowering, op, left, right, span)
    if isinstance(left, Value) and isinstance(left.type, PtrType):
        return offset(lowering, op, left, right, span)
    a, b = lowering.unify(left, right, leaf[1], span)
    dtype = dtype_of(a.type)
    is_float = dtype is not None and dtype.is_floating_point
    if dtype is None or (is_float and leaf[0] in _NO_FLOAT) or (not is_float and leaf[0] in _FLOAT_ONLY):
        instead = "'/' divides floats, '//' and '%' integers" if leaf[0] in _FLOAT_ONLY or is_float else "use numbers"
        raise lowering.failure(
            dialect_errors.DialectOperands(span, leaf[1], machine_article(a.type), machine_article(b.type), instead)
        )
    return lowering.leaf(leaf[0], [a, b], a.type, span)


def _fold(lowering: DialectLowering, op: ast.operator, left: Literal, right: Literal, span: Span) -> Literal:
    try:
        if isinstance(op, ast.LShift) and right.value > 128:
            raise OverflowError("the shift is too large")
        return Literal(_LITERALS[type(op)](left.value, right.value))
    except (ArithmeticError, TypeError, ValueError) as error:
        problem = dialect_errors.DialectOperands(
            span, _BINARY[type(op)][1], repr(left.value), repr(right.value), f"{error}"
        )
        raise lowering.failure(problem) from None


def offset(lowering: DialectLowering, op: ast.operator, pointer: Value, count: Operand, span: Span) -> Value:
    """``p + n`` and ``p - n`` of a pointer."""
    number = lowering.adopt(count, INT, span)
    if number.type != INT or not isinstance(op, ast.Add | ast.Sub):
        sign = _BINARY[type(op)][1]
        instead = "a pointer moves by an i64; distances are computed from address(p)"
        raise lowering.failure(
            dialect_errors.DialectOperands(
                span, sign, machine_article(pointer.type), machine_article(number.type), instead
            )
        )
    if isinstance(op, ast.Sub):
        number = lowering.leaf(machine.NEG, [number], INT, span)
    return lowering.leaf(machine.OFFSET, [pointer, number], pointer.type, span)


def lower_unary(lowering: DialectLowering, node: ast.UnaryOp) -> Operand:
    """``-a``, ``~a``, ``not a``."""
    span = lowering.span(node)
    if isinstance(node.op, ast.Not):
        cond = lowering.condition(node.operand)
        if isinstance(cond.constant, bool):
            return lowering.const(not cond.constant, BOOL, span)
        return lowering.leaf(machine.NOT, [cond], BOOL, span)
    found = lowering.operand(node.operand)
    if isinstance(found, Literal):
        if isinstance(node.op, ast.Invert):
            if isinstance(found.value, float):
                raise lowering.failure(
                    dialect_errors.DialectOperands(span, "~", "a float", "nothing", "use an integer")
                )
            return Literal(~found.value)
        return Literal(-found.value) if isinstance(node.op, ast.USub) else found
    if isinstance(node.op, ast.UAdd):
        return found
    leaf = machine.NEG if isinstance(node.op, ast.USub) else machine.NOT
    if dtype_of(found.type) is None:
        sign = "-" if leaf is machine.NEG else "~"
        raise lowering.failure(
            dialect_errors.DialectOperands(span, sign, machine_article(found.type), "nothing", "use a number")
        )
    return lowering.leaf(leaf, [found], found.type, span)


def lower_bool(lowering: DialectLowering, node: ast.BoolOp) -> Value:
    """``a and b``, ``a or b``."""
    return _connect(lowering, node, node.values)


def _connect(lowering: DialectLowering, node: ast.BoolOp, values: Sequence[ast.expr]) -> Value:
    first = lowering.condition(values[0])
    if len(values) == 1:
        return first
    return _short_circuit(
        lowering, first, isinstance(node.op, ast.Or), lambda: _connect(lowering, node, values[1:]), node
    )


def _short_circuit(
    lowering: DialectLowering, first: Value, stops: bool, rest: Callable[[], Value], node: ast.AST
) -> Value:
    if first.constant is stops:
        return first
    if first.constant is (not stops):
        return rest()
    span = lowering.span(node)
    other = lowering.branch(rest)
    kept = lowering.branch(lambda: lowering.const(stops, BOOL, span))
    out = merge(lowering, first, kept if stops else other, other if stops else kept, span, BOOL)
    assert out is not None
    return out


def lower_compare(lowering: DialectLowering, node: ast.Compare) -> Value:
    """``a < b < c``"""
    return _chain(lowering, node, lowering.operand(node.left), 0)


def _chain(lowering: DialectLowering, node: ast.Compare, left: Operand, position: int) -> Value:
    right = lowering.operand(node.comparators[position])
    found = _comparison(lowering, node.ops[position], left, right, node)
    if position + 1 == len(node.ops):
        return found
    return _short_circuit(lowering, found, False, lambda: _chain(lowering, node, right, position + 1), node)


def _comparison(lowering: DialectLowering, op: ast.cmpop, left: Operand, right: Operand, node: ast.AST) -> Value:
    span = lowering.span(node)
    leaf = _COMPARISONS.get(type(op))
    if leaf is None:
        raise lowering.failure(dialect_errors.DialectUnsupported(span, "'is' and 'in'", "compare with '=='"))
    if isinstance(left, Literal) and isinstance(right, Literal):
        return lowering.const(bool(leaf[0].semantics(left.value, right.value)), BOOL, span)
    a, b = lowering.unify(left, right, leaf[1], span)
    if dtype_of(a.type) is None and not isinstance(a.type, PtrType):
        raise lowering.failure(
            dialect_errors.DialectOperands(
                span, leaf[1], machine_article(a.type), machine_article(b.type), "compare numbers"
            )
        )
    return lowering.leaf(leaf[0], [a, b], BOOL, span)


def lower_conditional(lowering: DialectLowering, node: ast.IfExp) -> Operand:
    """``a if c else b``"""
    cond = lowering.condition(node.test)
    if isinstance(cond.constant, bool):
        return lowering.operand(node.body if cond.constant else node.orelse)
    span = lowering.span(node)
    found: list[Operand] = []

    def run(part: ast.expr) -> Callable[[], None]:
        return lambda: found.append(lowering.operand(part))

    then, orelse = lowering.branch(run(node.body)), lowering.branch(run(node.orelse))
    a, b = found
    wanted = a.type if isinstance(a, Value) else b.type if isinstance(b, Value) else None
    for branch, operand in ((then, a), (orelse, b)):
        outer, lowering.block = lowering.block, branch.block
        branch.value = lowering.materialise(operand, span) if wanted is None else lowering.adopt(operand, wanted, span)
        lowering.block = outer
    assert then.value is not None and orelse.value is not None
    if then.value.type != orelse.value.type:
        first, second = machine_name(then.value.type), machine_name(orelse.value.type)
        instead = "convert one of them, so that both are of one type"
        raise lowering.failure(type_errors.ConditionalTypes(span, "if else", first, second, instead))
    out = merge(lowering, cond, then, orelse, span, then.value.type)
    assert out is not None
    return out


def lower_tuple(lowering: DialectLowering, node: ast.Tuple) -> Value:
    """``(a, b)``"""
    return make_tuple(lowering, [lowering.value(e) for e in node.elts], lowering.span(node))
