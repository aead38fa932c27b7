"""Samples of elements at the positions of a grid."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.samples.base import Array, Call, Samples, T, Wrong


def _affine(theta: Array, size: Any, align_corners: bool = False) -> Array:
    lines = [np.linspace(-1, 1, n) if align_corners else (np.arange(n) * 2 + 1) / n - 1 for n in size[2:]]
    places = np.meshgrid(*lines, indexing="ij")[::-1]
    return np.einsum("...k,nik->n...i", np.stack([*places, np.ones_like(places[0])], -1), theta).astype(theta.dtype)


SAMPLES = (
    Samples(
        "nn.functional.grid_sample",
        None,
        Call(T(2, 3, 4, 5), T(2, 3, 6, 2, low=-1.3, high=1.3), align_corners=False),
        Call(T(1, 2, 4, 5, layout="t"), T(1, 4, 3, 2, low=-2, high=2), "nearest", "border", True),
        Call(T(1, 2, 4, 5), T(1, 4, 3, 2, low=-4, high=4), "bicubic", "reflection", False),
        Call(T(1, 2, 3, 4, 5), T(1, 4, 3, 2, 3, low=-1.5, high=1.5), padding_mode="reflection", align_corners=True),
        Call(T(1, 2, 9, 70), T(1, 9, 15, 2, low=-1.1, high=1.1), align_corners=True),
        Call(T(1, 2, 9, 70), T(1, 9, 15, 2, low=-0.9, high=0.9), "nearest", "reflection", align_corners=True),
        Call(T(2, 1, 5, 6), T(2, 4, 20, 2, low=-9, high=9), "bicubic", "zeros", False),
        Call(
            T(1, 1, 2, 2, values=[np.inf, 1.0, np.nan, 2.0]),
            T(1, 1, 4, 2, values=[-1, -1.2, 1, -0.5, 0.9, 1.1, 7, 0]),
            align_corners=False,
        ),
        Call(T(1, 1, 3, 3), T(1, 1, 3, 2, values=[1e12, 0, -1e30, 0.5, 3, -1e12]), "bilinear", "border", True),
        Call(T(2, 3, 4, 5, 6), T(2, 3, 5, 6, 3, low=-1.5, high=1.5), "nearest", "border", False),
        atol=1e-5,
        wrong=(
            Wrong(RuntimeError, "batch", T(2, 3, 4, 5), T(1, 3, 6, 2), align_corners=False),
            Wrong(RuntimeError, "last dimension", T(2, 3, 4, 5), T(2, 3, 6, 3), align_corners=False),
            Wrong(ValueError, "mode", T(2, 3, 4, 5), T(2, 3, 6, 2), "cubic"),
        ),
        why="NumPy has nothing of the kind: PyTorch's results are compared with",
    ),
    *(
        Samples(
            f"grid_sampler{suffix}",
            None,
            Call(image, grid, 0, 0, False),
            Call(image, grid, 1, 1, True),
            Call(image, grid, 0, 2, True),
            atol=1e-5,
            wrong=(
                Wrong(RuntimeError, "batch", image, T(3, *grid.shape[1:]), 0, 0, False),
                Wrong(RuntimeError, "interpolation_mode", image, grid, 3, 0, False, torch=False),
                Wrong(RuntimeError, "padding_mode", image, grid, 0, 3, False, torch=False),
            ),
            why="NumPy has nothing of the kind: PyTorch's results are compared with",
        )
        for suffix, image, grid in (
            ("", T(2, 3, 4, 5), T(2, 3, 6, 2, low=-1.3, high=1.3)),
            ("_2d", T(2, 3, 4, 5), T(2, 3, 6, 2, low=-1.3, high=1.3)),
            ("_3d", T(2, 2, 3, 4, 5), T(2, 4, 3, 2, 3, low=-1.5, high=1.5)),
        )
    ),
    Samples(
        "nn.functional.affine_grid",
        _affine,
        Call(T(2, 2, 3), (2, 3, 4, 5), align_corners=False),
        Call(T(1, 2, 3, layout="t"), [1, 1, 3, 2], align_corners=True),
        Call(T(2, 3, 4), (2, 1, 3, 4, 2), align_corners=False),
        Call(T(1, 3, 4), (1, 1, 2, 4, 3), align_corners=True),
        atol=1e-5,
        wrong=(
            Wrong(ValueError, "affine matrices", T(2, 2, 2), (2, 3, 4, 5)),
            Wrong(ValueError, "3D affine matrices of shape 3x4", T(2, 2, 3), (2, 3, 4, 5, 2), torch=True),
            Wrong(NotImplementedError, "affine_grid", T(2, 2, 3), (2, 3, 4)),
        ),
    ),
)
"""All samples of this module."""
