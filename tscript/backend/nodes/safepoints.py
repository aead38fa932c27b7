"""Safepoints: a budget that loops count down, and what happens when it is used up."""

from __future__ import annotations

from collections.abc import Iterable

from tscript.abi import symbols
from tscript.abi.mode import IS_CHECKED
from tscript.backend.llvm.text import UNLIKELY
from tscript.backend.nodes.failing import call_symbol
from tscript.backend.nodes.function import FunctionEmitter
from tscript.backend.nodes.resuming import mark
from tscript.backend.nodes.state import Typed
from tscript.diagnostics import Span
from tscript.ir.graph import For, Loop


def budget_slot(f: FunctionEmitter) -> str:
    """The stack slot that counts down to the next safepoint; always at least 1."""
    if f.budget is None:
        f.budget = f.text.alloca("i64", "budget", str(f.module.budget))
    return f.budget


def safepoint(f: FunctionEmitter, span: Span) -> None:
    """Emit a safepoint for signals and other threads; leaves on an error."""
    call_symbol(f, symbols.SAFEPOINT, (), (), span)
    if IS_CHECKED:  # behind it: a signal must not arrive in there
        f.text.declare_function(symbols.VERIFY, "void", ["ptr"])
        f.text.line(f"call void @{symbols.VERIFY}(ptr %ctx)")


def count_down(f: FunctionEmitter, cost: int, owned: list[str], loop: Loop | For, needed: Iterable[Typed]) -> None:
    """Subtract `cost` from the budget, with a safepoint when it is used up; continues in a new block.

    Args:
        owned: References among what is carried to the next iteration of `loop`.
        needed: All that `loop` itself needs for it.
    """
    text = f.text
    slot = budget_slot(f)
    left = text.let(f"sub i64 {text.let(f'load i64, ptr {slot}')}, {cost}", "left")
    text.line(f"store i64 {left}, ptr {slot}")
    spent = text.let(f"icmp slt i64 {left}, 1", "spent")
    stop, again = text.fresh_label("pause"), text.fresh_label("again")
    text.terminate(f"br i1 {spent}, label %{stop}, label %{again}{UNLIKELY}")
    text.label(stop)
    pause(f, owned, loop, needed)
    text.branch(again)
    text.label(again)


def pause(f: FunctionEmitter, owned: list[str], loop: Loop | For, needed: Iterable[Typed]) -> None:
    """The safepoint of a loop, behind which the block goes on with the next iteration; see `count_down`."""
    f.scopes.append(owned)
    safepoint(f, loop.span)
    f.text.line(f"store i64 {f.module.budget}, ptr {budget_slot(f)}")
    mark(f, loop, needed)
    f.scopes.pop()
