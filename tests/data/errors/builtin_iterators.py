def f(xs: list[int]) -> int:
    it = iter(xs)
    return next(it)
