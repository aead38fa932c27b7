"""Tensors of one element given for numbers: to operators, ``torch.arange(x.max())``, to functions, and returned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tscript.definitions.absent import MISSING
from tscript.definitions.opdef import OperatorTypeError, Scalar
from tscript.definitions.resolve import Constant, resolve
from tscript.diagnostics import Span
from tscript.frontend.lowering.arguments import Function, call_function
from tscript.frontend.lowering.function import FunctionLowering
from tscript.ir.graph import Value
from tscript.operators.python.functions import tensor_lists
from tscript.operators.python.functions.tensor_lists import whole_number
from tscript.types import FLOAT, INT, NUMBER, TensorType, Type

_STAND_INS = (Constant(MISSING, FLOAT), Constant(MISSING, INT))


def with_numbers(
    lowering: FunctionLowering, name: str, args: Sequence[Value], kwargs: Mapping[str, Value], span: Span
) -> tuple[Sequence[Value], Mapping[str, Value]]:
    """The arguments of an operator. If no overload takes them, and one does with numbers in place of tensors, the
    elements of these. Functions of numbers alone, as those of `math`, take no tensors, nor do custom operators."""
    given = [*args, *kwargs.values()]
    if not any(isinstance(v.type, TensorType) for v in given):
        return args, kwargs
    table = lowering.program.resolver.table

    def is_taken(at: Sequence[int], stand_in: Constant | None) -> bool:
        tried = [stand_in if i in at and stand_in is not None else v for i, v in enumerate(given)]
        try:
            op = resolve(table, name, tried[: len(args)], dict(zip(kwargs, tried[len(args) :], strict=True))).op
        except OperatorTypeError as error:
            return not at and isinstance(error, RuntimeError | IndexError | ValueError)
        return not at or not (
            isinstance(op.implementation, Scalar)
            or op.library is not None
            or any(p.kind == "Any" for p in op.schema.parameters)
        )

    if is_taken((), None):
        return args, kwargs
    for at in _places(given):
        for stand_in in _STAND_INS:
            if is_taken(at, stand_in):
                found = list(given)
                for i in at:
                    found[i] = _number(lowering, given[i], stand_in, span)
                return found[: len(args)], dict(zip(kwargs, found[len(args) :], strict=True))
    return args, kwargs


def number_of(lowering: FunctionLowering, value: Value, wanted: Type, span: Span) -> Value | None:
    """The element of a tensor without dimensions where an int or a float is wanted, which TorchScript takes as well;
    None for another value or type."""
    number = _ITEMS.get(wanted) if isinstance(value.type, TensorType) else None
    return None if number is None else call_function(lowering, number, [value], span)


_ITEMS: dict[Type, Function] = {INT: tensor_lists.int_argument, FLOAT: tensor_lists.float_argument}


def _places(given: Sequence[Value]) -> Iterator[Sequence[int]]:
    """Which of the tensors are numbers: each alone, all but the first argument, all."""
    tensors = [i for i, v in enumerate(given) if isinstance(v.type, TensorType)]
    yield from ((i,) for i in reversed(tensors))
    if len(tensors) > 2 and tensors[0] == 0:
        yield tensors[1:]
    if len(tensors) > 1:
        yield tensors


def _number(lowering: FunctionLowering, tensor: Value, like: Constant, span: Span) -> Value:
    if like.type == INT:
        return call_function(lowering, whole_number, [tensor], span)
    return lowering.leaf(lowering.program.resolver.table["item.number"], [tensor], NUMBER, span)
