"""References: one more or one less, for one operand or for all in a value."""

from __future__ import annotations

from collections.abc import Sequence

from tscript.abi import symbols
from tscript.abi.leaves import leaves
from tscript.backend.nodes.function import FunctionEmitter
from tscript.backend.nodes.state import SLOT
from tscript.ir.graph import Value
from tscript.types import (
    Type,
    is_counted,
)


def retain(f: FunctionEmitter, reference: str) -> None:
    """One more reference."""
    if reference != "null":
        _count(f, symbols.TENSOR_RETAIN if reference in f.tensors else symbols.OBJECT_RETAIN, reference)


def release(f: FunctionEmitter, reference: str) -> None:
    """One reference less; of a slot, what it refers to now."""
    if reference.startswith(SLOT):
        found = f.text.let(f"load ptr, ptr {reference[len(SLOT) :]}")
        if reference in f.tensors:
            f.tensors.add(found)
        reference = found
    _count(f, symbols.TENSOR_RELEASE if reference in f.tensors else symbols.OBJECT_RELEASE, reference)


def _count(f: FunctionEmitter, symbol: str, reference: str) -> None:
    f.text.declare_function(symbol, "i32", ["ptr", "ptr"])
    f.text.line(f"call i32 @{symbol}(ptr %ctx, ptr {reference})")


def retain_all(f: FunctionEmitter, operands: Sequence[str], type: Type) -> None:
    """One more reference for each that a value holds."""
    for operand, leaf in zip(operands, leaves(type), strict=True):
        if is_counted(leaf):
            f.note(operand, leaf)
            retain(f, operand)


def release_all(f: FunctionEmitter, operands: Sequence[str], type: Type) -> None:
    """One reference less for each that a value holds."""
    for operand, leaf in zip(operands, leaves(type), strict=True):
        if is_counted(leaf):
            f.note(operand, leaf)
            release(f, operand)


def drop(f: FunctionEmitter, root: Value) -> None:
    """Release what the innermost scope still owns of `root`."""
    scope = f.scopes[-1]
    for operand in f.env[root]:
        if operand in scope:
            scope.remove(operand)
            release(f, operand)
