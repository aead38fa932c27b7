# Written from the definitions of operators: 'pytest --update tests/test_catalogue.py' writes it anew.
# mypy: disable-error-code="overload-overlap, overload-cannot-match, override, assignment, no-redef, valid-type, misc"

import builtins
from collections.abc import Iterator, Sequence
from typing import Any, overload

from tscript import Tensor, return_types
from tscript.types import DType as _dtype

_Number = builtins.bool | builtins.int | builtins.float | builtins.complex
_AnyDType = _dtype | builtins.type[builtins.float]

def amax(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = ..., *, keepdim: builtins.bool = ..., dtype: _AnyDType | None = ..., mask: Tensor | None = ...) -> Tensor: """The greatest of the elements that a mask is true for; the least number of the dtype if there are none."""
def amin(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = ..., *, keepdim: builtins.bool = ..., dtype: _AnyDType | None = ..., mask: Tensor | None = ...) -> Tensor: """The least of the elements that a mask is true for; the greatest number of the dtype if there are none."""
def argmax(input: Tensor, dim: builtins.int | None = ..., *, keepdim: builtins.bool = ..., dtype: _AnyDType | None = ..., mask: Tensor | None = ...) -> Tensor: """Where the greatest of the elements is that a mask is true for."""
def argmin(input: Tensor, dim: builtins.int | None = ..., *, keepdim: builtins.bool = ..., dtype: _AnyDType | None = ..., mask: Tensor | None = ...) -> Tensor: """Where the least of the elements is that a mask is true for."""
def cumprod(input: Tensor, dim: builtins.int, *, dtype: _AnyDType | None = ..., mask: Tensor | None = ...) -> Tensor: """The product of each element and all before it along a dimension; only those count that a mask is true for."""
def cumsum(input: Tensor, dim: builtins.int, *, dtype: _AnyDType | None = ..., mask: Tensor | None = ...) -> Tensor: """The sum of each element and all before it along a dimension; only those count that a mask is true for."""
def log_softmax(input: Tensor, dim: builtins.int, *, dtype: _AnyDType | None = ..., mask: Tensor | None = ...) -> Tensor: """Logarithm of `tscript.masked.softmax`: minus infinity where a mask is false."""
def logaddexp(input: Tensor, other: Tensor, *, dtype: _AnyDType | None = ..., input_mask: Tensor | None = ..., other_mask: Tensor | None = ...) -> Tensor: """``log(exp(a) + exp(b))``, without what a mask is false for."""
def logsumexp(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = ..., *, keepdim: builtins.bool = ..., dtype: _AnyDType | None = ..., mask: Tensor | None = ...) -> Tensor: """Logarithm of the sum of ``exp(x)`` of the elements that a mask is true for."""
def mean(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = ..., *, keepdim: builtins.bool = ..., dtype: _AnyDType | None = ..., mask: Tensor | None = ...) -> Tensor: """The mean of the elements that a mask is true for, NaN if there are none."""
def median(input: Tensor, dim: builtins.int = ..., *, keepdim: builtins.bool = ..., dtype: _AnyDType | None = ..., mask: Tensor | None = ...) -> Tensor: """The median along a dimension of the elements that a mask is true for, NaN if there are none."""
def norm(input: Tensor, ord: _Number = ..., dim: builtins.int | Sequence[builtins.int] | None = ..., *, keepdim: builtins.bool = ..., dtype: _AnyDType | None = ..., mask: Tensor | None = ...) -> Tensor: """Norm of the elements that a mask is true for: `torch.linalg.vector_norm`."""
def normalize(input: Tensor, ord: _Number, dim: builtins.int | Sequence[builtins.int], *, eps: builtins.float = ..., dtype: _AnyDType | None = ..., mask: Tensor | None = ...) -> Tensor: """Divided by the norm along dimensions, `eps` at least: 0 where a mask is false."""
def prod(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = ..., *, keepdim: builtins.bool = ..., dtype: _AnyDType | None = ..., mask: Tensor | None = ...) -> Tensor: """The product of the elements that a mask is true for, 1 if there are none."""
def softmax(input: Tensor, dim: builtins.int, *, dtype: _AnyDType | None = ..., mask: Tensor | None = ...) -> Tensor: """``exp(x)`` along a dimension, scaled to the sum 1: 0 where a mask is false, NaN where it is false for all."""
def softmin(input: Tensor, dim: builtins.int, *, dtype: _AnyDType | None = ..., mask: Tensor | None = ...) -> Tensor: """``exp(-x)`` along a dimension, scaled to the sum 1: 0 where a mask is false, NaN where it is false for all."""
def std(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = ..., unbiased: builtins.bool | None = ..., *, correction: _Number | None = ..., keepdim: builtins.bool = ..., dtype: _AnyDType | None = ..., mask: Tensor | None = ...) -> Tensor: """Standard deviation of the elements that a mask is true for, the square root of `tscript.masked.var`."""
def sum(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = ..., *, keepdim: builtins.bool = ..., dtype: _AnyDType | None = ..., mask: Tensor | None = ...) -> Tensor: """The sum of the elements that a mask is true for."""
def var(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = ..., unbiased: builtins.bool | None = ..., *, correction: _Number | None = ..., keepdim: builtins.bool = ..., dtype: _AnyDType | None = ..., mask: Tensor | None = ...) -> Tensor: """Variance of the elements that a mask is true for."""
