import functools


@functools.cache
def f(n: int) -> int:
    return n
