"""The result ranges of operators on ints, and the meaning of comparisons: the tables of `tscript.passes.ranges`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tscript.passes import intervals
from tscript.passes.intervals import BIT, HIGHEST, Range, join

LENGTH: Range = (0, 1 << 56)
"""No container, string or tensor dimension in memory has more elements."""

Rule = Callable[..., Range]

CHECKED: Mapping[str, Rule] = {
    "add.int": intervals.add,
    "sub.int": intervals.subtract,
    "mul.int": intervals.multiply,
    "neg.int": intervals.negate,
    "abs.int": intervals.absolute,
    "bitwise_left_shift.int": intervals.shift_left,
    "floor_divide.int": intervals.floor_divide,
}
"""Operators that raise when their result does not fit."""

WRAPPING: Mapping[str, Rule] = {
    "wrapping_add.int": intervals.add,
    "wrapping_sub.int": intervals.subtract,
    "wrapping_mul.int": intervals.multiply,
    "wrapping_neg.int": intervals.negate,
    "wrapping_abs.int": intervals.absolute,
    "wrapping_shl.int": intervals.shift_left,
    "wrapping_floor_divide.int": intervals.floor_divide,
    "remainder.int": intervals.remainder,
    "bitwise_not.int": intervals.invert,
    "bitwise_and.int": intervals.both_bits,
    "bitwise_or.int": intervals.either_bit,
    "bitwise_xor.int": intervals.one_bit,
    "bitwise_right_shift.int": intervals.shift_right,
    "min.int": intervals.least,
    "max.int": intervals.greatest,
    "positive.int": lambda a: a,
    "int.int": lambda a: a,
    "round.int": lambda a: a,
    "machine.add": intervals.add,
    "machine.sub": intervals.subtract,
    "machine.mul": intervals.multiply,
    "machine.neg": intervals.negate,
    "machine.and": intervals.both_bits,
    "machine.or": intervals.either_bit,
    "machine.xor": intervals.one_bit,
    "machine.not": intervals.invert,
    "machine.quot": intervals.quotient,
    "machine.rem": intervals.rest,
    "machine.shr": intervals.shift_right_masked,
    "machine.select": lambda c, a, b: join(a, b),
}
"""Operators that compute modulo 2**64: if the result does not fit, its range is unknown."""

GIVES: Mapping[str, Range] = {
    "int.bool": BIT,
    "ord.str": (0, 0x10FFFF),
    "code_at.str": (0, 0x10FFFF),
    "getitem.bytes": (0, 255),
    "math_isqrt": (0, 3037000499),
    **dict.fromkeys(("element_index", "select_index"), LENGTH),
    **dict.fromkeys(("len.str", "len.bytes", "len.list", "len.dict", "len.set"), LENGTH),
    **dict.fromkeys(("len.Tensor", "dim", "size.int", "numel", "element_size"), (0, HIGHEST)),
    **dict.fromkeys(("count.str", "count.bytes", "count.list", "index.str", "index.list", "tuple_index.list"), LENGTH),
    **dict.fromkeys(("find.str", "rfind.str", "next_entry.dict", "next_entry.set"), (-1, LENGTH[1])),
}
"""Result ranges that do not depend on the operands."""

_COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")
COMPARES: Mapping[str, str] = {
    **{f"{name}.int": name for name in _COMPARISONS},
    **{f"machine.{name}": name for name in _COMPARISONS},
}
"""Comparisons of two ints, by their meaning."""

NEGATED = {"lt": "ge", "ge": "lt", "gt": "le", "le": "gt", "eq": "ne", "ne": "eq"}

SUMS: Mapping[str, int] = {
    **dict.fromkeys(("add.int", "wrapping_add.int", "machine.add"), 1),
    **dict.fromkeys(("sub.int", "wrapping_sub.int", "machine.sub"), -1),
}
"""Sums and differences, by the sign of the operand."""

__all__ = ["CHECKED", "COMPARES", "GIVES", "LENGTH", "NEGATED", "SUMS", "WRAPPING"]
