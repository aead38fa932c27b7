class Meta(type):
    pass


class A(metaclass=Meta):
    def __init__(self) -> None:
        self.n = 1


def f(n: int) -> int:
    return A().n + n
