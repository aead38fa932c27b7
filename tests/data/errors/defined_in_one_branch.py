def f(n: int) -> int:
    if n > 3:
        y = None if n > 9 else n
    return 0 if y is None else y
