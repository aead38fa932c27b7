def f(xs: list[int], t: tuple[int, int], n: int) -> int:
    a = t[n:]
    b = xs["a":]
    c = xs[::0.5]
    return a
