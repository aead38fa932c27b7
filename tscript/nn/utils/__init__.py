"""Utilities of ``torch.nn.utils`` that inference needs. Each name is imported at its first use."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tscript.nn.utils import rnn as rnn
    from tscript.nn.utils.fusion import fuse_conv_bn_eval as fuse_conv_bn_eval
    from tscript.nn.utils.fusion import fuse_linear_bn_eval as fuse_linear_bn_eval
    from tscript.nn.utils.vectors import parameters_to_vector as parameters_to_vector
    from tscript.nn.utils.vectors import vector_to_parameters as vector_to_parameters
    from tscript.nn.utils.weight_norms import remove_weight_norm as remove_weight_norm
    from tscript.nn.utils.weight_norms import weight_norm as weight_norm

_HOME = {
    "fuse_conv_bn_eval": "fusion",
    "fuse_linear_bn_eval": "fusion",
    "parameters_to_vector": "vectors",
    "vector_to_parameters": "vectors",
    "weight_norm": "weight_norms",
    "remove_weight_norm": "weight_norms",
}

__all__ = [
    "fuse_conv_bn_eval",
    "fuse_linear_bn_eval",
    "parameters_to_vector",
    "remove_weight_norm",
    "rnn",
    "vector_to_parameters",
    "weight_norm",
]


def __getattr__(name: str) -> Any:
    if name == "rnn":
        return importlib.import_module("tscript.nn.utils.rnn")
    if name not in _HOME:
        raise AttributeError(f"module 'tscript.nn.utils' has no attribute {name!r}")
    found = globals()[name] = getattr(importlib.import_module(f"tscript.nn.utils.{_HOME[name]}"), name)
    return found


def __dir__() -> list[str]:
    return __all__
