"""From expressions to what loops go over (`tscript.frontend.lowering.iteration`)."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tscript.frontend.diagnostics import errors, type_errors
from tscript.frontend.diagnostics.advice import defining, narrowing
from tscript.frontend.diagnostics.type_names import article
from tscript.frontend.lowering import control, stepping, unreached
from tscript.frontend.lowering.hints import unannotated
from tscript.frontend.lowering.iteration import (
    Elements,
    Entries,
    Filtered,
    Indexed,
    Items,
    Mapped,
    Nested,
    Numbered,
    Pieces,
    Range,
    Reversed,
    Run,
    Source,
    Stepped,
    Unrolled,
    Zipped,
)
from tscript.frontend.lowering.scopes import assigned_names
from tscript.frontend.source.classes import ClassSymbol
from tscript.frontend.source.symbols import PythonSymbol
from tscript.frontend.values import displays, enums
from tscript.ir.graph import Value
from tscript.types import (
    BYTES,
    INT,
    NONE,
    STR,
    DictType,
    EnumType,
    ListType,
    SetType,
    SizeType,
    TensorType,
    TupleType,
    Type,
)

if TYPE_CHECKING:
    from tscript.frontend.language import LanguageLowering


def lower_for(lowering: LanguageLowering, node: ast.For) -> None:
    """A ``for`` statement."""
    from tscript.frontend.lowering.lowering import Abandoned

    if isinstance(node.iter, ast.Call) and lowering.is_range(node.iter):
        control.lower_range_for(lowering, node, lambda: lowering.range_bounds(node.iter))
        return
    run = Run(
        assigned_names([node.target, *node.body], lowering.function.has_walrus),
        lowering.span(node),
        node.orelse,
        control.breaks_out(node.body),
        control.leaves_early(node.body),
    )

    def body(element: Value) -> None:
        control.assign_element(lowering, node.target, element)
        control.lower_body(lowering, node.body)

    try:
        source = source_of(lowering, node.iter)
    except Abandoned:
        lowering.abandon(node.iter)
        control.count(lowering, None, lambda _: _skip(lowering, node), run.assigned, run.span)
        return
    source.run(lowering, body, run)


def _skip(lowering: LanguageLowering, node: ast.For) -> None:
    """The body of a loop over something that had an error."""
    control.assign_element(lowering, node.target, None)
    control.lower_body(lowering, node.body)


def source_of(lowering: LanguageLowering, node: ast.expr) -> Source:
    """What a loop over an expression goes over."""
    if isinstance(node, ast.GeneratorExp):
        return generator(lowering, node)
    if isinstance(node, ast.Name | ast.Attribute):
        symbol = lowering.static(node)
        if isinstance(symbol, ClassSymbol) and isinstance(symbol.definition.type, EnumType):
            return enums.Members(symbol.definition)
    if isinstance(node, ast.Call):
        symbol = lowering.static(node.func)
        if isinstance(symbol, PythonSymbol):
            handler = _CALLS.get(symbol.value)
            if handler is not None:
                return handler(lowering, node)
        if symbol is None and isinstance(node.func, ast.Attribute) and node.func.attr in _VIEWS and not node.args:
            receiver = lowering.value(node.func.value)
            if isinstance(receiver.type, DictType):
                return Entries(receiver, _VIEWS[node.func.attr])
            return value_source(lowering, lowering.method(node, receiver), node)
        if symbol is None and isinstance(node.func, ast.Attribute) and node.func.attr == "split":
            receiver = lowering.value(node.func.value)
            return _pieces(lowering, node, receiver) or value_source(lowering, lowering.method(node, receiver), node)
    return value_source(lowering, displays.consumed(lowering, node), node)


def _pieces(lowering: LanguageLowering, node: ast.Call, receiver: Value) -> Source | None:
    """The pieces of a str, when `node` splits one at white space or at something that is simple to name."""
    if receiver.type != STR or node.keywords or len(node.args) > 1:
        return None
    if not node.args:
        return Pieces(receiver, lowering.const(None, NONE, lowering.span(node)))
    (separator,) = node.args
    if not isinstance(separator, ast.Constant | ast.Name):
        return None
    value = lowering.value(separator)
    return Pieces(receiver, value) if value.type in (STR, NONE) else None


def is_iterator(lowering: LanguageLowering, node: ast.expr) -> bool:
    """Whether an expression is something that only a loop goes over: `zip`, a view of a dict, a generator
    expression."""
    if isinstance(node, ast.GeneratorExp):
        return True
    if isinstance(node, ast.Name | ast.Attribute):
        return isinstance(lowering.static(node), ClassSymbol)
    if not isinstance(node, ast.Call):
        return False
    symbol = lowering.static(node.func)
    if symbol is None:
        return isinstance(node.func, ast.Attribute) and node.func.attr in _VIEWS and not node.args
    return isinstance(symbol, PythonSymbol) and symbol.value in _CALLS


def viewed(lowering: LanguageLowering, node: ast.expr) -> Value | None:
    """The dict of which an expression is a view; None when it is none."""
    if (
        not isinstance(node, ast.Call)
        or not isinstance(node.func, ast.Attribute)
        or lowering.static(node.func) is not None
    ):
        return None
    if node.func.attr not in _VIEWS or node.args or node.keywords:
        return None
    receiver = lowering.value(node.func.value)
    return receiver if isinstance(receiver.type, DictType) else None


_VIEWS = {"keys": "key", "values": "value", "items": "item"}


def value_source(lowering: LanguageLowering, value: Value, node: ast.expr) -> Source:
    """What a loop over a value goes over."""
    value = enums.as_string(lowering, value, lowering.span(node))
    match value.type:
        case ListType(frozen=frozen):
            return Items(value, "getitem", not frozen)
        case DictType():
            return Entries(value, "key")
        case SetType():
            return Entries(value, "key")
        case TensorType():
            return Items(value, "select")
        case SizeType():
            return Items(value, "getitem")
        case TupleType(elements=elements):
            if len(set(elements)) == 1 and len(elements) > MAX_UNROLLED:
                return Elements(value, len(elements))
            return Unrolled(lowering.tuple_elements(value, lowering.span(node)))
    if value.type in (STR, BYTES):
        return Items(value, "getitem")
    made = lowering.iterate_object(value, node)
    if made is not None:
        return made
    raise lowering.failure(errors.LoopOver(lowering.span(node), article(value.type), _help(value.type)))


MANY = 1000
"""More arguments than any call has."""

MAX_UNROLLED = 8
"""Elements of a tuple of one type over which a loop is written out."""


def _help(type: Type) -> str:
    if found := narrowing([type]) or defining(type, "__iter__"):
        return found
    if type == INT:
        return "write 'range(...)' around it"
    return "loops go over lists, tuples, dicts, sets, strings, tensors and ranges"


def indexed(lowering: LanguageLowering, node: ast.expr, function: str) -> Indexed:
    """What is gone over inside `zip`, `enumerate` and the like; what has no elements by number becomes a list first."""
    found = (
        source_of(lowering, node)
        if is_iterator(lowering, node)
        else value_source(lowering, displays.consumed(lowering, node), node)
    )
    if isinstance(found, Indexed) and not (function == "reversed" and isinstance(found, Unrolled)):
        return found
    return Items(lowering.collect(found, node), "getitem", False)


def _each(lowering: LanguageLowering, node: ast.expr, function: str) -> Indexed | Stepped:
    """What `zip`, `enumerate` and `map` go over: as `indexed`, but a dict or set, which may change, in steps."""
    made = source_of(lowering, node) if is_iterator(lowering, node) else None
    found = value_source(lowering, displays.consumed(lowering, node), node) if made is None else made
    if stepping.can_step(found):
        assert isinstance(found, Stepped)
        return found
    return found if isinstance(found, Indexed) else Items(lowering.collect(found, node), "getitem", False)


def _arguments(lowering: LanguageLowering, node: ast.Call, name: str, low: int, high: int) -> list[ast.expr]:
    if node.keywords or not low <= len(node.args) <= high or any(isinstance(a, ast.Starred) for a in node.args):
        starred = next((a for a in node.args if isinstance(a, ast.Starred)), None)
        if starred is not None and name == "zip":
            rows = ast.unparse(starred.value)
            problem = "cannot turn rows into columns: how many they are is not known"
            instead = f"take each column by its number: [row[0] for row in {rows}]; all of them are "
            instead += f"[[row[i] for row in {rows}] for i in range(len({rows}[0]))]"
        elif starred is not None:
            problem, instead = "takes no arguments with '*'", "write each argument out"
        else:
            many = f"{low} or more" if high == MANY else f"{low}" if low == high else f"{low} to {high}"
            problem = f"takes {many} argument{'' if high == 1 else 's'} by position"
            instead = f"see Python's {name}()"
        at = lowering.span(node if starred is None else starred)
        raise lowering.failure(errors.BuiltinArguments(at, name, problem, instead))
    return node.args


def _range(lowering: LanguageLowering, node: ast.Call) -> Source:
    bounds = lowering.range_bounds(node)
    control.check_step(lowering, bounds[2], lowering.span(node))
    return Range(*bounds)


def _enumerate(lowering: LanguageLowering, node: ast.Call) -> Source:
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


def _numbered(lowering: LanguageLowering, inner: Indexed | Stepped, start: Value, node: ast.Call) -> Source:
    if isinstance(inner, Indexed):
        return Numbered(inner, start)

    def pair(values: list[Value]) -> Value:
        return lowering.make_tuple(values[::-1], lowering.span(node))

    return stepping.Together([inner, stepping.Numbers(start)], pair)


def _zip(lowering: LanguageLowering, node: ast.Call) -> Source:
    strict = [k for k in node.keywords if k.arg == "strict"]
    plain = ast.copy_location(ast.Call(node.func, node.args, [k for k in node.keywords if k not in strict]), node)
    args, span = _arguments(lowering, plain, "zip", 0, MANY), lowering.span(node)
    if strict and len(args) > 1:
        known = [indexed(lowering, a, "zip") for a in args]
        lowering.check_lengths(known, lowering.condition(strict[0].value), span)
        return Zipped(known)
    sources = [_each(lowering, a, "zip") for a in args]
    plainly = [s for s in sources if isinstance(s, Indexed)]
    if len(plainly) == len(sources):
        return Zipped(plainly)
    return stepping.Together([*map(stepping.in_steps, sources)], lambda values: lowering.make_tuple(values, span))


def _reversed(lowering: LanguageLowering, node: ast.Call) -> Source:
    (argument,) = _arguments(lowering, node, "reversed", 1, 1)
    inner = indexed(lowering, argument, "reversed")
    return Reversed(inner, inner.length(lowering, lowering.span(node)))


def _map(lowering: LanguageLowering, node: ast.Call) -> Source:
    args = _arguments(lowering, node, "map", 2, MANY)
    function = lowering.function_value(args[0])
    sources = [_each(lowering, a, "map") for a in args[1:]]
    span = lowering.span(node)
    plainly = [s for s in sources if isinstance(s, Indexed)]
    if len(plainly) < len(sources):
        return stepping.Together([*map(stepping.in_steps, sources)], lambda values: function(values, span))
    if len(plainly) == 1:
        return Mapped(plainly[0], lambda x: function([x], span))
    return Mapped(Zipped(plainly), lambda x: function(lowering.tuple_elements(x, span), span))


def _filter(lowering: LanguageLowering, node: ast.Call) -> Source:
    args = _arguments(lowering, node, "filter", 2, 2)
    span = lowering.span(node)
    inner = source_of(lowering, args[1])
    if isinstance(args[0], ast.Constant) and args[0].value is None:
        return Filtered(inner, lambda x: lowering.truth(x, span))
    function = lowering.function_value(args[0])
    return Filtered(inner, lambda x: lowering.truth(function([x], span), span))


_CALLS: dict[Any, Callable[[LanguageLowering, ast.Call], Source]] = {
    range: _range,
    enumerate: _enumerate,
    zip: _zip,
    reversed: _reversed,
    map: _map,
    filter: _filter,
}


def generator(lowering: LanguageLowering, node: ast.GeneratorExp) -> Source:
    """A generator expression that is used up where it stands."""
    return Nested(lambda body, run: comprehend(lowering, node, lambda: body(lowering.value(node.elt)), run))


def comprehend(
    lowering: LanguageLowering,
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
            lowering.assign(clause.target, element)
            under(0)

        def under(condition: int) -> None:
            if condition == len(clause.ifs):
                level(depth + 1)
                return
            test = clause.ifs[condition]
            later = [*clause.ifs[condition + 1 :], *(parts if depth + 1 == len(clauses) else [])]
            holds = unreached.or_look(lowering, lambda: lowering.condition(test), [test, *later])
            lowering.refine_in(test, holds, lambda: under(condition + 1), lowering.span(test))

        exits = run.exits
        if depth and exits is None and len(lowering.loops) > outer:
            exits = lowering.loops[outer].exits
        names = {**assigned, **assigned_names([g.target for g in clauses[depth:]], False)}
        orelse = () if depth else run.orelse
        source.run(lowering, each, Run(names, run.span, orelse, run.breaks, run.leaves, exits))

    for name in targets:
        lowering.scope.pop(name, None)
    level(0)
    for name in targets:
        lowering.scope.pop(name, None)
    lowering.scope.update(kept)
