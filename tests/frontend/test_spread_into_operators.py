"""``f(*xs)`` with lists and sizes of unknown length, where `f` is an operator: they become one list."""

from __future__ import annotations

import pytest

import tscript
from tscript import CompileError, Tensor


def _rows(x: Tensor) -> Tensor:
    return x.view(-1, *x.shape[1:]) + x.reshape(*x.shape[:-1], 2) + x.expand(*x.shape)


def _made(sizes: list[int]) -> Tensor:
    return tscript.zeros(*sizes) + tscript.ones(*sizes, 1)[..., 0].to(dtype=tscript.float32)


def _turned(x: Tensor, dims: list[int]) -> Tensor:
    return x.permute(*dims).repeat(2, *dims)


def _met(xs: list[Tensor]) -> list[Tensor]:
    return tscript.broadcast_tensors(*xs)


def test_values() -> None:
    x = tscript.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    assert tscript.script(_rows)(x).tolist() == _rows(x).tolist()
    assert tscript.script(_made)([2, 3]).tolist() == _made([2, 3]).tolist()
    assert tscript.script(_turned)(x, [1, 0]).tolist() == _turned(x, [1, 0]).tolist()
    found = tscript.script(_met)([x[0], x])
    assert [y.tolist() for y in found] == [y.tolist() for y in tscript.broadcast_tensors(x[0], x)]


def test_once() -> None:
    """What is unpacked is computed once."""

    def grown(xs: list[int]) -> list[int]:
        xs.append(1)
        return xs

    def f(xs: list[int]) -> tuple[int, int]:
        return tscript.zeros(2, *grown(xs)).dim(), len(xs)

    assert tscript.script(f)([3]) == (3, 2)


def test_wrong_length() -> None:
    x = tscript.zeros([2, 3])
    with pytest.raises((RuntimeError, ValueError)):
        tscript.script(_turned)(x, [1, 0, 2])


def test_of_other_elements() -> None:
    """Only whole numbers and tensors are gathered."""

    def f(x: Tensor, xs: list[str]) -> Tensor:
        return x.view(*xs)

    with pytest.raises(CompileError, match="has no fixed length"):
        tscript.script(f)


def _place(a: int, b: int, *, c: int) -> int:
    return a * 100 + b * 10 + c


def test_a_function_with_as_many_parameters_as_it_says() -> None:
    def all_of(xs: list[int]) -> int:
        return _place(*xs, c=3)

    def one_of(xs: list[int]) -> int:
        return _place(1, *xs, c=3)

    assert tscript.script(all_of)([1, 2]) == all_of([1, 2]) == tscript.script(one_of)([2])
    for xs in ([], [1], [1, 2, 3]):
        with pytest.raises(TypeError, match=rf"_place\(\) takes 2 of its arguments from '\*xs', which has {len(xs)}"):
            tscript.script(all_of)(xs)
