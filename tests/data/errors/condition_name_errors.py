def f(n: int) -> int:
    if undefined_flag:
        n = 1
    return n
