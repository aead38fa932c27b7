def g(n: int) -> int:
    return n + offset


def f(n: int) -> int:
    return g(n) + g(n + 1)
