"""The queries of ``torch.overrides``: no class overrides the operators.

Example:
    >>> import tscript as torch
    >>> torch.overrides.has_torch_function((torch.ones(2),))
    False
"""

from __future__ import annotations

from collections.abc import Iterable


def has_torch_function(relevant_args: Iterable[object]) -> bool:
    """False: no class overrides the operators.

    Args:
        relevant_args: The arguments that are asked about.
    """
    return False


def has_torch_function_unary(relevant_arg: object) -> bool:
    """False, as `has_torch_function`, of one argument."""
    return False


def has_torch_function_variadic(*relevant_args: object) -> bool:
    """False, as `has_torch_function`, of each argument."""
    return False


__all__ = ["has_torch_function", "has_torch_function_unary", "has_torch_function_variadic"]
