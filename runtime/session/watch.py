"""`CompileWatch`: tells people about compiles, in the log and, when one takes long, with a line on the terminal."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from logging import Logger

LOGGER = "tscript.compile"
"""The name of the logger."""

SLOW = 1.0
"""Seconds from which on a compile is a warning in the log, and has a line on the terminal."""

MANY = 32
"""Specialisations of one function that are a warning."""

VARIABLE = "TSCRIPT_PROGRESS"
"""Set to 0, there is no line on the terminal."""


class CompileWatch:
    """The compiles of a process.

    Attributes:
        compiled: How many programs were compiled.
    """

    def __init__(self) -> None:
        self.compiled = 0
        self._shown = threading.Lock()

    @contextmanager
    def compiling(self, name: str, why: Callable[[], str], known: int = 0) -> Iterator[None]:
        """Something may be compiled while the ``with`` statement runs; if code is only loaded, nothing is logged.

        Args:
            name: What is compiled.
            why: Gives the reason, for the log.
            known: How many specialisations there are already.
        """
        begin, before = time.perf_counter(), self.compiled
        try:
            with self.progress(name):
                yield
        except Exception as error:
            self.failed(name, error)
            raise
        log = logger()
        if log is None or self.compiled == before:
            return
        seconds = time.perf_counter() - begin
        level = "WARNING" if seconds >= SLOW else "INFO"
        _write(log, level, f"compiled {name} in {seconds:.3f} s: {why()}", name, seconds, why())
        if known + 1 == MANY:
            text = f"{name} was compiled {MANY} times, for as many combinations of argument types"
            _write(log, "WARNING", text, name, seconds, why())

    def failed(self, name: str, error: Exception) -> None:
        """Log an error of a compile."""
        log = logger()
        if log is not None:
            _write(log, "ERROR", f"{name} was not compiled: {type(error).__name__}: {error}", name, 0.0, "")

    @contextmanager
    def progress(self, what: str) -> Iterator[None]:
        """Show what is compiled on the terminal, if it takes longer than `SLOW` seconds."""
        if not is_interactive() or not self._shown.acquire(blocking=False):
            yield
            return
        line = Line(what)
        timer = threading.Timer(SLOW, line.show)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            line.remove()
            self._shown.release()


class Line:
    """A line on the terminal that says what is compiled, and for how long.

    Args:
        what: What is compiled.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._lock = threading.Lock()
        self._is_over = False
        self._progress: Any = None

    def show(self) -> None:
        """Show it, unless it was removed; called on another thread."""
        try:
            from rich.console import Console
            from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
        except ImportError:
            return
        with self._lock:
            if not self._is_over:
                columns = (SpinnerColumn(), TextColumn("tscript: compiling {task.description}"), TimeElapsedColumn())
                self._progress = Progress(*columns, transient=True, console=Console(stderr=True))
                self._progress.add_task(self._what, total=None)
                self._progress.start()

    def remove(self) -> None:
        """Take it away."""
        with self._lock:
            self._is_over = True
            if self._progress is not None:
                self._progress.stop()


def logger() -> Logger | None:
    """The logger; None while the program does not use `logging`, so that it is not imported for nothing."""
    logging = sys.modules.get("logging")
    if logging is None:
        return None
    found: Logger = logging.getLogger(LOGGER)
    if not found.handlers:  # as libraries do: without configuration nothing is printed
        found.addHandler(logging.NullHandler())
    return found


def _write(log: Logger, level: str, text: str, name: str, seconds: float, reason: str) -> None:
    facts = {"tscript_function": name, "tscript_seconds": seconds, "tscript_reason": reason}
    plain = text.encode("utf-8", "backslashreplace").decode()  # lone surrogates could not be written to a file
    with suppress(Exception):  # a handler that fails is no reason for a call to fail
        log.log(_LEVELS[level], "%s", plain, extra=facts)


_LEVELS = {"INFO": 20, "WARNING": 30, "ERROR": 40}
"""The numbers of `logging`, which is not imported."""


def is_interactive() -> bool:
    """Whether somebody looks at a terminal: it is standard error, and this is the main process in its foreground."""
    if os.environ.get(VARIABLE) == "0":
        return False
    try:
        terminal = sys.stderr.fileno()
        if not os.isatty(terminal) or os.tcgetpgrp(terminal) != os.getpgrp():
            return False
    except (AttributeError, OSError, ValueError):  # there is none, or it is closed, or no file
        return False
    processes = sys.modules.get("multiprocessing.process")
    return processes is None or processes.parent_process() is None
