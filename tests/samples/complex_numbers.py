"""Samples of tensors of complex numbers, and of operators that take them."""

from __future__ import annotations

import numpy as np

from tests.samples.base import COMPLEX, FLOATS, Array, Call, Samples, T, Wrong


def _complex(re: Array, im: Array) -> Array:
    return (re + 1j * im).astype(np.complex64 if re.dtype == np.float32 else np.complex128)


def _sgn(x: Array) -> Array:
    return np.where(x == 0, 0, x / np.where(x == 0, 1, np.abs(x))).astype(x.dtype)


def _pairs(x: Array) -> Array:
    return np.stack([x.real, x.imag], -1)


SAMPLES = (
    Samples(
        "complex",
        _complex,
        Call(T(3, 4), T(3, 4)),
        Call(T(3, 1, layout="t"), T(4)),
        Call(T(), T()),
        wrong=(
            Wrong(RuntimeError, "Expected both inputs to be", T(2, dtype="int64"), T(2, dtype="int64")),
            Wrong(RuntimeError, "Expected object of scalar type", T(2, dtype="float32"), T(2, dtype="float64")),
        ),
    ),
    Samples(
        "polar",
        lambda size, angle: _complex(size * np.cos(angle), size * np.sin(angle)),
        Call(T(3, 4), T(3, 4)),
        Call(T(0), T(0)),
    ),
    Samples(
        "real",
        np.real,
        Call(T(3, 4)),
        Call(T(3, 4, layout="t")),
        Call(T(4, dtype="float32")),
        dtypes=COMPLEX,
    ),
    Samples(
        "imag",
        np.imag,
        Call(T(3, 4)),
        Call(T(3, 4, layout="s")),
        dtypes=COMPLEX,
        wrong=(Wrong(RuntimeError, "imag is not implemented", T(2, dtype="float32")),),
    ),
    Samples("view_as_real", _pairs, Call(T(3, 4)), Call(T(3, 4, layout="t")), Call(T()), dtypes=COMPLEX),
    Samples(
        "view_as_complex",
        lambda x: x.view(np.complex64 if x.dtype == np.float32 else np.complex128)[..., 0],
        Call(T(3, 2)),
        Call(T(2)),
        wrong=(
            Wrong(RuntimeError, "Tensor must have a last dimension of size 2", T(3)),
            Wrong(RuntimeError, "one or more dimensions", T()),
        ),
    ),
    Samples("conj", np.conj, Call(T(3, 4)), Call(T(3, dtype="float32")), dtypes=COMPLEX),
    Samples("conj_physical", np.conj, Call(T(3, 4)), Call(T(3, dtype="int64")), dtypes=COMPLEX),
    Samples("resolve_conj", lambda x: x, Call(T(3)), dtypes=COMPLEX),
    Samples("resolve_neg", lambda x: x, Call(T(3)), dtypes=COMPLEX),
    Samples("is_conj", lambda x: False, Call(T(3)), dtypes=COMPLEX),
    Samples("is_neg", lambda x: False, Call(T(3)), dtypes=COMPLEX),
    Samples("is_complex", lambda x: x.dtype.kind == "c", Call(T(3)), dtypes=(*COMPLEX, *FLOATS)),
    Samples(
        "angle",
        np.angle,
        Call(T(3, 4)),
        Call(T(3, dtype="float32")),
        Call(T(3, layout="r")),
        dtypes=COMPLEX,
    ),
    Samples("sigmoid", lambda x: 1 / (1 + np.exp(-x)), Call(T(3, 4)), Call(T(3, layout="r")), dtypes=COMPLEX),
    Samples(
        "nn.functional.silu", lambda x: x / (1 + np.exp(-x)), Call(T(3, 4)), Call(T(3, layout="r")), dtypes=COMPLEX
    ),
    Samples("sgn", _sgn, Call(T(3, 4)), Call(T(values=[0.0, 1 + 1j])), dtypes=COMPLEX),
)
"""All samples of this module."""
