"""What programs for TorchScript are collected with: `tests.integration.torchscript_source` and `torchscript_values`."""

# mypy: ignore-errors

import math
from typing import Any

import torch

CASES: list[tuple[Any, tuple[Any, ...], bool]] = []
"""Functions with arguments, and whether TorchScript gives the same."""


def case(*args):
    """A program with arguments."""

    def add(function):
        CASES.append((function, args, True))
        return function

    return add


def here(*args):
    """A program that TorchScript refuses, or of which it gives something else than Python."""

    def add(function):
        CASES.append((function, args, False))
        return function

    return add


def with_torch(*args):
    """A program that as plain Python needs names of PyTorch that tscript has in compiled code alone."""
    return case(*args) if hasattr(torch, "overrides") else lambda function: function


def T(*shape):
    """A float32 tensor that counts from 0."""
    return torch.arange(math.prod(shape)).reshape(shape).to(torch.float32)
