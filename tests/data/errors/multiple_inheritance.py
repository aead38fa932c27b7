class A:
    def __init__(self) -> None:
        self.n = 1


class B:
    def __init__(self) -> None:
        self.m = 1


class C(A, B):
    pass


def f(n: int) -> int:
    return C().n + n
