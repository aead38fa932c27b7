"""Samples of tensors that are made: of zeros and ones, of ranges, like others."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.samples.base import ALL, COMPLEX, HALVES, WIDE, Array, Call, Name, Samples, T, Wrong

EVERY = (*ALL, *HALVES, *WIDE, *COMPLEX)


def _sizes(*size: Any) -> tuple[int, ...]:
    return tuple(size[0]) if size and not isinstance(size[0], int) else size


def _made(function: Any) -> Any:
    return lambda *size, dtype="float32", device=None: function(_sizes(*size), dtype)


def _new(function: Any) -> Any:
    return lambda x, *size, dtype=None, device=None: function(_sizes(*size), dtype or x.dtype)


def _arange(*bounds: Any, dtype: Any = None) -> Array:
    whole = all(isinstance(b, int) for b in bounds)
    return np.arange(*bounds).astype(dtype or (np.int64 if whole else np.float32))


def _tensor(data: Any, dtype: Any = None) -> Array:
    found = np.array(data)
    kinds = {"f": np.float32, "i": np.int64, "b": np.bool_, "c": np.complex64}
    return found.astype(dtype or (np.float32 if found.size == 0 else kinds[found.dtype.kind]))


NEGATIVE = Wrong(RuntimeError, "negative", (2, -1))
HUGE = Wrong(RuntimeError, "", (2**62, 2**62), torch=False)
SAMPLES = (
    *(
        Samples(
            name,
            _made(function),
            Call((2, 3)),
            Call(2, 0),
            Call(()),
            Call(3, dtype=Name("int16")),
            Call((1, 2), dtype=Name("complex64"), device="cpu"),
            Call((40, 70), dtype=Name("uint32")),
            wrong=(NEGATIVE,),
        )
        for name, function in (("zeros", np.zeros), ("ones", np.ones))
    ),
    Samples("empty", None, Call((2, 3)), Call(2, 0), Call((), dtype=Name("int8")), random=True, wrong=(NEGATIVE,)),
    *(
        Samples(
            name,
            lambda x, dtype=None, function=function: function(x.shape, dtype or x.dtype),
            Call(T(2, 3)),
            Call(T(2, 3, layout="t"), dtype=Name("float64")),
            Call(T()),
            Call(T(0, 2)),
            Call(T(4, layout="r")),
            dtypes=EVERY,
        )
        for name, function in (("zeros_like", np.zeros), ("ones_like", np.ones))
    ),
    Samples("empty_like", None, Call(T(2, 3)), Call(T(0), dtype=Name("float64")), Call(T()), dtypes=EVERY, random=True),
    *(
        Samples(
            f"Tensor.{name}",
            _new(function),
            Call(T(2), (3, 2)),
            Call(T(), 2, 0),
            Call(T(2), (2,), dtype=Name("int32")),
            dtypes=EVERY,
            wrong=(Wrong(RuntimeError, "negative", T(2), (-1,)),),
        )
        for name, function in (("new_zeros", np.zeros), ("new_ones", np.ones))
    ),
    Samples("Tensor.new_empty", None, Call(T(2), (3, 2)), Call(T(2), 0, dtype=Name("int8")), dtypes=EVERY, random=True),
    Samples(
        "arange",
        _arange,
        Call(5),
        Call(1, 4),
        Call(0, 10, 3),
        Call(5, 0, -2),
        Call(0.0, 1.0, 0.25),
        Call(3, 3),
        Call(2.5),
        Call(6, dtype=Name("uint8")),
        Call(0, 1000, dtype=Name("float64")),
        Call(4, dtype=Name("float16")),
        wrong=(
            Wrong(RuntimeError, "step must be nonzero", 0, 3, 0),
            Wrong(RuntimeError, "upper bound and lower bound inconsistent with step sign", 0, 5, -1),
            Wrong(RuntimeError, "", 0.0, float("inf")),
            Wrong(RuntimeError, "", float("nan")),
        ),
    ),
    Samples(
        "tensor",
        _tensor,
        Call([[1.5, 2.0], [0.0, -1.0]]),
        Call(3),
        Call([True, False]),
        Call([1, -2], dtype=Name("float16")),
        Call([1.0 + 2.0j]),
        Call((1, 2, 3), dtype=Name("uint32")),
        Call(2.5, dtype=Name("complex128")),
    ),
)
"""All samples of this module."""
