"""Scans along a dimension: sums, products and extremes of each element and all before it."""

# mypy: disable-error-code="no-untyped-def,no-any-return,operator"

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tscript.arrays import Array, np, numpy_function
from tscript.definitions.define import composite, kernel
from tscript.definitions.language import Tensor, generic, torch
from tscript.definitions.opdef import Arg, Made, OpDef, OperatorNotImplementedError
from tscript.definitions.rules import check_dim, constant_int, tensor_of
from tscript.definitions.values import wrap_dim
from tscript.operators.python.folds import add, exceeds, multiply, undercuts
from tscript.operators.tensor.checks import SCALAR_TYPE
from tscript.types import DType, TensorType, TupleType, Type, dtypes

# ---- kernels


def _floats(args: Sequence[Arg]) -> Type:
    found = tensor_of(args[0])
    if found.dtype is not None and not found.dtype.is_floating_point:
        raise OperatorNotImplementedError("a scan of floats takes floats")
    check_dim(constant_int(args[1]), found.rank)
    return TensorType(found.dtype, found.rank)


def _complex(args: Sequence[Arg]) -> Type:
    found = tensor_of(args[0])
    if found.dtype is not None and not found.dtype.is_complex:
        raise OperatorNotImplementedError("a scan of complex numbers takes those")
    check_dim(constant_int(args[1]), found.rank)
    return TensorType(found.dtype, found.rank)


def _ints(args: Sequence[Arg]) -> Type:
    found = tensor_of(args[0])
    if found.dtype is not None and (found.dtype.is_floating_point or found.dtype is dtypes.bool_):
        raise OperatorNotImplementedError("a scan of ints takes ints")
    check_dim(constant_int(args[1]), found.rank)
    return TensorType(found.dtype, found.rank)


def _with_indices(args: Sequence[Arg]) -> Type:
    found = tensor_of(args[0])
    check_dim(constant_int(args[1]), found.rank)
    return TupleType((TensorType(found.dtype, found.rank), TensorType(dtypes.int64, found.rank)))


def _scanned(function: Any) -> Callable[..., Array]:
    def along(x: Array, dim: int) -> Array:
        axis = wrap_dim(dim, x.ndim)
        if x.ndim == 0 or not x.size:
            return x.copy()
        kinds: dict[str, Any] = {"f": np.float64, "c": np.complex128}
        wide = x.astype(kinds.get(x.dtype.kind, np.int64))
        with np.errstate(all="ignore"):
            return np.asarray(function(wide, axis=axis)).astype(x.dtype)

    return along


def _extremes(is_greatest: bool) -> Callable[..., tuple[Array, Array]]:
    def along(x: Array, dim: int) -> tuple[Array, Array]:
        axis = wrap_dim(dim, x.ndim)
        if x.ndim == 0:
            return x.copy(), np.asarray(0, np.int64)
        lines, places = np.moveaxis(x.copy(), axis, 0), np.zeros(x.shape, np.int64)
        found = np.moveaxis(places, axis, 0)
        for k in range(1, len(lines)):
            best, now = lines[k - 1], lines[k]
            new = (now != now) | ((best == best) & ((now >= best) if is_greatest else (now <= best)))
            found[k] = np.where(new, k, found[k - 1])
            lines[k] = np.where(new, now, best)
        return np.moveaxis(lines, 0, axis), places

    return along


def _scan(name: str, fold: Any, function: Any) -> tuple[OpDef, OpDef, OpDef]:
    schema = f"{name}(Tensor self, int dim) -> Tensor"
    doc = "What a scan does with {0} of one dtype."
    maker = "scans.scan"
    return (
        kernel(
            schema.replace("(", "_floats("),
            _floats,
            _scanned(function),
            Made(f"{name}_floats", f"{maker}_floats", (fold,)),
            doc.format("floats"),
            generic=(0,),
            exact=False,
            names="",
        ),
        kernel(
            schema.replace("(", "_ints("),
            _ints,
            _scanned(function),
            Made(f"{name}_ints", f"{maker}_ints", (fold,)),
            doc.format("ints"),
            generic=(0,),
            names="",
        ),
        kernel(
            schema.replace("(", "_complex("),
            _complex,
            _scanned(function),
            Made(f"{name}_complex", f"{maker}_complex", (fold,)),
            doc.format("complex numbers"),
            generic=(0,),
            exact=False,
            names="",
            complex=True,
        ),
    )


SUM_FLOATS, SUM_INTS, SUM_COMPLEX = _scan("scan_sum", add, numpy_function(lambda: np.cumsum))
PROD_FLOATS, PROD_INTS, PROD_COMPLEX = _scan("scan_prod", multiply, numpy_function(lambda: np.cumprod))
LOG_SUM = kernel(
    "scan_log_sum(Tensor self, int dim) -> Tensor",
    _floats,
    _scanned(numpy_function(lambda: np.logaddexp.accumulate)),
    Made("scan_log_sum", "scans.log_sum_scan", ()),
    "The logarithm of the sum of the powers of each element and all before it.",
    generic=(0,),
    exact=False,
    names="",
)
HIDDEN: tuple[OpDef, ...] = (SUM_FLOATS, SUM_INTS, SUM_COMPLEX, PROD_FLOATS, PROD_INTS, PROD_COMPLEX, LOG_SUM)
"""What the bodies below call."""

