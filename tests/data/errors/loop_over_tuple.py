def f(t: tuple[int, int]) -> int:
    total = 0
    for v in t:
        total += v
    return total
