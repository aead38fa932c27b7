LIMIT = 3


def f(x: LIMIT, y: 4) -> "1 +":
    return x
