"""Discrete Fourier transforms: ``torch.fft``.

The kernel transforms complex rows without a factor; everything else (real input and output, lengths, dimensions,
factors) is made of it here.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, no-any-return, operator"
from __future__ import annotations

from collections.abc import Sequence

from tscript.arrays import Array, np
from tscript.definitions.define import composite, kernel, pointwise
from tscript.definitions.language import Tensor, torch
from tscript.definitions.opdef import Arg, OpDef, OperatorRuntimeError
from tscript.definitions.promotion import Computation, Operand, PointwiseRule, result_type
from tscript.definitions.rules import tensor_of
from tscript.operators.tensor.checks import SCALAR_TYPE
from tscript.operators.tensor.pointwise import UNARY, same
from tscript.types import Type, dtypes
from tscript.types.dtypes import complex_dtype


def _same_type(args: Sequence[Arg]) -> Type:
    found = tensor_of(args[0])
    if found.dtype is not None and not found.dtype.is_complex:
        raise OperatorRuntimeError(f"expected a complex tensor, found one of {found.dtype.name}")
    return found


def _rows(x: Array, n: int, inverse: bool, mirrored: bool) -> Array:
    kept = n // 2 + 1 if mirrored else n
    whole = np.zeros((*x.shape[:-1], n), np.complex128)
    filled = min(kept, x.shape[-1])
    whole[..., :filled] = x[..., :filled]
    if mirrored:
        whole[..., kept:] = np.conj(whole[..., n - np.arange(kept, n)])
    found = np.fft.ifft(whole) * n if inverse else np.fft.fft(whole)
    return np.asarray(found).astype(x.dtype)


def _wide(operands: Sequence[Operand]) -> Computation:
    dtype = complex_dtype(result_type(operands))
    return Computation(dtype, dtype)


ROWS = kernel(
    "fourier_rows(Tensor self, int n, bool inverse, bool mirrored) -> Tensor",
    _same_type,
    _rows,
    "fourier.fourier_rows",
    "Transforms of the rows of a contiguous complex tensor.",
    generic=(0,),
    exact=False,
    names="",
    complex=True,
)

AS_COMPLEX = pointwise(
    "as_complex(Tensor self) -> Tensor",
    PointwiseRule(UNARY, _wide),
    same,
    "A copy as complex numbers.",
    names="",
    complex=True,
)


def scale_of(n: int, norm: str | None, inverse: bool) -> float:
    """What the results of a transform are multiplied by."""
    if norm is None or norm == "backward":
        return 1.0 / n if inverse else 1.0
    if norm == "ortho":
        return n**-0.5
    if norm == "forward":
        return 1.0 if inverse else 1.0 / n
    raise RuntimeError(f'Invalid normalization mode: "{norm}"')


def check_has_dim(x: Tensor, dim: int) -> None:
    """Refuse tensors without dimensions, along which nothing is transformed."""
    if x.dim() == 0:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")


def length_of(x: Tensor, n: int | None, dim: int) -> int:
    """The length of a transform."""
    check_has_dim(x, dim)
    length = x.size(dim) if n is None else n
    if length < 1:
        raise RuntimeError(f"Invalid number of data points ({length}) specified")
    return length


def transformed(x: Tensor, length: int, dim: int, inverse: bool, mirrored: bool) -> Tensor:
    """Transforms along a dimension, without a factor."""
    return ROWS(AS_COMPLEX(x).transpose(dim, -1).contiguous(), length, inverse, mirrored).transpose(dim, -1)


def whole(x: Tensor, n: int | None, dim: int, norm: str | None, inverse: bool) -> Tensor:
    """A transform of complex numbers."""
    length = length_of(x, n, dim)
    return transformed(x, length, dim, inverse, False) * scale_of(length, norm, inverse)


def half(x: Tensor, n: int | None, dim: int, norm: str | None, inverse: bool, name: str) -> Tensor:
    """The first half of a transform of real numbers."""
    if x.is_complex():
        raise RuntimeError(f"{name} expects a real input tensor, but got {SCALAR_TYPE(x)}")
    length = length_of(x, n, dim)
    found = transformed(x, length, dim, inverse, False).narrow(dim, 0, length // 2 + 1)
    return found * scale_of(length, norm, inverse)


def real_of_half(x: Tensor, n: int | None, dim: int, norm: str | None, inverse: bool) -> Tensor:
    """The real transform of the first half of numbers whose other half is their conjugate."""
    check_has_dim(x, dim)
    length = 2 * (x.size(dim) - 1) if n is None else n
    if length < 1:
        raise RuntimeError(f"Invalid number of data points ({length}) specified")
    found = torch.view_as_real(transformed(x, length, dim, inverse, True)).select(-1, 0)
    return found * scale_of(length, norm, inverse)


def fft(self: Tensor, n: int | None, dim: int, norm: str | None) -> Tensor:
    """The discrete Fourier transform along a dimension: ``sum(x[k] * exp(-2j * pi * j * k / n))``.

    Args:
        input: Of any dtype; what is not complex becomes complex.
        n: The length: the input is cut or filled up with zeros. Left out, it is the size of the dimension.
        dim: The dimension.
        norm: What the result is divided by: ``"backward"`` nothing, ``"forward"`` n, ``"ortho"`` the root of n.

    Raises:
        RuntimeError: The length is less than 1, or `norm` is none of these.
        IndexError: The dimension is out of range.

    Example:
        >>> tscript.fft.fft(tscript.tensor([1.0, 2.0, 3.0, 4.0]))
        tensor([10.+0.j, -2.+2.j, -2.+0.j, -2.-2.j])
    """
    return whole(self, n, dim, norm, False)


def ifft(self: Tensor, n: int | None, dim: int, norm: str | None) -> Tensor:
    """The inverse of `fft`: the same sum with the other sign, divided by n where `norm` is ``"backward"`` or None.

    Args:
        input, n, dim, norm: As for `fft`.

    Example:
        >>> tscript.fft.ifft(tscript.fft.fft(tscript.tensor([1.0, 2.0]))).real.tolist()
        [1.0, 2.0]
    """
    return whole(self, n, dim, norm, True)


def rfft(self: Tensor, n: int | None, dim: int, norm: str | None) -> Tensor:
    """`fft` of real numbers, of which the first ``n // 2 + 1`` results are given: the others are their conjugates.

    Args:
        input: Real.
        n, dim, norm: As for `fft`.

    Raises:
        RuntimeError: The input is complex.

    Example:
        >>> tscript.fft.rfft(tscript.tensor([1.0, 2.0, 3.0, 4.0]))
        tensor([10.+0.j, -2.+2.j, -2.+0.j])
    """
    return half(self, n, dim, norm, False, "rfft")


def irfft(self: Tensor, n: int | None, dim: int, norm: str | None) -> Tensor:
    """The inverse of `rfft`: real numbers.

    Args:
        input: The first half of a transform.
        n: The length of the result; left out, it is even: ``2 * (size - 1)``.
        dim, norm: As for `fft`.

    Example:
        >>> tscript.fft.irfft(tscript.fft.rfft(tscript.tensor([1.0, 2.0, 3.0, 4.0]))).tolist()
        [1.0, 2.0, 3.0, 4.0]
    """
    return real_of_half(self, n, dim, norm, True)


def hfft(self: Tensor, n: int | None, dim: int, norm: str | None) -> Tensor:
    """`fft` of numbers whose second half is the conjugate of the first in reverse: it is real.

    Args:
        input: The first half.
        n: The length of the result; left out, it is even.
        dim, norm: As for `fft`.

    Example:
        >>> tscript.fft.hfft(tscript.tensor([1.0, 2.0, 3.0])).tolist()
        [8.0, -2.0, 0.0, -2.0]
    """
    return real_of_half(self, n, dim, norm, False)


def ihfft(self: Tensor, n: int | None, dim: int, norm: str | None) -> Tensor:
    """The inverse of `hfft`: the first half of the inverse transform of real numbers.

    Args:
        input: Real.
        n, dim, norm: As for `fft`.

    Example:
        >>> tscript.fft.ihfft(tscript.tensor([8.0, -2.0, 0.0, -2.0])).real.tolist()
        [1.0, 2.0, 3.0]
    """
    return half(self, n, dim, norm, True, "ihfft")


def fftfreq(n: int, d: float, dtype: dtypes.DType | None) -> Tensor:
    """The frequencies of the results of `fft`, in cycles per unit.

    Args:
        n: The length of the transform.
        d: The distance of samples.
        dtype: The default dtype if it is left out.

    Example:
        >>> tscript.fft.fftfreq(4).tolist()
        [0.0, 0.25, -0.5, -0.25]
    """
    k = torch.arange(n)
    found = torch.where(k < (n + 1) // 2, k, k - n).double() * (1.0 / (n * d))
    return found.to(torch.get_default_dtype()) if dtype is None else found.to(dtype)


def rfftfreq(n: int, d: float, dtype: dtypes.DType | None) -> Tensor:
    """The frequencies of the results of `rfft`, in cycles per unit.

    Args:
        n: The length of the transform.
        d: The distance of samples.
        dtype: The default dtype if it is left out.

    Example:
        >>> tscript.fft.rfftfreq(4).tolist()
        [0.0, 0.25, 0.5]
    """
    found = torch.arange(n // 2 + 1).double() * (1.0 / (n * d))
    return found.to(torch.get_default_dtype()) if dtype is None else found.to(dtype)


_ONE = "(Tensor self, int? n=None, int dim=-1, str? norm=None) -> Tensor"

OPERATORS: tuple[OpDef, ...] = (
    *(
        composite(f"fft_{body.__name__}{_ONE}", body, names=f"torch.fft.{body.__name__} out=no")
        for body in (fft, ifft, rfft, irfft, hfft, ihfft)
    ),
    composite(
        "fft_fftfreq(int n, float d=1.0, *, dtype? dtype=None) -> Tensor",
        fftfreq,
        names="torch.fft.fftfreq out=no",
    ),
    composite(
        "fft_rfftfreq(int n, float d=1.0, *, dtype? dtype=None) -> Tensor",
        rfftfreq,
        names="torch.fft.rfftfreq out=no",
    ),
)
"""All operators of this module."""

HIDDEN: tuple[OpDef, ...] = (ROWS, AS_COMPLEX)
"""What the others are made of."""
