"""The libraries compared with, where they are installed; None where not."""

from __future__ import annotations

import importlib
from typing import Any


def _optional(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


torch = _optional("torch")
numba = _optional("numba")
jax = _optional("jax")

if torch is not None:
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
