"""Sizes that are one number for all dimensions, or one for each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

__all__ = ["consume_prefix_in_state_dict_if_present"]


def _ntuple(n: int) -> Callable[[Any], tuple[Any, ...]]:
    def tuple_of(value: Any) -> tuple[Any, ...]:
        """`value` n times, or its elements."""
        return tuple(value) if isinstance(value, Iterable) else (value,) * n

    return tuple_of


_single = _ntuple(1)
_pair = _ntuple(2)
_triple = _ntuple(3)
_quadruple = _ntuple(4)


def _reverse_repeat_tuple(sizes: Sequence[int], n: int) -> tuple[int, ...]:
    """Each size n times, the last one first: the order in which `pad` takes them."""
    return tuple(size for size in reversed(sizes) for _ in range(n))


def consume_prefix_in_state_dict_if_present(state_dict: dict[str, Any], prefix: str) -> None:
    """Take a prefix off all keys that begin with it, in place: ``module.`` of models that several devices trained.

    Args:
        state_dict: The state dict.
        prefix: The prefix.
    """
    for key in [*state_dict]:
        if key.startswith(prefix):
            state_dict[key[len(prefix) :]] = state_dict.pop(key)
    metadata: dict[str, Any] = getattr(state_dict, "_metadata", None) or {}
    for key in [*metadata]:
        if key and (key == prefix.replace(".", "") or key.startswith(prefix)):
            metadata[key[len(prefix) :]] = metadata.pop(key)
