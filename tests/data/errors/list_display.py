def f(n: int):
    xs = [1, 2, 3]
    return n
