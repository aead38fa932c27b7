def f(x, n: int):
    if n > 3:
        y = x
    else:
        y = 0
    return y
