"""Inner functions, named lambdas, ``f(*args)``, and functions that are generic by `TypeVar`.

An inner function is a graph of its own. The names of the enclosing function that it reads are parameters in front of
its own. Each call passes their current values, as in Python.
"""

from __future__ import annotations

import ast
import copy
import typing
from collections.abc import Sequence
from functools import partial

from tscript.frontend.diagnostics import container_errors, errors
from tscript.frontend.diagnostics.type_names import article
from tscript.frontend.lowering import captures, lambdas
from tscript.frontend.lowering.captures import free_names
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.given_types import function_type
from tscript.frontend.lowering.merging import when
from tscript.frontend.lowering.names import read, static
from tscript.frontend.lowering.probing import type_of_expression
from tscript.frontend.lowering.program import Instance, graph_name
from tscript.frontend.lowering.receivers import named
from tscript.frontend.lowering.scopes import Bound, Given, Scope, given_in
from tscript.frontend.lowering.tuples import tuple_elements
from tscript.frontend.source.annotations import annotation_type
from tscript.frontend.source.functions import FunctionSymbol, PythonFunction
from tscript.frontend.source.object_types import GENERIC
from tscript.frontend.source.symbols import LocalFunction, OperatorSymbol, PythonSymbol
from tscript.ir.graph import Raise, Value
from tscript.late import replace
from tscript.parsing import parse
from tscript.types import (
    BOOL,
    FLOAT,
    INT,
    NEVER,
    SIZE,
    CallableType,
    DictType,
    ListType,
    OptionalType,
    SetType,
    TensorType,
    TupleType,
    Type,
    members_of,
)
from tscript.types.inference import has_open_part


def _filled(definition: ast.FunctionDef, node: ast.Call) -> tuple[ast.arguments, ast.Call]:
    """The parameters of a function without computed defaults, and a call that passes these defaults."""
    arguments = definition.args
    computed = [d for d in (*arguments.defaults, *arguments.kw_defaults) if isinstance(d, ast.Name)]
    if not computed:
        return arguments, node
    plain = [*arguments.posonlyargs, *arguments.args]
    named = {k.arg for k in node.keywords}
    missing = len(plain) - len(arguments.defaults)
    args, keywords = [*node.args], [*node.keywords]
    for i, argument in enumerate(plain):
        if i >= max(missing, len(node.args)) and argument.arg not in named:
            default = ast.copy_location(arguments.defaults[i - missing], node)
            if i < len(arguments.posonlyargs):
                args.append(default)
            else:
                keywords.append(ast.copy_location(ast.keyword(argument.arg, default), node))
    for argument, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if value is not None and argument.arg not in named:
            keywords.append(ast.copy_location(ast.keyword(argument.arg, ast.copy_location(value, node)), node))
    without = copy.copy(arguments)
    without.defaults, without.kw_defaults = [], [None] * len(arguments.kwonlyargs)
    return without, ast.copy_location(ast.Call(node.func, args, keywords), node)


def local_instance(
    lowering: FunctionLowering, function: LocalFunction, node: ast.Call
) -> tuple[PythonFunction, Instance, ast.Call]:
    """The instance of an inner function for a call, and the call with the captured values in front."""
    definition = function.node
    assert isinstance(definition, ast.FunctionDef)
    captured = free_names(lowering, function)
    for captured_name in captured:
        read(lowering, ast.copy_location(ast.Name(captured_name, ast.Load()), node))
    arguments, node = _filled(definition, node)
    tree = copy.copy(definition)
    tree.args = copy.deepcopy(arguments)
    front = [ast.copy_location(ast.arg(name), definition) for name in captured]
    tree.args.posonlyargs = [*front, *tree.args.posonlyargs]
    types: dict[str, Type] = {}
    for name in captured:
        binding = lowering.scope[name]
        assert isinstance(binding, Bound)
        types[name] = binding.value.type
    plain = [*definition.args.posonlyargs, *definition.args.args]
    by_name = [(a, k.value) for k in node.keywords for a in (*plain, *definition.args.kwonlyargs) if a.arg == k.arg]
    for argument, given in (*zip(plain, node.args, strict=False), *by_name):
        if argument.annotation is None:
            known = function_type(lowering, given)
            types[argument.arg] = type_of_expression(lowering, given) if known is None else known
    name = definition.name
    made = replace(
        lowering.function,
        name=name,
        qualname=f"{lowering.function.qualname}.{name}",
        tree=tree,
        callable=None,
        annotations={},
    )
    functions: Scope = {n: b for n, b in lowering.scope.items() if isinstance(b, LocalFunction | Given)}
    program = lowering.program
    key = (definition, tuple(types.items()), given_in(functions))
    found = program.known(key)
    if found is None:
        graph = f"{lowering.graph.name}.{name}"
        found = program.lower_instance(made, key, graph, lowering.span(node), types=types, functions=functions)
    held = [n for n in captured if n in found.closed]
    lowering.closed |= dict.fromkeys(held, node)
    captures.check_captured(lowering, held, node)
    values: list[ast.expr] = [ast.copy_location(ast.Name(n, ast.Load()), node) for n in captured]
    return found.function, found, ast.copy_location(ast.Call(node.func, [*values, *node.args], node.keywords), node)


