"""``hasattr`` and ``getattr`` with names that are known when the code is compiled."""

from __future__ import annotations

import ast

from tscript.frontend.diagnostics import errors
from tscript.frontend.lowering.arguments import arguments
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.names import static
from tscript.frontend.lowering.probing import type_of_expression
from tscript.frontend.source.classes import ClassDefinition, class_definition
from tscript.frontend.source.symbols import UnknownSymbol
from tscript.frontend.values.tensors import ATTRIBUTES, KNOWN
from tscript.ir.graph import Value
from tscript.types import BOOL, ClassType, TensorType


def has_attribute(lowering: FunctionLowering, node: ast.Call) -> Value:
    """``hasattr(x, "name")``, which is known when the function is compiled."""
    owner, name = arguments(lowering, node, "hasattr", 2, 2)
    return lowering.const(_has(lowering, node, owner, _name(lowering, node, name)), BOOL, lowering.span(node))


def get_attribute(lowering: FunctionLowering, node: ast.Call) -> Value:
    """``getattr(x, "name")``, and with a default."""
    owner, name, *default = arguments(lowering, node, "getattr", 2, 3)
    wanted = _name(lowering, node, name)
    if default and not _has(lowering, node, owner, wanted):
        return lowering.value(default[0])
    return lowering.value(ast.copy_location(ast.Attribute(owner, wanted, ast.Load()), node))


def _name(lowering: FunctionLowering, node: ast.Call, name: ast.expr) -> str:
    if isinstance(name, ast.Constant) and isinstance(name.value, str):
        return name.value
    known = lowering.value(name).constant
    if isinstance(known, str):
        return known
    raise _refused(lowering, node)


def _refused(lowering: FunctionLowering, node: ast.Call) -> Exception:
    name = ast.unparse(node.func)
    instead = "it takes tensors, instances of classes and modules, and a name that is a literal or a known constant"
    return lowering.failure(errors.UnsupportedBuiltin(lowering.span(node.func), name, instead))


def _has(lowering: FunctionLowering, node: ast.Call, owner: ast.expr, name: str) -> bool:
    symbol = static(lowering, owner) if isinstance(owner, ast.Name | ast.Attribute) else None
    if symbol is not None:
        return not isinstance(lowering.program.resolver.member(symbol, name), UnknownSymbol)
    found = type_of_expression(lowering, owner)
    if isinstance(found, TensorType):
        return (
            name in (*ATTRIBUTES, *KNOWN, "data", "itemsize", "nbytes")
            or name in lowering.program.resolver.table.methods
        )
    definition = class_definition(found) if isinstance(found, ClassType) else None
    if definition is None:
        raise _refused(lowering, node)
    if _defines(definition, name):
        return True
    if any(_defines(d, name) for d in definition.known_derived):
        raise _refused(lowering, node)
    return False


def _defines(definition: ClassDefinition, name: str) -> bool:
    inherited = definition.method(name) is not None or definition.constant(name) is not None
    return inherited or name in definition.info.fields
