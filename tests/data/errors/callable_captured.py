from typing import Callable


def apply(g: Callable[[int], int], n: int) -> int:
    return g(n)


def f(n: int) -> int:
    y = 1

    def make() -> Callable[[int], int]:
        return lambda x: x + y

    def plain(x: int) -> int:
        return x + y

    g = make()
    h: Callable[[int], int] = plain
    total = plain(n)
    y = 2
    for i in range(n):
        total += apply(lambda x: x + i, 3)
    fs: list[Callable[[int], int]] = [lambda x: x + j for j in range(n)]
    with_default: list[Callable[[int], int]] = [lambda x, j=j: x + j for j in range(n)]
    k: Callable[[int], int] = lambda x: x + later
    later = 3
    return total
