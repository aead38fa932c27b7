"""What loops, comprehensions and builtins iterate over. Iterators exist only in the compiler, and are consumed where
they are written.

A `Source` is one of three kinds. An `Indexed` one has a length and elements by number (lists, strings, ranges, tensors,
and `zip`, `enumerate`, `map`, `reversed` of such); a `Stepped` one tests for a next element and returns it (dicts,
sets, iterators of classes, the pieces of `split`); a `Filtered` or `Nested` one runs the body inside a condition or
another loop (`filter`, generator expressions).

A loop over a list sees elements that the body appends. It is a counted loop, which costs as much as one over a range,
inside a loop that tests whether the list has grown::

    start = 0
    while start < len(xs):
        start, stop = len(xs), ...
        for i in range(start, stop):
            if i < len(xs): body(xs[i])
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable

from tscript.diagnostics import Span
from tscript.frontend.lowering import loops
from tscript.frontend.lowering.arguments import call_function
from tscript.frontend.lowering.conversions import narrow
from tscript.frontend.lowering.function import FunctionLowering, Source
from tscript.frontend.lowering.hidden import fresh_hidden, hidden_value
from tscript.frontend.lowering.kinds import Body, Run
from tscript.frontend.lowering.loops import Bounds
from tscript.frontend.lowering.merging import when
from tscript.frontend.lowering.scopes import Bound
from tscript.frontend.lowering.tuples import make_tuple, tuple_elements
from tscript.ir.graph import Raise, Value
from tscript.late import dataclass
from tscript.operators.python.functions import ranges
from tscript.operators.python.iteration import HAS_ITEM
from tscript.operators.python.strings import NEXT_PIECE
from tscript.types import BOOL, INT, STR, DictType, OptionalType, TupleType


class Indexed(Source):
    """Elements by number.

    Attributes:
        can_change: Whether the body may change the length.
    """

    can_change = False

    @abstractmethod
    def length(self, lowering: FunctionLowering, span: Span) -> Value:
        """The current length."""

    @abstractmethod
    def item(self, lowering: FunctionLowering, index: Value, span: Span) -> Value:
        """Element `index`, which exists."""

    def exists(self, lowering: FunctionLowering, index: Value, span: Span) -> Value:
        """Whether element `index` still exists."""
        return lowering.apply("lt", [index, self.length(lowering, span)], span)

    def bounds(self, lowering: FunctionLowering, span: Span) -> Bounds:
        """Of a counted loop."""
        return lowering.const(0, INT, span), self.length(lowering, span), lowering.const(1, INT, span)

    def element(self, lowering: FunctionLowering, counter: Value, span: Span) -> Value:
        """The element for a counter of that loop."""
        return self.item(lowering, counter, span)

    def run(self, lowering: FunctionLowering, body: Body, run: Run) -> None:
        """See `Source`."""
        span = run.span
        if not self.can_change:
            loops.count(
                lowering,
                self.bounds(lowering, span),
                lambda counter: body(self.element(lowering, counter, span)),
                run.assigned,
                span,
                name=run.name if isinstance(self, Range) else "",
                orelse=run.orelse,
                breaks=run.breaks,
                exits=run.exits,
            )
            return
        start = fresh_hidden(lowering)
        lowering.scope[start] = Bound(lowering.const(0, INT, span), span)

        def checked(counter: Value) -> None:
            there = self.exists(lowering, counter, span)
            when(lowering, there, lambda: body(self.item(lowering, counter, span)), span)

        def chunk() -> None:
            stop = self.length(lowering, span)
            bounds = hidden_value(lowering, start), stop, lowering.const(1, INT, span)
            lowering.scope[start] = Bound(stop, span)
            loops.count(lowering, bounds, checked, run.assigned, span, exits=lowering.loops[-1].exits)

        loops.repeat(
            lowering,
            lambda: self.exists(lowering, hidden_value(lowering, start), span),
            chunk,
            {**run.assigned, start: lowering.function.tree},
            span,
            orelse=run.orelse,
            exits=run.exits,
        )
        lowering.scope.pop(start, None)


class Stepped(Source):
    """Elements one after the other."""

    @abstractmethod
    def begin(self, lowering: FunctionLowering, span: Span) -> list[str]:
        """Bind the loop-carried values to hidden names, and return these."""

    @abstractmethod
    def has_next(self, lowering: FunctionLowering, span: Span) -> Value:
        """Whether there is another element; may change the carried values."""

    @abstractmethod
    def next(self, lowering: FunctionLowering, span: Span) -> Value:
        """That element."""

    def run(self, lowering: FunctionLowering, body: Body, run: Run) -> None:
        """See `Source`."""
        span = run.span
        names = self.begin(lowering, span)
        loops.repeat(
            lowering,
            lambda: self.has_next(lowering, span),
            lambda: body(self.next(lowering, span)),
            {**run.assigned, **dict.fromkeys(names, lowering.function.tree)},
            span,
            orelse=run.orelse,
            exits=run.exits,
        )
        for name in names:
            lowering.scope.pop(name, None)


@dataclass(slots=True)
class Range(Indexed):
    """``range(start, stop, step)``; the step is not zero."""

    start: Value
    stop: Value
    step: Value

    def length(self, lowering: FunctionLowering, span: Span) -> Value:
        """See `Indexed`."""
        if self.start.constant == 0 and self.step.constant == 1:
            return lowering.apply("max", [self.stop, self.start], span)
        return call_function(lowering, ranges.range_length, [self.start, self.stop, self.step], span)

    def item(self, lowering: FunctionLowering, index: Value, span: Span) -> Value:
        """See `Indexed`."""
        if self.step.constant != 1:
            index = lowering.apply("wrapping_mul", [index, self.step], span)  # the sum may still fit
        return index if self.start.constant == 0 else lowering.apply("wrapping_add", [self.start, index], span)

    def bounds(self, lowering: FunctionLowering, span: Span) -> Bounds:
        """See `Indexed`."""
        return self.start, self.stop, self.step

    def element(self, lowering: FunctionLowering, counter: Value, span: Span) -> Value:
        """See `Indexed`."""
        return counter


@dataclass(slots=True)
class Items(Indexed):
    """The elements of a list, a str, bytes or a tensor.

    Attributes:
        container: The container.
        getter: The operator that reads an element.
    """

    container: Value
    getter: str
    can_change: bool = False

    def length(self, lowering: FunctionLowering, span: Span) -> Value:
        """See `Indexed`."""
        return lowering.apply("len", [self.container], span)

    def item(self, lowering: FunctionLowering, index: Value, span: Span) -> Value:
        """See `Indexed`."""
        args = [self.container, index]
        if self.getter == "select":
            args.insert(1, lowering.const(0, INT, span))
        return lowering.apply(self.getter, args, span)

    def exists(self, lowering: FunctionLowering, index: Value, span: Span) -> Value:
        """See `Indexed`."""
        if self.can_change:
            return lowering.leaf(HAS_ITEM, [self.container, index], BOOL, span)
        return Indexed.exists(self, lowering, index, span)


@dataclass(slots=True)
class Elements(Indexed):
    """The elements of a tuple that are of one type."""

    container: Value
    count: int

    def length(self, lowering: FunctionLowering, span: Span) -> Value:
        """See `Indexed`."""
        return lowering.const(self.count, INT, span)

    def item(self, lowering: FunctionLowering, index: Value, span: Span) -> Value:
        """See `Indexed`."""
        return lowering.apply("getitem", [self.container, index], span)


@dataclass(slots=True)
class Reversed(Indexed):
    """An indexed source in reverse, with its length at the beginning of the loop."""

    inner: Indexed
    count: Value

    def length(self, lowering: FunctionLowering, span: Span) -> Value:
        """See `Indexed`."""
        return self.count

    def item(self, lowering: FunctionLowering, index: Value, span: Span) -> Value:
        """See `Indexed`."""
        return self.inner.item(lowering, self._from_end(lowering, index, span), span)

    @property
    def can_change(self) -> bool:  # type: ignore[override]
        """See `Indexed`."""
        return self.inner.can_change

    def exists(self, lowering: FunctionLowering, index: Value, span: Span) -> Value:
        """See `Indexed`."""
        if not self.can_change:
            return Indexed.exists(self, lowering, index, span)
        return self.inner.exists(lowering, self._from_end(lowering, index, span), span)

    def run(self, lowering: FunctionLowering, body: Body, run: Run) -> None:
        """See `Source`. The loop ends at the first index that does not exist any more."""
        if not self.can_change:
            Indexed.run(self, lowering, body, run)
            return
        place, span = fresh_hidden(lowering), run.span
        lowering.scope[place] = Bound(lowering.const(0, INT, span), span)

        def element() -> None:
            index = hidden_value(lowering, place)
            following = lowering.apply("wrapping_add", [index, lowering.const(1, INT, span)], span)
            item = self.item(lowering, index, span)
            lowering.scope[place] = Bound(following, span)
            body(item)

        loops.repeat(
            lowering,
            lambda: self.exists(lowering, hidden_value(lowering, place), span),
            element,
            {**run.assigned, place: lowering.function.tree},
            span,
            orelse=run.orelse,
            exits=run.exits,
        )
        lowering.scope.pop(place, None)

    def _from_end(self, lowering: FunctionLowering, index: Value, span: Span) -> Value:
        last = lowering.apply("wrapping_sub", [self.count, lowering.const(1, INT, span)], span)
        return lowering.apply("wrapping_sub", [last, index], span)


@dataclass(slots=True)
class Zipped(Indexed):
    """Tuples of the elements of several indexed sources at the same index."""

    inner: list[Indexed]

    @property
    def can_change(self) -> bool:  # type: ignore[override]
        """See `Indexed`."""
        return any(source.can_change for source in self.inner)

    def length(self, lowering: FunctionLowering, span: Span) -> Value:
        """See `Indexed`."""
        if not self.inner:
            return lowering.const(0, INT, span)
        out = self.inner[0].length(lowering, span)
        for source in self.inner[1:]:
            out = lowering.apply("min", [out, source.length(lowering, span)], span)
        return out

    def item(self, lowering: FunctionLowering, index: Value, span: Span) -> Value:
        """See `Indexed`."""
        return make_tuple(lowering, [source.item(lowering, index, span) for source in self.inner], span)

    def exists(self, lowering: FunctionLowering, index: Value, span: Span) -> Value:
        """See `Indexed`."""
        out = lowering.const(True, BOOL, span)
        for i, source in enumerate(self.inner):
            found = source.exists(lowering, index, span)
            out = lowering.apply("bitwise_and", [out, found], span) if i else found
        return out


@dataclass(slots=True)
class Numbered(Indexed):
    """``enumerate``."""

    inner: Indexed
    start: Value

    @property
    def can_change(self) -> bool:  # type: ignore[override]
        """See `Indexed`."""
        return self.inner.can_change

    def length(self, lowering: FunctionLowering, span: Span) -> Value:
        """See `Indexed`."""
        return self.inner.length(lowering, span)

    def item(self, lowering: FunctionLowering, index: Value, span: Span) -> Value:
        """See `Indexed`."""
        number, start = index, self.start.constant
        if start != 0:
            small = isinstance(start, int) and start < 1 << 62  # no loop runs long enough for the sum to overflow
            number = lowering.apply("wrapping_add" if small else "add", [index, self.start], span)
        return make_tuple(lowering, [number, self.inner.item(lowering, index, span)], span)

    def exists(self, lowering: FunctionLowering, index: Value, span: Span) -> Value:
        """See `Indexed`."""
        return self.inner.exists(lowering, index, span)


@dataclass(slots=True)
class Mapped(Indexed):
    """An indexed source with a function applied to its elements."""

    inner: Indexed
    function: Callable[[Value], Value]

    @property
    def can_change(self) -> bool:  # type: ignore[override]
        """See `Indexed`."""
        return self.inner.can_change

    def length(self, lowering: FunctionLowering, span: Span) -> Value:
        """See `Indexed`."""
        return self.inner.length(lowering, span)

    def item(self, lowering: FunctionLowering, index: Value, span: Span) -> Value:
        """See `Indexed`."""
        return self.function(self.inner.item(lowering, index, span))

    def exists(self, lowering: FunctionLowering, index: Value, span: Span) -> Value:
        """See `Indexed`."""
        return self.inner.exists(lowering, index, span)


@dataclass(slots=True)
class Entries(Stepped):
    """Keys, values or items of a dict, or the elements of a set.

    Attributes:
        container: The dict or set.
        what: ``key``, ``value`` or ``item``.
        names: Hidden names of the position, of the size at the beginning, and of how many entries may still come.
    """

    container: Value
    what: str
    names: tuple[str, str, str] = ("", "", "")

    def begin(self, lowering: FunctionLowering, span: Span) -> list[str]:
        """See `Stepped`."""
        self.names = fresh_hidden(lowering), fresh_hidden(lowering), fresh_hidden(lowering)
        lowering.scope[self.names[0]] = Bound(lowering.const(-1, INT, span), span)
        size = Bound(lowering.apply("len", [self.container], span), span)
        lowering.scope[self.names[1]] = lowering.scope[self.names[2]] = size
        return [self.names[0], self.names[2]] if isinstance(self.container.type, DictType) else [self.names[0]]

    def has_next(self, lowering: FunctionLowering, span: Span) -> Value:
        """See `Stepped`."""
        position, size, _ = (hidden_value(lowering, name) for name in self.names)
        position = lowering.apply("wrapping_add", [position, lowering.const(1, INT, span)], span)
        following = lowering.apply("next_entry", [self.container, position, size], span)
        lowering.scope[self.names[0]] = Bound(following, span)
        return lowering.apply("ge", [following, lowering.const(0, INT, span)], span)

    def next(self, lowering: FunctionLowering, span: Span) -> Value:
        """See `Stepped`. More entries than at the beginning: some were added after others were removed."""
        position = hidden_value(lowering, self.names[0])
        if isinstance(self.container.type, DictType):
            left = hidden_value(lowering, self.names[2])
            none = lowering.apply("le", [left, lowering.const(0, INT, span)], span)
            failing = Raise("RuntimeError", "dictionary keys changed during iteration", (), span)
            when(lowering, none, lambda: lowering.block.nodes.append(failing), span)
            fewer = lowering.apply("wrapping_sub", [left, lowering.const(1, INT, span)], span)
            lowering.scope[self.names[2]] = Bound(fewer, span)
        if self.what == "item":
            parts = [lowering.apply(f"entry_{w}", [self.container, position], span) for w in ("key", "value")]
            return make_tuple(lowering, parts, span)
        return lowering.apply(f"entry_{self.what}", [self.container, position], span)


@dataclass(slots=True)
class Pieces(Stepped):
    """``text.split(separator)``, one piece at a time, without a list.

    Attributes:
        text: The string.
        separator: A str, or None for white space.
        names: Hidden names of the position after the piece and of the piece.
    """

    text: Value
    separator: Value
    names: tuple[str, str] = ("", "")

    def begin(self, lowering: FunctionLowering, span: Span) -> list[str]:
        """See `Stepped`."""
        self.names = fresh_hidden(lowering), fresh_hidden(lowering)
        lowering.scope[self.names[0]] = Bound(lowering.const(0, INT, span), span)
        return list(self.names[:1])

    def has_next(self, lowering: FunctionLowering, span: Span) -> Value:
        """See `Stepped`."""
        position, piece = self.names
        made = lowering.leaf(NEXT_PIECE, [self.text, self.separator, hidden_value(lowering, position)], _FOUND, span)
        following, found = tuple_elements(lowering, made, span)
        lowering.scope[position] = Bound(following, span)
        lowering.scope[piece] = Bound(found, span)
        return lowering.apply("ge", [following, lowering.const(0, INT, span)], span)

    def next(self, lowering: FunctionLowering, span: Span) -> Value:
        """See `Stepped`."""
        return narrow(lowering, hidden_value(lowering, self.names[1]), STR, span)


_FOUND = TupleType((INT, OptionalType(STR)))


@dataclass(slots=True)
class Filtered(Source):
    """Elements of another source that satisfy a condition."""

    inner: Source
    holds: Callable[[Value], Value]

    def run(self, lowering: FunctionLowering, body: Body, run: Run) -> None:
        """See `Source`."""
        self.inner.run(lowering, lambda x: when(lowering, self.holds(x), lambda: body(x), run.span), run)


@dataclass(slots=True)
class Nested(Source):
    """A generator expression: runs the body for each of its elements, in its own loops.

    Attributes:
        loops: Runs them around a body.
    """

    loops: Callable[[Body, Run], None]

    def run(self, lowering: FunctionLowering, body: Body, run: Run) -> None:
        """See `Source`."""
        self.loops(body, run)


class Unrolled(Source):
    """A known number of elements, which may differ in type: the body is lowered once for each."""

    @property
    @abstractmethod
    def count(self) -> int:
        """The largest number of elements."""

    @abstractmethod
    def item(self, lowering: FunctionLowering, index: Value, span: Span) -> Value:
        """Element `index`, a constant."""

    def exists(self, lowering: FunctionLowering, index: Value, span: Span) -> Value | None:
        """Whether element `index` exists; None if that is known."""
        return None

    def run(self, lowering: FunctionLowering, body: Body, run: Run) -> None:
        """See `Source`."""
        span = run.span

        def each(index: Value) -> None:
            there = self.exists(lowering, index, span)
            if there is None:
                body(self.item(lowering, index, span))
                return
            for name in run.targets:  # of the element before, which may be of another type
                lowering.scope.pop(name, None)
            when(lowering, there, lambda: body(self.item(lowering, index, span)), span)

        numbers = [lowering.const(at, INT, span) for at in range(self.count)]
        loops.unroll(lowering, numbers, each, run.assigned, span, orelse=run.orelse, leaves=run.leaves, exits=run.exits)


@dataclass(slots=True)
class Parts(Unrolled):
    """The elements of a tuple.

    Attributes:
        elements: The elements.
    """

    elements: list[Value]

    @property
    def count(self) -> int:
        """See `Unrolled`."""
        return len(self.elements)

    @property
    def differ(self) -> bool:
        """Whether they are of several types, so that no list can hold them."""
        return len({element.type for element in self.elements}) > 1

    def item(self, lowering: FunctionLowering, index: Value, span: Span) -> Value:
        """See `Unrolled`."""
        assert isinstance(index.constant, int)
        return self.elements[index.constant]


@dataclass(slots=True)
class UnrolledTogether(Unrolled):
    """The elements of several sources at the same index, one of which at least is unrolled.

    Attributes:
        inner: The sources.
        make: Makes an element from the index and one of each.
    """

    inner: list[Indexed | Unrolled]
    make: Callable[[Value, list[Value]], Value]

    @property
    def count(self) -> int:
        """See `Unrolled`."""
        return min(source.count for source in self.inner if isinstance(source, Unrolled))

    def item(self, lowering: FunctionLowering, index: Value, span: Span) -> Value:
        """See `Unrolled`."""
        return self.make(index, [source.item(lowering, index, span) for source in self.inner])

    def exists(self, lowering: FunctionLowering, index: Value, span: Span) -> Value | None:
        """See `Unrolled`."""
        out: Value | None = None
        for source in self.inner:
            found = source.exists(lowering, index, span)
            if found is not None:
                out = found if out is None else lowering.apply("bitwise_and", [out, found], span)
        return out
