"""Refusals in PyTorch's words, for bodies of composite operators: source functions of the language.

Where the dtype or rank is known, and it is when a body is specialised, nothing is left of them but what they refuse.
"""

from __future__ import annotations

from tscript.operators.core.language import Tensor, torch


def scalar_type(x: Tensor) -> str:
    """The name of a dtype in PyTorch's messages: ``Float``, ``Long``."""
    if x.dtype == torch.float32:
        return "Float"
    if x.dtype == torch.float64:
        return "Double"
    if x.dtype == torch.int64:
        return "Long"
    if x.dtype == torch.int32:
        return "Int"
    if x.dtype == torch.int16:
        return "Short"
    if x.dtype == torch.int8:
        return "Char"
    return "Byte" if x.dtype == torch.uint8 else "Bool"


def check_floating(x: Tensor, kernel: str) -> None:
    """Refuse all but floats, as a kernel that exists for floats alone."""
    if not x.is_floating_point():
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{scalar_type(x)}'")


def check_same_dtype(a: Tensor, b: Tensor) -> None:
    """Refuse factors of different dtypes."""
    if a.dtype != b.dtype:
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {scalar_type(a)} != {scalar_type(b)}")
