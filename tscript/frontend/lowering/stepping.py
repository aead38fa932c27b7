"""``zip``, ``enumerate`` and ``map`` over a dict or set, step by step, so that a change during iteration raises as in
CPython."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tscript.diagnostics import Span
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.hidden import fresh_hidden, hidden_value
from tscript.frontend.lowering.iteration import Entries, Indexed, Stepped
from tscript.frontend.lowering.merging import merge
from tscript.frontend.lowering.scopes import Bound
from tscript.ir.graph import Value
from tscript.late import dataclass
from tscript.types import BOOL, INT


@dataclass(slots=True)
class Together(Stepped):
    """The elements of several sources in parallel, until the first of them ends.

    Attributes:
        inner: The sources.
        make: Makes an element from one of each.
    """

    inner: Sequence[Stepped]
    make: Callable[[list[Value]], Value]

    def begin(self, lowering: FunctionLowering, span: Span) -> list[str]:
        """See `Stepped`."""
        return [name for source in self.inner for name in source.begin(lowering, span)]

    def has_next(self, lowering: FunctionLowering, span: Span) -> Value:
        """See `Stepped`. Sources after one that has ended are not advanced."""

        def ask(position: int) -> Value:
            found = self.inner[position].has_next(lowering, span)
            if position + 1 == len(self.inner):
                return found
            then = lowering.branch(lambda: ask(position + 1))
            orelse = lowering.branch(lambda: lowering.const(False, BOOL, span))
            out = merge(lowering, found, then, orelse, span, BOOL)
            assert out is not None
            return out

        return ask(0)

    def next(self, lowering: FunctionLowering, span: Span) -> Value:
        """See `Stepped`."""
        return self.make([source.next(lowering, span) for source in self.inner])


@dataclass(slots=True)
class Steps(Stepped):
    """An indexed source, one element after the other."""

    inner: Indexed
    name: str = ""

    def begin(self, lowering: FunctionLowering, span: Span) -> list[str]:
        """See `Stepped`."""
        self.name = fresh_hidden(lowering)
        lowering.scope[self.name] = Bound(lowering.const(0, INT, span), span)
        return [self.name]

    def has_next(self, lowering: FunctionLowering, span: Span) -> Value:
        """See `Stepped`."""
        return self.inner.exists(lowering, hidden_value(lowering, self.name), span)

    def next(self, lowering: FunctionLowering, span: Span) -> Value:
        """See `Stepped`."""
        place = hidden_value(lowering, self.name)
        following = lowering.apply("wrapping_add", [place, lowering.const(1, INT, span)], span)
        lowering.scope[self.name] = Bound(following, span)
        return self.inner.item(lowering, place, span)


@dataclass(slots=True)
class Numbers(Stepped):
    """The numbers from `start` on."""

    start: Value
    name: str = ""

    def begin(self, lowering: FunctionLowering, span: Span) -> list[str]:
        """See `Stepped`."""
        self.name = fresh_hidden(lowering)
        lowering.scope[self.name] = Bound(self.start, span)
        return [self.name]

    def has_next(self, lowering: FunctionLowering, span: Span) -> Value:
        """See `Stepped`."""
        return lowering.const(True, BOOL, span)

    def next(self, lowering: FunctionLowering, span: Span) -> Value:
        """See `Stepped`."""
        number = hidden_value(lowering, self.name)
        following = lowering.apply("wrapping_add", [number, lowering.const(1, INT, span)], span)
        lowering.scope[self.name] = Bound(following, span)
        return number


def in_steps(source: Indexed | Stepped) -> Stepped:
    """A source as a stepped one."""
    return source if isinstance(source, Stepped) else Steps(source)


def can_step(source: object) -> bool:
    """Whether a source need not be copied to a list: entries of a dict or set, and sources of this module."""
    return isinstance(source, Entries | Together)
