"""Every operator that is a kernel, on drawn arguments, against its meaning on NumPy arrays (`OpDef.semantics`)."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tscript.abi.layout import NONE_INT
from tscript.definitions.opdef import Kernel, OpDef, OperatorTypeError
from tscript.definitions.values import ValueArg
from tscript.operators.table import TABLE
from tscript.runtime.kernels.library import CORE
from tscript.runtime.session.build import kernels
from tscript.types import DType, TensorType, TupleType, dtypes

KERNEL_OPERATORS = [op for op in TABLE.operators if isinstance(op.implementation, Kernel)]
BY_NAME = {op.name: op for op in KERNEL_OPERATORS}
UNINITIALISED = {"empty", "empty_like", "new_empty"}
# NumPy arrays do not know it.
SKIPPED = {"storage_offset"}
# Their parts are a layout, numbers and tensors that belong together; the samples of indexing and its tests have them.
INDEXED = {"index_fill_parts", "index_put_", "index_read", "index_write"}
# Their errors are objects of classes, whose table the model of memory has not; the compiled ones run here.
UNMODELLED = {"index_one", "index_one_", "index_one_.Scalar"}

# How many parameters a kernel has for one of the operator's.
WIDTHS = {"int[]": 2, "int[1]": 2, "int[]?": 2, "int[1]?": 2, "float[]": 2, "Tensor[]": 2, "Scalar": 2, "Scalar?": 3}


def symbol(op: OpDef) -> str:
    assert isinstance(op.implementation, Kernel)
    return op.implementation.symbol


@pytest.mark.parametrize("op", KERNEL_OPERATORS, ids=lambda op: op.name)
def test_every_operator_has_a_kernel_with_matching_parameters(op: OpDef):
    kernel = kernels()[symbol(op)]
    wanted = sum(WIDTHS.get(p.kind, 1) for p in op.schema.parameters)
    assert len(inspect.signature(kernel).parameters) == wanted


def test_core_kernels_are_in_the_library():
    assert set(CORE) <= set(kernels())


# ---- drawn arguments

# Those NumPy computes with: bfloat16 is a record of its bits there; `test_copy.py` and the samples have it.
DRAWN = [d for d in dtypes.DTYPES if d is not dtypes.bfloat16]
DTYPES = st.sampled_from([d.name for d in DRAWN])
SHAPES = st.lists(st.sampled_from([1, 2, 3, 0, 5]), max_size=4).map(tuple)


@st.composite
def arrays(draw: Any, shape: tuple[int, ...] | None = None, dtype: str | None = None) -> np.ndarray:
    """An array of small numbers, special ones too, contiguous or not."""
    if shape is None:
        shape = draw(SHAPES)
    name = dtype or draw(DTYPES)
    size = math.prod(shape)
    numbers: st.SearchStrategy[Any] = st.integers(0, 1) if name == "bool" else st.integers(-5, 5)
    if name.startswith("uint"):
        numbers = st.integers(0, 255)
    if name.startswith("float"):
        big = 1e3 if name == "float16" else 1e6
        numbers = st.one_of(numbers, st.sampled_from([0.5, -0.0, big, math.inf, -math.inf, math.nan]))
    flat = np.array(draw(st.lists(numbers, min_size=size, max_size=size)), name)
    kind = draw(st.sampled_from(["plain", "reversed", "transposed", "strided", "expanded"]))
    if kind == "transposed" and len(shape) > 1:
        order = draw(st.permutations(range(len(shape))))
        return flat.reshape([shape[d] for d in order]).transpose(np.argsort(order))
    plain = flat.reshape(shape)
    if kind == "reversed" and shape:
        return np.flip(plain)[(slice(None, None, -1),) * len(shape)] if draw(st.booleans()) else np.flip(plain, 0)
    if kind == "strided" and shape:
        wide = np.zeros((*shape[:-1], 2 * shape[-1]), name)
        wide[..., ::2] = plain
        return wide[..., ::2]
    if kind == "expanded" and shape and size:
        return np.broadcast_to(plain[:1], shape)
    return plain


def dims(draw: Any, rank: int, many: bool = True) -> tuple[int, ...]:
    limit = max(rank, 1)
    return tuple(draw(st.lists(st.integers(-limit, limit - 1), max_size=2 if many else 1)))


def one_dim(draw: Any, rank: int) -> int:
    limit = max(rank, 1)
    return int(draw(st.one_of(st.integers(-limit, limit - 1), st.integers(-6, 6))))


SIZES = st.lists(st.integers(0, 4), max_size=3).map(tuple)
NUMBERS = st.one_of(st.integers(-9, 9), st.sampled_from([0.5, 2.0, 1.75]), st.booleans())
BOUNDS = st.one_of(NUMBERS, st.sampled_from([-1.75, math.inf, math.nan]))


def reshaped(draw: Any, size: int) -> tuple[int, ...]:
    """Sizes with that many elements, often; sometimes with a -1."""
    out: list[int] = []
    rest = size
    for factor in draw(st.permutations([2, 3, 5, 1])):
        if rest and rest % factor == 0 and draw(st.booleans()):
            out.append(factor)
            rest //= factor
    out.insert(draw(st.integers(0, len(out))), rest)
    if draw(st.booleans()):
        out[draw(st.integers(0, len(out) - 1))] = -1
    return tuple(out) if draw(st.integers(0, 9)) else draw(SIZES)


def shape_like(draw: Any, x: np.ndarray) -> tuple[int, ...]:
    """Sizes that `x` expands to, mostly."""
    sizes = [draw(st.sampled_from([s, -1, 3] if s != 1 else [1, 4, -1])) for s in x.shape]
    return (*draw(st.lists(st.integers(0, 3), max_size=2)), *sizes)


def matrices(rank_a: int, rank_b: int) -> Callable[[Any], tuple[Any, ...]]:
    def make(draw: Any) -> tuple[Any, ...]:
        name = draw(st.sampled_from(["float32", "float64", "int32", "uint8"]))
        size = st.integers(0, 6)
        m, k, n = draw(size), draw(size), draw(size)
        batch = [draw(st.sampled_from([1, 2])) for _ in range(max(rank_a, rank_b) - 2)]
        a = (*batch, m, k)[-rank_a:] if rank_a > 1 else (k,)
        b = (*batch, k, n)[-rank_b:] if rank_b > 1 else (k,)
        if draw(st.integers(0, 9)) == 0:
            b = tuple(s + 1 for s in b)
        small = [draw(arrays(shape, name)) for shape in (a, b)]
        assume(all(np.all(np.isfinite(x)) for x in small))
        return tuple(small)

    return make


def any_matrices(draw: Any) -> tuple[Any, ...]:
    return matrices(draw(st.integers(1, 4)), draw(st.integers(1, 4)))(draw)


def joined(draw: Any) -> tuple[Any, ...]:
    shape = list(draw(st.lists(st.integers(0, 3), min_size=1, max_size=3)))
    dim = draw(st.integers(-len(shape), len(shape) - 1))
    parts = []
    for _ in range(draw(st.integers(1, 3))):
        shape[dim] = draw(st.integers(0, 3))
        parts.append(draw(arrays((0,) if draw(st.integers(0, 5)) == 0 else tuple(shape))))
    return tuple(parts), dim if draw(st.integers(0, 9)) else 7


def stacked(draw: Any) -> tuple[Any, ...]:
    shape = draw(SHAPES)
    count = draw(st.integers(1, 3))
    return tuple(draw(arrays(shape)) for _ in range(count)), one_dim(draw, len(shape) + 1)


def index_of(draw: Any, size: int, shape: tuple[int, ...]) -> np.ndarray:
    numbers = st.integers(0, max(size - 1, 0)) if draw(st.integers(0, 7)) else st.integers(-2, 5)
    count = math.prod(shape)
    name = draw(st.sampled_from(["int64", "int32"]))
    return np.array(draw(st.lists(numbers, min_size=count, max_size=count)), name).reshape(shape)


def index_selected(draw: Any) -> tuple[Any, ...]:
    x = draw(arrays())
    dim = draw(st.integers(0, max(x.ndim - 1, 0)))
    size = x.shape[dim] if x.ndim else 1
    return x, dim, index_of(draw, size, draw(st.sampled_from([(), (0,), (3,)])) if x.ndim else ())


def gathered(draw: Any) -> tuple[Any, ...]:
    x = draw(arrays(draw(st.lists(st.integers(1, 4), max_size=3).map(tuple))))
    dim = draw(st.integers(0, max(x.ndim - 1, 0)))
    shape = tuple(draw(st.integers(0, 4 if d == dim else n)) for d, n in enumerate(x.shape))
    return x, dim, index_of(draw, x.shape[dim] if x.ndim else 1, shape)


def literal(numbers: st.SearchStrategy[Any]) -> Callable[[Any], tuple[Any, ...]]:
    def make(draw: Any) -> tuple[Any, ...]:
        shape = draw(SIZES)
        count = math.prod(shape)
        values = tuple(draw(st.lists(numbers, min_size=count, max_size=count)))
        return values, shape, draw(st.sampled_from(DRAWN))

    return make


def one_element(draw: Any) -> tuple[Any, ...]:
    return (draw(arrays(draw(st.sampled_from([(), (1,), (1, 1), (2,), (0,)])))),)


def float_array(draw: Any) -> np.ndarray:
    x: np.ndarray = draw(arrays(dtype=draw(st.sampled_from(["float32", "float64"]))))
    return x


def along_dim(draw: Any) -> tuple[Any, ...]:
    x = draw(arrays())
    return x, one_dim(draw, x.ndim), draw(st.booleans())


def along_dims(draw: Any) -> tuple[Any, ...]:
    x = draw(arrays())
    return x, dims(draw, x.ndim), draw(st.booleans())


def held(x: np.ndarray) -> np.ndarray:
    """An array with elements, two at least in the last dimension: the strides of others mean nothing to NumPy."""
    assume(x.size > 0 and (x.ndim == 0 or x.shape[-1] > 1))
    return x


def total_dtype(draw: Any, x: np.ndarray) -> DType | None:
    """NumPy does not define what infinity is as an int."""
    choices = [None, dtypes.float32] + ([dtypes.int64] if np.all(np.isfinite(x)) else [])
    chosen: DType | None = draw(st.sampled_from(choices))
    return chosen


def small_product(draw: Any) -> np.ndarray:
    """No partial product may overflow: in what order the factors come is not the operator's to say."""
    x: np.ndarray = draw(arrays())
    factors = x[np.isfinite(x) & (x != 0)].astype(np.float64)
    assume(x.dtype.kind != "f" or np.prod(np.maximum(np.abs(factors), 1.0)) < 1e30)
    return x


