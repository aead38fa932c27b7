def f(xs: list[int], d: dict[str, int]) -> int:
    xs.append("a")
    d[3] = 4
    ys = xs + d
    zs = [x.upper() for x in xs]
    n = d.get("a") + 1
    for k, v in d:
        n += v
    return ys
