"""The process: `current`, its only `Runtime`, and the functions that make tensors in it.

All parts of the runtime get the objects they use as arguments. Only functions that users call without an object use
`current`: those of this module, which pickled tensors name, and the modules of `tscript.runtime.public` and above.
"""

from __future__ import annotations

import threading
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from tscript.arrays import Array
from tscript.room import elsewhere
from tscript.runtime.boundary.hidden_functions import hidden
from tscript.runtime.session.runtime import Runtime
from tscript.runtime.session.usage import log_api_usage_once
from tscript.types import DType

if TYPE_CHECKING:
    Tensor = Any

_MAKING = threading.RLock()
"""Held while the runtime is made, because threads may request it at the same time."""


@cache
def current() -> Runtime:
    """The runtime of this process, made at the first call.

    Raises:
        ImportError: This interpreter is not supported (`UnsupportedInterpreterError`).
    """
    with _MAKING:
        return _only()


@cache
def _only() -> Runtime:
    log_api_usage_once("tscript.runtime.start")
    # Other threads may have little stack, which cannot be measured yet.
    runtime = Runtime() if threading.current_thread() is threading.main_thread() else elsewhere(Runtime)
    runtime.dress.put_on(runtime.native.slots, partial(hidden, runtime.native.callables), tensor, runtime.tensors.over)
    return runtime


def from_numpy(array: Array) -> Any:
    """A tensor over the memory of a NumPy array: writes are seen on both sides, and the tensor keeps the array alive.

    Args:
        array: Any shape and strides; dtype one of float32, float64, int8, int16, int32, int64, uint8, bool, in native
            byte order. A read-only array gives a tensor that refuses in-place writes.

    Raises:
        TypeError: It is not an array, or of another dtype.
        ValueError: Its strides are not multiples of the element size, or its elements are not aligned.

    Example:
        >>> import numpy as np, tscript
        >>> a = np.zeros(2, np.float32)
        >>> t = tscript.from_numpy(a)
        >>> t[0] = 5
        >>> a
        array([5., 0.], dtype=float32)
    """
    log_api_usage_once("tscript.from_numpy")
    return current().tensors.over(array)


def from_dlpack(source: Any) -> Any:
    """A tensor over the memory of any CPU object with ``__dlpack__``.

    Raises:
        TypeError, ValueError: As `from_numpy`.
        BufferError: The producer refuses.

    Example:
        >>> import numpy as np, tscript
        >>> tscript.from_dlpack(np.array([1.0, 2.0], np.float32))
        tensor([1., 2.])
    """
    log_api_usage_once("tscript.from_dlpack")
    return current().tensors.over(np.from_dlpack(source))


def tensor(data: Any, *, dtype: DType | None = None) -> Any:
    """A new tensor with a copy of `data`.

    Args:
        data: A number, nested lists or tuples of numbers, a NumPy array or a tensor.
        dtype: Element type; without it Python floats give float32, ints int64, bools bool, arrays their own.

    Raises:
        ValueError: Nested sequences of different lengths.
        TypeError: Elements that are no numbers.

    Example:
        >>> import tscript
        >>> tscript.tensor([[1, 2], [3, 4]])
        tensor([[1, 2],
                [3, 4]])
    """
    return current().tensors.make(data, dtype)


tensor.__module__ = from_numpy.__module__ = from_dlpack.__module__ = "tscript"


def __getattr__(name: str) -> Any:
    if name == "Tensor":
        runtime = current()
        runtime.dress.add_methods()
        return runtime.native.Tensor
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["Runtime", "current", "from_dlpack", "from_numpy", "tensor"]
