def g(a: int, x) -> int:
    return a


def f(n: float) -> int:
    a = g(n, n)
    return g(3, n)
