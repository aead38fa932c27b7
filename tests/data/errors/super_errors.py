class A:
    def __init__(self, n: int) -> None:
        self.n = n

    def scale(self, k: int) -> int:
        return self.n * k


class B(A):
    def __init__(self, n: int) -> None:
        super().__init__(n, n)
        self.m = super().scael(n)

    def scale(self, k: str) -> int:
        return super().scale(k)


def f(n: int) -> int:
    return B(n).scale("a")
