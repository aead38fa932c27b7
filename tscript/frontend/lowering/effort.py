"""`Effort`: what compiling a program may cost.

Some code is lowered more than once: the body of a loop over a tuple of mixed types for each element, final statements
for each way to them, a function inside a function for each call. Where such things stand inside each other, their
numbers multiply. (Those of loops that are lowered again with wider types do not:
`tscript.frontend.lowering.remembered`.) So every statement and
expression that is lowered is counted, and a program may take so many of them for each of its own: whatever it is, the
work is in proportion to its size. Programs that people write take about two.
"""

from __future__ import annotations

import ast

FLOOR = 20_000
"""Statements and expressions that any program may take."""
RATIO = 50
"""How many more for each node of its syntax trees."""


class TooMuchEffortError(Exception):
    """A program takes more than it may."""


class Effort:
    """The effort of one program.

    Attributes:
        spent: Statements and expressions lowered so far.
        allowed: How many there may be.
    """

    __slots__ = ("_known", "allowed", "spent")

    def __init__(self) -> None:
        self.spent = 0
        self.allowed = FLOOR
        self._known: set[ast.AST] = set()

    def extend(self, tree: ast.AST) -> None:
        """A function is part of the program."""
        if tree not in self._known:
            self._known.add(tree)
            self.allowed += RATIO * sum(1 for _ in ast.walk(tree))

    def spend(self) -> None:
        """Count one more.

        Raises:
            TooMuchEffortError: That is too much.
        """
        self.spent += 1
        if self.spent > self.allowed:
            raise TooMuchEffortError
