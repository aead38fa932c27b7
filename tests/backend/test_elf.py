"""Our linker: what it refuses, what it protects, how far it reaches, and that it does what LLVM's does."""

from __future__ import annotations

import ctypes
import itertools
import random
import sys
import threading
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import tscript
from tests.backend.resolved import same
from tscript.abi import pages
from tscript.abi.pages import EXECUTE, PAGE, READ, WRITE, Pages
from tscript.abi.signature import parse_signature
from tscript.abi.symbols import kernel_symbol
from tscript.backend.llvm.target import Target
from tscript.backend.loader.elf import MAX_IMAGE, parsed
from tscript.backend.loader.image import Image, filled, laid_out
from tscript.backend.loader.linkers import ElfLinker, LlvmLinker
from tscript.backend.loader.loading import LoadError
from tscript.backend.loader.optimise import compile_text
from tscript.backend.loader.relocation import Request, kinds_of
from tscript.diagnostics import CompileError
from tscript.pipeline import Compiler
from tscript.runtime.boundary.dialect_modules import emit_modules
from tscript.runtime.boundary.native.module import MODULES
from tscript.runtime.boundary.pool.module import MODULES as POOL
from tscript.runtime.session.build import kernels, source_of

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="LLVM links elsewhere")
HOST = Target.host()
TARGETS = [Target("x86_64-unknown-linux-gnu"), Target("aarch64-unknown-linux-gnu")]
MIXED = """
declare i64 @other(i64)
declare double @pow(double, double)
@given = external global i64
@count = internal global i64 5
@bytes = internal global [3 x i8] c"abc"
@empty = internal global [100 x i64] zeroinitializer, align 64
@numbers = internal constant [4 x double] [double 1.0, double 2.0, double 3.0, double 4.0], align 16
@texts = internal global [2 x ptr] [ptr @bytes, ptr @other]
define internal i64 @inner(i64 %x) noinline {
  %n = load i64, ptr @count
  %m = add i64 %n, %x
  store i64 %m, ptr @count
  ret i64 %m
}
define i64 @f(i64 %x) {
  %a = load i64, ptr @given
  %b = call i64 @inner(i64 %a)
  %c = call i64 @other(i64 %b)
  %p = getelementptr double, ptr @numbers, i64 %x
  %d = load double, ptr %p
  %e = call double @pow(double %d, double 2.5)
  %i = fptosi double %e to i64
  %q = getelementptr i64, ptr @empty, i64 %x
  store i64 %i, ptr %q
  %t = getelementptr ptr, ptr @texts, i64 %x
  %u = load ptr, ptr %t
  %v = load i8, ptr %u
  %w = zext i8 %v to i64
  %s = add i64 %c, %w
  switch i64 %x, label %one [ i64 0, label %two  i64 1, label %three  i64 2, label %four  i64 3, label %five ]
one:
  ret i64 %s
two:
  %s2 = mul i64 %s, 3
  ret i64 %s2
three:
  %s3 = call i64 @other(i64 %s)
  ret i64 %s3
four:
  %s4 = xor i64 %s, 77
  ret i64 %s4
five:
  %s5 = call i64 @inner(i64 %s)
  ret i64 %s5
}
define <4 x double> @vector(ptr %p) {
  %a = load <4 x double>, ptr @numbers
  %b = load <4 x double>, ptr %p, align 8
  %c = fadd <4 x double> %a, %b
  ret <4 x double> %c
}
"""
REACH = """
declare i64 @other(i64)
@given = external global i64
define i64 @f(i64 %x) {
  %y = call i64 @other(i64 %x)
  %z = mul i64 %y, 10
  %a = ptrtoint ptr @given to i64
  %s = add i64 %z, %a
  ret i64 %s
}
"""
FAR = 0x2000_0000_0000


def mixed(target: Target) -> bytes:
    return compile_text(MIXED, target, 2)


def externals(data: bytes, at: int = 0x7000_0000_0000) -> dict[str, int]:
    return {name: at + 0x1000 * i for i, name in enumerate(parsed(data).undefined.values())}


def protections(begin: int, end: int) -> list[str]:
    """What may be done with each range of the process within some addresses."""
    found = []
    for line in Path("/proc/self/maps").read_text().splitlines():
        span, access, *_ = line.split()
        low, high = (int(n, 16) for n in span.split("-"))
        if low < end and high > begin:
            found.append(access)
    return found


def test_pages_are_never_writable_and_executable():
    made = Pages(3 * PAGE - 5)
    assert made.nbytes == 3 * PAGE
    made.write(b"\xc3" * 100)
    made.protect(0, PAGE, READ | EXECUTE)
    made.protect(PAGE, 2 * PAGE, READ)
    assert protections(made.address, made.address + made.nbytes) == ["r-xp", "r--p", "rw-p"]
    for begin, end, access in [(0, PAGE, WRITE | EXECUTE), (0, 4 * PAGE, READ), (5, PAGE, READ), (PAGE, 0, READ)]:
        with pytest.raises(ValueError, match="page"):
            made.protect(begin, end, access)
    with pytest.raises(ValueError, match="more than there is room for"):
        made.write(bytes(3 * PAGE + 1))
    made.free()
    with pytest.raises(OSError, match="no memory"):
        Pages(1 << 60)


