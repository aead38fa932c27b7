def scale(x, by: Missing, *sizes: int) -> int:
    return x


def inner(x):
    return scale(x, 2)


def f(x):
    return inner(x)
