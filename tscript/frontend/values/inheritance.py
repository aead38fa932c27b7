"""``super()``: calls of methods, and reads of properties, of the base class."""

from __future__ import annotations

import ast

from tscript.abi.exceptions import is_exception
from tscript.diagnostics.suggest import meant
from tscript.frontend.diagnostics import errors, type_errors
from tscript.frontend.lowering import conversions, method_calls, receivers
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.names import static
from tscript.frontend.lowering.own_instance import SET
from tscript.frontend.source.classes import ClassDefinition
from tscript.frontend.source.symbols import PythonSymbol
from tscript.frontend.values import exceptions, making_instances
from tscript.ir.graph import Value
from tscript.types import STR


def super_base(lowering: FunctionLowering, node: ast.expr) -> tuple[ClassDefinition | None, Value] | None:
    """The base class and the instance of ``super()``; None for any other expression."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != "super":
        return None
    symbol = static(lowering, node.func)
    if not isinstance(symbol, PythonSymbol) or symbol.value is not super:
        return None
    definition = lowering.owner
    params = lowering.graph.body.params
    if definition is None or not params or params[0].type != definition.type:
        instead = "use it in a method of a class that has a base"
        raise lowering.failure(errors.BuiltinArguments(lowering.span(node), "super", "has no class here", instead))
    return definition.base, params[0]


def lower_super(lowering: FunctionLowering, node: ast.Call) -> Value | None:
    """``super().name(...)``; None for other calls."""
    if not isinstance(node.func, ast.Attribute):
        return None
    found = super_base(lowering, node.func.value)
    if found is None:
        return None
    base, receiver = found
    name, span = node.func.attr, lowering.span(node)
    if name == "__init__":
        if is_exception(receiver.type) and (base is None or base.method("__init__") is None):
            exceptions.initialise_builtin(lowering, node, receiver, span)
        elif base is None:
            if node.args or node.keywords:
                raise lowering.failure(
                    errors.BuiltinArguments(span, "object.__init__", "takes no arguments", "leave them out")
                )
        else:
            making_instances.settle_by_call(lowering, node, base)
            making_instances.initialise(lowering, node, base, conversions.widen(lowering, receiver, base.type, span))
            if (own := lowering.initialises) is not None:
                lowering.scope.update({SET + field: own.mark for field in base.info.fields})
        return lowering.constant(None, span)
    method = None if base is None else base.method(name)
    if method is None and name in exceptions.SPECIAL_METHODS and is_exception(receiver.type):
        return lowering.leaf(exceptions.SPECIAL_METHODS[name], [receiver], STR, span)
    if method is None:
        where = "object" if base is None else base.name
        close = "" if base is None else meant(name, base.names())
        instead = f"did you mean '{close}'?" if close else "call a method that the base class has"
        raise lowering.failure(type_errors.NoAttribute(lowering.span(node.func), where, "method", name, instead))
    if method[1].kind in ("static", "class"):
        return method_calls.call_static(lowering, node, *method)
    return method_calls.call_directly(lowering, node, *method, receiver)


def super_attribute(lowering: FunctionLowering, node: ast.Attribute) -> Value | None:
    """``super().name`` of a property; None for other attributes."""
    found = super_base(lowering, node.value)
    if found is None:
        return None
    base, receiver = found
    method = None if base is None else base.method(node.attr)
    if method is None or method[1].kind != "property":
        return None
    return method_calls.call_directly(lowering, receivers.placed(lowering, lowering.span(node)), *method, receiver)
