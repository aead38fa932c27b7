from typing import Callable


def twice(x: int) -> int:
    return 2 * x


def apply(g: Callable[[int], int], n: int) -> int:
    return g(n)


def name(s: str) -> str:
    return s


def f(n: int) -> int:
    a = apply(name, n)
    b = apply(3, n)
    c = apply(twice, "a")
    d = apply(lambda x, y: x, n)
    h: Callable[[int], int] = twice
    h("a")
    h(1, 2)
    h(x=1)
    return h
