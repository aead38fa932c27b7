"""`LanguageLowering`: the language's own half of lowering, what values, truth, conversions and places mean.

Expressions are in `expressions`, calls in `calls`, indexing in `subscripts`, error messages in `messages`.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from tscript.diagnostics import Span
from tscript.frontend import calls, errors, expressions, messages, subscripts, type_errors
from tscript.frontend.lowering import Abandoned, Lowering
from tscript.frontend.meanings import PythonMeaning
from tscript.frontend.scopes import article, shown, weaken
from tscript.ir.builder import constant_type
from tscript.ir.graph import Block as GraphBlock
from tscript.ir.graph import If, Raise, Value, Yield
from tscript.ops.opdef import MISSING, OpDef, OperatorTypeError, Scalar
from tscript.ops.resolve import Default, Gathered, Given, Slot, resolve
from tscript.types import (
    BOOL,
    DTYPE,
    FLOAT,
    INT,
    NONE,
    SIZE,
    STR,
    SizeType,
    TensorType,
    TupleType,
    Type,
    is_subtype,
)

MAX_NOTES = 6
"""Overloads shown when an operator refuses its arguments."""


class LanguageLowering(Lowering):
    """One function of the language being lowered."""

    # Expressions

    def value(self, node: ast.expr) -> Value:
        """See `Lowering`."""
        return expressions.lower_expression(self, node)

    def value_as(self, node: ast.expr, target: Type) -> Value:
        """See `Lowering`."""
        return expressions.lower_expression(self, node)

    def condition(self, node: ast.expr) -> Value:
        """See `Lowering`."""
        return expressions.lower_condition(self, node)

    def truth(self, value: Value, span: Span) -> Value:
        """The truth of a value, a `bool`."""
        constant = value.constant
        match value.type:
            case _ if value.type == BOOL:
                return value
            case _ if constant is not MISSING and value.type != DTYPE:
                return self.const(bool(constant), BOOL, span)
            case _ if value.type == NONE:
                return self.const(False, BOOL, span)
            case _ if value.type == DTYPE:
                return self.const(True, BOOL, span)
            case TupleType(elements=elements):
                return self.const(bool(elements), BOOL, span)
            case SizeType():
                return self.apply("ne", [self.apply("len", [value], span), self.const(0, INT, span)], span)
        return self.apply("bool", [value], span)

    # Operators

    def apply(
        self,
        name: str,
        args: Sequence[Value],
        span: Span,
        kwargs: Mapping[str, Value] | None = None,
        shown_as: str = "",
    ) -> Value:
        """Apply the overload of an operator that takes the arguments.

        Args:
            name: Plain name in the table.
            args, kwargs: Its arguments.
            span: Where it stands.
            shown_as: What the user wrote, for messages; the name when left out.
        """
        try:
            resolved = resolve(self.program.resolver.table, name, args, kwargs)
        except OperatorTypeError as error:
            raise self._refusal(error, name, args, kwargs or {}, span, shown_as) from None
        return self.apply_resolved(resolved.op, resolved.slots, span)

    def apply_resolved(self, op: OpDef, slots: Sequence[Slot], span: Span) -> Value:
        """Apply one operator to arguments that overload resolution has placed."""
        inputs: list[Value] = []
        for slot, parameter in zip(slots, op.schema.parameters, strict=True):
            match slot:
                case Given(arg=Value() as arg, convert=None):
                    inputs.append(arg)
                case Given(arg=Value() as arg, convert=OpDef() as convert):
                    inputs.append(self.scalar(convert, [arg], span))
                case Gathered(args=args):
                    inputs.append(self.make_tuple([a for a in args if isinstance(a, Value)], span))
                case Default(value=value):
                    if parameter.kind.startswith("float") and type(value) is int:
                        value = float(value)
                    inputs.append(self.const(value, constant_type(value), span))
        return self.scalar(op, inputs, span)

    def scalar(self, op: OpDef, inputs: Sequence[Value], span: Span) -> Value:
        """Apply one operator to complete inputs; one of scalars that cannot raise is computed when they are constant."""
        type = weaken(op.type_rule(inputs))
        if isinstance(op.implementation, Scalar) and op.effects.is_pure:
            constants = [v.constant for v in inputs]
            if all(c is not MISSING for c in constants):
                return self.const(op.semantics(*constants), type, span)
        return self.leaf(op, inputs, type, span)

    def _refusal(
        self,
        error: OperatorTypeError,
        name: str,
        args: Sequence[Value],
        kwargs: Mapping[str, Value],
        span: Span,
        shown_as: str,
    ) -> Abandoned:
        first, *rest = str(error).split("\n")
        notes: list[str] = []
        for line in rest:
            if line.startswith("   ") and notes:
                notes[-1] += f": {line.strip()}"
            else:
                notes.append(line.strip())
        if shown_as and not shown_as[0].isalpha():
            found = " and ".join(shown(a.type) for a in args)
            return self.failure(
                type_errors.OperatorRefused(
                    span, f"'{shown_as}' does not take {found}", _operand_help([a.type for a in args])
                )
            )
        if shown_as:
            first = first.replace(f"'{name}'", f"'{shown_as}'", 1)
        tensors = [n for n in notes if "Tensor" in n.partition("->")[0]]
        if tensors and any(isinstance(a.type, TensorType) for a in [*args, *kwargs.values()]):
            notes = tensors
        return self.failure(type_errors.OperatorRefused(span, first, "", tuple(notes[:MAX_NOTES])))

    # Conversions

    def coerce(self, value: Value, target: Type, span: Span) -> Value | None:
        """See `Lowering`. A bool serves as an int, an int as a float, element by element in tuples."""
        found = value.type
        if found == target or (is_subtype(found, target) and target != SIZE):
            return value
        if (found, target) in _IMPLICIT:
            name, constant = _IMPLICIT[found, target], value.constant
            if isinstance(constant, int):
                return self.const(float(constant) if target == FLOAT else int(constant), target, span)
            return self.apply(name, [value], span)
        if (
            isinstance(found, TupleType)
            and isinstance(target, TupleType)
            and len(found.elements) == len(target.elements)
        ):
            parts: list[Value] = []
            for element, wanted in zip(self.tuple_elements(value, span), target.elements, strict=True):
                part = self.coerce(element, wanted, span)
                if part is None:
                    return None
                parts.append(part)
            return self.make_tuple(parts, span)
        return None

    # Places

    def store(self, target: ast.Subscript | ast.Attribute, value: Value) -> None:
        """See `Lowering`."""
        subscripts.store(self, target, value)

    def augment(self, node: ast.AugAssign) -> None:
        """See `Lowering`."""
        expressions.lower_augmented(self, node)

    # Loops and unpacking

    def is_range(self, node: ast.Call) -> bool:
        """Whether a call is one of the builtin `range`."""
        meaning = self.static(node.func)
        return isinstance(meaning, PythonMeaning) and meaning.value is range

    def range_bounds(self, node: ast.expr) -> tuple[Value, Value, Value]:
        """See `Lowering`."""
        if not isinstance(node, ast.Call) or not self.is_range(node):
            raise self._no_loop(node)
        span = self.span(node)
        arguments = node.args
        if node.keywords or not 1 <= len(arguments) <= 3:
            raise self.failure(
                errors.BuiltinArguments(
                    span, "range", "takes one to three arguments by position", "write range(start, stop, step)"
                )
            )
        for argument in arguments:
            if isinstance(argument, ast.Starred):
                raise self.failure(errors.StarredArgument(self.span(argument), "*"))
        found: list[Value] = []
        for argument in arguments:
            at = self.span(argument)
            given = self.value(argument)
            value = self.coerce(given, INT, at)
            if value is None:
                raise self.failure(type_errors.RangeArgument(at, article(given.type)))
            found.append(value)
        if len(found) == 1:
            found.insert(0, self.const(0, INT, span))
        if len(found) == 2:
            found.append(self.const(1, INT, span))
        return found[0], found[1], found[2]

    def _no_loop(self, node: ast.expr) -> Abandoned:
        """Report a loop over something else than a range."""
        what, instead = "this", "loop over 'range(n)' and index with the counter"
        meaning = self.static(node.func) if isinstance(node, ast.Call) else self.static(node)
        match meaning, node:
            case PythonMeaning(), ast.Call():
                what = f"'{getattr(meaning.value, '__name__', meaning.value)}'"
            case None, _:
                type = self.value(node).type
                what = article(type)
                if isinstance(type, TensorType):
                    name = node.id if isinstance(node, ast.Name) else "x"
                    instead = f"write 'for i in range({name}.size(0)):' and use '{name}[i]'"
                elif isinstance(type, TupleType):
                    instead = "write the iterations out: its elements may differ in type"
                elif type == INT:
                    instead = "write 'range(...)' around it"
        return self.failure(errors.LoopOver(self.span(node), what, instead))

    def unpack(self, value: Value, count: int, span: Span) -> list[Value]:
        """See `Lowering`. The length of a shape is checked when the function runs."""
        match value.type:
            case TupleType(elements=elements):
                if len(elements) != count:
                    raise self.failure(type_errors.UnpackCount(span, len(elements), count, shown(value.type)))
                return self.tuple_elements(value, span)
            case SizeType():
                return self._unpack_size(value, count, span)
            case TensorType():
                instead = "take its elements one by one: x[0], x[1]"
            case _:
                instead = "only tuples and shapes have parts"
        raise self.failure(type_errors.NotUnpackable(span, article(value.type), instead))

    def _unpack_size(self, value: Value, count: int, span: Span) -> list[Value]:
        length = self.apply("len", [value], span)
        wanted = self.const(count, INT, span)
        less = GraphBlock()
        less.nodes.append(
            Raise("ValueError", f"not enough values to unpack (expected {count}, got {{0}})", [length], span)
        )
        more = GraphBlock()
        more.nodes.append(Raise("ValueError", f"too many values to unpack (expected {count})", (), span))
        for name, failing in (("lt", less), ("gt", more)):
            fine = GraphBlock()
            fine.nodes.append(Yield((), span))
            self.block.nodes.append(If(self.apply(name, [length, wanted], span), failing, fine, (), span))
        return [self.apply("getitem", [value, self.const(i, INT, span)], span) for i in range(count)]

    # Errors raised by the function

    def raise_(self, node: ast.Raise) -> None:
        """See `Lowering`."""
        exceptions.lower_raise(self, node)

    def fail_assert(self, node: ast.Assert) -> None:
        """See `Lowering`."""
        exceptions.lower_failed_assert(self, node.msg, self.span(node))

    def exception_class(self, node: ast.expr) -> ClassType:
        """See `Lowering`."""
        return messages.exception_class(self, node)

    def named_exception(self, node: ast.expr) -> ClassType | None:
        """The class of exceptions that an expression names; None when it is a value."""
        return messages.named_exception(self, node)

    def argument(self, node: ast.expr) -> Value:
        """An argument of an operator, where a list stands for a tuple."""
        return calls.operator_argument(self, node)


def _operand_help(types: Sequence[Type]) -> str:
    """What to do about operands that an operator sign does not take."""
    if any(t == STR for t in types):
        return "texts are constants only: they are compared and stand in messages"
    if any(isinstance(t, TupleType | SizeType) for t in types):
        return "work on the elements: t[0], or unpack it: 'a, b = t'"
    if NONE in types:
        return "None is only compared, by 'is None'"
    return "convert one of them: int(...), float(...)"


_IMPLICIT: dict[tuple[Type, Type], str] = {(INT, FLOAT): "float", (BOOL, FLOAT): "float", (BOOL, INT): "int"}
