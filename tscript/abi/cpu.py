"""What this machine is: LLVM's names of its platform, processor and features, found out without LLVM on Linux.

On x86-64 the processor is asked (`cpuid`), and which registers the operating system saves (`xgetbv`): a processor with
AVX-512 has none for us when the system saves no mask registers. On aarch64 the kernel has told the process (the
auxiliary vector), so features are known without ``/proc`` and under emulation. Names and order are LLVM's
(`binding.get_host_cpu_features().flatten()`), so one description serves both.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Iterable
from functools import cache

from tscript.abi.pages import EXECUTE, READ, Pages

Registers = tuple[int, int, int, int]
"""eax, ebx, ecx, edx."""

Ask = Callable[[int, int], Registers]
"""`cpuid` of a leaf and a subleaf."""

_EAX, _EBX, _ECX, _EDX = range(4)

_CPUID = bytes.fromhex("53 4989f8 418b00 418b4808 0fa2 418900 41895804 41894808 4189500c 5b c3")
"""``void f(uint32_t registers[4])``: leaf and subleaf are in eax and ecx."""
_XGETBV = bytes.fromhex("4989f8 31c9 0f01d0 418900 c3")
"""``void f(uint32_t registers[4])``: what of its state the system saves, in eax."""

# Bits of XCR0 that the system sets for what it saves.
_ANY = 0
_AVX = 0x6
_AVX512 = 0xE6
_AMX = 0x60000
_APX = 0x80000

# Leaf, subleaf, register, state that has to be saved, and the features with their bits.
_X86: tuple[tuple[int, int, int, int, str], ...] = (
    (1, 0, _EDX, _ANY, "cx8=8 cmov=15 mmx=23 fxsr=24 sse=25 sse2=26"),
    (1, 0, _ECX, _ANY, "sse3=0 pclmul=1 ssse3=9 cx16=13 sse4.1=19 sse4.2=20 crc32=20 movbe=22 popcnt=23 aes=25"),
    (1, 0, _ECX, _ANY, "rdrnd=30"),
    (1, 0, _ECX, _AVX, "fma=12 xsave=26 avx=28 f16c=29"),
    (0x80000001, 0, _ECX, _ANY, "sahf=0 lzcnt=5 sse4a=6 prfchw=8 lwp=15 tbm=21 mwaitx=29"),
    (0x80000001, 0, _ECX, _AVX, "xop=11 fma4=16"),
    (0x80000001, 0, _EDX, _ANY, "64bit=29"),
    (0x80000008, 0, _EBX, _ANY, "clzero=0 rdpru=4 wbnoinvd=9"),
    (7, 0, _EBX, _ANY, "fsgsbase=0 sgx=2 bmi=3 bmi2=8 invpcid=10 rtm=11 rdseed=18 adx=19 clflushopt=23 clwb=24 sha=29"),
    (7, 0, _EBX, _AVX, "avx2=5"),
    (7, 0, _EBX, _AVX512, "avx512f=16 avx512dq=17 avx512ifma=21 avx512cd=28 avx512bw=30 avx512vl=31"),
    (7, 0, _ECX, _ANY, "pku=4 waitpkg=5 shstk=7 gfni=8 rdpid=22 kl=23 cldemote=25 movdiri=27 movdir64b=28 enqcmd=29"),
    (7, 0, _ECX, _AVX, "vaes=9 vpclmulqdq=10"),
    (7, 0, _ECX, _AVX512, "avx512vbmi=1 avx512vbmi2=6 avx512vnni=11 avx512bitalg=12 avx512vpopcntdq=14"),
    (7, 0, _EDX, _ANY, "uintr=5 serialize=14 tsxldtrk=16 pconfig=18"),
    (7, 0, _EDX, _AVX512, "avx512vp2intersect=8 avx512fp16=23"),
    (7, 0, _EDX, _AMX, "amx-bf16=22 amx-tile=24 amx-int8=25"),
    (7, 1, _EAX, _ANY, "sha512=0 sm3=1 sm4=2 raoint=3 cmpccxadd=7 hreset=22 movrs=31"),
    (7, 1, _EAX, _AVX, "avxvnni=4 avxifma=23"),
    (7, 1, _EAX, _AVX512, "avx512bf16=5"),
    (7, 1, _EAX, _AMX, "amx-fp16=21"),
    (7, 1, _EDX, _ANY, "prefetchi=14 usermsr=15"),
    (7, 1, _EDX, _AVX, "avxvnniint8=4 avxneconvert=5 avxvnniint16=10"),
    (7, 1, _EDX, _AMX, "amx-complex=8"),
    (7, 1, _EDX, _AVX512, "avx10.1=19"),
    (7, 1, _EDX, _APX, "egpr=21 push2pop2=21 ppx=21 ndd=21 ccmp=21 nf=21 cf=21 zu=21"),
    (0xD, 1, _EAX, _AVX, "xsaveopt=0 xsavec=1 xsaves=3"),
    (0x14, 0, _EBX, _ANY, "ptwrite=4"),
    (0x19, 0, _EBX, _ANY, "widekl=2"),
    (0x1E, 1, _EAX, _AMX, "amx-fp8=4 amx-tf32=6 amx-avx512=7 amx-movrs=8"),
)  # fmt: skip

_INTEL: dict[str, str] = {
    "nehalem": "1a 1e 1f 2e", "westmere": "25 2c 2f", "sandybridge": "2a 2d", "ivybridge": "3a 3e",
    "haswell": "3c 3f 45 46", "broadwell": "3d 47 4f 56", "skylake": "4e 5e 8e 9e a5 a6", "rocketlake": "a7",
    "cannonlake": "66", "icelake-client": "7d 7e", "icelake-server": "6a 6c", "tigerlake": "8c 8d",
    "alderlake": "97 9a", "raptorlake": "b7 ba bf", "meteorlake": "aa ac", "gracemont": "be", "arrowlake": "c5",
    "arrowlake-s": "c6", "lunarlake": "bd", "pantherlake": "cc", "sapphirerapids": "8f", "emeraldrapids": "cf",
    "graniterapids": "ad", "graniterapids-d": "ae", "sierraforest": "af", "grandridge": "b6", "clearwaterforest": "dd",
    "silvermont": "37 4a 4d 4c 5a 5d", "goldmont": "5c 5f", "goldmont-plus": "7a", "tremont": "86 8a 96 9c",
}  # fmt: skip
"""Models of Intel's family 6, in hexadecimal."""

