"""From expressions to iterables (`tscript.frontend.lowering.iteration`)."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from tscript.diagnostics import Span
from tscript.frontend.diagnostics import errors, type_errors
from tscript.frontend.diagnostics.abandoned import Abandoned
from tscript.frontend.diagnostics.advice import defining, narrowing
from tscript.frontend.diagnostics.type_names import article
from tscript.frontend.lowering import control, loops, stepping, unreached
from tscript.frontend.lowering.assignment import assign_to
from tscript.frontend.lowering.bodies import lower_statements
from tscript.frontend.lowering.calls import function_value, lower_method_of
from tscript.frontend.lowering.common import common
from tscript.frontend.lowering.function import FunctionLowering, Source
from tscript.frontend.lowering.hints import unannotated
from tscript.frontend.lowering.holding import collect
from tscript.frontend.lowering.iterables import VIEWS, is_iterator
from tscript.frontend.lowering.iteration import (
    Elements,
    Entries,
    Filtered,
    Indexed,
    Items,
    Mapped,
    Nested,
    Numbered,
    Parts,
    Pieces,
    Range,
    Reversed,
    Stepped,
    Unrolled,
    UnrolledTogether,
    Zipped,
)
from tscript.frontend.lowering.kinds import Run
from tscript.frontend.lowering.merging import refine_in, when
from tscript.frontend.lowering.names import static
from tscript.frontend.lowering.probing import type_of_expression
from tscript.frontend.lowering.ranges import division_of, is_range, range_bounds
from tscript.frontend.lowering.scopes import assigned_names
from tscript.frontend.lowering.tuples import make_tuple, tuple_elements
from tscript.frontend.source.classes import ClassSymbol
from tscript.frontend.source.symbols import Prange, PythonSymbol
from tscript.ir.graph import Division, Raise, Value
from tscript.types import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    STR,
    ClassType,
    DictType,
    EnumType,
    ListType,
    Type,
    union,
)


def lower_for(lowering: FunctionLowering, node: ast.For) -> None:
    """A ``for`` statement."""

    if isinstance(node.iter, ast.Call) and is_range(lowering, node.iter):
        division = division_of(lowering, node.iter)
        if division is Division.REQUIRED:
            _check_exits(lowering, node)
        control.lower_range_for(lowering, node, lambda: range_bounds(lowering, node.iter), division)
        return
    run = Run(
        assigned_names([node.target, *node.body], lowering.function.has_walrus),
        lowering.span(node),
        node.orelse,
        control.breaks_out(node.body),
        control.leaves_early(node.body),
        targets=assigned_names([node.target], False),
    )

    def body(element: Value) -> None:
        control.assign_element(lowering, node.target, element)
        lower_statements(lowering, node.body)

    try:
        source = _with_names(lowering, source_of(lowering, node.iter), node.target, node.body, run.span)
    except Abandoned:
        lowering.abandon(node.iter)
        loops.count(lowering, None, lambda _: _skip(lowering, node), run.assigned, run.span)
        return
    source.run(lowering, body, run)


def _with_names(
    lowering: FunctionLowering, source: Source, target: ast.expr, body: Sequence[ast.AST], span: Span
) -> Source:
    """A source whose elements name attributes in the body, as in ``getattr(self, name)``: they must be known there."""
    if not isinstance(source, Elements) or not isinstance(target, ast.Name):
        return source
    for node in (found for part in body for found in ast.walk(part)):
        match node:
            case ast.Call(ast.Name("getattr" | "hasattr"), [_, ast.Name(name), *_]) if name == target.id:
                return Parts(tuple_elements(lowering, source.container, span))
    return source


def _check_exits(lowering: FunctionLowering, node: ast.For) -> None:
    """Report what ends a loop whose iterations run at the same time."""
    inner = (ast.For, ast.While, ast.FunctionDef, ast.Lambda, ast.ClassDef)
    pending: list[tuple[ast.AST, bool]] = [(statement, True) for statement in node.body]
    while pending:
        found, is_own = pending.pop()
        if isinstance(found, ast.Return) or (isinstance(found, ast.Break) and is_own):
            word = "return" if isinstance(found, ast.Return) else "break"
            lowering.report(errors.LeavesParallelLoop(lowering.span(found), word))
        if not isinstance(found, inner[2:]):
            below = is_own and not isinstance(found, inner)
            pending += [(child, below) for child in ast.iter_child_nodes(found)]


def _skip(lowering: FunctionLowering, node: ast.For) -> None:
    """The body of a loop over something that had an error."""
    control.assign_element(lowering, node.target, None)
    lower_statements(lowering, node.body)


def source_of(lowering: FunctionLowering, node: ast.expr) -> Source:
    """The iterable of an expression."""
    if isinstance(node, ast.GeneratorExp):
        return generator(lowering, node)
    if isinstance(node, ast.Name | ast.Attribute):
        symbol = static(lowering, node)
        of_class = lowering.kinds.of(symbol.definition.type).of_class if isinstance(symbol, ClassSymbol) else None
        if isinstance(symbol, ClassSymbol) and of_class is not None:
            return of_class.source(symbol.definition)
    if isinstance(node, ast.Call):
        symbol = static(lowering, node.func)
        if isinstance(symbol, PythonSymbol):
            handler = _CALLS.get(symbol.value)
            if handler is not None:
                return handler(lowering, node)
        if symbol is None and isinstance(node.func, ast.Attribute) and node.func.attr in VIEWS and not node.args:
            receiver = lowering.value(node.func.value)
            if isinstance(receiver.type, DictType):
                return Entries(receiver, VIEWS[node.func.attr])
            return value_source(lowering, lower_method_of(lowering, node, receiver), node)
        if symbol is None and isinstance(node.func, ast.Attribute) and node.func.attr == "split":
            receiver = lowering.value(node.func.value)
            return _pieces(lowering, node, receiver) or value_source(
                lowering, lower_method_of(lowering, node, receiver), node
            )
    return value_source(lowering, consumed(lowering, node), node)


def _pieces(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Source | None:
    """The pieces of a str, if `node` splits it at white space or at a simple separator."""
    if receiver.type != STR or node.keywords or len(node.args) > 1:
        return None
    if not node.args:
        return Pieces(receiver, lowering.const(None, NONE, lowering.span(node)))
    (separator,) = node.args
    if not isinstance(separator, ast.Constant | ast.Name):
        return None
    value = lowering.value(separator)
    return Pieces(receiver, value) if value.type in (STR, NONE) else None


def value_source(lowering: FunctionLowering, value: Value, node: ast.expr) -> Source:
    """The iterable of a value."""
    source = lowering.kind(value).source
    found = None if source is None else source(lowering, value, node)
    if found is not None:
        return found
    raise lowering.failure(errors.LoopOver(lowering.span(node), article(value.type), _help(value.type)))


MANY = 1000
"""More arguments than any call has."""


def _help(type: Type) -> str:
    if found := narrowing([type]) or defining(type, "__iter__"):
        return found
    if type == INT:
        return "write 'range(...)' around it"
    return "a loop can iterate over lists, tuples, dicts, sets, strings, tensors and ranges"


def indexed(lowering: FunctionLowering, node: ast.expr) -> Indexed:
    """The iterable inside `zip`, `enumerate` and the like; one without elements by index is copied to a list first."""
    return _listed(lowering, _plainly(lowering, node), node)


def _plainly(lowering: FunctionLowering, node: ast.expr) -> Source:
    if is_iterator(lowering, node):
        return source_of(lowering, node)
    return value_source(lowering, consumed(lowering, node), node)


def _listed(lowering: FunctionLowering, found: Source, node: ast.expr) -> Indexed:
    return found if isinstance(found, Indexed) else Items(collect(lowering, found, node), "getitem", False)


def _each(lowering: FunctionLowering, node: ast.expr, function: str) -> Indexed | Stepped | Unrolled:
    """The iterable in `zip`, `enumerate` and `map`: as `indexed`, but a dict or set, which may change, is stepped
    through, and a tuple of elements that differ in type is unrolled."""
    made = source_of(lowering, node) if is_iterator(lowering, node) else None
    found = value_source(lowering, consumed(lowering, node), node) if made is None else made
    if stepping.can_step(found):
        assert isinstance(found, Stepped)
        return found
    if isinstance(found, Unrolled) and not (isinstance(found, Parts) and not found.differ):
        return found
    return found if isinstance(found, Indexed) else Items(collect(lowering, found, node), "getitem", False)


def _arguments(lowering: FunctionLowering, node: ast.Call, name: str, low: int, high: int) -> list[ast.expr]:
    if node.keywords or not low <= len(node.args) <= high or any(isinstance(a, ast.Starred) for a in node.args):
        starred = next((a for a in node.args if isinstance(a, ast.Starred)), None)
        if starred is not None and name == "zip":
            rows = ast.unparse(starred.value)
            problem = "cannot turn rows into columns: their number is unknown at compile time"
            instead = f"take each column by its number: [row[0] for row in {rows}]; all of them are "
            instead += f"[[row[i] for row in {rows}] for i in range(len({rows}[0]))]"
        elif starred is not None:
            problem, instead = "takes no arguments with '*'", "write each argument by itself"
        else:
            many = f"{low} or more" if high == MANY else f"{low}" if low == high else f"{low} to {high}"
            problem = f"takes {many} argument{'' if high == 1 else 's'} by position"
            instead = f"see Python's {name}()"
        at = lowering.span(node if starred is None else starred)
        raise lowering.failure(errors.BuiltinArguments(at, name, problem, instead))
    return node.args


def _range(lowering: FunctionLowering, node: ast.Call) -> Source:
    bounds = range_bounds(lowering, node)
    loops.check_step(lowering, bounds[2], lowering.span(node))
    return Range(*bounds)


def _enumerate(lowering: FunctionLowering, node: ast.Call) -> Source:
    named = [k for k in node.keywords if k.arg == "start"]
    plain = ast.copy_location(ast.Call(node.func, node.args, [k for k in node.keywords if k not in named]), node)
    args = [*_arguments(lowering, plain, "enumerate", 1, 2), *(k.value for k in named)]
    inner = _each(lowering, args[0], "enumerate")
    if len(args) == 1:
        return _numbered(lowering, inner, lowering.const(0, INT, lowering.span(node)), node)
    start = lowering.value(args[1])
    number = lowering.coerce(start, INT, lowering.span(args[1]))
    if number is None:
        raise lowering.failure(
            type_errors.RangeArgument(
                lowering.span(args[1]),
                article(start.type),
                unannotated(lowering.function, lowering.scope, args[1]) or "convert it: int(...)",
            )
        )
    return _numbered(lowering, inner, number, node)


def _numbered(lowering: FunctionLowering, inner: Indexed | Stepped | Unrolled, start: Value, node: ast.Call) -> Source:
    span = lowering.span(node)
    if isinstance(inner, Indexed):
        return Numbered(inner, start)
    if isinstance(inner, Unrolled):

        def numbered(index: Value, values: list[Value]) -> Value:
            number = index if start.constant == 0 else lowering.apply("add", [start, index], span)
            return make_tuple(lowering, [number, *values], span)

        return UnrolledTogether([inner], numbered)

    def pair(values: list[Value]) -> Value:
        return make_tuple(lowering, values[::-1], span)

    return stepping.Together([inner, stepping.Numbers(start)], pair)


def _together(
    lowering: FunctionLowering,
    nodes: Sequence[ast.expr],
    sources: list[Indexed | Stepped | Unrolled],
    make: Callable[[list[Value]], Value],
    zipped: Callable[[list[Indexed]], Source],
) -> Source:
    """Several sources in parallel.

    Args:
        lowering: Where they stand.
        nodes: Their expressions.
        sources: The sources.
        make: Makes an element from one of each.
        zipped: Makes the source if all have their elements by number.
    """
    plainly = [s for s in sources if isinstance(s, Indexed)]
    if len(plainly) == len(sources):
        return zipped(plainly)
    known = [s for s in sources if isinstance(s, Indexed | Unrolled)]
    if len(known) == len(sources):
        return UnrolledTogether(known, lambda _, values: make(values))
    listed = [
        Items(collect(lowering, s, node), "getitem", False) if isinstance(s, Unrolled) else s
        for s, node in zip(sources, nodes, strict=True)
    ]
    return stepping.Together([*map(stepping.in_steps, listed)], make)


def _zip(lowering: FunctionLowering, node: ast.Call) -> Source:
    strict = [k for k in node.keywords if k.arg == "strict"]
    plain = ast.copy_location(ast.Call(node.func, node.args, [k for k in node.keywords if k not in strict]), node)
    args, span = _arguments(lowering, plain, "zip", 0, MANY), lowering.span(node)
    if strict and len(args) > 1:
        known = [indexed(lowering, a) for a in args]
        check_lengths(lowering, known, lowering.condition(strict[0].value), span)
        return Zipped(known)
    sources = [_each(lowering, a, "zip") for a in args]
    return _together(lowering, args, sources, lambda values: make_tuple(lowering, values, span), Zipped)


def _reversed(lowering: FunctionLowering, node: ast.Call) -> Source:
    (argument,) = _arguments(lowering, node, "reversed", 1, 1)
    found = _plainly(lowering, argument)
    if isinstance(found, Parts) and found.differ:
        return Parts(found.elements[::-1])
    inner = _listed(lowering, found, argument)
    return Reversed(inner, inner.length(lowering, lowering.span(node)))


def _map(lowering: FunctionLowering, node: ast.Call) -> Source:
    args = _arguments(lowering, node, "map", 2, MANY)
    function = function_value(lowering, args[0])
    sources = [_each(lowering, a, "map") for a in args[1:]]
    span = lowering.span(node)

    def mapped(inner: list[Indexed]) -> Source:
        if len(inner) == 1:
            return Mapped(inner[0], lambda x: function([x], span))
        return Mapped(Zipped(inner), lambda x: function(tuple_elements(lowering, x, span), span))

    return _together(lowering, args[1:], sources, lambda values: function(values, span), mapped)


def _filter(lowering: FunctionLowering, node: ast.Call) -> Source:
    args = _arguments(lowering, node, "filter", 2, 2)
    span = lowering.span(node)
    inner = source_of(lowering, args[1])
    if isinstance(args[0], ast.Constant) and args[0].value is None:
        return Filtered(inner, lambda x: lowering.truth(x, span))
    function = function_value(lowering, args[0])
    return Filtered(inner, lambda x: lowering.truth(function([x], span), span))


_CALLS: dict[Any, Callable[[FunctionLowering, ast.Call], Source]] = {
    range: _range,
    Prange: _range,
    enumerate: _enumerate,
    zip: _zip,
    reversed: _reversed,
    map: _map,
    filter: _filter,
}


def generator(lowering: FunctionLowering, node: ast.GeneratorExp) -> Source:
    """A generator expression that is consumed where it is written."""
    return Nested(lambda body, run: comprehend(lowering, node, lambda: body(lowering.value(node.elt)), run))


def comprehend(
    lowering: FunctionLowering,
    node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp,
    body: Callable[[], None],
    run: Run,
) -> None:
    """The loops and conditions of a comprehension around `body`. Its names are its own."""
    clauses = node.generators
    targets = assigned_names([g.target for g in clauses], False)
    kept = {name: lowering.scope[name] for name in targets if name in lowering.scope}
    walrus = assigned_names([node], True) if lowering.function.has_walrus else {}
    assigned = {**run.assigned, **{n: at for n, at in walrus.items() if n not in targets}}
    outer = len(lowering.loops)

    parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]

    def level(depth: int) -> None:
        if depth == len(clauses):
            unreached.or_look(lowering, body, parts)
            return
        clause = clauses[depth]
        if clause.is_async:
            raise lowering.failure(errors.UnsupportedExpression(lowering.span(node), "'async for'", "write 'for'"))
        unknown = [g.target for g in clauses[depth:]]
        inside = [*(g.iter for g in clauses[depth + 1 :]), *(i for g in clauses[depth:] for i in g.ifs), *parts]
        source = unreached.or_look(lowering, lambda: source_of(lowering, clause.iter), inside, unknown)

        def each(element: Value) -> None:
            assign_to(lowering, clause.target, element)
            under(0)

        def under(condition: int) -> None:
            if condition == len(clause.ifs):
                level(depth + 1)
                return
            test = clause.ifs[condition]
            later = [*clause.ifs[condition + 1 :], *(parts if depth + 1 == len(clauses) else [])]
            holds = unreached.or_look(lowering, lambda: lowering.condition(test), [test, *later])
            refine_in(lowering, test, holds, lambda: under(condition + 1), lowering.span(test))

        exits = run.exits
        if depth and exits is None and len(lowering.loops) > outer:
            exits = lowering.loops[outer].exits
        names = {**assigned, **assigned_names([g.target for g in clauses[depth:]], False)}
        orelse = () if depth else run.orelse
        own = assigned_names([clause.target], False)
        source = _with_names(lowering, source, clause.target, inside, run.span)
        source.run(lowering, each, Run(names, run.span, orelse, run.breaks, run.leaves, exits, targets=own))

    for name in targets:
        lowering.scope.pop(name, None)
    level(0)
    for name in targets:
        lowering.scope.pop(name, None)
    lowering.scope.update(kept)


MAX_MEMBERS = 8
"""Element types of a literal for which no union is declared."""


def consumed(lowering: FunctionLowering, node: ast.expr, wanted: Type | None = None) -> Value:
    """An iterable that is consumed where it is written. The elements of a literal need no common type there: their type
    is a union, or `wanted`."""
    if not isinstance(node, ast.List) or len(node.elts) < 2 or any(isinstance(e, ast.Starred) for e in node.elts):
        return lowering.value(node)
    if wanted is None:
        types = list(dict.fromkeys(type_of_expression(lowering, e) for e in node.elts))
        if len(types) == 1 or len(types) > MAX_MEMBERS or not all(_may_differ(t) for t in types):
            return lowering.value(node)
        found: Type | None = types[0]
        for type in types[1:]:
            found = None if found is None else common(found, type)
        wanted = union(types) if found is None else None
    return lowering.value(node) if wanted is None else lowering.value_as(node, ListType(wanted))


def _may_differ(type: Type) -> bool:
    """Whether values of a type may be elements of a list of several types without annotation."""
    return isinstance(type, EnumType | ClassType) or type in (INT, FLOAT, BOOL, STR, NONE)


def _end_with(lowering: FunctionLowering, node: Raise) -> None:
    lowering.block.nodes.append(node)


def check_lengths(lowering: FunctionLowering, sources: Sequence[Indexed], strict: Value, span: Span) -> None:
    """Raise for ``strict=True`` unless the arguments of `zip` have one length."""
    first = sources[0].length(lowering, span)
    for position, source in enumerate(sources[1:], 2):
        other = source.length(lowering, span)
        for sign, what in (("lt", "shorter"), ("gt", "longer")):
            differs = lowering.apply("bitwise_and", [strict, lowering.apply(sign, [other, first], span)], span)
            before = "argument 1" if position == 2 else f"arguments 1-{position - 1}"
            failing = Raise("ValueError", f"zip() argument {position} is {what} than {before}", (), span)
            when(lowering, differs, partial(_end_with, lowering, failing), span)
