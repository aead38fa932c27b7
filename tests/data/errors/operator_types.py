def f(n: int, t: tuple[int, int]):
    return n + t
