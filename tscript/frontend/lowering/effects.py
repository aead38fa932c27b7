"""What a node may run besides what is seen of it."""

from __future__ import annotations

from tscript.ir.graph import Call, Fork, Invoke, Node
from tscript.operators.core.opdef import OpDef, PythonCall
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
    """Whether what a node runs can reach instances whose attributes something is known of. What a call is given are its
    inputs and nothing else: from numbers, strings and tensors there is no way to an instance."""
    if isinstance(node, Call | Fork):
        return not all(_holds_no_instance(v.type) for v in node.inputs)
    return isinstance(node, Invoke)


def runs_other_code(op: OpDef) -> bool:
    """Whether an operator runs functions that are not seen here: tasks that are waited for, Python's, a library's."""
    if op is WAIT:
        return True
    return (
        op.effects.world and (op.library is not None or isinstance(op.implementation, PythonCall)) and op not in _OURS
    )


_OURS = (PRINT, FLUSH)
"""Operators that reach Python and change nothing there that is seen here."""


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
    return type in (INT, FLOAT, BOOL, STR, NONE, BYTES, COMPLEX, DTYPE)
