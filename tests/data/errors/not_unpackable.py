def f(x, n: int):
    a, b = n
    c, d = None
    return x
