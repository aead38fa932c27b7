"""Classes of receivers, and expressions that are already values."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tscript.diagnostics import Span
from tscript.frontend.diagnostics.abandoned import Abandoned
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.hidden import fresh_hidden
from tscript.frontend.lowering.scopes import Bound
from tscript.frontend.source.classes import ClassDefinition, class_definition
from tscript.ir.graph import Op, Value
from tscript.operators.python.classes import OBJECT_NEW
from tscript.operators.python.exceptions import NEW
from tscript.types import ClassType, EnumType, TupleType


def named(lowering: FunctionLowering, value: Value, node: ast.expr) -> ast.expr:
    """An expression that is already a value."""
    name = fresh_hidden(lowering)
    lowering.scope[name] = Bound(value, lowering.span(node))
    return ast.copy_location(ast.Name(name, ast.Load()), node)


def definition_of(value: Value) -> ClassDefinition | None:
    """The class of an instance, a member of an enum or a named tuple."""
    if isinstance(value.type, ClassType | EnumType | TupleType):
        return class_definition(value.type)
    return None


@contextmanager
def values_named(lowering: FunctionLowering, values: Sequence[Value], node: ast.expr) -> Iterator[list[ast.expr]]:
    """A context in which expressions are bound to values that were already lowered."""
    names = [named(lowering, value, node) for value in values]
    try:
        yield names
    finally:
        for name in names:
            assert isinstance(name, ast.Name)
            lowering.scope.pop(name.id, None)


def usable(lowering: FunctionLowering, definition: ClassDefinition) -> None:
    """Report errors in a class at its first use. Raises `Abandoned`."""
    lowering.program.touched.add(definition)
    if definition.problems:
        for problem in definition.problems:
            lowering.report(problem)
        raise Abandoned


def usable_or_reading(lowering: FunctionLowering, definition: ClassDefinition) -> None:
    """Report errors in a complete class."""
    if not definition.is_reading:
        usable(lowering, definition)


def placed(lowering: FunctionLowering, span: Span) -> ast.Call:
    """A synthetic call without arguments at the place of a node."""
    node = ast.Call(ast.Name("self", ast.Load()), [], [])
    line = span.line - lowering.function.line_offset
    for part in (node, node.func):
        part.lineno, part.end_lineno = line, span.end_line - lowering.function.line_offset
        part.col_offset, part.end_col_offset = span.col, span.end_col
    return node


def is_exact(value: Value) -> bool:
    """Whether the class of an instance is exactly its static class."""
    return isinstance(value.node, Op) and value.node.op in (OBJECT_NEW, NEW)


def assume(definition: ClassDefinition, name: str) -> None:
    if not definition.is_final:
        definition.assumed.add(name)
