def f(n: int) -> int:
    del m
    if n > 3:
        del n
    return n
