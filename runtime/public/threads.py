"""How many threads a kernel may use, and how many run forked tasks."""

from __future__ import annotations

from tscript.runtime.boundary.pool.queue import MOST_THREADS
from tscript.runtime.session.process import current
from tscript.runtime.session.usage import log_api_usage_once


def set_num_threads(count: int) -> None:
    """Let one call use up to `count` threads; without it, as many as ``TSCRIPT_THREADS`` says, or one for each
    processor that the process may use.

    They divide what takes long: loops over the elements of tensors, matrix products. Results are the same, bit for bit,
    for any number. It may be called at any time. Calls from several threads at once share the threads: one of them
    divides its loops, the others run on their own thread. BLAS is NumPy's own, so its products are held to the same
    number.

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
    """How many threads one call may use.

    Example:
        >>> import tscript
        >>> tscript.get_num_threads() >= 1
        True
    """
    return current().threads


def set_num_interop_threads(count: int) -> None:
    """Let forked tasks run on up to `count` threads; without it, as many as ``TSCRIPT_INTEROP_THREADS`` says, or one
    for each core.

    It may be called at any time: new threads start when there is work, surplus ones leave when they have none.

    Args:
        count: From 1 to 1024.

    Raises:
        TypeError: It is not an int.
        ValueError: It is out of range.

    Example:
        >>> import tscript
        >>> tscript.set_num_interop_threads(2)
        >>> tscript.get_num_interop_threads()
        2
    """
    log_api_usage_once("tscript.set_num_interop_threads")
    if type(count) is not int:
        raise TypeError(f"set_num_interop_threads expects an int, not {type(count).__name__}")
    if not 1 <= count <= MOST_THREADS:
        raise ValueError(f"set_num_interop_threads expects a number from 1 to {MOST_THREADS}, found {count}")
    current().set_interop_threads(count)


def get_num_interop_threads() -> int:
    """On how many threads forked tasks may run.

    Example:
        >>> import tscript
        >>> tscript.get_num_interop_threads() >= 1
        True
    """
    return current().interop_threads


for _function in (set_num_threads, get_num_threads, set_num_interop_threads, get_num_interop_threads):
    _function.__module__ = "tscript"
