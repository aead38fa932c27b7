def f(t: tuple[int, int]) -> int:
    return t[2]
