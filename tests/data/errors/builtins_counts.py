def f(xs: list[int]) -> int:
    a = len()
    b = len(xs, xs)
    c = sorted(xs, reversed=True)
    d = sum(xs, key=3)
    e = zip()
    g = list(xs, xs)
    h = enumerate(xs, 1, 2)
    for i, x in enumerate(3):
        pass
    for a, b in zip(xs, 3):
        pass
    for a in reversed({1: 2}):
        pass
    return range()
