"""`Remembered`: results of lowering a loop or `try`, with which the next lowering begins.

A loop is lowered again when a name needs a wider type from the beginning, or when less is known of an attribute. The
loops inside it are lowered again too, and would need the same number of tries again: two for each level
are 2**depth. So the result of each loop is kept at its place in the enclosing loop while that is lowered again. With
the same types before it, the loop begins with this result. If the types around it have changed, as they do a few times,
it begins without any. If they have changed often, it begins with the types that names with the same first type have
needed so far, which only grow.

The results only determine the start. Lowering still checks that they suffice.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence

from tscript.diagnostics import Span
from tscript.frontend.lowering.scopes import Bound, Facts, Place, Scope, facts_in
from tscript.frontend.source.functions import PythonFunction
from tscript.frontend.source.symbols import LocalFunction
from tscript.ir.graph import Value
from tscript.late import dataclass
from tscript.types import Type

FRESH = 4
"""How often a loop begins without results, for different types before it."""

Path = tuple[str, str]
"""A name, and the dotted names after it."""


@dataclass(frozen=True, slots=True)
class Step:
    """What a loop needs before it is lowered again.

    Attributes:
        widened: Types of names.
        forgotten: Attributes without narrowed types, by names that lead to them.
        places: These attributes themselves, valid only in the lowering that found them.
    """

    widened: Mapping[str, Type]
    forgotten: frozenset[Path]
    places: frozenset[Place] = frozenset()

    def facts(self, scope: Scope) -> Facts:
        """The narrowed types that remain valid."""
        known = facts_in(scope).types
        paths = paths_of(scope) if self.forgotten else {}
        return Facts({p: t for p, t in known.items() if p not in self.places and paths.get(p) not in self.forgotten})


@dataclass(frozen=True, slots=True)
class Start:
    """The start of a loop.

    Attributes:
        state: The facts before it.
        steps: What it needs, in order of discovery.
        is_hopeless: Whether its types grow with each lowering.
    """

    state: object
    steps: Sequence[Step]
    is_hopeless: bool = False


class Remembered:
    """The results of one loop or `try` at its place in the enclosing one, or of a function, the outermost.

    Args:
        names: Those in the source at a place.
        outer: That of the enclosing loop.
    """

    __slots__ = ("_counts", "_grown", "_inner", "_names", "_outer", "_seen", "is_hopeless")

    def __init__(self, names: Names, outer: Remembered | None = None) -> None:
        self._names = names
        self._outer = outer
        self._inner: dict[tuple[Span, int], Remembered] = {}
        self._counts: dict[Span, int] = {}
        self._seen: dict[object, Start] = {}
        self._grown: dict[tuple[str, Type], Type] = {}
        self.is_hopeless = False

    def begin(self) -> None:
        """Lower its content from the beginning."""
        self._counts.clear()

    def inner(self, span: Span) -> Remembered:
        """The results of the next loop at `span` in it."""
        count = self._counts.get(span, 0)
        self._counts[span] = count + 1
        found = self._inner.get((span, count))
        if found is None:
            found = self._inner[span, count] = Remembered(self._names, self)
        return found

    def start(self, scope: Scope, span: Span) -> Start | None:
        """The start; None if there are no results."""
        if not self._seen:
            return None
        state = self.state(scope, span)
        found = self._seen.get(state)
        if found is not None or len(self._seen) < FRESH:
            return found or Start(state, ())
        wide: dict[str, Type] = {}
        for name, binding in scope.items():
            if isinstance(binding, Bound) and (grown := self._grown.get((name, binding.base.value.type))) is not None:
                wide[name] = grown
        forgotten = frozenset(path for known in self._seen.values() for step in known.steps for path in step.forgotten)
        return Start(state, [Step(wide, forgotten)], self.is_hopeless)

    def keep(self, start: Start, before: Scope, wider: Callable[[Type, Type], Type]) -> None:
        """Record the result of a loop.

        Args:
            start: Its start.
            before: The bindings before it.
            wider: The type that takes values of two types.
        """
        if self._outer is None or not start.steps:
            return
        self._seen[start.state] = start
        self.is_hopeless |= start.is_hopeless
        for step in start.steps:
            for name, wide in step.widened.items():
                binding = before.get(name)
                if isinstance(binding, Bound):
                    key = name, binding.base.value.type
                    earlier = self._grown.get(key)
                    self._grown[key] = wide if earlier is None else wider(earlier, wide)

    def state(self, scope: Scope, span: Span) -> object:
        """The facts before it about the names that it uses."""
        names = self._names.at(span)
        if names is None or any(isinstance(scope.get(name), LocalFunction) for name in names):
            names = frozenset(scope)
        relevant = frozenset((name, _relevant(scope[name])) for name in names if name in scope)
        paths = paths_of(scope)
        return relevant, frozenset((paths[p], t) for p, t in facts_in(scope).types.items() if p in paths)


def _relevant(binding: object) -> object:
    """The relevant part of a binding."""
    match binding:
        case Bound(value=value):
            constant = value.constant if value.member is None else value.member
            simple = isinstance(constant, bool | int | float | str | None)
            return value.type, binding.base.value.type, type(constant), repr(constant) if simple else ""
        case LocalFunction(node=node):
            return node
        case Facts():
            return Facts
    return type(binding)


def paths_of(scope: Scope) -> Mapping[Place, Path]:
    """The attributes with narrowed types, by a name that leads to each."""
    known = facts_in(scope).types
    if not known:
        return {}
    names: dict[Value, str] = {}
    for name, binding in scope.items():
        if isinstance(binding, Bound):
            names.setdefault(binding.base.value, name)
            names.setdefault(binding.value, name)
    return {place: (names[place[0]], place[1]) for place in known if place[0] in names}


class Names:
    """The names used in the source at a place, for the places of one function."""

    __slots__ = ("_found", "_function", "_lines")

    def __init__(self, function: PythonFunction) -> None:
        self._function = function
        self._lines: dict[int, list[ast.stmt | ast.expr]] | None = None
        self._found: dict[Span, frozenset[str] | None] = {}

    def at(self, span: Span) -> frozenset[str] | None:
        """The names; None for a place that is not a statement or expression of the function."""
        if span not in self._found:
            tree = self._node(span)
            self._found[span] = None if tree is None else _names_in(tree)
        return self._found[span]

    def _node(self, span: Span) -> ast.stmt | ast.expr | None:
        """The first node at a place, from outside in."""
        function = self._function
        if self._lines is None:
            self._lines = {}
            for node in ast.walk(function.tree):
                if isinstance(node, ast.stmt | ast.expr):
                    line: int | None = getattr(node, "lineno", None)  # nodes that no source has may lack it
                    at = function.header.line if line is None else line + function.line_offset
                    self._lines.setdefault(at, []).append(node)
        return next((node for node in self._lines.get(span.line, ()) if function.span(node) == span), None)


def _names_in(tree: ast.AST) -> frozenset[str]:
    return frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
