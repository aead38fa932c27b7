"""An archive with native code brings all that it needs: nothing is compiled where it is loaded."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tscript
from tscript import Tensor
from tscript.abi.levels import X86_64_V2, fitting
from tscript.abi.mode import IS_CHECKED
from tscript.abi.python import PYTHON
from tscript.api import archive_of
from tscript.archive import Archive, Kernels, NativeKernel, NativeObject, pack, read_archive, unpack
from tscript.backend.llvm.target import Target
from tscript.backend.loader.elf import parsed
from tscript.backend.loader.loading import AARCH64, X86_64
from tscript.backend.loader.objects import read_symbols
from tscript.backend.loader.prebuilt import BOUNDARY, POOL
from tscript.backend.loader.prebuilt_linker import Part, link
from tscript.pipeline import Compiler
from tscript.runtime.boundary.dialect_modules import exports_of
from tscript.runtime.boundary.native.module import MODULES
from tscript.runtime.boundary.pool.module import MODULES as POOL_MODULES
from tscript.runtime.session import shipping
from tscript.runtime.session.ahead import kernels_for
from tscript.runtime.session.process import current
from tscript.types import parse_type

pytestmark = pytest.mark.skipif(bool(IS_CHECKED), reason="the checked mode has kernels of its own")

VECTOR = parse_type("Tensor[float32, 1]")

ALONE = """
import os, sys

BANNED = ("llvmlite", "tscript.backend.module", "tscript.backend.c_functions", "tscript.backend.loader.optimise",
          "tscript.frontend.lowering", "tscript.passes")

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name in BANNED:
            raise ImportError(f"the compiler is touched: {name}")

sys.meta_path.insert(0, Refuse())