def spread(lowering: FunctionLowering, node: ast.Call) -> ast.Call:
    """A call with ``*`` and ``**`` expanded: of tuples, and of dict literals."""
    if not any(isinstance(a, ast.Starred) for a in node.args) and all(k.arg for k in node.keywords):
        return node
    args: list[ast.expr] = []
    for i, argument in enumerate(node.args):
        if not isinstance(argument, ast.Starred):
            args.append(argument)
            continue
        value = lowering.value(argument.value)
        held = _element(value.type)
        if held is not None and _is_operator(lowering, node.func):
            source = ast.copy_location(ast.Starred(named(lowering, value, argument), ast.Load()), argument)
            if (rest := _gathered(lowering, [*args, source, *node.args[i + 1 :]], held)) is not None:
                args = rest
                break
        if held in (INT, FLOAT, BOOL) and (name := _extremum(lowering, node)):
            _check_several(lowering, name, value, str(held), argument)
            args = [named(lowering, value, argument)]
            break
        if held is not None and (count := _taken(lowering, node)) is not None:
            parts = _elements(lowering, node, value, count, argument)
        elif isinstance(value.type, TupleType):
            parts = tuple_elements(lowering, value, lowering.span(argument))
        else:
            raise lowering.failure(container_errors.SpreadArguments(lowering.span(argument), article(value.type)))
        args += [named(lowering, part, argument) for part in parts]
    keywords: list[ast.keyword] = []
    for keyword in node.keywords:
        keywords += [keyword] if keyword.arg else _spread_dict(lowering, keyword)
    return ast.copy_location(ast.Call(node.func, args, keywords), node)


def _extremum(lowering: FunctionLowering, node: ast.Call) -> str:
    """The name of the builtin in ``max(*xs)`` and ``min(*xs)``; empty for other calls."""
    symbol = static(lowering, node.func)
    if not isinstance(symbol, PythonSymbol) or len(node.args) != 1 or node.keywords:
        return ""
    return next((f.__name__ for f in (min, max) if symbol.value is f), "")


def _check_several(lowering: FunctionLowering, name: str, value: Value, held: str, argument: ast.Starred) -> None:
    """Raise what Python raises if a list of numbers does not have several of them for `min` or `max`."""
    span = lowering.span(argument)
    length = lowering.apply("len", [value], span)
    texts = f"{name} expected at least 1 argument, got 0", f"'{held}' object is not iterable"
    for count, text in enumerate(texts):
        same = lowering.apply("eq", [length, lowering.const(count, INT, span)], span)
        when(lowering, same, partial(_raise, lowering, Raise("TypeError", text, [], span)), span)


def _raise(lowering: FunctionLowering, failing: Raise) -> None:
    lowering.block.nodes.append(failing)


def _taken(lowering: FunctionLowering, node: ast.Call) -> int | None:
    """How many arguments the only ``*xs`` of a call stands for; None unless the function takes as many as it says."""
    symbol = static(lowering, node.func)
    if not isinstance(symbol, FunctionSymbol) or sum(isinstance(a, ast.Starred) for a in node.args) != 1:
        return None
    arguments = symbol.function.tree.args
    if arguments.vararg is not None or arguments.defaults or any(k.arg is None for k in node.keywords):
        return None
    named_ones = {k.arg for k in node.keywords}
    plain = [a for a in (*arguments.posonlyargs, *arguments.args) if a.arg not in named_ones]
    count = len(plain) - (len(node.args) - 1)
    return count if count >= 0 else None


