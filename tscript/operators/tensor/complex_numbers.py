"""Tensors of complex numbers: made of their parts, taken apart, and what only they have.

`conj` copies: there are no tensors that are conjugated lazily, so `is_conj` and `is_neg` are False of every one.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections.abc import Callable, Sequence

from tscript.arrays import Array, np
from tscript.definitions.define import composite, pointwise, pointwise_pair, view
from tscript.definitions.language import Tensor, torch
from tscript.definitions.opdef import Arg, OpDef, OperatorRuntimeError
from tscript.definitions.promotion import Computation, Operand, PointwiseRule, promote, promote_float
from tscript.definitions.rules import tensor_of
from tscript.dialect import ByType, T, of_parts, select
from tscript.dialect import complex_math as cm
from tscript.dialect import vector_math as vm
from tscript.dialect.complex_math import with_complex
from tscript.operators.tensor.arithmetic import sign
from tscript.operators.tensor.pointwise import BINARY, INTEGERS, UNARY, same
from tscript.types import TensorType, Type, dtypes
from tscript.types.dtypes import complex_dtype, part_dtype

# ---- of parts


def _pairs(name: str) -> Callable[[Sequence[Operand]], Computation]:
    def decide(operands: Sequence[Operand]) -> Computation:
        a, b = (o.dtype for o in operands)
        if not a.is_floating_point or not b.is_floating_point:
            raise OperatorRuntimeError(
                f"Expected both inputs to be Half, Float or Double tensors but got {a.name} and {b.name}"
            )
        if a is not b:
            raise OperatorRuntimeError(
                f"Expected object of scalar type {a.name} but got scalar type {b.name} for second argument"
            )
        if a.is_half:
            raise OperatorRuntimeError(f"complex numbers have no parts of {a.name}: convert them with .float()")
        return Computation(a, complex_dtype(a))

    return decide


def complex_of(re: T, im: T):  # type: ignore[no-untyped-def]
    return of_parts(re, im)


def polar_of(size: T, angle: T):  # type: ignore[no-untyped-def]
    return of_parts(size * vm.cos(angle), size * vm.sin(angle))


# ---- taken apart


def _part(operands: Sequence[Operand]) -> Computation:
    found = promote_float(operands)
    return Computation(found.compute, part_dtype(found.result))


def _as_real(args: Sequence[Arg]) -> Type:
    found = tensor_of(args[0])
    if found.dtype is not None and not found.dtype.is_complex:
        raise OperatorRuntimeError("view_as_real is only supported for complex tensors")
    dtype = None if found.dtype is None else part_dtype(found.dtype)
    return TensorType(dtype, None if found.rank is None else found.rank + 1)


def _as_complex(args: Sequence[Arg]) -> Type:
    found = tensor_of(args[0])
    if found.dtype is not None and not found.dtype.is_floating_point:
        raise OperatorRuntimeError(
            f"view_as_complex is only supported for float and double tensors, but got a tensor of {found.dtype.name}"
        )
    if found.rank == 0:
        raise OperatorRuntimeError("Input tensor must have one or more dimensions")
    dtype = None if found.dtype is None else complex_dtype(found.dtype)
    return TensorType(dtype, None if found.rank is None else found.rank - 1)


def _parts_of(array: Array) -> Array:
    if array.dtype.kind != "c":
        raise RuntimeError("view_as_real is only supported for complex tensors")
    return np.stack([array.real, array.imag], -1) if array.size == 0 else _reinterpreted(array)


def _reinterpreted(array: Array) -> Array:
    part = array.real.dtype
    strides = (*array.strides, part.itemsize)
    return np.lib.stride_tricks.as_strided(array.real, (*array.shape, 2), strides)


def _of_pairs(array: Array) -> Array:
    if array.dtype not in (np.float32, np.float64):
        raise RuntimeError(f"view_as_complex is only supported for float and double tensors, found {array.dtype}")
    if array.ndim == 0:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if array.shape[-1] != 2:
        raise RuntimeError(f"Tensor must have a last dimension of size 2, found {array.shape[-1]}")
    if array.strides[-1] != array.itemsize and array.size:
        raise RuntimeError(
            f"Tensor must have a last dimension with stride 1, found {array.strides[-1] // array.itemsize}"
        )
    whole = np.complex64 if array.dtype == np.float32 else np.complex128
    return array.view(whole)[..., 0]


def real(self: Tensor) -> Tensor:
    """The real parts, as a view; of a tensor that is not complex the tensor itself.

    Args:
        input: Of any shape.

    Example:
        >>> tscript.real(tscript.complex(tscript.ones(2), tscript.zeros(2))).tolist()
        [1.0, 1.0]
    """
    if self.is_complex():
        return torch.view_as_real(self).select(-1, 0)
    return self


def imag(self: Tensor) -> Tensor:
    """The imaginary parts of a complex tensor, as a view.

    Args:
        input: Complex, of any shape.

    Raises:
        RuntimeError: The tensor is not complex.

    Example:
        >>> tscript.imag(tscript.complex(tscript.ones(2), tscript.zeros(2))).tolist()
        [0.0, 0.0]
    """
    if not self.is_complex():
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    return torch.view_as_real(self).select(-1, 1)


def conj(self: Tensor) -> Tensor:
    """The complex conjugate, as a copy; of a tensor that is not complex the tensor itself.

    Args:
        input: Of any shape.

    Example:
        >>> tscript.conj(tscript.complex(tscript.ones(2), tscript.ones(2))).imag.tolist()
        [-1.0, -1.0]
    """
    if self.is_complex():
        return torch.conj_physical(self)
    return self


def adjoint(self: Tensor) -> Tensor:
    """The conjugate of a matrix with its dimensions exchanged; of a batch, of each matrix.

    A view of a tensor that is not complex; of complex numbers a copy.

    Args:
        input: A matrix, or a batch of them.

    Raises:
        RuntimeError: There are fewer than two dimensions.

    Example:
        >>> tscript.adjoint(tscript.tensor([[1j, 2.0]]))
        tensor([[0.-1.j],
                [2.-0.j]])
    """
    if self.dim() < 2:
        raise RuntimeError(
            f"tensor.adjoint() is only supported on matrices or batches of matrices. Got {self.dim()}-D tensor."
        )
    return self.transpose(-2, -1).conj()


def conjugate_matrix(self: Tensor) -> Tensor:
    if self.dim() != 2 and self.dim() != 0:
        raise RuntimeError(f"tensor.H is only supported on matrices (2-D tensors). Got {self.dim()}-D tensor.")
    return self.T.conj()


def vdot(self: Tensor, other: Tensor) -> Tensor:
    """The sum of products of the conjugates of one vector and another.

    Args:
        input, other: Vectors of one size and dtype.

    Raises:
        RuntimeError: They are no vectors, or differ in size or dtype.

    Example:
        >>> tscript.vdot(tscript.tensor([1j, 2.0]), tscript.tensor([1j, 1.0]))
        tensor(3.+0.j)
    """
    return self.conj().dot(other)


def itself(self: Tensor) -> Tensor:
    return self


def never(self: Tensor) -> bool:
    return False


# ---- angle, sign


def angle_of(x: T) -> T:
    """0, or pi of a negative number."""
    return select(x != x, x, select(x < 0, T(3.141592653589793), T(0)))


_angle = with_complex(angle_of, cm.angle)
_conjugate = ByType(
    {
        **dict.fromkeys((dtypes.float32, dtypes.float64, *INTEGERS), same),
        **dict.fromkeys(dtypes.COMPLEX_DTYPES, cm.conj),
    }
)
_sgn = ByType(
    {**dict.fromkeys((dtypes.float32, dtypes.float64, *INTEGERS), sign), **dict.fromkeys(dtypes.COMPLEX_DTYPES, cm.sgn)}
)

OPERATORS: tuple[OpDef, ...] = (
    pointwise(
        "complex(Tensor real, Tensor imag) -> Tensor",
        PointwiseRule(BINARY, _pairs("complex")),
        complex_of,
        "Complex numbers of their real and imaginary parts.",
        names="torch.complex",
    ),
    pointwise(
        "polar(Tensor abs, Tensor angle) -> Tensor",
        PointwiseRule(BINARY, _pairs("polar")),
        polar_of,
        "Complex numbers of their absolute values and angles.",
        exact=False,
        names="torch.polar",
    ),
    view(
        "view_as_real(Tensor self) -> Tensor",
        _as_real,
        _parts_of,
        "views_complex.view_as_real",
        "The real and the imaginary parts along a further dimension, as a view.",
        names="torch.view_as_real",
    ),
    view(
        "view_as_complex(Tensor self) -> Tensor",
        _as_complex,
        _of_pairs,
        "views_complex.view_as_complex",
        "Pairs along the last dimension as complex numbers, as a view.",
        names="torch.view_as_complex",
    ),
    composite("real(Tensor self) -> Tensor", real, names="torch.real tscript.real"),
    composite("imag(Tensor self) -> Tensor", imag, names="torch.imag tscript.imag"),
    composite("conj(Tensor self) -> Tensor", conj, names="conj out=no"),
    composite("adjoint(Tensor self) -> Tensor", adjoint, names="adjoint Tensor.mH out=no"),
    composite(
        "H(Tensor self) -> Tensor",
        conjugate_matrix,
        "The conjugate of a matrix with its dimensions exchanged, ``x.H``.",
        names="Tensor.H",
    ),
    composite("vdot(Tensor self, Tensor other) -> Tensor", vdot),
    composite(
        "resolve_conj(Tensor self) -> Tensor",
        itself,
        "The tensor itself: none is conjugated lazily.",
        names="resolve_conj out=no",
    ),
    composite(
        "resolve_neg(Tensor self) -> Tensor",
        itself,
        "The tensor itself: none is negated lazily.",
        names="resolve_neg out=no",
    ),
    composite("is_conj(Tensor self) -> bool", never, "False: no tensor is conjugated lazily.", names="is_conj out=no"),
    composite("is_neg(Tensor self) -> bool", never, "False: no tensor is negated lazily.", names="is_neg out=no"),
    *pointwise_pair(
        "conj_physical(Tensor self) -> Tensor",
        PointwiseRule(UNARY, promote),
        _conjugate,
        "The complex conjugate.",
        complex=True,
    ),
    pointwise(
        "angle(Tensor self) -> Tensor",
        PointwiseRule(UNARY, _part),
        _angle,
        "The angle of a complex number in the plane; of others 0, or pi where they are negative.",
        exact=False,
        complex=True,
    ),
    *pointwise_pair(
        "sgn(Tensor self) -> Tensor",
        PointwiseRule(UNARY, promote),
        _sgn,
        "``x / abs(x)`` of complex numbers, 0 of 0; `sign` of others.",
        exact=False,
        complex=True,
    ),
)
"""All operators of this module."""
