def f(x, n: int):
    y = 0
    while n > 0:
        y = y + x
        n -= 1
    return y
