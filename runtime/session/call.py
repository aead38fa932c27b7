"""`Dispatcher`: from the arguments of a call to native code, through a table of signatures.

A `Dispatcher` belongs to one callable (a scripted function, an eager operator). Its native object answers every call
whose signature is in its table without entering Python. Any other call goes to `miss`, which binds and converts the
arguments, finds or builds the specialisation, adds a row if the same call can use it next time, and runs it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar
from weakref import WeakMethod

from tscript.abi.python import TRACER
from tscript.abi.signature import Signature, letters
from tscript.arrays import is_array
from tscript.definitions.absent import MISSING
from tscript.late import dataclass
from tscript.room import Room
from tscript.runtime.boundary.boundary import Boundary
from tscript.runtime.session.hooks import load_hooks
from tscript.runtime.session.usage import log_api_usage_once
from tscript.runtime.session.watch import CompileWatch
from tscript.runtime.values.arguments import Argument
from tscript.runtime.values.sharing import shared
from tscript.runtime.values.tracebacks import refused, user_errors
from tscript.types import DType, Type
from tscript.types.dtypes import compiled_for, default_float

if TYPE_CHECKING:
    from tscript.backend.loader.loaded import LoadedCode
    from tscript.pipeline.tiers import Tier
    from tscript.runtime.session.tiers import Tiered
    from tscript.runtime.session.units import Unit


@dataclass(frozen=True, slots=True, eq=False)
class Specialisation:
    """Native code for one tuple of argument types.

    Attributes:
        signature: How Python objects become its arguments.
        address: Its entry.
        constants: Results that are compile-time constants (strings), in order.
        unit: The data for callbacks; None: its calls are not observed.
        result: Type of the result.
        code: Owner of the code, which stays loaded as long as this lives.
        stub: Address of the stub that calls it; 0: that of its signature.
        tiered: The code was made quickly, and is replaced when it runs often.
    """

    signature: Signature
    address: int
    constants: tuple[object, ...] = ()
    unit: Unit | None = None
    result: Type | None = None
    code: LoadedCode | None = None
    stub: int = 0
    tiered: Tiered | None = None


P = ParamSpec("P")
R = TypeVar("R")


def weakly(method: Callable[P, R]) -> Callable[P, R]:
    """A weak reference to a method, which does not keep its object alive.

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
    """The interface of the callee of a dispatcher."""

    name: str

    def prepare(
        self, args: Sequence[object], kwargs: Mapping[str, object]
    ) -> tuple[list[object], list[Argument], tuple[str, ...]]:
        """Values to pass, their descriptions, and the keyword names among them; raises `TypeError`."""

    def specialise(
        self, described: Sequence[Argument], names: tuple[str, ...], tier: Tier | None = None
    ) -> Specialisation:
        """Compile for these arguments, at this tier if it is given."""

    def is_keyed(self, described: Sequence[Argument]) -> bool:
        """Whether the native key tells calls with such arguments from all that are specialised in another way."""


