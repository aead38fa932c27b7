import functools


def f(n: int) -> int:
    @functools.cache
    def step(k: int) -> int:
        return k + 1
    return step(n)
