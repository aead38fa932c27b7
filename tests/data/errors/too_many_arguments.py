def g(a: int, b: int = 2, *, c: int = 3) -> int:
    return a + b + c


def f(n: int) -> int:
    return g(n, n, n)