class Dispatcher:
    """The slow path of one native callable.

    Args:
        native: The boundary.
        callee: The callee.
        lock: Held while something is compiled.
        room: Runs the compiler.
        watch: Is told about compiles.
        takes_lists: Whether the native callable makes tuples of lists (`Flag.LIST`).
    """

    def __init__(
        self,
        native: Boundary,
        callee: Callee,
        lock: AbstractContextManager[object],
        room: Room,
        watch: CompileWatch,
        *,
        takes_lists: bool = False,
    ) -> None:
        self.takes_lists = takes_lists
        self.room = room
        self.watch = watch
        self.callables = native.callables
        self.arrays = native.arrays
        self.stubs = native.stubs
        self.callee = callee
        self._tables: dict[DType, dict[tuple[tuple[str, ...], tuple[Argument, ...]], Specialisation]] = {}
        self.lock = lock

    @property
    def table(self) -> dict[tuple[tuple[str, ...], tuple[Argument, ...]], Specialisation]:
        """The specialisations under the default dtype."""
        return self._tables.setdefault(default_float(), {})

    def miss(self, function: Any, args: tuple[object, ...], kwargs: Mapping[str, object]) -> object:
        """Answer a call without a row in the native table, and add a row if it can answer the next such call."""
        tracer = TRACER.get()
        if tracer is not None:
            record = recorder_of((*args, *kwargs.values())) or tracer.recording(function)
            if record is not None:
                return record(function, args, kwargs)
        return answered(self.callee, partial(self._run, function, args), args, kwargs)

    def _run(
        self,
        function: Any,
        args: tuple[object, ...],
        values: list[object],
        described: Sequence[Argument],
        names: tuple[str, ...],
    ) -> object:
        default = default_float()
        found = self.find(described, names)
        unit = 0 if found.unit is None else found.unit.address
        tiered = found.tiered
        address = found.address if tiered is None else tiered.address
        signature, constants = shared(found.signature, values), found.constants
        if signature is not found.signature:
            self.arrays.meet_all(values)
            if found.stub:
                constants = (*constants[:-1], self.stubs.uniform(signature)[1])
            elif not self.stubs.serves(signature):
                tensors = map(self.arrays.as_tensor, values)
                result = self.stubs.invoke(found.signature, address, *tensors, constants=constants, unit=unit)
                return self.arrays.in_form(result, signature.result)
        given = [*map(tuples, args)] if self.takes_lists else args
        is_known = self.callee.is_keyed(described) and default is default_float() and TRACER.get() is None
        if passes_on(values, given) and is_known:
            key = self.callables.key_of(function, values, names)
            if key is not None:
                objects = tuple(values)
                self.callables.add_row(
                    function, key, signature, address, found, constants, objects, unit, stub=found.stub
                )
                if tiered is not None:
                    tiered.attach(function)
        if "T" in letters(found.signature.result):
            log_api_usage_once("tscript.tensor.create")
        return self.stubs.invoke(signature, address, *values, constants=constants, unit=unit, stub=found.stub)

    def find(
        self, described: Sequence[Argument], names: tuple[str, ...] = (), tier: Tier | None = None
    ) -> Specialisation:
        """The specialisation for described arguments, compiled if it is new.

        Args:
            described: The arguments.
            names: Those of keywords among them.
            tier: How it is compiled if it is new; what the callee says when left out.
        """
        key = (names, tuple(described))
        found = self.table.get(key)
        if found is None:
            load_hooks()  # not while the lock is held: a hook may use other threads
            found = self.room.run(self._compiled, described, names, tier)
        return found

    def _compiled(self, described: Sequence[Argument], names: tuple[str, ...], tier: Tier | None) -> Specialisation:
        key = (names, tuple(described))
        with self.lock:
            found = self.table.get(key)
            if found is None:
                # What is compiled meanwhile must not see another default dtype.
                with (
                    compiled_for(default_float()),
                    self.watch.compiling(self.callee.name, partial(self._reason, described), len(self.table)),
                ):
                    found = self.table[key] = self.callee.specialise(described, names, tier)
        return found

    def _reason(self, described: Sequence[Argument]) -> str:
        """Why a specialisation is compiled: what is different from the one before it."""
        earlier = [arguments for _, arguments in self.table if arguments != tuple(described)]
        if not earlier:
            return f"the first call, with ({', '.join(map(shown, described))})"
        if len(earlier[-1]) != len(described):
            return f"a call with ({', '.join(map(shown, described))})"
        pairs = enumerate(zip(described, earlier[-1], strict=True), 1)
        changed = [f"argument {i} is {shown(new)}, was {shown(old)}" for i, (new, old) in pairs if new != old]
        return f"a call with other types: {', '.join(changed) or 'other keywords'}"


def shown(argument: Argument) -> str:
    """The type of an argument, and its value if that determines types."""
    return str(argument.type) if argument.constant is MISSING else f"{argument.type} {argument.constant!r}"


RECORD = "__tscript_record__"
"""The method of classes that stand for values while a program is recorded: ``record(function, args, kwargs)`` answers
calls of native functions with them, which no native code takes."""


def recorder_of(values: Sequence[object]) -> Callable[..., object] | None:
    """What records a call with these arguments."""
    for value in values:
        found = getattr(type(value), RECORD, None)
        if found is not None:
            bound: Callable[..., object] = found.__get__(value)
            return bound
        if type(value) in (list, tuple) and (inner := recorder_of(value)) is not None:  # type: ignore[arg-type]
            return inner
    return None


def answered(
    callee: Callee,
    run: Callable[[list[object], list[Argument], tuple[str, ...]], object],
    args: Sequence[object],
    kwargs: Mapping[str, object],
) -> object:
    """Prepare a call and `run` it. Errors go to the native caller without frames of tscript (see `tracebacks`)."""
    about_arguments: tuple[type[BaseException], ...] = (TypeError, ValueError, OverflowError)
    try:
        prepared = callee.prepare(args, kwargs)
        about_arguments = ()
        return run(*prepared)
    except Exception as error:
        if (found := refused(error, (*user_errors(), *about_arguments))) is None:
            raise
        return found


def tuples(value: object) -> object:
    """A value with tuples in place of lists, at any depth, as the native callable makes them."""
    return tuple(map(tuples, value)) if type(value) in {list, tuple} else value  # type: ignore[call-overload]


def passes_on(values: Sequence[object], args: Sequence[object]) -> bool:
    """Whether a row of the native table would pass the same values as the prepared `values` for these arguments."""
    return len(values) >= len(args) and all(map(_same, values, args))


def _same(value: object, given: object) -> bool:
    """Whether a prepared value is the argument itself, so that the native path would pass the same."""
    if value is given or is_array(given):
        return value is given
    if type(value) is tuple and type(given) is tuple:
        return len(value) == len(given) and all(a is b or _equal(a, b) for a, b in zip(value, given, strict=True))
    return False


def _equal(value: object, given: object) -> bool:
    """The same of an element of a tuple: numbers and strings need only be equal."""
    return _same(value, given) if type(given) is tuple or is_array(given) else bool(value == given)
