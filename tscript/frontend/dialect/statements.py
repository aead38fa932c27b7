"""Statements specific to the low-level dialect."""

from __future__ import annotations

import ast

from tscript.dialect import Thrown
from tscript.frontend.diagnostics import dialect_errors, errors, type_errors
from tscript.frontend.diagnostics.type_names import machine_article
from tscript.frontend.dialect.expressions import binary
from tscript.frontend.dialect.lowering import DialectLowering, Literal
from tscript.frontend.dialect.memory import load, place, write
from tscript.frontend.lowering import messages
from tscript.frontend.lowering.control import lower_range_for
from tscript.frontend.lowering.names import bind, static
from tscript.frontend.source.symbols import PythonSymbol
from tscript.ir.analysis import message_fields
from tscript.ir.graph import Raise, Throw, Value
from tscript.types import INT, dtype_of


def lower_augmented(lowering: DialectLowering, node: ast.AugAssign) -> None:
    """``a += b``"""
    target = node.target
    if isinstance(target, ast.Name):
        current = lowering.value(target)
        found = binary(lowering, node.op, current, lowering.operand(node.value), node)
        bind(lowering, target.id, lowering.materialise(found, lowering.span(node)), lowering.span(target))
        return
    address = place(lowering, target)
    current = load(lowering, address, target)
    write(
        lowering, address, binary(lowering, node.op, current, lowering.operand(node.value), node), lowering.span(node)
    )


def lower_for(lowering: DialectLowering, node: ast.For) -> None:
    """A loop over ``range(...)``."""
    lower_range_for(lowering, node, lambda: _range_bounds(lowering, node.iter))


def _range_bounds(lowering: DialectLowering, node: ast.expr) -> tuple[Value, Value, Value]:
    span = lowering.span(node)
    symbol = static(lowering, node.func) if isinstance(node, ast.Call) else None
    if not isinstance(node, ast.Call) or not isinstance(symbol, PythonSymbol) or symbol.value is not range:
        raise lowering.failure(errors.LoopOver(span, "this", "loop over 'range(n)'"))
    if node.keywords or not 1 <= len(node.args) <= 3:
        problem = "takes one to three arguments by position"
        raise lowering.failure(errors.BuiltinArguments(span, "range", problem, "write range(start, stop, step)"))
    found = [lowering.operand(a) for a in node.args]
    if len(found) == 1:
        found.insert(0, Literal(0))
    if len(found) == 2:
        found.append(Literal(1))
    wanted = next((o.type for o in found if isinstance(o, Value)), INT)
    values = [lowering.adopt(o, wanted, span) for o in found]
    dtype = dtype_of(wanted)
    for value in values:
        if value.type != wanted or dtype is None or not dtype.is_integer:
            raise lowering.failure(type_errors.RangeArgument(span, machine_article(value.type)))
    return values[0], values[1], values[2]


def lower_raise(lowering: DialectLowering, node: ast.Raise) -> None:
    """``Name("message {0}", value)``: the message is a format string."""
    span = lowering.span(node)
    if node.exc is None:
        raise lowering.failure(errors.UnsupportedRaise(span, "again: there is no exception being handled"))
    if node.cause is not None and not (isinstance(node.cause, ast.Constant) and node.cause.value is None):
        raise lowering.failure(errors.UnsupportedRaise(lowering.span(node.cause), "an exception with a cause"))
    if _is_thrown(lowering, node.exc):
        assert isinstance(node.exc, ast.Call)
        lowering.block.nodes.append(Throw(lowering.value(node.exc.args[0]), span))
        return
    lowering.block.nodes.append(Raise(*_exception(lowering, node.exc), span))


def _is_thrown(lowering: DialectLowering, node: ast.expr) -> bool:
    """Whether it is ``Thrown(p)``."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or len(node.args) != 1:
        return False
    try:
        return lowering.function.environment.lookup(node.func.id) is Thrown
    except KeyError:
        return False


def _exception(lowering: DialectLowering, node: ast.expr) -> tuple[str, str | None, list[Value]]:
    if not isinstance(node, ast.Call):
        return messages.exception_name(lowering, node), None, []
    name = messages.exception_name(lowering, node.func)
    if not node.args:
        return name, None, []
    text = lowering.message(node.args[0])
    values = [lowering.value(a) for a in node.args[1:]]
    try:
        fields = message_fields(text)
    except ValueError as error:
        raise lowering.failure(dialect_errors.IntrinsicRefused(lowering.span(node), name, str(error))) from None
    if any(i >= len(values) for i in fields):
        problem = f"the message shows argument {max(fields)}, there are {len(values)}"
        raise lowering.failure(dialect_errors.IntrinsicRefused(lowering.span(node), name, problem))
    return name, text, values


def refuse_function(lowering: DialectLowering, node: ast.FunctionDef) -> None:
    """Refuse a ``def`` inside the function."""
    raise lowering.failure(
        errors.UnsupportedStatement(lowering.span(node), "a function inside a function", "define it outside")
    )


def refuse_match(lowering: DialectLowering, node: ast.Match) -> None:
    """Refuse ``match``."""
    raise lowering.failure(errors.UnsupportedStatement(lowering.span(node), "'match'", "write 'if', 'elif' and 'else'"))


def refuse_with(lowering: DialectLowering, node: ast.With) -> None:
    """Refuse ``with``."""
    raise lowering.failure(errors.UnsupportedStatement(lowering.span(node), "a 'with' statement", "call what it calls"))


def refuse_delete(lowering: DialectLowering, node: ast.Delete) -> None:
    """Refuse ``del``."""
    raise lowering.failure(
        errors.UnsupportedStatement(lowering.span(node), "'del'", "leave it out: values are freed after their last use")
    )
