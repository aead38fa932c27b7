"""`Remembered`: what the lowerings of a loop or `try` have shown, so that the next one begins with it.

A loop is lowered again when it turns out that a name needs a wider type from its beginning on, or that less is known of
an attribute. All that stands in it is lowered again too, and would find out the same things in the same number of
tries: two for each loop, one inside the other, are 2**depth. So what each loop has come to is kept where it stands in
the one around it, while that is lowered again: with the same types before it, it begins with what it ended with. Where
the types around it change from one lowering to the next, as they do a few times, it begins as if nothing were known;
when they have changed often, with the types that names with the same beginning have needed so far, which only grow.

What is remembered says only what to begin with. Whether that is enough is seen by lowering, as always.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tscript.diagnostics import Span
from tscript.frontend.lowering.scopes import Bound, Facts, Place, Scope, facts_in
from tscript.frontend.source.functions import PythonFunction
from tscript.frontend.source.symbols import LocalFunction
from tscript.ir.graph import Value
from tscript.types import Type

FRESH = 4
"""How often a loop begins as if nothing were known, for different types before it."""

Path = tuple[str, str]
"""A name, and the dotted names behind it."""


@dataclass(frozen=True, slots=True)
class Step:
    """What a loop needs before it is lowered again.

    Attributes:
        widened: Types of names.
        forgotten: Attributes of which nothing is known, by names that lead to them.
        places: Such attributes themselves; they mean something only in the lowering that found them.
    """

    widened: Mapping[str, Type]
    forgotten: frozenset[Path]
    places: frozenset[Place] = frozenset()

    def facts(self, scope: Scope) -> Facts:
        """What is still known of attributes."""
        known = facts_in(scope).types
        paths = paths_of(scope) if self.forgotten else {}
        return Facts({p: t for p, t in known.items() if p not in self.places and paths.get(p) not in self.forgotten})


@dataclass(frozen=True, slots=True)
class Start:
    """What a loop begins with.

    Attributes:
        state: What is known before it.
        steps: What it needs, one after the other.
        is_hopeless: Whether its types grow with each lowering.
    """

    state: object
    steps: Sequence[Step]
    is_hopeless: bool = False


class Remembered:
    """What is known of one loop or `try` at its place in the one around it, or of a function, which is around them all.

    Args:
        names: Those in the source at a place.
        outer: That of the loop around.
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
        """What stands in it is lowered from its beginning."""
        self._counts.clear()

    def inner(self, span: Span) -> Remembered:
        """What is known of the next loop at `span` in it."""
        count = self._counts.get(span, 0)
        self._counts[span] = count + 1
        found = self._inner.get((span, count))
        if found is None:
            found = self._inner[span, count] = Remembered(self._names, self)
        return found

    def start(self, scope: Scope, span: Span) -> Start | None:
        """What to begin with; None when nothing is known."""
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
        """Remember what a loop has come to.

        Args:
            start: It.
            before: What names were bound to before it.
            wider: The type that holds values of two types.
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
        """What is known before it of the names that it speaks of."""
        names = self._names.at(span)
        if names is None or any(isinstance(scope.get(name), LocalFunction) for name in names):
            names = frozenset(scope)
        told = frozenset((name, _told(scope[name])) for name in names if name in scope)
        paths = paths_of(scope)
        return told, frozenset((paths[p], t) for p, t in facts_in(scope).types.items() if p in paths)


def _told(binding: object) -> object:
    """What matters of a binding."""
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
    """The attributes of which something is known, by a name that leads to each."""
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
    """The names that the source at a place speaks of, for the places of one function."""

    __slots__ = ("_found", "_function", "_nodes")

    def __init__(self, function: PythonFunction) -> None:
        self._function = function
        self._nodes: dict[Span, ast.AST] | None = None
        self._found: dict[Span, frozenset[str] | None] = {}

    def at(self, span: Span) -> frozenset[str] | None:
        """Them; None for a place that is no statement or expression of the function."""
        if self._nodes is None:
            self._nodes = {}
            for node in ast.walk(self._function.tree):
                if isinstance(node, ast.stmt | ast.expr):
                    self._nodes.setdefault(self._function.span(node), node)
        if span not in self._found:
            tree = self._nodes.get(span)
            self._found[span] = None if tree is None else _names_in(tree)
        return self._found[span]


def _names_in(tree: ast.AST) -> frozenset[str]:
    return frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
