def f(x):
    print(x)
    y = sum(x)
    z = range(3)
    return sorted(x)
