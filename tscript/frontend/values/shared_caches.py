"""A function with a cache that all code shares (`PythonFunction.cache`): its body looks up the cache, and calls the
function without it on a miss.

The IR is the same for threads, tasks and archives: containers that are `Shared`, and the operators of
`tscript.operators.python.caches`.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple

from tscript.diagnostics import Diagnostic
from tscript.frontend.diagnostics import errors
from tscript.frontend.diagnostics.abandoned import Abandoned
from tscript.frontend.diagnostics.type_names import article
from tscript.frontend.lowering.bodies import lower_statements
from tscript.frontend.lowering.calls import call_python
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.names import bind
from tscript.frontend.lowering.program import Instance, graph_name, instance_key
from tscript.frontend.lowering.returns import lower_return
from tscript.frontend.lowering.scopes import Bound
from tscript.frontend.lowering.tuples import make_tuple
from tscript.frontend.source.classes import class_definition
from tscript.frontend.source.functions import Cache, PythonFunction
from tscript.frontend.source.hashing import NONE as WITHOUT
from tscript.frontend.source.hashing import asks, source_of, unhashable_part
from tscript.frontend.source.object_types import TypeContext
from tscript.frontend.source.resolver import Resolver
from tscript.frontend.source.signatures import Signature, read_signature
from tscript.ir.graph import Call, Value
from tscript.operators.python import caches as operators
from tscript.operators.python.caches import is_kept, is_plain
from tscript.parsing import parse
from tscript.types import (
    ANY,
    BOOL,
    FLOAT,
    INT,
    NONE,
    TENSOR,
    ClassType,
    DictType,
    ListType,
    OptionalType,
    SetType,
    TupleType,
    Type,
    members_of,
)

_HIT = "_cache_hit"
_STATE = ListType(INT)


class _Key(NamedTuple):
    """The key of a cache for the arguments of a function.

    Attributes:
        parts: The expression of each part of the key, in the language.
        type: Its type.
    """

    parts: tuple[str, ...]
    type: Type


def fits(resolver: Resolver, function: PythonFunction) -> bool:
    """Whether threads can share the cache of a function: its parameters and its result are declared immutable types
    with builtin comparison. Unhashable types are accepted too: they raise an error instead of using a cache."""
    wrong: list[Diagnostic] = []
    signature = read_signature(TypeContext(resolver, wrong.append), function, TENSOR, {})
    return not wrong and _problem(function, signature) == ""


def keeps(instance: Instance) -> bool:
    """Whether compiled code has a cache for a function."""
    cache = instance.function.cache
    assert cache is not None
    return not cache.is_in_front or (cache.maxsize is None and not _problem(instance.function, instance.signature))


def _problem(function: PythonFunction, signature: Signature) -> str:
    """Why a cache cannot be shared; empty if it can."""
    arguments = function.tree.args
    if arguments.vararg is not None or arguments.kwarg is not None:
        return "a cache around a function with '*' parameters"
    if not all(p.declared or isinstance(p.type, ClassType) for p in signature.parameters):
        return "a cache around a function whose parameters have no types"
    if signature.result is None:
        return "a cache around a function that does not say what it returns"
    if not is_kept(signature.result):
        return f"a cache around a function that returns {article(signature.result)}"
    for parameter in signature.parameters:
        type = parameter.type
        if type is not None and not unhashable(type) and (asks(type) or not is_plain(type)):
            return f"a cache around a function that takes {article(type)}"
    return ""


def unhashable(type: Type) -> str:
    """The name of the unhashable Python class in a type; empty if there is none."""
    match unhashable_part(type):
        case ListType():
            return "list"
        case DictType():
            return "dict"
        case SetType():
            return "set"
        case ClassType() as part:
            definition = class_definition(part)
            return definition.name if definition is not None and source_of(definition)[0] == WITHOUT else ""
    return ""


_NUMBERS = {BOOL: "bool", INT: "int", FLOAT: "float"}


def _key(signature: Signature, typed: bool) -> _Key:
    """The key of a call."""
    return key_of([(p.name, p.type) for p in signature.parameters if p.type is not None], typed)


def key_of(parameters: Sequence[tuple[str, Type]], typed: bool) -> _Key:
    """The key of a call with arguments of these names and types. As in Python, numbers of different types are different
    keys with ``typed=True``, and a single int differs from other numbers."""
    parts: list[str] = []
    types: list[Type] = []
    for argument, type in parameters:
        parts.append(argument)
        types.append(type)
        numbers = [name for number, name in _NUMBERS.items() if number in members_of(type)]
        if len(numbers) < 2:
            continue
        if typed:
            kinds = [f"{i} if isinstance({argument}, {name}) else" for i, name in enumerate(numbers)]
            parts.append(f"{' '.join(kinds)} {len(numbers)}")
            types.append(INT)
        elif len(parameters) == 1 and "int" in numbers:
            others = [name for name in numbers if name != "int"]
            parts.append(f"0 if isinstance({argument}, ({', '.join(others)},)) else 1")
            types.append(INT)
    if not types:
        return _Key(("0",), INT)
    return _Key(tuple(parts), types[0] if len(types) == 1 else TupleType(tuple(types)))


def _row(result: Type) -> bool:
    """Whether an entry has to be a tuple, because a missing entry would look like a result."""
    return result == ANY or isinstance(result, OptionalType) or NONE in members_of(result)


def _containers(
    lowering: FunctionLowering, cache: Cache, signature: Signature, at: PythonFunction
) -> tuple[Value, Value]:
    assert signature.result is not None
    kept = TupleType((signature.result,)) if _row(signature.result) else signature.result
    # Unhashable keys are never stored.
    key = INT if any(p.type and unhashable(p.type) for p in signature.parameters) else _key(signature, cache.typed).type
    held = lowering.const(cache.held, DictType(key, kept), at.header)
    return held, lowering.const(cache.state, _STATE, at.header)


def lower(lowering: FunctionLowering, instance: Instance) -> None:
    """The body of a function with a cache."""
    try:
        if instance.signature.valid:
            _lower(lowering, instance)
    except Abandoned:
        lowering.program.findings.abandoned.append(instance.function.header)
        lowering.lost_return = True


def _lower(lowering: FunctionLowering, instance: Instance) -> None:
    function, signature = instance.function, instance.signature
    cache = function.cache
    assert cache is not None
    if not keeps(instance):
        lower_return(lowering, _asked(lowering, instance, cache), function.header)
        return
    decorator = next(iter(function.tree.decorator_list), function.tree)
    problem = _problem(function, signature)
    if problem:
        instead = "annotate parameters and result with numbers, strings, or tuples of them"
        raise lowering.failure(errors.UnsupportedStatement(function.span(decorator), problem, instead))
    names = [name for p in signature.parameters if p.type is not None and (name := unhashable(p.type))]
    if names:
        _statements(lowering, f"raise TypeError({f'unhashable type: {names[0]!r}'!r})", function)
        return
    span = function.header
    held, state = _containers(lowering, cache, signature, function)
    parts = [lowering.value(_expression(part, function)) for part in _key(signature, cache.typed).parts]
    key = parts[0] if len(parts) == 1 else make_tuple(lowering, parts, span)
    ordered = lowering.constant(bool(cache.maxsize), span)
    assert isinstance(held.type, DictType)
    found = lowering.leaf(operators.FIND, [held, state, key, ordered], OptionalType(held.type.value), span)
    result = signature.result
    assert result is not None
    row = _row(result)
    if cache.maxsize != 0:
        bind(lowering, _HIT, found, span)
        _statements(lowering, f"if {_HIT} is not None:\n    return {_HIT}{'[0]' if row else ''}", function)
    made = _asked(lowering, instance, cache) if cache.is_in_front else _computed(lowering, instance, cache)
    if cache.maxsize != 0:
        kept = make_tuple(lowering, [made], span) if row else made
        size = lowering.constant(-1 if cache.maxsize is None else cache.maxsize, span)
        lowering.leaf(operators.KEEP, [held, state, key, kept, size], NONE, span)
    lower_return(lowering, made, span)


def _asked(lowering: FunctionLowering, instance: Instance, cache: Cache) -> Value:
    """The result of Python's cache."""

    function, parameters = instance.function, instance.signature.parameters
    given = [f"*{p.name}" if p.variadic else p.name if p.positional else f"{p.name}={p.name}" for p in parameters]
    call = _expression(f"f({', '.join(given)})", function)
    assert isinstance(call, ast.Call)
    first = parameters[0] if parameters else None
    return call_python(lowering, call, cache.body, None if first is None or first.declared else first.type)


