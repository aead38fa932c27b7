"""Functions from places other than a file: ``python -c``, the prompt, `exec`, strings, doctests, reloaded modules."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import contextlib
import functools
import importlib
import linecache
import os
import select
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tscript
from tscript.diagnostics import CompileError
from tscript.frontend.source.lines import defines, lines_of

COMMAND = """
import tscript
from dataclasses import dataclass
from typing import NamedTuple

@dataclass
class Point:
    x: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Point) and abs(self.x) == abs(other.x)

class Pair(NamedTuple):
    a: int
    b: int

    def total(self) -> int:
        return self.a + self.b

class Counter:
    def __init__(self, n: int):
        self.n = n
    def up(self) -> int:
        self.n += 1
        return self.n

@tscript.script
def twice(n: int) -> int:
    counter = Counter(n)
    counter.up()
    return counter.up()

@tscript.script
def same(a: int, b: int) -> bool:
    return Point(a) == Point(b)

@tscript.script
def total(n: int) -> int:
    return Pair(n, 2).total()

print(twice(40), total(3), same(3, -3), same(3, 4))
"""


def run(*arguments: str) -> str:
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=300, check=False)
    return done.stdout + done.stderr


@pytest.mark.parametrize("arguments", [("-c", COMMAND), ("-Bc" + COMMAND,), ("-B", "-c", COMMAND, "-c", "x")])
def test_a_command(arguments: tuple[str, ...]) -> None:
    assert run(*arguments) == "42 5 True False\n"


def test_code_in_a_command_is_not_taken_for_the_command() -> None:
    text = "def f(n: int) -> int:\n    return n + 1\n"
    text += "import tscript\nnames = {}\n"
    text += "exec('def f(n: int) -> int:\\n    return n + 2', names)\ntscript.script(names['f'])"
    found = run("-c", text)
    assert "TS501" in found and "pass its source: tscript.script(f, source=text)" in found


@contextlib.contextmanager
def prompt() -> Iterator[int]:
    """Python's prompt at a terminal, as a file descriptor."""
    import pty

    fd, inner = pty.openpty()
    names = {**os.environ, "PYTHONSTARTUP": "", "PYTHON_BASIC_REPL": "1"}
    command = [sys.executable, "-i", "-q"]
    python = subprocess.Popen(command, stdin=inner, stdout=inner, stderr=inner, env=names, start_new_session=True)
    os.close(inner)
    try:
        yield fd
    finally:
        python.kill()
        python.wait()
        os.close(fd)


def said(fd: int, until: str, seconds: float = 300) -> str:
    """What a terminal shows until a text."""
    found, end = b"", time.monotonic() + seconds
    while until.encode() not in found and time.monotonic() < end:
        if select.select([fd], [], [], 0.5)[0]:
            try:
                found += os.read(fd, 1 << 16)
            except OSError:
                break
    return found.decode(errors="replace")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs a pseudo terminal and readline")
