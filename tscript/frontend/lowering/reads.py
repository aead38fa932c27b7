"""`Reads`: what has been read by which part of an expression, and may have changed since."""

from __future__ import annotations

import ast

from tscript.frontend.lowering.scopes import Bound, Scope


class Reads:
    """What the expressions of one function have read.

    Attributes:
        changes: The number of times that something may have changed attributes.
    """

    def __init__(self) -> None:
        self.changes = 0
        self._read: dict[ast.expr, object] = {}
        """What each part of an expression read last: the binding of a name, and for an attribute also the number of
        possible changes before."""

    def note(self, node: ast.expr, scope: Scope) -> None:
        """Keep what a name or attribute, which has just been read, is at this point."""
        self._read[node] = self._state_of(node, scope)

    def is_as_read(self, node: ast.expr, scope: Scope) -> bool:
        """Whether a name or attribute is still what it was when the expression `node` read it."""
        return node in self._read and self._read[node] == self._state_of(node, scope)

    def _state_of(self, node: ast.expr, scope: Scope) -> object:
        if isinstance(node, ast.Attribute):
            return self._state_of(node.value, scope), self.changes
        binding = scope.get(node.id) if isinstance(node, ast.Name) else None
        return binding.base if isinstance(binding, Bound) else None