def totals(draw: Any) -> tuple[Any, ...]:
    args = along_dims(draw)
    return *args, total_dtype(draw, args[0])


def with_x(*makers: Callable[[Any, np.ndarray], Any]) -> Callable[[Any], tuple[Any, ...]]:
    def make(draw: Any) -> tuple[Any, ...]:
        x = draw(arrays())
        return (x, *(maker(draw, x) for maker in makers))

    return make


def numbers(count: int) -> Callable[[Any], tuple[Any, ...]]:
    return lambda draw: (*(draw(BOUNDS) for _ in range(count)), draw(st.sampled_from([None, *DRAWN])))


def unfolded(draw: Any) -> tuple[Any, ...]:
    x = draw(arrays((*[2] * draw(st.integers(0, 1)), 2, draw(st.integers(1, 5)), draw(st.integers(1, 5))), "float32"))
    return x, *(tuple(draw(st.integers(low, 2)) for _ in range(2)) for low in (1, 1, 0, 1))


def folded(draw: Any) -> tuple[Any, ...]:
    size, window, (rows, columns) = (4, 5), (2, 3), draw(st.sampled_from([(3, 3), (2, 2), (5, 1)]))
    x = draw(arrays((6 * draw(st.integers(1, 2)), rows * columns), "float32"))
    return x, size, window, *draw(st.sampled_from([((1,), (0,), (1,)), ((1,), (0,), (2,)), ((2, 1), (1,), (1,))]))


