def f(xs: list[int]) -> int:
    ys = [x * 2 for x in xs if y > 3]
    zs = [x for x in 3]
    ws = {x: y for x, y in xs}
    return x
