import math
from typing import Callable, Optional


def apply(g: Callable[[int], int], n: int) -> int:
    return g(n)


def text(n: str) -> int:
    return len(n)


def f(n: int, g: Optional[Callable[[int], int]], h: Callable[[int], str]):
    apply(text, n)
    apply(math.sqrt, n)
    apply(h, n)
    apply(lambda x: "a", n)
    apply(lambda x, y: x, n)
    g(n)
    h(n, n)
    h("a")
    h(x=1)
    h == h
    sorted([1, 2], key=n)
    k = max
    return lambda x: x
