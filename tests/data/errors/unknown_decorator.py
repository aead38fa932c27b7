import functools


@functools.singledispatch
def f(n: int) -> int:
    return n
