def f(n: int) -> int:
    if n < 0:
        raise n
    return n
