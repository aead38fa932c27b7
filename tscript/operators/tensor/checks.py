"""Refusals in PyTorch's words, for bodies of composite operators: source functions of the language.

Where the dtype or rank is known, and it is when a body is specialised, nothing is left of them but what they refuse.
"""

# mypy: disable-error-code="no-untyped-def,operator"

from __future__ import annotations

from tscript.arrays import Array, np
from tscript.definitions.define import composite, kernel
from tscript.definitions.language import Tensor, generic, torch
from tscript.definitions.opdef import PURE, OpDef
from tscript.types import BOOL


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
    if x.dtype == torch.uint8:
        return "Byte"
    if x.dtype == torch.bool:
        return "Bool"
    if x.dtype == torch.float16:
        return "Half"
    if x.dtype == torch.bfloat16:
        return "BFloat16"
    if x.dtype == torch.complex64:
        return "ComplexFloat"
    if x.dtype == torch.complex128:
        return "ComplexDouble"
    if x.dtype == torch.uint16:
        return "UInt16"
    return "UInt32" if x.dtype == torch.uint32 else "UInt64"


SCALAR_TYPE = composite(
    "scalar_type(Tensor self) -> str", scalar_type, "The name of a dtype in PyTorch's messages.", names=""
)
"""An operator of its own: its body is lowered where something is refused, and nowhere else."""


def check_floating(x: Tensor, kernel: str) -> None:
    """Refuse all but floats, as a kernel that exists for floats alone."""
    if not x.is_floating_point():
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{SCALAR_TYPE(x)}'")


def check_real(x: Tensor, kernel: str) -> None:
    """Refuse complex numbers, as a kernel that there is not for them."""
    if x.is_complex():
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{SCALAR_TYPE(x)}'")


def check_same_dtype(a: Tensor, b: Tensor) -> None:
    """Refuse factors of different dtypes."""
    if a.dtype != b.dtype:
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {SCALAR_TYPE(a)} != {SCALAR_TYPE(b)}")


@generic
def shown(sizes) -> str:
    """Sizes as messages have them, without brackets."""
    out = ""
    for n in sizes:
        out = out + ", " + str(n) if out else str(n)
    return out


@generic
def check_shape(x, shape, weight, bias) -> None:
    """Refuse what is no shape of the last dimensions of `x`, and weights and biases of another shape or dtype."""
    if len(shape) == 0:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
            "normalized_shape = []"
        )
    check_same_shape(weight, "weight", shape)
    check_same_shape(bias, "bias", shape)
    if x.dim() < len(shape) or x.size()[x.dim() - len(shape) :] != shape:
        wanted = shown(shape)
        raise RuntimeError(
            "Given normalized_shape=[" + wanted + "], expected input with shape [*, " + wanted + "], but got input of "
            "size[" + shown(x.size()) + "]"
        )
    for given in (weight, bias):
        if given is not None and given.dtype != x.dtype:
            raise RuntimeError(f"expected scalar type {SCALAR_TYPE(x)} but found {SCALAR_TYPE(given)}")


@generic
def check_same_shape(given, name: str, shape) -> None:
    """Refuse a weight or bias that is there and of another shape."""
    if given is not None and given.size() != shape:
        raise RuntimeError(
            "Expected " + name + " to be of same shape as normalized_shape, but got " + name + " of shape ["
            + shown(given.size()) + "] and normalized_shape = [" + shown(shape) + "]"
        )  # fmt: skip


def _distinct(x: Array) -> bool:
    dims = sorted((abs(stride), size) for stride, size in zip(x.strides, x.shape, strict=True) if size > 1)
    reach = x.itemsize
    for stride, size in dims:
        if stride < reach:
            return not x.size
        reach += (size - 1) * stride
    return True


APART = kernel(
    "apart(Tensor self, Tensor other) -> bool",
    lambda args: BOOL,
    lambda x, y: not np.may_share_memory(x, y),
    "overlaps.apart",
    "Whether no byte is between the first and the last ones of both.",
    effects=PURE,
    names="",
)
DISTINCT_PLACES = kernel(
    "distinct_places(Tensor self) -> bool",
    lambda args: BOOL,
    _distinct,
    "overlaps.distinct_places",
    "Whether the strides say that no two elements lie at one address.",
    effects=PURE,
    names="",
)

HIDDEN: tuple[OpDef, ...] = (SCALAR_TYPE, APART, DISTINCT_PLACES)
"""What bodies and passes call."""
