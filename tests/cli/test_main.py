"""The command as a process: start, signals, pipes, full disks; and how bugs of ours are reported."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest

from tscript._version import __version__

Command = Callable[..., Any]

COMMAND = [sys.executable, "-m", "tscript.cli.main"]


def test_version_loads_nothing_heavy(tmp_path: Path) -> None:
    code = (
        "import sys; sys.argv = ['tscript', '--version']\n"
        "from tscript.cli.main import main\n"
        "main()\n"
        "print(sorted(sys.modules.keys() & {'numpy', 'llvmlite', 'typer', 'rich', 'inspect', 'tscript.api'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == f"tscript {__version__}\n[]\n"


def test_version_among_other_arguments(command: Command) -> None:
    assert command("--version").out == f"tscript {__version__}\n"


def test_help_has_an_example_for_every_verb(command: Command) -> None:
    from tscript.cli.app import VERBS

    assert command("--help").code == 0
    for verb in VERBS:
        result = command(verb, "--help")
        assert result.code == 0
        assert "Example: tscript" in result.out.replace("\n", " ")


@pytest.mark.parametrize("arguments", [["nonsense"], ["--nonsense"], []])
def test_unknown_verbs(command: Command, arguments: list[str]) -> None:
    assert command(*arguments).code == 2


def test_ctrl_c_ends_an_endless_program(archive: Path, tmp_path: Path) -> None:
    program = (
        "import os, signal, sys, threading\n"
        "from tscript.cli.main import main\n"
        "sys.argv = ['tscript', 'run', 'model.tsa', 'forever', '--input', '1']\n"
        "import tscript.cli.targets as verb\n"
        "call = verb.call\n"
        "def started(*a):\n"
        "    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "    return call(*a)\n"
        "verb.call = started\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


def test_a_closed_pipe_is_no_error(archive: Path, tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as pipe:
        done = subprocess.run(
            [*COMMAND, "inspect", "model.tsa", "--ir"], cwd=tmp_path, stdout=pipe, stderr=subprocess.PIPE, check=False
        )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_full_disk_behind_stdout(archive: Path, tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*COMMAND, "inspect", "model.tsa"],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == "error: No space left on device\n"


def test_interrupts_anywhere(command: Command, archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*args: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr("tscript.cli.targets.call", interrupted)
    result = command("run", archive, "gauss", "--input", "1")
    assert (result.code, result.err) == (130, "interrupted\n")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_bugs_of_ours_name_themselves(command: Command, archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object) -> NoReturn:
        raise KeyError("oops")

    monkeypatch.setattr("tscript.cli.targets.arguments_of", broken)
    result = command("run", archive, "gauss", "--input", "1")
    assert result.code == 70
    assert result.err == "error: KeyError: 'oops' (at broken:1; this is a bug in tscript, please report it)\n".replace(
        ":1;", f":{broken.__code__.co_firstlineno + 1};"
    )
