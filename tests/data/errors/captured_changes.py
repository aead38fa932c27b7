from typing import Callable


def f(n: int) -> int:
    k = 1
    g: Callable[[int], int] = lambda x: x + k
    k = 2
    return g(n)
