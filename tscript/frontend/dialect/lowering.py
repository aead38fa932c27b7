"""`DialectLowering`: one function of the low-level dialect (`tscript.dialect`) on its way to IR of machine operators.

Statements, names and control flow are those of the language. There are no implicit conversions, but a literal takes the
type of the other operand. So expressions are lowered to an `Operand`: a value, or a literal without type yet. The
functions that lower each class of syntax are an argument (`Syntax`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from tscript.diagnostics import Span
from tscript.dialect import machine
from tscript.frontend.diagnostics import dialect_errors, errors, type_errors
from tscript.frontend.diagnostics.type_names import machine_article, machine_name
from tscript.frontend.dialect.program import DialectProgram
from tscript.frontend.lowering.assignment import assign_to
from tscript.frontend.lowering.bodies import unsupported
from tscript.frontend.lowering.lowering import Lowering
from tscript.frontend.lowering.names import bind, static
from tscript.frontend.lowering.program import Instance
from tscript.frontend.lowering.scopes import Bound
from tscript.frontend.lowering.tuples import tuple_elements
from tscript.frontend.source.names import pointer_to
from tscript.frontend.source.object_types import TypeContext, symbol_type
from tscript.frontend.source.symbols import PointerSymbol, Symbol
from tscript.ir.graph import Raise, Value
from tscript.late import dataclass
from tscript.types import BOOL, FLOAT, INT, NONE, STR, ClassType, PtrType, TupleType, Type, dtype_of


@dataclass(frozen=True, slots=True)
class Literal:
    """A number that takes its type from the other operand; alone it is an i64 or f64."""

    value: int | float


Operand = Value | Literal


@dataclass(frozen=True, slots=True)
class Syntax:
    """What lowers the syntax of the dialect.

    Attributes:
        expressions: By class of syntax.
        statements: The same.
        store: Assigns an operand to an element or field.
    """

    expressions: Mapping[type[ast.expr], Callable[[DialectLowering, Any], Operand]]
    statements: Mapping[type[ast.stmt], Callable[[DialectLowering, Any], None]]
    store: Callable[[DialectLowering, ast.Subscript | ast.Attribute, Operand, Span], None]


class DialectLowering(Lowering):
    """One function of the dialect being lowered.

    Args:
        syntax: What lowers its syntax.
        program: Where graphs and errors go.
        instance: What is lowered.
        context: What annotations in the body need.
    """

    program: DialectProgram
    has_handlers = False

    def __init__(self, syntax: Syntax, program: DialectProgram, instance: Instance, context: TypeContext) -> None:
        super().__init__(program, instance.function, instance.graph, instance.returns, context)
        self.syntax = syntax

    def materialise(self, operand: Operand, span: Span) -> Value:
        """An operand as a value; a literal becomes an i64 or f64."""
        if isinstance(operand, Value):
            return operand
        return self.adopt(operand, FLOAT if isinstance(operand.value, float) else INT, span)

    def adopt(self, operand: Operand, type: Type, span: Span) -> Value:
        """An operand where `type` is expected; a literal gets this type, a value is unchanged."""
        if isinstance(operand, Value):
            return operand
        value, dtype = operand.value, dtype_of(type)
        instead = f"convert the other operand, or write {machine_name(type)}({value}) if that is meant"
        if dtype is None or dtype.name == "bool":
            instead = "write pointer(0, T)" if isinstance(type, PtrType) else "write True or False"
            raise self.failure(dialect_errors.LiteralType(span, repr(value), machine_name(type), instead))
        if dtype.is_integer:
            bits = dtype.itemsize * 8
            if isinstance(value, float) or not -(1 << bits - 1) <= value < 1 << bits:
                raise self.failure(dialect_errors.LiteralType(span, repr(value), machine_name(type), instead))
        return self.const(machine.wrap(value, type), type, span)

    def value(self, node: ast.expr) -> Value:
        """See `Lowering`."""
        return self.materialise(self.operand(node), self.span(node))

    def value_as(self, node: ast.expr, target: Type) -> Value:
        """See `Lowering`. A literal becomes one of `target` where it can."""
        found = self.operand(node)
        span = self.span(node)
        if isinstance(found, Literal) and dtype_of(target) is None:
            return self.materialise(found, span)
        return self.adopt(found, target, span)

    def coerce(self, value: Value, target: Type, span: Span) -> Value | None:
        """See `Lowering`. Nothing is implicit."""
        return value if value.type == target else None

    def constant_operand(self, value: object, node: ast.expr) -> Operand:
        """A constant as an operand: numbers are literals."""
        span = self.span(node)
        match value:
            case bool():
                return self.const(value, BOOL, span)
            case int() | float():
                return Literal(value)
            case None:
                return self.const(None, NONE, span)
            case str():
                return self.const(value, STR, span)
        what = f"the constant {value!r}"
        raise self.failure(dialect_errors.DialectUnsupported(span, what, "constants are numbers, True, False and None"))

    def unify(self, left: Operand, right: Operand, sign: str, span: Span) -> tuple[Value, Value]:
        """Two operands of one type; a literal takes the other's."""
        if isinstance(left, Value):
            right = self.adopt(right, left.type, span)
        elif isinstance(right, Value):
            left = self.adopt(left, right.type, span)
        a, b = self.materialise(left, span), self.materialise(right, span)
        if a.type != b.type:
            instead = f"convert one of them: {machine_name(a.type)}(...) or {machine_name(b.type)}(...)"
            raise self.failure(
                dialect_errors.DialectOperands(span, sign, machine_article(a.type), machine_article(b.type), instead)
            )
        return a, b

    def condition(self, node: ast.expr) -> Value:
        """See `Lowering`."""
        found = self.value(node)
        if found.type != BOOL:
            raise self.failure(dialect_errors.NotABool(self.span(node), machine_article(found.type)))
        return found

    def assign_from(self, target: ast.expr, node: ast.expr) -> None:
        """See `Lowering`. A literal takes the type of what it is assigned to."""
        found = self.operand(node)
        span = self.span(node)
        if isinstance(target, ast.Subscript | ast.Attribute):
            self.syntax.store(self, target, found, span)
        elif isinstance(target, ast.Name) and isinstance(found, Literal):
            bound = self.scope.get(target.id)
            wanted = self.declared.get(target.id) or (bound.value.type if isinstance(bound, Bound) else None)
            dtype = None if wanted is None else dtype_of(wanted)
            fits = dtype is not None and (
                dtype.is_floating_point or (dtype.is_integer and isinstance(found.value, int))
            )
            value = self.adopt(found, wanted, span) if fits and wanted is not None else self.materialise(found, span)
            bind(self, target.id, value, self.span(target))
        else:
            assign_to(self, target, self.materialise(found, span))

    def type_operand(self, node: ast.expr) -> Type | None:
        """The type that an argument names; None for other arguments."""
        if isinstance(node, ast.Name) and node.id in self.context.bindings and node.id not in self.scope:
            parameter = self.context.bindings[node.id]
            if any(a.arg == node.id for a in self.function.tree.args.args):
                return parameter
        symbol = self._type_symbol(node)
        return None if symbol is None else symbol_type(self.context, symbol)

    def _type_symbol(self, node: ast.expr) -> Symbol | None:
        if isinstance(node, ast.Subscript):
            owner = self._type_symbol(node.value)
            if not isinstance(owner, PointerSymbol):
                return None
            inner = self._type_symbol(node.slice)
            return None if inner is None else pointer_to(inner)
        if isinstance(node, ast.Name | ast.Attribute):
            return static(self, node)
        return None

    def unpack(self, value: Value, count: int, span: Span) -> list[Value]:
        """See `Lowering`."""
        if not isinstance(value.type, TupleType):
            raise self.failure(
                type_errors.NotUnpackable(span, machine_article(value.type), "only tuples can be unpacked")
            )
        if len(value.type.elements) != count:
            found = len(value.type.elements)
            raise self.failure(type_errors.UnpackCount(span, found, count, machine_name(value.type)))
        return tuple_elements(self, value, span)

    def fail_assert(self, node: ast.Assert) -> None:
        """See `Lowering`."""
        text = None if node.msg is None else self.message(node.msg)
        self.block.nodes.append(Raise("AssertionError", text, (), self.span(node)))

    def exception_class(self, node: ast.expr) -> ClassType:
        """See `Lowering`."""
        raise self.failure(errors.UnsupportedHandler(self.span(node), "a value"))

    def operand(self, node: ast.expr) -> Operand:
        """Lower an expression."""
        handler = self.syntax.expressions.get(type(node))
        if handler is None:
            what = f"'{ast.unparse(node)}'"
            instead = "it has numbers, pointers, arithmetic, comparisons, conditional expressions and calls"
            raise self.failure(dialect_errors.DialectUnsupported(self.span(node), what, instead))
        return handler(self, node)

    def statement(self, node: ast.stmt) -> None:
        """See `Lowering`."""
        handler = self.syntax.statements.get(type(node))
        if handler is None:
            raise unsupported(self, node)
        handler(self, node)

    def store(self, target: ast.Subscript | ast.Attribute, value: Value) -> None:
        """See `Lowering`."""
        self.syntax.store(self, target, value, self.span(target))

    def message(self, node: ast.expr) -> str:
        """The message of an exception, which is a constant."""
        text = self.value(node)
        if not isinstance(text.constant, str):
            raise self.failure(dialect_errors.MessageNotConstant(self.span(node), machine_article(text.type)))
        self.block.nodes.pop()
        return text.constant
