"""Types during inference: tensors with open facts, and containers of unknown element type."""

from __future__ import annotations

from tscript.types.base import Type
from tscript.types.dtypes import DType
from tscript.types.types import (
    NEVER,
    STR,
    TENSOR,
    ArrayType,
    DictType,
    FutureType,
    ListType,
    OptionalType,
    SetType,
    TensorType,
    TupleType,
)


def weaken(type: Type) -> Type:
    """The type as the language sees it: all tensors have one type."""
    match type:
        case ArrayType():
            return type
        case TensorType():
            return TENSOR
        case TupleType():
            return TupleType(tuple(weaken(e) for e in type.elements), type.named)
        case FutureType():
            return FutureType(weaken(type.value))
        case OptionalType():
            return OptionalType(weaken(type.value))
    return type


def of_arrays(type: Type) -> Type:
    """The type of what an operator of tensors makes of arrays: tensors of known dtype and rank are arrays."""
    match type:
        case TensorType(dtype=DType() as dtype, rank=int() as rank):
            return ArrayType(dtype, rank)
        case TupleType():
            return TupleType(tuple(of_arrays(e) for e in type.elements), type.named)
    return weaken(type)


def is_open(type: Type) -> bool:
    """Whether a type is that of an empty container of unknown element type."""
    match type:
        case ListType() | SetType():
            return type.element == NEVER
        case DictType():
            return type.key == NEVER
    return False


def is_open_within(type: Type) -> bool:
    """Whether a type is that of a container of containers of unknown element type."""
    match type:
        case ListType() | SetType():
            return is_open(type.element) or is_open_within(type.element)
        case DictType():
            return is_open(type.value) or is_open_within(type.value)
    return False


def usual(type: Type) -> Type | None:
    """The type of an empty container of which a whole function says nothing; None where it has to be declared."""
    match type:
        case ListType(frozen=False, element=element) if element == NEVER:
            return ListType(TENSOR)
        case DictType(key=key) if key == NEVER:
            return DictType(STR, TENSOR)
    return None


def has_open_part(type: Type) -> bool:
    """Whether a type is that of an empty container, or of one that holds such."""
    match type:
        case ListType() | SetType():
            return type.element == NEVER or has_open_part(type.element)
        case DictType():
            return type.key == NEVER or has_open_part(type.value)
    return False
