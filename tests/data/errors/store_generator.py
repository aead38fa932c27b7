def f(xs: list[int]) -> int:
    doubled = (2 * x for x in xs)
    return sum(doubled)
