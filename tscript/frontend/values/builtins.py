"""Builtins of the language: `BUILTINS` maps a builtin object to what lowers its call."""

from __future__ import annotations

import ast
import itertools
import typing
import warnings
from collections.abc import Sequence
from typing import Any

from tscript.definitions.language import Generic
from tscript.diagnostics import Span
from tscript.frontend.diagnostics import errors, type_errors
from tscript.frontend.diagnostics.abandoned import Abandoned
from tscript.frontend.diagnostics.advice import defining, narrowing
from tscript.frontend.diagnostics.type_names import article
from tscript.frontend.lowering import iterables, ranges
from tscript.frontend.lowering.arguments import arguments, call_function, refuse_stars, values, wrong
from tscript.frontend.lowering.conversions import plain
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.hashes import hash_of
from tscript.frontend.lowering.instance_tests import instance_test
from tscript.frontend.lowering.method_calls import special_call
from tscript.frontend.lowering.names import static
from tscript.frontend.lowering.new_containers import make_list
from tscript.frontend.lowering.ranges import is_range
from tscript.frontend.lowering.refinement import classes_of
from tscript.frontend.lowering.unions import each
from tscript.frontend.source.classes import ClassSymbol
from tscript.frontend.source.functions import FunctionSymbol
from tscript.frontend.source.symbols import OperatorSymbol, Prange, PythonSymbol
from tscript.frontend.values import array_builtins, containers, unions, written_builtins
from tscript.frontend.values.attribute_builtins import get_attribute, has_attribute
from tscript.frontend.values.library_builtins import lower_cast, lower_repeat
from tscript.frontend.values.reductions import Handler, any_all, extremum, lower_sum
from tscript.frontend.values.representation import ascii_of, format_value, repr_of, str_of, str_of_expression
from tscript.frontend.values.sorting import sort
from tscript.frontend.values.warned import lower_warn
from tscript.ir.graph import Value
from tscript.operators.python.functions.containers import same
from tscript.operators.python.python_calls import FLUSH
from tscript.types import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    STR,
    CallableType,
    EnumType,
    ListType,
    UnionType,
)


def lower_builtin(lowering: FunctionLowering, node: ast.Call, symbol: PythonSymbol) -> Value:
    """The value of a call of a builtin."""

    handler = written_builtins.CALLS.get(symbol.value) or BUILTINS.get(symbol.value)
    if handler is None and isinstance(symbol.value, Generic):
        args = [lowering.value(a) for a in node.args]
        return call_function(lowering, symbol.value.function, args, lowering.span(node))
    if handler is None:
        name = getattr(symbol.value, "__name__", str(symbol.value))
        instead = _HELP.get(symbol.value, "leave it out, or do it in the caller")
        raise lowering.failure(errors.UnsupportedBuiltin(lowering.span(node.func), name, instead))
    return handler(lowering, node)


def _plain(name: str, low: int, high: int) -> Handler:
    """A builtin that is an operator of the same name, or the special method of an instance."""

    def lower(lowering: FunctionLowering, node: ast.Call) -> Value:
        found, span = values(lowering, node, name, low, high), lowering.span(node)
        own = special_call(lowering, found[0], f"__{name}__", found[1:], span)
        if own is not None:
            return own
        return lowering.apply(name, [plain(lowering, v, span) for v in found], span)

    return lower


def _hash(lowering: FunctionLowering, node: ast.Call) -> Value:
    """``hash(x)``."""
    (found,) = values(lowering, node, "hash", 1, 1)
    return hash_of(lowering, found, lowering.span(node))


def _same(lowering: FunctionLowering, node: ast.Call) -> Value:
    """``same(x, y)``, for functions written in the language."""
    left, right = values(lowering, node, "same", 2, 2)
    return unions.same_or_equal(lowering, left, right, lowering.span(node))


# ---- conversions


def _len(lowering: FunctionLowering, node: ast.Call) -> Value:
    span = lowering.span(node)
    if len(node.args) == 1 and isinstance(node.args[0], ast.Name | ast.Attribute):
        symbol = static(lowering, node.args[0])
        if isinstance(symbol, ClassSymbol) and isinstance(symbol.definition.type, EnumType):
            return lowering.const(len(symbol.definition.type.info.members), INT, span)

    (argument,) = arguments(lowering, node, "len", 1, 1)
    if isinstance(argument, ast.Call) and is_range(lowering, argument):
        return ranges.range_length(lowering, argument)
    viewed = iterables.viewed(lowering, argument)
    value = plain(lowering, lowering.value(argument), span) if viewed is None else viewed
    found = _length(lowering, value, span)
    if found is not None:
        return found
    instead = narrowing([value.type]) or defining(value.type, "__len__")
    instead = instead or "strings, lists, tuples, dicts, sets, tensors and shapes have a length"
    raise wrong(lowering, node, "len", f"does not take {article(value.type)}", instead)


