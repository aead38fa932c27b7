"""Arithmetic: unary and binary operators."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tscript.diagnostics import Span
from tscript.frontend.lowering import conversions, integers, unions
from tscript.frontend.lowering.conversions import plain
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.merging import is_listed
from tscript.ir.graph import Value
from tscript.types import (
    BOOL,
    FLOAT,
    INT,
    STR,
    ClassType,
    DictType,
    EnumType,
    ListType,
    SetType,
    SizeType,
    TupleType,
    Type,
    members_of,
)
from tscript.types.inference import is_open

BINARY: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("add", "+"),
    ast.Sub: ("sub", "-"),
    ast.Mult: ("mul", "*"),
    ast.Div: ("div", "/"),
    ast.FloorDiv: ("floor_divide", "//"),
    ast.Mod: ("remainder", "%"),
    ast.Pow: ("pow", "**"),
    ast.MatMult: ("matmul", "@"),
    ast.BitAnd: ("bitwise_and", "&"),
    ast.BitOr: ("bitwise_or", "|"),
    ast.BitXor: ("bitwise_xor", "^"),
    ast.LShift: ("bitwise_left_shift", "<<"),
    ast.RShift: ("bitwise_right_shift", ">>"),
}
"""Operator name and sign of each binary operator."""


_OF_BOOLS = ("bitwise_and", "bitwise_or", "bitwise_xor")
"""Operators that give a bool for two bools."""

_UNARY: dict[type[ast.unaryop], tuple[str, str]] = {
    ast.USub: ("neg", "-"),
    ast.UAdd: ("positive", "+"),
    ast.Invert: ("bitwise_not", "~"),
}


def lower_bin_op(lowering: FunctionLowering, node: ast.BinOp) -> Value:
    """A binary operator."""
    return lower_binary(lowering, node, None)


def lower_joined(lowering: FunctionLowering, node: ast.BinOp, target: Type | None) -> Value:
    """``a + b`` of containers is of their type; ``a ** b`` of ints may be a float."""
    is_container = target is not None and any(isinstance(m, ListType | SetType | DictType) for m in members_of(target))
    return lower_binary(lowering, node, target if is_container or target == FLOAT else None)


def lower_binary(lowering: FunctionLowering, node: ast.BinOp, target: Type | None) -> Value:
    """A binary operator; `target` is the declared type of a container."""
    if node in lowering.unsigned:
        return integers.constant(lowering, integers.exact(lowering, node), node)
    chain = integers.spine(node)  # as a loop it may be any length
    as_float = target == FLOAT and isinstance(node.op, ast.Pow)
    if target == FLOAT or not all(isinstance(part.op, ast.Add | ast.BitOr | ast.Mult) for part in chain):
        target = None
    bounds = [integers.bound(lowering, part) for part in chain]
    for part, largest in zip(chain, bounds, strict=True):
        if largest is not None:
            integers.expect(lowering, part)
    done, known = integers.fitting_prefix(lowering, chain)
    if done:
        left = lowering.const(known, INT, lowering.span(chain[done - 1]))
    else:
        left = lowering.value_as(chain[0].left, target)
    for part, largest in zip(chain[done:], bounds[done:], strict=True):
        percent = lowering.kinds.of(STR).percent if isinstance(part.op, ast.Mod) else None
        if percent is not None and conversions.is_string(left.type):
            left = percent(lowering, left, part.right, part)
            continue
        if largest is not None:
            found = integers.masked(lowering, left, part, largest)
            if found is not None:
                left = found
                continue
        right = integers.beside(lowering, part.op, left, part.right)
        if right is None:
            right = lowering.value_as(part.right, None if isinstance(part.op, ast.Mult) else target)
        integers.mask_left(lowering, left, right, part)
        power = integers.float_power(lowering, left, right, part) if as_float and part is node else None
        left = power or binary(lowering, part.op, left, right, part)
    return left


def binary(lowering: FunctionLowering, op: ast.operator, left: Value, right: Value, node: ast.AST) -> Value:
    """A binary operator on two values."""
    name, sign = BINARY[type(op)]
    span = lowering.span(node)
    left, right = _as_ints(lowering, name, *_beside(lowering, left, right, span), span)
    by_member = unions.each(lowering, [left, right], lambda v: binary(lowering, op, v[0], v[1], node), span, sign)
    if by_member is not None:
        return by_member
    a, b = left.type, right.type
    found = _by_class(lowering, name, left, right, span)
    if found is not None:
        return found
    for kind in lowering.kinds.deciding(a, b):
        if kind.arithmetic is not None and (made := kind.arithmetic(lowering, name, left, right, span)) is not None:
            return made
    if lowering.settle(left, b) or lowering.settle(right, a):
        a, b = left.type, right.type
    if name == "pow" and a in (INT, BOOL) and b == INT and isinstance(right.constant, int) and right.constant < 0:
        left, right = (lowering.coerce(v, FLOAT, span) or v for v in (left, right))
    if name == "mul" and a == INT and lowering.kind(right).repeats:
        left, right = right, left
    if name == "add" and isinstance(a, ListType) and isinstance(b, ListType):
        from tscript.frontend.lowering.holding import beside_none

        if (beside := beside_none(lowering, [left, right], node)) is not None:
            return beside
    if name == "add" and (joined := _as_lists(lowering, left, right, span)) is not None:
        left, right = joined
    for one, other in ((a, b), (b, a)):
        if name == "add" and isinstance(one, TupleType) and isinstance(other, ListType) and other.frozen:
            if is_open(other) and len({*one.elements}) == 1:
                other = ListType(one.elements[0], frozen=True)
            left, right = (lowering.coerce(v, other, span) or v for v in (left, right))
    return lowering.apply(name, [left, right], span, shown_as=sign)


def _as_lists(lowering: FunctionLowering, left: Value, right: Value, span: Span) -> tuple[Value, Value] | None:
    """A list and a shape as two lists, as TorchScript's shapes are; and a list that the function takes and a tuple of
    such elements, as what is given for the list may be a tuple in Python. None of anything else."""
    known = next((v for v in (left, right) if isinstance(v.type, ListType) and not v.type.frozen), None)
    if known is None:
        return None
    listed, other = known.type, right if known is left else left
    assert isinstance(listed, ListType)
    is_shape = isinstance(other.type, SizeType) and listed.element == INT
    if not is_shape and not (known in lowering.graph.body.params and is_listed(other.type, listed)):
        return None
    made = lowering.listed(other, listed, span)
    if made is None:
        return None
    return (left, made) if other is right else (made, right)


def _by_class(lowering: FunctionLowering, name: str, left: Value, right: Value, span: Span) -> Value | None:
    """An operator that the class of an operand defines, or on members of enums that are numbers or strings; None for
    others."""
    method = METHODS.get(name)
    if method is None or not (lowering.kind(left).has_methods or lowering.kind(right).has_methods):
        return None
    a, b = left.type, right.type
    ways = [(left, f"__{method}__", right), (right, f"__r{method}__", left)]
    if a != b and isinstance(a, ClassType) and isinstance(b, ClassType) and b.info.derives_from(a.info):
        ways.reverse()
    for receiver, special, other in ways:
        found = _special_call(lowering, receiver, special, [other], span)
        if found is not None:
            return found
    x, y = plain(lowering, left, span), plain(lowering, right, span)
    if x is not left or y is not right:
        return lowering.apply(name, [x, y], span, shown_as=SIGNS[name])
    return None


def _special_call(
    lowering: FunctionLowering, value: Value, name: str, args: Sequence[Value], span: Span
) -> Value | None:
    """The call of a special method that a class defines; None if it has none."""
    if not isinstance(value.type, ClassType | EnumType | TupleType):
        return None
    from tscript.frontend.lowering.method_calls import special_call

    return special_call(lowering, value, name, args, span)


def _beside(lowering: FunctionLowering, left: Value, right: Value, span: Span) -> tuple[Value, Value]:
    """The operands of arithmetic, each converted as the other one requires."""
    a, b = left.type, right.type
    if (how := lowering.kind(right).beside) is not None:
        right = how(lowering, right, a, span)
    if (how := lowering.kind(left).beside) is not None:
        left = how(lowering, left, b, span)
    return left, right


def _as_ints(lowering: FunctionLowering, name: str, left: Value, right: Value, span: Span) -> tuple[Value, Value]:
    """The operands of arithmetic on ints; one that `isinstance(x, int)` has found in a value of any type may be a bool,
    which counts as an int, but for ``&``, ``|`` and ``^`` of two bools."""
    members = [{*members_of(v.type)} for v in (left, right)]
    if not all(m <= {INT, BOOL} for m in members) or (name in _OF_BOOLS and {INT} not in members):
        return left, right
    if left.type not in (INT, BOOL):
        left = lowering.coerce(left, INT, span) or left
    if right.type not in (INT, BOOL):
        right = lowering.coerce(right, INT, span) or right
    return left, right


def lower_unary_op(lowering: FunctionLowering, node: ast.UnaryOp) -> Value:
    """A unary operator."""
    span = lowering.span(node)
    if isinstance(node.op, ast.Not):
        from tscript.frontend.lowering.conditions import lower_not

        return lower_not(lowering, node)
    folded = integers.folded(lowering, node, span)
    if folded is not None:
        return folded
    if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        value = node.operand.value
        if type(value) is int or type(value) is float:
            return lowering.constant(-value, span)
    name, sign = _UNARY[type(node.op)]
    operand = lowering.value(node.operand)
    how = lowering.kind(operand).unary
    found = None if how is None else how(lowering, name, operand, span)
    found = found or _special_call(lowering, operand, _UNARY_METHODS[name], [], span)
    if found is not None:
        return found
    return lowering.apply(name, [plain(lowering, operand, span)], span, shown_as=sign)


METHODS = {
    "add": "add", "sub": "sub", "mul": "mul", "div": "truediv", "floor_divide": "floordiv", "remainder": "mod",
    "pow": "pow",
    "matmul": "matmul", "bitwise_and": "and", "bitwise_or": "or", "bitwise_xor": "xor", "bitwise_left_shift": "lshift",
    "bitwise_right_shift": "rshift",
}  # fmt: skip
"""Operators and their special methods, without underscores."""

SIGNS = dict(BINARY.values())
"""The sign of each binary operator."""


_UNARY_METHODS = {"neg": "__neg__", "positive": "__pos__", "bitwise_not": "__invert__"}
