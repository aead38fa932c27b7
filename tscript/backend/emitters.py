"""The emitters of nodes: the table for functions, and the one for observed variants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tscript.backend.nodes import (
    calls,
    classes,
    closures,
    containers,
    control,
    counted,
    custom,
    exceptions,
    futures,
    native,
    observe,
    structural,
    unions,
)
from tscript.backend.nodes.function import Emitters, FunctionEmitter, OpEmitter
from tscript.definitions.opdef import (
    CCall,
    Composite,
    Extern,
    Kernel,
    Leaf,
    Native,
    NativeCall,
    OpDef,
    Pointwise,
    PythonCall,
    Scalar,
    Structural,
    Wait,
)
from tscript.ir.graph import (
    Break,
    Call,
    Closure,
    Const,
    Continue,
    For,
    Fork,
    Fused,
    If,
    Invoke,
    Loop,
    Op,
    Raise,
    Return,
    SetSlot,
    Throw,
    Try,
    Unreachable,
    Yield,
)


def _const(f: FunctionEmitter, node: Const) -> None:
    """Constants are written where they are used."""


VIEWS: Mapping[OpDef, OpEmitter] = {**structural.VIEWS, **unions.VIEWS, **classes.VIEWS}
"""Operators whose results refer to values owned by their arguments."""

MAKERS: Mapping[OpDef, OpEmitter] = {
    **structural.MAKERS,
    **unions.MAKERS,
    **classes.MAKERS,
    **containers.MAKERS,
    **exceptions.MAKERS,
}
"""Operators whose results own their references, or have none."""

EMITTERS = Emitters(
    nodes={
        Const: _const,
        Op: calls.emit_op,
        Call: calls.emit_call,
        Fork: futures.emit_fork,
        Closure: closures.emit_closure,
        Invoke: closures.emit_invoke,
        Fused: calls.emit_fused,
        If: control.emit_if,
        Loop: control.emit_loop,
        For: counted.emit_for,
        Try: exceptions.emit_try,
        SetSlot: exceptions.emit_set_slot,
        Yield: control.emit_yield,
        Break: control.emit_break,
        Continue: control.emit_continue,
        Return: control.emit_return,
        Raise: control.emit_raise,
        Throw: exceptions.emit_throw,
        Unreachable: control.emit_unreachable,
    },
    operators={
        Leaf: calls.emit_leaf,
        Extern: calls.emit_extern,
        CCall: calls.refuse,
        Structural: structural.emit_structural,
        Scalar: calls.refuse,
        Composite: calls.refuse,
        Pointwise: calls.emit_pointwise,
        Kernel: calls.emit_kernel,
        Native: native.emit_native,
        Wait: futures.emit_wait,
        PythonCall: custom.emit_python_call,
        NativeCall: custom.emit_native_call,
    },
    structural={**VIEWS, **MAKERS},
    in_place={**containers.IN_PLACE, **native.IN_PLACE, **classes.IN_PLACE},
)

OBSERVED = replace(
    EMITTERS,
    nodes={
        **EMITTERS.nodes,
        Op: observe.emit_op,
        Call: observe.emit_call,
        Fork: observe.emit_fork,
        Fused: observe.emit_fused,
    },
)
"""The table of observed variants."""
