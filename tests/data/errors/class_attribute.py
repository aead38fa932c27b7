class A:
    limit = 3
    items = []

    def __init__(self) -> None:
        self.n = 1


def f(n: int) -> int:
    a = A()
    A.limit = 4
    return a.limit + A.items[0]