def _elements(
    lowering: FunctionLowering, node: ast.Call, value: Value, count: int, argument: ast.Starred
) -> list[Value]:
    """The elements of a list that stands for that many arguments, or Python's error."""
    span = lowering.span(argument)
    length = lowering.apply("len", [value], span)
    text = f"{ast.unparse(node.func)}() takes {count} of its arguments from '{ast.unparse(argument)}', which has {{0}}"
    failing = Raise("TypeError", text, [length], span)
    other = lowering.apply("ne", [length, lowering.const(count, INT, span)], span)
    when(lowering, other, lambda: lowering.block.nodes.append(failing), span)
    return [lowering.apply("getitem", [value, lowering.const(i, INT, span)], span) for i in range(count)]


def _is_operator(lowering: FunctionLowering, callee: ast.expr) -> bool:
    """Whether a call is one of an operator, as a function or a method of tensors."""
    symbol = static(lowering, callee)
    if symbol is not None or not isinstance(callee, ast.Attribute):
        return isinstance(symbol, OperatorSymbol)
    return isinstance(type_of_expression(lowering, callee.value), TensorType)


def _element(type: Type) -> Type | None:
    """The type of the elements of a list or a size."""
    return INT if type == SIZE else type.element if isinstance(type, ListType) else None


def _gathered(lowering: FunctionLowering, args: list[ast.expr], element: Type) -> list[ast.expr] | None:
    """The arguments of an operator with ``*xs`` of unknown length: those that are of its elements' type, up to the
    last, become one list, as in ``x.view([-1, *sizes])`` for ``x.view(-1, *sizes)``. None where others follow."""
    if element != INT and not isinstance(element, TensorType):
        return None
    first = len(args)
    while first > 0 and _is_part(lowering, args[first - 1], element):
        first -= 1
    if not any(isinstance(a, ast.Starred) for a in args[first:]) or any(
        isinstance(a, ast.Starred) for a in args[:first]
    ):
        return None
    return [*args[:first], ast.copy_location(ast.List(args[first:], ast.Load()), args[first])]


def _is_part(lowering: FunctionLowering, argument: ast.expr, element: Type) -> bool:
    """Whether an argument is, or is ``*`` of, elements of that type."""
    if not isinstance(argument, ast.Starred):
        held: Sequence[Type | None] = [type_of_expression(lowering, argument)]
    else:
        found = type_of_expression(lowering, argument.value)
        held = found.elements if isinstance(found, TupleType) else [None if found is None else _element(found)]
    return all(t == INT if element == INT else isinstance(t, TensorType) for t in held)


def _spread_dict(lowering: FunctionLowering, keyword: ast.keyword) -> list[ast.keyword]:
    value = keyword.value
    if isinstance(value, ast.Dict) and all(
        isinstance(k, ast.Constant) and isinstance(k.value, str) for k in value.keys
    ):
        return [
            ast.copy_location(ast.keyword(str(typing.cast(ast.Constant, k).value), v), v)
            for k, v in zip(value.keys, value.values, strict=True)
        ]
    if isinstance(value, ast.Call) and not value.args and all(k.arg for k in value.keywords):
        symbol = static(lowering, value.func)
        if isinstance(symbol, PythonSymbol) and symbol.value is dict:
            return value.keywords
    raise lowering.failure(errors.StarredArgument(lowering.span(value), "**"))


# ---- generic functions


def type_variables(function: PythonFunction, lowering: FunctionLowering) -> frozenset[str]:
    """The names of the type variables in the annotations of a function."""
    found: set[str] = set()
    arguments = function.tree.args
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        if argument.annotation is None:
            continue
        for node in ast.walk(argument.annotation):
            if isinstance(node, ast.Name) and _variable(function, lowering, node) is not None:
                found.add(node.id)
    return frozenset(found)


def _variable(function: PythonFunction, lowering: FunctionLowering, node: ast.Name) -> str | None:
    try:
        symbol = lowering.program.resolver.symbol(function.environment.lookup(node.id))
    except KeyError:
        return None
    found = isinstance(symbol, PythonSymbol) and isinstance(symbol.value, typing.TypeVar)
    return symbol.value.__name__ if isinstance(symbol, PythonSymbol) and found else None


