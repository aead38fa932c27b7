def g(a: int, b: int, *, c: int) -> int:
    return a + b + c


def f(n: int) -> int:
    a = g(n, c=1)
    return g(n, n)
