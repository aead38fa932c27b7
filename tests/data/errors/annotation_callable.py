from typing import Callable


def f(a: Callable[int], b: Callable, c: Callable[[int], int]) -> int:
    return 1
