"""What functions say about themselves to the compiler: those that stay in Python, those that compiled code never calls,
and what tells compiled code from Python."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar, overload

from tscript.abi.python import MARK

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")


@overload
def ignore(function: F) -> F: ...
@overload
def ignore(*, drop: bool = False) -> Callable[[F], F]: ...
def ignore(function: Any = None, *, drop: bool = False) -> Any:
    """Leave a function to Python: compiled code calls it with Python values.

    The annotations say what it takes and returns (a parameter without is a Tensor); the result is checked at each call.
    What it raises goes through compiled code as it is. A list that it is given is a copy. A function that calls one
    cannot be saved.

    Args:
        function: The function; it stays what it is.
        drop: Never call it, as `unused` says.

    Example:
        >>> import tscript
        >>> @tscript.ignore
        ... def host(name: str) -> str:
        ...     import platform
        ...     return f"{name} on {platform.python_implementation()}"
        >>> @tscript.script
        ... def label(n: int) -> str:
        ...     return host(f"run {n}")
        >>> label(3)
        'run 3 on CPython'
    """
    mark = "unused" if drop else "ignore"
    return partial(_marked, mark) if function is None else _marked(mark, function)


def _marked(mark: str, function: F) -> F:
    setattr(function, MARK, mark)
    return function


def unused(function: F) -> F:
    """Leave a function out: compiled code that calls it raises `RuntimeError` there, and can be saved.

    Args:
        function: The function; it stays what it is.

    Example:
        >>> import tscript
        >>> @tscript.unused
        ... def trace(x: int) -> int:
        ...     breakpoint()
        ...     return x
        >>> @tscript.script
        ... def f(x: int, debug: bool = False) -> int:
        ...     return trace(x) if debug else x + 1
        >>> f(1)
        2
    """
    return _marked("unused", function)


def export(function: F) -> F:
    """Have a function compiled although nothing that is compiled calls it: a method besides ``forward``, or a function
    of a file that ``tscript check`` and ``tscript compile`` read.

    Args:
        function: The function; it stays what it is.

    Example:
        >>> import tscript
        >>> @tscript.export
        ... def double(x: int) -> int:
        ...     return 2 * x
        >>> double(4)
        8
    """
    return _marked("export", function)


def is_scripting() -> bool:
    """Whether this runs as compiled code. What stands under it for Python is not compiled.

    Example:
        >>> import tscript
        >>> def where() -> str:
        ...     if tscript.is_scripting():
        ...         return "compiled"
        ...     return "in " + __import__("platform").python_implementation()
        >>> where(), tscript.script(where)()
        ('in CPython', 'compiled')
    """
    return False


def annotate(type: Any, value: T) -> T:
    """`value`; in compiled code, as one of a type.

    Args:
        type: An annotation.
        value: What it is of.

    Example:
        >>> import tscript
        >>> @tscript.script
        ... def squares(n: int) -> list[float]:
        ...     found = tscript.annotate(list[float], [])
        ...     for i in range(n):
        ...         found.append(i * i)
        ...     return found
        >>> squares(3)
        [0.0, 1.0, 4.0]
    """
    return value


class Size(tuple[int, ...]):
    """A shape in annotations and where one is made of numbers. Shapes of tensors are plain tuples.

    Example:
        >>> import tscript
        >>> tscript.Size([2, 3]).numel(), tscript.Size([2, 3]) == tscript.zeros(2, 3).shape
        (6, True)
    """

    __slots__ = ()

    def numel(self) -> int:
        """The number of elements of a tensor of this shape."""
        return math.prod(self)


class no_grad:  # noqa: N801
    """A context manager and decorator without effect: no gradients are computed.

    Example:
        >>> import tscript
        >>> with tscript.no_grad():
        ...     tscript.is_grad_enabled()
        False
    """

    def __init__(self, mode: object = True) -> None:
        self.mode = mode

    def __enter__(self) -> None:
        pass

    def __exit__(self, *raised: object) -> None:
        pass

    def __call__(self, function: F) -> F:
        """The function itself."""
        return function


class enable_grad(no_grad):  # noqa: N801
    """As `no_grad`, without effect."""


class inference_mode(no_grad):  # noqa: N801
    """As `no_grad`, without effect."""


class set_grad_enabled(no_grad):  # noqa: N801
    """As `no_grad`, without effect."""


class autocast(no_grad):  # noqa: N801
    """A context manager without effect, that has to be disabled: dtypes are those of the tensors.

    Raises:
        RuntimeError: It is enabled.
    """

    def __init__(
        self, device_type: object = None, dtype: object = None, enabled: bool = True, cache_enabled: object = None
    ) -> None:
        if enabled:
            raise RuntimeError("autocast does nothing for tensors on the CPU: write enabled=False")
        super().__init__()


def is_grad_enabled() -> bool:
    """False: no gradients are computed."""
    return False


def is_inference_mode_enabled() -> bool:
    """False: there are no modes."""
    return False


def is_autocast_enabled() -> bool:
    """False: dtypes are those of the tensors."""
    return False


def _assert(condition: Any, message: str = "") -> None:
    """Raise an AssertionError unless `condition` holds."""
    if not condition:
        raise AssertionError(message)


def _check(condition: Any, message: Any = None) -> None:
    """Raise a RuntimeError unless `condition` holds; `message` is a function that gives its text."""
    if not condition:
        raise RuntimeError("Expected cond to be True" if message is None else message())


def prange(*bounds: int) -> range:
    """`range` for a ``for`` loop whose iterations may run at the same time, on several threads.

    In compiled code the iterations have to be independent: each writes elements of its own, and what they have in
    common they only read, or add up (see the page on parallel loops). A loop that is not is refused.

    Args:
        bounds: The arguments of `range`.

    Example:
        >>> import tscript
        >>> @tscript.script
        ... def total(n: int) -> int:
        ...     found = 0
        ...     for i in tscript.prange(n):
        ...         found += i * i
        ...     return found
        >>> total(1000)
        332833500
    """
    return range(*bounds)


__all__ = [
    "Size",
    "annotate",
    "autocast",
    "enable_grad",
    "export",
    "ignore",
    "inference_mode",
    "is_autocast_enabled",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "is_scripting",
    "no_grad",
    "prange",
    "set_grad_enabled",
    "unused",
]
