def f(x: int) -> int:
    try:
        y = 10 // x
    except ZeroDivisionError as e:
        x = 0
    if x > 3:
        raise e
    return y
