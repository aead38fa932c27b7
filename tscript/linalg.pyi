# Written from the definitions of operators: 'pytest --update tests/test_catalogue.py' writes it anew.
# mypy: disable-error-code="overload-overlap, overload-cannot-match, override, assignment, no-redef, valid-type, misc"

import builtins
from collections.abc import Iterator, Sequence
from typing import Any, overload

from tscript import Tensor, return_types
from tscript.types import DType as _dtype

_Number = builtins.bool | builtins.int | builtins.float | builtins.complex
_AnyDType = _dtype | builtins.type[builtins.float]

def cross(input: Tensor, other: Tensor, dim: builtins.int = ...) -> Tensor: """Cross products of vectors of three elements: the formula of `torch.linalg.cross`."""
def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = ...) -> Tensor: """Product of matrices, vectors or batches of matrices, ``self @ other``."""
def vector_norm(input: Tensor, ord: _Number = ..., dim: builtins.int | Sequence[builtins.int] | None = ..., keepdim: builtins.bool = ..., *, dtype: _AnyDType | None = ..., out: Tensor | None = ...) -> Tensor: """Norm of the elements along dimensions: the sum of ``abs(x) ** ord`` to the power ``1 / ord``."""
