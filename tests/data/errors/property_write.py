class A:
    def __init__(self) -> None:
        self.n = 1

    @property
    def twice(self) -> int:
        return 2 * self.n


def f(n: int) -> int:
    a = A()
    a.twice = 3
    return a.twice()
