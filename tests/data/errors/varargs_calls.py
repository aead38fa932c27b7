def g(a: int, *rest: int, key: int = 0) -> int:
    return a


def f(n: int, s: str) -> int:
    g()
    g(1, 2, "a")
    g(1, ky=3)
    return g(*s)
