"""Quick code that counts: when it has run often or long it asks for better code, to which it leads from then on.

The module of a program stays as it is. Its entry gets another name, behind a function that counts its calls; so do its
safepoints. All that holds the address of the entry (rows, function values, tasks) reaches the better code through it::

    i32 @tsf_f(...):                          i32 @tsq_safepoint(ctx):
        if better: return better(...)             left -= STEPS
        left -= 1                                 if that reaches 0: hot(ctx, cell)
        if that reaches 0: hot(ctx, cell)         return ts_safepoint_v1(ctx)
        return @tsf_f.quick(...)
"""

from __future__ import annotations

from tscript.abi.symbols import HOT, SAFEPOINT, TIER
from tscript.backend.llvm.emitted import Emitted
from tscript.backend.llvm.text import UNLIKELY

STEPS = 64
"""Calls that a safepoint of a loop counts for."""

CELL = f"""\
@{TIER} = global [2 x i64] zeroinitializer, align 8
declare i32 @{HOT}(ptr, ptr)"""

BETTER = f"""\
  %better = load atomic i64, ptr getelementptr (i8, ptr @{TIER}, i64 8) acquire, align 8
  %is.better = icmp ne i64 %better, 0
  br i1 %is.better, label %lead, label %count
lead:
  %code = inttoptr i64 %better to ptr"""


def counting(module: Emitted) -> str:
    """The text of a module whose entry and safepoints count."""
    name, parameters = module.entry
    quick = f'{name[:-1]}.quick"' if name.endswith('"') else f"{name}.quick"
    text = module.text.replace(f"\ndefine i32 {name}(", f"\ndefine internal i32 {quick}(", 1)
    paused = text.replace(f"call i32 @{SAFEPOINT}(", "call i32 @tsq_safepoint(")
    lead = [*BETTER.splitlines(), f"  %led = musttail call i32 %code({parameters})", "  ret i32 %led", "count:"]
    parts = [paused, CELL, f"define i32 {name}({parameters}) #0 {{", *lead, *_count(1)]
    parts += [f"  %done = musttail call i32 {quick}({parameters})", "  ret i32 %done", "}"]
    if paused != text:
        parts += ["define internal i32 @tsq_safepoint(ptr %ctx) noinline #0 {", *_count(STEPS)]
        parts += [f"  %done = tail call i32 @{SAFEPOINT}(ptr %ctx)", "  ret i32 %done", "}"]
    return "\n".join([*parts, ""])


def _count(steps: int) -> list[str]:
    """Count down, and ask for better code once; what follows is in the block ``go``."""
    return [
        f"  %left = load i64, ptr @{TIER}",
        f"  %less = sub i64 %left, {steps}",
        f"  store i64 %less, ptr @{TIER}",
        "  %before = icmp sgt i64 %left, 0",
        "  %behind = icmp slt i64 %less, 1",
        "  %is.hot = and i1 %before, %behind",
        f"  br i1 %is.hot, label %tell, label %go{UNLIKELY}",
        "tell:",
        f"  %status = call i32 @{HOT}(ptr %ctx, ptr @{TIER})",
        "  %failed = icmp ne i32 %status, 0",
        "  br i1 %failed, label %leave, label %go",
        "leave:",
        "  ret i32 %status",
        "go:",
    ]
