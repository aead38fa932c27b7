def f(x: int) -> int:
    try:
        y = None if x > 9 else 10 // x
    except ZeroDivisionError as e:
        x = 0
    return 0 if y is None else y
