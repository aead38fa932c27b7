"""The array API standard: each function against NumPy's, which follows the standard, in values, dtypes and shapes."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import tscript
import tscript.array_api as api

CALLS = """
xp.abs(a)|xp.abs(i)|xp.acos(u)|xp.acosh(p + 1)|xp.asin(u)|xp.asinh(a)|xp.atan(a)|xp.atanh(u)|xp.bitwise_invert(i)
xp.bitwise_invert(b)|xp.ceil(a)|xp.ceil(i)|xp.conj(c)|xp.cos(a)|xp.cosh(a)|xp.exp(a)|xp.expm1(a)|xp.floor(a)|xp.floor(i)
xp.imag(c)|xp.isfinite(s)|xp.isinf(s)|xp.isnan(s)|xp.log(p)|xp.log10(p)|xp.log1p(p)|xp.log2(p)|xp.logical_not(b)
xp.negative(a)|xp.negative(i)|xp.positive(a)|xp.real(c)|xp.reciprocal(p)|xp.round(a * 2)|xp.round(i)|xp.sign(a)
xp.sign(i)|xp.signbit(s)|xp.sin(a)|xp.sinh(a)|xp.sqrt(p)|xp.square(a)|xp.tan(a)|xp.tanh(a)|xp.trunc(a)|xp.trunc(i)
xp.add(a, a)|xp.add(i, 2)|xp.add(a, z)|xp.subtract(z, a)|xp.multiply(i8, i)|xp.divide(a, p)|xp.atan2(a, p)
xp.bitwise_and(i, 3)|xp.bitwise_or(b, b)|xp.bitwise_xor(i, i)|xp.bitwise_left_shift(i, 2)|xp.bitwise_right_shift(i, 1)
xp.copysign(a, -p)|xp.floor_divide(a, p)|xp.floor_divide(i, 2)|xp.hypot(a, p)|xp.logaddexp(a, p)|xp.logical_and(b, b)
xp.logical_or(b, b)|xp.logical_xor(b, b)|xp.maximum(a, 0.5)|xp.minimum(i, i + 1)|xp.nextafter(a, p)|xp.pow(p, a)
xp.pow(p, 2)|xp.remainder(a, p)|xp.remainder(i, 3)|xp.equal(i, i)|xp.not_equal(a, z)|xp.less(i, 2)|xp.less_equal(a, a)
xp.greater(a, z)|xp.greater_equal(i8, i)|xp.clip(a, 0, 1)|xp.clip(a, None, p)|xp.clip(a)
xp.arange(5)|xp.arange(1, 6, 2)|xp.arange(0.0, 1.0, 0.25)|xp.arange(5, 1)|xp.arange(3, dtype=xp.float64)
xp.asarray([1, 2])|xp.asarray([[1.5]], dtype=xp.float32)|xp.asarray(True)|xp.asarray(a, copy=True)|xp.asarray(3)
xp.eye(3)|xp.eye(2, 4, k=1)|xp.eye(3, k=-5, dtype=xp.int64)|xp.full((2, 3), 7)|xp.full(2, 1.5, dtype=xp.float64)
xp.full_like(a, 2)|xp.linspace(0, 1, 5, dtype=xp.float64)|xp.linspace(0.0, 1.0, 4, endpoint=False, dtype=xp.float64)
xp.meshgrid(p1, p1)|xp.meshgrid(p1, p1, indexing='ij')|xp.ones(3, dtype=xp.int32)|xp.ones_like(i)|xp.zeros((2, 0))
xp.zeros_like(a, dtype=xp.int8)|xp.tril(m)|xp.triu(m, k=1)|xp.empty((2, 3)).shape|xp.empty_like(a).shape
xp.astype(a, xp.int64)|xp.astype(i, xp.float64)|xp.broadcast_arrays(a, p1)|xp.broadcast_to(p1, (2, 3))
xp.can_cast(xp.int8, xp.int16)|xp.can_cast(xp.int16, xp.int8)|xp.isdtype(xp.float32, 'real floating')
xp.isdtype(xp.int8, ('bool', 'integral'))|xp.finfo(xp.float32).eps|xp.finfo(xp.complex128).bits|xp.iinfo(xp.int8).max
xp.concat([a, a])|xp.concat([a, i], axis=-1)|xp.concat([a, p1], axis=None)|xp.expand_dims(a, axis=0)
xp.expand_dims(a, axis=-1)|xp.flip(a)|xp.flip(a, axis=1)|xp.moveaxis(t, 0, -1)|xp.permute_dims(t, (2, 0, 1))
xp.repeat(a, 2)|xp.repeat(a, 2, axis=1)|xp.repeat(p1, xp.asarray([1, 0, 2]))|xp.reshape(a, (3, 2))|xp.reshape(t, (-1,))
xp.roll(a, 1)|xp.roll(a, (1, 1), axis=(0, 1))|xp.roll(a, -1, axis=1)|xp.squeeze(xp.zeros((1, 3, 1)), axis=(0, 2))
xp.stack([a, a])|xp.stack([a, a], axis=-1)|xp.tile(a, (2, 1))|xp.tile(p1, (2, 2))|xp.unstack(a)|xp.unstack(a, axis=1)
xp.take(a, xp.asarray([1, 0]), axis=1)|xp.take(p1, xp.asarray([2, -1]))|xp.take_along_axis(a, xp.argsort(a))
xp.matmul(m, m)|xp.matmul(a, p1)|xp.matrix_transpose(t)|xp.tensordot(m, m)|xp.tensordot(t, t, axes=((0, 1), (0, 1)))
xp.vecdot(a, p1)|xp.vecdot(c, c)|xp.vecdot(i, i)|xp.argmax(a)|xp.argmax(a, axis=1)|xp.argmin(a, axis=0, keepdims=True)
xp.argmax(a, keepdims=True)|xp.count_nonzero(i)|xp.count_nonzero(i, axis=0)|xp.nonzero(i)|xp.where(b, a, z)
xp.searchsorted(p1, xp.asarray([0.5, 2.0]))|xp.searchsorted(p1, xp.asarray([1.0]), side='right')|xp.where(b, i, 0)
xp.isin(i, xp.asarray([3, 5]))|xp.isin(i, xp.asarray([0]), invert=True)
xp.unique_all(r)|xp.unique_counts(r)|xp.unique_inverse(r)|xp.sort(xp.unique_values(r))|xp.unique_values(b)|xp.unique_counts(s)
xp.argsort(a)|xp.argsort(r, axis=0)|xp.sort(r, axis=0)
xp.cumulative_sum(a, axis=1)|xp.cumulative_sum(p1, include_initial=True)|xp.cumulative_sum(i8, axis=0)
xp.cumulative_prod(p1)|xp.cumulative_prod(a, axis=0, include_initial=True)|xp.max(a)|xp.max(a, axis=1, keepdims=True)
xp.max(t, axis=(0, 2))|xp.min(i)|xp.mean(a)|xp.mean(t, axis=(0, 1))|xp.prod(i)|xp.prod(t, axis=(0, 1), keepdims=True)
xp.prod(i8)|xp.std(a)|xp.std(a, axis=1, correction=1)|xp.sum(a)|xp.sum(i8)|xp.sum(u8)|xp.sum(b)|xp.sum(t, axis=(1, 2))
xp.sum(a, axis=())|xp.sum(i, dtype=xp.float64)|xp.var(a)|xp.var(a, axis=0, keepdims=True)|xp.all(b)|xp.all(a, axis=1)
xp.any(b, axis=(0, 1))|xp.any(i, keepdims=True)|xp.all(t, axis=-1)|xp.diff(p1)|xp.diff(a, axis=0)|xp.diff(a, n=2)
xp.diff(p1, prepend=p1, append=p1)|xp.result_type(a, i)|xp.result_type(xp.int8, xp.uint8)|xp.result_type(a, 1.0)
xp.linalg.cholesky(m @ m.T + xp.eye(3, dtype=xp.float64))|xp.linalg.cross(a, p1)|xp.linalg.det(m)|xp.linalg.diagonal(t)
xp.linalg.diagonal(m, offset=1)|xp.linalg.eigvalsh(m + m.T)|xp.linalg.inv(m)|xp.linalg.matmul(m, m)
xp.linalg.matrix_norm(m)|xp.linalg.matrix_norm(m, ord=1)|xp.linalg.matrix_power(m, 3)|xp.linalg.matrix_rank(m)
xp.linalg.matrix_transpose(m)|xp.linalg.outer(p1, p1)|xp.linalg.pinv(m)|xp.linalg.slogdet(m)|xp.linalg.solve(m, p1)
xp.linalg.solve(m, m)|xp.linalg.svdvals(m)|xp.linalg.tensordot(m, m)|xp.linalg.trace(m)|xp.linalg.trace(t, offset=1)
xp.linalg.trace(i)|xp.linalg.vecdot(a, a)|xp.linalg.vector_norm(a)|xp.linalg.vector_norm(a, axis=1, ord=1)
xp.fft.fft(a)|xp.fft.ifft(c, axis=0)|xp.fft.fftn(a)|xp.fft.ifftn(c)|xp.fft.rfft(a, n=4)|xp.fft.irfft(c)|xp.fft.rfftn(a)
xp.fft.irfftn(c)|xp.fft.hfft(c)|xp.fft.ihfft(a)|xp.fft.fftfreq(5)|xp.fft.rfftfreq(4, d=0.5)|xp.fft.fftshift(p1)
xp.fft.ifftshift(a, axes=(0,))|xp.fft.fft(a, norm='ortho')
"""
"""Expressions over the arrays of `arrays`."""

WITHOUT_CALLS = {"broadcast_shapes", "from_dlpack", "__array_namespace_info__", "e", "inf", "nan", "newaxis", "pi"}
"""Names that other tests here are about."""


def arrays() -> dict[str, Any]:
    """Arrays by the names in the expressions."""
    random = np.random.default_rng(7)
    return {
        "a": np.round(random.normal(size=(2, 3)), 2),
        "u": random.uniform(-0.9, 0.9, (2, 3)),
        "p": random.uniform(0.5, 3.0, (2, 3)),
        "p1": np.array([1.0, 2.0, 4.0]),
        "i": np.array([[3, 0, -2], [5, 7, 1]]),
        "i8": np.array([[3, 0, -2], [5, 7, 1]], np.int8),
        "u8": np.array([200, 100], np.uint8),
        "b": np.array([[True, False, True], [True, True, False]]),
        "c": random.normal(size=(2, 3)) + 1j * random.normal(size=(2, 3)),
        "s": np.array([0.0, -0.0, np.inf, -np.inf, np.nan, np.nan]),
        "z": np.array(0.25),
        "m": random.normal(size=(3, 3)),
        "t": random.normal(size=(2, 3, 4)),
        "r": np.array([[3, 1, 3], [2, 1, 3]]),
    }


def leaves(value: Any) -> list[Any]:
    if isinstance(value, tuple | list):
        return [leaf for v in value for leaf in leaves(v)]
    return [value]


def value_of(text: str, xp: Any, given: dict[str, Any]) -> list[Any]:
    with np.errstate(all="ignore"):
        return leaves(eval(text, {"xp": xp, **given}))


@pytest.mark.parametrize("text", CALLS.strip().replace("\n", "|").split("|"))
def test_as_numpy(text: str) -> None:
    given = arrays()
    wanted = value_of(text, np, given)
    found = value_of(text, api, {name: tscript.from_numpy(array.copy()) for name, array in given.items()})
    assert len(found) == len(wanted)
    creates = any(name in text for name in ("xp.arange(0.0", "xp.eye(", "xp.full(", "xp.zeros((", "fftfreq("))
    for have, want in zip(found, wanted, strict=True):
        if isinstance(want, np.dtype | type):
            assert str(have).removeprefix("tscript.") == np.dtype(want).name
            continue
        if isinstance(have, tscript.Tensor):
            assert tuple(have.shape) == np.shape(want)
            if not creates:  # whose default dtype is float32 here
                assert str(have.dtype).removeprefix("tscript.") == np.asarray(want).dtype.name
            have = have.numpy()
        np.testing.assert_allclose(have, want, rtol=1e-6, atol=1e-7)


def test_each_name_has_a_call() -> None:
    names = {n for n in dir(api) if n not in api.tables.DTYPES and not n.startswith("__array_api")} - {"fft", "linalg"}
    named = {f"fft.{n}" for n in dir(api.fft)} | {f"linalg.{n}" for n in api.linalg.__all__}
    spectral = {"linalg.eig", "linalg.eigvals", "linalg.eigh", "linalg.qr", "linalg.svd"}
    missing = {n for n in names | named if f"xp.{n}(" not in CALLS} - WITHOUT_CALLS - spectral
    assert not missing


def test_decompositions_have_the_fields_of_the_standard() -> None:
    x = tscript.from_numpy(arrays()["m"])
    q, r = api.linalg.qr(x).Q, api.linalg.qr(x).R
    np.testing.assert_allclose((q @ r).numpy(), x.numpy(), atol=1e-12)
    found = api.linalg.svd(x, full_matrices=False)
    np.testing.assert_allclose(((found.U * found.S) @ found.Vh).numpy(), x.numpy(), atol=1e-12)
    found = api.linalg.eigh(x + x.T)
    np.testing.assert_allclose(
        (found.eigenvectors * found.eigenvalues @ found.eigenvectors.T).numpy(), (x + x.T).numpy(), atol=1e-12
    )
    assert api.linalg.eig(x).eigenvalues.shape == api.linalg.eigvals(x).shape == (3,)


def test_namespace_of_a_tensor() -> None:
    x = tscript.zeros(2)
    assert x.__array_namespace__() is x.__array_namespace__(api_version="2023.12") is api
    with pytest.raises(ValueError, match=r"not of 1999\.1"):
        x.__array_namespace__(api_version="1999.1")
    assert x.to_device("cpu") is x
    with pytest.raises(ValueError, match="one device"):
        x.to_device("cuda")


def test_constants_and_dtypes() -> None:
    assert (api.pi, api.e, api.inf, api.newaxis) == (np.pi, np.e, np.inf, None)
    assert api.nan != api.nan
    assert api.float32 is tscript.float32
    assert api.bool is tscript.bool
    assert "concat" in dir(api)
    with pytest.raises(AttributeError, match="the standard has no such name"):
        _ = api.relu


def test_what_the_library_says_of_itself() -> None:
    info = api.__array_namespace_info__()
    assert info.capabilities()["boolean indexing"]
    assert info.default_device() in info.devices()
    assert info.default_dtypes()["integral"] is tscript.int64
    assert set(info.dtypes(kind="bool")) == {"bool"}
    assert len(info.dtypes()) == 13


def test_dlpack() -> None:
    array = np.arange(3.0)
    shared, own = api.from_dlpack(array), api.from_dlpack(array, copy=True)
    array[0] = 5
    assert (shared[0].item(), own[0].item()) == (5.0, 0.0)
    assert api.broadcast_shapes((2, 1), (3,)) == (2, 3)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("xp.asarray([1], copy=False)", ValueError),
        ("xp.asarray(a, dtype=xp.float32, copy=False)", ValueError),
        ("xp.astype(c, xp.float64)", TypeError),
        ("xp.zeros(2, device='cuda')", ValueError),
        ("xp.finfo(xp.int8)", ValueError),
        ("xp.iinfo(xp.float32)", ValueError),
        ("xp.isdtype(xp.int8, 'number')", ValueError),
        ("xp.result_type(1, 2.0)", ValueError),
        ("xp.result_type(i, 1.0)", TypeError),
        ("xp.expand_dims(a, axis=3)", IndexError),
        ("xp.squeeze(a, axis=0)", ValueError),
        ("xp.reshape(t.T, (-1,), copy=False)", ValueError),
        ("xp.take(a, i)", ValueError),
        ("xp.nonzero(z)", ValueError),
        ("xp.cumulative_sum(a)", ValueError),
        ("xp.matrix_transpose(p1)", ValueError),
        ("xp.vecdot(a, p1[:2])", ValueError),
    ],
)
def test_errors(text: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        value_of(text, api, {name: tscript.from_numpy(array) for name, array in arrays().items()})


def test_descending_order() -> None:
    x = tscript.tensor([2, 3, 1, 3])
    assert api.sort(x, descending=True).tolist() == [3, 3, 2, 1]
    assert api.argsort(x, descending=True).tolist() == [1, 3, 0, 2]
    assert api.clip(x, 2).tolist() == [2, 3, 2, 3]


def test_functions_take_arrays_by_position_alone() -> None:
    for name in ("sin", "add", "sum", "sort", "concat", "take"):
        first = next(iter(inspect.signature(getattr(api, name)).parameters.values()))
        assert first.kind is inspect.Parameter.POSITIONAL_ONLY, name
