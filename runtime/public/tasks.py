"""`fork` and `wait`: functions that run as tasks of the inter-op pool.

Scripted functions run there without the GIL; any other callable runs with it. Inside scripts the same names are
compiled (`tscript.frontend.lowering.calls`), so a function means the same scripted and as plain Python.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import Any, TypeVar

from tscript.runtime.session.process import current
from tscript.runtime.session.usage import log_api_usage_once
from tscript.runtime.values.futures import Future
from tscript.runtime.values.tracebacks import raises_user_errors

T = TypeVar("T")


@raises_user_errors
def fork(function: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
    """Run ``function(*args, **kwargs)`` as a task of the inter-op pool.

    A scripted function is checked against its arguments, and compiled if need be, here; its code then runs on a thread
    of the pool without the GIL. Any other callable runs there with the GIL. Tensors are shared with the task, not
    copied: what writes to one while the other side uses it is a race of elements, though never of memory.

    Args:
        function: What to call.
        args: Its positional arguments.
        kwargs: Its keyword arguments.

    Returns:
        The future of the result. The task runs whether somebody waits for it or not.

    Raises:
        TypeError: `function` cannot be called, or is scripted and does not take the arguments.
        CompileError: It is scripted and cannot be compiled for them.

    Example:
        >>> import tscript
        >>> @tscript.script
        ... def total(x: tscript.Tensor) -> tscript.Tensor:
        ...     return x.sum()
        >>> futures = [tscript.fork(total, tscript.ones(n)) for n in range(3)]
        >>> [float(tscript.wait(future)) for future in futures]
        [0.0, 1.0, 2.0]
    """
    log_api_usage_once("tscript.fork")
    scripted = getattr(function, "_scripted", None)
    if scripted is not None and not scripted.owner.disabling.is_disabled:
        from tscript.runtime.session.pool import NotForkableError

        owner = (function.__self__,) if isinstance(function, MethodType) else ()
        try:
            forked: Future[T] = scripted.forked(*owner, *args, **kwargs)
            return forked
        except NotForkableError:
            pass  # a thread of the pool converts the arguments, and calls it
    if not callable(function):
        raise TypeError(f"fork() takes a function first, not {type(function).__name__}: fork(f, x) runs f(x)")
    runtime = current()
    return runtime.futures.adopt(runtime.pool.fork_python(function, args, kwargs))


@raises_user_errors
def wait(future: Future[T]) -> T:
    """The result of a forked call, as soon as it is there: `Future.wait`.

    Raises:
        TypeError: It is no future.
        Exception: What the task raised, with its traceback.

    Example:
        >>> import tscript
        >>> tscript.wait(tscript.fork(divmod, 7, 2))
        (3, 1)
    """
    log_api_usage_once("tscript.wait")
    if not isinstance(future, Future):
        raise TypeError(f"wait() takes a Future, which fork() gives, not {type(future).__name__}")
    return future.wait()


fork.__module__ = wait.__module__ = "tscript"

__all__ = ["fork", "wait"]