_ARM: dict[tuple[str, str], str] = {
    ("0x41", "0xd03"): "cortex-a53", ("0x41", "0xd07"): "cortex-a57", ("0x41", "0xd08"): "cortex-a72",
    ("0x41", "0xd0b"): "cortex-a76", ("0x41", "0xd0c"): "neoverse-n1", ("0x41", "0xd40"): "neoverse-v1",
    ("0x41", "0xd49"): "neoverse-n2", ("0x41", "0xd4f"): "neoverse-v2", ("0x46", "0x001"): "a64fx",
    ("0xc0", "0xac3"): "ampere1", ("0xc0", "0xac4"): "ampere1a",
}  # fmt: skip
"""Implementer and part of the processors that the kernel names by numbers."""

_ARM_FEATURES = {"asimd": "neon", "fp": "fp-armv8", "crc32": "crc", "atomics": "lse", "sve": "sve", "sve2": "sve2"}
"""The kernel's word for a feature, and LLVM's."""

_HWCAP = "fp=0 asimd=1 aes=3 pmull=4 sha1=5 sha2=6 crc32=7 atomics=8 sve=22"
_HWCAP2 = "sve2=1"
"""Bits of the entries 16 and 26 of the auxiliary vector."""


@cache
def host() -> tuple[str, str, str] | None:
    """LLVM's triple, processor and features of this machine; None where only LLVM knows them."""
    if not sys.platform.startswith("linux"):
        return None
    machine = os.uname().machine
    triple = f"{machine}-unknown-linux-{'musl' if 'musl' in getattr(sys.implementation, '_multiarch', '') else 'gnu'}"
    try:
        if machine == "x86_64" and sys.maxsize > 1 << 32:
            return (triple, *_x86_host())
        if machine == "aarch64":
            return (triple, *described(_cpuinfo(), _told()))
    except OSError:
        pass  # a system without memory for code: LLVM says what it can
    return None


