def h(n: int, size: int = 1) -> int:
    return n * size


def g(n: int, **options: int) -> int:
    options["more"] = 2
    return h(n, **options)


def f(n: int) -> int:
    return g(n, size=3)
