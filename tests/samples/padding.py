"""Samples of padding."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.samples.base import ALL, FLOATS, Array, Call, Samples, T, Wrong

MODES = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}


def _pad(x: Array, pad: Any, mode: str = "constant", value: Any = None) -> Array:
    if not pad:
        return x
    pairs = [(0, 0)] * (x.ndim - len(pad) // 2) + list(zip(pad[::2], pad[1::2], strict=True))[::-1]
    kept = tuple(slice(max(-a, 0), n - max(-b, 0)) for n, (a, b) in zip(x.shape, pairs, strict=True))
    more = [(max(a, 0), max(b, 0)) for a, b in pairs]
    if mode == "constant":
        return np.pad(x[kept], more, constant_values=np.asarray(0 if value is None else value).astype(x.dtype))
    return np.pad(x[kept], more, MODES[mode])  # type: ignore[call-overload,no-any-return]


SAMPLES = (
    Samples(
        "constant_pad_nd",
        _pad,
        Call(T(2, 3), (1, 2)),
        Call(T(2, 3, layout="t"), (1, -1, 0, 2)),
        Call(T(0, 3), (0, 0, 2, 1)),
        Call(T(2, 3, dtype="complex64"), (1, -1, 0, 2), value=2 - 1j),
        Call(T(2, 3, dtype="complex128", layout="t"), (1, 2), value=1.5),
        Call(T(2, 3), (1, 2), value=T()),
        dtypes=ALL,
        wrong=(
            Wrong(RuntimeError, "without overflow", T(3), (1, 1), value=1j),
            Wrong(RuntimeError, "ength", T(3), (1,)),
            Wrong(RuntimeError, "", T(3), (-2, -2)),
            Wrong(MemoryError, "memory", T(3), (2**62, 2**62), torch=False),
        ),
    ),
    Samples(
        "nn.functional.pad",
        _pad,
        Call(T(2, 3), (1, 2), value=1.5),
        Call(T(1, 2, 5, layout="t"), [2, 1], "reflect"),
        Call(T(1, 4, 5), (-1, 2, 1, 1), "replicate"),
        Call(T(2, 3, 4, 5, layout="s"), (2, 3, 1, -1, 1, 0), mode="circular"),
        Call(T(2, 3, 4, 5, dtype="int64", layout="r"), (1, 0, 3, 2), mode="reflect"),
        Call(T(1, 2, 5, dtype="complex64"), (2, 1), "reflect"),
        Call(T(), ()),
        dtypes=FLOATS,
        wrong=(
            Wrong(RuntimeError, "ength", T(3), (1,)),
            Wrong(RuntimeError, "corresponding input dimension", T(1, 3), (3, 0), "reflect"),
            Wrong(RuntimeError, "wrapping around", T(1, 3), (4, 0), "circular"),
            Wrong(NotImplementedError, "not supported for", T(3), (1, 1), "reflect"),
            Wrong(NotImplementedError, "nrecognised padding mode", T(3), (1, 1), "mirror"),
        ),
    ),
)
"""All samples of this module."""
