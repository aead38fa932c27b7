"""Blocks of nodes."""

from __future__ import annotations

from tscript.abi import symbols
from tscript.abi.leaves import leaves
from tscript.abi.mode import IS_CHECKED
from tscript.backend.nodes.failing import call_symbol
from tscript.backend.nodes.function import FunctionEmitter
from tscript.ir.graph import Block, Call, Const, Fork, Fused, Invoke, Node, Op
from tscript.types import (
    ANY,
    OptionalType,
    UnionType,
    is_counted,
)


def emit_block(f: FunctionEmitter, block: Block) -> None:
    """Write the nodes of `block`."""
    emitters = f.emitters.nodes
    for node in block.nodes:
        if IS_CHECKED and f.module.safepoints:
            _check_inputs(f, node)
        emitters[type(node)](f, node)


def _check_inputs(f: FunctionEmitter, node: Node) -> None:
    """In the checked mode, record the running operation and check its objects."""
    if isinstance(node, Const):
        return
    f.text.line(f"store ptr {f.module.constants.site(node.span)}, ptr {f.context_field('at')}")
    if not isinstance(node, Op | Call | Invoke | Fork | Fused):
        return
    for value in node.inputs:
        for operand, leaf in zip(f.operands(value), leaves(value.type), strict=True):
            if is_counted(leaf) and operand != "poison":
                may_lack = isinstance(leaf, OptionalType | UnionType) or leaf == ANY
                kernel = symbols.kernel_symbol("checked_optional" if may_lack else "checked_object")
                call_symbol(f, kernel, [f"ptr {operand}"], (), node.span)
