"""Operators on values of union types, lowered once for each combination of member types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import prod

from tscript.diagnostics import Span
from tscript.frontend.diagnostics.abandoned import Abandoned
from tscript.frontend.lowering.conversions import by_member, narrow, plain
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.tuples import make_tuple, tuple_elements
from tscript.ir.graph import Raise, Value
from tscript.types import NONE, NUMBER, EnumType, OptionalType, TupleType, Type, UnionType, members_of, union

MOST = 16
"""The maximum number of combinations."""

_SEVERAL = (UnionType, OptionalType)

Operation = Callable[[Sequence[Value]], Value]


def _plain(lowering: FunctionLowering, value: Value, span: Span) -> Value:
    """`enums.plain`, in tuples too."""
    if isinstance(value.type, TupleType) and any(isinstance(e, EnumType) and e.info.kind for e in value.type.elements):
        return make_tuple(lowering, [_plain(lowering, e, span) for e in tuple_elements(lowering, value, span)], span)
    return plain(lowering, value, span)


def each(
    lowering: FunctionLowering, values: Sequence[Value], how: Operation, span: Span, sign: str = ""
) -> Value | None:
    """The result of an operation on values of which some are of unions, may be None, or are members of an IntEnum or
    StrEnum.

    Args:
        lowering: Where it stands.
        values: The operands.
        how: Lowers the operation for operands of one type each.
        span: Where it stands.
        sign: The name of the operation.

    Returns:
        A value of the result type of all combinations, or of the union of their types. None if no operand is such a
        value, or if some combination does not have the operation. For a `NUMBER`, which is never declared, such
        combinations raise at run time, and a result of several types is a `NUMBER` again.
    """
    plain = [_plain(lowering, v, span) for v in values]
    if plain != [*values]:
        return how(plain)
    if not any(isinstance(v.type, _SEVERAL) for v in values):
        return None
    given = _result(lowering, values, how, span)
    types = [type for type in given.values() if type is not None]
    if not types:
        return None
    wanted = union(types)
    if wanted != types[0] and {*types} <= {*NUMBER.members} and NUMBER in [v.type for v in values]:
        wanted = NUMBER

    def from_(position: int, known: list[Value]) -> Value:
        if position == len(values):
            if given[tuple(v.type for v in known)] is None:
                shown = " and ".join(f"'{v.type}'" for v in known)
                lowering.block.nodes.append(
                    Raise("TypeError", f"unsupported operand type(s) for {sign}: {shown}", (), span)
                )
                return Value(wanted)
            found = lowering.coerce(how(known), wanted, span)
            assert found is not None
            return found
        value = values[position]
        if not isinstance(value.type, _SEVERAL):
            return from_(position + 1, [*known, value])
        return by_member(lowering, value, lambda member: from_(position + 1, [*known, member]), wanted, span)

    return from_(0, [])


def _result(
    lowering: FunctionLowering, values: Sequence[Value], how: Operation, span: Span
) -> dict[tuple[Type, ...], Type | None]:
    """The result type of each combination, None if it is refused; found by trial lowering into a discarded block.

    Empty for too many combinations, and if one is refused that is not one of `NUMBER`, or has a None.
    """
    from tscript.frontend.lowering.trials import Trial

    choices = [members_of(v.type) if isinstance(v.type, _SEVERAL) else (v.type,) for v in values]
    if prod(map(len, choices)) > MOST:
        return {}
    found: dict[tuple[Type, ...], Type | None] = {}
    for types in product(*choices):
        trial = Trial(lowering)

        def lower(types: Sequence[Type] = types) -> Value:
            return how([narrow(lowering, v, t, span) for v, t in zip(values, types, strict=True)])

        try:
            made = lowering.branch(lower).value
        except Abandoned:
            made = None
        finally:
            trial.take_back()
        found[types] = None if made is None else made.type
        if made is None and (NUMBER not in [v.type for v in values] or NONE in types):
            return {}
    return found
