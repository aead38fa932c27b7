"""Operations shared by strings, lists, shapes and other sequences: truth, and unpacking by index."""

from __future__ import annotations

import ast
from collections.abc import Callable

from tscript.diagnostics import Span
from tscript.frontend.lowering.function import FunctionLowering, Source
from tscript.frontend.lowering.kinds import Pattern
from tscript.frontend.lowering.merging import when
from tscript.ir.graph import Block, If, Raise, Value, Yield
from tscript.types import BOOL, INT, ListType
from tscript.types.inference import is_open


def not_empty(lowering: FunctionLowering, value: Value, span: Span) -> Value:
    """The truth of a value with a length."""
    return lowering.apply("ne", [lowering.apply("len", [value], span), lowering.const(0, INT, span)], span)


def always(holds: bool) -> Callable[[FunctionLowering, Value, Span], Value]:
    """The constant truth of values of a kind."""
    return lambda lowering, value, span: lowering.const(holds, BOOL, span)


def parts(lowering: FunctionLowering, value: Value, count: int, span: Span) -> list[Value]:
    """The `count` elements of a sequence, whose length is checked at run time."""
    check_length(lowering, value, count, span)
    return [lowering.apply("getitem", [value, lowering.const(i, INT, span)], span) for i in range(count)]


def check_length(lowering: FunctionLowering, value: Value, count: int, span: Span) -> None:
    """Raise unless a sequence has `count` elements."""
    length = lowering.apply("len", [value], span)
    wanted = lowering.const(count, INT, span)
    less = Block()
    less.nodes.append(Raise("ValueError", f"not enough values to unpack (expected {count}, got {{0}})", [length], span))
    more = Block()
    more.nodes.append(Raise("ValueError", f"too many values to unpack (expected {count})", (), span))
    for name, failing in (("lt", less), ("gt", more)):
        fine = Block()
        fine.nodes.append(Yield((), span))
        lowering.block.nodes.append(If(lowering.apply(name, [length, wanted], span), failing, fine, (), span))


def parts_around(lowering: FunctionLowering, value: Value, before: int, after: int, span: Span) -> list[Value]:
    """The elements of a sequence: `before`, a list of those for the star, and `after`."""
    length = lowering.apply("len", [value], span)
    least = lowering.const(before + after, INT, span)
    failing = Raise(
        "ValueError", f"not enough values to unpack (expected at least {before + after}, got {{0}})", [length], span
    )
    when(lowering, lowering.apply("lt", [length, least], span), lambda: lowering.block.nodes.append(failing), span)
    front = [lowering.apply("getitem", [value, lowering.const(i, INT, span)], span) for i in range(before)]
    back = [lowering.apply("getitem", [value, lowering.const(i, INT, span)], span) for i in range(-after, 0)]
    stop = lowering.apply("wrapping_sub", [length, lowering.const(after, INT, span)], span)
    part = lowering.apply("slice", [value, lowering.const(before, INT, span), stop, lowering.const(1, INT, span)], span)
    if not isinstance(part.type, ListType):
        from tscript.frontend.lowering.holding import collect
        from tscript.frontend.lowering.iteration import Items

        part = collect(lowering, Items(part, "getitem"), lowering.function.tree)
    elif part.type.frozen:
        part = lowering.apply("to_list", [part], span)
    return [*front, part, *back]


def pattern(lowering: FunctionLowering, value: Value, count: int, star: bool, span: Span) -> Pattern:
    """Whether a row has as many elements as a pattern needs, and these."""
    length = lowering.apply("len", [value], span)
    fits = lowering.apply("ge" if star else "eq", [length, lowering.const(count, INT, span)], span)

    def elements() -> list[Value]:
        return [lowering.apply("getitem", [value, lowering.const(i, INT, span)], span) for i in range(count)]

    return fits, elements


def no_attribute(
    lowering: FunctionLowering, value: Value, name: str, span: Span, node: ast.expr | None
) -> Value | None:
    """The attributes of values that have none."""
    return None


def entries(lowering: FunctionLowering, value: Value, node: ast.expr) -> Source:
    """The iterable of a dict or set."""
    from tscript.frontend.lowering.iteration import Entries

    return Entries(value, "key")


def _listed(lowering: FunctionLowering, value: Value) -> Value:
    """The keys of a dict, or elements of a set, as a list to unpack."""
    from tscript.frontend.lowering.holding import collect
    from tscript.frontend.lowering.iteration import Entries

    return value if is_open(value.type) else collect(lowering, Entries(value, "key"), lowering.function.tree)


def entry_parts(lowering: FunctionLowering, value: Value, count: int, span: Span) -> list[Value]:
    """The keys of a dict, or the elements of a set, of `count`."""
    return parts(lowering, _listed(lowering, value), count, span)


def entry_parts_around(lowering: FunctionLowering, value: Value, before: int, after: int, span: Span) -> list[Value]:
    """The same around a star."""
    return parts_around(lowering, _listed(lowering, value), before, after, span)


def length(lowering: FunctionLowering, value: Value, span: Span) -> Value:
    """``len(x)``."""
    constant = value.constant
    if isinstance(constant, str | bytes):
        return lowering.const(len(constant), INT, span)
    return lowering.apply("len", [value], span)
