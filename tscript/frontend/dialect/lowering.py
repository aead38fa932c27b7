"""`DialectLowering`: the low-level dialect (`tscript.dialect`) to IR of machine operators.

Statements, names and control flow are the language's; here are its expressions. Nothing is converted implicitly, but a
literal takes the type it meets, so expressions are lowered to an `Operand`: a value, or a literal without type yet.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tscript.abi.layout import STRUCTS
from tscript.diagnostics import Span
from tscript.dialect import Thrown, machine
from tscript.frontend.diagnostics import dialect_errors, errors, type_errors
from tscript.frontend.diagnostics.type_names import machine_article, machine_name
from tscript.frontend.dialect import calls as dialect_calls
from tscript.frontend.dialect.program import DialectProgram
from tscript.frontend.lowering import messages
from tscript.frontend.lowering.assignment import assign_to
from tscript.frontend.lowering.bodies import lower_function, unsupported
from tscript.frontend.lowering.constants import constant_int
from tscript.frontend.lowering.control import lower_range_for
from tscript.frontend.lowering.lowering import Lowering
from tscript.frontend.lowering.program import Contents, Instance
from tscript.frontend.lowering.scopes import Bound
from tscript.frontend.lowering.statements import STATEMENTS
from tscript.frontend.source.annotations import TypeContext, symbol_type
from tscript.frontend.source.descriptions import describe
from tscript.frontend.source.names import pointer_to
from tscript.frontend.source.symbols import ConstantSymbol, PointerSymbol, PythonSymbol, Symbol, VariableSymbol
from tscript.ir.analysis import message_fields
from tscript.ir.graph import Raise, Throw, Value
from tscript.operators.core.opdef import OpDef
from tscript.types import BOOL, FLOAT, INT, NONE, STR, TYPE, ClassType, PtrType, StructType, TupleType, Type, dtype_of


@dataclass(frozen=True, slots=True)
class Literal:
    """A number that has no type until it meets one; alone it is an i64 or f64."""

    value: int | float


Operand = Value | Literal

_BINARY: dict[type[ast.operator], tuple[OpDef, str]] = {
    ast.Add: (machine.ADD, "+"),
    ast.Sub: (machine.SUB, "-"),
    ast.Mult: (machine.MUL, "*"),
    ast.Div: (machine.DIV, "/"),
    ast.FloorDiv: (machine.QUOT, "//"),
    ast.Mod: (machine.REM, "%"),
    ast.BitAnd: (machine.AND, "&"),
    ast.BitOr: (machine.OR, "|"),
    ast.BitXor: (machine.XOR, "^"),
    ast.LShift: (machine.SHL, "<<"),
    ast.RShift: (machine.SHR, ">>"),
}
_FLOAT_ONLY = frozenset({machine.DIV})
_NO_FLOAT = frozenset({machine.QUOT, machine.REM, machine.AND, machine.OR, machine.XOR, machine.SHL, machine.SHR})
_COMPARISONS: dict[type[ast.cmpop], tuple[OpDef, str]] = {
    ast.Eq: (machine.EQ, "=="),
    ast.NotEq: (machine.NE, "!="),
    ast.Lt: (machine.LT, "<"),
    ast.LtE: (machine.LE, "<="),
    ast.Gt: (machine.GT, ">"),
    ast.GtE: (machine.GE, ">="),
}
_LITERALS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: machine.QUOT.semantics,
    ast.Mod: machine.REM.semantics,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}


class DialectLowering(Lowering):
    """One function of the dialect being lowered."""

    program: DialectProgram
    has_handlers = False

    # Literals

    def materialise(self, operand: Operand, span: Span) -> Value:
        """An operand as a value; a literal becomes an i64 or f64."""
        if isinstance(operand, Value):
            return operand
        return self.adopt(operand, FLOAT if isinstance(operand.value, float) else INT, span)

    def adopt(self, operand: Operand, type: Type, span: Span) -> Value:
        """An operand where `type` is expected; a literal becomes one, a value stays what it is."""
        if isinstance(operand, Value):
            return operand
        value, dtype = operand.value, dtype_of(type)
        instead = f"convert what it meets, or write {machine_name(type)}({value}) if that is meant"
        if dtype is None or dtype.name == "bool":
            instead = "write pointer(0, T)" if isinstance(type, PtrType) else "write True or False"
            raise self.failure(dialect_errors.LiteralType(span, repr(value), machine_name(type), instead))
        if dtype.is_integer:
            bits = dtype.itemsize * 8
            if isinstance(value, float) or not -(1 << bits - 1) <= value < 1 << bits:
                raise self.failure(dialect_errors.LiteralType(span, repr(value), machine_name(type), instead))
        return self.const(machine.wrap(value, type), type, span)

    # Expressions

    def operand(self, node: ast.expr) -> Operand:
        """Lower an expression."""
        handler = _EXPRESSIONS.get(type(node))
        if handler is None:
            what = f"'{ast.unparse(node)}'"
            instead = "it has numbers, pointers, arithmetic, comparisons, conditional expressions and calls"
            raise self.failure(dialect_errors.DialectUnsupported(self.span(node), what, instead))
        return handler(self, node)

    def statement(self, node: ast.stmt) -> None:
        """See `Lowering`."""
        handler = _STATEMENTS.get(type(node))
        if handler is None:
            raise unsupported(self, node)
        handler(self, node)

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

    def _constant(self, node: ast.Constant) -> Operand:
        return self.constant_operand(node.value, node)

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

    def _name(self, node: ast.Name) -> Operand:
        found = self.read(node)
        return found if found is not None else self._meant(self.symbol_of(node), node)

    def _meant(self, symbol: Symbol, node: ast.expr) -> Operand:
        if isinstance(symbol, ConstantSymbol):
            return self.constant_operand(symbol.value, node)
        if isinstance(symbol, VariableSymbol):
            span = self.span(node)
            inputs = [self.const(symbol.name, STR, span), self.const(symbol.type, TYPE, span)]
            return self.leaf(machine.SYMBOL, inputs, PtrType(symbol.type), span)
        instead = "functions and types are called, or passed where a type is expected"
        raise self.failure(errors.NotAValue(self.span(node), describe(symbol), instead))

    def _binary(self, node: ast.BinOp) -> Operand:
        return self.binary(node.op, self.operand(node.left), self.operand(node.right), node)

    def binary(self, op: ast.operator, left: Operand, right: Operand, node: ast.AST) -> Operand:
        """A binary operator on two operands."""
        span = self.span(node)
        leaf = _BINARY.get(type(op))
        if leaf is None:
            what = "'**'" if isinstance(op, ast.Pow) else "'@'"
            raise self.failure(dialect_errors.DialectUnsupported(span, what, "call a function that computes it"))
        if isinstance(left, Literal) and isinstance(right, Literal):
            return self._fold(op, left, right, span)
        if isinstance(left, Value) and isinstance(left.type, PtrType):
            return self._offset(op, left, right, span)
        a, b = self.unify(left, right, leaf[1], span)
        dtype = dtype_of(a.type)
        is_float = dtype is not None and dtype.is_floating_point
        if dtype is None or (is_float and leaf[0] in _NO_FLOAT) or (not is_float and leaf[0] in _FLOAT_ONLY):
            instead = (
                "'/' divides floats, '//' and '%' integers" if leaf[0] in _FLOAT_ONLY or is_float else "use numbers"
            )
            raise self.failure(
                dialect_errors.DialectOperands(span, leaf[1], machine_article(a.type), machine_article(b.type), instead)
            )
        return self.leaf(leaf[0], [a, b], a.type, span)

    def _fold(self, op: ast.operator, left: Literal, right: Literal, span: Span) -> Literal:
        try:
            if isinstance(op, ast.LShift) and right.value > 128:
                raise OverflowError("the shift is too large")
            return Literal(_LITERALS[type(op)](left.value, right.value))
        except (ArithmeticError, TypeError, ValueError) as error:
            problem = dialect_errors.DialectOperands(
                span, _BINARY[type(op)][1], repr(left.value), repr(right.value), f"{error}"
            )
            raise self.failure(problem) from None

    def _offset(self, op: ast.operator, pointer: Value, count: Operand, span: Span) -> Value:
        number = self.adopt(count, INT, span)
        if number.type != INT or not isinstance(op, ast.Add | ast.Sub):
            sign = _BINARY[type(op)][1]
            instead = "a pointer moves by an i64; distances are computed from address(p)"
            raise self.failure(
                dialect_errors.DialectOperands(
                    span, sign, machine_article(pointer.type), machine_article(number.type), instead
                )
            )
        if isinstance(op, ast.Sub):
            number = self.leaf(machine.NEG, [number], INT, span)
        return self.leaf(machine.OFFSET, [pointer, number], pointer.type, span)

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

    def _unary(self, node: ast.UnaryOp) -> Operand:
        span = self.span(node)
        if isinstance(node.op, ast.Not):
            cond = self.condition(node.operand)
            if isinstance(cond.constant, bool):
                return self.const(not cond.constant, BOOL, span)
            return self.leaf(machine.NOT, [cond], BOOL, span)
        found = self.operand(node.operand)
        if isinstance(found, Literal):
            if isinstance(node.op, ast.Invert):
                if isinstance(found.value, float):
                    raise self.failure(
                        dialect_errors.DialectOperands(span, "~", "a float", "nothing", "use an integer")
                    )
                return Literal(~found.value)
            return Literal(-found.value) if isinstance(node.op, ast.USub) else found
        if isinstance(node.op, ast.UAdd):
            return found
        leaf = machine.NEG if isinstance(node.op, ast.USub) else machine.NOT
        if dtype_of(found.type) is None:
            sign = "-" if leaf is machine.NEG else "~"
            raise self.failure(
                dialect_errors.DialectOperands(span, sign, machine_article(found.type), "nothing", "use a number")
            )
        return self.leaf(leaf, [found], found.type, span)

    # Conditions

    def condition(self, node: ast.expr) -> Value:
        """See `Lowering`."""
        found = self.value(node)
        if found.type != BOOL:
            raise self.failure(dialect_errors.NotABool(self.span(node), machine_article(found.type)))
        return found

    def _bool_op(self, node: ast.BoolOp) -> Value:
        return self._connect(node, node.values)

    def _connect(self, node: ast.BoolOp, values: Sequence[ast.expr]) -> Value:
        first = self.condition(values[0])
        if len(values) == 1:
            return first
        return self._short_circuit(first, isinstance(node.op, ast.Or), lambda: self._connect(node, values[1:]), node)

    def _short_circuit(self, first: Value, stops: bool, rest: Callable[[], Value], node: ast.AST) -> Value:
        if first.constant is stops:
            return first
        if first.constant is (not stops):
            return rest()
        span = self.span(node)
        other = self.branch(rest)
        kept = self.branch(lambda: self.const(stops, BOOL, span))
        out = self.merge(first, kept if stops else other, other if stops else kept, span, BOOL)
        assert out is not None
        return out

    def _compare(self, node: ast.Compare) -> Value:
        return self._chain(node, self.operand(node.left), 0)

    def _chain(self, node: ast.Compare, left: Operand, position: int) -> Value:
        right = self.operand(node.comparators[position])
        found = self._comparison(node.ops[position], left, right, node)
        if position + 1 == len(node.ops):
            return found
        return self._short_circuit(found, False, lambda: self._chain(node, right, position + 1), node)

    def _comparison(self, op: ast.cmpop, left: Operand, right: Operand, node: ast.AST) -> Value:
        span = self.span(node)
        leaf = _COMPARISONS.get(type(op))
        if leaf is None:
            raise self.failure(dialect_errors.DialectUnsupported(span, "'is' and 'in'", "compare with '=='"))
        if isinstance(left, Literal) and isinstance(right, Literal):
            return self.const(bool(leaf[0].semantics(left.value, right.value)), BOOL, span)
        a, b = self.unify(left, right, leaf[1], span)
        if dtype_of(a.type) is None and not isinstance(a.type, PtrType):
            raise self.failure(
                dialect_errors.DialectOperands(
                    span, leaf[1], machine_article(a.type), machine_article(b.type), "compare numbers"
                )
            )
        return self.leaf(leaf[0], [a, b], BOOL, span)

    def _conditional(self, node: ast.IfExp) -> Operand:
        cond = self.condition(node.test)
        if isinstance(cond.constant, bool):
            return self.operand(node.body if cond.constant else node.orelse)
        span = self.span(node)
        found: list[Operand] = []

        def run(part: ast.expr) -> Callable[[], None]:
            return lambda: found.append(self.operand(part))

        then, orelse = self.branch(run(node.body)), self.branch(run(node.orelse))
        a, b = found
        wanted = a.type if isinstance(a, Value) else b.type if isinstance(b, Value) else None
        for branch, operand in ((then, a), (orelse, b)):
            outer, self.block = self.block, branch.block
            branch.value = self.materialise(operand, span) if wanted is None else self.adopt(operand, wanted, span)
            self.block = outer
        assert then.value is not None and orelse.value is not None
        if then.value.type != orelse.value.type:
            first, second = machine_name(then.value.type), machine_name(orelse.value.type)
            instead = "convert one of them, so that both are of one type"
            raise self.failure(type_errors.ConditionalTypes(span, "if else", first, second, instead))
        out = self.merge(cond, then, orelse, span, then.value.type)
        assert out is not None
        return out

    # Memory

    def _attribute(self, node: ast.Attribute) -> Operand:
        symbol = self.static(node)
        if symbol is not None:
            return self._meant(symbol, node)
        pointer, is_array = self._field(node)
        return pointer if is_array else self._load(pointer, node)

    def _field(self, node: ast.Attribute) -> tuple[Value, bool]:
        """Address of a field, and whether it is an array."""
        span = self.span(node)
        base = self.value(node.value)
        if not isinstance(base.type, PtrType) or not isinstance(base.type.pointee, StructType):
            raise self.failure(dialect_errors.NotAPointer(span, machine_article(base.type), f"field '{node.attr}'"))
        struct = STRUCTS[base.type.pointee.name]
        try:
            found = struct.field(node.attr)
        except KeyError:
            raise self.failure(
                dialect_errors.NotAPointer(span, f"struct {struct.name}", f"field '{node.attr}'")
            ) from None
        name = self.const(node.attr, STR, span)
        return self.leaf(machine.FIELD, [base, name], PtrType(found.type), span), found.count > 1

    def _subscript(self, node: ast.Subscript) -> Operand:
        container = self.value(node.value)
        if isinstance(container.type, TupleType):
            index = constant_int(self, node.slice)
            length = len(container.type.elements)
            if index is None or not -length <= index < length:
                span = self.span(node.slice)
                raise self.failure(type_errors.TupleIndexRange(span, index or 0, length, -length, length - 1))
            return self.tuple_element(container, index % length, self.span(node))
        return self._load(self._element(container, node), node)

    def _element(self, base: Value, node: ast.Subscript) -> Value:
        """Address of an element."""
        span = self.span(node)
        if not isinstance(base.type, PtrType):
            raise self.failure(dialect_errors.NotAPointer(span, machine_article(base.type), "elements"))
        index = self.operand(node.slice)
        if isinstance(index, Literal) and index.value == 0:
            return base
        return self._offset(ast.Add(), base, index, span)

    def _load(self, pointer: Value, node: ast.expr) -> Value:
        assert isinstance(pointer.type, PtrType)
        if isinstance(pointer.type.pointee, StructType):
            raise self.failure(
                dialect_errors.NotAPointer(self.span(node), f"struct {pointer.type.pointee}", "value; name a field")
            )
        return self.leaf(machine.LOAD, [pointer], pointer.type.pointee, self.span(node))

    def _place(self, target: ast.Subscript | ast.Attribute) -> Value:
        """The address that an assignment to `target` writes."""
        if isinstance(target, ast.Subscript):
            return self._element(self.value(target.value), target)
        pointer, is_array = self._field(target)
        if is_array:
            raise self.failure(
                errors.UnsupportedTarget(self.span(target), "an array field", "assign to its elements: p.name[i] = v")
            )
        return pointer

    def assign_from(self, target: ast.expr, node: ast.expr) -> None:
        """See `Lowering`. A literal takes the type of what it is assigned to."""
        found = self.operand(node)
        span = self.span(node)
        if isinstance(target, ast.Subscript | ast.Attribute):
            self._store(target, found, span)
        elif isinstance(target, ast.Name) and isinstance(found, Literal):
            bound = self.scope.get(target.id)
            wanted = self.declared.get(target.id) or (bound.value.type if isinstance(bound, Bound) else None)
            dtype = None if wanted is None else dtype_of(wanted)
            fits = dtype is not None and (
                dtype.is_floating_point or (dtype.is_integer and isinstance(found.value, int))
            )
            value = self.adopt(found, wanted, span) if fits and wanted is not None else self.materialise(found, span)
            self.bind(target.id, value, self.span(target))
        else:
            assign_to(self, target, self.materialise(found, span))

    def store(self, target: ast.Subscript | ast.Attribute, value: Value) -> None:
        """See `Lowering`."""
        self._store(target, value, self.span(target))

    def _store(self, target: ast.Subscript | ast.Attribute, operand: Operand, span: Span) -> None:
        self._write(self._place(target), operand, span)

    def _write(self, place: Value, operand: Operand, span: Span) -> None:
        assert isinstance(place.type, PtrType)
        wanted = place.type.pointee
        value = self.adopt(operand, wanted, span)
        if value.type != wanted:
            instead = f"convert it: {machine_name(wanted)}(...)"
            raise self.failure(
                dialect_errors.DialectOperands(span, "=", machine_article(wanted), machine_article(value.type), instead)
            )
        self.leaf(machine.STORE, [place, value], NONE, span)

    def _augment(self, node: ast.AugAssign) -> None:
        target = node.target
        if isinstance(target, ast.Name):
            current = self.value(target)
            found = self.binary(node.op, current, self.operand(node.value), node)
            self.bind(target.id, self.materialise(found, self.span(node)), self.span(target))
            return
        place = self._place(target)
        current = self._load(place, target)
        self._write(place, self.binary(node.op, current, self.operand(node.value), node), self.span(node))

    # Types

    def type_operand(self, node: ast.expr) -> Type | None:
        """The type that an argument names, None when it names none."""
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
            return self.static(node)
        return None

    # Calls, loops, errors

    def _call(self, node: ast.Call) -> Operand:
        return dialect_calls.lower_call(self, node)

    def _define(self, node: ast.FunctionDef) -> None:
        raise self.failure(
            errors.UnsupportedStatement(self.span(node), "a function inside a function", "define it outside")
        )

    def _match(self, node: ast.Match) -> None:
        raise self.failure(errors.UnsupportedStatement(self.span(node), "'match'", "write 'if', 'elif' and 'else'"))

    def _with(self, node: ast.With) -> None:
        raise self.failure(errors.UnsupportedStatement(self.span(node), "a 'with' statement", "call what it calls"))

    def _delete(self, node: ast.Delete) -> None:
        raise self.failure(
            errors.UnsupportedStatement(self.span(node), "'del'", "leave it out: values are freed after their last use")
        )

    def _for(self, node: ast.For) -> None:
        lower_range_for(self, node, lambda: self._range_bounds(node.iter))

    def _range_bounds(self, node: ast.expr) -> tuple[Value, Value, Value]:
        span = self.span(node)
        symbol = self.static(node.func) if isinstance(node, ast.Call) else None
        if not isinstance(node, ast.Call) or not isinstance(symbol, PythonSymbol) or symbol.value is not range:
            raise self.failure(errors.LoopOver(span, "this", "loop over 'range(n)'"))
        if node.keywords or not 1 <= len(node.args) <= 3:
            problem = "takes one to three arguments by position"
            raise self.failure(errors.BuiltinArguments(span, "range", problem, "write range(start, stop, step)"))
        found = [self.operand(a) for a in node.args]
        if len(found) == 1:
            found.insert(0, Literal(0))
        if len(found) == 2:
            found.append(Literal(1))
        wanted = next((o.type for o in found if isinstance(o, Value)), INT)
        values = [self.adopt(o, wanted, span) for o in found]
        dtype = dtype_of(wanted)
        for value in values:
            if value.type != wanted or dtype is None or not dtype.is_integer:
                raise self.failure(type_errors.RangeArgument(span, machine_article(value.type)))
        return values[0], values[1], values[2]

    def unpack(self, value: Value, count: int, span: Span) -> list[Value]:
        """See `Lowering`."""
        if not isinstance(value.type, TupleType):
            raise self.failure(type_errors.NotUnpackable(span, machine_article(value.type), "only tuples have parts"))
        if len(value.type.elements) != count:
            found = len(value.type.elements)
            raise self.failure(type_errors.UnpackCount(span, found, count, machine_name(value.type)))
        return self.tuple_elements(value, span)

    def _tuple(self, node: ast.Tuple) -> Value:
        return self.make_tuple([self.value(e) for e in node.elts], self.span(node))

    def _raise(self, node: ast.Raise) -> None:
        """``Name("message {0}", value)``: the message is a format string."""
        span = self.span(node)
        if node.exc is None:
            raise self.failure(errors.UnsupportedRaise(span, "again: there is no exception being handled"))
        if node.cause is not None and not (isinstance(node.cause, ast.Constant) and node.cause.value is None):
            raise self.failure(errors.UnsupportedRaise(self.span(node.cause), "an exception with a cause"))
        if self._is_thrown(node.exc):
            assert isinstance(node.exc, ast.Call)
            self.block.nodes.append(Throw(self.value(node.exc.args[0]), span))
            return
        self.block.nodes.append(Raise(*self._exception(node.exc), span))

    def _is_thrown(self, node: ast.expr) -> bool:
        """Whether it is ``Thrown(p)``."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or len(node.args) != 1:
            return False
        try:
            return self.function.environment.lookup(node.func.id) is Thrown
        except KeyError:
            return False

    def fail_assert(self, node: ast.Assert) -> None:
        """See `Lowering`."""
        text = None if node.msg is None else self._message(node.msg)
        self.block.nodes.append(Raise("AssertionError", text, (), self.span(node)))

    def exception_class(self, node: ast.expr) -> ClassType:
        """See `Lowering`."""
        raise self.failure(errors.UnsupportedHandler(self.span(node), "a value"))

    def _exception(self, node: ast.expr) -> tuple[str, str | None, list[Value]]:
        if not isinstance(node, ast.Call):
            return messages.exception_name(self, node), None, []
        name = messages.exception_name(self, node.func)
        if not node.args:
            return name, None, []
        text = self._message(node.args[0])
        values = [self.value(a) for a in node.args[1:]]
        try:
            fields = message_fields(text)
        except ValueError as error:
            raise self.failure(dialect_errors.IntrinsicRefused(self.span(node), name, str(error))) from None
        if any(i >= len(values) for i in fields):
            problem = f"the message shows argument {max(fields)}, there are {len(values)}"
            raise self.failure(dialect_errors.IntrinsicRefused(self.span(node), name, problem))
        return name, text, values

    def _message(self, node: ast.expr) -> str:
        text = self.value(node)
        if not isinstance(text.constant, str):
            raise self.failure(errors.MessageNotConstant(self.span(node), machine_article(text.type)))
        self.block.nodes.pop()
        return text.constant


