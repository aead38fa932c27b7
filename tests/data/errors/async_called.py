async def g(n: int) -> int:
    return n


def f(n: int) -> int:
    return g(n)
