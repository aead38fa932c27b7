"""NumPy's generators of random numbers: ``rng.normal()``, ``rng.integers(6, size=100)``, ``np.random.rand()``.

A single number of the usual distributions is drawn by compiled code. Arrays, and all other distributions, are NumPy's
own methods.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from tscript.definitions.opdef import OpDef
from tscript.frontend.diagnostics import type_errors
from tscript.frontend.diagnostics.type_names import article
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.kinds import Kind
from tscript.frontend.lowering.merging import when
from tscript.frontend.lowering.method_names import missing
from tscript.frontend.lowering.tuples import tuple_elements
from tscript.frontend.values import numpy_calls, numpy_strings, seeded_generators, sequences
from tscript.frontend.values.array_calls import Call, Function, bound, plain_name
from tscript.frontend.values.array_promotion import array_type, as_scalar
from tscript.ir.graph import Value
from tscript.late import dataclass
from tscript.operators.python import random_numbers as operators
from tscript.types import (
    FLOAT,
    GENERATOR,
    INT,
    NONE,
    STR,
    ArrayType,
    DType,
    ScalarType,
    TupleType,
    Type,
    dtypes,
)


@dataclass(frozen=True, slots=True)
class Stream:
    """Where numbers are drawn from.

    Attributes:
        path: Of its methods, inside `numpy`.
        double, normal, exponential, below: The operators that draw a number.
        checks_range: Whether ``uniform`` refuses an upper bound below the lower one.
    """

    path: str
    double: OpDef
    normal: OpDef
    exponential: OpDef
    below: OpDef
    checks_range: bool


OWN = Stream(
    "random.Generator", operators.DOUBLE, operators.NORMAL, operators.EXPONENTIAL, operators.BELOW, checks_range=True
)
GLOBAL = Stream(
    "random",
    operators.LEGACY_DOUBLE,
    operators.LEGACY_NORMAL,
    operators.LEGACY_EXPONENTIAL,
    operators.LEGACY_BELOW,
    checks_range=False,
)


class Draw:
    """A call of a method of a generator, or of a function of `np.random`.

    Attributes:
        call: The call.
        stream: Where numbers are drawn from.
        name: Of the method.
        rng: The generator, if it is not the global one.
        values: The arguments, by parameter.
    """

    def __init__(self, call: Call, stream: Stream, name: str, rng: Sequence[Value], parameters: str) -> None:
        self.call = call
        self.lowering = call.lowering
        self.span = call.span
        self.stream = stream
        self.name = name
        self.rng = list(rng)
        names = [plain_name(p) for p in parameters.replace("*", "").split()]
        self.values = {p: self._argument(p) for p in names if call.has(p)}

    def _argument(self, parameter: str) -> Value:
        """An argument as NumPy gets it: a dtype by its name, numbers in a list as an array."""
        if parameter == "dtype":
            return self.lowering.const(self.call.dtype(dtypes.float64).name, STR, self.span)
        if parameter in _ARRAYS or isinstance(self.call.given[parameter], ast.List):
            return self.call.number(parameter)
        return self.call.value(parameter)

    def draw(self, op: OpDef, type: Type, *args: Value) -> Value:
        """Apply one of the stream's operators."""
        return self.lowering.leaf(op, [*self.rng, *args], type, self.span)

    def numpy(self, result: Type) -> Value:
        """The call by NumPy itself."""
        path = f"{self.stream.path}.{self.name}"
        return numpy_calls.call(self.lowering, path, result, self.rng, self.span, self.values)

    def has(self, *parameters: str) -> bool:
        """Whether there is an argument for one of several parameters."""
        return any(p in self.values for p in parameters)

    def size_rank(self) -> int | None:
        """The number of dimensions that ``size`` gives; None without it."""
        size = self.values.get("size")
        if size is None:
            return None
        elements = tuple_elements(self.lowering, size, self.span) if isinstance(size.type, TupleType) else [size]
        if any(self.lowering.coerce(e, INT, self.span) is None for e in elements):
            raise self.call.refuse(f"'size' is {article(size.type)}", "give an int or a tuple of ints", "size")
        return len(elements)

    def rank(self) -> int | None:
        """The number of dimensions of the result; None: it is one number."""
        found = self.size_rank()
        if found is not None:
            return found
        ranks = [array_type(v).rank or 0 for v in self.values.values() if isinstance(v.type, ArrayType)]
        return max(ranks, default=0) or None

    def number(self, parameter: str, default: float) -> Value | None:
        """An argument as a float of Python; None if it is no number."""
        if parameter not in self.values:
            return self.lowering.const(default, FLOAT, self.span)
        found = self.values[parameter]
        if isinstance(found.type, ScalarType):
            found = as_scalar(self.lowering, found, dtypes.float64, self.span)
        return self.lowering.coerce(found, FLOAT, self.span)

    def whole(self, parameter: str) -> Value | None:
        """An argument as an int of Python; None if it is no int."""
        return self.lowering.coerce(self.values[parameter], INT, self.span)

    def refused_by_numpy(self, wrong: Value, result: Type) -> None:
        """Where a condition holds NumPy is called, which raises."""

        def refuse() -> None:
            self.numpy(result)

        when(self.lowering, wrong, refuse, self.span)

    def apply(self, name: str, *args: Value | float) -> Value:
        """Arithmetic of numbers."""
        operands = [a if isinstance(a, Value) else self.call.const(a) for a in args]
        return self.lowering.apply(name, operands, self.span)


