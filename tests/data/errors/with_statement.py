def f(x):
    with x:
        y = x + 1
    return y
