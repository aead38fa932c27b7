def f(n: int) -> int:
    g = lambda v: v + 1
    return g(n)
