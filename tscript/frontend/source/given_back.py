"""Decorators that return the function they are given, told from their source: those that register functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def gives_back(function: ast.FunctionDef, called: bool) -> bool:
    """Whether each ``return`` of a decorator returns its one parameter, which nothing assigns.

    With `called`, the decorator is the result of a call of `function`: each ``return`` returns one inner function,
    for which that holds.
    """
    returned = [_name(node) for node in _own(function.body) if isinstance(node, ast.Return)]
    if not _ends(function.body) or len(set(returned)) != 1 or (name := returned[0]) is None:
        return False
    if called:
        inner = [n for n in function.body if isinstance(n, ast.FunctionDef) and n.name == name]
        if len(inner) != 1 or inner[0].decorator_list or _assigned(function.body, name, besides=inner[0]):
            return False
        return gives_back(inner[0], called=False)
    arguments = function.args
    taken = [*arguments.posonlyargs, *arguments.args]
    return bool(taken) and taken[0].arg == name and not _assigned(function.body, name)


def _name(node: ast.Return) -> str | None:
    return node.value.id if isinstance(node.value, ast.Name) else None


def _ends(body: list[ast.stmt]) -> bool:
    """Whether the last statement returns, so that no path falls off the end."""
    return bool(body) and isinstance(body[-1], ast.Return)


def _assigned(body: list[ast.stmt], name: str, besides: ast.stmt | None = None) -> bool:
    """Whether anything in a body, inner functions included, gives `name` a meaning."""
    for statement in body:
        for node in ast.walk(statement):
            match node:
                case ast.Name(id=found, ctx=ast.Store() | ast.Del()) if found == name:
                    return True
                case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() if (
                    node.name == name and node is not besides
                ):
                    return True
                case ast.ExceptHandler(name=found) | ast.MatchAs(name=found) | ast.MatchStar(name=found) if (
                    found == name
                ):
                    return True
                case ast.Import(names=aliases) | ast.ImportFrom(names=aliases) if any(
                    (a.asname or a.name) == name for a in aliases
                ):
                    return True
                case ast.Nonlocal(names=names) | ast.Global(names=names) if name in names:
                    return True
    return False


def _own(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """The nodes of a function, without those of inner functions and classes."""
    waiting: list[ast.AST] = list(body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            waiting += ast.iter_child_nodes(node)
