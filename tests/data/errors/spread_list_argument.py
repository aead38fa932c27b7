def g(a: int, b: int = 2) -> int:
    return a + b


def f(xs: list[int]) -> int:
    return g(*xs)
