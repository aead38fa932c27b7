class Problem:
    def __init__(self, n: int) -> None:
        self.n = n


def f(n: int) -> int:
    if n > 3:
        raise Problem(n)
    try:
        n = 3
    except Problem:
        n = 4
    return n