def _length(lowering: FunctionLowering, value: Value, span: Span) -> Value | None:
    """``len(value)``; None if it has none."""
    length = lowering.kind(value).length
    found = None if length is None else length(lowering, value, span)
    if found is not None or not isinstance(value.type, UnionType):
        return found

    def of_member(known: Sequence[Value]) -> Value:
        made = _length(lowering, known[0], span)
        if made is None:
            raise Abandoned
        return made

    return each(lowering, [value], of_member, span)


def _bool(lowering: FunctionLowering, node: ast.Call) -> Value:
    found = values(lowering, node, "bool", 0, 1)
    span = lowering.span(node)
    return lowering.truth(found[0], span) if found else lowering.const(False, BOOL, span)


def _int(lowering: FunctionLowering, node: ast.Call) -> Value:
    keywords = {k.arg: k.value for k in node.keywords}
    if "base" in keywords and len(keywords) == 1:
        node = ast.copy_location(ast.Call(node.func, [*node.args, keywords["base"]], []), node)
    found = values(lowering, node, "int", 0, 2)
    span = lowering.span(node)
    if not found:
        return lowering.const(0, INT, span)
    text = found[0].constant
    if isinstance(text, str) and len(found) == 1:
        try:
            return lowering.constant(int(text), span)
        except ValueError:
            raise lowering.failure(type_errors.InvalidNumberString(span, text, "an int")) from None
    own = special_call(lowering, found[0], "__int__", [], span)
    if own is not None:
        return own
    return lowering.apply("int", [plain(lowering, v, span) for v in found], span)


def _float(lowering: FunctionLowering, node: ast.Call) -> Value:
    found = values(lowering, node, "float", 0, 1)
    span = lowering.span(node)
    if not found:
        return lowering.const(0.0, FLOAT, span)
    text = found[0].constant
    if isinstance(text, str):
        try:
            return lowering.const(float(text), FLOAT, span)
        except ValueError:
            raise lowering.failure(type_errors.InvalidNumberString(span, text, "a float")) from None
    own = special_call(lowering, found[0], "__float__", [], span)
    if own is not None:
        return own
    return lowering.apply("float", [plain(lowering, v, span) for v in found], span)


def _str(lowering: FunctionLowering, node: ast.Call) -> Value:
    found = arguments(lowering, node, "str", 0, 3)
    span = lowering.span(node)
    if len(found) > 1:
        return lowering.apply("decode", [lowering.value(a) for a in found], span)
    return _text(lowering, found[0]) if found else lowering.constant("", span)


def _text(lowering: FunctionLowering, node: ast.expr) -> Value:
    return str_of_expression(lowering, node, lambda value: str_of(lowering, value, lowering.span(node)))


def _repr(lowering: FunctionLowering, node: ast.Call) -> Value:
    (value,) = values(lowering, node, "repr", 1, 1)
    return repr_of(lowering, value, lowering.span(node))


def _ascii(lowering: FunctionLowering, node: ast.Call) -> Value:
    (value,) = values(lowering, node, "ascii", 1, 1)
    return ascii_of(lowering, value, lowering.span(node))


def _format(lowering: FunctionLowering, node: ast.Call) -> Value:
    found = values(lowering, node, "format", 1, 2)
    span = lowering.span(node)
    spec = found[1] if len(found) == 2 else lowering.constant("", span)
    return format_value(lowering, found[0], spec, span)


def _sorted(lowering: FunctionLowering, node: ast.Call) -> Value:
    span = lowering.span(node)
    plain = ast.copy_location(ast.Call(node.func, node.args, []), node)
    (argument,) = arguments(lowering, plain, "sorted", 1, 1)
    items = containers.list_of(lowering, argument, span)
    sort(lowering, node, items, "sorted")
    return items


def _round(lowering: FunctionLowering, node: ast.Call) -> Value:
    keywords = {k.arg: k.value for k in node.keywords}
    if "ndigits" in keywords and len(keywords) == 1:
        node = ast.copy_location(ast.Call(node.func, [*node.args, keywords["ndigits"]], []), node)
    found = values(lowering, node, "round", 1, 2)
    if len(found) == 2 and found[1].type == NONE:
        found = found[:1]
    made = array_builtins.rounded(lowering, found, lowering.span(node))
    return lowering.apply("round", found, lowering.span(node)) if made is None else made


def _divmod(lowering: FunctionLowering, node: ast.Call) -> Value:
    found, span = values(lowering, node, "divmod", 2, 2), lowering.span(node)
    own = special_call(lowering, found[0], "__divmod__", found[1:], span)
    made = array_builtins.pair(lowering, found, span) if own is None else own
    return lowering.apply("divmod", [plain(lowering, v, span) for v in found], span) if made is None else made


def _isinstance(lowering: FunctionLowering, node: ast.Call) -> Value:
    if len(node.args) != 2 or node.keywords:
        raise wrong(lowering, node, "isinstance", f"takes 2 arguments, {len(node.args) + len(node.keywords)} given")
    value, span = lowering.value(node.args[0]), lowering.span(node)
    classes = node.args[1]
    tests = [instance_test(lowering, value, written, span) for written in classes_of(classes)]
    out = tests[0]
    for test in tests[1:]:
        out = lowering.apply("bitwise_or", [out, test], span)
    return out


