def g(a: int, /) -> int:
    return a


def f(n: int) -> int:
    return g(a=n)