def _computed(lowering: FunctionLowering, instance: Instance, cache: Cache) -> Value:
    """The result of the function."""

    function, signature, span = instance.function, instance.signature, instance.function.header
    builder, body = lowering.program, cache.body
    types = {p.name: p.type for p in signature.parameters if not p.declared and p.type is not None}
    inner = builder.known(instance_key(body)) or builder.lower_instance(
        body, instance_key(body), graph_name(body), span, types=types
    )
    if inner.result is None:
        raise Abandoned
    inputs: list[Value] = []
    for own, parameter in zip(signature.parameters, inner.signature.parameters, strict=True):
        bound = lowering.scope[own.name]
        assert isinstance(bound, Bound)
        is_int = own.type != parameter.type  # a float for which an int may be passed
        inputs.append(lowering.value(_expression(f"float({own.name})", function)) if is_int else bound.value)
    return lowering.emit(Call(inner.graph.name, inputs, inner.result, span))


def counts(lowering: FunctionLowering, instance: Instance, node: ast.Call) -> Value:
    """Hits, misses and size of the cache of a function."""
    held, state = _of(lowering, instance)
    return lowering.leaf(operators.COUNTS, [held, state], TupleType((INT, INT, INT)), lowering.span(node))


def clear(lowering: FunctionLowering, instance: Instance, node: ast.Call) -> Value:
    """``f.cache_clear()``"""
    return lowering.leaf(operators.CLEAR, list(_of(lowering, instance)), NONE, lowering.span(node))


def _of(lowering: FunctionLowering, instance: Instance) -> tuple[Value, Value]:
    function, signature = instance.function, instance.signature
    assert function.cache is not None
    if not signature.valid or _problem(function, signature):
        raise Abandoned
    return _containers(lowering, function.cache, signature, function)


def _parsed(text: str, function: PythonFunction) -> ast.Module:
    tree: ast.Module = parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt | ast.expr):
            ast.copy_location(node, function.tree)
    return tree


def _expression(text: str, function: PythonFunction) -> ast.expr:
    (statement,) = _parsed(text, function).body
    assert isinstance(statement, ast.Expr)
    return statement.value


def _statements(lowering: FunctionLowering, text: str, function: PythonFunction) -> None:

    lower_statements(lowering, _parsed(text, function).body)


__all__ = ["clear", "counts", "fits", "keeps", "key_of", "lower", "unhashable"]
