def g():
    return 1


def f(n: int = g()) -> int:
    return n
