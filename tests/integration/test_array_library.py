"""Functions that NumPy runs for compiled code, and further forms of those that compiled code has itself."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest

import tscript
from tests.integration.array_programs import script
from tests.integration.test_array_functions import check_same

GROUPS: dict[str, tuple[str, ...]] = {
    "elements": (
        "np.sinc(a)", "np.fabs(a)", "np.isneginf(a)", "np.signbit(a)", "np.nan_to_num(a)", "np.nan_to_num(a, nan=2)",
        "np.unwrap(a)", "np.modf(a)", "np.frexp(a)", "np.logaddexp(a, 1.5)", "np.heaviside(a, a[0])",
        "np.float_power(abs(a), 2)", "np.ldexp(a, 2)", "np.fmod(a, 2)", "np.fmod(a[0, 0], 3)", "np.isreal(a)",
        "np.sinc(a[0, 0])", "np.modf(a[0, 0])",
    ),
    "products": (
        "np.cross(a[:, :3], a[0, :3])", "np.cross(a[0, :3], a[1, :3])", "np.kron(a, a[:, :2])", "np.kron(a[0], a[1])",
        "np.einsum('ij,kj->ik', a, a)", "np.einsum('ij,ij', a, a)", "np.einsum('ij->j', a)", "np.tensordot(a, a.T, 1)",
        "np.convolve(a[0], a[1])", "np.convolve(a[0], a[1, :2], 'same')", "np.correlate(a[0], a[1], mode='full')",
        "np.polyval(a[0], a)", "np.polyval([1, 2], a[0, 0])",
        "np.polyfit(a[0] + np.arange(a.shape[1]) * 100.0, a[1], 1)",
        "np.polymul(a[0], a[1])", "np.inner(a[0], a[1])", "np.linalg.norm(a, axis=1)", "np.linalg.norm(a[0], 1)",
        "np.linalg.norm(a, ord=2)", "np.linalg.norm(a, keepdims=True)", "np.trace(a, 1)", "np.trace(a, offset=-1)",
    ),
    "shapes": (
        "np.tril(a)", "np.triu(a, 1)", "np.tri(3)", "np.tri(2, 3, k=1, dtype=np.int32)", "np.diag(a)",
        "np.diag(a[0], 1)",
        "np.diagflat(a)", "np.vander(a[0], 3)", "np.rot90(a)", "np.pad(a, 1)",
        "np.pad(a, ((1, 0), (0, 2)), mode='edge')",
        "np.pad(a[0], 2, constant_values=5)", "np.resize(a, (3, 5))", "np.dstack((a, a))", "np.dstack((a[0], a[1]))",
        "np.meshgrid(a[0], a[1])", "np.meshgrid(a[0], a[1], indexing='ij')", "np.indices((2, 3))",
        "np.tril_indices(3)", "np.triu_indices(3, k=1)", "np.diag_indices(3)", "np.unravel_index(7, (3, 4))",
        "np.unravel_index([1, 7], (3, 4))", "np.ravel_multi_index((np.array([1, 2]), np.array([0, 3])), (3, 4))",
        "np.atleast_1d(a[0, 0])", "np.atleast_2d(a[0])", "np.atleast_3d(a)", "np.atleast_3d(a[0])",
        "np.tile(a, (2, 1))",
        "np.tile(a[0], (2, 2))", "np.tile(a, 2)", "np.repeat(a, 2, axis=0)", "np.repeat(a[0], np.arange(a.shape[1]))",
        "np.roll(a, (1, 2), axis=(0, 1))", "np.flip(a, axis=(0, 1))", "np.append(a, a, axis=1)",
        "np.take(a, [1, 0], axis=1)", "np.nonzero(a)", "np.argwhere(a)", "np.trim_zeros(a[0])",
    ),
    "choosing": (
        "np.take(a, 3)", "np.take(a, np.array([[0, 1], [2, 2]]))", "np.take(a, 1, axis=0)",
        "np.take_along_axis(a, np.argsort(a, axis=1), axis=1)", "np.extract(a > 0, a)",
        "np.compress(a[:, 0] > -9, a, axis=0)", "np.delete(a, 1, axis=0)", "np.delete(a[0], [0, 2])",
        "np.insert(a[0], 1, a[0, 0])", "np.insert(a, 0, a[0, 0], axis=1)", "np.select([a > 2, a < 0], [a, -a])",
        "np.select((a > 2, a < 0), (a, a + 1), 7)", "a[np.ix_([1, 0], [0, 2])] if False else a[0]",
    ),
    "orders": (
        "np.intersect1d(a[0], a[1])", "np.union1d(a[0], a[1])", "np.setdiff1d(a[0], a[1])", "np.setxor1d(a[0], a[1])",
        "np.isin(a, a[0, :2])", "np.isin(a, [1, 2], invert=True)", "np.lexsort((a[0], a[1]))", "np.partition(a[0], 2)",
        "np.argpartition(a[0], 1)[:0]", "np.digitize(a, [0.0, 1.5, 3.0])",
        "np.digitize(a[0, 0], np.array([0.0, 2.0]), right=True)",
        "np.unique(a, return_index=True)", "np.unique(a[0], return_inverse=True)",
        "np.unique(a, return_index=True, return_inverse=True, return_counts=True)",
        "np.searchsorted(a[0], a[1], sorter=np.argsort(a[0]))", "np.histogram(a, 4, density=True)",
        "np.histogram(a, 4, weights=a * 0 + 1)", "np.histogram(a, bins=np.array([0.0, 1.0, 4.0]), density=True)",
        "np.histogram2d(a[0], a[1], 3)", "np.histogram_bin_edges(a, 3)",
    ),
    "statistics": (
        "np.average(a)", "np.average(a, axis=1)", "np.average(a, axis=0, weights=[1, 3])", "np.cov(a)", "np.cov(a[0])",
        "np.cov(a[0], a[1])", "np.corrcoef(a)", "np.gradient(a[0])", "np.gradient(a)", "np.gradient(a, axis=1)",
        "np.gradient(a[0], 0.5)", "np.ediff1d(a)", "np.nanmax(a)", "np.nanmin(a, axis=0)", "np.nansum(a, axis=1)",
        "np.nanprod(a[:, :2])", "np.nanmean(a)", "np.nanmedian(a, axis=1)", "np.nanstd(a, ddof=1)",
        "np.nanvar(a, axis=0)",
        "np.nanargmax(a)", "np.nanargmin(a[:, :1], axis=1)", "np.nancumsum(a)", "np.nancumprod(a[:, :2], axis=1)",
        "np.nanpercentile(a, 30)", "np.nanquantile(a, [0.25, 0.5], axis=1)", "np.percentile(a, np.array([10, 90]))",
        "np.quantile(a, np.array([0.1, 0.5]), axis=0)", "np.percentile(a, 40, method='nearest')",
        "np.median(a, axis=0, keepdims=True)", "np.trapezoid(a)", "np.trapezoid(a, axis=0)",
        "np.interp(a, [0.0, 1.0], [3.0, 4.0], left=-1.0)", "np.diff(a, prepend=0)", "np.ptp(a * 2)",
    ),
    "series": ("np.hanning(5)", "np.bartlett(4)", "np.kaiser(5, 2.0)", "np.logspace(0, 2, 5)",
    "np.geomspace(1, 100, 3)"),
    "linear": (
        "np.linalg.solve(s, a[0, :2])", "np.linalg.solve(s, s)", "np.linalg.inv(s)", "np.linalg.det(s)",
        "np.linalg.pinv(a)",
        "np.linalg.slogdet(s)", "np.linalg.matrix_rank(s)", "np.linalg.eigvalsh(s)", "np.linalg.matrix_power(s, 3)",
        "np.linalg.qr(s)", "np.linalg.cond(s)", "np.linalg.cholesky(s)", "np.linalg.lstsq(s, s)", "np.linalg.svd(s)[1]",
    ),
}  # fmt: skip
DTYPES = {"series": ["float64"], "linear": ["float64", "float32", "int64"]}
NO_NAN = {"linear", "products"}


@cache
def _program(group: str) -> Any:
    return script(f"def f(a, s):\n    return ({', '.join(GROUPS[group])},)\n")["f"]


def _inputs(dtype: str, with_nan: bool) -> list[Any]:
    random = np.random.default_rng(5)
    found = [random.integers(-4, 5, (2, 4)).astype(dtype), random.integers(-4, 5, (4, 2)).astype(dtype).T]
    if with_nan and dtype.startswith("float"):
        found.append(np.array([[1.5, np.nan, -2.25, 0.0], [0.0, 3.0, 7.5, np.inf]], dtype))
    return found


@pytest.mark.parametrize(
    ("group", "dtype"),
    [(group, dtype) for group in GROUPS for dtype in DTYPES.get(group, ["int32", "int64", "float32", "float64"])],
)
@pytest.mark.filterwarnings("ignore")
def test_library(group: str, dtype: str) -> None:
    """Class, dtype, shape and values."""
    s = np.array([[4, 1], [1, 3]], dtype)
    for a in _inputs(dtype, group not in NO_NAN):
        scope = {"np": np, "a": a, "s": s}
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                expected = eval(f"({', '.join(GROUPS[group])},)", scope)
            except (ValueError, np.linalg.LinAlgError) as error:
                with pytest.raises(type(error)):
                    _program(group)(a, s)
                continue
            got = _program(group)(a, s)
        for expression, left, right in zip(GROUPS[group], got, expected, strict=True):
            check_same(expression, left, right)


WRITES = (
    "np.fill_diagonal(a, 7)", "np.put(a, [0, 2], [5, 6])", "np.putmask(a, a > 1, 9)", "np.place(a, a > 1, [3, 4])",
    "np.copyto(a, 2)", "np.put_along_axis(a, np.zeros((2, 1), np.int64), 8, axis=1)",
)  # fmt: skip


@pytest.mark.parametrize("statement", WRITES)
def test_writes(statement: str) -> None:
    """What changes its argument changes it, through views too."""
    program = script(f"def f(a):\n    a = a[:, ::2]\n    {statement}\n    return a.sum()\n")["f"]
    ours, theirs = (np.arange(8.0).reshape(2, 4) for _ in range(2))
    scope: dict[str, Any] = {"np": np, "a": theirs[:, ::2]}
    exec(statement, scope)
    assert program(ours) == scope["a"].sum()
    assert np.array_equal(ours, theirs)


def test_methods() -> None:
    """Methods and attributes of arrays."""
    text = "a.tolist(), a[0].tolist(), a.take([1, 0]), a.argpartition(1)[:0], a.nbytes, (a > 1).tolist()"
    a = np.array([[3, 1, 2], [0, 5, 4]], np.int16)
    program = script(f"def f(a):\n    return {text}\n")["f"]
    for left, right in zip(program(a), eval(text, {"a": a}), strict=True):
        assert np.array_equal(left, right) and type(left) is type(right)
    ours, theirs = np.array([3.0, 1.0, 2.0, 0.0]), np.array([3.0, 1.0, 2.0, 0.0])
    script("def f(a):\n    a.partition(2)\n    a.put([0], [9.0])\n")["f"](ours)
    theirs.partition(2)
    theirs.put([0], [9.0])
    assert np.array_equal(ours, theirs)


def test_indices() -> None:
    """``np.ndindex`` and ``np.ndenumerate``."""
    program = script(
        "def f(a):\n    out = np.zeros(a.shape)\n    for i, j in np.ndindex(a.shape):\n"
        "        out[i, j] = 2 * a[i, j] + i\n"
        "    for place, x in np.ndenumerate(a):\n        out[place] += x\n"
        "    return out, [i for i in np.ndindex(2, 1, 2)], list(np.ndindex(2)), list(np.ndenumerate(a[0]))\n"
    )["f"]
    a = np.array([[3, 1, 2], [0, 5, 4]])
    out, three, one, pairs = program(a)
    assert np.array_equal(out, a * 3 + np.array([[0], [1]]))
    assert three == list(np.ndindex(2, 1, 2)) and one == list(np.ndindex(2)) and pairs == list(np.ndenumerate(a[0]))


def test_tuples_as_indices() -> None:
    """A tuple that has a name is an index, as one that is written there."""
    program = script(
        "def f(a, at):\n    a[at] = a[at] * 2\n    a[at] += 1\n    first = (1,)\n"
        "    return a[at], a[first], a[at[0]], a[(0, 1)]\n"
    )["f"]
    a = np.arange(6).reshape(2, 3)
    element, row, again, pair = program(a, (1, -1))
    assert type(element) is np.int64 and element == a[1, 2] == 11 and pair == 1
    assert np.array_equal(row, a[1]) and np.array_equal(again, a[1])
    with pytest.raises(IndexError, match="index 5 is out of bounds for axis 1 with size 3"):
        program(a, (0, 5))


def test_errors_are_those_of_numpy() -> None:
    """Their class and words."""
    program = script("def f(a):\n    return np.linalg.inv(a)\n")["f"]
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        program(np.zeros((2, 2)))
    with pytest.raises(ValueError, match="kth"):
        script("def f(a):\n    return np.partition(a, 9)\n")["f"](np.zeros(3))


def test_calls_of_numpy_take_and_give_any_layout():
    @tscript.script
    def f(a: np.ndarray, n: int):
        out = np.zeros(3)
        for i in range(n):
            out += np.convolve(a[i::2], np.ones(2))[:3] * np.interp(0.5 + i, np.arange(3.0), out[:3] + i)
        return out, np.take(a, [2, 0]), np.isin(a[::-1], [1.0]).sum()

    a = np.arange(8.0)
    with tscript.disabled():
        wanted = f(a, 4)
    for _ in range(2):
        found = f(a, 4)
        for x, y in zip(found, wanted, strict=True):
            assert np.array_equal(x, y)
            assert x.dtype == y.dtype


def test_results_of_numpy_are_of_the_declared_type():
    from tscript.operators.python.random_numbers import CALL

    with pytest.raises(TypeError, match="gave an array of float64 and 1 dimensions"):
        CALL.semantics("convolve", "ndarray[float64, 2]", np.zeros(2), np.zeros(2))
    with pytest.raises(TypeError, match="gave an array of int64"):
        CALL.semantics("convolve", "ndarray[float64, 1]", np.arange(3), np.arange(3))
    with pytest.raises(ValueError, match="may call"):
        CALL.semantics("save", "ndarray[float64, 1]", "x")


def test_arguments_are_evaluated_once() -> None:
    """Also where a function looks at them twice."""
    program = script("def f(rng):\n    return np.ptp(rng.random(3)), rng.random()\n")["f"]
    rng = np.random.default_rng(1)
    assert program(np.random.default_rng(1)) == (np.ptp(rng.random(3)), rng.random())


def test_what_is_refused() -> None:
    """With the reason."""
    for expression, problem in (
        ("np.einsum('i...,i...', a, a)", "literal without"),
        ("np.linalg.eig(a)", "np.linalg.eig"),
    ):
        with pytest.raises(tscript.CompileError, match=problem):
            script(f"def f(a):\n    return {expression}\n")["f"](np.zeros((2, 2)))
