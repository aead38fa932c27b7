def f(n: int) -> int:
    if n > 3:
        y = 1
    return y