_EXPRESSIONS: dict[type[ast.expr], Callable[[DialectLowering, Any], Operand]] = {
    ast.Constant: DialectLowering._constant,
    ast.Name: DialectLowering._name,
    ast.Attribute: DialectLowering._attribute,
    ast.BinOp: DialectLowering._binary,
    ast.UnaryOp: DialectLowering._unary,
    ast.BoolOp: DialectLowering._bool_op,
    ast.Compare: DialectLowering._compare,
    ast.IfExp: DialectLowering._conditional,
    ast.Call: DialectLowering._call,
    ast.Subscript: DialectLowering._subscript,
    ast.Tuple: DialectLowering._tuple,
}

_STATEMENTS: dict[type[ast.stmt], Callable[[DialectLowering, Any], None]] = {
    **STATEMENTS,
    ast.AugAssign: DialectLowering._augment,
    ast.For: DialectLowering._for,
    ast.Raise: DialectLowering._raise,
    ast.With: DialectLowering._with,
    ast.Delete: DialectLowering._delete,
    ast.FunctionDef: DialectLowering._define,
    ast.Match: DialectLowering._match,
}


def lower_whole(program: DialectProgram, instance: Instance, context: TypeContext) -> Contents:
    """Lower the body of a function of the dialect."""
    return lower_function(
        DialectLowering(program, instance.function, instance.graph, instance.returns, context), instance
    )
