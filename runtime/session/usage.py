"""API usage: one event per process and key, for operators of many processes who want to know what they use.

Every entry point of tscript calls `log_api_usage_once` with a key of `KEYS` before it acts. The first call with a key
raises an event, which goes to the handler; until there is one, events wait. Nothing leaves the process by itself.

This module imports the standard library only, and nothing imports it before it is needed: ``import tscript`` does not.

*How "once" works.* `_Usage` is a dict from known keys to None, and `log_api_usage_once` is its
``__getitem__``: a known key is answered in C. A new key goes to ``__missing__``, where `dict.setdefault`, which is
    atomic, decides which of several threads raises the event. There are no locks: a handler may block, raise, call
    tscript or replace itself, a signal may arrive, the process may fork, and no thread waits for another.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Mapping
from itertools import count
from types import MappingProxyType
from typing import NamedTuple

from tscript.runtime.session import faults

KEYS: Mapping[str, str] = MappingProxyType({
    "tscript.python.import": "tscript is imported",
    "tscript.runtime.start": "the native runtime of the process is made",
    "tscript.script.compile": "a function is compiled: decorated, or read from a file",
    "tscript.script.class": "a class is given to `script`, which checks its methods",
    "tscript.disabled": "scripted functions are run as plain Python",
    "tscript.script.compile_for": "a function is compiled ahead for given types",
    "tscript.script.run": "a scripted function is called",
    "tscript.script.graph_for": "the optimised IR of a call is looked at",
    "tscript.script.llvm_for": "the LLVM text of a call is looked at",
    "tscript.script.asm_for": "the assembly of a call is looked at",
    "tscript.operator.run": "an operator is called eagerly",
    "tscript.tensor.create": "the first tensor reaches Python",
    "tscript.from_numpy": "a tensor shares the memory of a NumPy array",
    "tscript.from_dlpack": "a tensor shares the memory of another library's",
    "tscript.set_printoptions": "the options for printing tensors are set",
    "tscript.set_num_threads": "the number of threads is set",
    "tscript.set_num_interop_threads": "the number of threads for tasks is set",
    "tscript.archive_of": "functions become an archive",
    "tscript.save": "an archive is written",
    "tscript.save.native": "an archive is written with native code",
    "tscript.save.extra_files": "extra files go into an archive",
    "tscript.load": "an archive is opened",
    "tscript.load.native": "an archive is opened whose native code is trusted",
    "tscript.load.torchscript": "an archive of TorchScript is opened",
    "tscript.load.extra_files": "extra files are read from an archive",
    "tscript.check_file": "the functions of a file are checked",
    "tscript.add_global_callback": "a callback is registered for all threads",
    "tscript.add_thread_local_callback": "a callback is registered for one thread",
    "tscript.add_native_callback": "a native callback is registered",
    "tscript.enable_operator_stats": "operator statistics are switched",
    "tscript.DebugInfoGuard": "debug info is given",
    "tscript.fork": "a task is forked from Python",
    "tscript.wait": "a task is waited for from Python, by `wait`",
    "tscript.freeze": "a module is frozen",
    "tscript.tracer": "a function or module is traced",
    "tscript.profiler": "a profile is made",
    "tscript.integrations.prometheus": "a Prometheus collector is made",
    "tscript.integrations.opentelemetry": "OpenTelemetry spans are asked for",
    "tscript.integrations.mlserver": "a runtime for MLServer loads a model",
    "tscript.data.DataLoader": "a data loader is made",
    "tscript.library.custom_op": "an operator is made of a Python function",
    "tscript.library.script_op": "an operator is made of a function in the language",
    "tscript.library.native_op": "an operator is made of a C function",
    "tscript.set_default_dtype": "another default dtype is set",
    "tscript.set_allocator": "an allocator is put in place",
    "tscript.plugin.hook": "a plugin of the group `tscript.hooks` is loaded",
    "tscript.plugin.ops": "a plugin of the group `tscript.ops` is loaded",
    "tscript.cli.check": "the command `tscript check`",
    "tscript.cli.explain": "the command `tscript explain`",
    "tscript.cli.compile": "the command `tscript compile`",
    "tscript.cli.run": "the command `tscript run`",
    "tscript.cli.import": "the command `tscript import`",
    "tscript.cli.inspect": "the command `tscript inspect`",
    "tscript.cli.extract": "the command `tscript extract`",
    "tscript.cli.verify": "the command `tscript verify`",
    "tscript.cli.ir": "the command `tscript ir`",
    "tscript.cli.profile": "the command `tscript profile`",
    "tscript.cli.bench": "the command `tscript bench`",
    "tscript.cli.compare": "the command `tscript compare`",
    "tscript.cli.completion": "the command `tscript completion`",
    "tscript.cli.env": "the command `tscript env`",
    "tscript.cli.ops": "the command `tscript ops`",
})  # fmt: skip
"""Every key that tscript raises, with its meaning. The table of docs/api-usage.md is this one."""

FOLLOWING = 100
"""Events that a handler itself raises and that are delivered right after the one it was called for; others wait."""

UsageHandler = Callable[[str], object]
MetadataHandler = Callable[[str, Mapping[str, str]], object]


class ApiUsage(NamedTuple):
    """The result of `api_usage`.

    Attributes:
        keys: Keys that were raised in this process, in order.
        waiting: Those of them that no handler has got yet.
        faulted: How often the usage handler raised.
        metadata_faulted: How often the metadata handler raised.
    """

    keys: tuple[str, ...]
    waiting: tuple[str, ...]
    faulted: int
    metadata_faulted: int


class _Handler:
    """A handler with its faults.

    Attributes:
        function: The function of the user.
        is_active: Whether it is still called.
        faulted: How often it raised.
    """

    def __init__(self, function: Callable[..., object], setter: str, max_faults: int) -> None:
        self.function = function
        self.setter = setter
        self.max_faults = max_faults
        self.is_active = True
        self.faulted = 0
        self._numbers = count(1)

    def call(self, *arguments: object) -> None:
        """Call it, and contain its exceptions. `KeyboardInterrupt` and `SystemExit` pass, because they are meant for
        the program."""
        try:
            self.function(*arguments)
        except Exception as error:  # noqa: BLE001 - whatever a handler raises, the program goes on
            number = next(self._numbers)  # atomic, unlike +=
            self.faulted = max(self.faulted, number)
            if number == 1:
                faults.warn(
                    f"the handler given to tscript.{self.setter} raised {faults.one_line(error)} for {arguments[0]!r}; "
                    f"the program goes on, further faults are counted only, after {self.max_faults} it is switched off"
                )
            if number >= self.max_faults:
                self.is_active = False


class _Usage(dict[str, None]):
    """The keys that were seen, the handlers, and the events that wait for one.

    Args:
        prints: Whether every event is also printed.
    """

    def __init__(self, *, prints: bool) -> None:
        self.prints = prints
        self.handler: _Handler | None = None
        self.metadata_handler: _Handler | None = None
        self.waiting: deque[str] = deque()
        self._claims: dict[str, object] = {}
        self._local = threading.local()
        os.register_at_fork(after_in_child=self._forget)

    def _forget(self) -> None:
        """A forked child is a process of its own: it keeps the handlers, and raises its own events."""
        self.clear()
        self._claims.clear()
        self.waiting.clear()

    def __missing__(self, key: object) -> None:
        key = _checked_key("log_api_usage_once", key)
        claim = object()
        if self._claims.setdefault(key, claim) is not claim:
            return
        self[key] = None
        if self.prints:
            faults.write(f"TSCRIPT_API_USAGE {key}\n")
        if self.is_open and not self.is_inside:
            self.deliver(key)
            return
        self.waiting.append(key)
        if self.is_open:  # it was set in between
            self.deliver()

    @property
    def is_open(self) -> bool:
        """Whether there is a handler to deliver to."""
        handler = self.handler
        return handler is not None and handler.is_active

    @property
    def is_inside(self) -> bool:
        """Whether the calling thread is inside a handler."""
        return getattr(self._local, "inside", False)

    def deliver(self, key: str | None = None) -> None:
        """Deliver waiting events, then `key`, then events that the handler itself raised. Not from inside a handler."""
        if self.is_inside:
            return
        left = key
        self._local.inside = True
        try:
            self._deliver_waiting()
            if key is not None and self.is_open:
                left = None
                self._hand_out(key)
            self._deliver_waiting()
        finally:
            self._local.inside = False
            if left is not None:
                self.waiting.append(left)

    def _deliver_waiting(self) -> None:
        # Bounded, or a handler that raises a new key at each call would never come to an end.
        for _ in range(len(self.waiting) + FOLLOWING):
            if not self.is_open:
                return
            try:
                key = self.waiting.popleft()
            except IndexError:
                return
            self._hand_out(key)

    def _hand_out(self, key: str) -> None:
        handler = self.handler
        if handler is not None and handler.is_active:
            handler.call(key)
        else:  # removed in between
            self.waiting.append(key)

    def log_metadata(self, key: str, metadata: Mapping[str, str]) -> None:
        """See `log_api_usage_metadata`."""
        handler = self.metadata_handler
        if handler is None or not handler.is_active or self.is_inside:
            return
        self._local.inside = True
        try:
            handler.call(key, MappingProxyType(dict(metadata)))
        finally:
            self._local.inside = False


def _checked_key(who: str, key: object) -> str:
    if not isinstance(key, str):
        raise TypeError(f"{who} expects the key as a str such as 'my.key', not {type(key).__name__}")
    if not key:
        raise ValueError(f"{who} expects a key such as 'my.key', found an empty one")
    return key if type(key) is str else str.__str__(key)


def _handler_of(who: str, function: Callable[..., object] | None, max_faults: int) -> _Handler | None:
    if function is not None and not callable(function):
        raise TypeError(f"{who} expects a function, or None for no handler, not {type(function).__name__}")
    if type(max_faults) is not int:
        raise TypeError(f"{who} expects max_faults as an int, not {type(max_faults).__name__}")
    if max_faults < 1:
        raise ValueError(f"{who} expects max_faults of at least 1, found {max_faults}")
    return None if function is None else _Handler(function, who, max_faults)


_USAGE = _Usage(prints=os.environ.get("TSCRIPT_API_USAGE_STDERR") == "1")

log_api_usage_once: Callable[[str], None] = _USAGE.__getitem__
"""Raise the event `key`, unless it was raised in this process before. Repeated calls cost next to nothing.

