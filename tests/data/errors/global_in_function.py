COUNT = 0


def g() -> int:
    global COUNT
    COUNT += 1
    return COUNT


def f(n: int) -> int:
    return g() + n
