# Written from the definitions of operators: 'pytest --update tests/test_catalogue.py' writes it anew.
# mypy: disable-error-code="overload-overlap, overload-cannot-match, override, assignment, no-redef, valid-type, misc"

import builtins
from collections.abc import Iterator, Sequence
from typing import Any, overload

from tscript import Tensor, return_types
from tscript.types import DType as _dtype

_Number = builtins.bool | builtins.int | builtins.float | builtins.complex
_AnyDType = _dtype | builtins.type[builtins.float]

def fft(input: Tensor, n: builtins.int | None = ..., dim: builtins.int = ..., norm: builtins.str | None = ...) -> Tensor: """The discrete Fourier transform along a dimension: ``sum(x[k] * exp(-2j * pi * j * k / n))``."""
def fft2(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = ..., dim: builtins.int | Sequence[builtins.int] | None = ..., norm: builtins.str | None = ...) -> Tensor: """`fftn` along two dimensions, the last ones if none are given."""
def fftfreq(n: builtins.int, d: builtins.float = ..., *, dtype: _AnyDType | None = ...) -> Tensor: """The frequencies of the results of `fft`, in cycles per unit."""
def fftn(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = ..., dim: builtins.int | Sequence[builtins.int] | None = ..., norm: builtins.str | None = ...) -> Tensor: """The discrete Fourier transform along several dimensions."""
def fftshift(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = ...) -> Tensor: """Results of `fft` with the frequency zero moved to the middle."""
def hfft(input: Tensor, n: builtins.int | None = ..., dim: builtins.int = ..., norm: builtins.str | None = ...) -> Tensor: """`fft` of numbers whose second half is the conjugate of the first in reverse: it is real."""
def hfft2(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = ..., dim: builtins.int | Sequence[builtins.int] | None = ..., norm: builtins.str | None = ...) -> Tensor: """`hfftn` along two dimensions, the last ones if none are given."""
def hfftn(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = ..., dim: builtins.int | Sequence[builtins.int] | None = ..., norm: builtins.str | None = ...) -> Tensor: """`fftn` of numbers whose second half along the last dimension is the conjugate of the first: it is real."""
def ifft(input: Tensor, n: builtins.int | None = ..., dim: builtins.int = ..., norm: builtins.str | None = ...) -> Tensor: """The inverse of `fft`: the same sum with the other sign, divided by n where `norm` is ``"backward"`` or None."""
def ifft2(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = ..., dim: builtins.int | Sequence[builtins.int] | None = ..., norm: builtins.str | None = ...) -> Tensor: """`ifftn` along two dimensions, the last ones if none are given."""
def ifftn(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = ..., dim: builtins.int | Sequence[builtins.int] | None = ..., norm: builtins.str | None = ...) -> Tensor: """The inverse of `fftn`."""
def ifftshift(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = ...) -> Tensor: """What `fftshift` did, undone."""
def ihfft(input: Tensor, n: builtins.int | None = ..., dim: builtins.int = ..., norm: builtins.str | None = ...) -> Tensor: """The inverse of `hfft`: the first half of the inverse transform of real numbers."""
def ihfft2(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = ..., dim: builtins.int | Sequence[builtins.int] | None = ..., norm: builtins.str | None = ...) -> Tensor: """`ihfftn` along two dimensions, the last ones if none are given."""
def ihfftn(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = ..., dim: builtins.int | Sequence[builtins.int] | None = ..., norm: builtins.str | None = ...) -> Tensor: """The inverse of `hfftn`."""
def irfft(input: Tensor, n: builtins.int | None = ..., dim: builtins.int = ..., norm: builtins.str | None = ...) -> Tensor: """The inverse of `rfft`: real numbers."""
def irfft2(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = ..., dim: builtins.int | Sequence[builtins.int] | None = ..., norm: builtins.str | None = ...) -> Tensor: """`irfftn` along two dimensions, the last ones if none are given."""
def irfftn(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = ..., dim: builtins.int | Sequence[builtins.int] | None = ..., norm: builtins.str | None = ...) -> Tensor: """The inverse of `rfftn`: real numbers."""
def rfft(input: Tensor, n: builtins.int | None = ..., dim: builtins.int = ..., norm: builtins.str | None = ...) -> Tensor: """`fft` of real numbers, of which the first ``n // 2 + 1`` results are given: the others are their conjugates."""
def rfft2(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = ..., dim: builtins.int | Sequence[builtins.int] | None = ..., norm: builtins.str | None = ...) -> Tensor: """`rfftn` along two dimensions, the last ones if none are given."""
def rfftfreq(n: builtins.int, d: builtins.float = ..., *, dtype: _AnyDType | None = ...) -> Tensor: """The frequencies of the results of `rfft`, in cycles per unit."""
def rfftn(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = ..., dim: builtins.int | Sequence[builtins.int] | None = ..., norm: builtins.str | None = ...) -> Tensor: """`fftn` of real numbers, of which the first half along the last dimension is given."""
