def f(xs: list[int]) -> int:
    *a, *b = xs
    return 1
