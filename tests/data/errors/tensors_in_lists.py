def f(x, n: int):
    xs = [x, n]
    xs.append(1.5)
    ys = [x, 1.5]
    return xs[0] + ys