_ARRAYS = frozenset({"x", "a", "p", "pvals", "mean", "cov", "alpha"})
"""Parameters that take arrays in place of numbers, also as lists and tuples."""

Method = Callable[[Draw], Value]


# ---- floats


def _floats(draw: Draw) -> Value:
    """A distribution of floats."""
    rank = draw.rank()
    return draw.numpy(FLOAT if rank is None else ArrayType(draw.call.dtype(dtypes.float64), rank))


def _standard(op: Callable[[Stream], OpDef], draw: Draw) -> Value:
    """``random``, ``standard_normal``, ``standard_exponential``."""
    return _floats(draw) if draw.values else draw.draw(op(draw.stream), FLOAT)


def _scaled(op: Callable[[Stream], OpDef], loc: str, draw: Draw) -> Value:
    """``normal``, ``exponential``: a standard number, scaled and shifted."""
    first, scale = draw.number(loc or "loc", 0.0), draw.number("scale", 1.0)
    if draw.has("size") or first is None or scale is None:
        return _floats(draw)
    if draw.has("scale"):
        fine = draw.apply("ge", scale, 0.0)
        draw.refused_by_numpy(draw.apply("not", fine), FLOAT)
    found = draw.apply("mul", scale, draw.draw(op(draw.stream), FLOAT))
    return draw.apply("add", first, found) if loc else found


def _uniform(draw: Draw) -> Value:
    low, high = draw.number("low", 0.0), draw.number("high", 1.0)
    if draw.has("size") or low is None or high is None:
        return _floats(draw)
    width = draw.apply("sub", high, low)
    size = width if draw.stream.checks_range else draw.apply("abs", width)
    fine = draw.apply("bitwise_and", draw.apply("ge", size, 0.0), draw.apply("lt", size, math.inf))
    draw.refused_by_numpy(draw.apply("not", fine), FLOAT)
    return draw.apply("add", low, draw.apply("mul", width, draw.draw(draw.stream.double, FLOAT)))


def _vectors(dtype: DType, draw: Draw) -> Value:
    """A distribution of vectors."""
    return draw.numpy(ArrayType(dtype, (draw.size_rank() or 0) + 1))


# ---- ints


def _ints(draw: Draw) -> Value:
    """A distribution of ints."""
    rank = draw.rank()
    return draw.numpy(INT if rank is None else ArrayType(dtypes.int64, rank))


