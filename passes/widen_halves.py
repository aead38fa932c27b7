"""Lets kernels work on float32 where they are given floats of 16 bits, and rounds what they give once.

So a sum of float16 is accumulated in float32, and no kernel has to be there for such dtypes. Pointwise operators need
no help: their rule says that they are computed in float32.

Before::

    %0: Tensor[float16, 0] = sum(%x, %none)

After::

    %1: Tensor[float32, 1] = to.dtype(%x, float32, False)
    %2: Tensor[float32, 0] = sum(%1, %none)
    %0: Tensor[float16, 0] = to.dtype(%2, float16, False)

A tensor that the kernel writes is overwritten with the result. Kernels that only move elements, whatever they are, and
those that are not generic over the dtype of a tensor are left alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from tscript.definitions.opdef import Kernel
from tscript.dialect import machine
from tscript.ir.builder import Builder
from tscript.ir.graph import Graph, Node, Op, Program, Value
from tscript.ir.rewrite import rewrite
from tscript.late import dataclass
from tscript.passes.base import Pass, PassContext
from tscript.types import DTYPE, DType, TensorType, TupleType, Type


@dataclass(frozen=True, slots=True)
class WidenHalves(Pass):
    """Puts conversions around kernels."""

    name: ClassVar[str] = "widen_halves"

    def run_graph(self, graph: Graph, program: Program, context: PassContext) -> bool:
        """One walk forwards."""

        def visit(node: Node, builder: Builder) -> Sequence[Value] | None:
            if not isinstance(node, Op) or not _is_widened(node):
                return None
            builder.span = node.span
            return (_widened(node, builder, context),)

        return rewrite(graph.body, visit)


def _is_widened(node: Op) -> bool:
    kernel = node.op.implementation
    if not isinstance(kernel, Kernel) or not kernel.generic or "Tensor" not in node.op.schema.result:
        return False
    if all(i < 0 for i in kernel.generic):
        return False
    given = any(_half(node.inputs[i].type) for i in kernel.generic if i >= 0)
    return given or _half(node.outputs[0].type) is not None


def _half(type: Type) -> DType | None:
    """The dtype of a tensor of floats of 16 bits, or of the first such tensor of a tuple."""
    if isinstance(type, TupleType):
        return next(filter(None, map(_half, type.elements)), None)
    return type.dtype if isinstance(type, TensorType) and type.dtype is not None and type.dtype.is_half else None


def _widened(node: Op, builder: Builder, context: PassContext) -> Value:
    table, no = context.table, builder.const(False)

    def converted(value: Value, dtype: DType) -> Value:
        return builder.op(table["to.dtype"], value, builder.const(dtype), no)

    inputs = []
    for value in node.inputs:
        half, constant = _half(value.type), value.constant
        if half is not None and isinstance(value.type, TensorType):
            value = converted(value, half.computed_in)
        elif value.type == DTYPE and isinstance(constant, DType):
            value = builder.const(constant.computed_in)
        inputs.append(value)
    found = builder.op(node.op, *inputs)
    for i in node.op.effects.writes:
        if inputs[i] is not node.inputs[i]:
            builder.op(table["copy_"], node.inputs[i], inputs[i], no)

    def rounded(value: Value, wanted: Type) -> Value:
        if isinstance(wanted, TupleType):
            parts = [builder.op(machine.TUPLE_GET, value, builder.const(i)) for i in range(len(wanted.elements))]
            return builder.op(machine.TUPLE_MAKE, *map(rounded, parts, wanted.elements))
        half = _half(wanted)
        return value if half is None else converted(value, half)

    return rounded(found, node.outputs[0].type)
