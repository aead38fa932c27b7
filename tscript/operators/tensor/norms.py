"""Norms, and distances by them."""

# mypy: disable-error-code="no-untyped-def,operator"

from __future__ import annotations

from tscript.definitions.define import composite
from tscript.definitions.language import Size, Tensor, generic, torch
from tscript.definitions.opdef import OpDef
from tscript.operators.tensor.checks import SCALAR_TYPE
from tscript.types import DType


def vector_norm(self: Tensor, ord: float, dim: Size | None, keepdim: bool, dtype: DType | None) -> Tensor:
    """Norm of the elements along dimensions: the sum of ``abs(x) ** ord`` to the power ``1 / ord``.

    The greatest absolute value for ``inf``, the least for ``-inf``, how many elements are not zero for 0. The table of
    orders is that of `numpy.linalg.norm` and of `torch.linalg.vector_norm`.

    Args:
        input: Floats or complex numbers, of which the absolute values count.
        ord: The order.
        dim: The dimensions; None for all.
        keepdim: Whether the dimensions stay, with size 1.
        dtype: What the input is converted to before.

    Raises:
        RuntimeError: The input has no floats, or does not fit `dtype`, or nothing has no norm of this order.

    Example:
        >>> x = tscript.tensor([[3.0, -4.0], [0.0, 2.0]])
        >>> tscript.linalg.vector_norm(x, dim=1).tolist()
        [5.0, 2.0]
        >>> tscript.linalg.vector_norm(x, ord=float("inf")).item()
        4.0
    """
    if self.is_complex():
        self = self.abs()
    if not self.is_floating_point():
        raise RuntimeError(
            f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got {SCALAR_TYPE(self)}"
        )
    if dtype is not None:
        converted = self.to(dtype)
        if not dtype.is_floating_point:
            raise RuntimeError(
                f"linalg.vector_norm: dtype should be floating point or complex, but got {SCALAR_TYPE(converted)}"
            )
        if self.dtype == torch.float64 and dtype != torch.float64:
            raise RuntimeError(
                f"linalg.vector_norm: the dtype of the input ({SCALAR_TYPE(self)}) should be convertible "
                f"without narrowing "
                f"to the specified dtype ({SCALAR_TYPE(converted)})"
            )
        self = converted
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
    """Norm of the elements along dimensions, the Euclidean one by default: `torch.linalg.vector_norm` of order `p`.

    Args:
        input: Floats.
        p: The order; None for 2.
        dim: The dimensions; None for all.
        keepdim: Whether the dimensions stay, with size 1.
        dtype: What the input is converted to before.

    Raises:
        RuntimeError: As `torch.linalg.vector_norm`.

    Example:
        >>> x = tscript.tensor([[3.0, -4.0], [0.0, 2.0]])
        >>> x.norm(dim=1).tolist(), x.norm(1).item()
        ([5.0, 2.0], 9.0)
    """
    return torch.linalg.vector_norm(self, 2 if p is None else p, dim, keepdim, dtype=dtype)


def norm_by_name(self: Tensor, p: str, dim: Size | None, keepdim: bool, dtype: DType | None) -> Tensor:
    """Norm by its name: ``"fro"``, the Euclidean one, or ``"nuc"``, the sum of the singular values.

    Raises:
        RuntimeError: There is no such norm; and as `torch.linalg.vector_norm`.

    Example:
        >>> tscript.tensor([[1.0, 2.0], [4.0, 2.0]]).norm("fro").item()
        5.0
    """
    if p == "fro":
        return torch.linalg.vector_norm(self, 2, dim, keepdim, dtype=dtype)
    if p == "nuc":
        return torch.linalg.matrix_norm(self, "nuc", (-2, -1) if dim is None else dim, keepdim, dtype=dtype)
    raise RuntimeError(f"only valid string values are 'fro' and 'nuc', found {p}")


# ---- distances


