"""Depth of calls and room on the stack, in functions that may call themselves or have large frames."""

from __future__ import annotations

from tscript.abi import symbols
from tscript.abi.layout import NO_STACK
from tscript.backend.llvm.text import UNLIKELY
from tscript.backend.nodes.cost import CALL_COST
from tscript.backend.nodes.failing import raise_error
from tscript.backend.nodes.function import FunctionEmitter
from tscript.backend.nodes.safepoints import safepoint

LEVELS = 8
"""The number of calls within a small program between two stack checks; a power of 2."""

SAVED = 256
"""Bytes of a frame beyond its size: saved registers and alignment."""


def see_frame(f: FunctionEmitter, number: int) -> None:
    """Check that the stack has room for the frame of another function, which is about to be called.

    Args:
        number: Of that frame (`tscript.abi.symbols.FRAMES`).
    """
    text = f.text
    text.declare_function("llvm.stacksave.p0", "ptr", [])
    here = text.let(f"ptrtoint ptr {text.let('call ptr @llvm.stacksave.p0()')} to i64", "here")
    place = text.let(f"getelementptr i64, ptr @{symbols.FRAMES}, i64 {number + 1}")
    end = text.let(f"sub i64 {here}, {text.let(f'load i64, ptr {place}')}")
    end = text.let(f"sub i64 {end}, {SAVED}", "end")
    limit = text.let(f"load i64, ptr {f.context_field('stack')}", "limit")
    _see_stack(f, text.let(f"icmp ult i64 {end}, {limit}", "low"), end)


def _enter_stack(f: FunctionEmitter) -> None:
    """Check the stack; for functions that may call themselves and have small frames."""
    text = f.text
    text.declare_function("llvm.stacksave.p0", "ptr", [])
    end = text.let(f"ptrtoint ptr {text.let('call ptr @llvm.stacksave.p0()')} to i64", "end")
    limit = text.let(f"load i64, ptr {f.context_field('stack')}", "limit")
    _see_stack(f, text.let(f"icmp ult i64 {end}, {limit}", "low"), end)


def _see_stack(f: FunctionEmitter, wanted: str, end: str) -> None:
    """Raise if the stack ends below `end`, where a check is needed."""
    text = f.text
    low, full, fine = (text.fresh_label(name) for name in ("low", "full", "fine"))
    text.terminate(f"br i1 {wanted}, label %{low}, label %{fine}{UNLIKELY}")
    text.label(low)
    text.declare_function(symbols.STACK, "i32", ["ptr", "i64"])
    found = text.let(f"call i32 @{symbols.STACK}(ptr %ctx, i64 {end})", "found")
    text.branch_if(text.let(f"icmp eq i32 {found}, 0"), fine, full)
    text.label(full)
    raise_error(f, f.graph.span, "RecursionError", "maximum recursion depth exceeded: the stack is used up")
    text.label(fine)


def enter_depth(f: FunctionEmitter, *, seen: bool) -> None:
    """Take one level of call depth if the stack has room, with a safepoint now and then; for functions that may call
    themselves.

    Args:
        seen: The stack was checked already (`see_frame`).
    """
    text = f.text
    place = f.context_field("depth")
    f.depth = text.let(f"load i64, ptr {place}", "depth")
    deep, fine = text.fresh_label("deep"), text.fresh_label("fine")
    exhausted = text.let(f"icmp slt i64 {f.depth}, 1")
    text.terminate(f"br i1 {exhausted}, label %{deep}, label %{fine}{UNLIKELY}")
    text.label(deep)
    raise_error(f, f.graph.span, "RecursionError", "maximum recursion depth exceeded")
    text.label(fine)
    if seen:
        pass
    elif f.module.small:  # so are the frames of a few levels
        few = text.let(f"icmp eq i64 {text.let(f'and i64 {f.depth}, {LEVELS - 1}')}, 0", "few")
        _see_stack(f, few, str(NO_STACK))
    else:
        _enter_stack(f)
    text.line(f"store i64 {text.let(f'sub i64 {f.depth}, 1')}, ptr {place}")
    if not f.module.safepoints:
        return
    place = f.context_field("countdown")
    left = text.let(f"sub i64 {text.let(f'load i64, ptr {place}')}, 1", "left")
    text.line(f"store i64 {left}, ptr {place}")
    pause, going_on = text.fresh_label("pause"), text.fresh_label("go")
    # For any start value: at most this many calls until the first safepoint.
    calls = max(1, f.module.budget // CALL_COST)
    spent = text.let(f"icmp uge i64 {left}, {calls}", "spent")
    text.terminate(f"br i1 {spent}, label %{pause}, label %{going_on}{UNLIKELY}")
    text.label(pause)
    text.line(f"store i64 {calls - 1}, ptr {place}")
    safepoint(f, f.graph.span)
    text.branch(going_on)
    text.label(going_on)
