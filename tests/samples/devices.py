"""Samples of operators around tensors: devices, conversions, memory formats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.samples.base import ALL, FLOATS, Call, Name, Samples, T, Wrong

NO_DEVICE = "there is no device 'cuda'"


def _cast(dtype: str) -> Callable[..., Any]:
    return lambda x, memory_format=None: x.astype(dtype)


SAMPLES = (
    Samples("Tensor.cpu", lambda x: x, Call(T(2, 3)), Call(T()), dtypes=FLOATS),
    Samples(
        "Tensor.to",
        lambda x, *args, dtype=None, **options: x if dtype is None else x.astype(dtype),
        Call(T(2, 3), "cpu"),
        Call(T(2, 3, layout="t"), device="cpu", copy=True),
        Call(T(2), dtype=Name("float64"), non_blocking=True),
        dtypes=FLOATS,
        wrong=(Wrong(RuntimeError, NO_DEVICE, T(2), "cuda", torch=False),),
    ),
    Samples(
        "Tensor.contiguous",
        lambda x, memory_format=None: x,
        Call(T(2, 3, layout="t")),
        Call(T(1, 2, 3, 4), memory_format=Name("channels_last")),
        Call(T(), memory_format=Name("contiguous_format")),
        dtypes=FLOATS,
        wrong=(Wrong(RuntimeError, "rank 4", T(2), memory_format=Name("channels_last")),),
    ),
    Samples(
        "Tensor.is_contiguous",
        lambda x, memory_format=None: memory_format is None and x.flags.c_contiguous,
        Call(T(2, 3, layout="t")),
        Call(T(2, 2, 3, 4), memory_format=Name("channels_last")),
        dtypes=FLOATS,
    ),
    Samples("clone", lambda x, memory_format=None: x, Call(T(2, 3), memory_format=Name("preserve_format")), dtypes=ALL),
    *(
        Samples(
            f"Tensor.{name}",
            _cast(dtype),
            Call(T(1, 2, 2, 3, low=0), memory_format=Name("channels_last")),
            Call(T(2, 3, low=0, layout="t"), memory_format=Name("preserve_format")),
            Call(T(low=0), memory_format=Name("contiguous_format")),
            Call(T(4, values=(1.0, 0.5, 2.0, 100.0), layout="s", dtype="float64")),
            wrong=(Wrong(RuntimeError, "rank 4", T(2), memory_format=Name("channels_last")),),
        )
        for name, dtype in (
            ("float", "float32"),
            ("double", "float64"),
            ("half", "float16"),
            ("int", "int32"),
            ("long", "int64"),
            ("short", "int16"),
            ("char", "int8"),
            ("byte", "uint8"),
            ("bool", "bool"),
            ("cfloat", "complex64"),
            ("cdouble", "complex128"),
        )
    ),
    Samples(
        "Tensor.bfloat16",
        lambda x, memory_format=None: x.astype("float32"),
        Call(T(1, 2, 2, 3), memory_format=Name("channels_last")),
        Call(T(4, values=(1.0, 0.5, -2.0, 256.0), layout="s", dtype="float64")),
        rtol=1e-2,
        atol=1e-2,
    ),
    Samples("Tensor.type", lambda x, dtype: x.astype("int64"), Call(T(2, 3), Name("int64")), dtypes=ALL),
    Samples(
        "Tensor.requires_grad_",
        lambda x, on: x,
        Call(T(2), False),
        dtypes=FLOATS,
        wrong=(Wrong(RuntimeError, "no gradients", T(2), torch=False),),
    ),
    Samples("detach_", lambda x: x, Call(T(2, 3, layout="t")), Call(T(0)), dtypes=FLOATS),
    Samples("is_inference", lambda x: False, Call(T(2)), dtypes=FLOATS),
    Samples("Tensor.is_pinned", lambda x: False, Call(T(2)), dtypes=FLOATS),
    Samples(
        "is_same_size",
        lambda x, y: x.shape == y.shape,
        Call(T(2, 3), T(2, 3)),
        Call(T(2, 3), T(3, 2)),
        Call(T(), T()),
        dtypes=FLOATS,
    ),
    Samples("is_signed", lambda x: x.dtype.kind in "if", Call(T(2)), Call(T()), dtypes=ALL),
    Samples(
        "is_nonzero",
        bool,
        Call(T(1, 1)),
        Call(T(1, values=(0.0,))),
        dtypes=ALL,
        wrong=(Wrong(RuntimeError, "ambiguous", T(2)), Wrong(RuntimeError, "ambiguous", T(0))),
    ),
    Samples(
        "as_tensor",
        lambda x, dtype=None, device=None: np.array(x),
        Call(T(2, 3)),
        Call((1.5, 2.0)),
        Call(3, device="cpu"),
        dtypes=FLOATS,
        wrong=(Wrong(RuntimeError, NO_DEVICE, T(2), device="cuda", torch=False),),
    ),
    Samples("asarray", lambda x, copy=None: np.array(x), Call(T(2, 3)), Call(T(2), copy=True), dtypes=FLOATS),
    Samples(
        "Tensor.new_tensor",
        lambda x, data, device=None: np.array(data, x.dtype),
        Call(T(2), (1, 2)),
        Call(T(2), (1, 2.5)),
        Call(T(2, dtype="int64"), [[1, 2.5], [3, 4]]),
        Call(T(2), 1.5, device="cpu"),
        dtypes=(*FLOATS, "complex64"),
    ),
    Samples("is_tensor", lambda x: isinstance(x, np.ndarray), Call(T(2)), Call(1.5), dtypes=FLOATS),
    Samples(
        "scalar_tensor",
        lambda s, dtype="float32", device=None: np.array(s, dtype),
        Call(2),
        Call(1.5, dtype=Name("float64"), device="cpu"),
    ),
)
"""All samples of this module."""
