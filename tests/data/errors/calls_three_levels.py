def lowest(n: int) -> int:
    return n + offset


def middle(n: int) -> int:
    return lowest(n) * 2


def highest(n: int) -> int:
    return middle(n + 1)


def f(n: int) -> int:
    return highest(n) + middle(n)