def generic_instance(
    lowering: FunctionLowering, function: PythonFunction, variables: frozenset[str], node: ast.Call
) -> Instance:
    """The instance of a generic function for the types of the arguments of a call."""
    arguments = function.tree.args
    plain = [*arguments.posonlyargs, *arguments.args]
    given = dict(zip([a.arg for a in plain], node.args, strict=False))
    given |= {k.arg: k.value for k in node.keywords if k.arg}
    bindings: dict[str, Type] = {}
    known_first = sorted((*plain, *arguments.kwonlyargs), key=lambda a: isinstance(given.get(a.arg), ast.Lambda))
    for argument in known_first:
        value = given.get(argument.arg)
        if argument.annotation is None or value is None:
            continue
        if isinstance(value, ast.Lambda):
            type = _type_of_lambda(lowering, function, value, argument.annotation, bindings)
        else:
            type = type_of_expression(lowering, value)
        if type is not None:
            _infer(lowering, function, argument.annotation, type, bindings)
    missing = sorted(variables - set(bindings))
    if missing:
        raise lowering.failure(container_errors.UnboundVariable(lowering.span(node), function.name, missing[0]))
    made_of = function if function.keywords is not None else function.callable or function
    key = (made_of, tuple(sorted(bindings.items(), key=lambda item: item[0])))
    known = lowering.program.known(key)
    if known is not None:
        return known

    return lowering.program.lower_instance(function, key, graph_name(function), lowering.span(node), bindings)


def _type_of_lambda(
    lowering: FunctionLowering,
    function: PythonFunction,
    node: ast.Lambda,
    annotation: ast.expr,
    bindings: dict[str, Type],
) -> Type | None:
    """The type of a lambda with annotated parameter types, as far as type variables are known."""
    parts = (
        annotation.slice.elts
        if isinstance(annotation, ast.Subscript) and isinstance(annotation.slice, ast.Tuple)
        else []
    )
    if len(parts) != 2 or not isinstance(parts[0], ast.List):
        return None
    known = lowering.program.findings.mark()
    context = replace(lowering.context, bindings=bindings)
    types = [annotation_type(context, function, p) for p in parts[0].elts]
    lowering.program.findings.take_back(known)
    if None in types:
        return None
    return lambdas.type_of_lambda(lowering, node, [t for t in types if t is not None])


def _infer(
    lowering: FunctionLowering, function: PythonFunction, node: ast.expr, found: Type, bindings: dict[str, Type]
) -> None:
    """Bind the type variables in an annotation by the type of an argument."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        node = parse(node.value, mode="eval").body
    if isinstance(node, ast.Name):
        variable = _variable(function, lowering, node)
        if variable is not None:
            if not has_open_part(found) and found != NEVER:
                bindings.setdefault(variable, found)
        return
    if isinstance(node, ast.BinOp):
        for side in (node.left, node.right):
            _infer(lowering, function, side, _present(found), bindings)
        return
    if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name | ast.Attribute):
        return
    symbol = lowering.program.resolver.symbol(_looked_up(function, node.value))
    name = GENERIC.get(symbol.value, "") if isinstance(symbol, PythonSymbol) else ""
    parts = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
    if name in ("Optional", "Union"):
        for part in parts:
            _infer(lowering, function, part, _present(found), bindings)
        return
    for part, inner in zip(parts, _inner(found, name), strict=False):
        if isinstance(part, ast.List):
            assert isinstance(found, CallableType)
            for parameter, type in zip(part.elts, found.parameters, strict=False):
                _infer(lowering, function, parameter, type, bindings)
        else:
            _infer(lowering, function, part, inner, bindings)


def _looked_up(function: PythonFunction, node: ast.expr) -> object:
    if isinstance(node, ast.Name):
        try:
            return function.environment.lookup(node.id)
        except KeyError:
            return None
    return getattr(typing, node.attr, None) if isinstance(node, ast.Attribute) else None


def _present(found: Type) -> Type:
    return found.value if isinstance(found, OptionalType) else members_of(found)[0]


def _inner(found: Type, name: str) -> Sequence[Type]:
    match found:
        case ListType() | SetType():
            return (found.element,)
        case DictType():
            return (found.key, found.value)
        case TupleType():
            return found.elements
        case CallableType():
            return (found.result, found.result)
    return ()
