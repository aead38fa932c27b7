"""Images of the prebuilt library: what is linked into them, and how they are loaded."""

from __future__ import annotations

import ctypes
import os
import random
import struct
import sys
import threading
import zlib
from pathlib import Path

import pytest

from tests.backend.resolved import same
from tests.backend.test_elf import MIXED, protections
from tscript.abi import pages
from tscript.abi.levels import AARCH64, LEVELS, X86_64_V3, X86_64_V4, fitting, level_of
from tscript.backend.llvm.effort import Effort
from tscript.backend.llvm.emitted import whole_module
from tscript.backend.llvm.instructions import COUNTER, INSTRUCTIONS, PAUSE
from tscript.backend.llvm.sections import sectioned
from tscript.backend.llvm.target import Target
from tscript.backend.loader import prebuilt
from tscript.backend.loader.elf import parsed
from tscript.backend.loader.linkers import LlvmLinker
from tscript.backend.loader.loading import LoadError
from tscript.backend.loader.optimise import assembly, compile_text
from tscript.backend.loader.prebuilt import MACHINES, LibraryWarning, Prebuilt, find, opened
from tscript.backend.loader.prebuilt_format import ALIGN, FIELDS, HEADER
from tscript.backend.loader.prebuilt_linker import Part, link

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="there are images for Linux alone")
HOST = Target.host()
TARGETS = [Target(level.triple, level.cpu, level.features) for level in (X86_64_V3, AARCH64)]
ADDED = "%a = load <4 x double>, ptr %p, align 32"
COPIES = """
@text = private unnamed_addr constant [6 x i8] c"hello\\00", align 1
@row = private unnamed_addr constant {{ ptr, i64 }} {{ ptr @text, i64 7 }}
@words = private unnamed_addr constant [4 x double] [double 1.5, double 2.5, double 3.5, double 4.5], align 16
define internal ptr @inner(i64 %n) noinline {{
  %p = getelementptr i8, ptr @row, i64 %n
  %q = load ptr, ptr %p
  ret ptr %q
}}
define ptr @{name}(i64 %n) {{
  %m = mul i64 %n, {factor}
  %p = call ptr @inner(i64 %m)
  %w = getelementptr double, ptr @words, i64 %m
  %d = load double, ptr %w
  %i = fptosi double %d to i64
  %r = getelementptr i8, ptr %p, i64 %i
  ret ptr %r
}}
"""


def part(text: str, *exports: str, target: Target = HOST, **about) -> Part:
    return Part(exports[0], compile_text(sectioned(text), target, 2), exports, **about)


@pytest.fixture(scope="module")
def mixed() -> bytes:
    """An image of two parts: the second calls the first."""
    caller = """
declare i64 @f(i64)
declare i64 @getpid()
define i64 @g(i64 %x) {
  %y = call i64 @f(i64 %x)
  %z = add i64 %y, 1000
  ret i64 %z
}
define i64 @process() {
  %y = call i64 @getpid()
  ret i64 %y
}
"""
    record = {"key": b"one", "another": b"", "a key of text": b"three"}
    return link(
        [part(MIXED, "f", "vector", is_module=True), part(caller, "g", "process", records=record)], about="two parts"
    ).data


def called(image: Prebuilt, symbol: str, *args: int) -> int:
    found: int = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * len(args))(image.address(symbol))(*args)
    return found


def given(image: Prebuilt) -> list[str]:
    """Let an image of `mixed` get its symbols; those that it asks for."""
    asked: list[str] = []
    number = given.number = ctypes.c_int64(30)  # type: ignore[attr-defined]
    function = given.function = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(lambda x: x + 1)  # type: ignore[attr-defined]

    def resolve(symbol: str) -> int:
        asked.append(symbol)
        if symbol == "given":
            return ctypes.addressof(number)
        if symbol == "other":
            return ctypes.cast(function, ctypes.c_void_p).value or 0
        return prebuilt.of_process(symbol)

    image.resolve = resolve
    return asked


