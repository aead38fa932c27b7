def f(n: int):
    return range(n)