# ---- sums and products


@generic
def sum_scanned(x, dim: int) -> Tensor:
    if x.is_floating_point():
        return SUM_FLOATS(x, dim)
    if x.is_complex():
        return SUM_COMPLEX(x, dim)
    if x.dtype == torch.bool:
        raise NotImplementedError("\"cumsum_out_cpu\" not implemented for 'Bool'")
    return SUM_INTS(x, dim)


@generic
def product_scanned(x, dim: int) -> Tensor:
    if x.is_floating_point():
        return PROD_FLOATS(x, dim)
    if x.is_complex():
        return PROD_COMPLEX(x, dim)
    if x.dtype == torch.bool:
        raise NotImplementedError("\"cumprod_out_cpu\" not implemented for 'Bool'")
    return PROD_INTS(x, dim)


def cumsum(self: Tensor, dim: int, dtype: DType | None) -> Tensor:
    """The sum of each element and all before it along a dimension.

    Floats are added in float64 and rounded once each.

    Args:
        input: A tensor.
        dim: The dimension.
        dtype: What the input is converted to before; int64 for ints and bools if left out.

    Raises:
        IndexError: The dimension is out of range.

    Example:
        >>> tscript.cumsum(tscript.tensor([[1, 2, 3], [4, 5, 6]]), 1).tolist()
        [[1, 3, 6], [4, 9, 15]]
    """
    # Each call is of one dtype: of merged ones the code would not know it.
    if dtype is not None:
        return sum_scanned(self.to(dtype), dim)
    if self.is_floating_point() or self.is_complex():
        return sum_scanned(self, dim)
    return sum_scanned(self.to(torch.int64), dim)


def cumprod(self: Tensor, dim: int, dtype: DType | None) -> Tensor:
    """The product of each element and all before it along a dimension.

    Args:
        input: A tensor.
        dim: The dimension.
        dtype: What the input is converted to before; int64 for ints and bools if left out.

    Raises:
        IndexError: The dimension is out of range.

    Example:
        >>> tscript.tensor([1.0, 2.0, 3.0]).cumprod(0).tolist()
        [1.0, 2.0, 6.0]
    """
    # Each call is of one dtype: of merged ones the code would not know it.
    if dtype is not None:
        return product_scanned(self.to(dtype), dim)
    if self.is_floating_point() or self.is_complex():
        return product_scanned(self, dim)
    return product_scanned(self.to(torch.int64), dim)


def cumsum_(self: Tensor, dim: int, dtype: DType | None) -> Tensor:
    check_same(self, dtype, "cumsum_")
    return self.copy_(self.cumsum(dim))


def cumprod_(self: Tensor, dim: int, dtype: DType | None) -> Tensor:
    check_same(self, dtype, "cumprod_")
    return self.copy_(self.cumprod(dim))


@generic
def check_same(self, dtype, name: str) -> None:
    """An operator in place computes in the dtype of its tensor."""
    if dtype is not None and dtype != self.dtype:
        raise RuntimeError(
            f"Bad in-place call: input tensor dtype {SCALAR_TYPE(self)} and output tensor dtype {dtype} of {name} "
            "should match"
        )


def logcumsumexp(self: Tensor, dim: int) -> Tensor:
    """Logarithm of the sum of ``exp(x)`` of each element and all before it along a dimension.

    Args:
        input: Floats.
        dim: The dimension.

    Raises:
        NotImplementedError: The input has no floats.
        IndexError: The dimension is out of range.

    Example:
        >>> tscript.logcumsumexp(tscript.tensor([0.0, 0.0]), 0).tolist()
        [0.0, 0.6931471824645996]
    """
    if not self.is_floating_point():
        raise NotImplementedError(f"\"logcumsumexp_out_cpu\" not implemented for '{SCALAR_TYPE(self)}'")
    return LOG_SUM(self, dim)


_SUMS = "Tensor self, int dim, *, dtype? dtype=None"
_IN_PLACE = "Tensor(a!) self, int dim, *, dtype? dtype=None"

OPERATORS: tuple[OpDef, ...] = (
    composite(f"cumsum({_SUMS}) -> Tensor", cumsum),
    composite(f"cumsum_({_IN_PLACE}) -> Tensor", cumsum_, "In-place `cumsum`.", names="Tensor.cumsum_"),
    composite(f"cumprod({_SUMS}) -> Tensor", cumprod),
    composite(f"cumprod_({_IN_PLACE}) -> Tensor", cumprod_, "In-place `cumprod`.", names="Tensor.cumprod_"),
    composite("logcumsumexp(Tensor self, int dim) -> Tensor", logcumsumexp),
    kernel(
        "cummax(Tensor self, int dim) -> (Tensor values, Tensor indices)",
        _with_indices,
        _extremes(True),
        Made("cummax", "scans.extreme_scan", (exceeds,)),
        "The greatest of each element and all before it along a dimension, and its index, the last of equals.",
        generic=(0,),
    ),
    kernel(
        "cummin(Tensor self, int dim) -> (Tensor values, Tensor indices)",
        _with_indices,
        _extremes(False),
        Made("cummin", "scans.extreme_scan", (undercuts,)),
        "The least of each element and all before it along a dimension, and its index, the last of equals.",
        generic=(0,),
    ),
)
"""All operators of this module."""
