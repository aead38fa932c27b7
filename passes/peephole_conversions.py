"""Peephole rules for optionals and unions: tests and conversions of what has just been made one."""

from __future__ import annotations

from collections.abc import Mapping

from tscript.ir.graph import Const, Op, Value
from tscript.operators.python.conversions import BOX, UPCAST, is_object
from tscript.passes.peephole_window import Rule, Window
from tscript.types import BOOL, NONE, OptionalType, Type, is_subtype


def _is_none(node: Op, window: Window) -> Value | None:
    made = node.inputs[0].node
    if isinstance(made, Const) and made.value is None:
        return window.builder.const(True, type=BOOL)
    held = _held(node.inputs[0])
    if held is None or held.type == NONE or isinstance(held.type, OptionalType) or is_object(held.type):
        return None
    return window.builder.const(False, type=BOOL)


def _is_instance(node: Op, window: Window) -> Value | None:
    held, wanted = _held(node.inputs[0]), node.inputs[1].constant
    if held is None or not isinstance(wanted, Type) or isinstance(held.type, OptionalType) or is_object(held.type):
        return None
    if is_subtype(held.type, wanted):
        return window.builder.const(True, type=BOOL)
    return None if is_subtype(wanted, held.type) else window.builder.const(False, type=BOOL)


def _narrowed(node: Op, window: Window) -> Value | None:
    """What was just made wider; the pass takes it where the type is the same."""
    return _held(node.inputs[0])


def _held(value: Value) -> Value | None:
    """What a wider value was just made of."""
    made = value.node
    return made.inputs[0] if isinstance(made, Op) and (made.op is UPCAST or made.op is BOX) else None


CONVERSIONS: Mapping[str, Rule] = {
    "is_none": _is_none,
    "is_instance": _is_instance,
    "downcast": _narrowed,
    "unbox": _narrowed,
}
"""Rules of conversions, by qualified name."""