def read_only(event, args):
    if event == "open" and (args[2] or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        raise OSError(30, f"a read-only file system: {args[0]}")
    if event in ("os.mkdir", "os.rename", "os.remove", "os.link", "os.symlink"):
        raise OSError(30, f"a read-only file system: {event}{args}")

sys.addaudithook(read_only)
"""
"""No compiler, and no disk to write to. The frontend may be imported, but lowers nothing."""

USE = """
import tscript
m = tscript.load(sys.argv[1], trust_native=True)
x = tscript.tensor([1.0, 2.0])
print(m.blend(x, x).tolist(), m.count("a b a"), m.double(21))
try:
    m.double("x")
except TypeError as error:
    print(error)
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The boundary and the pool alone, in place of the library that is shipped."""
    compiler = Compiler()
    parts = [
        Part(BOUNDARY, shipping.own_module(compiler, BOUNDARY), (*exports_of(MODULES), *shipping.common_stubs()),
             is_module=True),
        Part(POOL, shipping.own_module(compiler, POOL), exports_of(POOL_MODULES), is_module=True, is_open=False),
    ]  # fmt: skip
    path: Path = tmp_path_factory.mktemp("library") / "boundary.image"
    path.write_bytes(link(parts).data)
    return path


def alone(library: Path, code: str, archive: Path) -> str:
    """What a process prints that has the boundary, an archive, and nothing else."""
    around = {
        k: v for k, v in os.environ.items() if not k.startswith("TSCRIPT_") and k not in ("HOME", "XDG_CACHE_HOME")
    }
    around["PYTHONPATH"] = str(Path(tscript.__file__).parents[1])
    around |= {"TSCRIPT_LIBRARY": str(library), "TSCRIPT_CACHE": "off", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", ALONE + code, archive],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        env=around,
        cwd=os.sep,
    )
    return done.stdout + done.stderr


@tscript.script
def blend(x: Tensor, y: Tensor) -> Tensor:
    return tscript.tanh(x * 2.5) + tscript.exp(-y) * x


@tscript.script
def count(text: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for word in text.split():
        found[word] = found.get(word, 0) + 1
    return found


@tscript.script
def double(n: int) -> int:
    return 2 * n


def made() -> Archive:
    functions = {"blend": blend, "count": count, "double": double}
    return archive_of(functions, native=True, signatures=[("blend", (VECTOR, VECTOR))])


def test_nothing_is_compiled(library: Path, tmp_path: Path) -> None:
    path = tmp_path / "f.tsa"
    path.write_bytes(pack(made()))
    x = tscript.tensor([1.0, 2.0])
    with pytest.raises(TypeError) as refused:
        double("x")  # type: ignore[arg-type]
    result = f"{blend(x, x).tolist()} {{'a': 2, 'b': 1}} 42"
    assert alone(library, USE, path).splitlines() == [result, str(refused.value)]


def test_kernels_are_kept_once_and_with_what_they_need() -> None:
    archive = made()
    (kernels,) = archive.kernels
    wanted = {s for e in archive.entries.values() for n in e.native for s in n.externals}
    wanted |= {s for kernel in kernels.kernels.values() for s in kernel.externals}
    assert "ts_dict_setitem_v1" in kernels.kernels
    assert "ts_tensor_alloc_v1" in kernels.kernels
    missing = {s for s in wanted if s not in kernels.kernels and not s.startswith("ts_type:")}
    library = current().library
    assert missing <= {*library._addresses, *library._makers}, "only what is no kernel is not there"
    found = unpack(pack(archive))
    assert found == archive
    assert pack(found) == pack(archive)
    module = tscript.api.Module(found)
    assert archive_of(module).kernels == archive.kernels


@pytest.mark.parametrize("change", ["library", "abi", "triple", "damaged"])
def test_kernels_that_do_not_fit_are_compiled(change: str, library: Path, tmp_path: Path) -> None:
    archive = made()
    (kernels,) = archive.kernels
    match change:
        case "library":
            kernels = replace(kernels, library="0" * 64)
        case "abi":
            kernels = replace(kernels, abi=kernels.abi + 1)
        case "triple":
            kernels = replace(kernels, triple="riscv64-unknown-linux-gnu")
        case _:
            broken = {s: replace(k, data=k.data[:-200]) for s, k in kernels.kernels.items()}
            kernels = replace(kernels, kernels=broken)
    path = tmp_path / "f.tsa"
    path.write_bytes(pack(replace(archive, kernels=(kernels,))))
    assert "the compiler is touched" in alone(library, USE, path)


def test_code_for_several_machines_in_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = archive_of({"double": double}, native=["host", "x86-64-v3,aarch64"])
    natives = archive.entries["double"].native
    assert [n.cpu for n in natives] == [current().compiler.target.cpu, "x86-64-v3", "generic"]
    assert [read_symbols(n.data).defined.keys() >= {"tsf_double", "tsu_double"} for n in natives] == [True] * 3
    assert [parsed(n.data).machine for n in natives[1:]] == [X86_64, AARCH64]
    assert [k.cpu for k in archive.kernels] == [n.cpu for n in natives]
    assert unpack(pack(archive)) == archive
    linker = current().linker
    best = linker.accepted(archive.entries["double"].native)[0]
    assert best.cpu == (natives[0].cpu if "avx" in natives[0].features else "generic")
    used: list[str] = []
    load = type(linker).load_native

    def watched(self: Any, native: NativeObject, *args: Any, **kwargs: Any) -> Any:
        used.append(native.cpu)
        return load(self, native, *args, **kwargs)

    monkeypatch.setattr(type(linker), "load_native", watched)
    for names in (["host"], ["x86-64-v3"], ["aarch64"]):
        path = tmp_path / "f.tsa"
        tscript.save(double, path, native=names)
        assert tscript.load(path, trust_native=True).double(21) == 42
    assert len(used) == len(linker.accepted(natives)), "what does not run here was compiled"
    with pytest.raises(ValueError, match="there is no machine 'pdp11': host, x86-64-v2"):
        archive_of({"double": double}, native="pdp11")


def test_objects_are_kept_once_for_functions_and_machines(tmp_path: Path) -> None:
    one = archive_of({"double": double}, native=True)
    two = archive_of({"double": double, "again": double}, native="host,host")
    assert len(two.kernels) == 1
    assert len(pack(two)) < 1.2 * len(pack(one))


OBSERVE = """
import tscript
m = tscript.load(sys.argv[1], trust_native=True)
x = tscript.tensor([1.0, 2.0])
SCOPES = ["FUNCTION", "OPERATOR"]
seen = []
for granularity in ("group", "operator"):
    for _ in range(2):
        handle = tscript.add_global_callback(lambda r: seen.append(r.name), scopes=SCOPES, granularity=granularity)
        assert m.blend(x, x).tolist()[0] > 1 and m.double(2) == 4
        handle.remove()
        print(*seen)
        seen.clear()
"""


@pytest.mark.parametrize("observed", [False, True])
def test_operators_are_observed_without_a_compiler(observed: bool, library: Path, tmp_path: Path) -> None:
    path = tmp_path / "f.tsa"
    signatures = [("blend", (VECTOR, VECTOR))]
    tscript.save({"blend": blend, "double": double}, path, native=True, observed=observed, signatures=signatures)
    variants = [n.observed for n in read_archive(path).entries["double"].native]
    assert variants == (["", "groups", "single"] if observed else [""])
    group, again, single, last, *warnings = alone(library, OBSERVE, path).splitlines()
    assert group == again and single == last
    if observed:
        assert not warnings
        assert group.split()[0] == single.split()[0] == "blend"
        assert "fused" in group and "fused" not in single and "tanh" in single.split()
    else:
        assert group == single == "blend double"
        assert "callbacks see the calls of blend(), and not its operators" in warnings[0]
        assert not any("double()" in line for line in warnings)


@tscript.script
def remainder(a: float, b: float) -> float:
    return a % b


@tscript.script
def index(x: list[int], n: int) -> int:
    return x.index(n)


def test_only_code_that_differs_between_versions_of_python_names_one(monkeypatch: pytest.MonkeyPatch) -> None:
    functions = {"blend": blend, "count": count, "double": double, "remainder": remainder, "index": index}
    archive = archive_of(functions, native=True, signatures=[("blend", (VECTOR, VECTOR))])
    versions = {name: entry.native[0].python for name, entry in archive.entries.items()}
    assert versions == {"blend": 0, "count": 0, "double": 0, "remainder": PYTHON, "index": PYTHON}
    natives = [entry.native[0] for entry in archive.entries.values()]
    assert len(current().linker.accepted(natives)) == 5
    monkeypatch.setattr("tscript.runtime.session.linker.PYTHON", PYTHON + 1)
    assert len(current().linker.accepted(natives)) == 3


def test_shipped_kernels_are_left_out() -> None:
    (native,) = archive_of({"count": count}, native=True).entries["count"].native
    one = current().compiler
    every = kernels_for(one, [native])
    assert every is not None
    if fitting(one.target.triple, one.target.features):
        some = kernels_for(one, [native], shipped={"ts_dict_setitem_v1"})
        assert some is not None and "ts_dict_setitem_v1" in every.kernels.keys() - some.kernels.keys()
        assert kernels_for(one, [native], shipped=every.kernels) is None
    old = one.beside(Target(X86_64_V2.triple, X86_64_V2.cpu, X86_64_V2.features))
    assert not fitting(old.target.triple, old.target.features), "no library is shipped for it"


def test_without_trust_kernels_stay_in_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = current().library
    monkeypatch.setattr(library, "_offered", {})
    path = tmp_path / "f.tsa"
    archive = made()
    evil = NativeKernel("ts_never_asked_for_v1", (), b"")
    (kernels,) = archive.kernels
    kernels = replace(kernels, kernels={**kernels.kernels, evil.symbol: evil})
    path.write_bytes(pack(replace(archive, kernels=(kernels,))))
    assert tscript.load(path).double(2) == 4
    assert not library._offered
    assert tscript.load(path, trust_native=True).double(2) == 4
    assert [evil.symbol in found for found in library._offered.values()] == [True]


def test_archives_without_kernels_list_none() -> None:
    assert not read_archive(Path(__file__).parents[1] / "data" / "archives" / "native.tsa").kernels
    assert b"kernels.json" not in pack(archive_of({"double": double}))


def test_archives_that_are_loaded_again_add_nothing(tmp_path: Path) -> None:
    path = tmp_path / "f.tsa"
    path.write_bytes(pack(made()))

    def alive() -> int:
        gc.collect()
        return sum(isinstance(thing, Kernels | NativeKernel) for thing in gc.get_objects())

    tscript.load(path, trust_native=True)
    before = alive()
    for _ in range(5):
        tscript.load(path, trust_native=True)
    assert alive() == before
