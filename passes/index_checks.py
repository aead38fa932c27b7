"""Nodes that check an index, and reads of elements that need no check."""

from __future__ import annotations

from tscript.ir.graph import Node, Op, Value
from tscript.operators.python.unchecked import ITEM_IN, UNCHECKED
from tscript.types import is_counted

INDEX = ("element_index", "select_index")
"""The operators that check an index of an array, and of a tensor."""
ACCESSES = ("element_in", "set_element_in", "check_writable")
"""Those that read and write an element, and the check that an array may be written."""
DENSE = frozenset(("zeros", "ones", "empty", "full", "arange", "eye", "linspace"))
"""Constructors: elements lie side by side, the last dimension innermost."""
MAKERS = frozenset(("zeros", "ones", "empty", "full"))
"""Those whose first operand is the shape."""


def is_dense(array: Value) -> bool:
    """Whether the last stride is 1, and the memory writable, because of what made the array."""
    node = array.node
    return isinstance(node, Op) and node.op.name.partition(".")[0] in DENSE and not node.op.effects.writes


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
