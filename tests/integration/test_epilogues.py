"""Groups behind convolutions, which their kernels run over results in the cache: the same bits as elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tscript
from tscript import Tensor
from tscript.backend.nodes.epilogues import epilogues_of
from tscript.nn import functional as F


def same_bits(found: Any, expected: Any) -> None:
    assert type(found) is type(expected)
    for a, b in zip(found, expected, strict=True) if isinstance(found, tuple) else [(found, expected)]:
        assert a.dtype is b.dtype and a.shape == b.shape and tscript.equal(a, b)


def conv(x: Tensor, w: Tensor) -> Tensor:
    return F.conv2d(x, w, None, 1, 1)


def relu(x: Tensor, w: Tensor, r: Tensor) -> Tensor:
    return F.relu(conv(x, w))


def relu6(x: Tensor, w: Tensor, r: Tensor) -> Tensor:
    return F.relu6(conv(x, w) * 20.0)


def silu(x: Tensor, w: Tensor, r: Tensor) -> Tensor:
    return F.silu(conv(x, w))


def gelu(x: Tensor, w: Tensor, r: Tensor) -> Tensor:
    return F.gelu(conv(x, w))


def hardswish(x: Tensor, w: Tensor, r: Tensor) -> Tensor:
    return F.hardswish(conv(x, w))


def sigmoid(x: Tensor, w: Tensor, r: Tensor) -> Tensor:
    return tscript.sigmoid(conv(x, w))


def leaky_relu(x: Tensor, w: Tensor, r: Tensor) -> Tensor:
    return F.leaky_relu(conv(x, w), 0.2)


def clamp(x: Tensor, w: Tensor, r: Tensor) -> Tensor:
    return conv(x, w).clamp(-0.5, 0.75)


def residual(x: Tensor, w: Tensor, r: Tensor) -> Tensor:
    return F.relu(conv(x, w) + r)


def twice(x: Tensor, w: Tensor, r: Tensor) -> Tensor:
    """The second convolution has the first one for its operand."""
    return F.relu(conv(x, w) + conv(r, w))


def number(x: Tensor, w: Tensor, r: Tensor) -> Tensor:
    factor = float(r.size(1))
    return conv(x, w) * factor + 0.5


FUSED = (relu, relu6, silu, gelu, hardswish, sigmoid, leaky_relu, clamp, residual, twice, number)


def kept(x: Tensor, w: Tensor, r: Tensor) -> tuple[Tensor, Tensor]:
    """The result of the convolution is a result, too."""
    y = conv(x, w)
    return F.relu(y), y


def changed(x: Tensor, w: Tensor, r: Tensor) -> Tensor:
    """What the group reads is written in between."""
    own = r.clone()
    y = conv(x, w)
    own.add_(1.0)
    return y + own


def later(x: Tensor, w: Tensor, r: Tensor) -> Tensor:
    """What the group reads is made in between."""
    y = conv(x, w)
    return y + tscript.cumsum(r, 1)


def summed(x: Tensor, w: Tensor, r: Tensor) -> Tensor:
    return F.relu(conv(x, w)).sum(-1)


APART = (kept, changed, later, summed)


def operands(dtype: Any) -> list[Tensor]:
    tscript.manual_seed(1)
    return [tscript.randn(*shape).to(dtype) for shape in ((2, 16, 11, 14), (16, 16, 3, 3), (2, 16, 11, 14))]


def groups(function: Any, *args: Tensor) -> int:
    """How many groups kernels may run."""
    return len(epilogues_of(function.graph_for(*args).entry))


@pytest.mark.parametrize("function", FUSED, ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", [tscript.float32, tscript.float64])
def test_groups_give_the_same_bits(function: Callable[..., Any], dtype: Any) -> None:
    args = operands(dtype)
    scripted = tscript.script(function)
    assert groups(scripted, *args) == 1
    for given in (args, [args[0].flip(-1), args[1].transpose(0, 1), args[2].flip(2)]):
        same_bits(scripted(*given), function(*given))


@pytest.mark.parametrize("function", APART, ids=lambda f: f.__name__)
def test_these_run_behind_the_kernel(function: Callable[..., Any]) -> None:
    args = operands(tscript.float32)
    scripted = tscript.script(function)
    assert groups(scripted, *args) == 0
    same_bits(scripted(*args), function(*args))


@pytest.mark.parametrize("dtype", [tscript.float16, tscript.bfloat16, tscript.int32, tscript.complex64])
def test_other_dtypes_give_the_same_bits(dtype: Any) -> None:
    x, w, r = (t * 3 for t in operands(tscript.float32))
    args = [x.to(dtype), w.to(dtype), r.to(dtype)]

    def doubled(x: Tensor, w: Tensor, r: Tensor) -> Tensor:
        return conv(x, w) + r * 2

    same_bits(tscript.script(doubled)(*args), doubled(*args))


@pytest.mark.parametrize(
    "shape", [(2, 16, 11, 1), (14,), (1, 16, 1, 1), (), (16, 11, 14), (5, 2, 16, 11, 14), (2, 1, 11, 14)]
)
def test_operands_of_other_shapes_are_broadcast(shape: tuple[int, ...]) -> None:
    x, w, _ = operands(tscript.float32)
    r = tscript.randn(shape)
    same_bits(tscript.script(residual)(x, w, r), residual(x, w, r))


def test_shapes_that_do_not_go_together_are_refused_as_elsewhere() -> None:
    x, w, _ = operands(tscript.float32)
    scripted = tscript.script(residual)
    with pytest.raises(RuntimeError, match="must match the size of tensor b"):
        scripted(x, w, tscript.ones(3, 5))
    with pytest.raises(RuntimeError, match="expected input to have 16 channels"):
        scripted(x[:, :3], w, tscript.ones(1))
    assert scripted(x[:0], w, tscript.ones(1)).shape == (0, 16, 11, 14)
    same_bits(scripted(x, w, x), residual(x, w, x))


def test_loops_branches_and_errors_in_between() -> None:
    def deep(x: Tensor, weights: list[Tensor], stop: int) -> Tensor:
        for i, w in enumerate(weights):
            if i % 2 == 0:
                x = F.relu(conv(x, w)) * 0.5
            else:
                x = x + F.silu(conv(x, w))
            if i == stop:
                raise ValueError("stop")
        return x

    x, w, _ = operands(tscript.float32)
    scripted, weights = tscript.script(deep), [w, w.flip(0), w * 0.5]
    same_bits(scripted(x, weights, 9), deep(x, weights, 9))
    with pytest.raises(ValueError, match="stop"):
        scripted(x, weights, 1)


def test_other_convolutions_have_epilogues() -> None:
    def line(x: Tensor, w: Tensor) -> Tensor:
        return F.relu(F.conv1d(x, w, stride=2))

    def volume(x: Tensor, w: Tensor) -> Tensor:
        return F.relu(F.conv3d(x, w, padding=1))

    def points(x: Tensor, w: Tensor) -> Tensor:
        return F.relu(F.conv2d(x, w))

    for function, x, w in (
        (line, tscript.randn(2, 3, 700), tscript.randn(4, 3, 5)),
        (volume, tscript.randn(3, 5, 6, 7), tscript.randn(2, 3, 3, 2, 3)),
        (points, tscript.randn(2, 8, 9, 9), tscript.randn(4, 8, 1, 1)),
        (points, tscript.randn(2, 0, 9, 9), tscript.randn(4, 0, 2, 2)),
    ):
        scripted = tscript.script(function)
        assert groups(scripted, x, w) == 1
        same_bits(scripted(x, w), function(x, w))


def test_threads_and_observers_change_no_bit() -> None:
    tscript.manual_seed(2)
    x, w = tscript.randn(4, 32, 60, 60), tscript.randn(32, 32, 3, 3)
    scripted, expected = tscript.script(residual), residual(x, w, x)
    threads = tscript.get_num_threads()
    try:
        for n in (1, 2, 3):
            tscript.set_num_threads(n)
            same_bits(scripted(x, w, x), expected)
    finally:
        tscript.set_num_threads(threads)
    with tscript.profiler.profile() as profiler:
        same_bits(scripted(x, w, x), expected)
    assert {"convolve", "fused_add_relu"} <= {event.key for event in profiler.key_averages()}
