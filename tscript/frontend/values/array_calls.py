"""Calls of NumPy's functions and methods: their arguments by parameter."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from tscript.diagnostics.suggest import close_matches
from tscript.frontend.diagnostics import errors, type_errors
from tscript.frontend.diagnostics.type_names import article
from tscript.frontend.lowering.arguments import refuse_stars
from tscript.frontend.lowering.calls import operator_argument
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.holding import collect
from tscript.frontend.lowering.iteration import Items, Mapped
from tscript.frontend.lowering.tuples import make_tuple, tuple_elements
from tscript.frontend.source.numpy_names import TYPE_CODES
from tscript.frontend.values.array_literals import array_of, array_of_literal
from tscript.frontend.values.array_promotion import NUMBERS, array_type, one_number, promoted
from tscript.ir.graph import Value
from tscript.late import dataclass
from tscript.types import DTYPE, INT, ArrayType, DType, ListType, ScalarType, TupleType, Type, dtypes
from tscript.types.inference import is_open


class Call:
    """A call of a function of NumPy.

    Attributes:
        lowering: The function that is lowered.
        name: As the user wrote it.
        span: The call.
        given: The arguments by parameter.
        receiver: The array of a method, which is the argument for the parameter ``a``.
    """

    def __init__(
        self,
        lowering: FunctionLowering,
        node: ast.Call,
        name: str,
        given: Mapping[str, ast.expr],
        receiver: Value | None = None,
    ) -> None:
        self.lowering = lowering
        self.name = name
        self.span = lowering.span(node)
        self.given = given
        self.receiver = receiver
        self._values: dict[str, Value] = {}
        self._numbers: dict[str, Value] = {}

    def has(self, parameter: str) -> bool:
        """Whether there is an argument for a parameter, and it is not the literal None."""
        node = self.given.get(parameter)
        return node is not None and not (isinstance(node, ast.Constant) and node.value is None)

    def value(self, parameter: str) -> Value:
        """The value of an argument; lists and tuples of numbers are tuples."""
        if parameter == "a" and self.receiver is not None:
            return self.receiver
        found = self._values.get(parameter)
        if found is None:
            found = self._values[parameter] = operator_argument(self.lowering, self.given[parameter])
        return found

    def refuse(self, problem: str, instead: str, parameter: str = "") -> Exception:
        """Report an argument, or the call."""
        node = self.given.get(parameter)
        span = self.span if node is None else self.lowering.span(node)
        return self.lowering.failure(type_errors.OperatorRefused(span, f"{self.name}: {problem}", instead))

    def number(self, parameter: str) -> Value:
        """An array, a NumPy scalar or a number; a list or tuple is an array."""
        if parameter == "a" and self.receiver is not None:
            return self.receiver
        known = self._numbers.get(parameter)
        if known is None:
            known = self._numbers[parameter] = self._number(parameter)
        return known

    def _number(self, parameter: str) -> Value:
        node = self.given[parameter]
        if (made := array_of_literal(self.lowering, node, None)) is not None:
            return made
        found = one_number(self.lowering, self.value(parameter), self.span)
        if isinstance(found.type, ArrayType | ScalarType) or found.type in NUMBERS:
            return found
        made = array_of(self.lowering, found, None, self.span)
        if made is not None:
            return made
        instead = "it takes an ndarray or a number"
        raise self.refuse(f"'{parameter}' is {article(found.type)}", instead, parameter)

    def array(self, parameter: str) -> Value:
        """An array; a number is one without dimensions."""
        found = self.number(parameter)
        made = array_of(self.lowering, found, None, self.span)
        assert made is not None
        return made

    def arrays(self, parameter: str) -> list[Value]:
        """The arrays of a tuple or list."""
        node = self.given[parameter]
        if isinstance(node, ast.List | ast.Tuple):
            found = [self.lowering.value(e) for e in node.elts]
        else:
            value = self._values.get(parameter) or self.lowering.value(node)
            if not isinstance(value.type, TupleType):
                raise self.refuse(
                    f"'{parameter}' is {article(value.type)}", "give a tuple or list of arrays", parameter
                )
            found = tuple_elements(self.lowering, value, self.span)
        made = [array_of(self.lowering, v, None, self.span) for v in found]
        if not made or any(v is None for v in made):
            raise self.refuse(f"'{parameter}' has an element that is no array", "write a tuple of arrays", parameter)
        return promoted(self.lowering, [v for v in made if v is not None], self.span)

    def list_of_arrays(self, parameter: str, each: Callable[[Value], Value]) -> Value | None:
        """A list that the program has made, with its elements as arrays and a function applied to these; None where the
        argument is something else."""
        node = self.given[parameter]
        if isinstance(node, ast.List | ast.Tuple):
            return None
        value = self.lowering.value(node)
        self._values[parameter] = value
        if not isinstance(value.type, ListType):
            return None
        if is_open(value.type):
            raise self.refuse("nothing is said of the elements", "declare the list: rows: list[np.ndarray]", parameter)

        def array(element: Value) -> Value:
            made = array_of(self.lowering, element, None, self.span)
            if made is None:
                problem = f"'{parameter}' is {article(value.type)}"
                raise self.refuse(problem, "give arrays, or lists of numbers", parameter)
            return each(made)

        return collect(self.lowering, Mapped(Items(value, "getitem", False), array), node)

    def constant(self, parameter: str, default: object) -> Any:
        """The value of an argument that has to be known when the function is compiled."""
        if not self.has(parameter):
            return default
        found = self.value(parameter).constant
        if isinstance(found, bool | int | str) or (isinstance(found, tuple) and all(type(x) is int for x in found)):
            return found
        raise self.refuse(f"'{parameter}' is no constant", "it is a part of the type: write it as a literal", parameter)

    def axis(self, array: Value, parameter: str = "axis", default: int | None = None) -> int | None:
        """An axis as the number of a dimension, or None."""
        found = self.constant(parameter, None if parameter in self.given else default)
        return None if found is None else self.dimension(found, array, parameter)

    def dimension(self, found: object, array: Value, parameter: str) -> int:
        """A constant axis from 0."""
        return self.dimension_of(found, array_type(array), parameter)

    def dimension_of(self, found: object, type: Type, parameter: str) -> int:
        """A constant axis of arrays of a type from 0."""
        rank = type.rank if isinstance(type, ArrayType) else None
        assert rank is not None
        if not isinstance(found, int) or not -rank <= found < rank:
            problem = f"axis {found} is out of bounds for array of dimension {rank}"
            raise self.refuse(problem, "an axis counts the dimensions from 0, or from the end", parameter)
        return found % rank

    def dtype(self, default: DType, parameter: str = "dtype") -> DType:
        """A dtype, which is a constant: ``np.float32``, ``float``, ``"f4"``, ``a.dtype``."""
        if not self.has(parameter):
            return default
        return dtype_argument(self.lowering, self.given[parameter])

    def shape(self, parameter: str) -> Value:
        """A shape: an int or a tuple of ints."""
        found = self.value(parameter)
        elements = tuple_elements(self.lowering, found, self.span) if isinstance(found.type, TupleType) else [found]
        sizes = [self.lowering.coerce(e, INT, self.span) for e in elements]
        if any(size is None for size in sizes):
            raise self.refuse(f"'{parameter}' is {article(found.type)}", "a shape is a tuple of ints", parameter)
        return make_tuple(self.lowering, [s for s in sizes if s is not None], self.span)

    def const(self, value: object) -> Value:
        """A constant."""
        return self.lowering.constant(value, self.span)


_PYTHON: Mapping[str, DType] = {"float": dtypes.float64, "int": dtypes.int64, "bool": dtypes.bool_}


def dtype_argument(lowering: FunctionLowering, node: ast.expr) -> DType:
    """The dtype that an argument names."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in TYPE_CODES:
        return TYPE_CODES[node.value]
    if isinstance(node, ast.Name) and node.id in _PYTHON and node.id not in lowering.scope:
        return _PYTHON[node.id]
    found = lowering.value(node)
    if found.type == DTYPE and isinstance(found.constant, DType):
        return found.constant
    instead = f"write a dtype that is known when the function is compiled: np.{dtypes.float64.name}"
    raise lowering.failure(
        type_errors.OperatorRefused(lowering.span(node), f"'{ast.unparse(node)}' is no dtype", instead)
    )


