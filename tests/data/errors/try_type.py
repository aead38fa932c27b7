def f(x: int) -> str:
    y = 1
    try:
        y = "a"
        x = 10 // x
    except ZeroDivisionError:
        return str(y + 1)
    return y
