"""Products of matrices and vectors. Matrices of one product have one dtype, as in PyTorch; bool is refused."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from collections.abc import Callable, Sequence

from tscript.arrays import Array, np
from tscript.definitions.define import composite, kernel
from tscript.definitions.language import Tensor, generic, torch
from tscript.definitions.opdef import Arg, OpDef, OperatorNotImplementedError, OperatorRuntimeError
from tscript.definitions.promotion import torch_name
from tscript.definitions.rules import tensor_of
from tscript.definitions.values import dtype_of_array
from tscript.operators.tensor.checks import check_same_dtype, shown
from tscript.types import DType, TensorType, Type, dtypes


def _product_dtype(name: str, a: DType | None, b: DType | None) -> DType | None:
    if dtypes.bool_ in (a, b):
        raise OperatorNotImplementedError(f"\"{name}\" not implemented for 'Bool'")
    if a is None or b is None:
        return a or b
    if a is not b:
        raise OperatorRuntimeError(
            f"expected m1 and m2 to have the same dtype, but got: {torch_name(a)} != {torch_name(b)}"
        )
    return a


def _ranks(name: str, wanted: Sequence[int], found: Sequence[int | None]) -> None:
    if any(f is not None and f != w for f, w in zip(found, wanted, strict=True)):
        shown = " and ".join(f"{'?' if f is None else f}D" for f in found)
        expected = " and ".join(f"{w}D" for w in wanted)
        raise OperatorRuntimeError(f"{name}(): expected {expected} tensors, but got {shown}")


def _matmul(args: Sequence[Arg]) -> Type:
    a, b = tensor_of(args[0]), tensor_of(args[1])
    dtype = _product_dtype("addmm_impl_cpu_", a.dtype, b.dtype)
    if 0 in (a.rank, b.rank) and None not in (a.rank, b.rank):
        raise OperatorRuntimeError(
            f"both arguments to matmul need to be at least 1D, but they are {_shown(a.rank)}D and {_shown(b.rank)}D"
        )
    if a.rank is None or b.rank is None:
        return TensorType(dtype, None)
    return TensorType(dtype, max(a.rank, b.rank, 2) - (a.rank == 1) - (b.rank == 1))


def _shown(rank: int | None) -> str:
    return "?" if rank is None else str(rank)


def _fixed_ranks(name: str, wanted: tuple[int, int], result: int) -> Callable[[Sequence[Arg]], Type]:
    def rule(args: Sequence[Arg]) -> Type:
        a, b = tensor_of(args[0]), tensor_of(args[1])
        _ranks(name, wanted, (a.rank, b.rank))
        return TensorType(_product_dtype(f"{name}_cpu", a.dtype, b.dtype), result)

    return rule


# ---- on arrays


def _check(name: str, a: Array, b: Array) -> None:
    _product_dtype(name, dtype_of_array(a), dtype_of_array(b))


def _multiply(a: Array, b: Array) -> Array:
    with np.errstate(all="ignore"):
        return np.asarray(np.matmul(a, b))


def _matrices(a: Array, b: Array) -> Array:
    if a.shape[-1] != b.shape[-2]:
        shapes = f"{a.shape[-2]}x{a.shape[-1]} and {b.shape[-2]}x{b.shape[-1]}"
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({shapes})")
    return _multiply(a, b)


def matmul(a: Array, b: Array) -> Array:
    """`torch.matmul` of arrays.

    Raises:
        RuntimeError: The shapes or dtypes do not fit, in PyTorch's words.
    """
    _check("addmm_impl_cpu_", a, b)
    if a.ndim == 0 or b.ndim == 0:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {a.ndim}D and {b.ndim}D")
    match a.ndim, b.ndim:
        case 1, 1:
            return _dot(a, b)
        case _, 1 if a.ndim == 2:
            return _mv(a, b)
        case _, 1:
            return matmul(a, b[:, None])[..., 0]
        case 1, _:
            return matmul(a[None, :], b)[..., 0, :]
    if a.shape[-1] != b.shape[-2] and 2 in (a.ndim, b.ndim):
        return (
            _matrices(a.reshape(int(np.prod(a.shape[:-1], dtype=np.int64)), a.shape[-1]), b)
            if b.ndim == 2
            else _matrices(a, b)
        )
    if a.shape[-1] != b.shape[-2]:
        batch = int(np.prod(a.shape[:-2], dtype=np.int64))
        wanted, got = [batch, a.shape[-1]], [batch, b.shape[-2]]
        raise RuntimeError(f"Expected size for first two dimensions of batch2 tensor to be: {wanted} but got: {got}.")
    from tscript.definitions.values import broadcast_shape

    broadcast_shape([a.shape[:-2], b.shape[:-2]])
    return _multiply(a, b)


def _mm(a: Array, b: Array) -> Array:
    _check("addmm_impl_cpu_", a, b)
    if a.ndim != 2 or b.ndim != 2:
        raise RuntimeError(f"mm(): expected 2D and 2D tensors, but got {a.ndim}D and {b.ndim}D")
    return _matrices(a, b)


def _mv(a: Array, b: Array) -> Array:
    _check("addmv_impl_cpu", a, b)
    if a.ndim != 2 or b.ndim != 1:
        raise RuntimeError(f"mv(): expected 2D and 1D tensors, but got {a.ndim}D and {b.ndim}D")
    if a.shape[1] != b.shape[0]:
        raise RuntimeError(
            f"size mismatch, got input ({a.shape[0]}), mat ({a.shape[0]}x{a.shape[1]}), vec ({b.shape[0]})"
        )
    return _multiply(a, b)


def _dot(a: Array, b: Array) -> Array:
    _check("dot", a, b)
    if a.ndim != 1 or b.ndim != 1:
        raise RuntimeError(f"dot(): expected 1D and 1D tensors, but got {a.ndim}D and {b.ndim}D")
    if a.shape != b.shape:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{a.size}] and src [{b.size}] to have the same number of "
            f"elements, but got {a.size} and {b.size} elements respectively"
        )
    return _multiply(a, b)


def _bmm(a: Array, b: Array) -> Array:
    _check("baddbmm_impl_cpu", a, b)
    if a.ndim != 3 or b.ndim != 3:
        raise RuntimeError(f"bmm(): expected 3D and 3D tensors, but got {a.ndim}D and {b.ndim}D")
    if a.shape[0] != b.shape[0] or a.shape[2] != b.shape[1]:
        wanted = [a.shape[0], a.shape[2]]
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: {wanted} but got: {list(b.shape[:2])}."
        )
    return _multiply(a, b)


# ---- composites, in the language


def linear(input: Tensor, weight: Tensor, bias: None) -> Tensor:
    return input.matmul(weight.t())


def linear_with_bias(input: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    check_same_dtype(input, bias)
    product = input.matmul(weight.t())
    if bias.dim() > product.dim():
        raise RuntimeError(f"linear(): the bias has {bias.dim()} dimensions, the result only {product.dim()}")
    return product + bias


def addmm(self: Tensor, mat1: Tensor, mat2: Tensor, beta: float, alpha: float) -> Tensor:
    product = mat1.mm(mat2)
    check_added(self, product, "addmm")
    return added(self, product, beta, alpha)


def baddbmm(self: Tensor, batch1: Tensor, batch2: Tensor, beta: float, alpha: float) -> Tensor:
    product = batch1.bmm(batch2)
    check_added(self, product, "baddbmm")
    return added(self, product, beta, alpha)


@generic
def added(x, product, beta, alpha) -> Tensor:
    """``beta * x + alpha * product``; without `beta`, `x` is not looked at. Of ints, the factors are cut to ints."""
    if x.is_floating_point() or x.is_complex():
        return product * alpha if beta == 0 else x * beta + product * alpha
    whole = int(alpha)
    return product * whole if int(beta) == 0 else x * int(beta) + product * whole


def check_added(added: Tensor, product: Tensor, name: str) -> None:
    """Refuse what cannot be added to a product."""
    if added.dim() > product.dim():
        raise RuntimeError(f"{name}(): expected self of at most {product.dim()}D, but got {added.dim()}D")
    check_same_dtype(added, product)
    check_expands(added, product)


def check_expands(x: Tensor, whole: Tensor) -> None:
    """Refuse what cannot be expanded to the shape of `whole`, which has as many dimensions at least."""
    for i in range(x.dim()):
        have, want = x.size(-1 - i), whole.size(-1 - i)
        if have not in (1, want):
            raise RuntimeError(
                f"The expanded size of the tensor ({want}) must match the existing size ({have}) at non-singleton "
                f"dimension {whole.dim() - 1 - i}."
            )


def addmv(self: Tensor, mat: Tensor, vec: Tensor, beta: float, alpha: float) -> Tensor:
    """``beta * input + alpha * (mat @ vec)``: the formula of `torch.addmv`.

    Args:
        input: As many elements as there are rows, or one.
        mat: A matrix.
        vec: As many elements as there are columns.
        beta: 0 to leave the input out, whatever it holds.
        alpha: What the product is multiplied by.

    Raises:
        RuntimeError: The dimensions or sizes do not go together, or the dtypes differ.

    Example:
        >>> mat = tscript.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> tscript.addmv(tscript.tensor([10.0, 20.0]), mat, tscript.tensor([1.0, 1.0]), beta=0.5).tolist()
        [8.0, 17.0]
    """
    if self.dim() > 1 or mat.dim() != 2 or vec.dim() != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {self.dim()}, {mat.dim()}, {vec.dim()}")
    product = torch.mv(mat, vec)
    check_same_dtype(self, product)
    check_expands(self, product)
    return added(self, product, beta, alpha)


@generic
def check_whole(factor, name: str) -> None:
    """Refuse a float as a factor of ints."""
    if isinstance(factor, float):
        raise RuntimeError(f"For integral input tensors, argument {name} must not be a floating point number: {factor}")


def addr(self: Tensor, vec1: Tensor, vec2: Tensor, beta: float, alpha: float) -> Tensor:
    """``beta * input + alpha * outer(vec1, vec2)``: the formula of `torch.addr`.

    Args:
        input: A matrix of that size, or what is expanded to it.
        vec1: One element for each row.
        vec2: One element for each column.
        beta: 0 to leave the input out, whatever it holds.
        alpha: What the product is multiplied by.

    Raises:
        RuntimeError: A vector is none, or the input cannot be expanded, or a factor of ints is a float.

    Example:
        >>> tscript.addr(tscript.ones(2, 2), tscript.tensor([1.0, 2.0]), tscript.tensor([3.0, 4.0]), alpha=2).tolist()
        [[7.0, 9.0], [13.0, 17.0]]
    """
    if vec1.dim() != 1:
        raise RuntimeError(f"addr: Expected 1-D argument vec1, but got {vec1.dim()}-D")
    if vec2.dim() != 1:
        raise RuntimeError(f"addr: Expected 1-D argument vec2, but got {vec2.dim()}-D")
    whole = self.expand(vec1.size(0), vec2.size(0))
    if beta == 0:
        whole = torch.zeros_like(whole)
    product = vec1.unsqueeze(1) * vec2
    if not (self.is_floating_point() or self.is_complex() or product.is_floating_point() or product.is_complex()):
        check_whole(beta, "beta")
        check_whole(alpha, "alpha")
    if self.dtype == torch.bool and product.dtype == torch.bool:
        return (whole & (beta != 0)) | (product & (alpha != 0))
    return whole * beta + product * alpha


def inner(self: Tensor, other: Tensor) -> Tensor:
    """Sums of products over the last dimension of both, for all pairs of rows: the formula of `torch.inner`.

    Args:
        input, other: Of one size in the last dimension. Without dimensions, it is what all is multiplied by.

    Raises:
        RuntimeError: The last sizes differ, or the dtypes do.

    Example:
        >>> x = tscript.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> tscript.inner(x, tscript.tensor([10.0, 1.0])).tolist()
        [12.0, 34.0]
    """
    if self.dim() == 0 or other.dim() == 0:
        return self * other
    if self.size(-1) != other.size(-1):
        raise RuntimeError(
            "inner() the last dimension must match on both input tensors but got shapes [" + shown(self.size())
            + "] and [" + shown(other.size()) + "]"
        )  # fmt: skip
    rows = self.unsqueeze(0) if self.dim() == 1 else self.flatten(0, -2)
    columns = other.unsqueeze(1) if other.dim() == 1 else other.flatten(0, -2).t()
    return rows.mm(columns).reshape(self.size()[:-1] + other.size()[:-1])


def outer(self: Tensor, vec2: Tensor) -> Tensor:
    if self.dim() != 1:
        raise RuntimeError(f"outer: Expected 1-D argument self, but got {self.dim()}-D")
    if vec2.dim() != 1:
        raise RuntimeError(f"outer: Expected 1-D argument vec2, but got {vec2.dim()}-D")
    return self.unsqueeze(1) * vec2


def trace(self: Tensor) -> Tensor:
    """Sum of the diagonal of a matrix: the formula of `torch.trace`.

    Args:
        input: A matrix.

    Raises:
        RuntimeError: The input is no matrix.

    Example:
        >>> tscript.trace(tscript.tensor([[1, 2], [3, 4]])).item()
        5
    """
    if self.dim() != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {self.dim()}")
    return self.diagonal().sum()


def _steady(args: Sequence[Arg]) -> Type:
    return tensor_of(args[0])


def _copied(a: Array) -> Array:
    return np.array(a)


STEADY: OpDef = kernel(
    "steady(Tensor self) -> Tensor",
    _steady,
    _copied,
    "steady.steady",
    "A copy that no code writes to, of which products keep what they lay out.",
    names="",
)
HIDDEN: tuple[OpDef, ...] = (STEADY,)
"""What `tscript.passes.steady_operands` puts before loops."""

OPERATORS: tuple[OpDef, ...] = (
    kernel(
        "matmul(Tensor self, Tensor other) -> Tensor",
        _matmul,
        matmul,
        "linalg.matmul",
        "Product of matrices, vectors or batches of matrices, ``self @ other``.",
        names="matmul torch.linalg.matmul",
        generic=(0,),
        exact=False,
        complex=True,
    ),
    kernel(
        "mm(Tensor self, Tensor mat2) -> Tensor",
        _fixed_ranks("mm", (2, 2), 2),
        _mm,
        "linalg.mm",
        "Product of two matrices.",
        generic=(0,),
        exact=False,
        complex=True,
    ),
    kernel(
        "mv(Tensor self, Tensor vec) -> Tensor",
        _fixed_ranks("mv", (2, 1), 1),
        _mv,
        "linalg.mv",
        "Product of a matrix and a vector.",
        generic=(0,),
        exact=False,
        complex=True,
    ),
    kernel(
        "dot(Tensor self, Tensor tensor) -> Tensor",
        _fixed_ranks("dot", (1, 1), 0),
        _dot,
        "linalg.dot",
        "Inner product of two vectors.",
        generic=(0,),
        exact=False,
        complex=True,
    ),
    kernel(
        "bmm(Tensor self, Tensor mat2) -> Tensor",
        _fixed_ranks("bmm", (3, 3), 3),
        _bmm,
        "linalg.bmm",
        "Products of two batches of matrices.",
        generic=(0,),
        exact=False,
        complex=True,
    ),
    composite(
        "addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
        addmv,
    ),
    composite(
        "addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
        addr,
        names="addr out=cast",
    ),
    composite("inner(Tensor self, Tensor other) -> Tensor", inner),
    composite("trace(Tensor self) -> Tensor", trace, names="trace out=no"),
    composite(
        "outer(Tensor self, Tensor vec2) -> Tensor",
        outer,
        "Outer product of two vectors.",
        names="outer ger out=cast",
        exact=True,
    ),
    composite(
        "linear(Tensor input, Tensor weight, None bias=None) -> Tensor",
        linear,
        "``input @ weight.t()``.",
        names="F.linear Tensor.linear",
    ),
    composite(
        "linear.bias(Tensor input, Tensor weight, Tensor bias) -> Tensor",
        linear_with_bias,
        "``input @ weight.t() + bias``.",
        names="F.linear Tensor.linear",
    ),
    composite(
        "addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
        addmm,
        "``beta * self + alpha * (mat1 @ mat2)``.",
    ),
    composite(
        "baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
        baddbmm,
        "``beta * self + alpha * (batch1 @ batch2)``.",
    ),
)
"""All operators of this module."""
