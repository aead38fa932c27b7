def g(a: int, b: int) -> int:
    return a + b


def f(t: tuple[int, int]) -> int:
    return g(*t)
