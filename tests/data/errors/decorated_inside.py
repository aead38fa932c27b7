import functools


def f(n: int) -> int:
    @functools.singledispatch
    def step(k: int) -> int:
        return k + 1
    return step(n)
