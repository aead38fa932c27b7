COUNT = 0


def f(n: int) -> int:
    global COUNT
    COUNT = n
    return n
