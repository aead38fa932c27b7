"""What SECURITY.md promises: each promise names the tests that stand behind it, and those without a place elsewhere are
here."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tscript
from tscript import Tensor
from tscript.api import archive_of, functions_of_file
from tscript.archive import Archive, EntryPoint, NativeObject, pack
from tscript.frontend import LanguageResolver, check_functions, module_functions
from tscript.types import INT

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| ([^|]+) \| (`tests/[^|]+`) \|$", TEXT, re.M)


def test_each_promise_has_its_tests_and_they_exist() -> None:
    promises = {p.rstrip(".") for p in re.findall(r"^\*\*(.+?)\*\*", TEXT.replace("\n", " ").replace("  ", "\n"), re.M)}
    promises |= {"The language has no file, network or process operations"}
    assert promises == {promise for promise, _ in ROWS}
    assert "file, network or process operations" in TEXT
    for _, tests in ROWS:
        for name in re.findall("`(.+?)`", tests):
            file, _, function = name.partition("::")
            found = {n.name for n in ast.walk(ast.parse((ROOT / file).read_text())) if isinstance(n, ast.FunctionDef)}
            assert function in found or (not function and found), name


HOSTILE = """
import os, sys
open("ran", "w").close()
os.system("touch ran")
sys.exit(3)
"""

WATCH = """
import sys, tscript
from pathlib import Path
tscript.load("first.tsa").f(1)
events = []
FORBIDDEN = {"compile", "exec", "import", "os.system", "os.exec", "os.posix_spawn", "subprocess.Popen",
        "socket.connect", "pickle.find_class",
             "marshal.loads", "ctypes.dlopen", "os.remove", "os.rename", "os.mkdir", "shutil.rmtree"}
def watch(event, args):
    if event in FORBIDDEN or event == "open" and isinstance(args[1], str) and set(args[1]) & set("wax+"):
        events.append((event, str(args)[:100]))
sys.addaudithook(watch)
module = tscript.load("hostile.tsa")
names = [list(module), module.metadata, [f.read() for f in module.extra_files.values()]]
sys.stdout.write(repr(events))
"""


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    path = tmp_path / "model.py"
    path.write_text("def f(n: int) -> int:\n    return n + 1\n")
    return archive_of(functions_of_file(path), extra_files={"setup.py": HOSTILE})


def test_opening_an_archive_runs_nothing_of_it(archive: Archive, tmp_path: Path) -> None:
    """Source, documentation, metadata and extra files are programs here; an audit hook sees what Python does with
    them."""
    f = archive.entries["f"]
    evil = EntryPoint(f.name, f.params, f.result, HOSTILE, HOSTILE, f.ir, f.ir_digest, f.native, f.static)
    (tmp_path / "first.tsa").write_bytes(pack(archive))
    metadata = {"__import__('os').system('touch ran')": HOSTILE}
    hostile = Archive({"f": evil}, metadata=metadata, extra=archive.extra)
    (tmp_path / "hostile.tsa").write_bytes(pack(hostile))
    done = subprocess.run([sys.executable, "-c", WATCH], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "[]"), done.stderr
    tool = [str(Path(sys.executable).with_name("tscript")), "inspect", "--code", "hostile.tsa"]
    assert subprocess.run(tool, cwd=tmp_path, capture_output=True, check=False).returncode == 0
    assert not (tmp_path / "ran").exists()


def test_native_code_is_not_touched_unless_it_is_trusted(archive: Archive, tmp_path: Path) -> None:
    """What says it is object code for this machine is none, so that it fails where it is looked at."""
    from tscript.runtime.session.process import current

    target = current().compiler.target
    f = archive.entries["f"]
    native = NativeObject(
        (INT,),
        INT,
        "tsf_f",
        (),
        target.triple,
        target.cpu,
        target.features,
        "22.1.0",
        1,
        b"\x7fELF" + bytes(range(256)),
    )
    made = EntryPoint(f.name, f.params, f.result, f.doc, f.source, f.ir, f.ir_digest, (native,), f.static)
    path = tmp_path / "native.tsa"
    path.write_bytes(pack(Archive({"f": made})))
    assert tscript.load(path).f(1) == 2


@tscript.script
def in_list(xs: list[int], i: int) -> int:
    return xs[i]


@tscript.script
def into_list(xs: list[int], i: int) -> int:
    xs[i] = 7
    return 7


@tscript.script
def in_text(s: str, i: int) -> str:
    return s[i]


@tscript.script
def in_bytes(b: bytes, i: int) -> int:
    return b[i]


@tscript.script
def in_tuple(t: tuple[int, ...], i: int) -> int:
    return t[i]


@tscript.script
def in_tensor(x: Tensor, i: int) -> Tensor:
    return x[i]


@tscript.script
def into_tensor(x: Tensor, i: int) -> Tensor:
    x[i] = 7.0
    return x


@tscript.script
def in_loop(xs: list[int], i: int) -> int:
    total = 0
    for k in range(i, i + 3):
        total += xs[k]
    return total


@tscript.script
def out_of_order(xs: list[int], i: int) -> int:
    total = xs[0]
    for k in range(len(xs)):
        total += xs[k + i]
    return total


VALUES = {
    in_list: [1, 2, 3], into_list: [1, 2, 3], in_text: "abc", in_bytes: b"abc", in_tuple: (1, 2, 3), in_loop: [1, 2, 3],
    out_of_order: [1, 2, 3], in_tensor: None, into_tensor: None,
}  # fmt: skip


@pytest.mark.parametrize("function", VALUES, ids=lambda function: str(function.__name__))
def test_bounds_are_checked(function: tscript.ScriptFunction) -> None:
    held = VALUES[function]
    for value in [held, held[:0]] if held is not None else [tscript.ones(3), tscript.ones(0)]:
        for index in (3, -4, 2**31, -(2**31), 2**62, -(2**62), 2**63 - 4, -(2**63)):
            with pytest.raises((IndexError, OverflowError)):
                function(value, index)


def test_checking_and_compiling_do_not_run_the_file(tmp_path: Path) -> None:
    text = "import os\nopen('ran', 'w').close()\n\n\ndef f(n: int) -> int:\n    return n\n\n\nos._exit(9)\n"
    (tmp_path / "evil.py").write_text(text)
    tool = str(Path(sys.executable).with_name("tscript"))
    for arguments in (["check", "evil.py"], ["compile", "evil.py", "-o", "evil.tsa"], ["ir", "evil.py:f"]):
        done = subprocess.run([tool, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    "call",
    [
        *(
            "open(s)",
            "input()",
            "eval(s)",
            "exec(s)",
            "compile(s, s, 'exec')",
            "__import__(s)",
            "globals()",
            "breakpoint()",
        ),
        *(
            "os.system(s)",
            "os.remove(s)",
            "subprocess.run(s)",
            "socket.socket()",
            "ctypes.CDLL(s)",
            "Path(s).read_text()",
        ),
        *("importlib.import_module(s)", "pickle.loads(b)", "shutil.rmtree(s)", "sys.exit()", "urlopen(s)"),
    ],
)
def test_the_language_does_not_reach_the_system(call: str) -> None:
    head = "import ctypes, importlib, os, pickle, shutil, socket, subprocess, sys\nfrom pathlib import Path\n"
    text = f"{head}from urllib.request import urlopen\n\ndef f(s: str, b: bytes) -> None:\n    {call}\n"
    assert check_functions(module_functions(text, "example.py"), LanguageResolver())
