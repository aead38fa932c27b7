"""`Flatten` and `Unflatten`."""

from __future__ import annotations

from typing import Any

from tscript import Tensor
from tscript.nn.modules.module import Module


class Flatten(Module):
    """Several dimensions as one.

    Args:
        start_dim, end_dim: The first and the last of them.
    """

    __constants__: tuple[str, ...] = ("start_dim", "end_dim")
    start_dim: int
    end_dim: int

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        """The input with fewer dimensions."""
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """One dimension as several.

    Args:
        dim: The dimension.
        unflattened_size: Their sizes, of which one may be -1.

    Raises:
        TypeError: The sizes are no ints, or the dimension has a name.
    """

    __constants__: tuple[str, ...] = ("dim", "unflattened_size")
    dim: int
    unflattened_size: Any

    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__()
        if not isinstance(dim, int):
            raise TypeError(f"dimensions have no names: dim must be an int, found {type(dim).__name__}")
        if not isinstance(unflattened_size, tuple | list):
            raise TypeError(
                f"unflattened_size must be a tuple of ints, but found type {type(unflattened_size).__name__}"
            )
        for index, size in enumerate(unflattened_size):
            if not isinstance(size, int):
                raise TypeError(
                    f"unflattened_size must be tuple of ints, but found element of type {type(size).__name__} at pos "
                    f"{index}"
                )
        self.dim = dim
        self.unflattened_size = unflattened_size

    def forward(self, input: Tensor) -> Tensor:
        """The input with more dimensions."""
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"
