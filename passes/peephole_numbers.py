"""Peephole rules for numbers: identities, inverses, casts there and back."""

from __future__ import annotations

from collections.abc import Mapping

from tscript.definitions.absent import MISSING
from tscript.dialect import machine
from tscript.ir.graph import Op, Value
from tscript.operators.python.conversions import BOX
from tscript.passes.folding import constant_key
from tscript.passes.peephole_window import Rule, Window
from tscript.types import BOOL, NUMBER, DType, Type, dtype_of


def _is(value: Value, number: float) -> bool:
    found = value.constant
    if isinstance(found, bool) or not isinstance(found, (int, float)):
        return False
    return constant_key(found) == constant_key(type(found)(number))


def _is_float(value: Value) -> bool:
    dtype = dtype_of(value.type)
    return dtype is not None and dtype.is_floating_point


def _add(node: Op, window: Window) -> Value | None:
    a, b = node.inputs
    zero = -0.0 if _is_float(a) else 0
    return b if _is(a, zero) else a if _is(b, zero) else None


def _sub(node: Op, window: Window) -> Value | None:
    a, b = node.inputs
    if a is b and not _is_float(a):
        return window.const(0, node.outputs[0])
    return a if _is(b, 0) else None


def _mul(node: Op, window: Window) -> Value | None:
    a, b = node.inputs
    if not _is_float(a):
        for value in (a, b):
            if _is(value, 0):
                return value
    return b if _is(a, 1) else a if _is(b, 1) else None


def _divide_by_one(node: Op, window: Window) -> Value | None:
    a, b = node.inputs[:2]
    return a if _is(b, 1) else None


def _power(value: Value) -> int | None:
    """k for the constant 2**k."""
    n = value.constant
    return n.bit_length() - 1 if isinstance(n, int) and n > 0 and not n & (n - 1) else None


def _floor_divide(node: Op, window: Window) -> Value | None:
    """A division by a power of two shifts."""
    a, b = node.inputs
    k = _power(b)
    return a if k == 0 else None if k is None else window.builder.op(machine.SHR, a, window.builder.const(k))


def _remainder(node: Op, window: Window) -> Value | None:
    """The remainder by a power of two is the low bits."""
    a, b = node.inputs
    k = _power(b)
    return None if k is None else window.builder.op(machine.AND, a, window.builder.const((1 << k) - 1))


def _by_zero_bits(node: Op, window: Window) -> Value | None:
    """Shifts by zero."""
    a, b = node.inputs
    return a if _is(b, 0) else None


def _and(node: Op, window: Window) -> Value | None:
    a, b = node.inputs
    for x, y in ((a, b), (b, a)):
        if x is y or _is(x, -1) or x.constant is True:
            return y
        if _is(x, 0) or x.constant is False:
            return x
    return None


def _or(node: Op, window: Window) -> Value | None:
    a, b = node.inputs
    for x, y in ((a, b), (b, a)):
        if x is y or _is(x, 0) or x.constant is False:
            return y
        if _is(x, -1) or x.constant is True:
            return x
    return None


def _xor(node: Op, window: Window) -> Value | None:
    a, b = node.inputs
    for x, y in ((a, b), (b, a)):
        if _is(x, 0) or x.constant is False:
            return y
    return None


def _involution(node: Op, window: Window) -> Value | None:
    """An operator that undoes itself: negation, `not`."""
    inner = node.inputs[0].node
    return inner.inputs[0] if isinstance(inner, Op) and inner.op is node.op else None


def _idempotent(node: Op, window: Window) -> Value | None:
    """An operator that changes nothing the second time."""
    inner = node.inputs[0].node
    return node.inputs[0] if isinstance(inner, Op) and inner.op is node.op else None


def _identity(node: Op, window: Window) -> Value | None:
    return node.inputs[0]


def _of_itself(result: bool) -> Rule:
    def rule(node: Op, window: Window) -> Value | None:
        a, b = node.inputs
        return window.const(result, node.outputs[0]) if a is b and not _is_float(a) else None

    return rule


def _equal(node: Op, window: Window) -> Value | None:
    a, b = node.inputs
    if a.type == BOOL:
        for x, y in ((a, b), (b, a)):
            if x.constant is True:
                return y
            if x.constant is False:
                return window.builder.op(machine.NOT, y)
    return _of_itself(True)(node, window)


def _select(node: Op, window: Window) -> Value | None:
    cond, a, b = node.inputs
    if a is b or (cond.constant is not MISSING and cond.constant):
        return a
    if cond.constant is not MISSING:
        return b
    return cond if a.constant is True and b.constant is False else None


