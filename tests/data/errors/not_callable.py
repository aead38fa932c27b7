LIMIT = 3


def f(n: int):
    a = LIMIT(n)
    return n(3)
