"""Operator callbacks: who is told what the program does, and how often.

A callback is a pair of functions, called when an operator begins and when it ends. Callbacks can be added, changed and
removed from any thread while operators run. With none registered, compiled code carries no trace of them.
"""

from __future__ import annotations

import ctypes
import functools
import inspect
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any, TypeVar

from tscript.abi.record import NEEDS_INPUTS, NEEDS_OUTPUTS, RecordScope, Route
from tscript.runtime.session.addresses import address_of
from tscript.runtime.session.callback_arguments import CallbackError, probability_of, scopes_of
from tscript.runtime.session.observation import Observation, Slot
from tscript.runtime.session.process import current
from tscript.runtime.session.usage import log_api_usage_once

F = TypeVar("F", bound=Callable[..., Any])

GRANULARITIES = ("group", "operator")


class CallbackHandle:
    """A registered callback.

    Made by `add_global_callback`, `add_thread_local_callback` and `add_native_callback`.

    Example:
        >>> import tscript
        >>> handle = tscript.add_global_callback(lambda record: None, scopes=["OPERATOR"], sampling_prob=0.5)
        >>> handle.sampling_prob = 1.0
        >>> _ = tscript.tensor([1.0]) + 1.0
        >>> handle.seen, handle.sampled, handle.faulted
        (1, 1, 0)
        >>> handle.remove()
    """

    def __init__(self, slot: Slot) -> None:
        self._slot = slot

    def remove(self) -> None:
        """Unregister the callback. When this returns, none of its functions runs or will run again.

        A pair that is open, whose operator is still running, gets no exit. Calling it inside a callback is allowed:
        calls are waited for on other threads only, and not where they themselves wait in `remove`.

        Raises:
            CallbackError: It was removed before.
        """
        self._slot.observation.remove(self._slot)

    def disable(self) -> None:
        """Begin no further pairs until `enable`; those that are open get their exit.

        Raises:
            CallbackError: It was removed.
        """
        self._slot.observation.set_enabled(self._slot, False)

    def enable(self) -> None:
        """Begin pairs again.

        Raises:
            CallbackError: It was removed.
        """
        self._slot.observation.set_enabled(self._slot, True)

    @property
    def enabled(self) -> bool:
        """Whether pairs begin; False after too many faults, too."""
        return not self._slot.removed and bool(self._slot.view.enabled)

    @property
    def sampling_prob(self) -> float:
        """The probability with which an event is sampled. It can be set while operators run.

        Raises:
            CallbackError: It was removed.
            ValueError: The new one is not between 0 and 1.
        """
        return float(self._slot.view.probability)

    @sampling_prob.setter
    def sampling_prob(self, probability: float) -> None:
        self._slot.observation.set_probability(self._slot, probability_of(probability))

    @property
    def seen(self) -> int:
        """Events of its scopes since it was added, sampled or not. In a child process, since the fork."""
        return self._slot.counts()[0]

    @property
    def sampled(self) -> int:
        """Events it was called for."""
        return self._slot.counts()[1]

    @property
    def faulted(self) -> int:
        """Exceptions that its functions raised."""
        return self._slot.counts()[2]

    def __repr__(self) -> str:
        seen, sampled, faulted = self._slot.counts()
        state = "removed" if self._slot.removed else "enabled" if self.enabled else "disabled"
        return f"<tscript callback {self._slot.name}: {state}, seen {seen}, sampled {sampled}, faulted {faulted}>"


def add_global_callback(
    on_enter: Callable[[Any], object] | None = None,
    on_exit: Callable[[Any, Any], object] | None = None,
    *,
    needs_inputs: bool = False,
    needs_outputs: bool = False,
    sampling_prob: float = 1.0,
    scopes: Iterable[RecordScope | str] | None = None,
    granularity: str = "group",
    max_faults: int = 10,
) -> CallbackHandle:
    """Register a callback for all threads.

    Args:
        on_enter: ``on_enter(record)`` runs when an operator begins; what it returns is handed to `on_exit`.
        on_exit: ``on_exit(record, context)`` runs when the operator ends, also when it raised (`record.failed`). It is
            called for exactly those for which `on_enter` was, or would have been.
        needs_inputs: Fill in `record.inputs`.
        needs_outputs: Fill in `record.outputs` at exit.
        sampling_prob: With what probability an event is sampled, from 0 to 1.
        scopes: What to be told of, `RecordScope`s or their names; None: everything.
        granularity: ``"group"``: a fused group is one record; ``"operator"``: compiled functions run unfused while the
            callback is registered, and each operator is a record. Results are the same.
        max_faults: After how many exceptions the callback is switched off.

    Raises:
        TypeError: Something that is not callable; neither function is given.
        ValueError: A probability outside of [0, 1], an unknown scope or granularity.
        CallbackError: There are too many callbacks.

    Example:
        >>> import tscript
        >>> names = []
        >>> handle = tscript.add_global_callback(lambda record: names.append(record.name), scopes=["OPERATOR"])
        >>> _ = tscript.tensor([1.0]) + 1.0
        >>> handle.remove()
        >>> names
        ['add']
    """
    log_api_usage_once("tscript.add_global_callback")
    return _add(False, on_enter, on_exit, needs_inputs, needs_outputs, sampling_prob, scopes, granularity, max_faults)