def _only_in_loops(name: str) -> Handler:
    def lower(lowering: FunctionLowering, node: ast.Call) -> Value:
        written = ast.unparse(node)
        instead = f"loop over it, or make a list: 'list({written})'"
        if name == "range":
            instead = f"loop over it: 'for i in {written}:', or make a list: 'list({written})'"
        raise lowering.failure(errors.UnsupportedBuiltin(lowering.span(node.func), name, instead))

    return lower


def _is_callable(lowering: FunctionLowering, node: ast.expr) -> bool:
    """Whether an expression can be called."""
    symbol = static(lowering, node)
    if symbol is None:
        return isinstance(lowering.value(node).type, CallableType)
    return isinstance(symbol, FunctionSymbol | OperatorSymbol | PythonSymbol)


def _callable(lowering: FunctionLowering, node: ast.Call) -> Value:
    (argument,) = arguments(lowering, node, "callable", 1, 1)
    return lowering.const(_is_callable(lowering, argument), BOOL, lowering.span(node))


def _print(lowering: FunctionLowering, node: ast.Call) -> Value:
    refuse_stars(lowering, node)
    span = lowering.span(node)
    settings = {"sep": lowering.constant(" ", span), "end": lowering.constant("\n", span)}
    texts = [_text(lowering, a) for a in node.args]
    flush: Value | None = None
    for keyword in node.keywords:
        if keyword.arg == "flush":
            flush = lowering.condition(keyword.value)
            continue
        if keyword.arg not in settings:
            raise wrong(
                lowering, keyword, "print", f"has no keyword '{keyword.arg}' here", "it takes 'sep', 'end' and 'flush'"
            )
        value = lowering.value(keyword.value)
        if value.type == NONE:
            continue
        if value.type != STR:
            raise wrong(lowering, keyword, "print", f"takes a str as '{keyword.arg}', not {article(value.type)}")
        settings[keyword.arg] = value
    lowering.apply("print", [join_strings(lowering, settings["sep"], texts, span, settings["end"])], span)
    if flush is not None:
        lowering.leaf(FLUSH, [flush], NONE, span)
    return lowering.constant(None, span)


def join_strings(lowering: FunctionLowering, sep: Value, texts: Sequence[Value], span: Span, end: Value) -> Value:
    """Strings with a separator between them and an end."""
    if not texts:
        return end
    if len(texts) == 1:
        return lowering.apply("add", [texts[0], end], span)
    joined = lowering.apply("join", [sep, make_list(lowering, ListType(STR), texts, span)], span)
    return lowering.apply("add", [joined, end], span)


BUILTINS: dict[Any, Handler] = {
    all: any_all("all", False),
    any: any_all("any", True),
    ascii: _ascii,
    bin: _plain("bin", 1, 1),
    bool: _bool,
    callable: _callable,
    chr: _plain("chr", 1, 1),
    dict: containers.call_dict,
    divmod: _divmod,
    enumerate: _only_in_loops("enumerate"),
    filter: _only_in_loops("filter"),
    float: _float,
    format: _format,
    getattr: get_attribute,
    hasattr: has_attribute,
    hash: _hash,
    hex: _plain("hex", 1, 1),
    int: _int,
    isinstance: _isinstance,
    len: _len,
    list: containers.call_list,
    map: _only_in_loops("map"),
    max: extremum("max", "maximum"),
    min: extremum("min", "minimum"),
    oct: _plain("oct", 1, 1),
    ord: _plain("ord", 1, 1),
    print: _print,
    Prange: _only_in_loops("prange"),
    range: _only_in_loops("range"),
    repr: _repr,
    reversed: _only_in_loops("reversed"),
    round: _round,
    same: _same,
    set: containers.call_set,
    sorted: _sorted,
    str: _str,
    sum: lower_sum,
    tuple: containers.call_tuple,
    zip: _only_in_loops("zip"),
    warnings.warn: lower_warn,
    typing.cast: lower_cast,
    itertools.repeat: lower_repeat,
}
"""What lowers the call of each builtin."""

_HELP: dict[Any, str] = {
    type: "use isinstance(x, T), or its name: type(x).__name__",
    setattr: "write the assignment: x.name = y",
    id: "compare with 'is'",
    input: "take the value as a parameter",
    open: "read the file in the caller, and pass its content",
    breakpoint: "leave it out; with TSCRIPT_DISABLE=1 in the environment functions run as plain Python, and it works",
    delattr: "attributes cannot be deleted: assign None instead",
    compile: "write the code itself",
    __import__: "import at the top of the module",
    iter: "loop over it with 'for'",
    next: "loop over it with 'for', or index it",
    frozenset: "use a set",
    eval: "write the expression itself",
    exec: "write the statements themselves",
    globals: "take the values as parameters",
    locals: "take the values as parameters",
    vars: "take the values as parameters",
    memoryview: "use bytes, or a tensor",
    bytearray: "use bytes, or a list of ints",
    super: "call it in a method of a class that has a base",
}
