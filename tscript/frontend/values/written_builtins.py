"""Calls of builtins that are written in the language itself (`tscript.operators.python.functions`)."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any

from tscript.frontend.diagnostics.type_names import article
from tscript.frontend.lowering import iterables, sources
from tscript.frontend.lowering.arguments import (
    Function,
    arguments,
    call_as_written,
    call_function,
    refuse_stars,
    values,
    wrong,
)
from tscript.frontend.lowering.conversions import plain
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.holding import collect
from tscript.frontend.lowering.iteration import Items, Mapped
from tscript.frontend.lowering.method_calls import special_call
from tscript.frontend.lowering.names import static
from tscript.frontend.source.symbols import PythonSymbol
from tscript.frontend.values import containers
from tscript.frontend.values.numbers import NUMBERS, complex_binary
from tscript.ir.graph import Value
from tscript.operators.python.functions import (
    byte_strings,
    complex_numbers,
    floats,
    ints,
    mathematics,
    strings,
)
from tscript.types import (
    BOOL,
    BYTES,
    COMPLEX,
    FLOAT,
    INT,
    NONE,
    STR,
    DictType,
    ListType,
    SetType,
    SizeType,
    TupleType,
    Type,
    optional,
)

# ---- complex


def _complex(lowering: FunctionLowering, node: ast.Call) -> Value:
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


def _abs(lowering: FunctionLowering, node: ast.Call) -> Value:
    (given,) = values(lowering, node, "abs", 1, 1)
    own = special_call(lowering, given, "__abs__", [], lowering.span(node))
    if own is not None:
        return own
    value = plain(lowering, given, lowering.span(node))
    span = lowering.span(node)
    if value.type == COMPLEX:
        return call_function(lowering, complex_numbers.complex_abs, [value], span)
    return lowering.apply("abs", [value], span)


def _pow(lowering: FunctionLowering, node: ast.Call) -> Value:
    found = values(lowering, node, "pow", 2, 3)
    span = lowering.span(node)
    if len(found) == 2:
        made = complex_binary(lowering, "pow", found[0], found[1], span)
        if made is not None:
            return made
    return lowering.apply("pow", found, span)


# ---- methods and attributes of numbers


# ---- functions of types: int.from_bytes, str.upper


def type_call(lowering: FunctionLowering, node: ast.Call) -> Value | None:
    """``str.upper(s)``, ``dict.fromkeys(keys)``: a method of a builtin type by the name of the type; None for any other
    call."""
    symbol = static(lowering, node.func.value) if isinstance(node.func, ast.Attribute) else None
    if not isinstance(symbol, PythonSymbol) or symbol.value not in OWNERS:
        return None
    owner = symbol.value
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


def _of(function: Function, name: str) -> Callable[[FunctionLowering, ast.Call], Value]:
    return lambda lowering, node: call_as_written(lowering, node, function, (), name)


def _fromkeys(lowering: FunctionLowering, node: ast.Call) -> Value:
    args = arguments(lowering, node, "dict.fromkeys", 1, 2)
    span = lowering.span(node)
    keys = containers.list_of(lowering, args[0], span)
    value = lowering.value(args[1]) if len(args) == 2 else lowering.constant(None, span)
    return lowering.apply("fromkeys", [keys, value], span)


def _maketrans(lowering: FunctionLowering, node: ast.Call) -> Value:
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
        return call_function(lowering, strings.table_of_optional_strings, found, span, "str.maketrans")
    return call_function(lowering, strings.table_of_strings, found, span, "str.maketrans")


_OF_TYPES: dict[tuple[Any, str], Callable[[FunctionLowering, ast.Call], Value]] = {
    (int, "from_bytes"): _of(ints.from_bytes, "int.from_bytes"),
    (float, "fromhex"): _of(floats.float_from_hex, "float.fromhex"),
    (bytes, "fromhex"): _of(byte_strings.bytes_from_hex, "bytes.fromhex"),
    (dict, "fromkeys"): _fromkeys,
    (str, "maketrans"): _maketrans,
}


# ---- methods of strings


def _bytes(lowering: FunctionLowering, node: ast.Call) -> Value:
    args = arguments(lowering, node, "bytes", 0, 3)
    span = lowering.span(node)
    if not args:
        return lowering.constant(b"", span)
    if not iterables.is_iterator(lowering, args[0]):
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
    items = collect(lowering, source, args[0])
    lowering.settle(items, ListType(INT))
    if items.type != ListType(INT):
        raise wrong(lowering, node, "bytes", f"takes ints, not {article(items.type)}")
    return lowering.apply("bytes", [items], span)


# ---- math


def _numbers(lowering: FunctionLowering, node: ast.expr, name: str, wanted: Type | None = None) -> Value:
    """A list of the numbers of an iterable."""
    items = containers.list_of(lowering, node, lowering.span(node))
    lowering.settle(items, ListType(wanted or INT))
    return as_list_of(lowering, items, wanted, node, name)


def as_list_of(lowering: FunctionLowering, items: Value, wanted: Type | None, node: ast.expr, name: str) -> Value:
    """A list of numbers, all of a wanted type (ints and floats stay as they are without one)."""
    assert isinstance(items.type, ListType)
    element = items.type.element
    if element not in NUMBERS:
        raise wrong(lowering, node, name, f"takes numbers, not {article(element)}")
    target = wanted or (INT if element == BOOL else element)
    if target == element:
        return items
    source = Mapped(Items(items, "getitem", False), lambda x: _as(lowering, x, target, node))
    return collect(lowering, source, node)


def _as(lowering: FunctionLowering, value: Value, target: Type, node: ast.expr) -> Value:
    found = lowering.coerce(value, target, lowering.span(node))
    if found is None:
        raise wrong(lowering, node, str(target), f"takes numbers, not {article(value.type)}")
    return found


def _prod(lowering: FunctionLowering, node: ast.Call) -> Value:
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


def _over_floats(function: Function, name: str, count: int = 1) -> Callable[[FunctionLowering, ast.Call], Value]:
    def lower(lowering: FunctionLowering, node: ast.Call) -> Value:
        args = arguments(lowering, node, name, count, count)
        lists = [_numbers(lowering, a, name, FLOAT) for a in args]
        return call_function(lowering, function, lists, lowering.span(node), name)

    return lower


def _hypot(lowering: FunctionLowering, node: ast.Call) -> Value:
    if len(node.args) == 2:
        return lowering.apply("math_hypot", values(lowering, node, "math.hypot", 2, 2), lowering.span(node))
    literal = ast.copy_location(ast.List(list(node.args), ast.Load()), node)
    return call_function(
        lowering, mathematics.hypot, [_numbers(lowering, literal, "math.hypot", FLOAT)], lowering.span(node)
    )


def _chained(name: str, start: int) -> Callable[[FunctionLowering, ast.Call], Value]:
    def lower(lowering: FunctionLowering, node: ast.Call) -> Value:
        span = lowering.span(node)
        found = values(lowering, node, name.replace("_", "."), 0, 1000)
        if len(found) < 2:
            found = [*found, *(lowering.constant(start, span) for _ in range(2 - len(found)))]
        out = found[0]
        for value in found[1:]:
            out = lowering.apply(name, [out, value], span)
        return out

    return lower


def _perm(lowering: FunctionLowering, node: ast.Call) -> Value:
    found = values(lowering, node, "math.perm", 1, 2)
    if len(found) == 1 or found[1].type == NONE:
        return lowering.apply("math_factorial", [found[0]], lowering.span(node))
    return call_function(lowering, mathematics.perm, found, lowering.span(node), "math.perm")


def _simple(function: Function, name: str, count: int) -> Callable[[FunctionLowering, ast.Call], Value]:
    def lower(lowering: FunctionLowering, node: ast.Call) -> Value:
        found = values(lowering, node, name, count, count)
        return call_function(lowering, function, found, lowering.span(node), name)

    return lower


CALLS: dict[Any, Callable[[FunctionLowering, ast.Call], Value]] = {
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
"""What lowers the call of each builtin of this module."""


# ---- ranges


# ---- tensors
