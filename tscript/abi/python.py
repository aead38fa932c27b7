"""The Python that runs: compiled code says and does what this one does where versions differ."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextvars import ContextVar
from typing import Protocol

PYTHON = sys.version_info[0] * 100 + sys.version_info[1]
"""Its version as a number, such as 311: bodies and kernels compare it with constants, and only one branch is left."""

TUPLE_ITEMS = tuple.__basicsize__
"""Offset of the first item of a tuple."""
MARK = "__tscript_mark__"
"""The attribute that says what a function is to the compiler: ``ignore``, ``unused`` or ``export``."""
PYTHON_FUNCTION = "__tscript_python__"
"""The attribute of a callable with the Python function that it was made of."""


class Tracer(Protocol):
    """What records a program."""

    def recording(self, function: object) -> Callable[..., object] | None:
        """What records a call of a native function that has none of its values; None if the call is not recorded."""


TRACER: ContextVar[Tracer | None] = ContextVar("tscript_tracer", default=None)
"""What records the program that is being traced."""

OBJECT_TYPE = 8
"""Offset of a PyObject's type."""
OBJECT_BODY = 16
"""Offset of what follows a PyObject's head: the double of a float, the `TensorImpl` of a Tensor."""

INTERFACE_MARK = "__torch_script_interface__"
"""The attribute of classes that ``torch.jit.interface`` sets, PyTorch's and ours."""