def _integers(draw: Draw) -> Value:
    """``integers``, and ``randint`` of the global generator."""
    rank, dtype = draw.rank(), draw.call.dtype(dtypes.int64)
    result: Type = ScalarType(dtype)
    if draw.stream is GLOBAL and not draw.has("dtype"):
        result = INT
    bounds = [draw.whole(p) for p in ("low", "high") if draw.has(p)]
    if rank is not None or draw.has("dtype") or None in bounds:
        return draw.numpy(result if rank is None else ArrayType(dtype, rank))
    *lows, high = [b for b in bounds if b is not None]
    low = lows[0] if lows else draw.call.const(0)
    closed = bool(draw.call.constant("endpoint", False))
    draw.refused_by_numpy(draw.apply("gt" if closed else "ge", low, high), result)
    width = draw.apply("wrapping_sub", high, low)
    if not closed:
        width = draw.apply("wrapping_sub", width, 1)
    found = draw.draw(draw.stream.below, INT, low, width)
    return found if result == INT else as_scalar(draw.lowering, found, dtype, draw.span)


# ---- choices


def _choice(draw: Draw) -> Value:
    """``choice(a)``: of the rows of an array, or of as many ints."""
    array, rank = draw.values["a"], draw.size_rank()
    if not isinstance(array.type, ArrayType):
        return draw.numpy(INT if rank is None else ArrayType(dtypes.int64, rank))
    found = array_type(array)
    assert found.dtype is not None and found.rank is not None
    rest = (rank or 0) + found.rank - 1
    return draw.numpy(ScalarType(found.dtype) if rank is None and rest == 0 else ArrayType(found.dtype, rest))


def _permutation(draw: Draw) -> Value:
    found = draw.values["x"].type
    return draw.numpy(found if isinstance(found, ArrayType) else ArrayType(dtypes.int64, 1))


def _shuffle(draw: Draw) -> Value:
    if not isinstance(draw.values["x"].type, ArrayType) or isinstance(draw.call.given["x"], ast.List | ast.Tuple):
        raise draw.call.refuse("it shuffles an ndarray in place", "make an array: 'a = np.array(items)'", "x")
    return draw.numpy(NONE)


def _seed(draw: Draw) -> Value:
    return draw.numpy(NONE)


_RANDOM = partial(_standard, lambda stream: stream.double)
_DISTRIBUTIONS: Mapping[str, tuple[str, Method]] = {
    "uniform": ("low? high? size?", _uniform),
    "normal": ("loc? scale? size?", partial(_scaled, lambda stream: stream.normal, "loc")),
    "exponential": ("scale? size?", partial(_scaled, lambda stream: stream.exponential, "")),
    **{
        name: (parameters, _floats)
        for name, parameters in {
            "beta": "a b size?",
            "chisquare": "df size?",
            "f": "dfnum dfden size?",
            "gamma": "shape scale? size?",
            "gumbel": "loc? scale? size?",
            "laplace": "loc? scale? size?",
            "logistic": "loc? scale? size?",
            "lognormal": "mean? sigma? size?",
            "noncentral_chisquare": "df nonc size?",
            "noncentral_f": "dfnum dfden nonc size?",
            "pareto": "a size?",
            "power": "a size?",
            "rayleigh": "scale? size?",
            "standard_cauchy": "size?",
            "standard_gamma": "shape size?",
            "standard_t": "df size?",
            "triangular": "left mode right size?",
            "vonmises": "mu kappa size?",
            "wald": "mean scale size?",
            "weibull": "a size?",
        }.items()
    },
    **{
        name: (parameters, _ints)
        for name, parameters in {
            "binomial": "n p size?",
            "geometric": "p size?",
            "hypergeometric": "ngood nbad nsample size?",
            "logseries": "p size?",
            "negative_binomial": "n p size?",
            "poisson": "lam? size?",
            "zipf": "a size?",
        }.items()
    },
    "dirichlet": ("alpha size?", partial(_vectors, dtypes.float64)),
    "multinomial": ("n pvals size?", partial(_vectors, dtypes.int64)),
    "multivariate_normal": ("mean cov size?", partial(_vectors, dtypes.float64)),
    "permutation": ("x", _permutation),
    "shuffle": ("x", _shuffle),
}
"""What generators and the global one have."""

