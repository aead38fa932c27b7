"""`Dispatcher`: from the arguments of a call to native code, through a table that native code fills itself from.

A `Dispatcher` belongs to one callable (a scripted function, an eager operator). Its native object answers every call
whose signature is in its table without entering Python. Any other call arrives at `miss`, which binds and converts the
arguments, finds or builds the specialisation, adds a row when the same call would hit next time, and runs it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import Any, ParamSpec, Protocol, TypeVar
from weakref import WeakMethod

from tscript.abi.signature import Signature, letters
from tscript.backend.loader.loaded import LoadedCode
from tscript.room import Room
from tscript.runtime.boundary.boundary import Boundary
from tscript.runtime.session.observation import Unit
from tscript.runtime.session.plugins import load_hooks
from tscript.runtime.session.usage import log_api_usage_once
from tscript.runtime.values.arguments import Argument
from tscript.runtime.values.tracebacks import TOLD, refused
from tscript.types import Type


@dataclass(frozen=True, slots=True, eq=False)
class Specialisation:
    """Native code for one tuple of argument types.

    Attributes:
        signature: How Python objects become its arguments.
        address: Its entry.
        constants: Results that are compile-time constants (texts), in order.
        unit: What callbacks need of it; None: its calls are not observed.
        result: Type of the result.
        code: Owner of the code, which stays loaded as long as this lives.
    """

    signature: Signature
    address: int
    constants: tuple[object, ...] = ()
    unit: Unit | None = None
    result: Type | None = None
    code: LoadedCode | None = None


P = ParamSpec("P")
R = TypeVar("R")


def weakly(method: Callable[P, R]) -> Callable[P, R]:
    """A method for whoever must not keep its object alive.

    Args:
        method: Of an object. Once that is gone, a call raises `ReferenceError`.
    """
    reference = WeakMethod(method)

    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        found = reference()
        if found is None:
            raise ReferenceError("the function is gone")
        return found(*args, **kwargs)

    return call


class Callee(Protocol):
    """What a dispatcher asks of the thing that is called."""

    name: str

    def prepare(
        self, args: Sequence[object], kwargs: Mapping[str, object]
    ) -> tuple[list[object], list[Argument], tuple[str, ...]]:
        """Values to pass, their descriptions, and the keyword names among them; raises `TypeError`."""

    def specialise(self, described: Sequence[Argument], names: tuple[str, ...]) -> Specialisation:
        """Compile for these arguments."""


class Dispatcher:
    """The slow path of one native callable.

    Args:
        native: The boundary.
        callee: What is called.
        lock: Held while something is compiled.
        room: Where that is done.
    """

    def __init__(self, native: Boundary, callee: Callee, lock: AbstractContextManager[object], room: Room) -> None:
        self.room = room
        self.callables = native.callables
        self.stubs = native.stubs
        self.callee = callee
        self.table: dict[tuple[tuple[str, ...], tuple[Argument, ...]], Specialisation] = {}
        self.lock = lock

    def miss(self, function: Any, args: tuple[object, ...], kwargs: Mapping[str, object]) -> object:
        """Answer a call that the native table does not know, and add a row if it can answer the next one like it."""
        return answered(self.callee, partial(self._run, function, args), args, kwargs)

    def _run(
        self,
        function: Any,
        args: tuple[object, ...],
        values: list[object],
        described: Sequence[Argument],
        names: tuple[str, ...],
    ) -> object:
        found = self.find(described, names)
        unit = 0 if found.unit is None else found.unit.address
        if passes_on(values, args):
            key = self.callables.key_of(function, values, names)
            if key is not None:
                objects = tuple(values)
                self.callables.add_row(
                    function, key, found.signature, found.address, found, found.constants, objects, unit
                )
        if "T" in letters(found.signature.result):
            log_api_usage_once("tscript.tensor.create")
        return self.stubs.invoke(found.signature, found.address, *values, constants=found.constants, unit=unit)

    def find(self, described: Sequence[Argument], names: tuple[str, ...] = ()) -> Specialisation:
        """The specialisation for arguments so described, compiled if it is new."""
        key = (names, tuple(described))
        found = self.table.get(key)
        if found is None:
            load_hooks()  # not while the lock is held: a hook may use other threads
            found = self.room.run(self._compiled, described, names)
        return found

    def _compiled(self, described: Sequence[Argument], names: tuple[str, ...]) -> Specialisation:
        key = (names, tuple(described))
        with self.lock:
            found = self.table.get(key)
            if found is None:
                found = self.table[key] = self.callee.specialise(described, names)
        return found


def answered(
    callee: Callee,
    run: Callable[[list[object], list[Argument], tuple[str, ...]], object],
    args: Sequence[object],
    kwargs: Mapping[str, object],
) -> object:
    """Prepare a call and `run` it; errors go without our frames to the native caller (see `tracebacks`)."""
    told: tuple[type[BaseException], ...] = (*TOLD, TypeError, ValueError, OverflowError)  # about the arguments
    try:
        prepared = callee.prepare(args, kwargs)
        told = TOLD
        return run(*prepared)
    except Exception as error:
        if (found := refused(error, told)) is None:
            raise
        return found


def passes_on(values: Sequence[object], args: Sequence[object]) -> bool:
    """Whether a row of the native table, for prepared `values`, would pass the same for these arguments of a call."""
    return len(values) >= len(args) and all(map(_same, values, args))


def _same(value: object, given: object) -> bool:
    """Whether a prepared value is what was given, so that the native path would pass the same."""
    return value is given or (type(value) is tuple and type(given) is tuple and value == given)
