# Written from the definitions of operators: 'pytest --update tests/test_catalogue.py' writes it anew.
# mypy: disable-error-code="overload-overlap, overload-cannot-match, override, assignment, no-redef, valid-type, misc"

import builtins
from collections.abc import Iterator, Sequence
from typing import Any, overload

from tscript import Tensor
from tscript.types import DType as _dtype

_Number = builtins.bool | builtins.int | builtins.float | builtins.complex
_AnyDType = _dtype | builtins.type[builtins.float]

def erf(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """The error function."""
def expit(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """``1 / (1 + exp(-x))``."""
def expm1(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """``exp(x) - 1``, exact near 0."""
def log1p(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """``log(1 + x)``, exact near 0."""
def log_softmax(input: Tensor, dim: builtins.int) -> Tensor: """Logarithm of the softmax."""
def logsumexp(input: Tensor, dim: builtins.int | Sequence[builtins.int], keepdim: builtins.bool = ..., *, out: Tensor | None = ...) -> Tensor: """Logarithm of the sum of ``exp(x)`` along dimensions."""
def round(input: Tensor, *, out: Tensor | None = ...) -> Tensor: """Rounded to the nearest integer, halves to even."""
def softmax(input: Tensor, dim: builtins.int) -> Tensor: """``exp(x)`` along a dimension, scaled to the sum 1."""
