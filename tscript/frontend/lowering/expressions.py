"""Expressions of the language, one function each: `EXPRESSIONS` maps a class of AST node to it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from tscript.diagnostics import Span
from tscript.frontend.diagnostics import advice, callable_errors, container_errors, elsewhere, errors, type_errors
from tscript.frontend.diagnostics.advice import defining, narrowing
from tscript.frontend.diagnostics.type_names import article, conversion_help, kind_of_receiver, shown
from tscript.frontend.lowering import (
    calls,
    common,
    conversions,
    holding,
    integers,
    iterables,
    method_calls,
    method_names,
    ranges,
    receivers,
    refinement,
    subscripts,
    unions,
)
from tscript.frontend.lowering.branches import either, join_values
from tscript.frontend.lowering.calls import operator_argument
from tscript.frontend.lowering.conversions import is_none, plain
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.merging import merge
from tscript.frontend.lowering.names import bind, read, static, symbol_of
from tscript.frontend.lowering.ranges import is_range
from tscript.frontend.lowering.tuples import make_tuple, tuple_elements
from tscript.frontend.source.classes import MemberSymbol
from tscript.frontend.source.descriptions import describe
from tscript.frontend.source.symbols import ConstantSymbol, Symbol, UnknownSymbol
from tscript.ir.graph import Value
from tscript.operators.core.rules import receiver_types
from tscript.operators.python.conversions import is_object
from tscript.types import (
    BOOL,
    BYTES,
    COMPLEX,
    DTYPE,
    FLOAT,
    INT,
    NONE,
    SIZE,
    STR,
    CallableType,
    ClassType,
    EnumType,
    ListType,
    OptionalType,
    SetType,
    SizeType,
    TensorType,
    TupleType,
    Type,
    is_subtype,
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

UNARY: dict[type[ast.unaryop], tuple[str, str]] = {
    ast.USub: ("neg", "-"),
    ast.UAdd: ("positive", "+"),
    ast.Invert: ("bitwise_not", "~"),
}

COMPARISONS: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Eq: ("eq", "=="),
    ast.NotEq: ("ne", "!="),
    ast.Lt: ("lt", "<"),
    ast.LtE: ("le", "<="),
    ast.Gt: ("gt", ">"),
    ast.GtE: ("ge", ">="),
}


def _constant(lowering: FunctionLowering, node: ast.Constant) -> Value:
    value = node.value
    span = lowering.span(node)
    if value is None or isinstance(value, bool | int | float | str | bytes | complex):
        return integers.constant(lowering, value, node)
    raise lowering.failure(errors.UnsupportedExpression(span, "'...'", "use it only in an index: x[..., 0]"))


def _name(lowering: FunctionLowering, node: ast.Name) -> Value:
    lowering.reads.note(node, lowering.scope)
    found = read(lowering, node)
    return found if found is not None else symbol_value(lowering, symbol_of(lowering, node), node)


def symbol_value(lowering: FunctionLowering, symbol: Symbol, node: ast.expr) -> Value:
    """The value of a global name."""
    if isinstance(symbol, ConstantSymbol):
        return integers.constant(lowering, symbol.value, node)
    made = lowering.language.function_named(lowering, symbol, node)
    if made is not None:
        return made
    if isinstance(symbol, MemberSymbol):
        return lowering.const(symbol.member, symbol.definition.type, lowering.span(node))
    instead = "functions, modules and types can only be called, or used in annotations"
    if isinstance(symbol, UnknownSymbol) and symbol.instead:
        instead = symbol.instead
    raise lowering.failure(errors.NotAValue(lowering.span(node), describe(symbol), instead))


def _attribute(lowering: FunctionLowering, node: ast.Attribute) -> Value:
    symbol = static(lowering, node)
    if symbol is not None:
        return symbol_value(lowering, symbol, node)
    for special in lowering.language.special_attributes:
        if (made := special(lowering, node)) is not None:
            return made
    root = static(lowering, node.value)
    value = lowering.value(node.value) if root is None else symbol_value(lowering, root, node.value)
    found = attribute(lowering, value, node.attr, lowering.span(node), node.value)
    return refinement.refined(lowering, node, found) if isinstance(value.type, ClassType) else found


def attribute(lowering: FunctionLowering, value: Value, name: str, span: Span, node: ast.expr | None = None) -> Value:
    """``value.name``; `node` is the value as written."""
    found = lowering.kind(value).attribute(lowering, value, name, span, node)
    if found is not None:
        return found
    kind = kind_of_receiver(value.type)
    instead = advice.narrowing([value.type]) or elsewhere.method(kind, name)
    if kind == "dict" and not instead:
        instead = f"an entry is d[{name!r}]"
    if kind and name in method_names.methods_of(lowering, kind):
        instead = f"'{name}' is a method: call it, '.{name}(...)'"
    raise lowering.failure(type_errors.NoAttribute(span, shown(value.type), "attribute", name, instead))


def _binary(lowering: FunctionLowering, node: ast.BinOp) -> Value:
    return lower_binary(lowering, node, None)


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
    left, right = _beside(lowering, left, right, span)
    by_member = unions.each(lowering, [left, right], lambda v: binary(lowering, op, v[0], v[1], node), span, sign)
    if by_member is not None:
        return by_member
    a, b = left.type, right.type
    found = lowering.language.comparisons.arithmetic(lowering, name, left, right, span)
    if found is not None:
        return found
    if isinstance(op, ast.Add) and _are_shapes(left, right):
        return lowering.scalar(lowering.program.resolver.table["add.Size"], [left, right], span)
    if isinstance(a, TupleType) or isinstance(b, TupleType):
        if isinstance(op, ast.Add) and isinstance(a, TupleType) and isinstance(b, TupleType):
            parts = [*tuple_elements(lowering, left, span), *tuple_elements(lowering, right, span)]
            return make_tuple(lowering, parts, span)
        if isinstance(op, ast.Mult):
            sequence, count = (left, right) if isinstance(a, TupleType) else (right, left)
            times = count.constant
            if count.type == INT and isinstance(times, int) and times < 1000:
                return make_tuple(lowering, tuple_elements(lowering, sequence, span) * times, span)
    if lowering.settle(left, b) or lowering.settle(right, a):
        a, b = left.type, right.type
    for kind in (lowering.kind(left), lowering.kind(right)):
        if kind.arithmetic is not None and (made := kind.arithmetic(lowering, name, left, right, span)) is not None:
            return made
    if name == "pow" and a in (INT, BOOL) and b == INT and isinstance(right.constant, int) and right.constant < 0:
        left, right = (lowering.coerce(v, FLOAT, span) or v for v in (left, right))
    if name == "mul" and a == INT and (isinstance(b, ListType) or b in (STR, BYTES)):
        left, right = right, left
    if isinstance(a, SetType) and name == "add":  # the method of that name has no sign
        raise lowering.failure(
            type_errors.OperatorRefused(span, f"'+' does not take {shown(a)} and {shown(b)}", "join sets with '|'")
        )
    beside = holding.beside_none(lowering, [left, right], node) if name == "add" else None
    if beside is not None:
        return beside
    for one, other in ((a, b), (b, a)):
        if name == "add" and isinstance(one, TupleType) and isinstance(other, ListType) and other.frozen:
            if is_open(other) and len({*one.elements}) == 1:
                other = ListType(one.elements[0], frozen=True)
            left, right = (lowering.coerce(v, other, span) or v for v in (left, right))
    return lowering.apply(name, [left, right], span, shown_as=sign)


def _beside(lowering: FunctionLowering, left: Value, right: Value, span: Span) -> tuple[Value, Value]:
    """The operands of arithmetic, each converted as the other one requires."""
    a, b = left.type, right.type
    if (how := lowering.kind(right).beside) is not None:
        right = how(lowering, right, a, span)
    if (how := lowering.kind(left).beside) is not None:
        left = how(lowering, left, b, span)
    return left, right


def _are_shapes(left: Value, right: Value) -> bool:
    """Whether one is a shape whose length is not known yet, and the other a shape too."""
    return (isinstance(left.type, SizeType) or isinstance(right.type, SizeType)) and all(
        is_subtype(v.type, SIZE) for v in (left, right)
    )


def _unary(lowering: FunctionLowering, node: ast.UnaryOp) -> Value:
    span = lowering.span(node)
    if isinstance(node.op, ast.Not):
        return _not(lowering, node)
    folded = integers.folded(lowering, node, span)
    if folded is not None:
        return folded
    if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        value = node.operand.value
        if type(value) is int or type(value) is float:
            return lowering.constant(-value, span)
    name, sign = UNARY[type(node.op)]
    operand = lowering.value(node.operand)
    how = lowering.kind(operand).unary
    found = None if how is None else how(lowering, name, operand, span)
    found = found or method_calls.special_call(lowering, operand, SPECIAL_UNARY[name], [], span)
    if found is not None:
        return found
    return lowering.apply(name, [plain(lowering, operand, span)], span, shown_as=sign)


def _not(lowering: FunctionLowering, node: ast.UnaryOp) -> Value:
    span = lowering.span(node)
    return lowering.apply("not", [lower_condition(lowering, node.operand)], span, shown_as="not")


# ---- conditions, and, or


def lower_condition(lowering: FunctionLowering, node: ast.expr) -> Value:
    """The truth of an expression. Here the operands of ``and`` and ``or`` need no common type."""
    if isinstance(node, ast.BoolOp):
        return _boolean(lowering, node.op, node.values, node)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return _not(lowering, node)
    return lowering.truth(lowering.value(node), lowering.span(node))


def _boolean(lowering: FunctionLowering, op: ast.boolop, values: list[ast.expr], node: ast.expr) -> Value:
    first = lower_condition(lowering, values[0])
    if len(values) == 1:
        return first
    stops = isinstance(op, ast.Or)
    if first.constant is stops:
        return first
    if first.constant is (not stops):
        return _boolean(lowering, op, values[1:], node)
    span = lowering.span(node)

    def others() -> Value:
        lowering.refine(values[0], not stops)
        return _boolean(lowering, op, values[1:], node)

    rest = lowering.branch(others)
    stop = lowering.branch(lambda: lowering.const(stops, BOOL, span))
    out = merge(lowering, first, stop if stops else rest, rest if stops else stop, span, BOOL)
    assert out is not None
    return out


def _bool_op(lowering: FunctionLowering, node: ast.BoolOp) -> Value:
    return _operands(lowering, node, node.values, lowering.value(node.values[0]))


def _operands(lowering: FunctionLowering, node: ast.BoolOp, values: list[ast.expr], first: Value) -> Value:
    if len(values) == 1:
        return first
    sign = "or" if isinstance(node.op, ast.Or) else "and"

    def others() -> Value:
        lowering.refine(values[0], sign == "and")
        return _operands(lowering, node, values[1:], lowering.value(values[1]))

    return _short_circuit(lowering, sign, first, others, node)


def _short_circuit(
    lowering: FunctionLowering, sign: str, first: Value, rest: Callable[[], Value], node: ast.AST
) -> Value:
    """``first and rest()`` or ``first or rest()``: one of the two values."""
    span = lowering.span(node)
    cond = lowering.truth(first, span)
    stops = sign == "or"
    if cond.constant is stops:
        return first
    if cond.constant is (not stops):
        return rest()
    inner = first.type.value if isinstance(first.type, OptionalType) else first.type
    other = lowering.branch(rest)
    kept = lowering.branch(lambda: conversions.narrow(lowering, first, inner, span) if stops else first)
    assert other.value is not None and kept.value is not None
    held = kept.value.type
    found = conversions.unify(lowering, kept.value, other.value)
    if found is None or (found not in (held, other.value.type) and NONE not in (held, other.value.type)):
        instead = f"give both one type, or write '... if ... else ...' where '{either(first, other.value)}' is declared"
        raise lowering.failure(
            type_errors.ConditionalTypes(span, sign, shown(first.type), shown(other.value.type), instead)
        )
    return join_values(lowering, cond, kept if stops else other, other if stops else kept, node)


def _conditional(lowering: FunctionLowering, node: ast.IfExp) -> Value:
    return conditional(lowering, node, None)


def conditional(
    lowering: FunctionLowering,
    node: ast.IfExp,
    target: Type | None,
    value_of: Callable[[ast.expr], Value] | None = None,
) -> Value:
    """``a if c else b``, where a value of type `target` is declared; `value_of` lowers ``a`` and ``b``."""

    def run(part: ast.expr) -> Callable[[], Value]:
        narrow = lowering.narrowing_of(node.test, part is node.body)

        def lower() -> Value:
            narrow()
            return value_of(part) if value_of else lowering.value_as(part, target)

        return lower

    cond = lower_condition(lowering, node.test)
    if isinstance(cond.constant, bool):
        return run(node.body if cond.constant else node.orelse)()
    body, other = run(node.body), run(node.orelse)
    then, orelse = lowering.branch(body), lowering.branch(other)
    return join_values(lowering, cond, then, orelse, node, target)


# ---- comparisons


def _compare(lowering: FunctionLowering, node: ast.Compare) -> Value:
    return _chain(lowering, node, lowering.value(node.left), 0)


def _chain(lowering: FunctionLowering, node: ast.Compare, left: Value, position: int) -> Value:
    """The comparisons from `position` on; each middle operand is evaluated once."""
    right_node = node.comparators[position]
    op = node.ops[position]
    if isinstance(op, ast.In | ast.NotIn) and position + 1 == len(node.ops):
        found = _in_iterator(lowering, left, right_node)
        if found is not None:
            return found if isinstance(op, ast.In) else lowering.apply("not", [found], lowering.span(node))
    found = integers.compared(lowering, op, left, right_node)
    if found is not None and position + 1 == len(node.ops):
        return found
    right = (
        operator_argument(lowering, right_node) if isinstance(op, ast.In | ast.NotIn) else lowering.value(right_node)
    )
    found = _comparison(lowering, op, left, right, node)
    if position + 1 == len(node.ops):
        return found
    return _short_circuit(lowering, "and", found, lambda: _chain(lowering, node, right, position + 1), node)


def _in_iterator(lowering: FunctionLowering, left: Value, node: ast.expr) -> Value | None:
    """``x in range(...)`` and ``x in d.keys()``; None for other expressions."""
    if isinstance(node, ast.Call) and is_range(lowering, node):
        return ranges.in_range(lowering, left, node)
    receiver = iterables.viewed(lowering, node)
    if receiver is None:
        return None
    assert isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    span = lowering.span(node)
    right = receiver
    if node.func.attr != "keys":
        right = lowering.apply(node.func.attr, [receiver], span)
    return _in(lowering, left, right, node)


def _comparison(lowering: FunctionLowering, op: ast.cmpop, left: Value, right: Value, node: ast.AST) -> Value:
    if all(isinstance(_present(v.type), CallableType) for v in (left, right)):
        raise lowering.failure(callable_errors.ComparedFunctions(lowering.span(node)))
    handler = _COMPARE.get(type(op))
    if handler is not None:
        return handler(lowering, left, right, node)
    return compare_values(lowering, COMPARISONS[type(op)][0], left, right, lowering.span(node), node)


def _present(type: Type) -> Type:
    return type.value if isinstance(type, OptionalType) else type


SIGNS_OF = dict((*BINARY.values(), *COMPARISONS.values()))
"""The sign of each operator."""


def compare_values(
    lowering: FunctionLowering, name: str, left: Value, right: Value, span: Span, node: ast.AST | None = None
) -> Value:
    """A comparison of two values by the name of its operator."""
    if name in ("eq", "ne"):
        return (equal if name == "eq" else _not_equal)(lowering, left, right, node or receivers.placed(lowering, span))
    sign = SIGNS_OF[name]
    found = unions.each(lowering, [left, right], lambda v: compare_values(lowering, name, v[0], v[1], span), span, sign)
    found = found or lowering.language.comparisons.order(lowering, name, left, right, span)
    if found is not None:
        return found
    return lowering.apply(name, [*_alike(lowering, left, right, span)], span, shown_as=sign)


def _alike(lowering: FunctionLowering, left: Value, right: Value, span: Span) -> tuple[Value, Value]:
    """The operands of a comparison, converted to one type if possible, for example an int and an optional int."""
    left, right = _complex_equal(lowering, left, right, span)
    a, b = left.type, right.type
    if a == b or isinstance(a, TensorType | SizeType) or isinstance(b, TensorType | SizeType):
        return left, right
    if lowering.settle(left, b) or lowering.settle(right, a):
        return left, right
    if (found := lowering.language.comparisons.alike(lowering, left, right, span)) is not None:
        return found
    target: Type | None = None
    for one, other in ((a, b), (b, a)):
        if isinstance(one, TupleType) and isinstance(other, ListType | TupleType):
            if isinstance(other, TupleType) or other.frozen:
                target = target or (other if lowering.coerce(left if one is a else right, other, span) else None)
        elif isinstance(one, OptionalType) or is_object(one):
            target = common.common(a, b)
    if target is not None:
        x, y = lowering.coerce(left, target, span), lowering.coerce(right, target, span)
        if x is not None and y is not None:
            return x, y
    return left, right


def _complex_equal(lowering: FunctionLowering, left: Value, right: Value, span: Span) -> tuple[Value, Value]:
    """Two numbers that are compared, both complex if one is."""
    if COMPLEX in (left.type, right.type):
        a, b = lowering.coerce(left, COMPLEX, span), lowering.coerce(right, COMPLEX, span)
        if a is not None and b is not None:
            return a, b
    return left, right


def equal(lowering: FunctionLowering, left: Value, right: Value, node: ast.AST) -> Value:
    """``left == right``."""
    span = lowering.span(node)
    a, b = left.type, right.type
    if NONE not in (a, b):
        found = lowering.language.comparisons.equal(lowering, left, right, span)
        if found is not None:
            return found
    if NONE in (a, b):
        return is_none(lowering, right if a == NONE else left, span)
    if not (isinstance(a, TupleType) and isinstance(b, TupleType)):
        left, right = _alike(lowering, left, right, span)
    else:
        if len(a.elements) != len(b.elements):
            return lowering.const(False, BOOL, span)
        out = lowering.const(True, BOOL, span)
        pairs = zip(tuple_elements(lowering, left, span), tuple_elements(lowering, right, span), strict=True)
        for i, (x, y) in enumerate(pairs):
            same = lowering.truth(equal(lowering, x, y, node), span)
            out = same if i == 0 else lowering.apply("bitwise_and", [out, same], span)
        return out
    if _are_shapes(left, right):
        return lowering.scalar(lowering.program.resolver.table["eq.Size"], [left, right], span)
    return lowering.apply("eq", [left, right], span, shown_as="==")


def are_equal(lowering: FunctionLowering, left: Value, right: Value, node: ast.AST) -> Value:
    """``left == right`` as a bool."""
    return lowering.truth(equal(lowering, left, right, node), lowering.span(node))


def _not_equal(lowering: FunctionLowering, left: Value, right: Value, node: ast.AST) -> Value:
    span = lowering.span(node)
    types = (left.type, right.type)
    found = method_calls.special_call(lowering, left, "__ne__", [right], span)
    if found is not None:
        return found
    if any(t == NONE or isinstance(t, TupleType | SizeType | ClassType | EnumType) or common.has_own(t) for t in types):
        return lowering.apply("not", [lowering.truth(equal(lowering, left, right, node), span)], span)
    return lowering.apply("ne", [*_alike(lowering, left, right, span)], span, shown_as="!=")


def _is(lowering: FunctionLowering, left: Value, right: Value, node: ast.AST) -> Value:
    span = lowering.span(node)
    a, b = left.type, right.type
    if NONE in (a, b):
        return is_none(lowering, right if a == NONE else left, span)
    if a == b == DTYPE:
        return lowering.apply("eq", [left, right], span)
    found = lowering.language.comparisons.same(lowering, left, right, span)
    if found is not None:
        return found
    instead = "write '=='; 'is' is for None, lists, dicts, sets, tensors, instances and enums"
    raise lowering.failure(errors.UnsupportedComparison(span, "is", article(a), article(b), instead))


def _is_not(lowering: FunctionLowering, left: Value, right: Value, node: ast.AST) -> Value:
    return lowering.apply("not", [_is(lowering, left, right, node)], lowering.span(node))


def _in(lowering: FunctionLowering, left: Value, right: Value, node: ast.AST) -> Value:
    span = lowering.span(node)
    if conversions.is_string(right.type):
        left, right = conversions.as_string(lowering, left, span), conversions.as_string(lowering, right, span)
    if isinstance(right.constant, str) and isinstance(left.constant, str):
        return lowering.const(left.constant in right.constant, BOOL, span)
    found = lowering.language.comparisons.contains(lowering, right, left, span)
    if found is not None:
        return found
    held = receiver_types(right.type).get("T")
    if held is not None:
        found = lowering.coerce(left, held, span)
        if found is not None:
            return lowering.apply("contains", [right, found], span, shown_as="in")
    elif right.type in (STR, BYTES):
        if right.type == STR and left.type != STR:
            instead = f"a str holds strings only; {conversion_help(left.type, STR)}"
            raise lowering.failure(
                errors.UnsupportedComparison(span, "in", article(left.type), article(right.type), instead)
            )
        return lowering.apply("contains", [right, left], span, shown_as="in")
    if nothing := container_errors.nothing_said([right], span):
        raise lowering.failure(nothing)
    if not isinstance(right.type, TupleType):
        instead = (
            narrowing([right.type])
            or defining(right.type, "__contains__")
            or ("test whether any is equal: bool((x == value).any())" if isinstance(right.type, TensorType) else "")
            or "'in' works on tuples, lists, dicts, sets and strings"
        )
        if held is not None:
            fix = conversion_help(left, held)
            instead = f"{article(right.type)} holds no {shown(left.type)}" + (f"; {fix}" if fix else "")
        raise lowering.failure(
            errors.UnsupportedComparison(span, "in", article(left.type), article(right.type), instead)
        )
    out = lowering.const(False, BOOL, span)
    for i, element in enumerate(tuple_elements(lowering, right, span)):
        same = lowering.truth(equal(lowering, element, left, node), span)
        out = same if i == 0 else lowering.apply("bitwise_or", [out, same], span)
    return out


def _not_in(lowering: FunctionLowering, left: Value, right: Value, node: ast.AST) -> Value:
    return lowering.apply("not", [_in(lowering, left, right, node)], lowering.span(node))


_COMPARE: dict[type[ast.cmpop], Callable[[FunctionLowering, Value, Value, ast.AST], Value]] = {
    ast.Eq: equal,
    ast.NotEq: _not_equal,
    ast.Is: _is,
    ast.IsNot: _is_not,
    ast.In: _in,
    ast.NotIn: _not_in,
}


# ---- tuples, names, assignment


def _literal_container(lowering: FunctionLowering, node: ast.expr) -> Value:
    return lowering.value_as(node, None)


def _walrus(lowering: FunctionLowering, node: ast.NamedExpr) -> Value:
    value = lowering.value(node.value)
    bind(lowering, node.target.id, value, lowering.span(node.target))
    lowering.reads.note(node.target, lowering.scope)
    return value


EXPRESSIONS: dict[type[ast.expr], Callable[[FunctionLowering, Any], Value]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _bool_op,
    ast.Compare: _compare,
    ast.IfExp: _conditional,
    ast.Call: calls.lower_call,
    ast.Subscript: subscripts.load,
    ast.Tuple: _literal_container,
    ast.List: _literal_container,
    ast.Dict: _literal_container,
    ast.Set: _literal_container,
    ast.ListComp: _literal_container,
    ast.DictComp: _literal_container,
    ast.SetComp: _literal_container,
    ast.NamedExpr: _walrus,
}

OPERATORS = {
    "add": "add", "sub": "sub", "mul": "mul", "div": "truediv", "floor_divide": "floordiv", "remainder": "mod",
    "pow": "pow",
    "matmul": "matmul", "bitwise_and": "and", "bitwise_or": "or", "bitwise_xor": "xor", "bitwise_left_shift": "lshift",
    "bitwise_right_shift": "rshift",
}  # fmt: skip
"""Operators and their special methods, without underscores."""


SPECIAL_UNARY = {"neg": "__neg__", "positive": "__pos__", "bitwise_not": "__invert__"}
