def f(xs: list[int], s: str) -> int:
    xs[0] = s
    xs["a"] = 3
    xs[0:1] = [s]
    xs[0:1] = 3
    return xs["a"]
