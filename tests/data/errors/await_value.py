def f(x: list[int]) -> int:
    async for y in x:
        pass
    async with x:
        pass
    return await x
