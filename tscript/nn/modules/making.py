"""New tensors for parameters and buffers, of a device and dtype that may be left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tscript
from tscript import Tensor


def empty(size: int | Sequence[int], device: Any = None, dtype: Any = None) -> Tensor:
    """A tensor without values."""
    make: Any = tscript.empty
    made: Tensor = make(size, device=device, dtype=dtype)
    return made


def full(size: int | Sequence[int], value: float, device: Any = None, dtype: Any = None) -> Tensor:
    """A tensor of one value."""
    return empty(size, device, dtype).fill_(value)
