"""An archive with native code brings all that it needs: nothing is compiled where it is loaded."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import tscript
from tscript import Tensor
from tscript.abi.checked import IS_CHECKED
from tscript.api import archive_of
from tscript.archive import Archive, NativeKernel, pack, read_archive, unpack
from tscript.types import parse_type

pytestmark = pytest.mark.skipif(bool(IS_CHECKED), reason="the checked mode has kernels of its own")

VECTOR = parse_type("Tensor[float32, 1]")

USE = """
import sys, tscript
from tscript.runtime.session import build
build.compiled_kernel = lambda compiler, symbol: sys.exit(f"{symbol} is compiled")
m = tscript.load(sys.argv[1], trust_native=True)
x = tscript.tensor([1.0, 2.0])
print(m.blend(x, x).tolist(), m.count("a b a"), m.double(21))
try:
    m.double("x")
except TypeError as error:
    print(error)
"""


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


def use(path: Path) -> str:
    done = subprocess.run([sys.executable, "-c", USE, path], capture_output=True, text=True, timeout=240, check=False)
    return done.stdout + done.stderr


def test_no_kernel_is_compiled(tmp_path: Path) -> None:
    path = tmp_path / "f.tsa"
    path.write_bytes(pack(made()))
    x = tscript.tensor([1.0, 2.0])
    with pytest.raises(TypeError) as refused:
        double("x")  # type: ignore[arg-type]
    assert use(path).splitlines() == [f"{blend(x, x).tolist()} {{'a': 2, 'b': 1}} 42", str(refused.value)]


def test_kernels_are_kept_once_and_with_what_they_need() -> None:
    archive = made()
    (kernels,) = archive.kernels
    wanted = {s for e in archive.entries.values() for n in e.native for s in n.externals}
    wanted |= {s for kernel in kernels.kernels.values() for s in kernel.externals}
    assert "ts_dict_setitem_v1" in kernels.kernels
    assert "ts_tensor_alloc_v1" in kernels.kernels
    missing = {s for s in wanted if s not in kernels.kernels and not s.startswith("ts_type:")}
    library = tscript.runtime.session.process.current().library
    assert missing <= set(library._addresses), "only what is no kernel is not there"
    found = unpack(pack(archive))
    assert found == archive
    assert pack(found) == pack(archive)
    module = tscript.api.Module(found)
    assert archive_of(module).kernels == archive.kernels


@pytest.mark.parametrize("change", ["library", "abi", "triple", "damaged"])
def test_kernels_that_do_not_fit_are_compiled(change: str, tmp_path: Path) -> None:
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
    assert "is compiled" in use(path)


def test_without_trust_kernels_stay_in_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = tscript.runtime.session.process.current().library
    monkeypatch.setattr(library, "_given", {})
    path = tmp_path / "f.tsa"
    archive = made()
    evil = NativeKernel("ts_never_asked_for_v1", (), 0, b"")
    (kernels,) = archive.kernels
    kernels = replace(kernels, kernels={**kernels.kernels, evil.symbol: evil})
    path.write_bytes(pack(replace(archive, kernels=(kernels,))))
    assert tscript.load(path).double(2) == 4
    assert not library._given
    assert tscript.load(path, trust_native=True).double(2) == 4
    assert evil.symbol in library._given


def test_archives_without_kernels_list_none() -> None:
    assert not read_archive(Path(__file__).parents[1] / "data" / "archives" / "native.tsa").kernels
    assert b"kernels.json" not in pack(archive_of({"double": double}))
