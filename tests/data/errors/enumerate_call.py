def f(x):
    for i, row in enumerate(x):
        x[i] = 0.0
    return x
