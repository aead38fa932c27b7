# Written from the definitions of operators: 'pytest --update tests/test_catalogue.py' writes it anew.
# mypy: disable-error-code="overload-overlap, overload-cannot-match, override, assignment, no-redef, valid-type, misc"

import builtins
from collections.abc import Iterator, Sequence
from typing import Any, overload

from tscript import Tensor, return_types
from tscript.types import DType as _dtype

_Number = builtins.bool | builtins.int | builtins.float | builtins.complex
_AnyDType = _dtype | builtins.type[builtins.float]

def bartlett(M: builtins.int, *, sym: builtins.bool = ..., dtype: _AnyDType | None = ...) -> Tensor: """Bartlett's window, a triangle."""
def blackman(M: builtins.int, *, sym: builtins.bool = ..., dtype: _AnyDType | None = ...) -> Tensor: """Blackman's window: ``0.42 - 0.5 * cos(t) + 0.08 * cos(2 * t)`` for t from 0 to 2 pi."""
def cosine(M: builtins.int, *, sym: builtins.bool = ..., dtype: _AnyDType | None = ...) -> Tensor: """Half a wave, of which the ends are cut off: ``sin(pi * (k + 0.5) / n)``."""
def exponential(M: builtins.int, *, center: builtins.float | None = ..., tau: builtins.float = ..., sym: builtins.bool = ..., dtype: _AnyDType | None = ...) -> Tensor: """``exp(-abs(k - center) / tau)``."""
def gaussian(M: builtins.int, *, std: builtins.float = ..., sym: builtins.bool = ..., dtype: _AnyDType | None = ...) -> Tensor: """A normal distribution: ``exp(-0.5 * ((k - middle) / std) ** 2)``."""
def general_cosine(M: builtins.int, *, a: Sequence[builtins.float], sym: builtins.bool = ..., dtype: _AnyDType | None = ...) -> Tensor: """Sums of cosines: the sum of ``(-1) ** i * a[i] * cos(i * t)`` for t from 0 to 2 pi."""
def general_hamming(M: builtins.int, *, alpha: builtins.float = ..., sym: builtins.bool = ..., dtype: _AnyDType | None = ...) -> Tensor: """``alpha - (1 - alpha) * cos(t)`` for t from 0 to 2 pi."""
def hamming(M: builtins.int, *, sym: builtins.bool = ..., dtype: _AnyDType | None = ...) -> Tensor: """Hamming's window: ``0.54 - 0.46 * cos(t)`` for t from 0 to 2 pi."""
def hann(M: builtins.int, *, sym: builtins.bool = ..., dtype: _AnyDType | None = ...) -> Tensor: """Hann's window: ``0.5 - 0.5 * cos(t)`` for t from 0 to 2 pi."""
def kaiser(M: builtins.int, *, beta: builtins.float = ..., sym: builtins.bool = ..., dtype: _AnyDType | None = ...) -> Tensor: """Kaiser's window, of the modified Bessel function of order 0."""
def nuttall(M: builtins.int, *, sym: builtins.bool = ..., dtype: _AnyDType | None = ...) -> Tensor: """Nuttall's window: a minimum of four cosines, Nuttall, "Some windows with very good sidelobe behavior" (1981)."""
