"""`set_default_dtype`: which dtype new tensors of floats have."""

from __future__ import annotations

from tscript.runtime.session.process import current
from tscript.runtime.session.usage import log_api_usage_once
from tscript.runtime.values.arguments import own_value
from tscript.types import DType


def set_default_dtype(d: DType) -> None:
    """Say which dtype new tensors of Python's floats have from now on: those that `tscript.tensor`, `zeros`, `arange`,
    `rand` and others make without ``dtype``, and the results of ints where floats are needed, such as ``x / 2``. New
    complex tensors are of complex128 if it is float64, else of complex64.

    It applies to all threads. A scripted function that is called under another default dtype is compiled for that one;
    what was compiled before is kept for when it is the default again. Meanwhile no function may be compiled: it waits.

    Args:
        d: float32, float64, float16 or bfloat16.

    Raises:
        TypeError: It is no dtype of floats.

    Example:
        >>> import tscript
        >>> tscript.set_default_dtype(tscript.float64)
        >>> tscript.tensor([0.5]).dtype, (tscript.arange(3) / 2).dtype, tscript.tensor(1j).dtype
        (tscript.float64, tscript.float64, tscript.complex128)
        >>> tscript.set_default_dtype(tscript.float32)
    """
    log_api_usage_once("tscript.set_default_dtype")
    current().set_default_dtype(own_value(d))


set_default_dtype.__module__ = "tscript"
