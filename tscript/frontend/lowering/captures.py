"""Names that function values capture. They may not be assigned again."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from tscript.frontend.diagnostics import callable_errors
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.scopes import Given, assigned_names
from tscript.frontend.source.symbols import LocalFunction


def check_captured(lowering: FunctionLowering, names: Sequence[str], node: ast.expr) -> None:
    """Refuse names that the function value made at `node` captures and that are assigned later."""
    for name in names:
        assigned = _assigned_after(lowering.function.tree, name, node)
        if assigned is not None:
            instead = f"pass '{name}' as an argument, or use another name for the new value"
            if isinstance(node, ast.Lambda):
                instead = f"capture its current value: 'lambda ..., {name}={name}: ...', or pass it as an argument"
            raise lowering.failure(
                callable_errors.CapturedRebound(lowering.span(node), name, instead, lowering.span(assigned))
            )


_Place = tuple[int, int]


def _begin(node: ast.AST) -> _Place:
    return node.lineno, node.col_offset  # type: ignore[attr-defined]


def _end(node: ast.AST) -> _Place:
    return node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]


def _assigned_after(tree: ast.AST, name: str, at: ast.expr) -> ast.AST | None:
    """An assignment of a name that may run after an expression: it follows it, or a loop contains both."""
    place = _begin(at)
    for found, until, loops in _assignments(tree, name, (), ()):
        if until > place or any(begin <= place < end for begin, end in loops):
            return found
    return None


_LOOPS = ast.For | ast.While


_SCOPES = ast.FunctionDef | ast.Lambda


_COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


_SIMPLE = ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Expr | ast.Return | ast.Delete


def _repeated(loop: ast.AST) -> tuple[_Place, _Place]:
    """The part of a loop that may run again: all but its ``else``. Of anything else: all."""
    return _begin(loop), _end(loop.body[-1] if isinstance(loop, _LOOPS) else loop)


def _assignments(
    node: ast.AST, name: str, loops: tuple[tuple[_Place, _Place], ...], around: tuple[ast.AST, ...]
) -> Iterator[tuple[ast.AST, _Place, Sequence[tuple[_Place, _Place]]]]:
    """Each assignment of a name, with the end of its statement and the loops around it."""
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
            yield inner, _repeated(statement[0] if statement else inner)[1], loops
        if isinstance(inner, _SCOPES):
            continue
        if isinstance(inner, _COMPREHENSIONS):
            yield from _assignments(inner, name, (*loops, _repeated(inner)), (inner,))
        else:
            repeats = isinstance(inner, _LOOPS)
            yield from _assignments(inner, name, (*loops, _repeated(inner)) if repeats else loops, statement)


def free_names(lowering: FunctionLowering, function: LocalFunction) -> list[str]:
    """The names of the enclosing function that a function reads, itself or through other inner functions."""
    found: dict[str, None] = {}
    reads = lowering.program.reads
    pending, seen = [function], {function}
    while pending:
        node = pending.pop().node
        if node not in reads:
            reads[node] = names_read(node)
        for name in reads[node]:
            binding = lowering.scope.get(name)
            if isinstance(binding, Given):
                continue
            if isinstance(binding, LocalFunction):
                if binding not in seen:
                    seen.add(binding)
                    pending.append(binding)
            elif name in lowering.local_names or binding is not None:
                found.setdefault(name)
    return list(found)


def names_read(node: ast.FunctionDef | ast.Lambda) -> list[str]:
    """Names that a function reads and does not bind."""
    arguments = node.args
    own = {a.arg for a in ast.walk(arguments) if isinstance(a, ast.arg)}
    body: Sequence[ast.AST] = node.body if isinstance(node, ast.FunctionDef) else [node.body]
    own |= set(assigned_names(body, True))
    nodes = (n for part in body for n in ast.walk(part))
    read = (n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and n.id not in own)
    return list(dict.fromkeys(read))
