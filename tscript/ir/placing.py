"""Assigns arguments to the slots of an operator, for all code that makes or analyses IR.

Overload resolution determines the source of each parameter (`tscript.definitions.resolve`): an argument, perhaps
converted, a tuple of several, or a default. `place` makes the inputs of the operator from it. The caller defines what
inputs are: values of a graph, or facts about them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from tscript.definitions.names import Out
from tscript.definitions.opdef import Arg, OpDef
from tscript.definitions.resolve import Default, Gathered, Given, Resolved, Slot
from tscript.dialect.machine import TUPLE_GET
from tscript.types import STR, TupleType

V = TypeVar("V")


class Inputs(Protocol[V]):
    """Makes inputs, which are `V`."""

    def given(self, arg: Arg) -> V:
        """The input for an argument of overload resolution."""

    def constant(self, value: object) -> V:
        """The input for a default."""

    def gathered(self, elements: Sequence[V]) -> V:
        """A tuple of inputs."""

    def apply(self, op: OpDef, inputs: Sequence[V]) -> V:
        """The result of an operator for its inputs."""


def place(slots: Sequence[Slot], make: Inputs[V]) -> list[V]:
    """The inputs of an operator, one for each of its slots."""
    return [_placed(slot, make) for slot in slots]


def apply(resolved: Resolved, make: Inputs[V]) -> V:
    """The result of the operator that was found for the arguments. With ``out=``, the result is written to these
    tensors, which are returned."""
    if resolved.devices:
        from tscript.operators.tensor.devices import CHECK_DEVICE, DEVICE_OF_NAME

        for arg in resolved.devices:
            device = make.given(arg)
            make.apply(CHECK_DEVICE, [make.apply(DEVICE_OF_NAME, [device]) if arg.type == STR else device])
    result = make.apply(resolved.op, place(resolved.slots, make))
    if resolved.out is None:
        return result
    out = make.given(resolved.out)
    if not isinstance(resolved.out.type, TupleType):
        return _stored(resolved.op, out, result, make)
    stored: list[V] = []
    for i in range(len(resolved.out.type.elements)):
        index = make.constant(i)
        one, into = make.apply(TUPLE_GET, [result, index]), make.apply(TUPLE_GET, [out, index])
        stored.append(_stored(resolved.op, into, one, make))
    return make.gathered(stored)


def _stored(op: OpDef, out: V, result: V, make: Inputs[V]) -> V:
    """The tensor `out`, to which the result of an operator has been written."""
    from tscript.operators.tensor.outputs import CAST_OUT, STORE_OUT

    return make.apply(CAST_OUT if op.names.out is Out.CAST else STORE_OUT, [out, result])


def _placed(slot: Slot, make: Inputs[V]) -> V:
    match slot:
        case Given(arg, None):
            return make.given(arg)
        case Given(arg, convert):
            assert convert is not None
            return make.apply(convert, [make.given(arg)])
        case Gathered(args):
            return make.gathered([make.given(arg) for arg in args])
        case Default(value):
            return make.constant(value)


__all__ = ["Inputs", "apply", "place"]
