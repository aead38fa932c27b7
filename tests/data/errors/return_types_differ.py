def f(n: int):
    if n > 3:
        return 1.5
    return None