def test_the_prompt(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    lines = [
        "import tscript",
        "class Box:",
        "    def __init__(self, n: int):",
        "        self.n = n",
        "    def up(self) -> int:",
        "        return self.n + 1",
        "",
        "@tscript.script",
        "def shown(n: int) -> str:",
        "    if n > 0:",
        "        return f'<{Box(n).up()}>'",
        "    else:",
        "        return 'none'",
        "",
        "shown(41) + shown(0)",
        "exit()",
    ]
    with prompt() as fd:
        said(fd, ">>>")
        os.write(fd, "".join(f"{line}\n" for line in lines).encode())
        assert "<42>none" in said(fd, "<42>none")


def test_a_string_is_a_module() -> None:
    module = tscript.script("LIMIT = 3\n\ndef capped(n: int) -> int:\n    return min(n, LIMIT)\n")
    assert module(10) == 3 and module.capped(2) == 2 and module["capped"].graph
    assert list(module) == ["capped"]


def test_a_string_of_several_functions() -> None:
    text = "import tscript\n\ndef help_(n: int) -> int:\n    return n + 1\n\n"
    text += "@tscript.script\ndef f(n: int) -> int:\n    return help_(n)\n"
    assert list(tscript.script(text)) == ["f"]
    module = tscript.script(text.replace("@tscript.script\n", ""))
    assert list(module) == ["help_", "f"] and module.f(1) == 2
    with pytest.raises(TypeError, match="there are several functions, name one: help_, f"):
        module(1)
    with pytest.raises(AttributeError, match="there is no function 'g', only help_, f"):
        module.g


def test_a_string_without_functions() -> None:
    with pytest.raises(ValueError, match="defines no function"):
        tscript.script("x = 1")


def test_errors_in_a_string_show_its_lines() -> None:
    with pytest.raises(CompileError, match=r"<source [0-9a-f]{8}>:2:12: error"):
        tscript.script("def f(n: int) -> int:\n    return m\n")
    with pytest.raises(SyntaxError, match="TS506"):
        tscript.script("def f(n: int) -> int:\n    return (\n")
    divide = tscript.script("def divide(n: int) -> int:\n    return 1 // n\n")
    try:
        divide(0)
    except ZeroDivisionError as error:
        shown = "".join(traceback.format_exception(error))
    assert "line 2, in divide\n    return 1 // n" in shown


def made(text: str, **names: Any) -> dict[str, Any]:
    exec(text, names)
    return names


def test_code_made_with_exec_and_its_source() -> None:
    text = "def f(n: int) -> int:\n    return n + step\n"
    names = made(text, step=5)
    with pytest.raises(OSError, match="pass its source"):
        tscript.script(names["f"])
    assert tscript.script(names["f"], source=text)(2) == 7
    cached = tscript.script(functools.lru_cache(maxsize=2)(names["f"]), source=text)
    assert [cached(2), cached(2), cached.cache_info().hits] == [7, 7, 1]


def test_the_source_must_be_that_of_the_function() -> None:
    names = made("def f(n: int) -> int:\n    return n + 1\n")
    with pytest.raises(OSError, match="TS501"):
        tscript.script(names["f"], source="def f(n: int) -> int:\n    return n + 2\n")


def test_lines_with_futures() -> None:
    text = "from __future__ import annotations\n\ndef f(n: Later) -> int:\n    return n\n"
    function = made(text)["f"]
    assert defines(text, function.__code__) and lines_of(function, text)
    assert not defines("def f(:", function.__code__) and not defines("f\0", function.__code__)


def test_a_doctest() -> None:
    import doctest

    text = """
    >>> import tscript
    >>> @tscript.script
    ... def double(n: int) -> int:
    ...     return 2 * n
    >>> double(21)
    42
    >>> @tscript.script
    ... def wrong(n: int) -> int:
    ...     return n.size
    Traceback (most recent call last):
        ...
    tscript.diagnostics.exceptions.CompileError: ...
    <doctest places[3]>:3:12: error: int has no attribute 'size' [TS213]
    ...
    """
    test = doctest.DocTestParser().get_doctest(text, {}, "places", None, 0)
    shown: list[str] = []
    flags = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    assert doctest.DocTestRunner(optionflags=flags).run(test, out=shown.append).failed == 0, "".join(shown)


def test_a_reloaded_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
import tscript

class Box:
    def __init__(self, n: int):
        self.n = n
    def value(self) -> int:
        return self.n + 1

@tscript.script
def value(box: Box) -> int:
    return box.value()

@tscript.script
def make(n: int) -> Box:
    return Box(n)
"""
    file = tmp_path / "reloaded_places.py"
    file.write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    module: Any = importlib.import_module("reloaded_places")
    old, box = module.value, module.make(1)
    assert old(box) == 2
    file.write_text(text.replace("self.n + 1", "self.n * 100").replace("class Box", "# a comment\n\nclass Box"))
    linecache.checkcache(str(file))
    sys.modules.pop("reloaded_places.cache", None)
    importlib.invalidate_caches()
    for compiled in tmp_path.rglob("*.pyc"):
        compiled.unlink()
    module = importlib.reload(module)
    assert module.value(module.make(3)) == 300
    assert type(module.make(3)) is module.Box
    assert old(box) == 2
    with pytest.raises(TypeError, match="defined again since then"):
        module.value(box)