def dist(self: Tensor, other: Tensor, p: float) -> Tensor:
    """Norm of the difference of two tensors: `torch.linalg.vector_norm` of ``input - other``, of order `p`.

    Args:
        input, other: Broadcast to one shape.
        p: The order.

    Raises:
        RuntimeError: The shapes do not go together; and as `torch.linalg.vector_norm`.

    Example:
        >>> tscript.dist(tscript.tensor([1.0, 2.0]), tscript.tensor([4.0, 6.0])).item()
        5.0
    """
    return torch.norm(self - other, p)


def pairwise_distance(x1: Tensor, x2: Tensor, p: float, eps: float, keepdim: bool) -> Tensor:
    """Norm of the differences along the last dimension.

    ``norm(x1 - x2 + eps, p, -1)``, the formula of `torch.nn.PairwiseDistance`.

    Args:
        x1, x2: Broadcast to one shape.
        p: The order of the norm.
        eps: Added to the differences.
        keepdim: Whether the dimension stays, with size 1.

    Raises:
        RuntimeError: The shapes do not go together; and as `torch.linalg.vector_norm`.

    Example:
        >>> x, y = tscript.tensor([[1.0, 2.0], [3.0, 5.0]]), tscript.tensor([4.0, 6.0])
        >>> tscript.nn.functional.pairwise_distance(x, y, p=1.0, eps=0.0).tolist()
        [7.0, 2.0]
    """
    return torch.norm(x1 - x2 + eps, p, -1, keepdim)


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int, eps: float) -> Tensor:
    """Cosine of the angle between the vectors along a dimension.

    ``sum(x1 * x2) / (max(norm(x1), eps) * max(norm(x2), eps))``, the formula of `torch.nn.CosineSimilarity`.

    Args:
        x1, x2: Broadcast to one shape and dtype.
        dim: The dimension of the vectors.
        eps: What norms are at least.

    Raises:
        RuntimeError: The shapes do not go together, or the common dtype is no float.
        IndexError: The dimension is out of range.

    Example:
        >>> x = tscript.tensor([[3.0, 4.0], [0.0, 2.0]])
        >>> tscript.cosine_similarity(x, tscript.tensor([[-3.0, -4.0], [4.0, 0.0]])).tolist()
        [-1.0, 0.0]
    """
    # Each in the shape and dtype of both; what is not finite has no direction.
    a, b = x1 + x2 * 0, x2 + x1 * 0
    if not a.is_floating_point():
        raise RuntimeError(f"expected common dtype to be floating point, yet common dtype is {SCALAR_TYPE(a)}")
    return (a / a.norm(2, dim, True).clamp(min=eps) * (b / b.norm(2, dim, True).clamp(min=eps))).sum(dim)


OPERATORS: tuple[OpDef, ...] = (
    composite(
        "linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, dtype? dtype=None) "
        "-> Tensor",
        vector_norm,
        names="torch.linalg.vector_norm out=same",
    ),
    composite(
        "norm(Tensor self, Scalar? p=None, int[1]? dim=None, bool keepdim=False, *, dtype? dtype=None) -> Tensor",
        norm,
        names="norm out=same",
    ),
    composite(
        "norm.str(Tensor self, str p, int[1]? dim=None, bool keepdim=False, *, dtype? dtype=None) -> Tensor",
        norm_by_name,
        names="norm out=same",
    ),
    composite("dist(Tensor self, Tensor other, Scalar p=2) -> Tensor", dist, names="dist out=no"),
    composite(
        "pairwise_distance(Tensor x1, Tensor x2, Scalar p=2, float eps=1e-06, bool keepdim=False) -> Tensor",
        pairwise_distance,
        names="torch.pairwise_distance F.pairwise_distance out=no",
    ),
    composite(
        "cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor",
        cosine_similarity,
        names="torch.cosine_similarity F.cosine_similarity out=no",
    ),
)
"""All operators of this module."""
