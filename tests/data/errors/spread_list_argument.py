def g(a: int, b: int) -> int:
    return a + b


def f(xs: list[int]) -> int:
    return g(*xs)
