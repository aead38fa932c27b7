def f(xs: list[int]) -> list[int]:
    doubled = map(lambda x: 2 * x, xs)
    odd = filter(lambda x: x % 2 == 1, xs)
    return list(doubled)
