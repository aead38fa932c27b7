"""Plugins: installed distributions extend tscript through two groups of entry points.

- `tscript.hooks`: a callable, called once with no arguments before the process first compiles a function, opens an
  archive or calls an operator. Use it for callbacks and usage handlers that all your processes need.
- `tscript.ops`: an operator library, a module or a callable that defines custom operators. It is imported (and called,
  if it is a callable) when an operator is not found, or when an archive names the library.

A plugin that fails is reported as a warning and skipped. `TSCRIPT_DISABLE_PLUGINS=1` switches all of them off.

`tscript.runtime.session.plugin_search` finds out whether there are any.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from enum import StrEnum
from functools import cache
from itertools import count
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple

from tscript.once import once
from tscript.runtime.session import faults
from tscript.runtime.session.plugin_search import HOOKS, OPS, candidates
from tscript.runtime.session.usage import log_api_usage_once

if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint

LONGEST_WAIT = 10.0
"""Seconds that other threads wait for one that loads a plugin; then they continue without it."""


class PluginState(StrEnum):
    """The state of a plugin."""

    NOT_LOADED = "not loaded"
    LOADED = "loaded"
    FAILED = "failed"
    DISABLED = "switched off"


class Plugin(NamedTuple):
    """An entry point for tscript in an installed distribution.

    Attributes:
        group: `HOOKS` or `OPS`.
        name: Its name in that group.
        value: ``module`` or ``module:attribute``.
        distribution, version: Its distribution.
        state: Its state.
        error: Why it failed; empty if it did not.
    """

    group: str
    name: str
    value: str
    distribution: str
    version: str
    state: PluginState = PluginState.NOT_LOADED
    error: str = ""

    def __str__(self) -> str:
        why = f": {self.error}" if self.error else ""
        return f"{self.group} {self.name} = {self.value} ({self.distribution} {self.version}), {self.state}{why}"


class OperatorLibraryError(ImportError):
    """An operator library is not available: it is not installed, switched off, or fails to load."""


class _Once:
    """An action that runs once. Other threads wait for it, with a time limit, because it may wait for them."""

    def __init__(self) -> None:
        self._numbers = count()
        self._owner = 0
        self._done = threading.Event()

    def run(self, work: Callable[[], object]) -> None:
        """Run it, or wait for it. A call from inside the action returns at once."""
        if self._done.is_set():
            return
        if next(self._numbers) == 0:  # atomic
            self._owner = threading.get_ident()
            try:
                work()
            finally:
                self._done.set()
        elif self._owner != threading.get_ident() and not self._done.wait(LONGEST_WAIT):
            self._done.set()  # nobody waits again


class _Loadable:
    """A plugin and its entry point."""

    def __init__(self, entry_point: EntryPoint, distribution: str, version: str, state: PluginState) -> None:
        group, name, value = entry_point.group, entry_point.name, entry_point.value
        self.plugin = Plugin(group, name, value, distribution, version, state)
        self.cause: Exception | None = None
        self._entry_point = entry_point
        self._once = _Once()

    def load(self) -> Plugin:
        """Load it if that was not tried before; the `state` of the plugin shows the result."""
        if self.plugin.state is PluginState.NOT_LOADED:
            self._once.run(self._load)
        return self.plugin

    def _load(self) -> None:
        try:
            found = self._entry_point.load()
            if callable(found):
                found()
            elif self.plugin.group == HOOKS or not isinstance(found, ModuleType):
                wanted = "a callable" if self.plugin.group == HOOKS else "a module or a callable"
                raise TypeError(f"{self.plugin.value} is a {type(found).__name__}, expected {wanted}")
        except Exception as error:  # noqa: BLE001 - code of others; whatever it raises, the program goes on
            self.cause = error
            self.plugin = self.plugin._replace(state=PluginState.FAILED, error=faults.one_line(error))
        else:
            self.plugin = self.plugin._replace(state=PluginState.LOADED)

    def load_or_warn(self) -> bool:
        """Load it if that was not tried before, and warn if it fails. Returns whether it was loaded just now."""
        if self.plugin.state is not PluginState.NOT_LOADED:
            return False
        plugin = self.load()
        if plugin.state is PluginState.FAILED:
            faults.warn(
                f"plugin {plugin.name!r} of group {plugin.group} ({plugin.value}, distribution {plugin.distribution} "
                f"{plugin.version}) fails and is skipped: {plugin.error}; TSCRIPT_DISABLE_PLUGINS=1 switches "
                f"plugins off"
            )
        return plugin.state is PluginState.LOADED


class Plugins:
    """The plugins of a process. Use `current_plugins` instead of making one."""

    def __init__(self) -> None:
        self._hooks = _Once()

    @once
    def is_disabled(self) -> bool:
        """Whether ``TSCRIPT_DISABLE_PLUGINS=1`` is set."""
        return os.environ.get("TSCRIPT_DISABLE_PLUGINS") == "1"

    @once
    def _all(self) -> tuple[_Loadable, ...]:
        state = PluginState.DISABLED if self.is_disabled else PluginState.NOT_LOADED
        return tuple(_Loadable(*found, state) for found in _installed())

    def list(self) -> tuple[Plugin, ...]:
        """All installed plugins, hooks first, each in its current state."""
        return tuple(found.plugin for found in self._all)

    def load_hooks(self) -> None:
        """Load and call the plugins of the group `tscript.hooks`, once. Other threads wait until all hooks have
        returned, but no longer than `LONGEST_WAIT`.
        """
        if not self.is_disabled:
            self._hooks.run(self._load_hooks)

    def _load_hooks(self) -> None:
        for found in self._all:
            if found.plugin.group == HOOKS:
                log_api_usage_once("tscript.plugin.hook")
                found.load_or_warn()

    def operator_libraries(self) -> tuple[Plugin, ...]:
        """The plugins of the group `tscript.ops`, each in its current state; nothing is loaded."""
        return tuple(plugin for plugin in self.list() if plugin.group == OPS)

    def load_operator_libraries(self) -> int:
        """Load every operator library that was not tried before; warn of those that fail. Returns how many were
        loaded."""
        if self.is_disabled:
            return 0
        libraries = [found for found in self._all if found.plugin.group == OPS]
        if libraries:
            log_api_usage_once("tscript.plugin.ops")
        return sum(found.load_or_warn() for found in libraries)

    def load_operator_library(self, name: str) -> Plugin:
        """Load the operator library `name` if it is not loaded yet. See `load_operator_library`."""
        libraries = [found for found in self._all if found.plugin.group == OPS]
        named = [found for found in libraries if found.plugin.name == name]
        if not named:
            known = ", ".join(sorted({found.plugin.name for found in libraries})) or "there are none"
            raise OperatorLibraryError(
                f"the operator library {name!r} is not installed (installed: {known}); "
                f"install the distribution that has it as an entry point of group {OPS}",
                name=name,
            )
        log_api_usage_once("tscript.plugin.ops")
        found = named[0]
        plugin = found.load()
        match plugin.state:
            case PluginState.LOADED:
                return plugin
            case PluginState.DISABLED:
                what = "is switched off by TSCRIPT_DISABLE_PLUGINS"
            case PluginState.FAILED:
                what = f"fails to load: {plugin.error}"
            case _:
                what = "is being loaded and has not come to an end"
        where = f"{plugin.value}, distribution {plugin.distribution} {plugin.version}"
        raise OperatorLibraryError(f"the operator library {name!r} ({where}) {what}", name=name) from found.cause


@cache
def current_plugins() -> Plugins:
    """The plugins of this process."""
    return Plugins()


def operator_libraries() -> tuple[Plugin, ...]:
    """The operator libraries that are installed (entry points of group `tscript.ops`); none of them is loaded by this.

    Example:
        >>> [library.name for library in operator_libraries()]
        []
    """
    return current_plugins().operator_libraries()


def load_operator_libraries() -> int:
    """Load every operator library that was not tried before; one that fails is reported as a warning and skipped.

    Returns:
        The number of libraries loaded just now: if any, a missing operator may exist now.
    """
    return current_plugins().load_operator_libraries()


def load_operator_library(name: str) -> Plugin:
    """Load one operator library by the name of its entry point, unless it is loaded already.

    Raises:
        OperatorLibraryError: It is not installed, plugins are switched off, or it fails to load, then with the cause.

    Example:
        >>> load_operator_library("signal")
        Traceback (most recent call last):
            ...
        OperatorLibraryError: the operator library 'signal' is not installed (installed: there are none); ...
    """
    return current_plugins().load_operator_library(name)


def _installed() -> Iterator[tuple[EntryPoint, str, str]]:
    """Entry points of the groups of tscript, hooks first, each with name and version of its distribution."""
    found = [entry for distribution in candidates() for entry in _entry_points(distribution)]
    return iter(sorted(found, key=lambda entry: entry[0].group == OPS))


def _entry_points(distribution: Distribution) -> Iterator[tuple[EntryPoint, str, str]]:
    try:
        entry_points = [entry for group in (HOOKS, OPS) for entry in distribution.entry_points.select(group=group)]
        if entry_points:
            name, version = distribution.metadata["Name"] or "?", distribution.version or "?"
            yield from ((entry, name, version) for entry in entry_points)
    except Exception as error:  # noqa: BLE001 - files of others, in whatever state
        where = getattr(distribution, "_path", "a distribution")
        faults.warn(f"the entry points of {where} cannot be read, its plugins are skipped: {faults.one_line(error)}")
