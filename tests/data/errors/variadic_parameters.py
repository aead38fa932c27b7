def f(x, *args, **kwargs):
    return x
