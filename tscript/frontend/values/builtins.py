"""Builtins of the language: `BUILTINS` maps a builtin object to what lowers its call."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from tscript.abi.python import PYTHON
from tscript.diagnostics import Span
from tscript.frontend.diagnostics import container_errors, errors, type_errors
from tscript.frontend.diagnostics.advice import defining, narrowing
from tscript.frontend.diagnostics.type_names import article, shown
from tscript.frontend.lowering import holding, iterables, ranges, sources
from tscript.frontend.lowering.arguments import arguments, call_function, refuse_stars, values, wrong
from tscript.frontend.lowering.arithmetic import binary
from tscript.frontend.lowering.branches import join_values
from tscript.frontend.lowering.calls import function_value
from tscript.frontend.lowering.conversions import plain
from tscript.frontend.lowering.function import FunctionLowering, Source
from tscript.frontend.lowering.hashes import hash_of
from tscript.frontend.lowering.hidden import fresh_hidden, hidden_value
from tscript.frontend.lowering.holding import collect
from tscript.frontend.lowering.instance_tests import instance_test
from tscript.frontend.lowering.iteration import Range, Unrolled
from tscript.frontend.lowering.kinds import Run
from tscript.frontend.lowering.merging import when
from tscript.frontend.lowering.method_calls import special_call
from tscript.frontend.lowering.names import static
from tscript.frontend.lowering.new_containers import make_list
from tscript.frontend.lowering.probing import probe
from tscript.frontend.lowering.ranges import is_range
from tscript.frontend.lowering.refinement import classes_of
from tscript.frontend.lowering.scopes import Bound
from tscript.frontend.lowering.tuples import tuple_elements
from tscript.frontend.source.classes import ClassSymbol
from tscript.frontend.source.functions import FunctionSymbol
from tscript.frontend.source.symbols import OperatorSymbol, PythonSymbol
from tscript.frontend.values import containers, sorting, unions, written_builtins
from tscript.frontend.values.representation import format_value, repr_of, str_of, str_of_expression
from tscript.frontend.values.rounding import Rounding
from tscript.frontend.values.sorting import sort
from tscript.ir.graph import Raise, Value
from tscript.operators.core.language import Generic
from tscript.operators.python.functions.containers import same
from tscript.operators.python.python_calls import FLUSH
from tscript.types import (
    BOOL,
    COMPLEX,
    FLOAT,
    INT,
    NEVER,
    NONE,
    NUMBER,
    STR,
    CallableType,
    EnumType,
    ListType,
    TensorType,
    TupleType,
    Type,
    UnionType,
    members_of,
    union,
)
from tscript.types.inference import is_open

Handler = Callable[["FunctionLowering", ast.Call], Value]


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
    length = lowering.kind(value).length
    found = None if length is None else length(lowering, value, span)
    if found is not None:
        return found
    instead = narrowing([value.type]) or defining(value.type, "__len__")
    instead = instead or "strings, lists, tuples, dicts, sets, tensors and shapes have a length"
    raise wrong(lowering, node, "len", f"does not take {article(value.type)}", instead)


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


# ---- reductions


def _any_all(name: str, stops: bool) -> Handler:
    def lower(lowering: FunctionLowering, node: ast.Call) -> Value:
        (argument,) = arguments(lowering, node, name, 1, 1)
        span = lowering.span(node)
        if not isinstance(argument, ast.GeneratorExp) and not iterables.is_iterator(lowering, argument):
            value = lowering.value(argument)
            if isinstance(value.type, TensorType):
                return lowering.apply(name, [value], span)
            if is_open(value.type):
                lowering.settle(value, ListType(BOOL))
            source = sources.value_source(lowering, value, argument)
        else:
            source = sources.source_of(lowering, argument)
        found = fresh_hidden(lowering)
        lowering.scope[found] = Bound(lowering.const(not stops, BOOL, span), span)

        def each(x: Value) -> None:
            def stop() -> None:
                lowering.scope[found] = Bound(lowering.const(stops, BOOL, span), span)
                if depth < len(lowering.loops):
                    lowering.loops[depth].exits.leave(lowering, span)

            holds = lowering.truth(x, span)
            when(lowering, holds if stops else lowering.apply("not", [holds], span), stop, span)

        depth = len(lowering.loops)
        run = Run({found: lowering.function.tree}, span, (), True, True)
        source.run(lowering, each, run)
        out = hidden_value(lowering, found)
        del lowering.scope[found]
        return out

    return lower


def _sum(lowering: FunctionLowering, node: ast.Call) -> Value:
    keywords = {k.arg: k.value for k in node.keywords}
    if "start" in keywords and len(keywords) == 1:
        node = ast.copy_location(ast.Call(node.func, [*node.args, keywords["start"]], []), node)
    found = arguments(lowering, node, "sum", 1, 2)
    span = lowering.span(node)
    if not iterables.is_iterator(lowering, found[0]):
        value = lowering.value(found[0])
        if isinstance(value.type, TensorType) and len(found) == 1:
            return lowering.apply("sum", [value], span)
        if is_open(value.type):
            lowering.settle(value, ListType(INT))
        source = sources.value_source(lowering, value, found[0])
    else:
        source = sources.source_of(lowering, found[0])
    start = lowering.value(found[1]) if len(found) == 2 else lowering.const(0, INT, span)
    if start.type == STR:
        raise wrong(lowering, node, "sum", "does not join strings", "write ''.join(...)")
    return fold(lowering, source, start, node)


def fold(lowering: FunctionLowering, source: Source, start: Value, node: ast.AST) -> Value:
    """The sum of a start value and the elements of a source. Its type is that of the elements if they are wider."""

    span = lowering.span(node)
    total = fresh_hidden(lowering)
    wanted = _sum_type(lowering, source, start, span)
    first = start if wanted is None else lowering.coerce(start, wanted, span)
    lowering.scope[total] = Bound(start if first is None else first, span)
    rounding = Rounding(lowering, start, span) if PYTHON >= 312 and FLOAT in (start.type, wanted) else None

    def each(x: Value) -> None:
        if x.type == STR:
            raise wrong(lowering, node, "sum", "does not join strings", "write ''.join(...)")
        out = binary(lowering, ast.Add(), hidden_value(lowering, total), x, node)
        before = hidden_value(lowering, total)
        held = before.type
        made = lowering.coerce(out, held, span)
        if made is None:
            raise lowering.failure(container_errors.SumType(span, shown(held), shown(out.type)))
        if rounding is not None and x.type == FLOAT:
            rounding.add(before, x, made)
        lowering.scope[total] = Bound(made, span)

    carried = [total, *(() if rounding is None else rounding.names)]
    source.run(lowering, each, Run(dict.fromkeys(carried, lowering.function.tree), span))
    out = hidden_value(lowering, total)
    del lowering.scope[total]
    return out if rounding is None else rounding.put_back(out)


def _sum_type(lowering: FunctionLowering, source: Source, start: Value, span: Span) -> Type | None:
    """The type of a sum, found by trial lowering of one element into a discarded block."""
    if isinstance(source, Range) or start.type not in (INT, BOOL):
        return None
    found = probe(lowering, source, span)
    if found == NUMBER:
        return NUMBER
    if isinstance(found, UnionType) and set(members_of(found)) <= {INT, FLOAT, BOOL}:
        return union([INT, FLOAT]) if FLOAT in members_of(found) else INT
    return found if found in (FLOAT, COMPLEX, INT) or isinstance(found, TensorType) else INT


def _extremum(name: str, tensor_name: str) -> Handler:
    """``min`` and ``max`` of several values or of an iterable, with ``key`` and ``default``."""

    def lower(lowering: FunctionLowering, node: ast.Call) -> Value:
        span = lowering.span(node)
        refuse_stars(lowering, node)
        keywords = {k.arg: k.value for k in node.keywords}
        unknown = [k for k in node.keywords if k.arg not in ("key", "default")]
        if unknown:
            raise wrong(lowering, unknown[0], name, f"has no keyword '{unknown[0].arg}'")
        if not node.args:
            raise wrong(lowering, node, name, "takes 1 or more arguments, 0 given")
        key = keywords.get("key")
        if len(node.args) > 1:
            found = _numbers(lowering, node.args)
            source: Source = Unrolled(found)
            if key is None and all(v.type in (INT, FLOAT, BOOL) for v in found):
                out = found[0]
                for value in found[1:]:
                    out = lowering.apply(name, [out, value], span)
                return out
        elif iterables.is_iterator(lowering, node.args[0]):
            source = sources.source_of(lowering, node.args[0])
        else:
            value = lowering.value(node.args[0])
            if isinstance(value.type, TensorType) and key is None:
                raise wrong(
                    lowering, node.args[0], name, f"does not take {article(value.type)}",
                    f"it takes two or more numbers; for tensors use x.{name}() or tscript.{tensor_name}(x, y)",
                )  # fmt: skip
            if isinstance(value.type, TupleType) and value.type.elements and key is None:
                parts = tuple_elements(lowering, value, span)
                if all(p.type in (INT, FLOAT, BOOL) for p in parts):
                    out = parts[0]
                    for part in parts[1:]:
                        out = lowering.apply(name, [out, part], span)
                    return out
            source = sources.value_source(lowering, value, node.args[0])
        items, keys = _with_keys(lowering, source, node, key)
        if is_open(items.type):
            nothing = container_errors.nothing_said([items], span)
            assert nothing is not None
            raise lowering.failure(nothing)
        return _choose(lowering, name, node, items, keys, keywords.get("default"))

    return lower


def _numbers(lowering: FunctionLowering, nodes: Sequence[ast.expr]) -> list[Value]:
    """The values; if one of several numbers is a union, all are converted to the union of their types."""
    found = [lowering.value(node) for node in nodes]
    if not any(isinstance(value.type, UnionType) for value in found):
        return found
    wide = union([value.type for value in found])
    if not {*members_of(wide)} <= {INT, FLOAT, BOOL}:
        return found
    return [lowering.coerce(v, wide, lowering.span(node)) or v for v, node in zip(found, nodes, strict=True)]


def _with_keys(lowering: FunctionLowering, source: Source, node: ast.Call, key: ast.expr | None) -> tuple[Value, Value]:
    """The elements of a source and their keys. Each key is computed before the source advances, so a key function that
    changes the container affects the rest of the iteration."""
    argument = node.args[0]
    if key is None or (isinstance(key, ast.Constant) and key.value is None):
        items = collect(lowering, source, argument)
        return items, items
    function = function_value(lowering, key)
    span = lowering.span(node)
    items, keys = (make_list(lowering, ListType(NEVER), [], span) for _ in range(2))

    def each(x: Value) -> None:
        holding.append(lowering, items, x, argument)
        if x.type != NEVER:
            holding.append(lowering, keys, function([x], span), key)

    holding.run_into(lowering, source, each, argument)
    return items, keys


def _choose(
    lowering: FunctionLowering, name: str, node: ast.Call, items: Value, keys: Value, default: ast.expr | None
) -> Value:
    """The element of a list with the least or greatest key, or the default of an empty list."""
    span = lowering.span(node)
    assert isinstance(items.type, ListType)
    empty = lowering.apply("not", [lowering.truth(items, span)], span)
    if default is None:
        failing = Raise("ValueError", f"{name}() {EMPTY}", (), span)
        when(lowering, empty, lambda: lowering.block.nodes.append(failing), span)
        return _extreme(lowering, name, items, keys, span)
    wanted = items.type.element
    then = lowering.branch(lambda: lowering.value_as(default, wanted))
    orelse = lowering.branch(lambda: _extreme(lowering, name, items, keys, span))
    return join_values(lowering, empty, then, orelse, node)


def _extreme(lowering: FunctionLowering, name: str, items: Value, keys: Value, span: Span) -> Value:
    place = sorting.extreme(lowering, name, keys, span)
    if place is None:
        place = lowering.apply(f"arg{name}", [keys], span)
    return lowering.apply("getitem", [items, place], span)


def _round(lowering: FunctionLowering, node: ast.Call) -> Value:
    keywords = {k.arg: k.value for k in node.keywords}
    if "ndigits" in keywords and len(keywords) == 1:
        node = ast.copy_location(ast.Call(node.func, [*node.args, keywords["ndigits"]], []), node)
    found = values(lowering, node, "round", 1, 2)
    if len(found) == 2 and found[1].type == NONE:
        found = found[:1]
    return lowering.apply("round", found, lowering.span(node))


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


EMPTY = "iterable argument is empty" if PYTHON >= 312 else "arg is an empty sequence"
"""The message of this Python version for an empty argument."""

BUILTINS: dict[Any, Handler] = {
    all: _any_all("all", False),
    any: _any_all("any", True),
    ascii: _plain("ascii", 1, 1),
    bin: _plain("bin", 1, 1),
    bool: _bool,
    callable: _callable,
    chr: _plain("chr", 1, 1),
    dict: containers.call_dict,
    divmod: _plain("divmod", 2, 2),
    enumerate: _only_in_loops("enumerate"),
    filter: _only_in_loops("filter"),
    float: _float,
    format: _format,
    hash: _hash,
    hex: _plain("hex", 1, 1),
    int: _int,
    isinstance: _isinstance,
    len: _len,
    list: containers.call_list,
    map: _only_in_loops("map"),
    max: _extremum("max", "maximum"),
    min: _extremum("min", "minimum"),
    oct: _plain("oct", 1, 1),
    ord: _plain("ord", 1, 1),
    print: _print,
    range: _only_in_loops("range"),
    repr: _repr,
    reversed: _only_in_loops("reversed"),
    round: _round,
    same: _same,
    set: containers.call_set,
    sorted: _sorted,
    str: _str,
    sum: _sum,
    tuple: containers.call_tuple,
    zip: _only_in_loops("zip"),
}
"""What lowers the call of each builtin."""

_HELP: dict[Any, str] = {
    type: "use isinstance(x, T), or its name: type(x).__name__",
    getattr: "write the attribute: x.name",
    setattr: "write the assignment: x.name = y",
    hasattr: "types are known when the function is compiled: leave it out",
    id: "compare with 'is'",
    input: "take the value as a parameter",
    open: "read the file in the caller, and pass its content",
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
