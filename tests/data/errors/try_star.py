def f(x: int) -> int:
    try:
        return 10 // x
    except* ZeroDivisionError:
        x = 0
    return x
