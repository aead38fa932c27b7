def f(x, mask):
    return x[mask]
