"""Annotations of a dialect function before its type variables are bound."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from tscript.dialect import TypeVariable
from tscript.frontend.dialect.program import is_type_parameter
from tscript.frontend.source.classes import ClassDefinition, Method
from tscript.frontend.source.functions import PythonFunction
from tscript.frontend.source.names import NameResolver, pointer_to
from tscript.frontend.source.resolver import Assigned, Resolver
from tscript.frontend.source.symbols import (
    PointerSymbol,
    PythonSymbol,
    Symbol,
    TypeVariableSymbol,
)
from tscript.late import dataclass
from tscript.parsing import parse
from tscript.types import PtrType, Type


@lru_cache(maxsize=4096)
def dialect_function(fn: Callable[..., Any]) -> PythonFunction:
    """The dialect function behind a function object, read once per process."""
    return PythonFunction.from_callable(fn)


class DialectResolver(NameResolver):
    """A resolver whose functions are read once per process."""

    def function(self, fn: Callable[..., Any]) -> PythonFunction:
        """See `Resolver`."""
        return dialect_function(fn)

    def assigned(
        self,
        definition: ClassDefinition,
        method: Method,
        declared: Mapping[str, Type],
        given: Mapping[str, Type | None] = MappingProxyType({}),
    ) -> Assigned:
        """See `Resolver`: the dialect has no instances."""
        return Assigned({}, [])


@dataclass(frozen=True, slots=True)
class Shape:
    """A function's parameters before its type variables are bound.

    Attributes:
        patterns: Per parameter its annotation's symbol; None for a type parameter.
        variables: The type variables in them, in the result and in the body.
    """

    names: tuple[str, ...]
    patterns: tuple[Symbol | None, ...]
    variables: frozenset[str]
    defaults: Mapping[str, ast.expr]


@lru_cache(maxsize=4096)
def shape_of(function: PythonFunction) -> Shape:
    """The parameters of a dialect function with the type variables in their annotations; read once per process."""
    resolver = DialectResolver()
    arguments = function.tree.args
    plain = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    patterns: list[Symbol | None] = []
    for argument in plain:
        if argument.annotation is None:
            patterns.append(TypeVariableSymbol("T"))
        elif is_type_parameter(argument):
            patterns.append(None)
        else:
            patterns.append(_pattern(resolver, function, argument.annotation, function.annotations.get(argument.arg)))
    variables: set[str] = set()
    for pattern in patterns:
        _collect(pattern, variables)
    if function.tree.returns is not None:
        _collect(_pattern(resolver, function, function.tree.returns, function.annotations.get("return")), variables)
    for name in _global_names(function.tree):
        try:
            value = function.environment.lookup(name)
        except KeyError:
            continue
        if isinstance(value, TypeVariable):
            variables.add(value.name)
    positional = plain[: len(arguments.posonlyargs) + len(arguments.args)]
    defaults = dict(
        zip([a.arg for a in positional[len(positional) - len(arguments.defaults) :]], arguments.defaults, strict=True)
    )
    return Shape(tuple(a.arg for a in plain), tuple(patterns), frozenset(variables), defaults)


def _global_names(tree: ast.FunctionDef) -> set[str]:
    return {node.id for statement in tree.body for node in ast.walk(statement) if isinstance(node, ast.Name)}


def _pattern(resolver: Resolver, function: PythonFunction, node: ast.expr, evaluated: object) -> Symbol:
    """An annotation as a symbol with type variables."""
    match node:
        case ast.Constant(value=str(text)):
            return _pattern(resolver, function, parse(text, mode="eval").body, evaluated)
        case ast.Name(id=name):
            try:
                return resolver.symbol(function.environment.lookup(name))
            except KeyError:
                if evaluated is not None and not isinstance(evaluated, str):
                    return resolver.symbol(evaluated)
        case ast.Attribute(value=owner, attr=name):
            found = resolver.member(_pattern(resolver, function, owner, None), name)
            if found is not None:
                return found
        case ast.Subscript(value=owner, slice=inner):
            if isinstance(_pattern(resolver, function, owner, None), PointerSymbol):
                pointee = getattr(evaluated, "pointee", None)
                return pointer_to(_pattern(resolver, function, inner, pointee))
    return PythonSymbol(None)


def _collect(pattern: Symbol | None, variables: set[str]) -> None:
    match pattern:
        case TypeVariableSymbol():
            variables.add(pattern.name)
        case PointerSymbol(pointee=pointee):
            _collect(pointee, variables)


def bind(pattern: Symbol, type: Type, bindings: dict[str, Type]) -> None:
    """Bind the type variables in `pattern` by matching it with `type`."""
    match pattern:
        case TypeVariableSymbol():
            bindings.setdefault(pattern.name, type)
        case PointerSymbol(pointee=Symbol() as pointee) if isinstance(type, PtrType):
            bind(pointee, type.pointee, bindings)
