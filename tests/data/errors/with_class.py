class Guard:
    def __init__(self) -> None:
        self.n = 1

    def __enter__(self) -> int:
        return self.n


def f(n: int) -> int:
    with Guard() as g:
        n += g
    return n
