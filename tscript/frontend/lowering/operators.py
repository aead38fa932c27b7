"""Operators applied to values: overload resolution, and conversions of arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from tscript.definitions.absent import MISSING
from tscript.definitions.opdef import Arg, OpDef, OperatorTypeError, Scalar
from tscript.definitions.resolve import resolve
from tscript.definitions.values import constant_type
from tscript.diagnostics import Span
from tscript.frontend.lowering import unions
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.tuples import make_tuple
from tscript.ir import placing
from tscript.ir.graph import Value
from tscript.late import dataclass
from tscript.types import ArrayType
from tscript.types.inference import of_arrays, weaken


def apply(
    lowering: FunctionLowering,
    name: str,
    args: Sequence[Value],
    span: Span,
    kwargs: Mapping[str, Value] | None = None,
    shown_as: str = "",
) -> Value:
    """Apply the overload of an operator that takes the arguments; messages show `shown_as`, or its name."""
    try:
        resolved = resolve(lowering.program.resolver.table, name, args, kwargs)
    except OperatorTypeError as error:
        named = {} if kwargs is None else kwargs

        def again(v: Sequence[Value]) -> Value:
            return apply(lowering, name, v[: len(args)], span, dict(zip(named, v[len(args) :], strict=True)), shown_as)

        found = unions.each(lowering, [*args, *named.values()], again, span, shown_as or name)
        if found is not None:
            return found
        from tscript.frontend.diagnostics.refusals import refusal

        table = lowering.program.resolver.table
        raise lowering.failure(refusal(table, error, name, args, kwargs or {}, span, shown_as)) from None
    return placing.apply(resolved, Arguments(lowering, span))


@dataclass(frozen=True, slots=True)
class Arguments:
    """Arguments as the inputs of an operator where it is applied."""

    lowering: FunctionLowering
    span: Span

    def given(self, arg: Arg) -> Value:
        """See `tscript.ir.placing.Inputs`."""
        assert isinstance(arg, Value)
        return arg

    def constant(self, value: object) -> Value:
        """See `tscript.ir.placing.Inputs`."""
        return self.lowering.const(value, constant_type(value), self.span)

    def gathered(self, elements: Sequence[Value]) -> Value:
        """See `tscript.ir.placing.Inputs`."""
        return make_tuple(self.lowering, elements, self.span)

    def apply(self, op: OpDef, inputs: Sequence[Value]) -> Value:
        """See `tscript.ir.placing.Inputs`."""
        return scalar(self.lowering, op, inputs, self.span)


def scalar(lowering: FunctionLowering, op: OpDef, inputs: Sequence[Value], span: Span) -> Value:
    """Apply one operator to complete inputs; one of scalars is computed where they are constant."""
    asked = lowering.kind(inputs[0]).operator if inputs else None
    if asked is not None and (own := asked(lowering, op, inputs, span)) is not None:
        return own
    type = op.type_rule(inputs)
    type = of_arrays(type) if any(isinstance(v.type, ArrayType) for v in inputs) else weaken(type)
    if isinstance(op.implementation, Scalar):
        constants = [v.constant for v in inputs]
        if all(c is not MISSING for c in constants):
            with suppress(ArithmeticError, ValueError):
                return lowering.const(op.semantics(*constants), type, span)
    return lowering.leaf(op, inputs, type, span)
