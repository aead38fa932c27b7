"""Phis: operands where edges meet."""

from __future__ import annotations

from collections.abc import Sequence

from tscript.abi.leaves import leaves
from tscript.backend.llvm.text import Text
from tscript.backend.llvm.types import llvm_type
from tscript.backend.nodes.function import FunctionEmitter
from tscript.backend.nodes.state import Join, Operands
from tscript.types import (
    Type,
    is_counted,
)


def merge_edges(text: Text, type: str, edges: Sequence[tuple[str, str]]) -> str:
    """The operand at the beginning of a block whose edges bring these operands, each with the block it comes from."""
    first = edges[0][0]
    if not first.startswith("%") and all(v == first for v, _ in edges):
        return first
    return text.let(f"phi {type} {', '.join(f'[ {v}, %{b} ]' for v, b in edges)}")


def begin_join(f: FunctionEmitter, join: Join) -> Operands:
    """Begin the block where the edges of `join` meet; its operands there."""
    f.text.label(join.label)
    flat = [leaf for type in join.types for leaf in leaves(type)]
    return tuple(_phi(f, leaf, [(operands[i], block) for operands, block in join.edges]) for i, leaf in enumerate(flat))


def _phi(f: FunctionEmitter, type: Type, edges: Sequence[tuple[str, str]]) -> str:
    if not edges:
        return "poison"
    # A reference that changes owners gets a new name, because scopes distinguish owners by names.
    if len(edges) == 1 and not is_counted(type):
        return edges[0][0]
    return f.text.let(f"phi {llvm_type(type)} {', '.join(f'[ {v}, %{b} ]' for v, b in edges)}")
