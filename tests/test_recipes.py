"""Objects of the runtime's own are found by the contents of the sources that they are made by and from."""

from __future__ import annotations

import ast
import gc
import importlib.util
import inspect
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import numpy as np
import pytest

import tscript
from tscript.abi.places import FOLDER, OWN, local, portable
from tscript.abi.signature import parse_signature
from tscript.abi.symbols import kernel_symbol
from tscript.backend.llvm.emitted import Emitted
from tscript.backend.loader import cache as object_cache
from tscript.backend.loader import optimise
from tscript.backend.loader.cache import Mode, ObjectCache
from tscript.pipeline import Compiled, Compiler, Options, recipes, sources
from tscript.pipeline.recipes import Recipes
from tscript.pipeline.sources import Sources, imports, module_of
from tscript.runtime.boundary.dialect_modules import emit_modules
from tscript.runtime.boundary.native.module import MODULES
from tscript.runtime.boundary.pool.module import MODULES as POOL
from tscript.runtime.session.build import BOUNDARY, source_of
from tscript.types import F32, Type

ROOT = Path(__file__).resolve().parents[1]
NAME = "heap_free"
RECIPE = f"kernel {kernel_symbol(NAME)} None{' light' * Options().light_kernels}"
EDITED = "tscript.passes.peephole"


def old() -> Sources:
    """Sources of a process that is younger than all files."""
    return Sources(sys.maxsize)


def with_cache(cache: ObjectCache, options: Options | None = None) -> Compiler:
    """A compiler of such a process."""
    made = Compiler(options)
    made.cache = cache
    made.recipes.sources = old()
    return made


@pytest.fixture
def compiler(tmp_path: Path) -> Compiler:
    """A compiler with an empty cache."""
    return with_cache(ObjectCache(tmp_path / "cache"))


