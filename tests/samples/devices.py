"""Samples of operators around tensors: devices, conversions, memory formats."""

from __future__ import annotations

import numpy as np

from tests.samples.base import ALL, FLOATS, Call, Name, Samples, T, Wrong

NO_DEVICE = "there is no device 'cuda'"

SAMPLES = (
    Samples("Tensor.cpu", lambda x: x, Call(T(2, 3)), Call(T()), dtypes=FLOATS),
    Samples(
        "Tensor.cuda", lambda x: x, dtypes=FLOATS, wrong=(Wrong(RuntimeError, NO_DEVICE, T(2), torch=False),)
    ),
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
        Call(T(values=(0.0,))),
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
        Call(T(2), 1.5, device="cpu"),
        dtypes=FLOATS,
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
