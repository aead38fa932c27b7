"""`Effort`: the budget for compiling a program.

Some code is lowered more than once: the body of a loop over a tuple of mixed types for each element, a ``finally`` body
    for each exit, an inner function for each call. Nesting multiplies these numbers. (Those of loops that are lowered
    again with wider types do not:
`tscript.frontend.lowering.remembered`.) So every lowered statement and expression is counted, and a program may take a
fixed number of them for each node of its syntax trees. The work stays in proportion to its size. Programs that people
write take about two.
"""

from __future__ import annotations

import ast

FLOOR = 20_000
"""Statements and expressions that every program may take."""
RATIO = 50
"""Additional ones for each node of its syntax trees."""


class TooMuchEffortError(Exception):
    """A program exceeds its budget."""


class Effort:
    """The effort of one program.

    Attributes:
        spent: Statements and expressions lowered so far.
        allowed: The budget so far: the trees of `_uncounted` are counted when it is used up.
    """

    __slots__ = ("_known", "_uncounted", "allowed", "spent")

    def __init__(self) -> None:
        self.spent = 0
        self.allowed = FLOOR
        self._known: set[ast.AST] = set()
        self._uncounted: list[ast.AST] = []

    def extend(self, tree: ast.AST) -> None:
        """Add the budget for a function of the program."""
        if tree not in self._known:
            self._known.add(tree)
            self._uncounted.append(tree)

    def spend(self) -> None:
        """Count one more.

        Raises:
            TooMuchEffortError: The budget is exceeded.
        """
        self.spent += 1
        while self.spent > self.allowed and self._uncounted:
            self.allowed += RATIO * sum(1 for _ in ast.walk(self._uncounted.pop()))
        if self.spent > self.allowed:
            raise TooMuchEffortError