@pytest.fixture
def llvm(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that LLVM compiles meanwhile."""
    texts: list[str] = []
    generate = optimise.generate

    def spied(text: str, *rest: Any) -> bytes:
        texts.append(text)
        return generate(text, *rest)

    monkeypatch.setattr(optimise, "generate", spied)
    return texts


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The modules that count for what is made meanwhile."""
    found: list[str] = []
    keep = Recipes.keep

    def spied(self: Recipes, name: str, modules: list[str], *rest: Any) -> None:
        found.extend(modules)
        keep(self, name, modules, *rest)

    monkeypatch.setattr(Recipes, "keep", spied)
    return found


def kernel(compiler: Compiler, name: str = NAME) -> tuple[Compiled, bool]:
    """The object of a kernel, and whether it was lowered."""
    asked: list[str] = []

    def source() -> Any:
        asked.append(name)
        return source_of(name)

    return compiler.kernel(source, {}, kernel_symbol(name)), bool(asked)


def boundary() -> Callable[[], Emitted]:
    """Writes the boundary and the pool of threads."""
    stubs = [parse_signature(s) for s in ("T:T", "if:f")]
    return partial(emit_modules, [*MODULES, *POOL], Compiler().target, stubs, 24)


def edit(monkeypatch: pytest.MonkeyPatch, module: str, change: Callable[[bytes], bytes]) -> None:
    """Let a module have another content for those who have not looked at it yet."""
    source = sources._source

    def changed(name: str) -> tuple[str, bytes]:
        path, data = source(name)
        return path, change(data) if name == module else data

    monkeypatch.setattr(sources, "_source", changed)


def executed(run: Callable[[], object]) -> set[str]:
    """The modules of the package of which a function is called meanwhile."""
    found: set[str] = set()

    def called(frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and frame.f_code.co_flags & inspect.CO_OPTIMIZED:  # neither modules nor classes
            found.add(frame.f_code.co_filename)

    before = sys.getprofile()
    gc.collect()
    gc.disable()  # what is called when something dies has nothing to do with it
    sys.setprofile(called)
    try:
        run()
    finally:
        sys.setprofile(before)
        gc.enable()
    return {name for name in map(module_of, found) if name is not None}


def check_tool() -> ModuleType:
    """The module `tools/check.py`."""
    spec = importlib.util.spec_from_file_location("tools_check", ROOT / "tools" / "check.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


# What counts


def test_imports_are_those_of_the_syntax_tree() -> None:
    tool = check_tool()
    known = tool.modules(ROOT)
    whole = Recipes(ObjectCache(None), str).counted([*BOUNDARY[0], "tscript.runtime.kernels.library"], ())
    for name in whole:
        tree = ast.parse(known[name].read_text(encoding="utf-8"))
        for_types = [n for n in tree.body if isinstance(n, ast.If) and ast.unparse(n.test) == "TYPE_CHECKING"]
        tree.body = [n for n in tree.body if n not in for_types] + [e for n in for_types for e in n.orelse]
        found = tool.imports(tree, name, known[name].name == "__init__.py", known)
        assert imports(name) == {name for _, name in found}, name
    assert len(whole) > 200


@pytest.mark.parametrize(("name", "bindings"), [(NAME, {}), ("sum_all", {"T": F32, "U": F32}), ("list_new", {})])
def test_what_lowers_a_kernel_counts(
    compiler: Compiler, counted: list[str], name: str, bindings: dict[str, Type]
) -> None:
    kernel(with_cache(ObjectCache(None)))  # imports what is imported late
    found = executed(lambda: compiler.kernel(partial(source_of, name), bindings, kernel_symbol(name)))
    # What finds and keeps objects has no say in what they are.
    beside = ("tscript.backend.loader.", "tscript.pipeline.recipes", "tscript.pipeline.sources", "tscript.once")
    assert {m for m in found if not m.startswith(beside)} - set(counted) == set()
    assert "tscript.frontend.lowering.statements" in found


def test_what_lowers_the_boundary_counts() -> None:
    found = executed(boundary())
    assert found - set(Recipes(ObjectCache(None), str).counted(*BOUNDARY)) - {"tscript.once"} == set()
    assert "tscript.frontend.lowering.statements" in found


def test_what_has_no_say_does_not_count(compiler: Compiler, counted: list[str]) -> None:
    kernel(compiler)
    others = {
        "tscript.archive.format",
        "tscript.frontend.values.strings",
        "tscript.passes.fusion",
        "tscript.runtime.boundary.native.table",
        "tscript.runtime.kernels.sorting",
    }
    assert others <= check_tool().modules(ROOT).keys()
    assert others & set(counted) == set()
    assert "tscript.runtime.kernels.memory" in counted


def test_every_module_that_counts_is_looked_at(
    compiler: Compiler, counted: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel(compiler)
    before = old()
    digests = {before.digest(counted)}
    for edited in counted:
        for change in (lambda data: data + b"#", lambda data: data[:-1], lambda data: b""):
            with monkeypatch.context() as patch:
                edit(patch, edited, change)
                after = old()
                after._digests = {name: digest for name, digest in before._digests.items() if name != edited}
                digests.add(after.digest(counted))
    assert None not in digests
    assert len(digests) == 1 + 3 * len(counted)


# Two steps


def test_an_object_is_found_by_its_sources(compiler: Compiler, llvm: list[str]) -> None:
    first, lowered = kernel(compiler, "tensor_retain")
    assert (lowered, len(llvm)) == (True, 1)
    again, lowered = kernel(compiler, "tensor_retain")
    assert (again, again.object, again.externals) == (first, first.object, first.externals)
    assert (lowered, len(llvm)) == (False, 1)


def test_an_edit_lowers_again_and_finds_the_same_text(
    compiler: Compiler, llvm: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, _ = kernel(compiler)
    edit(monkeypatch, EDITED, lambda data: data + b"#")
    compiler.recipes.sources = old()
    assert kernel(compiler) == (first, True)
    assert kernel(compiler) == (first, False)
    assert len(llvm) == 1


def test_two_versions_of_the_sources_share_a_cache(compiler: Compiler, monkeypatch: pytest.MonkeyPatch) -> None:
    first, _ = kernel(compiler)
    other = with_cache(compiler.cache)
    with monkeypatch.context() as patch:
        edit(patch, EDITED, lambda data: data + b"#")
        assert kernel(other) == (first, True)
    for _ in range(2):
        assert kernel(compiler) == (first, False)
        assert kernel(other) == (first, False)


@pytest.mark.parametrize(
    ("where", "name"),
    [
        (np, "__version__"),
        (recipes, "IS_CHECKED"),
        (sys, "version"),
        (object_cache, "__version__"),
        (object_cache, "ABI_VERSION"),
    ],
)
def test_other_versions_have_other_keys(
    compiler: Compiler, monkeypatch: pytest.MonkeyPatch, where: object, name: str
) -> None:
    kernel(compiler)
    assert compiler.recipes.find(RECIPE) is not None
    object_cache._versions.cache_clear()
    try:
        with monkeypatch.context() as patch:
            patch.setattr(where, name, "other")
            assert compiler.recipes.find(RECIPE) is None
    finally:
        object_cache._versions.cache_clear()
    assert compiler.recipes.find(RECIPE) is not None


def test_options_count(compiler: Compiler) -> None:
    kernel(compiler)
    assert kernel(with_cache(compiler.cache, Options(budget=7)))[1]
    assert kernel(with_cache(compiler.cache, Options(level=1)))[1]
    assert not kernel(with_cache(compiler.cache))[1]


def test_a_file_that_changed_after_the_process_began(compiler: Compiler, llvm: list[str]) -> None:
    kernel(compiler)
    before = compiler.cache.list()
    compiler.recipes.sources = Sources(0)
    assert kernel(compiler)[1]
    assert compiler.cache.list() == before
    assert len(llvm) == 1


def test_a_file_that_changes_while_an_object_is_made(compiler: Compiler, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler.recipes.sources, "are_unchanged", lambda modules: False)
    kernel(compiler)
    assert len(compiler.cache.list()) == 1


def test_files_newer_than_the_process(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    os.utime(file, (0, 0))
    assert sources._changed(str(file)) > 0
    assert sources._changed(str(file / "inside" / "of it")) == sources._changed(str(file))
    assert sources._changed(str(tmp_path / "missing")) == 0


def test_each_entry_may_be_damaged_or_missing(compiler: Compiler) -> None:
    first, _ = kernel(compiler)
    entries = compiler.cache.list()
    assert len(entries) == 3
    for entry in entries:
        data = entry.path.read_bytes()
        for wrong in (None, b"", data[:-1], bytes(255 - b for b in data)):
            if wrong is None:
                entry.path.unlink()
            else:
                entry.path.write_bytes(wrong)
            assert kernel(compiler) == (first, True)
            assert kernel(compiler) == (first, False)
    assert {entry.key for entry in compiler.cache.list()} == {entry.key for entry in entries}


@pytest.mark.parametrize("wrong", [b"", b"\n\n", b"\xff\0", b"../../x\ny", b"tscript.types\n"])
def test_entries_that_say_something_else(compiler: Compiler, counted: list[str], wrong: bytes) -> None:
    first, _ = kernel(compiler)
    digest = old().digest(counted)
    for name in (f"sources of {RECIPE}", f"{digest} {RECIPE}"):
        compiler.cache.put(compiler.recipes._of(name), wrong)
        assert kernel(compiler) == (first, True)
        assert kernel(compiler) == (first, False)


def test_without_writing(compiler: Compiler, tmp_path: Path) -> None:
    reader = with_cache(ObjectCache(tmp_path / "cache", Mode.READ))
    first, lowered = kernel(reader)
    assert lowered
    assert not (tmp_path / "cache").exists()
    kernel(compiler)
    assert kernel(reader) == (first, False)
    assert kernel(with_cache(ObjectCache(tmp_path / "cache", Mode.OFF))) == (first, True)


def test_modules_of_the_runtime(compiler: Compiler, llvm: list[str]) -> None:
    written: list[str] = []

    def write() -> Emitted:
        written.append("")
        return Emitted(f'target triple = "{compiler.target.triple}"\ndefine i32 @f() {{ ret i32 7 }}\n')

    made = compiler.module(write, "one", ("tscript.abi.layout",), (__name__,))
    assert compiler.module(write, "one", ("tscript.abi.layout",), (__name__,)) == made
    assert len(written) == 1
    assert compiler.module(write, "two", ("tscript.abi.layout",)) == made
    assert compiler.module(write) == made
    assert (len(written), len(llvm)) == (3, 1)


# Places


def test_files_of_the_package() -> None:
    assert portable(os.path.join(FOLDER, "abi", "places.py")) == f"{OWN}abi/places.py"
    assert local(f"{OWN}abi/places.py") == os.path.join(FOLDER, "abi", "places.py")
    for other in (__file__, "", "<string>"):
        assert portable(other) == local(other) == other
    assert module_of(os.path.join(FOLDER, "abi", "places.py")) == "tscript.abi.places"
    assert module_of(os.path.join(FOLDER, "abi", "__init__.py")) == "tscript.abi"
    assert module_of(__file__) is None


def test_objects_do_not_say_where_the_package_is(compiler: Compiler, llvm: list[str]) -> None:
    kernel(compiler, "list_new")
    assert OWN in llvm[0]
    assert FOLDER not in llvm[0] + boundary()().text


PROGRAM = """
import tscript
from tscript.runtime.session.process import current
x = tscript.tensor([1.0, 2.0])
print(tscript.__file__.partition("app.pyz")[1], x.sum().item(), current().compiler.cache.stats.misses)
"""


def run(*command: object, **environment: str) -> str:
    """What a Python process prints."""
    line = [sys.executable, *map(str, command)]
    done = subprocess.run(line, capture_output=True, text=True, env={**os.environ, **environment}, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def linked(entry: str, to: str) -> None:
    """Another name for an entry of the cache, if it is still there; entries are replaced, never changed."""
    try:
        os.link(entry, to)
    except FileNotFoundError:
        return
    except OSError:  # another disk
        shutil.copy2(entry, to)


def test_a_zip_file_finds_what_a_folder_has_made(tmp_path: Path) -> None:
    application = tmp_path / "app.pyz"
    root = Path(tscript.__file__).parents[1]
    with zipfile.ZipFile(application, "w") as archive:
        for folder, _, names in os.walk(root / "tscript", followlinks=True):
            for name in names:
                if not name.endswith(".pyc"):
                    path = Path(folder, name)
                    archive.write(path, path.relative_to(root))
        archive.writestr("__main__.py", PROGRAM)
    # What others do with the cache of all tests meanwhile has nothing to do with it.
    cache = tmp_path / "cache"
    shared = Path(os.environ["TSCRIPT_CACHE_DIR"], "objects")
    if shared.exists():
        shutil.copytree(shared, cache / "objects", copy_function=linked)
    run("-c", PROGRAM, TSCRIPT_CACHE_DIR=str(cache))
    assert run(application, TSCRIPT_CACHE_DIR=str(cache)).split() == ["app.pyz", "3.0", "0"]


def test_without_sources_code_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    modules = ["tscript.types.types", "tscript.abi.layout", "tscript.nothing", "tscript.nothing.at.all"]
    monkeypatch.setattr(sources, "_source", lambda module: ("", b""))
    found = [old().digest([module]) for module in modules]
    program = (
        f"from tscript.pipeline import sources\nsources._source = lambda module: ('', b'')\n"
        f"print(*[sources.Sources().digest([module]) for module in {modules}])"
    )
    assert run("-c", program, PYTHONHASHSEED="1").split() == found
    assert len(set(found)) == 4
    monkeypatch.setattr(sources, "find_spec", lambda module: None)
    assert old().digest(modules[2:]) is not None
    assert old().digest(modules[:1]) != found[0]
