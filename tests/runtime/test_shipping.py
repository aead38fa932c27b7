"""The prebuilt library in a process: what it gives is used, and nothing of it is compiled."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path
from textwrap import dedent

import pytest

import tscript
from tscript.abi.levels import AARCH64, LEVELS, X86_64_V3
from tscript.abi.symbols import TENSOR_RETAIN, kernel_symbol
from tscript.backend.loader.prebuilt import BOUNDARY, POOL, opened
from tscript.backend.loader.prebuilt_linker import Part, link
from tscript.pipeline import Compiler
from tscript.runtime.boundary.dialect_modules import exports_of
from tscript.runtime.boundary.native.module import MODULES
from tscript.runtime.boundary.pool.imports import RUNTIME_SYMBOLS
from tscript.runtime.boundary.pool.module import MODULES as POOL_MODULES
from tscript.runtime.session import shipping
from tscript.runtime.session.build import compiled_kernel, is_kernel
from tscript.runtime.session.instances import kernel_symbols
from tscript.types import parse_type

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="there are images for Linux alone")

NAMES = ("tensor_alloc", "tensor_from_memory", "tensor_from_array", "copy_raw", "str_chr", "list_max")
KERNELS = [kernel_symbol(name) for name in NAMES]


@pytest.fixture(scope="module")
def image(tmp_path_factory) -> Path:
    """An image of the objects that this process has in its cache."""
    compiler = Compiler()
    exports = [*exports_of(MODULES), *shipping.common_stubs()]
    parts = [
        Part(BOUNDARY, shipping.own_module(compiler, BOUNDARY), tuple(exports), is_module=True),
        Part(POOL, shipping.own_module(compiler, POOL), exports_of(POOL_MODULES), is_module=True, is_open=False),
    ]
    wanted = [*KERNELS, *RUNTIME_SYMBOLS, TENSOR_RETAIN]
    for symbol in wanted:  # grows: what they call, too
        if is_kernel(symbol):
            found = compiled_kernel(compiler, symbol)
            parts.append(Part(symbol, found.object, (symbol,)))
            wanted += [external for external in found.externals if external not in wanted]
    path: Path = tmp_path_factory.mktemp("library") / "host.image"
    path.write_bytes(link(parts).data)
    return path


def run(code: str, *, path: str = "", **environment: str) -> str:
    """What a fresh process prints that has neither LLVM nor a cache."""
    head = "import sys\nsys.modules['llvmlite'] = None\n"
    around = {k: v for k, v in os.environ.items() if not k.startswith("TSCRIPT_")}
    around["PYTHONPATH"] = path or str(Path(tscript.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", head + dedent(code)],
        env={**around, "TSCRIPT_CACHE": "off", **environment},
        cwd=os.sep,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


BEGIN = """
import tscript
from tscript.runtime.session.process import current
x = tscript.tensor([[1.0, 2.0], [3.0, 4.0]])
print(x.shape, x.tolist(), x.dtype)
del x
print(current().live_blocks())
"""


def test_a_process_without_a_compiler_begins(image):
    expected = "(2, 2) [[1.0, 2.0], [3.0, 4.0]] tscript.float32\n0\n"
    assert run(BEGIN, TSCRIPT_LIBRARY=str(image)) == expected


def test_the_pool_is_that_of_the_library(image):
    code = """
    from tscript.runtime.session.process import current
    pool = current().pool
    print(pool.unfinished, pool.symbols == {n: current().library.address(n) for n in pool.symbols})
    done = []
    future = pool.fork_python(done.append, (42,), {})
    print(pool.wait(future), done, pool.unfinished)
    pool.release(future)
    """
    assert run(code, TSCRIPT_LIBRARY=str(image)) == "0 True\nNone [42] 0\n"


def test_messages_are_those_of_the_running_python(image):
    """The same image serves all versions of Python."""
    code = f"""
    import ctypes
    from tscript.runtime.session.process import current
    from tscript.abi.tables import VERSION
    library, version = current().library, sys.version_info
    print(ctypes.c_int64.from_address(library.address(VERSION)).value == version[0] * 100 + version[1])
    print(all(library.address(name) for name in {KERNELS}))
    """
    assert run(code, TSCRIPT_LIBRARY=str(image)) == "True\nTrue\n"


def test_without_the_library_everything_is_compiled(image):
    code = """
    try:
        import tscript
        tscript.tensor([1.0])
    except ImportError as error:
        print(error)
    """
    for value in ("off", ""):
        assert "pip install tscript" in run(code, TSCRIPT_LIBRARY=value)


def test_it_lies_in_an_archive(image, tmp_path):
    """As in a zipapp: the bytes are copied."""
    root = Path(tscript.__file__).parent
    packed = tmp_path / "app.zip"
    folders = {"tscript": root, "tscript/runtime": root.parent / "runtime", "tscript/passes": root.parent / "passes"}
    with zipfile.ZipFile(packed, "w") as archive:
        for name, folder in folders.items():
            for file in sorted(folder.rglob("*")):
                if file.is_file() and file.suffix in (".py", ".md", ".h"):
                    archive.write(file, f"{name}/{file.relative_to(folder)}")
        for level in LEVELS:
            archive.write(image, f"tscript/native/{level.name}.image")
    code = f"{BEGIN}\nprint(current().prebuilt.name)"
    assert run(code, path=str(packed)).endswith("0\nmemory\n")


def test_parts_are_listed():
    listed = shipping.names()
    assert len(listed) == len(set(listed))
    assert shipping.names("^module") == ["module boundary", "module pool"]
    assert "kernel ts_sum_all$i32$i64_v1" in listed
    assert "kernel ts_str_chr_v1" in listed
    assert not [s for s in kernel_symbols() if s.startswith(("ts_copy__", "ts_fill__"))]


def test_a_kernel_is_built_for_another_machine():
    built = shipping.build(X86_64_V3, shipping.names("kernel ts_(tensor_retain|heap_lock)_v1$"))
    assert built.parts == 2
    assert sorted(opened(built.linked.data).exports) == ["ts_heap_lock_v1", "ts_tensor_retain_v1"]


def test_kernels_have_variants():
    listed = shipping.names(r"ts_dot\$i64_v1$")
    assert listed == ["kernel ts_dot$i64_v1", "variant x86-64-v4 ts_dot$i64_v1"]
    assert len(shipping.varied()) > 20 and set(shipping.varied()) <= set(kernel_symbols())
    data = shipping.build(X86_64_V3, listed).linked.data
    places = [opened(data, levels=levels).exports["ts_dot$i64_v1"] for levels in ((), ("x86-64-v4", "x86-64-v3"))]
    assert len(set(places)) == 2
    assert shipping.build(AARCH64, listed).parts == 1


def test_kernels_alone_are_compiled_ahead(monkeypatch):
    """Stubs and operators are made from what a program needs."""
    taken = []

    class Executor:
        def __init__(self, *given):
            pass

        __enter__ = lambda self: self  # noqa: E731
        __exit__ = lambda self, *given: None  # noqa: E731

        def map(self, function, names):
            taken.extend(names)
            return []

    monkeypatch.setattr(shipping, "ProcessPoolExecutor", Executor)
    assert shipping.fill("heap_lock|neg$|boundary$|ts_dot.*i64", 1) == (0, 0)
    assert taken == ["module boundary", "kernel ts_dot$i64_v1", "kernel ts_heap_lock_v1"]


def test_without_a_compiler_functions_say_what_to_install(image):
    code = """
    import tscript
    from tscript.backend.loader.loading import LoadError

    def f(x: int) -> int:
        return x + 1

    try:
        tscript.script(f)
    except tscript.CompilerNotInstalledError as error:
        print(isinstance(error, ImportError), error)
    with tscript.disabled():
        print(tscript.script(f)(1))
    """
    said = "this needs the compiler, and only 'tscript-core' is installed: pip install tscript"
    assert run(code, TSCRIPT_LIBRARY=str(image)) == f"True {said}\n2\n"


def test_without_a_compiler_the_command_says_what_to_install(image, tmp_path):
    model = tmp_path / "model.py"
    model.write_text("import tscript\n\n@tscript.script\ndef f(x: int) -> int:\n    return x + 1\n")
    code = f"""
    import contextlib, io
    from tscript.cli.main import main
    for words in ("check", {str(model)!r}), ("ir", {str(model)!r}), ("ir", "--stage", "asm", {str(model)!r}), ("env",):
        sys.argv = ["tscript", *words]
        out, error = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
            try:
                main()
                code = 0
            except SystemExit as stop:
                code = int(stop.code or 0)
        print(code, error.getvalue().strip())
    """
    lines = run(code, TSCRIPT_LIBRARY=str(image)).splitlines()
    said = "error: this needs the compiler, and only 'tscript-core' is installed: pip install tscript"
    assert lines == ["0 checked 1 function in 1 file", "0 ", f"2 {said}", "0 "]


def test_an_archive_with_native_code_needs_no_compiler(image, tmp_path):
    @tscript.script
    def smooth(x: tscript.Tensor, steps: int) -> tscript.Tensor:
        for _ in range(steps):
            x = tscript.tanh(x) * 0.5
        return x

    path = tmp_path / "smooth.tsa"
    types = (parse_type("Tensor[float32, 1]"), parse_type("int"))
    tscript.save(smooth, path, native=True, signatures=[(None, types)])
    code = f"""
    import tscript
    f = tscript.load({str(path)!r}, trust_native=True)
    print(f(tscript.tensor([1.0, 2.0]), 3).tolist(), "tscript.passes" in sys.modules)
    """
    expected = smooth(tscript.tensor([1.0, 2.0]), 3).tolist()
    assert run(code, TSCRIPT_LIBRARY=str(image)) == f"{expected} False\n"
