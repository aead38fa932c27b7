def f(n: int) -> float:
    y = 1
    if n > 3:
        y = 2.5
    return y * 2.0
