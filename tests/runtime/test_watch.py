"""The log of compiles, and the line on the terminal."""

# mypy: disable-error-code="no-any-return, attr-defined"

from __future__ import annotations

import logging
import os
import select
import subprocess
import sys
import time
from typing import Any

import pytest

import tscript
from tscript import Tensor
from tscript.runtime.session import watch
from tscript.runtime.session.watch import CompileWatch


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.DEBUG, logger=watch.LOGGER)
    return caplog


def messages(log: pytest.LogCaptureFixture, name: str) -> list[Any]:
    return [r for r in log.records if getattr(r, "tscript_function", "") == name]


def test_compiles_are_logged_with_duration_and_reason(log: pytest.LogCaptureFixture) -> None:
    @tscript.script
    def watched(x: Tensor, n: int, keep: bool) -> Tensor:
        return x.sum(0, keepdim=keep) * n

    assert messages(log, "watched") == []
    watched(tscript.ones(2), 2, True)
    watched(tscript.ones(2), 3, True)
    watched(tscript.ones(2, 2), 3, True)
    watched(tscript.ones(2, 2), 3, False)
    found = messages(log, "watched")
    assert [r.tscript_reason for r in found] == [
        "the first call, with (Tensor[float32, 1], int, bool True)",
        "a call with other types: argument 1 is Tensor[float32, 2], was Tensor[float32, 1]",
        "a call with other types: argument 3 is bool False, was bool True",
    ]
    for record in found:
        assert record.levelno == (logging.WARNING if record.tscript_seconds >= watch.SLOW else logging.INFO)
        assert record.getMessage().startswith(f"compiled watched in {record.tscript_seconds:.3f} s: ")


def test_what_was_compiled_before_is_not_logged(log: pytest.LogCaptureFixture) -> None:
    x = tscript.ones(3, 3)
    x.expm1()
    log.clear()
    tscript.ones(3).expm1()
    tscript.expm1(x)
    assert messages(log, "expm1") == []


def test_errors_are_logged(log: pytest.LogCaptureFixture) -> None:
    with pytest.raises(tscript.CompileError):

        @tscript.script
        def wrong(n: int) -> int:
            return n.size

    (record,) = messages(log, "wrong")
    assert record.levelno == logging.ERROR and "TS213" in record.getMessage()


def test_every_message_can_be_written(log: pytest.LogCaptureFixture) -> None:
    CompileWatch().failed("lost", ValueError("no \ud800 here"))
    assert log.messages[-1].encode().endswith(b"ValueError: no \\ud800 here")


def test_slow_compiles_and_many_are_warnings(log: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "SLOW", 0.0)
    found = CompileWatch()
    with found.compiling("slow", lambda: "why not"):
        found.compiled += 1
    with found.compiling("loaded", lambda: "why not"):
        pass
    with found.compiling("slow", lambda: "again", watch.MANY - 1):
        found.compiled += 1
    assert [r.levelname for r in messages(log, "slow")] == ["WARNING"] * 3
    assert "slow was compiled 32 times, for as many combinations of argument types" in log.text
    assert messages(log, "loaded") == []


def test_a_handler_that_fails_is_no_error() -> None:
    class Broken(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            raise OSError("the disk is full")

    handler = Broken()
    logging.getLogger(watch.LOGGER).addHandler(handler)
    try:
        found = CompileWatch()
        with found.compiling("slow", lambda: "why not"):
            found.compiled += 1
    finally:
        logging.getLogger(watch.LOGGER).removeHandler(handler)


def test_programs_without_logging_do_not_import_it() -> None:
    program = """
import sys
import tscript
@tscript.script
def f(n: int) -> int:
    return n + 1
assert f(1) == 2
print("logging" in sys.modules)
import logging
@tscript.script
def g(n: int) -> int:
    return n + 2
g(1)
try:
    tscript.script("def f(n: int) -> int: return m")
except NameError:
    pass
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=True)
    assert (done.stdout, done.stderr) == ("False\n", "")


SLOW = """
import time
from tscript.runtime.session import watch
watch.SLOW = 0.1
found = watch.CompileWatch()
with found.progress("something large"):
    with found.progress("a part of it"):
        time.sleep(3)
print("quick", end="")
with found.progress("something quick"):
    pass
time.sleep(0.3)
print(" done")
"""


def at_terminal(**names: str) -> str:
    """What a terminal shows of the program."""
    import pty

    fd, inner = pty.openpty()
    # A session of its own whose terminal this is, as for a program in the foreground.
    text = f"import fcntl, termios\nfcntl.ioctl(0, termios.TIOCSCTTY, 0)\n{SLOW}"
    variables = {**os.environ, "TERM": "xterm", **names}
    command = [sys.executable, "-c", text]
    program = subprocess.Popen(command, stdin=inner, stdout=inner, stderr=inner, env=variables, start_new_session=True)
    os.close(inner)
    found, end = b"", time.monotonic() + 120
    while time.monotonic() < end and b" done" not in found:
        if select.select([fd], [], [], 0.5)[0]:
            found += os.read(fd, 1 << 16)
    program.wait()
    os.close(fd)
    return found.decode(errors="replace")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs a pseudo terminal")
def test_a_line_on_the_terminal() -> None:
    shown = at_terminal()
    assert "tscript: compiling something large" in shown
    assert "a part of it" not in shown and "something quick" not in shown and "quick done" in shown
    assert "compiling" not in at_terminal(TSCRIPT_PROGRESS="0")


def test_there_is_no_line_without_a_terminal() -> None:
    done = subprocess.run([sys.executable, "-c", SLOW], capture_output=True, text=True, timeout=120, check=True)
    assert (done.stdout, done.stderr) == ("quick done\n", "")


@pytest.mark.parametrize("is_there", [False, True])
def test_a_standard_error_that_is_no_terminal(monkeypatch: pytest.MonkeyPatch, is_there: bool) -> None:
    with open(os.devnull, "w", encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "stderr", stream if is_there else None)
        assert not watch.is_interactive()
    assert not watch.is_interactive()
