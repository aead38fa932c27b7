def f(x, n: int):
    y = x.squeze(0)
    return n.upper()
