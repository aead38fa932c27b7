"""`Seen`: what the tensors of a call came as."""

from __future__ import annotations


class Seen:
    """What the tensors of a call came as; results come back as that."""

    TENSOR = 1
    """With one of these among them all results are Tensors."""
    ARRAY = 2
    TORCH = 4
    """A tensor of PyTorch; with one of these, and no Tensor, results are such."""
