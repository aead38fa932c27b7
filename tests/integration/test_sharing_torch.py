"""Tensors of PyTorch in place of ours: memory is shared both ways, and results are PyTorch's."""

from __future__ import annotations

import gc
import sys
import weakref
from typing import Any

import numpy as np
import pytest

import tscript
from tscript import Tensor

torch: Any = pytest.importorskip("torch")


@tscript.script
def doubled(x: Tensor) -> Tensor:
    return x + x


@tscript.script
def same(x: Tensor) -> Tensor:
    return x


@tscript.script
def tail(x: Tensor) -> tuple[Tensor, int]:
    return x[1:], 3


@tscript.script
def added(x: Tensor, y: Tensor) -> Tensor:
    return x + y


@tscript.script
def summed(xs: list[Tensor]) -> Tensor:
    total = xs[0]
    for i in range(1, len(xs)):
        total = total + xs[i]
    return total


DTYPES = ("uint8", "int8", "int16", "int32", "int64", "float32", "float64")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (3,), (2, 3, 4), (0, 2), (1,) * 10])
def test_tensors_of_all_dtypes_and_layouts(dtype: str, shape: tuple[int, ...]) -> None:
    whole = torch.ones(shape).to(getattr(torch, dtype))
    for given in (whole, whole.mT if whole.ndim > 1 else whole, whole.expand(2, *shape), whole[..., None].squeeze(-1)):
        for _ in range(2):
            found = doubled(given)
            assert type(found) is torch.Tensor
            assert found.dtype == given.dtype
            assert torch.equal(found, given + given)
            assert same(given) is given


def test_memory_is_shared_both_ways() -> None:
    given = torch.arange(4.0)
    for _ in range(2):
        found, _ = tail(given)
        found[0] = 40.0
        assert given[1] == 40.0
        given[1] = 1.0
        assert found.tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(RuntimeError, match="not resizable"):
        given.resize_(100)


def test_what_is_mixed() -> None:
    given = torch.ones(2)
    for _ in range(2):
        assert type(added(given, np.ones(2, np.float32))) is torch.Tensor
        assert type(added(np.ones(2, np.float32), given)) is torch.Tensor
        assert type(added(given, tscript.ones(2))) is Tensor
        assert type(summed([given, np.ones(2, np.float32)])) is torch.Tensor
        assert type(summed([given, tscript.ones(2)])) is Tensor
        assert summed([given]) is given
        assert type(tscript.exp(given)) is torch.Tensor


def test_tensors_are_released() -> None:
    given = torch.ones(3)
    found, _ = tail(given)
    weak = weakref.ref(given)
    before = sys.getrefcount(given)
    for _ in range(20):
        doubled(given)
        summed([given, given])
    assert sys.getrefcount(given) == before
    del given
    gc.collect()
    assert found.tolist() == [1.0, 1.0]
    del found
    gc.collect()
    assert weak() is None


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: torch.ones(2, requires_grad=True), "it requires gradients: pass tensor.detach()"),
        (lambda: torch.nn.Parameter(torch.ones(2)), "it requires gradients: pass tensor.detach()"),
        (lambda: torch.ones(2, device="meta"), "it is on the device meta: pass tensor.cpu()"),
        (
            lambda: torch.ones(2, dtype=torch.bfloat16),
            "NumPy has no bfloat16 to share it by: pass tscript.from_dlpack(tensor)",
        ),
        (lambda: torch.ones(2, dtype=torch.complex64).conj(), "are to be conjugated: pass tensor.resolve_conj()"),
        (lambda: torch.eye(2).to_sparse(), "it is sparse: pass tensor.to_dense()"),
        (lambda: torch._neg_view(torch.ones(2)), "its elements are to be negated: pass tensor.resolve_neg()"),
    ],
)
def test_tensors_that_cannot_be_shared_say_what_to_pass(make: Any, said: str) -> None:
    given = make()
    doubled(torch.ones(2))
    summed([torch.ones(2)])
    for _ in range(2):
        for call in (lambda: doubled(given), lambda: summed([given])):
            with pytest.raises(TypeError) as caught:
                call()
            assert said in str(caught.value)


def test_a_parameter_without_gradients_is_taken() -> None:
    found = doubled(torch.nn.Parameter(torch.ones(2), requires_grad=False))
    assert type(found) is torch.Tensor
    assert found.tolist() == [2.0, 2.0]


def test_dlpack() -> None:
    given = tscript.arange(3.0)
    assert torch.from_dlpack(given).tolist() == [0.0, 1.0, 2.0]
    assert tscript.from_dlpack(torch.arange(3.0)).tolist() == [0.0, 1.0, 2.0]


class Counting(torch.nn.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(3, 3)
        self.register_buffer("calls", torch.zeros(()))
        self.last = torch.zeros(1, 3)

    def forward(self, x: Tensor, scale: float = 1.0) -> tuple[Tensor, list[Tensor]]:
        self.calls += 1
        self.last = self.linear(x) * scale
        return self.last, [x, self.calls]


def test_modules_give_what_they_are_called_with() -> None:
    """Their own tensors do not count beside those of PyTorch, and what they keep stays theirs."""
    module = Counting().eval()
    scripted = tscript.script(module)
    with torch.no_grad():
        x = torch.randn(2, 3)
        wanted = module.linear(x)
        for _ in range(2):
            found, (same_x, calls) = scripted(x)
            assert type(found) is type(same_x) is type(calls) is torch.Tensor
            assert torch.allclose(found, wanted) and same_x.data_ptr() == x.data_ptr()
            assert type(scripted.last) is type(scripted.calls) is Tensor
        assert module.calls == 2 and calls.data_ptr() == module.calls.data_ptr()
        ours, _ = scripted(tscript.from_numpy(x.numpy()))
        arrays, _ = scripted(x.numpy())
        assert type(ours) is type(arrays) is Tensor
        assert type(scripted.forward(x)[0]) is torch.Tensor
        assert (
            type(tscript.freeze(tscript.script(torch.nn.Sequential(torch.nn.Linear(3, 2)).eval()))(x)) is torch.Tensor
        )
