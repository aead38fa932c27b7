from helpers import scale


def f(n: int) -> int:
    return scale(n)