@pytest.mark.parametrize("how", ["file", "memory"])
def test_an_image_is_linked_and_loaded(mixed, how, tmp_path):
    path = tmp_path / "x.image"
    path.write_bytes(mixed)
    image = opened(str(path) if how == "file" else mixed)
    asked = given(image)
    assert called(image, "process") == os.getpid()
    assert asked == ["getpid"]
    first = called(image, "f", 1)
    assert sorted(asked) == ["getpid", "given", "other", "pow"]
    assert called(image, "g", 1) != first + 1000  # `f` counts its calls
    assert sorted(asked) == ["getpid", "given", "other", "pow"]
    assert image.module("f") == ("f", "vector")
    assert image.module("g") == ()
    assert [image.record(k) for k in ("key", "another", "a key of text", "none")] == [b"one", b"", b"three", None]
    assert "f" in image
    assert "inner" not in image


def test_an_image_is_never_writable_and_executable(mixed, tmp_path):
    path = tmp_path / "x.image"
    path.write_bytes(mixed)
    for source in (str(path), mixed):
        image = opened(source)
        given(image)
        begin = image._pages.address
        found = protections(begin, begin + image.nbytes)
        assert protections(image.address("f"), image.address("f") + 1) == ["r-xp"]
        assert set(found) == {"r-xp", "r--p", "rw-p"}
        assert called(image, "process")


def test_copies_are_shared():
    names = [f"copy{i}" for i in range(5)]
    parts = [part(COPIES.format(name=name, factor=i % 2), name) for i, name in enumerate(names)]
    linked = link(parts)
    image = opened(linked.data)
    assert linked.kept < linked.atoms
    found = {name: called(image, name, 0) for name in names}
    assert len(set(found.values())) == 1
    assert ctypes.string_at(found["copy0"] - 1) == b"hello"
    assert len({image.address(name) for name in names}) == 5  # what is exported has an address of its own


def test_a_part_that_is_not_open_is_asked_for_by_name(mixed):
    user = part("declare i64 @inside()\ndefine i64 @use() {\n%x = call i64 @inside()\nret i64 %x\n}", "use")
    pool = part("define i64 @inside() { ret i64 5 }", "inside", is_open=False)
    image = opened(link([user, pool]).data)
    image.resolve = {"inside": image.address("inside")}.__getitem__
    assert called(image, "use") == 5
    image = opened(link([user, pool]).data)
    with pytest.raises(LoadError, match="undefined symbols: inside"):
        image.address("use")


def test_the_best_variant_is_taken():
    caller = "declare i64 @f()\ndefine i64 @g() {\n%x = call i64 @f()\n%y = add i64 %x, 10\nret i64 %y\n}"
    parts = [part("define i64 @f() { ret i64 1 }", "f", is_open=False), part(caller, "g")]
    parts.append(part("define i64 @f() { ret i64 2 }", "f", level="best"))
    data = link(parts).data
    for levels, number in [((), 1), (("other",), 1), (("other", "best"), 2)]:
        image = opened(data, levels=levels)
        image.resolve = image.address
        assert (called(image, "f"), called(image, "g")) == (number, number + 10)
        assert {"f", "g"} < {symbol for symbol, _, _ in image.symbols()}


@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.architecture)
def test_it_does_what_llvm_does(target):
    """Addresses are those that LLVM's linker fills in, for both machines; nothing is run."""
    # As a load, the constant vector would be there twice: equal constants become one in an image.
    data = compile_text(MIXED.replace("%a = load <4 x double>, ptr @numbers", ADDED), target, 2)
    obj = parsed(data)
    externals = {name: 0x7000_0000_0000 + 0x1000 * i for i, name in enumerate(obj.undefined.values())}
    theirs = LlvmLinker(target, threading.Lock()).link(data, externals, ["f", "vector"], lasting=True)
    linked = link([Part("mixed", data, ("f", "vector"))])
    image = opened(linked.data, machine=MACHINES[target.architecture])
    image.resolve = externals.__getitem__
    ours = image.addresses(["f", "vector"])
    assert same(obj, ours, theirs.addresses, externals) >= 4