def test_an_image_is_protected_and_freed():
    data = mixed(HOST)
    image = Image(parsed(data), externals(data))
    begin = image.addresses["f"] & -PAGE
    layout = laid_out(parsed(data))
    before = protections(begin, begin + image.nbytes)
    assert before[0] == "r-xp"
    assert {"r--p", "rw-p"} <= set(before)
    assert not [p for p in before if "w" in p and "x" in p]
    assert layout.read % PAGE == layout.written % PAGE == layout.nbytes % PAGE == 0
    image.free()
    assert "r-xp" not in protections(begin, begin + PAGE)


@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.architecture)
def test_it_does_what_llvm_does(target):
    """LLVM's linker runs for a machine that is not this one, too: nothing of it is executed."""
    data = mixed(target)
    given = externals(data)
    theirs = LlvmLinker(target, threading.Lock()).link(data, given, ["f", "vector"], lasting=True)
    image = Image(parsed(data), given)
    assert same(parsed(data), image.addresses, theirs.addresses, given) >= 4
    image.free()


def check_object(data: bytes, given: dict[str, int]) -> int:
    """Compare what the two linkers make of an object of this machine."""
    obj = parsed(data)
    image = Image(obj, given)
    theirs = LLVM.link(data, given, list(obj.exported), lasting=False)
    compared = same(obj, image.addresses, theirs.addresses, given)
    theirs.free()
    image.free()
    return compared


LLVM = LlvmLinker(HOST, threading.RLock())
SOME = ("str_compare", "float_text", "lay_out", "parse_spec", "narrow", "size_repr", "str_from_utf8")


def kernel_object(name: str) -> bytes:
    found = Compiler().kernel(partial(source_of, name), {}, kernel_symbol(name))
    return found.object


@pytest.mark.parametrize("name", SOME)
def test_kernels_are_linked_as_llvm_does(name):
    data = kernel_object(name)
    assert check_object(data, externals(data)) >= 1


def test_programs_are_linked_as_llvm_does(monkeypatch):
    """As they are, with the addresses of this process: near ones and far ones."""
    linked = []
    link = ElfLinker.link

    def spied(self, data, symbols, names, **options):
        linked.append((data, dict(symbols)))
        return link(self, data, symbols, names, **options)

    monkeypatch.setattr(ElfLinker, "link", spied)

    def words(text: str, n: int) -> dict[str, int]:
        found: dict[str, int] = {}
        for word in text.split():
            found[word] = found.get(word, 0) + len(word) ** 2 + n
        if not found:
            raise ValueError(f"no words in {text!r}")
        return found

    def smooth(x: tscript.Tensor, y: tscript.Tensor) -> tscript.Tensor:
        z = tscript.exp(-x * 3.25) + tscript.tanh(y)
        return (z @ z.T).sum(0) if z.dim() == 2 else z * 2.125

    x = tscript.from_numpy(np.ones((3, 3), np.float32))
    assert tscript.script(words)("a bc a", 4) == {"a": 10, "bc": 8}
    assert tscript.script(smooth)(x, x).shape == (3,)
    assert len(linked) >= 2
    assert sum(check_object(data, given) > 1 for data, given in linked) >= 2


@pytest.mark.slow
def test_the_boundary_is_linked_as_llvm_does():
    """With the pool."""
    stubs = [parse_signature(s) for s in ("T:T", "if:f")]
    module = Compiler().build(emit_modules([*MODULES, *POOL], HOST, stubs, 24))
    assert check_object(module, externals(module)) > 3


@pytest.mark.slow
@pytest.mark.parametrize("part", range(12))
def test_every_object_of_the_library_is_linked_as_llvm_does(part):
    """Kernels without type parameters."""
    compared = 0
    for name in sorted(kernels())[part::12]:
        try:
            data = kernel_object(name)
        except CompileError:  # it has type parameters
            continue
        compared += check_object(data, externals(data)) > 0
    assert compared > 20


