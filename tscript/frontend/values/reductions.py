"""Builtins that reduce an iterable: `any`, `all`, `sum`, `min`, `max`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from tscript.abi.python import PYTHON
from tscript.diagnostics import Span
from tscript.frontend.diagnostics import container_errors
from tscript.frontend.diagnostics.type_names import article, shown
from tscript.frontend.lowering import holding, iterables, sources
from tscript.frontend.lowering.arguments import arguments, refuse_stars, wrong
from tscript.frontend.lowering.arithmetic import binary
from tscript.frontend.lowering.branches import join_values
from tscript.frontend.lowering.calls import function_value, given_function
from tscript.frontend.lowering.function import FunctionLowering, Source
from tscript.frontend.lowering.hidden import fresh_hidden, hidden_value
from tscript.frontend.lowering.holding import collect
from tscript.frontend.lowering.iteration import Parts, Range
from tscript.frontend.lowering.kinds import Run
from tscript.frontend.lowering.merging import when
from tscript.frontend.lowering.new_containers import make_list
from tscript.frontend.lowering.probing import probe
from tscript.frontend.lowering.scopes import Bound
from tscript.frontend.lowering.tuples import tuple_elements
from tscript.frontend.values import array_builtins, sorting
from tscript.frontend.values.rounding import Rounding
from tscript.ir.graph import Raise, Value
from tscript.types import (
    BOOL,
    COMPLEX,
    FLOAT,
    INT,
    NEVER,
    NUMBER,
    STR,
    ListType,
    ScalarType,
    TensorType,
    TupleType,
    Type,
    UnionType,
    members_of,
    scalar_dtype,
    union,
)
from tscript.types.inference import is_open

Handler = Callable[["FunctionLowering", ast.Call], Value]


def any_all(name: str, stops: bool) -> Handler:
    """``any`` and ``all``; `stops` is the truth of an element that decides."""

    def lower(lowering: FunctionLowering, node: ast.Call) -> Value:
        (argument,) = arguments(lowering, node, name, 1, 1)
        span = lowering.span(node)
        if not isinstance(argument, ast.GeneratorExp) and not iterables.is_iterator(lowering, argument):
            value = lowering.value(argument)
            if (decided := array_builtins.decided(lowering, name, value, span)) is not None:
                return decided
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


def lower_sum(lowering: FunctionLowering, node: ast.Call) -> Value:
    """``sum(xs, start)``."""
    keywords = {k.arg: k.value for k in node.keywords}
    if "start" in keywords and len(keywords) == 1:
        node = ast.copy_location(ast.Call(node.func, [*node.args, keywords["start"]], []), node)
    found = arguments(lowering, node, "sum", 1, 2)
    span = lowering.span(node)
    if not iterables.is_iterator(lowering, found[0]):
        value = lowering.value(found[0])
        if len(found) == 1 and (total := array_builtins.total(lowering, value, span)) is not None:
            return total
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
    if isinstance(found, ScalarType):
        return ScalarType(scalar_dtype([found, start.type]) or found.dtype)
    return found if found in (FLOAT, COMPLEX, INT) or isinstance(found, TensorType) else INT


def extremum(name: str, tensor_name: str) -> Handler:
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
        key = given_function(lowering, keywords.get("key"))
        if len(node.args) > 1:
            found = _numbers(lowering, node.args)
            made = array_builtins.extreme_of_values(lowering, name, found, span) if key is None else None
            if made is not None:
                return made
            source: Source = Parts(found)
            if key is None and all(v.type in (INT, FLOAT, BOOL) for v in found):
                out = found[0]
                for value in found[1:]:
                    out = lowering.apply(name, [out, value], span)
                return out
        elif iterables.is_iterator(lowering, node.args[0]):
            source = sources.source_of(lowering, node.args[0])
        else:
            value = lowering.value(node.args[0])
            made = array_builtins.extreme_of_array(lowering, name, value, span) if key is None else None
            if made is not None:
                return made
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
    if key is None:
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


EMPTY = "iterable argument is empty" if PYTHON >= 312 else "arg is an empty sequence"
"""The message of this Python version for an empty argument."""