@pytest.mark.parametrize(
    ("triple", "pause"), [(TARGETS[0].triple, "pause"), (TARGETS[1].triple, "yield"), ("riscv64-linux", "")]
)
def test_the_boundary_is_made_for_the_target(triple, pause):
    """Not for the machine that compiles: what waits, and the clock."""
    declared = {symbol: f"declare void @{symbol}()" for symbol in INSTRUCTIONS}
    use = f"define i64 @f() {{\n  call void @{PAUSE}()\n  %n = call i64 @{COUNTER}()\n  ret i64 %n\n}}"
    module = whole_module(Target(triple), declared, [use], Effort.FULL)
    assert module.externals == ()
    found = assembly(module.text, Target(triple)).lower()
    assert pause in found
    assert ("rdtsc" in found, "cntvct_el0" in found) == (pause == "pause", pause == "yield")


def test_what_cannot_be_linked_is_refused():
    with pytest.raises(ValueError, match="same is defined twice"):
        link([part("define i64 @same() { ret i64 1 }", "same"), part("define i64 @same() { ret i64 2 }", "same")])
    with pytest.raises(LoadError, match="not defined: other"):
        link([part("define i64 @same() { ret i64 1 }", "same", "other")])
    others = [part("define i64 @a() { ret i64 1 }", "a", target=t) for t in TARGETS]
    with pytest.raises(LoadError, match="another machine"):
        link(others)


def test_an_image_for_another_machine_or_python_is_refused(mixed):
    other = part("define i64 @a() { ret i64 1 }", "a", target=TARGETS[HOST.architecture == "x86_64"])
    with pytest.raises(LoadError, match="for another machine"):
        opened(link([other]).data)
    with pytest.raises(LoadError, match="for another Python"):
        opened(mixed, tuple_items=32)


def with_index(data: bytes, field: str, contents: bytes) -> bytes:
    """An image with another field in its index, and the right checksums."""
    size, written = struct.unpack_from("<I", data, 40)[0], struct.unpack_from("<I", data, 36)[0]
    index, at, found = data[ALIGN + written : ALIGN + written + size], 0, b""
    for name in FIELDS:
        length = int.from_bytes(index[at : at + 8], "little")
        old = index[at + 8 : at + 8 + length]
        new = contents if name == field else old
        found += len(new).to_bytes(8, "little") + new + b"\0" * (-len(new) % 8)
        at += 8 + length + -length % 8
    head = bytearray(data[: HEADER - 4])
    struct.pack_into("<II", head, 40, len(found), zlib.crc32(found))
    header = bytes(head) + zlib.crc32(bytes(head)).to_bytes(4, "little")
    return header + data[HEADER : ALIGN + written] + found


BAD = struct.pack("<I", 0xFFFFFFF8)


@pytest.mark.parametrize(
    ("field", "contents"),
    [
        *[(name, BAD) for name in ("slots", "relatives", "places", "needs", "ends", "needed")],
        *[(name, b"abc") for name in ("slots", "references", "relatives", "places")],
        *[(name, struct.pack("<I", 0)) for name in ("slots", "relatives")],
        ("references", BAD * 4),
        ("externals", b"one\nname\ntoo\nmany\nmore\nmore\nmore"),
        ("exports", b"\xff"),
    ],
)
def test_an_index_that_points_elsewhere_is_refused(mixed, field, contents):
    assert with_index(mixed, "about", b"something else") != mixed
    check_loads = opened(with_index(mixed, "about", b"something else"))
    assert "f" in check_loads
    with pytest.raises(LoadError):
        opened(with_index(mixed, field, contents))


