"""Makes divisions of integer tensors raise as in PyTorch, if the divisor contains a zero, and powers of integer tensors
if the exponent is a negative int.

Before::

    %2: Tensor[int64, 1] = floor_divide(%x, %y)

After::

    %1: bool = check_divisor(%x, %y)
    %2: Tensor[int64, 1] = floor_divide(%x, %y)

The division itself gives 0 then and never raises, so that it can be part of a loop nest. A divisor that is a constant
needs no check unless it is 0. Before a power stands `check_exponent`. Operators whose dtype is not known run as
programs of their own, in which it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from tscript.definitions.opdef import Pointwise
from tscript.ir.builder import Builder
from tscript.ir.graph import Graph, Node, Op, Program, Value, walk
from tscript.ir.rewrite import rewrite
from tscript.late import dataclass
from tscript.passes.base import Pass, PassContext
from tscript.types import BOOL, INT, TensorType


@dataclass(frozen=True, slots=True)
class CheckDivisors(Pass):
    """Checks divisors and exponents of integer tensors."""

    name: ClassVar[str] = "check_divisors"

    def run_graph(self, graph: Graph, program: Program, context: PassContext) -> bool:
        """One walk; a division that is checked already stays as it is."""
        if not any(isinstance(node, Op) and isinstance(node.op.implementation, Pointwise) for node in walk(graph.body)):
            return False
        from tscript.operators.tensor.division import CHECK, CHECK_NUMBER, INTEGER_DIVISIONS
        from tscript.operators.tensor.exponential import CHECK_EXPONENT, POWERS

        operators = INTEGER_DIVISIONS | POWERS
        checked: set[tuple[Value, ...]] = set()

        def visit(node: Node, builder: Builder) -> Sequence[Value] | None:
            if isinstance(node, Op) and node.op in (CHECK, CHECK_NUMBER, CHECK_EXPONENT):
                checked.add(tuple(node.inputs))
            if not isinstance(node, Op) or node.op not in operators or not _is_of_ints(node):
                return None
            is_power = node.op in POWERS
            dividend, divisor = node.inputs[:2]
            constant = divisor.constant
            if isinstance(constant, int) and constant != 0:
                return None
            given = (dividend if isinstance(dividend.type, TensorType) else divisor, divisor)
            is_number = not isinstance(divisor.type, TensorType)
            if given in checked or (is_power and not is_number):
                return None
            check = CHECK_EXPONENT if is_power else CHECK_NUMBER if is_number else CHECK
            builder.append(Op(check, list(given), BOOL, node.span))
            again = builder.append(Op(node.op, node.inputs, node.output.type, node.span))
            again.outputs[0].name = node.output.name
            return again.outputs

        return rewrite(graph.body, visit)


def _is_of_ints(node: Op) -> bool:
    """Whether a division or power is known to be one of integers."""
    result = node.output.type
    if not isinstance(result, TensorType) or result.dtype is None or result.dtype.is_floating_point:
        return False
    return isinstance(node.inputs[1].type, TensorType) or node.inputs[1].type == INT
