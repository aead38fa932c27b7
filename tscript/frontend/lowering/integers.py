"""Ints beyond 64 bits: constant expressions, computed as Python computes them, and expressions under a mask.

A constant expression of ints has its exact value: ``2**64 - 1`` does not overflow. An expression of which only
the lower bits are used, ``(a * b + c) & 0xFFFF`` or ``h * 31 % 2**32``, is computed modulo 2**64, which gives these
bits as Python gives them: wrapping arithmetic replaces checked arithmetic. Both depend only on the syntax, so that
    every way to run a program agrees.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator

from tscript.definitions.absent import MISSING
from tscript.diagnostics import Span
from tscript.dialect.limits import MAX_INT, MIN_INT
from tscript.frontend.diagnostics import errors
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.names import static
from tscript.frontend.source.symbols import ConstantSymbol
from tscript.ir.graph import Op, Value
from tscript.operators.python.overflow import wrap64
from tscript.types import BOOL, FLOAT, INT, TensorType, members_of

MAX_BITS = 1 << 12
"""Constants of more bits are not computed."""


def fits(value: int) -> bool:
    """Whether `value` is an int of 64 bits."""
    return MIN_INT <= value <= MAX_INT


# ---- constant expressions


def _power(a: int, b: int) -> int | None:
    return a**b if b >= 0 and a.bit_length() * b <= MAX_BITS else None


def _shift(a: int, b: int) -> int | None:
    return a << b if 0 <= b <= MAX_BITS else None


_BINARY: dict[type[ast.operator], Callable[[int, int], int | None]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: lambda a, b: a // b if b else None,
    ast.Mod: lambda a, b: a % b if b else None,
    ast.Pow: _power,
    ast.LShift: _shift,
    ast.RShift: lambda a, b: a >> b if b >= 0 else None,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}

_UNARY: dict[type[ast.unaryop], Callable[[int], int]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}


def exact(lowering: FunctionLowering, node: ast.expr) -> int | None:
    """The value of a constant expression of ints, of any size; None for other expressions.

    Its parts are literals and names of constants of the module.
    """
    match node:
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            return value
        case ast.UnaryOp() if type(node.op) in _UNARY:
            inner = exact(lowering, node.operand)
            return None if inner is None else _UNARY[type(node.op)](inner)
        case ast.BinOp():
            chain = spine(node)
            values = _prefixes(lowering, chain)
            return values[-1] if len(values) > len(chain) else None
        case ast.Name() | ast.Attribute():
            symbol = static(lowering, node)
            if isinstance(symbol, ConstantSymbol) and type(symbol.value) is int:
                return symbol.value
    return None


def spine(node: ast.BinOp) -> list[ast.BinOp]:
    """All operators of a left-associative chain ``a + b + c + …``, in the order of their application."""
    chain = [node]
    while isinstance(chain[-1].left, ast.BinOp):
        chain.append(chain[-1].left)
    chain.reverse()
    return chain


def fitting_prefix(lowering: FunctionLowering, chain: list[ast.BinOp]) -> tuple[int, int]:
    """The number of leading operators of a chain whose result is a constant that fits 64 bits, and the constant; 0 if
    there is none."""
    values = _prefixes(lowering, chain)
    return next(((i, values[i]) for i in reversed(range(len(values))) if fits(values[i])), (0, 0))


def _prefixes(lowering: FunctionLowering, chain: list[ast.BinOp]) -> list[int]:
    """The constant results at the beginning of a chain: the first operand, the first operator …"""
    value = exact(lowering, chain[0].left)
    values = [] if value is None else [value]
    for part in chain:
        apply = _BINARY.get(type(part.op))
        right = exact(lowering, part.right) if values and apply else None
        found = apply(values[-1], right) if apply and right is not None else None
        if found is None or found.bit_length() > MAX_BITS:
            break
        values.append(found)
    return values


def folded(lowering: FunctionLowering, node: ast.expr, span: Span) -> Value | None:
    """A constant expression as a constant; None if it is not constant or does not fit."""
    value = exact(lowering, node)
    return lowering.const(value, INT, span) if value is not None and fits(value) else None


def beside(lowering: FunctionLowering, op: ast.operator, left: Value, node: ast.expr) -> Value | None:
    """A constant expression that does not fit 64 bits, as a float for the operand on its left; else None.

    Next to a float Python makes a float of it. A quotient of an int and a power of two is rounded once as well.
    """
    if left.type not in (FLOAT, INT) or not isinstance(node, ast.BinOp | ast.Constant | ast.Name | ast.Attribute):
        return None
    value = exact(lowering, node)
    if value is None or fits(value) or value.bit_length() > 1023:
        return None
    if left.type == INT and not (isinstance(op, ast.Div) and value.bit_count() == 1):
        return None
    return lowering.const(float(value), FLOAT, lowering.span(node))


def compared(lowering: FunctionLowering, op: ast.cmpop, left: Value, node: ast.expr) -> Value | None:
    """The comparison of an int with a constant expression that does not fit 64 bits; None for any other."""
    if left.type != INT or not isinstance(node, ast.BinOp | ast.UnaryOp | ast.Constant | ast.Name | ast.Attribute):
        return None
    value = exact(lowering, node)
    if value is None or fits(value):
        return None
    held = {
        ast.Eq: False,
        ast.NotEq: True,
        ast.Lt: value > 0,
        ast.LtE: value > 0,
        ast.Gt: value < 0,
        ast.GtE: value < 0,
    }
    found = held.get(type(op))
    return None if found is None else lowering.const(found, BOOL, lowering.span(node))


def float_power(lowering: FunctionLowering, left: Value, right: Value, node: ast.AST) -> Value | None:
    """``a ** b`` of two ints where a float is declared, which it is for a negative `b`; None for other operands."""
    if left.type != INT or right.type != INT:
        return None
    from tscript.operators.python.powers import POWER_AS_FLOAT

    return lowering.scalar(POWER_AS_FLOAT, [left, right], lowering.span(node))


# ---- what is masked

_MODULAR: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Pow: "pow",
    ast.LShift: "bitwise_left_shift",
    ast.BitAnd: "bitwise_and",
    ast.BitOr: "bitwise_or",
    ast.BitXor: "bitwise_xor",
}
_MODULAR_UNARY: dict[type[ast.unaryop], str] = {
    ast.USub: "neg",
    ast.UAdd: "positive",
    ast.Invert: "bitwise_not",
}
"""Operators whose lower bits depend only on the lower bits of their operands."""


def _below(node: ast.expr) -> list[ast.expr]:
    """The operands of an operator that is computed modulo 2**64; nothing for any other expression."""
    if isinstance(node, ast.BinOp) and type(node.op) in _MODULAR:
        return [node.left] if isinstance(node.op, ast.LShift | ast.Pow) else [node.left, node.right]
    return [node.operand] if isinstance(node, ast.UnaryOp) and type(node.op) in _MODULAR_UNARY else []


def _leaves(node: ast.expr) -> Iterator[ast.expr]:
    """The leaves of a tree of such operators."""
    pending = [node]
    while pending:
        found = pending.pop()
        inner = _below(found)
        if inner:
            pending += inner
        else:
            yield found


def bound(lowering: FunctionLowering, part: ast.BinOp) -> int | None:
    """The largest possible value of ``x & c`` and ``x % 2**k``; None for other operators."""
    if not isinstance(part.op, ast.BitAnd | ast.Mod):
        return None
    value = exact(lowering, part.right)
    if value is None or value < 0:
        return None
    if isinstance(part.op, ast.BitAnd):
        return value
    return value - 1 if value.bit_count() == 1 else None


def expect(lowering: FunctionLowering, part: ast.BinOp) -> None:
    """Allow unsigned constants of 64 bits under a mask: only their lower bits matter."""
    for leaf in _leaves(part.left):
        if isinstance(leaf, ast.Constant | ast.Name | ast.Attribute):
            value = exact(lowering, leaf)
            if value is not None and not fits(value):
                lowering.unsigned.add(leaf)


def constant(lowering: FunctionLowering, value: object, node: ast.expr) -> Value:
    """A constant of the program."""
    if node in lowering.unsigned and isinstance(value, int):
        return lowering.const(wrap64(value), INT, lowering.span(node))
    found = lowering.constant(value, lowering.span(node))
    if isinstance(found.type, TensorType):
        found.name = ast.unparse(node)
    return found


def masked(lowering: FunctionLowering, left: Value, part: ast.BinOp, largest: int) -> Value | None:
    """``left & c`` or ``left % 2**k`` where the result is at most `largest`; None when `left` is no int.

    Raises:
        Abandoned: A constant in it does not fit; the error has been reported.
    """
    if {*members_of(left.type)} <= {INT, BOOL}:  # of what `isinstance(x, int)` has found in a value of any type
        left = lowering.coerce(left, INT, lowering.span(part.left)) or left
    if left.type != INT or largest.bit_length() > 64:
        relaxed: set[ast.expr] = set()
        out = None
    else:
        relaxed = _relax(lowering, left, part.left)
        span = lowering.span(part)
        out = left
        if largest <= MAX_INT:
            power = isinstance(part.op, ast.Mod) and largest < MAX_INT
            name, value = ("remainder", largest + 1) if power else ("bitwise_and", largest)
            out = lowering.apply(name, [left, lowering.const(value, INT, lowering.span(part.right))], span)
        else:
            if wrap64(largest) != -1:
                out = lowering.apply("bitwise_and", [left, lowering.const(wrap64(largest), INT, span)], span)
            from tscript.operators.python.int_bits import FITS

            out = lowering.scalar(FITS, [out], span)
    for leaf in _leaves(part.left):
        if leaf in lowering.unsigned and leaf not in relaxed:
            wrong = errors.IntegerTooLarge.check(lowering.span(leaf), exact(lowering, leaf))
            assert wrong is not None
            raise lowering.failure(wrong)
        lowering.unsigned.discard(leaf)
    return out


def mask_left(lowering: FunctionLowering, left: Value, right: Value, part: ast.BinOp) -> None:
    """Compute `right` of ``c & right`` modulo 2**64."""
    if isinstance(part.op, ast.BitAnd) and left.constant is not MISSING and right.type == INT:
        value = exact(lowering, part.left)
        if value is not None and value >= 0:
            _relax(lowering, right, part.right)


def _relax(lowering: FunctionLowering, value: Value, node: ast.expr) -> set[ast.expr]:
    """Compute the value of an expression modulo 2**64. Returns the leaves of the computation."""
    from tscript.operators.python.int_bits import FITS

    table = lowering.program.resolver.table
    reached: set[ast.expr] = set()
    pending = [(value, node)]
    while pending:
        held, written = pending.pop()
        made = held.node
        if isinstance(made, Op) and made.op is FITS and isinstance(written, ast.BinOp):
            made.op = table["positive.int"]  # a mask of 64 bits inside of a smaller one
            reached.add(written.right)
            continue
        inner = _below(written)
        if not inner or not isinstance(made, Op):
            reached.update(_leaves(written))  # constants among themselves are computed already
            continue
        name = _MODULAR.get(type(written.op)) if isinstance(written, ast.BinOp) else None
        if isinstance(written, ast.UnaryOp):
            name = _MODULAR_UNARY[type(written.op)]
        if made.op.name not in (f"{name}.int", *table[f"{name}.int"].earlier):
            continue
        if made.op.earlier:
            made.op = table[made.op.earlier[-1]]
        pending += zip(made.inputs, inner, strict=False)
    return reached


# ---- arithmetic modulo 2**64 by name


def unsigned(lowering: FunctionLowering, node: ast.expr) -> None:
    """Allow unsigned constants of 64 bits as arguments of `tscript.wrapping_add` and similar operators."""
    value = exact(lowering, node)
    if value is not None and MAX_INT < value < 1 << 64:
        lowering.unsigned.add(node)
