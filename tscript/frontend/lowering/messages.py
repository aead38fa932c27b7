"""Error messages of compiled functions: ``raise ValueError(f"size {n} is too large")`` and ``assert c, "text"``.

A message becomes the format string of a `Raise`: constant parts with doubled braces, and ``{0}``, ``{1}`` … for values,
which are ints and floats.
"""

from __future__ import annotations

import ast
import builtins

from tscript.abi.exceptions import nearest
from tscript.abi.layout import MAX_ERROR_ARGS
from tscript.definitions.absent import MISSING
from tscript.frontend.diagnostics import errors
from tscript.frontend.diagnostics.type_names import article
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.lowering import Lowering
from tscript.frontend.lowering.names import static
from tscript.frontend.source.classes import MethodSymbol
from tscript.frontend.source.descriptions import shown_symbol
from tscript.frontend.source.functions import FunctionSymbol
from tscript.frontend.source.symbols import ConstantSymbol, ExceptionSymbol, PythonSymbol, Symbol, UnknownSymbol
from tscript.ir.graph import Value
from tscript.types import DTYPE, FLOAT, INT, ClassType
from tscript.types.options import Option


def escape(text: str) -> str:
    """A constant as part of a format string."""
    return text.replace("{", "{{").replace("}", "}}")


def exception_name(lowering: Lowering, node: ast.expr) -> str:
    """Name of the builtin exception class that is raised."""
    symbol = _raised(lowering, node)
    if isinstance(symbol, ExceptionSymbol) and symbol.type is None:
        return symbol.name
    what = (
        "a value"
        if symbol is None
        else symbol.what.rstrip(",")
        if isinstance(symbol, UnknownSymbol)
        else shown_symbol(symbol)
    )
    raise lowering.failure(errors.UnsupportedRaise(lowering.span(node), what))


def _raised(lowering: Lowering, node: ast.expr) -> Symbol | None:
    """The symbol of a raised name; the caller reports a class that cannot be used."""
    if isinstance(node, ast.Name) and node.id not in lowering.local_names and node.id not in lowering.scope:
        try:
            return lowering.program.resolver.symbol(lowering.function.environment.lookup(node.id))
        except KeyError:
            pass
    return static(lowering, node)


def named_exception(lowering: FunctionLowering, node: ast.expr) -> ClassType | None:
    """The exception class of a name or dotted name; None for a value."""
    if isinstance(node, ast.Name) and (node.id in lowering.local_names or node.id in lowering.scope):
        return None
    if not isinstance(node, ast.Name | ast.Attribute):
        return None
    symbol = _raised(lowering, node)
    if symbol is None or isinstance(symbol, FunctionSymbol | MethodSymbol):
        return None
    if isinstance(symbol, ExceptionSymbol):
        return symbol.type or nearest(getattr(builtins, symbol.name))
    what = symbol.what.rstrip(",") if isinstance(symbol, UnknownSymbol) else shown_symbol(symbol)
    raise lowering.failure(errors.UnsupportedRaise(lowering.span(node), what))


def exception_class(lowering: FunctionLowering, node: ast.expr) -> ClassType:
    """The class that a handler names."""
    symbol = None
    if isinstance(node, ast.Name | ast.Attribute):
        symbol = static(lowering, node)
    if isinstance(symbol, PythonSymbol | ConstantSymbol):
        raise lowering.failure(errors.UnsupportedHandler(lowering.span(node), shown_symbol(symbol)))
    found = named_exception(lowering, node)
    if found is None:
        what = article(lowering.value(node).type)
        raise lowering.failure(errors.UnsupportedHandler(lowering.span(node), what))
    return found


def _is_class(lowering: FunctionLowering, node: ast.expr) -> bool:
    """Whether an expression is ``type(x)`` or ``x.__class__``, which is no value."""
    match node:
        case ast.Call(func=ast.Name() as called):
            symbol = static(lowering, called)
            return isinstance(symbol, PythonSymbol) and symbol.value is type
        case ast.Attribute(attr="__class__"):
            return True
    return False


def plain_message(lowering: FunctionLowering, node: ast.expr) -> tuple[str, list[Value]] | None:
    """A message as a format string, and its values; None if it is computed in another way (then the lowered nodes are
    unused)."""
    if not isinstance(node, ast.JoinedStr):
        if not isinstance(node, ast.Name | ast.Attribute | ast.Constant):
            return None
        text = lowering.value(node)
        return (escape(text.constant), []) if isinstance(text.constant, str) else None
    out: list[str] = []
    values: list[Value] = []
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            if part.conversion != -1 or part.format_spec is not None or _is_class(lowering, part.value):
                return None
            value = lowering.value(part.value)
            constant = value.constant
            if constant is not MISSING and isinstance(constant, bool | int | float | str | Option | None):
                out.append(escape(str(constant)))
                continue
            if value.type not in (INT, FLOAT, DTYPE):
                return None
            out.append(f"{{{len(values)}}}")
            values.append(value)
        else:
            assert isinstance(part, ast.Constant)
            out.append(escape(str(part.value)))
    return ("".join(out), values) if len(values) <= MAX_ERROR_ARGS else None
