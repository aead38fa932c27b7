"""Argument types for compiling a scripted function ahead of time, as users name them."""

from __future__ import annotations

from collections.abc import Sequence

from tscript.definitions.schema import REQUIRED
from tscript.ir.graph import Param
from tscript.types import BOOL, DTYPE, FLOAT, INT, NONE, TensorType, TupleType, Type, is_subtype

Signatures = Sequence[tuple[str | None, tuple[Type, ...]]]
"""Argument types to compile for, each with the function they are for; None: any that they fit."""


class SignatureError(TypeError):
    """Argument types for compiling ahead of time do not fit the function."""


def complete_signature(name: str, params: Sequence[Param], types: Sequence[Type]) -> tuple[Type, ...]:
    """One type for each of `params`: `types`, and the declared types of further ones that have defaults.

    Raises:
        SignatureError: There are too many or too few, or one does not fit.
    """
    if len(types) > len(params):
        raise SignatureError(f"{name} has {len(params)} parameters, the signature names {len(types)} types")
    found: list[Type] = []
    for i, param in enumerate(params):
        if i >= len(types) and param.default is REQUIRED:
            raise SignatureError(f"the signature of {name} lacks the type of parameter '{param.name}'")
        given = types[i] if i < len(types) else param.type
        if param.type == FLOAT and given in (INT, BOOL):
            given = FLOAT
        if not is_subtype(given, param.type):
            raise SignatureError(f"parameter '{param.name}' of {name} is {param.type}, the signature says {given}")
        if is_open(given):
            raise SignatureError(
                f"parameter '{param.name}' of {name} is given as {given}, which leaves open what to compile for; "
                "for a tensor write Tensor[dtype, rank]"
            )
        found.append(given)
    return tuple(found)


def fits(params: Sequence[Param], types: Sequence[Type]) -> bool:
    """Whether a signature can be one of these parameters."""
    try:
        complete_signature("", params, types)
    except SignatureError:
        return False
    return True


def is_open(type: Type) -> bool:
    """Whether code for a parameter of this type depends on more than the type: on dtype and rank, or on a value."""
    match type:
        case TensorType():
            return not type.is_known
        case TupleType():
            return any(map(is_open, type.elements))
    return type in (DTYPE, NONE)
