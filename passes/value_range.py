"""Removes overflow and bounds checks that cannot fail, and comparisons whose result is certain.

Before::

    %n: int = len.str(%string)
    %sum: int = for L0 %i: int in range(%zero, %n, %one) (%s: int = %zero) {
      %c: int = code_at.str(%string, %i)
      %next: int = add.int(%i, %one)
      %more: bool = lt.int(%next, %zero)
      %t: int = add.int(%s, %c)
      continue L0 (%t)
    }

After::

    %n: int = len.str(%string)
    %sum: int = for L0 %i: int in range(%zero, %n, %one) (%s: int = %zero) {
      %c: int = code_in.str(%string, %i)
      %next: int = wrapping_add.int(%i, %one)
      %more: bool = const False
      %t: int = wrapping_add.int(%s, %c)
      continue L0 (%t)
    }

The range of an int (`tscript.passes.ranges`) follows from the range of a loop, the operands of a sum, the condition of
a branch. An operator that raises `OverflowError` is replaced by the one that computes modulo 2**64 if its result fits.
An index loses its check if it must be less than the length of the container. A list keeps its length while nothing can
make it shorter (`tscript.passes.lengths`).

A test that an int is no less than 0 and less than a size (``0 <= i < n``) is one comparison of unsigned ints, if the
size cannot be negative.

Operators without checks are only for the compiler: no file may contain them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from tscript.ir.graph import Graph, Op, Program, walk
from tscript.ir.rewrite import rewrite
from tscript.late import dataclass, replace
from tscript.passes.base import Pass, PassContext
from tscript.passes.index_checks import is_checked, is_element
from tscript.passes.lengths import is_alone

PROVED: Mapping[str, str] = {
    "add.int": "wrapping_add.int",
    "sub.int": "wrapping_sub.int",
    "mul.int": "wrapping_mul.int",
    "neg.int": "wrapping_neg.int",
    "abs.int": "wrapping_abs.int",
    "bitwise_left_shift.int": "wrapping_shl.int",
    "floor_divide.int": "wrapping_floor_divide.int",
}
"""The replacement of a checked operator whose result fits."""


@dataclass(frozen=True, slots=True)
class ValueRange(Pass):
    """Removes checks that cannot fail.

    Attributes:
        again: Whether only graphs count in which the index of an element that was read before a loop is checked.
        alone: Whether no task may make a list shorter; `knowing` finds out.
    """

    name: ClassVar[str] = "value_range"

    again: bool = False
    alone: bool = False

    def knowing(self, program: Program) -> Pass:
        """Whether it has tasks."""
        return replace(self, alone=is_alone(program))

    def run_graph(self, graph: Graph, program: Program, context: PassContext) -> bool:
        """Analyse, then rewrite."""
        proved = context.by_operator(PROVED)
        if not any(isinstance(n, Op) and (n.op in proved or is_checked(n)) for n in walk(graph.body)):
            return False
        if self.again and not any(is_checked(n) and is_element(n.inputs[0]) for n in walk(graph.body)):
            return False
        from tscript.passes.certain_checks import Search

        search = Search(graph, context, proved, alone=self.alone, again=self.again)
        search.run()
        changed = search.found or search.positions or search.guards or search.chunks or search.versions
        return bool(changed) and rewrite(graph.body, search.replace, search.mapping)


__all__ = ["ValueRange"]
