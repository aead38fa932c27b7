"""Operators of the library on inputs of the size that they have in use, one thread, against PyTorch's."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any

import numpy as np
from harness import Call, Row, interleave
from peers import torch

import tscript

Build = Callable[[Any, Callable[..., Any]], tuple[Any, ...]]
"""Makes the arguments, of a library and what makes a tensor of a shape in it."""

WORKLOADS: tuple[tuple[str, str, Build], ...] = (
    (
        "conv2d 3x3, 64 to 64 channels, 56x56",
        "nn.functional.conv2d",
        lambda lib, t: (t(1, 64, 56, 56), t(64, 64, 3, 3), None, 1, 1),
    ),
    ("conv2d 1x1, 64 to 256", "nn.functional.conv2d", lambda lib, t: (t(1, 64, 56, 56), t(256, 64, 1, 1))),
    (
        "conv2d 3x3, depthwise, 64",
        "nn.functional.conv2d",
        lambda lib, t: (t(1, 64, 56, 56), t(64, 1, 3, 3), None, 1, 1, 1, 64),
    ),
    (
        "conv2d 3x3, depthwise, 64, stride 2, 112x112",
        "nn.functional.conv2d",
        lambda lib, t: (t(1, 64, 112, 112), t(64, 1, 3, 3), None, 2, 1, 1, 64),
    ),
    (
        "conv2d 3x3, 128 to 128 channels, 28x28",
        "nn.functional.conv2d",
        lambda lib, t: (t(1, 128, 28, 28), t(128, 128, 3, 3), None, 1, 1),
    ),
    (
        "conv2d 3x3, 512 to 512 channels, 7x7",
        "nn.functional.conv2d",
        lambda lib, t: (t(1, 512, 7, 7), t(512, 512, 3, 3), None, 1, 1),
    ),
    (
        "conv2d 3x3, 64 to 64 channels, 56x56, batch of 8",
        "nn.functional.conv2d",
        lambda lib, t: (t(8, 64, 56, 56), t(64, 64, 3, 3), None, 1, 1),
    ),
    (
        "conv2d 3x3, stride 2, 64 to 128, 56x56",
        "nn.functional.conv2d",
        lambda lib, t: (t(1, 64, 56, 56), t(128, 64, 3, 3), None, 2, 1),
    ),
    ("conv1d 3, 64 to 64, 4096", "nn.functional.conv1d", lambda lib, t: (t(1, 64, 4096), t(64, 64, 3), None, 1, 1)),
    (
        "conv_transpose2d 4x4, stride 2, 64 to 32, 28x28",
        "nn.functional.conv_transpose2d",
        lambda lib, t: (t(1, 64, 28, 28), t(64, 32, 4, 4), None, 2, 1),
    ),
    (
        "conv2d 7x7, stride 2, 3 to 64, 224x224",
        "nn.functional.conv2d",
        lambda lib, t: (t(1, 3, 224, 224), t(64, 3, 7, 7), None, 2, 3),
    ),
    ("max_pool2d 3x3, stride 2", "nn.functional.max_pool2d", lambda lib, t: (t(1, 64, 112, 112), 3, 2, 1)),
    (
        "grid_sample, 3 channels, 128x128",
        "nn.functional.grid_sample",
        lambda lib, t: (t(1, 3, 128, 128), lib.clamp(t(1, 128, 128, 2), -1, 1), "bilinear", "zeros", False),
    ),
    *(
        (
            f"{name}, 100 steps, 16 x 256",
            name,
            lambda lib, t, gates=gates, name=name: (
                t(100, 16, 256),
                [t(1, 16, 256), t(1, 16, 256)] if name == "lstm" else t(1, 16, 256),
                [t(gates * 256, 256) / 20, t(gates * 256, 256) / 20, t(gates * 256), t(gates * 256)],
                True,
                1,
                0.0,
                False,
                False,
                False,
            ),
        )
        for name, gates in (("lstm", 4), ("gru", 3), ("rnn_tanh", 1))
    ),
    (
        "attention, 8 heads, 1024 x 64",
        "nn.functional.scaled_dot_product_attention",
        lambda lib, t: (t(1, 8, 1024, 64), t(1, 8, 1024, 64), t(1, 8, 1024, 64)),
    ),
    ("group_norm, 8 groups of 64", "nn.functional.group_norm", lambda lib, t: (t(4, 64, 32, 32), 8)),
    ("pixel_shuffle by 2", "nn.functional.pixel_shuffle", lambda lib, t: (t(1, 64, 64, 64), 2)),
    ("pad, reflect", "nn.functional.pad", lambda lib, t: (t(1, 16, 128, 128), (3, 3, 3, 3), "reflect")),
    ("erfc, 10^6", "erfc", lambda lib, t: (t(10**6),)),
    ("erfinv, 10^6", "erfinv", lambda lib, t: (lib.clamp(t(10**6), -0.9, 0.9),)),
    (
        "index_select of 10^6",
        "index_select",
        lambda lib, t: (t(10**6), 0, lib.argsort(t(10**6))),
    ),
    ("sort, 10^6", "sort", lambda lib, t: (t(10**6),)),
    ("cumsum, 10^6", "cumsum", lambda lib, t: (t(10**6), 0)),
    ("fft, 2^10", "fft.fft", lambda lib, t: (t(2**10),)),
    ("fft, 2^20", "fft.fft", lambda lib, t: (t(2**20),)),
    ("rfft, 2^16", "fft.rfft", lambda lib, t: (t(2**16),)),
    ("rand, 10^6", "rand", lambda lib, t: (10**6,)),
    ("randn, 10^6", "randn", lambda lib, t: (10**6,)),
    *(
        (f"linalg.{name}, {shape}", f"linalg.{name}", lambda lib, t, n=n, batch=batch: (definite(lib, t, batch, n),))
        for shape, batch, n in (("3x3", (), 3), ("100 of 3x3", (100,), 3), ("256x256", (), 256))
        for name in ("det", "inv", "cholesky", "qr", "eigh", "svd")
    ),
)


def definite(lib: Any, t: Callable[..., Any], batch: tuple[int, ...], n: int) -> Any:
    """Positive definite matrices."""
    a = t(*batch, n, n)
    return lib.matmul(a, a.transpose(-2, -1)) + lib.eye(n)


def found_in(lib: Any, path: str) -> Any:
    """The operator of a library."""
    return reduce(getattr, path.split("."), lib)


def workloads() -> Iterator[tuple[str, dict[str, Call]]]:
    """The calls of each workload."""
    importlib.import_module("tscript.nn.functional")
    for name, path, build in WORKLOADS:
        calls: dict[str, Call] = {}
        for variant, lib in (("tscript", tscript), ("torch", torch)):
            if lib is None:
                continue
            random = np.random.default_rng(0)

            def tensor(*shape: int, lib: Any = lib, random: Any = random) -> Any:
                return lib.from_numpy(random.standard_normal(shape).astype(np.float32))

            function, args = found_in(lib, path), build(lib, tensor)
            calls[variant] = (lambda function=function, args=args: function(*args), ())
        yield name, calls


def run() -> list[Row]:
    """All workloads."""
    return [interleave(name, calls, rounds=7) for name, calls in workloads()]