@pytest.mark.parametrize("near", [False, True])
def test_calls_reach_any_address(near):
    """Directly, or through a veneer."""
    function = pages._libc().mmap
    code = {"x86_64": "488d4701c3", "aarch64": "00040091c0035fd6"}[HOST.architecture]  # x + 1
    if near:
        target = Pages(PAGE)
        address = target.address
    else:
        address = function(FAR, PAGE, READ | WRITE, 0x22, -1, 0)
        if abs(address - Pages(1).address) < 1 << 40:
            pytest.skip("the system chooses another address")
    ctypes.memmove(address, bytes.fromhex(code), len(code) // 2)
    assert not pages._libc().mprotect(address, PAGE, READ | EXECUTE)
    image = Image(parsed(compile_text(REACH, HOST, 2)), {"other": address, "given": 7})
    assert ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(image.addresses["f"])(3) == 47


def test_veneers_of_aarch64():
    data = mixed(TARGETS[1])
    obj = parsed(data)
    layout = laid_out(obj)
    base = 0x5000_0000_0000
    near, far = (dict.fromkeys(externals(data), base + distance) for distance in (1 << 26, 1 << 28))
    contents = [bytes(filled(obj, layout, base, given)[0]) for given in (near, far)]
    (number,) = (n for n, name in obj.undefined.items() if name == "other")
    at = layout.veneers[number]
    assert contents[1][at : at + 16] == bytes.fromhex("5000005800021fd6") + far["other"].to_bytes(8, "little")
    places = [
        layout.sections[s.index] + offset
        for s in obj.sections
        for table in s.relocations
        for offset, type, symbol, _ in table.tolist()
        if type in (282, 283) and symbol == number
    ]
    for content, goal in zip(contents, (near["other"], base + at), strict=True):
        for place in places:
            word = int.from_bytes(content[place : place + 4], "little")
            distance = ((word & 0x3FFFFFF) ^ 0x2000000) - 0x2000000
            assert base + place + 4 * distance == goal


REFUSED = {
    "thread-local data": "@x = thread_local global i64 1\ndefine ptr @f() {\n  ret ptr @x\n}",
    "constructors": (
        "@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }]"
        " [{ i32, ptr, ptr } { i32 1, ptr @f, ptr null }]\n"
        "define void @f() {\n  ret void\n}"
    ),
    "an indirect function": "define ptr @f() {\n  ret ptr @f\n}\n@g = ifunc void (), ptr @f",
    "common symbols": "@x = common global i64 0\ndefine ptr @f() {\n  ret ptr @x\n}",
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_refused(what):
    data = compile_text(REFUSED[what], HOST, 0)
    with pytest.raises(LoadError, match=what):
        parsed(data)


def test_writable_code_is_refused():
    data = bytearray(mixed(HOST))
    table = int.from_bytes(data[40:48], "little")
    for at in range(table, len(data), 64):
        if data[at + 8] == 6:  # it is loaded and run
            data[at + 8] = 7
    with pytest.raises(LoadError, match="writable code"):
        parsed(bytes(data))


def test_other_machines_are_refused():
    for target in TARGETS:
        if target.architecture != HOST.architecture:
            data = compile_text("define void @f() {\n  ret void\n}", target, 0)
            with pytest.raises(LoadError, match="another machine"):
                ElfLinker(parsed(mixed(HOST)).machine).link(data, {}, ["f"], lasting=False)


def test_large_objects_are_refused():
    with pytest.raises(LoadError, match="MiB"):
        parsed(compile_text(f"@x = global [{MAX_IMAGE} x i8] zeroinitializer", HOST, 0))


@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.architecture)
def test_unknown_symbols_are_refused(target):
    data = mixed(target)
    given = externals(data)
    for name in given:
        lacking = {n: a for n, a in given.items() if n != name}
        with pytest.raises(LoadError, match=f"undefined symbols: {name}"):
            Image(parsed(data), lacking)


@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.architecture)
def test_damage_is_found_out_or_harmless(target):
    """Whatever is changed, only `LoadError` comes of it, and nothing outside the image is written."""
    data = mixed(target)
    given = externals(data)
    source = random.Random(5)
    header = int.from_bytes(data[40:48], "little")
    outcomes = {"refused": 0, "loaded": 0}
    each = [(at, value) for at in itertools.chain(range(64), range(header, len(data))) for value in (0, 1, 0x7F, 0xFF)]
    some = [(source.randrange(len(data)), source.randrange(256)) for _ in range(1500)]
    for at, value in [*source.sample(each, min(1500, len(each))), *some]:
        damaged = bytearray(data)
        damaged[at] = value
        if source.random() < 0.2:
            damaged[source.randrange(len(data))] ^= 1 << source.randrange(8)
        try:
            obj = parsed(bytes(damaged))
            layout = laid_out(obj)
            if layout.nbytes < 1 << 20:
                buffer, _ = filled(obj, layout, 0x5000_0000_0000, given)
                assert len(buffer) == layout.nbytes
        except LoadError:
            outcomes["refused"] += 1
            continue
        outcomes["loaded"] += 1
    for length in range(0, len(data), 7):
        with pytest.raises(LoadError):
            parsed(data[:length])
    assert min(outcomes.values()) > 100


@pytest.mark.parametrize("machine", [62, 183])
def test_what_does_not_fit_is_refused(machine):
    """Each type, with what it cannot hold; those that hold any address are left out."""
    whole = {1, 24, 257, 260, 264, 266, 268, 269, 0, 277, 278}
    for type, kind in kinds_of(machine).items():
        if type in whole:
            continue
        none = np.array([0], np.int64)
        far = np.array([(1 << 62) + 1], np.int64)
        image = np.zeros(64, np.uint8)
        request = Request(image, 0x1000, np.array([8], np.int64), far, none, far, none)
        with pytest.raises(LoadError, match=r"out of reach|not aligned"):
            kind.apply(request)