def strided(draw: Any) -> tuple[Any, ...]:
    """A tensor that is all of its storage: around others there is what each machine puts there."""
    rows, columns = draw(st.integers(1, 3)), draw(st.integers(1, 4))
    x = np.arange(float(rows * columns), dtype=np.float32).reshape(rows, columns)
    rank = draw(st.integers(0, 3))
    size = tuple(draw(st.integers(-1, 3)) for _ in range(rank))
    stride = tuple(draw(st.integers(-1, 4)) for _ in range(draw(st.sampled_from([rank] * 4 + [rank + 1]))))
    return x, size, stride, draw(st.sampled_from([None, 0, 1, 3, 12, -1]))


CASES: dict[str, Callable[[Any], tuple[Any, ...]]] = {
    "matmul": any_matrices,
    "mm": matrices(2, 2),
    "mv": matrices(2, 1),
    "dot": matrices(1, 1),
    "bmm": matrices(3, 3),
    "cat": joined,
    "stack": stacked,
    "index_select": index_selected,
    "im2col": unfolded,
    "as_strided": strided,
    "col2im": folded,
    "gather": gathered,
    "tensor_of_ints": literal(st.integers(-300, 300)),
    "tensor_of_floats": literal(st.sampled_from([0.5, -1.0, 300.0, 1e30, math.nan])),
    "item": one_element,
    "bool.Tensor": one_element,
    "int.Tensor": one_element,
    "float.Tensor": one_element,
    "arange": numbers(1),
    "arange.start": numbers(2),
    "arange.start_step": lambda draw: (
        *numbers(2)(draw)[:2],
        draw(NUMBERS),
        draw(st.sampled_from([None, *DRAWN])),
    ),
    "linspace": lambda draw: (
        draw(NUMBERS),
        draw(NUMBERS),
        draw(st.integers(-1, 6)),
        draw(st.sampled_from([None, dtypes.int32])),
    ),
    "max.dim": along_dim,
    "min.dim": along_dim,
    "amax": along_dims,
    "amin": along_dims,
    "any.dim": along_dims,
    "all.dim": along_dims,
    "sum": with_x(total_dtype),
    "prod": lambda draw: (small_product(draw), None),
    "mean": with_x(total_dtype),
    "sum.dim": totals,
    "mean.dim": totals,
    "prod.dim": lambda draw: (x := small_product(draw), one_dim(draw, x.ndim), draw(st.booleans()), None),
    "argmax": lambda draw: (draw(arrays()), draw(st.sampled_from([None, 0, -1, 2])), draw(st.booleans())),
    "argmin": lambda draw: (draw(arrays()), draw(st.sampled_from([None, 0, -1, 2])), draw(st.booleans())),
    "var": lambda draw: (float_array(draw), draw(st.booleans())),
    "var.dim": lambda draw: (x := float_array(draw), dims(draw, x.ndim), draw(st.booleans()), draw(st.booleans())),
    "var.correction": lambda draw: (
        x := float_array(draw),
        dims(draw, x.ndim),
        draw(st.sampled_from([None, 0, 2, 0.5])),
        draw(st.booleans()),
    ),
    "view": with_x(lambda draw, x: reshaped(draw, x.size)),
    "view.dtype": lambda draw: (held(draw(arrays())), draw(st.sampled_from(DRAWN))),
    "reshape": with_x(lambda draw, x: reshaped(draw, x.size)),
    "view_as": with_x(lambda draw, x: np.zeros([max(s, 0) for s in reshaped(draw, x.size)], np.int8)),
    "reshape_as": with_x(lambda draw, x: np.zeros([max(s, 0) for s in reshaped(draw, x.size)], np.int8)),
    "expand": with_x(shape_like, lambda draw, x: False),
    "expand_as": with_x(lambda draw, x: np.zeros([abs(s) for s in shape_like(draw, x)], np.int8)),
    "broadcast_to": with_x(shape_like),
    "permute": with_x(lambda draw, x: tuple(draw(st.permutations(range(x.ndim))))),
    "squeeze.dims": with_x(lambda draw, x: dims(draw, x.ndim)),
    "unflatten": with_x(lambda draw, x: 0, lambda draw, x: reshaped(draw, x.shape[0] if x.ndim else 1)),
}