def _through(other: str) -> Rule:
    """A cast whose operand is the exact cast `other` of something: that something."""

    def rule(node: Op, window: Window) -> Value | None:
        inner = node.inputs[0].node
        if isinstance(inner, Op) and inner.op.name == other:
            return inner.inputs[0]
        return None

    return rule


def _unbox(node: Op, window: Window) -> Value | None:
    """The number that was boxed here."""
    made = node.inputs[0].node
    return made.inputs[0] if isinstance(made, Op) and made.op is BOX else None


def _boxed_is(node: Op, window: Window) -> Value | None:
    """The type of a boxed number is known if it was boxed here."""
    made = node.inputs[0].node
    if not isinstance(made, Op) or made.op is not BOX or made.inputs[0].type not in NUMBER.members:
        return None
    return window.const(made.inputs[0].type == node.inputs[1].constant, node.outputs[0])


def _convert(node: Op, window: Window) -> Value | None:
    value, to = node.inputs
    if value.type == to.constant:
        return value
    inner = value.node
    if isinstance(inner, Op) and inner.op is machine.CONVERT:
        source = inner.inputs[0]
        if is_exact_cast(source.type, value.type):
            if source.type == to.constant:
                return source
            return window.builder.op(machine.CONVERT, source, to)
    return None


def is_exact_cast(source: Type, target: Type) -> bool:
    """Whether every number of the machine type `source` is one of `target`."""
    a, b = dtype_of(source), dtype_of(target)
    return a is not None and b is not None and holds_all(a, b)


_MANTISSA = {4: 24, 8: 53}


def holds_all(a: DType, b: DType) -> bool:
    if a is b or a.name == "bool":
        return True
    if b.name == "bool" or (a.is_floating_point and not b.is_floating_point):
        return False
    if a.is_floating_point:
        return a.itemsize <= b.itemsize
    if b.is_floating_point:
        return a.itemsize * 8 <= _MANTISSA[b.itemsize]
    if a.signed == b.signed:
        return a.itemsize <= b.itemsize
    return b.signed and a.itemsize < b.itemsize


NUMBERS: Mapping[str, Rule] = {
    "add.int": _add,
    "sub.int": _sub,
    "mul.int": _mul,
    "floor_divide.int": _floor_divide,
    "wrapping_floor_divide.int": _floor_divide,
    "remainder.int": _remainder,
    "bitwise_and.int": _and,
    "bitwise_or.int": _or,
    "bitwise_xor.int": _xor,
    "bitwise_left_shift.int": _by_zero_bits,
    "bitwise_right_shift.int": _by_zero_bits,
    "wrapping_add.int": _add,
    "wrapping_sub.int": _sub,
    "wrapping_mul.int": _mul,
    "wrapping_shl.int": _by_zero_bits,
    "wrapping_neg.int": _involution,
    "abs.int": _idempotent,
    "positive.int": _identity,
    "bitwise_not.int": _involution,
    "add.float": _add,
    "sub.float": _sub,
    "mul.float": _mul,
    "div.float": _divide_by_one,
    "neg.float": _involution,
    "abs.float": _idempotent,
    "positive.float": _identity,
    "bitwise_and.bool": _and,
    "bitwise_or.bool": _or,
    "bitwise_xor.bool": _xor,
    "not.bool": _involution,
    "unbox": _unbox,
    "is_instance": _boxed_is,
    "int.int": _identity,
    "float.float": _identity,
    "bool.bool": _identity,
    "bool.int": _through("int.bool"),
    "bool.float": _through("float.bool"),
    "eq.int": _of_itself(True),
    "le.int": _of_itself(True),
    "ge.int": _of_itself(True),
    "ne.int": _of_itself(False),
    "lt.int": _of_itself(False),
    "gt.int": _of_itself(False),
    "eq.bool": _equal,
    "machine.add": _add,
    "machine.sub": _sub,
    "machine.mul": _mul,
    "machine.div": _divide_by_one,
    "machine.quot": _divide_by_one,
    "machine.and": _and,
    "machine.or": _or,
    "machine.xor": _xor,
    "machine.shl": _by_zero_bits,
    "machine.shr": _by_zero_bits,
    "machine.neg": _involution,
    "machine.not": _involution,
    "machine.fabs": _idempotent,
    "machine.eq": _equal,
    "machine.le": _of_itself(True),
    "machine.ge": _of_itself(True),
    "machine.ne": _of_itself(False),
    "machine.lt": _of_itself(False),
    "machine.gt": _of_itself(False),
    "machine.select": _select,
    "machine.convert": _convert,
}
"""Rules of operators of numbers, by qualified name."""
