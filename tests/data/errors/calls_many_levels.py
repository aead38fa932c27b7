def a(n: int) -> int:
    return n.size


def b(n: int) -> int:
    return a(n)


def c(n: int) -> int:
    return b(n)


def d(n: int) -> int:
    return c(n)


def e(n: int) -> int:
    return d(n)


def g(n: int) -> int:
    return e(n)


def h(n: int) -> int:
    return g(n)


def f(n: int) -> int:
    return h(n)
