def f(t: tuple[int, int]):
    t[0] = 3
    return t