def add_thread_local_callback(
    on_enter: Callable[[Any], object] | None = None,
    on_exit: Callable[[Any, Any], object] | None = None,
    *,
    needs_inputs: bool = False,
    needs_outputs: bool = False,
    sampling_prob: float = 1.0,
    scopes: Iterable[RecordScope | str] | None = None,
    granularity: str = "group",
    max_faults: int = 10,
) -> CallbackHandle:
    """Register a callback for the calling thread alone; it ends with the thread.

    Arguments and exceptions are those of `add_global_callback`.

    Example:
        >>> import tscript
        >>> handle = tscript.add_thread_local_callback(lambda record: None)
        >>> _ = tscript.tensor([1.0]) + 1.0
        >>> handle.seen >= 1
        True
        >>> handle.remove()
    """
    log_api_usage_once("tscript.add_thread_local_callback")
    return _add(True, on_enter, on_exit, needs_inputs, needs_outputs, sampling_prob, scopes, granularity, max_faults)


def _add(
    local: bool,
    on_enter: object,
    on_exit: object,
    needs_inputs: bool,
    needs_outputs: bool,
    sampling_prob: float,
    scopes: Iterable[RecordScope | str] | None,
    granularity: str,
    max_faults: int,
) -> CallbackHandle:
    for name, function in (("on_enter", on_enter), ("on_exit", on_exit)):
        if function is not None and not callable(function):
            raise TypeError(f"{name} must be callable or None, not {type(function).__name__}")
    if on_enter is None and on_exit is None:
        raise TypeError("a callback needs on_enter, on_exit or both")
    first = on_enter if on_enter is not None else on_exit
    slot = current().observation.add(
        Route.PYTHON,
        0 if on_enter is None else id(on_enter),
        0 if on_exit is None else id(on_exit),
        0,
        scopes=scopes_of(scopes),
        probability=probability_of(sampling_prob),
        needs=(NEEDS_INPUTS if needs_inputs else 0) | (NEEDS_OUTPUTS if needs_outputs else 0),
        granularity=_granularity(granularity),
        local=local,
        max_faults=_faults(max_faults),
        name=getattr(first, "__qualname__", type(first).__name__),
        keep=(on_enter, on_exit),
    )
    return CallbackHandle(slot)


def add_native_callback(
    enter_addr: Any,
    exit_addr: Any = None,
    user_data: int | ctypes.c_void_p = 0,
    *,
    needs_inputs: bool = False,
    needs_outputs: bool = False,
    sampling_prob: float = 1.0,
    scopes: Iterable[RecordScope | str] | None = None,
    granularity: str = "group",
) -> CallbackHandle:
    """Register C functions as a callback for all threads.

    They are called with or without the GIL, on whatever thread runs the operator, and must use nothing of Python. What
    they get is described by ``tscript_callbacks.h`` (`get_include`). A crash in them is a crash of the process.

    Args:
        enter_addr: Address of ``void *enter(const ts_record *record, void *user_data)``, or None. A function pointer of
            `ctypes` will do, too; it is kept alive.
        exit_addr: Address of ``void exit(const ts_record *record, void *context, void *user_data)``, or None.
        user_data: A pointer they are given.
        needs_inputs, needs_outputs, sampling_prob, scopes, granularity: As for `add_global_callback`.

    Raises:
        TypeError: An address is none.
        ValueError: Both are null; a probability, scope or granularity that does not exist.
        CallbackError: There are too many callbacks.

    Example:
        >>> import ctypes, tscript
        >>> @ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
        ... def enter(record, data):
        ...     return None
        >>> handle = tscript.add_native_callback(enter)
        >>> handle.remove()
    """
    log_api_usage_once("tscript.add_native_callback")
    enter, leave = _address(enter_addr, "enter_addr"), _address(exit_addr, "exit_addr")
    data = user_data.value or 0 if isinstance(user_data, ctypes.c_void_p) else user_data
    if not isinstance(data, int) or isinstance(data, bool):
        raise TypeError(f"user_data must be an address, an int, not {type(data).__name__}")
    if not 0 <= data < 1 << 64:
        raise ValueError(f"user_data is not an address: {data}")
    if not enter and not leave:
        raise ValueError("a native callback needs the address of enter, of exit, or both; both are null")
    slot = current().observation.add(
        Route.NATIVE,
        enter,
        leave,
        data,
        scopes=scopes_of(scopes),
        probability=probability_of(sampling_prob),
        needs=(NEEDS_INPUTS if needs_inputs else 0) | (NEEDS_OUTPUTS if needs_outputs else 0),
        granularity=_granularity(granularity),
        local=False,
        max_faults=0,
        name=f"at {enter or leave:#x}",
        keep=(enter_addr, exit_addr, user_data),
    )
    return CallbackHandle(slot)


