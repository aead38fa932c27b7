def g(n: int) -> int:
    return n


def f(x: int | None) -> int:
    y: int = x
    return g(x)
