from typing import TypeVar

T = TypeVar("T")


def first(xs: list[T]) -> T:
    return xs[0]


def pick(xs: list[T], default: T) -> T:
    return xs[0] if xs else default


def f(n: int) -> int:
    a = first([])
    b = first(3)
    return pick([n], "a")
