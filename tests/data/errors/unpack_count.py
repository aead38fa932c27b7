def f(t: tuple[int, int]) -> int:
    a, b, c = t
    return a
