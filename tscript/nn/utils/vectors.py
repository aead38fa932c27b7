"""Parameters as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable

import tscript
from tscript import Tensor


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All elements of parameters in one vector.

    Example:
        >>> from tscript import nn
        >>> nn.utils.parameters_to_vector(nn.Linear(3, 2).parameters()).shape
        (8,)
    """
    return tscript.cat([parameter.reshape(-1) for parameter in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Copy the elements of a vector into parameters.

    Raises:
        TypeError: It is no tensor.
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected a tensor, but got {type(vec).__name__}")
    at = 0
    for parameter in parameters:
        count = parameter.numel()
        parameter.copy_(vec[at : at + count].reshape(parameter.shape))
        at += count