METHODS: Mapping[str, tuple[str, Method]] = {
    **_DISTRIBUTIONS,
    "random": ("size? dtype?", _RANDOM),
    "standard_normal": ("size? dtype?", partial(_standard, lambda stream: stream.normal)),
    "standard_exponential": ("size? dtype?", partial(_standard, lambda stream: stream.exponential)),
    "standard_gamma": ("shape size? dtype?", _floats),
    "integers": ("low high? size? dtype? endpoint?", _integers),
    "choice": ("a size? replace? p? axis? shuffle?", _choice),
    "permutation": ("x axis?", _permutation),
    "permuted": ("x axis?", _permutation),
    "shuffle": ("x axis?", _shuffle),
}
"""The methods of a Generator: their parameters, and what lowers a call."""

_GLOBAL: Mapping[str, tuple[str, Method]] = {
    **_DISTRIBUTIONS,
    **dict.fromkeys(("random", "random_sample", "ranf", "sample"), ("size?", _RANDOM)),
    "standard_normal": ("size?", partial(_standard, lambda stream: stream.normal)),
    "standard_exponential": ("size?", partial(_standard, lambda stream: stream.exponential)),
    "randint": ("low high? size? dtype?", _integers),
    "choice": ("a size? replace? p?", _choice),
    "seed": ("seed?", _seed),
}


def _of_global(name: str, parameters: str, method: Method, call: Call) -> Value:
    return method(Draw(call, GLOBAL, name, [], parameters))


def _sized(op: Callable[[Stream], OpDef], name: str, call: Call) -> Value:
    """``np.random.rand(n, m)``, whose parameters are the sizes."""
    draw = Draw(call, GLOBAL, name, [], "")
    sizes = [draw.lowering.coerce(call.value(p), INT, call.span) for p in call.given]
    if not sizes:
        return draw.draw(op(GLOBAL), FLOAT)
    given = [s for s in sizes if s is not None]
    if len(given) < len(sizes):
        raise call.refuse("its arguments are sizes", "give ints")
    result = ArrayType(dtypes.float64, len(given))
    return numpy_calls.call(draw.lowering, f"random.{name}", result, given, call.span)


def _default_rng(call: Call) -> Value:
    given = [call.value("seed")] if call.has("seed") else []
    return numpy_calls.call(call.lowering, "random.default_rng", GENERATOR, given, call.span)


_SIZES = "d0? d1? d2? d3? d4? d5?"

FUNCTIONS: Mapping[str, Function] = {
    **{
        f"random.{name}": Function(parameters, partial(_of_global, name, parameters, method))
        for name, (parameters, method) in _GLOBAL.items()
    },
    "random.rand": Function(_SIZES, partial(_sized, lambda stream: stream.double, "rand")),
    "random.randn": Function(_SIZES, partial(_sized, lambda stream: stream.normal, "randn")),
    "random.default_rng": Function("seed?", _default_rng),
}
"""The functions of `np.random`, by their names inside `numpy`."""


def lower_method(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value:
    """A call of a method of a generator."""
    assert isinstance(node.func, ast.Attribute)
    name = node.func.attr
    if name in seeded_generators.METHODS:
        return seeded_generators.METHODS[name](lowering, node, receiver)
    found = METHODS.get(name)
    if found is None:
        instead = missing(lowering, node.func.value, "Generator", name, [*METHODS, *seeded_generators.METHODS])
        raise lowering.failure(type_errors.NoAttribute(lowering.span(node.func), "Generator", "method", name, instead))
    parameters, method = found
    call = Call(lowering, node, f"Generator.{name}", bound(lowering, node, name, parameters))
    return method(Draw(call, OWN, name, [receiver], parameters))


GENERATOR_KIND = Kind(
    truth=sequences.always(True),
    attribute=sequences.no_attribute,
    method=lower_method,
    has_identity=True,
    as_string=numpy_strings.of_generator,
)
