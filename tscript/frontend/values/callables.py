"""Functions as values: what makes one of a function, a lambda or a method, and calls of one.

Each becomes a graph with the parameters and the result of its `CallableType`, behind those for what it holds of the
function around. A value holds what names held when it was made, so such names are not assigned again later.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tscript.frontend.diagnostics import callable_errors, container_errors, errors
from tscript.frontend.diagnostics.advice import defining, narrowing
from tscript.frontend.diagnostics.type_names import article, conversion_help, shown
from tscript.frontend.lowering.arguments import refuse_stars
from tscript.frontend.lowering.lowering import Abandoned
from tscript.frontend.lowering.scopes import Bound, LocalFunction, Scope
from tscript.frontend.source.descriptions import describe
from tscript.frontend.source.signatures import Signature, read_signature
from tscript.frontend.source.symbols import (
    ExceptionSymbol,
    KnownSymbol,
    LocalSymbol,
    OperatorSymbol,
    PythonSymbol,
    Symbol,
)
from tscript.frontend.source.text import FunctionSymbol, IgnoredSymbol
from tscript.frontend.values import instances
from tscript.frontend.values.conversions import IMPLICIT
from tscript.ir.graph import Closure, Invoke, Value
from tscript.operators.core.opdef import OpDef
from tscript.operators.core.schema import REQUIRED
from tscript.types import (
    ANY,
    NONE,
    TENSOR,
    CallableType,
    ClassType,
    DictType,
    ListType,
    TensorType,
    TupleType,
    Type,
    is_subtype,
    members_of,
)
from tscript.types.inference import is_open

if TYPE_CHECKING:
    from tscript.diagnostics import Span
    from tscript.frontend.language import LanguageLowering
    from tscript.frontend.lowering.program import Instance
    from tscript.frontend.source.text import PythonFunction

_FUNCTIONS = (
    ExceptionSymbol | FunctionSymbol | IgnoredSymbol | KnownSymbol | LocalSymbol | OperatorSymbol | PythonSymbol
)


def lower_function(lowering: LanguageLowering, node: ast.expr, target: Type | None) -> Value:
    """A lambda, a name or an attribute where a value of type `target` is declared, which it may still not be."""
    wanted = _wanted(target)
    if wanted is None:
        if isinstance(node, ast.Lambda):
            raise lowering.failure(callable_errors.UntypedFunction(lowering.span(node), "this lambda"))
        return lowering.value(node)
    if isinstance(node, ast.Lambda):
        return _closure(lowering, node, node, wanted)
    symbol = lowering.static(node)
    if isinstance(symbol, _FUNCTIONS):
        _check_type(lowering, symbol, node, wanted)
        return _closure(lowering, node, _calling(lowering, node, node, len(wanted.parameters)), wanted)
    if symbol is None and isinstance(node, ast.Attribute):
        return _bound_method(lowering, node, wanted)
    return lowering.value(node)


def place_type(lowering: LanguageLowering, target: ast.Subscript | ast.Attribute) -> Type:
    """The type of what an element or attribute that is assigned to holds; `ANY` where nothing says it."""
    owner = lowering.type_of_expression(target.value)
    match owner:
        case ListType():
            return owner.element
        case DictType():
            return owner.value
        case ClassType() if isinstance(target, ast.Attribute):
            return owner.info.fields.get(target.attr, ANY)
    return ANY


def _wanted(target: Type | None) -> CallableType | None:
    """The member of a declared type that a function can be, or None."""
    found = [m for m in members_of(target) if isinstance(m, CallableType)] if target is not None else []
    return found[0] if len(found) == 1 else None


def _calling(lowering: LanguageLowering, node: ast.expr, function: ast.expr, count: int) -> ast.Lambda:
    """``lambda a, b: function(a, b)``."""
    taken = {n.id for n in ast.walk(function) if isinstance(n, ast.Name)}
    names = [n for i in range(count + len(taken)) if (n := f"_{i}") not in taken][:count]
    arguments = ast.arguments([], [ast.arg(n) for n in names], None, [], [], None, [])
    call = ast.Call(function, [ast.Name(n, ast.Load()) for n in names], [])
    made = ast.copy_location(ast.Lambda(arguments, call), node)
    for inner in ast.walk(made):
        if "lineno" in inner._attributes and not hasattr(inner, "lineno"):
            ast.copy_location(inner, node)
    return made


def _bound_method(lowering: LanguageLowering, node: ast.Attribute, wanted: CallableType) -> Value:
    """An attribute of a value: what it holds, or a method with the value in front."""
    owner = lowering.value(node.value)
    definition = instances.definition_of(owner)
    method = definition.method(node.attr) if definition is not None else None
    if method is None or method[1].kind == "property":
        held = lowering.object_attribute(owner, node.attr, lowering.span(node))
        if held is not None:
            return held
    name = f"_self{lowering.fresh_hidden()[1:]}"
    lowering.scope[name] = Bound(owner, lowering.span(node))
    function = ast.copy_location(ast.Attribute(ast.Name(name, ast.Load()), node.attr, ast.Load()), node)
    found = _closure(lowering, node, _calling(lowering, node, function, len(wanted.parameters)), wanted)
    del lowering.scope[name]
    return found


# ---- making values


def _check_type(lowering: LanguageLowering, symbol: Symbol, node: ast.expr, wanted: CallableType) -> None:
    """Refuse a function whose own type says that it does not fit."""
    found = function_type(lowering, symbol, node)
    if found is None or len(found.parameters) != len(wanted.parameters):
        return
    pairs = [*zip(wanted.parameters, found.parameters, strict=True), (found.result, wanted.result)]
    if not all(a == b or (a, b) in IMPLICIT or is_subtype(a, b) for a, b in pairs):
        what, at = _named(symbol), lowering.span(node)
        raise lowering.failure(callable_errors.FunctionType(at, what, shown(found), shown(wanted)))


def _named(symbol: Symbol) -> str:
    return f"the function '{symbol.shown}'" if isinstance(symbol, LocalSymbol) else describe(symbol)


def function_type(lowering: LanguageLowering, symbol: Symbol, node: ast.expr) -> CallableType | None:
    """The type of a function by its name where nothing else says it: that of its signature; None when it has none."""
    match symbol:
        case FunctionSymbol():
            from tscript.frontend.values.functions import type_variables

            if type_variables(symbol.function, lowering):
                return None
            instance = lowering.program.instance(symbol.function, lowering.span(node))
            return _of_signature(lowering, symbol.function, instance.signature, instance.result, node)
        case IgnoredSymbol():
            signature = read_signature(lowering.context, symbol.function, TENSOR, {})
            return _of_signature(lowering, symbol.function, signature, signature.result, node)
        case LocalSymbol(function=LocalFunction(node=ast.FunctionDef() as tree)):
            function = replace(lowering.function, name=tree.name, tree=tree, callable=None, annotations={})
            signature = read_signature(lowering.context, function, TENSOR, {})
            types = _positional(signature)
            if types is None:
                return None
            lam = _calling(lowering, node, node, len(types))
            instance, _, _ = _instance(lowering, lam, CallableType(types, TENSOR), infer=True)
            return _of_signature(lowering, function, signature, instance.result, node)
    return None


def type_of_lambda(lowering: LanguageLowering, node: ast.Lambda, parameters: Sequence[Type]) -> CallableType:
    """The type of a lambda with parameters of these types: it returns what its body gives."""
    type = CallableType(tuple(parameters), NONE)
    instance, _, _ = _instance(lowering, node, type, infer=True)
    if instance.result is None:
        raise Abandoned
    return CallableType(type.parameters, instance.result)


def _of_signature(
    lowering: LanguageLowering, function: PythonFunction, signature: Signature, result: Type | None, node: ast.expr
) -> CallableType | None:
    types = _positional(signature)
    if not signature.valid:
        raise Abandoned
    if result is None:
        raise lowering.failure(errors.RecursionWithoutType(lowering.span(node), function.name, function.header))
    return None if types is None else CallableType(types, result)


def _positional(signature: Signature) -> tuple[Type, ...] | None:
    """The types of the parameters that a value has: those without defaults; None when it cannot be called so."""
    needed = [p for p in signature.parameters if p.default is REQUIRED]
    types = [p.type for p in needed if p.type is not None and p.positional and not p.variadic]
    return tuple(types) if len(types) == len(needed) else None


def named_function(lowering: LanguageLowering, symbol: Symbol, node: ast.expr) -> Value | None:
    """A function by its name as a value where nothing declares one; None when it is no function."""
    if not isinstance(symbol, _FUNCTIONS):
        return None
    type = function_type(lowering, symbol, node)
    if type is None:
        raise lowering.failure(callable_errors.UntypedFunction(lowering.span(node), _named(symbol)))
    return _closure(lowering, node, _calling(lowering, node, node, len(type.parameters)), type)


def _closure(lowering: LanguageLowering, node: ast.expr, function: ast.Lambda, wanted: CallableType) -> Value:
    """The value that is a lambda; `node` is what the user wrote."""
    span = lowering.span(node)
    instance, held, values = _instance(lowering, function, wanted)
    lowering.closed |= dict.fromkeys(held, node)
    check_captured(lowering, held, node)
    return lowering.emit(Closure(instance.graph.name, values, wanted, span))


def _instance(
    lowering: LanguageLowering, function: ast.Lambda, wanted: CallableType, *, infer: bool = False
) -> tuple[Instance, list[str], list[Value]]:
    """The graph of a lambda for a type, the names it holds, and all values it holds. `infer`: it returns what it
    does."""
    from tscript.frontend.values.functions import free_names

    span = lowering.span(function)
    held: dict[str, Value] = {}
    for name in free_names(lowering, LocalFunction(function, span)):
        value = lowering.read(ast.copy_location(ast.Name(name, ast.Load()), function))
        assert value is not None
        if is_open(value.type):
            kind = str(value.type).partition("[")[0]
            raise lowering.failure(container_errors.OpenContainer(span, kind, name, f"{kind}[int]"))
        held[name] = value
    own = [*function.args.posonlyargs, *function.args.args]
    count = len(wanted.parameters)
    defaults = [None] * (len(own) - len(function.args.defaults)) + list(function.args.defaults)
    extra = [*zip(own[count:], defaults[count:], strict=True)]
    extra += zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
    if len(own) < count or any(d is None for _, d in extra) or function.args.vararg or function.args.kwarg:
        found = f"{len(own)} argument{'' if len(own) == 1 else 's'}"
        raise lowering.failure(callable_errors.FunctionParameters(span, "this lambda", found, shown(wanted), count))
    front = list(held.items())
    for argument, default in extra:
        assert default is not None
        front.append((argument.arg, lowering.value(default)))
    types = {n: v.type for n, v in front} | {a.arg: t for a, t in zip(own, wanted.parameters, strict=False)}
    parameters = [ast.arg(n) for n in [*(n for n, _ in front), *(a.arg for a in own[:count])]]
    arguments = ast.arguments(parameters, [], None, [], [], None, [])
    body = ast.copy_location(ast.Return(function.body), function.body)
    tree = ast.FunctionDef(name="lambda", args=arguments, body=[body], decorator_list=[], returns=None)
    ast.copy_location(tree, function)
    for argument in parameters:
        ast.copy_location(argument, function)
    made = replace(
        lowering.function,
        name="lambda",
        qualname=f"{lowering.function.qualname}.lambda",
        tree=tree,
        callable=None,
        annotations={},
    )
    key = (function, None if infer else wanted, tuple(types.items()))
    program = lowering.program
    instance = program.known(key)
    if instance is None:
        functions: Scope = {n: b for n, b in lowering.scope.items() if isinstance(b, LocalFunction)}
        instance = program.lower_instance(
            made,
            key,
            f"{lowering.graph.name}.lambda",
            span,
            lowering.context.bindings,
            types=types,
            functions=functions,
            result=None if infer else wanted.result,
        )
    if instance.findings.diagnostics:
        raise Abandoned
    lowering.closed |= {n: function for n in instance.closed if n in held}
    return instance, list(held), [v for _, v in front]


# ---- names that a value holds


def check_captured(lowering: LanguageLowering, names: Sequence[str], node: ast.expr) -> None:
    """Refuse names that a value made at `node` holds and that are assigned after that."""
    for name in names:
        assigned = _assigned_after(lowering.function.tree, name, node)
        if assigned is not None:
            instead = f"pass '{name}' as an argument, or use another name for the new value"
            if isinstance(node, ast.Lambda):
                instead = f"hold what it is now: 'lambda ..., {name}={name}: ...', or pass it as an argument"
            raise lowering.failure(
                callable_errors.CapturedRebound(lowering.span(node), name, instead, lowering.span(assigned))
            )


_Place = tuple[int, int]


def _begin(node: ast.AST) -> _Place:
    return node.lineno, node.col_offset  # type: ignore[attr-defined]


def _end(node: ast.AST) -> _Place:
    return node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]


def _assigned_after(tree: ast.AST, name: str, at: ast.expr) -> ast.AST | None:
    """An assignment of a name that may run after an expression has: behind it, or in a loop around both."""
    place = _begin(at)
    for found, until, loops in _assignments(tree, name, (), ()):
        if until > place or any(_begin(loop) <= place < _end(loop) for loop in loops):
            return found
    return None


_LOOPS = ast.For | ast.While
_SCOPES = ast.FunctionDef | ast.Lambda
_COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_SIMPLE = ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Expr | ast.Return | ast.Delete


def _assignments(
    node: ast.AST, name: str, loops: tuple[ast.AST, ...], around: tuple[ast.AST, ...]
) -> Iterator[tuple[ast.AST, _Place, tuple[ast.AST, ...]]]:
    """Each assignment of a name, where what it belongs to ends, and the loops around it."""
    for inner in ast.iter_child_nodes(node):
        statement = around
        if isinstance(inner, _SIMPLE | _LOOPS):
            statement = (inner,)
        elif isinstance(inner, ast.stmt):
            statement = ()
        binds = (isinstance(inner, ast.Name) and inner.id == name and not isinstance(inner.ctx, ast.Load)) or (
            isinstance(inner, ast.FunctionDef | ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and inner.name == name
        )
        if binds:
            yield inner, _end(statement[0] if statement else inner), loops
        if isinstance(inner, _SCOPES):
            continue
        if isinstance(inner, _COMPREHENSIONS):
            yield from _assignments(inner, name, (*loops, inner), (inner,))
        else:
            yield from _assignments(inner, name, (*loops, inner) if isinstance(inner, _LOOPS) else loops, statement)


# ---- functions that stay in Python


def python_operator(
    lowering: LanguageLowering, function: PythonFunction, signature: Signature, node: ast.expr
) -> tuple[OpDef, Type]:
    """The operator that calls a function that stays in Python, and its result."""
    if not signature.valid:
        raise Abandoned
    if signature.result is None:
        raise lowering.failure(callable_errors.UndeclaredPython(lowering.span(node), function.name))
    parameters = [(p.name, p.type) for p in signature.parameters if p.type is not None]
    target = function.callable
    if target is None:

        def target(*args: object) -> object:
            raise RuntimeError(f"{function.name}() stays in Python, and its file has been read, not run")

    made = lowering.program.resolver.python.operator(
        function.qualname,
        target,
        parameters,
        signature.result,
        variadic=any(p.variadic for p in signature.parameters),
        keywords=[p.name for p in signature.parameters if not p.positional],
    )
    return made, signature.result


# ---- calls


def call_value(lowering: LanguageLowering, function: Value, node: ast.Call) -> Value:
    """The call of a function that is a value."""
    type = function.type
    assert isinstance(type, CallableType)
    refuse_stars(lowering, node)
    if node.keywords:
        at = lowering.span(node.keywords[0])
        problem = f"has no parameter '{node.keywords[0].arg}': its parameters have no names"
        raise lowering.failure(callable_errors.CallArguments(at, shown(type), problem, "give arguments by position"))
    wanted = type.parameters
    if len(node.args) != len(wanted):
        problem = f"takes {len(wanted)} argument{'' if len(wanted) == 1 else 's'}, {len(node.args)} given"
        instead = "give it as many as its type says"
        raise lowering.failure(callable_errors.CallArguments(lowering.span(node), shown(type), problem, instead))
    values = [lowering.value_as(a, t) for a, t in zip(node.args, wanted, strict=True)]
    return invoke(lowering, function, values, lowering.span(node), [lowering.span(a) for a in node.args])


def invoke(
    lowering: LanguageLowering, function: Value, args: Sequence[Value], span: Span, places: Sequence[Span] = ()
) -> Value:
    """Call a function that is a value with values."""
    type = function.type
    assert isinstance(type, CallableType)
    if len(args) != len(type.parameters):
        problem = f"takes {len(type.parameters)} arguments, {len(args)} given"
        raise lowering.failure(callable_errors.CallArguments(span, shown(type), problem, "take a function of as many"))
    inputs = [function]
    for i, (value, wanted) in enumerate(zip(args, type.parameters, strict=True)):
        at = places[i] if places else span
        converted = lowering.coerce(value, wanted, at)
        if converted is None:
            problem = f"takes {article(wanted)} as argument {i + 1}, not {article(value.type)}"
            instead = conversion_help(value, wanted)
            raise lowering.failure(callable_errors.CallArguments(at, shown(type), problem, instead))
        inputs.append(converted)
    return lowering.emit(Invoke(inputs, type.result, span))


def refuse_call(lowering: LanguageLowering, found: Type, node: ast.expr) -> Abandoned:
    """The error for a call of a value that is no function."""
    from tscript.frontend.diagnostics import type_errors

    instead = (
        narrowing([found])
        or defining(found, "__call__")
        or "call a function, or a value of a type such as Callable[[int], int]"
    )
    if isinstance(node, ast.Name) and hasattr(builtins, node.id):
        instead = f"'{node.id}' is a local name here and hides the builtin: give the local another name"
    elif isinstance(node, ast.Attribute) and not isinstance(found, ClassType | TensorType):
        instead = narrowing([found]) or f"it is a value: write '{ast.unparse(node)}', without the parentheses"
    elif isinstance(found, ListType | DictType | TupleType | TensorType):
        instead = f"an element is written with brackets: {ast.unparse(node)}[...]"
    return lowering.failure(type_errors.NotCallable(lowering.span(node), article(found), instead))


__all__ = [
    "call_value",
    "check_captured",
    "function_type",
    "invoke",
    "lower_function",
    "named_function",
    "refuse_call",
]
