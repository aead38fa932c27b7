"""Slices, ranges and ``...`` under a name: ``rows = slice(1, n)``, ``steps = range(n)``, ``rest = Ellipsis``.

Compiled code has no such values. A local name that always stands for one is replaced by what it stands for, whose
bounds have names of their own::

    rows = slice(a, a + 2)      rows_start, rows_stop = a, a + 2
    return x[rows]              return x[rows_start:rows_stop]

``slice(...)`` and ``Ellipsis`` in an index become ``:`` and ``...``; ``a, b = slice(n), slice(m)`` are two assignments.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from tscript.late import dataclass

MADE = ("slice", "range", "Ellipsis")
"""Names of builtins that make such values."""

_PARTS = ("start", "stop", "step")

Made = TypeVar("Made", bound=ast.AST)


@dataclass(frozen=True, slots=True)
class Kept:
    """What one assignment gives a name.

    Attributes:
        kind: A name of `MADE`, or ``tuple`` for an index of several parts.
        parts: The bounds; of a tuple its elements, of which each may be a `Kept`.
    """

    kind: str
    parts: tuple[Any, ...] = ()


def replace_index_values(tree: ast.AST, text: str, is_builtin: Callable[[str], bool]) -> None:
    """Replace them in all functions of a tree, which is changed.

    Args:
        tree: Of a function or a module.
        text: Its source, for a quick test whether it names them.
        is_builtin: Whether a global name is the builtin.
    """
    if not any(name in text for name in ("slice(", "Ellipsis", "= range(", "= ...")):
        return
    known = frozenset(filter(is_builtin, MADE))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            _in_function(node, known)


def _in_function(tree: ast.FunctionDef, known: frozenset[str]) -> None:
    bound = _names_bound(tree)
    known = known - bound.keys()
    apart = _Apart(known)
    tree.body = [one for statement in tree.body for one in apart.statements(statement)]
    given: dict[str, list[Kept]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            kept = _kept(node.value, known)
            if kept is not None and (kept.kind != "tuple" or any(isinstance(p, Kept) for p in kept.parts)):
                given.setdefault(node.targets[0].id, []).append(kept)
    names = {
        name: _Name(name, kepts, bound.keys())
        for name, kepts in given.items()
        if bound[name] == len(kepts) and len({_shape(k) for k in kepts}) == 1
    }
    changing = _Replacing(names, known)
    tree.body = [changing.visit(statement) for statement in tree.body]


def _names_bound(tree: ast.FunctionDef) -> dict[str, int]:
    """How often each name is bound in a function, parameters and inner functions included."""
    found: dict[str, int] = defaultdict(int)
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                found[name] += 1
            case ast.FunctionDef(name=name) | ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                found[name] += 1
            case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                found[name] += 1
            case ast.alias(name=name, asname=other):
                found[other or name] += 1
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                for name in names:
                    found[name] += 2
            case ast.AugAssign(target=ast.Name(id=name)) | ast.AnnAssign(target=ast.Name(id=name)):
                found[name] += 1
    return found


def _kept(node: ast.expr, known: frozenset[str]) -> Kept | None:
    """What an expression gives; None for other values."""
    match node:
        case ast.Constant(value=value) if value is ...:
            return Kept("Ellipsis")
        case ast.Name(id="Ellipsis") if "Ellipsis" in known:
            return Kept("Ellipsis")
        case ast.Call(func=ast.Name(id="slice" | "range" as name), args=args, keywords=[]) if name in known:
            if not 1 <= len(args) <= 3 or any(isinstance(a, ast.Starred) for a in args):
                return None
            nothing, zero, one = ast.Constant(None), ast.Constant(0), ast.Constant(1)
            first, last = (nothing, nothing) if name == "slice" else (zero, one)
            start, stop, *step = [first, *args] if len(args) == 1 else args
            return Kept(name, (start, stop, *(step or [last])))
        case ast.Tuple(elts=parts) if not any(isinstance(e, ast.Starred) for e in parts):
            return Kept("tuple", tuple(_kept(e, known) or e for e in parts))
    return None


def _shape(kept: Kept) -> tuple[object, ...]:
    """The kinds of a value and its parts; those of all assignments of a name are the same."""
    return kept.kind, *(_shape(p) if isinstance(p, Kept) else "" for p in kept.parts)


class _Name:
    """A name and what it stands for.

    Args:
        name: The name.
        kepts: What its assignments give it, all of one shape.
        taken: Names that the function has.
    """

    def __init__(self, name: str, kepts: Sequence[Kept], taken: Any) -> None:
        self.taken = taken
        self.bounds: list[str] = []
        """Names of the bounds that are not the same constants everywhere."""
        self.paths: list[tuple[int, ...]] = []
        self.meant = self._meaning(name, kepts, ())

    def _meaning(self, name: str, kepts: Sequence[Kept], path: tuple[int, ...]) -> Kept:
        parts: list[Any] = []
        for i, alike in enumerate(zip(*(k.parts for k in kepts), strict=True)):
            written = f"{name}_{i if kepts[0].kind == 'tuple' else _PARTS[i]}"
            if isinstance(alike[0], Kept):
                parts.append(self._meaning(written, alike, (*path, i)))
            elif isinstance(alike[0], ast.Constant) and len({ast.dump(a) for a in alike}) == 1:
                parts.append(alike[0])
            else:
                while written in self.taken:
                    written += "_"
                self.bounds.append(written)
                self.paths.append((*path, i))
                parts.append(ast.Name(written, ast.Load()))
        return Kept(kepts[0].kind, tuple(parts))

    def assignment(self, node: ast.Assign, kept: Kept) -> ast.stmt:
        """The bounds of one assignment."""
        values: list[ast.expr] = []
        for path in self.paths:
            part: Any = kept
            for step in path:
                part = part.parts[step]
            values.append(part)
        if not values:
            return ast.copy_location(ast.Pass(), node)
        target = node.targets[0]
        stores: list[ast.expr] = [ast.copy_location(ast.Name(n, ast.Store()), target) for n in self.bounds]
        if len(stores) == 1:
            return _placed(ast.Assign([stores[0]], values[0]), node)
        return _placed(ast.Assign([ast.Tuple(stores, ast.Store())], ast.Tuple(values, ast.Load())), node)


def _placed(made: Made, node: ast.AST) -> Made:
    """A new tree whose nodes without a place get that of a node."""
    for part in ast.walk(made):
        if isinstance(part, ast.stmt | ast.expr) and not hasattr(part, "lineno"):
            ast.copy_location(part, node)
    return made


def _as_value(kept: Kept, node: ast.expr) -> ast.expr:
    """What a name stands for as an expression."""
    if kept.kind == "Ellipsis":
        return ast.copy_location(ast.Constant(...), node)
    parts = [_as_value(p, node) if isinstance(p, Kept) else _copied(p) for p in kept.parts]
    made = (
        ast.Tuple(parts, ast.Load()) if kept.kind == "tuple" else ast.Call(ast.Name(kept.kind, ast.Load()), parts, [])
    )
    found: ast.expr = _placed(made, node)
    return found


def _copied(part: ast.expr) -> ast.expr:
    """A constant or the name of a bound, without a place."""
    return ast.Constant(part.value) if isinstance(part, ast.Constant) else ast.Name(_name_of(part), ast.Load())


def _name_of(node: ast.expr) -> str:
    assert isinstance(node, ast.Name)
    return node.id


class _Apart(ast.NodeTransformer):
    """Writes ``a, b = slice(n), slice(m)`` as two assignments, unless the second reads what the first assigns."""

    def __init__(self, known: frozenset[str]) -> None:
        self.known = known

    def statements(self, node: ast.stmt) -> list[ast.stmt]:
        """What stands for a statement."""
        found: Any = self.visit(node)
        return found if isinstance(found, list) else [found]

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.Assign]:
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=targets) | ast.List(elts=targets)], value=ast.Tuple(elts=values)):
                pass
            case _:
                return node
        kept = [_kept(value, self.known) for value in values]
        if len(targets) != len(values) or not any(k is not None and k.kind in MADE for k in kept):
            return node
        names = [target.id for target in targets if isinstance(target, ast.Name)]
        if len(set(names)) != len(targets):
            return node
        for i, value in enumerate(values):
            if any(isinstance(part, ast.Name) and part.id in names[:i] for part in ast.walk(value)):
                return node
        return [_placed(ast.Assign([t], v), node) for t, v in zip(targets, values, strict=True)]


class _Replacing(ast.NodeTransformer):
    """Replaces names by what they stand for, and writes indices with ``:`` and ``...``."""

    def __init__(self, names: dict[str, _Name], known: frozenset[str]) -> None:
        self.names, self.known = names, known

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        target = node.targets[0]
        found = self.names.get(target.id) if isinstance(target, ast.Name) else None
        kept = None if found is None else _kept(node.value, self.known)
        if found is None or kept is None:
            return self.generic_visit(node)
        return self.generic_visit(found.assignment(node, kept))

    def visit_Name(self, node: ast.Name) -> ast.AST:
        found = self.names.get(node.id)
        if found is None or not isinstance(node.ctx, ast.Load):
            return node
        return _as_value(found.meant, node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """``r.start`` of a range or slice."""
        found = self.names.get(node.value.id) if isinstance(node.value, ast.Name) else None
        if found is not None and found.meant.kind in ("range", "slice") and node.attr in _PARTS:
            return ast.copy_location(_copied(found.meant.parts[_PARTS.index(node.attr)]), node)
        return self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        node.slice = self._index(node.slice)
        return node

    def _index(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.Tuple):
            node.elts = [self._index(element) for element in node.elts]
            return node
        kept = None if isinstance(node, ast.Constant) else _kept(node, self.known)
        if kept is None or kept.kind == "range":
            return node
        if kept.kind == "Ellipsis":
            return ast.copy_location(ast.Constant(...), node)
        bounds = [None if isinstance(p, ast.Constant) and p.value is None else p for p in kept.parts]
        return _placed(ast.Slice(*bounds), node)


__all__ = ["replace_index_values"]
