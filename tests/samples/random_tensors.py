"""Samples of random tensors: shapes and dtypes; `tests/operators/test_random_tensors.py` looks at the numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.samples.base import FLOATS, Call, Name, Samples, T, Wrong

SHAPE = (3, 2)


def like(x: Any, *args: Any, **kwargs: Any) -> Any:
    return x


def _dropout(path: str, *calls: Call) -> Samples:
    return Samples(
        f"nn.functional.{path}",
        like,
        Call(T(4, 3, 2, 2)),
        Call(T(4, 3, 2, 2), 0.3, training=True),
        Call(T(4, 3, 2), p=1.0, training=True),
        *calls,
        dtypes=FLOATS,
        random=True,
        wrong=(Wrong(ValueError, "has to be between 0 and 1", T(2, 2), 1.5),),
    )


SAMPLES = (
    Samples(
        "rand",
        lambda size, **k: np.zeros(size, k.get("dtype", "float32")),
        Call((3, 4)),
        Call((0, 2)),
        Call((5,), dtype=Name("float64")),
        random=True,
        wrong=(Wrong(NotImplementedError, "give a dtype of floats", (2,), dtype=Name("int64")),),
    ),
    Samples(
        "randn",
        lambda size, **k: np.zeros(size, k.get("dtype", "float32")),
        Call((3, 4)),
        Call(()),
        Call((5,), dtype=Name("complex64")),
        random=True,
        wrong=(Wrong(RuntimeError, "negative dimension", (-2,)),),
    ),
    Samples("rand_like", like, Call(T(*SHAPE)), dtypes=FLOATS, random=True),
    Samples("randn_like", like, Call(T(*SHAPE)), dtypes=FLOATS, random=True),
    Samples(
        "randint",
        lambda *a, **k: np.zeros(a[-1], k.get("dtype", "int64")),
        Call(5, (3,)),
        Call(-2, 5, (3, 2)),
        Call(5, (3,), dtype=Name("float32")),
        random=True,
        wrong=(Wrong(RuntimeError, "from=3 >= to=3", 3, 3, (2,)),),
    ),
    Samples("randint_like", like, Call(T(*SHAPE), 5), Call(T(2), -1, 5), random=True),
    Samples(
        "randperm",
        np.arange,
        Call(5),
        Call(0),
        random=True,
        wrong=(Wrong(RuntimeError, "must be non-negative", -1),),
    ),
    Samples(
        "bernoulli",
        like,
        Call(T(*SHAPE, low=0, high=1)),
        Call(T(3), 0.5),
        dtypes=FLOATS,
        random=True,
        wrong=(Wrong(RuntimeError, "p_in >= 0", T(2, low=2, high=3)),),
    ),
    Samples("Tensor.bernoulli_", like, Call(T(*SHAPE)), Call(T(3), 0.5), Call(T(3), T(3, low=0, high=1)), random=True),
    Samples(
        "Tensor.uniform_",
        like,
        Call(T(*SHAPE)),
        Call(T(3, layout="s"), 2.0, 3.0),
        dtypes=FLOATS,
        random=True,
        wrong=(Wrong(RuntimeError, "from=3", T(2), 3.0, 2.0),),
    ),
    Samples(
        "Tensor.normal_",
        like,
        Call(T(*SHAPE)),
        Call(T(3), 2.0, 3.0),
        dtypes=FLOATS,
        random=True,
        wrong=(Wrong(RuntimeError, "std >= 0", T(2), 0.0, -1.0),),
    ),
    Samples(
        "normal",
        lambda mean, *a: (
            mean if isinstance(mean, np.ndarray) else np.zeros(a[-1].shape if len(a) == 1 else a[-1], "float32")
        ),
        Call(T(3), T(3, low=0)),
        Call(T(3), 2.0),
        Call(1.0, T(3, low=0)),
        Call(1.0, 2.0, (2, 2)),
        random=True,
        wrong=(Wrong(RuntimeError, "std >= 0", 1.0, -1.0, (2,)),),
    ),
    Samples(
        "Tensor.exponential_",
        like,
        Call(T(*SHAPE)),
        Call(T(3), 2.0),
        dtypes=FLOATS,
        random=True,
        wrong=(Wrong(RuntimeError, "lambda", T(2), -1.0),),
    ),
    Samples("Tensor.cauchy_", like, Call(T(*SHAPE)), dtypes=FLOATS, random=True),
    Samples("Tensor.log_normal_", like, Call(T(*SHAPE)), dtypes=FLOATS, random=True),
    Samples(
        "Tensor.geometric_",
        like,
        Call(T(*SHAPE), 0.5),
        random=True,
        wrong=(Wrong(RuntimeError, "geometric_ expects p", T(2), 1.5),),
    ),
    Samples(
        "Tensor.random_",
        like,
        Call(T(*SHAPE)),
        Call(T(3, dtype="int64"), 5),
        Call(T(3, dtype="uint8"), 2, 5),
        random=True,
        wrong=(Wrong(RuntimeError, "to be less than", T(2), 3, 3),),
    ),
    Samples(
        "multinomial",
        lambda x, n, *a: np.zeros((*x.shape[:-1], n), np.int64),
        Call(T(3, 4, low=0.5, high=1), 2),
        Call(T(4, low=0.5, high=1), 6, True),
        random=True,
        wrong=(
            Wrong(RuntimeError, "without replacement", T(4, low=0.5), 5),
            Wrong(RuntimeError, "sum of probabilities", T(2, low=0, high=0), 1),
        ),
    ),
    _dropout("dropout", Call(T(3, 2), 0.5, True, True)),
    _dropout("alpha_dropout"),
    _dropout("feature_alpha_dropout"),
    Samples(
        "nn.functional.dropout1d",
        like,
        Call(T(4, 3, 2)),
        Call(T(4, 3), 0.3),
        dtypes=FLOATS,
        random=True,
        wrong=(Wrong(RuntimeError, "Expected 2D or 3D", T(2)),),
    ),
    _dropout("dropout2d"),
    _dropout("dropout3d"),
    Samples(
        "nn.functional.gumbel_softmax", like, Call(T(*SHAPE)), Call(T(*SHAPE), hard=True), dtypes=FLOATS, random=True
    ),
    Samples(
        "nn.functional.rrelu",
        lambda x, lower=0.125, upper=1 / 3, **k: np.where(x < 0, x * ((lower + upper) / 2), x).astype(x.dtype),
        Call(T(*SHAPE)),
        Call(T(*SHAPE), 0.1, 0.3, training=True),
        dtypes=FLOATS,
        random=True,
    ),
    *(
        Samples(
            path,
            like,
            Call(T(4, 3, 2), 0.5, False),
            Call(T(4, 3, 2), 0.3, True),
            random=True,
            wrong=(Wrong(RuntimeError, "has to be between 0 and 1", T(2, 2), 1.5, True),),
        )
        for path in ("dropout", "dropout_", "feature_dropout", "alpha_dropout", "feature_alpha_dropout")
    ),
    Samples("manual_seed", None, Call(3), random=True, torch=False, why="PyTorch returns the generator"),
    Samples("initial_seed", None, Call(), random=True, torch=False, why="the seed is the process's"),
)
