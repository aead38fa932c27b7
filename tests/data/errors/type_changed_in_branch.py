def f(n: int) -> str:
    y = 1
    if n > 3:
        y = "2"
    return y * 2
