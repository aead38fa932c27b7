"""The functions that a function calls or names, found in its syntax tree, and their best order of lowering: each before
those that need its result. So lowering them needs no recursion."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Iterator

from tscript.diagnostics import CompileError, Span
from tscript.frontend.lowering.scopes import assigned_names
from tscript.frontend.source import libraries
from tscript.frontend.source.functions import FunctionSymbol, PythonFunction
from tscript.frontend.source.resolver import Resolver
from tscript.frontend.source.symbols import ModuleSymbol, Symbol


def lowered_first(
    function: PythonFunction, resolver: Resolver, is_known: Callable[[PythonFunction], bool]
) -> Iterator[tuple[list[Span], PythonFunction]]:
    """The functions that `function` needs, directly or not, each after those that it needs itself, with the calls that
    lead to it.

    Of functions that call each other in a circle, only the first that is reached is given: which of them can be lowered
    before the others depends on what they declare. (These are the roots of the strongly connected components, in
    Tarjan's order.)

    Args:
        function: The function; it is left out, with those that call it.
        resolver: Says what names mean.
        is_known: Whether a function has been lowered, or is being lowered.
    """
    number = {function: 0}
    lowest = {function: 0}
    component = [function]
    pending = {function}
    calls: list[Span] = []
    work = [(function, callees(function, resolver))]
    while work:
        at, rest = work[-1]
        for node, callee in rest:
            if callee in pending:
                lowest[at] = min(lowest[at], number[callee])
            elif callee not in number and not is_known(callee):
                number[callee] = lowest[callee] = len(number)
                component.append(callee)
                pending.add(callee)
                calls.append(at.span(node))
                work.append((callee, callees(callee, resolver)))
                break
        else:
            work.pop()
            if not work:
                return
            above = work[-1][0]
            lowest[above] = min(lowest[above], lowest[at])
            if lowest[at] == number[at]:
                while at in pending:
                    pending.discard(component.pop())
                if not is_known(at):
                    yield calls, at
            calls.pop()


def callees(function: PythonFunction, resolver: Resolver) -> Iterator[tuple[ast.expr, PythonFunction]]:
    """The functions that a function calls or names, each once with the place; functions of classes are left out."""
    arguments = function.tree.args
    local = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    local |= {a.arg for a in (arguments.vararg, arguments.kwarg) if a is not None}
    local |= assigned_names(function.tree.body).keys()
    seen: set[PythonFunction] = set()
    calls: dict[ast.expr, ast.expr] = {}
    for statement in function.tree.body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Call):
                calls[node.func] = node
            if not isinstance(node, ast.Name | ast.Attribute) or not isinstance(node.ctx, ast.Load):
                continue
            try:
                found = _symbol(function, node, local, resolver)
            except CompileError:  # its source cannot be read, which is reported at the call
                continue
            if isinstance(found, FunctionSymbol) and found.function not in seen:
                seen.add(found.function)
                yield calls.get(node, node), found.function


def _symbol(function: PythonFunction, node: ast.expr, local: set[str], resolver: Resolver) -> Symbol | None:
    """The symbol of a name or dotted name that names a function or a module; None for all others."""
    match node:
        case ast.Name(id=name) if name not in local:
            try:
                value = function.environment.lookup(name)
            except KeyError:
                return None
            is_function = isinstance(value, PythonFunction | types.FunctionType) or hasattr(
                value, "__tscript_function__"
            )
            if not is_function:
                return resolver.symbol(value) if isinstance(value, types.ModuleType | ModuleSymbol) else None
            return None if libraries.refused(value, function, resolver) else resolver.symbol(value)
        case ast.Attribute(value=inner, attr=name):
            owner = _symbol(function, inner, local, resolver)
            if isinstance(owner, ModuleSymbol) and isinstance(
                owner.members.get(name), PythonFunction | types.FunctionType
            ):
                return None if libraries.at(function, node, resolver) else resolver.member(owner, name)
    return None
