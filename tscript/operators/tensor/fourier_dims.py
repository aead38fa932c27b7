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
def axes_of(x: Tensor, s, dim) -> list[int]:
    """The dimensions that are transformed."""
    axes: list[int] = []
    if dim is not None:
        for d in dim:
            if d < -x.dim() or d >= x.dim():
                raise IndexError(
                    f"Dimension out of range (expected to be in range of [{-x.dim()}, {x.dim() - 1}], but got {d})"
                )
            for other in axes:
                if (d - other) % x.dim() == 0:
                    raise RuntimeError("FFT dims must be unique")
            axes.append(d)
        if s is not None:
            if len(s) != len(axes):
                raise RuntimeError("When given, dim and shape arguments must have the same length")
        return axes
    count = x.dim()
    if s is not None:
        count = len(s)
        if count > x.dim():
            raise RuntimeError(f"Got shape with {count} values but input tensor only has {x.dim()} dimensions.")
    for k in range(count):
        axes.append(x.dim() - count + k)
    return axes


@generic
def lengths_of(s, count: int) -> list[int]:
    """The lengths of the transforms, -1 for the size of the dimension."""
    lengths: list[int] = []
    if s is not None:
        for n in s:
            lengths.append(n)
    else:
        for _ in range(count):
            lengths.append(-1)
    return lengths


def length_at(lengths: list[int], k: int, default: int) -> int:
    """The length of the transform with the number `k`."""
    length = default if lengths[k] == -1 else lengths[k]
    if length < 1:
        raise RuntimeError(f"Invalid number of data points ({length}) specified")
    return length


@generic
def over(x: Tensor, lengths: list[int], axes: list[int], norm, inverse: bool, first: int) -> Tensor:
    """Transforms of complex numbers along the first so many of the dimensions."""
    scale = 1.0
    found = AS_COMPLEX(x)
    for k in range(first):
        length = length_at(lengths, k, x.size(axes[k]))
        scale *= scale_of(length, norm, inverse)
        found = transformed(found, length, axes[k], inverse, False)
    return found if scale == 1.0 else found * scale


@generic
def whole(x: Tensor, s, dim, norm, inverse: bool) -> Tensor:
    """Transforms along all of the dimensions."""
    axes = axes_of(x, s, dim)
    return over(x, lengths_of(s, len(axes)), axes, norm, inverse, len(axes))


@generic
def halved(x: Tensor, s, dim, norm, inverse: bool, name: str) -> Tensor:
    """The first half of a transform of real numbers along the last of the dimensions, then whole ones."""
    if x.is_complex():
        raise RuntimeError(f"{name} expects a real-valued input tensor, but got {SCALAR_TYPE(x)}")
    axes = axes_of(x, s, dim)
    if len(axes) < 1:
        raise RuntimeError(f"{name} must transform at least one axis")
    lengths = lengths_of(s, len(axes))
    last = len(axes) - 1
    length = length_at(lengths, last, x.size(axes[last]))
    found = transformed(x, length, axes[last], inverse, False).narrow(axes[last], 0, length // 2 + 1)
    return over(found * scale_of(length, norm, inverse), lengths, axes, norm, inverse, last)


@generic
def real_again(x: Tensor, s, dim, norm, inverse: bool, name: str) -> Tensor:
    """Whole transforms along all dimensions but the last, then one of a half along that."""
    axes = axes_of(x, s, dim)
    if len(axes) < 1:
        raise RuntimeError(f"{name} must transform at least one axis")
    lengths = lengths_of(s, len(axes))
    last = len(axes) - 1
    length = length_at(lengths, last, 2 * (x.size(axes[last]) - 1))
    wide = over(x, lengths, axes, norm, inverse, last)
    found = torch.view_as_real(transformed(wide, length, axes[last], inverse, True)).select(-1, 0)
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
    return whole(self, s, dim, norm, False)


def ifftn(self: Tensor, s: Size | None, dim: Size | None, norm: str | None) -> Tensor:
    """The inverse of `fftn`.

    Args:
        input, s, dim, norm: As for `fftn`.

    Example:
        >>> tscript.fft.ifftn(tscript.fft.fftn(tscript.ones(2, 2))).real.tolist()
        [[1.0, 1.0], [1.0, 1.0]]
    """
    return whole(self, s, dim, norm, True)


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
        for d in dim:
            found = found.roll(self.size(d) // 2, d)
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
        for d in dim:
            found = found.roll((self.size(d) + 1) // 2, d)
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
