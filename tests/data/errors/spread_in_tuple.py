def f(xs: list[int]) -> int:
    t = (*xs, 1)
    u = (0, *{1, 2})
    return t[0]
