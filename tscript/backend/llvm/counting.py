"""Quick code that counts: when it has run often or long it asks for better code, to which it leads from then on.

The module of a program stays as it is. Its entry gets another name, behind a function that counts its calls; so do its
safepoints. All that holds the address of the entry (rows, function values, tasks) reaches the better code through it::

    i32 @tsf_f(...):                          i32 @tsq_safepoint(ctx):
        if better: return better(...)             tsq_time()
        left -= 1                                 left -= STEPS
        if that reaches 0: hot(ctx, cell)         if that reaches 0: hot(ctx, cell)
        stamp = counter()                         return ts_safepoint_v1(ctx)
        status = @tsf_f.quick(...)
        tsq_time()                            tsq_time():
        return status                             time_left -= time since stamp
                                                  if that reaches 0: left = 1, at most

So code asks after many calls, or after few that take long, whatever they do. Threads that are in the same code disturb
each other's stamps; then it asks a little sooner or later.

A call that is in a long loop goes on in better code, too: behind the safepoint of a loop it looks for a continuation
(`tscript.backend.llvm.continuation`), which gets what is alive there and returns what the function returns::

    last = 3
    if continuations[2]: return continuations[2](ctx, alive...)
"""

from __future__ import annotations

import re

from tscript.abi.symbols import CONTINUATIONS, HOT, LAST_PLACE, SAFEPOINT, STAMP, TIER, TIME_LEFT
from tscript.backend.llvm.emitted import MARK, Emitted
from tscript.backend.llvm.instructions import COUNTER, INSTRUCTIONS
from tscript.backend.llvm.target import Target
from tscript.backend.llvm.text import UNLIKELY

STEPS = 64
"""Calls that a safepoint of a loop counts for."""


BETTER = f"""\
  %better = load atomic i64, ptr getelementptr (i8, ptr @{TIER}, i64 8) acquire, align 8
  %is.better = icmp ne i64 %better, 0
  br i1 %is.better, label %lead, label %count
lead:
  %code = inttoptr i64 %better to ptr"""


_TIME = f"""\
define internal void @tsq_time() noinline #0 {{
  %now = call i64 @{COUNTER}()
  %began = load i64, ptr getelementptr (i8, ptr @{TIER}, i64 {STAMP}), align 8
  store i64 %now, ptr getelementptr (i8, ptr @{TIER}, i64 {STAMP}), align 8
  %passed = sub i64 %now, %began
  %is.back = icmp slt i64 %passed, 0
  %spent = select i1 %is.back, i64 0, i64 %passed
  %had = load i64, ptr getelementptr (i8, ptr @{TIER}, i64 {TIME_LEFT}), align 8
  %has = sub i64 %had, %spent
  store i64 %has, ptr getelementptr (i8, ptr @{TIER}, i64 {TIME_LEFT}), align 8
  %before = icmp sgt i64 %had, 0
  %behind = icmp slt i64 %has, 1
  %is.hot = and i1 %before, %behind
  br i1 %is.hot, label %ask, label %done
ask:
  %left = load i64, ptr @{TIER}, align 8
  %is.many = icmp sgt i64 %left, 1
  %fewer = select i1 %is.many, i64 1, i64 %left
  store i64 %fewer, ptr @{TIER}, align 8
  br label %done
done:
  ret void
}}"""


def counting(module: Emitted, target: Target) -> str:
    """The text of a module whose entry and safepoints count."""
    name, parameters = module.entry
    quick = f'{name[:-1]}.quick"' if name.endswith('"') else f"{name}.quick"
    text = (module.marked or module.text).replace(f"\ndefine i32 {name}(", f"\ndefine internal i32 {quick}(", 1)
    if module.marks:
        text = re.sub(_RESUME, _leave, text)
    paused = text.replace(f"call i32 @{SAFEPOINT}(", "call i32 @tsq_safepoint(")
    lead = [*BETTER.splitlines(), f"  %led = musttail call i32 %code({parameters})", "  ret i32 %led", "count:"]
    parts = [paused, _cell(module.marks), f"define i32 {name}({parameters}) #0 {{", *lead, *_count(1)]
    parts += [
        f"  %began = call i64 @{COUNTER}()",
        f"  store i64 %began, ptr getelementptr (i8, ptr @{TIER}, i64 {STAMP}), align 8",
        f"  %done = call i32 {quick}({parameters})",
        "  call void @tsq_time()",
        "  ret i32 %done",
        "}",
        _TIME,
    ]
    if f" @{COUNTER}(" not in text:
        parts.append(INSTRUCTIONS[COUNTER](target))
    if paused != text:
        parts += [
            "define internal i32 @tsq_safepoint(ptr %ctx) noinline #0 {",
            "  call void @tsq_time()",
            *_count(STEPS),
        ]
        parts += [f"  %done = tail call i32 @{SAFEPOINT}(ptr %ctx)", "  ret i32 %done", "}"]
    return "\n".join([*parts, ""])


_RESUME = MARK + r"\n  br label %([^\n]+)"


def _cell(marks: int) -> str:
    return (
        f"@{TIER} = global [{CONTINUATIONS // 8 + marks} x i64] zeroinitializer, align 8\ndeclare i32 @{HOT}(ptr, ptr)"
    )


def _leave(found: re.Match[str]) -> str:
    """What stands at the end of a safepoint where a continuation may begin. Names with a ``$`` are nobody else's."""
    number = int(found[1])
    lines = [
        f"store i64 {number + 1}, ptr getelementptr (i8, ptr @{TIER}, i64 {LAST_PLACE})",
        f"%there${number} = load atomic i64, ptr getelementptr (i8, ptr @{TIER}, i64 {CONTINUATIONS + 8 * number}) "
        "acquire, align 8",
        f"%is.there${number} = icmp ne i64 %there${number}, 0",
        f"br i1 %is.there${number}, label %resume${number}, label %{found[4]}{UNLIKELY}",
    ]
    given = ["ptr %ctx", *filter(None, found[2].split(", "))]
    leaving = [f"%code${number} = inttoptr i64 %there${number} to ptr"]
    for slot in filter(None, found[3].strip().split(", ")):
        type, _, place = slot.rpartition(" ")
        leaving.append(f"{place}${number} = load {type}, ptr {place}")
        given.append(f"{type} {place}${number}")
    leaving += [f"%left${number} = call i32 %code${number}({', '.join(given)})", f"ret i32 %left${number}"]
    return "".join(f"\n  {line}" for line in lines) + f"\nresume${number}:" + "".join(f"\n  {x}" for x in leaving)


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