Lower = Callable[[Call], Value]


@dataclass(frozen=True, slots=True)
class Function:
    """A function of NumPy.

    Attributes:
        parameters: Names of its parameters in order; ``*`` stands before those that are given by name, and a name that
            ends in ``?``, or that is followed by its default, may be left out.
        lower: What lowers a call.
    """

    parameters: str
    lower: Lower


def plain_name(parameter: str) -> str:
    """The name of a parameter as it is written in a table: ``axis?``, ``atol=1e-08``."""
    return parameter.partition("=")[0].rstrip("?")


def bound(lowering: FunctionLowering, node: ast.Call, name: str, parameters: str) -> dict[str, ast.expr]:
    """The arguments of a call by parameter."""
    refuse_stars(lowering, node)
    before, _, after = parameters.partition("*")
    positional, by_name = before.split(), after.split()
    names = [plain_name(p) for p in (*positional, *by_name)]
    text = f"{name}({', '.join(p.rstrip('?') for p in parameters.split())})"
    if len(node.args) > len(positional):
        span = lowering.span(node.args[len(positional)])
        raise lowering.failure(errors.TooManyArguments(span, name, len(positional), len(node.args), text))
    given = dict(zip(names, node.args, strict=False))
    for keyword in node.keywords:
        assert keyword.arg is not None
        span = lowering.span(keyword)
        if keyword.arg not in names:
            close = close_matches(keyword.arg, names)
            instead = f"did you mean '{close[0]}'?" if close else f"the signature is {text}"
            raise lowering.failure(errors.UnknownKeyword(span, name, keyword.arg, instead))
        if keyword.arg in given:
            raise lowering.failure(errors.RepeatedArgument(span, name, keyword.arg))
        given[keyword.arg] = keyword.value
    for parameter in (*positional, *by_name):
        if parameter not in given and not parameter.endswith("?") and "=" not in parameter:
            raise lowering.failure(errors.MissingArgument(lowering.span(node), name, parameter, text))
    return given