def test_damaged_images_are_refused(mixed, tmp_path):
    """Cut short, with other bits in the header or the index, or something else altogether."""
    draw = random.Random(5)
    size = struct.unpack_from("<I", mixed, 40)[0]
    damaged = [b"", b"x", mixed[:HEADER], mixed[:ALIGN], mixed[:-1], mixed + b"\0", bytes(len(mixed)), b"\x7fELF" * 99]
    damaged += [mixed[: draw.randrange(len(mixed))] for _ in range(20)]
    for at in [
        *(draw.randrange(HEADER) for _ in range(150)),
        *(len(mixed) - 1 - draw.randrange(size) for _ in range(150)),
    ]:
        data = bytearray(mixed)
        data[at] ^= 1 << draw.randrange(8)
        damaged.append(bytes(data))
    for i, data in enumerate(damaged):
        if data[ALIGN:] == mixed[ALIGN:] and data[HEADER:ALIGN] != mixed[HEADER:ALIGN]:
            continue  # padding
        with pytest.raises(LoadError):
            opened(data)
        if i % 20 == 0:
            path = tmp_path / "damaged"
            path.write_bytes(data)
            with pytest.raises(LoadError):
                opened(str(path))


def test_where_files_hold_no_code_the_bytes_are_copied(mixed, tmp_path, monkeypatch):
    """As on a file system that is mounted ``noexec``."""
    path = tmp_path / "x.image"
    path.write_bytes(mixed)
    protect = pages.Pages.protect

    def refused(self, begin, end, access):
        if access & pages.EXECUTE and self.is_file:
            raise PermissionError("noexec")
        protect(self, begin, end, access)

    monkeypatch.setattr(pages.Pages, "protect", refused)
    image = opened(str(path))
    assert image.name == "memory"
    given(image)
    assert called(image, "process")


def test_levels():
    assert [level_of(level.name) for level in LEVELS] == list(LEVELS)
    with pytest.raises(ValueError, match="no level 'x86-64-v9': there are x86-64-v4"):
        level_of("x86-64-v9")
    assert fitting("x86_64-unknown-linux-gnu", X86_64_V4.features + ",+gfni") == (X86_64_V4, X86_64_V3)
    assert fitting("x86_64-unknown-linux-musl", X86_64_V3.features + ",-avx512f") == (X86_64_V3,)
    assert fitting("x86_64-unknown-linux-gnu", X86_64_V3.features.replace("+fma", "-fma")) == ()
    assert fitting("aarch64-unknown-linux-gnu", "+fp-armv8,+lse,+neon,+sve") == (AARCH64,)
    assert fitting("x86_64-apple-darwin", X86_64_V4.features) == ()


def test_the_environment_says_which_library_is_used(mixed, tmp_path, monkeypatch):
    about = (HOST.triple, HOST.features)
    path = tmp_path / "x.image"
    path.write_bytes(mixed)
    found = find(*about, {"TSCRIPT_LIBRARY": str(path)})
    assert found is not None
    assert found.name == str(path)
    assert find(*about, {"TSCRIPT_LIBRARY": "off"}) is None
    path.write_bytes(mixed[:-5])
    with pytest.warns(LibraryWarning, match="a damaged native library: it ends early"):
        assert find(*about, {"TSCRIPT_LIBRARY": str(path)}) is None
    with pytest.warns(LibraryWarning, match="cannot be loaded"):
        assert find(*about, {"TSCRIPT_LIBRARY": str(tmp_path / "absent")}) is None
    folder = tmp_path / "package"
    (folder / "native").mkdir(parents=True)
    monkeypatch.setattr(prebuilt, "PACKAGE", str(folder) + "/")
    assert find(*about, {}) is None
    if levels := fitting(*about):
        Path(folder, "native", f"{levels[-1].name}.image").write_bytes(mixed)
        found = find(*about, {})
        assert found is not None
        assert found.name.endswith(f"{levels[-1].name}.image")
