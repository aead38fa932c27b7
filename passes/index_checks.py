"""Nodes that check an index, and reads of elements that need no check."""

from __future__ import annotations

from tscript.ir.graph import Node, Op, Value
from tscript.operators.python.unchecked import ITEM_IN, UNCHECKED
from tscript.types import is_counted

INDEX = ("element_index", "select_index")
"""The operators that check an index of an array, and of a tensor."""


def is_element(value: Value) -> bool:
    """Whether a value was read from a list, at an index that is known to be valid."""
    return isinstance(value.node, Op) and value.node.op is ITEM_IN


def is_checked(node: Node) -> bool:
    """Whether a node checks an index."""
    return isinstance(node, Op) and (node.op.name in INDEX or node.op.name in UNCHECKED)


Element = tuple[Value, Value]
"""A list, and an index of it."""


def is_row(node: Node) -> bool:
    """Whether a node reads an object from a list, at an index that is known to be valid."""
    return isinstance(node, Op) and node.op is ITEM_IN and is_counted(node.output.type)