def value(draw: Any, kind: str, rank: int) -> Any:
    """An argument of a kind, for parameters that need no particular one."""
    match kind:
        case "Tensor":
            return draw(arrays())
        case "int":
            return one_dim(draw, rank)
        case "int[1]" | "int[1]?":
            return dims(draw, rank)
        case "int?":
            return draw(st.one_of(st.none(), st.integers(-6, 6), st.integers(-(2**62), 2**62)))
        case "bool":
            return draw(st.booleans())
        case "Scalar":
            return draw(NUMBERS)
        case "dtype?":
            return draw(st.sampled_from([None, *DRAWN]))
        case "int[]":
            return draw(st.one_of(SIZES, st.lists(st.integers(-1, 2), max_size=2).map(tuple)))
    raise AssertionError(kind)


def arguments(draw: Any, op: OpDef) -> tuple[Any, ...]:
    if op.name in CASES:
        return CASES[op.name](draw)
    out: list[Any] = []
    for p in op.schema.parameters:
        out.append(value(draw, p.kind, out[0].ndim if out and isinstance(out[0], np.ndarray) else 2))
    return tuple(out)


# ---- the comparison


def marshalled(kind: str, arg: Any) -> list[Any]:
    """The kernel's arguments for one of the operator's, as `Model.call` takes them."""
    match kind:
        case "Scalar" | "Scalar?":
            if arg is None:
                return [0.0, 0, 0]
            return [float(arg), int(arg) if math.isfinite(arg) else 0] + ([1] if kind.endswith("?") else [])
        case "dtype" | "dtype?":
            return [-1 if arg is None else arg.code]
        case "int?":
            return [NONE_INT if arg is None else arg]
        case "int[1]?" | "int[1]" | "int[]":
            return [arg] if arg is not None else [(), -1]
        case "Tensor[]":
            return [list(arg)]
    return [arg]


