def f(n: int):
    if n < 2:
        return 1
    return n * f(n - 1)
