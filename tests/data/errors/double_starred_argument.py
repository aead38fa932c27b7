def g(a: int) -> int:
    return a


def f(options: int) -> int:
    return g(**options)
