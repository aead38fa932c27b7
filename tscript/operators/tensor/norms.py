"""Norms, distances, and tensors scaled by them."""

# mypy: disable-error-code="no-untyped-def,operator"

from __future__ import annotations

from tscript.operators.core.define import composite
from tscript.operators.core.language import Size, Tensor, generic, torch
from tscript.operators.core.opdef import OpDef
from tscript.operators.tensor.checks import SCALAR_TYPE, check_floating, check_shape
from tscript.types import DType

# ---- norms


def vector_norm(self: Tensor, ord: float, dim: Size | None, keepdim: bool, dtype: DType | None) -> Tensor:
    if not self.is_floating_point():
        raise RuntimeError(
            f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got {SCALAR_TYPE(self)}"
        )
    if dtype is not None:
        if not dtype.is_floating_point:
            raise RuntimeError("linalg.vector_norm: dtype should be floating point or complex")
        self = self.to(dtype)
    if ord < 0 or ord == torch.inf:
        check_not_empty(self, ord, dim)
    if ord == 2:
        return (self * self).sum(dim, keepdim).sqrt()
    if ord == 1:
        return self.abs().sum(dim, keepdim)
    if ord == torch.inf:
        return self.abs().amax(dim, keepdim)
    if ord == -torch.inf:
        return self.abs().amin(dim, keepdim)
    if ord == 0:
        return (self != 0).to(self.dtype).sum(dim, keepdim)
    return self.abs().pow(ord).sum(dim, keepdim).pow(1 / ord)


@generic
def check_not_empty(x, ord, dim) -> None:
    """Refuse norms of nothing that have no value there."""
    if dim is None or len(dim) == 0:
        if x.numel() == 0:
            raise RuntimeError(
                f"linalg.vector_norm cannot compute the {ord} norm on an empty tensor because the operation does not "
                "have an identity"
            )
        return
    for d in dim:
        if x.dim() > 0 and x.size(d) == 0:
            raise RuntimeError(
                f"linalg.vector_norm cannot compute the {ord} norm on the dimension {d} because this dimension is "
                "empty and the operation does not have an identity"
            )


def norm(self: Tensor, p: float | None, dim: Size | None, keepdim: bool, dtype: DType | None) -> Tensor:
    return torch.linalg.vector_norm(self, 2 if p is None else p, dim, keepdim, dtype=dtype)


def norm_by_name(self: Tensor, p: str, dim: Size | None, keepdim: bool, dtype: DType | None) -> Tensor:
    if p == "fro":
        return torch.linalg.vector_norm(self, 2, dim, keepdim, dtype=dtype)
    if p == "nuc":
        raise NotImplementedError("the nuclear norm is not supported")
    raise RuntimeError(f"only valid string values are 'fro' and 'nuc', found {p}")


# ---- distances


def dist(self: Tensor, other: Tensor, p: float) -> Tensor:
    return torch.norm(self - other, p)


def pairwise_distance(x1: Tensor, x2: Tensor, p: float, eps: float, keepdim: bool) -> Tensor:
    return torch.norm(x1 - x2 + eps, p, -1, keepdim)


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int, eps: float) -> Tensor:
    # Each in the shape and dtype of both; what is not finite has no direction.
    a, b = x1 + x2 * 0, x2 + x1 * 0
    if not a.is_floating_point():
        raise RuntimeError(f"expected common dtype to be floating point, yet common dtype is {SCALAR_TYPE(a)}")
    return (a / a.norm(2, dim, True).clamp(min=eps) * (b / b.norm(2, dim, True).clamp(min=eps))).sum(dim)


# ---- scaled tensors


def normalize(input: Tensor, p: float, dim: Size, eps: float) -> Tensor:
    return input / input.norm(p, dim, True).clamp(min=eps)


def layer_norm(input: Tensor, normalized_shape: Size, weight: Tensor | None, bias: Tensor | None, eps: float) -> Tensor:
    check_shape(input, normalized_shape, weight, bias)
    check_floating(input, "LayerNormKernelImpl")
    rows = input if len(normalized_shape) == 1 else input.flatten(-len(normalized_shape))
    centred = rows - rows.mean(-1, True)
    scaled = centred * ((centred * centred).mean(-1, True) + eps).rsqrt()
    out = scaled if len(normalized_shape) == 1 else scaled.view_as(input)
    if weight is not None:
        out = out * weight
    return out if bias is None else out + bias


def rms_norm(input: Tensor, normalized_shape: Size, weight: Tensor | None, eps: float | None) -> Tensor:
    check_shape(input, normalized_shape, weight, None)
    check_floating(input, "rms_norm")
    if eps is None:
        eps = 2.220446049250313e-16 if input.dtype == torch.float64 else 1.1920928955078125e-07
    rows = input if len(normalized_shape) == 1 else input.flatten(-len(normalized_shape))
    scaled = rows * ((rows * rows).mean(-1, True) + eps).rsqrt()
    out = scaled if len(normalized_shape) == 1 else scaled.view_as(input)
    return out if weight is None else out * weight


OPERATORS: tuple[OpDef, ...] = (
    composite(
        "linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, dtype? dtype=None) "
        "-> Tensor",
        vector_norm,
        "Norm of the elements along dimensions: the sum of ``abs(x) ** ord`` to the power ``1 / ord``.",
        names="torch.linalg.vector_norm out=same",
    ),
    composite(
        "norm(Tensor self, Scalar? p=None, int[1]? dim=None, bool keepdim=False, *, dtype? dtype=None) -> Tensor",
        norm,
        "Norm of the elements along dimensions, the Euclidean one by default.",
        names="norm out=same",
    ),
    composite(
        "norm.str(Tensor self, str p, int[1]? dim=None, bool keepdim=False, *, dtype? dtype=None) -> Tensor",
        norm_by_name,
        "Norm of the elements along dimensions by its name, 'fro'.",
        names="norm out=same",
    ),
    composite(
        "dist(Tensor self, Tensor other, Scalar p=2) -> Tensor",
        dist,
        "Norm of the difference of two tensors.",
        names="dist out=no",
    ),
    composite(
        "pairwise_distance(Tensor x1, Tensor x2, Scalar p=2, float eps=1e-06, bool keepdim=False) -> Tensor",
        pairwise_distance,
        "Norm of the differences along the last dimension.",
        names="torch.pairwise_distance F.pairwise_distance out=no",
    ),
    composite(
        "cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor",
        cosine_similarity,
        "Cosine of the angle between the vectors along a dimension.",
        names="torch.cosine_similarity F.cosine_similarity out=no",
    ),
    composite(
        "normalize(Tensor input, Scalar p=2, int[1] dim=(1,), float eps=1e-12) -> Tensor",
        normalize,
        "Divided by the norm along dimensions, `eps` at least.",
        names="F.normalize",
    ),
    composite(
        "layer_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05) "
        "-> Tensor",
        layer_norm,
        "Mean 0 and variance 1 over the last dimensions, then times `weight` plus `bias`.",
        names="torch.layer_norm F.layer_norm out=no",
    ),
    composite(
        "rms_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor",
        rms_norm,
        "Divided by the root of the mean square over the last dimensions, then times `weight`.",
        names="torch.rms_norm F.rms_norm out=no",
    ),
)
"""All operators of this module."""
