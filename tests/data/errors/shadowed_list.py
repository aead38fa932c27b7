def f(n: int) -> int:
    list = [n]
    ys = list(range(n))
    max = 3
    return max(1, 2)