def _address(value: object, name: str) -> int:
    """An address that may be null."""
    absent = value is None or (type(value) is int and value == 0)
    return 0 if absent else address_of(value, f"{name} of a native callback")


def _granularity(value: str) -> int:
    if value not in GRANULARITIES:
        raise ValueError(f"unknown granularity {value!r}; there are {' and '.join(map(repr, GRANULARITIES))}")
    return GRANULARITIES.index(value)


def _faults(value: int) -> int:
    if not isinstance(value, int) or value < 1:
        raise ValueError(f"max_faults must be an int of at least 1, found {value!r}")
    return value


def enable_record_function(enabled: bool = True) -> None:
    """Switch operator callbacks on or off for the calling thread.

    Example:
        >>> import tscript
        >>> tscript.enable_record_function(False)
        >>> tscript.is_record_function_enabled()
        False
        >>> tscript.enable_record_function(True)
    """
    current().observation.thread()[1].disabled = int(not enabled)


def is_record_function_enabled() -> bool:
    """Whether operator callbacks are on for the calling thread.

    Example:
        >>> import tscript
        >>> tscript.is_record_function_enabled()
        True
    """
    return not current().observation.thread()[1].disabled


class RecordFunctionGuard:
    """Switches operator callbacks on or off for the calling thread while a block runs.

    Args:
        enabled: Which of them.

    Example:
        >>> import tscript
        >>> with tscript.RecordFunctionGuard(enabled=False):
        ...     tscript.is_record_function_enabled()
        False
        >>> tscript.is_record_function_enabled()
        True
    """

    def __init__(self, enabled: bool = False) -> None:
        self.enabled = enabled
        self._before: list[bool] = []

    def __enter__(self) -> RecordFunctionGuard:
        self._before.append(is_record_function_enabled())
        enable_record_function(self.enabled)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        enable_record_function(self._before.pop())


def _decorate(self: Any, function: F) -> F:
    """Make every call of a function a range of this name."""
    if not callable(function):
        raise TypeError(f"record_function decorates a callable, not {type(function).__name__}")
    kind, name = type(self), self.name
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def waiting(*args: Any, **kwargs: Any) -> Any:
            with kind(name):
                return await function(*args, **kwargs)

        return waiting  # type: ignore[return-value]

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        with kind(name):
            return function(*args, **kwargs)

    return wrapped  # type: ignore[return-value]


def _native_range() -> Any:
    kind = current().observation.range_type
    kind.__call__ = _decorate
    kind.__repr__ = lambda self: f"<tscript.record_function {self.name!r}>"
    return kind


def _native_record() -> Any:
    kind = current().observation.record_type
    kind.__repr__ = lambda self: f"<tscript.Record {self.scope.name} {self.name!r}, id {self.id}>"
    return kind


record_function: Any = _native_range()
Record: Any = _native_record()

__all__ = [
    "CallbackError",
    "CallbackHandle",
    "Observation",
    "Record",
    "RecordFunctionGuard",
    "RecordScope",
    "add_global_callback",
    "add_native_callback",
    "add_thread_local_callback",
    "enable_record_function",
    "is_record_function_enabled",
    "record_function",
]
