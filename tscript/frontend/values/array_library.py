"""Functions of NumPy that compiled code calls as they are, with the GIL: what is rarely in inner loops.

`TABLE` has a line for each: its parameters, of which those behind an ``@`` are arrays and those behind a ``%`` tuples
of arrays, and the type of its result. Results are arrays of their own, also where NumPy's are views.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import partial, reduce

from tscript.frontend.diagnostics.type_names import article
from tscript.frontend.lowering.tuples import make_tuple, tuple_elements
from tscript.frontend.values import numpy_calls
from tscript.frontend.values.array_calls import Call, Function, plain_name
from tscript.frontend.values.array_literals import array_of
from tscript.frontend.values.array_promotion import array_type, as_float
from tscript.ir.graph import Value
from tscript.types import (
    NONE,
    STR,
    ArrayType,
    DType,
    ScalarType,
    TupleType,
    Type,
    dtype_of,
    dtypes,
    scalar_dtype,
)


class Library:
    """A call of a function of NumPy that NumPy runs.

    Attributes:
        call: The call.
        names: The parameters, in order.
        values: The arguments, by parameter.
    """

    def __init__(self, parameters: str, call: Call) -> None:
        self.call = call
        self.lowering, self.span = call.lowering, call.span
        marks = {plain_name(p).lstrip("@%"): p[0] for p in parameters.replace("*", "").split()}
        self.names = tuple(marks)
        self.values: dict[str, Value] = {}
        for name, mark in marks.items():
            if call.has(name) or (name == "a" and call.receiver is not None):
                self.values[name] = self._argument(name, mark)

    def _argument(self, name: str, mark: str) -> Value:
        call = self.call
        if mark == "%":
            return make_tuple(self.lowering, self._arrays(name), self.span)
        if mark == "@":
            return call.number(name)
        if name == "dtype":
            return self.lowering.const(call.dtype(dtypes.float64).name, STR, self.span)
        return call.value(name)

    def _arrays(self, name: str) -> list[Value]:
        node = self.call.given[name]
        if isinstance(node, ast.List | ast.Tuple):
            found = [self.lowering.value(e) for e in node.elts]
        else:
            value = self.lowering.value(node)
            if isinstance(value.type, ArrayType):
                return [value]
            if not isinstance(value.type, TupleType):
                raise self.call.refuse(f"'{name}' is {article(value.type)}", "write a tuple of arrays", name)
            found = tuple_elements(self.lowering, value, self.span)
        made = [array_of(self.lowering, v, None, self.span) for v in found]
        if not made or any(v is None for v in made):
            raise self.call.refuse(f"'{name}' has an element that is no array", "write a tuple of arrays", name)
        return [v for v in made if v is not None]

    def run(self, path: str, result: Type) -> Value:
        """Call NumPy: what can be given by position is."""
        args: list[Value] = []
        named: dict[str, Value] = {}
        gap = False
        for name, value in self.values.items():
            gap = gap or name in _BY_NAME or len(args) != self.names.index(name)
            if gap:
                named[name] = value
            else:
                args.append(value)
        return numpy_calls.call(self.lowering, path, result, args, self.span, named)

    def has(self, *names: str) -> bool:
        """Whether there is an argument for one of several parameters."""
        return any(n in self.values for n in names)

    def dtype(self, *names: str) -> DType:
        """The common dtype of arguments."""
        types = [self.values[n].type for n in names if n in self.values]
        found = scalar_dtype(types)
        if found is None:  # all are numbers of Python
            parts = [dtype_of(t) or dtypes.float64 for t in types]
            found = reduce(dtypes.promote_numpy, parts)
        return found

    def rank(self, name: str) -> int:
        """The number of dimensions of an argument."""
        type = self.values[name].type
        return (type.rank or 0) if isinstance(type, ArrayType) else 0

    def parts(self, name: str) -> list[Value]:
        """The arrays of a tuple of arrays."""
        return tuple_elements(self.lowering, self.values[name], self.span)

    def length(self, name: str) -> int:
        """How many ints a shape has."""
        type = self.values[name].type
        return len(type.elements) if isinstance(type, TupleType) else 1

    def axes(self, rank: int) -> int:
        """The dimensions that are left by a reduction."""
        found = self.call.constant("axis", None)
        if bool(self.call.constant("keepdims", False)):
            return rank
        if found is None:
            return 0
        return rank - (len(found) if isinstance(found, tuple) else 1)


_BY_NAME = frozenset({"keepdims", "constant_values", "left", "right", "period", "indexing", "method", "sorter"})
"""Parameters that are given by name."""

Rule = Callable[[Library], Type]


def of(dtype: DType, rank: int) -> Type:
    """The type of a result of so many dimensions."""
    return ArrayType(dtype, rank) if rank else ScalarType(dtype)


def floats(dtype: DType) -> DType:
    """The dtype of what is computed in floats."""
    return dtype if dtype.is_floating_point else dtypes.float64


def sums(dtype: DType) -> DType:
    """The dtype of sums."""
    return dtype if dtype.is_floating_point else dtypes.int64


def _same(name: str) -> Rule:
    return lambda c: of(c.dtype(name), c.rank(name))


def _float(name: str) -> Rule:
    return lambda c: of(floats(c.dtype(name)), c.rank(name))


def _bools(name: str) -> Rule:
    return lambda c: of(dtypes.bool_, c.rank(name))


def _of_rank(rank: int, *names: str, to: Callable[[DType], DType] = lambda d: d) -> Rule:
    return lambda c: of(to(c.dtype(*names)), rank)


def _always(type: Type) -> Rule:
    return lambda c: type


def _joint(*names: str, to: Callable[[DType], DType] = lambda d: d) -> Rule:
    return lambda c: of(to(c.dtype(*names)), max(c.rank(n) for n in names))


def _reduced(to: Callable[[DType], DType]) -> Rule:
    return lambda c: of(to(c.dtype("a")), c.axes(c.rank("a")))


def _cumulative(to: Callable[[DType], DType]) -> Rule:
    return lambda c: of(to(c.dtype("a")), c.rank("a") if c.has("axis") else 1)


_DISCRETE = frozenset({"inverted_cdf", "closest_observation", "lower", "higher", "nearest"})
"""Methods of quantiles that give elements."""


def _quantiles(c: Library) -> Type:
    rank = c.rank("q") + c.axes(c.rank("a"))
    if c.call.constant("method", "linear") in _DISCRETE:
        return of(c.dtype("a"), rank)
    return of(dtypes.float64 if c.rank("q") else floats(c.dtype("a")), rank)


def _with_ints(dtype: DType) -> DType:
    return dtypes.promote_numpy(dtype, dtypes.int64)


def _edges(c: Library, name: str) -> Type:
    dtype = c.dtype("bins") if c.has("bins") and c.rank("bins") else c.dtype(name)
    return ArrayType(floats(dtype), 1)


def _differences(c: Library) -> Type:
    parts = [dtype_of(v.type) or c.dtype(n) for n, v in c.values.items() if n in ("a", "prepend", "append")]
    return ArrayType(reduce(dtypes.promote_numpy, parts), c.rank("a"))


def _taken(c: Library) -> Type:
    rank = c.rank("a") - 1 if c.has("axis") else 0
    return of(c.dtype("a"), rank + c.rank("indices"))


def _flattened(name: str) -> Rule:
    """Of one dimension without an axis."""
    return lambda c: ArrayType(c.dtype(name), c.rank(name) if c.has("axis") else 1)


def _common(c: Library, name: str) -> DType:
    found = scalar_dtype([v.type for v in c.parts(name)])
    assert found is not None
    return found


def _unique(c: Library) -> Type:
    of_rows = c.has("axis")
    parts: list[Type] = [ArrayType(c.dtype("a"), c.rank("a") if of_rows else 1)]
    if of_rows and c.call.constant("return_inverse", False):
        raise c.call.refuse("there are no places of unique rows", "leave 'return_inverse' out", "axis")
    if c.call.constant("return_index", False):
        parts.append(ArrayType(dtypes.int64, 1))
    if c.call.constant("return_inverse", False):
        parts.append(ArrayType(dtypes.int64, c.rank("a")))
    if c.call.constant("return_counts", False):
        parts.append(ArrayType(dtypes.int64, 1))
    return TupleType(tuple(parts)) if len(parts) > 1 else parts[0]


def _histogram(c: Library) -> Type:
    counts = dtypes.int64
    if c.call.constant("density", False):
        counts = dtypes.float64
    elif c.has("weights"):
        counts = c.dtype("weights")
    edges = dtypes.float64
    if c.rank("bins"):
        edges = c.dtype("bins")
    elif c.dtype("a") is dtypes.float32:
        edges = dtypes.float32
    return TupleType((ArrayType(counts, 1), ArrayType(edges, 1)))


def _gradient(c: Library) -> Type:
    one = ArrayType(floats(c.dtype("f")), c.rank("f"))
    count = 1 if c.has("axis") and not isinstance(c.call.constant("axis", None), tuple) else c.rank("f")
    return one if count == 1 else TupleType((one,) * count)


def _einsum(c: Library) -> Type:
    text = c.call.constant("subscripts", "")
    if not isinstance(text, str) or "..." in text:
        raise c.call.refuse("the subscripts are no constant", "write them as a literal without '...'", "subscripts")
    inputs, arrow, output = text.replace(" ", "").partition("->")
    letters = inputs.replace(",", "")
    rank = len(output) if arrow else len([x for x in set(letters) if letters.count(x) == 1])
    return of(c.dtype(*(n for n in c.values if n != "subscripts")), rank)


def _tensordot(c: Library) -> Type:
    axes = c.call.constant("axes", 2)
    if not isinstance(axes, int):
        raise c.call.refuse("'axes' is no int", "transpose the arrays first", "axes")
    return of(c.dtype("a", "b"), c.rank("a") + c.rank("b") - 2 * axes)


def _indices(count: int) -> Type:
    return TupleType((ArrayType(dtypes.int64, 1),) * count)


def _norm(c: Library) -> Type:
    return of(floats(c.dtype("x")), c.axes(c.rank("x")))


def _eigen(c: Library) -> Type:
    dtype, rank = floats(c.dtype("a")), c.rank("a")
    return TupleType((ArrayType(dtype, rank - 1), ArrayType(dtype, rank)))


def _float_of(c: Library) -> DType:
    return floats(c.dtype("a", "b"))


def _solved(c: Library) -> Type:
    return ArrayType(floats(c.dtype("a", "b")), c.rank("b"))


def _per_matrix(c: Library) -> Type:
    return of(floats(c.dtype("a")), c.rank("a") - 2)


F64_1 = ArrayType(dtypes.float64, 1)

TABLE: Mapping[str, tuple[str, Rule]] = {
    # elements
    **{name: ("@x", _float("x")) for name in ("sinc", "fabs", "i0", "spacing")},
    **{name: ("@x", _bools("x")) for name in ("isneginf", "isposinf", "signbit", "isreal")},
    "nan_to_num": ("@x copy? nan? posinf? neginf?", _same("x")),
    "unwrap": ("@p discont? axis?", _float("p")),
    "modf": ("@x", lambda c: TupleType((_float("x")(c),) * 2)),
    "frexp": ("@x", lambda c: TupleType((_float("x")(c), of(dtypes.int32, c.rank("x"))))),
    **{n: ("@x1 @x2", _joint("x1", "x2", to=as_float)) for n in ("logaddexp", "logaddexp2", "heaviside")},
    "float_power": ("@x1 @x2", _joint("x1", "x2", to=lambda d: dtypes.float64)),
    "ldexp": ("@x1 @x2", lambda c: of(as_float(c.dtype("x1")), max(c.rank("x1"), c.rank("x2")))),
    **{n: ("@x1 @x2", _joint("x1", "x2")) for n in ("gcd", "lcm")},
    # products
    "cross": ("@a @b axisa? axisb? axisc? axis?", _joint("a", "b")),
    "kron": ("@a @b", _joint("a", "b")),
    "einsum": ("subscripts @o1 @o2? @o3? @o4?", _einsum),
    "tensordot": ("@a @b axes?", _tensordot),
    "convolve": ("@a @v mode?", _of_rank(1, "a", "v")),
    "correlate": ("@a @v mode?", _of_rank(1, "a", "v")),
    "polyval": ("@p @x", lambda c: of(c.dtype("p", "x"), c.rank("x"))),
    "polyfit": ("@x @y deg", lambda c: ArrayType(dtypes.float64, c.rank("y"))),
    **{name: ("@a1 @a2", _of_rank(1, "a1", "a2")) for name in ("polyadd", "polysub", "polymul")},
    # shapes
    "tril": ("@m k?", lambda c: ArrayType(c.dtype("m"), max(c.rank("m"), 2))),
    "triu": ("@m k?", lambda c: ArrayType(c.dtype("m"), max(c.rank("m"), 2))),
    "tri": ("N M? k? dtype?", lambda c: ArrayType(c.call.dtype(dtypes.float64), 2)),
    "diag": ("@v k?", lambda c: ArrayType(c.dtype("v"), 3 - c.rank("v"))),
    "diagflat": ("@v k?", _of_rank(2, "v")),
    "vander": ("@x N? increasing?", _of_rank(2, "x", to=_with_ints)),
    "rot90": ("@m k?", _same("m")),
    "pad": ("@array pad_width mode? constant_values?", _same("array")),
    "resize": ("@a new_shape", lambda c: ArrayType(c.dtype("a"), c.length("new_shape"))),
    "fill_diagonal": ("@a val wrap?", _always(NONE)),
    "trim_zeros": ("@filt trim?", _same("filt")),
    "dstack": (
        "%tup",
        lambda c: ArrayType(_common(c, "tup"), max(3, *(array_type(v).rank or 0 for v in c.parts("tup")))),
    ),
    "meshgrid": (
        "@x1 @x2 @x3? @x4? * indexing?",
        lambda c: TupleType(
            tuple(ArrayType(c.dtype(n), sum(x[0] == "x" for x in c.values)) for n in c.values if n[0] == "x")
        ),
    ),
    "indices": ("dimensions", lambda c: ArrayType(dtypes.int64, c.length("dimensions") + 1)),
    "ix_": (
        "@x1 @x2? @x3?",
        lambda c: TupleType((ArrayType(dtypes.int64, len(c.values)),) * len(c.values)),
    ),
    "tril_indices": ("n k? m?", _always(_indices(2))),
    "triu_indices": ("n k? m?", _always(_indices(2))),
    "diag_indices": ("n ndim?", lambda c: _indices(c.call.constant("ndim", 2))),
    "unravel_index": (
        "@indices shape",
        lambda c: TupleType((of(dtypes.int64, c.rank("indices")),) * c.length("shape")),
    ),
    "ravel_multi_index": (
        "%multi_index dims mode?",
        lambda c: of(dtypes.int64, max(array_type(v).rank or 0 for v in c.parts("multi_index"))),
    ),
    # choosing
    "take": ("@a @indices axis? mode?", _taken),
    "take_along_axis": ("@arr @indices axis", lambda c: ArrayType(c.dtype("arr"), c.rank("indices"))),
    "put_along_axis": ("@arr @indices @values axis", _always(NONE)),
    "put": ("@a @ind @v mode?", _always(NONE)),
    "putmask": ("@a @mask @values", _always(NONE)),
    "place": ("@arr @mask @vals", _always(NONE)),
    "copyto": ("@dst @src", _always(NONE)),
    "extract": ("@condition @arr", _of_rank(1, "arr")),
    "compress": ("@condition @a axis?", _flattened("a")),
    "delete": ("@arr @obj axis?", _flattened("arr")),
    "insert": ("@arr @obj @values axis?", _flattened("arr")),
    "select": (
        "%condlist %choicelist default?",
        lambda c: ArrayType(
            _common(c, "choicelist"),
            max(array_type(v).rank or 0 for n in ("condlist", "choicelist") for v in c.parts(n)),
        ),
    ),
    "argwhere": ("@a", _always(ArrayType(dtypes.int64, 2))),
    # sets and orders
    **{
        name: ("@ar1 @ar2 assume_unique?", _of_rank(1, "ar1", "ar2"))
        for name in ("intersect1d", "setxor1d", "setdiff1d")
    },
    "union1d": ("@ar1 @ar2", _of_rank(1, "ar1", "ar2")),
    "isin": ("@element @test_elements assume_unique? invert?", _bools("element")),
    "lexsort": ("%keys", lambda c: ArrayType(dtypes.int64, array_type(c.parts("keys")[0]).rank or 1)),
    "partition": ("@a kth axis?", _same("a")),
    "argpartition": ("@a kth axis?", lambda c: ArrayType(dtypes.int64, c.rank("a"))),
    "digitize": ("@x @bins right?", lambda c: of(dtypes.int64, c.rank("x"))),
    "histogram2d": (
        "@x @y bins? range?",
        lambda c: TupleType((ArrayType(dtypes.float64, 2), _edges(c, "x"), _edges(c, "y"))),
    ),
    "histogram_bin_edges": ("@a @bins? range?", lambda c: _edges(c, "a")),
    # statistics
    "average": ("@a axis? @weights? * keepdims?", lambda c: of(floats(c.dtype("a", "weights")), c.axes(c.rank("a")))),
    "cov": (
        "@m @y? rowvar? bias? ddof?",
        lambda c: ArrayType(dtypes.float64, 2 if c.has("y") or c.rank("m") == 2 else 0),
    ),
    "corrcoef": ("@x @y? rowvar?", lambda c: of(dtypes.float64, 2 if c.has("y") or c.rank("x") == 2 else 0)),
    "gradient": ("@f varargs? axis?", _gradient),
    "ediff1d": ("@ary to_end? to_begin?", _of_rank(1, "ary")),
    **{name: ("@a axis? * keepdims?", _reduced(lambda d: d)) for name in ("nanmax", "nanmin")},
    **{name: ("@a axis? * keepdims?", _reduced(sums)) for name in ("nansum", "nanprod")},
    **{name: ("@a axis? * keepdims?", _reduced(floats)) for name in ("nanmean", "nanmedian")},
    **{name: ("@a axis? dtype? ddof? * keepdims?", _reduced(floats)) for name in ("nanstd", "nanvar")},
    **{name: ("@a axis? * keepdims?", _reduced(lambda d: dtypes.int64)) for name in ("nanargmax", "nanargmin")},
    **{name: ("@a axis?", _cumulative(sums)) for name in ("nancumsum", "nancumprod")},
    **dict.fromkeys(("nanpercentile", "nanquantile"), ("@a @q axis? * method? keepdims?", _quantiles)),
    # series
    **{name: ("M", _always(F64_1)) for name in ("bartlett", "blackman", "hamming", "hanning")},
    "kaiser": ("M beta", _always(F64_1)),
    **{n: ("start stop num? endpoint?", _always(F64_1)) for n in ("logspace", "geomspace")},
    # linear algebra
    "linalg.solve": ("@a @b", _solved),
    "linalg.inv": ("@a", _float("a")),
    "linalg.pinv": ("@a", _float("a")),
    "linalg.cholesky": ("@a", _float("a")),
    "linalg.matrix_power": ("@a n", _same("a")),
    "linalg.det": ("@a", _per_matrix),
    "linalg.slogdet": ("@a", lambda c: TupleType((_per_matrix(c),) * 2)),
    "linalg.cond": ("@x", lambda c: of(floats(c.dtype("x")), c.rank("x") - 2)),
    "linalg.matrix_rank": ("@A", lambda c: of(dtypes.int64, max(c.rank("A") - 2, 0))),
    "linalg.eigh": ("@a", _eigen),
    "linalg.eigvalsh": ("@a", lambda c: ArrayType(floats(c.dtype("a")), c.rank("a") - 1)),
    "linalg.qr": ("@a", lambda c: TupleType((_float("a")(c),) * 2)),
    "linalg.svd": (
        "@a full_matrices?",
        lambda c: TupleType((_float("a")(c), ArrayType(floats(c.dtype("a")), c.rank("a") - 1), _float("a")(c))),
    ),
    "linalg.lstsq": (
        "@a @b",
        lambda c: TupleType(
            (_solved(c), *(of(d, r) for d, r in ((_float_of(c), 1), (dtypes.int32, 0), (_float_of(c), 1))))
        ),
    ),
}
"""The functions by their names inside `numpy`."""

FORMS: Mapping[str, tuple[str, Rule]] = {
    "unique": ("@a return_index? return_inverse? return_counts? axis?", _unique),
    "histogram": ("@a @bins? range? density? @weights?", _histogram),
    "percentile": ("@a @q axis? * method? keepdims?", _quantiles),
    "quantile": ("@a @q axis? * method? keepdims?", _quantiles),
    "median": ("@a axis? * keepdims?", _reduced(floats)),
    "tile": ("@a reps", lambda c: ArrayType(c.dtype("a"), max(c.rank("a"), c.length("reps")))),
    "repeat": ("@a repeats axis?", _flattened("a")),
    "roll": ("@a shift axis?", _same("a")),
    "flip": ("@a axis?", _same("a")),
    "append": ("@a @values axis?", lambda c: ArrayType(c.dtype("a", "values"), c.rank("a") if c.has("axis") else 1)),
    "trace": ("@a offset? axis1? axis2?", lambda c: of(sums(c.dtype("a")), c.rank("a") - 2)),
    "trapezoid": ("@y @x? dx? axis?", lambda c: of(as_float(c.dtype("y", "x")), c.rank("y") - 1)),
    "searchsorted": ("@a @v side? sorter?", lambda c: of(dtypes.int64, c.rank("v"))),
    "interp": ("@x @xp @fp left? right? period?", lambda c: of(dtypes.float64, c.rank("x"))),
    "diff": ("@a n? axis? @prepend? @append?", _differences),
    "nonzero": ("@a", lambda c: _indices(c.rank("a"))),
    "linalg.norm": ("@x ord? axis? * keepdims?", _norm),
    "fmod": ("@x1 @x2", _joint("x1", "x2")),
    "inner": ("@a @b", lambda c: of(c.dtype("a", "b"), max(c.rank("a") + c.rank("b") - 2, 0))),
    "dot": ("@a @b", lambda c: of(c.dtype("a", "b"), c.rank("a") + c.rank("b") - 2)),
}
"""Further forms of functions that compiled code has itself."""


def _run(path: str, parameters: str, rule: Rule, call: Call) -> Value:
    library = Library(parameters, call)
    return library.run(path, rule(library))


def function(path: str, parameters: str, rule: Rule, *, is_method: bool = False) -> Function:
    """A function that NumPy runs, or a method of an array, which is its first parameter."""
    shown = parameters.replace("@", "").replace("%", "")
    return Function(shown.removeprefix("a ") if is_method else shown, partial(_run, path, parameters, rule))


def form(name: str, call: Call) -> Value:
    """A call in one of the further forms."""
    parameters, rule = FORMS[name]
    return _run(name, parameters, rule, call)


LIBRARY: Mapping[str, Function] = {name: function(name, *line) for name, line in TABLE.items()}
"""What `TABLE` describes."""
