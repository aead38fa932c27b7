class A:
    pass


class B:
    pass


class C(A, B):
    pass


class Meta(type):
    pass


class D:
    def __getattr__(self, name: str) -> int:
        return 1


def f(c: C, d: D) -> int:
    return 1
