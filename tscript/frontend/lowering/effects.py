"""Code that a node may run besides its own."""

from __future__ import annotations

from tscript.definitions.opdef import OpDef, PythonCall
from tscript.ir.graph import Call, Fork, Invoke, Node
from tscript.operators.python.futures import WAIT
from tscript.operators.python.python_calls import FLUSH, PRINT
from tscript.types import (
    BOOL,
    BYTES,
    COMPLEX,
    DTYPE,
    FLOAT,
    INT,
    NONE,
    OPTIONS,
    STR,
    DictType,
    EnumType,
    ListType,
    OptionalType,
    SetType,
    SizeType,
    TensorType,
    TupleType,
    Type,
    UnionType,
    members_of,
)


def may_change_attributes(node: Node) -> bool:
    """Whether the code that a node runs can reach instances whose attributes have narrowed types. A call reaches only
    its inputs, and numbers, strings and tensors lead to no instance."""
    if isinstance(node, Call | Fork):
        return not all(_holds_no_instance(v.type) for v in node.inputs)
    return isinstance(node, Invoke)


def runs_other_code(op: OpDef) -> bool:
    """Whether an operator runs functions that the compiler does not see: tasks, Python functions, custom operators."""
    if op is WAIT:
        return True
    return (
        op.effects.world and (op.library is not None or isinstance(op.implementation, PythonCall)) and op not in _OURS
    )


_OURS = (PRINT, FLUSH)
"""Operators that call Python without visible side effects."""


def _holds_no_instance(type: Type) -> bool:
    match type:
        case TensorType() | SizeType() | EnumType():
            return True
        case ListType() | SetType():
            return _holds_no_instance(type.element)
        case DictType():
            return _holds_no_instance(type.key) and _holds_no_instance(type.value)
        case TupleType() | OptionalType() | UnionType():
            parts = type.elements if isinstance(type, TupleType) else members_of(type)
            return all(map(_holds_no_instance, parts))
    return type in (INT, FLOAT, BOOL, STR, NONE, BYTES, COMPLEX, DTYPE, *OPTIONS)
