def f(t: tuple[int, int], i: int) -> int:
    return t[i]
