"""Hashes of tensors."""

# mypy: disable-error-code="operator"

from __future__ import annotations

from tscript.definitions.define import composite
from tscript.definitions.language import Size, Tensor, torch
from tscript.definitions.opdef import OpDef
from tscript.operators.tensor.checks import SCALAR_TYPE
from tscript.operators.tensor.reductions import EITHER_OR


def hash_tensor(self: Tensor, dim: Size | None, keepdim: bool, mode: int) -> Tensor:
    """The exclusive or of the bits of elements, along dimensions or of all.

    Floats count with their bits in float64, integers and bools with theirs in int64: the hash of `torch.hash_tensor`.

    Args:
        input: Any dtype that is not complex.
        dim: The dimensions, which have elements; all if left out.
        keepdim: Whether they stay, with size 1.
        mode: 0, the only one there is.

    Returns:
        A tensor of uint64.

    Raises:
        RuntimeError: There is no such mode.
        NotImplementedError: There are complex numbers.
        IndexError: A dimension is out of range, or has no elements.

    Example:
        >>> tscript.hash_tensor(tscript.tensor([1, 2, 4])).item()
        7
    """
    if mode != 0:
        raise RuntimeError(f"Unknown hash_tensor mode: {mode}")
    if self.is_complex():
        raise NotImplementedError(f"\"xor_sum_cpu\" not implemented for '{SCALAR_TYPE(self)}'")
    bits = self.to(torch.float64).view(torch.int64) if self.is_floating_point() else self.to(torch.int64)
    return EITHER_OR(bits, dim, keepdim).view(torch.uint64)


OPERATORS: tuple[OpDef, ...] = (
    composite(
        "hash_tensor(Tensor self, int[1]? dim=(), *, bool keepdim=False, int mode=0) -> Tensor",
        hash_tensor,
        exact=True,
    ),
)
"""All operators of this module."""
