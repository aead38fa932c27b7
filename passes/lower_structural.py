"""Replaces operators that have no code of their own: computed indices into tuples, tensor literals, and operators on
shapes of known length.

Before::

    %0: tuple[int, int] = tuple.make(%a, %b)
    %1: int = getitem.tuple(%0, %i)
    %2: Tensor[int64, 1] = tensor(%0, %none)

After::

    %0: tuple[int, int] = tuple.make(%a, %b)
    %3: int = machine.add(%i, %two)
    %4: int = machine.select(%negative, %3, %i)
    if %outside { raise IndexError "tuple index out of range" } else { yield }
    %1: int = if %is_zero { ... yield %a } else { ... yield %b }
    %5: tuple[int] = const (2,)
    %6: dtype = const dtype.int64
    %2: Tensor[int64, 1] = tensor_of_ints(%0, %5, %6)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, final

from tscript.definitions.absent import MISSING
from tscript.dialect import machine
from tscript.ir.builder import Builder
from tscript.ir.graph import Graph, Node, Op, Program, Value
from tscript.ir.rewrite import rewrite
from tscript.late import dataclass
from tscript.passes.base import Pass, PassContext
from tscript.passes.folding import as_constant
from tscript.types import BOOL, COMPLEX, FLOAT, INT, DType, TensorType, TupleType, Type, dtypes


@dataclass(frozen=True, slots=True)
class LowerStructural(Pass):
    """Lowers tuple indices, tensor literals and operators on shapes.

    Attributes:
        max_elements: Longer tuples are indexed by dispatch at run time.
    """

    name: ClassVar[str] = "lower_structural"

    max_elements: int = 16

    def run_graph(self, graph: Graph, program: Program, context: PassContext) -> bool:
        """One walk forwards."""
        return rewrite(graph.body, _Lowering(self, context).visit)


@final
class _Lowering:
    """The rules for one graph."""

    def __init__(self, options: LowerStructural, context: PassContext) -> None:
        self.options = options
        self.context = context
        self.rules = context.by_operator(_RULES)

    def visit(self, node: Node, builder: Builder) -> Sequence[Value] | None:
        """For `rewrite`."""
        rule = self.rules.get(node.op) if isinstance(node, Op) else None
        if rule is None:
            return None
        assert isinstance(node, Op)
        found = rule(self, node, builder)
        return None if found is None else (found,)

    def item(self, node: Op, b: Builder) -> Value | None:
        """An element at a computed index: a chain of branches."""
        whole, index = node.inputs
        if not isinstance(whole.type, TupleType) or index.constant is not MISSING or index.type != INT:
            return None
        count = len(whole.type.elements)
        if not 0 < count <= self.options.max_elements:
            return None
        length, zero = b.const(count), b.const(0)
        position = b.op(machine.SELECT, b.op(machine.LT, index, zero), b.op(machine.ADD, index, length), index)
        outside = b.op(machine.OR, b.op(machine.LT, position, zero), b.op(machine.GE, position, length))
        with b.if_(outside) as branch, branch.then:
            b.raise_("IndexError", "tuple index out of range")
        return self.choose(whole, position, 0, count, node.outputs[0].type, b)

    def choose(self, whole: Value, position: Value, first: int, end: int, type: Type, b: Builder) -> Value:
        """Element `position` of `whole`, which lies in [first, end): by halves."""
        if end - first == 1:
            return b.op(machine.TUPLE_GET, whole, b.const(first))
        middle = (first + end) // 2
        with b.if_(b.op(machine.LT, position, b.const(middle)), (type,)) as branch:
            with branch.then:
                b.yield_(self.choose(whole, position, first, middle, type, b))
            with branch.orelse:
                b.yield_(self.choose(whole, position, middle, end, type, b))
        return branch.output

    def literal(self, node: Op, b: Builder) -> Value | None:
        """A tensor of numbers: their values in a row, the shape and the dtype."""
        from tscript.operators.tensor.creation import literal_shape

        data, result = node.inputs[0], node.outputs[0].type
        if not isinstance(result, TensorType) or result.dtype is None:
            return None
        shape, kinds = literal_shape(data.type)
        if COMPLEX in kinds:
            return self.complex_literal(self.leaves(data, b), shape, result.dtype, b)
        leaves, table = self.leaves(data, b), self.context.table
        whole = FLOAT not in kinds
        if not whole and INT in kinds and result.dtype not in (dtypes.float64, dtypes.complex128):
            if result.dtype is dtypes.uint64:
                return None
            whole = result.dtype.is_integer
            change = self.cut if whole else self.rounded_to_odd
            leaves = [change(v, result.dtype, b) for v in leaves]
        target, name = (INT, "tensor_of_ints") if whole else (FLOAT, "tensor_of_floats")
        leaves = [self.converted(v, target, b) for v in leaves]
        values = b.op(machine.TUPLE_MAKE, *leaves)
        if not result.dtype.is_complex:
            return b.op(table[name], values, b.const(shape), b.const(result.dtype))
        real = b.op(table[name], values, b.const(shape), b.const(dtypes.float64))
        return b.op(table["to.dtype"], real, b.const(result.dtype), b.const(False))

    def complex_literal(self, leaves: Sequence[Value], shape: tuple[int, ...], dtype: DType, b: Builder) -> Value:
        """A tensor of numbers of which one is complex: of its real and its imaginary parts."""
        table, parts = self.context.table, []
        for name in ("real.complex", "imag.complex"):
            numbers = []
            for leaf in leaves:
                if leaf.type == COMPLEX:
                    numbers.append(b.op(table[name], leaf))
                else:
                    numbers.append(self.converted(leaf, FLOAT, b) if name == "real.complex" else b.const(0.0))
            values = b.op(machine.TUPLE_MAKE, *numbers)
            parts.append(b.op(table["tensor_of_floats"], values, b.const(shape), b.const(dtypes.float64)))
        whole = b.op(table["complex"], *parts)
        return b.op(table["to.dtype"], whole, b.const(dtype), b.const(False))

    def cut(self, value: Value, dtype: DType, b: Builder) -> Value:
        """A float as the int that it is as an element of `dtype`; other numbers as they are."""
        if value.type != FLOAT:
            return value
        found = b.op(machine.CONVERT, value, b.const(INT))
        bits = 8 * dtype.itemsize
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if dtype.signed else (0, (1 << bits) - 1)
        if bits < 64:
            found = b.op(machine.SELECT, b.op(machine.LT, found, b.const(low)), b.const(low), found)
            found = b.op(machine.SELECT, b.op(machine.GT, found, b.const(high)), b.const(high), found)
        return found

    def rounded_to_odd(self, value: Value, _: DType, b: Builder) -> Value:
        """An int that is a float64 without rounding, and then rounds to any shorter float as the int itself does: what
        the last bits hold is in one bit, far below the last one of such a float. Other numbers as they are."""
        if value.type != INT:
            return value
        if type(value.constant) is int:
            return b.const(_rounded_to_odd(value.constant))
        rest = b.op(machine.NE, b.op(machine.AND, value, b.const(_LOW_BITS)), b.const(0))
        low = b.op(machine.SELECT, rest, b.const(_LOW_BITS + 1), b.const(0))
        odd = b.op(machine.OR, b.op(machine.AND, value, b.const(~_LOW_BITS)), low)
        above = b.op(machine.GT, value, b.const(_EXACT))
        outside = b.op(machine.OR, above, b.op(machine.LT, value, b.const(-_EXACT)))
        return b.op(machine.SELECT, outside, odd, value)

    def equal_shapes(self, node: Op, b: Builder) -> Value | None:
        """Whether two shapes of one known length are equal."""
        left, right = node.inputs
        if not isinstance(left.type, TupleType) or not isinstance(right.type, TupleType):
            return None
        if len(left.type.elements) != len(right.type.elements):
            return b.const(False)
        out: Value | None = None
        for x, y in zip(self.leaves(left, b), self.leaves(right, b), strict=True):
            same = b.op(machine.EQ, x, y)
            out = same if out is None else b.op(machine.AND, out, same)
        return b.const(True) if out is None else out

    def leaves(self, data: Value, b: Builder) -> list[Value]:
        """The numbers of a nested tuple, row by row."""
        if not isinstance(data.type, TupleType):
            return [data]
        made = data.node
        out: list[Value] = []
        for i, element in enumerate(data.type.elements):
            if isinstance(made, Op) and made.op is machine.TUPLE_MAKE:
                value = made.inputs[i]
            elif isinstance(data.constant, tuple):
                value = b.const(as_constant(data.constant[i], element), type=element)
            else:
                value = b.op(machine.TUPLE_GET, data, b.const(i))
            out += self.leaves(value, b)
        return out

    def converted(self, value: Value, target: Type, b: Builder) -> Value:
        """A number as `target`."""
        if value.type == target:
            return value
        return b.op(self.context.table[_CONVERSIONS[value.type, target]], value)


_EXACT = 1 << 53
"""Ints up to this one are floats of 64 bits."""
_LOW_BITS = (1 << 11) - 1
"""The bits of an int that such a float may lack."""


def _rounded_to_odd(n: int) -> int:
    """See `_Lowering.rounded_to_odd`.

    Example:
        >>> _rounded_to_odd(7), hex(_rounded_to_odd((1 << 62) + 1)), hex(_rounded_to_odd(-(1 << 62) - 1))
        (7, '0x4000000000000800', '-0x4000000000000800')
    """
    if -_EXACT <= n <= _EXACT:
        return n
    return n & ~_LOW_BITS | (_LOW_BITS + 1 if n & _LOW_BITS else 0)


_CONVERSIONS: dict[tuple[Type, Type], str] = {
    (BOOL, INT): "int.bool",
    (BOOL, FLOAT): "float.bool",
    (INT, FLOAT): "float.int",
}

_RULES = {
    "getitem.tuple": _Lowering.item,
    "tensor": _Lowering.literal,
    "eq.Size": _Lowering.equal_shapes,
}
"""Qualified name of an operator to its rule."""
