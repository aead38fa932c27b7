"""How the low-level dialect meets C: functions with its calling convention, global variables, the C functions it calls.

A module of such functions has no context and no status: what it exports looks like C from outside.

- ``@exported("ts_name_v1")`` and ``@internal(...)`` say how a dialect function is linked, and its `Attribute`\\s.
  Undecorated functions are internal.
- ``c_function("Py_DecRef", None, Ptr[PyObject])`` is a C function; called in the dialect, its literals take the types
  of its parameters. ``...`` behind the parameters: it takes further arguments. ``imported(f)`` is the one that a
  dialect function of another module is.
- ``c_signature(i32, Ptr[Void])`` calls through an address: ``VISIT(address, argument)``. ``function(f)`` of
  `tscript.dialect` gives the address of a dialect function.
- ``variable("name", i64)`` is one of the module, `external` one of another. Its name is a pointer to it:
  ``COUNT[0]``, ``STATE.alive``.

Under CPython a C function is whatever the test put into `AddressSpace.functions`, and a variable lies in the space.

Example:
    >>> from tscript.dialect import i32, i64
    >>> COUNT = variable("count", i64)
    >>> @exported("count_up_v1")
    ... def count_up(by: i64) -> i64:
    ...     COUNT[0] = COUNT[0] + by
    ...     return COUNT[0]
    >>> count_up(2), count_up(3)
    (2, 5)
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from enum import Enum
from types import EllipsisType
from typing import Any, TypeVar

from tscript.abi.sizes import sizeof
from tscript.definitions.opdef import OpDef
from tscript.dialect import memory_model
from tscript.dialect.machine import c_call
from tscript.dialect.memory_model import Pointer, Region, annotated_type, data_at
from tscript.late import dataclass
from tscript.types import NONE, Type

F = TypeVar("F", bound=Callable[..., Any])


class Attribute(Enum):
    """What LLVM is told of a function."""

    NOINLINE = "noinline"
    COLD = "cold"
    ALWAYS_INLINE = "alwaysinline"
    FRAMED = "framed"
    """Compiled code runs inside it: it keeps a frame pointer, by which profilers walk from there to Python."""


NOINLINE = Attribute.NOINLINE
COLD = Attribute.COLD
ALWAYS_INLINE = Attribute.ALWAYS_INLINE
FRAMED = Attribute.FRAMED


@dataclass(frozen=True, slots=True)
class Linkage:
    """How a function of a module is linked.

    Attributes:
        symbol: What it is exported as; empty for an internal function.
        attributes: What LLVM is told of it.
    """

    symbol: str = ""
    attributes: tuple[Attribute, ...] = ()


_INTERNAL = Linkage()


def exported(symbol: str, *attributes: Attribute) -> Callable[[F], F]:
    """Export the function as `symbol`."""
    return _linked(Linkage(symbol, attributes))


def internal(*attributes: Attribute) -> Callable[[F], F]:
    """Give a function that is not exported attributes."""
    return _linked(Linkage("", attributes))


def _linked(linkage: Linkage) -> Callable[[F], F]:
    def mark(function: F) -> F:
        setattr(function, "__linkage__", linkage)  # noqa: B010
        return function

    return mark


def linkage_of(function: Callable[..., Any]) -> Linkage:
    """How a dialect function is linked."""
    found: Linkage = getattr(function, "__linkage__", _INTERNAL)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class CFunction:
    """A C function, or the type of those behind addresses; the frontend reads `op`."""

    op: OpDef
    symbol: str

    def __call__(self, *args: Any) -> Any:
        return memory_model.call(self.symbol, args)


def c_function(symbol: str, result: Any, *parameters: Any) -> CFunction:
    """The C function `symbol`.

    Args:
        symbol: What the linker resolves.
        result: A type of the dialect, or None.
        parameters: Types of the dialect; ``...`` as the last: further arguments may follow.
    """
    variadic = bool(parameters) and isinstance(parameters[-1], EllipsisType)
    types = [annotated_type(p) for p in (parameters[:-1] if variadic else parameters)]
    return CFunction(c_call(symbol, types, NONE if result is None else annotated_type(result), variadic), symbol)


def c_signature(result: Any, *parameters: Any) -> CFunction:
    """The type of functions that are called through an address, which comes before their arguments."""
    return c_function("", result, *parameters)


def imported(function: Callable[..., Any]) -> CFunction:
    """An exported dialect function of another module, as the C function that it is from outside."""
    found = inspect.signature(function, eval_str=True)
    parameters = (parameter.annotation for parameter in found.parameters.values())
    return c_function(linkage_of(function).symbol, found.return_annotation, *parameters)


@dataclass(frozen=True, slots=True)
class Variable:
    """What the compiler knows of a `Global`."""

    symbol: str
    type: Type
    count: int
    is_exported: bool
    initial: bytes
    is_external: bool


def variable_of(pointer: Global) -> Variable:
    """What the compiler knows of a variable."""
    return pointer._variable


class Global(Pointer):
    """A variable of a module, as the pointer to it; see `variable`."""

    __slots__ = ("_variable",)

    def __init__(self, variable: Variable) -> None:
        for name, value in (("_variable", variable), ("_offset", 0), ("_type", variable.type)):
            object.__setattr__(self, name, value)

    _variable: Variable

    @property
    def _region(self) -> Region:  # type: ignore[override]
        """Where the variable lies in the address space in use."""
        variable = self._variable
        return data_at(variable.symbol, sizeof(variable.type) * variable.count, variable.initial)


def variable(symbol: str, type: Any, count: int = 1, *, exported: bool = False, initial: bytes = b"") -> Any:
    """A variable of the module, as the pointer to it.

    Args:
        symbol: Its name to the linker.
        type: Of one element.
        count: Elements.
        exported: Whether other modules see it.
        initial: Its first bytes at the start; zeros follow.
    """
    return Global(Variable(symbol, annotated_type(type), count, exported, initial, False))


def external(symbol: str, type: Any) -> Any:
    """A variable that another module or the process defines."""
    return Global(Variable(symbol, annotated_type(type), 1, True, b"", True))


__all__ = [
    "ALWAYS_INLINE",
    "COLD",
    "FRAMED",
    "NOINLINE",
    "Attribute",
    "CFunction",
    "Global",
    "Linkage",
    "Variable",
    "c_function",
    "c_signature",
    "exported",
    "external",
    "imported",
    "internal",
    "linkage_of",
    "variable",
    "variable_of",
]
