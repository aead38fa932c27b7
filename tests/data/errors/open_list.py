def f(n: int):
    xs = []
    y = xs.pop()
    xs.sort()
    return y + 1
