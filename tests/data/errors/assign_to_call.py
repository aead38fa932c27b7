import math


def g(n: int) -> int:
    return n


def f(n: int) -> int:
    g.calls = 3
    math.pi = 3
    n.real = 3
    return n
