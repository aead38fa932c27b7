def g(n: int) -> None:
    pass


def f(n: int) -> int:
    g(n)()
    return g(n) + 1
