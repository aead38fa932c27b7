TABLE = (1, 2)


def f(n: int) -> int:
    TABLE[0] = n
    TABLE += (3,)
    return n
