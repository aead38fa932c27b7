"""Softmax and its kin, composites over reductions: what is added up is shifted by the greatest element first."""

# mypy: disable-error-code="operator"

from __future__ import annotations

from collections.abc import Sequence

from tscript.arrays import Array, np
from tscript.definitions.define import composite, kernel
from tscript.definitions.language import Tensor, torch
from tscript.definitions.opdef import Arg, OpDef, OperatorNotImplementedError
from tscript.definitions.rules import check_dim, constant_int, tensor_of
from tscript.definitions.values import wrap_dim
from tscript.operators.tensor.checks import check_floating, check_real
from tscript.operators.tensor.reductions import AMAX_OR_ZERO
from tscript.types import DType, TensorType, Type


def _lines(args: Sequence[Arg]) -> Type:
    found = tensor_of(args[0])
    if found.dtype is not None and not found.dtype.is_floating_point:
        raise OperatorNotImplementedError("a softmax is of floats")
    check_dim(constant_int(args[1]), found.rank)
    return TensorType(found.dtype, found.rank)


def _soften(x: Array, dim: int, is_log: bool) -> Array:
    axis = wrap_dim(dim, x.ndim)
    if x.ndim == 0 or not x.size:
        return np.zeros_like(x) if is_log else np.ones_like(x)
    with np.errstate(all="ignore"):
        shifted = x - x.max(axis, keepdims=True)
        powers = np.exp(shifted)
        total = powers.sum(axis, np.float64, keepdims=True)
        return np.asarray((shifted - np.log(total) if is_log else powers / total).astype(x.dtype))


SOFTEN: OpDef = kernel(
    "soften_lines(Tensor self, int dim, bool is_log) -> Tensor",
    _lines,
    _soften,
    "softmax.soften_lines",
    "Softmax or log-softmax along a dimension that need not be the last one.",
    generic=(0,),
    exact=False,
    names="",
)
HIDDEN: tuple[OpDef, ...] = (SOFTEN,)
"""What the bodies below call."""


def softmax(self: Tensor, dim: int) -> Tensor:
    check_floating(self, "softmax_lastdim_kernel_impl")
    if self.dtype == torch.float16 or self.dtype == torch.bfloat16:
        return self.to(torch.float32).softmax(dim).to(self.dtype)
    if dim == -1 or dim == self.dim() - 1:  # a dimension that is known to be the last one is reduced in a fused group
        top = AMAX_OR_ZERO(self, (-1,), True)
        powers = (self - top).exp()
        # One division a row: the sum is at least 1, so that the quotient of 1 is a normal number.
        return powers * powers.sum(-1, True).reciprocal()
    return SOFTEN(self, dim, False)


def softmax_to(self: Tensor, dim: int, dtype: DType) -> Tensor:
    return self.to(dtype).softmax(dim)


def log_softmax(self: Tensor, dim: int) -> Tensor:
    check_floating(self, "log_softmax_lastdim_kernel_impl")
    if self.dtype == torch.float16 or self.dtype == torch.bfloat16:
        return self.to(torch.float32).log_softmax(dim).to(self.dtype)
    if dim == -1 or dim == self.dim() - 1:
        shifted = self - AMAX_OR_ZERO(self, (-1,), True)
        return shifted - shifted.exp().sum(-1, True).log()
    return SOFTEN(self, dim, True)


def log_softmax_to(self: Tensor, dim: int, dtype: DType) -> Tensor:
    return self.to(dtype).log_softmax(dim)


def logsumexp(self: Tensor, dim: tuple[int, ...], keepdim: bool) -> Tensor:
    check_real(self, "logsumexp")
    if not self.is_floating_point():
        self = self.to(torch.float32)
    elif self.dtype == torch.float16 or self.dtype == torch.bfloat16:
        return self.to(torch.float32).logsumexp(dim, keepdim).to(self.dtype)
    top = AMAX_OR_ZERO(self, dim, True)
    top = top.masked_fill(top.isfinite().logical_not(), 0.0)
    total = (self - top).exp().sum(dim, True).log() + top
    if keepdim:
        return total
    if len(dim) == 0:  # all dimensions
        return total.reshape(())
    return total.squeeze(dim)


OPERATORS: tuple[OpDef, ...] = (
    composite(
        "softmax(Tensor self, int dim) -> Tensor",
        softmax,
        "``exp(x)`` along a dimension, scaled to the sum 1.",
        names="softmax F.softmax torch.special.softmax out=no",
    ),
    composite(
        "softmax.dtype(Tensor self, int dim, dtype dtype) -> Tensor",
        softmax_to,
        "Softmax of the tensor converted to `dtype`.",
        names="softmax out=no",
    ),
    composite(
        "log_softmax(Tensor self, int dim) -> Tensor",
        log_softmax,
        "Logarithm of the softmax.",
        names="log_softmax F.log_softmax torch.special.log_softmax out=no",
    ),
    composite(
        "log_softmax.dtype(Tensor self, int dim, dtype dtype) -> Tensor",
        log_softmax_to,
        "Log-softmax of the tensor converted to `dtype`.",
        names="log_softmax out=no",
    ),
    composite(
        "logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor",
        logsumexp,
        "Logarithm of the sum of ``exp(x)`` along dimensions.",
        names="logsumexp torch.special.logsumexp out=cast",
    ),
)
"""All operators of this module."""
