def f(t: tuple[int, int, int]) -> int:
    a, *b = t
    return a
