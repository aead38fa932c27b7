"""What a tensor is to a module: a parameter, a buffer, or neither.

A tensor has its role for ever, in flags of its header: `type(parameter)` is `Tensor`, so native code takes it as it
takes any other, and what operators make of it has no role.
"""

from __future__ import annotations

import ctypes
from typing import Any

from tscript.abi.layout import TENSOR_PARAMETER, TENSOR_ROLE, TENSOR_STRUCT, TENSOR_WANTS_GRADIENT

_AT = TENSOR_STRUCT.offsets["flags"]


def role_of(tensor: Any) -> int:
    """The flags of `TENSOR_ROLE` that a tensor has."""
    role: int = tensor._role
    return role


def give_role(tensor: Any, role: int) -> None:
    """Set these flags of a tensor, and no others of `TENSOR_ROLE`.

    Whoever calls it has the only reference, or changes only what native code never reads.
    """
    flags = ctypes.c_int64.from_address(tensor._impl + _AT)
    flags.value = flags.value & ~TENSOR_ROLE | role


def wants_gradient(tensor: Any) -> bool:
    """``tensor.requires_grad``."""
    return role_of(tensor) & TENSOR_WANTS_GRADIENT != 0


def set_wants_gradient(tensor: Any, value: object) -> None:
    """``tensor.requires_grad = value``: a note on parameters, and False of all others.

    Raises:
        RuntimeError: A tensor that is no parameter should require gradients, or one of ints.
    """
    role = role_of(tensor)
    if not value:
        give_role(tensor, role & ~TENSOR_WANTS_GRADIENT)
        return
    if not role & TENSOR_PARAMETER:
        raise RuntimeError("no gradients are computed: write requires_grad_(False), or leave it out")
    check_differentiable(tensor)
    give_role(tensor, role | TENSOR_WANTS_GRADIENT)


def check_differentiable(tensor: Any) -> None:
    """Parameters that require gradients hold numbers that are no ints.

    Raises:
        RuntimeError: It holds ints or bools.
    """
    if not (tensor.dtype.is_floating_point or tensor.dtype.is_complex):
        raise RuntimeError(
            f"only tensors of floating-point and complex dtype can require gradients, not {tensor.dtype.name}: "
            "pass requires_grad=False"
        )


def shown_as(tensor: Any, text: str) -> str:
    """The text of a tensor with what its role adds."""
    role = role_of(tensor)
    if role & TENSOR_WANTS_GRADIENT:
        text = f"{text[:-1]}, requires_grad=True)"
    return f"Parameter containing:\n{text}" if role & TENSOR_PARAMETER else text
