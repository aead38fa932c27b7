"""Suggestions for names in a function."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from tscript.diagnostics.suggest import close_matches
from tscript.frontend.lowering.scopes import Bound, Scope
from tscript.frontend.source.functions import PythonFunction
from tscript.frontend.source.symbols import LocalFunction
from tscript.types import CallableType, TensorType


def unannotated(function: PythonFunction, scope: Scope, node: ast.expr, wanted: str = "int") -> str:
    """The advice to annotate a parameter in an expression that is a Tensor because it has no annotation; else empty."""
    arguments = function.tree.args
    plain = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs) if a.annotation is None}
    for name in ast.walk(node):
        if isinstance(name, ast.Name) and name.id in plain:
            bound = scope.get(name.id)
            if isinstance(bound, Bound) and isinstance(bound.value.type, TensorType):
                return f"a parameter without annotation is a Tensor: annotate it, '{name.id}: {wanted}'"
    return ""


def meant_name(function: PythonFunction, scope: Scope, node: ast.Name, names: Iterable[str]) -> str:
    """The most similar name in a function: of a function if it is called, else of a value."""
    at = (node.lineno, node.col_offset)
    called, free = False, []
    for part in ast.walk(function.tree):
        match part:
            case ast.Call(func=callee, args=args, keywords=keywords):
                called |= isinstance(callee, ast.Name) and (callee.lineno, callee.col_offset) == at
                free += [*args, *(k.value for k in keywords)]
            case ast.ExceptHandler(type=ast.Tuple(elts=types)):
                free += types
            case (
                ast.ExceptHandler(type=ast.expr() as type)
                | ast.Raise(exc=ast.expr() as type)
                | ast.MatchClass(cls=type)
            ):
                free.append(type)
    either = not called and any((v.lineno, v.col_offset) == at for v in free)
    left = list(names)
    while close := close_matches(node.id, left):
        if either or _is_function(function, scope, close[0]) == called:
            return close[0]
        left = [name for name in left if name != close[0]]
    return ""


def _is_function(function: PythonFunction, scope: Scope, name: str) -> bool:
    """Whether a name means something that can be called."""
    if name in scope:
        bound = scope[name]
        return isinstance(bound, LocalFunction) or (
            isinstance(bound, Bound) and isinstance(bound.value.type, CallableType)
        )
    try:
        found = function.environment.lookup(name)
    except KeyError:
        return False
    return callable(found) or type(found).__module__.startswith("tscript.frontend")
