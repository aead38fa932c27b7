def f(xs: list[int]) -> list[int]:
    a = [x if x > 3 else "a" for x in xs]
    b = {x: [] for x in xs}
    c = {[x] for x in xs}
    d = [x for x, y in zip(xs, xs, xs)]
    e = [y for x in xs for y in x]
    return [str(x) for x in xs]
