"""The names of ``torch.jit`` that tscript has, so that ``import tscript as torch`` serves a file as it is.

Example:
    >>> import tscript as torch
    >>> @torch.jit.script
    ... def double(x: torch.Tensor) -> torch.Tensor:
    ...     return 2 * x
    >>> double(torch.ones(2))
    tensor([2., 2.])
"""

from __future__ import annotations

import builtins
import types
import typing
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import tscript
from tscript import (
    Future,
    ScriptFunction,
    TracerWarning,
    TracingCheckError,
    fork,
    freeze,
    optimize_for_inference,
    trace,
    trace_module,
    wait,
)
from tscript.abi.python import INTERFACE_MARK, TRACER
from tscript.api import script
from tscript.jit.serialization import load, save
from tscript.jit.settings import (
    enable_onednn_fusion,
    fuser,
    last_executed_optimized_graph,
    onednn_fusion_enabled,
    optimized_execution,
    run_frozen_optimizations,
    set_fusion_strategy,
    strict_fusion,
)
from tscript.marks import annotate, export, ignore, is_scripting, unused
from tscript.operators.python.functions.optionals import unwrap_optional as _unwrap_optional

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound=type)
T = TypeVar("T")

_fork, _wait = fork, wait
_awaitable, _awaitable_wait = fork, wait
Await = Future


Error = Exception
"""What is raised where compiled code raises: exceptions of Python, as they are."""


class ScriptWarning(Warning):
    """A warning of ``torch.jit.script``, which tscript has none of; for filters of warnings."""


if TYPE_CHECKING:
    from tscript import ScriptModule as ScriptModule

    RecursiveScriptModule = ScriptModule
    BroadcastingList1 = list[T]
    BroadcastingList2 = list[T]
    BroadcastingList3 = list[T]
    BroadcastingList4 = list[T]
    BroadcastingList5 = list[T]
    BroadcastingList6 = list[T]
else:

    class BroadcastingListCls:
        """``BroadcastingList2[int]``: an annotation of a parameter that takes a list, and a number for a list of that
        many."""

        def __getitem__(self, element: Any) -> Any:
            return element | list[element]

    BroadcastingList1 = BroadcastingList2 = BroadcastingList3 = BroadcastingListCls()
    BroadcastingList4 = BroadcastingList5 = BroadcastingList6 = BroadcastingList1


class Attribute(NamedTuple):
    """A value and its type, as ``torch.jit.Attribute``."""

    value: object
    type: object


def _awaitable_nowait(value: T) -> Future[T]:
    """A future whose result is a value that is there."""
    return fork(_same, value)


def _same(value: T) -> T:
    return value


def CompilationUnit(lang: str) -> Any:  # noqa: N802 - as in PyTorch
    """The functions of a text, by name: ``unit.f(x)``.

    Args:
        lang: The source of a module; see `tscript.script`.

    Example:
        >>> import tscript
        >>> unit = tscript.jit.CompilationUnit("def double(n: int) -> int: return 2 * n")
        >>> unit.double(4)
        8
    """
    return script(lang)


def script_method(fn: F) -> F:
    """A method of a module that is compiled; see `tscript.export`. The module derives from ``nn.Module``.

    Args:
        fn: The method.
    """
    return export(fn)


def __getattr__(name: str) -> Any:
    if name in ("ScriptModule", "RecursiveScriptModule"):  # which need all of `tscript.nn`
        return tscript.ScriptModule
    raise AttributeError(f"module 'tscript.jit' has no attribute {name!r}")


def is_tracing() -> bool:
    """Whether a function is being traced; False in compiled code."""
    return TRACER.get() is not None


def interface(cls: C) -> C:
    """A class that only says which methods values have, for annotations. Compiled code takes instances of any class
    there, and looks for the methods that it calls.

    Args:
        cls: The class; bodies of its methods are not looked at.

    Example:
        >>> import tscript
        >>> @tscript.jit.interface
        ... class Shape:
        ...     def area(self) -> float: ...
        >>> class Square:
        ...     def __init__(self, side: float) -> None:
        ...         self.side = side
        ...     def area(self) -> float:
        ...         return self.side * self.side
        >>> @tscript.script
        ... def total(shapes: list[Shape]) -> float:
        ...     return sum([shape.area() for shape in shapes])
        >>> total([Square(2.0), Square(3.0)])
        13.0
    """
    setattr(cls, INTERFACE_MARK, True)
    return cls


def script_if_tracing(function: F) -> F:
    """The function as it is: compiled where compiled code calls it. A trace has the way that it took; to keep its
    control flow there, script it.

    Args:
        function: The function.

    Example:
        >>> import tscript
        >>> @tscript.jit.script_if_tracing
        ... def double(n: int) -> int:
        ...     return 2 * n
        >>> double(2)
        4
    """
    return function


def _overload(function: F) -> F:
    """A declaration of one form of a function, of which the last definition counts."""
    return function


_script_if_tracing, _overload_method = script_if_tracing, _overload


def isinstance(value: object, type: Any) -> bool:
    """Whether a value is of a type, which may say what containers hold; in compiled code, a test of the static type
    where it decides.

    Args:
        value: The value.
        type: A class, a type of `typing` with parameters, or a tuple of them. An empty container is of any.

    Example:
        >>> import tscript
        >>> tscript.jit.isinstance([1, 2], list[int]), tscript.jit.isinstance({"a": 1}, dict[str, float])
        (True, False)
    """
    if builtins.isinstance(type, tuple):
        return any(isinstance(value, one) for one in type)
    if type is None or type is types.NoneType:
        return value is None
    if type is Any:
        return True
    origin, parts = typing.get_origin(type), typing.get_args(type)
    if origin in (typing.Union, types.UnionType):
        return any(isinstance(value, part) for part in parts)
    if origin is None:
        return builtins.isinstance(value, type)
    if not builtins.isinstance(value, origin):
        return False
    if builtins.isinstance(value, tuple):
        if len(parts) == 2 and parts[1] is ...:
            return all(isinstance(v, parts[0]) for v in value)
        return len(value) == len(parts) and all(map(isinstance, value, parts))
    if builtins.isinstance(value, dict):
        return all(isinstance(k, parts[0]) and isinstance(v, parts[1]) for k, v in value.items())
    if builtins.isinstance(value, list | set):
        return all(isinstance(v, parts[0]) for v in value)
    return True


__all__ = [
    "Attribute",
    "Await",
    "BroadcastingList1",
    "BroadcastingList2",
    "BroadcastingList3",
    "BroadcastingList4",
    "BroadcastingList5",
    "BroadcastingList6",
    "CompilationUnit",
    "Error",
    "Final",
    "Future",
    "RecursiveScriptModule",
    "ScriptFunction",
    "ScriptModule",
    "ScriptWarning",
    "TracerWarning",
    "TracingCheckError",
    "_awaitable",
    "_awaitable_nowait",
    "_awaitable_wait",
    "_fork",
    "_overload",
    "_overload_method",
    "_script_if_tracing",
    "_unwrap_optional",
    "_wait",
    "annotate",
    "enable_onednn_fusion",
    "export",
    "fork",
    "freeze",
    "fuser",
    "ignore",
    "interface",
    "is_scripting",
    "is_tracing",
    "isinstance",
    "last_executed_optimized_graph",
    "load",
    "onednn_fusion_enabled",
    "optimize_for_inference",
    "optimized_execution",
    "run_frozen_optimizations",
    "save",
    "script",
    "script_if_tracing",
    "script_method",
    "set_fusion_strategy",
    "strict_fusion",
    "trace",
    "trace_module",
    "unused",
    "wait",
]
