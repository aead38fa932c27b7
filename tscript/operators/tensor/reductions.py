"""Reductions along dimensions.

Sums and products of integers and bools are int64; `max`, `min` and their indices let NaN win; `any` and `all` give bool
(uint8 for uint8). An empty tuple of dimensions, like None, means all of them; to `any` and `all` it means none.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tscript.abi.column_task import FEWEST
from tscript.abi.folds import LANES
from tscript.abi.row_task import FEW
from tscript.arrays import Array, np, numpy_function
from tscript.definitions.absent import MISSING
from tscript.definitions.define import kernel, pointwise
from tscript.definitions.opdef import (
    PURE,
    REFUSES_EMPTY,
    Arg,
    Made,
    OpDef,
    OperatorNotImplementedError,
    OperatorRuntimeError,
    Reduces,
)
from tscript.definitions.promotion import PointwiseRule, promote, torch_name
from tscript.definitions.rules import check_dim, constant_dtype, constant_ints, int_count, tensor_of
from tscript.definitions.values import dtype_of_array, numpy_dtype, wrap_dim, wrap_dims
from tscript.operators.python import folds
from tscript.operators.python.folds import (
    ALL,
    ANY,
    MAX,
    MEAN,
    MIN,
    PROD,
    SQUARES,
    SUM,
    Fold,
    exceeds,
    undercuts,
    variance_of,
)
from tscript.operators.tensor.comparison import maximum, minimum
from tscript.types import BOOL, NONE, DType, TensorType, TupleType, Type, dtypes

# ---- what a reduction does with one element: the parts of `tscript.runtime.kernels.reduce`

DtypeRule = Callable[[DType, Sequence[Arg]], DType | None]


# ---- dtypes


def widened(dtype: DType, args: Sequence[Arg]) -> DType:
    """The dtype of a sum: int64 for integers and bools."""
    return dtype if dtype.is_floating_point or dtype.is_complex else dtypes.int64


def _kept(dtype: DType, args: Sequence[Arg]) -> DType:
    return dtype


def _truth(dtype: DType, args: Sequence[Arg]) -> DType:
    return dtype if dtype is dtypes.uint8 else dtypes.bool_


def _index(name: str) -> DtypeRule:
    def rule(dtype: DType, args: Sequence[Arg]) -> DType:
        if dtype is dtypes.bool_:
            raise OperatorNotImplementedError(f"\"{name}_cpu\" not implemented for 'Bool'")
        return dtypes.int64

    return rule


def _floating(dtype: DType, args: Sequence[Arg]) -> DType:
    if not dtype.is_floating_point:
        raise OperatorRuntimeError("std and var only support floating point and complex dtypes")
    return dtype


def _mean_dtype(dtype: DType, args: Sequence[Arg]) -> DType:
    given = constant_dtype(args[-1], None)
    if not ((given or dtype).is_floating_point or (given or dtype).is_complex):
        which, found = ("Optional", given) if given is not None else ("Input", dtype)
        raise OperatorRuntimeError(
            f"mean(): could not infer output dtype. {which} dtype must be either a floating point or complex dtype. "
            f"Got: {torch_name(found)}"
        )
    return given or dtype


def _given_or(rule: DtypeRule) -> DtypeRule:
    """`rule`, unless the last argument names a dtype; None while nobody knows which."""

    def decide(dtype: DType, args: Sequence[Arg]) -> DType | None:
        if args[-1].type != NONE and args[-1].constant is MISSING:
            return None
        return constant_dtype(args[-1], None) or rule(dtype, args)

    return decide


# ---- ranks


def _dtype(rule: DtypeRule, args: Sequence[Arg]) -> DType | None:
    found = tensor_of(args[0]).dtype
    return None if found is None else rule(found, args)


def _whole(rule: DtypeRule) -> Callable[[Sequence[Arg]], Type]:
    """A reduction to one element."""
    return lambda args: TensorType(_dtype(rule, args), 0)


def _reduced_rank(rank: int | None, dim: Arg, keepdim: Arg, none_is_all: bool = True) -> int | None:
    """Rank after reducing `dim` (None, an int, or a tuple of ints; an empty one stands for all if `none_is_all`)."""
    for d in constant_ints(dim) or ():
        check_dim(d, rank)
    if keepdim.constant is True or rank == 0:
        return rank
    if keepdim.constant is not False:
        return None
    if dim.type == NONE or dim.constant is None:
        return 0
    n = int_count(dim)
    if n == 0 and none_is_all:
        return 0
    return None if rank is None or n is None else max(rank - n, 0)  # with more of them it raises when it runs


def _along(
    rule: DtypeRule, dim: int = 1, keepdim: int = 2, none_is_all: bool = True
) -> Callable[[Sequence[Arg]], Type]:
    """A reduction of one or several dimensions."""

    def decide(args: Sequence[Arg]) -> Type:
        dtype = _dtype(rule, args)
        return TensorType(dtype, _reduced_rank(tensor_of(args[0]).rank, args[dim], args[keepdim], none_is_all))

    return decide


def _with_indices(args: Sequence[Arg]) -> Type:
    found = tensor_of(args[0])
    rank = _reduced_rank(found.rank, args[1], args[2])
    return TupleType((TensorType(found.dtype, rank), TensorType(dtypes.int64, rank)))


# ---- on arrays


def axes(array: Array, dim: object) -> tuple[int, ...]:
    """The axes that `dim` (None, an int or a tuple) stands for; all for None and for an empty tuple."""
    if dim is None or dim == ():
        return tuple(range(array.ndim))
    assert isinstance(dim, int | tuple)
    found = wrap_dims((dim,) if isinstance(dim, int) else dim, array.ndim)
    return found if array.ndim else ()


def summed(array: Array, dim: object, keepdim: bool, dtype: DType | None) -> Array:
    """The sum of an array in the dtype of its results."""
    out = numpy_dtype(dtype or widened(dtype_of_array(array), ()))
    return _accumulated(np.sum, array, dim, keepdim, out)


def _multiplied(array: Array, dim: object, keepdim: bool, dtype: DType | None) -> Array:
    out = numpy_dtype(dtype or widened(dtype_of_array(array), ()))
    return _accumulated(np.prod, array, dim, keepdim, out)


def _accumulated(function: Any, array: Array, dim: object, keepdim: bool, out: np.dtype[Any]) -> Array:
    wide = np.dtype({"f": np.float64, "c": np.complex128}.get(out.kind, np.int64))
    with np.errstate(all="ignore"):
        found = function(array.astype(out), axis=axes(array, dim), keepdims=keepdim, dtype=wide)
        return np.asarray(found).astype(out)


def _averaged(array: Array, dim: object, keepdim: bool, dtype: DType | None) -> Array:
    out = numpy_dtype(dtype or dtype_of_array(array))
    if out.kind not in "fc":
        raise RuntimeError(
            f"mean(): could not infer output dtype. {'Input' if dtype is None else 'Optional'} dtype must be either a "
            f"floating point or complex dtype. Got: {torch_name(dtype or dtype_of_array(array))}"
        )
    which = axes(array, dim)
    count = int(np.prod([array.shape[a] for a in which], dtype=np.int64))
    with np.errstate(all="ignore"):
        total = np.sum(
            array.astype(out), axis=which, keepdims=keepdim, dtype=np.complex128 if out.kind == "c" else np.float64
        )
        return np.asarray(np.asarray(total) / np.float64(count)).astype(out)


def _variance(array: Array, dim: object, correction: float | None, keepdim: bool) -> Array:
    which = axes(array, dim)
    count = int(np.prod([array.shape[a] for a in which], dtype=np.int64))
    wide = array.astype(np.float64)
    with np.errstate(all="ignore"):
        mean = np.sum(wide, axis=which, keepdims=True) / np.float64(count)
        total = np.sum((wide - mean) ** 2, axis=which, keepdims=keepdim)
        free = np.float64(max(count - (1 if correction is None else correction), 0))
        return np.asarray(total / free).astype(array.dtype)


def _not_empty(name: str, array: Array, which: Sequence[int]) -> None:
    for axis in which:
        if array.shape[axis] == 0:
            raise IndexError(f"{name}(): Expected reduction dim {axis} to have non-zero size.")


def _not_all_empty(name: str, array: Array) -> None:
    if array.size == 0:
        raise RuntimeError(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with "
            "the 'dim' argument."
        )


def _first_of_equals(array: Array, which: Sequence[int], keepdim: bool, position: Any) -> Array:
    """The extreme along the axes `which`; of zeros with different signs the first."""
    kept = [a for a in range(array.ndim) if a not in which]
    rows = array.transpose([*kept, *which]).reshape([*(array.shape[a] for a in kept), -1])
    found = np.take_along_axis(rows, position(rows, axis=-1, keepdims=True), -1)[..., 0]
    return np.expand_dims(found, tuple(which)) if keepdim else np.asarray(found)


def _extreme(name: str, position: Any) -> Callable[..., Array]:
    def all_of(array: Array) -> Array:
        _not_all_empty(name, array)
        return _first_of_equals(array, range(array.ndim), False, position)

    return all_of


def _extreme_dims(name: str, position: Any) -> Callable[..., Array]:
    def along(array: Array, dim: object, keepdim: bool) -> Array:
        which = axes(array, dim)
        if dim is None or dim == ():
            _not_all_empty(name, array)
        _not_empty(name, array, which)
        if array.size == 0:
            return np.max(array, axis=which, keepdims=keepdim) if which else array.copy()
        return _first_of_equals(array, which, keepdim, position)

    return along


def _position(name: str, function: Any) -> Callable[..., Array]:
    def along(array: Array, dim: int | None, keepdim: bool) -> Array:
        if array.dtype.kind == "b":
            raise NotImplementedError(f"\"{name}_cpu\" not implemented for 'Bool'")
        if dim is None:
            if array.size == 0:
                raise IndexError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.")
            found = np.asarray(function(array), np.int64)
            return found.reshape((1,) * array.ndim) if keepdim else found
        axis = wrap_dim(dim, array.ndim)
        if array.ndim == 0:
            return np.asarray(0, np.int64)
        _not_empty(name, array, (axis,))
        return np.asarray(function(array, axis=axis, keepdims=keepdim), np.int64)

    return along


def _pair(name: str, position: Any) -> Callable[..., tuple[Array, Array]]:
    def along(array: Array, dim: int, keepdim: bool) -> tuple[Array, Array]:
        axis = wrap_dim(dim, array.ndim)
        if array.ndim == 0:
            return np.array(array), np.asarray(0, np.int64)
        if array.shape[axis] == 0:
            raise IndexError(f"{name}(): Expected reduction dim {axis} to have non-zero size.")
        index = np.asarray(position(array, axis=axis, keepdims=True), np.int64)
        value = np.take_along_axis(array, index, axis)
        return (value, index) if keepdim else (np.squeeze(value, axis), np.squeeze(index, axis))

    return along


def _truths(function: Any) -> Callable[..., Array]:
    def along(array: Array, dim: object = None, keepdim: bool = False) -> Array:
        found = np.asarray(function(array, axis=() if dim == () else axes(array, dim), keepdims=keepdim))
        return found.astype(array.dtype if array.dtype == np.uint8 else np.bool_)

    return along


_VARIANCE = _floating


def sums(name: str, fold: Fold, rule: DtypeRule, run: Any, doc: str, dims: str) -> tuple[OpDef, ...]:
    """A reduction to numbers: of all elements, and along dimensions."""
    along = "numeric_dim" if dims == "int" else "numeric_dims"
    how = (fold, True) if fold is MEAN else (fold,)
    return (
        kernel(
            f"{name}(Tensor self, *, dtype? dtype=None) -> Tensor",
            _whole(_given_or(rule)),
            lambda x, dtype: run(x, None, False, dtype),
            Made(f"{name}_all", "reductions.numeric_all", how),
            f"{doc} all elements.",
            generic=(0, -1),
            exact=False,
            reduces=Reduces(fold),
            complex=True,
        ),
        kernel(
            f"{name}.dim(Tensor self, {dims} dim, bool keepdim=False, *, dtype? dtype=None) -> Tensor",
            _along(_given_or(rule)),
            run,
            Made(f"{name}_dim", f"reductions.{along}", how),
            f"{doc} the elements along dimensions.",
            generic=(0, -1),
            exact=False,
            reduces=Reduces(fold),
            complex=True,
        ),
    )


def _extremes(name: str, fold: Fold, beats: Any, position: Any, body: Any, doc: str) -> tuple[OpDef, ...]:
    return (
        kernel(
            f"{name}(Tensor self) -> Tensor",
            _whole(_kept),
            _extreme(name, position),
            Made(f"{name}_all", "reductions_extremes.extreme_all", (fold, name)),
            f"{doc} element.",
            generic=(0,),
            tags=(REFUSES_EMPTY,),
            reduces=Reduces(fold),
        ),
        kernel(
            f"{name}.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
            _with_indices,
            _pair(name, position),
            Made(f"{name}_dim", "reductions_extremes.extreme_dim", (beats, name)),
            f"{doc} element along a dimension and its index, the first of equals.",
            generic=(0,),
        ),
        pointwise(
            f"{name}.other(Tensor self, Tensor other) -> Tensor",
            PointwiseRule((0, 1), promote),
            body,
            f"{doc} of two, by element.",
        ),
        kernel(
            f"a{name}(Tensor self, int[1]? dim=(), bool keepdim=False) -> Tensor",
            _along(_kept),
            _extreme_dims(f"a{name}", position),
            Made(f"a{name}", "reductions_extremes.extreme_dims", (fold, f"a{name}")),
            f"{doc} element along dimensions.",
            generic=(0,),
            tags=(REFUSES_EMPTY,),
            reduces=Reduces(fold),
        ),
        kernel(
            f"arg{name}(Tensor self, int? dim=None, bool keepdim=False) -> Tensor",
            _along(_index(f"arg{name}")),
            _position(f"arg{name}", position),
            Made(f"arg{name}", "reductions_extremes.position", (beats, f"arg{name}")),
            f"Index of the {doc.lower()} element, the first of equals.",
            generic=(0,),
        ),
    )


def _quantifier(name: str, fold: Fold, function: Any, doc: str) -> tuple[OpDef, ...]:
    return (
        kernel(
            f"{name}(Tensor self) -> Tensor",
            _whole(_truth),
            _truths(function),
            Made(f"{name}_all", "reductions.quantifier_all", (fold,)),
            doc,
            generic=(0,),
            names=f"{name} out=cast",
            reduces=Reduces(fold, as_bool=True),
            complex=True,
        ),
        kernel(
            f"{name}.dim(Tensor self, int[1]? dim, bool keepdim=False) -> Tensor",
            _along(_truth, none_is_all=False),
            _truths(function),
            Made(f"{name}_dim", "reductions.quantifier_dims", (fold,)),
            f"{doc[:-1]}, along dimensions.",
            generic=(0,),
            names=f"{name} out=cast",
            reduces=Reduces(fold, as_bool=True),
            complex=True,
        ),
    )


def _fits(arrays: Sequence[Array], sets: Sequence[int], whole: bool) -> bool:
    """See `ROWS_FIT`."""
    try:
        shape = np.broadcast_shapes(*(a.shape for a in arrays))
    except ValueError:
        return False
    if 0 in shape:
        return False
    for members in sets:
        if np.broadcast_shapes(*(a.shape for i, a in enumerate(arrays) if members >> i & 1)) != shape:
            return False
    if whole:
        return all(a.shape == shape and a.flags.c_contiguous for a in arrays)
    if not shape or (shape[-1] < LANES and np.prod(shape[:-1]) > FEW):
        return False
    return all(
        (a.shape[-1] == shape[-1] and a.strides[-1] == a.itemsize) or (a.shape[-1] == 1 and a.ndim == len(shape))
        for a in arrays
    )


ROWS_FIT: OpDef = kernel(
    "rows_fit(Tensor[] tensors, int[] sets, bool whole) -> bool",
    lambda args: BOOL,
    _fits,
    "row_groups.rows_fit",
    "Whether a fused group with reductions may run as one loop over rows: the tensors of each set, a mask, broadcast "
    "to the shape of all, there are elements, and the layouts allow it: rows are runs, or have one element each. "
    "If `whole`, everything is one row.",
    effects=PURE,
    names="",
)


def _columns_fit(arrays: Sequence[Array], sets: Sequence[int], leading: int) -> bool:
    """See `COLUMNS_FIT`."""
    if not _fits(arrays, sets, True):
        return False
    return bool(np.prod(arrays[0].shape[leading:]) >= FEWEST)


COLUMNS_FIT: OpDef = kernel(
    "columns_fit(Tensor[] tensors, int[] sets, int leading) -> bool",
    lambda args: BOOL,
    _columns_fit,
    "row_groups.columns_fit",
    "Whether a fused group that reduces so many first dimensions may run as one loop over columns: as `rows_fit`; "
    "there are enough columns, the elements of a row are one run, and rows lie equally far from each other.",
    effects=PURE,
    names="",
)


def _shapes_fit(arrays: Sequence[Array], sets: Sequence[int]) -> bool:
    """See `SHAPES_FIT`."""
    try:
        shape = np.broadcast_shapes(*(a.shape for a in arrays))
    except ValueError:
        return False
    parts = (np.broadcast_shapes(*(a.shape for i, a in enumerate(arrays) if s >> i & 1)) for s in sets)
    return all(part == shape for part in parts)


SHAPES_FIT: OpDef = kernel(
    "shapes_fit(Tensor[] tensors, int[] sets) -> bool",
    lambda args: BOOL,
    _shapes_fit,
    "row_groups.shapes_fit",
    "Whether the tensors of each set, a mask, broadcast to the shape of all.",
    effects=PURE,
    names="",
)


def _amax_or_zero(x: Array, dim: Sequence[int] | None, keepdim: bool) -> Array:
    """See `AMAX_OR_ZERO`."""
    if not x.size:
        return np.asarray(np.sum(x, axes(x, dim), x.dtype, keepdims=keepdim))
    return _extreme_dims("amax", numpy_function(lambda: np.argmax))(x, axes(x, dim), keepdim)


AMAX_OR_ZERO: OpDef = kernel(
    "amax_or_zero(Tensor self, int[1]? dim=(), bool keepdim=False) -> Tensor",
    _along(_kept),
    _amax_or_zero,
    Made("amax_or_zero", "reductions_extremes.extreme_dims_or_zero", (MAX,)),
    "Greatest elements along dimensions, 0 where there are none.",
    generic=(0,),
    names="",
    reduces=Reduces(MAX),
)


def _int64_only(dtype: DType, args: Sequence[Arg]) -> DType:
    if dtype is not dtypes.int64:
        raise OperatorNotImplementedError(f"\"xor_sum_cpu\" not implemented for '{torch_name(dtype)}'")
    return dtype


def _either_or(x: Array, dim: object, keepdim: bool) -> Array:
    """See `EITHER_OR`."""
    if x.dtype != np.int64:
        raise NotImplementedError(f"\"xor_sum_cpu\" not implemented for '{torch_name(dtype_of_array(x))}'")
    which = axes(x, dim)
    for axis in which:
        _not_empty("hash_tensor", x, (axis,))
    found: Array = np.bitwise_xor.reduce(x, axis=which, keepdims=True)
    return found if keepdim else np.squeeze(found, which)


EITHER_OR: OpDef = kernel(
    "either_or(Tensor self, int[1]? dim=(), bool keepdim=False) -> Tensor",
    _along(_int64_only),
    _either_or,
    Made("either_or", "reductions.bits_dims", (folds.EITHER_OR,)),
    "The exclusive or of the bits of elements along dimensions.",
    generic=(0,),
    names="",
)


def _values(name: str, fold: Fold, position: Any) -> OpDef:
    """The first result of ``max.dim`` or ``min.dim``."""
    return kernel(
        f"{name}_values(Tensor self, int dim, bool keepdim=False) -> Tensor",
        _along(_kept),
        lambda x, dim, keepdim: _pair(name, position)(x, dim, keepdim)[0],
        Made(f"{name}_values", "reductions_extremes.extreme_values", (fold, name)),
        f"What `{name}` gives along a dimension, without the indices.",
        generic=(0,),
        tags=(REFUSES_EMPTY,),
        names="",
        reduces=Reduces(fold),
    )


MAX_VALUES = _values("max", MAX, numpy_function(lambda: np.argmax))
MIN_VALUES = _values("min", MIN, numpy_function(lambda: np.argmin))

HIDDEN: tuple[OpDef, ...] = (ROWS_FIT, COLUMNS_FIT, SHAPES_FIT)
"""What fusion writes."""

OPERATORS: tuple[OpDef, ...] = (
    AMAX_OR_ZERO,
    EITHER_OR,
    MAX_VALUES,
    MIN_VALUES,
    *sums("sum", SUM, widened, summed, "The sum of", "int[1]?"),
    *sums("prod", PROD, widened, _multiplied, "The product of", "int"),
    *sums("mean", MEAN, _mean_dtype, _averaged, "The mean of", "int[1]?"),
    *_extremes("max", MAX, exceeds, numpy_function(lambda: np.argmax), maximum, "Greatest"),
    *_extremes("min", MIN, undercuts, numpy_function(lambda: np.argmin), minimum, "Least"),
    *_quantifier("any", ANY, numpy_function(lambda: np.any), "Whether some element is not zero."),
    *_quantifier("all", ALL, numpy_function(lambda: np.all), "Whether no element is zero."),
    kernel(
        "var(Tensor self, bool unbiased=True) -> Tensor",
        _whole(_VARIANCE),
        lambda x, unbiased: _variance(x, None, 1 if unbiased else 0, False),
        Made("var_all", "reductions_variance.variance_all", (MEAN, SQUARES, variance_of)),
        "Variance of all elements, divided by n - 1 if unbiased.",
        generic=(0,),
        exact=False,
        names="var out=cast",
        reduces=Reduces(SQUARES, centre=MEAN),
    ),
    kernel(
        "var.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor",
        _along(_VARIANCE, 1, 3),
        lambda x, dim, unbiased, keepdim: _variance(x, dim, 1 if unbiased else 0, keepdim),
        Made("var_dim", "reductions_variance.variance_dims", (MEAN, SQUARES, variance_of)),
        "Variance along dimensions.",
        generic=(0,),
        exact=False,
        names="var out=cast",
        reduces=Reduces(SQUARES, centre=MEAN),
    ),
    kernel(
        "var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor",
        _along(_VARIANCE, 1, 3),
        _variance,
        Made("var_correction", "reductions_variance.variance_corrected", (MEAN, SQUARES, variance_of)),
        "Variance along dimensions, divided by n - correction (1 if None).",
        generic=(0,),
        exact=False,
        names="var out=cast",
        reduces=Reduces(SQUARES, centre=MEAN),
    ),
)
"""All operators of this module."""
