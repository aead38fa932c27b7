"""``with``."""

from __future__ import annotations

import ast

from tscript.diagnostics import Span
from tscript.frontend.diagnostics import errors
from tscript.frontend.diagnostics.type_names import article
from tscript.frontend.lowering import operators
from tscript.frontend.lowering.assignment import assign_to
from tscript.frontend.lowering.bodies import lower_statements
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.merging import merge
from tscript.frontend.lowering.method_calls import special_call
from tscript.frontend.lowering.names import static
from tscript.frontend.lowering.tries import check_handlers, lower_guarded
from tscript.frontend.source.symbols import ModeSymbol
from tscript.ir.graph import Throw, Value
from tscript.operators.tensor.devices import CHECK_DEVICE
from tscript.types import DEVICE, NONE


def lower_with(lowering: FunctionLowering, node: ast.With) -> None:
    """``with``: its first item around the others."""
    check_handlers(lowering, node, "'with'")
    _lower_item(lowering, node, 0)


def _lower_item(lowering: FunctionLowering, node: ast.With, index: int) -> None:
    if index == len(node.items):
        lower_statements(lowering, node.body)
        return
    item = node.items[index]
    span = lowering.span(item.context_expr)
    if isinstance(item.context_expr, ast.Call):
        mode = static(lowering, item.context_expr.func)
        if isinstance(mode, ModeSymbol):
            _enter_mode(lowering, item.context_expr, mode)
            if isinstance(item.optional_vars, ast.Name):
                assign_to(lowering, item.optional_vars, lowering.const(None, NONE, span))
            _lower_item(lowering, node, index + 1)
            return
    manager = lowering.value(item.context_expr)
    if manager.type == DEVICE:
        operators.scalar(lowering, CHECK_DEVICE, [manager], span)
        _lower_item(lowering, node, index + 1)
        return
    entered = special_call(lowering, manager, "__enter__", [], span)
    if entered is None:
        raise lowering.failure(errors.NotAContext(span, article(manager.type)))
    names = [] if item.optional_vars is None else [item.optional_vars]
    if item.optional_vars is not None:
        assign_to(lowering, item.optional_vars, entered)

    def leave(exception: Value | None) -> None:
        nothing = lowering.const(None, NONE, span)
        given = nothing if exception is None else exception
        found = special_call(lowering, manager, "__exit__", [nothing, given, nothing], span)
        if found is None:
            raise lowering.failure(errors.NotAContext(span, article(manager.type)))
        if exception is not None:
            _unless(lowering, found, exception, span)

    around = [*names, *(n for i in node.items[index + 1 :] if (n := i.optional_vars) is not None), *node.body]
    lower_guarded(lowering, node, around, lambda: _lower_item(lowering, node, index + 1), leave)


def _enter_mode(lowering: FunctionLowering, node: ast.Call, mode: ModeSymbol) -> None:
    """The arguments of a context manager that changes nothing."""
    values = {k.arg: lowering.value(k.value) for k in node.keywords}
    for argument in node.args:
        lowering.value(argument)
    enabled = values.get("enabled")
    if mode.is_off and (enabled is None or enabled.constant is not False):
        instead = "write enabled=False, or convert tensors yourself: x.to(dtype)"
        raise lowering.failure(
            errors.BuiltinArguments(lowering.span(node), mode.shown, "does nothing for tensors on the CPU", instead)
        )


def _unless(lowering: FunctionLowering, over: Value, exception: Value, span: Span) -> None:
    """Raise an exception again unless ``__exit__`` returned True."""
    cond = lowering.truth(over, span)

    def go_on() -> None:
        pass

    def again() -> None:
        lowering.block.nodes.append(Throw(exception, span))

    if cond.constant is False:
        again()
    elif cond.constant is not True:
        then, orelse = lowering.branch(go_on), lowering.branch(again)
        merge(lowering, cond, then, orelse, span)