def _cpuinfo() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def _told() -> set[str] | None:
    """The kernel's words for the features of an aarch64 machine; None: this C library does not say."""
    ask = getattr(ctypes.CDLL(None), "getauxval", None)
    if ask is None:
        return None
    ask.argtypes, ask.restype = (ctypes.c_ulong,), ctypes.c_ulong
    return features_told(ask(16), ask(26))


def features_told(first: int, second: int) -> set[str]:
    """The kernel's words for what two entries of the auxiliary vector, ``AT_HWCAP`` and ``AT_HWCAP2``, say.

    Example:
        >>> sorted(features_told(0b10, 0b10))
        ['asimd', 'sve2']
    """
    told = ((first, _HWCAP), (second, _HWCAP2))
    pairs = [(bits, entry.partition("=")) for bits, names in told for entry in names.split()]
    return {name for bits, (name, _, bit) in pairs if bits >> int(bit) & 1}


def _x86_host() -> tuple[str, str]:
    pages = Pages(128)
    try:
        pages.write(_CPUID.ljust(64, b"\x90") + _XGETBV)
        pages.protect(0, pages.nbytes, READ | EXECUTE)
        kind = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_uint32))
        cpuid, xgetbv = kind(pages.address), kind(pages.address + 64)

        def ask(leaf: int, subleaf: int) -> Registers:
            registers = (ctypes.c_uint32 * 4)(leaf, 0, subleaf, 0)
            cpuid(registers)
            return registers[0], registers[1], registers[2], registers[3]

        def saved() -> int:
            registers = (ctypes.c_uint32 * 4)()
            xgetbv(registers)
            return int(registers[0])

        found = x86_features(ask, saved)
        return x86_processor(ask, found), flattened(found)
    finally:
        pages.free()


def x86_features(ask: Ask, saved: Callable[[], int]) -> dict[str, bool]:
    """Every feature that LLVM knows, and whether code may use it.

    Args:
        ask: Asks the processor.
        saved: What the operating system saves, the low half of XCR0; called only where there is such a thing.
    """
    limits = {0: ask(0, 0)[0], 0x80000000: ask(0x80000000, 0)[0]}
    subleaves = ask(7, 0)[0] if limits[0] >= 7 else 0
    has_xsave = bool(ask(1, 0)[2] >> 27 & 1)
    state = saved() if has_xsave else 0
    has_avx = bool(ask(1, 0)[2] >> 28 & 1)
    answers: dict[tuple[int, int], Registers] = {}
    found: dict[str, bool] = {}
    for leaf, subleaf, register, needed, names in _X86:
        if leaf > limits[leaf & 0x80000000] or (leaf == 7 and subleaf > subleaves):
            value = 0
        else:
            if (leaf, subleaf) not in answers:
                answers[leaf, subleaf] = ask(leaf, subleaf)
            value = answers[leaf, subleaf][register]
        usable = state & needed == needed and (has_avx or needed not in (_AVX, _AVX512))
        for entry in names.split():
            name, _, bit = entry.partition("=")
            found[name] = usable and bool(value >> int(bit) & 1)
    version = ask(0x24, 0)[1] & 0xFF if limits[0] >= 0x24 else 0
    found["avx10.2"] = found["avx10.1"] and version >= 2
    found["avx10.1"] = found["avx10.1"] and version >= 1
    found["widekl"] = found["widekl"] and limits[0] >= 7
    return found


