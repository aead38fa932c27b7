"""``max(*xs)`` and ``min(*xs)`` of a list, whose length is known when it runs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import tscript


def greatest(xs: list[int]) -> int:
    return max(*xs)


def least(xs: list[float]) -> float:
    return min(*xs) * 2


def test_several_numbers() -> None:
    assert tscript.script(greatest)([3, 5, 4]) == 5
    assert tscript.script(least)([3.0, 0.5]) == 1.0


@pytest.mark.parametrize("function", [greatest, least])
def test_fewer_raise_what_python_raises(function: Callable[[list[float]], float]) -> None:
    compiled = tscript.script(function)
    for count in range(2):
        xs = [1 if function is greatest else 1.5] * count
        with pytest.raises(TypeError) as expected:
            function(xs)
        with pytest.raises(TypeError) as found:
            compiled(xs)
        assert str(found.value) == str(expected.value)
