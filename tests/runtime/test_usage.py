"""API usage events: once per key, delivered late or at once, whatever the handler does; and every key of the table."""

from __future__ import annotations

import ast
import itertools
import os
import re
import subprocess
import sys
import textwrap
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

import pytest

import tscript
from tscript.runtime.session import usage

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "api-usage.md"

_NUMBERS = itertools.count()


@pytest.fixture
def key() -> Iterator[Callable[[object], str]]:
    """`key("a")` is a key that no other test has. No handler is set before and after."""
    prefix = f"test.{os.getpid()}.{next(_NUMBERS)}"
    previous = tscript.set_api_usage_handler(None), tscript.set_api_usage_metadata_handler(None)
    # What other tests raised is handed out now and does not get into the way.
    tscript.set_api_usage_handler(lambda _: None)
    tscript.set_api_usage_handler(None)
    yield lambda name: f"{prefix}.{name}"
    tscript.set_api_usage_handler(previous[0])
    tscript.set_api_usage_metadata_handler(previous[1])


def python(text: str, *, expected: int = 0, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs `text` in a process of its own, which must not hang."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(text)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == expected, done.stderr
    return done


def raise_all(names: Iterable[str], log: Callable[..., None] = tscript.log_api_usage_once, *rest: object) -> None:
    for name in names:
        log(name, *rest)


def test_once_per_key(key):
    seen: list[str] = []
    assert tscript.set_api_usage_handler(seen.append) is None
    for _ in range(3):
        tscript.log_api_usage_once(key("a"))
    tscript.log_api_usage_once(key("b"))
    assert seen == [key("a"), key("b")]
    assert tscript.api_usage().keys[-2:] == (key("a"), key("b"))


def test_events_wait_for_a_handler_in_order(key):
    seen: list[str] = []
    names = [key(i) for i in range(300)]
    for name in names:
        tscript.log_api_usage_once(name)
    assert tscript.api_usage().waiting == tuple(names)
    tscript.set_api_usage_handler(seen.append)
    assert seen == names
    assert tscript.api_usage().waiting == ()
    again: list[str] = []
    assert tscript.set_api_usage_handler(again.append) == seen.append
    assert again == []


def test_removed_and_set_again(key):
    seen: list[str] = []
    tscript.set_api_usage_handler(seen.append)
    assert tscript.set_api_usage_handler(None) == seen.append
    tscript.log_api_usage_once(key("a"))
    assert seen == []
    assert tscript.set_api_usage_handler(seen.append) is None
    assert seen == [key("a")]


def test_a_handler_is_called_before_the_api_acts(key):
    with pytest.raises(TypeError, match="expects an int"):
        tscript.set_num_threads("2")  # type: ignore[arg-type]
    assert "tscript.set_num_threads" in tscript.api_usage().keys


def test_the_key_is_a_plain_str_for_the_handler(key):
    class Names(StrEnum):
        A = "test.enum.a"

    seen: list[str] = []
    tscript.set_api_usage_handler(seen.append)
    tscript.log_api_usage_once(Names.A)
    tscript.log_api_usage_once("test.enum.a")
    assert [type(k) for k in seen if k == "test.enum.a"] == [str]


@pytest.mark.parametrize("wrong", [1, None, b"x", 1.5, ("a",), [], {}])
def test_a_key_is_a_str(wrong: Any):
    with pytest.raises(TypeError):
        tscript.log_api_usage_once(wrong)
    with pytest.raises(TypeError, match="expects the key as a str"):
        tscript.log_api_usage_metadata(wrong, {})


def test_an_empty_key():
    with pytest.raises(ValueError, match="found an empty one"):
        tscript.log_api_usage_once("")
    with pytest.raises(ValueError, match="found an empty one"):
        tscript.log_api_usage_metadata("", {})


@pytest.mark.parametrize("setter", [tscript.set_api_usage_handler, tscript.set_api_usage_metadata_handler])
def test_wrong_handlers(setter: Any):
    with pytest.raises(TypeError, match="expects a function, or None for no handler, not int"):
        setter(3)
    with pytest.raises(TypeError, match="max_faults as an int, not str"):
        setter(print, max_faults="3")
    with pytest.raises(TypeError, match="max_faults as an int, not bool"):
        setter(print, max_faults=True)
    with pytest.raises(ValueError, match="at least 1, found 0"):
        setter(print, max_faults=0)


def test_what_a_handler_raises_is_contained(key):
    calls: list[str] = []

    def broken(name: str) -> None:
        calls.append(name)
        raise ValueError("no such host")

    tscript.set_api_usage_handler(broken, max_faults=3)
    with pytest.warns(RuntimeWarning, match=r"set_api_usage_handler raised ValueError: no such host for 'test") as told:
        raise_all(key(i) for i in range(5))
    assert len(told) == 1
    assert Path(told[0].filename).name == "test_usage.py"
    assert calls == [key(0), key(1), key(2)]
    assert tscript.api_usage().faulted == 3
    assert tscript.api_usage().waiting == (key(3), key(4))
    seen: list[str] = []
    assert tscript.set_api_usage_handler(seen.append) is broken
    assert seen == [key(3), key(4)]


def test_warnings_that_are_errors_stay_contained(key, capsys):
    def broken(name: str) -> None:
        raise ValueError("no such host")

    tscript.set_api_usage_handler(broken)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tscript.log_api_usage_once(key("a"))
    assert "ValueError: no such host" in capsys.readouterr().err


def test_an_exception_without_a_text(key):
    class Odd(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    def broken(name: str) -> None:
        raise Odd

    tscript.set_api_usage_handler(broken)
    with pytest.warns(RuntimeWarning, match="Odd: <no text>"):
        tscript.log_api_usage_once(key("a"))


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_an_end_of_the_program_passes(key, stop: type[BaseException]):
    calls: list[str] = []

    def handler(name: str) -> None:
        calls.append(name)
        if len(calls) == 1:
            raise stop

    tscript.set_api_usage_handler(handler)
    with pytest.raises(stop):
        tscript.log_api_usage_once(key("a"))
    tscript.log_api_usage_once(key("b"))
    assert calls == [key("a"), key("b")], "nothing twice, and nobody is still inside"


def test_a_handler_that_raises_events(key):
    seen: list[str] = []

    def handler(name: str) -> None:
        seen.append(f"{name} begins")
        tscript.log_api_usage_once(key("inner"))
        seen.append(f"{name} ends")

    tscript.set_api_usage_handler(handler)
    tscript.log_api_usage_once(key("outer"))
    assert seen == [f"{key(name)} {what}" for name in ("outer", "inner") for what in ("begins", "ends")]


def test_a_handler_that_never_stops_raising_events(key):
    numbers = itertools.count()

    def handler(name: str) -> None:
        for _ in range(2):
            tscript.log_api_usage_once(key(next(numbers)))

    tscript.set_api_usage_handler(handler)
    tscript.log_api_usage_once(key("first"))
    assert next(numbers) <= 2 * (1 + 4 * usage.FOLLOWING)


def test_a_handler_that_replaces_itself(key):
    seen: list[str] = []

    def handler(name: str) -> None:
        tscript.set_api_usage_handler(seen.append)
        tscript.log_api_usage_once(key("inner"))

    for name in ("a", "b"):
        tscript.log_api_usage_once(key(name))
    tscript.set_api_usage_handler(handler)
    assert seen == [key("b"), key("inner")]


def test_a_handler_that_blocks_holds_up_its_own_call_only(key):
    entered, go, seen = threading.Event(), threading.Event(), []

    def handler(name: str) -> None:
        if name == key("slow"):
            entered.set()
            assert go.wait(30)
        seen.append(name)

    tscript.set_api_usage_handler(handler)
    slow = threading.Thread(target=tscript.log_api_usage_once, args=(key("slow"),))
    slow.start()
    assert entered.wait(30)
    tscript.log_api_usage_once(key("slow"))
    tscript.log_api_usage_once(key("quick"))
    assert seen == [key("quick")]
    assert tscript.set_api_usage_handler(None) is handler
    go.set()
    slow.join(30)
    assert seen == [key("quick"), key("slow")]


def test_eight_threads_raise_each_key_once(key):
    seen: list[str] = []
    barrier = threading.Barrier(9)
    names = [key(i) for i in range(200)]

    def work() -> None:
        barrier.wait()
        for name in names:
            tscript.log_api_usage_once(name)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    barrier.wait()
    for _ in range(20):  # while they run handlers come and go
        tscript.set_api_usage_handler(seen.append)
        tscript.set_api_usage_handler(None)
    for thread in threads:
        thread.join()
    tscript.set_api_usage_handler(seen.append)
    assert sorted(seen) == sorted(names)


def test_metadata(key):
    seen: list[tuple[str, Mapping[str, str]]] = []
    tscript.log_api_usage_metadata(key("a"), {"lost": "yes"})
    assert not usage.metadata_wanted()

    def handler(name: str, metadata: Mapping[str, str]) -> None:
        tscript.log_api_usage_metadata(key("inner"), {})
        seen.append((name, metadata))

    assert tscript.set_api_usage_metadata_handler(handler) is None
    given = {"version": "3"}
    for _ in range(2):
        tscript.log_api_usage_metadata(key("a"), given)
    given["version"] = "4"
    assert seen == [(key("a"), {"version": "3"})] * 2
    with pytest.raises(TypeError):
        seen[0][1]["version"] = "5"  # type: ignore[index]
    assert tscript.set_api_usage_metadata_handler(None) is handler
    assert not usage.metadata_wanted()


@pytest.mark.parametrize("wrong", [3, [("a", "b")], {"a": 1}, {1: "a"}])
def test_metadata_are_strings(wrong: Any):
    with pytest.raises(TypeError, match="mapping of str to str"):
        tscript.log_api_usage_metadata("test.metadata", wrong)


def test_a_metadata_handler_that_raises(key):
    def broken(name: str, metadata: Mapping[str, str]) -> None:
        raise ValueError("no such host")

    tscript.set_api_usage_metadata_handler(broken, max_faults=2)
    with pytest.warns(RuntimeWarning, match="set_api_usage_metadata_handler raised ValueError: no such host"):
        raise_all([key("a")] * 5, tscript.log_api_usage_metadata, {})
    assert tscript.api_usage().metadata_faulted == 2
    assert not usage.metadata_wanted()


def test_what_is_told_of_functions_and_archives(key, tmp_path: Path):
    def plain(x, w: float):
        return x * w + 1.0

    seen: list[tuple[str, Mapping[str, str]]] = []
    tscript.set_api_usage_metadata_handler(lambda name, metadata: seen.append((name, metadata)))
    affine = tscript.script(plain)
    tscript.save(affine, tmp_path / "a.tsa")
    tscript.load(tmp_path / "a.tsa")
    names, told = zip(*seen, strict=True)
    assert names == ("tscript.script.compile", "tscript.save", "tscript.load")
    assert told[0]["function"].endswith("plain")
    assert told[0]["module"] == __name__
    assert told[1]["functions"] == "plain"
    assert told[1]["producer"].startswith("tscript ")
    assert {m["operators"] for m in told} == {"add,mul"}
    assert len({m["operators_digest"] for m in told}) == 1


def test_archive_metadata_is_told():
    from tscript.archive import Archive
    from tscript.operators.table import TABLE
    from tscript.runtime.session.usage_metadata import of_archive

    assert of_archive(Archive({}, metadata={"commit": "abc"}), TABLE)["metadata.commit"] == "abc"


def test_stderr():
    text = """
        import tscript
        tscript.log_api_usage_once("my.key")
        tscript.log_api_usage_once("my.key")
        tscript.set_api_usage_handler(print)
    """
    done = python(text, TSCRIPT_API_USAGE_STDERR="1")
    assert done.stderr == "TSCRIPT_API_USAGE tscript.python.import\nTSCRIPT_API_USAGE my.key\n"
    assert done.stdout == "tscript.python.import\nmy.key\n"
    assert python(text, TSCRIPT_API_USAGE_STDERR="").stderr == ""


def test_stderr_that_is_closed():
    python(
        "import sys; sys.stderr.close(); import tscript; tscript.log_api_usage_once('a')", TSCRIPT_API_USAGE_STDERR="1"
    )
    python(
        "import sys; sys.stderr = None; import tscript; tscript.log_api_usage_once('a')", TSCRIPT_API_USAGE_STDERR="1"
    )


def test_nothing_is_imported_before_it_is_needed():
    text = """
        import sys, tscript
        assert not any(name.startswith("tscript.runtime") for name in sys.modules)
        tscript.log_api_usage_once("my.key")
        assert not sys.modules.keys() & {"numpy", "llvmlite", "tscript.api", "dataclasses", "importlib.metadata"}
    """
    python(text, TSCRIPT_API_USAGE_STDERR="")


def test_a_forked_child_raises_its_own_events():
    text = """
        import os, threading, tscript
        tscript.log_api_usage_once("waiting")
        read, write = os.pipe()
        def handler(key):
            os.write(write, f"{'child' if os.getpid() != parent else 'parent'} {key}\\n".encode())
        parent = os.getpid()
        tscript.log_api_usage_once("both")
        def log():
            for i in range(2000): tscript.log_api_usage_once(f"k{i}")
        threads = [threading.Thread(target=log) for _ in range(4)]
        for t in threads: t.start()
        for _ in range(20):
            if (pid := os.fork()) == 0:
                assert tscript.api_usage().waiting == ()
                tscript.set_api_usage_handler(handler)
                tscript.log_api_usage_once("both")
                tscript.log_api_usage_once("both")
                os._exit(0)
            assert os.waitpid(pid, 0)[1] == 0
        for t in threads: t.join()
        lines = os.read(read, 100000).decode().splitlines()
        assert lines == ["child both"] * 20, lines
        seen = []
        tscript.set_api_usage_handler(seen.append)
        assert seen[:3] == ["tscript.python.import", "waiting", "both"], seen[:3]
        assert sorted(seen[3:]) == sorted(f"k{i}" for i in range(2000))
        tscript.set_api_usage_handler(handler)
        if (pid := os.fork()) == 0:
            tscript.log_api_usage_once("later")
            os._exit(0)
        os.waitpid(pid, 0)
        tscript.log_api_usage_once("later")
        assert os.read(read, 100000) == b"child later\\nparent later\\n"
    """
    python(text)


def test_a_signal_in_between():
    text = """
        import signal, tscript
        seen = []
        def on_signal(*_):
            tscript.log_api_usage_once("from the signal")
        signal.signal(signal.SIGUSR1, on_signal)
        def handler(key):
            signal.raise_signal(signal.SIGUSR1)
            seen.append(key)
        tscript.set_api_usage_handler(handler)
        assert seen == ["tscript.python.import", "from the signal"], seen
    """
    python(text)


def raised_in_source() -> dict[str, str]:
    """Every key that is a literal argument of `log_api_usage_once` in the package, and where."""
    found: dict[str, str] = {}
    for folder in ("tscript", "runtime"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_bytes())):
                match node:
                    case ast.Call(
                        func=ast.Name(id="log_api_usage_once") | ast.Attribute(attr="log_api_usage_once"),
                        args=[ast.Constant(value=str(name))],
                    ):
                        found[name] = str(path)
    return found


def test_every_key_is_raised_and_every_raised_key_is_declared():
    from tscript.cli.app import VERBS

    raised = set(raised_in_source()) | {f"tscript.cli.{verb}" for verb in VERBS}
    assert raised == set(usage.KEYS), "the table is KEYS of runtime/session/usage.py"


def test_the_page_lists_every_key(request: pytest.FixtureRequest):
    rows = "".join(f"| `{name}` | {what} |\n" for name, what in usage.KEYS.items())
    text = PAGE.read_text(encoding="utf-8")
    table = re.search(r"\| key \| raised when \|\n\|---\|---\|\n((?:\|.*\n)*)", text)
    assert table is not None
    if request.config.getoption("--update"):
        PAGE.write_text(text[: table.start(1)] + rows + text[table.end(1) :], encoding="utf-8")
        return
    assert table[1] == rows, "pytest --update writes the table"


def test_using_everything_raises_the_keys(tmp_path: Path):
    text = f"""
        # `inspect` finds the source of what stands in this file.
        import numpy as np, tscript
        from tscript.checking import check_file
        seen = []
        tscript.set_api_usage_handler(seen.append)
        def expect(*keys):
            missing = [k for k in keys if k not in seen]
            assert not missing, (missing, seen)
        expect("tscript.python.import")
        assert not any(k.startswith("tscript.script") for k in seen)

        @tscript.script
        def f(x: tscript.Tensor, n: int):
            return x * n
        expect("tscript.runtime.start", "tscript.script.compile")
        assert "tscript.tensor.create" not in seen and "tscript.script.run" not in seen
        f.compile_for("Tensor[float32, 1]", "int")
        expect("tscript.script.compile_for")
        assert "tscript.tensor.create" not in seen and "tscript.script.run" not in seen
        x = tscript.zeros(2)
        expect("tscript.operator.run", "tscript.tensor.create")
        assert not [k for k in seen if "from_" in k]
        tscript.tensor([1.0])
        assert not [k for k in seen if "from_" in k]
        f.graph_for(x, 2), f.llvm_for(x, 2), f.asm_for(x, 2)
        expect("tscript.script.graph_for", "tscript.script.llvm_for", "tscript.script.asm_for")
        assert "tscript.script.run" not in seen
        f(x, 2)
        expect("tscript.script.run")
        with tscript.disabled():
            expect("tscript.disabled")
        tscript.from_numpy(np.zeros(2, np.float32))
        expect("tscript.from_numpy")
        tscript.from_dlpack(np.zeros(2, np.float32))
        expect("tscript.from_dlpack")
        tscript.set_num_threads(1)
        expect("tscript.set_num_threads")
        tscript.set_num_interop_threads(1)
        expect("tscript.set_num_interop_threads")
        tscript.DebugInfoGuard("request", 1)
        expect("tscript.DebugInfoGuard")
        try:
            tscript.script(type("C", (), {{}}))
        except tscript.CompileError:
            expect("tscript.script.class")
        tscript.save(f, "f.tsa")
        expect("tscript.save", "tscript.archive_of")
        tscript.load("f.tsa")
        expect("tscript.load")
        assert not [k for k in seen if k.endswith(".native")]
        tscript.save(f, "f.tsa", native=True)
        tscript.load("f.tsa", trust_native=True)
        expect("tscript.save.native", "tscript.load.native")
        check_file(__import__("pathlib").Path({str(tmp_path / "program.py")!r}))
        expect("tscript.check_file")
        assert len(seen) == len(set(seen))
    """
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(text))
    done = subprocess.run(
        [sys.executable, str(path)], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
