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
def fftfreq(n: builtins.int, d: builtins.float = ..., *, dtype: _AnyDType | None = ...) -> Tensor: """The frequencies of the results of `fft`, in cycles per unit."""
def hfft(input: Tensor, n: builtins.int | None = ..., dim: builtins.int = ..., norm: builtins.str | None = ...) -> Tensor: """`fft` of numbers whose second half is the conjugate of the first in reverse: it is real."""
def ifft(input: Tensor, n: builtins.int | None = ..., dim: builtins.int = ..., norm: builtins.str | None = ...) -> Tensor: """The inverse of `fft`: the same sum with the other sign, divided by n where `norm` is ``"backward"`` or None."""
def ihfft(input: Tensor, n: builtins.int | None = ..., dim: builtins.int = ..., norm: builtins.str | None = ...) -> Tensor: """The inverse of `hfft`: the first half of the inverse transform of real numbers."""
def irfft(input: Tensor, n: builtins.int | None = ..., dim: builtins.int = ..., norm: builtins.str | None = ...) -> Tensor: """The inverse of `rfft`: real numbers."""
def rfft(input: Tensor, n: builtins.int | None = ..., dim: builtins.int = ..., norm: builtins.str | None = ...) -> Tensor: """`fft` of real numbers, of which the first ``n // 2 + 1`` results are given: the others are their conjugates."""
def rfftfreq(n: builtins.int, d: builtins.float = ..., *, dtype: _AnyDType | None = ...) -> Tensor: """The frequencies of the results of `rfft`, in cycles per unit."""
