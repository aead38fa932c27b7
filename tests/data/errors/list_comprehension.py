def f(n: int):
    xs = [i * i for i in range(n)]
    return n
