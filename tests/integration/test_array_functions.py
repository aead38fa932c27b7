"""NumPy's functions and methods in compiled code give what NumPy gives: groups of expressions, one program each."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.integration.array_programs import script

GROUPS: dict[str, tuple[str, ...]] = {
    "reductions": (
        "a.sum()", "np.sum(a, axis=0)", "a.sum(axis=-1, keepdims=True)", "a.sum(keepdims=True)",
        "np.sum(a, axis=(0, 1))",
        "a.mean()", "a.mean(axis=1)", "a.max()", "a.min(axis=0)", "np.max(a, 1)", "np.amin(a)", "a.argmax()",
        "np.argmin(a, axis=1)", "a.any()", "np.all(a, axis=0)", "np.count_nonzero(a)", "np.count_nonzero(a, axis=1)",
    ),
    "kept": ("a.sum(axis=0, keepdims=True)", "a.prod(axis=1, keepdims=True)", "a.mean(axis=(0, 1), keepdims=True)",
             "a.max(axis=1, keepdims=True)", "np.min(a, axis=0, keepdims=True)", "a.any(axis=-1, keepdims=True)",
             "a.all(keepdims=True)", "a.argmax(axis=1, keepdims=True)", "np.argmin(a, keepdims=True)",
             "a.var(axis=1, keepdims=True)", "np.std(a, keepdims=True)", "a.max(keepdims=True)",
             "np.count_nonzero(a, axis=1, keepdims=True)",
             "a - a.mean(axis=1, keepdims=True)", "a / a.sum(axis=0, keepdims=True)"),
    "moments": ("a.var()", "a.std(axis=0)", "np.std(a, ddof=1)", "np.median(a)", "np.median(a, axis=0)",
                "np.percentile(a, 30)", "np.quantile(a, 0.9, axis=1)", "np.percentile(a, [10, 50.0, 100])"),
    "numbers": ("a[:, :3].prod()", "np.prod(a, axis=0)", "np.ptp(a)", "np.ptp(a, axis=0)", "np.diff(a)",
                "np.diff(a, 1, 0)",
                "np.clip(a, 1, 3)", "np.dot(a, a.T)", "np.linalg.norm(a)", "np.trace(a)"),
    "orders": ("np.sort(a)", "np.sort(a, axis=0)", "np.sort(a, axis=None)", "np.argsort(a, kind='stable')",
               "np.cumsum(a)", "a.cumsum(axis=0)", "np.cumprod(a, axis=1)", "np.unique(a)",
               "np.unique(a, return_counts=True)"),
    "shapes": ("a.T", "a.ravel()", "a.flatten()", "a.reshape(-1)", "np.transpose(a)", "a.transpose(1, 0)", "a.copy()",
               "np.swapaxes(a, 0, 1)", "np.expand_dims(a, 1)", "a.reshape(1, -1).squeeze(axis=0)",
               "np.moveaxis(a, 0, 1)",
               "np.concatenate((a, a))", "np.concatenate((a, a), axis=1)", "np.stack((a, a), axis=-1)",
               "np.vstack((a, a))", "np.hstack((a, a))", "np.column_stack((a, a))", "np.append(a, a)",
               "np.concatenate((a, a), axis=None)", "np.shape(a)", "np.size(a)", "np.diagonal(a)", "np.ones_like(a)"),
    "copies": ("np.tile(a[0], 3)", "np.repeat(a, 2)", "np.roll(a, 1)", "np.roll(a, -1, axis=0)", "np.flip(a)",
               "np.flip(a, 1)", "np.flipud(a)", "np.fliplr(a)", "np.flatnonzero(a)", "np.full_like(a, 2)",
               "np.outer(a, a[0])", "np.round(a)", "np.where(a > 1, a, 0)", "np.array_equal(a, a)",
               "np.array_equal(a, a.T)", "np.array([a[0, 0], a[0, 0]])", "np.array([a[0], a[0]])"),
    "floats": ("np.isclose(a, a + 1e-9)", "np.allclose(a, a)", "np.arctan(a)", "np.arctan2(a, a[0])", "np.sinh(a)",
               "np.cosh(a)", "np.tan(a)", "np.arcsinh(a)", "np.cbrt(a)", "np.exp2(a)", "np.hypot(a, a[0])",
               "np.radians(a)", "np.degrees(a)", "np.round(a, 1)", "np.round(a / 100, -1)", "np.copysign(a, -a)",
               "np.fmax(a, a[0])", "np.fmin(a, 1.5)", "np.arccos(a / 200)", "np.arcsin(a / 200)",
               "np.histogram(a, 5)", "np.histogram(a, bins=4, range=(-2.0, 3.0))", "np.trapezoid(a[0])"),
    "searches": ("np.searchsorted(np.sort(a[0]), a)", "np.searchsorted(np.sort(a[0]), a[0, 0], side='right')",
                 "np.interp(a, np.array([0.0, 1.0, 2.5]), np.array([1.0, -1.0, 4.0]))",
                 "np.histogram(a, np.array([0, 1, 3]))", "np.vdot(a, a)", "np.inner(a, a)", "a @ a.T", "a[0] @ a[0]"),
    "builtins": ("max(a[0, 0], a[0, 1])", "min(a[0])", "max(a[1])", "sum(a[0])", "sum(a)", "any(a[0] > 1)", "abs(a)",
                 "all(a[0] > -9)", "round(a[0, 0])", "divmod(a, 2)", "f'{a[0, 0]:.2f}'", "'%.1f' % a[0, 0]",
                 "a[::-1]", "a[:, ::-1]", "a[2:0:-1, -1::-2]", "a[::-1].sum(axis=0)", "a[::-1, 0].copy()",
                 "a[0][::-2] + 1", "a[5:-9:-1]", "a[:0:-1]", "a[1::-1]", "a[-2::-1]"),
}  # fmt: skip
INTEGERS = ["uint8", "int8", "int16", "int32", "int64"]
FLOATS = ["float32", "float64"]
DTYPES = {
    "builtins": ["int64", "float64"],
    "floats": FLOATS,
    "moments": ["int16", *FLOATS],
    "numbers": ["int16", "int64", *FLOATS],
}
UNSIGNED = {"uint64": "int64"}
"""Sums of uint8 are ints: there is no uint64."""


@cache
def _program(group: str) -> Any:
    return script(f"def f(a):\n    return ({', '.join(GROUPS[group])},)\n")["f"]


def _inputs(dtype: str) -> list[Any]:
    random = np.random.default_rng(5)
    if dtype == "bool":
        whole = random.integers(0, 2, (3, 4)).astype(bool)
    else:
        whole = random.integers(0 if dtype == "uint8" else -5, 6, (3, 4)).astype(dtype)
    found = [whole, whole.T, random.permutation(np.arange(80) % 50).astype(dtype).reshape(2, 40)[:, ::-2]]
    if dtype in FLOATS:
        found.append(np.array([[1.5, np.nan, -2.25], [0.0, 3.0, 7.5]], dtype))
    return found


def check_same(expression: str, got: Any, expected: Any) -> None:
    """Class, dtype, shape and values."""
    if isinstance(expected, tuple):
        assert isinstance(got, tuple), expression
        for left, right in zip(got, expected, strict=True):
            check_same(expression, left, right)
        return
    assert type(got) is type(expected) or expected.dtype == np.uint64, (expression, got, expected)
    if not isinstance(expected, np.ndarray | np.generic):
        assert got == expected, expression
        return
    wanted = UNSIGNED.get(expected.dtype.name, expected.dtype.name)
    if wanted == "int64":
        expected = expected.astype(np.int64)
    assert got.dtype.name == wanted or expected.dtype == np.float16, (expression, got.dtype, expected.dtype)
    assert got.shape == expected.shape, expression
    tolerance = 1e-2 if expected.dtype == np.float16 else 2e-6 if wanted == "float32" else 1e-13
    assert np.allclose(got, expected, rtol=tolerance, atol=tolerance, equal_nan=True), (expression, got, expected)


@pytest.mark.parametrize(
    ("group", "dtype"),
    [(group, dtype) for group in GROUPS for dtype in DTYPES.get(group, ["uint8", "int32", *FLOATS, "bool"])],
)
def test_functions(group: str, dtype: str) -> None:
    """Of arrays of any layout."""
    if dtype == "bool" and group in ("moments", "searches"):
        pytest.skip("no arithmetic of bools")
    for a in _inputs(dtype)[: 3 if group in ("floats", "searches") else 4]:
        program = _program(group)(a)
        for expression, got in zip(GROUPS[group], program, strict=True):
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                expected = eval(expression, {"np": np, "a": a})
            check_same(expression, got, expected)
