def g(a: int, scale: int = 2) -> int:
    return a * scale


def f(n: int) -> int:
    return g(n, scael=3)
