def f(xs: list[int], ys: list[int]) -> int:
    pairs = zip(xs, ys)
    total = 0
    for x, y in pairs:
        total += x * y
    return total
