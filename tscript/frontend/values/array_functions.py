"""Functions of NumPy, and what makes a NumPy scalar of a number: ``np.sqrt(x)``, ``np.zeros(n)``, ``np.float32(x)``.

`FUNCTIONS` has an entry for each function: its parameters, as NumPy names them, and what lowers a call.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import partial

from tscript.diagnostics.suggest import close_matches
from tscript.frontend.diagnostics import errors, type_errors
from tscript.frontend.diagnostics.type_names import article
from tscript.frontend.lowering.arguments import refuse_stars
from tscript.frontend.lowering.calls import operator_argument
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.tuples import make_tuple, tuple_elements
from tscript.frontend.source import libraries
from tscript.frontend.source.numpy_names import TYPE_CODES
from tscript.frontend.source.symbols import NumpySymbol, NumpyTypeSymbol
from tscript.frontend.values import array_arithmetic
from tscript.frontend.values.array_promotion import NUMBERS, apply, as_array, as_dtype, as_float, as_scalar, promoted
from tscript.ir.graph import Value
from tscript.late import dataclass
from tscript.types import (
    DTYPE,
    FLOAT,
    INT,
    ArrayType,
    DType,
    ScalarType,
    TupleType,
    dtype_of,
    dtypes,
    scalar_dtype,
)


class Call:
    """A call of a function of NumPy.

    Attributes:
        lowering: The function that is lowered.
        name: As the user wrote it.
        span: The call.
        given: The arguments by parameter.
    """

    def __init__(self, lowering: FunctionLowering, node: ast.Call, name: str, given: Mapping[str, ast.expr]) -> None:
        self.lowering = lowering
        self.name = name
        self.span = lowering.span(node)
        self.given = given

    def has(self, parameter: str) -> bool:
        """Whether there is an argument for a parameter, and it is not the literal None."""
        node = self.given.get(parameter)
        return node is not None and not (isinstance(node, ast.Constant) and node.value is None)

    def value(self, parameter: str) -> Value:
        """The value of an argument; lists and tuples of numbers are tuples."""
        return operator_argument(self.lowering, self.given[parameter])

    def refuse(self, problem: str, instead: str, parameter: str = "") -> Exception:
        """Report an argument, or the call."""
        node = self.given.get(parameter)
        span = self.span if node is None else self.lowering.span(node)
        return self.lowering.failure(type_errors.OperatorRefused(span, f"{self.name}: {problem}", instead))

    def number(self, parameter: str) -> Value:
        """An array, a NumPy scalar or a number."""
        found = self.value(parameter)
        if isinstance(found.type, ArrayType | ScalarType) or found.type in NUMBERS:
            return found
        instead = "it takes an ndarray or a number"
        raise self.refuse(f"'{parameter}' is {article(found.type)}", instead, parameter)

    def array(self, parameter: str) -> Value:
        """An array."""
        found = self.value(parameter)
        if isinstance(found.type, ArrayType):
            return found
        raise self.refuse(f"'{parameter}' is {article(found.type)}", "it takes an ndarray", parameter)

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
            ends in ``?`` may be left out.
        lower: What lowers a call.
    """

    parameters: str
    lower: Lower


def call_numpy(lowering: FunctionLowering, node: ast.Call, symbol: NumpySymbol) -> Value:
    """A call of a function of NumPy."""
    name = f"np.{symbol.path}"
    function = FUNCTIONS.get(symbol.path)
    if function is None:
        instead = libraries.instead(f"numpy.{symbol.path}", lowering.program.resolver.table)
        span = lowering.span(node.func)
        raise lowering.failure(errors.UnsupportedGlobal(span, name, "a function of the library 'numpy'", instead))
    return function.lower(Call(lowering, node, name, bound(lowering, node, name, function.parameters)))


def bound(lowering: FunctionLowering, node: ast.Call, name: str, parameters: str) -> dict[str, ast.expr]:
    """The arguments of a call by parameter."""
    refuse_stars(lowering, node)
    before, _, after = parameters.partition("*")
    positional, by_name = before.split(), after.split()
    names = [p.rstrip("?") for p in (*positional, *by_name)]
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
        if parameter not in given and not parameter.endswith("?"):
            raise lowering.failure(errors.MissingArgument(lowering.span(node), name, parameter, text))
    return given


def call_type(lowering: FunctionLowering, node: ast.Call, symbol: NumpyTypeSymbol) -> Value:
    """``np.float32(x)``: a number as a NumPy scalar, an array in a dtype."""
    call = Call(lowering, node, symbol.shown, bound(lowering, node, symbol.shown, "x?"))
    if not call.given:
        return as_scalar(lowering, call.const(0), symbol.dtype, call.span)
    return as_dtype(lowering, call.number("x"), symbol.dtype, call.span)


# ---- ufuncs


def _unary(operator: str, to_float: bool, call: Call) -> Value:
    x = _strong(call, call.number("x"))
    dtype = scalar_dtype([x.type])
    assert dtype is not None
    if dtype is dtypes.bool_ and operator in _SAME_OF_BOOLS:
        return apply(call.lowering, "clone", [x], call.span) if isinstance(x.type, ArrayType) else x
    if dtype is dtypes.bool_ and operator == "square":
        x = as_dtype(call.lowering, x, dtypes.int8, call.span)
    if to_float:
        x = as_dtype(call.lowering, x, as_float(dtype), call.span)
    return apply(call.lowering, operator, [x], call.span)


def _sign(call: Call) -> Value:
    """That of a nan is nan, and not 0 as PyTorch says."""
    lowering, span = call.lowering, call.span
    x = _strong(call, call.number("x"))
    found = apply(lowering, "sign", [x], span)
    return apply(lowering, "where", [apply(lowering, "eq", [x, x], span), found, x], span)