def same(op: OpDef, got: Any, wanted: Any) -> None:
    if isinstance(wanted, tuple) and isinstance(got, tuple):
        for g, w in zip(got, wanted, strict=True):
            same(op, g, w)
        return
    if isinstance(wanted, DType):
        assert got == wanted.code
        return
    wanted = np.array(wanted, np.int64) if op.schema.result == "Size" else np.asarray(wanted)
    if not isinstance(got, np.ndarray):
        np.testing.assert_equal(np.asarray(got).astype(wanted.dtype), wanted)
        return
    assert got.shape == wanted.shape
    assert got.dtype == wanted.dtype
    if op.schema.name in UNINITIALISED:
        return
    if op.exact:
        np.testing.assert_array_equal(got, wanted)
    else:
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-4)


def outcome(run: Callable[[], Any], *expected: type[Exception]) -> Any:
    """What a call returns or raises."""
    try:
        return run()
    except expected as error:
        return error


def prepared(op: OpDef, args: tuple[Any, ...]) -> tuple[list[Any], list[np.dtype]] | None:
    """Marshalled arguments and the dtypes of the type variables; None when the type rule refuses the arguments."""
    assert isinstance(op.implementation, Kernel)
    try:
        found = op.type_rule([ValueArg(tuple(a) if isinstance(a, list) else a) for a in args])
    except OperatorTypeError:
        return None
    types: list[np.dtype] = []
    for position in op.implementation.generic:
        if position >= 0:
            types.append(args[position].dtype)
        else:
            first = found.elements[0] if isinstance(found, TupleType) else found
            assert isinstance(first, TensorType) and first.dtype is not None
            types.append(np.dtype(first.dtype.name))
    kinds = [p.kind for p in op.schema.parameters]
    if isinstance(found, TensorType) and not any(isinstance(a, np.ndarray) for a in args):  # it says the dtype
        args = tuple(found.dtype if k == "dtype?" and a is None else a for k, a in zip(kinds, args, strict=True))
    return [m for kind, a in zip(kinds, args, strict=True) for m in marshalled(kind, a)], types


@pytest.mark.parametrize("name", sorted(BY_NAME.keys() - SKIPPED - INDEXED))
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_kernel_means_what_the_operator_says(name: str, machine: Any, data: Any):
    if name in UNMODELLED and machine.__name__ == "Model":
        pytest.skip("the model has no classes of errors")
    op = BY_NAME[name]
    args = arguments(data.draw, op)
    ready = prepared(op, args)
    if ready is None or not {t.name for t in ready[1]} <= machine.types:
        return
    flat, types = ready
    run = machine()
    expected = (RuntimeError, IndexError, ValueError, OverflowError, TypeError)
    wanted = outcome(lambda: op.semantics(*args), *expected)
    got = outcome(lambda: run.call(symbol(op), *flat, types=types), run.Error)
    if isinstance(wanted, Exception):
        assert issubclass(getattr(got, "kind", type(None)), type(wanted)), (got, wanted)
    else:
        same(op, got, wanted)


@pytest.mark.parametrize("name", sorted(BY_NAME.keys() - INDEXED - UNMODELLED))
@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_kernel_gives_everything_back_when_memory_runs_out(name: str, make_model: Any, data: Any):
    op = BY_NAME[name]
    args = arguments(data.draw, op)
    ready = prepared(op, args)
    if ready is None:
        return
    flat, types = ready
    for allocations in range(8):
        model = make_model()
        model.allocations = allocations
        try:
            model.call(symbol(op), *flat, types=types)
        except model.Error as error:
            if error.kind is not MemoryError:
                return
        else:
            return
    raise AssertionError("more allocations than any kernel needs")
