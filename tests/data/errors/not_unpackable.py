def f(x, n: int):
    a, b = n
    c, d = x
    return x
