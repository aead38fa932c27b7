def g(n: int, **options: int) -> int:
    return n


def f(n: int) -> int:
    return g(n, size=3)