Args:
    key: Names what is used; by position. Keys that begin with ``tscript.`` are ours (`KEYS`).

Raises:
    TypeError: It is not a str.
    ValueError: It is empty.

Example:
    >>> import tscript
    >>> tscript.log_api_usage_once("my.key")
    >>> tscript.log_api_usage_once("my.key")
    >>> tscript.api_usage().keys.count("my.key")
    1
"""

log_api_usage_once("tscript.python.import")


def set_api_usage_handler(handler: UsageHandler | None, *, max_faults: int = 10) -> UsageHandler | None:
    """Set the function that is called with the key of each API usage event; there is at most one in a process.

    It is called once per process and key, on the thread that uses the API and before the API acts. Events that were
    raised while there was no handler are delivered now, in order. Threads that raise different keys may call it at the
    same time.

    - What it raises does not reach the program: it is counted, the first time a `RuntimeWarning` says so, and after
      `max_faults` the handler is switched off; later events wait for the next handler.
    - Events that it raises itself, by using tscript, are delivered when it has returned.
    - While it blocks, only the call that raised the event waits; other threads, and other events, go on.
    - A forked child keeps the handler and raises its own events, each once; what waits in the parent is the parent's.

    Args:
        handler: Called with the key, a str; None for no handler.
        max_faults: After how many faults it is switched off, at least 1.

    Returns:
        The handler that was set before, or None.

    Raises:
        TypeError: `handler` cannot be called, or `max_faults` is not an int.
        ValueError: `max_faults` is less than 1.

    Example:
        >>> import tscript
        >>> seen = []
        >>> previous = tscript.set_api_usage_handler(seen.append)
        >>> tscript.log_api_usage_once("my.tool.start")
        >>> seen[0], seen[-1]
        ('tscript.python.import', 'my.tool.start')
        >>> tscript.set_api_usage_handler(previous) == seen.append
        True
    """
    made = _handler_of("set_api_usage_handler", handler, max_faults)
    previous, _USAGE.handler = _USAGE.handler, made
    _USAGE.deliver()
    return None if previous is None else previous.function


def set_api_usage_metadata_handler(handler: MetadataHandler | None, *, max_faults: int = 10) -> MetadataHandler | None:
    """Set the function that is called with details of what is compiled, saved and loaded, every time.

    It is called with a key and a read-only mapping of strings, as `log_api_usage_metadata` is given them. There is at
    most one in a process. Nothing waits for it: without a handler the details are not even gathered. Faults are
    contained as `set_api_usage_handler` says; what it raises itself by using tscript is not delivered.

    Args:
        handler: Called with key and mapping; None for no handler.
        max_faults: After how many faults it is switched off, at least 1.

    Returns:
        The handler that was set before, or None.

    Raises:
        TypeError: `handler` cannot be called, or `max_faults` is not an int.
        ValueError: `max_faults` is less than 1.

    Example:
        >>> import tscript
        >>> seen = []
        >>> previous = tscript.set_api_usage_metadata_handler(lambda key, metadata: seen.append((key, dict(metadata))))
        >>> tscript.log_api_usage_metadata("my.tool.start", {"version": "3"})
        >>> seen
        [('my.tool.start', {'version': '3'})]
        >>> _ = tscript.set_api_usage_metadata_handler(previous)
    """
    made = _handler_of("set_api_usage_metadata_handler", handler, max_faults)
    previous, _USAGE.metadata_handler = _USAGE.metadata_handler, made
    return None if previous is None else previous.function


def log_api_usage_metadata(key: str, metadata: Mapping[str, str]) -> None:
    """Hand `metadata` to the handler that `set_api_usage_metadata_handler` set, if there is one.

    Args:
        key: Names what is used.
        metadata: Strings by name; the handler gets a copy.

    Raises:
        TypeError: The key is not a str, or `metadata` is no mapping of str to str.
        ValueError: The key is empty.

    Example:
        >>> import tscript
        >>> tscript.log_api_usage_metadata("my.tool.start", {"version": "3"})
    """
    key = _checked_key("log_api_usage_metadata", key)
    if not isinstance(metadata, Mapping):
        raise TypeError(f"log_api_usage_metadata expects a mapping of str to str, not {type(metadata).__name__}")
    for name, value in metadata.items():
        if not isinstance(name, str) or not isinstance(value, str):
            raise TypeError(
                f"log_api_usage_metadata expects a mapping of str to str, found {name!r}: {type(value).__name__}"
            )
    _USAGE.log_metadata(key, metadata)


def metadata_wanted() -> bool:
    """Whether there is a metadata handler: only then it is worth while to gather details."""
    handler = _USAGE.metadata_handler
    return handler is not None and handler.is_active


def api_usage() -> ApiUsage:
    """What was raised in this process, what still waits for a handler, and how often handlers failed.

    Example:
        >>> import tscript
        >>> tscript.api_usage().keys[0]
        'tscript.python.import'
    """
    handler, metadata_handler = _USAGE.handler, _USAGE.metadata_handler
    return ApiUsage(
        tuple(_USAGE.copy()),
        tuple(_USAGE.waiting.copy()),
        0 if handler is None else handler.faulted,
        0 if metadata_handler is None else metadata_handler.faulted,
    )


for _function in (api_usage, log_api_usage_metadata, set_api_usage_handler, set_api_usage_metadata_handler):
    _function.__module__ = "tscript"
