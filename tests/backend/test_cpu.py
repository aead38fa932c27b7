"""The machine described without LLVM is the one that LLVM describes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tscript.abi import cpu

LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere LLVM is asked")
# A processor of Intel's with everything: what it answers to each leaf, and saves.
FULL = dict.fromkeys((1, 7, 13, 20, 25, 30, 36, 2147483649, 2147483656), ((1 << 32) - 1,) * 4)
FULL |= {0: (0x24, 0x756E6547, 0x6C65746E, 0x49656E69), 0x80000000: (0x80000008, 0, 0, 0)}


def features(saved: int, **changed: int) -> set[str]:
    found = cpu.x86_features(lambda leaf, subleaf: FULL[leaf], lambda: saved)
    return {name for name, has in found.items() if has}


@LINUX
def test_it_is_as_llvm_says():
    from llvmlite import binding

    known = cpu.host()
    assert known is not None
    triple, processor, found = known
    if triple.startswith("aarch64") and "Features" not in Path("/proc/cpuinfo").read_text():
        pytest.skip("LLVM reads the description of another processor: this one is emulated")
    assert triple == binding.get_process_triple()
    theirs = binding.get_host_cpu_features().flatten()
    if triple.startswith("x86_64"):
        assert found.split(",") == theirs.split(",")
    else:
        assert {f for f in found.split(",") if f[0] == "+"} <= set(theirs.split(","))
    assert processor == binding.get_host_cpu_name() or processor.startswith(("x86-64", "generic"))


def test_what_the_system_does_not_save_is_not_used():
    everything, wide, narrow, none = (features(state) for state in (0xE00E7, 0x7, 0x3, 0))
    assert {"avx512f", "amx-tile", "egpr", "avx2", "sse4.2", "avx10.2"} <= everything
    assert {"avx2", "fma", "f16c", "avxvnni", "vaes", "xsave"} <= wide
    assert not {f for f in wide if f.startswith(("avx512", "amx", "egpr", "avx10"))}
    assert narrow == none
    assert not none & {"avx", "avx2", "fma", "xsave", "f16c", "vaes", "xop"}
    assert {"sse4.2", "popcnt", "bmi2", "64bit"} <= none


def test_leaves_that_a_processor_lacks_are_not_asked():
    asked = []

    def ask(leaf: int, subleaf: int) -> cpu.Registers:
        asked.append((leaf, subleaf))
        return {0: (1, 0, 0, 0), 0x80000000: (0x80000000, 0, 0, 0)}.get(leaf, (0, 0, 0, (1 << 32) - 1))

    found = cpu.x86_features(ask, lambda: pytest.fail("it has no xgetbv"))
    assert {name for name, has in found.items() if has} == {"cx8", "cmov", "mmx", "fxsr", "sse", "sse2"}
    assert {leaf for leaf, _ in asked} == {0, 1, 0x80000000}
    assert cpu.x86_processor(ask, found) == "x86-64"


@pytest.mark.parametrize(
    ("vendor", "signature", "name"),
    [
        ("GenuineIntel", 0xC06F2, "emeraldrapids"),
        ("GenuineIntel", 0x306C3, "haswell"),
        ("GenuineIntel", 0x50657, "cooperlake"),
        ("GenuineIntel", 0xF06F0, "x86-64-v4"),
        ("AuthenticAMD", 0x830F10, "znver2"),
        ("AuthenticAMD", 0xA20F10, "znver3"),
        ("AuthenticAMD", 0xA10F11, "znver4"),
        ("AuthenticAMD", 0xB40F40, "znver5"),
        ("AuthenticAMD", 0x600F12, "x86-64-v4"),
        ("GenuineTMx86", 0x306C3, "x86-64-v4"),
    ],
)
def test_processors(vendor, signature, name):
    ebx, edx, ecx = (int.from_bytes(vendor[i : i + 4].encode(), "little") for i in (0, 4, 8))
    found = cpu.x86_features(lambda leaf, subleaf: FULL[leaf], lambda: 0xE7)
    answers = {0: (0x24, ebx, ecx, edx), 1: (signature, 0, 0, 0)}
    assert cpu.x86_processor(lambda leaf, subleaf: answers[leaf], found) == name


@pytest.mark.parametrize("name", cpu.names())
def test_llvm_knows_the_processors(name, capfd):
    from tscript.backend.llvm.target import Target

    Target("x86_64-unknown-linux-gnu", name).machine(0)
    assert not capfd.readouterr().err


def test_what_an_arm_processor_has_and_the_kernel_hides_is_off():
    text = "processor : 0\nFeatures\t: fp asimd aes pmull sha1 sha2 crc32 atomics\nCPU implementer\t: 0x41\n"
    assert cpu.described(f"{text}CPU part\t: 0xd40\n") == (
        "neoverse-v1",
        "+aes,+crc,+fp-armv8,+lse,+neon,+sha2,-sve,-sve2",
    )
    assert cpu.described("") == ("generic", "-sve,-sve2")
    assert cpu.described(text, {"fp", "asimd", "sve2"}) == ("generic", "+fp-armv8,+neon,-sve,+sve2")
    assert cpu.described("flags : fpu vme\n", cpu.features_told(1 << 22 | 0b11, 1))[1] == "+fp-armv8,+neon,+sve,-sve2"
