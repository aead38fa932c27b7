def f(t: tuple[int, str], i: int) -> int:
    return t[i]
