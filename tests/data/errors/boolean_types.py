def f(n: int, x: float):
    return n or x
