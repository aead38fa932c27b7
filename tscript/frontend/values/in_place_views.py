"""Methods that change the form of a tensor in place: ``x.unsqueeze_(0)``, ``x.t_()``.

The number of dimensions of a tensor belongs to its type, so what other names call the tensor cannot change. A tensor
that has just been made has no other name: there the method is the one that makes a view.
"""

from __future__ import annotations

import ast

from tscript.definitions.opdef import FACTORY, MAY_BE_SELF, SAME_DTYPE_IS_SELF, Kernel, Pointwise
from tscript.frontend.diagnostics import type_errors
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.scopes import Bound
from tscript.ir.graph import Op, Value

METHODS = frozenset({"squeeze_", "swapaxes_", "swapdims_", "t_", "transpose_", "unsqueeze_"})


def method_of(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> str | None:
    """The method that does the same to a tensor that has just been made; None for other methods.

    Raises:
        Abandoned: The tensor may have other names; it has been reported.
    """
    function = node.func
    assert isinstance(function, ast.Attribute)
    name = function.attr
    if name not in METHODS:
        return None
    if _is_new(lowering, receiver):
        return name[:-1]
    given = ", ".join(ast.unparse(a) for a in (*node.args, *node.keywords))
    text = ast.unparse(function.value)
    what = text if isinstance(function.value, ast.Name) else "y"
    instead = f"a tensor that has a name keeps its dimensions: make a view, '{what} = {text}.{name[:-1]}({given})'"
    raise lowering.failure(type_errors.NoAttribute(lowering.span(function), "Tensor", "method", name, instead))


def _is_new(lowering: FunctionLowering, value: Value) -> bool:
    """Whether the last thing that was done has made a tensor, and nothing else knows of it."""
    node, nodes = value.node, lowering.block.nodes
    if not isinstance(node, Op) or not nodes or nodes[-1] is not node:
        return False
    if any(isinstance(bound, Bound) and bound.value is value for bound in lowering.scope.values()):
        return False
    op = node.op
    makes = isinstance(op.implementation, Kernel | Pointwise) or FACTORY in op.tags
    return makes and not op.effects.writes and op.tags.isdisjoint({MAY_BE_SELF, SAME_DTYPE_IS_SELF})
