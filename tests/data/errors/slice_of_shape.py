def f(x):
    return x.view(x.shape[1.5:])
