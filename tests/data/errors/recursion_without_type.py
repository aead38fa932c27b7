def f(n: int):
    if n >= 2:
        return n * f(n - 1)
    return 1
