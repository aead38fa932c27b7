"""Samples of what undoes pooling, and of products of two inputs."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.samples.base import Call, Samples, T, Wrong


def unpool(x: Any, at: Any, kernel: Any, stride: Any = None, padding: int = 0, output_size: Any = None) -> Any:
    """Of windows side by side that cover everything; `output_size` else."""
    dims = len(kernel) if isinstance(kernel, tuple) else 1
    k = kernel if isinstance(kernel, tuple) else (kernel,)
    sizes = output_size or tuple(n * w for n, w in zip(x.shape[-dims:], k, strict=True))
    lead = x.shape[:-dims]
    out = np.zeros((int(np.prod(lead)), int(np.prod(sizes))), x.dtype)
    np.put_along_axis(out, at.reshape(len(out), -1), x.reshape(len(out), -1), 1)
    return out.reshape(*lead, *sizes)


def bilinear(x: Any, y: Any, w: Any, b: Any = None) -> Any:
    return np.einsum("...i,kij,...j->...k", x, w, y) + (0 if b is None else b)


I64 = "int64"

SAMPLES = (
    Samples(
        "nn.functional.max_unpool1d",
        unpool,
        Call(T(1, 2, 2), T(dtype=I64, values=[[[1, 2], [0, 3]]]), 2),
        Call(T(1, 2), T(dtype=I64, values=[[4, 3]]), 2, output_size=(5,)),
        wrong=(
            Wrong(RuntimeError, "same as that of the input", T(1, 2), T(1, 3, dtype=I64), 2),
            Wrong(ValueError, "invalid output_size", T(1, 2), T(dtype=I64, values=[[1, 2]]), 2, output_size=(9,)),
            Wrong(RuntimeError, "", T(1, 2), T(dtype=I64, values=[[1, 9]]), 2),
        ),
    ),
    Samples(
        "nn.functional.max_unpool2d",
        unpool,
        Call(T(1, 1, 1, 2), T(dtype=I64, values=[[[[5, 3]]]]), (2, 2)),
        Call(T(1, 2, 1, layout="t"), T(dtype=I64, values=[[[1], [4]]]), (2, 2), output_size=(5, 2)),
    ),
    Samples(
        "nn.functional.max_unpool3d",
        unpool,
        Call(T(1, 1, 1, 1, 2), T(dtype=I64, values=[[[[[5, 3]]]]]), (2, 1, 2)),
    ),
    Samples(
        "nn.functional.bilinear",
        bilinear,
        Call(T(3, 2), T(3, 4), T(5, 2, 4), T(5)),
        Call(T(2, 3, 2, layout="t"), T(2, 3, 1), T(2, 2, 1)),
        Call(T(2), T(3), T(1, 2, 3)),
        wrong=(Wrong(RuntimeError, "do not match the weight", T(3, 2), T(3, 4), T(5, 2, 3), torch=False),),
        atol=1e-5,
    ),
)
"""All samples of this module."""
