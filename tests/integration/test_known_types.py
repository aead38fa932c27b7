# mypy: disable-error-code="misc,no-any-return"
"""Names of which a condition or an assignment says what they hold, of all that their declaration allows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tscript
from tscript import Tensor

X = tscript.tensor([1.0, 2.0, 4.0])


def default(p: int | None) -> int:
    if p is None:
        p = 3
    return p + 1


def either(p: int | None) -> int:
    p = p or 5
    return p + 1


def number(p: float | None) -> float:
    if p is None:
        p = 1
    return p / 2


def kept_apart(p: int | float | None, n: int) -> str:
    if n > 1:
        p = n
    elif n == 1:
        p = 1.0
    return f"{p}"


def in_a_loop(p: int | float | None, n: int) -> str:
    out = ""
    p = 1 if p is None else p
    for i in range(n):
        out += f"{p},"
        p = i if i % 2 else i / 4
    return f"{out}{p}"


def forgotten(p: int | None, n: int) -> list[int | None]:
    out: list[int | None] = []
    p = 2
    out.append(p + 1)
    for i in range(n):
        if p is not None:
            out.append(p + i)
            p = None
        else:
            p = i
    out.append(p)
    return out


def tensor(p: Tensor | None, n: int, x: Tensor) -> int:
    if p is None:
        p = x
    r = p.numel()
    if n > 1:
        p = None
    else:
        p = p[1:]
    return r + (100 if p is None else p.numel())


def tensor_in_a_try(p: Tensor | None, n: int, x: Tensor) -> int:
    r = 0
    if p is None:
        p = x
    try:
        r += p.numel()
        if n > 1:
            raise ValueError("x")
        p = None
        r += 10 // n
    except ValueError:
        p = x[1:]
    except ZeroDivisionError:
        r += 1000
    return r + (100 if p is None else p.numel())


def tensor_in_loops(p: Tensor | None, n: int, x: Tensor) -> int:
    r = 0
    while p is not None and n > 0:
        r += p.numel()
        n -= 1
        if n == 1:
            p = None
        elif n == 2:
            p = x[2:]
    for _ in range(n):
        p = None
    else:
        r += 1000
    return r + (100 if p is None else p.numel())


def tensor_or_int(p: Tensor | int | None, n: int, x: Tensor) -> int:
    if p is None:
        p = x
    elif isinstance(p, int):
        n += p
        p = x[1:]
    return n if isinstance(p, int) else n + p.numel()


def rest(p: int | str | None) -> int:
    if isinstance(p, str):
        return 0
    elif p is not None:
        return p + 1
    return 7


def rest_of_tensors(p: Tensor | float | None) -> float:
    if isinstance(p, Tensor):
        return float(p.sum())
    elif p is not None:
        return p + 1
    return 7


OPTIONAL = [(None, 0), (None, 1), (None, 3), (4, 0), (4, 2), (4, 3)]
TENSORS = [(None, 0, X), (None, 1, X), (None, 2, X), (X, 0, X), (X, 1, X), (X, 2, X), (X, 5, X)]


@pytest.mark.parametrize(
    ("function", "calls"),
    [
        (default, [(None,), (1,)]),
        (either, [(None,), (0,), (1,)]),
        (number, [(None,), (2.5,)]),
        (kept_apart, [*OPTIONAL, (0.5, 0)]),
        (in_a_loop, [*OPTIONAL, (0.5, 3)]),
        (forgotten, OPTIONAL),
        (tensor, TENSORS),
        (tensor_in_a_try, TENSORS),
        (tensor_in_loops, TENSORS),
        (tensor_or_int, [*TENSORS, (7, 1, X)]),
        (rest, [(None,), (1,), ("a",)]),
        (rest_of_tensors, [(None,), (X,), (1.5,)]),
    ],
)
def test_what_is_known_of_names(function: Callable[..., Any], calls: list[tuple[Any, ...]]) -> None:
    scripted = tscript.script(function)
    for args in calls:
        assert scripted(*args) == function(*args)


def given(p: Any, xs: list[Tensor]) -> Any:
    if isinstance(p, Tensor):
        xs.append(p)
    return p


def made(n: int, xs: list[Tensor]) -> int:
    p: Any = n
    if isinstance(p, Tensor):
        xs.append(p)
    return n


def passed_on(p: Any, xs: list[Tensor]) -> list[Any]:
    q: Any = p if isinstance(p, Tensor) else [1]
    if isinstance(q, Tensor):
        xs.append(q)
    return [q, p]


@pytest.mark.parametrize("function", [given, made, passed_on])
def test_what_is_a_tensor_in_one_branch_is_released_as_what_it_is(function: Callable[..., Any]) -> None:
    scripted = tscript.script(function)
    for value in (1, "text", [1, 2], X) if function is not made else (1, 2):
        for _ in range(3):
            ours: list[Tensor] = []
            theirs: list[Tensor] = []
            assert str(scripted(value, ours)) == str(function(value, theirs))
            assert len(ours) == len(theirs)
