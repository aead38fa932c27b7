def f(x: float):
    z = 2j // x
    return z
