class A:
    def __init__(self, n: int) -> None:
        self.m = self.k + n
        if n > 3:
            self.k = 3


def f(n: int) -> int:
    return A(n).k
