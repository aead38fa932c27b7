def g(a: int, *, key: int, other: int = 3) -> int:
    return a


def f(n: int) -> int:
    g(1, 2)
    g(a=1, a=2)
    g(1, a=1, key=2)
    g(1, key=2, kee=3)
    return g()
