def g(n: int, **options: int) -> int:
    options.pop("size")
    return n


def f(n: int) -> int:
    return g(n, size=3)