def x86_processor(ask: Ask, features: dict[str, bool]) -> str:
    """LLVM's name of the processor to tune for; of one it does not know, the level it has."""
    _, *vendor = ask(0, 0)
    signature = ask(1, 0)[0]
    family, model = signature >> 8 & 15, signature >> 4 & 15
    if family in (6, 15):
        model |= signature >> 12 & 0xF0
    if family == 15:
        family += signature >> 20 & 0xFF
    known = ""
    if vendor == [0x756E6547, 0x6C65746E, 0x49656E69] and family == 6:  # GenuineIntel
        known = _intel(model, features)
    elif vendor == [0x68747541, 0x444D4163, 0x69746E65]:  # AuthenticAMD
        known = _amd(family, model)
    return known or _level(features)


def _intel(model: int, features: dict[str, bool]) -> str:
    if model == 0x55:
        if features["avx512bf16"]:
            return "cooperlake"
        return "cascadelake" if features["avx512vnni"] else "skylake-avx512"
    return next((name for name, models in _INTEL.items() if f"{model:x}" in models.split()), "")


def _amd(family: int, model: int) -> str:
    if family == 0x17:
        is_second = 0x30 <= model <= 0x3F or model == 0x47 or 0x60 <= model <= 0xAF
        return "znver2" if is_second else "znver1"
    if family == 0x19:
        return "znver4" if 0x10 <= model <= 0x1F or 0x60 <= model <= 0x7F or 0xA0 <= model <= 0xAF else "znver3"
    return "znver5" if family == 0x1A and model < 0x50 else ""


def _level(features: dict[str, bool]) -> str:
    def has(names: str) -> bool:
        return all(features[n] for n in names.split())

    if has("avx512f avx512bw avx512cd avx512dq avx512vl"):
        return "x86-64-v4"
    if has("avx avx2 bmi bmi2 f16c fma lzcnt movbe xsave"):
        return "x86-64-v3"
    return "x86-64-v2" if has("cx16 popcnt sahf sse3 sse4.1 sse4.2 ssse3") else "x86-64"


def flattened(features: dict[str, bool]) -> str:
    """LLVM's string of features.

    Example:
        >>> flattened({"sse": True, "avx": False})
        '-avx,+sse'
    """
    return ",".join(f"{'+' if features[name] else '-'}{name}" for name in sorted(features))


def described(text: str, told: set[str] | None = None) -> tuple[str, str]:
    """Processor and features of an aarch64 machine, from the kernel's description, ``/proc/cpuinfo``.

    Features that a processor usually has and the kernel does not give are switched off.

    Args:
        text: The description.
        told: The kernel's words for the features; None: they are taken from the description.

    Example:
        >>> described("Features : fp asimd atomics\\nCPU implementer : 0x41\\nCPU part : 0xd0c\\n")
        ('neoverse-n1', '+fp-armv8,+lse,+neon,-sve,-sve2')
    """
    fields: dict[str, str] = {}
    for line in text.splitlines():
        name, _, value = line.partition(":")
        fields.setdefault(name.strip(), value.strip())
    given = set(fields.get("Features", "").split()) if told is None else told
    found = {name: word in given for word, name in _ARM_FEATURES.items() if word in given or name.startswith("sve")}
    found |= {name: True for name, words in (("aes", {"aes", "pmull"}), ("sha2", {"sha1", "sha2"})) if words <= given}
    cpu = _ARM.get((fields.get("CPU implementer", ""), fields.get("CPU part", "")), "generic")
    return cpu, flattened(found)


def names() -> Iterable[str]:
    """The processors of x86-64 that are known by name."""
    return (*_INTEL, "cooperlake", "cascadelake", "skylake-avx512", "znver1", "znver2", "znver3", "znver4", "znver5",
            "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4")  # fmt: skip
