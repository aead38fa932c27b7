import functools


class A:
    def __init__(self) -> None:
        self.n = 1

    @functools.singledispatch
    def twice(self) -> int:
        return 2 * self.n


def f(n: int) -> int:
    return A().twice()
