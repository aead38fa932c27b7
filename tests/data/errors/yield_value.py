def f(n: int):
    for i in range(n):
        yield i
    yield from range(n)
