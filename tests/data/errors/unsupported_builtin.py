def f(x):
    print(x)
    y = sum(x)
    z = zip(x, x)
    return sorted(x)
