"""What specialisation knows of values: types, and constants."""

from __future__ import annotations

from typing import final

from tscript.ir.builder import constant_type
from tscript.ir.graph import Value
from tscript.ops.opdef import MISSING
from tscript.ops.resolve import Default, Gathered, Given, Slot
from tscript.passes.folding import fold, is_foldable_type, same_constant
from tscript.types import NONE, TupleType, Type


@final
class Fact:
    """What is known of a value; an `Arg` of type rules."""

    __slots__ = ("constant", "type")

    def __init__(self, type: Type, constant: object = MISSING) -> None:
        self.type = type
        self.constant = None if type == NONE else constant

    @property
    def is_written(self) -> bool:
        """Whether a constant of the IR stands for the value."""
        return self.constant is not MISSING and self.type != NONE and is_foldable_type(self.type)

    def is_same(self, other: Fact) -> bool:
        """Whether both say the same."""
        return self.type == other.type and self.constant_is_same(other)

    def constant_is_same(self, other: Fact) -> bool:
        """Whether both know the same constant, or neither knows one."""
        a, b = self.constant, other.constant
        return a is b or (a is not MISSING and b is not MISSING and same_constant(a, b))


@final
class Held:
    """A fact of one input of a node."""

    __slots__ = ("constant", "type", "value")

    def __init__(self, fact: Fact, value: Value) -> None:
        self.type = fact.type
        self.constant = fact.constant
        self.value = value


def slot_fact(slot: Slot) -> Fact:
    """What is known of the argument that fills a parameter."""
    match slot:
        case Given(arg, None):
            return Fact(arg.type, arg.constant)
        case Given(arg, convert):
            assert convert is not None
            type = convert.type_rule([arg])
            return Fact(type, fold(convert, [arg], type, {}))
        case Gathered(args):
            constants = tuple(a.constant for a in args)
            known = all(c is not MISSING for c in constants)
            return Fact(TupleType(tuple(a.type for a in args)), constants if known else MISSING)
        case Default(value):
            return Fact(constant_type(value), value)


__all__ = ["Fact", "Held", "slot_fact"]
