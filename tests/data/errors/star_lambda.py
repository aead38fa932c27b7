def f(xs: list[int]) -> list[int]:
    ys = sorted(xs, key=lambda *a: 1)
    zs = sorted(xs, key=3)
    ws = sorted(xs, key=missing)
    return max(xs, key=lambda: 3)
