"""Fourier transforms along several dimensions, and the order of their results: the rest of ``torch.fft``.

A transform along several dimensions is one along each; the factors of all are multiplied before they are applied.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, no-any-return, operator, arg-type"
from __future__ import annotations

from tscript.definitions.define import composite
from tscript.definitions.language import Size, Tensor, generic, torch
from tscript.definitions.opdef import OpDef
from tscript.operators.tensor.checks import SCALAR_TYPE
from tscript.operators.tensor.fourier import AS_COMPLEX, scale_of, transformed


@generic
def count_of(x: Tensor, s, dim) -> int:
    """How many dimensions are transformed."""
    if dim is not None:
        if s is not None:
            if len(s) != len(dim):
                raise RuntimeError("When given, dim and shape arguments must have the same length")
        for i in range(len(dim)):
            if dim[i] < -x.dim() or dim[i] >= x.dim():
                raise IndexError(
                    f"Dimension out of range (expected to be in range of [{-x.dim()}, {x.dim() - 1}], but got {dim[i]})"
                )
            for j in range(i):
                if (dim[i] - dim[j]) % x.dim() == 0:
                    raise RuntimeError("FFT dims must be unique")
        return len(dim)
    if s is not None:
        if len(s) > x.dim():
            raise RuntimeError(f"Got shape with {len(s)} values but input tensor only has {x.dim()} dimensions.")
        return len(s)
    return x.dim()


@generic
def dim_of(x: Tensor, dim, count: int, k: int) -> int:
    """The transformed dimension with the number `k`."""
    if dim is None:
        return x.dim() - count + k
    return dim[k]


@generic
def length_at(x: Tensor, s, axis: int, k: int, default: int) -> int:
    """The length of the transform with the number `k`."""
    length = default
    if s is not None:
        if s[k] != -1:
            length = s[k]
    if length < 1:
        raise RuntimeError(f"Invalid number of data points ({length}) specified")
    return length


@generic
def over(x: Tensor, s, dim, norm, inverse: bool, all: int, first: int) -> Tensor:
    """Transforms of complex numbers along the first so many of `all` dimensions."""
    scale = 1.0
    found = AS_COMPLEX(x)
    for k in range(first):
        axis = dim_of(x, dim, all, k)
        length = length_at(x, s, axis, k, x.size(axis))
        scale *= scale_of(length, norm, inverse)
        found = transformed(found, length, axis, inverse, False)
    return found if scale == 1.0 else found * scale


@generic
def halved(x: Tensor, s, dim, norm, inverse: bool, name: str) -> Tensor:
    """The first half of a transform of real numbers along the last of the dimensions, then whole ones."""
    if x.is_complex():
        raise RuntimeError(f"{name} expects a real-valued input tensor, but got {SCALAR_TYPE(x)}")
    count = count_of(x, s, dim)
    if count < 1:
        raise RuntimeError(f"{name} must transform at least one axis")
    axis = dim_of(x, dim, count, count - 1)
    length = length_at(x, s, axis, count - 1, x.size(axis))
    found = transformed(x, length, axis, inverse, False).narrow(axis, 0, length // 2 + 1)
    return over(found * scale_of(length, norm, inverse), s, dim, norm, inverse, count, count - 1)


@generic
def real_again(x: Tensor, s, dim, norm, inverse: bool, name: str) -> Tensor:
    """Whole transforms along all dimensions but the last, then one of a half along that."""
    count = count_of(x, s, dim)
    if count < 1:
        raise RuntimeError(f"{name} must transform at least one axis")
    axis = dim_of(x, dim, count, count - 1)
    length = length_at(x, s, axis, count - 1, 2 * (x.size(axis) - 1))
    wide = over(x, s, dim, norm, inverse, count, count - 1)
    found = torch.view_as_real(transformed(wide, length, axis, inverse, True)).select(-1, 0)
    return found * scale_of(length, norm, inverse)


def fftn(self: Tensor, s: Size | None, dim: Size | None, norm: str | None) -> Tensor:
    """The discrete Fourier transform along several dimensions.

    Args:
        input: Of any dtype; what is not complex becomes complex.
        s: The length along each dimension: the input is cut or filled up with zeros; -1 for its size.
        dim: The dimensions. Left out, they are the last ``len(s)``, or all.
        norm: As for `fft`.

    Raises:
        RuntimeError: A length is less than 1, dimensions repeat, or there are not as many as lengths.
        IndexError: A dimension is out of range.

    Example:
        >>> tscript.fft.fftn(tscript.ones(2, 2)).real.tolist()
        [[4.0, 0.0], [0.0, 0.0]]
    """
    count = count_of(self, s, dim)
    return over(self, s, dim, norm, False, count, count)


def ifftn(self: Tensor, s: Size | None, dim: Size | None, norm: str | None) -> Tensor:
    """The inverse of `fftn`.

    Args:
        input, s, dim, norm: As for `fftn`.

    Example:
        >>> tscript.fft.ifftn(tscript.fft.fftn(tscript.ones(2, 2))).real.tolist()
        [[1.0, 1.0], [1.0, 1.0]]
    """
    count = count_of(self, s, dim)
    return over(self, s, dim, norm, True, count, count)


def rfftn(self: Tensor, s: Size | None, dim: Size | None, norm: str | None) -> Tensor:
    """`fftn` of real numbers, of which the first half along the last dimension is given.

    Args:
        input: Real.
        s, dim, norm: As for `fftn`.

    Raises:
        RuntimeError: The input is complex, or no dimension is transformed.

    Example:
        >>> tscript.fft.rfftn(tscript.ones(2, 4)).shape[1]
        3
    """
    return halved(self, s, dim, norm, False, "rfftn")


def irfftn(self: Tensor, s: Size | None, dim: Size | None, norm: str | None) -> Tensor:
    """The inverse of `rfftn`: real numbers.

    Args:
        input: The first half of a transform along the last of the dimensions.
        s: The lengths of the result; the last one is even if it is left out.
        dim, norm: As for `fftn`.

    Example:
        >>> tscript.fft.irfftn(tscript.fft.rfftn(tscript.ones(2, 2))).tolist()
        [[1.0, 1.0], [1.0, 1.0]]
    """
    return real_again(self, s, dim, norm, True, "irfftn")


def hfftn(self: Tensor, s: Size | None, dim: Size | None, norm: str | None) -> Tensor:
    """`fftn` of numbers whose second half along the last dimension is the conjugate of the first: it is real.

    Args:
        input: The first half.
        s, dim, norm: As for `irfftn`.

    Example:
        >>> tscript.fft.hfftn(tscript.ones(1, 2)).tolist()
        [[2.0, 0.0]]
    """
    return real_again(self, s, dim, norm, False, "hfftn")


def ihfftn(self: Tensor, s: Size | None, dim: Size | None, norm: str | None) -> Tensor:
    """The inverse of `hfftn`.

    Args:
        input: Real.
        s, dim, norm: As for `fftn`.

    Example:
        >>> tscript.fft.ihfftn(tscript.tensor([[2.0, 0.0]])).real.tolist()
        [[1.0, 1.0]]
    """
    return halved(self, s, dim, norm, True, "ihfftn")


def fftshift(self: Tensor, dim: Size | None) -> Tensor:
    """Results of `fft` with the frequency zero moved to the middle.

    Args:
        input: Of any shape.
        dim: The dimensions; all if they are left out.

    Example:
        >>> tscript.fft.fftshift(tscript.fft.fftfreq(4)).tolist()
        [-0.5, -0.25, 0.0, 0.25]
    """
    found = self.clone()
    if dim is None:
        for k in range(self.dim()):
            found = found.roll(self.size(k) // 2, k)
    else:
        for k in range(len(dim)):
            found = found.roll(self.size(dim[k]) // 2, dim[k])
    return found


def ifftshift(self: Tensor, dim: Size | None) -> Tensor:
    """What `fftshift` did, undone.

    Args:
        input: Of any shape.
        dim: The dimensions; all if they are left out.

    Example:
        >>> tscript.fft.ifftshift(tscript.tensor([-0.5, -0.25, 0.0, 0.25])).tolist()
        [0.0, 0.25, -0.5, -0.25]
    """
    found = self.clone()
    if dim is None:
        for k in range(self.dim()):
            found = found.roll((self.size(k) + 1) // 2, k)
    else:
        for k in range(len(dim)):
            found = found.roll((self.size(dim[k]) + 1) // 2, dim[k])
    return found


_SEVERAL = "(Tensor self, int[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor"
_TWO = "(Tensor self, int[1]? s=None, int[1]? dim=(-2, -1), str? norm=None) -> Tensor"
_BODIES = (fftn, ifftn, rfftn, irfftn, hfftn, ihfftn)

OPERATORS: tuple[OpDef, ...] = (
    *(composite(f"fft_{body.__name__}{_SEVERAL}", body, names=f"torch.fft.{body.__name__} out=no") for body in _BODIES),
    *(
        composite(
            f"fft_{body.__name__[:-1]}2{_TWO}",
            body,
            f"`{body.__name__}` along two dimensions, the last ones if none are given.",
            names=f"torch.fft.{body.__name__[:-1]}2 out=no",
        )
        for body in _BODIES
    ),
    composite("fft_fftshift(Tensor self, int[1]? dim=None) -> Tensor", fftshift, names="torch.fft.fftshift out=no"),
    composite("fft_ifftshift(Tensor self, int[1]? dim=None) -> Tensor", ifftshift, names="torch.fft.ifftshift out=no"),
)
"""All operators of this module."""
