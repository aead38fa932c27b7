def f(x: int, t: tuple[int, int], s: str, y) -> int:
    del t[0]
    del s[0]
    del y.shape
    del x
    del y[0]
    return x
