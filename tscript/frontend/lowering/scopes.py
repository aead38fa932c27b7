"""Local names: the binding of each at a point, and the names that source assigns.

A scope is a dict from name to `Bound`, or to why reading the name is an error. Branches work on copies; afterwards the
copies are merged (`tscript.frontend.lowering.merging`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from typing import Any

from tscript.diagnostics import Span
from tscript.frontend.source.symbols import LocalFunction, Symbol
from tscript.ir.graph import Value
from tscript.late import dataclass
from tscript.types import (
    KnownType,
    Type,
    union,
)

Narrowings = Sequence[tuple[ast.expr, Value, Type]]
"""Names and attributes, each with the binding of the name, or of the name in front of the attribute, and the narrowed
type."""


@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """A name with a value; `span` is the assignment.

    Attributes:
        origin: The binding before a condition narrowed its type; None if none did.
        says: What the value says about other names where it is true, and where it is false, if it is a test:
            ``has = x is not None``.
    """

    value: Value
    span: Span
    origin: Bound | None = None
    says: tuple[Narrowings, Narrowings] = ((), ())

    @property
    def base(self) -> Bound:
        """The binding without narrowing."""
        return self.origin or self


@dataclass(frozen=True, slots=True, eq=False)
class Poisoned:
    """A name whose assignment was an error already reported; reading it is silent."""


@dataclass(frozen=True, slots=True, eq=False)
class PartlyBound:
    """A name assigned on only some paths to this point.

    Attributes:
        span: The assignment.
        in_loop: Whether the assignment is in a loop that may not have run, not in a branch.
    """

    span: Span
    in_loop: bool


@dataclass(frozen=True, slots=True, eq=False)
class Conflicting:
    """A name with different types from two branches."""

    first: Bound
    second: Bound


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """A parameter that stands for what the call gives.

    Attributes:
        symbol: The meaning of it.
        type: Its type.
    """

    symbol: Symbol
    type: KnownType


Place = tuple[Value, str]
"""An attribute, or an attribute of an attribute: the binding of a name, and the dotted names after it."""


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """The narrowed types of attributes, by conditions and assignments; the entry `FACTS` of a scope.

    Attributes:
        types: Their types, where narrower than declared.
    """

    types: Mapping[Place, Type]

    def together(self, other: Facts) -> Facts:
        """The facts that hold on both paths."""
        both = [place for place in self.types if place in other.types]
        return Facts({place: union([self.types[place], other.types[place]]) for place in both})

    def without(self, name: str) -> Facts:
        """The facts that remain when attributes of this name, or all if it is empty, may have changed."""
        return Facts({p: t for p, t in self.types.items() if name and name not in p[1].split(".")})


Binding = Bound | Poisoned | PartlyBound | Conflicting | LocalFunction | Given | Facts
Scope = dict[str, Binding]
POISONED = Poisoned()

FACTS = "attributes "
"""The key of `Facts` in a scope; it is not a valid name."""

NOTHING = Facts({})


def given_in(scope: Scope) -> tuple[tuple[str, KnownType], ...]:
    """The parameters that stand for what the call gives."""
    return tuple((name, bound.type) for name, bound in scope.items() if isinstance(bound, Given))


def facts_in(scope: Scope) -> Facts:
    """The facts about attributes at a point."""
    found = scope.get(FACTS)
    return found if isinstance(found, Facts) else NOTHING


def meet(scopes: Sequence[Scope]) -> Facts:
    """The facts about attributes where several paths meet."""
    return reduce(Facts.together, map(facts_in, scopes)) if scopes else NOTHING


def assigned_names(nodes: Iterable[ast.AST], walrus: bool = True) -> dict[str, ast.AST]:
    """The local names that statements or targets assign anywhere inside, each with the first node that does.

    Args:
        nodes: Where to search.
        walrus: Whether expressions may contain a ``:=``; this search takes most of the time.
    """
    found: dict[str, ast.AST] = {}
    for node in nodes:
        if walrus:
            for inner in ast.walk(node):
                if isinstance(inner, ast.NamedExpr):
                    found.setdefault(inner.target.id, inner.target)
        _collect(node, found)
    return found


def _collect(node: ast.AST, found: dict[str, ast.AST]) -> None:
    handler = _COLLECT.get(type(node))
    if handler is not None:
        handler(node, found)


def _name(node: ast.Name, found: dict[str, ast.AST]) -> None:
    if not isinstance(node.ctx, ast.Load):
        found.setdefault(node.id, node)


def _elements(node: ast.Tuple | ast.List, found: dict[str, ast.AST]) -> None:
    for element in node.elts:
        _collect(element, found)


def _starred(node: ast.Starred, found: dict[str, ast.AST]) -> None:
    _collect(node.value, found)


def _assignment(node: ast.Assign, found: dict[str, ast.AST]) -> None:
    for target in node.targets:
        _collect(target, found)


def _target(node: ast.AnnAssign | ast.AugAssign, found: dict[str, ast.AST]) -> None:
    _collect(node.target, found)


def _branches(node: ast.If | ast.While, found: dict[str, ast.AST]) -> None:
    for statement in (*node.body, *node.orelse):
        _collect(statement, found)


def _loop(node: ast.For | ast.AsyncFor, found: dict[str, ast.AST]) -> None:
    for inner in (node.target, *node.body, *node.orelse):
        _collect(inner, found)


def _with(node: ast.With | ast.AsyncWith, found: dict[str, ast.AST]) -> None:
    for item in node.items:
        if item.optional_vars is not None:
            _collect(item.optional_vars, found)
    for statement in node.body:
        _collect(statement, found)


def _try(node: ast.Try | ast.TryStar, found: dict[str, ast.AST]) -> None:
    for part in (*node.handlers, *node.body, *node.orelse, *node.finalbody):
        _collect(part, found)


def _handler(node: ast.ExceptHandler, found: dict[str, ast.AST]) -> None:
    if node.name is not None:
        found.setdefault(node.name, node)
    for statement in node.body:
        _collect(statement, found)


def _match(node: ast.Match, found: dict[str, ast.AST]) -> None:
    for case in node.cases:
        _pattern(case.pattern, found)
        for statement in case.body:
            _collect(statement, found)


def _pattern(node: ast.pattern, found: dict[str, ast.AST]) -> None:
    for inner in ast.walk(node):
        if isinstance(inner, ast.MatchAs | ast.MatchStar) and inner.name is not None:
            found.setdefault(inner.name, inner)


def _definition(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, found: dict[str, ast.AST]) -> None:
    found.setdefault(node.name, node)


def _import(node: ast.Import | ast.ImportFrom, found: dict[str, ast.AST]) -> None:
    for alias in node.names:
        found.setdefault(alias.asname or alias.name.partition(".")[0], node)


_COLLECT: dict[type[ast.AST], Callable[[Any, dict[str, ast.AST]], None]] = {
    ast.Name: _name,
    ast.Tuple: _elements,
    ast.List: _elements,
    ast.Starred: _starred,
    ast.Assign: _assignment,
    ast.AnnAssign: _target,
    ast.AugAssign: _target,
    ast.If: _branches,
    ast.While: _branches,
    ast.For: _loop,
    ast.AsyncFor: _loop,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.TryStar: _try,
    ast.ExceptHandler: _handler,
    ast.Match: _match,
    **dict.fromkeys(ast.pattern.__subclasses__(), _pattern),
    ast.FunctionDef: _definition,
    ast.AsyncFunctionDef: _definition,
    ast.ClassDef: _definition,
    ast.Import: _import,
    ast.ImportFrom: _import,
}
"""The nodes that assign names. Only targets and statements: expressions assign only by ``:=``."""
