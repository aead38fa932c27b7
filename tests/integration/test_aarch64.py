"""The wheel on aarch64, under emulation: its library, our loader, and the bits that x86-64 gives.

``TSCRIPT_AARCH64`` is a command that runs a Python of aarch64 with NumPy, and ``TSCRIPT_WHEEL`` a wheel of
`tscript-core` of this tree: see ``docs/testing.md``.
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import numpy as np
import pytest

import tscript
from tests.backend.test_elf import MIXED
from tests.shipped import PYTHON, WHEEL, install, run
from tscript.abi.levels import AARCH64, X86_64_V3
from tscript.backend.llvm.target import Target
from tscript.backend.loader.optimise import compile_text
from tscript.types import parse_type

COMMAND = shlex.split(os.environ.get("TSCRIPT_AARCH64", ""))
HOST = Target.host()
LEVELS = (X86_64_V3, AARCH64)
SCRIPT = Path(__file__).with_name("same_bits.py")
DTYPES = "float32,float64,int8,int16,int32,int64,uint8,bool_"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (COMMAND and WHEEL), reason="needs TSCRIPT_AARCH64 and TSCRIPT_WHEEL"),
    pytest.mark.skipif(not X86_64_V3.fits(HOST.triple, HOST.features), reason="compares with x86-64-v3"),
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as it is installed: the same files for both."""
    folder: Path = tmp_path_factory.mktemp("site")
    install(folder)
    return folder


def both(site: Path, arguments: list[list[str]]) -> list[str]:
    """What a script says on x86-64 and on aarch64, each with its own arguments."""
    around = {"PYTHONPATH": str(site), "TSCRIPT_BLAS": "off"}
    commands = [list(PYTHON), COMMAND]
    return [run([*command, *given], **around) for command, given in zip(commands, arguments, strict=True)]


def chain(x, y):
    """As in `same_bits`."""
    z = x * 1.5 - y
    return z / (1.0 + (z * z + x * y) * 0.25) + x.tanh() * y.exp()


def test_the_library_gives_the_same_bits(site: Path, tmp_path: Path) -> None:
    archive = tmp_path / "chain.tsa"
    types = [(parse_type(f"Tensor[{d}, 2]"),) * 2 for d in ("float32", "float64")]
    tscript.save(tscript.script(chain), archive, native=[v.name for v in LEVELS], signatures=[(None, t) for t in types])
    paths = [tmp_path / f"{level.name}.npz" for level in LEVELS]
    rest = ["--every", "--dtypes", DTYPES, "--archive", str(archive)]
    both(site, [[str(SCRIPT), v.name, str(path), *rest] for v, path in zip(LEVELS, paths, strict=True)])
    ours, theirs = (dict(np.load(path)) for path in paths)
    assert ours.keys() == theirs.keys()
    assert len(ours) > 1000
    for name, a in ours.items():
        b = theirs[name]
        assert (a.dtype, a.shape) == (b.dtype, b.shape), name
        if a.dtype.kind == "f":
            assert (np.isnan(a) == np.isnan(b)).all(), name
            a, b = np.nan_to_num(a), np.nan_to_num(b)
        assert a.tobytes() == b.tobytes(), name


USE = """
import sys
sys.modules["llvmlite"] = None
import tscript
m = tscript.load(sys.argv[1], trust_native=True)
print(m.words("the cat and the dog and THE end"), m.fib(15), m.length([3.0, 4.0, 1 / 3]))
try:
    m.item([1, 2], 5)
except ValueError as error:
    print(repr(error))
print([m.collatz(n) for n in range(1, 30)])
"""
FUNCTIONS = """
def words(text: str) -> str:
    counts: dict[str, int] = {}
    for word in text.lower().split():
        counts[word] = counts.get(word, 0) + 1
    return ", ".join([f"{w}={n}" for w, n in sorted(counts.items())]) + f" {1/3:.4f} {2.5e300} {1e-7!r}"

def fib(n: int) -> int:
    return n if n < 2 else fib(n - 1) + fib(n - 2)

def item(xs: list[int], i: int) -> int:
    try:
        return xs[i]
    except IndexError:
        raise ValueError("no item " + str(i))

def length(xs: list[float]) -> float:
    total = 0.0
    for x in xs:
        total += x * x
    return total ** 0.5

def collatz(n: int) -> int:
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps
"""


def test_an_archive(site: Path, tmp_path: Path) -> None:
    module = tscript.script(FUNCTIONS)
    tscript.save({name: module[name] for name in module}, tmp_path / "m.tsa", native=[v.name for v in LEVELS])
    (tmp_path / "use.py").write_text(USE)
    ours, theirs = both(site, [[str(tmp_path / "use.py"), str(tmp_path / "m.tsa")]] * 2)
    assert "and=2, cat=1" in ours and "ValueError('no item 5')" in ours
    assert theirs == ours


LINK = """
import ctypes, sys
from tscript.backend.loader.linkers import ElfLinker
from tscript.backend.loader.elf import parsed

data = open(sys.argv[1], "rb").read()
linker = ElfLinker(parsed(data).machine)
given = ctypes.c_int64(30)
# `other` adds 1. It is far from everything else.
code = bytes.fromhex("488d4701c3" if linker._machine == 62 else "00040091c0035fd6")
libc, number = ctypes.CDLL(None), ctypes.c_long
libc.mmap.argtypes, libc.mmap.restype = [ctypes.c_void_p, number, *[ctypes.c_int] * 3, number], ctypes.c_void_p
libc.mprotect.argtypes = [ctypes.c_void_p, number, ctypes.c_int]
other = libc.mmap(0x2000_0000_0000, 1 << 16, 3, 0x22, -1, 0)
ctypes.memmove(other, code, len(code))
assert libc.mprotect(other, 1 << 16, 5) == 0
power = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double, ctypes.c_double)(lambda x, y: x ** y)
symbols = {"given": ctypes.addressof(given), "pow": ctypes.cast(power, ctypes.c_void_p).value, "other": other}
found = []
for round in range(20):
    linked = linker.link(data, symbols, ["f", "vector"], lasting=False)
    f = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(linked.addresses["f"])
    found.append([f(0), f(0), f(0)])
    linked.free()
print(found[0], all(f == found[0] for f in found), abs(other - linked.addresses["f"]) > 1 << 32)
"""


def test_our_linker(site: Path, tmp_path: Path) -> None:
    """Tables of addresses, branches through veneers, jump tables."""
    arguments = []
    (tmp_path / "link.py").write_text(LINK)
    for level in LEVELS:
        target = Target(level.triple, level.cpu, level.features)
        (tmp_path / f"{level.name}.o").write_bytes(compile_text(MIXED, target, 2))
        arguments.append([str(tmp_path / "link.py"), str(tmp_path / f"{level.name}.o")])
    ours, theirs = both(site, arguments)
    assert ours.endswith("True True\n")
    assert theirs == ours


def test_the_processor(site: Path) -> None:
    code = """
    from tscript.abi.cpu import host
    from tscript.backend.loader.prebuilt import find
    triple, cpu, features = host()
    print(triple, "+neon" in features, find(triple, features).name.rpartition("/")[2])
    """
    assert run(COMMAND, code, PYTHONPATH=str(site)) == "aarch64-unknown-linux-gnu True aarch64.image\n"
