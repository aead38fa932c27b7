"""How many threads a kernel may use."""

from __future__ import annotations

from tscript.runtime.process import current
from tscript.runtime.usage import log_api_usage_once


def set_num_threads(count: int) -> None:
    """Let kernels use up to `count` threads; one until it is called or ``TSCRIPT_THREADS`` is set.

    Matrix products use them, through BLAS; all other kernels run on the calling thread. BLAS is NumPy's own, so its
    products are held to the same number.

    Args:
        count: At least 1.

    Raises:
        TypeError: It is not an int.
        ValueError: It is less than 1.

    Example:
        >>> import tscript
        >>> tscript.set_num_threads(1)
        >>> tscript.get_num_threads()
        1
    """
    log_api_usage_once("tscript.set_num_threads")
    if type(count) is not int:
        raise TypeError(f"set_num_threads expects an int, not {type(count).__name__}")
    if count < 1:
        raise ValueError(f"set_num_threads expects a positive number, found {count}")
    current().set_threads(count)


def get_num_threads() -> int:
    """How many threads matrix products may use.

    Example:
        >>> import tscript
        >>> tscript.get_num_threads() >= 1
        True
    """
    return current().threads


set_num_threads.__module__ = get_num_threads.__module__ = "tscript"
