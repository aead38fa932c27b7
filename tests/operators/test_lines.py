"""Kernels that go over lines of memory: rows that `index_select` chooses, lines that are pooled."""

from __future__ import annotations

import numpy as np
import pytest

import tscript

F = tscript.nn.functional


@pytest.mark.parametrize("dtype", ["uint8", "float16", "int32", "float32", "float64", "complex128"])
@pytest.mark.parametrize("index", ["int32", "int64"])
@pytest.mark.parametrize("inner", [1, 2, 3, 8, 64, 300])
def test_rows_of_every_length_are_chosen(dtype: str, index: str, inner: int) -> None:
    random = np.random.default_rng(0)
    x = random.integers(0, 100, (3, 7, inner)).astype(dtype)
    at = random.integers(0, 7, 600).astype(index)
    given, places = tscript.from_numpy(x), tscript.from_numpy(at)
    for found, wanted in (
        (tscript.index_select(given, 1, places), x[:, at]),
        (tscript.index_select(given, -2, places[::3]), x[:, at[::3]]),
        (tscript.index_select(given.transpose(0, 1), 0, places), x.transpose(1, 0, 2)[at]),
        (tscript.index_select(given[..., 0].contiguous(), 1, places), x[:, at, 0]),
        (tscript.index_select(given, 1, places[:0]), x[:, :0]),
        (tscript.index_select(given[:0], 1, places), x[:0, at]),
    ):
        assert found.is_contiguous()
        np.testing.assert_array_equal(found.numpy(), wanted)


@pytest.mark.parametrize("index", [[0, 4], [-1], [3, -9223372036854775808], [9223372036854775807]])
@pytest.mark.parametrize("shape", [(4,), (4, 5), (4, 0)])
def test_indices_out_of_range_are_refused(index: list[int], shape: tuple[int, ...]) -> None:
    with pytest.raises(IndexError, match="out of range in self"):
        tscript.index_select(tscript.ones(*shape), 0, tscript.tensor(index))
    with pytest.raises(IndexError, match="out of range in self"):
        tscript.index_select(tscript.ones(2, 0), 1, tscript.tensor([0]))


@pytest.mark.parametrize("width", [1, 5, 40, 1024, 1025, 2100])
@pytest.mark.parametrize(
    ("window", "stride", "padding", "dilation"), [(3, 2, 1, 1), (2, 2, 0, 1), (2, 1, 1, 3), (3, 3, 1, 2)]
)
@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_lines_of_every_length_are_pooled(
    width: int, window: int, stride: int, padding: int, dilation: int, dtype: str
) -> None:
    random = np.random.default_rng(width)
    x = (random.standard_normal((2, 3, 9, width)) * 40).astype(dtype)
    if dtype == "float32":
        x[0, 1, 4, width // 2] = np.nan
        x[1, 0, 0] = -np.inf
    reach = (window - 1) * dilation + 1
    if width + 2 * padding < reach:
        return
    lowest = -np.inf if dtype == "float32" else -128
    padded = np.full((2, 3, 9 + 2 * padding, width + 2 * padding), lowest, dtype)
    padded[:, :, padding : 9 + padding, padding : width + padding] = x
    windows = np.lib.stride_tricks.sliding_window_view(padded, (reach, reach), (2, 3))[:, :, ::stride, ::stride]
    wanted = windows[..., ::dilation, ::dilation].max((-1, -2))
    for given in (x, np.asfortranarray(x)):
        found = F.max_pool2d(tscript.from_numpy(given), window, stride, padding, dilation)
        assert isinstance(found, tscript.Tensor)
        np.testing.assert_array_equal(found.numpy(), wanted)
