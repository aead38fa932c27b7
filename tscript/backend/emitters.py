"""The emitters of nodes: the table for functions, and the one for observed variants."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from tscript.backend.nodes import calls, classes, containers, control, elements, exceptions, native, structural, unions
from tscript.backend.nodes.function import Emitters, FunctionEmitter, NodeEmitter, OpEmitter
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
from tscript.definitions.table import ByOperator
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
    Node,
    Op,
    ParallelCall,
    Raise,
    Return,
    SetSlot,
    Throw,
    Try,
    Unreachable,
    Yield,
)
from tscript.late import replace
from tscript.once import LateTable
from tscript.operators.table import TABLE


def _const(f: FunctionEmitter, node: Const) -> None:
    """Constants are written where they are used."""


def _fork() -> NodeEmitter:
    from tscript.backend.nodes.futures import emit_fork

    return emit_fork


def _parallel() -> NodeEmitter:
    from tscript.backend.nodes.parallel import emit_parallel

    return emit_parallel


def _wait() -> OpEmitter:
    from tscript.backend.nodes.futures import emit_wait

    return emit_wait


def _closure() -> NodeEmitter:
    from tscript.backend.nodes.closures import emit_closure

    return emit_closure


def _invoke() -> NodeEmitter:
    from tscript.backend.nodes.closures import emit_invoke

    return emit_invoke


def _for() -> NodeEmitter:
    from tscript.backend.nodes.counted import emit_for

    return emit_for


def _python_call() -> OpEmitter:
    from tscript.backend.nodes.custom import emit_python_call

    return emit_python_call


def _native_call() -> OpEmitter:
    from tscript.backend.nodes.custom import emit_native_call

    return emit_native_call


_VIEWS = {**structural.VIEWS, **unions.VIEWS, **classes.VIEWS}
_MAKERS = {
    **structural.MAKERS,
    **unions.MAKERS,
    **classes.MAKERS,
    **containers.MAKERS,
    **exceptions.MAKERS,
    **elements.MAKERS,
}

VIEWS: Mapping[OpDef, OpEmitter] = ByOperator(_VIEWS, TABLE)
"""Operators whose results refer to values owned by their arguments."""

MAKERS: Mapping[OpDef, OpEmitter] = ByOperator(_MAKERS, TABLE)
"""Operators whose results own their references, or have none."""

NODES: LateTable[type[Node], NodeEmitter] = LateTable(
    {ParallelCall: _parallel, Fork: _fork, Closure: _closure, Invoke: _invoke, For: _for},
    {
        Const: _const,
        Op: calls.emit_op,
        Call: calls.emit_call,
        Fused: calls.emit_fused,
        If: control.emit_if,
        Loop: control.emit_loop,
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
)

EMITTERS = Emitters(
    nodes=NODES,
    operators=LateTable(
        {Wait: _wait, PythonCall: _python_call, NativeCall: _native_call},
        {
            Leaf: calls.emit_leaf,
            Extern: calls.emit_extern,
            CCall: calls.emit_c_call,
            Structural: structural.emit_structural,
            Scalar: calls.refuse,
            Composite: calls.refuse,
            Pointwise: calls.emit_pointwise,
            Kernel: calls.emit_kernel,
            Native: native.emit_native,
        },
    ),
    structural=ByOperator({**_VIEWS, **_MAKERS}, TABLE),
    in_place=ByOperator({**containers.IN_PLACE, **native.IN_PLACE, **classes.IN_PLACE}, TABLE),
)


@cache
def observed() -> Emitters:
    """The table of observed variants."""
    from tscript.backend.nodes import observe

    own: Mapping[type[Node], NodeEmitter] = {
        Op: observe.emit_op,
        Call: observe.emit_call,
        Fork: observe.emit_fork,
        Fused: observe.emit_fused,
    }
    return replace(EMITTERS, nodes=NODES | LateTable({}, own))
