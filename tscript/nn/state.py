"""State dicts: what `Module.load_state_dict` collects, and how a value of a state dict becomes a tensor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from tscript import Tensor, from_dlpack, from_numpy
from tscript.definitions.values import numpy_dtype
from tscript.types import dtypes

EXTRA_STATE = "_extra_state"
"""Key of what `Module.get_extra_state` gives."""


class _Keys(NamedTuple):
    missing_keys: list[str]
    unexpected_keys: list[str]


class IncompatibleKeys(_Keys):
    """What `Module.load_state_dict` gives.

    Attributes:
        missing_keys: What the module has and the state dict lacks.
        unexpected_keys: What the state dict has and the module lacks.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"

    __str__ = __repr__


class Messages(list[str]):
    """What is wrong with a state dict, and what to do if nothing is.

    `Module._load_from_state_dict` writes nothing while problems may still turn up: it leaves that in `steps`.

    Attributes:
        steps: What writes the values into the module, in order.
    """

    def __init__(self) -> None:
        super().__init__()
        self.steps: list[Callable[[], object]] = []


def later(messages: list[str], step: Callable[[], object]) -> None:
    """Take a step when the state dict is known to fit; at once if somebody else collects the messages."""
    if isinstance(messages, Messages):
        messages.steps.append(step)
    else:
        step()


def as_tensor(value: Any) -> Tensor | None:
    """A value of a state dict as a tensor over the same memory: a tensor, a NumPy array or number, or anything with
    ``__dlpack__``, such as a tensor of PyTorch; None of others."""
    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
        if array.dtype.name == "bfloat16":  # of the package `ml_dtypes`, as `safetensors` gives it
            array = array.view(numpy_dtype(dtypes.bfloat16))
        if not array.dtype.isnative:
            array = array.astype(array.dtype.newbyteorder("="))
        value = from_numpy(array)
    elif not isinstance(value, Tensor) and hasattr(value, "__dlpack__"):
        value = from_dlpack(value)
    return value if isinstance(value, Tensor) else None


def check_is_mapping(state_dict: object) -> None:
    """A state dict is a mapping.

    Raises:
        TypeError: It is none.
    """
    if not isinstance(state_dict, Mapping):
        raise TypeError(f"expected state_dict to be dict-like, found {type(state_dict)}")
    if (wrong := next((key for key in state_dict if not isinstance(key, str)), None)) is not None:
        raise TypeError(f"expected texts as keys of state_dict, found {wrong!r}, of type {type(wrong).__name__}")


def within(state_dict: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """The part of a state dict whose keys begin with a prefix."""
    return {key: value for key, value in state_dict.items() if key.startswith(prefix)}


def quoted(keys: list[str]) -> str:
    """Keys in quotes, with commas between them."""
    return ", ".join(f'"{key}"' for key in keys)