_SAME_OF_BOOLS = frozenset({"abs", "floor", "ceil", "trunc"})
"""Functions that give bools back."""


def _strong(call: Call, x: Value) -> Value:
    """A number of Python as the NumPy scalar that a function makes of it."""
    dtype = dtype_of(x.type)
    if isinstance(x.type, ArrayType | ScalarType) or dtype is None:
        return x
    return as_scalar(call.lowering, x, dtype, call.span)


def _binary(operator: str, call: Call) -> Value:
    left, right = call.number("x1"), call.number("x2")
    if all(v.type in NUMBERS for v in (left, right)):
        left = _strong(call, left)
    found = array_arithmetic.binary(call.lowering, operator, left, right, call.span)
    assert found is not None
    return found


def _compare(operator: str, call: Call) -> Value:
    left, right = _strong(call, call.number("x1")), call.number("x2")
    found = array_arithmetic.compare(call.lowering, operator, left, right, call.span)
    assert found is not None
    return found


def _where(call: Call) -> Value:
    lowering, span = call.lowering, call.span
    condition = as_dtype(lowering, call.number("condition"), dtypes.bool_, span)
    x, y = call.number("x"), call.number("y")
    if all(v.type in NUMBERS for v in (x, y)):
        x = _strong(call, x)
    return apply(lowering, "where", [condition, *promoted(lowering, [x, y], span)], span)


# ---- constructors


def _filled(value: float | None, call: Call) -> Value:
    """``np.zeros(shape, dtype)`` and the like."""
    lowering, span = call.lowering, call.span
    shape, dtype = call.shape("shape"), call.dtype(dtypes.float64)
    kwargs = {"dtype": lowering.const(dtype, DTYPE, span)}
    name = {0.0: "zeros", 1.0: "ones", None: "empty"}[value]
    return as_array(lowering.apply(name, [shape], span, kwargs))


def _full(call: Call) -> Value:
    lowering, span = call.lowering, call.span
    shape, fill = call.shape("shape"), call.number("fill_value")
    dtype = call.dtype(dtype_of(fill.type) or dtypes.float64)
    made = as_array(lowering.apply("empty", [shape], span, {"dtype": lowering.const(dtype, DTYPE, span)}))
    lowering.apply("fill_", [made, as_scalar(lowering, fill, dtype, span)], span)
    return made


def _like(name: str, call: Call) -> Value:
    lowering, span = call.lowering, call.span
    array = call.array("a")
    assert isinstance(array.type, ArrayType) and array.type.dtype is not None
    dtype = call.dtype(array.type.dtype)
    return as_array(lowering.apply(name, [array], span, {"dtype": lowering.const(dtype, DTYPE, span)}))


def _arange(call: Call) -> Value:
    lowering, span = call.lowering, call.span
    numbers = [call.number(p) for p in ("start", "stop", "step") if call.has(p)]
    numbers = [lowering.coerce(n, INT, span) or lowering.coerce(n, FLOAT, span) or n for n in numbers]
    all_ints = all(n.type == INT for n in numbers)
    dtype = call.dtype(dtypes.int64 if all_ints else dtypes.float64)
    return as_array(lowering.apply("arange", numbers, span, {"dtype": lowering.const(dtype, DTYPE, span)}))


FUNCTIONS: Mapping[str, Function] = {
    **{
        name: Function("x", partial(_unary, operator, True))
        for name, operator in {
            **{n: n for n in ("sqrt", "exp", "expm1", "log", "log1p", "log2", "log10", "sin", "cos", "tanh")},
        }.items()
    },
    **{
        name: Function("x", partial(_unary, operator, False))
        for name, operator in {
            **{n: n for n in ("abs", "square", "floor", "ceil", "trunc", "isnan", "isinf", "isfinite")},
            "absolute": "abs",
            "negative": "neg",
            "positive": "positive",
            "logical_not": "logical_not",
            "rint": "round",
            "invert": "bitwise_not",
            "bitwise_not": "bitwise_not",
        }.items()
    },
    **{
        name: Function("x1 x2", partial(_binary, operator))
        for name, operator in {
            "add": "add",
            "subtract": "sub",
            "multiply": "mul",
            "divide": "div",
            "true_divide": "div",
            "floor_divide": "floor_divide",
            "remainder": "remainder",
            "mod": "remainder",
            "power": "pow",
            **{n: n for n in ("maximum", "minimum", "bitwise_and", "bitwise_or", "bitwise_xor", "logical_and")},
            **{n: n for n in ("logical_or", "logical_xor")},
            "left_shift": "bitwise_left_shift",
            "right_shift": "bitwise_right_shift",
            "matmul": "matmul",
        }.items()
    },
    **{
        name: Function("x1 x2", partial(_compare, operator))
        for name, operator in {
            "equal": "eq",
            "not_equal": "ne",
            "less": "lt",
            "less_equal": "le",
            "greater": "gt",
            "greater_equal": "ge",
        }.items()
    },
    "sign": Function("x", _sign),
    "where": Function("condition x y", _where),
    "zeros": Function("shape dtype?", partial(_filled, 0.0)),
    "ones": Function("shape dtype?", partial(_filled, 1.0)),
    "empty": Function("shape dtype?", partial(_filled, None)),
    "full": Function("shape fill_value dtype?", _full),
    "zeros_like": Function("a dtype?", partial(_like, "zeros_like")),
    "ones_like": Function("a dtype?", partial(_like, "ones_like")),
    "empty_like": Function("a dtype?", partial(_like, "empty_like")),
    "arange": Function("start stop? step? * dtype?", _arange),
}
"""The functions by their names inside `numpy`."""

__all__ = ["FUNCTIONS", "Call", "Function", "bound", "call_numpy", "call_type", "dtype_argument"]
