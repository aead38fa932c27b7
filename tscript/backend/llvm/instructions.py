"""Instructions that each processor has of its own: functions that are defined in the modules that call them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from tscript.backend.llvm.target import Target

PAUSE = "tscript.pause"
"""``void ()``: tells the processor that a loop waits; nothing on processors that have no such instruction."""

COUNTER = "tscript.counter"
"""``i64 ()``: cycles of x86-64, ticks of AArch64, whose cycles programs may not read; 0 elsewhere."""

THREAD = "tscript.thread"
"""``i64 ()``: a number that no other running thread has; 0 where finding it takes a call."""

VECTOR = "tscript.vector"
"""``i64 ()``: how many bytes the vector registers have that code should use."""

FITTING = "tscript.fitting"
"""``i64 (double)``: a float towards zero; the least int unless it fits 64 bits."""

_PAUSES = {"x86_64": ("llvm.x86.sse2.pause", "", ""), "aarch64": ("llvm.aarch64.hint", "i32", "i32 1")}
# LLVM's `readsteadycounter` is 0 on AArch64; the register itself may be read.
_COUNTERS = {
    "x86_64": ("llvm.readcyclecounter", "", ""),
    "aarch64": ("llvm.read_volatile_register.i64", "metadata", 'metadata !{!"cntvct_el0"}'),
}


def _pause(target: Target) -> str:
    if target.architecture not in _PAUSES:
        return f"define internal void @{PAUSE}() alwaysinline nounwind {{\n  ret void\n}}"
    name, types, arguments = _PAUSES[target.architecture]
    return (
        f"declare void @{name}({types})\n"
        f"define internal void @{PAUSE}() alwaysinline nounwind {{\n  call void @{name}({arguments})\n  ret void\n}}"
    )


def _counter(target: Target) -> str:
    if target.architecture not in _COUNTERS:
        return f"define internal i64 @{COUNTER}() alwaysinline nounwind {{\n  ret i64 0\n}}"
    name, types, arguments = _COUNTERS[target.architecture]
    return (
        f"declare i64 @{name}({types})\n"
        f"define internal i64 @{COUNTER}() alwaysinline nounwind {{\n"
        f"  %n = call i64 @{name}({arguments})\n  ret i64 %n\n}}"
    )


def _thread(target: Target) -> str:
    if target.architecture not in _PAUSES or "linux" not in target.triple:
        return f"define internal i64 @{THREAD}() alwaysinline nounwind {{\n  ret i64 0\n}}"
    return (
        f"declare ptr @llvm.thread.pointer.p0()\n"
        f"define internal i64 @{THREAD}() alwaysinline nounwind {{\n"
        f"  %p = call ptr @llvm.thread.pointer.p0()\n  %n = ptrtoint ptr %p to i64\n  ret i64 %n\n}}"
    )


def _vector(target: Target) -> str:
    return f"define internal i64 @{VECTOR}() alwaysinline nounwind {{\n  ret i64 {target.vector_bits // 8}\n}}"


def _fitting(target: Target) -> str:
    head = f"define internal i64 @{FITTING}(double %x) alwaysinline nounwind memory(none) {{\n"
    if target.architecture == "x86_64":
        return (
            f"declare i64 @llvm.x86.sse2.cvttsd2si64(<2 x double>)\n{head}"
            f"  %v = insertelement <2 x double> zeroinitializer, double %x, i64 0\n"
            f"  %n = call i64 @llvm.x86.sse2.cvttsd2si64(<2 x double> %v)\n  ret i64 %n\n}}"
        )
    return (
        f"{head}"
        f"  %low = fcmp oge double %x, 0xC3E0000000000000\n  %high = fcmp olt double %x, 0x43E0000000000000\n"
        f"  %fits = and i1 %low, %high\n  %known = select i1 %fits, double %x, double 0xC3E0000000000000\n"
        f"  %n = fptosi double %known to i64\n  ret i64 %n\n}}"
    )


INSTRUCTIONS: Mapping[str, Callable[[Target], str]] = MappingProxyType(
    {PAUSE: _pause, COUNTER: _counter, THREAD: _thread, VECTOR: _vector, FITTING: _fitting}
)
"""What defines each of them, by symbol."""
