def f(xs: list[int], n: int) -> int:
    a, *b = n
    *a, b = (1,)
    a, *b, c = (1,)
    return 1
