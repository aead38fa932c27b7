"""Names that are read where they may not have been assigned: compared with plain Python."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,attr-defined"
# ruff: noqa: F821, F841

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tscript
from tscript import Tensor


def last(n: int) -> int:
    for i in range(n):
        found = i * i
    return found + i


def newton(x: float, n):
    for step in range(n):
        better = x * 0.5
        if abs(better - x) < 1e-3:
            break
        x = better
    return better, step + 1


def first_then(a):
    for i in range(len(a)):
        if i == 0:
            x = a[i]
        else:
            x = x * 2 + a[i]
    return x


def one_branch(a, k: int):
    if k > 2:
        z = a * 2
    if k > 1:
        return z
    return a


def containers(n: int):
    while n > 3:
        xs = [n]
        d = {"a": n}
        xs.append(len(d))
        n -= 1
    return xs, d, sorted(xs)


def several(n: int):
    if n > 1:
        a, b = n, str(n)
    if n > 2:
        c = a + len(b)
    return f"{b}{c}{a}"


def handled(n: int) -> float:
    try:
        y = 10 / n
    except ZeroDivisionError as error:
        n = 3
    if n == 3:
        raise error
    return y


def caught(n: int) -> str:
    try:
        for i in range(n):
            found = i
        return str(found)
    except UnboundLocalError as error:
        return str(error)


def finally_read(n: int) -> int:
    total = 0
    try:
        for i in range(n):
            got = 10 // (i - 2)
            total += got
    except ZeroDivisionError:
        total = -1
    finally:
        total += 100 * got
    return total


def matched(n: int) -> int:
    match n:
        case 1:
            y = 3
        case 2 | 3:
            y = 4
    return y


def nested(n: int) -> int:
    for i in range(n):
        for j in range(i):
            k = i * j
        if i > 1:
            k += 1
    return k


def deleted(n: int) -> int:
    m = n
    if n > 3:
        del m
    return m


def inner_reads(n: int) -> int:
    for i in range(n):
        y = i

    def add(k: int) -> int:
        return y + k

    return add(1) + add(2)


def expression(n: int) -> int:
    if n > 3 and (found := n * 2) > 9:
        n = found
    return found if n > 2 else 0


def instance(n: int) -> int:
    for i in range(n):
        p = Point(i)
        p.x += 1
    return p.x


class Point:
    def __init__(self, x: int) -> None:
        self.x = x


def wider(n: int):
    for i in range(n):
        if i == 2:
            x = 0.5
        elif i > 2:
            x = x + i
    return x


def looped(n: int) -> int:
    i = 0
    while True:
        i += 1
        if i > n:
            break
        after = i
    else:
        after = 0
    return after


CALLS: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = [
    (last, [(3,), (0,)]),
    (newton, [(3.0, 50), (1.0, 0), (2.0, 2)]),
    (first_then, [([1, 2, 3],), ([1.5, 2.5],), (np.arange(4.0),)]),
    (one_branch, [(1, 3), (1, 2), (1, 1), ("ab", 3), ("ab", 2), ([1], 2), ([1], 3)]),
    (containers, [(5,), (3,)]),
    (several, [(1,), (2,), (3,)]),
    (handled, [(5,), (0,), (3,)]),
    (caught, [(3,), (0,)]),
    (finally_read, [(2,), (3,), (0,)]),
    (matched, [(1,), (2,), (4,)]),
    (nested, [(4,), (1,), (0,), (2,)]),
    (deleted, [(1,), (4,)]),
    (inner_reads, [(2,), (0,)]),
    (expression, [(5,), (1,), (3,), (4,)]),
    (instance, [(3,), (0,)]),
    (wider, [(3,), (5,), (2,), (0,)]),
    (looped, [(3,), (0,)]),
]


@pytest.mark.parametrize(("function", "calls"), CALLS, ids=lambda thing: getattr(thing, "__name__", ""))
def test_as_python(function: Callable[..., Any], calls: list[tuple[Any, ...]]):
    compiled = tscript.script(function)
    for args in calls:
        assert result(compiled, args) == result(function, copy.deepcopy(args)), args


def result(function: Callable[..., Any], args: tuple[Any, ...]) -> object:
    try:
        return repr(function(*args))
    except (NameError, ZeroDivisionError) as error:
        name = str(error).split("'")[1:2] if isinstance(error, NameError) else []
        return (isinstance(error, NameError), name) if name else repr(error)


def test_the_message_is_python_s():
    with pytest.raises(UnboundLocalError) as wanted:
        last(0)
    with pytest.raises(UnboundLocalError) as found:
        tscript.script(last)(0)
    assert str(found.value) == str(wanted.value)


def test_tensors_and_arrays():
    def scaled(x: Tensor, n: int) -> Tensor:
        for i in range(n):
            y = x * i
        return y + x

    def summed(a, n):
        for row in a:
            s = row.sum()
            if s > n:
                best = row
        return best, s

    compiled = tscript.script(scaled)
    assert compiled(tscript.ones(2), 3).tolist() == [3.0, 3.0]
    with pytest.raises(UnboundLocalError, match="'y'"):
        compiled(tscript.ones(2), 0)
    a = np.arange(6.0).reshape(3, 2)
    found = tscript.script(summed)(a, 4)
    assert found[0].tolist() == [4.0, 5.0] and found[1] == 9.0 and type(found[1]) is np.float64
    with pytest.raises(UnboundLocalError, match="'best'"):
        tscript.script(summed)(a, 100)


def test_what_is_assigned_is_not_tested():
    def plain(n: int) -> int:
        total = 0
        for i in range(n):
            found = i * 2
            total += found
        return total

    assert "UnboundLocalError" not in str(tscript.script(plain).graph)
