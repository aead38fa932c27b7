"""Calls of builtins that are written in the language itself (`tscript.operators.python.functions`)."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tscript.diagnostics import Span
from tscript.frontend.diagnostics.type_names import article
from tscript.frontend.lowering import sources
from tscript.frontend.lowering.arguments import (
    Function,
    arguments,
    call_as_written,
    call_function,
    refuse_stars,
    values,
    wrong,
)
from tscript.frontend.lowering.iteration import Items, Mapped
from tscript.frontend.values import containers, enums
from tscript.frontend.values.conversions import by_member
from tscript.ir.graph import Value
from tscript.operators.python.functions import (
    byte_strings,
    complex_numbers,
    floats,
    ints,
    mathematics,
    ranges,
    strings,
    tensor_lists,
)
from tscript.types import (
    BOOL,
    BYTES,
    COMPLEX,
    DTYPE,
    FLOAT,
    INT,
    NONE,
    NUMBER,
    STR,
    DictType,
    ListType,
    OptionalType,
    SetType,
    SizeType,
    TensorType,
    TupleType,
    Type,
    UnionType,
    dtypes,
    optional,
)

if TYPE_CHECKING:
    from tscript.frontend.language import LanguageLowering

NUMBERS = (BOOL, INT, FLOAT)


# ---- complex

_COMPLEX_SIGNS: dict[str, Function] = {
    "add": complex_numbers.complex_add,
    "sub": complex_numbers.complex_sub,
    "mul": complex_numbers.complex_mul,
    "div": complex_numbers.complex_div,
    "pow": complex_numbers.complex_pow,
}


def complex_binary(lowering: LanguageLowering, name: str, left: Value, right: Value, span: Span) -> Value | None:
    """An operator of which one operand is a complex number and the other a number; None for anything else."""
    types = (left.type, right.type)
    function = _COMPLEX_SIGNS.get(name)
    if COMPLEX not in types or function is None or not all(t == COMPLEX or t in NUMBERS for t in types):
        return None
    return call_function(lowering, function, [left, right], span)


def complex_unary(lowering: LanguageLowering, name: str, value: Value, span: Span) -> Value | None:
    """``-x`` and ``+x`` of a complex number; None for anything else."""
    if value.type != COMPLEX:
        return None
    if name == "neg":
        constant = value.constant
        if isinstance(constant, complex):
            return lowering.constant(-constant, span)
        return call_function(lowering, complex_numbers.complex_neg, [value], span)
    return value if name == "positive" else None


def complex_equal(lowering: LanguageLowering, left: Value, right: Value, span: Span) -> tuple[Value, Value]:
    """Two numbers that are compared, both complex if one is."""
    if COMPLEX in (left.type, right.type):
        a, b = lowering.coerce(left, COMPLEX, span), lowering.coerce(right, COMPLEX, span)
        if a is not None and b is not None:
            return a, b
    return left, right


def _complex(lowering: LanguageLowering, node: ast.Call) -> Value:
    keywords = {k.arg: k.value for k in node.keywords}
    if keywords and not node.args and set(keywords) <= {"real", "imag"}:
        parts: list[ast.expr] = [keywords.get("real", ast.Constant(0.0)), keywords.get("imag", ast.Constant(0.0))]
        node = ast.copy_location(ast.Call(node.func, [ast.copy_location(p, node) for p in parts], []), node)
    found = values(lowering, node, "complex", 0, 2)
    span = lowering.span(node)
    if not found:
        return lowering.constant(0j, span)
    if len(found) == 1 and found[0].type == COMPLEX:
        return found[0]
    if len(found) == 1 and found[0].type == STR:
        return call_function(lowering, complex_numbers.complex_parsed, found, span, "complex")
    if COMPLEX in [v.type for v in found] and len(found) == 2:
        turned = call_function(
            lowering, complex_numbers.complex_mul, [found[1], lowering.constant(1j, span)], span, "complex"
        )
        return call_function(lowering, complex_numbers.complex_add, [found[0], turned], span, "complex")
    return lowering.apply("complex", found, span)


def _abs(lowering: LanguageLowering, node: ast.Call) -> Value:
    (given,) = values(lowering, node, "abs", 1, 1)
    own = lowering.special_method(given, "__abs__", [], lowering.span(node))
    if own is not None:
        return own
    value = enums.plain(lowering, given, lowering.span(node))
    span = lowering.span(node)
    if value.type == COMPLEX:
        return call_function(lowering, complex_numbers.complex_abs, [value], span)
    return lowering.apply("abs", [value], span)


def _pow(lowering: LanguageLowering, node: ast.Call) -> Value:
    found = values(lowering, node, "pow", 2, 3)
    span = lowering.span(node)
    if len(found) == 2:
        made = complex_binary(lowering, "pow", found[0], found[1], span)
        if made is not None:
            return made
    return lowering.apply("pow", found, span)


# ---- methods and attributes of numbers

_METHODS: dict[tuple[Type, str], Function] = {
    (INT, "bit_length"): ints.bit_length,
    (INT, "bit_count"): ints.bit_count,
    (INT, "to_bytes"): ints.to_bytes,
    (INT, "as_integer_ratio"): ints.int_ratio,
    (FLOAT, "is_integer"): floats.is_whole,
    (FLOAT, "as_integer_ratio"): floats.float_ratio,
    (FLOAT, "hex"): floats.float_hex,
    (COMPLEX, "conjugate"): complex_numbers.complex_conjugate,
}


def number_method(lowering: LanguageLowering, node: ast.Call, receiver: Value) -> Value | None:
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


def number_methods(type: Type) -> list[str]:
    """The names of the methods of a type of numbers."""
    wanted = INT if type == BOOL else type
    return [name for known, name in _METHODS if known == wanted]


def number_attribute(lowering: LanguageLowering, value: Value, name: str, span: Span) -> Value | None:
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


# ---- functions of types: int.from_bytes, str.upper


def type_call(lowering: LanguageLowering, node: ast.Call, owner: Any) -> Value:
    """``str.upper(s)``, ``dict.fromkeys(keys)``: a method of a builtin type by the name of the type."""
    assert isinstance(node.func, ast.Attribute)
    handler = _OF_TYPES.get((owner, node.func.attr))
    if handler is not None:
        refuse_stars(lowering, node)
        return handler(lowering, node)
    if not node.args or isinstance(node.args[0], ast.Starred):
        raise wrong(lowering, node, f"{owner.__name__}.{node.func.attr}", "takes the value first")
    function = ast.copy_location(ast.Attribute(node.args[0], node.func.attr, ast.Load()), node.func)
    return lowering.value(ast.copy_location(ast.Call(function, node.args[1:], node.keywords), node))


OWNERS = frozenset({str, bytes, int, float, complex, bool, list, dict, set, tuple})
"""The types whose methods are called by the name of the type."""


def _of(function: Function, name: str) -> Callable[[LanguageLowering, ast.Call], Value]:
    return lambda lowering, node: call_as_written(lowering, node, function, (), name)


def _fromkeys(lowering: LanguageLowering, node: ast.Call) -> Value:
    args = arguments(lowering, node, "dict.fromkeys", 1, 2)
    span = lowering.span(node)
    keys = containers.list_of(lowering, args[0], span)
    value = lowering.value(args[1]) if len(args) == 2 else lowering.constant(None, span)
    return lowering.apply("fromkeys", [keys, value], span)


def _maketrans(lowering: LanguageLowering, node: ast.Call) -> Value:
    found = values(lowering, node, "str.maketrans", 1, 3)
    span = lowering.span(node)
    if len(found) == 3:
        return call_function(lowering, strings.make_table_without, found, span, "str.maketrans")
    if len(found) == 2:
        return call_function(lowering, strings.make_table, found, span, "str.maketrans")
    given = found[0].type
    if isinstance(given, DictType) and given.key == INT:
        return found[0]
    if given == DictType(STR, optional(STR)):
        return call_function(lowering, strings.table_of_some_texts, found, span, "str.maketrans")
    return call_function(lowering, strings.table_of_texts, found, span, "str.maketrans")


_OF_TYPES: dict[tuple[Any, str], Callable[[LanguageLowering, ast.Call], Value]] = {
    (int, "from_bytes"): _of(ints.from_bytes, "int.from_bytes"),
    (float, "fromhex"): _of(floats.float_from_hex, "float.fromhex"),
    (bytes, "fromhex"): _of(byte_strings.bytes_from_hex, "bytes.fromhex"),
    (dict, "fromkeys"): _fromkeys,
    (str, "maketrans"): _maketrans,
}


# ---- methods of texts

_TRANSLATE: dict[Type, Function] = {
    INT: strings.translate_points,
    optional(INT): strings.translate_some_points,
    STR: strings.translate_texts,
    optional(STR): strings.translate_some_texts,
}


def translate(lowering: LanguageLowering, node: ast.Call, receiver: Value) -> Value:
    """``text.translate(table)``."""
    (table,) = values(lowering, node, "str.translate", 1, 1)
    held = table.type.value if isinstance(table.type, DictType) else NONE
    function = _TRANSLATE.get(held, strings.translate_points)
    return call_function(lowering, function, [receiver, table], lowering.span(node), "str.translate")


def starts_or_ends(
    function: Function, bytes_function: Function
) -> Callable[[LanguageLowering, ast.Call, Value], Value]:
    """``text.startswith(texts, start, end)``, where there may be several texts."""

    def lower(lowering: LanguageLowering, node: ast.Call, receiver: Value) -> Value:
        assert isinstance(node.func, ast.Attribute)
        name, span = node.func.attr, lowering.span(node)
        found = values(lowering, node, f"{receiver.type}.{name}", 1, 3)
        if not isinstance(found[0].type, TupleType | ListType):
            return lowering.apply(name, [receiver, *found], span)
        bounds = [*found[1:], *[lowering.constant(None, span)] * (3 - len(found))]
        chosen = bytes_function if receiver.type == BYTES else function
        return call_function(lowering, chosen, [receiver, found[0], *bounds], span, f"{receiver.type}.{name}")

    return lower


def byte_found(lowering: LanguageLowering, node: ast.Call, receiver: Value) -> Value | None:
    """``data.find(65)`` and the like, where an int stands for one byte; None for any other argument."""
    assert isinstance(node.func, ast.Attribute)
    if not node.args or lowering.type_of_expression(node.args[0]) not in (INT, BOOL):
        return None
    found = values(lowering, node, f"bytes.{node.func.attr}", 1, 3)
    span = lowering.span(node)
    items = lowering.make_list(ListType(INT), found[:1], span)
    return lowering.apply(node.func.attr, [receiver, lowering.apply("bytes", [items], span), *found[1:]], span)


def bytes_hex(lowering: LanguageLowering, node: ast.Call, receiver: Value) -> Value | None:
    """``data.hex(separator)``; None without one."""
    if not node.args:
        return None
    found = values(lowering, node, "bytes.hex", 1, 1)
    return call_function(lowering, byte_strings.hex_with, [receiver, *found], lowering.span(node), "bytes.hex")


def _bytes(lowering: LanguageLowering, node: ast.Call) -> Value:
    args = arguments(lowering, node, "bytes", 0, 3)
    span = lowering.span(node)
    if not args:
        return lowering.constant(b"", span)
    if not sources.is_iterator(lowering, args[0]):
        value = lowering.value(args[0])
        if value.type == STR and len(args) > 1:
            return lowering.apply("encode", [value, *(lowering.value(a) for a in args[1:])], span)
        if value.type == BYTES and len(args) == 1:
            return value
        if value.type in (INT, BOOL) and len(args) == 1:
            return call_function(lowering, byte_strings.zero_bytes, [value], span, "bytes")
        if not isinstance(value.type, ListType | SetType | DictType | TupleType | SizeType) or len(args) > 1:
            problem = f"does not take {article(value.type)}"
            raise wrong(lowering, node, "bytes", problem, "give a list of ints, or a str and its encoding")
        source = sources.value_source(lowering, value, args[0])
    else:
        source = sources.source_of(lowering, args[0])
    items = lowering.collect(source, args[0])
    lowering.settle(items, ListType(INT))
    if items.type != ListType(INT):
        raise wrong(lowering, node, "bytes", f"takes ints, not {article(items.type)}")
    return lowering.apply("bytes", [items], span)


# ---- math


def _numbers(lowering: LanguageLowering, node: ast.expr, name: str, wanted: Type | None = None) -> Value:
    """A list of numbers of what a loop goes over."""
    items = containers.list_of(lowering, node, lowering.span(node))
    lowering.settle(items, ListType(wanted or INT))
    return as_list_of(lowering, items, wanted, node, name)


def as_list_of(lowering: LanguageLowering, items: Value, wanted: Type | None, node: ast.expr, name: str) -> Value:
    """A list of numbers, all of a wanted type (ints and floats stay as they are without one)."""
    assert isinstance(items.type, ListType)
    element = items.type.element
    if element not in NUMBERS:
        raise wrong(lowering, node, name, f"takes numbers, not {article(element)}")
    target = wanted or (INT if element == BOOL else element)
    if target == element:
        return items
    source = Mapped(Items(items, "getitem", False), lambda x: _as(lowering, x, target, node))
    return lowering.collect(source, node)


def _as(lowering: LanguageLowering, value: Value, target: Type, node: ast.expr) -> Value:
    found = lowering.coerce(value, target, lowering.span(node))
    if found is None:
        raise wrong(lowering, node, str(target), f"takes numbers, not {article(value.type)}")
    return found


def _prod(lowering: LanguageLowering, node: ast.Call) -> Value:
    start = [k.value for k in node.keywords if k.arg == "start"]
    plain = ast.copy_location(ast.Call(node.func, node.args, [k for k in node.keywords if k.arg != "start"]), node)
    (argument,) = arguments(lowering, plain, "math.prod", 1, 1)
    items = _numbers(lowering, argument, "math.prod")
    first = lowering.value(start[0]) if start else lowering.constant(1, lowering.span(node))
    assert isinstance(items.type, ListType)
    if FLOAT in (items.type.element, first.type):
        items = as_list_of(lowering, items, FLOAT, argument, "math.prod")
        return call_function(lowering, mathematics.prod_floats, [items, first], lowering.span(node), "math.prod")
    return call_function(lowering, mathematics.prod_ints, [items, first], lowering.span(node), "math.prod")


def _over_floats(function: Function, name: str, count: int = 1) -> Callable[[LanguageLowering, ast.Call], Value]:
    def lower(lowering: LanguageLowering, node: ast.Call) -> Value:
        args = arguments(lowering, node, name, count, count)
        lists = [_numbers(lowering, a, name, FLOAT) for a in args]
        return call_function(lowering, function, lists, lowering.span(node), name)

    return lower


def _hypot(lowering: LanguageLowering, node: ast.Call) -> Value:
    if len(node.args) == 2:
        return lowering.apply("math_hypot", values(lowering, node, "math.hypot", 2, 2), lowering.span(node))
    display = ast.copy_location(ast.List(list(node.args), ast.Load()), node)
    return call_function(
        lowering, mathematics.hypot, [_numbers(lowering, display, "math.hypot", FLOAT)], lowering.span(node)
    )


def _chained(name: str, start: int) -> Callable[[LanguageLowering, ast.Call], Value]:
    def lower(lowering: LanguageLowering, node: ast.Call) -> Value:
        span = lowering.span(node)
        found = values(lowering, node, name.replace("_", "."), 0, 1000)
        if len(found) < 2:
            found = [*found, *(lowering.constant(start, span) for _ in range(2 - len(found)))]
        out = found[0]
        for value in found[1:]:
            out = lowering.apply(name, [out, value], span)
        return out

    return lower


def _perm(lowering: LanguageLowering, node: ast.Call) -> Value:
    found = values(lowering, node, "math.perm", 1, 2)
    if len(found) == 1 or found[1].type == NONE:
        return lowering.apply("math_factorial", [found[0]], lowering.span(node))
    return call_function(lowering, mathematics.perm, found, lowering.span(node), "math.perm")


def _simple(function: Function, name: str, count: int) -> Callable[[LanguageLowering, ast.Call], Value]:
    def lower(lowering: LanguageLowering, node: ast.Call) -> Value:
        found = values(lowering, node, name, count, count)
        return call_function(lowering, function, found, lowering.span(node), name)

    return lower


CALLS: dict[Any, Callable[[LanguageLowering, ast.Call], Value]] = {
    abs: _abs,
    bytes: _bytes,
    complex: _complex,
    pow: _pow,
    math.comb: _simple(mathematics.comb, "math.comb", 2),
    math.dist: _over_floats(mathematics.dist, "math.dist", 2),
    math.frexp: _simple(floats.frexp, "math.frexp", 1),
    math.fsum: _over_floats(mathematics.fsum, "math.fsum"),
    math.gcd: _chained("math_gcd", 0),
    math.hypot: _hypot,
    math.lcm: _chained("math_lcm", 1),
    math.modf: _simple(floats.modf, "math.modf", 1),
    math.perm: _perm,
    math.prod: _prod,
}
"""What lowers the call of each builtin that is made of others."""


# ---- ranges


def in_range(lowering: LanguageLowering, item: Value, node: ast.Call) -> Value:
    """``item in range(...)``."""
    span = lowering.span(node)
    if isinstance(item.type, UnionType):
        return by_member(lowering, item, lambda member: in_range(lowering, member, node), BOOL, span)
    if item.type == FLOAT:
        return call_function(lowering, ranges.float_in_range, [item, *lowering.range_bounds(node)], span)
    if item.type not in (INT, BOOL):
        problem = f"holds ints, not {article(item.type)}"
        raise wrong(lowering, node, "range", problem, "compare it: 'start <= x < stop'")
    return call_function(lowering, ranges.in_range, [item, *lowering.range_bounds(node)], span)


def range_length(lowering: LanguageLowering, node: ast.Call) -> Value:
    """``len(range(...))``."""
    return call_function(lowering, ranges.range_length, list(lowering.range_bounds(node)), lowering.span(node))


def range_item(lowering: LanguageLowering, node: ast.Call, index: Value) -> Value:
    """``range(...)[index]``."""
    return call_function(
        lowering, ranges.range_item, [*lowering.range_bounds(node), index], lowering.span(node), "range"
    )


# ---- tensors

_TO_LIST: dict[Type, Function] = {
    ListType(FLOAT): tensor_lists.float_items,
    ListType(INT): tensor_lists.int_items,
    ListType(ListType(FLOAT)): tensor_lists.float_rows,
    ListType(ListType(INT)): tensor_lists.int_rows,
    ListType(ListType(ListType(FLOAT))): tensor_lists.float_blocks,
    ListType(ListType(ListType(INT))): tensor_lists.int_blocks,
}


def to_list(lowering: LanguageLowering, node: ast.Call, target: Type | None) -> Value | None:
    """``x.tolist()`` of a tensor where a type of list is declared; None for any other call."""
    if not isinstance(node.func, ast.Attribute) or node.func.attr != "tolist" or node.args or node.keywords:
        return None
    function = None if target is None else _TO_LIST.get(_inner(target))
    if function is None or lowering.static(node.func) is not None:
        return None
    receiver = lowering.value(node.func.value)
    if not isinstance(receiver.type, TensorType):
        return None
    return call_function(lowering, function, [receiver], lowering.span(node), "tolist")


def tensor_of(lowering: LanguageLowering, node: ast.Call) -> Value | None:
    """``torch.tensor(items)`` of a list that is no display; None for any other argument."""
    if len(node.args) != 1 or isinstance(node.args[0], ast.Starred | ast.Constant):
        return None
    if any(k.arg != "dtype" for k in node.keywords):
        return None
    span = lowering.span(node)
    if isinstance(node.args[0], ast.List | ast.Tuple):
        elements = [lowering.type_of_expression(e) for e in node.args[0].elts if not isinstance(e, ast.Starred)]
        if NUMBER not in elements or not all(e == NUMBER or e in NUMBERS for e in elements):
            return None
        listed = ast.copy_location(ast.List(node.args[0].elts, ast.Load()), node.args[0])
        return _tensor_of_numbers(lowering, lowering.value_as(listed, ListType(NUMBER)), node)
    found = lowering.type_of_expression(node.args[0])
    if not isinstance(found, ListType) or found.element not in (*NUMBERS, NUMBER):
        return None
    if found.element == NUMBER:
        return _tensor_of_numbers(lowering, lowering.value(node.args[0]), node)
    made = lowering.apply("list_tensor", [lowering.value(node.args[0])], span)
    if node.keywords:
        wanted = lowering.value(node.keywords[0].value)
    elif found.element == INT:
        return made
    else:
        wanted = lowering.const(dtypes.float32 if found.element == FLOAT else dtypes.bool_, DTYPE, span)
    return lowering.apply("to", [made, wanted], span)


def _tensor_of_numbers(lowering: LanguageLowering, items: Value, node: ast.Call) -> Value:
    """``torch.tensor(items)`` of a list of `NUMBER`: of floats where one is a float, else of ints where one is an
    int."""
    span = lowering.span(node)

    def of(body: Function, dtype: object) -> Value:
        made = lowering.apply("list_tensor", [call_function(lowering, body, [items], span)], span)
        return lowering.apply("to", [made, lowering.const(dtype, DTYPE, span)], span)

    def has(kind: int) -> Value:
        return call_function(lowering, tensor_lists.has_kind, [items, lowering.constant(kind, span)], span)

    def whole() -> Value:
        ints = lowering.branch(lambda: of(tensor_lists.ints_of, dtypes.int64))
        bools = lowering.branch(lambda: of(tensor_lists.ints_of, dtypes.bool_))
        return lowering.join_values(has(1), ints, bools, node)

    floats = lowering.branch(lambda: of(tensor_lists.floats_of, dtypes.float32))
    made = lowering.join_values(has(2), floats, lowering.branch(whole), node)
    if not node.keywords:
        return made
    return lowering.apply("to", [made, lowering.value(node.keywords[0].value)], span)


def of_size(lowering: LanguageLowering, size: Value, frozen: bool, span: Span) -> Value:
    """A shape as a list or tuple of ints."""
    items = call_function(lowering, tensor_lists.sizes_of, [size], span)
    return lowering.apply("to_tuple", [items], span) if frozen else items


def _inner(type: Type) -> Type:
    return type.value if isinstance(type, OptionalType) else type
