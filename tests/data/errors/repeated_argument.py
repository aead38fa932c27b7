def g(a: int, b: int = 2) -> int:
    return a * b


def f(n: int) -> int:
    return g(n, a=3)
