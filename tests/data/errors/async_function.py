async def g(n: int) -> int:
    return n


def f(n: int) -> int:
    async def h(k: int) -> int:
        return k
    return n
